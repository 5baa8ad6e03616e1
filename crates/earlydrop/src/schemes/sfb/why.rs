//! Why SFB drops, marks or keeps a packet.

use alloc::format;
use alloc::vec::Vec;

use super::{Bin, Sfb};
use crate::aqm::Backlog;
use crate::explanation::{Why, below, numbers};
use crate::packet::PacketInfo;
use crate::random::Pcg32;
use crate::trace::Rule;
use crate::units::Nanos;

impl Rule for Sfb {
    fn why_arrival<Q: Backlog>(
        &self,
        now: Nanos,
        packet: &PacketInfo,
        _queue: &Q,
        random: &mut Pcg32,
    ) -> Option<Why> {
        let mut sfb = self.clone();
        if sfb.secret.is_none() {
            sfb.draw_secret(now, random);
        }
        let parameters = self.parameters;
        let mut bins = Vec::new();
        let active = &mut sfb.sets[self.active];
        active.for_each(&parameters, packet.flow, |bin| bins.push(*bin));
        let (p_min, least, most) = active.learn(&parameters, packet.flow);
        let mut why = Why::new("Feng, Kandlur, Saha, Shin 2001, section III");
        self.explain_bins(&mut why, &bins, p_min);
        let (fullness, which) = match parameters.any_drops {
            true => (most, "fullest"),
            false => (least, "emptiest"),
        };
        let (fullness, drops_at) = (f64::from(fullness), f64::from(parameters.drops_at));
        let says = format!(
            "the packets in the {which} of the flow's {} bins",
            bins.len()
        );
        why.given(says, ("n", "packets"), fullness);
        if fullness >= drops_at {
            why.given(
                "the packets at which a bin is full",
                ("full", "packets"),
                drops_at,
            );
            return Some(why.by("a full bin", below(fullness, drops_at)));
        }
        if p_min >= 1.0 {
            return Some(sfb.why_limited(why, now));
        }
        if p_min == 0.0 {
            return Some(why.by("no signals at p_min = 0", "p_min is 0"));
        }
        let drawn = random.uniform();
        let mut why = why.drawn("a random signal with p_min", drawn, p_min);
        let unresponsive = 2.0 * p_min - 1.0;
        let capable = parameters.ecn && packet.ecn.is_capable();
        if drawn < p_min && capable && parameters.drops_above_half && unresponsive > 0.0 {
            why.step(
                "below this a packet is dropped even if it could be marked",
                ("d", ""),
                "d = 2 p_min - 1",
                numbers!("2 * {} - 1", p_min),
                unresponsive,
            );
            let text = below(drawn, unresponsive);
            why.reason = format!("{}; {text}", why.reason);
        }
        Some(why)
    }
}

impl Sfb {
    /// Shows the bin with the smallest probability.
    fn explain_bins(&self, why: &mut Why, bins: &[Bin], p_min: f64) {
        let parameters = self.parameters;
        let after = |bin: &Bin| {
            if bin.waiting > parameters.rises_above {
                (bin.probability + parameters.d1).min(1.0)
            } else if bin.waiting == 0 {
                (bin.probability - parameters.d2).max(0.0)
            } else {
                bin.probability
            }
        };
        let Some(bin) = bins.iter().find(|bin| after(bin) == p_min) else {
            return;
        };
        why.given(
            "the packets in the bin of the smallest probability",
            ("n_min", "packets"),
            f64::from(bin.waiting),
        );
        let says = "the smallest probability of the flow's bins";
        let (equation, text) = if bin.waiting > parameters.rises_above {
            (
                "p_min = min(1, p + d1), as the bin is full",
                numbers!("min(1, {} + {})", bin.probability, parameters.d1),
            )
        } else if bin.waiting == 0 {
            (
                "p_min = max(0, p - d2), as the bin is empty",
                numbers!("max(0, {} - {})", bin.probability, parameters.d2),
            )
        } else {
            ("p_min", numbers!("{}", bin.probability))
        };
        why.step(says, ("p_min", ""), equation, text, p_min);
    }

    /// The rate limit of flows that do not respond.
    fn why_limited(&mut self, mut why: Why, now: Nanos) -> Why {
        let parameters = self.parameters;
        let (rate, burst) = (parameters.penalty_rate, parameters.penalty_burst);
        let says = "the tokens of the flows that do not respond";
        let unit = "packets";
        if !parameters.filled_when_empty {
            let age = now.since(self.tokens_at).as_secs_f64();
            let tokens = (self.tokens + age * rate).min(burst);
            why.step(
                says,
                ("tokens", unit),
                "tokens = min(burst, tokens + rate (now - last))",
                numbers!("min({}, {} + {} * {})", burst, self.tokens, rate, age),
                tokens,
            );
            return why.by("the rate limit at p_min = 1", below(tokens, 1.0));
        }
        if self.tokens >= 1.0 {
            why.given(says, ("tokens", unit), self.tokens);
            return why.by("the rate limit at p_min = 1", below(self.tokens, 1.0));
        }
        let age = now.since(self.tokens_at).as_secs_f64().min(10.0);
        let tokens = libm::floor(age * rate).min(burst);
        why.step(
            "the tokens, filled as there was none: whole ones for the time since",
            ("tokens", unit),
            "tokens = min(burst, floor(rate age))",
            numbers!("min({}, {})", burst, libm::floor(age * rate)),
            tokens,
        );
        why.by("the rate limit at p_min = 1", below(tokens, 1.0))
    }
}
