//! Random times and sizes: a mean, and a distribution around it.

use earlydrop::random::Pcg32;
use earlydrop::units::{Bytes, Nanos};

/// The distribution of values around their mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Law {
    /// The mean itself.
    Constant,
    /// Evenly between zero and twice the mean.
    Uniform,
    /// F(x) = 1 - exp(-x / mean).
    Exponential,
    /// Pareto: F(x) = 1 - (scale / x)^shape for x >= `scale` = mean (shape - 1) / shape.
    Pareto {
        /// The tail's exponent, above 1; the variance is infinite up to 2.
        shape: f64,
    },
    /// Pareto of the second kind (ns-2's `ParetoII`): F(x) = 1 - (1 + x / scale)^-shape for
    /// x >= 0, with `scale` = mean (shape - 1).
    Lomax {
        /// The tail's exponent, above 1.
        shape: f64,
    },
    /// Log-normal: exp of a normal variable with deviation `sigma`.
    LogNormal {
        /// The deviation of the logarithm.
        sigma: f64,
    },
}

/// A quantity that may be drawn at random.
pub trait Quantity: Copy {
    /// The quantity as a number of base units.
    fn amount(self) -> f64;
    /// The quantity of `amount` base units, rounded to the nearest; not negative.
    fn of_amount(amount: f64) -> Self;
}

impl Quantity for Nanos {
    fn amount(self) -> f64 {
        self.0 as f64
    }
    fn of_amount(amount: f64) -> Nanos {
        Nanos(libm::round(amount) as u64)
    }
}

impl Quantity for Bytes {
    fn amount(self) -> f64 {
        self.0 as f64
    }
    fn of_amount(amount: f64) -> Bytes {
        Bytes(libm::round(amount) as u64)
    }
}

/// A random quantity.
///
/// ```
/// use earlydrop::{random::Pcg32, units::Nanos};
/// use earlydrop_sim::spread::{Law, Spread};
/// let pause = Spread::new(Nanos::from_millis(500), Law::Exponential);
/// let drawn: Nanos = pause.draw(&mut Pcg32::new(1, 1));
/// assert!(drawn > Nanos::ZERO);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread<T> {
    /// The mean.
    pub mean: T,
    /// The distribution around the mean.
    pub law: Law,
}

impl<T: Quantity> Spread<T> {
    /// A quantity with this mean and distribution.
    pub const fn new(mean: T, law: Law) -> Spread<T> {
        Spread { mean, law }
    }

    /// The constant quantity `mean`.
    pub const fn constant(mean: T) -> Spread<T> {
        Spread::new(mean, Law::Constant)
    }

    /// What is wrong with the distribution, if anything: a tail without a mean, an invalid
    /// deviation.
    pub fn problem(&self) -> Option<String> {
        match self.law {
            Law::Pareto { shape } | Law::Lomax { shape }
                if shape.is_nan() || shape <= 1.0 || shape.is_infinite() =>
            {
                Some(format!("shape {shape} has no mean; it must be above 1"))
            }
            Law::LogNormal { sigma } if !(0.0..=10.0).contains(&sigma) => {
                Some(format!("sigma {sigma} is not in [0, 10]"))
            }
            _ => None,
        }
    }

    /// Draws a value, by inversion.
    pub fn draw(&self, random: &mut Pcg32) -> T {
        let mean = self.mean.amount();
        // In (0, 1], so that the logarithm is finite.
        let mut u = || 1.0 - random.uniform();
        T::of_amount(match self.law {
            Law::Constant => mean,
            Law::Uniform => 2.0 * mean * (1.0 - u()),
            Law::Exponential => -mean * libm::log(u()),
            Law::Pareto { shape } => mean * (shape - 1.0) / shape * libm::pow(u(), -1.0 / shape),
            Law::Lomax { shape } => mean * (shape - 1.0) * (libm::pow(u(), -1.0 / shape) - 1.0),
            Law::LogNormal { sigma } => {
                // Box-Muller, one of its two values.
                let angle = core::f64::consts::TAU * u();
                let normal = libm::sqrt(-2.0 * libm::log(u())) * libm::cos(angle);
                mean * libm::exp(sigma * normal - 0.5 * sigma * sigma)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean of many draws, and the share of them above the law's mean.
    fn sample(law: Law) -> (f64, f64) {
        let spread = Spread::new(Nanos::from_secs(1), law);
        let mut random = Pcg32::new(5, 5);
        let draws: Vec<f64> = (0..200_000)
            .map(|_| spread.draw(&mut random).as_secs_f64())
            .collect();
        let above = draws.iter().filter(|x| **x > 1.0).count();
        let count = draws.len() as f64;
        (draws.iter().sum::<f64>() / count, above as f64 / count)
    }

    #[test]
    fn means_and_the_share_above_them() {
        // P(X > mean) in closed form; deviations of the shares are 0.0011 at most, so
        // 0.005 fails by chance less than once in 10^5 for each law. Means with a
        // heavy tail (shape 2.5: deviation 0.002 and skewed) are given 5%.
        let cases = [
            (Law::Constant, 0.0),
            (Law::Uniform, 0.5),
            (Law::Exponential, (-1.0_f64).exp()),
            (Law::Pareto { shape: 2.5 }, (1.5_f64 / 2.5).powf(2.5)),
            (Law::Lomax { shape: 2.5 }, (1.0_f64 + 1.0 / 1.5).powf(-2.5)),
            (Law::LogNormal { sigma: 1.0 }, 0.308_54),
        ];
        for (law, share) in cases {
            let (mean, above) = sample(law);
            assert!((mean - 1.0).abs() < 0.05, "{law:?}: mean {mean}");
            assert!((above - share).abs() < 0.005, "{law:?}: {above} above");
        }
    }

    #[test]
    fn laws_without_a_mean_are_refused() {
        let shape = |shape| Spread::new(Bytes(10), Law::Pareto { shape }).problem();
        assert!(shape(1.0).is_some() && shape(f64::NAN).is_some());
        assert_eq!(shape(1.2), None);
    }
}
