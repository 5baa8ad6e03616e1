//! DSRED: double-slope RED.
//!
//! # Reference
//! B. Zheng, M. Atiquzzaman, "DSRED: An Active Queue Management Scheme for Next
//! Generation Networks", IEEE LCN 2000; as in Hassan and Oluwatope 2014, equation (5).
//!
//! # Equations
//! With Kl = min, Kh = max, Km midway, `alpha = 2(1-gamma)/(Kh-Kl)`,
//! `beta = 2 gamma/(Kh-Kl)`:
//! - `Pb = alpha (avg - Kl)` for Kl <= avg < Km;
//! - `Pb = 1 - gamma + beta (avg - Km)` for Km <= avg < Kh; 1 above.
//!
//! # Our readings
//! DSRED has no max_p. Its curve's strength, which adaptations move, is 1 - gamma,
//! the probability at Km, and the probe `max_p` shows it.
//!
//! # How other tools differ
//! None of ns-2, ns-3, Linux and DPDK has it.

use alloc::format;

use crate::red::parameters::scheme;
use crate::red::{CurveLaw, Piece, Pieces, Strength};
use crate::registry::{ConfigError, Descriptor, Extent, Kind, Parameter, Preset, Range, Settings};

pub(crate) const PARAMETERS: &[Parameter] = &[Parameter::new(
    "gamma",
    "mode selector: one minus the probability midway between min and max",
    Kind::Number(Range::PROBABILITY, "probability"),
)
.with_extent(Extent::Multiple)
.with_default("0.96", "Zheng and Atiquzzaman 2000, their simulations")
.only_with("curve", &["dsred"])];

/// The scheme.
pub const SCHEME: Descriptor = scheme(
    "dsred",
    "double-slope RED: a shallow line to the midpoint, a steep one from there",
    "Zheng and Atiquzzaman, IEEE LCN 2000",
    &[("curve", "dsred", "Zheng and Atiquzzaman 2000")],
    &[Preset {
        name: "paper",
        meaning: "Zheng and Atiquzzaman's gamma, with the thresholds of Wang et al. 2008 and of Hassan and Oluwatope 2014",
        values: &[
            ("gamma", "0.96"),
            ("min", "10 packets"),
            ("max", "30 packets"),
        ],
    }],
);

/// The two slopes, in the strength s = 1 - gamma: 2 s x/D, then s + 2(1-s) x/D.
pub const CURVE: CurveLaw = CurveLaw {
    name: "dsred",
    equation: "2(1-gamma)(avg-min)/(max-min) to the midpoint, then 1-gamma + 2 gamma (avg-mid)/(max-min)",
    source: "Zheng and Atiquzzaman 2000",
    strength: Strength::OneMinusGamma,
    pieces: |shape| {
        let slope = 2.0 / (shape.max - shape.min);
        let lower = Piece {
            start: shape.min,
            scaled: [0.0, slope, 0.0, 0.0],
            ..Piece::default()
        };
        let upper = Piece {
            start: (shape.min + shape.max) / 2.0,
            fixed: [0.0, slope, 0.0, 0.0],
            scaled: [1.0, -slope, 0.0, 0.0],
            ..Piece::default()
        };
        Pieces::new(&[lower, upper], shape.max)
    },
};

/// The strength 1 - gamma, where the curve is DSRED's; an error if max_p is given too.
pub(crate) fn strength(s: &Settings) -> Option<Result<f64, ConfigError>> {
    if s.choice("curve") != "dsred" {
        return None;
    }
    let gamma = s.number("gamma");
    if s.was_given("max_p") {
        let max_p = s.number("max_p");
        return Some(Err(s.contradiction(
            "max_p",
            format!("max_p = {max_p} is given, but the curve dsred takes gamma instead"),
            format!(
                "nearest: gamma = {}, the same probability at the midpoint",
                1.0 - max_p / 2.0
            ),
        )));
    }
    Some(Ok(1.0 - gamma))
}

#[cfg(test)]
mod tests {
    use crate::testing::curve;

    #[test]
    fn curve_is_the_closed_form_and_continuous() {
        let pb = curve("dsred:min=10,max=30,gamma=0.8");
        assert_eq!(pb(10.0), 0.0);
        assert!((pb(15.0) - 0.1).abs() < 1e-15);
        assert!((pb(20.0 - 1e-9) - pb(20.0)).abs() < 1e-9);
        assert!((pb(20.0) - 0.2).abs() < 1e-15);
        assert!((pb(25.0) - 0.6).abs() < 1e-15);
        assert!((pb(30.0 - 1e-9) - 1.0).abs() < 1e-8);
        assert_eq!(pb(30.0), 1.0);
    }
}
