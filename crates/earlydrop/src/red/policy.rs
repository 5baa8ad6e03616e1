//! The flow policy: how some flows are treated differently.

use alloc::boxed::Box;

use super::variants::fred::Fred;
use super::variants::lru_red::LruRed;
use super::variants::sfred::Sfred;
use crate::aqm::{Backlog, Verdict, WaitingPackets};
use crate::packet::{FlowKey, PacketInfo};
use crate::trace::{Case, Trace};

/// How a policy wants a packet to be treated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Treatment {
    /// By the curve.
    Normal,
    /// By the curve, its strength multiplied by this.
    Scaled(f64),
    /// By the curve, its thresholds raised by this, in the average's unit.
    Raised(f64),
    /// No random drops; dropped only above the curve's last threshold.
    Spared,
    /// Accepted, whatever the average is.
    Admitted,
    /// Dropped.
    Refused,
}

/// The average and the thresholds, as a policy sees them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AverageView {
    /// The average queue.
    pub avg: f64,
    /// The curve's first threshold.
    pub first: f64,
    /// The curve's upper threshold, `max`.
    pub max: f64,
}

/// How some flows are treated differently: the fifth part of the RED family.
///
/// Policies that keep a table of flows are boxed, so that a queue without one stays small.
#[derive(Clone, Debug)]
pub enum Policy {
    /// All flows are treated alike.
    None,
    /// CHOKe: each packet is compared with a random waiting one.
    Choke,
    /// SFRED: a list of recent flows, each slow, fair, fast or unresponsive.
    Sfred(Box<Sfred>),
    /// LRU-RED: a cache in which high-bandwidth flows stay.
    Lru(Box<LruRed>),
    /// FRED: a count of the packets each flow has in the queue.
    Fred(Box<Fred>),
}

impl Policy {
    /// Goes on with the table of `old`, or starts one among the packets that wait.
    pub(crate) fn continue_from(&mut self, old: Policy, waiting: WaitingPackets<'_>) {
        match (&mut *self, old) {
            (Policy::Sfred(new), Policy::Sfred(old)) => new.continue_from(*old),
            (Policy::Lru(new), Policy::Lru(old)) => new.continue_from(*old),
            (Policy::Fred(new), Policy::Fred(old)) => new.continue_from(*old),
            _ => waiting.for_each(|packet| self.on_accepted(packet.flow)),
        }
    }

    /// Whether the policy keeps a table of flows.
    #[inline]
    pub fn remembers_flows(&self) -> bool {
        !matches!(self, Policy::None | Policy::Choke)
    }

    /// How to treat an arriving packet, by the state of its flow.
    #[inline]
    pub(crate) fn treat(
        &mut self,
        view: &AverageView,
        case: &mut Case<'_, impl Backlog, impl Trace>,
    ) -> Treatment {
        let (packet, random) = (case.packet, &mut *case.random);
        match self {
            Policy::None | Policy::Choke => Treatment::Normal,
            Policy::Sfred(sfred) => sfred.treat(case.now, packet, random, case.trace),
            Policy::Lru(lru) => lru.treat(packet, random, case.trace),
            Policy::Fred(fred) => fred.treat(packet, view, random, case.trace),
        }
    }

    /// Where the policy is published.
    pub(crate) fn source(&self) -> &'static str {
        match self {
            Policy::None => "",
            Policy::Choke => "Pan, Prabhakar, Psounis 2000",
            Policy::Sfred(_) => "Wang et al. 2008, section 2",
            Policy::Lru(_) => "Smitha and Reddy 2001",
            Policy::Fred(_) => "Lin and Morris 1997, section 5",
        }
    }

    /// Reports the verdict on the packet just treated.
    #[inline]
    pub fn on_verdict(&mut self, packet: &PacketInfo, verdict: Verdict) {
        match self {
            Policy::None | Policy::Choke | Policy::Lru(_) => {}
            Policy::Sfred(sfred) => sfred.on_verdict(verdict),
            Policy::Fred(fred) => fred.on_verdict(packet, verdict),
        }
    }

    /// The packet just treated, of `flow`, has joined the queue.
    #[inline(never)]
    pub fn on_accepted(&mut self, flow: FlowKey) {
        if let Policy::Fred(fred) = self {
            fred.on_accepted(flow);
        }
    }

    /// The packet just treated met a full buffer.
    pub fn on_refused(&mut self) {
        if let Policy::Sfred(sfred) = self {
            sfred.on_refused();
        }
    }

    /// A packet of `flow` has left the queue: sent, or evicted.
    pub fn on_left(&mut self, flow: FlowKey) {
        if let Policy::Fred(fred) = self {
            fred.on_left(flow);
        }
    }

    /// Whether the policy follows packets from acceptance to departure. The average is then
    /// updated at both, and not at arrivals that are dropped.
    #[inline]
    pub fn follows_packets(&self) -> bool {
        matches!(self, Policy::Fred(_))
    }

    /// Flows in the policy's table.
    pub fn flows(&self) -> u32 {
        match self {
            Policy::None | Policy::Choke => 0,
            Policy::Sfred(sfred) => sfred.flows(),
            Policy::Lru(lru) => lru.flows(),
            Policy::Fred(fred) => fred.flows(),
        }
    }

    /// Reports the policy's probes.
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
