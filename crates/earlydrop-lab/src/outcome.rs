//! What is kept of one run.

use earlydrop::aqm::DropReason;
use earlydrop::units::Nanos;
use earlydrop_sim::measure::{Arrivals, Samples};
use earlydrop_sim::results::{FlowResult, QueueResult, Results};

use earlydrop_sim::network::LinkId;

use crate::metrics::{self, METRICS, Together};
use crate::scenario::Prepared;

/// What is kept of one run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// One value for each of [`METRICS`].
    pub values: Vec<Option<f64>>,
    /// Each group's name, how many flows it has, and its metrics of flows.
    pub groups: Vec<(String, usize, Vec<Option<f64>>)>,
    /// Each flow, unless there are very many.
    pub flows: Vec<Flow>,
    /// Each queue.
    pub queues: Vec<Queue>,
    /// The time in the watched queue: share of packets, and seconds.
    pub sojourn: Vec<(f64, f64)>,
    /// How long transfers take: the group, a share of its transfers, and seconds.
    pub transfers: Vec<(String, f64, f64)>,
    /// What was sampled over time.
    pub series: Vec<Series>,
    /// How exactly packets were delivered, where the hosts were real ones.
    pub live: Option<Live>,
}

/// How exactly the packets of a run on real hosts were delivered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Live {
    /// The lateness of packets: a share of them, and the time in seconds within which they
    /// were late; rising.
    pub lateness: Vec<(f64, f64)>,
    /// How late 99 of 100 may be, in seconds, for the run to be believed.
    pub tolerated: f64,
    /// The share of one core that the bottleneck took.
    pub cpu: f64,
    /// Packets that the machine lost beside the queue.
    pub beside: u64,
    /// Whether the run can be believed.
    pub trustworthy: bool,
}

impl Live {
    /// The time within which this share of packets was late, in seconds; `None` where no
    /// packet was.
    pub fn late(&self, share: f64) -> Option<f64> {
        let within = self.lateness.iter().find(|(of, _)| *of >= share);
        within.map(|(_, seconds)| *seconds)
    }
}

/// One flow.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// Its group.
    pub group: String,
    /// Bits on the wire that arrived, a second.
    pub throughput: f64,
    /// Bits of payload that arrived for the first time, a second.
    pub goodput: f64,
    /// Packets received, lost, and received marked.
    pub received: u64,
    /// Packets lost.
    pub lost: u64,
    /// Packets that arrived marked.
    pub marked: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Segments sent again.
    pub retransmissions: u64,
}

/// One queue.
#[derive(Clone, Debug, PartialEq)]
pub struct Queue {
    /// Its link: "left to right".
    pub link: String,
    /// Whether it is the one watched.
    pub watched: bool,
    /// The share of the time its link was sending.
    pub utilisation: f64,
    /// Its mean length over time, in packets.
    pub mean_packets: f64,
    /// The longest it was.
    pub longest: u32,
    /// The mean time in it, in seconds.
    pub mean_sojourn: f64,
    /// Packets that arrived, departed, and were marked.
    pub arrived: u64,
    /// Packets handed out.
    pub departed: u64,
    /// Packets marked.
    pub marked: u64,
    /// Packets dropped, for each of [`DropReason::ALL`].
    pub dropped: Vec<u64>,
}

/// Something sampled over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The link, or the flow: "left to right", "flow 3 of bulk".
    pub source: String,
    /// "queue", "drops", "marks", "arrivals of bulk", "window", or a probe.
    pub name: String,
    /// From one value to the next, in seconds; the first is at time zero.
    pub interval: f64,
    /// The values.
    pub values: Vec<f64>,
}

/// Beyond this many, flows are not kept one by one.
const FLOWS_KEPT: usize = 2000;

/// The shares of packets whose time in the queue is kept, and of transfers.
fn shares() -> impl Iterator<Item = f64> {
    let body = (0..=99).map(|percent| f64::from(percent) / 100.0);
    body.chain([0.995, 0.999, 0.9999, 1.0])
}

impl Outcome {
    /// What is kept of the `results` of a run.
    pub fn of(results: &Results, of: &Prepared) -> Outcome {
        let watched = of.watched;
        let Some(queue) = results.queue(watched) else {
            return Outcome::default();
        };
        let together = Together::of(results, None, of.deadline);
        let values = METRICS.iter().map(|metric| metric.value(queue, &together));
        let flows = match results.flows.len() {
            0..=FLOWS_KEPT => results.flows.iter().map(flow).collect(),
            _ => Vec::new(),
        };
        let mut series = Vec::new();
        for queue in &results.queues {
            if let Some(samples) = &queue.samples {
                series.extend(of_queue(&queue.name, samples));
            }
            if let Some(arrivals) = &queue.arrivals {
                series.extend(of_groups(&queue.name, arrivals));
            }
        }
        series.extend(windows(results));
        let (groups, transfers) = groups(results, of.deadline);
        Outcome {
            values: values.collect(),
            groups,
            flows,
            queues: results
                .queues
                .iter()
                .map(|queue| self::queue(queue, watched))
                .collect(),
            sojourn: sojourn(queue),
            transfers,
            series,
            live: None,
        }
    }

    /// The value of a metric by its name; `None` where it is unknown or was not measured.
    pub fn value(&self, metric: &str) -> Option<f64> {
        *self.values.get(metrics::index_of(metric)?)?
    }

    /// What is kept of a run on real hosts.
    pub fn of_live(results: &Results, of: &Prepared, live: Live) -> Outcome {
        Outcome {
            live: Some(live),
            ..Outcome::of(results, of)
        }
    }

    /// The same without these metrics, by name.
    pub fn without(mut self, unknown: &[&str]) -> Outcome {
        let of_flows = self.groups.iter_mut().flat_map(|(_, _, values)| {
            let metrics = metrics::of_groups();
            metrics.zip(values)
        });
        for (metric, value) in METRICS.iter().zip(&mut self.values).chain(of_flows) {
            if unknown.contains(&metric.name) {
                *value = None;
            }
        }
        self
    }
}

/// A group's name, how many flows it has, and its metrics of flows.
type Group = (String, usize, Vec<Option<f64>>);

/// Each group, and for each the time that shares of its transfers take at most.
fn groups(results: &Results, deadline: Nanos) -> (Vec<Group>, Vec<(String, f64, f64)>) {
    let (mut groups, mut transfers) = (Vec::new(), Vec::new());
    for (name, group) in &results.groups() {
        let together = Together::of(results, Some(name), deadline);
        let values = metrics::of_groups().map(|metric| metric.of_flows(&together));
        groups.push((name.to_string(), group.flows, values.collect()));
        let within = |share| Some((name.to_string(), share, together.completed_within(share)?));
        transfers.extend(shares().filter_map(within));
    }
    (groups, transfers)
}

fn flow(flow: &FlowResult) -> Flow {
    Flow {
        group: flow.group.to_string(),
        throughput: flow.throughput,
        goodput: flow.goodput,
        received: flow.received,
        lost: flow.lost,
        marked: flow.marked,
        timeouts: u64::from(flow.sender.timeouts),
        retransmissions: u64::from(flow.sender.retransmissions),
    }
}

fn queue(queue: &QueueResult, watched: LinkId) -> Queue {
    let counters = &queue.counters;
    let dropped = DropReason::ALL.iter();
    Queue {
        link: queue.name.clone(),
        watched: queue.link == watched,
        utilisation: queue.utilisation,
        mean_packets: queue.mean_packets,
        longest: queue.longest,
        mean_sojourn: queue.mean_sojourn.as_secs_f64(),
        arrived: counters.arrived.packets,
        departed: counters.departed.packets,
        marked: counters.marked.packets,
        dropped: dropped
            .map(|reason| counters.dropped_for(*reason).packets)
            .collect(),
    }
}

fn sojourn(queue: &QueueResult) -> Vec<(f64, f64)> {
    let Some(sojourn) = queue.sojourn.as_ref().filter(|s| s.count() > 0) else {
        return Vec::new();
    };
    shares()
        .map(|share| (share, sojourn.quantile(share).as_secs_f64()))
        .collect()
}

fn of_queue(link: &str, samples: &Samples) -> Vec<Series> {
    let interval = samples.interval.as_secs_f64();
    let one = |name: &str, values: Vec<f64>| Series {
        source: link.to_string(),
        name: name.to_string(),
        interval,
        values,
    };
    let packets = samples.packets.iter().map(|packets| f64::from(*packets));
    let mut series = vec![
        one("queue", packets.collect()),
        one("drops", differences(&samples.dropped)),
        one("marks", differences(&samples.marked)),
    ];
    for (name, values) in &samples.probes {
        series.push(one(name, values.clone()));
    }
    series
}

/// What came of each group, in bits a second; at time zero nothing has.
fn of_groups(link: &str, arrivals: &Arrivals) -> impl Iterator<Item = Series> {
    let interval = arrivals.interval.as_secs_f64();
    arrivals.groups.iter().map(move |(group, bytes)| {
        let rates = bytes.iter().map(|bytes| 8.0 * *bytes as f64 / interval);
        Series {
            source: link.to_string(),
            name: format!("arrivals of {group}"),
            interval,
            values: [0.0].into_iter().chain(rates).collect(),
        }
    })
}

/// What was counted in each interval, from counts since time zero.
fn differences(counts: &[u64]) -> Vec<f64> {
    let mut before = 0;
    let step = |count: &u64| {
        let step = count - before;
        before = *count;
        step as f64
    };
    counts.iter().map(step).collect()
}

fn windows(results: &Results) -> Vec<Series> {
    let interval = results
        .queues
        .iter()
        .find_map(|queue| Some(queue.samples.as_ref()?.interval))
        .unwrap_or(Nanos::ZERO)
        .as_secs_f64();
    let of_flow = |(flow, values): &(earlydrop_sim::traffic::FlowId, Vec<f64>)| Series {
        source: format!("flow {} of {}", flow.0, results.flow(*flow).group),
        name: "window".to_string(),
        interval,
        values: values.clone(),
    };
    results.windows.iter().map(of_flow).collect()
}
