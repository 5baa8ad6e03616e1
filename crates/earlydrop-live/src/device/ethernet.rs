//! Parses Ethernet frames: finds the IP packet, and decides what bypasses the scheme.

use super::arrival::Arrival;
use crate::packet::{Header, UDP_CHECKSUM, checksum_offsets};
use crate::plan::MTU;
use crate::pool::Offsets;
use earlydrop::packet::{Ecn, FlowKey};

/// Length of both addresses, in bytes (IEEE 802.3).
pub(super) const ADDRESSES: usize = 12;
/// Length of a VLAN tag, in bytes: its type and its content (IEEE 802.1Q).
pub(super) const TAG: usize = 4;
/// EtherTypes of tags: VLAN, provider (IEEE 802.1ad), and what providers used before.
const TAGS: [u16; 3] = [0x8100, 0x88a8, 0x9100];
/// Most tags that are skipped.
const MAX_TAGS: usize = 2;
const IPV4: u16 = 0x0800;
const IPV6: u16 = 0x86dd;

/// Parses the frame from `start` to the end of `buffer`.
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
    let offsets = Offsets {
        at: (start + link) as u8,
        link: link as u8,
    };
    let packet = &frame[link..];
    let arrival = match kind {
        IPV4 | IPV6 => match Header::read(packet) {
            Ok(header) if is_neighbour_discovery(packet) => Arrival::Bypass(offsets, header),
            Ok(header) => Arrival::Packet(offsets, header),
            Err(_) => Arrival::Malformed,
        },
        kind => Arrival::Bypass(offsets, other(kind, packet)),
    };
    match arrival {
        Arrival::Packet(_, header) | Arrival::Bypass(_, header) if header.length > MTU => {
            Arrival::Oversized
        }
        arrival => arrival,
    }
}

/// Header of a frame that is not IP: one flow for each EtherType, not ECN-capable.
fn other(kind: u16, packet: &[u8]) -> Header {
    Header {
        flow: FlowKey::of_bytes(&kind.to_be_bytes()),
        ecn: Ecn::NotCapable,
        class: 0,
        length: packet.len() as u32,
    }
}

/// Whether the packet is IPv6 neighbour discovery, the counterpart of ARP (RFC 4861, section
/// 4: ICMPv6 types 133 to 137, without extension headers).
fn is_neighbour_discovery(packet: &[u8]) -> bool {
    const NEXT_HEADER: usize = 6;
    const TYPE: usize = 40;
    const ICMP: u8 = 58;
    packet[0] >> 4 == 6
        && packet[NEXT_HEADER] == ICMP
        && packet
            .get(TYPE)
            .is_some_and(|kind| (133..=137).contains(kind))
}

/// Completes a partial checksum: the field holds the sum of the pseudo-header.
pub(super) fn complete_checksum(packet: &mut [u8]) {
    let Some((from, field)) = checksum_offsets(packet) else {
        return;
    };
    let is_udp = field - from == UDP_CHECKSUM;
    let sum = match !sum(&packet[from..]) {
        // In UDP, zero would mean "no checksum" (RFC 768): all ones encode the same number.
        // TCP sends its zero.
        0 if is_udp => 0xffff,
        sum => sum,
    };
    packet[field..field + 2].copy_from_slice(&sum.to_be_bytes());
}

/// One's complement sum, RFC 1071.
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
