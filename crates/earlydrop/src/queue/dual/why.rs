//! Why a dual queue drops, marks or keeps a packet.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::{CLASSIC, DualQueue, LOW_LATENCY};
use crate::aqm::Verdict;
use crate::explanation::{Explanation, Why, below, millis, numbers};
use crate::packet::{Packet, PacketInfo};
use crate::queue::{Limit, QueueDiscipline, Shadow};
use crate::units::Nanos;

const RFC: &str = "RFC 9332, appendix A";

impl<P: Packet> DualQueue<P> {
    /// A copy that holds shadows of the packets.
    pub(crate) fn shadow(&self) -> DualQueue<Shadow> {
        DualQueue {
            coupling: self.coupling,
            pool: self.pool.map(Shadow::of),
            lanes: self.lanes.clone(),
            ticker: self.ticker.clone(),
            base: self.base,
            last_delay: self.last_delay,
            credit: self.credit,
            last_update: self.last_update,
            random: self.random.clone(),
            counters: self.counters.clone(),
        }
    }

    /// The capacity of both queues together.
    pub(crate) fn limit(&self) -> Limit {
        self.coupling.limit
    }

    /// Which queue an arriving packet goes to; it is judged when it leaves.
    pub(crate) fn why_arrival(&self, packet: &P) -> Why {
        let mut why = Why::unjudged_arrival();
        why.source = RFC;
        let (says, packets) = match packet.ecn().is_l4s() {
            true => (
                "the packets in the low-latency queue, of ECT(1) and CE",
                self.lanes[LOW_LATENCY].chain.packets(),
            ),
            false => (
                "the packets in the Classic queue",
                self.lanes[CLASSIC].chain.packets(),
            ),
        };
        why.given(says, ("q_i", "packets"), f64::from(packets));
        why
    }

    /// Why each packet that a dequeue takes is dropped, marked or kept, as
    /// [`dequeue_with`](QueueDiscipline::dequeue_with) decides it.
    pub(crate) fn explain_dequeue(&self, now: Nanos) -> Vec<Explanation> {
        let mut copy = self.shadow();
        let mut all = Vec::new();
        copy.update(now);
        while let Some(lane) = copy.next_lane() {
            let Some((packet, arrived)) = copy.pool.pop(&mut copy.lanes[lane].chain) else {
                break;
            };
            let info = PacketInfo::of(&packet, arrived);
            let why = copy.clone().why_departure(lane, now, &info);
            let (fate, leaves) = match copy.judge(lane, now, &info) {
                Verdict::Keep => ("kept", true),
                Verdict::Mark => ("marked", true),
                Verdict::Drop(_) | Verdict::DropBoth(..) => ("dropped", false),
            };
            all.push(why.decided(fate));
            if leaves {
                break;
            }
        }
        all
    }

    /// Follows `judge` for a packet just taken from `lane`.
    fn why_departure(mut self, lane: usize, now: Nanos, info: &PacketInfo) -> Why {
        let mut why = Why::new(RFC);
        why.sojourn(now, info.arrived);
        self.explain_base(&mut why, lane, now - info.arrived);
        let quiet = self.is_quiet();
        if self.coupling.least_backlog > 0 {
            let bytes = self.bytes() as f64;
            why.given("the bytes left in both queues", ("backlog", "bytes"), bytes);
        }
        let saturated = self.is_saturated();
        if lane == LOW_LATENCY && (quiet || !saturated) {
            return self.why_low_latency(why, now, now - info.arrived, quiet);
        }
        if quiet {
            let least = self.coupling.least_backlog as f64;
            let reason = below(self.bytes() as f64, least);
            return why.by("no signal from short queues", format!("{reason} bytes"));
        }
        let squared = self.squared();
        why.step(
            "the probability of the Classic queue",
            ("p_C", ""),
            format!("p_C = p'^{}", self.exponent()),
            numbers!("{}^{}", self.base, f64::from(self.exponent())),
            squared,
        );
        if lane == CLASSIC {
            let why = self.why_signals(why, lane, squared, "a signal in the Classic queue, p_C");
            let marks = info.ecn.is_capable() && saturated;
            return match marks && signals(&why) {
                true => Why {
                    reason: format!("{}; at k p' >= 1 nothing is marked", why.reason),
                    ..why
                },
                false => why,
            };
        }
        // Every packet is marked, unless it is dropped.
        let mut why = self.why_signals(
            why,
            lane,
            squared,
            "saturation: p_C drops, the rest is marked",
        );
        if !signals(&why) {
            why = why.overruled("at k p' >= 1 every other packet is marked");
        }
        why
    }

    /// Shows p'. Curvy RED's moves with a Classic packet that has waited.
    fn explain_base(&mut self, why: &mut Why, lane: usize, waited: Nanos) {
        let coupling = self.coupling;
        if let Some(curvy) = coupling.curvy {
            let (before, waited_s) = (self.last_delay, waited.as_secs_f64());
            why.given("the average Classic delay before", ("Q_C", "s"), before);
            if lane == CLASSIC {
                self.smooth(waited);
                why.step(
                    "the average Classic delay",
                    ("Q_C", "s"),
                    "Q_C = Q_C + w (sojourn - Q_C)",
                    numbers!(
                        "{} + {} * ({} - {})",
                        before,
                        curvy.weight,
                        waited_s,
                        before
                    ),
                    self.last_delay,
                );
            }
            let (scale, most) = (curvy.scale.as_secs_f64(), self.largest_base());
            why.step(
                "the base probability",
                ("p'", ""),
                "p' = Q_C / scale, at most its largest",
                numbers!("min({}, {} / {})", most, self.last_delay, scale),
                self.base,
            );
            return;
        }
        let gains = [coupling.alpha, coupling.beta, coupling.target.as_secs_f64()];
        match self.last_update {
            Some(update) => why.pi_update(gains, update, self.base, self.largest_base()),
            None => why.given("the base probability", ("p'", ""), self.base),
        }
    }

    /// The equation of p_CL, and its numbers.
    fn coupled_equation(&self, now: Nanos, quiet: bool) -> (&'static str, String) {
        let factor = self.coupling.factor;
        match self.coupling.curvy {
            _ if quiet => ("p_CL = 0, as little waits", numbers!("{}", 0.0)),
            Some(curvy) => {
                let (delay, scale) = (self.classic_delay(now), curvy.scale.as_secs_f64());
                let power = f64::from(curvy.curviness);
                let equation = "p_CL = min(1, k q_C / scale)^U, of the Classic head's delay";
                let text = numbers!("min(1, {} * {} / {})^{}", factor, delay, scale, power);
                (equation, text)
            }
            None => (
                "p_CL = min(1, k p')",
                numbers!("min(1, {} * {})", factor, self.base),
            ),
        }
    }

    /// Follows `judge_low_latency` while the queue is not saturated.
    fn why_low_latency(&mut self, mut why: Why, now: Nanos, waited: Nanos, quiet: bool) -> Why {
        let coupled = if quiet { 0.0 } else { self.coupled_at(now) };
        let (equation, text) = self.coupled_equation(now, quiet);
        let says = "the coupled probability";
        why.step(says, ("p_CL", ""), equation, text, coupled);
        let native = self.native(waited);
        let (equation, text) = self.native_equation(waited, native);
        let says = "the queue's own probability, by the time waited";
        why.step(says, ("p'_L", ""), equation, text, native);
        let likelihood = native.max(coupled);
        why.step(
            "the probability of a mark",
            ("p_L", ""),
            "p_L = max(p'_L, p_CL)",
            numbers!("max({}, {})", native, coupled),
            likelihood,
        );
        let rule = match native > coupled {
            true => "a mark by the time waited",
            false => "a mark by the coupled probability p_CL",
        };
        self.why_signals(why, LOW_LATENCY, likelihood, rule)
    }

    fn native_equation(&self, waited: Nanos, native: f64) -> (String, String) {
        let (step, ramp) = (millis(self.coupling.step), millis(self.coupling.ramp));
        if native == 0.0 {
            let behind = self.lanes[LOW_LATENCY].chain.packets();
            let equation = match behind < self.coupling.least_behind {
                true => "p'_L = 0, with so few packets behind".into(),
                false => format!("p'_L = 0 up to {step} ms"),
            };
            return (equation, numbers!("{}", 0.0));
        }
        if ramp == 0.0 {
            return (format!("p'_L = 1 above {step} ms"), numbers!("{}", 1.0));
        }
        let text = numbers!("min(1, ({} - {}) / {})", millis(waited), step, ramp);
        ("p'_L = min(1, (sojourn - step) / ramp)".into(), text)
    }

    /// Follows `signals`.
    fn why_signals(&mut self, mut why: Why, lane: usize, likelihood: f64, rule: &str) -> Why {
        if !self.coupling.evenly {
            let random = self.random.uniform();
            return why.drawn(rule, random, likelihood);
        }
        let before = self.lanes[lane].carried;
        let sum = before + likelihood;
        why.step(
            "the probabilities since the last signal, which comes at 1",
            ("sum", ""),
            "sum = sum + p",
            numbers!("{} + {}", before, likelihood),
            sum,
        );
        why.chance = Some(likelihood.min(1.0));
        why.by(rule, below(sum, 1.0))
    }
}

/// Whether these reasons lead to a signal.
fn signals(why: &Why) -> bool {
    match (why.random, why.chance) {
        (Some(random), Some(chance)) => random < chance,
        _ => {
            let sum = why.steps.last().map_or(0.0, |step| step.value);
            sum >= 1.0
        }
    }
}
