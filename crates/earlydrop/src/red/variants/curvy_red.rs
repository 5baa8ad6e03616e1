//! Curvy RED: the square of the queueing delay.
//!
//! # Reference
//! B. Briscoe, "Insights from Curvy RED (Random Early Detection)", BT technical report, 2015,
//! arXiv:1904.07339; K. De Schepper, B. Briscoe, G. White, RFC 9332, 2023, appendix B, where it is
//! the Classic queue's scheme of a Coupled DualQ.
//!
//! Read were the memo's abstract, and for the equation the port of the RFC's draft to ns-3
//! (github.com/rathoresrikant/Implementation-of-Curvy-RED-in-ns-3,
//! `src/traffic-control/doc/dual-q-coupled-curvy-red.rst` and its code).
//!
//! # Equations
//! A packet is dropped when `avg/D` exceeds the largest of 2 U random numbers, so
//! `Pb = (avg/D)^(2 U)` for avg < D; 1 above. avg is the average queueing delay with weight
//! 2^-f_C, D = 2^S_C seconds; U = 1, f_C = 5, S_C = -1 by default.
//!
//! # Our readings
//! - U = 1 only: the square. With `min` above 0, `Pb = max_p ((avg - min)/(max - min))^2`;
//!   `max` is D.
//! - Each packet is decided by itself: `spacing=geometric`.
//! - The average is taken of the queue's length at arrivals, as everywhere in the family, not of
//!   the delay at departures. On a link of one rate both are the same.
//! - The square of a delay that TCP senders fill by the square root of the loss is meant to let the
//!   queue grow with the load. Curvy RED without its coupled queue is what the memo analyses.
//!
//! # How other tools differ
//! None of ns-2, ns-3, Linux and DPDK has it.

use crate::red::parameters::scheme;
use crate::red::{CurveLaw, Piece, Pieces, Strength};
use crate::registry::{Descriptor, Preset};

/// The scheme.
pub const SCHEME: Descriptor = scheme(
    "curvy-red",
    "curvy RED: the square of the queue from 0 on, to 1 at max",
    "Briscoe 2015, arXiv:1904.07339; RFC 9332, appendix B",
    &[
        ("curve", "curvy-red", "Briscoe 2015"),
        ("min", "0 packets", "Curvy RED has no lower threshold"),
        ("max", "500 packets", "half the buffer's default"),
        ("max_p", "1", "the square reaches 1 at D"),
        ("weight", "0.03125", "the draft's f_C = 5"),
        (
            "spacing",
            "geometric",
            "the draft compares with random numbers",
        ),
    ],
    &[Preset {
        name: "draft",
        meaning: "the draft's defaults: D = 2^-1 s, f_C = 5, U = 1; the buffer, which it leaves open, is twice D",
        values: &[
            ("min", "0 packets"),
            ("max", "500 ms"),
            ("max_p", "1"),
            ("weight", "0.03125"),
            ("spacing", "geometric"),
            ("limit", "1 s"),
        ],
    }],
);

/// The square: `max_p x^2/(max - min)^2`.
pub const CURVE: CurveLaw = CurveLaw {
    name: "curvy-red",
    equation: "max_p ((avg-min)/(max-min))^2, all from max on",
    source: "Briscoe 2015, Curvy RED",
    strength: Strength::MaxP,
    pieces: |shape| {
        let width = shape.max - shape.min;
        let square = Piece {
            start: shape.min,
            scaled: [0.0, 0.0, 1.0 / (width * width), 0.0],
            ..Piece::default()
        };
        Pieces::new(&[square], shape.max)
    },
};

#[cfg(test)]
mod tests {
    use crate::testing::curve;

    #[test]
    fn curve_is_the_square_of_the_share_of_d() {
        let pb = curve("curvy-red:max=200");
        for (avg, wanted) in [
            (0.0, 0.0),
            (20.0, 0.01),
            (100.0, 0.25),
            (199.0, 0.990_025),
            (200.0, 1.0),
        ] {
            assert!((pb(avg) - wanted).abs() < 1e-15, "{avg}: {}", pb(avg));
        }
        assert!((pb(200.0 - 1e-9) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn the_drafts_range_is_half_a_second() {
        // 625 packets of 1,000 bytes at 10 Mbps.
        let pb = curve("curvy-red:as=draft");
        assert!((pb(62.5) - 0.01).abs() < 1e-15);
        assert_eq!(pb(625.0), 1.0);
    }
}
