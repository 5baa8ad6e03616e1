//! The laws of p', the base probability: PI2's controller, and Curvy RED's curve.

use crate::units::Nanos;

/// What moves p', and how the probabilities of both queues follow from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DualLaw {
    /// PI2, explained in [`dualpi2`](crate::schemes::dualpi2).
    Pi2(PiControl),
    /// Curvy RED, explained in [`dual_curvy_red`](crate::schemes::dual_curvy_red).
    CurvyRed(Curvy),
}

/// The proportional-integral controller of RFC 9332, appendix A.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PiControl {
    /// The delay the controller aims at.
    pub target: Nanos,
    /// Time between two updates of p'.
    pub update: Nanos,
    /// Integral gain, in Hz.
    pub alpha: f64,
    /// Proportional gain, in Hz.
    pub beta: f64,
}

/// Curvy RED (RFC 9332, appendix B).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curvy {
    /// The Classic delay at which p' is 1.
    pub scale: Nanos,
    /// The weight of a packet's delay in the average Classic delay, in (0, 1].
    pub weight: f64,
    /// U, the exponent of the coupled probability; the Classic one's is twice that.
    pub curviness: u32,
}

impl PiControl {
    /// RFC 9332, appendix A: `p' += alpha (delay - target) + beta (delay - delay before)`.
    ///
    /// Delays in seconds, gains in Hz; the result is not clamped.
    #[inline]
    pub(super) fn step(&self, p: f64, delay: f64, before: f64) -> f64 {
        let target = self.target.as_secs_f64();
        p + self.alpha * (delay - target) + self.beta * (delay - before)
    }
}

impl Curvy {
    /// p' for a Classic delay in seconds, not clamped.
    #[inline]
    pub(super) fn base(&self, delay: f64) -> f64 {
        delay / self.scale.as_secs_f64()
    }
}

impl DualLaw {
    /// Time between two updates of p'; zero where packets move it.
    #[inline]
    pub(super) fn interval(&self) -> Nanos {
        match self {
            DualLaw::Pi2(pi) => pi.update,
            DualLaw::CurvyRed(_) => Nanos::ZERO,
        }
    }

    /// p_CL from `linear`, which is k p', at most 1: of PI2 itself, of Curvy RED its power U.
    #[inline]
    pub(super) fn coupled(&self, linear: f64) -> f64 {
        match self {
            DualLaw::Pi2(_) => linear,
            DualLaw::CurvyRed(curvy) => libm::pow(linear, f64::from(curvy.curviness)),
        }
    }

    /// The exponent of p' in p_C: 2, of Curvy RED 2 U.
    #[inline]
    pub(super) fn exponent(&self) -> u32 {
        match self {
            DualLaw::Pi2(_) => 2,
            DualLaw::CurvyRed(curvy) => 2 * curvy.curviness,
        }
    }

    /// p_C = p'^2, of Curvy RED p'^(2 U).
    #[inline]
    pub(super) fn squared(&self, base: f64) -> f64 {
        match self {
            DualLaw::Pi2(_) => base * base,
            DualLaw::CurvyRed(_) => libm::pow(base, f64::from(self.exponent())),
        }
    }
}
