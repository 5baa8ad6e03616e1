//! How SFRED classifies a flow, with its numbers.

use alloc::string::{String, ToString};

use super::{LARGEST_FACTOR, Sfred};
use crate::explanation::{Why, above, below, numbers};
use crate::packet::PacketInfo;
use crate::random::Pcg32;
use crate::red::Treatment;
use crate::units::Nanos;

impl Sfred {
    /// Shows how [`treat`](Sfred::treat) classifies the packet's flow, and classifies it. Returns
    /// the reason, too.
    pub(crate) fn explain(
        &mut self,
        why: &mut Why,
        now: Nanos,
        packet: &PacketInfo,
        random: &mut Pcg32,
    ) -> (Treatment, String) {
        let treatment = self.treat(now, packet, random);
        let Some(slot) = self.list.newest() else {
            return (treatment, String::new());
        };
        let own = self.list.value(slot).at(self.epoch);
        let (rules, totals) = (self.rules, self.totals);
        let flows = f64::from(self.list.flows());
        why.given(
            "the flow's packets received, this one among them; counts age by halving",
            ("T_i", "packets"),
            own.received,
        );
        why.given(
            "the flow's packets dropped or marked",
            ("D_i", "packets"),
            own.signals,
        );
        if let Treatment::Raised(k) = treatment {
            why.given(
                "the limit eta of a slow flow",
                ("eta", "packets"),
                rules.eta,
            );
            why.given("how much a slow flow's thresholds are raised", ("k", ""), k);
            return (treatment, below(own.received, rules.eta));
        }
        let through = (totals.received - totals.dropped).max(0.0);
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
            through / flows,
        );
        why.step(
            "above this a flow is fast",
            ("fast", "packets"),
            "fast = (1 + alpha) T_f",
            numbers!("(1 + {}) * {}", rules.alpha, through / flows),
            (1.0 + rules.alpha) * (through / flows),
        );
        if treatment == Treatment::Normal {
            return (treatment, String::new());
        }
        let lost = own.signals / own.received;
        why.step(
            "the fast flow's share of packets dropped or marked",
            ("L_i", ""),
            "L_i = D_i / T_i",
            numbers!("{} / {}", own.signals, own.received),
            lost,
        );
        let bound = (1.0 + rules.beta) * (totals.signals / totals.received);
        why.step(
            "above this share a fast flow is unresponsive",
            ("bound", ""),
            "bound = (1 + beta) S / H_r",
            numbers!(
                "(1 + {}) * {} / {}",
                rules.beta,
                totals.signals,
                totals.received
            ),
            bound,
        );
        if let Treatment::Scaled(factor) = treatment {
            let share = through / flows;
            let (equation, text) = match (rules.as_printed, factor < LARGEST_FACTOR) {
                (true, _) => (
                    "factor = T_f / T_i",
                    numbers!("{} / {}", share, own.received),
                ),
                (false, true) => (
                    "factor = T_i / T_f",
                    numbers!("{} / {}", own.received, share),
                ),
                (false, false) => (
                    "factor = T_i / T_f, at most a million",
                    numbers!("{}", LARGEST_FACTOR),
                ),
            };
            let says = "the factor on max_p of a fast flow";
            why.step(says, ("factor", ""), equation, text, factor);
            return (treatment, String::new());
        }
        let reason = "the flow is fast and does not respond: L_i > bound".to_string();
        let numbers = above(lost, bound);
        let reason = match lost > bound {
            true => reason + ", " + &numbers,
            false => reason,
        };
        (treatment, reason)
    }
}
