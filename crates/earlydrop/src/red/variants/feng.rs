//! Self-configuring RED: max_p changes when the average leaves the band.
//!
//! # Reference
//! W. Feng, D. Kandlur, D. Saha, K. Shin, "A Self-Configuring RED Gateway", IEEE
//! INFOCOM 1999; the baseline "Self-Config" of Li and Lee (`restraint`).
//!
//! # Equations
//! On each update of the average:
//! - it falls below min, and was not below: `max_p <- max_p/alpha`, alpha = 3;
//! - it rises above max, and was not above: `max_p <- max_p beta`, beta = 2;
//! - between min and max, only the state changes.
//!
//! # Our readings
//! max_p stays at most 1, and at least 2^-40, so that it can always grow back.
//!
//! # How other tools differ
//! | aspect | ns-2, ns-3 | here | what it changes |
//! |---|---|---|---|
//! | bounds | none | (0, 1] | theirs can exceed 1 |
//! | names | ns-3's text swaps alpha and beta, its code does not | alpha divides, beta multiplies | |
//! | at the start | ns-3: above max, so that the first average divides max_p | below min; `feng_start=above` | ns-3's max_p is a third of the one given |
//! | gentle part | slope of the first max_p | none, or of the present one | |

use alloc::format;

use crate::explanation::numbers;
use crate::red::Curve;
use crate::red::parameters::scheme;
use crate::red::presets::{AS_NS2, AS_NS3, together};
use crate::registry::{Descriptor, Kind, Parameter, Preset, Range, Settings};
use crate::trace::Trace;

const FACTOR: Range = Range {
    low: 1.0,
    with_low: false,
    ..Range::POSITIVE
};

pub(crate) const PARAMETERS: &[Parameter] = &[
    Parameter::new(
        "feng_alpha",
        "what max_p is divided by when the average falls below min",
        Kind::Number(FACTOR, "ratio"),
    )
    .with_default("3", "Feng et al. 1999; Li and Lee, table 1")
    .only_with("adapt", &["feng"]),
    Parameter::new(
        "feng_beta",
        "what max_p is multiplied by when the average rises above max",
        Kind::Number(FACTOR, "ratio"),
    )
    .with_default("2", "Feng et al. 1999; Li and Lee, table 1")
    .only_with("adapt", &["feng"]),
    Parameter::new(
        "feng_start",
        "where the average counts as having been before the first packet",
        Kind::Choice(&[
            ("below", "below min: max_p stays as it is given"),
            (
                "above",
                "above max: the first average below min divides max_p",
            ),
        ]),
    )
    .with_default(
        "below",
        "ours: an empty queue; above: ns-3 red-queue-disc.cc, m_fengStatus",
    )
    .only_with("adapt", &["feng"]),
];

/// The scheme.
pub const SCHEME: Descriptor = scheme(
    "feng",
    "self-configuring RED: max_p drops by 3 below min and doubles above max",
    "Feng, Kandlur, Saha, Shin, IEEE INFOCOM 1999",
    &[("adapt", "feng", "Feng et al. 1999")],
    &[
        Preset {
            name: "paper",
            meaning: "Li and Lee, table 1: thresholds 100 and 200, max_p 0.1, buffer 300; the spacing of ns-2, which they used",
            values: super::restraint::LI_LEE_TABLE_1,
        },
        Preset {
            name: "ns2",
            meaning: "ns-2 2.35 with feng_adaptive_, without gentle_",
            values: AS_NS2,
        },
        Preset {
            name: "ns3",
            meaning: "ns-3's RedQueueDisc with FengAdaptive, without Gentle",
            values: AS_NS3_FROM_ABOVE,
        },
    ],
);

const AS_NS3_FROM_ABOVE: &[(&str, &str)] =
    &together::<{ AS_NS3.len() + 1 }>(AS_NS3, &[("feng_start", "above")]);

/// The smallest strength: far below any probability that matters, but not zero.
const FLOOR: f64 = 1.0 / (1_u64 << 40) as f64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Below,
    Between,
    Above,
}

/// The adaptation of self-configuring RED.
#[derive(Clone, Debug)]
pub struct Feng {
    alpha: f64,
    beta: f64,
    side: Side,
}

impl Feng {
    pub(crate) fn from_settings(s: &Settings) -> Feng {
        let feng = Feng::new(s.number("feng_alpha"), s.number("feng_beta"));
        match s.choice("feng_start") {
            "above" => Feng {
                side: Side::Above,
                ..feng
            },
            _ => feng,
        }
    }

    /// Divides by `alpha` and multiplies by `beta`, both above 1.
    pub fn new(alpha: f64, beta: f64) -> Feng {
        // An empty queue starts below min, so that max_p is not divided at the start.
        let side = Side::Below;
        Feng { alpha, beta, side }
    }

    /// Goes on with the state of `old`.
    pub(crate) fn continue_from(&mut self, old: &Feng) {
        self.side = old.side;
    }

    /// Moves the curve's strength where the average, now `avg`, has left the band.
    #[inline]
    pub(crate) fn on_average(&mut self, avg: f64, curve: &mut Curve, trace: &mut impl Trace) {
        let shape = curve.shape();
        let side = if avg < shape.min {
            Side::Below
        } else if avg > shape.max {
            Side::Above
        } else {
            Side::Between
        };
        if side != self.side {
            return self.cross(side, curve, trace);
        }
        let says = "max_p, as self-configuring RED has set it";
        trace.note(|why| why.given(says, (why.strength, ""), curve.strength()));
    }

    #[cold]
    fn cross(&mut self, side: Side, curve: &mut Curve, trace: &mut impl Trace) {
        self.side = side;
        let before = curve.strength();
        match side {
            Side::Below => {
                curve.set_strength((before / self.alpha).max(FLOOR));
                trace.note(|why| {
                    let symbol = why.strength;
                    let says = "max_p, as the average has just fallen below min";
                    let equation = format!("{symbol} = {symbol} / alpha");
                    let text = numbers!("max({} / {}, {})", before, self.alpha, FLOOR);
                    why.step(says, (symbol, ""), equation, text, curve.strength());
                });
            }
            Side::Above => {
                curve.set_strength((before * self.beta).min(1.0));
                trace.note(|why| {
                    let symbol = why.strength;
                    let says = "max_p, as the average has just risen above max";
                    let equation = format!("{symbol} = {symbol} beta");
                    let text = numbers!("min({} * {}, 1)", before, self.beta);
                    why.step(says, (symbol, ""), equation, text, curve.strength());
                });
            }
            Side::Between => {
                let says = "max_p: the average is back between min and max";
                trace.note(|why| why.given(says, (why.strength, ""), before));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::red_curve;

    #[test]
    fn moves_only_when_the_average_crosses() {
        let mut curve = red_curve(10.0, 30.0, 0.1);
        let mut feng = Feng::new(3.0, 2.0);
        let mut max_p = |avg: f64| {
            feng.on_average(avg, &mut curve, &mut ());
            curve.strength()
        };
        assert_eq!(max_p(5.0), 0.1, "starts below");
        assert_eq!(max_p(20.0), 0.1, "between: unchanged");
        assert_eq!(max_p(31.0), 0.2, "rises above: doubled");
        assert_eq!(max_p(40.0), 0.2, "stays above: once");
        assert_eq!(max_p(20.0), 0.2);
        assert_eq!(max_p(31.0), 0.4, "above again");
        assert_eq!(max_p(9.0), 0.4 / 3.0, "straight below: divided");
        assert_eq!(max_p(8.0), 0.4 / 3.0);
    }

    #[test]
    fn max_p_stays_a_probability() {
        let mut curve = red_curve(10.0, 30.0, 0.9);
        let mut feng = Feng::new(3.0, 2.0);
        feng.on_average(31.0, &mut curve, &mut ());
        assert_eq!(curve.strength(), 1.0);
        for _ in 0..1000 {
            feng.on_average(20.0, &mut curve, &mut ());
            feng.on_average(5.0, &mut curve, &mut ());
        }
        assert_eq!(curve.strength(), FLOOR);
    }
}
