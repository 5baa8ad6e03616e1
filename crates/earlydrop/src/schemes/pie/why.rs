//! Why PIE drops, marks or keeps a packet.

use alloc::format;

use super::{Decay, LARGE_STEP, Pie, Update, autotune};
use crate::aqm::Backlog;
use crate::explanation::{Explain, Why, amount, below, numbers};
use crate::packet::PacketInfo;
use crate::random::Pcg32;
use crate::units::Nanos;

/// Sums of p between which chance decides, derandomised (RFC 8033, section 5.4).
const LEAST_SUM: f64 = 0.85;
const LARGEST_SUM: f64 = 8.5;

impl Explain for Pie {
    fn why_arrival<Q: Backlog>(
        &self,
        _now: Nanos,
        packet: &PacketInfo,
        queue: &Q,
        random: &mut Pcg32,
    ) -> Option<Why> {
        let mut why = Why::new("RFC 8033, section 4.2");
        match &self.last_update {
            Some(update) => self.explain_update(&mut why, update),
            None => why.given("the drop probability", ("p", ""), self.probability),
        }
        if !self.active {
            return Some(self.why_inactive(why));
        }
        let (waiting, spared) = (queue.bytes() as f64, self.parameters.spared as f64);
        why.given(
            "the queue that the packet finds",
            ("queue", "bytes"),
            waiting,
        );
        if queue.bytes() <= self.parameters.spared {
            why.source = "RFC 8033, section 4.1";
            let reason = format!("the queue holds {waiting} bytes, and {spared} are spared");
            return Some(why.by("no drop from a short queue", reason));
        }
        let why = match self.parameters.derandomise {
            true => self.why_derandomised(why, random),
            false => why.drawn("a random signal with p", random.uniform(), self.probability),
        };
        Some(self.why_not_marked(why, packet))
    }
}

impl Pie {
    /// Shows how the last update has moved p.
    fn explain_update(&self, why: &mut Why, update: &Update) {
        let parameters = &self.parameters;
        let Update {
            probability: before,
            delay_before,
            delay,
            waiting,
        } = *update;
        why.given(
            "the queueing delay at the last update",
            ("delay", "s"),
            delay,
        );
        let gains = parameters.gains;
        let factor = autotune(before);
        let plain = gains.step(delay, delay_before) * factor;
        let mut step = plain;
        let mut equation = "step = f (alpha (delay - target) + beta (delay - delay'))".into();
        let mut text = numbers!(
            "{} * ({} * ({} - {}) + {} * ({} - {}))",
            factor,
            gains.alpha,
            delay,
            gains.reference,
            gains.beta,
            delay,
            delay_before
        );
        if parameters.cap && before >= 0.1 && step > LARGE_STEP {
            step = LARGE_STEP;
            equation = format!("{equation}, at most {LARGE_STEP}");
            text = format!("min({text}, {LARGE_STEP})");
        }
        if delay > parameters.high_delay {
            step += LARGE_STEP;
            equation = format!("{equation} + {LARGE_STEP} for the high delay");
            text = format!("{text} + {LARGE_STEP}");
        }
        let says = match factor == 1.0 {
            true => "the change of p at the last update",
            false => "the change of p at the last update, reduced as p was small",
        };
        why.step(says, ("step", ""), equation, text, step);
        let no_delay = delay == 0.0 && delay_before == 0.0;
        let calm = delay < parameters.half && delay_before < parameters.half;
        let kept = match parameters.decay {
            Decay::AtZero if no_delay => 0.98,
            Decay::BelowHalf if calm => 0.98,
            Decay::Linux if no_delay && !waiting => 63.0 / 64.0,
            _ => 1.0,
        };
        let ideal = ((before + step) * kept).max(0.0);
        let (equation, text) = if ideal > parameters.wraps_at {
            ("p = 1, as it is at most this", numbers!("{}", 1.0))
        } else if kept < 1.0 {
            (
                "p = max(0, (p' + step) decay)",
                numbers!("max(0, ({} + {}) * {})", before, step, kept),
            )
        } else {
            (
                "p = max(0, p' + step)",
                numbers!("max(0, {} + {})", before, step),
            )
        };
        let says = "the drop probability since the last update";
        why.step(says, ("p", ""), equation, text, self.probability);
    }

    /// Signals are off.
    fn why_inactive(&self, mut why: Why) -> Why {
        if self.burst_left > Nanos::ZERO {
            why.source = "RFC 8033, section 4.4";
            let left = self.burst_left.as_secs_f64();
            why.given("what is left of the burst allowance", ("burst", "s"), left);
            let reason = format!("the burst allowance lasts {}", amount(1000.0 * left, "ms"));
            return why.by("no drop during the burst allowance", reason);
        }
        why.source = "RFC 8033, section 4.1";
        let delay = match &self.last {
            Some(last) if self.departed => last.delay.as_secs_f64(),
            _ => self.delay,
        };
        if delay >= self.parameters.half || self.probability >= 0.2 {
            return why.by("no drop before the next update", "signals are off so far");
        }
        if self.departed {
            why.given(
                "the delay of the last packet that left",
                ("delay", "s"),
                delay,
            );
        }
        why.given("half the target", ("target/2", "s"), self.parameters.half);
        let (delay, half) = (1000.0 * delay, 1000.0 * self.parameters.half);
        let reason = format!(
            "the delay is below half the target, {} ms",
            below(delay, half)
        );
        why.by("no drop at a short delay, while p is below 0.2", reason)
    }

    /// Follows `hits` where drops are spread.
    fn why_derandomised(&self, mut why: Why, random: &mut Pcg32) -> Why {
        why.source = "RFC 8033, section 5.4";
        let p = self.probability;
        let before = if p == 0.0 { 0.0 } else { self.accumulated };
        let sum = before + p;
        why.step(
            "the sum of p since the last drop",
            ("sum", ""),
            "sum = sum + p",
            numbers!("{} + {}", before, p),
            sum,
        );
        if sum < LEAST_SUM {
            return why.by("no drop soon after the last", below(sum, LEAST_SUM));
        }
        if sum >= LARGEST_SUM {
            return why.by("a drop long after the last", below(sum, LARGEST_SUM));
        }
        why.drawn("a random signal with p", random.uniform(), p)
    }

    /// Says why an ECN-capable packet that is signalled is not marked.
    fn why_not_marked(&self, why: Why, packet: &PacketInfo) -> Why {
        let signals = match (why.random, why.chance) {
            (Some(random), Some(chance)) => random < chance,
            _ => why.rule.starts_with("a drop"),
        };
        let limit = self.parameters.mark_limit;
        let may = self.parameters.ecn && packet.ecn.is_capable();
        if !signals || !may || self.probability < limit {
            return why;
        }
        let limit = amount(limit, "");
        Why {
            reason: format!("{}; from p = {limit} on nothing is marked", why.reason),
            ..why
        }
    }
}
