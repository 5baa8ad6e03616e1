//! The retransmission timer's length.
//!
//! RFC 6298, with R a measured round trip and G the clock's tick:
//! ```text
//! first      SRTT = R, RTTVAR = R / 2
//! later      RTTVAR = 3/4 RTTVAR + 1/4 |SRTT - R|,  SRTT = 7/8 SRTT + 1/8 R
//!            RTO = SRTT + max(G, 4 RTTVAR), between the minimum and the maximum
//! ran out    RTO = 2 RTO, until something is measured again
//! ```
//!
//! ns-2 computes with whole ticks: R is the number of ticks that passed, SRTT is kept
//! in eighths and RTTVAR in quarters of a tick, the minimum applies before doubling,
//! and two ticks are the least. Its clock ticks at a random moment of each connection's
//! own; here a moment made from the time the connection starts.

use earlydrop::packet::FlowKey;
use earlydrop::units::Nanos;

use super::profile::Rules;

/// What bounds the retransmission timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimerRules {
    /// Before anything is measured.
    pub initial: Nanos,
    /// At least.
    pub minimum: Nanos,
    /// At most, however often it was doubled.
    pub maximum: Nanos,
    /// How fine the clock is that measures round trips.
    pub tick: Nanos,
}

/// Doublings after which ns-2 forgets the round trip it knew.
const FORGET_BEYOND: u32 = 8;

/// Doubled so often, ns-2's timer is doubled further only below the maximum.
const DOUBLED_ANYWAY: u32 = 64;

/// The estimate of the round trip, and the timeout it gives.
#[derive(Clone, Copy, Debug)]
#[repr(C)] // What every acknowledgment needs first.
pub struct Estimator {
    /// The timeout in nanoseconds: asked for more often than it changes.
    timeout: u64,
    /// The same neither bounded nor doubled yet.
    base: u64,
    /// What the timeout is multiplied with.
    backoff: u32,
    /// When the clock ticks, in nanoseconds after each full tick.
    phase: u32,
    /// SRTT in nanoseconds, or in eighths of a tick; 0 when nothing was measured.
    smoothed: u64,
    /// RTTVAR in nanoseconds, or in quarters of a tick.
    variation: u64,
}

impl Estimator {
    /// Nothing measured yet, on a connection that starts now.
    pub fn new(rules: &TimerRules, style: Rules, now: Nanos) -> Estimator {
        let mut estimator = Estimator {
            timeout: 0,
            smoothed: 0,
            variation: 0,
            base: rules.initial.0,
            phase: (FlowKey(now.0).hash(0) % rules.tick.0) as u32,
            backoff: 1,
        };
        estimator.refresh(rules, style);
        estimator
    }

    /// The smoothed round trip; zero before the first measurement.
    #[inline]
    pub fn smoothed(&self, rules: &TimerRules, style: Rules) -> Nanos {
        match style {
            Rules::Standard => Nanos(self.smoothed),
            Rules::Ns2 => Nanos(self.smoothed * rules.tick.0 / 8),
        }
    }

    /// What the timeout is multiplied with: 1, 2, 4, ...
    pub fn backoff(&self) -> u32 {
        self.backoff
    }

    /// Takes doubling back, as new data was acknowledged.
    #[inline]
    pub fn end_backoff(&mut self, rules: &TimerRules, style: Rules) {
        if self.backoff != 1 {
            self.backoff = 1;
            self.refresh(rules, style);
        }
    }

    /// Starts over with `timeout`, nothing measured.
    pub fn restart_with(&mut self, rules: &TimerRules, style: Rules, timeout: Nanos) {
        self.base = timeout.0;
        self.backoff = 1;
        self.refresh(rules, style);
    }

    /// A round trip of `span` was measured, ending now.
    #[inline]
    pub fn measure(&mut self, rules: &TimerRules, style: Rules, span: Nanos, now: Nanos) {
        match style {
            Rules::Standard => self.measure_exactly(rules, span.0),
            Rules::Ns2 => self.measure_ticks(rules, span.0, now.0),
        }
        self.refresh(rules, style);
    }

    #[inline]
    fn measure_exactly(&mut self, rules: &TimerRules, span: u64) {
        let span = span.max(1);
        if self.smoothed == 0 {
            self.smoothed = span;
            self.variation = span / 2;
        } else {
            let error = self.smoothed.abs_diff(span);
            self.variation = self.variation - self.variation / 4 + error / 4;
            self.smoothed = self.smoothed - self.smoothed / 8 + span / 8;
        }
        self.backoff = 1;
        self.base = self.smoothed + rules.tick.0.max(4 * self.variation);
    }

    fn measure_ticks(&mut self, rules: &TimerRules, span: u64, now: u64) {
        let tick = rules.tick.0;
        let since_tick = (now - span + u64::from(self.phase)) % tick;
        let ticks = ((span + since_tick) / tick).max(1) as i64;
        if self.smoothed == 0 {
            self.smoothed = 8 * ticks as u64;
            self.variation = 2 * ticks as u64;
        } else {
            let error = ticks - (self.smoothed / 8) as i64;
            self.smoothed = (self.smoothed as i64 + error).max(1) as u64;
            let error = error.abs() - (self.variation / 4) as i64;
            self.variation = (self.variation as i64 + error).max(1) as u64;
        }
        self.base = (8 * self.variation + self.smoothed) / 8 * tick;
    }

    /// The timer ran out.
    pub fn back_off(&mut self, rules: &TimerRules, style: Rules) {
        let below = self.timeout() < rules.maximum;
        if below || (style == Rules::Ns2 && self.backoff < DOUBLED_ANYWAY) {
            self.backoff = self.backoff.saturating_mul(2);
        }
        if style == Rules::Ns2 && self.backoff > FORGET_BEYOND {
            self.variation += self.smoothed / 8;
            self.smoothed = 0;
        }
        self.refresh(rules, style);
    }

    /// How long to wait for an acknowledgment.
    #[inline]
    pub fn timeout(&self) -> Nanos {
        Nanos(self.timeout)
    }

    /// Works out how long that is.
    fn refresh(&mut self, rules: &TimerRules, style: Rules) {
        let base = self.base.max(rules.minimum.0);
        let doubled = base.saturating_mul(u64::from(self.backoff));
        let bounded = doubled.min(rules.maximum.0);
        self.timeout = match style {
            Rules::Standard => bounded,
            Rules::Ns2 => bounded.max(2 * rules.tick.0),
        };
    }
}
