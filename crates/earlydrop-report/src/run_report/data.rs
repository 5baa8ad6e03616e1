//! What a report shows, as it is carried inside the page.
//!
//! Everything is in base units (seconds, bits a second, shares of one, packets); a
//! [`Metric`] says how it is shown.

use serde::{Serialize, Serializer};

/// Everything the page draws.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Data {
    /// The scenario's title.
    pub title: String,
    /// What it is about, in the scenario's own words; may be empty.
    pub about: String,
    /// The program that ran it: "0.1.0 (363a3cd)".
    pub version: String,
    /// The command that runs it again.
    pub command: String,
    /// The scenario as run, in TOML.
    pub scenario: String,
    /// The link watched: "left to right".
    pub link: String,
    /// From when to when was measured, in seconds.
    pub measured: [f64; 2],
    /// Seeds that were run, and how many cells there are to be and are done.
    pub seeds: Vec<u64>,
    /// Cells that the scenario asks for.
    pub cells_planned: usize,
    /// What was measured, in the order of every list of values below.
    pub metrics: Vec<Metric>,
    /// What was compared.
    pub schemes: Vec<Scheme>,
    /// What was swept; empty when there is one point only.
    pub axes: Vec<Axis>,
    /// The points of the sweep: for each axis the index of its value. At least one.
    pub points: Vec<Vec<usize>>,
    /// Means over seeds with their intervals.
    pub summary: Vec<Summary>,
    /// What was measured of each group of flows, in the order of their lists of values.
    pub group_metrics: Vec<Metric>,
    /// Means over seeds of each group of flows.
    pub groups: Vec<GroupSummary>,
    /// Every single run.
    pub cells: Vec<Cell>,
    /// Flows of the first seed's runs.
    pub flows: Vec<Flow>,
    /// How the time in the queue is distributed, over all seeds' runs.
    pub distributions: Vec<Distribution>,
    /// What was sampled over time, in the first seed's runs.
    pub series: Vec<Series>,
    /// How exactly runs were done, where the hosts were real ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub live: Option<Live>,
}

/// What only runs on real hosts have.
#[derive(Clone, Debug, Serialize)]
pub struct Live {
    /// What was measured of their exactness.
    pub metrics: Vec<Metric>,
    /// Means over seeds.
    pub rows: Vec<Exactness>,
}

/// How exactly one scheme's runs at one point were done.
#[derive(Clone, Debug, Serialize)]
pub struct Exactness {
    /// Index of the scheme.
    pub scheme: usize,
    /// Index of the point.
    pub point: usize,
    /// How many runs there are.
    pub runs: usize,
    /// How many of them cannot be believed.
    pub doubtful: usize,
    /// One for each metric of exactness.
    pub values: Vec<Option<Estimate>>,
}

/// The distribution that says how exactly packets were delivered.
pub const LATENESS: &str = "lateness";

/// Something that was measured.
#[derive(Clone, Debug, Serialize)]
pub struct Metric {
    /// Its name in tables: "delay_p99".
    pub name: &'static str,
    /// Its heading: "queueing delay, 99%".
    pub title: &'static str,
    /// The unit it is shown in: "ms".
    pub unit: &'static str,
    /// What a value is multiplied with to be in that unit.
    pub scale: f64,
    /// "less", "more", or "" where neither is better.
    pub better: &'static str,
    /// What it is, in a sentence.
    pub meaning: &'static str,
    /// Whether it stands in the summary table.
    pub headline: bool,
}

/// One scheme with its settings.
#[derive(Clone, Debug, Serialize)]
pub struct Scheme {
    /// What it is called here.
    pub label: String,
    /// "nlred:min=10,max=30".
    pub spec: String,
    /// What it does, in a sentence.
    pub summary: &'static str,
    /// The paper or RFC it is from.
    pub source: &'static str,
    /// Its parameters, those that matter.
    pub parameters: Vec<Parameter>,
    /// Average queue in packets against drop probability; empty for schemes without a
    /// curve.
    #[serde(serialize_with = "short_pairs")]
    pub curve: Vec<[f64; 2]>,
}

/// A parameter with its value.
#[derive(Clone, Debug, Serialize)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// Its value, with unit.
    pub value: String,
    /// "given", a preset, or where the default comes from.
    pub origin: String,
    /// What it is for.
    pub meaning: &'static str,
}

/// Something that was swept.
#[derive(Clone, Debug, Serialize)]
pub struct Axis {
    /// The field: "network.rtt".
    pub field: String,
    /// Its values as written.
    pub values: Vec<String>,
    /// The same as numbers in base units, where all are numbers.
    pub numbers: Option<Vec<f64>>,
    /// The base unit: "s"; empty for plain numbers.
    pub unit: &'static str,
}

/// A mean over seeds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// Half the width of its 95% interval; `None` with a single seed.
    pub half: Option<f64>,
    /// Whether it is best, or not told apart from the best, by paired intervals, while
    /// others are told apart.
    pub best: bool,
}

/// One scheme at one point.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Index of the scheme.
    pub scheme: usize,
    /// Index of the point.
    pub point: usize,
    /// How many seeds are done.
    pub seeds: usize,
    /// One for each metric; `None` where it was not measured.
    pub values: Vec<Option<Estimate>>,
}

/// One group of flows under one scheme at one point.
#[derive(Clone, Debug, Serialize)]
pub struct GroupSummary {
    /// Index of the scheme.
    pub scheme: usize,
    /// Index of the point.
    pub point: usize,
    /// The group.
    pub group: String,
    /// How many flows it has.
    pub flows: usize,
    /// One for each group metric.
    pub values: Vec<Option<Estimate>>,
}

/// One run.
#[derive(Clone, Debug, Serialize)]
pub struct Cell {
    /// Its number in the plan: `earlydrop trace --cell N`.
    pub cell: usize,
    /// Index of the scheme.
    pub scheme: usize,
    /// Index of the point.
    pub point: usize,
    /// Its seed.
    pub seed: u64,
    /// One for each metric.
    #[serde(serialize_with = "short_options")]
    pub values: Vec<Option<f64>>,
}

/// One flow of one run.
#[derive(Clone, Debug, Serialize)]
pub struct Flow {
    /// Index of the scheme.
    pub scheme: usize,
    /// Index of the point.
    pub point: usize,
    /// Its group.
    pub group: String,
    /// Bits on the wire that arrived, a second.
    #[serde(serialize_with = "short")]
    pub throughput: f64,
    /// Bits of payload that arrived for the first time, a second.
    #[serde(serialize_with = "short")]
    pub goodput: f64,
    /// The share of its packets that was lost.
    #[serde(serialize_with = "short")]
    pub loss: f64,
}

/// A distribution of times.
#[derive(Clone, Debug, Serialize)]
pub struct Distribution {
    /// Index of the scheme.
    pub scheme: usize,
    /// Index of the point.
    pub point: usize,
    /// What: "time in the queue".
    pub what: &'static str,
    /// Share of packets, and the time in seconds within which they were through.
    #[serde(serialize_with = "short_pairs")]
    pub quantiles: Vec<[f64; 2]>,
}

/// Something sampled over time.
#[derive(Clone, Debug, Serialize)]
pub struct Series {
    /// Index of the scheme.
    pub scheme: usize,
    /// Index of the point.
    pub point: usize,
    /// The seed of the run.
    pub seed: u64,
    /// The link, or the flow: "left to right", "flow 3 of bulk".
    pub source: String,
    /// "queue" in packets; "drops", "marks" in packets an interval; a scheme's probe
    /// ("average", "probability", ...); "window" in segments.
    pub name: String,
    /// What it is, with its unit.
    pub meaning: String,
    /// From one value to the next, in seconds; the first is at time zero.
    pub interval: f64,
    /// The values.
    #[serde(serialize_with = "short_numbers")]
    pub values: Vec<f64>,
}

/// A number of a picture in as few characters as it needs: five significant digits, which no
/// eye can tell from all of them, and whole numbers as they are.
struct Short(f64);

impl Serialize for Short {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let number = self.0;
        if number.fract() == 0.0 && number.abs() < 1e15 {
            // Exact: a whole number below 2^53.
            return serializer.serialize_i64(number as i64);
        }
        let shorter = format!("{number:.4e}").parse().unwrap_or(number);
        serializer.serialize_f64(shorter)
    }
}

fn short<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    Short(*number).serialize(serializer)
}

fn short_options<S: Serializer>(numbers: &[Option<f64>], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(numbers.iter().map(|number| number.map(Short)))
}

fn short_numbers<S: Serializer>(numbers: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(numbers.iter().copied().map(Short))
}

fn short_pairs<S: Serializer>(pairs: &[[f64; 2]], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(pairs.iter().map(|&[x, y]| [Short(x), Short(y)]))
}
