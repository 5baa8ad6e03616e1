//! Packets built by another library, modified, and parsed.

use super::*;
use etherparse::{IpFragOffset, IpNumber, Ipv4Header, Ipv6Header, PacketBuilder};
use proptest::prelude::*;

const CASES: u32 = 2000;

fn v4(from: [u8; 4], to: [u8; 4], ports: (u16, u16), payload: &[u8]) -> Vec<u8> {
    let builder = PacketBuilder::ipv4(from, to, 64).tcp(ports.0, ports.1, 1, 1000);
    let mut bytes = Vec::new();
    builder.write(&mut bytes, payload).unwrap();
    bytes
}

fn v6(from: [u8; 16], to: [u8; 16], ports: (u16, u16), payload: &[u8]) -> Vec<u8> {
    let builder = PacketBuilder::ipv6(from, to, 64).udp(ports.0, ports.1);
    let mut bytes = Vec::new();
    builder.write(&mut bytes, payload).unwrap();
    bytes
}

fn flow_of(bytes: &[u8]) -> FlowKey {
    Header::read(bytes).unwrap().flow
}

/// An IPv6 packet with these extension headers before `payload`.
fn with_extensions(first: u8, extensions: &[u8], payload: &[u8]) -> Vec<u8> {
    let mut bytes = v6([1; 16], [2; 16], (7, 8), &[])[..IPV6_HEADER].to_vec();
    bytes[6] = first;
    bytes.extend(extensions);
    bytes.extend(payload);
    let length = (bytes.len() - IPV6_HEADER) as u16;
    bytes[4..6].copy_from_slice(&length.to_be_bytes());
    bytes
}

#[test]
fn a_flow_is_addresses_protocol_and_ports() {
    let one = v4([10, 0, 0, 1], [10, 0, 0, 2], (5000, 80), b"a");
    let same = v4(
        [10, 0, 0, 1],
        [10, 0, 0, 2],
        (5000, 80),
        b"something longer",
    );
    assert_eq!(flow_of(&one), flow_of(&same));
    for other in [
        v4([10, 0, 0, 3], [10, 0, 0, 2], (5000, 80), b"a"),
        v4([10, 0, 0, 1], [10, 0, 0, 3], (5000, 80), b"a"),
        v4([10, 0, 0, 1], [10, 0, 0, 2], (5001, 80), b"a"),
        v4([10, 0, 0, 1], [10, 0, 0, 2], (5000, 81), b"a"),
        v4([10, 0, 0, 2], [10, 0, 0, 1], (80, 5000), b"a"),
    ] {
        assert_ne!(flow_of(&one), flow_of(&other));
    }
    let mut udp = one.clone();
    udp[9] = UDP;
    assert_ne!(flow_of(&one), flow_of(&udp));
}

#[test]
fn all_fragments_of_a_datagram_are_one_flow() {
    let fragment = |offset: u16, more: bool, payload: &[u8]| {
        let mut header = Ipv4Header::new(payload.len() as u16, 64, IpNumber::UDP, [1; 4], [2; 4])
            .expect("a header");
        header.more_fragments = more;
        header.fragment_offset = IpFragOffset::try_new(offset).unwrap();
        let mut bytes = Vec::new();
        header.write(&mut bytes).unwrap();
        bytes.extend(payload);
        flow_of(&bytes)
    };
    let first = fragment(0, true, &[1; 64]);
    assert_eq!(first, fragment(8, true, &[2; 64]));
    assert_eq!(first, fragment(16, false, &[3; 2]));
    assert_ne!(first, fragment(0, false, &[1; 64]), "a whole one has ports");

    let fragment = |flags: u8, payload: &[u8]| {
        flow_of(&with_extensions(
            FRAGMENT,
            &[UDP, 0, 0, flags, 0, 0, 0, 9],
            payload,
        ))
    };
    assert_eq!(fragment(1, &[1; 16]), fragment(8, &[2; 16]));
    assert_ne!(fragment(1, &[1; 16]), fragment(0, &[1; 16]));
}

#[test]
fn ports_are_found_behind_extension_headers() {
    let plain = flow_of(&v6([1; 16], [2; 16], (7, 8), b"x"));
    let ports = [0, 7, 0, 8, 0, 9, 0, 0];
    let behind = |first, extensions: &[u8]| flow_of(&with_extensions(first, extensions, &ports));
    assert_eq!(plain, behind(UDP, &[]));
    assert_eq!(plain, behind(HOP_BY_HOP, &[UDP, 0, 0, 0, 0, 0, 0, 0]));
    assert_eq!(
        plain,
        behind(AUTHENTICATION, &[&[UDP, 1][..], &[0; 10]].concat())
    );
    assert_eq!(plain, behind(FRAGMENT, &[UDP, 0, 0, 0, 0, 0, 0, 1]));
    let two = [&[ROUTING, 1][..], &[0; 14], &[UDP, 0], &[0; 6]].concat();
    assert_eq!(plain, behind(DESTINATION, &two));
    // An extension header that claims to be longer than the packet.
    assert_ne!(plain, behind(DESTINATION, &[UDP, 200, 0, 0, 0, 0, 0, 0]));
}

#[test]
fn malformed_packets_are_rejected_with_the_reason() {
    let good = v4([1; 4], [2; 4], (1, 2), b"abc");
    assert_eq!(Header::read(&[]), Err(Malformed::Version));
    assert_eq!(Header::read(&[0x50; 40]), Err(Malformed::Version));
    assert_eq!(Header::read(&good[..19]), Err(Malformed::Header));
    assert_eq!(Header::read(&good[..42]), Err(Malformed::Length));
    let mut short = good.clone();
    short[0] = 0x44;
    assert_eq!(Header::read(&short), Err(Malformed::Header));
    let good = v6([1; 16], [2; 16], (1, 2), b"abc");
    assert_eq!(Header::read(&good[..39]), Err(Malformed::Header));
    assert_eq!(Header::read(&good[..50]), Err(Malformed::Length));
    assert_eq!(Header::read(&good).unwrap().length, 51);
}

#[test]
fn class_and_ecn_come_from_the_traffic_class() {
    for traffic_class in 0..=u8::MAX {
        let mut one = v4([1; 4], [2; 4], (1, 2), b"");
        one[1] = traffic_class;
        let mut two = v6([1; 16], [2; 16], (1, 2), b"");
        two[0] = 0x60 | traffic_class >> 4;
        two[1] = traffic_class << 4;
        for bytes in [one, two] {
            let header = Header::read(&bytes).unwrap();
            assert_eq!(header.ecn, Ecn::from_bits(traffic_class));
            assert_eq!(header.class, traffic_class >> 5);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: CASES, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes_are_parsed_or_rejected(mut bytes in prop::collection::vec(any::<u8>(), 0..200), version in 0..3_u8) {
        // Two of three begin as a packet would.
        if let Some(first) = bytes.first_mut() && version > 0 {
            *first = (2 + 2 * version) << 4 | (*first & 15);
        }
        if let Ok(header) = Header::read(&bytes) {
            let length = header.length as usize;
            prop_assert!(length >= IPV4_HEADER && length <= bytes.len());
            let packet = &mut bytes[..length];
            mark(packet);
            let marked = Header::read(packet).unwrap();
            prop_assert_eq!(marked, Header { ecn: Ecn::Ce, ..header });
        }
    }

    #[test]
    fn a_mangled_packet_is_parsed_or_rejected(
        payload in prop::collection::vec(any::<u8>(), 0..100),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cut in any::<prop::sample::Index>(),
        six in any::<bool>(),
    ) {
        let mut bytes = match six {
            true => v6([1; 16], [2; 16], (7, 8), &payload),
            false => v4([1; 4], [2; 4], (7, 8), &payload),
        };
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        let whole = Header::read(&bytes);
        // Bytes beyond the length in the header are ignored.
        if let Ok(header) = whole {
            prop_assert_eq!(Header::read(&bytes[..header.length as usize]), whole);
        }
        let _ = Header::read(&bytes[..cut.index(bytes.len() + 1)]);
    }

    #[test]
    fn a_mark_keeps_the_checksum_valid(
        traffic_class in any::<u8>(),
        identification in any::<u16>(),
        addresses in any::<([u8; 4], [u8; 4])>(),
        options in 0..=10_usize,
    ) {
        let mut header = Ipv4Header::new(8, 64, IpNumber::UDP, addresses.0, addresses.1).unwrap();
        header.identification = identification;
        header.options = vec![1; options * 4].as_slice().try_into().unwrap();
        header.dscp = (traffic_class >> 2).try_into().unwrap();
        header.ecn = (traffic_class & 3).try_into().unwrap();
        header.header_checksum = header.calc_header_checksum();
        let mut bytes = Vec::new();
        header.write(&mut bytes).unwrap();
        bytes.extend([0; 8]);
        mark(&mut bytes);
        let (after, _) = Ipv4Header::from_slice(&bytes).unwrap();
        prop_assert_eq!(after.ecn.value(), 3);
        prop_assert_eq!(after.header_checksum, after.calc_header_checksum());
        header.ecn = after.ecn;
        header.header_checksum = after.header_checksum;
        prop_assert_eq!(after, header);
    }

    #[test]
    fn a_mark_of_ipv6_changes_two_bits(traffic_class in any::<u8>(), label in 0..(1_u32 << 20)) {
        let mut bytes = v6([1; 16], [2; 16], (7, 8), b"abc");
        bytes[..4].copy_from_slice(&(6 << 28 | u32::from(traffic_class) << 20 | label).to_be_bytes());
        let (before, _) = Ipv6Header::from_slice(&bytes).unwrap();
        mark(&mut bytes);
        let (after, _) = Ipv6Header::from_slice(&bytes).unwrap();
        prop_assert_eq!(after.traffic_class, traffic_class | 3);
        prop_assert_eq!(after, Ipv6Header { traffic_class: traffic_class | 3, ..before });
    }
}
