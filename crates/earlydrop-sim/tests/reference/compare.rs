//! Runs of several seeds, their statistics, and tables.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use earlydrop_sim::{Run, run};

use super::ReferenceSimulator;
use super::case::{Case, Measured};
use super::figures::{Figure, Tolerance};

/// A reference figure compared with ours.
#[derive(Clone, Debug)]
pub(crate) struct Comparison {
    /// The reference.
    pub(crate) figure: Figure,
    /// The mean over our seeds.
    pub(crate) ours: f64,
    /// Half of that mean's 95% interval.
    pub(crate) interval: f64,
    /// How many seeds we ran.
    pub(crate) seeds: u64,
}

impl Comparison {
    /// The difference of ours, in the unit of the tolerance, with `decimals` of a percentage.
    pub(crate) fn off_by(&self, decimals: usize) -> String {
        let value = self.figure.value;
        match self.figure.tolerance {
            Tolerance::Relative(_) => {
                format!("{:+.decimals$}%", 100.0 * (self.ours / value - 1.0))
            }
            Tolerance::Absolute(_) => {
                let off = self.ours - value;
                format!(
                    "{}{}",
                    if off < 0.0 { "-" } else { "+" },
                    rounded(off.abs(), 2)
                )
            }
        }
    }

    /// The difference over the tolerance.
    pub(crate) fn share_of_tolerance(&self) -> f64 {
        let allowed = self.figure.tolerance.around(self.figure.value);
        (self.ours - self.figure.value).abs() / allowed
    }

    /// Whether ours is within the tolerance.
    pub(crate) fn is_met(&self) -> bool {
        self.share_of_tolerance() <= 1.0
    }
}

/// Runs `cases` on all processors and compares their figures with the reference, in the order of
/// the table.
pub(crate) fn compare(cases: &[Case], figures: &[Figure]) -> Vec<Comparison> {
    let measured = run_all(cases);
    let compare = |figure: &Figure| {
        let runs = measured.get(figure.case.as_str())?;
        let values: Vec<f64> = runs.iter().map(|run| run[figure.metric.as_str()]).collect();
        let (ours, interval) = mean_and_interval(&values);
        Some(Comparison {
            figure: figure.clone(),
            ours,
            interval,
            seeds: values.len() as u64,
        })
    };
    figures.iter().filter_map(compare).collect()
}

/// The figures of each seed of each case, by the case's name, in order of seeds.
fn run_all(cases: &[Case]) -> BTreeMap<&str, Vec<Measured>> {
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let runs: Vec<Run> = cases.iter().flat_map(Case::runs).collect();
    let mut results = runs.iter().zip(run::all(&runs, workers));
    let measured = cases.iter().map(|case| {
        let seeds = results.by_ref().take(case.seeds as usize);
        let figures = seeds.map(|(run, results)| case.measure(run, results));
        (case.name.as_str(), figures.collect())
    });
    measured.collect()
}

/// The 97.5% point of Student's distribution: a table, then its expansion in 1/freedom
/// (Abramowitz and Stegun, 26.7.5), good to 0.001 from there on.
fn student(freedom: usize) -> f64 {
    const TABLE: [f64; 9] = [
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262,
    ];
    let one_over = 1.0 / freedom as f64;
    let expansion = || 1.95996 + one_over * (2.37228 + one_over * 2.82250);
    TABLE.get(freedom - 1).copied().unwrap_or_else(expansion)
}

fn mean_and_interval(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
    let freedom = values.len() - 1;
    if freedom == 0 {
        return (mean, f64::NAN);
    }
    let deviation = (squares / freedom as f64 / count).sqrt();
    (mean, student(freedom) * deviation)
}

/// A number rounded to significant `digits`.
fn rounded(value: f64, digits: i32) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let before = value.abs().log10().floor() as i32 + 1;
    format!("{value:.*}", (digits - before).max(0) as usize)
}

/// The columns of one row: case, metric, reference, ours, difference, tolerance, verdict.
fn columns(simulator: &ReferenceSimulator, comparison: &Comparison) -> [String; 7] {
    let figure = &comparison.figure;
    let with = |value: f64, interval: Option<f64>| match interval {
        Some(interval) => format!("{} ± {}", rounded(value, 4), rounded(interval, 2)),
        None => rounded(value, 4),
    };
    let verdict = match (comparison.is_met(), simulator.explanation(figure)) {
        (true, _) => "met".to_string(),
        (false, None) => "**missed**".to_string(),
        (false, Some(note)) => format!("missed: {note}"),
    };
    [
        figure.case.clone(),
        figure.metric.clone(),
        with(figure.value, figure.interval),
        with(comparison.ours, Some(comparison.interval)),
        comparison.off_by(1),
        match figure.tolerance {
            Tolerance::Relative(share) => format!("{:.1}%", 100.0 * share),
            Tolerance::Absolute(allowed) => rounded(allowed, 2),
        },
        verdict,
    ]
}

fn headings(simulator: &ReferenceSimulator) -> [&str; 7] {
    let reference = simulator.name;
    [
        "case", "metric", reference, "ours", "off by", "allowed", "verdict",
    ]
}

/// The table as text for a terminal.
pub(crate) fn text_table(simulator: &ReferenceSimulator, comparisons: &[Comparison]) -> String {
    let mut text = String::new();
    let mut row = |[case, metric, reference, ours, off, allowed, verdict]: [&str; 7]| {
        let _ = writeln!(
            text,
            "{case:<27} {metric:<12} {reference:>18} {ours:>18} {off:>8} {allowed:>8}  {verdict}"
        );
    };
    row(headings(simulator));
    for comparison in comparisons {
        let columns = columns(simulator, comparison);
        row(columns.each_ref().map(String::as_str));
    }
    text
}

/// The table in Markdown.
pub(crate) fn markdown_table(simulator: &ReferenceSimulator, comparisons: &[Comparison]) -> String {
    let mut text = format!(
        "| {} |\n|---|---|--:|--:|--:|--:|---|\n",
        headings(simulator).join(" | ")
    );
    for comparison in comparisons {
        let columns = columns(simulator, comparison);
        let _ = writeln!(text, "| {} |", columns.join(" | "));
    }
    text
}

/// A Markdown table with a line for each case: the metrics in `columns`, reference and ours, the
/// latter in bold where it is outside the tolerance.
pub(crate) fn by_case(comparisons: &[Comparison], columns: &[&str]) -> String {
    let headings = columns.join(" | ");
    let mut text = format!(
        "| case | {headings} |\n|---|{}\n",
        "--:|".repeat(columns.len())
    );
    for group in comparisons.chunk_by(|a, b| a.figure.case == b.figure.case) {
        let cells = columns.iter().map(|column| {
            let Some(comparison) = group.iter().find(|c| c.figure.metric == *column) else {
                return String::new();
            };
            let ours = rounded(comparison.ours, 3);
            let bold = if comparison.is_met() { "" } else { "**" };
            format!("{} {bold}{ours}{bold}", rounded(comparison.figure.value, 3))
        });
        let cells: Vec<String> = cells.collect();
        let _ = writeln!(text, "| {} | {} |", group[0].figure.case, cells.join(" | "));
    }
    text
}

/// How far off an explained figure may be, in tolerances or as a share of it: an explanation does
/// not excuse everything.
const EXPLAINED_UP_TO: (f64, f64) = (6.0, 0.1);

/// How many figures are outside their tolerance and unexplained, or explained but far outside.
pub(crate) fn unexplained(simulator: &ReferenceSimulator, comparisons: &[Comparison]) -> usize {
    let missed = comparisons.iter().filter(|c| !c.is_met());
    missed
        .filter(|c| {
            let known = simulator.explanation(&c.figure).is_some();
            let (tolerances, share) = EXPLAINED_UP_TO;
            let off = (c.ours - c.figure.value).abs();
            let far = c.share_of_tolerance() > tolerances && off > share * c.figure.value;
            !known || far
        })
        .count()
}
