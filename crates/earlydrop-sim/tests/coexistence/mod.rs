//! The tables of `docs/explanation/coexistence.md`, made from `bench/coexistence/table.csv`: what a
//! flow of one sender gets of what a flow of another gets.
#![allow(dead_code)] // The test and the example use different parts.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Where the page's tables begin and end.
const MARKS: (&str, &str) = ("<!-- tables -->\n", "<!-- end of tables -->\n");
/// The 97.5% quantile of Student's t for 1 to 9 degrees of freedom.
const STUDENT: [f64; 9] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262,
];
/// A goodput that differs by more than this share between the halves of the runs has not settled.
const DRIFT: f64 = 0.1;

/// A run of two flows.
struct Run<'a> {
    pair: (&'a str, &'a str),
    queue: &'a str,
    /// Rate in bit/s, round trip in s.
    point: (f64, f64),
    /// The goodput of the first sender by that of the second.
    ratio: f64,
    /// How far each goodput differs between the halves of the run, as a share.
    drifts: (f64, f64),
}

/// The runs of a pair over a queue at a point.
struct Cell {
    ratio: f64,
    /// Half of the 95% interval.
    half: f64,
    settled: bool,
}

fn read(csv: &str) -> Vec<Run<'_>> {
    let number = |word: &str| -> f64 { word.parse().expect("a number") };
    let runs = csv.lines().skip(1).map(|line| {
        let fields: Vec<&str> = line.split(',').collect();
        let [a, b, queue, rate, rtt, _, of_a, of_b, drift_a, drift_b] = fields[..] else {
            panic!("not a run: {line}");
        };
        Run {
            pair: (a, b),
            queue,
            point: (number(rate), number(rtt)),
            // A flow that got nothing counts as one that got a bit each second.
            ratio: number(of_a).max(1.0) / number(of_b).max(1.0),
            drifts: (number(drift_a), number(drift_b)),
        }
    });
    runs.collect()
}

/// Values in the order in which they first appear.
fn distinct<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut all = Vec::new();
    for value in values {
        if !all.contains(&value) {
            all.push(value);
        }
    }
    all
}

fn mean(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let count = values.clone().count();
    values.sum::<f64>() / count as f64
}

impl Cell {
    /// The geometric mean over seeds, with the interval of the mean of logarithms.
    fn of(runs: &[&Run<'_>]) -> Cell {
        let logarithms = runs.iter().map(|run| run.ratio.ln());
        let middle = mean(logarithms.clone());
        let freedom = runs.len() - 1;
        let squares = logarithms.map(|log| (log - middle).powi(2)).sum::<f64>();
        let error = (squares / freedom as f64 / runs.len() as f64).sqrt();
        let ratio = middle.exp();
        let drifts = [
            mean(runs.iter().map(|run| run.drifts.0)),
            mean(runs.iter().map(|run| run.drifts.1)),
        ];
        Cell {
            ratio,
            half: ratio * ((STUDENT[freedom - 1] * error).exp() - 1.0),
            settled: drifts.iter().all(|drift| drift.abs() <= DRIFT),
        }
    }

    fn text(&self) -> String {
        let digits = decimals(self.ratio);
        let Cell { ratio, half, .. } = self;
        let mark = if self.settled { "" } else { "↕" };
        format!("{ratio:.digits$}±{half:.digits$}{mark}")
    }
}

fn decimals(ratio: f64) -> usize {
    if ratio < 9.95 { 2 } else { 0 }
}

/// The ratios of some cells, from the least to the largest.
fn range(cells: &[Cell]) -> String {
    let ratios = cells.iter().map(|cell| cell.ratio);
    let least = ratios.clone().fold(f64::INFINITY, f64::min);
    let largest = ratios.fold(0.0, f64::max);
    let (of_least, of_largest) = (decimals(least), decimals(largest));
    format!("{least:.of_least$}–{largest:.of_largest$}")
}

/// A sender's name in text.
fn name(sender: &str) -> &str {
    match sender {
        "prague" => "Prague",
        "cubic" => "CUBIC",
        "bbr3" => "BBRv3",
        "reno" => "Reno",
        "dctcp" => "DCTCP",
        other => other,
    }
}

/// All tables, as Markdown.
pub(crate) fn tables(csv: &str) -> String {
    let runs = read(csv);
    let pairs = distinct(runs.iter().map(|run| run.pair));
    let queues = distinct(runs.iter().map(|run| run.queue));
    let points = distinct(runs.iter().map(|run| run.point));
    let cell = |pair, queue, point| {
        let of = |run: &&Run<'_>| (run.pair, run.queue, run.point) == (pair, queue, point);
        Cell::of(&runs.iter().filter(of).collect::<Vec<_>>())
    };
    let head = |first: &str, columns: &[String]| {
        let ruler = "--:|".repeat(columns.len());
        format!("| {first} | {} |\n|---|{ruler}\n", columns.join(" | "))
    };
    let named: Vec<String> = queues.iter().map(|queue| queue.to_string()).collect();
    let mut text = format!("\n{}", head("senders", &named));
    for &pair in &pairs {
        let _ = write!(text, "| {} : {} |", name(pair.0), name(pair.1));
        for &queue in &queues {
            let cells = points.iter().map(|&point| cell(pair, queue, point));
            let _ = write!(text, " {} |", range(&cells.collect::<Vec<_>>()));
        }
        text.push('\n');
    }
    let columns = points.iter().map(|&(rate, rtt)| {
        let (megabits, millis) = (rate / 1e6, rtt * 1e3);
        format!("{megabits} Mbps, {millis} ms")
    });
    let columns: Vec<String> = columns.collect();
    let columns = [vec!["queue".to_string()], columns].concat();
    let _ = write!(text, "\n{}", head("senders", &columns));
    for &pair in &pairs {
        for &queue in &queues {
            let _ = write!(text, "| {} : {} | {queue} |", name(pair.0), name(pair.1));
            for &point in &points {
                let _ = write!(text, " {} |", cell(pair, queue, point).text());
            }
            text.push('\n');
        }
    }
    text.push('\n');
    text
}

fn path(of: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(of)
}

/// The page's path.
pub(crate) fn page_path() -> PathBuf {
    path("docs/explanation/coexistence.md")
}

/// The stored runs.
pub(crate) fn stored() -> String {
    std::fs::read_to_string(path("bench/coexistence/table.csv")).expect("table.csv is stored")
}

/// A page with these tables between its marks.
pub(crate) fn with_tables(page: &str, tables: &str) -> String {
    let (before, rest) = page.split_once(MARKS.0).expect("the beginning of tables");
    let (_, after) = rest.split_once(MARKS.1).expect("the end of tables");
    format!("{before}{}{tables}{}{after}", MARKS.0, MARKS.1)
}
