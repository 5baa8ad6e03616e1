//! Input of the contenders: queue lengths, packets, and a backlog.

use earlydrop::aqm::{Backlog, Slot};
use earlydrop::packet::{Ecn, FlowKey, Packet, PacketInfo};
use earlydrop::random::Pcg32;
use earlydrop::units::Nanos;

/// Bytes of every packet.
const SIZE: u32 = 1000;

/// A random walk of queue lengths around `middle` packets, at most `middle`/4 away.
pub fn queue_lengths(middle: u32, arrivals: usize) -> Vec<u32> {
    let mut random = Pcg32::new(17, 0);
    let mut length = middle;
    let step = |length: u32, up: bool| if up { length + 1 } else { length - 1 };
    let walk = move |_| {
        length = step(length, random.chance(0.5)).clamp(middle - middle / 4, middle + middle / 4);
        length
    };
    (0..arrivals).map(walk).collect()
}

/// Arrivals of `flows` flows, each flow equally likely, one every `gap`.
pub fn arrivals(flows: u32, gap: Nanos, arrivals: usize) -> Vec<PacketInfo> {
    let mut random = Pcg32::new(23, 0);
    let arrival = |index: usize| PacketInfo {
        size: SIZE,
        flow: FlowKey(u64::from(random.below(flows))),
        ecn: Ecn::NotCapable,
        class: 0,
        arrived: Nanos(index as u64 * gap.0),
    };
    (0..arrivals).map(arrival).collect()
}

/// A backlog of given length, without packets.
#[derive(Clone, Copy, Debug)]
pub struct Standing {
    /// Packets waiting.
    pub packets: u32,
    /// When the head arrived.
    pub head: Nanos,
    /// The flow of every packet drawn.
    pub flow: FlowKey,
}

impl Backlog for Standing {
    fn packets(&self) -> u32 {
        self.packets
    }
    fn bytes(&self) -> u64 {
        u64::from(self.packets) * u64::from(SIZE)
    }
    fn head_arrival(&self) -> Option<Nanos> {
        Some(self.head)
    }
    fn draw(&self, random: &mut Pcg32) -> Option<(Slot, FlowKey)> {
        Some((Slot(random.below(self.packets)), self.flow))
    }
}

/// A packet of 16 bytes, whose data is elsewhere.
#[derive(Clone, Copy, Debug)]
pub struct Handle {
    /// Its flow.
    pub flow: u64,
    /// Bytes on the wire.
    pub size: u32,
}

impl Packet for Handle {
    fn size(&self) -> u32 {
        self.size
    }
    fn flow(&self) -> FlowKey {
        FlowKey(self.flow)
    }
    fn ecn(&self) -> Ecn {
        Ecn::NotCapable
    }
    fn mark(&mut self) {}
}
