//! A sender and a receiver of Linux 6.1: `modern` with what is known to differ in `tcp_input.c`,
//! `tcp_cong.c`, `tcp_cubic.c`, `tcp_dctcp.c`, `tcp_bbr.c` and `tcp_timer.c`.
//!
//! # What differs from `modern`
//! ```text
//! cwnd            grows and falls by whole segments; what remains is counted    tcp_cong_avoid_ai
//! reductions      proportional (PRR), also after marks, but for Prague          tcp_cwnd_reduction
//! ssthresh        Reno: half of cwnd, not of what is in flight                  tcp_reno_ssthresh
//! growth          also by the acknowledgment that ends a recovery               tcp_cong_control
//! CUBIC           integers and ticks; the estimate of Reno does not rise;       bictcp_update
//!                 HyStart by trains of acknowledgments and by delay; a mark
//!                 leaves 2 segments at least
//! BBR             integers; 99% of the rate, room for bursts and aggregated     bbr_main
//!                 acknowledgments; begins with the SYN's round trip; cwnd in
//!                 recovery is its own, without PRR
//! pacing          not of the first 10 segments; what one is late shortens the   tcp_update_skb_after_send
//!                 next gap, to half of it at least
//! DCTCP           integers; alpha is renewed once what was sent before is       dctcp_update_alpha
//!                 acknowledged cumulatively
//! loss after mark goes on with the reduction of the mark                        tcp_enter_recovery
//! timeout         cwnd is one more than what is in flight                       tcp_enter_loss
//! marks           ECE counts on the acknowledgment that ends a repair           tcp_try_to_open
//! RTO             SRTT + max(200 ms, 4 RTTVAR)                                  tcp_set_rto
//! timers          expire with ticks of 1 ms, late by up to an eighth;           timer wheel
//!                 those of RACK and TLP have 2 ms more                          TCP_TIMEOUT_MIN_US
//! round trips     of each segment, also of those that SACK reports              tcp_sacktag_one
//! acknowledgments the first 16, and some with marks, are not delayed            tcp_in_quickack_mode
//! ```
//! # What it lacks
//! - `cubic_root`'s table, from which it takes a first guess: here an equation gives one that has the
//!   same effect in the recorded scripts. Elsewhere CUBIC's K may differ by up to 0.3%.
//! - The new recovery that a lost retransmission begins after a timeout (`FLAG_LOST_RETRANS` in the
//!   state Loss, `tcp_fastretrans_alert`): here it is retransmitted within the timeout's repair.
//! - BBR's bandwidth for policers (`bbr_lt_bw_sampling`), its maximum of 10 rounds by three samples
//!   (`minmax_running_max`), and its care for round trips of delayed acknowledgments.
//! - TCP small queues, offloads, autotuning of windows, and pacing by `fq`.
//!
//! # Validated against
//! Linux 6.1, acknowledgment by acknowledgment: 59 of 59 scripts without a difference in the time of
//! any transmission, nor in `cwnd` and `ssthresh` outside recovery. One that gets worse
//! would stand in `tests/tcp_linux/misses.txt`, with its kernel function.

use super::Profile;
use crate::tcp::control::Algorithm;
use crate::tcp::rto::TimerClock;
use crate::tcp::settings::{Growth, HyStartKind, Reduction, RenoEstimate, RttSampling};

impl Profile {
    /// [`Profile::modern`] with what is known to differ in Linux 6.1.
    pub const fn linux(algorithm: Algorithm) -> Profile {
        let mut profile = Profile::modern(algorithm);
        profile.whole_cuts = true;
        profile.growth = Growth::CountedAsLinux;
        profile.reno_estimate = RenoEstimate::Steady;
        profile.hystart = HyStartKind::Linux;
        profile.least_after_mark = 2;
        // Linux's Prague does not use PRR for marks: cwnd also grows while it is reduced. BBR sets
        // cwnd itself in recovery (`tcp_cong_control`).
        profile.reduction = match algorithm {
            Algorithm::Prague | Algorithm::Bbr | Algorithm::Bbr3 => Reduction::AtOnce,
            _ => Reduction::Proportional,
        };
        profile.quick_acks = true;
        profile.timer.clock = TimerClock::Linux;
        profile.rtt_sampling = RttSampling::BySegment;
        profile
    }
}
