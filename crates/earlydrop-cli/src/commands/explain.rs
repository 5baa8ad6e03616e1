//! `earlydrop explain`: what another tool's configuration of RED means, what will happen
//! with it, what is wrong with it.

use std::io::Write;

use earlydrop::units::Bytes;
use earlydrop_model::explain::{Explanation, Setting, explain, time_of};
use earlydrop_model::tools::Knob;
use serde_json::{Value, json};

use crate::draw::{Look, Plot, Style, Table, Text, beside, indented, number, write_lines};
use crate::failure::Failure;
use crate::situation::{Reading, Situation, read, tool};

/// Explain a configuration of RED: Linux tc, ns-2, ns-3, DPDK, Cisco, Junos, SONiC, INET
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  earlydrop explain 'tc qdisc add dev eth0 root red limit 400000 min 30000 max 90000 avpkt 1000 burst 55 probability 0.02 ecn'
  earlydrop explain 'random-detect dscp af11 32 40 10' --link 100Mbps --flows 150
  tc -d qdisc show dev eth0 | earlydrop explain - --link 1Gbps
  earlydrop explain red:min=10,max=30 --rtt 100ms --json")]
pub(crate) struct Explain {
    /// The configuration as it is written for its tool, a file with it, or - for standard input
    #[arg(value_name = "TEXT|FILE|-", allow_hyphen_values = true)]
    configuration: String,
    /// The tool, where its words do not tell it: linux, ns2, ns3, dpdk, cisco, junos, sonic,
    /// inet, earlydrop
    #[arg(long = "as", value_name = "TOOL")]
    tool: Option<String>,
    #[command(flatten)]
    situation: Situation,
    /// Write one JSON document instead
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Explain, out: &mut dyn Write, style: &Style) -> Result<(), Failure> {
    let named = arguments.tool.as_deref();
    let named = named.map(|name| tool("--as", name)).transpose()?;
    let reading = read(&arguments.configuration, named, &arguments.situation)?;
    let explanation = explain(&reading.configuration, &reading.text, &reading.load)?;
    if arguments.json {
        let text = serde_json::to_string_pretty(&document(&explanation)).unwrap_or_default();
        return Ok(writeln!(out, "{text}")?);
    }
    let mut lines = vec![
        Text::new(explanation.configuration.tool.title, Look::Strong),
        Text::default(),
    ];
    lines.extend(knobs(&explanation, style));
    lines.push(Text::default());
    lines.extend(curve(&explanation, style));
    lines.push(Text::default());
    lines.extend(expected(&reading, &explanation, style));
    lines.extend(findings(&explanation, style));
    Ok(write_lines(out, &lines, style)?)
}

/// Every knob with its value, what that comes to, and what it is for.
fn knobs(explanation: &Explanation, style: &Style) -> Vec<Text> {
    let header = ["knob", "value", "comes to", "what it is for"];
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
            Text::from(comes_to(setting, explanation)),
            Text::from(setting.knob.meaning()),
        ]);
    }
    table.lines(style.width, style.unicode)
}

/// What a knob comes to on the link.
fn comes_to(setting: &Setting, explanation: &Explanation) -> String {
    let (configuration, load) = (&explanation.configuration, &explanation.load);
    if let Some(bytes) = setting.bytes {
        let packets = number(bytes / load.packet.0 as f64);
        let size = Bytes(bytes.round() as u64);
        let time = number(1e3 * time_of(bytes, load).as_secs_f64());
        return format!("{packets} packets, {size}, {time} ms");
    }
    if let Some(told) = setting.signal_rate {
        let packets = number(1.0 / told);
        return format!("{}: just below max, one packet in {packets}", setting.value);
    }
    match setting.knob {
        Knob::Weight if configuration.weight.value < 1.0 => {
            let packets = 1.0 / configuration.weight.value;
            let seconds = packets / load.service();
            let trips = seconds / load.rtt.as_secs_f64();
            format!(
                "{}: forgets over {} packets, {} ms, {} round trips",
                setting.value,
                number(packets),
                number(1e3 * seconds),
                number(trips)
            )
        }
        // What was written need not be said twice, what was not is in its own column.
        _ => match &setting.written {
            Some(written) if *written != setting.value => setting.value.clone(),
            _ => String::new(),
        },
    }
}

/// How often packets are told of congestion, by the average queue.
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
    // The leap to 1 would leave the rest flat.
    let below = points()
        .filter(|(at, _)| *at < max)
        .map(|(_, often)| *often);
    let top = (2.0 * below.fold(0.0, f64::max)).clamp(1e-6, 1.0);
    let title = "How often packets are dropped or marked in the long run";
    let mut plot = Plot::new((0.0, end), (0.0, top))
        .title(title)
        .labels("average queue, packets", "share of packets")
        .height(ROWS);
    for (class, points) in configuration.classes.iter().zip(&explanation.curves) {
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

/// What the flows make of it.
fn expected(reading: &Reading, explanation: &Explanation, style: &Style) -> Vec<Text> {
    let found = &explanation.prediction;
    let told = match (found.loss > 0.0, found.marks > 0.0) {
        (_, false) => format!("{}% of packets lost", number(100.0 * found.loss)),
        (false, true) => format!("{}% of packets marked", number(100.0 * found.marks)),
        (true, true) => format!(
            "{}% of packets marked and {}% lost",
            number(100.0 * found.marks),
            number(100.0 * found.loss)
        ),
    };
    let text = format!(
        "{}: the queue comes to rest at {} packets, {} ms, with {told}; the link is {}% used.",
        reading.told,
        number(found.queue),
        number(1e3 * found.delay.as_secs_f64()),
        number(100.0 * found.utilisation),
    );
    let mut lines = vec![Text::new("What to expect", Look::Strong)];
    lines.extend(indented(
        2,
        Text::from(text).wrapped(style.width.saturating_sub(2)),
    ));
    for caveat in &explanation.omissions {
        lines.extend(indented(
            2,
            Text::from(*caveat).wrapped(style.width.saturating_sub(2)),
        ));
    }
    lines
}

/// What is wrong, each with what to change and why.
fn findings(explanation: &Explanation, style: &Style) -> Vec<Text> {
    let mut lines = Vec::new();
    let mut before = None;
    for finding in &explanation.findings {
        if before != Some(finding.rule.severity) {
            before = Some(finding.rule.severity);
            let name = finding.rule.severity.name();
            let title = format!("{}{}", name[..1].to_uppercase(), &name[1..]);
            lines.extend([Text::default(), Text::new(&title, Look::Strong)]);
        }
        let bullet = Text::from("  -");
        lines.extend(beside(&bullet, 4, style.width, |width| {
            let mut said = Text::from(format!("{}.", finding.what)).wrapped(width);
            if !finding.change.is_empty() {
                let change =
                    Text::new("Change: ", Look::Emphasis).then(&finding.change, Look::Code);
                said.extend(change.wrapped(width));
            }
            said.extend(Text::new(finding.rule.source, Look::Faint).wrapped(width));
            said
        }));
    }
    if explanation.findings.is_empty() {
        lines.extend([Text::default(), Text::from("Nothing is wrong with it.")]);
    }
    lines
}

fn document(explanation: &Explanation) -> Value {
    let load = &explanation.load;
    let settings = explanation.settings.iter().map(|setting| {
        json!({
            "knob": setting.knob.name(),
            "name": setting.name,
            "written": setting.written,
            "value": setting.value,
            "bytes": setting.bytes,
            "packets": setting.bytes.map(|bytes| bytes / load.packet.0 as f64),
            "seconds": setting.bytes.map(|bytes| time_of(bytes, load).as_secs_f64()),
            "long_run": setting.signal_rate,
            "origin": setting.origin,
            "meaning": setting.knob.meaning(),
        })
    });
    let classes = explanation.configuration.classes.iter();
    let curves = classes
        .zip(&explanation.curves)
        .map(|(class, points)| json!({ "class": class.name, "points": points }));
    let findings = explanation.findings.iter().map(|finding| {
        json!({
            "rule": finding.rule.name,
            "gravity": finding.rule.severity.name(),
            "what": finding.what,
            "change": finding.change,
            "source": finding.rule.source,
        })
    });
    let spec = explanation.configuration.spec(0, &load.link());
    json!({
        "tool": explanation.configuration.tool.name,
        "spec": spec.map(|spec| spec.to_string()).unwrap_or_default(),
        "load": about_load(load),
        "settings": settings.collect::<Vec<_>>(),
        "long_run": curves.collect::<Vec<_>>(),
        "prediction": about(&explanation.prediction),
        "caveats": explanation.omissions,
        "findings": findings.collect::<Vec<_>>(),
    })
}

/// A load for programs.
pub(super) fn about_load(load: &earlydrop_model::Load) -> Value {
    json!({
        "link_bps": load.rate.0,
        "rtt_s": load.rtt.as_secs_f64(),
        "flows": load.flows,
        "packet_bytes": load.packet.0,
        "ecn": load.tcp.ecn,
    })
}

/// A prediction for programs.
pub(super) fn about(prediction: &earlydrop_model::Prediction) -> Value {
    json!({
        "queue_packets": prediction.queue,
        "delay_s": prediction.delay.as_secs_f64(),
        "loss": prediction.loss,
        "marks": prediction.marks,
        "utilisation": prediction.utilisation,
    })
}
