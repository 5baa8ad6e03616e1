//! The reference solution of the queue, state by state, at a cost that grows with K.

use super::{Acceptance, BatchQueue};

/// Probabilities are rescaled at this size, before they overflow.
const LARGE: f64 = 1e250;

/// Computes p(0) to p(K), each from the m states before it.
pub fn by_recurrence(queue: &BatchQueue) -> Vec<f64> {
    let (k, tails) = (queue.buffer as usize, queue.batch.at_least());
    let ratio = queue.ratio();
    let mut p: Vec<f64> = vec![1.0];
    for n in 1..=k {
        let term = |j: usize| {
            let beyond = match queue.acceptance {
                Acceptance::Partial => 0.0,
                Acceptance::Whole => tails.get(k - n + j).copied().unwrap_or(0.0),
            };
            p[n - j] * (tails[j - 1] - beyond)
        };
        let next = ratio * (1..=tails.len().min(n)).map(term).sum::<f64>();
        p.push(next);
        if next > LARGE {
            p.iter_mut().for_each(|p| *p /= LARGE);
        }
    }
    let total: f64 = p.iter().sum();
    p.iter_mut().for_each(|p| *p /= total);
    p
}
