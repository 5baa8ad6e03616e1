//! What the adaptation has made of max_p.

use super::Adaptation;
use crate::explanation::Why;
use crate::red::{Average, Curve};
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
                feng.explain(why, average, curve);
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
        if let Adaptation::Rate(rule, _) = self {
            let shape = curve.shape();
            rule.explain(why, now, average.value(), shape.max - shape.min, unit);
        }
        self.on_average(now, average, curve)
    }
}
