//! The flow policy: what is done differently for some flows.

use alloc::boxed::Box;

use super::variants::fred::Fred;
use super::variants::lru_red::LruRed;
use super::variants::sfred::Sfred;
use crate::aqm::Verdict;
use crate::packet::{FlowKey, PacketInfo};
use crate::random::Pcg32;
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
    /// Let in, whatever the average is.
    Admitted,
    /// Dropped.
    Refused,
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
///
/// Policies that remember flows are boxed, so that a queue without one stays small.
#[derive(Clone, Debug)]
pub enum Policy {
    /// All packets are alike.
    None,
    /// CHOKe: compared with a waiting packet.
    Choke,
    /// SFRED: a list of recent flows, each slow, fair, fast or unresponsive.
    Sfred(Box<Sfred>),
    /// LRU-RED: a cache that flows of high bandwidth stay in.
    Lru(Box<LruRed>),
    /// FRED: what each flow has waiting.
    Fred(Box<Fred>),
}

impl Policy {
    /// Whether the policy keeps a table of flows.
    #[inline]
    pub fn remembers_flows(&self) -> bool {
        !matches!(self, Policy::None | Policy::Choke)
    }

    /// How to treat an arriving packet, by what is remembered of its flow.
    pub fn treat(
        &mut self,
        now: Nanos,
        packet: &PacketInfo,
        view: &View,
        random: &mut Pcg32,
    ) -> Treatment {
        match self {
            Policy::None | Policy::Choke => Treatment::Normal,
            Policy::Sfred(sfred) => sfred.treat(now, packet, random),
            Policy::Lru(lru) => lru.treat(packet, random),
            Policy::Fred(fred) => fred.treat(packet, view, random),
        }
    }

    /// What became of the packet just treated, but for a lack of room.
    #[inline]
    pub fn on_verdict(&mut self, packet: &PacketInfo, verdict: Verdict) {
        match self {
            Policy::None | Policy::Choke | Policy::Lru(_) => {}
            Policy::Sfred(sfred) => sfred.on_verdict(verdict),
            Policy::Fred(fred) => fred.on_verdict(packet, verdict),
        }
    }

    /// The packet just treated, of `flow`, waits.
    #[inline(never)]
    pub fn on_accepted(&mut self, flow: FlowKey) {
        if let Policy::Fred(fred) = self {
            fred.on_accepted(flow);
        }
    }

    /// The packet just treated found no room.
    pub fn on_refused(&mut self) {
        if let Policy::Sfred(sfred) = self {
            sfred.on_refused();
        }
    }

    /// A packet of `flow` no longer waits: sent, or taken out.
    pub fn on_left(&mut self, flow: FlowKey) {
        if let Policy::Fred(fred) = self {
            fred.on_left(flow);
        }
    }

    /// Whether the policy follows packets from acceptance to departure. The average
    /// is then taken there, and not at arrivals that are dropped.
    #[inline]
    pub fn follows_packets(&self) -> bool {
        matches!(self, Policy::Fred(_))
    }

    /// Flows the policy knows.
    pub fn flows(&self) -> u32 {
        match self {
            Policy::None | Policy::Choke => 0,
            Policy::Sfred(sfred) => sfred.flows(),
            Policy::Lru(lru) => lru.flows(),
            Policy::Fred(fred) => fred.flows(),
        }
    }

    /// Shows what the policy acts on.
    pub fn probes(&self, show: &mut dyn FnMut(&'static str, f64)) {
        show("flows", f64::from(self.flows()));
    }

    /// Heap bytes held.
    pub fn heap_bytes(&self) -> usize {
        match self {
            Policy::None | Policy::Choke => 0,
            Policy::Sfred(sfred) => size_of::<Sfred>() + sfred.heap_bytes(),
            Policy::Lru(lru) => size_of::<LruRed>() + lru.heap_bytes(),
            Policy::Fred(fred) => size_of::<Fred>() + fred.heap_bytes(),
        }
    }
}
