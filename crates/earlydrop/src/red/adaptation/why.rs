//! What the adaptation has made of max_p.

use super::Adaptation;
use crate::explanation::{Why, numbers};
use crate::red::{Curve, Shape};

impl Adaptation {
    /// Shows max_p as the periodic steps have set it, where they do.
    pub(super) fn show(&self, why: &mut Why, curve: &Curve) {
        let says = match self {
            Adaptation::None | Adaptation::Feng(_) => return,
            Adaptation::Floyd(_) => "max_p, as adaptive RED has set it at its last step",
            Adaptation::Restraint(_) => "max_p, as restraint has set it after its last slot",
            Adaptation::Rate(_, Some(_)) => {
                "max_p, as adaptive RED, the base, has set it at its last step"
            }
            Adaptation::Rate(_, None) => "max_p of RED, the base",
        };
        why.given(says, (why.strength, ""), curve.strength());
        match self {
            Adaptation::Floyd(_) | Adaptation::Rate(_, Some(_)) => {
                show_band(why, curve.shape());
            }
            Adaptation::Restraint(_) => show_middle(why, curve.shape()),
            _ => {}
        }
    }
}

/// The band in which adaptive RED keeps the average.
fn show_band(why: &mut Why, shape: &Shape) {
    let Shape { min, max, .. } = *shape;
    for (says, symbol, share) in [
        ("below this average each step lowers max_p", "low", 0.4),
        ("above this average each step raises max_p", "high", 0.6),
    ] {
        why.step(
            says,
            (symbol, why.unit),
            alloc::format!("{symbol} = min + {share} (max - min)"),
            numbers!("{} + {} * ({} - {})", min, share, max, min),
            min + share * (max - min),
        );
    }
}

/// The average from which restraint acts.
fn show_middle(why: &mut Why, shape: &Shape) {
    let Shape { min, max, .. } = *shape;
    why.step(
        "between this average and max, max_p rises while average and arrivals climb",
        ("mid", why.unit),
        "mid = (min + max) / 2",
        numbers!("({} + {}) / 2", min, max),
        (min + max) / 2.0,
    );
}
