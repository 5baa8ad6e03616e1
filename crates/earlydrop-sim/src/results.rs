//! What a run found.

use std::collections::BTreeMap;
use std::sync::Arc;

use earlydrop::counters::{Counters, Tally};
use earlydrop::units::{Bytes, Nanos};

use crate::capture::Capture;
use crate::measure::{
    Arrivals, Delays, Distribution, Samples, coefficient_of_variation, jain_index,
};
use crate::network::LinkId;
use crate::tcp::SenderCounts;
use crate::traffic::FlowId;

/// Everything that was measured of a run.
#[derive(Clone, Debug)]
pub struct Results {
    /// The time that was measured: the run without its warm-up.
    pub measured: Nanos,
    /// Each queue, in the order of the links.
    pub queues: Vec<QueueResult>,
    /// Each flow, in the order they were given.
    pub flows: Vec<FlowResult>,
    /// Transfers that began in the time measured and were completed, in the order they
    /// ended.
    pub completions: Vec<Completion>,
    /// Recorded packets, for each link asked for.
    pub captures: Vec<Capture>,
    /// Windows over time, in segments, of the flows that were watched.
    pub windows: Vec<(FlowId, Vec<f64>)>,
    /// What became of all packets, warm-up included.
    pub totals: Totals,
}

/// What a queue and its link did.
#[derive(Clone, Debug)]
pub struct QueueResult {
    /// The link it stands before.
    pub link: LinkId,
    /// That link's name: "left to right".
    pub name: String,
    /// Packets and bytes that arrived, departed, were marked, and were dropped by reason.
    pub counters: Counters,
    /// The share of the time the link was sending.
    pub utilisation: f64,
    /// Mean queue length over time, in packets; the one being sent is not in the queue.
    pub mean_packets: f64,
    /// The longest it was, in packets.
    pub longest: u32,
    /// The mean time from a packet's arrival to the start of its transmission.
    pub mean_sojourn: Nanos,
    /// How those times are distributed, where asked for.
    pub sojourn: Option<Distribution>,
    /// How many flows a loss event hits on average, where asked for.
    pub flows_per_loss_event: f64,
    /// Length and probes over time, where asked for.
    pub samples: Option<Samples>,
    /// What of each group came over time, where asked for.
    pub arrivals: Option<Arrivals>,
}

/// What a flow did.
#[derive(Clone, Debug)]
pub struct FlowResult {
    /// Its group.
    pub group: Arc<str>,
    /// Packets of data that arrived.
    pub received: u64,
    /// Bits on the wire that arrived, a second.
    pub throughput: f64,
    /// Bits of payload that arrived for the first time, a second.
    pub goodput: f64,
    /// Packets of data lost on the way.
    pub lost: u64,
    /// Packets of data that arrived marked.
    pub marked: u64,
    /// What its TCP sender did; zeros for datagrams.
    pub sender: SenderCounts,
    /// The smoothed round-trip time at the end; zero for datagrams.
    pub smoothed_rtt: Nanos,
    /// One-way delays of its packets, where asked for.
    pub delays: Option<Delays>,
    /// Its round trips, where asked for: from sending a segment to its acknowledgment,
    /// those of segments sent again left out.
    pub round_trips: Option<Delays>,
    /// Starts that were left out because too many transfers were going on.
    pub left_out: u64,
}

/// A transfer that was completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The flow it belongs to.
    pub flow: FlowId,
    /// When it began: for an answer, when it was first asked for.
    pub began: Nanos,
    /// When it ended: when all was acknowledged, or for an answer when all had come.
    pub ended: Nanos,
    /// Payload.
    pub bytes: Bytes,
}

impl Completion {
    /// How long it took.
    pub fn span(&self) -> Nanos {
        self.ended.since(self.began)
    }
}

/// What became of all packets of a run, acknowledgments and requests included.
///
/// At the end, in packets and in bytes: `sent = delivered + dropped + in_flight`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Sent by a host.
    pub sent: Tally,
    /// Received by a host, or worked out to be, ahead of time.
    pub delivered: Tally,
    /// Lost in a queue or on a link.
    pub dropped: Tally,
    /// Waiting in queues and for their events, when the run ended.
    pub in_flight: Tally,
    /// Of those delivered, packets of data that arrive after the run's end.
    pub late: u64,
    /// Transfers begun.
    pub transfers: u64,
    /// Transfers completed.
    pub completed: u64,
    /// Events handled.
    pub events: u64,
}

/// Flows taken together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GroupResult {
    /// How many there are.
    pub flows: usize,
    /// Bits on the wire that arrived, a second, added up.
    pub throughput: f64,
    /// Bits of payload that arrived for the first time, a second, added up.
    pub goodput: f64,
    /// Packets lost over packets lost or received.
    pub loss: f64,
    /// Packets that arrived marked over packets received.
    pub marked: f64,
    /// Retransmission timeouts, added up.
    pub timeouts: u64,
    /// Segments sent again, added up.
    pub retransmissions: u64,
    /// Jain's index of the goodputs.
    pub jain: f64,
    /// The coefficient of variation of the goodputs.
    pub variation: f64,
}

impl Results {
    /// The queue before this link.
    pub fn queue(&self, link: LinkId) -> Option<&QueueResult> {
        self.queues.iter().find(|queue| queue.link == link)
    }

    /// A flow's result.
    pub fn flow(&self, flow: FlowId) -> &FlowResult {
        &self.flows[flow.0 as usize]
    }

    /// Flows by their groups, and what they did together.
    pub fn groups(&self) -> BTreeMap<Arc<str>, GroupResult> {
        let mut members: BTreeMap<Arc<str>, Vec<&FlowResult>> = BTreeMap::new();
        for flow in &self.flows {
            members.entry(flow.group.clone()).or_default().push(flow);
        }
        let sum_up = |(name, flows): (Arc<str>, Vec<&FlowResult>)| (name, GroupResult::of(&flows));
        members.into_iter().map(sum_up).collect()
    }

    /// All flows together.
    pub fn together(&self) -> GroupResult {
        GroupResult::of(&self.flows.iter().collect::<Vec<_>>())
    }

    /// One-way delays of all flows together, where they were measured.
    pub fn delays(&self) -> Distribution {
        let mut all = Distribution::default();
        for delays in self.flows.iter().filter_map(|flow| flow.delays.as_ref()) {
            all.add(delays.distribution());
        }
        all
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
            loss: share(lost, lost + received),
            marked: share(count(|flow| flow.marked), received),
            timeouts: count(|flow| u64::from(flow.sender.timeouts)),
            retransmissions: count(|flow| u64::from(flow.sender.retransmissions)),
            jain: jain_index(goodputs()),
            variation: coefficient_of_variation(goodputs()),
        }
    }
}
