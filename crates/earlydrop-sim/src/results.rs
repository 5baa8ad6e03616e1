//! The results of a run.

use std::collections::BTreeMap;
use std::sync::Arc;

use earlydrop::counters::Tally;
use earlydrop::units::{Bytes, Nanos};

use crate::capture::Capture;
use crate::measure::{Distribution, coefficient_of_variation, jain_index};
use crate::network::LinkId;
use crate::packet_log::PacketLog;
use crate::traffic::FlowId;

pub use crate::measure::{FlowResult, PauseResult, QueueResult, SharedBufferResult};

/// Everything measured in a run.
#[derive(Clone, Debug)]
pub struct Results {
    /// The time measured: the run without its warm-up.
    pub measured: Nanos,
    /// The results of each queue, in the order of the links.
    pub queues: Vec<QueueResult>,
    /// The results of each flow, in the order in which they were added.
    pub flows: Vec<FlowResult>,
    /// The distribution of the one-way delays of each group of flows, if they were measured.
    pub group_delays: Vec<(Arc<str>, Distribution)>,
    /// Transfers that began in the time measured and were completed, also after it, in the order
    /// of their ends.
    pub completions: Vec<Completion>,
    /// Rounds of incasts that began in the time measured and were completed, also after it, in
    /// the order of their ends.
    pub rounds: Vec<IncastRound>,
    /// Transfers that began in the time measured and had not ended when nobody waited for them any
    /// more: [`Measure::drain`](crate::measure::Measure::drain) after the end of the run.
    pub unfinished: Vec<Unfinished>,
    /// Rounds of incasts that began in the time measured and had not ended by then.
    pub unfinished_rounds: Vec<Unfinished>,
    /// Recorded packets of each link asked for.
    pub captures: Vec<Capture>,
    /// What happened to each packet at each queue asked for.
    pub packets: Vec<PacketLog>,
    /// The congestion windows (cwnd) over time, in segments, of each flow asked for.
    pub windows: Vec<(FlowId, Vec<f64>)>,
    /// Totals of all packets, warm-up included.
    pub totals: Totals,
}

/// A completed transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The flow of the transfer.
    pub flow: FlowId,
    /// When it began; for a response, when it was first requested.
    pub began: Nanos,
    /// When it ended: when all of it was acknowledged, or for a response had arrived.
    pub ended: Nanos,
    /// Bytes of payload.
    pub bytes: Bytes,
    /// The least completion time in an empty network: that of a sender that sends at the rate of
    /// its link from the first moment on. Zero over links that change during the run.
    pub ideal: Nanos,
    /// What it was in its flow, and what its sender did for it.
    pub record: TransferRecord,
}

/// A transfer's place in its flow, and what its sender did for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TransferRecord {
    /// Its number among the transfers of its flow, from 0; of a flow list, its place in the list.
    /// [`TransferPaths`](crate::paths::TransferPaths) says between which hosts it was.
    pub number: u64,
    /// Segments retransmitted, SYNs included.
    pub retransmissions: u32,
    /// Times the retransmission timer expired.
    pub timeouts: u32,
}

impl Completion {
    /// The completion time over the least one, if there is one.
    pub fn slowdown(&self) -> Option<f64> {
        slowdown(self.span(), self.ideal)
    }

    /// The completion time: from beginning to end.
    pub fn span(&self) -> Nanos {
        self.ended.since(self.began)
    }
}

/// A transfer, or a round of an incast, whose end is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unfinished {
    /// Its flow.
    pub flow: FlowId,
    /// When it began.
    pub began: Nanos,
    /// How long it had gone on when it was last seen: less than its completion time.
    pub lasted: Nanos,
    /// Bytes of payload of a transfer; of a round, zero.
    pub bytes: Bytes,
    /// The least completion time of a transfer in an empty network; zero where there is none, and
    /// for a round.
    pub ideal: Nanos,
    /// What a transfer was in its flow, and what its sender had done for it.
    pub record: TransferRecord,
}

impl Unfinished {
    /// A slowdown that it is not below, if there is a least completion time: no transfer takes
    /// less, so it is 1 at least.
    pub fn slowdown(&self) -> Option<f64> {
        slowdown(self.lasted, self.ideal).map(|slowdown| slowdown.max(1.0))
    }
}

fn slowdown(span: Nanos, ideal: Nanos) -> Option<f64> {
    (ideal > Nanos::ZERO).then(|| span.0 as f64 / ideal.0 as f64)
}

/// A completed round of an [incast](crate::traffic::Incast): a client's request to all its servers,
/// and all their answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IncastRound {
    /// The flow of the first server.
    pub flow: FlowId,
    /// When the requests were sent.
    pub began: Nanos,
    /// When the last byte of the last answer had arrived.
    pub ended: Nanos,
    /// Answers, one a server.
    pub answers: u32,
    /// Bytes of payload of all answers.
    pub bytes: Bytes,
    /// The least completion time in an empty network: the answers follow each other without a gap
    /// over the last link, which all share. Zero over links that change during the run.
    pub ideal: Nanos,
}

impl IncastRound {
    /// The completion time: from the requests to the last answer.
    pub fn span(&self) -> Nanos {
        self.ended.since(self.began)
    }

    /// The completion time over the least one, if there is one.
    pub fn slowdown(&self) -> Option<f64> {
        slowdown(self.span(), self.ideal)
    }

    /// Bits of payload per second of the round.
    pub fn goodput(&self) -> f64 {
        self.bytes.0 as f64 * 8e9 / self.span().0.max(1) as f64
    }
}

/// Totals of all packets of a run, including acknowledgments and requests.
///
/// At the end of a run, in packets and in bytes: `sent = delivered + dropped + in_flight`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Sent by a host.
    pub sent: Tally,
    /// Received by a host, or already computed to arrive after the end.
    pub delivered: Tally,
    /// Lost in a queue or on a link.
    pub dropped: Tally,
    /// In queues or on their routes at the end of the run.
    pub in_flight: Tally,
    /// Of those delivered, data packets that arrive after the end of the run.
    pub late: u64,
    /// Transfers begun.
    pub transfers: u64,
    /// Transfers completed.
    pub completed: u64,
    /// Events handled by the engine.
    pub events: u64,
}

/// The results of several flows together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GroupResult {
    /// The number of flows.
    pub flows: usize,
    /// Bits on the wire that arrived, per second, summed over the flows.
    pub throughput: f64,
    /// Bits of payload that arrived for the first time, per second, summed over the flows.
    pub goodput: f64,
    /// Goodput in the first and in the second half of the time measured.
    pub goodput_halves: [f64; 2],
    /// The loss rate: packets lost over packets lost or received.
    pub loss: f64,
    /// The mark rate: packets that arrived marked over packets received.
    pub marked: f64,
    /// Retransmission timeouts of all flows.
    pub timeouts: u64,
    /// Retransmitted segments of all flows.
    pub retransmissions: u64,
    /// Lost SYNs of all flows.
    pub lost_syns: u64,
    /// Lost acknowledgments and requests of all flows.
    pub lost_control: u64,
    /// Starts of all flows that were skipped because too many transfers were going on.
    pub left_out: u64,
    /// Jain's fairness index of the goodputs, 0 to 1.
    pub jain: f64,
    /// The coefficient of variation of the goodputs.
    pub variation: f64,
}

impl Results {
    /// The results of the queue in front of this link.
    pub fn queue(&self, link: LinkId) -> Option<&QueueResult> {
        self.queues.iter().find(|queue| queue.link == link)
    }

    /// The results of a flow.
    pub fn flow(&self, flow: FlowId) -> &FlowResult {
        &self.flows[flow.0 as usize]
    }

    /// The results of each group of flows.
    pub fn groups(&self) -> BTreeMap<Arc<str>, GroupResult> {
        let mut members: BTreeMap<Arc<str>, Vec<&FlowResult>> = BTreeMap::new();
        for flow in &self.flows {
            members.entry(flow.group.clone()).or_default().push(flow);
        }
        let sum_up = |(name, flows): (Arc<str>, Vec<&FlowResult>)| (name, GroupResult::of(&flows));
        members.into_iter().map(sum_up).collect()
    }

    /// The results of all flows together.
    pub fn together(&self) -> GroupResult {
        GroupResult::of(&self.flows.iter().collect::<Vec<_>>())
    }

    /// The one-way delays of all flows together, if they were measured.
    pub fn delays(&self) -> Distribution {
        let mut all = Distribution::coarse();
        for (_, delays) in &self.group_delays {
            all.add(delays);
        }
        all
    }

    /// The one-way delays of a group of flows, if they were measured.
    pub fn delays_of(&self, group: &str) -> Option<&Distribution> {
        let mut groups = self.group_delays.iter();
        let (_, delays) = groups.find(|(name, _)| **name == *group)?;
        Some(delays)
    }
}

impl GroupResult {
    fn of(flows: &[&FlowResult]) -> GroupResult {
        let sum = |what: fn(&FlowResult) -> f64| flows.iter().map(|flow| what(flow)).sum::<f64>();
        let count = |what: fn(&FlowResult) -> u64| flows.iter().map(|flow| what(flow)).sum::<u64>();
        let (received, lost) = (count(|flow| flow.received), count(|flow| flow.lost));
        let share = |part: u64, whole: u64| {
            if whole == 0 {
                0.0
            } else {
                part as f64 / whole as f64
            }
        };
        let goodputs = || flows.iter().map(|flow| flow.goodput);
        GroupResult {
            flows: flows.len(),
            throughput: sum(|flow| flow.throughput),
            goodput: sum(|flow| flow.goodput),
            goodput_halves: [
                sum(|flow| flow.goodput_halves[0]),
                sum(|flow| flow.goodput_halves[1]),
            ],
            loss: share(lost, lost + received),
            marked: share(count(|flow| flow.marked), received),
            timeouts: count(|flow| u64::from(flow.sender.timeouts)),
            retransmissions: count(|flow| u64::from(flow.sender.retransmissions)),
            lost_syns: count(|flow| flow.lost_syns),
            lost_control: count(|flow| flow.lost_control),
            left_out: count(|flow| flow.left_out),
            jain: jain_index(goodputs()),
            variation: coefficient_of_variation(goodputs()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transfer_that_goes_on_is_at_least_as_slow_as_its_time_and_as_the_fastest() {
        let lasting = |lasted| Unfinished {
            flow: FlowId(0),
            began: Nanos::ZERO,
            lasted: Nanos(lasted),
            bytes: Bytes(1000),
            ideal: Nanos(4000),
            record: TransferRecord::default(),
        };
        assert_eq!(lasting(1000).slowdown(), Some(1.0));
        assert_eq!(lasting(8000).slowdown(), Some(2.0));
    }
}
