//! Whether the average climbs, with its numbers.

use super::RateRule;
use crate::explanation::{Why, numbers};
use crate::units::Nanos;

impl RateRule {
    /// Shows how [`on_average`](RateRule::on_average) sets max_p for this packet, or not.
    pub(crate) fn explain(
        &self,
        why: &mut Why,
        now: Nanos,
        avg: f64,
        band: f64,
        unit: &'static str,
    ) {
        let time = now.since(self.last_time).as_secs_f64();
        let slope = (self.slope + self.bands * band) * 1e9;
        why.step(
            "how much the average has risen since the last arrival",
            ("rise", unit),
            "rise = avg - avg'",
            numbers!("{} - {}", avg, self.last_avg),
            avg - self.last_avg,
        );
        why.step(
            "a rise above this in that time counts as climbing",
            ("bound", unit),
            "bound = slope_th (t - t')",
            numbers!("{} * {}", slope, time),
            slope * time,
        );
        let climbs = self.clone().on_average(now, avg, band).is_some();
        if climbs {
            why.given(
                "rise > bound: max_p while the rate is climbing",
                ("max_p", ""),
                self.max_p,
            );
        }
    }
}
