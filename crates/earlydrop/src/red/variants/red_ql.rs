//! RED-QL: a square for light and moderate load, a line for heavy load.
//!
//! # Reference
//! S. O. Hassan, V. O. Nwaocha, A. U. Rufai, T. J. Odule, T. A. Enem, L. A. Ogundele, S. A. Usman,
//! "Random early detection-quadratic linear: an enhanced active queue management algorithm",
//! Bulletin of Electrical Engineering and Informatics 11(4), 2022, pages 2262 to 2272,
//! doi 10.11591/eei.v11i4.3875.
//!
//! Read were its abstract, which names the two functions, and a secondary source for the
//! equations: the report and the ns-2 code of Sargsyan 2023
//! (github.com/agsargsyan/study_2023-2024_practice, `report_final/ch02.tex` and
//! `changed_NS2_files/red.cc`), which agree.
//!
//! # Equations
//! With `Target = 2 (min + max)/3 - min`:
//! - `Pb = 9 max_p ((avg - min)/(2 (max - 2 min)))^2` for min <= avg < Target;
//! - `Pb = max_p + 3 (1 - max_p)(avg - Target)/(min + max)` for Target <= avg < max; 1 above.
//!
//! # Our readings
//! - Both parts meet in max_p at Target, and the line reaches 1 at max, which confirms the
//!   equations of the secondary source.
//! - Target is the midpoint for max = 4 min, and below it for less. Up to max = 2 min it lies at
//!   or below min: there is no square then, and the curve begins with a jump to the line's value
//!   at min.
//!
//! # How other tools differ
//! None of ns-2, ns-3, Linux and DPDK has it.

use crate::red::parameters::scheme;
use crate::red::{CurveLaw, Piece, Pieces, Strength};
use crate::registry::Descriptor;

/// The scheme.
pub const SCHEME: Descriptor = scheme(
    "red-ql",
    "RED quadratic-linear: a square to max_p below the middle, a steep line to 1 from there",
    "Hassan, Nwaocha, Rufai, Odule, Enem, Ogundele, Usman 2022",
    &[("curve", "red-ql", "Hassan et al. 2022")],
    &[],
);

/// The square and the line, in the strength s = max_p: `s + 3 (1 - s) y/(min + max)`, y from
/// Target on.
pub const CURVE: CurveLaw = CurveLaw {
    name: "red-ql",
    equation: "9 max_p ((avg-min)/(2(max-2min)))^2 to T = 2(min+max)/3-min, then max_p + 3(1-max_p)(avg-T)/(min+max)",
    source: "Hassan et al. 2022, RED-QL",
    strength: Strength::MaxP,
    pieces: |shape| {
        let printed = 2.0 * (shape.min + shape.max) / 3.0 - shape.min;
        let target = printed.max(shape.min);
        let width = 2.0 * (shape.max - 2.0 * shape.min);
        let square = match target > shape.min {
            true => 9.0 / (width * width),
            false => 0.0,
        };
        let slope = 3.0 / (shape.min + shape.max);
        let rise = slope * (target - printed);
        Pieces::new(
            &[
                Piece {
                    start: shape.min,
                    scaled: [0.0, 0.0, square, 0.0],
                    ..Piece::default()
                },
                Piece {
                    start: target,
                    fixed: [rise, slope, 0.0, 0.0],
                    scaled: [1.0 - rise, -slope, 0.0, 0.0],
                    ..Piece::default()
                },
            ],
            shape.max,
        )
    },
};

#[cfg(test)]
mod tests {
    use crate::testing::curve;

    #[test]
    fn square_and_line_meet_at_target_and_reach_1() {
        // Target = 2 * 40/3 - 10 = 50/3.
        let pb = curve("red-ql:min=10,max=30,max_p=0.1");
        for (avg, wanted) in [
            (9.999, 0.0),
            (10.0, 0.0),
            (15.0, 0.9 * 0.25 * 0.25), // 9 * 0.1 * (5/20)^2
            (50.0 / 3.0, 0.1),
            (20.0, 0.1 + 2.7 / 12.0), // 0.1 + 3 * 0.9 * (10/3)/40
            (25.0, 0.1 + 2.7 * 25.0 / 120.0),
            (30.0, 1.0),
        ] {
            assert!(
                (pb(avg) - wanted).abs() < 1e-12,
                "{avg}: {} {wanted}",
                pb(avg)
            );
        }
        assert!((pb(50.0 / 3.0 - 1e-9) - 0.1).abs() < 1e-9);
        assert!((pb(30.0 - 1e-9) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn up_to_twice_min_there_is_no_square() {
        // Target = 2 * 225/3 - 75 = 75: the line rises by 0.9/75 a packet.
        let at_twice = curve("red-ql:min=75,max=150,max_p=0.1");
        assert_eq!(at_twice(74.999), 0.0);
        assert!((at_twice(75.0) - 0.1).abs() < 1e-12);
        assert!((at_twice(100.0) - 0.4).abs() < 1e-12);
        // Target = 2 * 50/3 - 20 = 40/3, below min: 0.1 + 2.7 * (20/3)/50 at min.
        let below = curve("red-ql:min=20,max=30,max_p=0.1");
        assert_eq!(below(19.999), 0.0);
        assert!((below(20.0) - 0.46).abs() < 1e-12);
        assert!((below(30.0 - 1e-9) - 1.0).abs() < 1e-9);
    }
}
