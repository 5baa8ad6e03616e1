//! A sender and a receiver of today by the RFCs: what hosts have agreed on, without what one kernel does.
//!
//! # What it has
//! ```text
//! segments        1500 bytes on the wire, of which 52 are headers (IPv4, TCP, timestamps)
//! initial cwnd    10 segments                                                   RFC 6928
//! recovery        SACK with RACK-TLP; cwnd falls at once                        RFC 6675, RFC 8985
//! spurious loss   undone: timestamps, DSACK, and F-RTO after a timeout          RFC 3522, 3708, 5682
//! slow start      HyStart++ ends it for CUBIC                                   RFC 9406
//! RTO             SRTT + max(tick, 4 RTTVAR), 200 ms at least, 1 s at first     RFC 6298
//! after a timeout cwnd is 1                                                     RFC 5681, 3.1
//! idle            cwnd is the initial one at most after RTO                     RFC 5681, 4.1
//! acknowledgments every second segment, or after 40 ms                          RFC 1122, RFC 5681
//! ECN             off, unless the controller needs marks: then also on SYN,     RFC 8257, RFC 9331
//!                 acknowledgments and retransmissions
//! ```
//! # What it lacks
//! - Pacing but in BBR, BBRv3 and Prague: others send what a window allows back to back, as hosts
//!   without a pacing queue do.
//! - Limits on what a host keeps in its own queue, segmentation offload, and aggregation at the
//!   receiver: `delayed_acks` stretches acknowledgments, a link's `aggregation` delays them.
//! - A receive window that grows: `tcp.receiver_window` is granted from the start.
//! - RFC 6298's least RTO of 1 s: no host of today has it.
//! - Floors below RACK's and TLP's timers, and granularity of timers: they expire to the nanosecond.
//!
//! # Validated against
//! What it shares with `linux`, by that profile; mechanism by mechanism, by their own pages. ns-3 3.48:
//! figures of whole runs of Reno and CUBIC, with ns-3's settings.

use super::Profile;
use crate::tcp::control::Algorithm;
use crate::tcp::control::dcqcn::Card;
use crate::tcp::rto::{RtoParams, TimerClock};
use crate::tcp::settings::{
    DelayedAcks, EcnMode, Growth, Handshake, HyStartKind, LossDetection, Recovery, Reduction,
    RenoEstimate, RttSampling, Rules,
};
use earlydrop::units::Nanos;

impl Profile {
    /// A sender of today by the RFCs.
    pub const fn modern(algorithm: Algorithm) -> Profile {
        let controller = algorithm.controller();
        Profile {
            recovery: Recovery::Sack,
            loss_detection: LossDetection::Rack,
            control: algorithm,
            rules: Rules::Standard,
            segment_size: 1500,
            header_size: 52,
            ack_size: 40,
            initial_window: 10,
            receiver_window: 65_535,
            initial_ssthresh: None,
            ecn: controller.ecn,
            ecn_feedback: controller.feedback,
            classic_ecn_fallback: false,
            ecn_on_retransmissions: matches!(controller.ecn, EcnMode::Dctcp | EcnMode::L4s),
            ecn_on_control: matches!(controller.ecn, EcnMode::Dctcp | EcnMode::L4s),
            delayed_acks: Some(DelayedAcks {
                every: 2,
                timeout: Nanos::from_millis(40),
            }),
            timer: RtoParams {
                initial: Nanos::from_secs(1),
                minimum: Nanos::from_millis(200),
                maximum: Nanos::from_secs(60),
                tick: Nanos::from_millis(1),
                clock: TimerClock::Exact,
            },
            rtt_sampling: RttSampling::Every,
            dupack_threshold: 3,
            limited_transmit: true,
            lost_retransmissions: true,
            slow_start_restart: true,
            whole_cuts: false,
            growth: Growth::Segments,
            reno_estimate: RenoEstimate::Rising,
            hystart: HyStartKind::PlusPlus,
            least_after_mark: 1,
            quick_acks: false,
            undo: true,
            reduction: Reduction::AtOnce,
            handshake: Handshake::ThreeWay,
            line_rate: None,
            card: Card::Zhu.parameters(),
            max_burst: None,
        }
    }
}
