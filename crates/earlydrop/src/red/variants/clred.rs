//! CLRED: curvilinear RED.
//!
//! # Reference
//! S. Hassan, A. Oluwatope, "Curvilinear RED: An Improved RED Algorithm for
//! Internet Routers", 2014.
//!
//! # Equations
//! With min1 = min and min2 midway between min and max:
//! - `Pb = 4 (1 - max_p) ((avg - min1)/(max - min1))^2` for min1 <= avg < min2;
//! - `Pb = (1 - max_p) + 2 max_p (avg - min2)/(max - min1)` for min2 <= avg < max;
//! - 1 above.
//!
//! # Our readings
//! - max_p acts the other way round than in RED: with the paper's max_p = 0.1, nine packets
//!   in ten are dropped midway. The curve's strength, which adaptations and flow policies
//!   move, is therefore 1 - max_p, the probability at min2. Raising it drops more, as for
//!   every other curve.
//! - Equation 3 has `Pa = Pb/(1 - count Pb)`. Algorithm 4 increments count before that, so the
//!   first Pa after a drop is Pb/(1 - Pb): `spacing=pseudocode`. From Pb = 1/2 on, which is below
//!   the midpoint, it then drops every packet. The preset has equation 3, `spacing=uniform`.
//! - Algorithm 4 decays the average over idle times by (1-w)^m and spares no packet:
//!   `idle=exact`, `cautious=off`, the defaults.
//! - The paper reports queue and delay only. Compare throughput too.
//!
//! # How other tools differ
//! None of ns-2, ns-3, Linux and DPDK has it.

use crate::red::parameters::scheme;
use crate::red::{CurveLaw, Piece, Pieces, Strength};
use crate::registry::{Descriptor, Preset};

/// The scheme.
pub const SCHEME: Descriptor = scheme(
    "clred",
    "curvilinear RED: a square to 1 - max_p at the midpoint, a line to 1 at max",
    "Hassan and Oluwatope 2014, section 3",
    &[("curve", "clred", "Hassan and Oluwatope 2014, section 3")],
    &[Preset {
        name: "paper",
        meaning: "Hassan and Oluwatope 2014, section 4: thresholds 10, 20 and 30, max_p 0.1, buffer 100; spacing by equation 3",
        values: &[
            ("min", "10 packets"),
            ("max", "30 packets"),
            ("max_p", "0.1"),
            ("weight", "0.002"),
            ("limit", "100 packets"),
            ("spacing", "uniform"),
        ],
    }],
);

/// In the strength s = 1 - max_p: 4 s (x/D)^2, then s + 2(1-s) x/D.
pub const CURVE: CurveLaw = CurveLaw {
    name: "clred",
    equation: "4(1-max_p)((avg-min)/(max-min))^2 to the midpoint, then 1-max_p + 2 max_p (avg-mid)/(max-min)",
    source: "Hassan and Oluwatope 2014, section 3",
    strength: Strength::OneMinusMaxP,
    pieces: |shape| {
        let width = shape.max - shape.min;
        let square = Piece {
            start: shape.min,
            scaled: [0.0, 0.0, 4.0 / (width * width), 0.0],
            ..Piece::default()
        };
        let line = Piece {
            start: (shape.min + shape.max) / 2.0,
            fixed: [0.0, 2.0 / width, 0.0, 0.0],
            scaled: [1.0, -2.0 / width, 0.0, 0.0],
            ..Piece::default()
        };
        Pieces::new(&[square, line], shape.max)
    },
};

#[cfg(test)]
mod tests {
    use crate::testing::curve;

    #[test]
    fn curve_is_the_closed_form_and_continuous() {
        let pb = curve("clred:min=10,max=30,max_p=0.1");
        assert_eq!(pb(9.999), 0.0);
        assert_eq!(pb(10.0), 0.0);
        assert!((pb(15.0) - 4.0 * 0.9 / 16.0).abs() < 1e-15);
        assert!((pb(20.0 - 1e-9) - pb(20.0)).abs() < 1e-9);
        assert!((pb(20.0) - 0.9).abs() < 1e-15);
        assert!((pb(25.0) - 0.95).abs() < 1e-15);
        assert!((pb(30.0 - 1e-9) - 1.0).abs() < 1e-9);
        assert_eq!(pb(30.0), 1.0);
    }
}
