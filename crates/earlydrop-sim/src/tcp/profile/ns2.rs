//! Senders and receivers of ns-2.35, in which papers on RED of its first fifteen years simulated.
//!
//! # What it has
//! ```text
//!                 ns2                                  ns2-old-timers
//! segments        1000 bytes, no headers (useHeaders_ false)
//! initial cwnd    2                                    1
//! rwnd            20 segments
//! RTO             ticks of 10 ms, 200 ms at least,     ticks of 0.1 s, 2 ticks at least,
//!                 3 s at first                         6 s at first
//! duplicates      limited transmit (RFC 3042)          none
//! handshake       SYN and its answer                   none
//! reductions      of fractions of a segment            to whole segments
//! acknowledgments one for each segment
//! ECN             off; where it is on, retransmissions are ECN-capable
//! ```
//! # What it lacks
//! All that came later: RACK-TLP, PRR, HyStart, undo, AccECN, delivery rates. Where ns-2 and the RFCs
//! differ, ns-2 decides (`Rules::Ns2`); each mechanism's page says where.
//!
//! # Validated against
//! ns-2.35: figures of whole runs, in `docs/explanation/validation.md`.

use super::Profile;
use crate::tcp::control::Algorithm;
use crate::tcp::control::dcqcn::Card;
use crate::tcp::rto::{RtoParams, TimerClock};
use crate::tcp::settings::{
    EcnMode, Growth, Handshake, HyStartKind, LossDetection, Recovery, Reduction, RenoEstimate,
    RttSampling, Rules,
};
use earlydrop::units::Nanos;

impl Profile {
    /// ns-2.35's defaults: `rwnd` of 20 packets of 1000 bytes, ticks of 10 ms.
    ///
    /// Packets have no headers beyond their size, as with `useHeaders_ false`.
    pub const fn ns2(recovery: Recovery) -> Profile {
        Profile {
            recovery,
            loss_detection: LossDetection::DupAck,
            control: Algorithm::Reno,
            rules: Rules::Ns2,
            segment_size: 1000,
            header_size: 0,
            ack_size: 40,
            initial_window: 2,
            receiver_window: 20,
            initial_ssthresh: None,
            ecn: EcnMode::Off,
            ecn_feedback: None,
            classic_ecn_fallback: false,
            ecn_on_retransmissions: true,
            ecn_on_control: false,
            delayed_acks: None,
            timer: RtoParams {
                initial: Nanos::from_secs(3),
                minimum: Nanos::from_millis(200),
                maximum: Nanos::from_secs(60),
                tick: Nanos::from_millis(10),
                clock: TimerClock::Exact,
            },
            rtt_sampling: RttSampling::OneAtATime,
            dupack_threshold: 3,
            limited_transmit: true,
            lost_retransmissions: false,
            slow_start_restart: true,
            whole_cuts: false,
            growth: Growth::Segments,
            reno_estimate: RenoEstimate::Rising,
            hystart: HyStartKind::Off,
            least_after_mark: 1,
            quick_acks: false,
            undo: false,
            reduction: Reduction::AtOnce,
            handshake: Handshake::ThreeWay,
            line_rate: None,
            card: Card::Zhu.parameters(),
            max_burst: None,
        }
    }

    /// ns-2 as it was configured around the year 2000: ticks of 0.1 s, a least RTO of two ticks,
    /// an initial RTO of 6 s, an initial window of 1, no limited transmit, no SYN, and
    /// reductions to whole segments.
    pub const fn ns2_old_timers(recovery: Recovery) -> Profile {
        let mut profile = Profile::ns2(recovery);
        profile.timer = RtoParams {
            initial: Nanos::from_secs(6),
            minimum: Nanos::ZERO,
            maximum: Nanos::from_secs(60),
            tick: Nanos::from_millis(100),
            clock: TimerClock::Exact,
        };
        profile.initial_window = 1;
        profile.limited_transmit = false;
        profile.whole_cuts = true;
        profile.handshake = Handshake::None;
        profile
    }
}
