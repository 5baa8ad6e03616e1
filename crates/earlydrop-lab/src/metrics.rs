//! What is measured of a run, as numbers with names: of the queue watched, and of flows,
//! all together or by group.

use earlydrop::aqm::DropReason;
use earlydrop::units::Nanos;
use earlydrop_sim::measure::{Delays, Distribution};
use earlydrop_sim::results::{GroupResult, QueueResult, Results};

use crate::outcome::Live;

/// One number of a run.
pub struct Metric {
    /// Its name in tables: "delay_p99".
    pub name: &'static str,
    /// Its heading: "queueing delay, 99%".
    pub title: &'static str,
    /// The unit it is shown in: "ms".
    pub unit: &'static str,
    /// What a value is multiplied with to be in that unit.
    pub scale: f64,
    /// Which is better.
    pub better: Better,
    /// What it is, in a sentence.
    pub meaning: &'static str,
    /// Whether it stands in the summary.
    pub headline: bool,
    of: Of,
}

/// Which values of a metric are better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// Smaller ones.
    Less,
    /// Larger ones.
    More,
    /// Neither: it depends.
    Neither,
}

enum Of {
    Queue(fn(&QueueResult) -> Option<f64>),
    Flows(fn(&Together) -> Option<f64>),
    Live(fn(&Live) -> Option<f64>),
}

/// Flows taken together, for their metrics.
pub struct Together {
    result: GroupResult,
    delays: Option<Delays>,
    round_trips: Option<Delays>,
    completions: Vec<f64>,
    /// Within how many seconds a transfer is in time.
    deadline: f64,
    /// The time measured, in seconds.
    span: f64,
}

/// Every metric, in the order of every list of values.
pub static METRICS: &[Metric] = &[
    headline(
        "utilisation",
        "utilisation",
        ("%", 100.0),
        Better::More,
        "the share of the time that the watched link was sending",
        Of::Queue(|queue| Some(queue.utilisation)),
    ),
    headline(
        "goodput",
        "goodput",
        ("Mbps", 1e-6),
        Better::More,
        "payload that arrived for the first time, all flows together",
        Of::Flows(|flows| Some(flows.result.goodput)),
    ),
    headline(
        "delay_mean",
        "queueing delay",
        ("ms", 1e3),
        Better::Less,
        "the mean time from a packet's arrival at the watched queue to the start of its transmission",
        Of::Queue(|queue| Some(queue.mean_sojourn.as_secs_f64())),
    ),
    headline(
        "delay_p99",
        "queueing delay, 99%",
        ("ms", 1e3),
        Better::Less,
        "the time in the watched queue that 99 of 100 packets stay below",
        Of::Queue(|queue| sojourn(queue, 0.99)),
    ),
    headline(
        "jitter",
        "jitter",
        ("ms", 1e3),
        Better::Less,
        "by how much one packet's delay differs from the next's of the same flow, on average",
        Of::Flows(|flows| flows.delays.as_ref().map(Delays::jitter)),
    ),
    headline(
        "loss",
        "loss",
        ("%", 100.0),
        Better::Less,
        "packets of data lost over packets lost or received",
        Of::Flows(|flows| Some(flows.result.loss)),
    ),
    headline(
        "marked",
        "marked",
        ("%", 100.0),
        Better::Neither,
        "packets of data that arrived with a congestion mark over packets received",
        Of::Flows(|flows| Some(flows.result.marked)),
    ),
    headline(
        "timeouts",
        "timeouts",
        ("/s", 1.0),
        Better::Less,
        "retransmission timeouts a second, all flows together",
        Of::Flows(|flows| Some(flows.result.timeouts as f64 / flows.span)),
    ),
    headline(
        "fairness",
        "fairness",
        ("", 1.0),
        Better::More,
        "Jain's index of the flows' goodputs: 1 when all are equal, 1/n when one has everything",
        Of::Flows(|flows| Some(flows.result.jain)),
    ),
    detail(
        "queue_mean",
        "queue",
        ("packets", 1.0),
        Better::Less,
        "the mean length of the watched queue over time",
        Of::Queue(|queue| Some(queue.mean_packets)),
    ),
    detail(
        "queue_longest",
        "longest queue",
        ("packets", 1.0),
        Better::Less,
        "the longest the watched queue has been",
        Of::Queue(|queue| Some(f64::from(queue.longest))),
    ),
    detail(
        "delay_p50",
        "queueing delay, median",
        ("ms", 1e3),
        Better::Less,
        "the time in the watched queue that half the packets stay below",
        Of::Queue(|queue| sojourn(queue, 0.5)),
    ),
    detail(
        "delay_p95",
        "queueing delay, 95%",
        ("ms", 1e3),
        Better::Less,
        "the time in the watched queue that 95 of 100 packets stay below",
        Of::Queue(|queue| sojourn(queue, 0.95)),
    ),
    detail(
        "queue_loss",
        "dropped by the queue",
        ("%", 100.0),
        Better::Less,
        "packets that the watched queue dropped over those that arrived at it",
        Of::Queue(|queue| {
            let arrived = queue.counters.arrived.packets;
            (arrived > 0).then(|| queue.counters.dropped().packets as f64 / arrived as f64)
        }),
    ),
    detail(
        "queue_early",
        "dropped early",
        ("%", 100.0),
        Better::Neither,
        "packets that the watched queue dropped because its scheme chose to, on the way in or out, over those that arrived",
        Of::Queue(|queue| dropped_for(queue, &[DropReason::Early, DropReason::Dequeue])),
    ),
    detail(
        "queue_forced",
        "dropped for want of room",
        ("%", 100.0),
        Better::Less,
        "packets that it dropped because the buffer was full, over those that arrived",
        Of::Queue(|queue| dropped_for(queue, &[DropReason::Forced])),
    ),
    detail(
        "flows_per_loss_event",
        "flows per loss event",
        ("flows", 1.0),
        Better::Less,
        "how many flows lose packets together within a round trip: loss synchronisation",
        Of::Queue(|queue| Some(queue.flows_per_loss_event)),
    ),
    detail(
        "end_to_end_mean",
        "delay end to end",
        ("ms", 1e3),
        Better::Less,
        "the mean time of a packet of data from host to host",
        Of::Flows(|flows| flows.delays.as_ref().map(Delays::mean)),
    ),
    detail(
        "end_to_end_variance",
        "variance of delay",
        ("ms²", 1e6),
        Better::Less,
        "the variance of those times",
        Of::Flows(|flows| flows.delays.as_ref().map(Delays::variance)),
    ),
    detail(
        "end_to_end_p99",
        "delay end to end, 99%",
        ("ms", 1e3),
        Better::Less,
        "the time from host to host that 99 of 100 packets stay below",
        Of::Flows(|flows| flows.delays.as_ref().map(|delays| quantile(delays, 0.99))),
    ),
    detail(
        "round_trip_mean",
        "round trip",
        ("ms", 1e3),
        Better::Less,
        "the mean round trip as TCP senders measure it",
        Of::Flows(|flows| flows.round_trips.as_ref().map(Delays::mean)),
    ),
    detail(
        "retransmissions",
        "sent again",
        ("/s", 1.0),
        Better::Less,
        "segments sent again a second, all flows together",
        Of::Flows(|flows| Some(flows.result.retransmissions as f64 / flows.span)),
    ),
    detail(
        "throughput",
        "throughput",
        ("Mbps", 1e-6),
        Better::More,
        "bits on the wire that arrived, all flows together",
        Of::Flows(|flows| Some(flows.result.throughput)),
    ),
    detail(
        "variation",
        "spread of goodputs",
        ("", 1.0),
        Better::Less,
        "the coefficient of variation of the flows' goodputs: deviation over mean",
        Of::Flows(|flows| Some(flows.result.variation)),
    ),
    detail(
        "transfers",
        "transfers completed",
        ("/s", 1.0),
        Better::More,
        "transfers, pages or answers completed a second",
        Of::Flows(|flows| {
            let completed = flows.completions.len() as f64 / flows.span;
            (!flows.completions.is_empty()).then_some(completed)
        }),
    ),
    detail(
        "completion_mean",
        "completion time",
        ("s", 1.0),
        Better::Less,
        "the mean time a transfer, a page or an answer takes",
        Of::Flows(|flows| {
            let count = flows.completions.len() as f64;
            (count > 0.0).then(|| flows.completions.iter().sum::<f64>() / count)
        }),
    ),
    detail(
        "completion_variance",
        "variance of completion time",
        ("s²", 1.0),
        Better::Less,
        "the variance of those times",
        Of::Flows(|flows| variance(&flows.completions)),
    ),
    detail(
        "completion_in_time",
        "completed in time",
        ("%", 100.0),
        Better::More,
        "the share of them that took less than the scenario's `measure.deadline`",
        Of::Flows(|flows| {
            let in_time = flows
                .completions
                .partition_point(|span| *span < flows.deadline);
            let count = flows.completions.len();
            (count > 0).then(|| in_time as f64 / count as f64)
        }),
    ),
    detail(
        "completion_p50",
        "completion time, median",
        ("s", 1.0),
        Better::Less,
        "the time that half of them take less than",
        Of::Flows(|flows| flows.completed_within(0.5)),
    ),
    detail(
        "completion_p95",
        "completion time, 95%",
        ("s", 1.0),
        Better::Less,
        "the time that 95 of 100 of them take less than",
        Of::Flows(|flows| flows.completed_within(0.95)),
    ),
];

/// How exactly a run on real hosts was done: beside [`METRICS`], for such runs only.
pub static LIVE_METRICS: &[Metric] = &[
    headline(
        "lateness_p50",
        "late, median",
        ("us", 1e6),
        Better::Neither,
        "how late half the packets were delivered at most",
        Of::Live(|live| live.late(0.5)),
    ),
    headline(
        "lateness_p99",
        "late, 99%",
        ("us", 1e6),
        Better::Neither,
        "how late 99 of 100 packets were delivered at most",
        Of::Live(|live| live.late(0.99)),
    ),
    headline(
        "lateness_p999",
        "late, 99.9%",
        ("us", 1e6),
        Better::Neither,
        "how late 999 of 1,000 packets were delivered at most",
        Of::Live(|live| live.late(0.999)),
    ),
    headline(
        "cpu",
        "core",
        ("%", 100.0),
        Better::Neither,
        "the share of one core that the bottleneck took",
        Of::Live(|live| Some(live.cpu)),
    ),
    headline(
        "beside",
        "lost beside",
        ("packets", 1.0),
        Better::Neither,
        "packets that the machine lost beside the queue: not read in time, or without a buffer",
        Of::Live(|live| Some(live.beside as f64)),
    ),
];

const fn headline(
    name: &'static str,
    title: &'static str,
    (unit, scale): (&'static str, f64),
    better: Better,
    meaning: &'static str,
    of: Of,
) -> Metric {
    Metric {
        name,
        title,
        unit,
        scale,
        better,
        meaning,
        headline: true,
        of,
    }
}

const fn detail(
    name: &'static str,
    title: &'static str,
    unit: (&'static str, f64),
    better: Better,
    meaning: &'static str,
    of: Of,
) -> Metric {
    Metric {
        headline: false,
        ..headline(name, title, unit, better, meaning, of)
    }
}

/// Those of flows, which groups have, too.
pub fn of_groups() -> impl Iterator<Item = &'static Metric> {
    METRICS
        .iter()
        .filter(|metric| matches!(metric.of, Of::Flows(_)))
}

/// The index of the metric of this name.
pub fn index_of(name: &str) -> Option<usize> {
    METRICS.iter().position(|metric| metric.name == name)
}

impl Metric {
    /// Its value for a queue and the flows of a run.
    pub fn value(&self, queue: &QueueResult, flows: &Together) -> Option<f64> {
        match self.of {
            Of::Queue(of) => of(queue),
            Of::Flows(of) => of(flows),
            Of::Live(_) => None,
        }
    }

    /// The unit of its stored values: "s", "bit/s", "share"; empty for plain numbers.
    pub fn base_unit(&self) -> &'static str {
        match self.unit {
            "%" => "share",
            "ms" | "us" => "s",
            "ms²" => "s²",
            "Mbps" => "bit/s",
            unit => unit,
        }
    }

    /// Its value for how exactly a run was done; `None` where it is about something else.
    pub fn of_live(&self, live: &Live) -> Option<f64> {
        match self.of {
            Of::Queue(_) | Of::Flows(_) => None,
            Of::Live(of) => of(live),
        }
    }

    /// Its value for a group of flows; `None` where it is about a queue.
    pub fn of_flows(&self, flows: &Together) -> Option<f64> {
        match self.of {
            Of::Queue(_) | Of::Live(_) => None,
            Of::Flows(of) => of(flows),
        }
    }
}

impl Together {
    /// All flows of a run, or those of one group.
    pub fn of(results: &Results, group: Option<&str>, deadline: Nanos) -> Together {
        let chosen = |index: usize| group.is_none_or(|group| &*results.flows[index].group == group);
        let flows = || {
            let numbered = results.flows.iter().enumerate();
            numbered
                .filter(|(index, _)| chosen(*index))
                .map(|(_, flow)| flow)
        };
        let result = match group {
            Some(group) => results.groups().remove(group).unwrap_or_default(),
            None => results.together(),
        };
        let of_group = results.completions.iter();
        let of_group = of_group.filter(|completion| chosen(completion.flow.0 as usize));
        let mut completions: Vec<f64> = of_group.map(|c| c.span().as_secs_f64()).collect();
        completions.sort_by(f64::total_cmp);
        Together {
            result,
            delays: joined(flows().filter_map(|flow| flow.delays.as_ref())),
            round_trips: joined(flows().filter_map(|flow| flow.round_trips.as_ref())),
            completions,
            deadline: deadline.as_secs_f64(),
            span: results.measured.as_secs_f64(),
        }
    }

    /// The time that a share of the transfers, pages or answers take at most; `None` where
    /// none was completed.
    pub fn completed_within(&self, share: f64) -> Option<f64> {
        of_sorted(&self.completions, share)
    }
}

/// Delays of several flows; `None` where none was measured.
fn joined<'a>(all: impl Iterator<Item = &'a Delays>) -> Option<Delays> {
    let mut joined = Delays::default();
    for delays in all {
        joined.add(delays);
    }
    (joined.count() > 0).then_some(joined)
}

fn quantile(delays: &Delays, share: f64) -> f64 {
    delays.distribution().quantile(share).as_secs_f64()
}

fn sojourn(queue: &QueueResult, share: f64) -> Option<f64> {
    let sojourn = queue
        .sojourn
        .as_ref()
        .filter(|s: &&Distribution| s.count() > 0);
    sojourn.map(|sojourn| sojourn.quantile(share).as_secs_f64())
}

fn dropped_for(queue: &QueueResult, reasons: &[DropReason]) -> Option<f64> {
    let counters = &queue.counters;
    let dropped = reasons
        .iter()
        .map(|reason| counters.dropped_for(*reason).packets);
    let arrived = counters.arrived.packets;
    (arrived > 0).then(|| dropped.sum::<u64>() as f64 / arrived as f64)
}

/// With n - 1; `None` of fewer than two.
fn variance(values: &[f64]) -> Option<f64> {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares = values.iter().map(|value| (value - mean).powi(2));
    (values.len() > 1).then(|| squares.sum::<f64>() / (count - 1.0))
}

/// The value that this share of sorted values is not above: the nearest rank.
fn of_sorted(sorted: &[f64], share: f64) -> Option<f64> {
    let rank = (share * sorted.len() as f64).ceil().max(1.0) as usize;
    sorted.get(rank - 1).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_fit_a_database() {
        for (index, metric) in METRICS.iter().enumerate() {
            assert_eq!(index_of(metric.name), Some(index));
            let plain = |letter: char| letter.is_ascii_lowercase() || letter == '_';
            assert!(metric.name.chars().all(|l| plain(l) || l.is_ascii_digit()));
        }
    }

    #[test]
    fn variance_of_a_few() {
        assert_eq!(variance(&[1.0]), None);
        assert_eq!(variance(&[1.0, 2.0, 3.0]), Some(1.0));
    }

    #[test]
    fn quantiles_of_a_few() {
        assert_eq!(of_sorted(&[], 0.5), None);
        assert_eq!(of_sorted(&[1.0, 2.0, 3.0, 4.0], 0.5), Some(2.0));
        assert_eq!(of_sorted(&[1.0, 2.0, 3.0, 4.0], 0.95), Some(4.0));
    }
}
