//! The IP packet in a captured frame, by the capture's link type (tcpdump.org/linktypes.html).
//!
//! Tunnels such as PPPoE and MPLS are not looked into.

use earlydrop::packet::Ecn;
use etherparse::err::{ipv4, ipv6};
use etherparse::{
    EtherType, Ethernet2HeaderSlice, Ipv4HeaderSlice, Ipv6HeaderSlice, SingleVlanHeaderSlice,
};

/// What a capture's frames begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Link {
    Ethernet,
    /// Linux's header for captures on any interface, versions 1 and 2.
    Cooked,
    Cooked2,
    /// IPv4 or IPv6 itself.
    Ip,
    /// BSD's protocol family in front of IP.
    Loopback,
    /// IEEE 802.11.
    Wifi,
    /// A radio's measurements in front of IEEE 802.11 (radiotap.org).
    Radiotap,
}

impl Link {
    /// The link of this number in a capture.
    pub(super) fn numbered(link_type: u16) -> Result<Link, String> {
        match link_type {
            1 => Ok(Link::Ethernet),
            113 => Ok(Link::Cooked),
            276 => Ok(Link::Cooked2),
            12 | 14 | 101 | 228 | 229 => Ok(Link::Ip),
            0 | 108 => Ok(Link::Loopback),
            105 => Ok(Link::Wifi),
            127 => Ok(Link::Radiotap),
            other => Err(format!(
                "has link type {other}, which is not read; allowed: Ethernet (1), 802.11 (105, \
                 127), Linux cooked (113, 276), raw IP (12, 14, 101, 228, 229) and loopback (0, \
                 108); nearest: a capture as Ethernet (tcpdump -y EN10MB), or on another \
                 interface; where only the number is wrong, editcap -T ether"
            )),
        }
    }
}

/// Why a frame has no packet to send again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoPacket {
    /// Another protocol's, encrypted or damaged.
    NotIp,
    /// It ends within its headers.
    Cut,
}

/// The size and the ECN field of the IP packet in a frame of `on_wire` bytes that begins with
/// `captured`.
pub(super) fn ip_packet(link: Link, captured: &[u8], on_wire: u32) -> Result<(u32, Ecn), NoPacket> {
    let packet = match link {
        Link::Ethernet => ethernet(captured),
        Link::Cooked => cooked(captured, 14, 16),
        Link::Cooked2 => cooked(captured, 0, 20),
        Link::Ip => Ok(captured),
        Link::Loopback => loopback(captured),
        Link::Wifi => wifi(captured, false),
        Link::Radiotap => radiotap(captured),
    };
    let packet = packet.and_then(|ip| {
        let link_header = (captured.len() - ip.len()) as u32;
        size_and_ecn(ip, on_wire.saturating_sub(link_header))
    });
    packet.map_err(|reason| match captured.len() < on_wire as usize {
        true => reason,
        // A whole frame that is too short for its headers is damaged.
        false => NoPacket::NotIp,
    })
}

/// A part of a frame.
fn part(frame: &[u8], at: usize, length: usize) -> Result<&[u8], NoPacket> {
    frame.get(at..at + length).ok_or(NoPacket::Cut)
}

/// What follows the first `length` bytes.
fn after(frame: &[u8], length: usize) -> Result<&[u8], NoPacket> {
    frame.get(length..).ok_or(NoPacket::Cut)
}

fn ethernet(frame: &[u8]) -> Result<&[u8], NoPacket> {
    let header = Ethernet2HeaderSlice::from_slice(frame).map_err(|_| NoPacket::Cut)?;
    payload(header.ether_type(), after(frame, header.slice().len())?)
}

/// Linux's header of `length` bytes with an EtherType at `kind`.
///
/// By hand: `etherparse` knows version 1 only, and of that not the interfaces without a link
/// layer, such as those of tunnels.
fn cooked(frame: &[u8], kind: usize, length: usize) -> Result<&[u8], NoPacket> {
    payload(ether_type(part(frame, kind, 2)?), after(frame, length)?)
}

fn loopback(frame: &[u8]) -> Result<&[u8], NoPacket> {
    // In the byte order of the host, or of the network: all are small.
    match part(frame, 0, 4)? {
        // IPv4; IPv6 in Linux, in Windows and in the BSDs.
        [family, 0, 0, 0] | [0, 0, 0, family] if [2, 10, 23, 24, 28, 30].contains(family) => {
            after(frame, 4)
        }
        _ => Err(NoPacket::NotIp),
    }
}

/// The flags of radiotap: padding between the header of 802.11 and its data, a wrong checksum.
const PADDED: u8 = 0x20;
const DAMAGED: u8 = 0x40;

fn radiotap(frame: &[u8]) -> Result<&[u8], NoPacket> {
    let length = part(frame, 2, 2)?;
    let length = usize::from(u16::from_le_bytes([length[0], length[1]]));
    let header = part(frame, 0, length)?;
    match radiotap_flags(header).unwrap_or(0) {
        flags if flags & DAMAGED != 0 => Err(NoPacket::NotIp),
        flags => wifi(after(frame, length)?, flags & PADDED != 0),
    }
}

/// The field "flags", bit 1 of the words that say which fields are present. Before it is only
/// "TSFT", bit 0: 8 bytes at a multiple of 8. Bit 31 of a word says that another follows.
fn radiotap_flags(header: &[u8]) -> Option<u8> {
    let (words, _) = header.get(4..)?.as_chunks::<4>();
    let first = u32::from_le_bytes(*words.first()?);
    let last = words.iter().position(|word| word[3] & 0x80 == 0)?;
    let mut at = 4 + 4 * (last + 1);
    if first & 1 != 0 {
        at = at.next_multiple_of(8) + 8;
    }
    match first & 2 {
        0 => None,
        _ => header.get(at).copied(),
    }
}

/// A data frame of IEEE 802.11 (IEEE 802.11-2020, section 9.3.2.1).
fn wifi(frame: &[u8], is_padded: bool) -> Result<&[u8], NoPacket> {
    let [control, flags] = *part(frame, 0, 2)? else {
        return Err(NoPacket::Cut);
    };
    // Version 0, a data frame, which is not one of those without data.
    let is_data = control & 0x0f == 0x08 && control & 0x40 == 0;
    let is_encrypted = flags & 0x40 != 0;
    if !is_data || is_encrypted {
        return Err(NoPacket::NotIp);
    }
    let has_qos = control & 0x80 != 0;
    // To and from an access point at once: a fourth address.
    let addresses = if flags & 3 == 3 { 30 } else { 24 };
    // Only the first fragment has the IP header.
    let is_later_fragment = part(frame, 22, 1)?[0] & 0x0f != 0;
    // An aggregate has headers of its own (A-MSDU).
    let is_aggregate = has_qos && part(frame, addresses, 1)?[0] & 0x80 != 0;
    if is_later_fragment || is_aggregate {
        return Err(NoPacket::NotIp);
    }
    let header = match (has_qos, flags & 0x80 != 0) {
        (false, _) => addresses,
        (true, false) => addresses + 2,
        // The HT Control field.
        (true, true) => addresses + 6,
    };
    let header = match is_padded {
        true => header.next_multiple_of(4),
        false => header,
    };
    sub_network(after(frame, header)?)
}

/// An EtherType behind the headers of LLC and SNAP (RFC 1042).
fn sub_network(frame: &[u8]) -> Result<&[u8], NoPacket> {
    match part(frame, 0, 8)? {
        [0xaa, 0xaa, 3, 0, 0, 0, kind @ ..] => payload(ether_type(kind), after(frame, 8)?),
        _ => Err(NoPacket::NotIp),
    }
}

fn ether_type(bytes: &[u8]) -> EtherType {
    EtherType(
        bytes
            .iter()
            .fold(0, |kind, byte| kind << 8 | u16::from(*byte)),
    )
}

/// The IP packet in the payload of this EtherType, behind any VLAN tags (IEEE 802.1Q).
fn payload(mut kind: EtherType, mut rest: &[u8]) -> Result<&[u8], NoPacket> {
    loop {
        match kind {
            EtherType::IPV4 | EtherType::IPV6 => return Ok(rest),
            EtherType::VLAN_TAGGED_FRAME
            | EtherType::PROVIDER_BRIDGING
            | EtherType::VLAN_DOUBLE_TAGGED_FRAME => {
                let tag = SingleVlanHeaderSlice::from_slice(rest).map_err(|_| NoPacket::Cut)?;
                (kind, rest) = (tag.ether_type(), after(rest, tag.slice().len())?);
            }
            // A length in place of a type (IEEE 802.3).
            EtherType(0..=1500) => return sub_network(rest),
            _ => return Err(NoPacket::NotIp),
        }
    }
}

/// The length and the ECN field (RFC 3168, section 5) of an IP packet of which `on_wire` bytes
/// were sent, a link's padding included.
fn size_and_ecn(ip: &[u8], on_wire: u32) -> Result<(u32, Ecn), NoPacket> {
    let (stated, header, ecn) = match part(ip, 0, 1)?[0] >> 4 {
        4 => {
            let header = Ipv4HeaderSlice::from_slice(ip).map_err(|error| match error {
                ipv4::HeaderSliceError::Len(_) => NoPacket::Cut,
                ipv4::HeaderSliceError::Content(_) => NoPacket::NotIp,
            })?;
            let length = header.slice().len() as u32;
            (u32::from(header.total_len()), length, header.ecn())
        }
        6 => {
            let header = Ipv6HeaderSlice::from_slice(ip).map_err(|error| match error {
                ipv6::HeaderSliceError::Len(_) => NoPacket::Cut,
                ipv6::HeaderSliceError::Content(_) => NoPacket::NotIp,
            })?;
            let length = header.slice().len() as u32;
            let stated = match header.payload_length() {
                0 => 0,
                payload => length + u32::from(payload),
            };
            (stated, length, header.ecn())
        }
        _ => return Err(NoPacket::NotIp),
    };
    // A length of zero is left to the network card (TCP segmentation offload), or is that of a
    // jumbogram (RFC 2675).
    let size = if stated == 0 { on_wire } else { stated };
    // Shorter than its header: damaged.
    if size < header {
        return Err(NoPacket::NotIp);
    }
    Ok((size, Ecn::from_bits(ecn.value())))
}
