//! Packets of a copied queue, on which a call is tried.

use crate::packet::{Ack, Ecn, FlowKey, Hosts, Packet, PacketInfo};
use crate::units::Nanos;

/// Stands for a packet: all that a queue sees of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shadow {
    info: PacketInfo,
    hosts: Hosts,
    ack: Option<Ack>,
    /// It stands for the packet that the tried call enqueues.
    pub(crate) arrives: bool,
    /// A queue has marked it since it was copied.
    pub(crate) is_marked: bool,
}

impl Shadow {
    /// For a packet that waits.
    pub(crate) fn of(packet: &impl Packet) -> Shadow {
        Shadow {
            // The queue knows when it came.
            info: PacketInfo::of(packet, Nanos::ZERO),
            hosts: packet.hosts(),
            ack: packet.ack(),
            arrives: false,
            is_marked: false,
        }
    }

    /// For a packet that a scheme has seen.
    pub(crate) fn seen(info: &PacketInfo) -> Shadow {
        Shadow {
            info: *info,
            hosts: Hosts::default(),
            ack: None,
            arrives: false,
            is_marked: false,
        }
    }

    /// For the packet that the tried call enqueues.
    pub(crate) fn arriving(packet: &impl Packet) -> Shadow {
        Shadow {
            arrives: true,
            ..Shadow::of(packet)
        }
    }
}

impl Packet for Shadow {
    fn size(&self) -> u32 {
        self.info.size
    }

    fn flow(&self) -> FlowKey {
        self.info.flow
    }

    fn ecn(&self) -> Ecn {
        self.info.ecn
    }

    fn mark(&mut self) {
        self.info.ecn = Ecn::Ce;
        self.is_marked = true;
    }

    fn class(&self) -> u8 {
        self.info.class
    }

    fn hosts(&self) -> Hosts {
        self.hosts
    }

    fn ack(&self) -> Option<Ack> {
        self.ack
    }
}
