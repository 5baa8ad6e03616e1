//! Why a scheme of the RED family drops, marks or keeps a packet.

use alloc::format;
use alloc::string::String;

use super::{AverageView, Policy, Red, Treatment};
use super::{Shares, probability};
use crate::aqm::Backlog;
use crate::curve::{NUMBERS, ONE, in_steps};
use crate::explanation::{Why, amount, below, numbers};
use crate::packet::PacketInfo;
use crate::random::Pcg32;
use crate::trace::Rule;
use crate::units::Nanos;

const FLOYD_JACOBSON: &str = "Floyd and Jacobson 1993, section IV";

/// Where the curve of this name is published.
pub(crate) fn source_of(law: &str) -> &'static str {
    match law {
        "red" => FLOYD_JACOBSON,
        "gentle" => "Floyd 2000, gentle RED",
        "dsred" => "Zheng and Atiquzzaman 2000",
        "nlred" | "nlred-gentle" => "Wang et al. 2008, equation (3)",
        "mred" => "Zhang et al. 2012",
        "clred" => "Hassan and Oluwatope 2014, section 3",
        "tred" => "Feng et al. 2017",
        "smred" => "Paul et al. 2016",
        "red-ql" => "Hassan et al. 2022, RED-QL",
        "ired" => "Hassan et al. 2022, IRED",
        "fxred-light" | "fxred" | "fxred-heavy" => "Adamu et al. 2020, equation (9)",
        "red-e" => "Abdel-Jaber 2020",
        "curvy-red" => "Briscoe 2015, Curvy RED",
        _ => "the curve as configured",
    }
}

/// What a curve's strength is called.
pub(crate) fn strength_of(law: &str) -> &'static str {
    match law {
        "dsred" => "1 - gamma",
        "clred" | "fxred-light" | "fxred" | "fxred-heavy" => "1 - max_p",
        NUMBERS => "factor",
        _ => "max_p",
    }
}

impl Rule for Red {
    fn why_arrival<Q: Backlog>(
        &self,
        now: Nanos,
        packet: &PacketInfo,
        queue: &Q,
        random: &mut Pcg32,
    ) -> Option<Why> {
        // The verdict is followed on a copy of the state.
        Some(self.clone().explain(now, packet, queue, random))
    }
}

impl Red {
    fn unit(&self) -> &'static str {
        match self.config.in_bytes {
            true => "bytes",
            false => "packets",
        }
    }

    fn law_name(&self) -> &'static str {
        self.law.map_or(NUMBERS, |law| law.name)
    }

    /// Follows [`on_arrival`](crate::aqm::Aqm::on_arrival).
    fn explain<Q: Backlog>(
        &mut self,
        now: Nanos,
        packet: &PacketInfo,
        queue: &Q,
        random: &mut Pcg32,
    ) -> Why {
        let mut why = Why::new(source_of(self.law_name()));
        if self.policy.remembers_flows() {
            return self.explain_under_policy(why, now, packet, queue, random);
        }
        let (length, unit) = (self.config.length_of(queue), self.unit());
        self.average.explain_update(&mut why, now, length, unit);
        let strength = self.explain_strength(&mut why, now);
        if self.config.cautious && length <= 1 {
            return spared(why, length, unit);
        }
        if matches!(self.policy, Policy::Choke) && self.average.in_steps() > self.band.0 {
            let drawn = queue.draw(random);
            if let Some((_, flow)) = drawn {
                let says = "the flow of a packet drawn at random from the queue";
                why.given(says, ("drawn", ""), flow.0 as f64);
                why.given("the packet's flow", ("flow", ""), packet.flow.0 as f64);
            }
            if drawn.is_some_and(|(_, flow)| flow == packet.flow) {
                why.source = "Pan, Prabhakar, Psounis 2000";
                let reason = "the packet drawn is of the same flow, so both go";
                return why.by("CHOKe's comparison", reason);
            }
        }
        self.explain_current_average(why, strength, packet, random)
    }

    /// Lets the adaptation follow the average; returns the strength it sets for this packet.
    fn explain_strength(&mut self, why: &mut Why, now: Nanos) -> Option<f64> {
        let (unit, symbol) = (self.unit(), strength_of(self.law_name()));
        let climbing =
            self.adaptation
                .explain(why, now, &self.average, &mut self.curve, (symbol, unit));
        climbing.filter(|_| self.average.value() < self.curve.shape().max)
    }

    /// Follows `arrive_under_policy`.
    fn explain_under_policy<Q: Backlog>(
        &mut self,
        mut why: Why,
        now: Nanos,
        packet: &PacketInfo,
        queue: &Q,
        random: &mut Pcg32,
    ) -> Why {
        let (length, unit) = (self.config.length_of(queue), self.unit());
        if length > 0 && self.policy.follows_packets() {
            let says = "the average queue, after the last arrival or departure";
            self.average.explain_value(&mut why, says, unit);
        } else {
            self.average.explain_update(&mut why, now, length, unit);
        }
        let strength = self.explain_strength(&mut why, now);
        let view = AverageView {
            avg: self.average.value(),
            first: self.curve.first(),
            max: self.curve.shape().max,
        };
        let (source, (treatment, reason)) = match &mut self.policy {
            Policy::None | Policy::Choke => (why.source, (Treatment::Normal, String::new())),
            Policy::Sfred(sfred) => (
                "Wang et al. 2008, section 2",
                sfred.explain(&mut why, now, packet, random),
            ),
            Policy::Lru(lru) => (
                "Smitha and Reddy 2001",
                (lru.explain(&mut why, packet, random), String::new()),
            ),
            Policy::Fred(fred) => (
                "Lin and Morris 1997, section 5",
                fred.explain(&mut why, packet, &view, random),
            ),
        };
        if self.config.cautious && length <= 1 && treatment != Treatment::Refused {
            return spared(why, length, unit);
        }
        self.explain_treated(why, (treatment, reason, source), strength, packet, random)
    }

    /// Follows `judge_treated`.
    fn explain_treated(
        &mut self,
        mut why: Why,
        (treatment, reason, source): (Treatment, String, &'static str),
        strength: Option<f64>,
        packet: &PacketInfo,
        random: &mut Pcg32,
    ) -> Why {
        let (avg, first) = (self.average.value(), self.curve.first());
        match treatment {
            Treatment::Normal => self.explain_current_average(why, strength, packet, random),
            Treatment::Scaled(factor) => {
                let base = strength.unwrap_or_else(|| self.curve.strength());
                let scaled = self.capped(base * factor);
                let (symbol, capped) = (strength_of(self.law_name()), self.law.is_some());
                let says = format!("{symbol} for this flow");
                let (equation, text) = match capped {
                    true => (
                        format!("{symbol} = min(1, {symbol} factor)"),
                        numbers!("min(1, {} * {})", base, factor),
                    ),
                    false => (
                        format!("{symbol} = {symbol} factor_i"),
                        numbers!("{} * {}", base, factor),
                    ),
                };
                why.step(says, (symbol, ""), equation, text, scaled);
                self.explain_judge(why, avg, Some(scaled), packet, random)
            }
            Treatment::Raised(by) => {
                why.step(
                    "the average against thresholds raised by k",
                    ("avg", self.unit()),
                    "avg = avg - k",
                    numbers!("{} - {}", avg, by),
                    avg - by,
                );
                if avg >= first && avg - by < first {
                    why.source = source;
                    return why.by("raised thresholds of a slow flow", below(avg - by, first));
                }
                self.explain_judge(why, avg - by, strength, packet, random)
            }
            Treatment::Spared if avg < first || avg >= self.curve.last() => {
                self.explain_outside(why, avg, packet)
            }
            Treatment::Spared => {
                why.source = source;
                why.by("no random drops of small flows", reason)
            }
            Treatment::Admitted => {
                why.source = source;
                why.by("two packets for each flow", reason)
            }
            Treatment::Refused => {
                why.source = source;
                why.by("a rule about the flow", reason)
            }
        }
    }

    /// Follows `judge_current_average`.
    fn explain_current_average(
        &mut self,
        mut why: Why,
        strength: Option<f64>,
        packet: &PacketInfo,
        random: &mut Pcg32,
    ) -> Why {
        if strength.is_some() || self.config.by_size {
            return self.explain_judge(why, self.average.value(), strength, packet, random);
        }
        let steps = match self.config.as_linux {
            true => self.average.in_whole_units_above(self.band.0),
            false => self.average.in_steps(),
        };
        let one = self.average.one() as f64;
        let avg = steps as f64 / one;
        if self.config.as_linux && steps >= self.band.0 {
            let first = self.band.0 as f64 / one;
            let unit = self.unit();
            explain_whole(&mut why, avg, first, unit);
        }
        if steps < self.band.0 {
            return self.explain_outside(why, avg, packet);
        }
        if self.config.cautious && !self.in_band {
            return first_in_band(why);
        }
        let above_first = steps - self.band.0;
        let pb = match self.curve.steps_on_line(above_first) {
            Some(pb) => pb,
            None if steps >= self.band.1 => return self.explain_outside(why, avg, packet),
            None => {
                let on_second = self.curve.steps_on_second_line(above_first);
                on_second.unwrap_or_else(|| self.curve.steps_between(steps))
            }
        };
        let strength = self.curve.strength();
        self.explain_pb(&mut why, avg, strength, pb);
        let shares = Shares::alike(pb, self.gap.count());
        self.gap.is_over(shares, random, &mut why);
        self.action.why_not_marked(why, packet, pb)
    }

    /// Follows `judge`.
    fn explain_judge(
        &mut self,
        mut why: Why,
        avg: f64,
        strength: Option<f64>,
        packet: &PacketInfo,
        random: &mut Pcg32,
    ) -> Why {
        if avg < self.curve.first() {
            return self.explain_outside(why, avg, packet);
        }
        if self.config.cautious && !self.in_band {
            return first_in_band(why);
        }
        if avg >= self.curve.last() {
            return self.explain_outside(why, avg, packet);
        }
        let pb = in_steps(match strength {
            Some(strength) => self.curve.probability_at(avg, strength),
            None => self.curve.probability(avg),
        });
        let strength = strength.unwrap_or_else(|| self.curve.strength());
        self.explain_pb(&mut why, avg, strength, pb);
        let shares = self.config.shares(pb, self.gap.count(), packet);
        self.gap.is_over(shares, random, &mut why);
        self.action.why_not_marked(why, packet, pb)
    }

    /// Shows Pb.
    fn explain_pb(&self, why: &mut Why, avg: f64, strength: f64, pb: u64) {
        let (equation, text) = self.curve.equation(self.law_name(), avg, strength);
        let says = "the initial probability: the curve at the average";
        why.step(says, ("p_b", ""), equation, text, probability(pb));
    }

    /// Below the first threshold or above the last one.
    fn explain_outside(&self, why: Why, avg: f64, packet: &PacketInfo) -> Why {
        let (first, last) = (self.curve.first(), self.curve.last());
        let why = outside(why, avg, (first, last), self.unit());
        match avg < first {
            true => why,
            false if self.action.mark_above_last => self.action.why_not_marked(why, packet, ONE),
            false if self.action.ecn && packet.ecn.is_capable() => Why {
                reason: why.reason + "; above the last threshold nothing is marked",
                ..why
            },
            false => why,
        }
    }
}

/// Shows an average that Linux rounds down.
pub(crate) fn explain_whole(why: &mut Why, avg: f64, first: f64, unit: &'static str) {
    why.step(
        format!("the average in whole {unit} above min"),
        ("avg", unit),
        "avg = min + floor(avg - min)",
        numbers!("{} + {}", first, avg - first),
        avg,
    );
}

/// An average below the first threshold or above the last one.
pub(crate) fn outside(
    mut why: Why,
    avg: f64,
    (first, last): (f64, f64),
    unit: &'static str,
) -> Why {
    if avg < first {
        why.given("the first threshold", ("min", unit), first);
        return why.by("below the first threshold", below(avg, first));
    }
    why.given("the last threshold", ("last", unit), last);
    why.by("above the last threshold", below(avg, last))
}

/// The rule `cautious`: a queue of at most one packet.
pub(crate) fn spared(mut why: Why, length: u64, unit: &str) -> Why {
    why.source = "ns-2 red.cc";
    let length = amount(length as f64, unit);
    why.by(
        "no early drop while at most one packet waits",
        format!("the queue holds {length}"),
    )
}

/// The rule `cautious`: the first packet above the first threshold.
pub(crate) fn first_in_band(mut why: Why) -> Why {
    why.source = "ns-2 red.cc";
    why.by(
        "no early drop of the first packet above min",
        "the average was below min before",
    )
}

impl super::Action {
    /// Says why an ECN-capable packet that is signalled is not marked.
    pub(crate) fn why_not_marked(&self, why: Why, packet: &PacketInfo, pb: u64) -> Why {
        let signals = match (why.random, why.chance) {
            (Some(random), Some(chance)) => random < chance,
            (_, chance) => chance.is_none() && pb == ONE,
        };
        if !(signals && self.ecn && packet.ecn.is_capable() && pb > self.mark_limit) {
            return why;
        }
        let limit = amount(probability(self.mark_limit), "");
        Why {
            reason: format!("{}; with p_b above {limit} nothing is marked", why.reason),
            ..why
        }
    }
}
