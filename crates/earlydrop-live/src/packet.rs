//! Parses and marks IP packets: flow, ECN, class, length.
//!
//! - Input is an IPv4 or IPv6 packet without a link layer.
//! - **A flow** is both addresses, the transport protocol and, if it has them, both ports. Not
//!   all fragments of a datagram carry ports, so all of them, the first included, belong to
//!   the flow of addresses and protocol. So do packets of protocols without ports.
//! - **Checksums are not verified**: that is the receiver's job. A mark updates the IPv4 header
//!   checksum incrementally (RFC 1624), so a wrong one stays wrong.

use earlydrop::packet::{Ecn, FlowKey};

/// The parsed header of an IP packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Flow of the packet.
    pub flow: FlowKey,
    /// ECN codepoint.
    pub ecn: Ecn,
    /// Class selector (RFC 2474): the upper three bits of the traffic class.
    pub class: u8,
    /// Length according to the header, in bytes; bytes beyond it do not belong to the packet.
    pub length: u32,
}

/// Why bytes are no packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Malformed {
    /// The version is neither 4 nor 6.
    Version,
    /// The bytes or the stated length are shorter than the header.
    Header,
    /// The stated length exceeds the bytes.
    Length,
}

const TCP: u8 = 6;
const UDP: u8 = 17;
const DCCP: u8 = 33;
const SCTP: u8 = 132;
const UDP_LITE: u8 = 136;

// IPv6 extension headers: RFC 8200, section 4, and RFC 4302.
const HOP_BY_HOP: u8 = 0;
const ROUTING: u8 = 43;
const FRAGMENT: u8 = 44;
const AUTHENTICATION: u8 = 51;
const DESTINATION: u8 = 60;

const IPV4_HEADER: usize = 20;
const IPV6_HEADER: usize = 40;

impl Header {
    /// Parses the packet at the beginning of `bytes`.
    pub fn read(bytes: &[u8]) -> Result<Header, Malformed> {
        match bytes.first().map(|first| first >> 4) {
            Some(4) => read_v4(bytes),
            Some(6) => read_v6(bytes),
            _ => Err(Malformed::Version),
        }
    }

    fn new(traffic_class: u8, flow: FlowKey, length: usize) -> Header {
        Header {
            flow,
            ecn: Ecn::from_bits(traffic_class),
            class: traffic_class >> 5,
            length: length as u32,
        }
    }
}

/// Parses an IPv4 header, RFC 791, section 3.1.
fn read_v4(bytes: &[u8]) -> Result<Header, Malformed> {
    if bytes.len() < IPV4_HEADER {
        return Err(Malformed::Header);
    }
    let header = usize::from(bytes[0] & 15) * 4;
    let length = usize::from(word(bytes, 2));
    if header < IPV4_HEADER || header > length {
        return Err(Malformed::Header);
    }
    let packet = bytes.get(..length).ok_or(Malformed::Length)?;
    // "More fragments" and the fragment offset.
    let is_fragment = word(packet, 6) & 0x3fff != 0;
    let ports = match is_fragment {
        true => &[],
        false => ports(packet[9], &packet[header..]),
    };
    let flow = flow(&packet[12..20], packet[9], ports);
    Ok(Header::new(packet[1], flow, length))
}

/// Parses an IPv6 header, RFC 8200, section 3.
fn read_v6(bytes: &[u8]) -> Result<Header, Malformed> {
    if bytes.len() < IPV6_HEADER {
        return Err(Malformed::Header);
    }
    let length = IPV6_HEADER + usize::from(word(bytes, 4));
    let packet = bytes.get(..length).ok_or(Malformed::Length)?;
    let (protocol, payload) = transport(packet[6], &packet[IPV6_HEADER..]);
    let flow = flow(&packet[8..40], protocol, ports(protocol, payload));
    let traffic_class = (packet[0] << 4) | (packet[1] >> 4);
    Ok(Header::new(traffic_class, flow, length))
}

/// Skips extension headers: the transport protocol and its bytes. The bytes are empty in a
/// fragment, and if a header is incomplete.
fn transport(mut next: u8, mut rest: &[u8]) -> (u8, &[u8]) {
    loop {
        let length = match next {
            HOP_BY_HOP | ROUTING | DESTINATION => rest.get(1).map(|n| (usize::from(*n) + 1) * 8),
            AUTHENTICATION => rest.get(1).map(|n| (usize::from(*n) + 2) * 4),
            FRAGMENT => {
                let is_fragment = rest.len() >= 8 && word(rest, 2) & 0xfff9 != 0;
                let protocol = rest.first().copied().unwrap_or(next);
                if is_fragment || rest.len() < 8 {
                    return (protocol, &[]);
                }
                Some(8)
            }
            _ => return (next, rest),
        };
        match length.and_then(|length| rest.get(length..)) {
            Some(after) => (next, rest) = (rest[0], after),
            None => return (next, &[]),
        }
    }
}

/// Both ports, or nothing if the protocol has none or they are missing.
fn ports(protocol: u8, payload: &[u8]) -> &[u8] {
    match protocol {
        TCP | UDP | DCCP | SCTP | UDP_LITE => payload.get(..4).unwrap_or(&[]),
        _ => &[],
    }
}

/// Hash key of both addresses, the protocol and the ports.
fn flow(addresses: &[u8], protocol: u8, ports: &[u8]) -> FlowKey {
    // Two IPv6 addresses, the protocol, two ports.
    let mut known = [0; 2 * 16 + 1 + 4];
    let (end, last) = (addresses.len(), addresses.len() + 1 + ports.len());
    known[..end].copy_from_slice(addresses);
    known[end] = protocol;
    known[end + 1..last].copy_from_slice(ports);
    FlowKey::of_bytes(&known[..last])
}

pub(crate) fn word(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

/// Where UDP's checksum is in its header (RFC 768).
pub(crate) const UDP_CHECKSUM: usize = 6;

/// Offsets of the transport header and of its checksum field, for the protocols whose
/// checksum a sender may leave to its device (TCP, UDP). The packet must have been parsed by
/// [`Header::read`].
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
pub(crate) fn checksum_offsets(packet: &[u8]) -> Option<(usize, usize)> {
    let (protocol, from) = match packet[0] >> 4 {
        6 => {
            let (protocol, rest) = transport(packet[6], &packet[IPV6_HEADER..]);
            (protocol, packet.len() - rest.len())
        }
        _ => (packet[9], usize::from(packet[0] & 15) * 4),
    };
    let field = from
        + match protocol {
            TCP => 16,
            UDP => UDP_CHECKSUM,
            _ => return None,
        };
    (field + 2 <= packet.len()).then_some((from, field))
}

/// Sets the ECN field to CE. The packet must have been parsed by [`Header::read`].
pub fn mark(packet: &mut [u8]) {
    if packet[0] >> 4 == 6 {
        // The traffic class begins in the middle of the first byte.
        packet[1] |= (Ecn::Ce as u8) << 4;
        return;
    }
    let before = word(packet, 0);
    packet[1] |= Ecn::Ce as u8;
    let after = word(packet, 0);
    let updated_checksum = updated_checksum(word(packet, 10), before, after);
    packet[10..12].copy_from_slice(&updated_checksum.to_be_bytes());
}

/// Updates a checksum after one 16-bit word has changed: HC' = ~(~HC + ~m + m'), RFC 1624,
/// equation 3.
pub(crate) fn updated_checksum(checksum: u16, before: u16, after: u16) -> u16 {
    let sum = u32::from(!checksum) + u32::from(!before) + u32::from(after);
    let once = (sum & 0xffff) + (sum >> 16);
    !((once & 0xffff) + (once >> 16)) as u16
}

#[cfg(test)]
#[path = "packet_tests.rs"]
mod tests;
