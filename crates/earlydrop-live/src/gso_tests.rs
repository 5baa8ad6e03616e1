//! GSO packets built by another library, cut here, with checksums verified by that library.

use super::*;
use crate::packet::Header;
use etherparse::{IpHeaders, PacketBuilder, PacketBuilderStep, PacketHeaders, TcpHeader};
use etherparse::{NetHeaders, TransportHeader};
use proptest::prelude::*;

/// Random properties of a GSO packet.
#[derive(Clone, Debug)]
struct GsoCase {
    v6: bool,
    timestamps: bool,
    sequence: u32,
    last: u8,
    reduced: bool,
    payload: u16,
    whole: usize,
}

fn cases() -> impl Strategy<Value = GsoCase> {
    let flags = (any::<bool>(), any::<bool>(), any::<bool>());
    (flags, any::<u32>(), 0_u8..4, 1_u16..1500, 1_usize..60_000).prop_map(
        |((v6, timestamps, reduced), sequence, last, payload, whole)| GsoCase {
            v6,
            timestamps,
            sequence,
            last,
            reduced,
            payload,
            whole,
        },
    )
}

impl GsoCase {
    fn headers(&self) -> PacketBuilderStep<TcpHeader> {
        let ip = match self.v6 {
            true => PacketBuilder::ipv6([1; 16], [2; 16], 64),
            false => PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64),
        };
        let mut tcp = ip.tcp(7, 8, self.sequence, 1000).ack(9);
        if self.last & 1 != 0 {
            tcp = tcp.fin();
        }
        if self.last & 2 != 0 {
            tcp = tcp.psh();
        }
        if self.reduced {
            tcp = tcp.cwr();
        }
        match self.timestamps {
            true => tcp
                .options_raw(&[1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2])
                .expect("options"),
            false => tcp,
        }
    }

    /// The GSO packet as the kernel passes it on, and its virtio header.
    fn gso_packet(&self) -> (VnetHeader, Vec<u8>) {
        let payload: Vec<u8> = (0..self.whole).map(|n| (n / 7) as u8).collect();
        let mut bytes = Vec::new();
        self.headers()
            .write(&mut bytes, &payload)
            .expect("a packet");
        let start = if self.v6 { 40 } else { 20 };
        let length = bytes.len() - start;
        let sum = sum_of_addresses(&bytes, length);
        set_word(&mut bytes, start + CHECKSUM, sum);
        let kind = if self.v6 { GSO_TCPV6 } else { GSO_TCPV4 };
        let vnet = VnetHeader {
            checksum: Some(PartialChecksum {
                start: start as u16,
                offset: CHECKSUM as u16,
            }),
            gso: Some(GsoInfo {
                kind,
                payload: self.payload,
            }),
        };
        (vnet, bytes)
    }
}

/// Sum of 16-bit words, RFC 1071.
fn sum(bytes: &[u8]) -> u32 {
    let words = bytes.chunks(2);
    words
        .map(|word| u32::from(word[0]) << 8 | word.get(1).copied().map_or(0, u32::from))
        .sum()
}

fn folded(mut sum: u32) -> u16 {
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u16
}

/// The partial checksum of TCP: sum of the pseudo-header, RFC 9293, section 3.1.
fn sum_of_addresses(packet: &[u8], length: usize) -> u16 {
    let addresses = if packet[0] >> 4 == 6 {
        &packet[8..40]
    } else {
        &packet[12..20]
    };
    folded(sum(addresses) + 6 + length as u32)
}

/// Completes a partial checksum.
fn complete(packet: &mut [u8], checksum: PartialChecksum) {
    let start = usize::from(checksum.start);
    let value = !folded(sum(&packet[start..]));
    set_word(packet, start + usize::from(checksum.offset), value);
}

/// Parses a packet with another library, which verifies its checksums.
fn read(packet: &[u8]) -> (IpHeaders, TcpHeader, Vec<u8>) {
    let headers = PacketHeaders::from_ip_slice(packet).expect("a packet");
    let Some(TransportHeader::Tcp(tcp)) = headers.transport else {
        panic!("no TCP: {headers:?}");
    };
    let payload = headers.payload.slice();
    let ip = match headers.net.expect("IP") {
        NetHeaders::Ipv4(ip, extensions) => {
            assert_eq!(ip.header_checksum, ip.calc_header_checksum());
            let right = tcp.calc_checksum_ipv4(&ip, payload).expect("a length");
            assert_eq!(tcp.checksum, right);
            IpHeaders::Ipv4(ip, extensions)
        }
        NetHeaders::Ipv6(ip, extensions) => {
            let right = tcp.calc_checksum_ipv6(&ip, payload).expect("a length");
            assert_eq!(tcp.checksum, right);
            IpHeaders::Ipv6(ip, extensions)
        }
        other => panic!("{other:?}"),
    };
    (ip, tcp, payload.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn segments_are_packets_with_the_whole_payload(case in cases()) {
        let (vnet, bytes) = case.gso_packet();
        let gso_packet = GsoPacket::parse(&vnet, &bytes[..bytes.len().min(200)], bytes.len()).unwrap();
        let (headers, payload) = bytes.split_at(gso_packet.headers);
        let mut payloads = Vec::new();
        let mut flow = None;
        for segment in 0..gso_packet.segments() {
            let mut packet = headers.to_vec();
            gso_packet.write_segment_headers(&mut packet, segment);
            packet.extend(&payload[payloads.len()..payloads.len() + gso_packet.payload_of(segment)]);
            let header = Header::read(&packet).unwrap();
            prop_assert_eq!(header.length as usize, packet.len());
            prop_assert_eq!(*flow.get_or_insert(header.flow), header.flow);
            complete(&mut packet, gso_packet.checksum);
            let (ip, tcp, payload) = read(&packet);
            prop_assert_eq!(tcp.sequence_number, case.sequence.wrapping_add(payloads.len() as u32));
            if let IpHeaders::Ipv4(ip, _) = ip {
                prop_assert_eq!(ip.identification as usize, segment % 65_536);
            }
            let is_last = segment + 1 == gso_packet.segments();
            prop_assert_eq!(tcp.fin, is_last && case.last & 1 != 0);
            prop_assert_eq!(tcp.psh, is_last && case.last & 2 != 0);
            prop_assert_eq!(tcp.cwr, segment == 0 && case.reduced);
            payloads.extend(payload);
        }
        prop_assert_eq!(payloads, payload);
    }

    /// Consecutive segments that are merged and cut again do not change.
    #[test]
    fn merged_segments_can_be_cut_again(case in cases(), from in 0_usize..50, many in 2_usize..50) {
        let (vnet, bytes) = case.gso_packet();
        let gso_packet = GsoPacket::parse(&vnet, &bytes[..bytes.len().min(200)], bytes.len()).unwrap();
        prop_assume!(from + 1 < gso_packet.segments());
        let row = from..(from + many).min(gso_packet.segments());
        let cut = |gso_packet: &GsoPacket, headers: &[u8], segment| {
            let mut headers = headers[..gso_packet.headers].to_vec();
            gso_packet.write_segment_headers(&mut headers, segment);
            headers
        };
        let segments: Vec<_> = row.clone().map(|segment| cut(&gso_packet, &bytes, segment)).collect();
        let whole: usize = row.map(|segment| gso_packet.payload_of(segment)).sum();
        let mut merged = segments[0].clone();
        let length = gso_packet.headers + whole;
        let last = segments.last().unwrap();
        let vnet = merge_segments(&mut merged, gso_packet.checksum, length, gso_packet.payload, last);
        prop_assert_eq!(VnetHeader::read(&vnet.bytes(gso_packet.headers as u16)), vnet);
        let again = GsoPacket::parse(&vnet, &merged, length).unwrap();
        prop_assert_eq!(again.segments(), segments.len());
        for (index, segment) in segments.iter().enumerate() {
            prop_assert_eq!(&cut(&again, &merged, index), segment);
        }
    }
}

#[test]
fn invalid_gso_packets_are_rejected() {
    let case = GsoCase {
        v6: false,
        timestamps: true,
        sequence: 1,
        last: 0,
        reduced: false,
        payload: 1448,
        whole: 10_000,
    };
    let (vnet, bytes) = case.gso_packet();
    let of = |vnet: &VnetHeader, bytes: &[u8]| GsoPacket::parse(vnet, bytes, bytes.len());
    assert!(of(&vnet, &bytes).is_some());
    let (checksum, gso) = (vnet.checksum.unwrap(), vnet.gso.unwrap());
    let with_checksum = |checksum| VnetHeader { checksum, ..vnet };
    let with_gso = |gso| VnetHeader { gso, ..vnet };
    for wrong in [
        with_checksum(None),
        with_checksum(Some(PartialChecksum {
            start: 0,
            ..checksum
        })),
        with_checksum(Some(PartialChecksum {
            start: 24,
            ..checksum
        })),
        with_checksum(Some(PartialChecksum {
            start: 9999,
            ..checksum
        })),
        with_checksum(Some(PartialChecksum {
            offset: 6,
            ..checksum
        })),
        with_gso(None),
        with_gso(Some(GsoInfo {
            kind: GSO_TCPV6,
            ..gso
        })),
        with_gso(Some(GsoInfo { kind: 5, ..gso })),
        with_gso(Some(GsoInfo { payload: 0, ..gso })),
    ] {
        assert_eq!(of(&wrong, &bytes), None, "{wrong:?}");
    }
    for length in [0, 10, 30, 52] {
        assert_eq!(of(&vnet, &bytes[..length]), None, "{length} bytes");
    }
}
