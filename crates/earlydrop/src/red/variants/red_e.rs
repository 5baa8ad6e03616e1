//! RED_E: RED with an exponential.
//!
//! # Reference
//! H. Abdel-Jaber, "An Exponential Active Queue Management Method Based on Random Early Detection",
//! Journal of Computer Networks and Communications 2020, 8090468, doi 10.1155/2020/8090468.
//!
//! Read were its abstract and the outline of its algorithm 3, which say that packets are dropped
//! "in an exponential manner" without max_p, and a secondary source for the equation: the ns-2 code
//! of Sargsyan 2023 (github.com/agsargsyan/study_2023-2024_practice,
//! `changed_NS2_files/red.cc`).
//!
//! # Equations
//! `Pb = (e^avg - e^min)/(e^max - e^min)` for min <= avg < max, the averages in packets; 0 below,
//! 1 above.
//!
//! # Our readings
//! - The secondary source multiplies by max_p, which the abstract excludes. The parameter `max_p`
//!   is therefore 1 here; a smaller one scales the curve.
//! - The averages count in packets, or in bytes with `unit=bytes`. So the curve's shape depends on
//!   the unit: whatever the thresholds are, nearly all of its rise lies within the last few packets
//!   below max (a third of it within the last one). With thresholds as far apart as usual, the
//!   scheme is a drop of everything when the average reaches max, softened over about three packets.
//!
//! # How other tools differ
//! None of ns-2, ns-3, Linux and DPDK has it.

use crate::red::parameters::scheme;
use crate::red::{Argument, CurveLaw, Piece, Pieces, Strength};
use crate::registry::Descriptor;

/// The scheme.
pub const SCHEME: Descriptor = scheme(
    "red-e",
    "RED with an exponential that rises within the last packets below max",
    "Abdel-Jaber 2020",
    &[
        ("curve", "red-e", "Abdel-Jaber 2020, by Sargsyan's code"),
        ("max_p", "1", "Abdel-Jaber 2020, abstract: without max_p"),
    ],
    &[],
);

/// With `y = e^(avg - max)` and `q = e^(min - max)`: `max_p (y - q)/(1 - q)`, in which nothing
/// overflows.
pub const CURVE: CurveLaw = CurveLaw {
    name: "red-e",
    equation: "max_p (e^avg - e^min)/(e^max - e^min), all from max on",
    source: "Abdel-Jaber 2020",
    strength: Strength::MaxP,
    pieces: |shape| {
        let least = libm::exp(shape.min - shape.max);
        let exponential = Piece {
            start: shape.min,
            argument: Argument::Exponential { at: shape.max },
            scaled: [-least / (1.0 - least), 1.0 / (1.0 - least), 0.0, 0.0],
            ..Piece::default()
        };
        Pieces::new(&[exponential], shape.max)
    },
};

#[cfg(test)]
mod tests {
    use crate::testing::curve;

    #[test]
    fn curve_is_the_exponential() {
        // (e^a - 1)/(e^3 - 1) at a packets above min = 5; e = 2.718281828, e^3 = 20.085536923.
        let pb = curve("red-e:min=5,max=8");
        for (avg, wanted) in [
            (4.999, 0.0),
            (5.0, 0.0),
            (6.0, 1.718_281_828 / 19.085_536_923),
            (7.0, 6.389_056_099 / 19.085_536_923),
            (8.0, 1.0),
        ] {
            assert!(
                (pb(avg) - wanted).abs() < 1e-9,
                "{avg}: {} {wanted}",
                pb(avg)
            );
        }
        assert!((pb(8.0 - 1e-9) - 1.0).abs() < 1e-8);
    }

    #[test]
    fn far_thresholds_do_not_overflow() {
        let pb = curve("red-e:min=100,max=900,limit=1000");
        assert_eq!(pb(100.0), 0.0);
        assert!(pb(850.0) < 1e-20);
        assert!((pb(899.0) - 0.367_879_441).abs() < 1e-9, "e^-1");
    }

    #[test]
    fn max_p_scales_it() {
        let (whole, half) = (
            curve("red-e:min=5,max=8"),
            curve("red-e:min=5,max=8,max_p=0.5"),
        );
        assert!((half(7.0) - whole(7.0) / 2.0).abs() < 1e-15);
    }
}
