//! NLRED: nonlinear RED.
//!
//! # Reference
//! H. Wang, X.-H. Lin, K.-Y. Zhou, N. Xie, H. Li, "On the Scalable Fairness and
//! Efficient Active Queue Management of RED", 2008, section 4.
//!
//! # Equations
//! `Pb = max_p' ((avg - min)/(max - min))^2` for min <= avg < max; 0 below, 1 above;
//! `max_p' = 1.5 max_p`, which makes the area under the curve RED's.
//!
//! # Our readings
//! - The paper labels its curves by max_p and draws 1.5 max_p. The parameter `max_p` here
//!   is the label. Where 1.5 max_p exceeds 1 it is cut off at 1.
//! - A packet at avg = max is dropped, as under RED, though the paper's equation (3) still
//!   gives it max_p'.
//!
//! # How other tools differ
//! | aspect | ns-3 | here | what it changes |
//! |---|---|---|---|
//! | above max | with Gentle, its default, the gentle line from max_p | everything dropped | ns-3's falls from 1.5 max_p back to max_p at max; `curve=nlred-gentle` |

use crate::red::parameters::scheme;
use crate::red::presets::{AS_NS3, together};
use crate::red::{Argument, CurveLaw, Piece, Pieces, Shape, Strength, gentle_piece};
use crate::registry::{Descriptor, Preset};

/// The scheme.
pub const SCHEME: Descriptor = scheme(
    "nlred",
    "nonlinear RED: a square instead of a line, gentler when light, harsher when heavy",
    "Wang, Lin, Zhou, Xie, Li 2008, section 4",
    &[("curve", "nlred", "Wang et al. 2008, equation (3)")],
    &[
        Preset {
            name: "paper",
            meaning: "Wang et al. 2008, section 5: thresholds 10 and 30, max_p 0.1, buffer 120; the spacing of ns-2, which they used",
            values: &[
                ("min", "10 packets"),
                ("max", "30 packets"),
                ("max_p", "0.1"),
                ("weight", "0.002"),
                ("limit", "120 packets"),
                ("spacing", "wait"),
            ],
        },
        Preset {
            name: "ns3",
            meaning: "ns-3's NLRED with Gentle at its default, on",
            values: AS_NS3_GENTLE,
        },
    ],
);

const AS_NS3_GENTLE: &[(&str, &str)] =
    &together::<{ AS_NS3.len() + 1 }>(AS_NS3, &[("curve", "nlred-gentle")]);

/// The square: `1.5 max_p x^2/(max-min)^2`.
const fn square(shape: &Shape) -> Piece {
    let width = shape.max - shape.min;
    Piece {
        start: shape.min,
        argument: Argument::Distance,
        fixed: [0.0; 4],
        scaled: [0.0, 0.0, 1.5 / (width * width), 0.0],
    }
}

/// NLRED's square.
pub const CURVE: CurveLaw = CurveLaw {
    name: "nlred",
    equation: "1.5 max_p ((avg-min)/(max-min))^2, all from max on",
    source: "Wang et al. 2008, equation (3)",
    strength: Strength::MaxP,
    pieces: |shape| Pieces::new(&[square(shape)], shape.max),
};

/// NLRED as in ns-3, where Gentle is on by default.
pub const GENTLE_CURVE: CurveLaw = CurveLaw {
    name: "nlred-gentle",
    equation: "nlred, then gentle from max_p at max: falls by a third there, as ns-3",
    source: "Wang et al. 2008, equation (3)",
    strength: Strength::MaxP,
    pieces: |shape| Pieces::new(&[square(shape), gentle_piece(shape)], 2.0 * shape.max),
};

#[cfg(test)]
mod tests {
    use crate::testing::curve;

    #[test]
    fn curve_is_the_closed_form() {
        let pb = curve("nlred:min=10,max=30,max_p=0.1");
        assert_eq!(pb(10.0), 0.0);
        assert!((pb(20.0) - 0.15 / 4.0).abs() < 1e-15);
        assert!((pb(30.0 - 1e-9) - 0.15).abs() < 1e-9);
        assert_eq!(pb(30.0), 1.0);
        assert_eq!(curve("nlred:min=10,max=30,max_p=1")(29.0), 1.0);
    }

    #[test]
    fn covers_the_area_of_red() {
        let nlred = curve("nlred:min=10,max=30,max_p=0.1");
        let red = curve("red:min=10,max=30,max_p=0.1");
        let area = |pb: &dyn Fn(f64) -> f64| -> f64 {
            let middle = |step| 10.0 + 20.0 * (f64::from(step) + 0.5) / 20_000.0;
            (0..20_000).map(|step| pb(middle(step)) * 1e-3).sum()
        };
        assert!((area(&nlred) - area(&red)).abs() < 1e-8);
    }

    #[test]
    fn as_ns3_falls_by_a_third_at_max() {
        let pb = curve("nlred:as=ns3");
        assert!((pb(15.0 - 1e-9) - 0.03).abs() < 1e-9);
        assert!((pb(15.0) - 0.02).abs() < 1e-15);
        assert_eq!(pb(30.0), 1.0);
    }
}
