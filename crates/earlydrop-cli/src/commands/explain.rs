//! `earlydrop explain`: the meaning of another tool's configuration of RED, a prediction, and
//! findings, or the corrected configuration.

mod fix;

use earlydrop::units::Bytes;
use earlydrop_model::Prediction;
use earlydrop_model::explain::{Explanation, Setting, time_of};
use earlydrop_model::tools::Knob;
use earlydrop_report::configuration::band_text;
use earlydrop_report::explanation::{self, ExplainOptions, ExplanationReport, SchemeReport};
use earlydrop_report::request::{ToolInput, tool};

use crate::draw::{Look, Plot, Style, Table, Text, definition, indented, number};
use crate::failure::Failure;
use crate::output::Output;
use crate::progress::{Line, stop_flag};
use crate::tool_input::{LoadArguments, tool_text};

/// Explain a queue's configuration: Linux tc, ns-2, ns-3, DPDK, routers and switches, INET, SQM
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  earlydrop explain 'tc qdisc add dev eth0 root red limit 400000 min 30000 max 90000 avpkt 1000'
  earlydrop explain --fix 'random-detect dscp af11 32 40 10' --link 100Mbps --rtt 20ms --flows 150
  tc -d qdisc show dev eth0 | earlydrop explain - --link 1Gbps
  earlydrop explain red:min=10,max=30 --rtt 100ms --json")]
pub(crate) struct Explain {
    /// The configuration in its tool's syntax, a file that contains it, or - for standard input
    #[arg(value_name = "TEXT|FILE|-", allow_hyphen_values = true)]
    configuration: String,
    /// The tool, where the syntax is ambiguous: linux, ns2, ns3, dpdk, cisco, junos, sonic, inet,
    /// earlydrop, iosxr, nxos, eos, huawei, mikrotik, vyos, openconfig
    #[arg(long = "as", value_name = "TOOL")]
    tool: Option<String>,
    /// Print the configuration corrected, in the same syntax, and a table of what is changed and why
    #[arg(long)]
    fix: bool,
    #[command(flatten)]
    load: LoadArguments,
    /// Write one JSON document instead of text
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Explain, out: &mut Output<'_>, style: &Style) -> Result<(), Failure> {
    if let Some(name) = &arguments.tool {
        // Before standard input is read.
        tool("--as", name)?;
    }
    let options = ExplainOptions {
        configuration: tool_text(&arguments.configuration)?,
        tool: arguments.tool.clone(),
        fix: arguments.fix,
        load: arguments.load.options(),
    };
    if let Some(scheme) = explanation::explain_scheme(&options)? {
        return print_scheme(&scheme, arguments.json, out, style);
    }
    let line = Line::new();
    let mut progress = |what: &str| line.show(&format!("simulating {what}"));
    let report = explanation::explain(&options, &*stop_flag()?, &mut progress);
    line.end();
    let report = report?;
    if arguments.json {
        let document = explanation::json(&report);
        return Ok(out.json(&document)?);
    }
    let ExplanationReport {
        input, explanation, ..
    } = &report;
    if let Some(fix) = &report.fix {
        return Ok(out.lines(&fix::lines(input, explanation, fix, style), style)?);
    }
    let mut lines = vec![
        Text::new(&title(explanation), Look::Strong),
        Text::default(),
    ];
    lines.extend(knobs(explanation, style));
    lines.push(Text::default());
    lines.extend(curve(explanation, style));
    lines.push(Text::default());
    lines.extend(prediction(input, explanation, style));
    lines.extend(transports(&report, style));
    lines.extend(findings(explanation, style));
    lines.extend(irrelevant(&report, style));
    Ok(out.lines(&lines, style)?)
}

/// A discipline of Linux other than red: its scheme, its parameters, and a prediction or the command
/// that simulates it.
fn print_scheme(
    report: &SchemeReport,
    json: bool,
    out: &mut Output<'_>,
    style: &Style,
) -> Result<(), Failure> {
    if json {
        let document = explanation::scheme_json(report);
        return Ok(out.json(&document)?);
    }
    let scheme = report.spec.descriptor();
    let title = format!("{}: {}", report.spec, scheme.summary);
    let mut lines = Text::new(&title, Look::Strong).wrapped(style.width);
    lines.push(Text::default());
    let mut table = Table::headed(["parameter", "value", "origin"].map(Text::from).to_vec());
    for (name, value, origin) in &report.parameters {
        table.row(vec![
            Text::new(name, Look::Code),
            Text::from(value.as_str()),
            Text::new(origin, Look::Faint),
        ]);
    }
    lines.extend(table.lines(style.width, style.unicode));
    lines.extend([Text::default(), Text::new("Prediction", Look::Strong)]);
    let load = &report.load_in_words;
    let predicted = match &report.prediction {
        Some(prediction) => format!("{load}: {}.", in_words(prediction)),
        None => "The model has none for this scheme.".to_string(),
    };
    let width = style.width.saturating_sub(2);
    lines.extend(indented(2, Text::from(predicted).wrapped(width)));
    for note in &report.notes {
        lines.extend(indented(2, Text::from(note.as_str()).wrapped(width)));
    }
    let simulate = format!("simulate it: {}", report.command);
    lines.extend([Text::default(), Text::new(&simulate, Look::Code)]);
    Ok(out.lines(&lines, style)?)
}

/// The tool, and which of several objects is explained.
fn title(explanation: &Explanation) -> String {
    let configuration = &explanation.configuration;
    let context = &configuration.context;
    let chosen = [
        ("class", &context.class),
        ("profile", &context.profile),
        ("queue", &context.queue),
    ];
    let chosen = chosen
        .iter()
        .find_map(|(kind, name)| Some((kind, name.as_ref()?)));
    let title = configuration.tool.title;
    match chosen {
        Some((kind, name)) => format!(
            "{title}: {kind} {name} of {}",
            configuration.objects.join(", ")
        ),
        None => title.to_string(),
    }
}

/// What the text has beside the configuration, which explains nothing here.
fn irrelevant(report: &ExplanationReport, style: &Style) -> Vec<Text> {
    const MOST: usize = 8;
    let all: Vec<(usize, &str)> = explanation::irrelevant(report).collect();
    if all.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![Text::default(), Text::new("Left out", Look::Strong)];
    for (line, text) in all.iter().take(MOST) {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let text = Text::from(format!("line {line}: {text}"));
        lines.extend(indented(2, text.wrapped(style.width.saturating_sub(2))));
    }
    if all.len() > MOST {
        lines.push(Text::from(format!("  and {} more lines", all.len() - MOST)));
    }
    lines
}

/// A table of the knobs: value as written, the same on this link, and meaning.
fn knobs(explanation: &Explanation, style: &Style) -> Vec<Text> {
    let header = ["knob", "value", "on this link", "meaning"];
    let mut table = Table::headed(header.map(Text::from).to_vec());
    for setting in &explanation.settings {
        let value = match &setting.written {
            Some(written) => Text::from(written.as_str()),
            None => Text::from(setting.value.as_str())
                .then(&format!(" ({})", setting.origin), Look::Faint),
        };
        table.row(vec![
            Text::new(&setting.name, Look::Code),
            value,
            Text::from(on_link(setting, explanation)),
            Text::from(setting.knob.meaning()),
        ]);
    }
    table.lines(style.width, style.unicode)
}

/// A knob's value in the units of the link: packets, bytes and time, or rate of signals.
fn on_link(setting: &Setting, explanation: &Explanation) -> String {
    let (configuration, load) = (&explanation.configuration, &explanation.load);
    if let Some(bytes) = setting.bytes {
        let packets = number(bytes / load.packet.0 as f64);
        let size = Bytes(bytes.round() as u64);
        let time = number(1e3 * time_of(bytes, load).as_secs_f64());
        return format!("{packets} packets, {size}, {time} ms");
    }
    if let Some(rate) = setting.signal_rate {
        let packets = number(1.0 / rate);
        return format!("{}: just below max, one packet in {packets}", setting.value);
    }
    match setting.knob {
        Knob::Weight if configuration.weight.value < 1.0 => {
            let packets = 1.0 / configuration.weight.value;
            let seconds = packets / load.service();
            let rtts = seconds / load.rtt.as_secs_f64();
            format!(
                "{}: averages over {} packets, {} ms, {} RTTs",
                setting.value,
                number(packets),
                number(1e3 * seconds),
                number(rtts)
            )
        }
        // The written value is in its own column already.
        _ => match &setting.written {
            Some(written) if *written != setting.value => setting.value.clone(),
            _ => String::new(),
        },
    }
}

/// A plot of the long-run share of packets dropped or marked over the average queue.
fn curve(explanation: &Explanation, style: &Style) -> Vec<Text> {
    const ROWS: usize = 12;
    const WIDEST: usize = 90;
    let configuration = &explanation.configuration;
    let link = explanation.load.link();
    let first = &configuration.classes[0];
    let (min, max) = (
        configuration.in_packets(first.min.value, &link),
        configuration.in_packets(first.max.value, &link),
    );
    let points = || explanation.curves.iter().flatten();
    let end = points().map(|(at, _)| *at).fold(0.0, f64::max);
    // With the jump to 1 in view, the curve below it would be flat.
    let below = points()
        .filter(|(at, _)| *at < max)
        .map(|(_, share)| *share);
    let top = (2.0 * below.fold(0.0, f64::max)).clamp(1e-6, 1.0);
    let title = "How often packets are dropped or marked in the long run";
    let mut plot = Plot::new((0.0, end), (0.0, top))
        .title(title)
        .labels("average queue, packets", "share of packets")
        .height(ROWS);
    for (class, points) in configuration.curves().iter().zip(&explanation.curves) {
        plot = plot.line(&class.name, points.clone());
    }
    let queue = explanation.prediction.queue;
    plot = plot
        .mark(min, &format!("min {}", number(min)))
        .mark(max, &format!("max {}", number(max)))
        .mark(queue, &format!("{} flows", explanation.load.flows));
    let narrowed = Style {
        width: style.width.min(WIDEST),
        ..*style
    };
    plot.lines(&narrowed)
}

/// The predicted queue, loss and utilisation under the load.
fn prediction(input: &ToolInput, explanation: &Explanation, style: &Style) -> Vec<Text> {
    let predicted = &explanation.prediction;
    let text = format!("{}: {}.", input.load_in_words, in_words(predicted));
    let mut lines = vec![Text::new("Prediction", Look::Strong)];
    lines.extend(indented(
        2,
        Text::from(text).wrapped(style.width.saturating_sub(2)),
    ));
    let band = band_text(&explanation.load, &explanation.caveats, predicted);
    let limits = std::iter::once(band.as_str()).chain(explanation.omissions.iter().copied());
    for text in limits {
        let wrapped = Text::from(text).wrapped(style.width.saturating_sub(2));
        lines.extend(indented(2, wrapped));
    }
    lines
}

/// "average queue 41.7 packets, 5 ms; 6.29% of packets lost; utilisation 100%".
fn in_words(predicted: &Prediction) -> String {
    let signals = match (predicted.loss > 0.0, predicted.marks > 0.0) {
        (_, false) => format!("{}% of packets lost", number(100.0 * predicted.loss)),
        (false, true) => format!("{}% of packets marked", number(100.0 * predicted.marks)),
        (true, true) => format!(
            "{}% of packets marked and {}% lost",
            number(100.0 * predicted.marks),
            number(100.0 * predicted.loss)
        ),
    };
    format!(
        "average queue {} packets, {} ms; {signals}; utilisation {}%",
        number(predicted.queue),
        number(1e3 * predicted.delay.as_secs_f64()),
        number(100.0 * predicted.utilisation),
    )
}

/// What a switch's marking does to the transports of a data centre, or how to ask.
fn transports(report: &ExplanationReport, style: &Style) -> Vec<Text> {
    let width = style.width.saturating_sub(2);
    if let Some(hint) = explanation::hint(&report.explanation) {
        return indented(2, Text::from(hint).wrapped(width));
    }
    let Some(by_transport) = &report.transports else {
        return Vec::new();
    };
    let mut lines = vec![Text::default(), Text::new("By senders", Look::Strong)];
    let setting = Text::from(by_transport.setting()).wrapped(width);
    lines.extend(indented(2, setting));
    let mut rows = by_transport.rows().into_iter();
    let cells = |row: Vec<String>| row.into_iter().map(Text::from).collect::<Vec<Text>>();
    let mut table = Table::headed(cells(rows.next().unwrap_or_default()));
    rows.for_each(|row| table.row(cells(row)));
    if !by_transport.served.is_empty() {
        lines.extend(indented(2, table.lines(width, style.unicode)));
    }
    for sentence in by_transport.not_simulated() {
        lines.extend(indented(2, Text::from(sentence).wrapped(width)));
    }
    lines
}

/// The findings by severity, each with the change to make and its source.
fn findings(explanation: &Explanation, style: &Style) -> Vec<Text> {
    let mut lines = Vec::new();
    let mut previous = None;
    for finding in &explanation.findings {
        if previous != Some(finding.rule.severity) {
            previous = Some(finding.rule.severity);
            let name = finding.rule.severity.name();
            let title = format!("{}{}", name[..1].to_uppercase(), &name[1..]);
            lines.extend([Text::default(), Text::new(&title, Look::Strong)]);
        }
        let bullet = Text::from("  -");
        lines.extend(definition(&bullet, 4, style.width, |width| {
            let mut text = Text::from(format!("{}.", finding.what)).wrapped(width);
            if !finding.change.is_empty() {
                let change =
                    Text::new("Change: ", Look::Emphasis).then(&finding.change, Look::Code);
                text.extend(change.wrapped(width));
            }
            text.extend(Text::new(finding.rule.source, Look::Faint).wrapped(width));
            text
        }));
    }
    if explanation.findings.is_empty() {
        lines.extend([Text::default(), Text::from("No findings.")]);
    }
    lines
}
