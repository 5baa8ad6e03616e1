//! What a gateway must know of an IP packet, read from its bytes and written into them.
//!
//! - IPv4 and IPv6, as they come from a device without a link layer.
//! - **A flow** is both addresses, the transport's protocol and, where it has some, both
//!   ports. Fragments have no ports that all of them carry: a datagram's fragments are one
//!   flow by addresses and protocol, the first as the last. So is what has no ports.
//! - **Checksums are not checked**: that is for the receiver. A mark mends an IPv4 header's
//!   checksum by the difference (RFC 1624), so that a wrong one stays wrong.

use earlydrop::packet::{Ecn, FlowKey};

/// What is read of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Its flow.
    pub flow: FlowKey,
    /// Its ECN field.
    pub ecn: Ecn,
    /// Its class selector (RFC 2474): the upper three bits of the traffic class.
    pub class: u8,
    /// Its length, in bytes, as its header says; what was read beyond is no part of it.
    pub length: u32,
}

/// Why bytes are no packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// Neither IPv4 nor IPv6.
    Version,
    /// Shorter than its header.
    Header,
    /// Its header tells of more than there is, or of less than a header.
    Length,
}

const TCP: u8 = 6;
const UDP: u8 = 17;
const DCCP: u8 = 33;
const SCTP: u8 = 132;
const UDP_LITE: u8 = 136;

// Extension headers of IPv6, RFC 8200, section 4, and RFC 4302.
const HOP_BY_HOP: u8 = 0;
const ROUTING: u8 = 43;
const FRAGMENT: u8 = 44;
const AUTHENTICATION: u8 = 51;
const DESTINATION: u8 = 60;

const IPV4_HEADER: usize = 20;
const IPV6_HEADER: usize = 40;

impl Header {
    /// Reads the packet at the beginning of `bytes`.
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

/// RFC 791, section 3.1.
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
    // "More fragments" and the offset.
    let is_fragment = word(packet, 6) & 0x3fff != 0;
    let ports = match is_fragment {
        true => &[],
        false => ports(packet[9], &packet[header..]),
    };
    let flow = flow(&packet[12..20], packet[9], ports);
    Ok(Header::new(packet[1], flow, length))
}

/// RFC 8200, section 3.
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

/// The protocol behind the extension headers, and what follows them; nothing follows in a
/// fragment or where they break off.
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

/// Both ports, where the protocol has some and they are there.
fn ports(protocol: u8, payload: &[u8]) -> &[u8] {
    match protocol {
        TCP | UDP | DCCP | SCTP | UDP_LITE => payload.get(..4).unwrap_or(&[]),
        _ => &[],
    }
}

/// The key of both addresses, the protocol and the ports.
fn flow(addresses: &[u8], protocol: u8, ports: &[u8]) -> FlowKey {
    // Two addresses of IPv6, the protocol, two ports.
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

/// Where the transport begins whose checksum a sender may leave to its device, and where that
/// is, in a packet that [`Header::read`] has read.
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
pub(crate) fn checksum_of(packet: &[u8]) -> Option<(usize, usize)> {
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
            UDP => 6,
            _ => return None,
        };
    (field + 2 <= packet.len()).then_some((from, field))
}

/// Sets the ECN field of a packet that [`Header::read`] has read to CE.
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

/// The checksum after one of the words summed up has changed: HC' = ~(~HC + ~m + m'),
/// RFC 1624, equation 3.
pub(crate) fn updated_checksum(checksum: u16, before: u16, after: u16) -> u16 {
    let sum = u32::from(!checksum) + u32::from(!before) + u32::from(after);
    let once = (sum & 0xffff) + (sum >> 16);
    !((once & 0xffff) + (once >> 16)) as u16
}

#[cfg(test)]
#[path = "packet_tests.rs"]
mod tests;
