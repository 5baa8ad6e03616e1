//! IRED: improved RED, a square up to a late threshold, a line from there.
//!
//! # Reference
//! S. O. Hassan, A. U. Rufai, S. O. Ogunlere, O. D. Alao, L. A. Ogundele, M. O. Agbaje,
//! A. A. Adegbenjo, S. O. Kuyoro, "IRED: An Improved Active Queue Management Algorithm", Journal
//! of Computer Science 18(3), 2022, pages 130 to 137, doi 10.3844/jcssp.2022.130.137.
//!
//! Read were its abstract, which names a nonlinear and a linear function, and a secondary source
//! for the equations: the ns-2 code of Sargsyan 2023
//! (github.com/agsargsyan/study_2023-2024_practice, `changed_NS2_files/red.cc`), where the curve is
//! called "improved RED".
//!
//! # Equations
//! With `Target = (min + max)/3 + min`:
//! - `Pb = 9 max_p ((avg - min)/(min + max))^2` for min <= avg < Target;
//! - `Pb = max_p + 3 (1 - max_p)(avg - Target)/(2 (max - 2 min))` for Target <= avg < max; 1 above.
//!
//! # Our readings
//! - That "improved RED" is IRED is our reading: the code names no paper. The same authors'
//!   RED-QL is the mirror image, with the widths of both parts exchanged.
//! - Both parts meet in max_p at Target, and the line reaches 1 at max.
//! - Up to max = 2 min, Target lies at or above max: there is no line then, and the square ends at
//!   max.
//!
//! # How other tools differ
//! None of ns-2, ns-3, Linux and DPDK has it.

use crate::red::parameters::scheme;
use crate::red::{CurveLaw, Piece, Pieces, Strength};
use crate::registry::Descriptor;

/// The scheme.
pub const SCHEME: Descriptor = scheme(
    "ired",
    "improved RED: a square to max_p beyond the middle, a steep line to 1 from there",
    "Hassan, Rufai, Ogunlere, Alao, Ogundele, Agbaje, Adegbenjo, Kuyoro 2022",
    &[("curve", "ired", "Hassan et al. 2022, by Sargsyan's code")],
    &[],
);

/// The square and the line, in the strength s = max_p: `s + 3 (1 - s) y/(2 (max - 2 min))`, y from
/// Target on.
pub const CURVE: CurveLaw = CurveLaw {
    name: "ired",
    equation: "9 max_p ((avg-min)/(min+max))^2 to T = (min+max)/3+min, then max_p + 3(1-max_p)(avg-T)/(2(max-2min))",
    source: "Hassan et al. 2022, IRED",
    strength: Strength::MaxP,
    pieces: |shape| {
        let sum = shape.min + shape.max;
        let target = (sum / 3.0 + shape.min).min(shape.max);
        let slope = match target < shape.max {
            true => 1.5 / (shape.max - 2.0 * shape.min),
            false => 0.0,
        };
        Pieces::new(
            &[
                Piece {
                    start: shape.min,
                    scaled: [0.0, 0.0, 9.0 / (sum * sum), 0.0],
                    ..Piece::default()
                },
                Piece {
                    start: target,
                    fixed: [0.0, slope, 0.0, 0.0],
                    scaled: [1.0, -slope, 0.0, 0.0],
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
        // Target = 40/3 + 10 = 70/3.
        let pb = curve("ired:min=10,max=30,max_p=0.1");
        for (avg, wanted) in [
            (9.999, 0.0),
            (10.0, 0.0),
            (20.0, 0.9 / 16.0), // 9 * 0.1 * (10/40)^2
            (70.0 / 3.0, 0.1),
            (25.0, 0.1 + 0.225), // 0.1 + 3 * 0.9 * (5/3)/20
            (29.0, 0.1 + 2.7 * 17.0 / 60.0),
            (30.0, 1.0),
        ] {
            assert!(
                (pb(avg) - wanted).abs() < 1e-12,
                "{avg}: {} {wanted}",
                pb(avg)
            );
        }
        assert!((pb(70.0 / 3.0 - 1e-9) - 0.1).abs() < 1e-9);
        assert!((pb(30.0 - 1e-9) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn up_to_twice_min_there_is_no_line() {
        // Target = 225/3 + 75 = 150, at max.
        let pb = curve("ired:min=75,max=150,max_p=0.1");
        assert!((pb(100.0) - 0.9 / 81.0).abs() < 1e-12); // 9 * 0.1 * (25/225)^2
        assert!((pb(150.0 - 1e-9) - 0.1).abs() < 1e-9);
        assert_eq!(pb(150.0), 1.0);
        // Target = 50/3 + 20, beyond max: 9 * 0.1 * (5/50)^2.
        let beyond = curve("ired:min=20,max=30,max_p=0.1");
        assert!((beyond(25.0) - 0.009).abs() < 1e-12);
        assert_eq!(beyond(30.0), 1.0);
    }
}
