//! The metrics themselves: names, units and how each is computed.

use earlydrop::aqm::DropReason;
use earlydrop::units::Nanos;
use earlydrop_sim::measure::{Delays, Distribution};
use earlydrop_sim::results::QueueResult;

use super::flows::variance;
use super::{Better, Compute, FlowAggregate, Metric};

/// Every metric, in the order of every list of values.
pub static METRICS: &[Metric] = &[
    headline(
        "utilisation",
        "utilisation",
        ("%", 100.0),
        Better::More,
        "the share of the time that the watched link was sending; of a recorded link, the share of what it could send",
        Compute::Queue(|queue| Some(queue.utilisation)),
    ),
    headline(
        "goodput",
        "goodput",
        ("Mbps", 1e-6),
        Better::More,
        "payload that arrived for the first time, sum over all flows",
        Compute::Flows(|flows| Some(flows.result.goodput)),
    ),
    headline(
        "delay_mean",
        "queueing delay",
        ("ms", 1e3),
        Better::Less,
        "the mean time from a packet's arrival at the watched queue to the start of its transmission",
        Compute::Queue(|queue| queue.mean_sojourn.map(Nanos::as_secs_f64)),
    ),
    headline(
        "delay_p99",
        "queueing delay, 99%",
        ("ms", 1e3),
        Better::Less,
        "the 99th percentile of the time in the watched queue",
        Compute::Queue(|queue| sojourn(queue, 0.99)),
    ),
    detail(
        "jitter",
        "jitter",
        ("ms", 1e3),
        Better::Less,
        "the mean absolute difference between the delays of consecutive packets of a flow",
        Compute::Flows(|flows| flows.delays.as_ref().map(Delays::jitter)),
    ),
    headline(
        "loss",
        "loss",
        ("%", 100.0),
        Better::Less,
        "data packets lost over data packets lost or received",
        Compute::Flows(|flows| Some(flows.result.loss)),
    ),
    headline(
        "marked",
        "marked",
        ("%", 100.0),
        Better::Neither,
        "data packets received with a congestion mark (ECN CE) over data packets received",
        Compute::Flows(|flows| Some(flows.result.marked)),
    ),
    headline(
        "timeouts",
        "timeouts",
        ("/s", 1.0),
        Better::Less,
        "retransmission timeouts per second, sum over all flows",
        Compute::Flows(|flows| Some(flows.result.timeouts as f64 / flows.span)),
    ),
    detail(
        "fairness",
        "fairness",
        ("", 1.0),
        Better::More,
        "Jain's index of the goodputs of flows that feel their rate: 1 when all are equal, 1/n when one flow has everything; none of fewer than two, and where they got nothing",
        Compute::Flows(FlowAggregate::fairness),
    ),
    detail(
        "least_share",
        "least share",
        ("", 1.0),
        Better::More,
        "the least goodput of a flow that feels its rate, over the mean of these flows: 1 when all are equal; a flow below 0.25 starves",
        Compute::Flows(FlowAggregate::least_share),
    ),
    detail(
        "late_or_lost",
        "late or lost",
        ("%", 100.0),
        Better::Less,
        "the share of data packets that took longer than `measure.playout` from host to host, or were lost",
        Compute::Flows(FlowAggregate::late_or_lost),
    ),
    detail(
        "jain",
        "Jain's index of all flows",
        ("", 1.0),
        Better::Neither,
        "Jain's index of the goodputs of all flows, whatever they want, as papers compute it; none where nothing arrived",
        Compute::Flows(|flows| (flows.result.goodput > 0.0).then_some(flows.result.jain)),
    ),
    detail(
        "queue_mean",
        "queue",
        ("packets", 1.0),
        Better::Less,
        "the mean length of the watched queue over time",
        Compute::Queue(|queue| Some(queue.mean_packets)),
    ),
    detail(
        "queue_longest",
        "longest queue",
        ("packets", 1.0),
        Better::Less,
        "the maximum length of the watched queue",
        Compute::Queue(|queue| Some(f64::from(queue.longest))),
    ),
    detail(
        "delay_p50",
        "queueing delay, median",
        ("ms", 1e3),
        Better::Less,
        "the median time in the watched queue",
        Compute::Queue(|queue| sojourn(queue, 0.5)),
    ),
    detail(
        "delay_p95",
        "queueing delay, 95%",
        ("ms", 1e3),
        Better::Less,
        "the 95th percentile of the time in the watched queue",
        Compute::Queue(|queue| sojourn(queue, 0.95)),
    ),
    detail(
        "queue_loss",
        "dropped by the queue",
        ("%", 100.0),
        Better::Less,
        "the share of the watched queue's packets that it dropped: of those that waited at the warm-up's end or arrived later",
        Compute::Queue(|queue| queue.share(queue.counters.dropped().packets)),
    ),
    detail(
        "queue_early",
        "dropped early",
        ("%", 100.0),
        Better::Neither,
        "the share of the watched queue's packets that its scheme dropped, at enqueue or dequeue",
        Compute::Queue(|queue| dropped_for(queue, &[DropReason::Early, DropReason::Dequeue])),
    ),
    detail(
        "queue_forced",
        "dropped, buffer full",
        ("%", 100.0),
        Better::Less,
        "the share of the watched queue's packets that it dropped because the buffer was full",
        Compute::Queue(|queue| dropped_for(queue, &[DropReason::Forced])),
    ),
    detail(
        "flows_per_loss_event",
        "flows per loss event",
        ("flows", 1.0),
        Better::Less,
        "how many flows lose packets in the same loss event (`measure.loss_event`): loss synchronisation",
        Compute::Queue(|queue| Some(queue.flows_per_loss_event)),
    ),
    detail(
        "end_to_end_mean",
        "end-to-end delay",
        ("ms", 1e3),
        Better::Less,
        "the mean time of a data packet from host to host",
        Compute::Flows(|flows| flows.delays.as_ref().map(Delays::mean)),
    ),
    detail(
        "end_to_end_variance",
        "variance of end-to-end delay",
        ("ms²", 1e6),
        Better::Less,
        "the variance of the time of a data packet from host to host",
        Compute::Flows(|flows| flows.delays.as_ref().map(Delays::variance)),
    ),
    detail(
        "end_to_end_p99",
        "end-to-end delay, 99%",
        ("ms", 1e3),
        Better::Less,
        "the 99th percentile of the time of a data packet from host to host",
        Compute::Flows(|flows| flows.delays.as_ref().map(|delays| quantile(delays, 0.99))),
    ),
    detail(
        "round_trip_mean",
        "round-trip time",
        ("ms", 1e3),
        Better::Less,
        "the mean round-trip time as TCP senders measure it",
        Compute::Flows(|flows| flows.round_trips.as_ref().map(Delays::mean)),
    ),
    detail(
        "retransmissions",
        "retransmissions",
        ("/s", 1.0),
        Better::Less,
        "segments retransmitted per second, sum over all flows",
        Compute::Flows(|flows| Some(flows.result.retransmissions as f64 / flows.span)),
    ),
    detail(
        "throughput",
        "throughput",
        ("Mbps", 1e-6),
        Better::More,
        "bits on the wire that arrived, sum over all flows",
        Compute::Flows(|flows| Some(flows.result.throughput)),
    ),
    detail(
        "variation",
        "spread of goodputs",
        ("", 1.0),
        Better::Less,
        "the coefficient of variation of the flows' goodputs: standard deviation over mean",
        Compute::Flows(|flows| Some(flows.result.variation)),
    ),
    detail(
        "transfers",
        "transfers completed",
        ("/s", 1.0),
        Better::More,
        "transfers, pages or answers completed per second",
        Compute::Flows(|flows| {
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
        Compute::Flows(|flows| {
            let count = flows.completions.len() as f64;
            (count > 0.0).then(|| flows.completions.iter().sum::<f64>() / count)
        }),
    ),
    detail(
        "completion_variance",
        "variance of completion time",
        ("s²", 1.0),
        Better::Less,
        "the variance of the completion time",
        Compute::Flows(|flows| variance(&flows.completions)),
    ),
    detail(
        "completion_in_time",
        "completed in time",
        ("%", 100.0),
        Better::More,
        "the share of transfers, pages or answers that took less than `measure.deadline`",
        Compute::Flows(|flows| {
            let in_time = flows
                .completions
                .partition_point(|span| *span < flows.criteria.deadline.as_secs_f64());
            let count = flows.completions.len();
            (count > 0).then(|| in_time as f64 / count as f64)
        }),
    ),
    detail(
        "completion_p50",
        "completion time, median",
        ("s", 1.0),
        Better::Less,
        "the median time a transfer, a page or an answer takes",
        Compute::Flows(|flows| flows.completed_within(0.5)),
    ),
    detail(
        "completion_p95",
        "completion time, 95%",
        ("s", 1.0),
        Better::Less,
        "the 95th percentile of the time a transfer, a page or an answer takes",
        Compute::Flows(|flows| flows.completed_within(0.95)),
    ),
    detail(
        "completion_p99",
        "completion time, 99%",
        ("s", 1.0),
        Better::Less,
        "the 99th percentile of the time a transfer, a page or an answer takes",
        Compute::Flows(|flows| flows.completed_within(0.99)),
    ),
    detail(
        "slowdown_p50",
        "slowdown, median",
        ("", 1.0),
        Better::Less,
        "the median slowdown: the completion time over that in an empty network, of a sender that sends at the rate of its link at once; none over links whose rate or delay changes",
        Compute::Flows(|flows| flows.slowed_within(0.5)),
    ),
    detail(
        "slowdown_p95",
        "slowdown, 95%",
        ("", 1.0),
        Better::Less,
        "the 95th percentile of the slowdown",
        Compute::Flows(|flows| flows.slowed_within(0.95)),
    ),
    detail(
        "slowdown_p99",
        "slowdown, 99%",
        ("", 1.0),
        Better::Less,
        "the 99th percentile of the slowdown",
        Compute::Flows(|flows| flows.slowed_within(0.99)),
    ),
    detail(
        "slowdown_p999",
        "slowdown, 99.9%",
        ("", 1.0),
        Better::Less,
        "the 99.9th percentile of the slowdown",
        Compute::Flows(|flows| flows.slowed_within(0.999)),
    ),
    detail(
        "rounds",
        "incast rounds",
        ("/s", 1.0),
        Better::More,
        "rounds of incasts completed per second",
        Compute::Flows(|flows| {
            (!flows.rounds.is_empty()).then_some(flows.rounds.len() as f64 / flows.span)
        }),
    ),
    detail(
        "round_p50",
        "incast round, median",
        ("ms", 1e3),
        Better::Less,
        "the median time from a client's requests until the last of its servers has answered (request completion time)",
        Compute::Flows(|flows| flows.rounds_within(0.5)),
    ),
    detail(
        "round_p99",
        "incast round, 99%",
        ("ms", 1e3),
        Better::Less,
        "the 99th percentile of the time of a round of an incast",
        Compute::Flows(|flows| flows.rounds_within(0.99)),
    ),
    detail(
        "round_slowdown_p50",
        "slowdown of rounds, median",
        ("", 1.0),
        Better::Less,
        "the median of a round's time over that in an empty network, where answers follow each other without a gap",
        Compute::Flows(|flows| flows.rounds_slowed_within(0.5)),
    ),
    detail(
        "round_slowdown_p99",
        "slowdown of rounds, 99%",
        ("", 1.0),
        Better::Less,
        "the 99th percentile of the slowdown of rounds",
        Compute::Flows(|flows| flows.rounds_slowed_within(0.99)),
    ),
    headline(
        "buffer_peak",
        "shared buffer, peak",
        ("kB", 1e-3),
        Better::Less,
        "the most bytes that waited at all ports of the watched queue's switch together, where they share a buffer",
        Compute::Queue(|queue| queue.shared_buffer.map(|buffer| buffer.peak.0 as f64)),
    ),
    headline(
        "buffer_refused",
        "refused by shared buffer",
        ("%", 100.0),
        Better::Less,
        "the share of the watched queue's packets that the dynamic threshold of the shared buffer dropped",
        Compute::Queue(|queue| queue.share(queue.shared_buffer?.refused.packets)),
    ),
];

/// The metrics of a link with its queue, for scenarios with several bottlenecks.
pub static LINK_METRICS: &[Metric] = &[
    headline(
        "utilisation",
        "utilisation",
        ("%", 100.0),
        Better::More,
        "the share of the time that the link was sending; of a recorded link, the share of what it could send",
        Compute::Queue(|queue| Some(queue.utilisation)),
    ),
    headline(
        "delay_mean",
        "queueing delay",
        ("ms", 1e3),
        Better::Less,
        "the mean time from a packet's arrival at the link's queue to the start of its transmission",
        Compute::Queue(|queue| queue.mean_sojourn.map(Nanos::as_secs_f64)),
    ),
    headline(
        "delay_p99",
        "queueing delay, 99%",
        ("ms", 1e3),
        Better::Less,
        "the 99th percentile of the time in the link's queue",
        Compute::Queue(|queue| sojourn(queue, 0.99)),
    ),
    headline(
        "queue_loss",
        "dropped",
        ("%", 100.0),
        Better::Less,
        "the share of the queue's packets that it dropped: of those that waited at the warm-up's end or arrived later",
        Compute::Queue(|queue| queue.share(queue.counters.dropped().packets)),
    ),
    headline(
        "queue_marked",
        "marked",
        ("%", 100.0),
        Better::Neither,
        "the share of the queue's packets that it marked",
        Compute::Queue(|queue| queue.share(queue.counters.marked.packets)),
    ),
];

/// The metrics of the timing of runs on real hosts, which only such runs have.
pub static LIVE_METRICS: &[Metric] = &[
    headline(
        "lateness_p50",
        "lateness, median",
        ("us", 1e6),
        Better::Neither,
        "the median lateness of deliveries",
        Compute::Live(|live| live.late(0.5)),
    ),
    headline(
        "lateness_p99",
        "lateness, 99%",
        ("us", 1e6),
        Better::Neither,
        "the 99th percentile of the lateness of deliveries",
        Compute::Live(|live| live.late(0.99)),
    ),
    headline(
        "lateness_p999",
        "lateness, 99.9%",
        ("us", 1e6),
        Better::Neither,
        "the 99.9th percentile of the lateness of deliveries",
        Compute::Live(|live| live.late(0.999)),
    ),
    headline(
        "cpu",
        "core",
        ("%", 100.0),
        Better::Neither,
        "the share of one core that the bottleneck took",
        Compute::Live(|live| Some(live.cpu)),
    ),
    headline(
        "beside",
        "lost outside the queue",
        ("packets", 1.0),
        Better::Neither,
        "packets that the machine lost outside the queue: not read in time, or without a buffer",
        Compute::Live(|live| Some(live.beside as f64)),
    ),
];

const fn headline(
    name: &'static str,
    title: &'static str,
    (unit, scale): (&'static str, f64),
    better: Better,
    meaning: &'static str,
    compute: Compute,
) -> Metric {
    Metric {
        name,
        title,
        unit,
        scale,
        better,
        meaning,
        headline: true,
        compute,
    }
}

const fn detail(
    name: &'static str,
    title: &'static str,
    unit: (&'static str, f64),
    better: Better,
    meaning: &'static str,
    compute: Compute,
) -> Metric {
    Metric {
        headline: false,
        ..headline(name, title, unit, better, meaning, compute)
    }
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
    queue.share(dropped.sum())
}
