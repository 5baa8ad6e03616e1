//! What several schemes share: telling of congestion, and lengths to compare with.

use alloc::format;

use crate::aqm::{Backlog, DropReason, Verdict};
use crate::packet::PacketInfo;
use crate::registry::{ConfigError, Kind, Length, Link, Parameter, Settings, Value};
use crate::units::{BitsPerSec, Bytes};

/// Tells of congestion early: a mark where `ecn` and the packet allow it, else a drop.
#[inline]
pub(crate) fn signal(ecn: bool, packet: &PacketInfo) -> Verdict {
    if ecn && packet.ecn.is_capable() {
        Verdict::Mark
    } else {
        Verdict::Drop(DropReason::Early)
    }
}

/// What becomes of packets that cannot be marked; shared by schemes that may be
/// told to mark only.
pub(crate) const OTHERS: Parameter = Parameter {
    name: "others",
    meaning: "what happens to packets that would be marked but cannot be",
    kind: Kind::Choice(&[
        ("drop", "they are dropped early"),
        ("pass", "they pass: only marks tell of congestion"),
    ]),
    default: "drop",
    origin: "RFC 3168, section 5: a router that would mark drops what it cannot mark",
    when: None,
};

/// How congestion is told where packets that cannot be marked may be let pass.
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

/// What a scheme counts queue and packets in, by the parameter `unit`: packets, or
/// bytes over the mean packet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counting {
    /// One over the mean packet when bytes are counted.
    per_mean_packet: Option<f64>,
}

impl Counting {
    pub(crate) fn from_settings(s: &Settings) -> Counting {
        let in_bytes = s.choice("unit") == "bytes";
        Counting {
            per_mean_packet: in_bytes.then_some(1.0 / s.link().mean_packet.0 as f64),
        }
    }

    #[inline]
    pub(crate) fn length_of<Q: Backlog>(self, queue: &Q) -> f64 {
        match self.per_mean_packet {
            Some(per_mean) => queue.bytes() as f64 * per_mean,
            None => f64::from(queue.packets()),
        }
    }

    /// What a packet counts for: 1, or its size over the mean packet.
    #[inline]
    pub(crate) fn weight_of(self, packet: &PacketInfo) -> f64 {
        match self.per_mean_packet {
            Some(per_mean) => f64::from(packet.size) * per_mean,
            None => 1.0,
        }
    }
}

/// A queue length to compare with, in packets when given in packets, else in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Threshold {
    given: Length,
    mean_packet: Bytes,
    in_bytes: bool,
    amount: f64,
}

impl Threshold {
    pub(crate) fn new(given: Length, link: Link) -> Threshold {
        let mut threshold = Threshold {
            given,
            mean_packet: link.mean_packet,
            in_bytes: !matches!(given, Length::Packets(_)),
            amount: 0.0,
        };
        threshold.retune(link.rate);
        threshold
    }

    /// A length given as time is another number of bytes at another rate.
    pub(crate) fn retune(&mut self, rate: BitsPerSec) {
        let rate = rate.0 as f64;
        self.amount = if self.in_bytes {
            self.given.in_bytes(self.mean_packet, rate)
        } else {
            self.given.in_packets(self.mean_packet, rate)
        };
    }

    /// Whether more than this waits in `queue`.
    #[inline]
    pub(crate) fn is_exceeded_by<Q: Backlog>(&self, queue: &Q) -> bool {
        let length = if self.in_bytes {
            queue.bytes() as f64
        } else {
            f64::from(queue.packets())
        };
        length > self.amount
    }
}

/// Refuses a threshold that the buffer never reaches.
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

/// Refuses a `target` of the delay above a buffer given as time, which is never reached.
///
/// Of a buffer in packets or bytes nothing is said: there the target may be above at
/// one rate and below at another.
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
    use crate::registry::{Link, Spec, find};
    use crate::testing::{TestPacket, mbps};
    use crate::units::Nanos;

    const CONTROLLERS: [&str; 9] = [
        "step", "rem", "blue", "sfb", "sred", "pi", "pie", "pi2", "wred",
    ];

    /// Every scheme here, by itself and with each of its presets.
    fn specs() -> impl Iterator<Item = Spec> {
        CONTROLLERS.into_iter().flat_map(|name| {
            let plain = Spec::new(name).unwrap();
            let presets = find(name).unwrap().presets.iter();
            let preset = plain.clone();
            let presets = presets.map(move |known| preset.clone().with("as", known.name).unwrap());
            [plain].into_iter().chain(presets)
        })
    }

    /// Offers bursts of mixed packets to a link that now and then falls idle, polling
    /// between calls or not; returns every outcome.
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
            let plan = spec.plan(&Link::at(mbps(10))).unwrap();
            let (mut eager, mut lazy) = (plan.queue(5), plan.queue(5));
            assert_eq!(run(&mut eager, true), run(&mut lazy, false), "{spec}");
            let counters = eager.counters();
            let gone = counters.departed.packets + counters.dropped().packets;
            let total = gone + u64::from(eager.packets());
            assert_eq!(counters.arrived.packets, total, "{spec}");
            let told = counters.marked.packets + counters.dropped().packets;
            assert!(told > 0, "{spec} tells of a third too much");
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
