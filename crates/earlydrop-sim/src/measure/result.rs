//! What was measured of a queue and of a flow.

use std::sync::Arc;

use earlydrop::counters::{Counters, Tally};
use earlydrop::units::{Bytes, Nanos};

use super::{Delays, Distribution, GroupTraffic, Samples};
use crate::network::LinkId;
use crate::tcp::SenderCounts;

/// The results of a queue and its link.
#[derive(Clone, Debug)]
pub struct QueueResult {
    /// The link behind the queue.
    pub link: LinkId,
    /// The name of that link: "left to right".
    pub name: String,
    /// Packets and bytes that arrived, departed, were marked, and were dropped by reason, in the
    /// time measured.
    pub counters: Counters,
    /// Packets that waited when that time began. They, too, may be dropped or marked in it.
    pub waiting_before: u64,
    /// The share of the time in which the link was sending, 0 to 1. Of a link that follows a
    /// trace: the share of the bytes its opportunities could send that they sent.
    pub utilisation: f64,
    /// The mean queue length over time, in packets. A packet being sent is not in the queue.
    pub mean_packets: f64,
    /// Utilisation and mean queue length in the first and in the second half of the time measured;
    /// `None` where the run was stopped before.
    pub halves: Option<[HalfOfQueue; 2]>,
    /// The greatest queue length, in packets.
    pub longest: u32,
    /// The mean time from a packet's arrival to the start of its transmission; `None` where no
    /// transmission began.
    pub mean_sojourn: Option<Nanos>,
    /// The distribution of those times, if asked for.
    pub sojourn: Option<Distribution>,
    /// The mean number of flows hit by a loss event, if asked for; else zero.
    pub flows_per_loss_event: f64,
    /// Queue length and probes over time, if asked for.
    pub samples: Option<Samples>,
    /// The arrivals of each group of flows over time, if asked for.
    pub arrivals: Option<GroupTraffic>,
    /// The departures of each group of flows over time, if asked for.
    pub departures: Option<GroupTraffic>,
    /// The use of the buffer that it shares with other queues, if it shares one.
    pub shared_buffer: Option<SharedBufferResult>,
    /// How the switch at the link's end has paused it, if that has flow control.
    pub pauses: Option<PauseResult>,
}

impl QueueResult {
    /// So many of the queue's packets, as a share of all that were in it or arrived at it in the
    /// time measured; `None` where none were. A packet is dropped or marked once, so that the share
    /// of drops or marks is at most 1.
    pub fn share(&self, packets: u64) -> Option<f64> {
        let all = self.waiting_before + self.counters.arrived.packets;
        (all > 0).then(|| packets as f64 / all as f64)
    }
}

/// A queue and its link in half of the time measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfOfQueue {
    /// The share of the time in which the link was sending; of a link that follows a trace, of what
    /// it could send.
    pub utilisation: f64,
    /// The mean queue length over time, in packets.
    pub mean_packets: f64,
}

/// The use of a [shared buffer](crate::network::SharedBuffer) in the time measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedBufferResult {
    /// The most bytes that waited in all queues of the switch together.
    pub peak: Bytes,
    /// What the dynamic threshold refused at this queue. The queue's counters count it, too, as
    /// dropped because of a [full buffer](earlydrop::aqm::DropReason::Forced).
    pub refused: Tally,
}

/// The pauses of a link by [flow control](crate::network::Pfc), in the time measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PauseResult {
    /// Pauses that began.
    pub pauses: u64,
    /// How long the link, or a class of it, was paused.
    pub paused: Nanos,
}

/// The results of a flow.
#[derive(Clone, Debug)]
pub struct FlowResult {
    /// The group of the flow.
    pub group: Arc<str>,
    /// Data packets that arrived.
    pub received: u64,
    /// Throughput: bits on the wire that arrived, per second.
    pub throughput: f64,
    /// Goodput: bits of payload that arrived for the first time, per second.
    pub goodput: f64,
    /// Goodput in the first and in the second half of the time measured.
    pub goodput_halves: [f64; 2],
    /// Data packets lost, and SYNs.
    pub lost: u64,
    /// SYNs lost.
    pub lost_syns: u64,
    /// Acknowledgments, answers to SYNs and requests lost.
    pub lost_control: u64,
    /// Data packets that arrived with a congestion mark.
    pub marked: u64,
    /// The counts of its TCP sender; zeros for datagrams.
    pub sender: SenderCounts,
    /// The smoothed round-trip time at the end; zero for datagrams.
    pub smoothed_rtt: Nanos,
    /// One-way delays of its packets, if asked for.
    pub delays: Option<Delays>,
    /// Round-trip times, if asked for: from sending a segment to its acknowledgment, without
    /// retransmitted segments.
    pub round_trips: Option<Delays>,
    /// Starts that were skipped because too many transfers were going on.
    pub left_out: u64,
}
