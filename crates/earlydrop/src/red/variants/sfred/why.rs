//! The numbers by which SFRED classifies a flow.

use alloc::format;

use super::{Counts, LARGEST_FACTOR, Sfred};
use crate::explanation::{Why, above, numbers};

impl Sfred {
    /// Shows T_f, where `through` packets of `flows` flows got through, and what is fast.
    pub(super) fn show_fair_share(&self, why: &mut Why, through: f64, flows: f64) {
        let (alpha, totals) = (self.rules.alpha, &self.totals);
        let share = through / flows;
        why.step(
            "the fair share of the flows in the list",
            ("T_f", "packets"),
            "T_f = max(0, H_r - H_d) / n",
            numbers!(
                "max(0, {} - {}) / {}",
                totals.received,
                totals.dropped,
                flows
            ),
            share,
        );
        why.step(
            "above this a flow is fast",
            ("fast", "packets"),
            "fast = (1 + alpha) T_f",
            numbers!("(1 + {}) * {}", alpha, share),
            (1.0 + alpha) * share,
        );
    }

    /// Shows L_i and from where a fast flow is unresponsive, which is why it is refused.
    pub(super) fn show_loss(&self, why: &mut Why, own: &Counts) {
        let (beta, totals) = (self.rules.beta, &self.totals);
        let lost = own.signals / own.received;
        why.step(
            "the fast flow's share of packets dropped or marked",
            ("L_i", ""),
            "L_i = D_i / T_i",
            numbers!("{} / {}", own.signals, own.received),
            lost,
        );
        let bound = (1.0 + beta) * (totals.signals / totals.received);
        why.step(
            "above this share a fast flow is unresponsive",
            ("bound", ""),
            "bound = (1 + beta) S / H_r",
            numbers!("(1 + {}) * {} / {}", beta, totals.signals, totals.received),
            bound,
        );
        let reason = "the flow is fast and does not respond: L_i > bound";
        why.reason = match lost > bound {
            true => format!("{reason}, {}", above(lost, bound)),
            false => reason.into(),
        };
    }

    /// Shows the factor on a fast flow's max_p.
    pub(super) fn show_factor(&self, why: &mut Why, own: &Counts, share: f64, factor: f64) {
        let received = own.received;
        let (equation, text) = match (self.rules.as_printed, factor < LARGEST_FACTOR) {
            (true, _) => ("factor = T_f / T_i", numbers!("{} / {}", share, received)),
            (false, true) => ("factor = T_i / T_f", numbers!("{} / {}", received, share)),
            (false, false) => (
                "factor = T_i / T_f, at most a million",
                numbers!("{}", LARGEST_FACTOR),
            ),
        };
        let says = "the factor on max_p of a fast flow";
        why.step(says, ("factor", ""), equation, text, factor);
    }
}
