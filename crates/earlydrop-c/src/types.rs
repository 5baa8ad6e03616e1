//! What crosses the boundary, in C's layout.

use std::ffi::{c_char, c_void};

use earlydrop::aqm::DropReason;
use earlydrop::counters::{self, Counters};
use earlydrop::packet::{self, Ack, Ecn, FlowKey, Hosts};
use earlydrop::queue::{Departure, Outcome};

/// What becomes of a packet. From EARLYDROP_VERDICT_DROPPED_EARLY on it is dropped.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The queue is NULL, or a defect of the library has stopped it: see earlydrop_fault(). The
    /// packet is the caller's again.
    Fault = -1,
    /// The packet joined the queue.
    Queued = 0,
    /// The packet joined the queue with an ECN mark.
    Marked = 1,
    /// The scheme dropped it on arrival, by its probability or threshold.
    DroppedEarly = 2,
    /// The buffer was full.
    DroppedForced = 3,
    /// A rule about its flow: unresponsive, a CHOKe match, a rate limit.
    DroppedPolicy = 4,
    /// The scheme dropped it on departure, as CoDel does.
    DroppedDequeue = 5,
}

impl From<DropReason> for Verdict {
    #[inline]
    fn from(reason: DropReason) -> Verdict {
        match reason {
            DropReason::Early => Verdict::DroppedEarly,
            DropReason::Forced => Verdict::DroppedForced,
            DropReason::Dequeue => Verdict::DroppedDequeue,
            // A test of `tests/calls.rs` fails where the core has a reason that is not here.
            _ => Verdict::DroppedPolicy,
        }
    }
}

impl From<Outcome> for Verdict {
    #[inline]
    fn from(outcome: Outcome) -> Verdict {
        match outcome {
            Outcome::Queued => Verdict::Queued,
            Outcome::Marked => Verdict::Marked,
            Outcome::Dropped(reason) => reason.into(),
        }
    }
}

/// Receives each packet that a queue drops: one that arrives, and one that waits. It may free the
/// packet. It must return, without an exception, and must not call the queue.
pub type OnDrop = Option<unsafe extern "C" fn(context: *mut c_void, handle: u64, verdict: Verdict)>;

/// A queue to be made. What is zero has its default.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// The scheme and its parameters: "red:min=10,max=30".
    pub spec: *const c_char,
    /// The rate of the link behind the queue, in bit/s. No default.
    pub link_bps: u64,
    /// The typical size of a packet, in bytes, for lengths that are given in packets. Default: 1000.
    pub mean_packet: u64,
    /// Seeds the random numbers: the same seed and the same calls give the same verdicts.
    pub seed: u64,
    /// Receives the packets that the queue drops. Default: nobody does.
    pub on_drop: OnDrop,
    /// The first argument of on_drop.
    pub context: *mut c_void,
}

/// The packet carries a TCP acknowledgment, whose number is in ack.
pub const EARLYDROP_ACK: u8 = 1;
/// It carries no data, and no option that its successor would not replace.
pub const EARLYDROP_ACK_PURE: u8 = 2;
/// It carries SACK blocks.
pub const EARLYDROP_ACK_SACK: u8 = 4;

/// A packet. Only handle, flow and size matter to most schemes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Packet {
    /// The caller's own, such as a pointer or an index. The queue gives it back and never uses it.
    pub handle: u64,
    /// The flow: typically a hash of addresses, ports and protocol.
    pub flow: u64,
    /// The length on the wire, in bytes.
    pub size: u32,
    /// The ECN field in the two low bits, as in the traffic class (or TOS) byte: 0 not capable,
    /// 1 ECT(1), 2 ECT(0), 3 CE.
    pub ecn: u8,
    /// The class, for schemes with a profile for each (WRED).
    pub traffic_class: u8,
    /// EARLYDROP_ACK and others, for schemes that thin acknowledgments out (CAKE); 0 where there is
    /// none, in segments with SYN, FIN or RST, and where it is not known.
    pub ack_flags: u8,
    /// The ECE and CWR flags of the acknowledgment, or the counter of accurate ECN.
    pub ack_echo: u8,
    /// The number of the acknowledgment.
    pub ack: u32,
    /// The host it comes from, such as its address, for schemes that share among hosts (CAKE). Where
    /// source and destination are 0, each flow has hosts of its own.
    pub source: u32,
    /// The host it goes to.
    pub destination: u32,
}

/// A packet that leaves a queue to be sent.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// The caller's handle.
    pub handle: u64,
    /// When it arrived, in ns.
    pub arrived: u64,
    /// Its length on the wire, in bytes.
    pub size: u32,
    /// Its ECN field. Where it is 3 (CE), the packet is to be sent with this mark.
    pub ecn: u8,
}

/// A number of packets, and their bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Packets.
    pub packets: u64,
    /// The sum of their lengths on the wire.
    pub bytes: u64,
}

/// The counters of a queue. Always arrived = sent + all dropped + waiting.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CounterSet {
    /// Enqueued, including those dropped on arrival.
    pub arrived: Tally,
    /// Dequeued.
    pub sent: Tally,
    /// Marked by this queue, on arrival or on departure.
    pub marked: Tally,
    /// Dropped with EARLYDROP_VERDICT_DROPPED_EARLY.
    pub dropped_early: Tally,
    /// Dropped with EARLYDROP_VERDICT_DROPPED_FORCED.
    pub dropped_forced: Tally,
    /// Dropped with EARLYDROP_VERDICT_DROPPED_POLICY.
    pub dropped_policy: Tally,
    /// Dropped with EARLYDROP_VERDICT_DROPPED_DEQUEUE.
    pub dropped_dequeue: Tally,
}

impl From<counters::Tally> for Tally {
    fn from(tally: counters::Tally) -> Tally {
        Tally {
            packets: tally.packets,
            bytes: tally.bytes,
        }
    }
}

impl From<&Counters> for CounterSet {
    fn from(counters: &Counters) -> CounterSet {
        CounterSet {
            arrived: counters.arrived.into(),
            sent: counters.departed.into(),
            marked: counters.marked.into(),
            dropped_early: counters.dropped_for(DropReason::Early).into(),
            dropped_forced: counters.dropped_for(DropReason::Forced).into(),
            dropped_policy: counters.dropped_for(DropReason::Policy).into(),
            dropped_dequeue: counters.dropped_for(DropReason::Dequeue).into(),
        }
    }
}

/// A packet as a queue holds it: [`Packet`] with the ECN field as a value of its type, so that an
/// absent packet takes no more memory.
#[derive(Clone, Copy, Debug)]
pub struct WaitingPacket {
    pub(crate) handle: u64,
    flow: u64,
    size: u32,
    ack: u32,
    source: u32,
    destination: u32,
    ecn: Ecn,
    class: u8,
    ack_flags: u8,
    ack_echo: u8,
}

impl From<&Packet> for WaitingPacket {
    #[inline]
    fn from(packet: &Packet) -> WaitingPacket {
        WaitingPacket {
            handle: packet.handle,
            flow: packet.flow,
            size: packet.size,
            ack: packet.ack,
            source: packet.source,
            destination: packet.destination,
            ecn: Ecn::from_bits(packet.ecn),
            class: packet.traffic_class,
            ack_flags: packet.ack_flags,
            ack_echo: packet.ack_echo,
        }
    }
}

impl packet::Packet for WaitingPacket {
    #[inline]
    fn size(&self) -> u32 {
        self.size
    }

    #[inline]
    fn flow(&self) -> FlowKey {
        FlowKey(self.flow)
    }

    #[inline]
    fn ecn(&self) -> Ecn {
        self.ecn
    }

    #[inline]
    fn mark(&mut self) {
        self.ecn = Ecn::Ce;
    }

    #[inline]
    fn class(&self) -> u8 {
        self.class
    }

    fn hosts(&self) -> Hosts {
        let (source, destination) = match (self.source, self.destination) {
            (0, 0) => (self.flow, self.flow),
            (source, destination) => (source.into(), destination.into()),
        };
        Hosts {
            source,
            destination,
        }
    }

    fn ack(&self) -> Option<Ack> {
        let has = |flag: u8| self.ack_flags & flag != 0;
        has(EARLYDROP_ACK).then(|| Ack {
            number: self.ack,
            is_pure: has(EARLYDROP_ACK_PURE),
            has_sack: has(EARLYDROP_ACK_SACK),
            echo: self.ack_echo,
        })
    }
}

impl From<Departure<WaitingPacket>> for Sent {
    #[inline]
    fn from(Departure { packet, arrived }: Departure<WaitingPacket>) -> Sent {
        Sent {
            handle: packet.handle,
            arrived: arrived.0,
            size: packet.size,
            ecn: packet.ecn as u8,
        }
    }
}
