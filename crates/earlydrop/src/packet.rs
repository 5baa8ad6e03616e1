//! Packets as a queue sees them: size, flow, ECN field, class.

use crate::units::Nanos;

/// A packet, or a handle to one.
///
/// Queues move it by value, so keep it small: a buffer's index, a `Box`, an `Arc`. They never
/// look at a payload.
pub trait Packet {
    /// Length on the wire, in bytes.
    fn size(&self) -> u32;
    /// The flow it belongs to.
    fn flow(&self) -> FlowKey;
    /// The ECN field of its IP header.
    fn ecn(&self) -> Ecn;
    /// Sets the ECN field to CE. Called for ECN-capable packets only.
    fn mark(&mut self);
    /// Traffic class, for schemes with a profile (WRED) or a queue (DRR) per class; 0 when there is none.
    fn class(&self) -> u8 {
        0
    }
    /// The hosts it travels between, for schemes that share the link among hosts (CAKE). By
    /// default each flow has hosts of its own.
    fn hosts(&self) -> Hosts {
        let FlowKey(flow) = self.flow();
        Hosts {
            source: flow,
            destination: flow,
        }
    }
    /// Its TCP acknowledgment, for schemes that thin these out (CAKE); `None` where it has none,
    /// or where it is not known.
    fn ack(&self) -> Option<Ack> {
        None
    }
}

/// The two hosts of a packet, by numbers such as their addresses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hosts {
    /// The host that has sent it.
    pub source: u64,
    /// The host it is sent to.
    pub destination: u64,
}

/// The acknowledgment in a TCP segment without SYN, FIN or RST.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ack {
    /// The next byte or segment expected; numbers wrap at 2^32.
    pub number: u32,
    /// The segment carries no data, and no option that its successor would not replace.
    pub is_pure: bool,
    /// It carries SACK blocks.
    pub has_sack: bool,
    /// ECE and CWR, or the counter of accurate ECN: anything that a later acknowledgment may not
    /// repeat.
    pub echo: u8,
}

/// A flow's identity: typically a hash of addresses, ports and protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowKey(pub u64);

impl FlowKey {
    /// The key of the flow identified by `bytes`, such as addresses and ports (FNV-1a).
    pub fn of_bytes(bytes: &[u8]) -> FlowKey {
        FlowKey(bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        }))
    }

    /// Hashes the key to 64 bits; a random `salt` makes the hash unpredictable.
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
    /// Not ECN-capable: only a drop signals congestion.
    #[default]
    NotCapable = 0,
    /// ECT(1): capable, and the L4S identifier of RFC 9331.
    Ect1 = 1,
    /// ECT(0): capable.
    Ect0 = 2,
    /// Congestion experienced: already marked.
    Ce = 3,
}

impl Ecn {
    /// The ECN field in the two low bits of an IP header's traffic class (or TOS) byte.
    pub const fn from_bits(traffic_class: u8) -> Ecn {
        match traffic_class & 3 {
            0 => Ecn::NotCapable,
            1 => Ecn::Ect1,
            2 => Ecn::Ect0,
            _ => Ecn::Ce,
        }
    }

    /// Whether a mark may signal congestion.
    pub fn is_capable(self) -> bool {
        self != Ecn::NotCapable
    }

    /// Whether RFC 9331 assigns it to the low-latency queue: ECT(1) or CE.
    pub fn is_l4s(self) -> bool {
        matches!(self, Ecn::Ect1 | Ecn::Ce)
    }
}

/// The packet as a scheme sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketInfo {
    /// Length on the wire, in bytes.
    pub size: u32,
    /// The flow it belongs to.
    pub flow: FlowKey,
    /// The ECN field on arrival.
    pub ecn: Ecn,
    /// Traffic class.
    pub class: u8,
    /// When it arrived at this queue.
    pub arrived: Nanos,
}

impl PacketInfo {
    /// Describes `packet`, which arrives at `arrived`.
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
