//! Why SRED drops, marks or keeps a packet.

use super::Sred;
use crate::aqm::Backlog;
use crate::explanation::{Why, below, numbers};
use crate::packet::PacketInfo;
use crate::random::Pcg32;
use crate::trace::Rule;
use crate::units::Nanos;

impl Rule for Sred {
    fn why_arrival<Q: Backlog>(
        &self,
        _now: Nanos,
        packet: &PacketInfo,
        queue: &Q,
        random: &mut Pcg32,
    ) -> Option<Why> {
        let mut why = Why::new("Ott, Lakshman, Wong 1999");
        let mut after = self.clone();
        let hit = after.compare(packet.flow, random);
        let (before, p) = (self.hits, after.hits);
        let is_filled = self.filled == self.zombies.len();
        if is_filled {
            let met = f64::from(u8::from(hit));
            let says = "whether a random zombie is of the packet's flow";
            why.given(says, ("hit", ""), met);
            why.step(
                "the rate of hits, one over the number of flows",
                ("P", ""),
                "P = P + a (hit - P), a = r / M",
                numbers!("{} + {} * ({} - {})", before, self.weight, met, before),
                p,
            );
        } else {
            why.given("the rate of hits, while the list fills", ("P", ""), p);
        }
        let in_packets = self.buffer.bytes.0 == u64::MAX;
        let (length, buffer, unit) = match in_packets {
            true => (
                f64::from(queue.packets()),
                f64::from(self.buffer.packets),
                "packets",
            ),
            false => (queue.bytes() as f64, self.buffer.bytes.0 as f64, "bytes"),
        };
        why.given("the queue that the packet finds", ("q", unit), length);
        why.given("the buffer", ("B", unit), buffer);
        let p_sred = after.p_sred(queue);
        if p_sred == 0.0 {
            let reason = below(length, buffer / 6.0);
            return Some(why.by("no drop below a sixth of the buffer", reason));
        }
        let (equation, text) = match p_sred == self.max_p {
            true => ("p_sred = p_max, as 3 q >= B", numbers!("{}", self.max_p)),
            false => (
                "p_sred = p_max / 4, as 6 q >= B",
                numbers!("{} / 4", self.max_p),
            ),
        };
        let says = "the probability by the queue";
        why.step(says, ("p_sred", ""), equation, text, p_sred);
        let p_zap = after.p_zap(p_sred, hit);
        let crowded = self.flows * p > 1.0;
        let counts_hit = self.full && hit && p > 0.0;
        let (equation, text) = match (crowded, counts_hit) {
            (false, false) => ("p_zap = p_sred", numbers!("{}", p_sred)),
            (true, false) => (
                "p_zap = p_sred / (256 P)^2",
                numbers!("{} / ({} * {})^2", p_sred, self.flows, p),
            ),
            (false, true) => (
                "p_zap = min(1, p_sred (1 + 1 / P))",
                numbers!("min(1, {} * (1 + 1 / {}))", p_sred, p),
            ),
            (true, true) => (
                "p_zap = min(1, p_sred / (256 P)^2 (1 + 1 / P))",
                numbers!(
                    "min(1, {} / ({} * {})^2 * (1 + 1 / {}))",
                    p_sred,
                    self.flows,
                    p,
                    p
                ),
            ),
        };
        let equation = equation.replace("256", &numbers!("{}", self.flows));
        let says = "the probability by queue and number of flows";
        why.step(says, ("p_zap", ""), equation, text, p_zap);
        Some(why.drawn("a random signal with p_zap", random.uniform(), p_zap))
    }
}
