//! Why PI2 drops, marks or keeps a packet.

use super::Pi2;
use crate::aqm::Backlog;
use crate::explanation::{Why, above, numbers};
use crate::packet::PacketInfo;
use crate::random::Pcg32;
use crate::trace::Rule;
use crate::units::Nanos;

impl Rule for Pi2 {
    fn why_arrival<Q: Backlog>(
        &self,
        _now: Nanos,
        packet: &PacketInfo,
        queue: &Q,
        random: &mut Pcg32,
    ) -> Option<Why> {
        let mut why = Why::new("De Schepper et al. 2016, section 4");
        match self.last_update {
            Some(update) => {
                let gains = [self.gains.alpha, self.gains.beta, self.gains.reference];
                why.pi_update(gains, update, self.base, self.largest_base);
            }
            None => why.given("the base probability", ("p'", ""), self.base),
        }
        if self.base == 0.0 {
            return Some(why.by("no signals at p' = 0", "p' is 0"));
        }
        let (length, floor, unit) = self.floor.compared_with(queue);
        if !self.floor.is_exceeded_by(queue) {
            why.given("the queue that the packet finds", ("q", unit), length);
            why.given("the queue without signals", ("floor", unit), floor);
            why.source = "RFC 8033, section 4.1";
            return Some(why.by("no drop from a short queue", above(length, floor)));
        }
        if self.is_scalable(packet) {
            why.step(
                "the probability of a scalable packet",
                ("p_L", ""),
                "p_L = k p'",
                numbers!("{} * {}", self.coupling, self.base),
                self.linear,
            );
            return Some(why.drawn("a random mark with k p'", random.uniform(), self.linear));
        }
        why.step(
            "the probability of a classic packet",
            ("p_C", ""),
            "p_C = p'^2",
            numbers!("{}^2", self.base),
            self.classic,
        );
        Some(why.drawn("a random signal with p'^2", random.uniform(), self.classic))
    }
}
