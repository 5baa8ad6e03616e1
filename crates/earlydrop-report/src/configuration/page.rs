//! The recommended configuration as a self-contained HTML page without scripts.

use super::text::{self, OperatingPoint};
use super::{ConfigurationReport, snippet};
use crate::figure::{Axis, Chart, Curve, Line, VerticalLine, escape};
use crate::page_shell::page_shell;

/// The number of bins of a distribution.
const BINS: u64 = 300;

/// The report as an HTML page.
pub fn page(report: &ConfigurationReport) -> String {
    let configuration = &report.configuration;
    let title = text::title(configuration);
    let chosen = configuration.choices[0].advice.spec.to_string();
    let mut body = format!(
        "<header id=\"head\">\n<p class=\"kicker\">earlydrop configure</p>\n<h1>{}</h1>\n\
         <pre><code>{}</code></pre>\n",
        escape(&title),
        escape(&chosen)
    );
    for (name, statement) in text::statements(configuration, |_| String::new()) {
        body += &format!(
            "<p class=\"note\"><strong>{name}:</strong> {}</p>\n",
            escape(&statement)
        );
    }
    let command = escape(&report.command.to_string());
    body +=
        &format!("<p class=\"note\"><strong>run it again:</strong> <code>{command}</code></p>\n");
    body += "</header>\n<main>\n";
    body += &section("The operating point", &figures(&[operating_point(report)]));
    body += &section("The queue's length", &figures(&[distribution(report)]));
    body += &dynamics(report);
    body += &section(
        "Every method",
        &(table(&text::methods(configuration)) + &notes(report)),
    );
    if report.measured.is_some() {
        let rows = text::prediction_and_simulation(report);
        body += &section("Prediction and simulation", &table(&rows));
    }
    let snippets = snippet::snippets(configuration, report.seeds).into_iter();
    let snippets = snippets.map(|snippet| {
        let (title, text) = (escape(snippet.title), escape(&snippet.text));
        format!("<p>{title}</p>\n<pre>{text}</pre>\n")
    });
    body += &section("To paste", &snippets.collect::<String>());
    body += "</main>\n";
    page_shell(&title, &body, "")
}

fn section(heading: &str, content: &str) -> String {
    format!("<section>\n<h2>{heading}</h2>\n{content}</section>\n")
}

/// Charts side by side.
fn figures(charts: &[Chart]) -> String {
    let figure = |chart: &Chart| format!("<figure>{}</figure>\n", chart.draw().inline());
    let all: String = charts.iter().map(figure).collect();
    format!("<div class=\"panels\">\n{all}</div>\n")
}

fn notes(report: &ConfigurationReport) -> String {
    let notes = text::notes(&report.configuration);
    if notes.is_empty() {
        return String::new();
    }
    let items = notes
        .iter()
        .map(|note| format!("<li>{}</li>\n", escape(note)));
    format!("<ul>\n{}</ul>\n", items.collect::<String>())
}

/// A table whose first row is its header.
fn table(rows: &[Vec<String>]) -> String {
    let row = |cells: &Vec<String>, cell: &str| {
        let cells = cells
            .iter()
            .map(|text| format!("<{cell}>{}</{cell}>", escape(text)));
        format!("<tr>{}</tr>\n", cells.collect::<String>())
    };
    let Some((head, rest)) = rows.split_first() else {
        return String::new();
    };
    let rest: String = rest.iter().map(|cells| row(cells, "td")).collect();
    format!(
        "<div class=\"scroll\"><table class=\"plain\">\n{}{rest}</table></div>\n",
        row(head, "th")
    )
}

fn curve(look: usize, name: &str, points: Vec<(f64, f64)>) -> Curve {
    Curve {
        name: name.to_string(),
        look,
        tooltip: name.to_string(),
        is_faint: false,
        line: Line::Path(points),
    }
}

fn axis(label: &str, low: f64, high: f64) -> Axis {
    Axis {
        label: label.to_string(),
        low: Some(low),
        high: Some(high),
        ..Axis::default()
    }
}

fn vertical_lines(lines: Vec<(f64, String)>) -> Vec<VerticalLine> {
    let line = |(at, name)| VerticalLine { name, at };
    lines.into_iter().map(line).collect()
}

/// The scheme's signals and those that the flows need, over the average queue.
fn operating_point(report: &ConfigurationReport) -> Chart {
    let configuration = &report.configuration;
    let point = OperatingPoint::of(configuration);
    let scheme = configuration.choices[0].gateway.scheme();
    let clipped = |points: Vec<(f64, f64)>| -> Vec<(f64, f64)> {
        let clipped = points.into_iter().map(|(x, y)| (x, y.min(point.top)));
        clipped.collect()
    };
    Chart {
        title: "Signals given, and signals that just fill the link".to_string(),
        x: axis("average queue, packets", 0.0, point.end),
        y: axis("dropped or marked, % of packets", 0.0, point.top),
        curves: vec![
            curve(0, scheme, clipped(point.signals)),
            curve(1, "the flows need", clipped(point.required)),
        ],
        vertical_lines: vertical_lines(point.marks),
        ..Chart::default()
    }
}

/// The distribution of the queue's length in the closed loop.
fn distribution(report: &ConfigurationReport) -> Chart {
    let configuration = &report.configuration;
    let closed = &configuration.choices[0].closed;
    let density = |bin: &earlydrop_model::queue::Bin| {
        let packets = (bin.to - bin.from + 1) as f64;
        (
            0.5 * (bin.from + bin.to) as f64,
            100.0 * bin.probability / packets,
        )
    };
    let points: Vec<(f64, f64)> = closed.histogram(BINS).iter().map(density).collect();
    let quantiles = [(0.5, "median"), (0.99, "99%")].map(|(share, name)| {
        let at = closed.quantile(share);
        (at, format!("{name} {at:.0}"))
    });
    Chart {
        title: "Wider than it is: each cwnd sent at once".to_string(),
        x: axis("packets", 0.0, configuration.buffer),
        y: axis("probability of each, %", 0.0, 0.0),
        curves: vec![curve(0, "probability", points)],
        vertical_lines: vertical_lines(quantiles.to_vec()),
        ..Chart::default()
    }
}

/// The fluid model's response to more flows, and to fewer again.
fn dynamics(report: &ConfigurationReport) -> String {
    let Some(trajectory) = &report.configuration.trajectory else {
        return String::new();
    };
    let points = |of: fn(&earlydrop_model::fluid::State) -> f64| -> Vec<(f64, f64)> {
        let states = trajectory.states.iter();
        states.map(|state| (state.at, of(state))).collect()
    };
    let span = trajectory.span.as_secs_f64();
    let chart = |title: &str, curves: Vec<Curve>| Chart {
        title: title.to_string(),
        x: axis("seconds", 0.0, span),
        y: axis("packets", 0.0, 0.0),
        curves,
        vertical_lines: vertical_lines(vec![
            (span / 3.0, "50% more flows".to_string()),
            (span / 1.5, "as before".to_string()),
        ]),
        ..Chart::default()
    };
    let queue = vec![
        curve(0, "queue", points(|state| state.queue)),
        curve(1, "average", points(|state| state.average)),
    ];
    let cwnd = vec![curve(0, "cwnd", points(|state| state.window))];
    let charts = [
        chart("Queue as flows join and leave", queue),
        chart("A flow's cwnd meanwhile", cwnd),
    ];
    section("Response to more flows", &figures(&charts))
}
