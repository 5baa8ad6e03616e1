//! What happens to packets on a link beyond rate and delay: loss, reordering, a capture.

use earlydrop::random::Pcg32;
use earlydrop::units::Nanos;

use super::accounts::Accounts;
use crate::capture::Capture;
use crate::link::{Wire, is_lost};
use crate::network::{Cut, DelayTrace};
use crate::packet::Packet;

/// The impairments of one link; most links have none. Links whose delay may change have them for
/// the order of packets alone.
#[derive(Clone, Debug)]
pub(super) struct Impairments {
    /// The link's propagation delay now; with a recorded one, its smallest.
    pub(super) delay: Nanos,
    /// The recorded propagation delay.
    pub(super) delay_trace: Option<DelayTrace>,
    /// The share of packets lost at random.
    pub(super) loss: f64,
    /// Times in which all that would arrive is lost.
    pub(super) cuts: Vec<Cut>,
    pub(super) wire: Wire,
    pub(super) random: Pcg32,
    pub(super) capture: Option<Capture>,
}

impl Impairments {
    /// When a packet arrives that would arrive at `at` after `delay`; `None` if it is lost.
    fn arrival(&mut self, at: Nanos) -> Option<Nanos> {
        if is_lost(self.loss, &mut self.random) || self.cuts.iter().any(|cut| cut.has(at)) {
            return None;
        }
        let at = match &self.delay_trace {
            None => at,
            Some(trace) => {
                let left_at = at.since(self.delay);
                left_at + trace.at(left_at).max(self.delay)
            }
        };
        Some(self.wire.arrival(at, &mut self.random))
    }

    /// A packet has left the link, and would arrive at `at`. Captures it; returns when it arrives,
    /// unless it is lost. `payload`: the payload of its flow's full segments, in bytes.
    #[inline(never)]
    pub(super) fn cross(
        &mut self,
        accounts: &mut Accounts,
        packet: Packet,
        payload: u32,
        at: Nanos,
    ) -> Option<Nanos> {
        let left_at = at.since(self.delay);
        if let Some(capture) = &mut self.capture {
            capture.record(left_at, &packet, payload, &accounts.notes);
        }
        let arrival = self.arrival(at);
        if arrival.is_none() {
            accounts.loss(left_at, None).take(packet);
        }
        arrival
    }
}
