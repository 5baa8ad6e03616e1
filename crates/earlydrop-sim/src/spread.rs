//! Random times and sizes: a mean, and a distribution around it.

use earlydrop::random::Pcg32;
use earlydrop::units::{Bytes, Nanos};

use crate::distribution::Distribution;

/// The distribution of values around their mean.
#[derive(Clone, Debug, PartialEq)]
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
    /// A distribution given by points, scaled to the mean.
    Points(Distribution),
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
#[derive(Clone, Debug, PartialEq)]
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

    /// A quantity with this distribution and its mean.
    pub fn of(distribution: Distribution) -> Spread<T> {
        let mean = T::of_amount(distribution.mean());
        Spread::new(mean, Law::Points(distribution))
    }

    /// What is wrong with the distribution, if anything: a tail without a mean, an invalid
    /// deviation.
    pub fn problem(&self) -> Option<String> {
        match &self.law {
            Law::Pareto { shape } | Law::Lomax { shape }
                if shape.is_nan() || *shape <= 1.0 || shape.is_infinite() =>
            {
                Some(format!("shape {shape} has no mean; it must be above 1"))
            }
            Law::LogNormal { sigma } if !(0.0..=10.0).contains(sigma) => {
                Some(format!("sigma {sigma} is not in [0, 10]"))
            }
            _ => None,
        }
    }

    /// The mean of values where those above `most` count as `most`: E min(X, most), in base units.
    ///
    /// It tells how soon draws add up to `most`, where a heavy tail may hide that nearly all of them
    /// are next to nothing.
    pub fn mean_up_to(&self, most: T) -> f64 {
        let (mean, most) = (self.mean.amount(), most.amount());
        if mean == 0.0 || most == 0.0 {
            return 0.0;
        }
        // The integral of 1 - F from 0 to `most`.
        match &self.law {
            Law::Points(points) => {
                let scale = mean / points.mean();
                scale * points.mean_up_to(most / scale)
            }
            Law::Constant => mean.min(most),
            Law::Uniform if most >= 2.0 * mean => mean,
            Law::Uniform => most - most * most / (4.0 * mean),
            Law::Exponential => -mean * libm::expm1(-most / mean),
            &Law::Pareto { shape } => {
                let scale = mean * (shape - 1.0) / shape;
                if most <= scale {
                    return most;
                }
                let tail = libm::pow(scale / most, shape - 1.0);
                scale + scale / (shape - 1.0) * (1.0 - tail)
            }
            &Law::Lomax { shape } => {
                let scale = mean * (shape - 1.0);
                mean * (1.0 - libm::pow(1.0 + most / scale, 1.0 - shape))
            }
            &Law::LogNormal { sigma: 0.0 } => mean.min(most),
            &Law::LogNormal { sigma } => {
                let at = libm::log(most / mean) / sigma + 0.5 * sigma;
                mean * normal_below(at - sigma) + most * normal_below(-at)
            }
        }
    }

    /// Draws a value, by inversion.
    pub fn draw(&self, random: &mut Pcg32) -> T {
        let mean = self.mean.amount();
        // In (0, 1], so that the logarithm is finite.
        let mut u = || 1.0 - random.uniform();
        T::of_amount(match &self.law {
            Law::Constant => mean,
            Law::Uniform => 2.0 * mean * (1.0 - u()),
            Law::Exponential => -mean * libm::log(u()),
            &Law::Pareto { shape } => mean * (shape - 1.0) / shape * libm::pow(u(), -1.0 / shape),
            &Law::Lomax { shape } => mean * (shape - 1.0) * (libm::pow(u(), -1.0 / shape) - 1.0),
            &Law::LogNormal { sigma } => {
                // Box-Muller, one of its two values.
                let angle = core::f64::consts::TAU * u();
                let normal = libm::sqrt(-2.0 * libm::log(u())) * libm::cos(angle);
                mean * libm::exp(sigma * normal - 0.5 * sigma * sigma)
            }
            Law::Points(points) => mean / points.mean() * points.quantile(1.0 - u()),
        })
    }
}

/// The share of a standard normal distribution below `x`.
fn normal_below(x: f64) -> f64 {
    0.5 * libm::erfc(-x * core::f64::consts::FRAC_1_SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAWS: [Law; 6] = [
        Law::Constant,
        Law::Uniform,
        Law::Exponential,
        Law::Pareto { shape: 2.5 },
        Law::Lomax { shape: 2.5 },
        Law::LogNormal { sigma: 1.0 },
    ];

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
        let shares = [
            0.0,
            0.5,
            (-1.0_f64).exp(),
            (1.5_f64 / 2.5).powf(2.5),
            (1.0_f64 + 1.0 / 1.5).powf(-2.5),
            0.308_54,
        ];
        for (law, share) in LAWS.into_iter().zip(shares) {
            let (mean, above) = sample(law.clone());
            assert!((mean - 1.0).abs() < 0.05, "{law:?}: mean {mean}");
            assert!((above - share).abs() < 0.005, "{law:?}: {above} above");
        }
    }

    /// Values up to 3 s have a deviation of less than 1.5 s, their mean over 200,000 draws one of
    /// less than 0.0034 s.
    #[test]
    fn the_mean_up_to_a_value_is_that_of_draws() {
        for law in LAWS {
            let spread = Spread::new(Nanos::from_secs(1), law.clone());
            for most in [0.3, 1.0, 3.0] {
                let mut random = Pcg32::new(6, 6);
                let draws = (0..200_000).map(|_| spread.draw(&mut random).as_secs_f64());
                let mean = draws.map(|drawn| drawn.min(most)).sum::<f64>() / 200_000.0;
                let exact = 1e-9 * spread.mean_up_to(Nanos((most * 1e9) as u64));
                assert!(
                    (mean - exact).abs() < 0.017,
                    "{law:?} {most}: {mean}, not {exact}"
                );
            }
            let all = spread.mean_up_to(Nanos::from_secs(1_000_000_000));
            assert!((1e-9 * all - 1.0).abs() < 1e-3, "{law:?}: {all}");
        }
    }

    #[test]
    fn laws_without_a_mean_are_refused() {
        let shape = |shape| Spread::new(Bytes(10), Law::Pareto { shape }).problem();
        assert!(shape(1.0).is_some() && shape(f64::NAN).is_some());
        assert_eq!(shape(1.2), None);
    }
}
