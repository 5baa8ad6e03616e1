//! The values of a [`Profile`](super::Profile)'s settings.

use earlydrop::packet::Ecn;
use earlydrop::units::Nanos;

/// How lost segments are detected and retransmitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// Fast retransmit, then slow start from one segment (Jacobson, 1988).
    Tahoe,
    /// Fast retransmit and fast recovery, left at the first new data acknowledged
    /// (RFC 5681).
    Reno,
    /// Fast recovery that stays for all losses of one window (RFC 6582).
    NewReno,
    /// Selective acknowledgments (RFC 6675).
    Sack,
    /// Everything from the first missing segment on is sent again, as by RDMA's network cards: the
    /// receiver discards what comes after it, and says so once.
    GoBackN,
}

/// What shows a sender with selective acknowledgments that a segment was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossDetection {
    /// Enough segments received beyond it: [`Profile::dupack_threshold`](super::Profile::dupack_threshold) (RFC 5681, RFC 6675).
    DupAck,
    /// RACK-TLP (RFC 8985): a segment sent later was received, and a reordering window has passed
    /// since; a probe repairs what is lost at the end of a flight.
    Rack,
}

/// Whether a sender follows the RFCs or ns-2, where the two differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rules {
    /// The RFCs: a reduction goes by the segments in flight.
    Standard,
    /// ns-2's one-way agents. A reduction halves `cwnd` itself, whether it is used or not.
    /// `cwnd` grows by each acknowledgment, however much that covers. A retransmission timer
    /// that expires with nothing outstanding sets `cwnd` to 1, which is its slow-start restart.
    Ns2,
}

/// How `cwnd` grows in congestion avoidance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// By the segments acknowledged, in fractions of a segment (RFC 3465 with RFC 5681).
    Segments,
    /// As ns-3's `TcpLinuxReno`: by whole segments, for a count of segments acknowledged that a
    /// reduction does not clear. The acknowledgment that ends a recovery counts for all it
    /// covers, what SACK blocks had reported included.
    CountedAsNs3,
    /// As Linux: Reno's and CUBIC's `cwnd` by whole segments, for a count that a reduction
    /// clears; in slow start by all that an acknowledgment covers.
    CountedAsLinux,
}

/// How CUBIC's estimate of Reno's `cwnd` grows once it has reached the `cwnd` before the last
/// reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RenoEstimate {
    /// By a segment a round trip, as Reno's (RFC 9438).
    Rising,
    /// As slowly as before (RFC 8312, Linux).
    Steady,
}

/// How CUBIC ends slow start before a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HyStartKind {
    /// Not at all.
    Off,
    /// HyStart++ (RFC 9406). RFC 9438, 4.10: CUBIC "SHOULD" use it.
    PlusPlus,
    /// Linux's HyStart, by trains of acknowledgments and by delay. Needs
    /// [`Growth::CountedAsLinux`].
    Linux,
}

/// How a reduction of `cwnd` takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// At once: nothing new is sent until the segments in flight fit the new `cwnd` (RFC 6675).
    AtOnce,
    /// Over a round trip, in proportion to what is delivered, after losses and marks:
    /// proportional rate reduction (PRR, RFC 9937). Needs [`Recovery::Sack`].
    Proportional,
}

/// How ECN is used: the codepoint of segments, and the meaning of ECE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EcnMode {
    /// Segments are not ECN-capable.
    Off,
    /// ECT(0); acknowledgments carry ECE from a mark until a segment with CWR (RFC 3168).
    Classic,
    /// ECT(0); ECE says of each segment whether it was marked (RFC 8257).
    Dctcp,
    /// ECT(1), and ECE as with [`EcnMode::Dctcp`] (RFC 9331).
    L4s,
}

impl EcnMode {
    /// The codepoint of data segments.
    #[inline]
    pub(crate) fn codepoint(self) -> Ecn {
        match self {
            EcnMode::Off => Ecn::NotCapable,
            EcnMode::Classic | EcnMode::Dctcp => Ecn::Ect0,
            EcnMode::L4s => Ecn::Ect1,
        }
    }
}

/// How a receiver reports marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EcnFeedback {
    /// ECE from a mark until a segment with CWR (RFC 3168).
    Classic,
    /// ECE says of each segment whether it was marked (RFC 8257, 3.2).
    Dctcp,
    /// ECE on the acknowledgment of a marked segment, as often as the
    /// [card](super::control::dcqcn::Parameters::notify_every) allows: the congestion notification
    /// packets (CNP) of RoCE, carried by acknowledgments.
    Cnp,
    /// AccECN: counters in the ACE field and in the AccECN option (RFC 9768). Needs
    /// [`Recovery::Sack`] and the standard rules.
    AccEcn,
    /// AccECN's ACE field alone, as where a middlebox removes the option (RFC 9768, 3.2.2). Needs
    /// what [`EcnFeedback::AccEcn`] needs.
    Ace,
}

/// How a connection begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handshake {
    /// With data at once.
    None,
    /// With a SYN of an acknowledgment's size, which takes the first number of the connection:
    /// data follows its acknowledgment. A connection that is to carry 10 segments is supplied
    /// with 11.
    ThreeWay,
}

/// Which round trips are measured for RTO.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RttSampling {
    /// One segment at a time, and no retransmission (RFC 6298, 3: Karn's algorithm).
    OneAtATime,
    /// Every segment, by the timestamp its acknowledgment echoes (RFC 7323).
    Every,
    /// As Linux: the first of the segments newly acknowledged, or else reported by SACK, that was
    /// sent once, by the time at which it was sent; else the timestamp, in milliseconds. Without
    /// [`LossDetection::Rack`], which keeps these times, as [`RttSampling::Every`].
    BySegment,
}

/// Delayed acknowledgments (RFC 5681, 4.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DelayedAcks {
    /// Segments acknowledged together.
    pub every: u32,
    /// Longest time that the first of them waits for an acknowledgment.
    pub timeout: Nanos,
}
