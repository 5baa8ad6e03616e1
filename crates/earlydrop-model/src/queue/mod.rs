//! The queue M^x/M/1/K: batches come at random moments, packets are sent one by one, each in
//! an exponential time, and at most K are there.
//!
//! Paper 003's model of a queue without early drops, with its misprints mended. With
//! a = lambda/mu, partial acceptance gives
//! `p(n) = a sum over j = 1..min(n, m) of G(j) p(n-j)`, n = 1..K;
//! whole-batch rejection has `P(j <= X <= K-n+j)` in the place of G(j).
//!
//! The cost does not depend on K. With y the positive root of `a sum G(j) y^-j = 1`, the
//! `f(j) = a G(j) y^-j` are probabilities, and p(n) is proportional to `y^n v(n)` with
//! `v(n) = sum f(j) v(n-j)`: a renewal sequence, which settles at one over the mean of f.
//! From there on the p(n) are a geometric row, summed in closed form.

mod recurrence;
mod root;
mod rows;

pub use recurrence::by_recurrence;

use crate::ModelError;
use crate::batch::Batch;
pub use rows::Bin;

use rows::Rows;

/// What becomes of a batch for which there is not room enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acceptance {
    /// It fills the room there is; the rest of it is lost.
    Partial,
    /// All of it is lost.
    Whole,
}

/// How the queue is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Solver {
    /// Exactly.
    Exact,
    /// As paper 003: `p(n) = p(0) a y^(n-1)`, the dominant root alone, with z = 1.
    DominantRoot,
}

/// The queue M^x/M/1/K.
#[derive(Clone, Debug, PartialEq)]
pub struct BatchQueue {
    /// lambda: batches a second, those without packets counted.
    pub arrivals: f64,
    /// mu: packets sent a second.
    pub service: f64,
    /// The law of a batch.
    pub batch: Batch,
    /// K: the most packets there, the one being sent counted.
    pub buffer: u64,
    /// What becomes of a batch that does not fit.
    pub acceptance: Acceptance,
}

/// The steady state of a queue.
#[derive(Clone, Debug)]
pub struct Solution {
    rows: Rows,
    loss: f64,
    load: f64,
}

impl BatchQueue {
    /// The steady state.
    pub fn solve(&self, solver: Solver) -> Result<Solution, ModelError> {
        self.check()?;
        let ratio = self.ratio();
        let rows = match solver {
            Solver::Exact => self.exact(ratio),
            Solver::DominantRoot => {
                let ln_y = root::dominant(ratio, self.batch.at_least());
                let settled = ratio / ln_y.exp();
                Rows::new(ln_y, vec![1.0], settled, Vec::new(), self.buffer)
            }
        };
        Ok(Solution {
            loss: self.lost(&rows),
            load: self.load(),
            rows,
        })
    }

    /// rho: packets offered over packets that could be sent.
    pub fn load(&self) -> f64 {
        self.ratio() * self.batch.mean()
    }

    /// a: batches with packets, over packets that could be sent.
    fn ratio(&self) -> f64 {
        self.arrivals * (1.0 - self.batch.none()) / self.service
    }

    /// The same queue at another load rho.
    pub fn at_load(&self, load: f64) -> BatchQueue {
        let packets = self.batch.mean() * (1.0 - self.batch.none());
        BatchQueue {
            arrivals: load * self.service / packets,
            ..self.clone()
        }
    }

    fn check(&self) -> Result<(), ModelError> {
        let positive = "above 0 and finite";
        for (what, rate) in [("mu", self.service), ("lambda", self.arrivals)] {
            if !(rate > 0.0 && rate.is_finite()) {
                return Err(ModelError::outside(what, rate, positive, 1));
            }
        }
        let load = self.load();
        if !(1e-9..=1e9).contains(&load) {
            let allowed = "from 1e-9 to 1e9";
            let nearest = load.clamp(1e-9, 1e9);
            return Err(ModelError::outside("rho", load, allowed, nearest));
        }
        if self.buffer == 0 {
            return Err(ModelError::outside("buffer", 0, "at least 1 packet", 1));
        }
        Ok(())
    }

    fn exact(&self, ratio: f64) -> Rows {
        let tails = self.batch.at_least();
        let ln_y = root::dominant(ratio, tails);
        let steps = root::renewal_steps(ratio, tails, ln_y);
        let most = self.batch.largest() as u64;
        // Where whole batches are refused, the last m-1 states have rules of their own.
        let own_rules = match self.acceptance {
            Acceptance::Partial => 0,
            Acceptance::Whole => (most - 1).min(self.buffer),
        };
        let (head, settled) = root::renewals(&steps, self.buffer - own_rules);
        let tail = match own_rules {
            0 => Vec::new(),
            _ => self.refused_tail(ratio, ln_y, (&head, settled), own_rules),
        };
        Rows::new(ln_y, head, settled, tail, self.buffer)
    }

    /// v(n) for the last states under whole-batch rejection.
    fn refused_tail(
        &self,
        ratio: f64,
        ln_y: f64,
        (head, settled): (&[f64], f64),
        states: u64,
    ) -> Vec<f64> {
        let (k, tails) = (self.buffer, self.batch.at_least());
        let most = tails.len() as u64;
        let first = k - states + 1;
        let mut tail: Vec<f64> = Vec::new();
        for n in first..=k {
            let mut sum = 0.0;
            for j in 1..=most.min(n) {
                // P(j <= X <= K-n+j), as a difference of tails.
                let beyond = tails.get((k - n + j) as usize).copied().unwrap_or(0.0);
                let fits = tails[j as usize - 1] - beyond;
                let before = n - j;
                let v = match before.checked_sub(first) {
                    Some(index) => tail[index as usize],
                    None => head.get(before as usize).copied().unwrap_or(settled),
                };
                sum += ratio * fits * (-ln_y * j as f64).exp() * v;
            }
            tail.push(sum);
        }
        tail
    }

    /// The share of packets lost: what the states near K turn away of a batch.
    fn lost(&self, rows: &Rows) -> f64 {
        let weights = self.batch.weights();
        let most = weights.len().min(self.buffer as usize + 1);
        let mut refused = 0.0;
        // What is turned away of a batch that finds room for j packets, on average.
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
    /// `E[Q]`: how many packets are there on average.
    pub fn mean(&self) -> f64 {
        self.rows.mean()
    }

    /// p(n): how likely n packets are there.
    pub fn probability(&self, n: u64) -> f64 {
        self.rows.probability(n)
    }

    /// p(0): the share of time that nothing is there.
    pub fn empty(&self) -> f64 {
        self.rows.probability(0)
    }

    /// p(K): the share of time that the buffer is full.
    pub fn full(&self) -> f64 {
        self.rows.probability(self.rows.last())
    }

    /// The share of packets that is lost; not p(K), as a batch can be lost in part.
    pub fn loss(&self) -> f64 {
        self.loss
    }

    /// rho: packets offered over packets that could be sent.
    pub fn load(&self) -> f64 {
        self.load
    }

    /// How likely at most n packets are there.
    pub fn at_most(&self, n: u64) -> f64 {
        self.rows.at_most(n)
    }

    /// The least n that at most are there with probability `share`.
    pub fn quantile(&self, share: f64) -> u64 {
        self.rows.quantile(share)
    }

    /// At most `points` pieces of the distribution from 0 to K, each with its first and last
    /// number of packets and the probability of them all.
    pub fn histogram(&self, points: u64) -> Vec<Bin> {
        self.rows.histogram(points)
    }
}

#[cfg(test)]
#[path = "queue_tests.rs"]
mod tests;
