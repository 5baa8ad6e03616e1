//! Why a step threshold drops, marks or keeps a packet.

use alloc::format;

use super::Step;
use crate::aqm::Backlog;
use crate::explanation::{Why, above};
use crate::packet::PacketInfo;
use crate::random::Pcg32;
use crate::trace::Rule;
use crate::units::Nanos;

impl Rule for Step {
    fn why_arrival<Q: Backlog>(
        &self,
        _now: Nanos,
        packet: &PacketInfo,
        queue: &Q,
        _random: &mut Pcg32,
    ) -> Option<Why> {
        let mut why = Why::new("RFC 8257, section 3.1");
        let (length, threshold, unit) = self.threshold.compared_with(queue);
        why.given("the queue that the packet finds", ("q", unit), length);
        why.given("the threshold", ("K", unit), threshold);
        let reason = above(length, threshold);
        let passes = length > threshold && self.signalling.passes(packet);
        let reason = match passes {
            true => format!("{reason}, but packets that cannot be marked pass"),
            false => reason,
        };
        Some(why.by("a step at K", reason))
    }
}
