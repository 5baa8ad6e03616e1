//! Outcomes: the figures of one run, as tables, reports and databases hold them.

use earlydrop::aqm::DropReason;
use earlydrop::counters::Tally;
use earlydrop::units::Nanos;
use earlydrop_sim::measure::{GroupTraffic, Samples};
use earlydrop_sim::network::LinkId;
use earlydrop_sim::results::{FlowResult, QueueResult, Results};
use earlydrop_sim::traffic::FlowId;

use crate::metrics::SizeBin;
use crate::metrics::{self, FlowAggregate, LINK_METRICS, METRICS};
use crate::records::{self, TransferOutcome};
use crate::scenario::{Criteria, PreparedRun};
use crate::timing::LiveTiming;

/// The figures of one run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// One value for each of [`METRICS`].
    pub values: Vec<Option<f64>>,
    /// For each group of flows: its name, its number of flows, and its metrics
    /// ([`metrics::of_groups`]).
    pub groups: Vec<(String, usize, Vec<Option<f64>>)>,
    /// One entry per flow; empty where there are more than 2,000 flows.
    pub flows: Vec<FlowOutcome>,
    /// One entry per queue.
    pub queues: Vec<QueueOutcome>,
    /// For each bottleneck, where there are several: the link's name and its
    /// [`LINK_METRICS`].
    pub links: Vec<(String, Vec<Option<f64>>)>,
    /// Quantiles of the time in the watched queue: share of packets, and seconds.
    pub sojourn: Vec<(f64, f64)>,
    /// Quantiles of completion times: the group, a share of its transfers, and seconds.
    pub transfers: Vec<(String, f64, f64)>,
    /// Completion times and slowdowns by size: the group, and transfers of about one size.
    pub sizes: Vec<(String, SizeBin)>,
    /// One entry per transfer, by flow and number; empty where they are not recorded.
    pub records: Vec<TransferOutcome>,
    /// Samples over time.
    pub series: Vec<Series>,
    /// The timing of a run on real hosts; `None` for a simulated one.
    pub live: Option<LiveTiming>,
}

/// The figures of one flow.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowOutcome {
    /// Its group.
    pub group: String,
    /// Bits on the wire that arrived, per second.
    pub throughput: f64,
    /// Bits of payload that arrived for the first time, per second.
    pub goodput: f64,
    /// Packets received.
    pub received: u64,
    /// Packets lost.
    pub lost: u64,
    /// Packets received with a congestion mark.
    pub marked: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Segments retransmitted.
    pub retransmissions: u64,
}

/// The figures of one queue.
#[derive(Clone, Debug, PartialEq)]
pub struct QueueOutcome {
    /// Its link: "left to right".
    pub link: String,
    /// Whether it is the watched queue.
    pub watched: bool,
    /// The share of the time its link was sending; of a recorded link, of what it could send.
    pub utilisation: f64,
    /// Its mean length over time, in packets.
    pub mean_packets: f64,
    /// Its maximum length, in packets.
    pub longest: u32,
    /// The mean time in it, in seconds; `None` where no packet departed.
    pub mean_sojourn: Option<f64>,
    /// Packets that arrived.
    pub arrived: u64,
    /// Packets that departed.
    pub departed: u64,
    /// Packets marked.
    pub marked: u64,
    /// Packets dropped, for each of [`DropReason::ALL`].
    pub dropped: Vec<u64>,
    /// How often the switch at the link's end has paused it, and for how many seconds in all; `None`
    /// where that pauses nothing.
    pub pauses: Option<(u64, f64)>,
}

/// A quantity sampled over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The link, or the flow: "left to right", "flow 3 of bulk".
    pub source: String,
    /// "queue", "drops", "marks", "arrivals of bulk", "packet arrivals of bulk", "departures of
    /// bulk", "packet departures of bulk", "window", or a probe.
    pub name: String,
    /// Seconds between two values; the first value is at time zero.
    pub interval: f64,
    /// The values.
    pub values: Vec<f64>,
}

/// Runs with more flows have no figures per flow.
const MAX_FLOW_OUTCOMES: usize = 2000;

/// The shares at which quantiles are taken.
fn shares() -> impl Iterator<Item = f64> {
    let body = (0..=99).map(|percent| f64::from(percent) / 100.0);
    body.chain([0.995, 0.999, 0.9999, 1.0])
}

impl Outcome {
    /// The outcome of a simulated `run` with these results.
    pub fn of(results: &Results, run: &PreparedRun) -> Outcome {
        let watched = run.watched;
        let Some(queue) = results.queue(watched) else {
            return Outcome::default();
        };
        let aggregate = FlowAggregate::of(results, &run.criteria);
        let values = METRICS
            .iter()
            .map(|metric| metric.value(results, queue, &aggregate));
        let flows = match results.flows.len() {
            0..=MAX_FLOW_OUTCOMES => results.flows.iter().map(flow).collect(),
            _ => Vec::new(),
        };
        let GroupOutcomes {
            groups,
            transfers,
            sizes,
        } = GroupOutcomes::of(results, &run.criteria);
        Outcome {
            values: values.collect(),
            groups,
            flows,
            queues: results
                .queues
                .iter()
                .map(|queue| self::queue(queue, watched))
                .collect(),
            links: links(results, run),
            sojourn: sojourn(queue),
            transfers,
            sizes,
            records: records::of(results, &run.run, run.most_records),
            series: all_series(results),
            live: None,
        }
    }

    /// The value of a metric by its name; `None` where it is unknown or was not measured.
    pub fn value(&self, metric: &str) -> Option<f64> {
        *self.values.get(metrics::index_of(metric)?)?
    }

    /// The outcome of a `run` on real hosts with these results.
    pub fn of_live(results: &Results, run: &PreparedRun, live: LiveTiming) -> Outcome {
        Outcome {
            live: Some(live),
            ..Outcome::of(results, run)
        }
    }

    /// Removes the values of these metrics, by name: they were not measured.
    pub fn without(mut self, missing: &[&str]) -> Outcome {
        let of_flows = self.groups.iter_mut().flat_map(|(_, _, values)| {
            let metrics = metrics::of_groups();
            metrics.zip(values)
        });
        for (metric, value) in METRICS.iter().zip(&mut self.values).chain(of_flows) {
            if missing.contains(&metric.name) {
                *value = None;
            }
        }
        self
    }
}

/// A group's name, its number of flows, and its metrics.
type GroupOutcome = (String, usize, Vec<Option<f64>>);

/// The results of a group of flows that are stored.
#[derive(Default)]
struct GroupOutcomes {
    groups: Vec<GroupOutcome>,
    /// Quantiles of completion times.
    transfers: Vec<(String, f64, f64)>,
    sizes: Vec<(String, SizeBin)>,
}

impl GroupOutcomes {
    fn of(results: &Results, criteria: &Criteria) -> GroupOutcomes {
        let mut all = GroupOutcomes::default();
        for (name, aggregate) in FlowAggregate::of_groups(results, criteria) {
            let name = name.to_string();
            let values = metrics::of_groups().map(|metric| metric.of_flows(&aggregate));
            let group = (name.clone(), aggregate.flow_count(), values.collect());
            all.groups.push(group);
            let within = |share| Some((name.clone(), share, aggregate.completed_within(share)?));
            all.transfers.extend(shares().filter_map(within));
            let bins = aggregate.into_bins().into_iter();
            all.sizes.extend(bins.map(|bin| (name.clone(), bin)));
        }
        all
    }
}

fn flow(flow: &FlowResult) -> FlowOutcome {
    FlowOutcome {
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

fn queue(queue: &QueueResult, watched: LinkId) -> QueueOutcome {
    let counters = &queue.counters;
    let dropped = DropReason::ALL.iter();
    QueueOutcome {
        link: queue.name.clone(),
        watched: queue.link == watched,
        utilisation: queue.utilisation,
        mean_packets: queue.mean_packets,
        longest: queue.longest,
        mean_sojourn: queue.mean_sojourn.map(Nanos::as_secs_f64),
        arrived: counters.arrived.packets,
        departed: counters.departed.packets,
        marked: counters.marked.packets,
        dropped: dropped
            .map(|reason| counters.dropped_for(*reason).packets)
            .collect(),
        pauses: queue
            .pauses
            .map(|pauses| (pauses.pauses, pauses.paused.as_secs_f64())),
    }
}

/// The figures of each bottleneck, where there are several.
fn links(results: &Results, run: &PreparedRun) -> Vec<(String, Vec<Option<f64>>)> {
    let queues = run
        .bottlenecks
        .iter()
        .filter_map(|link| results.queue(*link));
    let figures = |queue: &QueueResult| {
        let values = LINK_METRICS.iter().map(|metric| metric.of_queue(queue));
        (queue.name.clone(), values.collect())
    };
    queues.map(figures).collect()
}

fn sojourn(queue: &QueueResult) -> Vec<(f64, f64)> {
    let Some(sojourn) = queue.sojourn.as_ref().filter(|s| s.count() > 0) else {
        return Vec::new();
    };
    shares()
        .map(|share| (share, sojourn.quantile(share).as_secs_f64()))
        .collect()
}

/// Every series: of queues first, then of congestion windows.
fn all_series(results: &Results) -> Vec<Series> {
    let mut series = Vec::new();
    for queue in &results.queues {
        if let Some(samples) = &queue.samples {
            series.extend(of_queue(&queue.name, samples));
        }
        for (what, bytes) in [
            ("arrivals", &queue.arrivals),
            ("departures", &queue.departures),
        ] {
            if let Some(bytes) = bytes {
                series.extend(of_groups(&queue.name, what, bytes));
            }
        }
    }
    series.extend(windows(results));
    series
}

fn of_queue(link: &str, samples: &Samples) -> Vec<Series> {
    let interval = samples.interval.as_secs_f64();
    let series_of = |name: &str, values: Vec<f64>| Series {
        source: link.to_string(),
        name: name.to_string(),
        interval,
        values,
    };
    let packets = samples.packets.iter().map(|packets| f64::from(*packets));
    let mut series = vec![
        series_of("queue", packets.collect()),
        series_of("drops", differences(&samples.dropped)),
        series_of("marks", differences(&samples.marked)),
    ];
    for (name, values) in &samples.probes {
        series.push(series_of(name, values.clone()));
    }
    series
}

/// The rate of each group's arrivals, or departures, in bit/s and in packets/s; zero at time zero.
fn of_groups(link: &str, what: &str, traffic: &GroupTraffic) -> impl Iterator<Item = Series> {
    let interval = traffic.interval.as_secs_f64();
    traffic.groups.iter().flat_map(move |(group, tallies)| {
        let series = |name: String, amount: fn(&Tally) -> f64| {
            let rates = tallies.iter().map(|tally| amount(tally) / interval);
            Series {
                source: link.to_string(),
                name,
                interval,
                values: [0.0].into_iter().chain(rates).collect(),
            }
        };
        [
            series(format!("{what} of {group}"), |tally| {
                8.0 * tally.bytes as f64
            }),
            series(format!("packet {what} of {group}"), |tally| {
                tally.packets as f64
            }),
        ]
    })
}

/// The count in each interval, from counts since time zero.
fn differences(counts: &[u64]) -> Vec<f64> {
    let mut before = 0;
    let step = |count: &u64| {
        let step = count - before;
        before = *count;
        step as f64
    };
    counts.iter().map(step).collect()
}

/// The sampled congestion windows, in segments.
fn windows(results: &Results) -> Vec<Series> {
    let interval = results
        .queues
        .iter()
        .find_map(|queue| Some(queue.samples.as_ref()?.interval))
        .unwrap_or(Nanos::ZERO)
        .as_secs_f64();
    let of_flow = |(flow, values): &(FlowId, Vec<f64>)| Series {
        source: format!("flow {} of {}", flow.0, results.flow(*flow).group),
        name: "window".to_string(),
        interval,
        values: values.clone(),
    };
    results.windows.iter().map(of_flow).collect()
}
