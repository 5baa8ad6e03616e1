//! Where a claim says that what is measured lies, and in which unit.

use std::fmt;

use earlydrop_lab::number::{change, number};
use earlydrop_lab::statistics::Mean;

/// The interval in which a claim says that the mean lies. Its ends may be infinite.
///
/// ```text
/// less, more           above 0           not-less, not-more   above -tolerance
/// equal, value         -tol to +tol      between              low to high
/// ```
///
/// Above a tolerance below zero is the test for noninferiority: E. Walker, A. S. Nowacki,
/// "Understanding equivalence and noninferiority testing", *Journal of General Internal Medicine* 26
/// (2011), 192-196. Within a tolerance is the test for equivalence by two one-sided tests, each at
/// 2.5%, as the interval is two-sided at 95%: D. J. Schuirmann, "A comparison of the two one-sided
/// tests procedure and the power approach", *Journal of Pharmacokinetics and Biopharmaceutics* 15
/// (1987), 657-680. Of two ends only the nearer one is looked at: the other is passed by more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Claimed {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// What the values are.
    pub unit: Unit,
}

/// What the values of a comparison are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Differences as shares of what is compared with: 0.1 is ten per cent.
    Share,
    /// What is measured, as it is.
    Value,
}

impl Claimed {
    /// Differences in the claim's direction, or against it by less than a tolerance.
    pub(super) fn above(low: f64) -> Claimed {
        Claimed {
            low,
            high: f64::INFINITY,
            unit: Unit::Share,
        }
    }

    /// Shares below a tolerance.
    pub(super) fn below(high: f64) -> Claimed {
        Claimed {
            low: f64::NEG_INFINITY,
            high,
            unit: Unit::Share,
        }
    }

    /// Differences within a tolerance on either side.
    pub(super) fn within(tolerance: f64) -> Claimed {
        Claimed {
            low: -tolerance,
            high: tolerance,
            unit: Unit::Share,
        }
    }

    /// Values between two bounds.
    pub(super) fn between(low: f64, high: f64) -> Claimed {
        Claimed {
            low,
            high,
            unit: Unit::Value,
        }
    }

    /// The end that a mean is nearer to, or beyond.
    fn nearer_end(self, mean: f64) -> f64 {
        match mean - self.low < self.high - mean {
            true => self.low,
            false => self.high,
        }
    }

    /// How far values lie inside the end that their mean is nearer to; below zero beyond it.
    pub(super) fn room(self, values: &[f64]) -> Vec<f64> {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let end = self.nearer_end(mean);
        let inwards = if end == self.low { 1.0 } else { -1.0 };
        values.iter().map(|value| inwards * (value - end)).collect()
    }

    /// Whether the 95% interval of a mean lies outside.
    pub(super) fn excludes(self, mean: Mean) -> bool {
        let half = mean.half.unwrap_or(f64::INFINITY);
        mean.mean + half < self.low || mean.mean - half > self.high
    }

    /// A value as it is drawn: a share; of values between two bounds its distance from their middle.
    pub(crate) fn drawn(self, value: f64) -> f64 {
        self.middle().map_or(value, |middle| value / middle - 1.0)
    }

    /// The length of a difference as it is drawn.
    pub(crate) fn drawn_length(self, length: f64) -> f64 {
        self.middle().map_or(length, |middle| length / middle)
    }

    /// The middle of two bounds on values; `None` of shares.
    fn middle(self) -> Option<f64> {
        let middle = (self.low + self.high) / 2.0;
        (self.unit == Unit::Value && middle.is_finite() && middle > 0.0).then_some(middle)
    }

    /// A value in its unit: "+12.3%", "0.973".
    pub(crate) fn words(self, value: f64) -> String {
        match self.unit {
            Unit::Share => change(value, None),
            Unit::Value => number(value),
        }
    }

    /// A mean with its interval: "+12.3% (+10.0% to +14.6%)".
    pub(crate) fn mean_in_words(self, mean: Mean) -> String {
        let words = |value| self.words(value);
        let Some(half) = mean.half else {
            return words(mean.mean);
        };
        let (low, high) = (words(mean.mean - half), words(mean.mean + half));
        format!("{} ({low} to {high})", words(mean.mean))
    }
}

/// "within ±5.0%", "above -2.0%", "0.95 to 1.1"; empty where only the direction is claimed.
impl fmt::Display for Claimed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = |value| self.words(value);
        match (self.unit, self.low, self.high) {
            (Unit::Share, 0.0, f64::INFINITY) => Ok(()),
            (_, low, f64::INFINITY) => write!(f, "above {}", words(low)),
            (_, f64::NEG_INFINITY, high) => write!(f, "below {}", words(high)),
            (Unit::Share, low, high) if low == -high => {
                write!(f, "within ±{}", words(high).trim_start_matches('+'))
            }
            (_, low, high) => write!(f, "{} to {}", words(low), words(high)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_to_the_nearer_end() {
        assert_eq!(Claimed::above(0.0).room(&[0.25]), [0.25]);
        assert_eq!(Claimed::above(-0.5).room(&[-0.25]), [0.25]);
        let within = Claimed::within(0.5);
        assert_eq!(within.room(&[0.25, 0.25]), [0.25, 0.25]);
        assert_eq!(within.room(&[-0.75, -0.25]), [-0.25, 0.25]);
        assert_eq!(Claimed::below(0.5).room(&[0.75]), [-0.25]);
        assert_eq!(Claimed::between(300.0, 900.0).room(&[250.0]), [-50.0]);
    }

    #[test]
    fn it_is_said_in_its_unit() {
        for (claimed, said) in [
            (Claimed::above(0.0), ""),
            (Claimed::above(-0.02), "above -2.0%"),
            (Claimed::below(0.1), "below +10.0%"),
            (Claimed::within(0.05), "within ±5.0%"),
            (Claimed::between(0.95, 1.1), "0.95 to 1.1"),
            (Claimed::between(0.0, 120.0), "0 to 120"),
        ] {
            assert_eq!(claimed.to_string(), said);
        }
    }
}
