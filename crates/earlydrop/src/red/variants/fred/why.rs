//! How FRED classifies a flow, with its numbers.

use alloc::format;

use super::{Active, Fred};
use crate::explanation::{Why, numbers};
use crate::red::AverageView;

impl Fred {
    /// Shows what the flow has in the queue, and the most it may have there.
    pub(super) fn show_flow(&self, why: &mut Why, flow: &Active, view: &AverageView, most: f64) {
        let (waiting, strikes) = (f64::from(flow.waiting), f64::from(flow.strikes));
        let active = f64::from(self.active.flows().max(1));
        let share = self.share(view.avg);
        why.given(
            "the flow's packets in the queue",
            ("qlen_i", "packets"),
            waiting,
        );
        why.step(
            "a flow's share of the average queue",
            ("avgcq", "packets"),
            match self.unit == 1.0 {
                true => "avgcq = max(1, avg / flows)",
                false => "avgcq = max(1, avg / mean_packet / flows)",
            },
            match self.unit == 1.0 {
                true => numbers!("max(1, {} / {})", view.avg, active),
                false => numbers!("max(1, {} / {} / {})", view.avg, self.unit, active),
            },
            share,
        );
        why.given("how often the flow overran", ("strike_i", ""), strikes);
        let rule = match view.avg >= view.max && self.two_each {
            true => "two packets a flow while avg >= max",
            false => "min",
        };
        why.given(
            format!("the most a flow may have in the queue: {rule}"),
            ("maxq", "packets"),
            most,
        );
    }
}
