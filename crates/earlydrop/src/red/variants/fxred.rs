//! FXRED: flexible RED, a curve for each state of the load.
//!
//! # Reference
//! A. Adamu, V. Shorgin, S. Melnikov, Y. Gaidamaka, "Flexible Random Early Detection Algorithm for
//! Queue Management in Routers", DCCN 2020, LNCS 12563, pages 196 to 208,
//! doi 10.1007/978-3-030-66471-8_16. Read was the paper.
//!
//! # Equations
//! With D = max - min, Delta = (min + max)/2, `k = c^(1/g)` and `epsilon = c^(-g)` (4 to 6, 9):
//! - `Pb = (1 - epsilon) 2^floor(k) ((avg - min)/D)^floor(k)` for min <= avg < Delta;
//! - `Pb = 1 - epsilon + 2 epsilon (avg - Delta)/D` for Delta <= avg < max; 1 above.
//!
//! c = 2, and g depends on the load rho, arrivals over capacity (10):
//!
//! | load | g | floor(k) | epsilon | curve |
//! |---|---|---|---|---|
//! | rho < 0.75 | 0.25 | 16 | 2^-0.25 = 0.841 | `fxred-light` |
//! | rho < 1.25 | 1 | 2 | 0.5 | `fxred` |
//! | rho >= 1.25 | 2 | 1 | 0.25 | `fxred-heavy` |
//!
//! # Our readings
//! - Each state is a curve of its own, chosen by the configuration. The paper switches between
//!   them by the arrival rate, and says neither over which time it is measured nor how, so the
//!   switch is not here. A TCP flow's arrivals match the capacity on average, so the state in the
//!   middle is the default.
//! - The state in the middle is CLRED's curve at max_p = 0.5, and the heavy state is DSRED's at
//!   gamma = 0.25. A test compares them.
//! - epsilon is the parameter `max_p`, which acts as in CLRED: one minus it is the probability at
//!   Delta, and the curve's strength.
//!
//! # How other tools differ
//! None of ns-2, ns-3, Linux and DPDK has it.

use crate::red::parameters::scheme;
use crate::red::{Argument, CurveLaw, Piece, Pieces, Shape, Strength};
use crate::registry::{Descriptor, Preset};

/// Adamu et al. 2020, section 4: the queue.
const SECTION_4: [(&str, &str); 5] = [
    ("min", "25 packets"),
    ("max", "75 packets"),
    ("weight", "0.002"),
    ("limit", "100 packets"),
    ("spacing", "wait"),
];

/// The scheme.
pub const SCHEME: Descriptor = scheme(
    "fxred",
    "flexible RED: a power to the midpoint and a line to 1, with the power of the load's state",
    "Adamu, Shorgin, Melnikov, Gaidamaka 2020",
    &[
        ("curve", "fxred", "Adamu et al. 2020, equation (9)"),
        (
            "max_p",
            "0.5",
            "Adamu et al. 2020, equations (6) and (10): epsilon at moderate load",
        ),
    ],
    &[
        Preset {
            name: "light",
            meaning: "Adamu et al. 2020, section 4, a load below 0.75: thresholds 25 and 75, buffer 100; the spacing of ns-2, which they used",
            values: &in_state("fxred-light", "0.8408964152537145"),
        },
        Preset {
            name: "paper",
            meaning: "Adamu et al. 2020, section 4, a load from 0.75 to 1.25: thresholds 25 and 75, buffer 100; the spacing of ns-2, which they used",
            values: &in_state("fxred", "0.5"),
        },
        Preset {
            name: "heavy",
            meaning: "Adamu et al. 2020, section 4, a load from 1.25 on: thresholds 25 and 75, buffer 100; the spacing of ns-2, which they used",
            values: &in_state("fxred-heavy", "0.25"),
        },
    ],
);

/// The queue of section 4 with a state's curve and epsilon.
const fn in_state(curve: &'static str, epsilon: &'static str) -> [(&'static str, &'static str); 7] {
    let [min, max, weight, limit, spacing] = SECTION_4;
    [
        ("curve", curve),
        ("max_p", epsilon),
        min,
        max,
        weight,
        limit,
        spacing,
    ]
}

/// The curve with floor(k) = `exponent`, in the strength s = 1 - epsilon: `s (2 x/D)^k`, then
/// `s + 2 (1 - s) x/D`.
fn pieces(shape: &Shape, exponent: u8) -> Pieces {
    let slope = 2.0 / (shape.max - shape.min);
    let mut power = Piece::starting_at(shape.min);
    match exponent {
        1 => power.scaled[1] = slope,
        2 => power.scaled[2] = slope * slope,
        _ => {
            power.scaled[1] = 1.0;
            power.argument = Argument::Power {
                zero: shape.min,
                width: 1.0 / slope,
                exponent: f64::from(exponent),
            };
        }
    }
    let line = Piece {
        start: (shape.min + shape.max) / 2.0,
        fixed: [0.0, slope, 0.0, 0.0],
        scaled: [1.0, -slope, 0.0, 0.0],
        ..Piece::default()
    };
    Pieces::new(&[power, line], shape.max)
}

/// FXRED at light load: the 16th power.
pub const LIGHT_CURVE: CurveLaw = CurveLaw {
    name: "fxred-light",
    equation: "(1-max_p) (2(avg-min)/(max-min))^16 to the midpoint, then 1-max_p + 2 max_p (avg-mid)/(max-min)",
    source: "Adamu et al. 2020, equation (9)",
    strength: Strength::OneMinusMaxP,
    pieces: |shape| pieces(shape, 16),
};

/// FXRED at moderate load: the square.
pub const CURVE: CurveLaw = CurveLaw {
    name: "fxred",
    equation: "(1-max_p) (2(avg-min)/(max-min))^2 to the midpoint, then 1-max_p + 2 max_p (avg-mid)/(max-min)",
    source: "Adamu et al. 2020, equation (9)",
    strength: Strength::OneMinusMaxP,
    pieces: |shape| pieces(shape, 2),
};

/// FXRED at heavy load: two lines.
pub const HEAVY_CURVE: CurveLaw = CurveLaw {
    name: "fxred-heavy",
    equation: "2(1-max_p)(avg-min)/(max-min) to the midpoint, then 1-max_p + 2 max_p (avg-mid)/(max-min)",
    source: "Adamu et al. 2020, equation (9)",
    strength: Strength::OneMinusMaxP,
    pieces: |shape| pieces(shape, 1),
};

#[cfg(test)]
mod tests {
    use crate::testing::curve;
    use alloc::format;

    #[test]
    fn each_state_is_its_power_to_the_midpoint_and_a_line_to_1() {
        for (preset, epsilon, quarter) in [
            ("light", 0.840_896_415_253_714_5, 1.0 / 65_536.0), // (1/2)^16
            ("paper", 0.5, 0.25),
            ("heavy", 0.25, 0.5),
        ] {
            let pb = curve(&format!("fxred:as={preset}"));
            let middle = 1.0 - epsilon;
            for (avg, wanted) in [
                (24.999, 0.0),
                (25.0, 0.0),
                (37.5, middle * quarter),
                (50.0, middle),
                (62.5, middle + epsilon / 2.0),
                (75.0, 1.0),
            ] {
                let error = (pb(avg) - wanted).abs();
                assert!(error < 1e-15, "{preset} at {avg}: {} {wanted}", pb(avg));
            }
            assert!((pb(50.0 - 1e-9) - middle).abs() < 1e-8, "{preset}");
            assert!((pb(75.0 - 1e-9) - 1.0).abs() < 1e-9, "{preset}");
        }
    }

    #[test]
    fn two_states_are_older_curves() {
        let at = "min=25,max=75";
        for (state, older) in [
            ("fxred:max_p=0.5", "clred:max_p=0.5"),
            ("fxred:curve=fxred-heavy,max_p=0.25", "dsred:gamma=0.25"),
        ] {
            let (new, old) = (
                curve(&format!("{state},{at}")),
                curve(&format!("{older},{at}")),
            );
            for step in 0..=1000 {
                let avg = f64::from(step) / 10.0;
                assert!((new(avg) - old(avg)).abs() < 1e-15, "{state} at {avg}");
            }
        }
    }
}
