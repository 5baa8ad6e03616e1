//! Why a probability that is set from outside drops, marks or keeps a packet.

use super::Dial;
use crate::aqm::Backlog;
use crate::explanation::{Why, numbers};
use crate::packet::PacketInfo;
use crate::random::Pcg32;
use crate::red::{Shares, probability};
use crate::trace::Rule;
use crate::units::Nanos;

impl Rule for Dial {
    fn why_arrival<Q: Backlog>(
        &self,
        _now: Nanos,
        _packet: &PacketInfo,
        _queue: &Q,
        random: &mut Pcg32,
    ) -> Option<Why> {
        let mut why = Why::new("the probability is set from outside");
        why.given("the probability as set", ("P", ""), self.probability);
        if self.steps == 0 {
            return Some(why.by("no signals at P = 0", "P is 0"));
        }
        why.step(
            "the initial probability",
            ("p_b", ""),
            "p_b = P",
            numbers!("{}", self.probability),
            probability(self.steps),
        );
        let shares = Shares::alike(self.steps, self.gap.count());
        Some(self.gap.why(why, shares, random))
    }
}
