//! The recommended configuration as a self-contained HTML page without scripts.

use super::text::{self, OperatingPoint};
use super::{ConfigurationReport, simulated, snippet};
use crate::figure::{Key, Mark, Plot, PlotAxis, PlotPanel, Size, escape, inline, scene};
use crate::page_shell::page_shell;
use crate::table::{Cell, Table};

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
    for (name, statement) in text::statements(report, |_| String::new()) {
        body += &format!(
            "<p class=\"note\"><strong>{name}:</strong> {}</p>\n",
            escape(&statement)
        );
    }
    for (name, statement) in simulated::outcome(report) {
        let statement = escape(&statement);
        body += &format!("<p class=\"note\"><strong>{name}:</strong> {statement}</p>\n");
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
        &(table(text::methods(report)) + &notes(report)),
    );
    if report.simulated.is_ok() {
        let rows = text::prediction_and_simulation(report);
        body += &section("Prediction and simulation", &table(rows));
        body += &section("What was simulated", &table(simulated::trials(report)));
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

/// Pictures side by side.
fn figures(plots: &[Plot]) -> String {
    let figure = |plot| format!("<figure>{}</figure>\n", inline(&scene(plot, &Size::PAGE)));
    let all: String = plots.iter().map(figure).collect();
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
fn table(rows: Vec<Vec<String>>) -> String {
    let mut rows = rows.into_iter();
    let table = Table {
        title: String::new(),
        header: rows.next().unwrap_or_default(),
        rows: rows
            .map(|cells| cells.into_iter().map(Cell::plain).collect())
            .collect(),
    };
    table.html("plain")
}

/// A line's name, and its places.
type Line<'a> = (&'a str, Vec<(f64, f64)>);

/// A picture of lines with vertical ones at what is named; axes begin at 0, and end where they must
/// at least.
fn lines(
    title: &str,
    (x, x_end): (&str, f64),
    (y, y_end): (&str, f64),
    lines: Vec<Line<'_>>,
    named: Vec<(f64, String)>,
) -> Plot {
    let mut plot = Plot {
        title: title.to_string(),
        x: PlotAxis {
            is_exact: true,
            ..PlotAxis::fitting(x, Some(0.0), Some(x_end))
        },
        has_names_at_ends: true,
        ..Plot::default()
    };
    let mut panel = PlotPanel {
        y: PlotAxis::fitting(y, Some(0.0), Some(y_end)),
        marks: Vec::new(),
    };
    for (look, (name, points)) in lines.into_iter().enumerate() {
        let key = Key::line(look);
        panel.marks.push(Mark::line(name, points, key));
        plot.legend.push((name.to_string(), key));
    }
    let named = named.into_iter();
    panel
        .marks
        .extend(named.map(|(at, name)| Mark::Vertical { at, name }));
    plot.panels.push(panel);
    plot.describe();
    plot.fit();
    plot
}

/// The scheme's signals and those that the flows need, over the average queue.
fn operating_point(report: &ConfigurationReport) -> Plot {
    let configuration = &report.configuration;
    let point = OperatingPoint::of(configuration);
    let scheme = configuration.choices[0].gateway.scheme();
    let clipped = |points: Vec<(f64, f64)>| -> Vec<(f64, f64)> {
        let clipped = points.into_iter().map(|(x, y)| (x, y.min(point.top)));
        clipped.collect()
    };
    lines(
        "Signals given, and signals that just fill the link",
        ("average queue, packets", point.end),
        ("dropped or marked, % of packets", point.top),
        vec![
            (scheme, clipped(point.signals)),
            ("the flows need", clipped(point.required)),
        ],
        point.marks,
    )
}

/// The distribution of the queue's length in the closed loop.
fn distribution(report: &ConfigurationReport) -> Plot {
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
    lines(
        "Wider than it is: each cwnd sent at once",
        ("packets", configuration.buffer),
        ("probability of each, %", 0.0),
        vec![("probability", points)],
        quantiles.to_vec(),
    )
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
    let plot = |title: &str, own: Vec<Line<'_>>| {
        let changes = [(span / 3.0, "50% more flows"), (span / 1.5, "as before")];
        let changes = changes.map(|(at, name)| (at, name.to_string()));
        lines(
            title,
            ("seconds", span),
            ("packets", 0.0),
            own,
            changes.to_vec(),
        )
    };
    let queue = vec![
        ("queue", points(|state| state.queue)),
        ("average", points(|state| state.average)),
    ];
    let cwnd = vec![("cwnd", points(|state| state.window))];
    let plots = [
        plot("Queue as flows join and leave", queue),
        plot("A flow's cwnd meanwhile", cwnd),
    ];
    section("Response to more flows", &figures(&plots))
}
