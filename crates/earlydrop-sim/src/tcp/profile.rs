//! What flows have in common: the rules a sender and a receiver follow.

use core::fmt;

use earlydrop::packet::Ecn;
use earlydrop::units::Nanos;

use super::timer::TimerRules;

/// How lost segments are found and sent again.
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
}

/// How much may be on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// Additive increase, multiplicative decrease (RFC 5681).
    Reno,
    /// Growth by a cubic function of time (RFC 9438).
    Cubic,
    /// Cuts by the part of segments that is marked (RFC 8257).
    Dctcp,
    /// The same for the low-latency queue of RFC 9332, which needs [`EcnMode::L4s`].
    Scalable,
    /// A model of the path's rate and round trip, which needs [`Recovery::Sack`].
    Bbr,
}

/// In what a sender follows ns-2 and in what the RFCs, where the two differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rules {
    /// The RFCs, with in-flight segments as the measure of a window that is cut.
    Standard,
    /// ns-2's one-way agents: the window itself is halved, whether it is used or not; it
    /// grows by each acknowledgment, however much that covers; a retransmission timer
    /// that finds nothing outstanding closes the window, which is its slow-start restart.
    Ns2,
}

/// How a window grows above its threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// By the segments acknowledged, in fractions of a segment (RFC 3465 with RFC 5681).
    Segments,
    /// As ns-3's `TcpLinuxReno`: by whole segments, for a count of those acknowledged that
    /// a cut does not clear; and the acknowledgment that ends a recovery counts for all
    /// it covers, what had been reported out of turn included.
    CountedAsNs3,
    /// As Linux: Reno's and CUBIC's by whole segments, for a count that a cut clears; in
    /// slow start by all that an acknowledgment covers.
    CountedAsLinux,
}

/// How CUBIC's estimate of Reno's window grows once it has reached the window before the
/// last cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RenoEstimate {
    /// By a segment a round trip, as Reno's (RFC 9438).
    Rising,
    /// As slowly as before (RFC 8312, Linux).
    Steady,
}

/// How a window that is cut comes into force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// At once: nothing new is sent until so much has left the network (RFC 6675).
    AtOnce,
    /// Over a round trip, in proportion to what is delivered, after losses and marks:
    /// proportional rate reduction (RFC 9937). Needs [`Recovery::Sack`].
    Proportional,
}

/// What is done about congestion marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EcnMode {
    /// Segments are not ECN-capable.
    Off,
    /// ECT(0); the receiver echoes a mark until it sees the window reduced (RFC 3168).
    Classic,
    /// ECT(0); the echo says of each segment whether it was marked (RFC 8257).
    Dctcp,
    /// ECT(1), with the same echo (RFC 9331).
    L4s,
}

impl EcnMode {
    /// What segments are sent with that may be marked.
    #[inline]
    pub(crate) fn codepoint(self) -> Ecn {
        match self {
            EcnMode::Off => Ecn::NotCapable,
            EcnMode::Classic | EcnMode::Dctcp => Ecn::Ect0,
            EcnMode::L4s => Ecn::Ect1,
        }
    }
}

/// How a connection begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handshake {
    /// With data.
    None,
    /// With a request of an acknowledgment's size that takes the first number of the
    /// connection, and is sent alone: data follows its acknowledgment. A connection that
    /// is to carry 10 segments is supplied with 11.
    ThreeWay,
}

/// Which round trips are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoundTrips {
    /// One segment at a time, none while a retransmission is about (Karn's rule).
    OneAtATime,
    /// Every segment, by the time its acknowledgment echoes (RFC 7323).
    Every,
}

/// Acknowledgments held back, RFC 5681, section 4.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DelayedAcks {
    /// Segments that are acknowledged together.
    pub every: u32,
    /// How long the first of them waits at most.
    pub timeout: Nanos,
}

/// The rules a sender and its receiver follow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Profile {
    /// How lost segments are found.
    pub recovery: Recovery,
    /// How much may be on its way.
    pub control: Algorithm,
    /// Whose word counts where ns-2 and the RFCs differ.
    pub rules: Rules,
    /// Bytes on the wire of a data segment.
    pub segment_size: u32,
    /// How many of them are headers; the rest is payload.
    pub header_size: u32,
    /// Bytes on the wire of an acknowledgment, and of a connection request.
    pub ack_size: u32,
    /// Segments sent before anything is acknowledged.
    pub initial_window: u32,
    /// Segments the receiver lets be on their way.
    pub receiver_window: u32,
    /// The window at which the first slow start ends; `None`: at a loss.
    pub initial_threshold: Option<u32>,
    /// What is done about congestion marks.
    pub ecn: EcnMode,
    /// Whether retransmissions are ECN-capable too. RFC 3168 forbids it; ns-2 does it, and
    /// so do senders whose queues drop much of what is not capable (RFC 8257).
    pub ecn_on_retransmissions: bool,
    /// Acknowledgments held back; `None`: one for each segment.
    pub delayed_acks: Option<DelayedAcks>,
    /// The retransmission timer.
    pub timer: TimerRules,
    /// Which round trips are measured.
    pub round_trips: RoundTrips,
    /// Duplicate acknowledgments that tell of a loss.
    pub duplicate_threshold: u32,
    /// Whether the first two duplicates let a new segment be sent each (RFC 3042).
    pub limited_transmit: bool,
    /// Whether selective acknowledgments also tell of retransmissions that were lost;
    /// otherwise, as in RFC 6675, the timer does.
    pub lost_retransmissions: bool,
    /// Whether a window not used for a timeout is closed (RFC 5681, section 4.1).
    pub slow_start_restart: bool,
    /// Whether Reno's and CUBIC's cuts leave whole segments, rounded down: as Linux, and as
    /// ns-2 until 2006 (`precisionReduce_ false`).
    pub whole_cuts: bool,
    /// How Reno's window grows, and with [`Growth::CountedAsLinux`] CUBIC's, with the
    /// standard rules.
    pub growth: Growth,
    /// How CUBIC's estimate of Reno's window grows.
    pub reno_estimate: RenoEstimate,
    /// The least window, in segments, that a mark leaves to CUBIC; the others' is 2.
    pub least_after_mark: u32,
    /// Whether a receiver that holds acknowledgments back acknowledges some segments each by
    /// itself, as Linux does: those of its first 16 acknowledgments, one that says that the
    /// window was reduced, and 2 from the first that is marked after that, or that cannot
    /// be marked where others can.
    pub quick_acks: bool,
    /// How a window that is cut comes into force, with the standard rules.
    pub reduction: Reduction,
    /// How a connection begins.
    pub handshake: Handshake,
    /// At most so many segments at once, but where holes are filled by selective
    /// acknowledgments; `None`: as the window allows.
    pub max_burst: Option<u32>,
}

impl Profile {
    /// ns-2.35 as it comes: a window of 20 packets of 1000 bytes, ticks of 10 ms.
    ///
    /// Its packets have no headers beyond their size, as with `useHeaders_ false`.
    pub const fn ns2(recovery: Recovery) -> Profile {
        Profile {
            recovery,
            control: Algorithm::Reno,
            rules: Rules::Ns2,
            segment_size: 1000,
            header_size: 0,
            ack_size: 40,
            initial_window: 2,
            receiver_window: 20,
            initial_threshold: None,
            ecn: EcnMode::Off,
            ecn_on_retransmissions: true,
            delayed_acks: None,
            timer: TimerRules {
                initial: Nanos::from_secs(3),
                minimum: Nanos::from_millis(200),
                maximum: Nanos::from_secs(60),
                tick: Nanos::from_millis(10),
            },
            round_trips: RoundTrips::OneAtATime,
            duplicate_threshold: 3,
            limited_transmit: true,
            lost_retransmissions: false,
            slow_start_restart: true,
            whole_cuts: false,
            growth: Growth::Segments,
            reno_estimate: RenoEstimate::Rising,
            least_after_mark: 1,
            quick_acks: false,
            reduction: Reduction::AtOnce,
            handshake: Handshake::ThreeWay,
            max_burst: None,
        }
    }

    /// ns-2 as it was set up around the year 2000: ticks of 0.1 s, no least timeout but
    /// two ticks, a first timeout of 6 s, an initial window of 1, no limited transmit,
    /// no connection request, and windows cut to whole segments.
    pub const fn ns2_old_timers(recovery: Recovery) -> Profile {
        let mut profile = Profile::ns2(recovery);
        profile.timer = TimerRules {
            initial: Nanos::from_secs(6),
            minimum: Nanos::ZERO,
            maximum: Nanos::from_secs(60),
            tick: Nanos::from_millis(100),
        };
        profile.initial_window = 1;
        profile.limited_transmit = false;
        profile.whole_cuts = true;
        profile.handshake = Handshake::None;
        profile
    }

    /// A sender of today: 1500 bytes, an initial window of 10 (RFC 6928), selective
    /// acknowledgments, every second segment acknowledged, a least timeout of 200 ms, and
    /// ECN where the algorithm is about marks.
    pub const fn modern(algorithm: Algorithm) -> Profile {
        Profile {
            recovery: Recovery::Sack,
            control: algorithm,
            rules: Rules::Standard,
            segment_size: 1500,
            header_size: 52,
            ack_size: 40,
            initial_window: 10,
            receiver_window: 65_535,
            initial_threshold: None,
            ecn: match algorithm {
                Algorithm::Dctcp => EcnMode::Dctcp,
                Algorithm::Scalable => EcnMode::L4s,
                Algorithm::Reno | Algorithm::Cubic | Algorithm::Bbr => EcnMode::Off,
            },
            ecn_on_retransmissions: matches!(algorithm, Algorithm::Dctcp | Algorithm::Scalable),
            delayed_acks: Some(DelayedAcks {
                every: 2,
                timeout: Nanos::from_millis(40),
            }),
            timer: TimerRules {
                initial: Nanos::from_secs(1),
                minimum: Nanos::from_millis(200),
                maximum: Nanos::from_secs(60),
                tick: Nanos::from_millis(1),
            },
            round_trips: RoundTrips::Every,
            duplicate_threshold: 3,
            limited_transmit: true,
            lost_retransmissions: true,
            slow_start_restart: true,
            whole_cuts: false,
            growth: Growth::Segments,
            reno_estimate: RenoEstimate::Rising,
            least_after_mark: 1,
            quick_acks: false,
            reduction: Reduction::AtOnce,
            handshake: Handshake::ThreeWay,
            max_burst: None,
        }
    }

    /// [`Profile::modern`] as Linux does it, where that is known to differ: windows grow and
    /// are cut by whole segments, cuts come into force in proportion, CUBIC's estimate of
    /// Reno stays slow, no mark leaves less than 2 segments, and some segments are
    /// acknowledged each by itself. The source is Linux's `tcp_cong.c`, `tcp_cubic.c` and
    /// `tcp_input.c`. Its detection of losses by time (RFC 8985) and its HyStart, which
    /// needs a window of 16, are left out.
    pub const fn linux(algorithm: Algorithm) -> Profile {
        let mut profile = Profile::modern(algorithm);
        profile.whole_cuts = true;
        profile.growth = Growth::CountedAsLinux;
        profile.reno_estimate = RenoEstimate::Steady;
        profile.least_after_mark = 2;
        profile.reduction = Reduction::Proportional;
        profile.quick_acks = true;
        profile
    }

    /// Bytes of payload in a full segment.
    pub const fn payload(&self) -> u32 {
        self.segment_size - self.header_size
    }

    /// Whether the rules make sense together.
    pub fn validate(&self) -> Result<(), ProfileError> {
        let wrong = [
            (
                self.segment_size <= self.header_size,
                ProfileError::NoSegmentSize,
            ),
            (self.initial_window == 0, ProfileError::NoWindow),
            (self.receiver_window == 0, ProfileError::NoWindow),
            (self.least_after_mark == 0, ProfileError::NoWindow),
            (
                self.receiver_window > 1 << 24,
                ProfileError::ReceiverWindowTooLarge,
            ),
            (
                self.control == Algorithm::Bbr
                    && (self.recovery != Recovery::Sack || self.rules != Rules::Standard),
                ProfileError::RateUnmeasured,
            ),
            (
                self.reduction == Reduction::Proportional
                    && (self.recovery != Recovery::Sack || self.rules != Rules::Standard),
                ProfileError::NothingDelivered,
            ),
            (
                self.duplicate_threshold == 0,
                ProfileError::NoDuplicateThreshold,
            ),
            (self.max_burst == Some(0), ProfileError::NoBurst),
            (
                self.delayed_acks.is_some_and(|acks| acks.every == 0),
                ProfileError::NoAcks,
            ),
            (
                self.timer.tick.0 == 0 || self.timer.tick.0 > 1_000_000_000,
                ProfileError::Tick,
            ),
            (
                self.timer.minimum > self.timer.maximum || self.timer.initial > self.timer.maximum,
                ProfileError::TimerBounds,
            ),
        ];
        match wrong.iter().find(|(is_wrong, _)| *is_wrong) {
            Some((_, error)) => Err(*error),
            None => Ok(()),
        }
    }
}

/// Why a profile makes no sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProfileError {
    /// Segments of no bytes.
    NoSegmentSize,
    /// A window in which nothing may be sent.
    NoWindow,
    /// A receiver's window of more than 2^24 segments.
    ReceiverWindowTooLarge,
    /// An algorithm that goes by the delivery rate, without the selective acknowledgments
    /// of the RFCs that measure it.
    RateUnmeasured,
    /// A reduction in proportion to deliveries, without the selective acknowledgments of
    /// the RFCs that tell of them.
    NothingDelivered,
    /// A loss told by no duplicate.
    NoDuplicateThreshold,
    /// Bursts of no segment.
    NoBurst,
    /// An acknowledgment for every 0 segments.
    NoAcks,
    /// A tick of no time, or of more than a second.
    Tick,
    /// A largest timeout below the least or the first.
    TimerBounds,
}

impl fmt::Display for ProfileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ProfileError::NoSegmentSize => "a segment needs at least one byte",
            ProfileError::NoWindow => "a window needs at least one segment",
            ProfileError::ReceiverWindowTooLarge => {
                "a receiver's window is 16777216 segments at most"
            }
            ProfileError::RateUnmeasured => {
                "BBR needs selective acknowledgments and the standard rules"
            }
            ProfileError::NothingDelivered => {
                "a proportional reduction needs selective acknowledgments and the standard rules"
            }
            ProfileError::NoDuplicateThreshold => {
                "at least one duplicate acknowledgment must tell of a loss"
            }
            ProfileError::NoBurst => "a burst needs at least one segment",
            ProfileError::NoAcks => "delayed acknowledgments need at least one segment each",
            ProfileError::Tick => "the timer's tick is more than 0 and at most 1 second",
            ProfileError::TimerBounds => {
                "the timer's maximum is below its minimum or its first timeout"
            }
        })
    }
}

impl core::error::Error for ProfileError {}
