//! How LRU-RED classifies a flow, with its numbers.

use super::LruRed;
use crate::explanation::{Why, numbers};
use crate::packet::PacketInfo;
use crate::random::Pcg32;
use crate::red::Treatment;

impl LruRed {
    /// Shows how [`treat`](LruRed::treat) classifies the packet's flow, and classifies it.
    pub(crate) fn explain(
        &mut self,
        why: &mut Why,
        packet: &PacketInfo,
        random: &mut Pcg32,
    ) -> Treatment {
        let cached = self.cache.find(packet.flow).is_some();
        let treatment = self.treat(packet, random);
        let Some(slot) = self.cache.find(packet.flow).filter(|_| cached) else {
            why.given(
                "the flow's packets in the cache: it was not in it",
                ("count_i", "packets"),
                0.0,
            );
            return treatment;
        };
        let seen = f64::from(*self.cache.value(slot));
        why.given(
            "the flow's packets since it entered the cache, this one among them",
            ("count_i", "packets"),
            seen,
        );
        let threshold = f64::from(self.threshold);
        why.given(
            "above this it is a high-bandwidth flow",
            ("threshold", "packets"),
            threshold,
        );
        if let Treatment::Scaled(factor) = treatment {
            let (equation, text) = match self.factor {
                Some(fixed) => ("factor", numbers!("{}", fixed)),
                None => (
                    "factor = count_i / threshold",
                    numbers!("{} / {}", seen, threshold),
                ),
            };
            let says = "the factor on max_p of a high-bandwidth flow";
            why.step(says, ("factor", ""), equation, text, factor);
        }
        treatment
    }
}
