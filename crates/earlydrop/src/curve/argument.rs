//! What a piece of a curve is a polynomial in.

/// The argument x of a piece's polynomial.
///
/// Most published curves are polynomials in the distance from a threshold. A square root, a high
/// power or an exponential is a polynomial of degree 1 in an argument of its own, so that
/// adaptations move such a curve as any other.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Argument {
    /// `x = avg - start`, in packets or bytes.
    #[default]
    Distance,
    /// `x = ((avg - zero)/width)^exponent`, without a unit.
    Power {
        /// The average at which x is 0, at most the piece's start.
        zero: f64,
        /// The distance from `zero` at which x is 1.
        width: f64,
        /// The exponent, above 0.
        exponent: f64,
    },
    /// `x = e^(avg - at)`, the average in packets or bytes.
    Exponential {
        /// The average at which x is 1.
        at: f64,
    },
}

impl Argument {
    /// x at `avg`, for a piece that begins at `start`.
    #[inline]
    pub(crate) fn at(&self, avg: f64, start: f64) -> f64 {
        match *self {
            Argument::Distance => avg - start,
            Argument::Power {
                zero,
                width,
                exponent,
            } => libm::pow(((avg - zero) / width).max(0.0), exponent),
            Argument::Exponential { at } => libm::exp(avg - at),
        }
    }
}
