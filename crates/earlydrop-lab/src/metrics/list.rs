//! The metrics themselves: names, units and how each is computed.

use earlydrop::aqm::DropReason;
use earlydrop::units::Nanos;
use earlydrop_sim::measure::Delays;
use earlydrop_sim::results::{PauseResult, Results};

use super::computed::{dropped_for, per_second, quantile, sojourn};
use super::flows::drift;
use super::survival::Survival;
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
        Compute::Flows(|flows| flows.delays.as_ref().map(|(delays, _)| delays.jitter())),
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
        Compute::Flows(|flows| flows.delays.as_ref().map(|(delays, _)| delays.mean())),
    ),
    detail(
        "end_to_end_variance",
        "variance of end-to-end delay",
        ("ms²", 1e6),
        Better::Less,
        "the variance of the time of a data packet from host to host",
        Compute::Flows(|flows| flows.delays.as_ref().map(|(delays, _)| delays.variance())),
    ),
    detail(
        "end_to_end_p99",
        "end-to-end delay, 99%",
        ("ms", 1e3),
        Better::Less,
        "the 99th percentile of the time of a data packet from host to host",
        Compute::Flows(|flows| {
            flows
                .delays
                .as_ref()
                .map(|(_, delays)| quantile(delays, 0.99))
        }),
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
        "transfers, pages or answers that began in the time measured and were completed, per second of it",
        Compute::Flows(|flows| per_second(&flows.completions, Survival::ended, flows.span)),
    ),
    detail(
        "started",
        "transfers started",
        ("/s", 1.0),
        Better::Neither,
        "transfers, pages or answers that began in the time measured, per second of it",
        Compute::Flows(|flows| per_second(&flows.completions, Survival::count, flows.span)),
    ),
    detail(
        "unfinished",
        "unfinished",
        ("%", 100.0),
        Better::Less,
        "of the transfers, pages or answers that began in the time measured, the share that had not ended `measure.drain` after the end of the run",
        Compute::Flows(|flows| flows.completions.unfinished_share()),
    ),
    detail(
        "left_out",
        "starts left out",
        ("/s", 1.0),
        Better::Less,
        "transfers per second that did not start, because `at_most` of their group were going on",
        Compute::Flows(|flows| {
            let any = flows.result.left_out > 0 || flows.completions.count() > 0;
            any.then(|| flows.result.left_out as f64 / flows.span)
        }),
    ),
    detail(
        "syn_lost",
        "handshakes lost",
        ("/s", 1.0),
        Better::Less,
        "connection requests (SYN) lost per second: each delays its connection by a retransmission timeout",
        Compute::Flows(|flows| Some(flows.result.lost_syns as f64 / flows.span)),
    ),
    detail(
        "control_lost",
        "acknowledgments lost",
        ("/s", 1.0),
        Better::Less,
        "acknowledgments, answers to handshakes and requests lost per second",
        Compute::Flows(|flows| Some(flows.result.lost_control as f64 / flows.span)),
    ),
    detail(
        "completion_mean",
        "completion time",
        ("s", 1.0),
        Better::Less,
        "the mean time a transfer, a page or an answer takes; at least this, if some have not ended",
        Compute::Flows(|flows| flows.completions.mean()),
    ),
    detail(
        "completion_variance",
        "variance of completion time",
        ("s²", 1.0),
        Better::Less,
        "the variance of the completion time; none if some have not ended",
        Compute::Flows(|flows| flows.completions.variance()),
    ),
    detail(
        "completion_in_time",
        "completed in time",
        ("%", 100.0),
        Better::More,
        "the share of transfers, pages or answers that took less than `measure.deadline`",
        Compute::Flows(|flows| {
            let deadline = flows.criteria.deadline.as_secs_f64();
            flows.completions.share_before(deadline)
        }),
    ),
    detail(
        "completion_known",
        "completion times known",
        ("%", 100.0),
        Better::More,
        "the share up to which quantiles of the completion time are known; beyond, they are at least what is given, since some transfers have not ended (Kaplan and Meier's estimate)",
        Compute::Flows(|flows| flows.completions.known()),
    ),
    detail(
        "completion_p50",
        "completion time, median",
        ("s", 1.0),
        Better::Less,
        "the median time a transfer, a page or an answer takes",
        Compute::Flows(|flows| flows.completions.quantile(0.5)),
    ),
    detail(
        "completion_p95",
        "completion time, 95%",
        ("s", 1.0),
        Better::Less,
        "the 95th percentile of the time a transfer, a page or an answer takes",
        Compute::Flows(|flows| flows.completions.quantile(0.95)),
    ),
    detail(
        "completion_p99",
        "completion time, 99%",
        ("s", 1.0),
        Better::Less,
        "the 99th percentile of the time a transfer, a page or an answer takes",
        Compute::Flows(|flows| flows.completions.quantile(0.99)),
    ),
    detail(
        "slowdown_p50",
        "slowdown, median",
        ("", 1.0),
        Better::Less,
        "the median slowdown: the completion time over that of the same transfer alone on its path, of a sender that sends at the rate of its link at once; none over links whose rate or delay changes",
        Compute::Flows(|flows| flows.slowdowns.quantile(0.5)),
    ),
    detail(
        "slowdown_p95",
        "slowdown, 95%",
        ("", 1.0),
        Better::Less,
        "the 95th percentile of the slowdown, the completion time over that of the same transfer alone on its path",
        Compute::Flows(|flows| flows.slowdowns.quantile(0.95)),
    ),
    detail(
        "slowdown_p99",
        "slowdown, 99%",
        ("", 1.0),
        Better::Less,
        "the 99th percentile of the slowdown, the completion time over that of the same transfer alone on its path",
        Compute::Flows(|flows| flows.slowdowns.quantile(0.99)),
    ),
    detail(
        "slowdown_p999",
        "slowdown, 99.9%",
        ("", 1.0),
        Better::Less,
        "the 99.9th percentile of the slowdown, the completion time over that of the same transfer alone on its path",
        Compute::Flows(|flows| flows.slowdowns.quantile(0.999)),
    ),
    detail(
        "slowdown_known",
        "slowdowns known",
        ("%", 100.0),
        Better::More,
        "the share up to which quantiles of the slowdown are known; beyond, they are at least what is given, since some transfers have not ended",
        Compute::Flows(|flows| flows.slowdowns.known()),
    ),
    detail(
        "small_slowdown_p99",
        "slowdown of small transfers, 99%",
        ("", 1.0),
        Better::Less,
        "the 99th percentile of the slowdown of transfers of at most 100 kB; none where too many have not ended",
        Compute::Flows(|flows| flows.small_slowdowns.known_quantile(0.99)),
    ),
    detail(
        "large_slowdown_p50",
        "slowdown of large transfers, median",
        ("", 1.0),
        Better::Less,
        "the median slowdown of transfers of more than 1 MB; none where too many have not ended",
        Compute::Flows(|flows| flows.large_slowdowns.known_quantile(0.5)),
    ),
    detail(
        "rounds",
        "incast rounds",
        ("/s", 1.0),
        Better::More,
        "rounds of incasts that began in the time measured and were completed, per second of it",
        Compute::Flows(|flows| per_second(&flows.rounds, Survival::ended, flows.span)),
    ),
    detail(
        "rounds_known",
        "times of rounds known",
        ("%", 100.0),
        Better::More,
        "the share up to which quantiles of the time of a round are known; beyond, they are at least what is given, since some rounds have not ended",
        Compute::Flows(|flows| flows.rounds.known()),
    ),
    detail(
        "round_p50",
        "incast round, median",
        ("ms", 1e3),
        Better::Less,
        "the median time from a client's requests until the last of its servers has answered (request completion time)",
        Compute::Flows(|flows| flows.rounds.quantile(0.5)),
    ),
    detail(
        "round_p99",
        "incast round, 99%",
        ("ms", 1e3),
        Better::Less,
        "the 99th percentile of the time of a round of an incast",
        Compute::Flows(|flows| flows.rounds.quantile(0.99)),
    ),
    detail(
        "round_slowdown_p50",
        "slowdown of rounds, median",
        ("", 1.0),
        Better::Less,
        "the median of a round's time over that in an empty network, where answers follow each other without a gap",
        Compute::Flows(|flows| flows.round_slowdowns.quantile(0.5)),
    ),
    detail(
        "round_slowdown_p99",
        "slowdown of rounds, 99%",
        ("", 1.0),
        Better::Less,
        "the 99th percentile of a round's time over that in an empty network, where answers follow each other without a gap",
        Compute::Flows(|flows| flows.round_slowdowns.quantile(0.99)),
    ),
    detail(
        "offered",
        "offered load",
        ("Mbps", 1e-6),
        Better::Neither,
        "payload of the transfers that began in the time measured, per second of it; less goodput means that the rest waits, or was still to come",
        Compute::Flows(|flows| (flows.completions.count() > 0).then_some(flows.offered)),
    ),
    detail(
        "goodput_drift",
        "change of goodput",
        ("", 1.0),
        Better::Neither,
        "how much the goodput changes from the first half of the time measured to the second, as a share of the mean; about zero in a steady state",
        Compute::Flows(|flows| drift(flows.result.goodput_halves)),
    ),
    detail(
        "completion_drift",
        "change of completion time",
        ("", 1.0),
        Better::Neither,
        "the same of the mean completion time, by the half in which transfers began",
        Compute::Flows(FlowAggregate::completion_drift),
    ),
    detail(
        "queue_drift",
        "change of queue",
        ("", 1.0),
        Better::Neither,
        "the same of the mean length of the watched queue",
        Compute::Queue(|queue| drift(queue.halves?.map(|half| half.mean_packets))),
    ),
    detail(
        "utilisation_drift",
        "change of utilisation",
        ("", 1.0),
        Better::Neither,
        "the same of the utilisation",
        Compute::Queue(|queue| drift(queue.halves?.map(|half| half.utilisation))),
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
    headline(
        "pauses",
        "pauses",
        ("", 1.0),
        Better::Less,
        "how often switches with flow control have paused a link, all links together",
        Compute::Network(|results| {
            let pauses = paused_links(results)?.map(|pauses| pauses.pauses);
            Some(pauses.sum::<u64>() as f64)
        }),
    ),
    headline(
        "paused_most",
        "paused, most paused link",
        ("%", 100.0),
        Better::Less,
        "the share of the time that the link paused the longest was paused, or a class of it",
        Compute::Network(|results| {
            let most = paused_links(results)?.map(|pauses| pauses.paused).max()?;
            Some(most.as_secs_f64() / results.measured.as_secs_f64())
        }),
    ),
    headline(
        "paused_links",
        "links paused",
        ("%", 100.0),
        Better::Less,
        "how far pauses spread: the share of the links with flow control that were paused at some time",
        Compute::Network(|results| {
            let all = paused_links(results)?.count();
            let paused = paused_links(results)?.filter(|pauses| *pauses != PauseResult::default());
            Some(paused.count() as f64 / all as f64)
        }),
    ),
];

/// The links that switches may pause; `None` where there are none.
fn paused_links(results: &Results) -> Option<impl Iterator<Item = PauseResult>> {
    let mut links = results.queues.iter().filter_map(|queue| queue.pauses);
    let first = links.next()?;
    Some(std::iter::once(first).chain(links))
}

pub(super) const fn headline(
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
