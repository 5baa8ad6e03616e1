//! Why a scheme of the RED family drops, marks or keeps a packet.

use alloc::format;

use super::{Action, Red, RedConfig, probability};
use crate::curve::NUMBERS;
use crate::explanation::{Why, amount, below, numbers};
use crate::packet::PacketInfo;

impl RedConfig {
    /// The unit of the average and the queue.
    pub(crate) fn unit(&self) -> &'static str {
        match self.in_bytes {
            true => "bytes",
            false => "packets",
        }
    }
}

impl Red {
    fn law_name(&self) -> &'static str {
        self.law.map_or(NUMBERS, |law| law.name)
    }

    /// An average in its steps, in packets or bytes.
    #[inline(always)]
    pub(super) fn in_units(&self, steps: u64) -> f64 {
        steps as f64 / self.average.one() as f64
    }

    /// Takes the names of the curve and the units.
    pub(super) fn show_names(&self, why: &mut Why) {
        (why.source, why.strength) = match self.law {
            Some(law) => (law.source, law.strength.symbol()),
            None => ("the curve as configured", "factor"),
        };
        why.unit = self.config.unit();
    }

    /// Shows Pb.
    pub(super) fn show_pb(&self, why: &mut Why, avg: f64, strength: f64, pb: u64) {
        let (equation, text) = self.curve.equation(self.law_name(), avg, strength);
        let says = "the initial probability: the curve at the average";
        why.step(says, ("p_b", ""), equation, text, probability(pb));
    }

    /// Shows an average below the first threshold.
    pub(super) fn show_below(&self, why: &mut Why, avg: f64) {
        show_outside(why, avg, (self.curve.first(), self.curve.last()));
    }

    /// Shows an average above the last threshold.
    pub(super) fn show_above(&self, why: &mut Why, avg: f64, packet: &PacketInfo) {
        self.show_below(why, avg);
        let action = &self.action;
        if action.ecn && packet.ecn.is_capable() && !action.mark_above_last {
            why.reason
                .push_str("; above the last threshold nothing is marked");
        }
    }

    /// Shows the strength of a flow's curve, `base` times `factor`.
    pub(super) fn show_scaled(&self, why: &mut Why, base: f64, factor: f64, scaled: f64) {
        let symbol = why.strength;
        let (equation, text) = match self.law.is_some() {
            true => (
                format!("{symbol} = min(1, {symbol} factor)"),
                numbers!("min(1, {} * {})", base, factor),
            ),
            false => (
                format!("{symbol} = {symbol} factor_i"),
                numbers!("{} * {}", base, factor),
            ),
        };
        let says = format!("{symbol} for this flow");
        why.step(says, (symbol, ""), equation, text, scaled);
    }

    /// States that the policy decides, by `rule`. It has given the reason already.
    pub(super) fn show_policy(&self, why: &mut Why, rule: &str) {
        (why.rule, why.source) = (rule.into(), self.policy.source());
    }
}

/// Shows an average that Linux rounds down.
pub(crate) fn show_whole(why: &mut Why, avg: f64, first: f64) {
    why.step(
        format!("the average in whole {} above min", why.unit),
        ("avg", why.unit),
        "avg = min + floor(avg - min)",
        numbers!("{} + {}", first, avg - first),
        avg,
    );
}

/// An average below the first threshold or above the last one.
pub(crate) fn show_outside(why: &mut Why, avg: f64, (first, last): (f64, f64)) {
    if avg < first {
        why.given("the first threshold", ("min", why.unit), first);
        return why.by("below the first threshold", below(avg, first));
    }
    why.given("the last threshold", ("last", why.unit), last);
    why.by("above the last threshold", below(avg, last));
}

/// The rule `cautious`: a queue of at most one packet.
pub(crate) fn show_short_queue(why: &mut Why, length: u64) {
    why.source = "ns-2 red.cc";
    let length = amount(length as f64, why.unit);
    why.by(
        "no early drop while at most one packet waits",
        format!("the queue holds {length}"),
    );
}

/// The rule `cautious`: the first packet above the first threshold.
pub(crate) fn show_first_in_band(why: &mut Why) {
    why.source = "ns-2 red.cc";
    why.by(
        "no early drop of the first packet above min",
        "the average was below min before",
    );
}

impl Action {
    /// Says why an ECN-capable packet that is signalled is not marked.
    pub(super) fn show_unmarked(&self, why: &mut Why, packet: &PacketInfo) {
        if self.ecn && packet.ecn.is_capable() {
            let limit = amount(probability(self.mark_limit), "");
            why.reason = format!("{}; with p_b above {limit} nothing is marked", why.reason);
        }
        self.show_passed(why, packet);
    }

    /// Says why a packet that is signalled passes.
    pub(super) fn show_passed(&self, why: &mut Why, packet: &PacketInfo) {
        if self.passes(packet) {
            why.reason += ", but packets that cannot be marked pass";
        }
    }
}
