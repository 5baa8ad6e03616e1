//! `earlydrop configure --fabric`: when the switches of a data centre mark and pause.

use std::io::Write;
use std::sync::Arc;

use earlydrop_report::configuration::fabric::{self, FabricReport};

use earlydrop_report::request::RequestError;

use super::Configure;
use super::terminal::{SENTENCES, WIDTH, table};
use crate::draw::{Look, Style, Text, definition, indented};
use crate::failure::Failure;
use crate::notices::Notices;
use crate::output::Output;
use crate::progress::{Line, stop_flag};

/// The column of sentences after the labels of a fabric, which are longer.
const LABELS: usize = SENTENCES + 3;

pub(super) fn run(
    arguments: &Configure,
    out: &mut Output<'_>,
    style: &Style,
) -> Result<(), Failure> {
    let options = arguments.fabric_options();
    if let Some(format) = &arguments.paste {
        fabric::check_format(format)?;
    }
    let stop = match options.is_simulated {
        true => stop_flag()?,
        false => Arc::default(),
    };
    let line = Line::new();
    let mut progress = |what: &str| line.show(&format!("simulating {what}"));
    let report = fabric::answer(&options, &stop, &mut progress);
    line.end();
    let report = report?;
    if let Some(format) = &arguments.paste {
        let (text, lost) = fabric::snippet(format, &report)?;
        for one in lost {
            let (knob, from, to) = (one.knob.name(), one.from, one.to);
            let text = format!("{format}: {knob} {from} becomes {to}: {}", one.why);
            Notices { quiet: false }.warn(&text);
        }
        return Ok(write!(out, "{text}")?);
    }
    if arguments.json {
        return Ok(out.json(&fabric::json(&report))?);
    }
    Ok(out.lines(&lines(&report, style), style)?)
}

/// Refuses options that need `--fabric`, where that is not given. The argument parser does not ask for an
/// option that another one excludes, as `--flows` does.
pub(super) fn refuse_without(arguments: &Configure) -> Result<(), Failure> {
    for (name, value) in [
        ("ports", &arguments.ports),
        ("transport", &arguments.transport),
        ("card", &arguments.card),
        ("cable", &arguments.cable),
    ] {
        if let Some(value) = value {
            let text = format!("--{name} {value}: allowed with --fabric only, without --flows");
            return Err(RequestError::Option(text).into());
        }
    }
    Ok(())
}

/// The report as lines of text.
fn lines(report: &FabricReport, style: &Style) -> Vec<Text> {
    let style = &Style {
        width: style.width.min(WIDTH),
        ..*style
    };
    let mut lines = Text::new(&fabric::title(report), Look::Strong).wrapped(style.width);
    let rows = fabric::candidates(report);
    lines.push(Text::default());
    lines.extend(table(&rows, style));
    lines.extend(sentences(fabric::sources(report), style));
    lines.extend(sentences(fabric::pauses(report), style));
    let rows = fabric::measured(report);
    if !rows.is_empty() {
        lines.push(Text::default());
        lines.extend(table(&rows, style));
    }
    lines.extend(sentences(fabric::recommendation(report), style));
    for (title, text) in fabric::snippets(report) {
        lines.push(Text::default());
        lines.push(Text::new(&title, Look::Strong));
        lines.extend(text.lines().map(|line| Text::new(line, Look::Code)));
    }
    lines
}

/// Labelled sentences below an empty line; nothing where there are none.
fn sentences(all: Vec<(&'static str, String)>, style: &Style) -> Vec<Text> {
    let mut lines = Vec::new();
    if !all.is_empty() {
        lines.push(Text::default());
    }
    let width = style.width.saturating_sub(2);
    for (label, sentence) in all {
        let label = Text::new(label, Look::Faint);
        let text = |width: usize| Text::from(sentence).wrapped(width);
        lines.extend(indented(2, definition(&label, LABELS, width, text)));
    }
    lines
}
