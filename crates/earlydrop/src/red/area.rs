//! The parameter `area`: shapes of curves at equal strength.

use alloc::format;

use super::Curve;
use crate::registry::{ConfigError, Kind, Parameter, Range, Settings};

pub(crate) const PARAMETERS: &[Parameter] = &[Parameter::new(
    "area",
    "multiplies the whole curve by a factor, so that this is the mean of Pb between min \
     and max; auto: as curve and max_p give it",
    Kind::OrAuto(&Kind::Number(Range::POSITIVE_PROBABILITY, "probability")),
)
.with_default(
    "auto",
    "the published curves; max_p/2 for RED's line, which Wang et al. 2008 give NLRED",
)];

/// Gives the curve the area of the settings, if they have one. Where the factor lifts the curve
/// above 1, it is cut off there, and its area is less.
pub(crate) fn apply(s: &Settings, curve: &mut Curve) -> Result<(), ConfigError> {
    let Some(area) = s.number_or_auto("area") else {
        return Ok(());
    };
    if s.choice("arithmetic") == "linux" {
        return Err(s.contradiction(
            "area",
            format!("area = {area} is given, but Linux's arithmetic knows RED's line only"),
            format!("nearest: max_p = {}", (2.0 * area).min(1.0)),
        ));
    }
    match curve.scale_to_mean(area) {
        true => Ok(()),
        false => Err(s.contradiction(
            "area",
            format!("area = {area} is given, but the curve is 0 between min and max"),
            "give it segments above 0",
        )),
    }
}
