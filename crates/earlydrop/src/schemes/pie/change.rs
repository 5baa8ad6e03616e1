//! How PIE goes on under other parameters.

use super::Pie;
use crate::units::Nanos;

impl Pie {
    /// Takes over the probability, the delay, the burst allowance and what is being measured.
    pub(super) fn take_over(&mut self, now: Nanos, old: Pie) {
        self.ticker.continue_from(now, &old.ticker);
        self.probability = match old.probability > self.parameters.wraps_at {
            true => 1.0,
            false => old.probability,
        };
        (self.delay, self.accumulated) = (old.delay, old.accumulated);
        self.burst_left = old.burst_left.min(self.parameters.burst);
        self.active = old.active;
        if let (Some(rate), Some(old)) = (&mut self.rate, old.rate) {
            rate.continue_from(old);
        }
        if let (Some(last), Some(old)) = (&mut self.last, old.last) {
            *last = old;
        }
    }
}
