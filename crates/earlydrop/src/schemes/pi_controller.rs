//! The step of a proportional-integral controller.
//!
//! With y the queue (or its delay), r its reference, and T the time between steps,
//! `p(t) = p(t-T) + alpha (y(t) - r) + beta (y(t) - y(t-T))`.
//! PIE, PI2 and DualPI2 use this form, with y a delay in seconds, and alpha and beta in Hz.
//! Hollot's `p += a (y(t) - r) - b (y(t-T) - r)` is equal to it with `alpha = a - b` and
//! `beta = b`.

use crate::aqm::Backlog;
use crate::trace::Trace;
use crate::units::Nanos;

/// The gains and the reference of a proportional-integral controller.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gains {
    /// Integral gain: the weight of the error y - r in each step.
    pub alpha: f64,
    /// Proportional gain: the weight of the change since the last step.
    pub beta: f64,
    /// The reference r of the queue or its delay.
    pub reference: f64,
}

impl Gains {
    /// The change of the probability in one step, for a queue of `now`, and `before` at the
    /// last step.
    #[inline]
    pub fn step(&self, now: f64, before: f64) -> f64 {
        self.alpha * (now - self.reference) + self.beta * (now - before)
    }

    /// p' after a step from `base` for a delay of `delay`, and `last` at the step before, in
    /// seconds; at least 0 and at most `largest`.
    pub(crate) fn updated(&self, update: [f64; 3], largest: f64, trace: &mut impl Trace) -> f64 {
        let [base, delay, last] = update;
        let ideal = base + self.step(delay, last);
        let gains = [self.alpha, self.beta, self.reference];
        trace.note(|why| why.pi_update(gains, update, ideal, largest));
        ideal.clamp(0.0, largest)
    }
}

/// The waiting time of the packet at the head at `now`, in seconds; 0 for an empty queue.
///
/// For a first-in first-out queue this is the queueing delay, at any link rate and without an
/// estimate of it.
#[inline]
pub fn head_delay<Q: Backlog>(now: Nanos, queue: &Q) -> f64 {
    queue
        .head_arrival()
        .map_or(0.0, |arrived| now.since(arrived).as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_both_terms() {
        let gains = Gains {
            alpha: 0.125,
            beta: 1.25,
            reference: 0.015,
        };
        // 0.125 (0.035 - 0.015) + 1.25 (0.035 - 0.025) = 0.0025 + 0.0125
        assert!((gains.step(0.035, 0.025) - 0.015).abs() < 1e-15);
        assert_eq!(gains.step(0.015, 0.015), 0.0);
    }
}
