//! The flow policy: what is done differently for some flows.

use crate::aqm::{Backlog, Place, Verdict};
use crate::packet::Facts;
use crate::random::Pcg32;
use crate::schemes::choke;
use crate::units::Nanos;

/// How a policy wants a packet to be treated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Treatment {
    /// As any other.
    Normal,
    /// With the curve's strength times this.
    Scaled(f64),
    /// With the curve's thresholds raised by this, in the average's unit.
    Raised(f64),
    /// Without random drops; only from the curve's last threshold on it is dropped.
    Spared,
    /// Dropped.
    Refused,
    /// Dropped, and with it the packet waiting at this place.
    RefusedWith(Place),
}

/// What a policy sees of the average and the curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// The average queue.
    pub avg: f64,
    /// The curve's first threshold.
    pub first: f64,
    /// The curve's upper threshold, `max`.
    pub max: f64,
}

/// The fifth part of the RED family.
#[derive(Clone, Debug)]
pub enum Policy {
    /// All packets are alike.
    None,
    /// CHOKe: compared with a waiting packet.
    Choke,
}

impl Policy {
    /// How to treat an arriving packet.
    pub fn treat<Q: Backlog>(
        &mut self,
        _now: Nanos,
        packet: &Facts,
        view: &View,
        queue: &Q,
        random: &mut Pcg32,
    ) -> Treatment {
        match self {
            Policy::None => Treatment::Normal,
            Policy::Choke => choke::treat(packet, view, queue, random),
        }
    }

    /// What became of the packet just treated, but for a lack of room.
    pub fn on_verdict(&mut self, _packet: &Facts, _verdict: Verdict) {}

    /// The packet just treated waits.
    pub fn on_accepted(&mut self, _now: Nanos, _packet: &Facts) {}

    /// The packet just treated found no room.
    pub fn on_refused(&mut self, _now: Nanos, _packet: &Facts) {}

    /// A packet no longer waits: sent, or taken out.
    pub fn on_left(&mut self, _packet: &Facts) {}

    /// Whether departures update the average too.
    pub fn samples_departures(&self) -> bool {
        false
    }

    /// Shows what the policy acts on.
    pub fn probes(&self, _show: &mut dyn FnMut(&'static str, f64)) {}

    /// Heap bytes held.
    pub fn heap_bytes(&self) -> usize {
        0
    }
}
