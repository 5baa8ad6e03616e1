//! The distribution of batch sizes: how many packets arrive together.

use crate::ModelError;

/// The largest supported batch, in packets.
pub const LARGEST: usize = 10_000;

/// An infinite distribution is cut off where less than this probability remains.
const REST: f64 = 1e-17;

/// A distribution of batch sizes: g(i) for i = 1..m, and separately g(0).
///
/// Empty batches only reduce the rate of the others. Therefore g(0) is split off, and all other
/// quantities refer to batches with at least one packet.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    none: f64,
    /// g(1) to g(m), which sum to 1.
    weights: Vec<f64>,
    /// G(1) to G(m): the probability of j packets or more.
    at_least: Vec<f64>,
    mean: f64,
}

/// Refuses a batch of more than [`LARGEST`] packets.
fn check_size(packets: usize) -> Result<(), ModelError> {
    if packets <= LARGEST {
        return Ok(());
    }
    let allowed = "at most 10000 packets in a batch";
    let value = format!("{packets} packets");
    Err(ModelError::outside("batch", value, allowed, LARGEST))
}

impl Batch {
    /// A distribution with the given weight for 0, 1, 2, ... packets. The weights need not sum to 1.
    ///
    /// ```
    /// use earlydrop_model::batch::Batch;
    /// let batch = Batch::weighted(&[0.0, 0.5, 0.3, 0.2]).unwrap();
    /// assert!((batch.mean() - 1.7).abs() < 1e-15);
    /// ```
    pub fn weighted(weights: &[f64]) -> Result<Batch, ModelError> {
        let refused = |value: String| {
            let allowed = "a weight for each number of packets, none negative, one above 0 for at least one packet";
            ModelError::outside("batch", value, allowed, "1:1")
        };
        if let Some(wrong) = weights.iter().find(|w| !(w.is_finite() && **w >= 0.0)) {
            return Err(refused(format!("weight {wrong}")));
        }
        let total: f64 = weights.iter().sum();
        let some = weights.iter().skip(1).rposition(|weight| *weight > 0.0);
        let Some(last) = some.filter(|_| total.is_finite()) else {
            return Err(refused("no packets".to_string()));
        };
        check_size(last + 1)?;
        let packets = &weights[1..=last + 1];
        let non_empty: f64 = packets.iter().sum();
        let weights: Vec<f64> = packets.iter().map(|weight| weight / non_empty).collect();
        let mut at_least = weights.clone();
        for j in (1..at_least.len()).rev() {
            at_least[j - 1] += at_least[j];
        }
        // Makes G(1) exactly 1, and no other G larger.
        let all = at_least[0];
        at_least.iter_mut().for_each(|tail| *tail /= all);
        Ok(Batch {
            none: (total - non_empty) / total,
            mean: at_least.iter().sum(),
            weights,
            at_least,
        })
    }

    /// Batches of exactly `packets` packets.
    pub fn fixed(packets: usize) -> Result<Batch, ModelError> {
        check_size(packets)?;
        let mut weights = vec![0.0; packets + 1];
        if let Some(last) = weights.last_mut().filter(|_| packets > 0) {
            *last = 1.0;
        }
        Batch::weighted(&weights)
    }

    /// A geometric distribution `g(i) = (1-ratio) ratio^(i-1)`, cut off where less than 1e-17
    /// remains.
    pub fn geometric(ratio: f64) -> Result<Batch, ModelError> {
        if !(0.0..=0.999).contains(&ratio) {
            let allowed = "a ratio from 0 to 0.999";
            let nearest = if ratio > 0.0 { 0.999 } else { 0.0 };
            return Err(ModelError::outside("batch ratio", ratio, allowed, nearest));
        }
        let powers = std::iter::successors(Some(1.0), |power| Some(power * ratio));
        let weights: Vec<f64> = powers.take_while(|power| *power > REST).collect();
        Batch::weighted(&[&[0.0], weights.as_slice()].concat())
    }

    /// A geometric distribution with this mean, which is at least 1.
    pub fn geometric_of_mean(mean: f64) -> Result<Batch, ModelError> {
        Batch::geometric(1.0 - 1.0 / mean.max(1.0))
    }

    /// The windows of Chandrayana, Sikdar and Kalyanaraman: a normal density at the whole numbers
    /// from 0 to `largest`.
    pub fn normal(mean: f64, variance: f64, largest: usize) -> Result<Batch, ModelError> {
        if !(variance > 0.0 && variance.is_finite() && mean.is_finite()) {
            let value = format!("mean {mean}, variance {variance}");
            let allowed = "a finite mean and a variance above 0";
            return Err(ModelError::outside("batch", value, allowed, "variance 1"));
        }
        let density = |i: usize| (-0.5 * (i as f64 - mean).powi(2) / variance).exp();
        check_size(largest)?;
        let weights: Vec<f64> = (0..=largest).map(density).collect();
        Batch::weighted(&weights)
    }

    /// g(0): the share of empty batches.
    pub fn none(&self) -> f64 {
        self.none
    }

    /// m: the largest batch, in packets.
    pub fn largest(&self) -> usize {
        self.weights.len()
    }

    /// `E[X]`: the mean size of non-empty batches, in packets.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// `E[X^2]`: the second moment of the size of non-empty batches.
    pub fn second_moment(&self) -> f64 {
        let squares = (1..).zip(&self.weights);
        squares
            .map(|(i, g): (u32, _)| f64::from(i).powi(2) * g)
            .sum()
    }

    /// g(1), g(2), ...: the probability of each size.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// G(1), G(2), ...: the probability of each size or a larger one.
    pub fn at_least(&self) -> &[f64] {
        &self.at_least
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distributions_have_their_moments() {
        let fixed = Batch::fixed(4).unwrap();
        assert_eq!((fixed.mean(), fixed.second_moment()), (4.0, 16.0));
        let geometric = Batch::geometric(0.75).unwrap();
        assert!((geometric.mean() - 4.0).abs() < 1e-12);
        assert!(
            (geometric.second_moment() - 28.0).abs() < 1e-10,
            "(1+q)/(1-q)^2"
        );
        let normal = Batch::normal(40.0, 9.0, 80).unwrap();
        assert!((normal.mean() - 40.0).abs() < 1e-12);
        assert!((normal.second_moment() - 1609.0).abs() < 1e-9);
    }

    #[test]
    fn empty_batches_are_split_off() {
        let batch = Batch::weighted(&[0.2; 5]).unwrap();
        assert!((batch.none() - 0.2).abs() < 1e-15);
        assert_eq!(batch.weights(), [0.25; 4]);
        assert_eq!(batch.at_least(), [1.0, 0.75, 0.5, 0.25]);
        assert_eq!(Batch::weighted(&[0.0, 1.0, 0.0]).unwrap().largest(), 1);
    }

    #[test]
    fn invalid_distributions_are_refused() {
        for weights in [
            &[][..],
            &[1.0],
            &[0.0, -0.5, 1.5],
            &[0.0, f64::NAN],
            &[0.0, f64::MAX, f64::MAX],
        ] {
            let error = Batch::weighted(weights).unwrap_err().to_string();
            assert!(
                error.contains("allowed") && error.contains("nearest"),
                "{error}"
            );
        }
        assert!(Batch::fixed(0).is_err() && Batch::fixed(LARGEST + 1).is_err());
        assert!(Batch::geometric(1.0).is_err() && Batch::geometric(-0.1).is_err());
        assert!(Batch::normal(4.0, 0.0, 8).is_err());
    }
}
