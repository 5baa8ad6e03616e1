//! Frames written by another crate, and arbitrary bytes.

use super::*;
use etherparse::{PacketBuilder, SlicedPacket};
use proptest::prelude::*;

/// The protocol number of TCP.
const TCP: u8 = 6;

const HERE: [u8; 6] = [2, 0, 0, 0, 0, 1];
const THERE: [u8; 6] = [2, 0, 0, 0, 0, 2];

/// A TCP packet with this payload, without a link layer.
fn packet(v6: bool, payload: &[u8]) -> Vec<u8> {
    let builder = match v6 {
        false => PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64),
        true => PacketBuilder::ipv6([1; 16], [2; 16], 64),
    };
    let mut bytes = Vec::new();
    let builder = builder.tcp(1000, 80, 7, 1024);
    builder.write(&mut bytes, payload).unwrap();
    bytes
}

/// An Ethernet frame with these tags.
fn frame(tags: &[[u8; 4]], kind: u16, content: &[u8]) -> Vec<u8> {
    let mut bytes = [THERE, HERE].concat();
    bytes.extend(tags.concat());
    bytes.extend(kind.to_be_bytes());
    bytes.extend(content);
    bytes
}

const OUTER: [u8; 4] = [0x88, 0xa8, 0, 100];
const INNER: [u8; 4] = [0x81, 0, 0x20, 7];

#[test]
fn a_packet_is_found_behind_up_to_two_tags() {
    for (v6, kind) in [(false, IPV4), (true, IPV6)] {
        let packet = packet(v6, b"payload");
        let header = Header::read(&packet).unwrap();
        for tags in [&[][..], &[INNER], &[OUTER, INNER]] {
            // Padding to the minimum frame length is no part of the packet.
            let mut bytes = frame(tags, kind, &packet);
            bytes.resize(bytes.len().max(80), 0xff);
            let link = 14 + 4 * tags.len() as u8;
            let offsets = Offsets { at: link, link };
            assert_eq!(read(&bytes, 0), Arrival::Packet(offsets, header));
            // The same frame further back in its buffer.
            let shifted = [&[9; 4][..], &bytes].concat();
            let offsets = Offsets { at: link + 4, link };
            assert_eq!(read(&shifted, 4), Arrival::Packet(offsets, header));
        }
        let three = frame(&[OUTER, INNER, INNER], kind, &packet);
        assert!(matches!(read(&three, 0), Arrival::Bypass(..)));
    }
}

#[test]
fn arp_and_neighbour_discovery_bypass_the_queue() {
    const ARP: u16 = 0x0806;
    let arp = frame(&[], ARP, &[1; 28]);
    let Arrival::Bypass(offsets, header) = read(&arp, 0) else {
        panic!("{:?}", read(&arp, 0));
    };
    assert_eq!((offsets.link, header.length), (14, 28));
    assert_eq!(header.ecn, Ecn::NotCapable);

    let asks = |kind: u8| {
        let builder = PacketBuilder::ipv6([1; 16], [2; 16], 255);
        let mut bytes = Vec::new();
        let builder = builder.icmpv6_raw(kind, 0, [0; 4]);
        builder.write(&mut bytes, &[0; 16]).unwrap();
        read(&frame(&[], IPV6, &bytes), 0)
    };
    assert!(matches!(asks(135), Arrival::Bypass(..)), "a solicitation");
    assert!(matches!(asks(128), Arrival::Packet(..)), "an echo");
}

#[test]
fn oversized_and_malformed_frames_are_detected() {
    let most = packet(false, &[0; MTU as usize - 40]);
    assert!(matches!(
        read(&frame(&[], IPV4, &most), 0),
        Arrival::Packet(..)
    ));
    let more = packet(false, &[0; MTU as usize - 39]);
    assert_eq!(read(&frame(&[], IPV4, &more), 0), Arrival::Oversized);
    let other = frame(&[], 0x1234, &[0; MTU as usize + 1]);
    assert_eq!(read(&other, 0), Arrival::Oversized);
    let broken = frame(&[], IPV4, &most[..100]);
    assert_eq!(read(&broken, 0), Arrival::Malformed);
    assert_eq!(read(&HERE, 0), Arrival::Malformed);
}

/// Replaces the checksum by a partial one: the sum of addresses, protocol and length (RFC 9293,
/// section 3.1; RFC 8200, section 8.1).
fn leave_partial_checksum(
    packet: &mut [u8],
    addresses: std::ops::Range<usize>,
    from: usize,
    field: usize,
    protocol: u8,
) {
    let length = (packet.len() - from) as u16;
    let mut pseudo = packet[addresses].to_vec();
    pseudo.extend([0, protocol]);
    pseudo.extend(length.to_be_bytes());
    packet[field..field + 2].copy_from_slice(&sum(&pseudo).to_be_bytes());
}

/// One checksum in 65,536 is zero: TCP sends it, UDP sends all ones (RFC 768).
#[test]
fn a_checksum_of_zero_is_all_ones_in_udp_alone() {
    let udp = |payload: &[u8]| {
        let mut bytes = Vec::new();
        let builder = PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64).udp(1000, 80);
        builder.write(&mut bytes, payload).unwrap();
        bytes
    };
    let tcp = |payload: &[u8]| packet(false, payload);
    let completed = |packet: &dyn Fn(&[u8]) -> Vec<u8>, checksum_at: usize| {
        let checksum = |packet: &[u8]| [packet[checksum_at], packet[checksum_at + 1]];
        // A payload that equals the checksum without it makes the checksum zero.
        let mut packet = packet(&checksum(&packet(&[0, 0])));
        let written = checksum(&packet);
        let protocol = packet[9];
        leave_partial_checksum(&mut packet, 12..20, 20, checksum_at, protocol);
        complete_checksum(&mut packet);
        (checksum(&packet), written)
    };
    assert_eq!(completed(&tcp, 36), ([0, 0], [0, 0]));
    assert_eq!(completed(&udp, 26), ([255, 255], [255, 255]));
}

proptest! {
    /// A completed checksum equals the one that another crate computes.
    #[test]
    fn a_checksum_left_to_the_device_is_completed(
        v6: bool,
        payload in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let whole = packet(v6, &payload);
        let (addresses, from) = if v6 { (8..40, 40) } else { (12..20, 20) };
        let mut partial = whole.clone();
        leave_partial_checksum(&mut partial, addresses, from, from + 16, TCP);
        complete_checksum(&mut partial);
        prop_assert_eq!(partial, whole);
    }

    /// Arbitrary bytes are parsed without a panic, and a packet lies within them.
    #[test]
    fn arbitrary_bytes_are_parsed(
        mut bytes in prop::collection::vec(any::<u8>(), 0..300),
        kind in prop::sample::select(vec![IPV4, IPV6, 0x8100, 0x88a8]),
    ) {
        if let Some(ether_type) = bytes.get_mut(12..14) {
            ether_type.copy_from_slice(&kind.to_be_bytes());
        }
        match read(&bytes, 0) {
            Arrival::Packet(offsets, header) | Arrival::Bypass(offsets, header) => {
                let end = usize::from(offsets.at) + header.length as usize;
                prop_assert!(end <= bytes.len());
                if let Arrival::Packet(..) = read(&bytes, 0) {
                    complete_checksum(&mut bytes[usize::from(offsets.at)..end]);
                }
            }
            _ => {}
        }
    }

    /// Another crate finds the same tags and the same packet.
    #[test]
    fn another_parser_agrees(tagged: bool, payload in prop::collection::vec(any::<u8>(), 0..50)) {
        let packet = packet(false, &payload);
        let tags = [INNER];
        let bytes = frame(&tags[..usize::from(tagged)], IPV4, &packet);
        let Arrival::Packet(offsets, header) = read(&bytes, 0) else {
            return Err(TestCaseError::fail("no packet"));
        };
        let sliced = SlicedPacket::from_ethernet(&bytes).unwrap();
        prop_assert_eq!(sliced.vlan_ids().len(), usize::from(tagged));
        let theirs = sliced.net.unwrap().ip_payload_ref().unwrap().payload.as_ptr();
        let ours = &bytes[usize::from(offsets.at) + 20..];
        prop_assert_eq!(ours.as_ptr(), theirs);
        prop_assert_eq!(header.length as usize, packet.len());
    }
}
