//! Packets of a copied queue, on which a call is tried, and the buffer that it finds.

use alloc::format;
use alloc::string::String;

use super::Limit;
use crate::explanation::{Why, numbers};
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
        // The queue knows when it came.
        let info = PacketInfo::of(packet, Nanos::ZERO);
        Shadow {
            hosts: packet.hosts(),
            ack: packet.ack(),
            ..Shadow::seen(&info)
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

/// The buffer as an arrival finds it.
#[derive(Clone, Copy)]
pub(crate) struct Buffer {
    pub(crate) packets: u32,
    /// What the limit in bytes counts.
    pub(crate) bytes: u64,
    pub(crate) limit: Limit,
    /// What the arrival counts in the limit in bytes.
    pub(crate) size: u64,
}

impl Buffer {
    /// Whether the arrival fits.
    pub(crate) fn has_room(&self) -> bool {
        self.packets < self.limit.packets && self.bytes + self.size <= self.limit.bytes.0
    }

    /// Shows how full it is and says so; for an arrival that is refused, by what it is full.
    pub(crate) fn state(&self, why: &mut Why) -> String {
        let Buffer { limit, size, .. } = *self;
        let bytes_rule = self.packets < limit.packets && self.bytes + size > limit.bytes.0
            || limit.packets == u32::MAX;
        if !bytes_rule {
            let (held, most) = (f64::from(self.packets), f64::from(limit.packets));
            why.given("the packets in the buffer", ("queue", "packets"), held);
            why.given("the most it holds", ("limit", "packets"), most);
            return format!("the buffer holds {held} of {most} packets");
        }
        let (held, most) = (self.bytes as f64, limit.bytes.0 as f64);
        why.given("the bytes in the buffer", ("queue", "bytes"), held);
        why.given("the most it holds", ("limit", "bytes"), most);
        why.step(
            "the bytes with this packet",
            ("full", "bytes"),
            "full = queue + size",
            numbers!("{} + {}", held, size as f64),
            held + size as f64,
        );
        format!("the buffer holds {held} of {most} bytes, and this packet has {size}")
    }
}
