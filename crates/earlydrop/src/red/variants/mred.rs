//! MRED: a parabola to max_p, then the gentle line.
//!
//! # Reference
//! Y. Zhang, J. Ma, Y. Wang, C. Xu, "MRED: An Improved Nonlinear RED Algorithm",
//! 2012; as in Hassan and Oluwatope 2014, section 2.5 and algorithm 3.
//!
//! # Equations
//! - `Pb = max_p (avg^2 - min^2)/(max^2 - min^2)` for min <= avg < max;
//! - `Pb = max_p + (1 - max_p)(avg - max)/max` for max <= avg < 2 max; 1 above.
//!
//! # Our readings
//! Algorithm 3 drops everything for 2 max <= avg < buffer size. It does not mention larger
//! averages, which cannot occur.
//!
//! # How other tools differ
//! None of ns-2, ns-3, Linux and DPDK has it.

use crate::red::parameters::scheme;
use crate::red::{CurveLaw, Piece, Pieces, Strength, gentle_piece};
use crate::registry::{Descriptor, Preset};

/// The scheme.
pub const SCHEME: Descriptor = scheme(
    "mred",
    "a parabola in the average to max_p at max, then the gentle line",
    "Zhang, Ma, Wang, Xu 2012",
    &[("curve", "mred", "Hassan and Oluwatope 2014, algorithm 3")],
    &[Preset {
        name: "paper",
        meaning: "the thresholds of Hassan and Oluwatope 2014, who give MRED no values; spacing by equation 3",
        values: &[
            ("min", "10 packets"),
            ("max", "30 packets"),
            ("max_p", "0.1"),
            ("limit", "100 packets"),
            ("spacing", "uniform"),
        ],
    }],
);

/// With x = avg - min, avg^2 - min^2 = x^2 + 2 min x.
pub const CURVE: CurveLaw = CurveLaw {
    name: "mred",
    equation: "max_p (avg^2-min^2)/(max^2-min^2), then as gentle",
    source: "Zhang et al. 2012",
    strength: Strength::MaxP,
    pieces: |shape| {
        let span = shape.max * shape.max - shape.min * shape.min;
        let parabola = Piece {
            start: shape.min,
            scaled: [0.0, 2.0 * shape.min / span, 1.0 / span, 0.0],
            ..Piece::default()
        };
        Pieces::new(&[parabola, gentle_piece(shape)], 2.0 * shape.max)
    },
};

#[cfg(test)]
mod tests {
    use crate::testing::curve;

    #[test]
    fn curve_is_the_closed_form_and_continuous() {
        let pb = curve("mred:min=10,max=30,max_p=0.1");
        assert_eq!(pb(10.0), 0.0);
        assert!((pb(20.0) - 0.1 * 300.0 / 800.0).abs() < 1e-15);
        assert!((pb(30.0 - 1e-9) - pb(30.0)).abs() < 1e-9);
        assert!((pb(30.0) - 0.1).abs() < 1e-15);
        assert!((pb(45.0) - 0.55).abs() < 1e-15);
        assert_eq!(pb(60.0), 1.0);
    }
}
