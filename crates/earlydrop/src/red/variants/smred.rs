//! SmRED: smart RED.
//!
//! # Reference
//! A. K. Paul, H. Kawakami, A. Tachibana, T. Hasegawa, "An AQM Based Congestion Control for eNB
//! RLC in 4G/LTE Network", IEEE CCECE 2016.
//!
//! Read was a secondary source, not the paper: the equation and the ns-2 code of Sargsyan 2023
//! (github.com/agsargsyan/study_2023-2024_practice, `report_final/ch02.tex` and
//! `changed_NS2_files/red.cc`), which agree. Zaryadov, Viana, Korolkova, Milovanova 2024
//! (doi 10.22363/2658-4670-2024-32-2-154-171, section 2) describe two sections, too.
//!
//! # Equations
//! With x = (avg - min)/(max - min) and Target = min + (max - min)/2:
//! - `Pb = max_p x^2` for min <= avg < Target;
//! - `Pb = max_p sqrt(x)` for Target <= avg < max; 1 above.
//!
//! # Our readings
//! The curve jumps at Target from max_p/4 to 0.707 max_p, as printed.
//!
//! # How other tools differ
//! None of ns-2, ns-3, Linux and DPDK has it.

use crate::red::parameters::scheme;
use crate::red::{Argument, CurveLaw, Piece, Pieces, Strength};
use crate::registry::Descriptor;

/// The scheme.
pub const SCHEME: Descriptor = scheme(
    "smred",
    "smart RED: a square up to the midpoint, a square root from there",
    "Paul, Kawakami, Tachibana, Hasegawa 2016",
    &[("curve", "smred", "Paul et al. 2016")],
    &[],
);

/// The square and the root, which is a polynomial of degree 1 in `sqrt(x)`.
pub const CURVE: CurveLaw = CurveLaw {
    name: "smred",
    equation: "max_p x^2 to the midpoint, then max_p sqrt(x), x = (avg-min)/(max-min)",
    source: "Paul et al. 2016",
    strength: Strength::MaxP,
    pieces: |shape| {
        let width = shape.max - shape.min;
        let square = Piece {
            start: shape.min,
            scaled: [0.0, 0.0, 1.0 / (width * width), 0.0],
            ..Piece::default()
        };
        let root = Piece {
            start: shape.min + width / 2.0,
            argument: Argument::Power {
                zero: shape.min,
                width,
                exponent: 0.5,
            },
            scaled: [0.0, 1.0, 0.0, 0.0],
            ..Piece::default()
        };
        Pieces::new(&[square, root], shape.max)
    },
};

#[cfg(test)]
mod tests {
    use crate::testing::curve;

    #[test]
    fn curve_is_a_square_and_a_root() {
        let pb = curve("smred:min=10,max=42,max_p=0.1");
        for (avg, wanted) in [
            (9.999, 0.0),
            (10.0, 0.0),
            (18.0, 0.1 / 16.0),                             // (8/32)^2
            (26.0, 0.1 * core::f64::consts::FRAC_1_SQRT_2), // sqrt(1/2)
            (28.0, 0.1 * 0.75),                             // sqrt(18/32) = 3/4
            (42.0, 1.0),
        ] {
            assert!(
                (pb(avg) - wanted).abs() < 1e-15,
                "{avg}: {} {wanted}",
                pb(avg)
            );
        }
        assert!((pb(26.0 - 1e-9) - 0.025).abs() < 1e-9, "jumps at Target");
        assert!((pb(42.0 - 1e-9) - 0.1).abs() < 1e-9);
    }

    #[test]
    fn the_root_moves_with_max_p() {
        let pb = curve("smred:min=10,max=42,max_p=0.4");
        assert!((pb(28.0) - 0.3).abs() < 1e-15);
    }
}
