//! The data of a report page, which carries it as JSON.
//!
//! Values are in base units: seconds, bits per second, shares of one, packets. A [`Metric`] has the
//! unit in which the page shows them. Field names are the keys that the page's scripts read.

use std::borrow::Cow;

use serde::{Serialize, Serializer};

use crate::answers::Answer;
use crate::tune_answer::TuneAnswer;

/// The results of a run.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Data {
    /// The scenario's title.
    pub title: String,
    /// The scenario's description; may be empty.
    pub about: String,
    /// The version of earlydrop that ran it: "0.1.0 (363a3cd)".
    pub version: String,
    /// The command that repeats the run.
    pub command: String,
    /// The scenario as run, in TOML.
    pub scenario: String,
    /// The measured link: "left to right".
    pub link: String,
    /// Start and end of the measurement, in seconds of simulated or real time.
    pub measured: [f64; 2],
    /// These in words: "from 10 s to 40 s".
    pub measured_text: String,
    /// The seeds that have run.
    pub seeds: Vec<u64>,
    /// The number of cells of the plan: schemes times points times seeds.
    pub cells_planned: usize,
    /// Whether this is one run in detail, whose time series come first.
    #[serde(rename = "trace")]
    pub is_trace: bool,
    /// The metrics, in the order of every list of values below: those of the link and all flows, then
    /// those by which groups are judged.
    pub metrics: Vec<Metric>,
    /// The metrics of the axes of the first picture, x and y; `None` where it has no two.
    pub scatter: Option<[usize; 2]>,
    /// The schemes compared.
    pub schemes: Vec<Scheme>,
    /// The swept fields; empty with a single point.
    pub axes: Vec<Axis>,
    /// The points of the sweep, at least one: for each axis the index of its value.
    pub points: Vec<Vec<usize>>,
    /// Means over seeds with their intervals.
    pub summary: Vec<SchemeSummary>,
    /// The metrics of groups of flows, in the order of their lists of values.
    pub group_metrics: Vec<Metric>,
    /// Means over seeds for each group of flows.
    pub groups: Vec<GroupSummary>,
    /// What each group feels.
    pub felt: Vec<GroupFelt>,
    /// What the runs answer, in sentences.
    pub answers: Vec<Answer>,
    /// The single runs.
    pub cells: Vec<Cell>,
    /// The flows of the first seed's runs.
    pub flows: Vec<Flow>,
    /// Distributions of the time in the queue, over the runs of all seeds.
    pub distributions: Vec<Distribution>,
    /// Slowdowns of transfers by size.
    pub sizes: Vec<SizeSummary>,
    /// Time series of the first seed's runs.
    pub series: Vec<Series>,
    /// Buffers, thresholds and targets as they are at the links, in sentences; those of a point
    /// begin with its values.
    pub derived: Vec<String>,
    /// What a reader should know about the settings, in sentences.
    pub warnings: Vec<String>,
    /// The metrics of links, in the order of their lists of values.
    pub link_metrics: Vec<Metric>,
    /// Means over seeds for each bottleneck; empty where there is only one.
    pub links: Vec<LinkSummary>,
    /// The quantities of ports, in the order of their lists of values.
    pub port_metrics: Vec<Metric>,
    /// The ports of a fabric, those with the longest queues; empty for other networks.
    pub ports: Vec<Port>,
    /// What a search of parameters found, which the page leads with; `None` for other runs. The
    /// page has it as markup, not among its data.
    #[serde(skip)]
    pub tuning: Option<TuneAnswer>,
    /// The differences of the schemes from one of them; `None` where none was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<Baseline>,
    /// The timing quality of runs on real hosts; `None` for simulated runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub live: Option<LiveRuns>,
}

/// The timing quality of runs on real hosts.
#[derive(Clone, Debug, Serialize)]
pub struct LiveRuns {
    /// The metrics of timing quality.
    pub metrics: Vec<Metric>,
    /// Means over seeds.
    pub rows: Vec<TimingSummary>,
}

/// The timing quality of one scheme's runs at one point.
#[derive(Clone, Debug, Serialize)]
pub struct TimingSummary {
    /// Index of the scheme.
    pub scheme: usize,
    /// Index of the point.
    pub point: usize,
    /// The number of runs.
    pub runs: usize,
    /// The number of runs that are not trustworthy.
    pub doubtful: usize,
    /// One for each metric of timing quality.
    pub values: Vec<Option<Estimate>>,
}

/// The name of the distribution of how late packets were delivered.
pub const LATENESS: &str = "lateness";

/// A measured quantity.
#[derive(Clone, Debug, Serialize)]
pub struct Metric {
    /// The name in tables and files: "delay_p99"; of a group of flows "calls.end_to_end_p99".
    pub name: Cow<'static, str>,
    /// The heading: "queueing delay, 99%".
    pub title: Cow<'static, str>,
    /// The group of flows that it is of, if it is of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// The unit of display: "ms".
    pub unit: &'static str,
    /// The factor from base units to the unit of display.
    pub scale: f64,
    /// "less", "more", or "" where neither is better.
    pub better: &'static str,
    /// The definition, in a sentence.
    pub meaning: &'static str,
    /// Whether the summary table shows it at first.
    pub headline: bool,
}

/// A scheme with its settings.
#[derive(Clone, Debug, Serialize)]
pub struct Scheme {
    /// The label in tables and figures.
    pub label: String,
    /// The index of its colour, dashes and symbol in every picture.
    pub look: usize,
    /// The specification: "nlred:min=10,max=30".
    pub spec: String,
    /// What it does, in a sentence.
    pub summary: &'static str,
    /// The paper or RFC that defines it.
    pub source: &'static str,
    /// The parameters that have an effect with these settings.
    pub parameters: Vec<Parameter>,
    /// Pairs of average queue in packets and drop probability; empty without a drop curve.
    #[serde(serialize_with = "short_pairs")]
    pub curve: Vec<[f64; 2]>,
    /// The thresholds and targets that it compares a time series with.
    pub thresholds: Vec<Threshold>,
}

/// A value that a scheme compares a queue or a delay with.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Threshold {
    /// The parameter: "min", "target".
    pub name: &'static str,
    /// The value, in packets or in seconds.
    pub value: f64,
    /// "packets" or "s".
    pub unit: &'static str,
}

/// A parameter with its value.
#[derive(Clone, Debug, Serialize)]
pub struct Parameter {
    /// The name.
    pub name: &'static str,
    /// The value with its unit.
    pub value: String,
    /// "given", a preset, or the source of the default.
    pub origin: String,
    /// What it sets, in a sentence.
    pub meaning: &'static str,
}

/// A swept field of the scenario.
#[derive(Clone, Debug, Serialize)]
pub struct Axis {
    /// The field: "network.rtt".
    pub field: String,
    /// Its name in tables and figures: that of the scenario, or the field.
    pub title: String,
    /// The values as written in the scenario.
    pub values: Vec<String>,
    /// The values as numbers in base units, where all are numbers.
    pub numbers: Option<Vec<f64>>,
    /// The base unit: "s"; empty for plain numbers.
    pub unit: &'static str,
}

/// A mean over seeds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// Mean and interval in the unit of display: "330 ± 110".
    pub text: String,
    /// The mean.
    pub mean: f64,
    /// Half the width of its 95% interval; `None` with a single seed.
    pub half: Option<f64>,
    /// Whether it is the best mean of its column, or equals it to the digits of its interval.
    pub best: bool,
    /// Whether it is not significantly different from the best mean, by differences paired by seed
    /// and corrected for the number of schemes.
    pub similar: bool,
    /// Whether what it depends on had not settled.
    pub moving: bool,
}

/// The means of one scheme at one point.
#[derive(Clone, Debug, Serialize)]
pub struct SchemeSummary {
    /// Index of the scheme.
    pub scheme: usize,
    /// Index of the point.
    pub point: usize,
    /// The number of seeds that have run.
    pub seeds: usize,
    /// One for each metric; `None` where it was not measured.
    pub values: Vec<Option<Estimate>>,
}

/// The means of one bottleneck under one scheme at one point.
#[derive(Clone, Debug, Serialize)]
pub struct LinkSummary {
    /// Index of the scheme.
    pub scheme: usize,
    /// Index of the point.
    pub point: usize,
    /// The link's name.
    pub link: String,
    /// One for each metric of links.
    pub values: Vec<Option<Estimate>>,
}

/// The differences of the schemes from one of them.
#[derive(Clone, Debug, Serialize)]
pub struct Baseline {
    /// Index of the scheme that the others are compared with.
    pub scheme: usize,
    /// What `significant` means.
    pub significance: &'static str,
    /// Indices of the compared metrics.
    pub metrics: Vec<usize>,
    /// The other schemes at each point.
    pub rows: Vec<DifferenceSummary>,
}

/// The differences of one scheme from the baseline at one point.
#[derive(Clone, Debug, Serialize)]
pub struct DifferenceSummary {
    /// Index of the scheme.
    pub scheme: usize,
    /// Index of the point.
    pub point: usize,
    /// One for each compared metric; `None` where it was not measured.
    pub values: Vec<Option<Difference>>,
}

/// A mean difference.
#[derive(Clone, Debug, Serialize)]
pub struct Difference {
    /// Difference and interval in the unit of display: "-12.3 ± 0.4".
    pub text: String,
    /// The share with its sign: "-55%".
    pub share_text: Option<String>,
    /// The mean difference within seeds, in base units.
    pub mean: f64,
    /// Half the width of its 95% interval; `None` with a single seed.
    pub half: Option<f64>,
    /// It as a share of the baseline's mean; `None` where that is zero.
    pub share: Option<f64>,
    /// Whether it is significant, for all differences of the table together.
    pub significant: bool,
}

/// The means of one group of flows under one scheme at one point.
#[derive(Clone, Debug, Serialize)]
pub struct GroupSummary {
    /// Index of the scheme.
    pub scheme: usize,
    /// Index of the point.
    pub point: usize,
    /// The group's name.
    pub group: String,
    /// The number of its flows.
    pub flows: usize,
    /// One for each group metric.
    pub values: Vec<Option<Estimate>>,
}

/// What a group of flows feels.
#[derive(Clone, Debug, Serialize)]
pub struct GroupFelt {
    /// The group's name.
    pub group: String,
    /// Indices of the group metrics by which it is judged, the first one first.
    pub metrics: Vec<usize>,
}

/// One run: a scheme at a point with a seed.
#[derive(Clone, Debug, Serialize)]
pub struct Cell {
    /// The number in the plan: `earlydrop trace --cell N`.
    pub cell: usize,
    /// Index of the scheme.
    pub scheme: usize,
    /// Index of the point.
    pub point: usize,
    /// The seed.
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
    /// The group's name.
    pub group: String,
    /// Bits on the wire that arrived, per second.
    #[serde(serialize_with = "short")]
    pub throughput: f64,
    /// Payload bits that arrived for the first time, per second.
    #[serde(serialize_with = "short")]
    pub goodput: f64,
    /// The share of packets lost.
    #[serde(serialize_with = "short")]
    pub loss: f64,
}

/// The distribution of a time over packets.
#[derive(Clone, Debug, Serialize)]
pub struct Distribution {
    /// Index of the scheme.
    pub scheme: usize,
    /// Index of the point.
    pub point: usize,
    /// The quantity: "time in the queue".
    pub what: &'static str,
    /// Pairs of a share of packets and the time in seconds that they do not exceed.
    #[serde(serialize_with = "short_pairs")]
    pub quantiles: Vec<[f64; 2]>,
}

/// A port of a fabric, over the runs of a scheme at a point.
#[derive(Clone, Debug, Serialize)]
pub struct Port {
    /// Index of the scheme.
    pub scheme: usize,
    /// Index of the point.
    pub point: usize,
    /// The switch or the host that it belongs to.
    pub from: String,
    /// What its link leads to.
    pub to: String,
    /// One for each of the quantities.
    pub values: Vec<Option<f64>>,
}

/// The slowdowns of a group's transfers of about one size.
#[derive(Clone, Debug, Serialize)]
pub struct SizeSummary {
    /// Index of the scheme.
    pub scheme: usize,
    /// Index of the point.
    pub point: usize,
    /// The group.
    pub group: String,
    /// The largest size, in bytes.
    pub up_to: f64,
    /// How many began, in all runs together.
    pub transfers: u64,
    /// Whether so many had not ended in some run that the greatest of the values are lower bounds.
    pub is_bound: bool,
    /// Means over seeds of the slowdowns that 50%, 95%, 99% and 99.9% of them do not exceed.
    pub slowdown: Vec<Option<Estimate>>,
}

/// A time series.
#[derive(Clone, Debug, Serialize)]
pub struct Series {
    /// Index of the scheme.
    pub scheme: usize,
    /// Index of the point.
    pub point: usize,
    /// The seed of the run.
    pub seed: u64,
    /// The link or the flow: "left to right", "flow 3 of bulk".
    pub source: String,
    /// "queue" in packets; "drops" and "marks" in packets per interval; a probe of the scheme
    /// ("average", "probability", ...); "window", the cwnd in segments.
    pub name: String,
    /// The definition with its unit.
    pub meaning: String,
    /// The time between samples, in seconds; the first is at time zero.
    pub interval: f64,
    /// The samples.
    #[serde(serialize_with = "short_numbers")]
    pub values: Vec<f64>,
}

/// A number that is only drawn, in few characters: five significant digits, whole numbers exactly.
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
