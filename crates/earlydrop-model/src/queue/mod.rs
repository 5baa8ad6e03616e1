//! The queue M^x/M/1/K: Poisson arrivals of batches, exponential service of single packets, and a
//! buffer of K packets.
//!
//! Chandrayana, Sikdar and Kalyanaraman ("Scalable Configuration of RED Queue Parameters") model a
//! queue without early drops this way; their misprints are corrected here. With a = lambda/mu,
//! partial acceptance gives
//! `p(n) = a sum over j = 1..min(n, m) of G(j) p(n-j)`, n = 1..K;
//! whole-batch rejection has `P(j <= X <= K-n+j)` instead of G(j).
//!
//! The cost does not depend on K: with y the positive root of `a sum G(j) y^-j = 1`, the
//! `f(j) = a G(j) y^-j` are probabilities, and p(n) is proportional to `y^n v(n)` with
//! `v(n) = sum f(j) v(n-j)`. This renewal sequence converges to 1 over the mean of f. Once it has
//! converged, the p(n) are a geometric series, which is summed in closed form.
//!
//! ```
//! use earlydrop_model::batch::Batch;
//! use earlydrop_model::queue::{Acceptance, BatchQueue, Solver};
//!
//! let queue = BatchQueue {
//!     arrivals: 0.25,
//!     service: 1.0,
//!     batch: Batch::fixed(4)?,
//!     buffer: 200,
//!     acceptance: Acceptance::Partial,
//! };
//! assert!((queue.solve(Solver::Exact)?.mean() - 99.5024752).abs() < 1e-6);
//! # Ok::<(), earlydrop_model::ModelError>(())
//! ```

mod recurrence;
mod root;
mod rows;

pub use recurrence::by_recurrence;

use crate::ModelError;
use crate::batch::Batch;
use crate::solve::falling_root_of_powers;
pub use rows::Bin;

use rows::Rows;

/// What happens to a batch that does not fit into the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acceptance {
    /// As many packets as fit are accepted; the others are lost.
    Partial,
    /// The whole batch is lost.
    Whole,
}

/// The method of solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Solver {
    /// The exact solution.
    Exact,
    /// The approximation of Chandrayana, Sikdar and Kalyanaraman by the dominant root:
    /// `p(n) = p(0) a y^(n-1)`, with z = 1.
    DominantRoot,
}

/// The largest K: far above it, numbers of packets are no longer exact in floating point.
const LARGEST_BUFFER: u64 = 1_000_000_000_000;

/// The least and the largest load.
const LOADS: [f64; 2] = [1e-9, 1e9];

/// A load is computed from rates: its limits are wider by this share, for rounding.
const ROUNDING: f64 = 1e-12;

/// Of a falling series, terms beyond this power of e are zero beside its first one: the least number
/// above zero is e^-745.
const NEGLIGIBLE: f64 = -800.0;

/// A queue M^x/M/1/K.
#[derive(Clone, Debug, PartialEq)]
pub struct BatchQueue {
    /// lambda: batches per second, including empty ones.
    pub arrivals: f64,
    /// mu: packets served per second.
    pub service: f64,
    /// The distribution of batch sizes.
    pub batch: Batch,
    /// K: the largest number of packets, including the one in service.
    pub buffer: u64,
    /// What happens to a batch that does not fit.
    pub acceptance: Acceptance,
}

/// The steady-state distribution of a queue.
#[derive(Clone, Debug)]
pub struct Solution {
    rows: Rows,
    loss: f64,
    load: f64,
}

impl BatchQueue {
    /// Computes the steady state.
    pub fn solve(&self, solver: Solver) -> Result<Solution, ModelError> {
        self.check()?;
        let ratio = self.ratio();
        let rows = match solver {
            Solver::Exact => self.exact(ratio)?,
            Solver::DominantRoot => {
                let ln_y = root::dominant(ratio, self.batch.at_least());
                let limit = ratio / ln_y.exp();
                Rows::new(ln_y, vec![1.0], limit, Vec::new(), self.buffer)
            }
        };
        Ok(Solution {
            loss: self.lost(&rows),
            load: self.load(),
            rows,
        })
    }

    /// rho: packets offered, divided by packets that could be served.
    pub fn load(&self) -> f64 {
        self.ratio() * self.batch.mean()
    }

    /// a: non-empty batches, divided by packets that could be served.
    fn ratio(&self) -> f64 {
        self.arrivals * (1.0 - self.batch.none()) / self.service
    }

    /// This queue with the arrival rate that gives the load rho = `load`.
    pub fn at_load(&self, load: f64) -> BatchQueue {
        let packets = self.batch.mean() * (1.0 - self.batch.none());
        BatchQueue {
            arrivals: load * self.service / packets,
            ..self.clone()
        }
    }

    /// F of formula (22), as a load: the rho with which the mean queue is `mean` packets. `None` if no
    /// load gives it, because `mean` is not above 0 and below K.
    pub fn load_for_mean(&self, mean: f64) -> Option<f64> {
        let excess = |load: f64| {
            let solved = self.at_load(load).solve(Solver::Exact);
            mean - solved.map_or(0.0, |solution| solution.mean())
        };
        let (least, most) = (1e-6, 1e6);
        let is_reached = excess(least) > 0.0 && excess(most) < 0.0;
        is_reached.then(|| falling_root_of_powers(least, most, excess))
    }

    /// The mean queue at the load rho = `load`, which may be just outside of the limits.
    pub(crate) fn mean_at(&self, load: f64) -> Result<f64, ModelError> {
        let queue = self.at_load(load);
        Ok(queue.exact(queue.ratio())?.mean())
    }

    pub(crate) fn check(&self) -> Result<(), ModelError> {
        let positive = "above 0 and finite";
        for (what, rate) in [("mu", self.service), ("lambda", self.arrivals)] {
            if !(rate > 0.0 && rate.is_finite()) {
                return Err(ModelError::outside(what, rate, positive, 1));
            }
        }
        let (load, [least, most]) = (self.load(), LOADS);
        if !(least * (1.0 - ROUNDING)..=most * (1.0 + ROUNDING)).contains(&load) {
            let nearest = format!("{:e}", load.clamp(least, most));
            let allowed = "from 1e-9 to 1e9";
            return Err(ModelError::outside(
                "rho",
                format!("{load:e}"),
                allowed,
                nearest,
            ));
        }
        if self.buffer == 0 {
            return Err(ModelError::outside("buffer", 0, "at least 1 packet", 1));
        }
        if self.buffer > LARGEST_BUFFER {
            let allowed = "at most 1000000000000 packets";
            let error = ModelError::outside("buffer", self.buffer, allowed, LARGEST_BUFFER);
            return Err(error);
        }
        Ok(())
    }

    fn exact(&self, ratio: f64) -> Result<Rows, ModelError> {
        #[cfg(test)]
        SOLUTIONS.set(SOLUTIONS.get() + 1);
        let tails = self.batch.at_least();
        let ln_y = root::dominant(ratio, tails);
        let steps = root::renewal_steps(ratio, tails, ln_y);
        let most = self.batch.largest() as u64;
        // With whole-batch rejection, the last m-1 states have their own balance equations.
        let special = match self.acceptance {
            Acceptance::Partial => 0,
            Acceptance::Whole => (most - 1).min(self.buffer),
        };
        // Where p(n) is zero, v(n) does not matter.
        let matter = match ln_y < 0.0 {
            true => (NEGLIGIBLE / ln_y).ceil() as u64,
            false => u64::MAX,
        };
        let renewals = root::renewals(&steps, matter.min(self.buffer - special));
        let (head, limit) = renewals.map_err(|most| {
            let allowed = "fewer packets where large batches and such a load keep it from settling";
            ModelError::outside("buffer", self.buffer, allowed, most)
        })?;
        let tail = match special {
            0 => Vec::new(),
            _ => self.rejection_tail(ratio, ln_y, (&head, limit), special),
        };
        Ok(Rows::new(ln_y, head, limit, tail, self.buffer))
    }

    /// v(n) of the last `states` states under whole-batch rejection.
    fn rejection_tail(
        &self,
        ratio: f64,
        ln_y: f64,
        (head, limit): (&[f64], f64),
        states: u64,
    ) -> Vec<f64> {
        let (k, tails) = (self.buffer, self.batch.at_least());
        let most = tails.len() as u64;
        let first = k - states + 1;
        let mut tail: Vec<f64> = Vec::new();
        for n in first..=k {
            let mut sum = 0.0;
            for j in 1..=most.min(n) {
                // P(j <= X <= K-n+j), as a difference of tail probabilities.
                let beyond = tails.get((k - n + j) as usize).copied().unwrap_or(0.0);
                let fits = tails[j as usize - 1] - beyond;
                let before = n - j;
                let v = match before.checked_sub(first) {
                    Some(index) => tail[index as usize],
                    None => head.get(before as usize).copied().unwrap_or(limit),
                };
                sum += ratio * fits * (-ln_y * j as f64).exp() * v;
            }
            tail.push(sum);
        }
        tail
    }

    /// The share of packets lost, summed over the states in which a batch may not fit.
    fn lost(&self, rows: &Rows) -> f64 {
        let weights = self.batch.weights();
        let most = weights.len().min(self.buffer as usize + 1);
        let mut refused = 0.0;
        // The mean number of packets refused from a batch that finds room for j packets.
        let mut packets: f64 = 0.0;
        for j in (0..weights.len()).rev() {
            packets += match self.acceptance {
                Acceptance::Partial => self.batch.at_least()[j],
                Acceptance::Whole => (j + 1) as f64 * weights[j],
            };
            if j < most {
                refused += rows.probability(self.buffer - j as u64) * packets;
            }
        }
        (refused / self.batch.mean()).clamp(0.0, 1.0)
    }
}

impl Solution {
    /// `E[Q]`: the mean number of packets in the system.
    pub fn mean(&self) -> f64 {
        self.rows.mean()
    }

    /// p(n): the probability of n packets in the system.
    pub fn probability(&self, n: u64) -> f64 {
        self.rows.probability(n)
    }

    /// p(0): the share of time in which the system is empty.
    pub fn empty(&self) -> f64 {
        self.rows.probability(0)
    }

    /// p(K): the share of time in which the buffer is full.
    pub fn full(&self) -> f64 {
        self.rows.probability(self.rows.last())
    }

    /// The share of packets that is lost. It differs from p(K), because a batch may be lost in part.
    pub fn loss(&self) -> f64 {
        self.loss
    }

    /// rho: packets offered, divided by packets that could be served.
    pub fn load(&self) -> f64 {
        self.load
    }

    /// The probability of at most n packets in the system.
    pub fn at_most(&self, n: u64) -> f64 {
        self.rows.at_most(n)
    }

    /// The `share` quantile: the least n with `at_most(n) >= share`.
    pub fn quantile(&self, share: f64) -> u64 {
        self.rows.quantile(share)
    }

    /// The distribution from 0 to K in at most `bins` bins of nearly equal width.
    pub fn histogram(&self, bins: u64) -> Vec<Bin> {
        self.rows.histogram(bins)
    }
}

#[cfg(test)]
thread_local! {
    /// Exact solutions of this thread.
    static SOLUTIONS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// The number of exact solutions that `action` needs.
#[cfg(test)]
pub(crate) fn solutions<T>(action: impl FnOnce() -> T) -> u64 {
    let before = SOLUTIONS.get();
    action();
    SOLUTIONS.get() - before
}

#[cfg(test)]
#[path = "queue_tests.rs"]
mod tests;
