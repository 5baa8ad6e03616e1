//! A sender's timers: the retransmission timer with the round trips that it is made from
//! (RFC 6298, sections 3 and 5), and the timer of RACK-TLP (RFC 8985).
//!
//! At most one of PTO and the reordering timer of RACK-TLP runs, and it expires before the
//! retransmission timer does. How RTO follows from round trips is in `rto.rs`; what happens when a
//! timer expires, in `timeout.rs` and `recovery`.

use earlydrop::units::Nanos;

use crate::tcp::profile::Profile;
use crate::tcp::rto::{RtoEstimator, wheel_expiry};
use crate::tcp::segment::Ack;
use crate::tcp::settings::RttSampling;

/// TLP.max_ack_delay, for which RFC 8985 names no value: Linux's.
const MAX_ACK_DELAY: Nanos = Nanos::from_millis(200);
/// PTO before a round trip was measured (RFC 8985, 7.2).
const PTO_WITHOUT_RTT: Nanos = Nanos::from_secs(1);
/// What Linux adds to the timers of RACK and TLP (TCP_TIMEOUT_MIN_US).
const LINUX_MARGIN: Nanos = Nanos::from_millis(2);

/// The retransmission timer.
#[derive(Clone, Debug)]
#[repr(C)]
pub(in crate::tcp) struct RtoTimer {
    /// When it expires; [`Nanos::NEVER`]: it is off.
    pub(in crate::tcp) expiry: Nanos,
    /// When the segment being timed was sent; [`Nanos::NEVER`]: none is.
    rtt_sent_at: Nanos,
    estimator: RtoEstimator,
    /// The number of the segment whose round trip is being timed.
    rtt_seq: u32,
    /// Whether nothing was acknowledged since it expired.
    pub(in crate::tcp) repeats: bool,
    /// Whether this recovery's first partial ACK restarted it (RFC 6582, 3.2, step 3).
    pub(in crate::tcp) partial_ack_seen: bool,
    /// Whether an ECE found `cwnd` at 1, so that RTO is backed off (ns-2).
    pub(in crate::tcp) ece_at_cwnd_one: bool,
    /// Whether it expired for the first segment of a connection.
    pub(in crate::tcp) first_segment_lost: bool,
}

impl RtoTimer {
    /// A timer that is off, of a connection that starts now.
    pub(in crate::tcp) fn new(profile: &Profile, now: Nanos) -> RtoTimer {
        RtoTimer {
            expiry: Nanos::NEVER,
            rtt_sent_at: Nanos::NEVER,
            estimator: RtoEstimator::new(&profile.timer, profile.rules, now),
            rtt_seq: 0,
            repeats: false,
            partial_ack_seen: false,
            ece_at_cwnd_one: false,
            first_segment_lost: false,
        }
    }

    /// The smoothed round-trip time, SRTT of RFC 6298; zero before the first measurement.
    #[inline]
    pub(in crate::tcp) fn srtt(&self, profile: &Profile) -> Nanos {
        self.estimator.srtt(&profile.timer, profile.rules)
    }

    /// The retransmission timeout, RTO of RFC 6298, doublings included.
    #[inline(always)]
    pub(in crate::tcp) fn rto(&self) -> Nanos {
        self.estimator.rto()
    }

    /// Restarts the timer, so that it expires after RTO from now.
    #[inline]
    pub(in crate::tcp) fn rearm(&mut self, now: Nanos) {
        self.expiry = self.expiry_of(self.rto(), now);
    }

    /// Doubles RTO. RFC 6298, 5.5: "The host MUST set RTO <- RTO * 2 ("back off the timer")."
    pub(in crate::tcp) fn back_off(&mut self, profile: &Profile) {
        self.estimator.back_off(&profile.timer, profile.rules);
    }

    /// Takes doublings of RTO back.
    #[inline]
    pub(in crate::tcp) fn end_backoff(&mut self, profile: &Profile) {
        self.estimator.end_backoff(&profile.timer, profile.rules);
    }

    /// Starts over with an RTO of `rto`, and nothing measured.
    pub(in crate::tcp) fn reset(&mut self, profile: &Profile, rto: Nanos) {
        self.estimator.reset(&profile.timer, profile.rules, rto);
    }

    /// Starts to time `number`, unless another segment is being timed (RFC 6298, 3).
    #[inline(always)]
    pub(in crate::tcp) fn time_segment(&mut self, number: u32, now: Nanos) {
        if self.rtt_sent_at == Nanos::NEVER {
            self.rtt_seq = number;
            self.rtt_sent_at = now;
        }
    }

    /// Times no segment any more. RFC 6298, 3: "RTT samples MUST NOT be made using segments that
    /// were retransmitted".
    pub(in crate::tcp) fn stop_timing(&mut self) {
        self.rtt_sent_at = Nanos::NEVER;
    }

    /// Stops timing a segment that an ACK up to `next` covers, without a sample; returns whether
    /// there was one.
    #[inline]
    pub(in crate::tcp) fn discard_sample(&mut self, next: u32) -> bool {
        let covered = self.times_below(next);
        if covered {
            self.stop_timing();
        }
        covered
    }

    #[inline(always)]
    fn times_below(&self, next: u32) -> bool {
        self.rtt_sent_at != Nanos::NEVER && next > self.rtt_seq
    }

    /// Notes whether an ECE found `cwnd` at 1; returns whether the ACK before did (ns-2).
    #[inline]
    pub(in crate::tcp) fn note_ece_at_cwnd_one(&mut self, at_one: bool) -> bool {
        core::mem::replace(&mut self.ece_at_cwnd_one, at_one)
    }

    /// Takes the round trip that `ack` measures, where it measures one (RFC 6298, 3: one segment
    /// at a time and by Karn's rule; RFC 7323: every segment, by its timestamp).
    #[inline(always)]
    pub(in crate::tcp) fn sample_rtt(
        &mut self,
        profile: &Profile,
        ack: &Ack,
        now: Nanos,
    ) -> Option<Nanos> {
        let rtt = match profile.rtt_sampling {
            RttSampling::OneAtATime => {
                if !self.times_below(ack.next) {
                    return None;
                }
                if !(ack.ece && self.ece_at_cwnd_one) {
                    self.end_backoff(profile);
                    self.ece_at_cwnd_one = false;
                }
                let sent_at = core::mem::replace(&mut self.rtt_sent_at, Nanos::NEVER);
                now.since(sent_at)
            }
            RttSampling::Every | RttSampling::BySegment => {
                self.end_backoff(profile);
                now.since(ack.echo)
            }
        };
        self.measure(profile, rtt, now);
        Some(rtt)
    }

    /// Takes a round trip that ends now.
    #[inline]
    pub(in crate::tcp) fn measure(&mut self, profile: &Profile, rtt: Nanos, now: Nanos) {
        let (timer, rules) = (&profile.timer, profile.rules);
        self.estimator.measure(timer, rules, rtt, now);
    }

    /// When a timer expires that is set now to `timeout`.
    #[inline(always)]
    fn expiry_of(&self, timeout: Nanos, now: Nanos) -> Nanos {
        match self.estimator.has_linux_timers() {
            true => wheel_expiry(now, timeout),
            false => now + timeout,
        }
    }
}

/// Which timer of RACK-TLP runs, or may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tcp) enum LossTimerKind {
    /// None, and new data arms none: without RACK, in recovery, while a probe is in flight.
    Off,
    /// None; new data arms PTO.
    Idle,
    /// PTO (RFC 8985, 7.2).
    Probe,
    /// The reordering timer (RFC 8985, 6.2, step 5).
    Reordering,
}

/// The unit of [`LossTimer::lead`]: 2^4 ns.
const UNIT: u32 = 4;

/// The timer of RACK-TLP.
#[derive(Clone, Copy, Debug)]
#[repr(Rust, packed)] // 5 bytes instead of 8, so that flags fit beside it.
pub(in crate::tcp) struct LossTimer {
    /// How long before the retransmission timer it expires, in units of 16 ns; 0: it does not run.
    /// A difference takes half of a time's memory.
    lead: u32,
    kind: LossTimerKind,
}

impl LossTimer {
    pub(in crate::tcp) const OFF: LossTimer = LossTimer::stopped(LossTimerKind::Off);
    pub(in crate::tcp) const IDLE: LossTimer = LossTimer::stopped(LossTimerKind::Idle);

    const fn stopped(kind: LossTimerKind) -> LossTimer {
        LossTimer { lead: 0, kind }
    }

    /// A timer that expires at `at`: at least one unit and at most 68 s before `rto_expiry`.
    #[inline(always)]
    fn at(kind: LossTimerKind, at: Nanos, rto_expiry: Nanos) -> LossTimer {
        let lead = rto_expiry.0.saturating_sub(at.0) >> UNIT;
        let lead = lead.clamp(1, u32::MAX.into()) as u32;
        LossTimer { lead, kind }
    }

    /// Which timer runs.
    #[inline(always)]
    pub(in crate::tcp) fn kind(self) -> LossTimerKind {
        self.kind
    }

    /// When this timer or the retransmission timer expires, whichever is first.
    #[inline(always)]
    pub(in crate::tcp) fn expiry(self, rto: &RtoTimer) -> Nanos {
        Nanos(rto.expiry.0 - (u64::from(self.lead) << UNIT))
    }

    /// Whether the timer has expired.
    #[inline]
    pub(in crate::tcp) fn has_expired(self, rto: &RtoTimer, now: Nanos) -> bool {
        self.lead != 0 && now >= self.expiry(rto)
    }

    /// Arms PTO while segments are in flight (RFC 8985, 7.2, TLP_calc_PTO).
    #[inline(always)]
    pub(in crate::tcp) fn arm_probe(&mut self, in_flight: u32, rto: &RtoTimer, now: Nanos) {
        if in_flight == 0 {
            *self = LossTimer::IDLE;
            return;
        }
        let mut pto = rto.estimator.twice_srtt().unwrap_or(PTO_WITHOUT_RTT);
        if in_flight == 1 && pto != PTO_WITHOUT_RTT {
            pto += MAX_ACK_DELAY;
        } else if rto.estimator.has_linux_timers() {
            pto += LINUX_MARGIN;
        }
        *self = LossTimer::at(LossTimerKind::Probe, rto.expiry_of(pto, now), rto.expiry);
    }

    /// Arms the reordering timer to expire `timeout` from now, unless the retransmission timer
    /// expires by then.
    pub(in crate::tcp) fn arm_reordering(&mut self, timeout: Nanos, rto: &RtoTimer, now: Nanos) {
        let margin = match rto.estimator.has_linux_timers() {
            true => LINUX_MARGIN,
            false => Nanos::ZERO,
        };
        let at = rto.expiry_of(timeout + margin, now);
        *self = LossTimer::at(LossTimerKind::Reordering, at, rto.expiry);
        if self.expiry(rto) <= now {
            *self = LossTimer::OFF;
        }
    }
}
