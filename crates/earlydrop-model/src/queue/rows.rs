//! The distribution in three parts: single states, a geometric series, single states again.

/// A bin of a histogram: a range of queue lengths and its probability.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bin {
    /// The smallest number of packets.
    pub from: u64,
    /// The largest number of packets.
    pub to: u64,
    /// The probability of the whole range.
    pub probability: f64,
}

/// p(0) to p(K), in proportion to `y^n v(n)`. Between head and tail, v(n) is constant.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    ln_y: f64,
    /// ln v(0), ln v(1), ...
    head: Vec<f64>,
    /// The cumulative probabilities of the head.
    head_sums: Vec<f64>,
    ln_limit: f64,
    /// ln v(n) of the last states.
    tail: Vec<f64>,
    last: u64,
    ln_total: f64,
    mean: f64,
}

impl Rows {
    /// Builds the distribution from v(n) at the start, its limit, and v(n) at the end.
    pub(super) fn new(ln_y: f64, head: Vec<f64>, limit: f64, tail: Vec<f64>, last: u64) -> Rows {
        let logarithms = |values: Vec<f64>| values.into_iter().map(f64::ln).collect();
        let mut rows = Rows {
            ln_y,
            head: logarithms(head),
            head_sums: Vec::new(),
            ln_limit: limit.ln(),
            tail: logarithms(tail),
            last,
            ln_total: 0.0,
            mean: 0.0,
        };
        rows.normalise();
        rows
    }

    /// Computes the sum of all weights, the mean, and the cumulative head.
    fn normalise(&mut self) {
        let (from, length) = self.between();
        let row = match length {
            0 => f64::NEG_INFINITY,
            _ => self.ln_weight(from) + ln_geometric_sum(self.ln_y, length),
        };
        let row_mean = from as f64 + geometric_mean(self.ln_y, length);
        let weights = || {
            let singles = (0..from).chain(from + length..=self.last);
            let singles = singles.map(|n| (n as f64, self.ln_weight(n)));
            singles.chain([(row_mean, row)])
        };
        let largest = weights()
            .map(|(_, ln)| ln)
            .fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = weights().map(|(_, ln)| (ln - largest).exp()).sum();
        let moment: f64 = weights().map(|(n, ln)| n * (ln - largest).exp()).sum();
        self.ln_total = largest + total.ln();
        self.mean = moment / total;
        let mut sum = 0.0;
        let head = 0..self.head.len() as u64;
        self.head_sums = head
            .map(|n| {
                sum += self.probability(n);
                sum
            })
            .collect();
    }

    /// The first state of the geometric series, and its length.
    fn between(&self) -> (u64, u64) {
        let from = self.head.len() as u64;
        (from, self.last + 1 - from - self.tail.len() as u64)
    }

    fn ln_weight(&self, n: u64) -> f64 {
        let (from, length) = self.between();
        let ln_v = match n {
            n if n < from => self.head[n as usize],
            n if n < from + length => self.ln_limit,
            n => self.tail[(n - from - length) as usize],
        };
        n as f64 * self.ln_y + ln_v
    }

    /// The states that are kept singly.
    #[cfg(test)]
    pub(super) fn singles(&self) -> usize {
        self.head.len() + self.tail.len()
    }

    pub(super) fn last(&self) -> u64 {
        self.last
    }

    pub(super) fn mean(&self) -> f64 {
        self.mean
    }

    pub(super) fn probability(&self, n: u64) -> f64 {
        match n <= self.last {
            true => (self.ln_weight(n) - self.ln_total).exp(),
            false => 0.0,
        }
    }

    pub(super) fn at_most(&self, n: u64) -> f64 {
        let (from, length) = self.between();
        if n >= self.last {
            return 1.0;
        }
        if n < from {
            return self.head_sums[n as usize];
        }
        let mut sum = self.head_sums.last().copied().unwrap_or(0.0);
        let of_row = length.min(n + 1 - from);
        if of_row > 0 {
            let first = self.ln_weight(from) - self.ln_total;
            sum += (first + ln_geometric_sum(self.ln_y, of_row)).exp();
        }
        sum += (from + length..=n)
            .map(|n| self.probability(n))
            .sum::<f64>();
        sum.min(1.0)
    }

    pub(super) fn quantile(&self, share: f64) -> u64 {
        let (mut below, mut enough) = (0, self.last);
        while below < enough {
            let middle = below + (enough - below) / 2;
            match self.at_most(middle) >= share {
                true => enough = middle,
                false => below = middle + 1,
            }
        }
        enough
    }

    pub(super) fn histogram(&self, points: u64) -> Vec<Bin> {
        let states = self.last + 1;
        let points = points.clamp(1, states);
        let mut before = 0.0;
        let piece = |index: u64| {
            let cut =
                |index: u64| (u128::from(states) * u128::from(index) / u128::from(points)) as u64;
            let (from, to) = (cut(index), cut(index + 1) - 1);
            let until = self.at_most(to);
            let probability = match from == to {
                true => self.probability(from),
                false => (until - before).max(0.0),
            };
            before = until;
            Bin {
                from,
                to,
                probability,
            }
        };
        (0..points).map(piece).collect()
    }
}

/// ln of the sum of `e^(x i)` over i = 0..length-1, for x of any sign.
fn ln_geometric_sum(x: f64, length: u64) -> f64 {
    let length = length as f64;
    if x == 0.0 {
        return length.ln();
    }
    // A growing series is summed from its end, as (1 - e^(-|x| length)) / (1 - e^-|x|).
    let end = if x > 0.0 { x * (length - 1.0) } else { 0.0 };
    let falling = -x.abs();
    end + (falling * length).exp_m1().abs().ln() - falling.exp_m1().abs().ln()
}

/// The mean of i under weights e^(x i), i = 0..length-1: `length c(x length) - c(x)`.
fn geometric_mean(x: f64, length: u64) -> f64 {
    let length = length as f64;
    length * curvature(x * length) - curvature(x)
}

/// c(x) = 1/(1 - e^-x) - 1/x, which is 1/2 at 0.
fn curvature(x: f64) -> f64 {
    if x.abs() < 0.05 {
        let square = x * x;
        return 0.5 + x / 12.0 * (1.0 - square / 60.0 * (1.0 - square / 42.0));
    }
    -1.0 / (-x).exp_m1() - 1.0 / x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_forms_are_the_sums() {
        for x in [-3.0, -0.1, -1e-3, -1e-9, 0.0, 1e-12, 1e-4, 0.07, 1.5] {
            for length in [1_u64, 2, 17, 400] {
                let weights: Vec<f64> = (0..length).map(|i| (x * i as f64).exp()).collect();
                let sum: f64 = weights.iter().sum();
                let moment: f64 = (0..)
                    .zip(&weights)
                    .map(|(i, w): (u32, _)| f64::from(i) * w)
                    .sum();
                let ln = ln_geometric_sum(x, length);
                assert!((ln - sum.ln()).abs() < 1e-12, "{x} {length}");
                let mean = geometric_mean(x, length);
                let close = (mean - moment / sum).abs() < 1e-11 * (1.0 + mean);
                assert!(close, "{x} {length}: {mean} {}", moment / sum);
            }
        }
    }
}
