//! Why BLUE drops, marks or keeps a packet.

use super::Blue;
use crate::aqm::Backlog;
use crate::explanation::{Why, millis, numbers};
use crate::packet::PacketInfo;
use crate::random::Pcg32;
use crate::trace::Rule;
use crate::units::Nanos;

impl Rule for Blue {
    fn why_arrival<Q: Backlog>(
        &self,
        now: Nanos,
        _packet: &PacketInfo,
        queue: &Q,
        random: &mut Pcg32,
    ) -> Option<Why> {
        let mut why = Why::new("Feng, Kandlur, Saha, Shin 1999, section 4");
        let mut after = self.clone();
        let mut raised = false;
        if let Some(threshold) = &self.threshold {
            let (length, most, unit) = threshold.compared_with(queue);
            why.given("the queue that the packet finds", ("q", unit), length);
            why.given("p rises above this queue", ("L", unit), most);
            if threshold.is_exceeded_by(queue) {
                why.given(
                    "p may change from then on",
                    ("thaw", "ms"),
                    millis(self.thaw),
                );
                raised = now >= self.thaw;
                after.raise(now);
            }
        }
        match raised {
            true => why.step(
                "the probability, raised as the queue exceeds L",
                ("p", ""),
                "p = min(1, p + d1)",
                numbers!("min(1, {} + {})", self.probability, self.d1),
                after.probability,
            ),
            false => why.given(
                "the probability: overflow raises it, an idle link lowers it",
                ("p", ""),
                after.probability,
            ),
        }
        Some(why.drawn(
            "a random signal with p",
            random.uniform(),
            after.probability,
        ))
    }
}
