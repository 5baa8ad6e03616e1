//! The answer as one page that needs nothing else, not even scripts.

use earlydrop_report::figure::escape;

use super::svg::Chart;
use super::words::{self, Crossing};
use super::{Shown, paste};

const STYLE: &str = include_str!("page.css");
/// Pieces of a distribution.
const PIECES: u64 = 300;

/// The page.
pub(super) fn render(shown: &Shown) -> String {
    let found = &shown.found;
    let title = words::title(found);
    let chosen = found.choices[0].advice.spec.to_string();
    let mut body = format!(
        "<h1>{}</h1>\n<p class=\"choice\"><code>{}</code></p>\n",
        escape(&title),
        escape(&chosen)
    );
    for (name, said) in words::said(found, |_| String::new()) {
        body += &format!(
            "<p><span class=\"faint\">{name}:</span> {}</p>\n",
            escape(&said)
        );
    }
    body += "<h2>Where flows and scheme come to rest</h2>\n";
    body += &crossing(shown);
    body += "<h2>How long the queue is</h2>\n";
    body += &distribution(shown);
    body += &motion(shown);
    body += "<h2>Every method</h2>\n";
    body += &table(&words::methods(found));
    let notes: Vec<String> = words::notes(found)
        .iter()
        .map(|note| format!("<li>{}</li>", escape(note)))
        .collect();
    if !notes.is_empty() {
        body += &format!("<ul>{}</ul>\n", notes.join("\n"));
    }
    if shown.measured.is_some() {
        body += "<h2>Prediction and simulation</h2>\n";
        body += &table(&words::side_by_side(shown));
    }
    body += "<h2>To paste</h2>\n";
    for (_, what, text) in paste::all(found, shown.seeds) {
        body += &format!("<p>{}</p>\n<pre>{}</pre>\n", escape(what), escape(&text));
    }
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n<meta name=\"generator\" content=\"earlydrop\">\n<title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n",
        escape(&title)
    )
}

/// Rows as a table, the first of them its head.
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
        "<div class=\"table\"><table>\n{}{rest}</table></div>\n",
        row(head, "th")
    )
}

fn crossing(shown: &Shown) -> String {
    let found = &shown.found;
    let crossing = Crossing::of(found);
    let tells = format!("what {} tells", found.choices[0].gateway.scheme());
    Chart {
        title: "What the scheme tells, and what the flows need to fill just the link",
        x_label: "average queue, packets",
        y_label: "told of congestion, % of packets",
        x: (0.0, crossing.end),
        y: (0.0, crossing.top),
        curves: vec![
            (&tells, crossing.tells),
            ("what the flows need", crossing.needs),
        ],
        marks: crossing.marks,
    }
    .render()
}

fn distribution(shown: &Shown) -> String {
    let found = &shown.found;
    let pieces = found.choices[0].closed.spread(PIECES);
    let point = |piece: &earlydrop_model::queue::Spread| {
        let packets = (piece.to - piece.from + 1) as f64;
        (
            0.5 * (piece.from + piece.to) as f64,
            100.0 * piece.probability / packets,
        )
    };
    let points: Vec<(f64, f64)> = pieces.iter().map(point).collect();
    let top = points.iter().map(|(_, y)| *y).fold(0.0, f64::max);
    let mut chart = Chart {
        title: "The queue, were each window sent at once: wider than it is",
        x_label: "packets",
        y_label: "probability of each, %",
        x: (0.0, found.buffer),
        y: (0.0, 1.05 * top),
        curves: vec![("probability", points)],
        marks: Vec::new(),
    };
    for (share, name) in [(0.5, "half the time below"), (0.99, "99% below")] {
        let at = found.choices[0].closed.quantile(share);
        chart.marks.push((at, format!("{name} {at:.0}")));
    }
    chart.render()
}

fn motion(shown: &Shown) -> String {
    let Some(motion) = &shown.found.motion else {
        return String::new();
    };
    let points = |of: fn(&earlydrop_model::fluid::Moment) -> f64| {
        motion
            .moments
            .iter()
            .map(|moment| (moment.at, of(moment)))
            .collect::<Vec<_>>()
    };
    let span = motion.span.as_secs_f64();
    let queues = points(|moment| moment.queue);
    let highest = queues.iter().map(|(_, y)| *y).fold(1.0, f64::max);
    let windows = points(|moment| moment.window);
    let widest = windows.iter().map(|(_, y)| *y).fold(1.0, f64::max);
    let marks = || {
        vec![
            (span / 3.0, "half as many again".to_string()),
            (span / 1.5, "as before".to_string()),
        ]
    };
    let queue = Chart {
        title: "Queue and average as flows join and leave",
        x_label: "seconds",
        y_label: "packets",
        x: (0.0, span),
        y: (0.0, 1.05 * highest),
        curves: vec![
            ("queue", queues),
            ("average", points(|moment| moment.average)),
        ],
        marks: marks(),
    };
    let window = Chart {
        title: "A flow's window meanwhile",
        x_label: "seconds",
        y_label: "packets",
        x: (0.0, span),
        y: (0.0, 1.05 * widest),
        curves: vec![("window", windows)],
        marks: marks(),
    };
    format!(
        "<h2>How it moves</h2>\n{}{}",
        queue.render(),
        window.render()
    )
}
