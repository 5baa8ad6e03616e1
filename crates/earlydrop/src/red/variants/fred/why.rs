//! How FRED classifies a flow, with its numbers.

use alloc::format;
use alloc::string::String;

use super::{Active, Fred, MANY_FLOWS_SHARE};
use crate::explanation::{Why, amount, below, numbers};
use crate::packet::PacketInfo;
use crate::random::Pcg32;
use crate::red::{AverageView, Treatment};

impl Fred {
    /// Shows how [`treat`](Fred::treat) classifies the packet's flow, and classifies it. Returns
    /// the reason, too.
    pub(crate) fn explain(
        &mut self,
        why: &mut Why,
        packet: &PacketInfo,
        view: &AverageView,
        random: &mut Pcg32,
    ) -> (Treatment, String) {
        let treatment = self.treat(packet, view, random);
        let known = self.active.find(packet.flow);
        if known.is_none() && self.active.is_full() {
            let reason = "the table of flows is full: RED alone decides".into();
            return (treatment, reason);
        }
        let flow = known.map_or(Active::default(), |slot| *self.active.value(slot));
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
        let above = view.avg >= view.max;
        let (most, rule) = match above && self.two_each {
            true => (MANY_FLOWS_SHARE, "two packets a flow while avg >= max"),
            false => ((view.first / self.unit).max(self.min_waiting), "min"),
        };
        why.given(
            format!("the most a flow may have in the queue: {rule}"),
            ("maxq", "packets"),
            most,
        );
        let reason = match treatment {
            Treatment::Refused if waiting >= most => {
                format!("qlen_i has reached maxq, {}", below(waiting, most))
            }
            Treatment::Refused if strikes > 1.0 && waiting >= share => format!(
                "the flow overran {strikes} times before, and {}",
                below(waiting, share)
            ),
            Treatment::Refused => format!(
                "avg has reached max, and qlen_i exceeds twice avgcq, {}",
                amount(2.0 * share, "packets")
            ),
            Treatment::Admitted => format!(
                "avg has reached max, but a flow may have two packets, {}",
                below(waiting, most)
            ),
            Treatment::Spared => format!(
                "the flow has less than its share, {}",
                below(waiting, share.max(self.min_waiting))
            ),
            _ => String::new(),
        };
        (treatment, reason)
    }
}
