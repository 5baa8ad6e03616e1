//! What the adaptation has made of max_p.

use super::Adaptation;
use crate::explanation::{Why, numbers};
use crate::red::{Average, Curve, Shape};
use crate::units::Nanos;

impl Adaptation {
    /// Shows how the average sets max_p, as [`on_average`](Adaptation::on_average) does it, and
    /// sets it. Returns the strength for this packet only.
    pub(crate) fn explain(
        &mut self,
        why: &mut Why,
        now: Nanos,
        average: &Average,
        curve: &mut Curve,
        (symbol, unit): (&'static str, &'static str),
    ) -> Option<f64> {
        let says = match self {
            Adaptation::None => return None,
            Adaptation::Feng(feng) => {
                feng.explain(why, average, curve, symbol);
                return None;
            }
            Adaptation::Floyd(_) => "max_p, as adaptive RED has set it at its last step",
            Adaptation::Restraint(_) => "max_p, as restraint has set it after its last slot",
            Adaptation::Rate(_, Some(_)) => {
                "max_p, as adaptive RED, the base, has set it at its last step"
            }
            Adaptation::Rate(_, None) => "max_p of RED, the base",
        };
        why.given(says, (symbol, ""), curve.strength());
        match self {
            Adaptation::Floyd(_) | Adaptation::Rate(_, Some(_)) => {
                explain_band(why, curve.shape(), unit);
            }
            Adaptation::Restraint(_) => explain_middle(why, curve.shape(), unit),
            _ => {}
        }
        if let Adaptation::Rate(rule, _) = self {
            let shape = curve.shape();
            rule.explain(why, now, average.value(), shape.max - shape.min, unit);
        }
        self.on_average(now, average, curve)
    }
}

/// The band in which adaptive RED keeps the average.
fn explain_band(why: &mut Why, shape: &Shape, unit: &'static str) {
    let Shape { min, max, .. } = *shape;
    for (says, symbol, share) in [
        ("below this average each step lowers max_p", "low", 0.4),
        ("above this average each step raises max_p", "high", 0.6),
    ] {
        why.step(
            says,
            (symbol, unit),
            alloc::format!("{symbol} = min + {share} (max - min)"),
            numbers!("{} + {} * ({} - {})", min, share, max, min),
            min + share * (max - min),
        );
    }
}

/// The average from which restraint acts.
fn explain_middle(why: &mut Why, shape: &Shape, unit: &'static str) {
    let Shape { min, max, .. } = *shape;
    why.step(
        "between this average and max, max_p rises while average and arrivals climb",
        ("mid", unit),
        "mid = (min + max) / 2",
        numbers!("({} + {}) / 2", min, max),
        (min + max) / 2.0,
    );
}
