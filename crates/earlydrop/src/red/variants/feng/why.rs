//! How the average moves max_p, with its numbers.

use super::{FLOOR, Feng, Side};
use crate::explanation::{Why, numbers};
use crate::red::{Average, Curve};

impl Feng {
    /// Shows how [`on_average`](Feng::on_average) moves max_p, and moves it.
    pub(crate) fn explain(
        &mut self,
        why: &mut Why,
        average: &Average,
        curve: &mut Curve,
        symbol: &'static str,
    ) {
        let (before, side) = (curve.strength(), self.side);
        self.on_average(average.value(), curve);
        let after = curve.strength();
        match self.side {
            new if new == side => why.given(
                "max_p, as self-configuring RED has set it",
                (symbol, ""),
                after,
            ),
            Side::Below => why.step(
                "max_p, as the average has just fallen below min",
                (symbol, ""),
                alloc::format!("{symbol} = {symbol} / alpha"),
                numbers!("max({} / {}, {})", before, self.alpha, FLOOR),
                after,
            ),
            Side::Above => why.step(
                "max_p, as the average has just risen above max",
                (symbol, ""),
                alloc::format!("{symbol} = {symbol} beta"),
                numbers!("min({} * {}, 1)", before, self.beta),
                after,
            ),
            Side::Between => why.given(
                "max_p: the average is back between min and max",
                (symbol, ""),
                after,
            ),
        }
    }
}
