//! `earlydrop translate`: a configuration of RED in other tools' syntax, what cannot be carried over,
//! and the predicted effect.

use std::io::Write;

use earlydrop_model::explain::expect;
use earlydrop_model::spacing::long_run;
use earlydrop_model::tools::{self, Configuration, TOOLS, Tool, Translation, ratio_in_words};
use earlydrop_model::{Load, ModelError};
use serde_json::{Value, json};

use super::model_json;
use crate::draw::{Look, Style, Table, Text, indented, number};
use crate::failure::Failure;
use crate::output::Output;
use crate::tool_input::{LoadArguments, read, tool};

/// Translate a configuration of RED from one tool to others
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  earlydrop translate --to ns3,cisco 'tc qdisc add dev eth0 root red limit 400000 avpkt 1000 ecn'
  earlydrop translate --from ns3 --to linux red.cc --link 100Mbps
  earlydrop translate --to all red:min=20,max=60,max_p=0.1 --json

Tools: linux, ns2, ns3, dpdk, cisco, junos, sonic, inet, earlydrop.")]
pub(crate) struct Translate {
    /// The configuration in its tool's syntax, a file that contains it, or - for standard input
    #[arg(value_name = "TEXT|FILE|-", allow_hyphen_values = true)]
    configuration: String,
    /// The tool of the configuration, where the syntax is ambiguous
    #[arg(long, value_name = "TOOL")]
    from: Option<String>,
    /// The tools to translate to: a list, or all
    #[arg(long, value_name = "TOOLS")]
    to: String,
    /// Copy the number of max_p, although other tools signal more or less often with it
    #[arg(long)]
    word_for_word: bool,
    #[command(flatten)]
    load: LoadArguments,
    /// Write one JSON document instead of text
    #[arg(long)]
    json: bool,
}

/// The translations for one tool.
struct Target {
    tool: &'static Tool,
    /// With max_p adapted, so that the tool signals as often.
    proposed: Translation,
    /// With the numbers copied.
    copied: Translation,
}

pub(crate) fn run(
    arguments: &Translate,
    out: &mut Output<'_>,
    style: &Style,
) -> Result<(), Failure> {
    let from = arguments.from.as_deref();
    let from = from.map(|name| tool("--from", name)).transpose()?;
    let wanted = targets(&arguments.to)?;
    let input = read(&arguments.configuration, from, &arguments.load)?;
    let (configuration, load) = (&input.configuration, &input.load);
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
        lines.extend(translation(target, arguments.word_for_word, style));
    }
    lines.push(Text::new("Predicted effect", Look::Strong));
    let load_in_words = Text::from(format!("  {}:", input.load_in_words));
    lines.extend(load_in_words.wrapped(style.width));
    lines.push(Text::default());
    lines.extend(comparison(configuration, load, &targets, style)?);
    Ok(out.lines(&lines, style)?)
}

/// The tools of a comma-separated list.
fn targets(list: &str) -> Result<Vec<&'static Tool>, Failure> {
    if list == "all" {
        return Ok(TOOLS.to_vec());
    }
    let names = list.split(',').map(str::trim);
    names.map(|name| tool("--to", name)).collect()
}

/// The text to paste, notes on changes, and what cannot be carried over.
fn translation(target: &Target, word_for_word: bool, style: &Style) -> Vec<Text> {
    let written = match word_for_word {
        true => &target.copied,
        false => &target.proposed,
    };
    let width = style.width.saturating_sub(2);
    let mut lines = vec![Text::new(target.tool.title, Look::Strong), Text::default()];
    // Lines to paste are never wrapped.
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

/// A table of the predicted queue and loss: as given, as proposed, and copied word for word.
fn comparison(
    configuration: &Configuration,
    load: &Load,
    targets: &[Target],
    style: &Style,
) -> Result<Vec<Text>, Failure> {
    let header = [
        "",
        "max_p",
        "signals at max",
        "queue",
        "delay",
        "lost",
        "marked",
    ];
    let mut table = Table::headed(header.map(Text::from).to_vec());
    let mut row = |tool: &str, variant: &str, configuration: &Configuration| {
        let name = format!("{tool}, {variant}");
        table.row(effect(name, configuration, load)?);
        Ok::<(), Failure>(())
    };
    row(configuration.tool.name, "as given", configuration)?;
    for target in targets {
        let name = target.tool.name;
        row(name, "as proposed", &target.proposed.configuration)?;
        row(name, "word for word", &target.copied.configuration)?;
    }
    let mut lines = table.lines(style.width, style.unicode);
    let ratios = ratios(configuration, targets);
    if !ratios.is_empty() {
        lines.push(Text::default());
    }
    for ratio in ratios {
        lines.extend(Text::from(ratio).wrapped(style.width));
    }
    Ok(lines)
}

/// A row of the table: max_p, signals just below max, and the prediction.
fn effect(
    name: String,
    configuration: &Configuration,
    load: &Load,
) -> Result<Vec<Text>, ModelError> {
    let predicted = expect(configuration, load)?;
    let percent = |share: f64| format!("{}%", number(100.0 * share));
    let signals = 1.0 / signals_at_max(configuration);
    Ok(vec![
        Text::from(name),
        Text::from(number(configuration.classes[0].max_p.value)),
        Text::from(format!("1 in {}", number(signals))),
        Text::from(format!("{} packets", number(predicted.queue))),
        Text::from(format!(
            "{} ms",
            number(1e3 * predicted.delay.as_secs_f64())
        )),
        Text::from(percent(predicted.loss)),
        Text::from(percent(predicted.marks)),
    ])
}

/// For each tool that signals more or less often with copied numbers, by how much.
fn ratios(configuration: &Configuration, targets: &[Target]) -> Vec<String> {
    let sentence = |target: &Target| {
        let ratio = signals_at_max(&target.copied.configuration) / signals_at_max(configuration);
        ((ratio - 1.0).abs() > 0.02).then(|| {
            format!(
                "Copied word for word, {} signals {} at the same average.",
                target.tool.name,
                ratio_in_words(ratio),
            )
        })
    };
    targets.iter().filter_map(sentence).collect()
}

/// The long-run share of packets dropped or marked just below max.
fn signals_at_max(configuration: &Configuration) -> f64 {
    long_run(
        configuration.spacing.value,
        configuration.classes[0].max_p.value,
    )
}

/// The translations as JSON.
fn document(
    configuration: &Configuration,
    load: &Load,
    targets: &[Target],
) -> Result<Value, ModelError> {
    let effect = |configuration: &Configuration| -> Result<Value, ModelError> {
        let predicted = expect(configuration, load)?;
        Ok(json!({
            "max_p": configuration.classes[0].max_p.value,
            "told_at_max": signals_at_max(configuration),
            "prediction": model_json::prediction(&predicted),
        }))
    };
    let translation = |written: &Translation| -> Result<Value, ModelError> {
        let lost = written.lost.iter().map(|lost| {
            json!({ "knob": lost.knob.name(), "from": lost.from, "to": lost.to, "why": lost.why })
        });
        Ok(json!({
            "text": written.text,
            "notes": written.notes,
            "lost": lost.collect::<Vec<_>>(),
            "comes_to": effect(&written.configuration)?,
        }))
    };
    let mut to = Vec::new();
    for target in targets {
        to.push(json!({
            "tool": target.tool.name,
            "proposed": translation(&target.proposed)?,
            "word_for_word": translation(&target.copied)?,
        }));
    }
    Ok(json!({
        "from": configuration.tool.name,
        "load": model_json::load(load),
        "comes_to": effect(configuration)?,
        "to": to,
    }))
}
