//! `earlydrop translate`: a configuration of RED in other tools' syntax, what cannot be carried over,
//! and the predicted effect; other schemes in Linux's.

use earlydrop_model::explain::expect;
use earlydrop_model::tools::{Configuration, TOOLS, ratio_in_words};
use earlydrop_model::{Load, ModelError};
use earlydrop_report::request::tool;
use earlydrop_report::translation::{
    self, SchemeTranslation, Target, TranslateOptions, TranslationReport, signals_at_max, tools_of,
};

use crate::draw::{Look, Style, Table, Text, indented, number};
use crate::failure::Failure;
use crate::output::Output;
use crate::tool_input::{LoadArguments, tool_text};

/// Translate a configuration of RED from one tool to others, and other schemes to Linux's tc
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = examples())]
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

/// What is printed below the options.
fn examples() -> String {
    let tools: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
    format!(
        "Examples:
  earlydrop translate --to ns3,cisco 'tc qdisc add dev eth0 root red limit 400000 avpkt 1000 ecn'
  earlydrop translate --from ns3 --to linux red.cc --link 100Mbps
  earlydrop translate --to all red:min=20,max=60,max_p=0.1 --json
  earlydrop translate --to linux fq-codel:limit=200,target=2ms

Tools: {}.",
        tools.join(", ")
    )
}

pub(crate) fn run(
    arguments: &Translate,
    out: &mut Output<'_>,
    style: &Style,
) -> Result<(), Failure> {
    if let Some(name) = &arguments.from {
        // Before standard input is read.
        tool("--from", name)?;
    }
    tools_of(&arguments.to)?;
    let options = TranslateOptions {
        configuration: tool_text(&arguments.configuration)?,
        from: arguments.from.clone(),
        to: arguments.to.clone(),
        load: arguments.load.options(),
    };
    if let Some(scheme) = translation::translate_scheme(&options)? {
        return print_scheme(&scheme, arguments.json, out, style);
    }
    let report = translation::translate(&options)?;
    if arguments.json {
        let document = translation::json(&report)?;
        return Ok(out.json(&document)?);
    }
    let TranslationReport { input, targets } = &report;
    let mut lines = Vec::new();
    for target in targets {
        lines.extend(translated(target, arguments.word_for_word, style));
    }
    lines.push(Text::new("Predicted effect", Look::Strong));
    let load_in_words = Text::from(format!("  {}:", input.load_in_words));
    lines.extend(load_in_words.wrapped(style.width));
    lines.push(Text::default());
    lines.extend(comparison(
        &input.configuration,
        &input.load,
        targets,
        style,
    )?);
    Ok(out.lines(&lines, style)?)
}

/// A scheme other than RED: its text for each tool, and what the tool does otherwise.
fn print_scheme(
    translated: &SchemeTranslation,
    json: bool,
    out: &mut Output<'_>,
    style: &Style,
) -> Result<(), Failure> {
    if json {
        let document = translation::scheme_json(translated);
        return Ok(out.json(&document)?);
    }
    let width = style.width.saturating_sub(2);
    let mut lines = Vec::new();
    for target in &translated.targets {
        let name = target.tool.title.split(',').next().unwrap_or_default();
        // Lines to paste are never wrapped.
        let code = Text::new(&target.text, Look::Code);
        lines.extend([Text::new(name, Look::Strong), Text::default(), code]);
        lines.push(Text::default());
        if target.otherwise.is_empty() {
            lines.extend(indented(2, vec![Text::from("Nothing is lost.")]));
        } else {
            let header = ["not carried over", "was", "is"].map(Text::from);
            let mut table = Table::headed(header.to_vec());
            for lost in &target.otherwise {
                let row = [lost.parameter, &lost.here, &lost.linux].map(Text::from);
                table.row(row.to_vec());
            }
            lines.extend(indented(2, table.lines(width, style.unicode)));
            let runs = format!("  as {name} runs it: {}", target.runs);
            lines.extend([Text::default(), Text::new(&runs, Look::Code)]);
        }
        lines.push(Text::default());
    }
    lines.pop();
    Ok(out.lines(&lines, style)?)
}

/// The text to paste, notes on changes, and what cannot be carried over.
fn translated(target: &Target, word_for_word: bool, style: &Style) -> Vec<Text> {
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
