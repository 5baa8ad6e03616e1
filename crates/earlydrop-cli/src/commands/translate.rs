//! `earlydrop translate`: a configuration of RED for another tool, what is lost on the way,
//! and what difference it makes.

use std::io::Write;

use earlydrop_model::explain::expect;
use earlydrop_model::spacing::long_run;
use earlydrop_model::tools::{self, Configuration, TOOLS, Tool, Translation, ratio_in_words};
use earlydrop_model::{Load, ModelError, Prediction};
use serde_json::{Value, json};

use super::explain::{about, about_load};
use crate::draw::{Look, Style, Table, Text, indented, number, write_lines};
use crate::failure::Failure;
use crate::situation::{Situation, read, tool};

/// Translate a configuration of RED from one tool to others
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  earlydrop translate --to ns3,cisco 'tc qdisc add dev eth0 root red limit 400000 min 30000 max 90000 avpkt 1000 burst 55 probability 0.02 ecn'
  earlydrop translate --from ns3 --to linux red.cc --link 100Mbps
  earlydrop translate --to all red:min=20,max=60,max_p=0.1 --json

Tools: linux, ns2, ns3, dpdk, cisco, junos, sonic, inet, earlydrop.")]
pub(crate) struct Translate {
    /// The configuration as it is written for its tool, a file with it, or - for standard input
    #[arg(value_name = "TEXT|FILE|-", allow_hyphen_values = true)]
    configuration: String,
    /// The tool it is for, where its words do not tell it
    #[arg(long, value_name = "TOOL")]
    from: Option<String>,
    /// The tools to write it for: a list, or all
    #[arg(long, value_name = "TOOLS")]
    to: String,
    /// Keep the number of max_p, though other tools tell more or less often at it
    #[arg(long)]
    word_for_word: bool,
    #[command(flatten)]
    situation: Situation,
    /// Write one JSON document instead
    #[arg(long)]
    json: bool,
}

/// One tool's text, both ways.
struct Target {
    tool: &'static Tool,
    proposed: Translation,
    copied: Translation,
}

pub(crate) fn run(
    arguments: &Translate,
    out: &mut dyn Write,
    style: &Style,
) -> Result<(), Failure> {
    let from = arguments.from.as_deref();
    let from = from.map(|name| tool("--from", name)).transpose()?;
    let wanted = targets(&arguments.to)?;
    let reading = read(&arguments.configuration, from, &arguments.situation)?;
    let (configuration, load) = (&reading.configuration, &reading.load);
    let link = load.link();
    let mut targets = Vec::new();
    for tool in wanted {
        let refuse = |refusal| Failure::Usage(format!("--to {}: {refusal}", tool.name));
        targets.push(Target {
            tool,
            proposed: tools::translate(configuration, tool, &link).map_err(refuse)?,
            copied: tools::word_for_word(configuration, tool, &link).map_err(refuse)?,
        });
    }
    if arguments.json {
        let document = document(configuration, load, &targets)?;
        let text = serde_json::to_string_pretty(&document).unwrap_or_default();
        return Ok(writeln!(out, "{text}")?);
    }
    let mut lines = Vec::new();
    for target in &targets {
        lines.extend(text_of(target, arguments.word_for_word, style));
    }
    lines.push(Text::new("What it comes to", Look::Strong));
    let told = Text::from(format!("  {}:", reading.told));
    lines.extend(told.wrapped(style.width));
    lines.push(Text::default());
    lines.extend(comparison(configuration, load, &targets, style)?);
    Ok(write_lines(out, &lines, style)?)
}

fn targets(list: &str) -> Result<Vec<&'static Tool>, Failure> {
    if list == "all" {
        return Ok(TOOLS.to_vec());
    }
    let names = list.split(',').map(str::trim);
    names.map(|name| tool("--to", name)).collect()
}

/// The text to paste, what was changed, and what is lost.
fn text_of(target: &Target, word_for_word: bool, style: &Style) -> Vec<Text> {
    let written = match word_for_word {
        true => &target.copied,
        false => &target.proposed,
    };
    let width = style.width.saturating_sub(2);
    let mut lines = vec![Text::new(target.tool.title, Look::Strong), Text::default()];
    // To be pasted: never broken.
    let code = written.text.lines().map(|line| Text::new(line, Look::Code));
    lines.extend(code);
    lines.push(Text::default());
    for note in &written.notes {
        lines.extend(indented(2, Text::from(format!("{note}.")).wrapped(width)));
    }
    if written.lost.is_empty() {
        lines.extend(indented(2, vec![Text::from("Nothing is lost.")]));
    } else {
        let mut table = Table::headed(
            ["not carried over", "was", "is", "why"]
                .map(Text::from)
                .to_vec(),
        );
        for lost in &written.lost {
            table.row(vec![
                Text::from(lost.knob.name()),
                Text::from(lost.from.as_str()),
                Text::from(lost.to.as_str()),
                Text::from(lost.why),
            ]);
        }
        lines.extend(indented(2, table.lines(width, style.unicode)));
    }
    lines.push(Text::default());
    lines
}

/// Queue and loss as it is, translated, and copied word for word.
fn comparison(
    configuration: &Configuration,
    load: &Load,
    targets: &[Target],
    style: &Style,
) -> Result<Vec<Text>, Failure> {
    let header = [
        "",
        "max_p",
        "told at max",
        "queue",
        "delay",
        "lost",
        "marked",
    ];
    let mut table = Table::headed(header.map(Text::from).to_vec());
    let mut row = |name: String, shown: &Configuration| -> Result<(), Failure> {
        let found = expect(shown, load)?;
        let percent = |share: f64| format!("{}%", number(100.0 * share));
        table.row(vec![
            Text::from(name),
            Text::from(number(shown.classes[0].max_p.value)),
            Text::from(format!("1 in {}", number(1.0 / told_at_max(shown)))),
            Text::from(format!("{} packets", number(found.queue))),
            Text::from(format!("{} ms", number(1e3 * found.delay.as_secs_f64()))),
            Text::from(percent(found.loss)),
            Text::from(percent(found.marks)),
        ]);
        Ok(())
    };
    row(
        format!("{}, as it is", configuration.tool.name),
        configuration,
    )?;
    for target in targets {
        row(
            format!("{}, as proposed", target.tool.name),
            &target.proposed.configuration,
        )?;
        row(
            format!("{}, word for word", target.tool.name),
            &target.copied.configuration,
        )?;
    }
    let mut lines = table.lines(style.width, style.unicode);
    let ratios = ratios(configuration, targets);
    if !ratios.is_empty() {
        lines.push(Text::default());
    }
    for said in ratios {
        lines.extend(Text::from(said).wrapped(style.width));
    }
    Ok(lines)
}

/// How much more or less often each tool tells where numbers are copied.
fn ratios(configuration: &Configuration, targets: &[Target]) -> Vec<String> {
    let said = |target: &Target| {
        let ratio = told_at_max(&target.copied.configuration) / told_at_max(configuration);
        ((ratio - 1.0).abs() > 0.02).then(|| {
            format!(
                "Copied word for word, {} tells {} at one and the same average.",
                target.tool.name,
                ratio_in_words(ratio),
            )
        })
    };
    targets.iter().filter_map(said).collect()
}

/// The share of packets told of congestion just below max.
fn told_at_max(configuration: &Configuration) -> f64 {
    long_run(
        configuration.spacing.value,
        configuration.classes[0].max_p.value,
    )
}

fn document(
    configuration: &Configuration,
    load: &Load,
    targets: &[Target],
) -> Result<Value, ModelError> {
    let described = |shown: &Configuration, found: &Prediction| {
        json!({
            "max_p": shown.classes[0].max_p.value,
            "told_at_max": told_at_max(shown),
            "prediction": about(found),
        })
    };
    let written = |written: &Translation| -> Result<Value, ModelError> {
        let lost = written.lost.iter().map(|lost| {
            json!({ "knob": lost.knob.name(), "from": lost.from, "to": lost.to, "why": lost.why })
        });
        let found = expect(&written.configuration, load)?;
        Ok(json!({
            "text": written.text,
            "notes": written.notes,
            "lost": lost.collect::<Vec<_>>(),
            "comes_to": described(&written.configuration, &found),
        }))
    };
    let mut to = Vec::new();
    for target in targets {
        to.push(json!({
            "tool": target.tool.name,
            "proposed": written(&target.proposed)?,
            "word_for_word": written(&target.copied)?,
        }));
    }
    let found = expect(configuration, load)?;
    Ok(json!({
        "from": configuration.tool.name,
        "load": about_load(load),
        "comes_to": described(configuration, &found),
        "to": to,
    }))
}
