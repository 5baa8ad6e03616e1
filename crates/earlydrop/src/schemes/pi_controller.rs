//! The one step that every proportional-integral scheme takes.
//!
//! With y the queue (or its delay), r what it should be, and T the time between
//! steps, `p(t) = p(t-T) + alpha (y(t) - r) + beta (y(t) - y(t-T))`.
//! PIE, PI2 and DualPI2 write it so, y being a delay in seconds and alpha and beta
//! in Hz. Hollot's `p += a (y(t) - r) - b (y(t-T) - r)` is the same with
//! `alpha = a - b` and `beta = b`.

use crate::aqm::Backlog;
use crate::units::Nanos;

/// The gains and the reference of a proportional-integral controller.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gains {
    /// Integral gain: what the distance to the reference adds each step.
    pub alpha: f64,
    /// Proportional gain: what the change since the last step adds.
    pub beta: f64,
    /// What the queue or its delay should be.
    pub reference: f64,
}

impl Gains {
    /// What one step adds to the probability, the queue being `now` and having
    /// been `before` a step ago.
    #[inline]
    pub fn step(&self, now: f64, before: f64) -> f64 {
        self.alpha * (now - self.reference) + self.beta * (now - before)
    }
}

/// How long the packet at the head has waited at `now`, in seconds; 0 for an
/// empty queue.
///
/// For a first-in first-out queue this is the queueing delay that a link of
/// whatever rate has just given, without any estimate of that rate.
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
