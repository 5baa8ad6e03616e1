//! Profiles: the rules a sender and a receiver follow, shared by many flows.
//!
//! [`Profile::modern`], [`Profile::linux`] and [`Profile::ns2`] are the presets, each with a file
//! that says what it has and lacks; every rule can be changed on its own.

mod linux;
mod modern;
mod ns2;
mod roce;

use core::fmt;

use earlydrop::packet::Ecn;
use earlydrop::units::{BitsPerSec, Bytes, Nanos};

use super::control::{Algorithm, ControlSettings, dcqcn};
use super::rto::RtoParams;
use super::settings::{
    DelayedAcks, EcnFeedback, EcnMode, Growth, Handshake, HyStartKind, LossDetection, Recovery,
    Reduction, RenoEstimate, RttSampling, Rules,
};

/// The segments of the largest transfer: half of those that 32 bits number.
pub const MAX_TRANSFER: u32 = 1 << 31;

/// The rules a sender and its receiver follow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Profile {
    /// How lost segments are detected.
    pub recovery: Recovery,
    /// What shows that a segment was lost, with [`Recovery::Sack`] and the standard rules. Without
    /// them it is always duplicate acknowledgments.
    pub loss_detection: LossDetection,
    /// The congestion control algorithm.
    pub control: Algorithm,
    /// Whether the RFCs or ns-2 decide where they differ.
    pub rules: Rules,
    /// Bytes on the wire of a data segment.
    pub segment_size: u32,
    /// Bytes of headers in it; the rest is payload.
    pub header_size: u32,
    /// Bytes on the wire of an acknowledgment, and of a SYN.
    pub ack_size: u32,
    /// `cwnd` at the start of a connection, segments (RFC 5681, 3.1, IW).
    pub initial_window: u32,
    /// `rwnd`: segments the receiver lets be outstanding.
    pub receiver_window: u32,
    /// `ssthresh` at the start of a connection, segments; `None`: slow start ends at the first
    /// congestion.
    pub initial_ssthresh: Option<u32>,
    /// How ECN is used.
    pub ecn: EcnMode,
    /// How marks are reported; `None`: as `ecn` says.
    pub ecn_feedback: Option<EcnFeedback>,
    /// Whether Prague falls back to a response to marks as CUBIC's when the queue seems to mark as
    /// RFC 3168 says (draft-briscoe-iccrg-prague-congestion-control, 3.3).
    pub classic_ecn_fallback: bool,
    /// Whether retransmissions are ECN-capable too. RFC 3168, 6.1.5, forbids it. ns-2 does it,
    /// and so do senders whose queues drop much of what is not capable (RFC 8257).
    pub ecn_on_retransmissions: bool,
    /// Whether packets without data are ECN-capable too: SYN, its answer, and acknowledgments.
    /// RFC 3168, 6.1.4: "pure acknowledgement packets MUST be sent with the not-ECT codepoint".
    /// Linux sends them ECN-capable for controls that need marks (`tcp_ca_needs_ecn`), since their
    /// queues drop what is not. Neither end counts marks of such packets.
    pub ecn_on_control: bool,
    /// Delayed acknowledgments; `None`: one acknowledgment for each segment.
    pub delayed_acks: Option<DelayedAcks>,
    /// The retransmission timer.
    pub timer: RtoParams,
    /// Which round trips are measured for RTO.
    pub rtt_sampling: RttSampling,
    /// Duplicate acknowledgments that show a loss (RFC 6675, DupThresh).
    pub dupack_threshold: u32,
    /// Whether the first two duplicates let a new segment be sent each (RFC 3042).
    pub limited_transmit: bool,
    /// Whether, with [`LossDetection::DupAck`], SACK blocks also show that a retransmission was
    /// lost. RFC 6675 leaves those to the timer.
    pub lost_retransmissions: bool,
    /// Whether `cwnd` is the initial window at most after an idle time of RTO (RFC 5681, 4.1).
    pub slow_start_restart: bool,
    /// Whether Reno's and CUBIC's reductions leave whole segments, rounded down: as Linux, and
    /// as ns-2 until 2006 (`precisionReduce_ false`).
    pub whole_cuts: bool,
    /// How Reno's `cwnd` grows with the standard rules, and with [`Growth::CountedAsLinux`]
    /// CUBIC's too.
    pub growth: Growth,
    /// How CUBIC's estimate of Reno's `cwnd` grows.
    pub reno_estimate: RenoEstimate,
    /// How CUBIC ends slow start before a loss.
    pub hystart: HyStartKind,
    /// The least `cwnd`, in segments, that a mark leaves to CUBIC. To the others it leaves 2.
    pub least_after_mark: u32,
    /// Whether a receiver with delayed acknowledgments sends some at once, as Linux does: the
    /// first 16 of a connection; one for a segment with CWR; and 2 from a segment on that is the
    /// first marked after CWR, or that is not ECN-capable where others are.
    pub quick_acks: bool,
    /// Whether a reduction of `cwnd` for a loss is undone where timestamps or DSACKs show that it was
    /// spurious (RFC 3522, RFC 3708; RFC 9438, 4.9). With [`LossDetection::Rack`], which knows what
    /// was retransmitted.
    pub undo: bool,
    /// How a reduction of `cwnd` takes effect, with the standard rules.
    pub reduction: Reduction,
    /// How a connection begins.
    pub handshake: Handshake,
    /// The rate of the host's link, at which DCQCN starts and which it does not exceed; `None`: that
    /// of the first link of the flow's route.
    pub line_rate: Option<BitsPerSec>,
    /// The network card's parameters, for DCQCN and for [`EcnFeedback::Cnp`].
    pub card: dcqcn::Parameters,
    /// The most segments sent at once, except while SACK blocks decide what is retransmitted;
    /// `None`: as the window allows.
    pub max_burst: Option<u32>,
}

impl Profile {
    /// The codepoint of packets without data.
    #[inline]
    pub(crate) fn control_codepoint(&self) -> Ecn {
        match self.ecn_on_control {
            true => self.ecn.codepoint(),
            false => Ecn::NotCapable,
        }
    }

    /// What the congestion controller goes by.
    pub(crate) fn control_settings(&self) -> ControlSettings {
        ControlSettings {
            initial_window: self.initial_window,
            initial_ssthresh: self.initial_ssthresh,
            receiver_window: self.receiver_window,
            rules: self.rules,
            growth: self.growth,
            reno_estimate: self.reno_estimate,
            whole_cuts: self.whole_cuts,
            least_after_mark: self.least_after_mark,
            classic_ecn_fallback: self.classic_ecn_fallback,
            hystart: self.hystart,
            payload: self.payload(),
            segment_size: self.segment_size,
            line_rate: self.line_rate.unwrap_or(BitsPerSec::from_mbps(10_000)),
            card: self.card,
        }
    }

    /// Whether losses are detected by time: RACK-TLP, with SACK and the standard rules.
    #[inline]
    pub(crate) fn uses_rack(&self) -> bool {
        self.loss_detection == LossDetection::Rack
            && self.recovery == Recovery::Sack
            && self.rules == Rules::Standard
    }

    /// Whether spurious reductions are undone.
    #[inline]
    pub(crate) fn undoes(&self) -> bool {
        self.undo && self.uses_rack()
    }

    /// Whether windows change by the steps of Linux's `tcp_input.c`.
    #[inline]
    pub(crate) fn follows_linux(&self) -> bool {
        self.growth == Growth::CountedAsLinux
    }

    /// `now` as segments are stamped with it: in whole us where Linux is followed (`tcp_mstamp`).
    #[inline]
    pub(crate) fn stamp(&self, now: Nanos) -> Nanos {
        match self.follows_linux() {
            true => Nanos(now.0 / 1000 * 1000),
            false => now,
        }
    }

    /// Whether an ECE of DCTCP's ends growth, as in Linux: it enters CWR before it would grow.
    pub(crate) fn is_linux_dctcp(&self) -> bool {
        self.follows_linux() && self.control == Algorithm::Dctcp
    }

    /// How marks are reported; `None` without ECN.
    #[inline]
    pub fn feedback(&self) -> Option<EcnFeedback> {
        let of_mode = match self.ecn {
            EcnMode::Off => return None,
            EcnMode::Classic => EcnFeedback::Classic,
            EcnMode::Dctcp | EcnMode::L4s => EcnFeedback::Dctcp,
        };
        Some(self.ecn_feedback.unwrap_or(of_mode))
    }

    /// Whether acknowledgments carry AccECN's counters.
    #[inline]
    pub(crate) fn uses_accecn(&self) -> bool {
        matches!(
            self.feedback(),
            Some(EcnFeedback::AccEcn | EcnFeedback::Ace)
        )
    }

    /// Bytes of payload in a full segment; none where the header fills it, which
    /// [`validate`](Profile::validate) refuses.
    pub const fn payload(&self) -> u32 {
        self.segment_size.saturating_sub(self.header_size)
    }

    /// The largest transfer, in bytes of payload: [`MAX_TRANSFER`] segments.
    pub fn largest_transfer(&self) -> Bytes {
        Bytes(u64::from(MAX_TRANSFER) * u64::from(self.payload()))
    }

    /// Checks that the rules are consistent.
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
                self.control.controller().measures_rates
                    && (self.recovery != Recovery::Sack || self.rules != Rules::Standard),
                ProfileError::RateUnmeasured,
            ),
            (
                self.reduction == Reduction::Proportional
                    && (self.recovery != Recovery::Sack || self.rules != Rules::Standard),
                ProfileError::NothingDelivered,
            ),
            (
                self.uses_accecn()
                    && (self.recovery != Recovery::Sack || self.rules != Rules::Standard),
                ProfileError::NothingCounted,
            ),
            (
                self.feedback() == Some(EcnFeedback::Classic)
                    && (self.control == Algorithm::Prague || self.ecn == EcnMode::L4s),
                ProfileError::MarksNotCounted,
            ),
            (
                self.dupack_threshold == 0,
                ProfileError::NoDuplicateThreshold,
            ),
            (self.max_burst == Some(0), ProfileError::NoBurst),
            (
                self.line_rate == Some(BitsPerSec(0)),
                ProfileError::NoLineRate,
            ),
            (!self.card.is_valid(), ProfileError::Card),
            (
                self.recovery == Recovery::GoBackN
                    && (self.rules != Rules::Standard || self.delayed_acks.is_some()),
                ProfileError::GoBackNDelayed,
            ),
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
            (
                self.timer.maximum < self.timer.floor(),
                ProfileError::MaximumBelowTick,
            ),
        ];
        match wrong.iter().find(|(is_wrong, _)| *is_wrong) {
            Some((_, error)) => Err(*error),
            None => Ok(()),
        }
    }
}

/// Why a profile is inconsistent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProfileError {
    /// Segments of no bytes.
    NoSegmentSize,
    /// A window of 0 segments.
    NoWindow,
    /// A receiver window of more than 2^24 segments.
    ReceiverWindowTooLarge,
    /// An algorithm that needs delivery-rate samples, without SACK and the standard rules, which
    /// measure them.
    RateUnmeasured,
    /// A proportional reduction, without SACK and the standard rules, which count deliveries.
    NothingDelivered,
    /// AccECN without SACK and the standard rules, which count newly acknowledged segments.
    NothingCounted,
    /// Prague or L4S with one echo a round trip.
    MarksNotCounted,
    /// A loss shown by 0 duplicates.
    NoDuplicateThreshold,
    /// Bursts of 0 segments.
    NoBurst,
    /// A host's link of 0 bits a second.
    NoLineRate,
    /// A card without times between its raises and decays, or with a gain that is none.
    Card,
    /// Go-back-N with ns-2's rules or delayed acknowledgments, which it does not have.
    GoBackNDelayed,
    /// An acknowledgment for every 0 segments.
    NoAcks,
    /// A tick of 0, or of more than a second.
    Tick,
    /// A maximum RTO below the minimum or the initial one.
    TimerBounds,
    /// A maximum RTO below the tick or a microsecond.
    MaximumBelowTick,
}

impl fmt::Display for ProfileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ProfileError::NoSegmentSize => "a segment needs at least one byte",
            ProfileError::NoWindow => "a window needs at least one segment",
            ProfileError::ReceiverWindowTooLarge => {
                "the receiver window is 16777216 segments at most"
            }
            ProfileError::RateUnmeasured => {
                "BBR needs selective acknowledgments and the standard rules"
            }
            ProfileError::NothingDelivered => {
                "a proportional reduction needs selective acknowledgments and the standard rules"
            }
            ProfileError::NothingCounted => {
                "AccECN needs selective acknowledgments and the standard rules"
            }
            ProfileError::MarksNotCounted => {
                "Prague and L4S need feedback that counts marks: that of DCTCP or AccECN"
            }
            ProfileError::NoDuplicateThreshold => {
                "at least one duplicate acknowledgment must show a loss"
            }
            ProfileError::NoLineRate => "the host's link needs a rate above 0",
            ProfileError::Card => {
                "a card's times between raises and decays and its least rate are above 0, and its \
                 gain is above 0 and at most 1"
            }
            ProfileError::GoBackNDelayed => {
                "go-back-N needs the standard rules, and an acknowledgment for each segment"
            }
            ProfileError::NoBurst => "a burst needs at least one segment",
            ProfileError::NoAcks => "delayed acknowledgments need at least one segment each",
            ProfileError::Tick => "the timer's tick is more than 0 and at most 1 second",
            ProfileError::TimerBounds => {
                "the timer's maximum is below its minimum or its initial timeout"
            }
            ProfileError::MaximumBelowTick => {
                "the timer's maximum is below its tick or a microsecond"
            }
        })
    }
}

impl core::error::Error for ProfileError {}
