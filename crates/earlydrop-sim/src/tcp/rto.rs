//! How long the retransmission timer runs: RTO (RFC 6298, section 2).
//!
//! With R a measured round trip and G the clock granularity:
//! ```text
//! first sample    SRTT = R, RTTVAR = R / 2                                   2.2
//! later           RTTVAR = 3/4 RTTVAR + 1/4 |SRTT - R|                       2.3
//!                 SRTT = 7/8 SRTT + 1/8 R
//!                 RTO = SRTT + max(G, 4 RTTVAR), within minimum and maximum  2.3 to 2.5
//! always          RTO >= G, where G is at least 1 us
//! timer expires   RTO = 2 RTO, until new data is acknowledged                5.5
//! ```
//!
//! With Linux's timers the minimum bounds the term 4 RTTVAR, not RTO.
//!
//! The last line holds whatever the minimum and the initial RTO are; a maximum below G is refused.
//! A timer of zero would expire again and again at one moment.
//!
//! ns-2 computes in whole clock ticks. R is the number of ticks that passed, SRTT is stored in
//! eighths and RTTVAR in quarters of a tick. The minimum applies before doubling, and RTO is
//! at least two ticks. The phase of the clock is random in each ns-2 connection; here it is
//! made from the time at which the connection starts.
//!
//! # Validated against
//! Linux 6.1, by scripts without a difference: Linux `silence`: 1 of 1 scripts, Linux `outage`: 5 of 5
//! scripts. ns-2's: timeouts of whole runs.

use earlydrop::packet::FlowKey;
use earlydrop::units::Nanos;

use super::settings::Rules;

/// Parameters of the retransmission timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RtoParams {
    /// RTO before the first measurement (RFC 6298, 2.1).
    pub initial: Nanos,
    /// Least RTO (RFC 6298, 2.4). Zero leaves it to [`tick`](RtoParams::tick).
    pub minimum: Nanos,
    /// Greatest RTO, doublings included (RFC 6298, 2.5).
    pub maximum: Nanos,
    /// Granularity of the clock that measures round trips: G of RFC 6298. RTO is never below it.
    pub tick: Nanos,
    /// How timers expire, and what the minimum bounds, with the standard rules.
    pub clock: TimerClock,
}

/// How timers expire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimerClock {
    /// To the nanosecond.
    Exact,
    /// As Linux's at 1000 Hz: with ticks of a millisecond, and late by up to an eighth, as the
    /// timer wheel has it. RTO is SRTT + max(minimum, 4 RTTVAR) (`tcp_rtt_estimator`), and the
    /// timers of RACK and TLP have 2 ms more (TCP_TIMEOUT_MIN_US).
    Linux,
}

/// A tick of Linux's clock at 1000 Hz, ns.
pub(super) const JIFFY: u64 = 1_000_000;
/// Ticks on Linux's clock at time 0, of which only the remainder by 64 and more matters. It is
/// arbitrary on a real host; this is the reference's.
const JIFFIES_AT_START: u64 = 32;
/// Ticks that a level of the timer wheel has at most, less one, divided by its granularity.
const WHEEL_LEVEL: u64 = 63;

/// Ticks between two buckets of the last level: 8^8.
const LAST_GRAIN: u64 = 1 << 24;

/// When a timer of Linux expires that is set now to `timeout` (`calc_wheel_index`): at a multiple of
/// 8^level ticks that is later than the timeout; below 63 ticks the level is 0, below 504 it is 1. The
/// wheel has 9 levels.
pub(super) fn wheel_expiry(now: Nanos, timeout: Nanos) -> Nanos {
    let ticks = timeout.0.div_ceil(JIFFY);
    let mut grain = 1;
    while ticks >= WHEEL_LEVEL * grain && grain < LAST_GRAIN {
        grain *= 8;
    }
    let due = now.0 / JIFFY + JIFFIES_AT_START + ticks;
    Nanos(((due / grain + 1) * grain - JIFFIES_AT_START).saturating_mul(JIFFY))
}

impl RtoParams {
    /// Below this RTO never is: the tick, and [`LEAST_RTO`].
    #[inline]
    pub fn floor(&self) -> Nanos {
        self.tick.max(LEAST_RTO)
    }
}

/// RTO is never below it, however fine the clock is.
pub const LEAST_RTO: Nanos = Nanos::from_micros(1);

/// Beyond this factor of backoff ns-2 discards SRTT.
const NS2_DISCARDS_SRTT_BEYOND: u32 = 8;

/// From this factor of backoff on ns-2 doubles further only below the maximum.
const NS2_DOUBLES_ANYWAY_BELOW: u32 = 64;

/// Estimates the round-trip time, and RTO from it.
#[derive(Clone, Copy, Debug)]
#[repr(C)] // What every acknowledgment needs first.
pub struct RtoEstimator {
    /// RTO, nanoseconds: read more often than it changes.
    rto: u64,
    /// RTO neither bounded nor doubled, nanoseconds.
    base: u64,
    /// Factor by which RTO is backed off.
    backoff: u32,
    /// When ns-2's clock ticks, nanoseconds after each full tick; with the standard rules whether
    /// timers are Linux's.
    phase: u32,
    /// SRTT in nanoseconds, or in eighths of a tick; 0 before the first measurement.
    srtt: u64,
    /// RTTVAR in nanoseconds, or in quarters of a tick.
    rttvar: u64,
}

impl RtoEstimator {
    /// An estimator without a measurement, for a connection that starts now.
    pub fn new(params: &RtoParams, rules: Rules, now: Nanos) -> RtoEstimator {
        let mut estimator = RtoEstimator {
            rto: 0,
            srtt: 0,
            rttvar: 0,
            base: params.initial.max(params.floor()).0,
            phase: match rules {
                Rules::Ns2 => (FlowKey(now.0).hash(0) % params.tick.0) as u32,
                Rules::Standard => u32::from(params.clock == TimerClock::Linux),
            },
            backoff: 1,
        };
        estimator.update_rto(params, rules);
        estimator
    }

    /// The retransmission timeout, backoff included.
    #[inline]
    pub fn rto(&self) -> Nanos {
        Nanos(self.rto)
    }

    /// The smoothed round-trip time; zero before the first measurement.
    #[inline]
    pub fn srtt(&self, params: &RtoParams, rules: Rules) -> Nanos {
        match rules {
            Rules::Standard => Nanos(self.srtt),
            Rules::Ns2 => Nanos(self.srtt * params.tick.0 / 8),
        }
    }

    /// Twice SRTT, with the standard rules; `None` before the first measurement.
    #[inline(always)]
    pub(super) fn twice_srtt(&self) -> Option<Nanos> {
        (self.srtt != 0).then_some(Nanos(2 * self.srtt))
    }

    /// Whether timers are Linux's; `false` with ns-2's rules, which have none of those that ask.
    #[inline(always)]
    pub(super) fn has_linux_timers(&self) -> bool {
        self.phase == 1
    }

    /// The factor by which RTO is backed off: 1, 2, 4, ...
    pub fn backoff(&self) -> u32 {
        self.backoff
    }

    /// Takes the backoff back.
    #[inline]
    pub fn end_backoff(&mut self, params: &RtoParams, rules: Rules) {
        if self.backoff != 1 {
            self.backoff = 1;
            self.update_rto(params, rules);
        }
    }

    /// Sets RTO to `rto` before bounds, without backoff.
    pub fn reset(&mut self, params: &RtoParams, rules: Rules, rto: Nanos) {
        self.base = rto.max(params.floor()).0;
        self.backoff = 1;
        self.update_rto(params, rules);
    }

    /// Takes a round trip `rtt` that ends now into account.
    #[inline]
    pub fn measure(&mut self, params: &RtoParams, rules: Rules, rtt: Nanos, now: Nanos) {
        match rules {
            Rules::Standard => self.measure_nanos(params, rtt.0),
            Rules::Ns2 => self.measure_ticks(params, rtt.0, now.0),
        }
        self.update_rto(params, rules);
    }

    #[inline]
    fn measure_nanos(&mut self, params: &RtoParams, rtt: u64) {
        let rtt = rtt.max(1);
        if self.srtt == 0 {
            // RFC 6298, 2.2.
            self.srtt = rtt;
            self.rttvar = rtt / 2;
        } else {
            // RFC 6298, 2.3: beta = 1/4, alpha = 1/8.
            let error = self.srtt.abs_diff(rtt);
            self.rttvar = self.rttvar - self.rttvar / 4 + error / 4;
            self.srtt = self.srtt - self.srtt / 8 + rtt / 8;
        }
        self.backoff = 1;
        let floor = match params.clock {
            TimerClock::Exact => params.floor(),
            TimerClock::Linux => params.floor().max(params.minimum),
        };
        self.base = self.srtt + floor.0.max(4 * self.rttvar);
        if params.clock == TimerClock::Linux {
            // Doublings are of whole ticks.
            self.base = self.base.div_ceil(JIFFY).saturating_mul(JIFFY);
        }
    }

    fn measure_ticks(&mut self, params: &RtoParams, rtt: u64, now: u64) {
        let tick = params.tick.0;
        let since_tick = (now - rtt + u64::from(self.phase)) % tick;
        let ticks = ((rtt + since_tick) / tick).max(1) as i64;
        if self.srtt == 0 {
            self.srtt = 8 * ticks as u64;
            self.rttvar = 2 * ticks as u64;
        } else {
            let error = ticks - (self.srtt / 8) as i64;
            self.srtt = (self.srtt as i64 + error).max(1) as u64;
            let error = error.abs() - (self.rttvar / 4) as i64;
            self.rttvar = (self.rttvar as i64 + error).max(1) as u64;
        }
        self.base = (8 * self.rttvar + self.srtt) / 8 * tick;
    }

    /// Doubles RTO, as the timer expired (RFC 6298, 5.5).
    pub fn back_off(&mut self, params: &RtoParams, rules: Rules) {
        let below = self.rto() < params.maximum;
        if below || (rules == Rules::Ns2 && self.backoff < NS2_DOUBLES_ANYWAY_BELOW) {
            self.backoff = self.backoff.saturating_mul(2);
        }
        if rules == Rules::Ns2 && self.backoff > NS2_DISCARDS_SRTT_BEYOND {
            self.rttvar += self.srtt / 8;
            self.srtt = 0;
        }
        self.update_rto(params, rules);
    }

    /// Computes RTO within its bounds (RFC 6298, 2.4, 2.5).
    fn update_rto(&mut self, params: &RtoParams, rules: Rules) {
        let base = self.base.max(params.minimum.0);
        let doubled = base.saturating_mul(u64::from(self.backoff));
        let bounded = doubled.min(params.maximum.0);
        self.rto = match rules {
            Rules::Standard => bounded,
            Rules::Ns2 => bounded.max(2 * params.tick.0).max(LEAST_RTO.0),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Profile, Recovery};
    use super::*;

    const fn ms(millis: u64) -> Nanos {
        Nanos::from_millis(millis)
    }

    #[test]
    fn the_minimum_rto_of_modern_and_linux_is_200_ms() {
        use super::super::Algorithm;
        for algorithm in [Algorithm::Reno, Algorithm::Cubic] {
            assert_eq!(Profile::modern(algorithm).timer.minimum, ms(200));
            assert_eq!(Profile::linux(algorithm).timer.minimum, ms(200));
        }
    }

    #[test]
    fn rto_follows_rfc_6298() {
        let params = RtoParams {
            initial: ms(1000),
            minimum: ms(200),
            maximum: Nanos::from_secs(60),
            tick: ms(1),
            clock: TimerClock::Exact,
        };
        let rules = Rules::Standard;
        let mut estimator = RtoEstimator::new(&params, rules, ms(0));
        assert_eq!(estimator.rto(), ms(1000));
        estimator.measure(&params, rules, ms(200), ms(200));
        // 200 + 4 * 100.
        assert_eq!(estimator.rto(), ms(600));
        estimator.measure(&params, rules, ms(280), ms(500));
        // RTTVAR = 75 + 20, SRTT = 175 + 35.
        assert_eq!(estimator.rto(), ms(210 + 4 * 95));
        estimator.back_off(&params, rules);
        assert_eq!(estimator.rto(), ms(1180));
        estimator.measure(&params, rules, ms(210), ms(900));
        assert_eq!(estimator.rto(), ms(210 + 285));
        // A constant round trip: the tick and the minimum count.
        for _ in 0..100 {
            estimator.measure(&params, rules, ms(400), ms(900));
        }
        let rto = estimator.rto();
        assert!(ms(400) < rto && rto <= ms(402), "{rto}");
        for _ in 0..100 {
            estimator.measure(&params, rules, ms(10), ms(900));
        }
        assert_eq!(estimator.rto(), ms(200));
    }

    #[test]
    fn linux_bounds_the_variance_term_and_rounds_timers_up_by_its_wheel() {
        let params = RtoParams {
            clock: TimerClock::Linux,
            ..Profile::modern(super::super::Algorithm::Reno).timer
        };
        let mut estimator = RtoEstimator::new(&params, Rules::Standard, ms(0));
        for _ in 0..50 {
            estimator.measure(&params, Rules::Standard, ms(100), ms(900));
        }
        assert_eq!(estimator.rto(), ms(300));
        // Level 0: the next tick. Level 1: multiples of 8 ticks; level 2: of 64, 32 at the start.
        assert_eq!(wheel_expiry(Nanos(10_400_000), ms(5)), ms(16));
        assert_eq!(wheel_expiry(Nanos(10_400_000), ms(63)), ms(80));
        assert_eq!(wheel_expiry(Nanos(10_400_000), ms(62)), ms(73));
        assert_eq!(wheel_expiry(ms(0), ms(504)), ms(544));
        assert_eq!(wheel_expiry(ms(0), Nanos::NEVER), Nanos::NEVER);
    }

    #[test]
    fn rto_is_never_below_the_tick_nor_a_microsecond() {
        let least = |tick: Nanos, rules| {
            let params = RtoParams {
                initial: Nanos::ZERO,
                minimum: Nanos::ZERO,
                maximum: tick.max(LEAST_RTO),
                tick,
                clock: TimerClock::Exact,
            };
            let mut estimator = RtoEstimator::new(&params, rules, ms(0));
            let mut least = estimator.rto();
            for now in 1..100 {
                estimator.measure(&params, rules, Nanos(now % 3), ms(now));
                least = least.min(estimator.rto());
                estimator.back_off(&params, rules);
                least = least.min(estimator.rto());
            }
            least
        };
        for rules in [Rules::Standard, Rules::Ns2] {
            assert_eq!(least(Nanos(1), rules), LEAST_RTO);
        }
        assert_eq!(least(ms(1), Rules::Standard), ms(1));
        assert_eq!(least(ms(1), Rules::Ns2), ms(2));
    }

    #[test]
    fn rto_in_ticks_is_that_of_ns2() {
        let profile = Profile::ns2_old_timers(Recovery::Reno);
        let params = profile.timer;
        let rules = Rules::Ns2;
        let mut estimator = RtoEstimator::new(&params, rules, ms(0));
        assert_eq!(estimator.rto(), Nanos::from_secs(6));
        // 300 ms are 3 ticks: 3 + 4 * 1.5.
        estimator.measure(&params, rules, ms(300), ms(300));
        assert_eq!(estimator.rto(), ms(900));
        // The deviation is now 0: 6 - 1 = 5 quarters, 3 + 5.
        estimator.measure(&params, rules, ms(300), ms(600));
        assert_eq!(estimator.rto(), ms(800));
        for _ in 0..20 {
            estimator.measure(&params, rules, ms(300), ms(900));
        }
        // RTTVAR stops at 3 quarters of a tick: less than one has no effect.
        assert_eq!(estimator.rto(), ms(600));
        for (doublings, timeout) in [(1, 1200), (2, 2400), (3, 4800), (4, 9600)] {
            estimator.back_off(&params, rules);
            assert_eq!(estimator.backoff(), 1 << doublings);
            assert_eq!(estimator.rto(), ms(timeout));
        }
        // Beyond 8 SRTT is discarded.
        assert_eq!(estimator.srtt(&params, rules), Nanos::ZERO);
    }

    #[test]
    fn three_ticks_are_the_least_rto_in_ns2() {
        let profile = Profile::ns2_old_timers(Recovery::Reno);
        let mut estimator = RtoEstimator::new(&profile.timer, Rules::Ns2, ms(0));
        for _ in 0..20 {
            estimator.measure(&profile.timer, Rules::Ns2, ms(1), ms(900));
        }
        // One tick is the least round trip, and half of it the least deviation: the bound of two
        // ticks does not apply.
        assert_eq!(estimator.rto(), ms(300));
    }
}
