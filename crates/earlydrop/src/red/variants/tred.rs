//! TRED: three-section RED.
//!
//! # Reference
//! C.-W. Feng, L.-F. Huang, C. Xu, Y.-C. Chang, "Congestion Control Scheme Performance Analysis
//! Based on Nonlinear RED", IEEE Systems Journal 11(4), 2017 (online 2015), pages 2247 to 2254.
//!
//! Read were two secondary sources, not the paper: an implementation of it for ns-3.26
//! (github.com/nichit93/Implementation-of-TRED-in-ns-3, `red-queue-disc.cc`), and its description
//! in Adamu, Shorgin, Melnikov, Gaidamaka 2020, section 2.
//!
//! # Equations
//! With D = max - min, three sections of equal width:
//! - `Pb = 9 max_p ((avg - min)/D)^3` for min <= avg < min + D/3;
//! - `Pb = max_p (avg - min)/D`, as RED, for min + D/3 <= avg < min + 2 D/3;
//! - `Pb = 9 max_p ((avg - max)/D)^3 + max_p` for min + 2 D/3 <= avg < max; 1 above.
//!
//! # Our readings
//! - Everything is dropped from max on. The implementation for ns-3 takes that from its RED, whose
//!   `Gentle` is on by default.
//! - The outer sections meet the line where they end: at max_p/3 and at 2 max_p/3. A report that
//!   repeats the equations (Sargsyan 2023, github.com/agsargsyan/study_2023-2024_practice) has
//!   `avg - min` in the third too, which would jump from 2 max_p/3 to 11 max_p/3. It is taken for
//!   a misprint.
//!
//! # How other tools differ
//! None of ns-2, ns-3, Linux and DPDK has it.

use crate::red::parameters::scheme;
use crate::red::{CurveLaw, Piece, Pieces, Strength};
use crate::registry::{Descriptor, Preset};

/// The scheme.
pub const SCHEME: Descriptor = scheme(
    "tred",
    "three-section RED: a cube below RED's line, the line, a cube above it",
    "Feng, Huang, Xu, Chang 2017",
    &[("curve", "tred", "Feng et al. 2017")],
    &[Preset {
        name: "paper",
        meaning: "as Adamu et al. 2020 compare it with FXRED: thresholds 25 and 75, max_p 0.1, buffer 100; the spacing of ns-2, which they used",
        values: &[
            ("min", "25 packets"),
            ("max", "75 packets"),
            ("max_p", "0.1"),
            ("weight", "0.002"),
            ("limit", "100 packets"),
            ("spacing", "wait"),
        ],
    }],
);

/// With x from each section's start and d = D/3, `9 (x - d)^3/D^3 + 1` is
/// `2/3 + 3 x/D - 9 (x/D)^2 + 9 (x/D)^3`.
pub const CURVE: CurveLaw = CurveLaw {
    name: "tred",
    equation: "9 max_p ((avg-min)/D)^3, max_p (avg-min)/D, 9 max_p ((avg-max)/D)^3 + max_p in a third of D = max-min each",
    source: "Feng et al. 2017",
    strength: Strength::MaxP,
    pieces: |shape| {
        let width = shape.max - shape.min;
        let (square, cube) = (width * width, width * width * width);
        let section = |start: f64, scaled: [f64; 4]| Piece {
            start: shape.min + start * width,
            scaled,
            ..Piece::default()
        };
        Pieces::new(
            &[
                section(0.0, [0.0, 0.0, 0.0, 9.0 / cube]),
                section(1.0 / 3.0, [1.0 / 3.0, 1.0 / width, 0.0, 0.0]),
                section(
                    2.0 / 3.0,
                    [2.0 / 3.0, 3.0 / width, -9.0 / square, 9.0 / cube],
                ),
            ],
            shape.max,
        )
    },
};

#[cfg(test)]
mod tests {
    use crate::testing::curve;

    #[test]
    fn sections_are_the_closed_forms_and_meet() {
        let pb = curve("tred:min=10,max=40,max_p=0.1");
        for (avg, wanted) in [
            (9.999, 0.0),
            (10.0, 0.0),
            (15.0, 0.9 / 216.0),          // 9 * 0.1 * (5/30)^3
            (20.0, 0.1 / 3.0),            // the cube ends on the line
            (25.0, 0.05),                 // RED
            (30.0, 0.2 / 3.0),            // the line ends on the second cube
            (35.0, 0.1 - 0.9 / 216.0),    // 0.1 - 9 * 0.1 * (5/30)^3
            (39.0, 0.1 - 0.9 / 27_000.0), // 0.1 - 9 * 0.1 / 30^3
            (40.0, 1.0),
        ] {
            assert!(
                (pb(avg) - wanted).abs() < 1e-15,
                "{avg}: {} {wanted}",
                pb(avg)
            );
        }
        for edge in [20.0, 30.0] {
            assert!((pb(edge - 1e-9) - pb(edge)).abs() < 1e-9, "{edge}");
        }
        assert!((pb(40.0 - 1e-9) - 0.1).abs() < 1e-12);
    }

    #[test]
    fn covers_the_area_of_red() {
        // The first cube lies below the line by as much as the second above it.
        let (tred, red) = (curve("tred:min=10,max=40"), curve("red:min=10,max=40"));
        for below in [0.0, 3.0, 7.5, 14.0] {
            let both = |pb: &dyn Fn(f64) -> f64| pb(10.0 + below) + pb(40.0 - below - 1e-12);
            assert!((both(&tred) - both(&red)).abs() < 1e-12, "{below}");
        }
    }
}
