//! What a queue must know of a packet, and nothing of how its bytes are held.

use crate::units::Nanos;

/// A packet, or a handle to one: whatever the caller moves around.
///
/// Queues move it and never copy a payload, so let it be small: a buffer's
/// index, a `Box`, an `Arc`.
pub trait Packet {
    /// Length on the wire, in bytes.
    fn size(&self) -> u32;
    /// Which flow it belongs to.
    fn flow(&self) -> FlowKey;
    /// The ECN field of its IP header.
    fn ecn(&self) -> Ecn;
    /// Sets the ECN field to CE. Only called on a packet that is ECN-capable.
    fn mark(&mut self);
    /// Traffic class for schemes with a profile per class (WRED); 0 when there is none.
    fn class(&self) -> u8 {
        0
    }
}

/// A flow's identity: typically a hash of addresses, ports and protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowKey(pub u64);

impl FlowKey {
    /// The key of a flow known by these bytes: say, addresses and ports (FNV-1a).
    pub fn of_bytes(bytes: &[u8]) -> FlowKey {
        FlowKey(bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        }))
    }

    /// Spreads the key over 64 bits; `salt` makes the spread unguessable.
    ///
    /// Two rounds of xor-shift and multiply (the finaliser of SplitMix64).
    #[inline]
    pub fn hash(self, salt: u64) -> u64 {
        let mut x = self.0 ^ salt;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }
}

/// The two ECN bits of RFC 3168, in their order on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ecn {
    /// Not ECN-capable: congestion is told by dropping.
    #[default]
    NotCapable = 0,
    /// ECT(1): capable, and the L4S identifier of RFC 9331.
    Ect1 = 1,
    /// ECT(0): capable.
    Ect0 = 2,
    /// Congestion experienced: marked already.
    Ce = 3,
}

impl Ecn {
    /// The two low bits of an IP header's traffic class byte.
    pub const fn from_bits(traffic_class: u8) -> Ecn {
        match traffic_class & 3 {
            0 => Ecn::NotCapable,
            1 => Ecn::Ect1,
            2 => Ecn::Ect0,
            _ => Ecn::Ce,
        }
    }

    /// Whether congestion may be told by a mark.
    pub fn is_capable(self) -> bool {
        self != Ecn::NotCapable
    }

    /// Whether RFC 9331 sends it to the low-latency queue: ECT(1) or CE.
    pub fn is_l4s(self) -> bool {
        matches!(self, Ecn::Ect1 | Ecn::Ce)
    }
}

/// What a scheme sees of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketInfo {
    /// Length on the wire, in bytes.
    pub size: u32,
    /// Which flow it belongs to.
    pub flow: FlowKey,
    /// The ECN field on arrival.
    pub ecn: Ecn,
    /// Traffic class.
    pub class: u8,
    /// When it arrived at this queue.
    pub arrived: Nanos,
}

impl PacketInfo {
    /// The facts of `packet`, arriving at `arrived`.
    pub fn of<P: Packet>(packet: &P, arrived: Nanos) -> PacketInfo {
        PacketInfo {
            size: packet.size(),
            flow: packet.flow(),
            ecn: packet.ecn(),
            class: packet.class(),
            arrived,
        }
    }
}
