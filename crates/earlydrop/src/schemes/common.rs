//! Helpers of several schemes: congestion signals, and thresholds of the queue.

use alloc::format;

use crate::aqm::{Backlog, DropReason, Verdict};
use crate::explanation::numbers;
use crate::packet::PacketInfo;
use crate::registry::{ConfigError, Length, LinkFacts, Settings, Value};
use crate::trace::Trace;
use crate::units::{BitsPerSec, Bytes};

/// An early congestion signal: a mark where `ecn` and the packet allow it, else a drop.
#[inline]
pub(crate) fn signal(ecn: bool, packet: &PacketInfo) -> Verdict {
    if ecn && packet.ecn.is_capable() {
        Verdict::Mark
    } else {
        Verdict::Drop(DropReason::Early)
    }
}

/// How congestion is signalled where packets that cannot be marked may pass.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Signalling {
    ecn: bool,
    others_pass: bool,
}

impl Signalling {
    /// From the parameters `ecn` and `others`.
    pub(crate) fn from_settings(s: &Settings) -> Signalling {
        Signalling {
            ecn: s.flag("ecn"),
            others_pass: s.choice("others") == "pass",
        }
    }

    #[inline]
    pub(crate) fn signal(self, packet: &PacketInfo) -> Verdict {
        match signal(self.ecn, packet) {
            Verdict::Drop(_) if self.others_pass => Verdict::Keep,
            verdict => verdict,
        }
    }
}

/// The unit of queue and packets, by the parameter `unit`: packets, or bytes over the mean
/// packet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counting {
    /// One over the mean packet size when bytes are counted.
    per_mean_packet: Option<f64>,
}

impl Counting {
    pub(crate) fn from_settings(s: &Settings) -> Counting {
        let in_bytes = s.choice("unit") == "bytes";
        Counting {
            per_mean_packet: in_bytes.then_some(1.0 / s.link().mean_packet.0 as f64),
        }
    }

    /// The probability of a signal to `packet`: `p`, scaled by its size where bytes are counted.
    #[inline]
    pub(crate) fn scaled(self, p: f64, packet: &PacketInfo, trace: &mut impl Trace) -> f64 {
        let scaled = p * self.weight_of(packet);
        if let Some(per_mean) = self.per_mean_packet {
            trace.step(
                "the probability of a packet of its size",
                ("p_s", ""),
                "p_s = p size / mean_packet",
                || numbers!("{} * {} / {}", p, f64::from(packet.size), 1.0 / per_mean),
                scaled,
            );
        }
        scaled
    }

    #[inline]
    pub(crate) fn length_of<Q: Backlog>(self, queue: &Q) -> f64 {
        match self.per_mean_packet {
            Some(per_mean) => queue.bytes() as f64 * per_mean,
            None => f64::from(queue.packets()),
        }
    }

    /// How much a packet counts: 1, or its size over the mean packet.
    #[inline]
    pub(crate) fn weight_of(self, packet: &PacketInfo) -> f64 {
        match self.per_mean_packet {
            Some(per_mean) => f64::from(packet.size) * per_mean,
            None => 1.0,
        }
    }
}

/// A threshold of the queue length, in packets when given in packets, else in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Threshold {
    given: Length,
    mean_packet: Bytes,
    in_bytes: bool,
    amount: f64,
}

impl Threshold {
    pub(crate) fn new(given: Length, link: LinkFacts) -> Threshold {
        let mut threshold = Threshold {
            given,
            mean_packet: link.mean_packet,
            in_bytes: !matches!(given, Length::Packets(_)),
            amount: 0.0,
        };
        threshold.retune(link.rate);
        threshold
    }

    /// Converts a threshold given as time to bytes at `rate`.
    pub(crate) fn retune(&mut self, rate: BitsPerSec) {
        let rate = rate.0 as f64;
        self.amount = if self.in_bytes {
            self.given.in_bytes(self.mean_packet, rate)
        } else {
            self.given.in_packets(self.mean_packet, rate)
        };
    }

    /// The length of `queue` in the threshold's unit, the threshold, and the unit.
    #[inline(always)]
    pub(crate) fn compared_with<Q: Backlog>(&self, queue: &Q) -> (f64, f64, &'static str) {
        match self.in_bytes {
            true => (queue.bytes() as f64, self.amount, "bytes"),
            false => (f64::from(queue.packets()), self.amount, "packets"),
        }
    }
}

/// Refuses a threshold above the buffer's limit.
pub(crate) fn check_within_buffer(s: &Settings, name: &'static str) -> Result<(), ConfigError> {
    if s.length_or_auto(name).is_none() || s.length_or_auto("limit").is_none() {
        return Ok(());
    }
    if s.packets(name) <= s.packets("limit") {
        return Ok(());
    }
    let (threshold, limit) = (s.value(name), s.value("limit"));
    Err(s.contradiction(
        name,
        format!("{name} = {threshold} lies above the buffer, limit = {limit}"),
        format!("nearest: limit = {threshold}, or {name} = {limit}"),
    ))
}

/// Refuses a delay `target` above a buffer given as time, as it is never reached.
///
/// A buffer in packets or bytes is not checked: the target may be above it at one rate and
/// below it at another.
pub(crate) fn check_target(s: &Settings) -> Result<(), ConfigError> {
    let target = s.time("target");
    match s.value("limit") {
        limit @ Value::Length(Length::Seconds(secs)) if *secs < target.as_secs_f64() => Err(s
            .contradiction(
                "target",
                format!("target = {target} lies above the buffer, limit = {limit}"),
                format!("nearest: limit = {target}, or target = {limit}"),
            )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use crate::packet::Ecn;
    use crate::queue::{AnyQueue, Outcome, QueueDiscipline};
    use crate::random::Pcg32;
    use crate::registry::{LinkFacts, Spec, find};
    use crate::testing::{TestPacket, mbps};
    use crate::units::Nanos;

    const CONTROLLERS: [&str; 9] = [
        "step", "rem", "blue", "sfb", "sred", "pi", "pie", "pi2", "wred",
    ];

    /// Every controller, alone and with each of its presets.
    fn specs() -> impl Iterator<Item = Spec> {
        CONTROLLERS.into_iter().flat_map(|name| {
            let plain = Spec::new(name).unwrap();
            let presets = find(name).unwrap().presets.iter();
            let preset = plain.clone();
            let presets = presets.map(move |known| preset.clone().with("as", known.name).unwrap());
            [plain].into_iter().chain(presets)
        })
    }

    /// Enqueues bursts of mixed packets before a link that is idle at times, polling between
    /// calls if `eager`; returns every outcome.
    fn run(queue: &mut AnyQueue<TestPacket>, eager: bool) -> Vec<Outcome> {
        let mut random = Pcg32::new(12, 34);
        let mut outcomes = Vec::new();
        let mut now = Nanos::ZERO;
        queue.poll(now);
        for _ in 0..20_000 {
            let pause = if random.below(5000) == 0 {
                7_000_000_000
            } else {
                700_000
            };
            let until = now + Nanos(u64::from(random.below(1000)) * pause / 1000);
            while eager && let Some(next) = queue.next_deadline().filter(|next| *next <= until) {
                queue.poll(next);
            }
            now = until;
            let ecn = Ecn::from_bits(random.below(4) as u8);
            let flow = u64::from(random.below(9));
            let size = 100 + random.below(1400);
            let outcome = queue.enqueue(now, TestPacket { flow, size, ecn });
            assert!(outcome != Outcome::Marked || ecn.is_capable());
            outcomes.push(outcome);
            if random.below(10) < 7 {
                queue.dequeue(now);
            }
        }
        outcomes
    }

    #[test]
    fn every_preset_keeps_the_contract() {
        for spec in specs() {
            let plan = spec.plan(&LinkFacts::at(mbps(10))).unwrap();
            let (mut eager, mut lazy) = (plan.queue(5), plan.queue(5));
            assert_eq!(run(&mut eager, true), run(&mut lazy, false), "{spec}");
            let counters = eager.counters();
            let gone = counters.departed.packets + counters.dropped().packets;
            let total = gone + u64::from(eager.packets());
            assert_eq!(counters.arrived.packets, total, "{spec}");
            let signals = counters.marked.packets + counters.dropped().packets;
            assert!(signals > 0, "{spec} signals an overload of a third");
            let mut shown = Vec::new();
            eager.probes(&mut |name, value| {
                assert!(value.is_finite(), "{spec}: {name} = {value}");
                shown.push(name);
            });
            let listed = spec.descriptor().probes.iter().map(|probe| probe.name);
            assert_eq!(shown, listed.collect::<Vec<_>>(), "{spec}");
        }
    }
}
