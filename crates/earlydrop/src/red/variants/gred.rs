//! Gentle RED: above max the probability rises linearly to 1 instead of jumping.
//!
//! # Reference
//! S. Floyd, "Recommendation on using the gentle variant of RED", 2000; as in Hassan and
//! Oluwatope 2014, section 2.2.
//!
//! # Equations
//! - RED up to max;
//! - `Pb = max_p + (1 - max_p)(avg - max)/max` for max <= avg < 2 max; 1 above.
//!
//! # Our readings
//! With an adaptation the second line starts at the present max_p.
//!
//! # How other tools differ
//! | aspect | ns-2, ns-3 | Linux, DPDK | here | what it changes |
//! |---|---|---|---|---|
//! | slope above max | of the first max_p, for ever | no gentle RED | of the present max_p | with max_p adapted to 0.5, their probability falls back to the first max_p at max |

use crate::red::parameters::scheme;
use crate::red::presets::{AS_NS2, AS_NS3};
use crate::red::{CurveLaw, Pieces, Strength, gentle_piece, linear_piece};
use crate::registry::{Descriptor, Preset};

/// The scheme.
pub const SCHEME: Descriptor = scheme(
    "gred",
    "gentle RED: above max the probability climbs to 1 at twice max",
    "Floyd, \"Recommendation on using the gentle_ variant of RED\", 2000",
    &[("curve", "gentle", "Floyd 2000")],
    &[
        Preset {
            name: "paper",
            meaning: "Wang et al. 2008, experiments 1 and 2: thresholds 10 and 30, max_p 0.1, buffer 120; the spacing of ns-2, which they used",
            values: &[
                ("min", "10 packets"),
                ("max", "30 packets"),
                ("max_p", "0.1"),
                ("limit", "120 packets"),
                ("spacing", "wait"),
            ],
        },
        Preset {
            name: "ns2",
            meaning: "ns-2 2.35, all but the buffer at its defaults",
            values: AS_NS2,
        },
        Preset {
            name: "ns3",
            meaning: "ns-3's RedQueueDisc with Gentle, its default",
            values: AS_NS3,
        },
    ],
);

/// RED's line and the gentle one.
pub const CURVE: CurveLaw = CurveLaw {
    name: "gentle",
    equation: "red, then max_p + (1-max_p)(avg-max)/max, all from 2 max on",
    source: "Floyd 2000, gentle RED",
    strength: Strength::MaxP,
    pieces: |shape| Pieces::new(&[linear_piece(shape), gentle_piece(shape)], 2.0 * shape.max),
};

#[cfg(test)]
mod tests {
    use crate::red::{Curve, Shape};
    use crate::testing::curve;

    #[test]
    fn curve_is_the_closed_form_and_continuous() {
        let pb = curve("gred:min=10,max=30,max_p=0.1");
        assert_eq!(pb(10.0), 0.0);
        assert!((pb(30.0 - 1e-9) - pb(30.0)).abs() < 1e-9);
        assert!((pb(30.0) - 0.1).abs() < 1e-15);
        assert!((pb(45.0) - 0.55).abs() < 1e-15);
        assert!((pb(60.0 - 1e-9) - 1.0).abs() < 1e-9);
        assert_eq!(pb(60.0), 1.0);
    }

    #[test]
    fn slope_above_max_follows_max_p_unless_frozen() {
        let shape = Shape {
            min: 10.0,
            max: 30.0,
            strength: 0.02,
            frozen_above_max: false,
        };
        let mut live = Curve::new(&super::CURVE, shape);
        let mut frozen = Curve::new(
            &super::CURVE,
            Shape {
                frozen_above_max: true,
                ..shape
            },
        );
        live.set_strength(0.5);
        frozen.set_strength(0.5);
        assert!((live.probability(30.0) - 0.5).abs() < 1e-15);
        assert!((frozen.probability(30.0) - 0.02).abs() < 1e-15);
        assert!((frozen.probability(29.999_999) - 0.5).abs() < 1e-6);
    }
}
