//! Made-up results to look at the report page and to test it.
//!
//! Schemes, parameters and probes are the registry's. Every number is invented, and the same in
//! every run.

use std::f64::consts::TAU;

use earlydrop::registry::{Descriptor, SCHEMES};
use earlydrop_lab::number;
use earlydrop_report::answers::Answer;
use earlydrop_report::run_report::data::{
    Axis, Cell, Data, Distribution, Estimate, Flow, GroupFelt, GroupSummary, Metric, Parameter,
    Scheme, SchemeSummary, Series,
};

/// The size of made-up results.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    /// The number of schemes.
    pub(crate) schemes: usize,
    /// The number of seeds.
    pub(crate) seeds: u64,
    /// Whether two fields are swept, over 4 x 3 points.
    pub(crate) sweep: bool,
    /// The number of samples of each time series; 0: no time series.
    pub(crate) samples: usize,
    /// The number of runs, from the end, that are not done.
    pub(crate) missing: usize,
}

impl Default for Sample {
    fn default() -> Sample {
        Sample {
            schemes: 12,
            seeds: 10,
            sweep: false,
            samples: 300,
            missing: 0,
        }
    }
}

const METRICS: [(&str, &str, &str, f64, &str, bool); 9] = [
    ("utilisation", "utilisation", "%", 100.0, "more", true),
    ("goodput", "goodput", "Mbps", 1e-6, "more", true),
    (
        "delay_mean",
        "queueing delay, mean",
        "ms",
        1e3,
        "less",
        true,
    ),
    ("delay_p99", "queueing delay, 99%", "ms", 1e3, "less", true),
    (
        "jitter",
        "queueing delay, deviation",
        "ms",
        1e3,
        "less",
        true,
    ),
    ("loss", "packets lost", "%", 100.0, "less", true),
    ("marked", "packets marked", "%", 100.0, "", false),
    ("fairness", "fairness of flows", "", 1.0, "more", true),
    ("queue_mean", "queue, mean", "packets", 1.0, "", false),
];

const GROUP_METRICS: [(&str, &str, &str, f64, &str); 3] = [
    ("throughput", "throughput of a flow", "Mbps", 1e-6, "more"),
    ("loss", "packets lost", "%", 100.0, "less"),
    ("completion", "completion time, median", "ms", 1e3, "less"),
];

/// A small generator of pseudorandom numbers (splitmix64).
struct Invent(u64);

impl Invent {
    fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * (1.0 - self.share()).ln()).sqrt() * (TAU * self.share()).cos()
    }
}

/// Made-up results.
pub(crate) fn sample(size: &Sample) -> Data {
    let mut invent = Invent(1993);
    let axes = if size.sweep { swept() } else { Vec::new() };
    let points: Vec<Vec<usize>> = if size.sweep {
        (0..4)
            .flat_map(|rtt| (0..3).map(move |flows| vec![rtt, flows]))
            .collect()
    } else {
        vec![Vec::new()]
    };
    let schemes: Vec<Scheme> = SCHEMES
        .iter()
        .cycle()
        .take(size.schemes)
        .enumerate()
        .map(|(index, descriptor)| scheme(index, descriptor))
        .collect();
    let planned = schemes.len() * points.len() * size.seeds as usize;

    let mut data = Data {
        title: "RED and its relatives on a 10 Mbps link".to_owned(),
        about: "Long TCP flows share a bottleneck with short ones that come and go. \
                How short does each scheme keep the queue, and what does that cost?"
            .to_owned(),
        version: "0.1.0 (made up)".to_owned(),
        command: "earlydrop run scenarios/red-family.toml --seeds 1..10".to_owned(),
        scenario: SCENARIO.to_owned(),
        link: "left to right".to_owned(),
        measured: [10.0, 60.0],
        seeds: (1..=size.seeds).collect(),
        cells_planned: planned,
        metrics: METRICS.into_iter().map(metric).collect(),
        group_metrics: GROUP_METRICS
            .into_iter()
            .map(|(name, title, unit, scale, better)| {
                metric((name, title, unit, scale, better, true))
            })
            .collect(),
        schemes,
        axes,
        points,
        ..Data::default()
    };
    cells(&mut data, size, &mut invent);
    summarise(&mut data);
    groups(&mut data, &mut invent);
    answers(&mut data);
    distributions(&mut data);
    if size.samples > 0 {
        series(&mut data, size.samples, &mut invent);
    }
    data
}

/// Two swept fields.
fn swept() -> Vec<Axis> {
    let texts = |values: &[&str]| values.iter().map(|value| value.to_string()).collect();
    vec![
        Axis {
            field: "network.rtt".to_owned(),
            title: "round trip".to_owned(),
            values: texts(&["10 ms", "20 ms", "50 ms", "100 ms"]),
            numbers: Some(vec![0.01, 0.02, 0.05, 0.1]),
            unit: "s",
        },
        Axis {
            field: "traffic.bulk.flows".to_owned(),
            title: "traffic.bulk.flows".to_owned(),
            values: texts(&["5", "20", "80"]),
            numbers: Some(vec![5.0, 20.0, 80.0]),
            unit: "",
        },
    ]
}

type MetricRow = (
    &'static str,
    &'static str,
    &'static str,
    f64,
    &'static str,
    bool,
);

fn metric((name, title, unit, scale, better, headline): MetricRow) -> Metric {
    Metric {
        name: name.into(),
        title: title.into(),
        group: None,
        unit,
        scale,
        better,
        meaning: "made up for the sake of the picture",
        headline,
    }
}

/// The relative length of the queue under a scheme, from 0 to 1.
fn queue_level(index: usize) -> f64 {
    let golden = (index as f64 * 0.618_033_988_749_895).fract();
    if index == 0 { 1.0 } else { 0.08 + 0.6 * golden }
}

fn scheme(index: usize, descriptor: &'static Descriptor) -> Scheme {
    let again = index / SCHEMES.len();
    let label = if again == 0 {
        descriptor.name.to_owned()
    } else {
        format!("{} {}", descriptor.name, again + 1)
    };
    let (min, max) = (5.0 + index as f64, 15.0 + 2.5 * index as f64);
    let curve = if descriptor.name.contains("red") {
        let power = 1.0 + (index % 3) as f64 * 0.5;
        let mut points = vec![[0.0, 0.0]];
        points.extend((0..=20).map(|step| {
            let share = f64::from(step) / 20.0;
            [min + (max - min) * share, 0.1 * share.powf(power)]
        }));
        points.push([max, 1.0]);
        points.push([60.0, 1.0]);
        points
    } else {
        Vec::new()
    };
    Scheme {
        label,
        look: 40 - index,
        spec: format!("{}:min={min}", descriptor.name),
        summary: descriptor.summary,
        source: descriptor.source,
        parameters: descriptor
            .parameters()
            .map(|parameter| {
                let (value, origin) = descriptor.default_of(parameter);
                Parameter {
                    name: parameter.name,
                    value: value.to_owned(),
                    origin: origin.to_owned(),
                    meaning: parameter.meaning,
                }
            })
            .collect(),
        curve,
        thresholds: Vec::new(),
    }
}

fn cells(data: &mut Data, size: &Sample, invent: &mut Invent) {
    let mut number = 0;
    for point in 0..data.points.len() {
        let [rtt, flows] = *data.points[point] else {
            fill(data, size, invent, point, 0.05, 20.0, &mut number);
            continue;
        };
        let rtt = data.axes[0].numbers.as_ref().unwrap()[rtt];
        let flows = data.axes[1].numbers.as_ref().unwrap()[flows];
        fill(data, size, invent, point, rtt, flows, &mut number);
    }
    data.cells
        .truncate(data.cells_planned.saturating_sub(size.missing));
}

fn fill(
    data: &mut Data,
    size: &Sample,
    invent: &mut Invent,
    point: usize,
    rtt: f64,
    flows: f64,
    number: &mut usize,
) {
    for scheme in 0..data.schemes.len() {
        for seed in 1..=size.seeds {
            let level = queue_level(scheme) * (1.0 + 0.06 * invent.normal());
            let delay = 0.004 + 0.09 * level * level * (flows / 20.0).powf(0.3);
            let idle = (0.05 * (1.0 - level) * (rtt / 0.05).sqrt() * (1.0 + 0.2 * invent.normal()))
                .clamp(0.001, 0.4);
            let loss = 0.004 * flows.sqrt() * (1.2 - 0.5 * level) * (1.0 + 0.1 * invent.normal());
            let values = vec![
                Some(1.0 - idle),
                Some(9.6e6 * (1.0 - idle)),
                Some(delay),
                Some(delay * (2.1 + 0.1 * invent.normal())),
                Some(delay * 0.4),
                Some(loss),
                (scheme % 3 == 1).then_some(loss * 0.5),
                Some((0.97 - 0.2 * level * invent.share()).min(1.0)),
                Some(delay * 1e7 / 8.0 / 1000.0),
            ];
            data.cells.push(Cell {
                cell: *number,
                scheme,
                point,
                seed,
                values,
            });
            *number += 1;
        }
    }
}

/// A mean with the approximate 95% interval of a normal distribution.
fn estimate(values: &[f64], scale: f64) -> Option<Estimate> {
    let number = values.len() as f64;
    if values.is_empty() {
        return None;
    }
    let mean = values.iter().sum::<f64>() / number;
    let half = (values.len() > 1).then(|| {
        let spread = values
            .iter()
            .map(|value| (value - mean).powi(2))
            .sum::<f64>()
            / (number - 1.0);
        2.2 * (spread / number).sqrt()
    });
    Some(Estimate {
        text: number::estimate(mean * scale, half.map(|half| half * scale)),
        mean,
        half,
        best: false,
        similar: false,
        moving: false,
    })
}

fn summarise(data: &mut Data) {
    for point in 0..data.points.len() {
        let first = data.summary.len();
        for scheme in 0..data.schemes.len() {
            let cells: Vec<&Cell> = data
                .cells
                .iter()
                .filter(|cell| cell.scheme == scheme && cell.point == point)
                .collect();
            if cells.is_empty() {
                continue;
            }
            let values = (0..data.metrics.len())
                .map(|metric| {
                    let values: Vec<f64> = cells
                        .iter()
                        .filter_map(|cell| cell.values[metric])
                        .collect();
                    estimate(&values, data.metrics[metric].scale)
                })
                .collect();
            let seeds = cells.len();
            data.summary.push(SchemeSummary {
                scheme,
                point,
                seeds,
                values,
            });
        }
        for metric in 0..data.metrics.len() {
            mark_best(
                &mut data.summary[first..],
                metric,
                data.metrics[metric].better,
            );
        }
    }
}

fn mark_best(entries: &mut [SchemeSummary], metric: usize, better: &str) {
    let sign = match better {
        "less" => 1.0,
        "more" => -1.0,
        _ => return,
    };
    let reach = entries
        .iter()
        .filter_map(|entry| entry.values[metric].as_ref())
        .filter_map(|value| Some(sign * value.mean + value.half?))
        .fold(f64::INFINITY, f64::min);
    let holds = |value: &Estimate| {
        value
            .half
            .is_some_and(|half| sign * value.mean - half <= reach)
    };
    if entries
        .iter()
        .filter_map(|entry| entry.values[metric].as_ref())
        .all(holds)
    {
        return;
    }
    for entry in entries {
        if let Some(value) = &mut entry.values[metric] {
            value.best = holds(value);
        }
    }
}

/// Answers that say where they are from.
fn answers(data: &mut Data) {
    for question in [
        "bulk: goodput",
        "web: completion time",
        "The link: least loss",
    ] {
        let at = |point: usize| Some(format!("{question} at point {point}"));
        data.answers.push(Answer {
            question: question.to_owned(),
            overall: Some(format!("{question} everywhere")),
            at: (0..data.points.len()).map(at).collect(),
        });
    }
    for group in ["bulk", "web"] {
        data.felt.push(GroupFelt {
            group: group.to_owned(),
            metrics: vec![0, 1, 2],
        });
    }
}

fn groups(data: &mut Data, invent: &mut Invent) {
    for point in 0..data.points.len() {
        for scheme in 0..data.schemes.len() {
            for (group, flows, share) in [("bulk", 20, 4.2e5), ("web", 8, 9.0e4)] {
                let rates: Vec<f64> = (0..flows)
                    .map(|_| share * (0.3 * queue_level(scheme) * invent.normal()).exp())
                    .collect();
                data.flows.extend(rates.iter().map(|&throughput| Flow {
                    scheme,
                    point,
                    group: group.to_owned(),
                    throughput,
                    goodput: throughput * 0.94,
                    loss: 0.01 + 0.01 * invent.share(),
                }));
                let loss: Vec<f64> = rates.iter().map(|_| 0.01 + 0.01 * invent.share()).collect();
                let seconds = 0.21 + 0.3 * queue_level(scheme);
                let completion = Estimate {
                    text: number::estimate(
                        seconds * GROUP_METRICS[2].3,
                        Some(0.012 * GROUP_METRICS[2].3),
                    ),
                    mean: seconds,
                    half: Some(0.012),
                    best: false,
                    similar: false,
                    moving: false,
                };
                data.groups.push(GroupSummary {
                    scheme,
                    point,
                    group: group.to_owned(),
                    flows,
                    values: vec![
                        estimate(&rates, GROUP_METRICS[0].3),
                        estimate(&loss, GROUP_METRICS[1].3),
                        (group == "web").then_some(completion),
                    ],
                });
            }
        }
    }
}

fn distributions(data: &mut Data) {
    const SHARES: [f64; 17] = [
        0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999,
        1.0,
    ];
    for point in 0..data.points.len() {
        for scheme in 0..data.schemes.len() {
            let level = queue_level(scheme);
            let quantiles = SHARES
                .iter()
                .map(|&share| {
                    let odds = -(1.0 - share * 0.9999_f64).ln();
                    [share, (0.002 + 0.05 * level * odds.powf(0.6)).min(0.2)]
                })
                .collect();
            data.distributions.push(Distribution {
                scheme,
                point,
                what: "time in the queue",
                quantiles,
            });
        }
    }
}

fn series(data: &mut Data, samples: usize, invent: &mut Invent) {
    let interval = 60.0 / samples as f64;
    let link = data.link.clone();
    for scheme in 0..data.schemes.len() {
        let descriptor = &SCHEMES[scheme % SCHEMES.len()];
        let mut queue = 0.0f64;
        let mut average = 0.0f64;
        let mut lists: Vec<(String, String, String, Vec<f64>)> = vec![
            new("queue", "the queue, in packets", &link),
            new("drops", "packets dropped in an interval", &link),
            new("marks", "packets marked in an interval", &link),
        ];
        for probe in descriptor.probes {
            lists.push(new(probe.name, probe.meaning, &link));
        }
        for flow in 1..=3 {
            lists.push(new(
                "window",
                "congestion window, in segments",
                &format!("flow {flow} of bulk"),
            ));
        }
        for step in 0..samples {
            let time = step as f64 * interval;
            let goal = 60.0 * queue_level(scheme);
            queue += 0.15 * (goal - queue) + 4.0 * invent.normal() + 3.0 * (time * 2.1).sin();
            queue = queue.clamp(0.0, 120.0);
            average += 0.05 * (queue - average);
            for (name, meaning, source, values) in &mut lists {
                let about = (name.as_str(), meaning.as_str(), source.as_str());
                values.push(made_up_value(about, (queue, average, goal), time, invent));
            }
        }
        data.series.extend(
            lists
                .into_iter()
                .map(|(name, meaning, source, values)| Series {
                    scheme,
                    point: 0,
                    seed: 1,
                    source,
                    name,
                    meaning,
                    interval,
                    values,
                }),
        );
    }
}

/// One sample of a series, from the queue, its average and the queue's target.
fn made_up_value(
    (name, meaning, source): (&str, &str, &str),
    (queue, average, goal): (f64, f64, f64),
    time: f64,
    invent: &mut Invent,
) -> f64 {
    match name {
        "queue" => queue.round(),
        "average" => average,
        "drops" => (queue / 25.0 * invent.share()).floor(),
        "marks" => 0.0,
        "window" => {
            let start = f64::from(source.as_bytes()[5]);
            4.0 + (time * 1.7 + start).rem_euclid(9.0)
        }
        "count" | "flows" => (12.0 * invent.share()).floor(),
        "dropping" => f64::from(u8::from(queue > goal)),
        _ if meaning.contains("in s") => queue * 0.001,
        _ if meaning.contains("packets") => (queue * 0.5).round(),
        _ if meaning.contains("bytes") => queue * 1000.0,
        _ => 0.1 * (average / 60.0).min(1.0) * (0.9 + 0.1 * invent.share()),
    }
}

/// An empty series: name, meaning, source and values.
fn new(name: &str, meaning: &str, source: &str) -> (String, String, String, Vec<f64>) {
    (
        name.to_owned(),
        meaning.to_owned(),
        source.to_owned(),
        Vec::new(),
    )
}

const SCENARIO: &str = "\
title = \"RED and its relatives on a 10 Mbps link\"

[network]
bandwidth = \"10 Mbps\"
rtt = \"50 ms\"
buffer = \"120 packets\"

[[traffic]]
group = \"bulk\"
flows = 20
sender = \"newreno\"

[measure]
from = \"10 s\"
to = \"60 s\"
";
