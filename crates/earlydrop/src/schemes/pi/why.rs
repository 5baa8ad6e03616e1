//! Why PI drops, marks or keeps a packet.

use alloc::format;

use super::Pi;
use crate::aqm::Backlog;
use crate::explanation::{Why, numbers};
use crate::packet::PacketInfo;
use crate::random::Pcg32;
use crate::trace::Rule;
use crate::units::Nanos;

impl Rule for Pi {
    fn why_arrival<Q: Backlog>(
        &self,
        _now: Nanos,
        packet: &PacketInfo,
        _queue: &Q,
        random: &mut Pcg32,
    ) -> Option<Why> {
        let mut why = Why::new("Hollot, Misra, Towsley, Gong 2001");
        match self.last_update {
            Some(update) => self.explain_sample(&mut why, update),
            None => why.given("the probability", ("p", ""), self.probability),
        }
        let p = self
            .counting
            .explain_scaled(&mut why, self.probability, packet);
        Some(why.drawn("a random signal with p", random.uniform(), p))
    }
}

impl Pi {
    /// Shows how the last sample of the queue has moved p.
    fn explain_sample(&self, why: &mut Why, [before, length, last]: [f64; 3]) {
        let gains = self.gains;
        why.given("the queue at the last sample", ("q", "packets"), length);
        let says = "the queue at the sample before";
        why.given(says, ("q_old", "packets"), last);
        let text = numbers!(
            "{} + {} * ({} - {}) - {} * ({} - {})",
            before,
            gains.alpha + gains.beta,
            length,
            gains.reference,
            gains.beta,
            last,
            gains.reference
        );
        let equation = "p = p' + a (q - q_ref) - b (q_old - q_ref)";
        let ideal = before + gains.step(length, last);
        let (equation, text) = if ideal > 1.0 {
            (format!("{equation}, at most 1"), format!("min(1, {text})"))
        } else if ideal < 0.0 {
            (format!("{equation}, at least 0"), format!("max(0, {text})"))
        } else {
            (equation.into(), text)
        };
        let says = "the probability since the last sample";
        why.step(says, ("p", ""), equation, text, self.probability);
    }
}
