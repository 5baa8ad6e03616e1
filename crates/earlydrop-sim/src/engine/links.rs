//! The links of a run: what they are made of, and what all packets share there.

use earlydrop::units::Nanos;

use super::accounts::Accounts;
use super::fifo::FifoPort;
use super::impairments::Impairments;
use super::port::Port;
use super::shared_buffer::SharedBuffer;
use crate::link::{SendTimes, Transmitter};
use crate::network::{Change, LinkId};
use crate::packet::Packet;

/// Every link, in the kind that its description allows: stages of routes are indices into these.
#[derive(Clone, Debug, Default)]
pub(super) struct Links {
    /// Links without a queue limit, with a drop-tail queue, and with any other queue.
    pub(super) wires: Vec<Transmitter>,
    pub(super) fifos: Vec<FifoPort>,
    pub(super) ports: Vec<Port>,
    /// Buffers that ports share.
    pub(super) buffers: Vec<SharedBuffer>,
    /// The rates of access links, each once for each direction.
    pub(super) access_rates: Vec<SendTimes>,
    pub(super) impairments: Vec<Impairments>,
    /// Changes of links to come, each with the index of its port.
    pub(super) changes: Vec<(u32, Change)>,
}

impl Links {
    /// The port of a link, if it is one.
    pub(super) fn port(&self, link: LinkId) -> Option<&Port> {
        self.ports.iter().find(|port| port.number == link.0)
    }

    /// The port of a link, if it is one.
    pub(super) fn port_mut(&mut self, link: LinkId) -> Option<&mut Port> {
        self.ports.iter_mut().find(|port| port.number == link.0)
    }

    /// Changes the link of a port, all of whose departures up to `now` are known.
    pub(super) fn change(&mut self, index: u32, now: Nanos, change: &Change) {
        let port = &mut self.ports[index as usize];
        port.change(now, change);
        if let (Change::Delay(delay), Some(impairments)) = (change, port.impairments) {
            self.impairments[impairments as usize].delay = *delay;
        }
    }

    /// Whether the buffer that a port shares has room for a packet at `at`; if not, drops it.
    /// What the ports of the buffer have sent by then is known.
    pub(super) fn admits(
        &mut self,
        index: u32,
        accounts: &mut Accounts,
        packet: Packet,
        at: Nanos,
    ) -> bool {
        let port = &mut self.ports[index as usize];
        let Some(member) = port.shared else {
            return true;
        };
        let measured = accounts.timing.counts(at);
        let buffer = &mut self.buffers[member.buffer as usize];
        let admits = buffer.admits(member, packet, port.link.queue(), measured);
        if !admits {
            port.refuse(accounts, packet, at);
        }
        admits
    }

    /// Counts the bytes that wait at a port in the buffer that it shares, after they have
    /// changed; `measured`: in the time measured.
    pub(super) fn count_shared(&mut self, index: u32, measured: bool) {
        let Port { link, shared, .. } = &self.ports[index as usize];
        if let Some(member) = shared {
            let buffer = &mut self.buffers[member.buffer as usize];
            buffer.count(*member, link.queue(), link.next_transmission(), measured);
        }
    }
}
