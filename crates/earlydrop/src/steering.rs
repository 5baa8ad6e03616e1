//! Steering: parameters of a scheme that are set from outside while its queue is in use.
//!
//! A learning agent or another controller reads a queue and sets a parameter between two
//! packets. Most schemes decide for themselves; these can be steered:
//!
//! | setting | schemes |
//! |---|---|
//! | [`Probability`](Setting::Probability) | `dial` |
//! | [`MaxP`](Setting::MaxP), [`Thresholds`](Setting::Thresholds), [`Curve`](Setting::Curve) | the RED family, but for curves given as numbers |
//!
//! A scheme that is set to the values it was configured with gives the verdicts it would have
//! given otherwise, bit for bit.

use core::fmt;

/// A parameter of a scheme, and its new value.
///
/// ```
/// use earlydrop::packet::{Ecn, FlowKey, Packet};
/// use earlydrop::queue::{AnyQueue, QueueDiscipline};
/// use earlydrop::registry::{LinkFacts, Spec};
/// use earlydrop::steering::Setting;
/// use earlydrop::units::{BitsPerSec, Nanos};
/// # struct Full;
/// # impl Packet for Full {
/// #   fn size(&self) -> u32 { 1250 }
/// #   fn flow(&self) -> FlowKey { FlowKey(0) }
/// #   fn ecn(&self) -> Ecn { Ecn::NotCapable }
/// #   fn mark(&mut self) {}
/// # }
///
/// let link = LinkFacts::at(BitsPerSec::from_mbps(10));
/// let mut queue: AnyQueue<Full> = "dial".parse::<Spec>()?.plan(&link)?.queue(1);
/// queue.steer(Nanos::ZERO, &Setting::Probability(0.02))?;
/// assert_eq!(queue.probe("probability"), Some(0.02));
/// assert!(queue.steer(Nanos::ZERO, &Setting::MaxP(0.1)).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Setting {
    /// The probability that a packet is dropped or marked, 0 to 1.
    Probability(f64),
    /// RED's max_p: the probability at the upper threshold, 0 to 1.
    MaxP(f64),
    /// RED's thresholds, in the unit of its average: packets, or bytes with `unit=bytes`.
    Thresholds {
        /// The lower threshold: not negative.
        min: f64,
        /// The upper threshold: above `min`.
        max: f64,
    },
    /// RED's curve: thresholds and max_p, which data-centre switches call Kmin, Kmax and Pmax.
    Curve {
        /// The lower threshold, as in [`Thresholds`](Setting::Thresholds).
        min: f64,
        /// The upper threshold.
        max: f64,
        /// The probability at the upper threshold, 0 to 1.
        max_p: f64,
    },
}

impl Setting {
    /// The name of what is set: "probability", "max_p", "thresholds", "curve".
    pub const fn name(&self) -> &'static str {
        match self {
            Setting::Probability(_) => "probability",
            Setting::MaxP(_) => "max_p",
            Setting::Thresholds { .. } => "thresholds",
            Setting::Curve { .. } => "curve",
        }
    }

    /// Checks that probabilities lie in [0, 1], and that thresholds are finite and in order.
    pub fn check(&self) -> Result<(), SteerError> {
        let (probability, thresholds) = match *self {
            Setting::Probability(p) | Setting::MaxP(p) => (Some(p), None),
            Setting::Thresholds { min, max } => (None, Some((min, max))),
            Setting::Curve { min, max, max_p } => (Some(max_p), Some((min, max))),
        };
        let is_share = |p: f64| (0.0..=1.0).contains(&p);
        let in_order = |(min, max): (f64, f64)| 0.0 <= min && min < max && max.is_finite();
        if probability.is_none_or(is_share) && thresholds.is_none_or(in_order) {
            return Ok(());
        }
        Err(SteerError::OutOfRange { setting: *self })
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Setting::Probability(p) => write!(f, "probability = {p}"),
            Setting::MaxP(p) => write!(f, "max_p = {p}"),
            Setting::Thresholds { min, max } => write!(f, "min = {min}, max = {max}"),
            Setting::Curve { min, max, max_p } => {
                write!(f, "min = {min}, max = {max}, max_p = {max_p}")
            }
        }
    }
}

/// Why a scheme could not be steered.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum SteerError {
    /// The scheme has no such parameter that can be set from outside.
    NotSteerable {
        /// The [name](Setting::name) of what was to be set.
        setting: &'static str,
    },
    /// A value is not allowed. The scheme is as it was.
    OutOfRange {
        /// What was to be set.
        setting: Setting,
    },
}

impl SteerError {
    /// The error of a scheme without the parameter in `setting`.
    pub const fn not_steerable(setting: &Setting) -> SteerError {
        SteerError::NotSteerable {
            setting: setting.name(),
        }
    }
}

impl fmt::Display for SteerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SteerError::NotSteerable { setting } => {
                let allowed = match *setting {
                    "probability" => "the scheme dial",
                    _ => "schemes of the RED family whose curve is not given as numbers",
                };
                write!(
                    f,
                    "the scheme's {setting} cannot be set; allowed: {allowed}"
                )
            }
            SteerError::OutOfRange { setting } => write!(
                f,
                "{setting}; allowed: probabilities in [0, 1], and 0 <= min < max"
            ),
        }
    }
}

impl core::error::Error for SteerError {}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn settings_out_of_range_are_refused_with_what_is_allowed() {
        let curve = |min, max, max_p| Setting::Curve { min, max, max_p };
        for wrong in [
            Setting::Probability(-0.1),
            Setting::Probability(1.1),
            Setting::MaxP(f64::NAN),
            Setting::Thresholds { min: 5.0, max: 5.0 },
            Setting::Thresholds {
                min: -1.0,
                max: 5.0,
            },
            curve(5.0, f64::INFINITY, 0.1),
            curve(5.0, 15.0, 2.0),
        ] {
            let error = wrong.check().unwrap_err().to_string();
            assert!(error.contains(&wrong.to_string()), "{error}");
            assert!(
                error.contains("allowed: probabilities in [0, 1]"),
                "{error}"
            );
        }
        assert_eq!(curve(0.0, 15.0, 1.0).check(), Ok(()));
    }
}
