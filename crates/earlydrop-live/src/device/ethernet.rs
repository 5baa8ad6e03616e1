//! Ethernet frames: where the packet in one begins, and what the scheme does not judge.

use super::arrival::Arrival;
use crate::packet::{Header, checksum_of};
use crate::plan::MTU;
use crate::pool::Offsets;
use earlydrop::packet::{Ecn, FlowKey};

/// Both addresses (IEEE 802.3).
pub(super) const ADDRESSES: usize = 12;
/// A tag of a virtual network, IEEE 802.1Q: its kind and its content.
pub(super) const TAG: usize = 4;
/// A network's tag, and one that a provider has put around it (IEEE 802.1ad); the last is
/// what was used for that before.
const TAGS: [u16; 3] = [0x8100, 0x88a8, 0x9100];
/// As many tags as are looked behind.
const MAX_TAGS: usize = 2;
const IPV4: u16 = 0x0800;
const IPV6: u16 = 0x86dd;

/// Reads the frame that is at `start` of `buffer` and reaches to its end.
pub(super) fn read(buffer: &[u8], start: usize) -> Arrival {
    let frame = &buffer[start..];
    let kind = |at: usize| Some(u16::from_be_bytes(*frame.get(at..)?.first_chunk()?));
    let mut at = ADDRESSES;
    let is_tag = |at: usize| kind(at).is_some_and(|kind| TAGS.contains(&kind));
    while at < ADDRESSES + MAX_TAGS * TAG && is_tag(at) {
        at += TAG;
    }
    let Some(kind) = kind(at) else {
        return Arrival::Malformed;
    };
    let link = at + size_of::<u16>();
    let place = Offsets {
        at: (start + link) as u8,
        link: link as u8,
    };
    let packet = &frame[link..];
    let arrival = match kind {
        IPV4 | IPV6 => match Header::read(packet) {
            Ok(header) if finds_neighbours(packet) => Arrival::Bypass(place, header),
            Ok(header) => Arrival::Packet(place, header),
            Err(_) => Arrival::Malformed,
        },
        kind => Arrival::Bypass(place, other(kind, packet)),
    };
    match arrival {
        Arrival::Packet(_, header) | Arrival::Bypass(_, header) if header.length > MTU => {
            Arrival::Oversized
        }
        arrival => arrival,
    }
}

/// What is no IP: a flow for each kind, with nothing to be marked.
fn other(kind: u16, packet: &[u8]) -> Header {
    Header {
        flow: FlowKey::of_bytes(&kind.to_be_bytes()),
        ecn: Ecn::NotCapable,
        class: 0,
        length: packet.len() as u32,
    }
}

/// Whether hosts of IPv6 find each other with it, as those of IPv4 do with ARP (RFC 4861,
/// section 4: types 133 to 137 of ICMPv6, without extension headers).
fn finds_neighbours(packet: &[u8]) -> bool {
    const NEXT_HEADER: usize = 6;
    const TYPE: usize = 40;
    const ICMP: u8 = 58;
    packet[0] >> 4 == 6
        && packet[NEXT_HEADER] == ICMP
        && packet
            .get(TYPE)
            .is_some_and(|kind| (133..=137).contains(kind))
}

/// Completes the checksum of a packet whose sender has left that to the device: the field
/// holds the sum of the pseudo-header.
pub(super) fn complete(packet: &mut [u8]) {
    let Some((from, field)) = checksum_of(packet) else {
        return;
    };
    let sum = match !sum(&packet[from..]) {
        // Zero would say that there is none (RFC 768); both are the same number.
        0 => 0xffff,
        sum => sum,
    };
    packet[field..field + 2].copy_from_slice(&sum.to_be_bytes());
}

/// The sum of RFC 1071.
fn sum(bytes: &[u8]) -> u16 {
    let words = bytes.chunks(2);
    let mut sum: u32 = words
        .map(|word| u32::from(word[0]) << 8 | word.get(1).copied().map_or(0, u32::from))
        .sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u16
}

#[cfg(test)]
#[path = "ethernet_tests.rs"]
mod tests;
