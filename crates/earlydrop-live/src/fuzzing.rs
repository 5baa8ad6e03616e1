//! Invariants of parsing and segmentation for arbitrary bytes, checked by tests with random
//! bytes and by the fuzzers in `fuzz/`.

use earlydrop::packet::Ecn;

use crate::gso::{GsoPacket, MAX_HEADERS, VNET_HEADER, VnetHeader, merge_segments};
use crate::packet::{Header, mark};

/// A packet stays a packet when it is marked, and its header checksum as right or wrong as it
/// was.
pub fn packet(bytes: &[u8]) {
    let Ok(header) = Header::read(bytes) else {
        return;
    };
    let length = header.length as usize;
    assert!(length <= bytes.len());
    let mut marked = bytes.to_vec();
    mark(&mut marked);
    let again = Header::read(&marked).expect("a packet that was marked");
    assert_eq!(
        again,
        Header {
            ecn: Ecn::Ce,
            ..header
        }
    );
    if let (Some(before), Some(after)) = (sum_v4(bytes), sum_v4(&marked)) {
        assert_eq!(before, after, "the header checksum");
    }
    // Only the ECN field and the checksum have changed.
    let changed = bytes.iter().zip(&marked).filter(|(a, b)| a != b).count();
    assert!(changed <= 3, "{changed} bytes have changed");
    let once = marked.clone();
    mark(&mut marked);
    assert_eq!(once, marked, "marking twice changes nothing more");
}

/// The segments of a GSO packet are packets in order, and merged again they are the GSO packet.
/// The first bytes are its virtio header.
pub fn burst(bytes: &[u8]) {
    let Some((vnet, bytes)) = bytes.split_first_chunk::<VNET_HEADER>() else {
        return;
    };
    let vnet = VnetHeader::read(vnet);
    // As much of the packet as a first buffer holds.
    let prefix = &bytes[..bytes.len().min(2048)];
    let Some(gso_packet) = GsoPacket::parse(&vnet, prefix, bytes.len()) else {
        return;
    };
    let of = |segment: usize| {
        let mut headers = bytes[..gso_packet.headers].to_vec();
        gso_packet.write_segment_headers(&mut headers, segment);
        headers
    };
    let segments = gso_packet.segments();
    let lengths = (0..segments).map(|segment| gso_packet.payload_of(segment));
    assert_eq!(lengths.sum::<usize>(), bytes.len() - gso_packet.headers);
    let (first, last) = (of(0), of(segments - 1));
    let mut merged = [0; MAX_HEADERS];
    let merged = &mut merged[..gso_packet.headers];
    merged.copy_from_slice(&first);
    merge_segments(
        merged,
        gso_packet.checksum,
        bytes.len(),
        gso_packet.payload,
        &last,
    );
    let start = usize::from(gso_packet.checksum.start);
    let (ip, tcp) = (2..6, start + 16..start + 18);
    for (at, (merged_byte, byte)) in merged.iter().zip(bytes).enumerate() {
        // The length is rewritten whether it was right or not; sums change with it, and zero may
        // become its other encoding.
        let rewritten = ip.contains(&at) || tcp.contains(&at) || (10..12).contains(&at);
        assert!(merged_byte == byte || rewritten, "byte {at}");
    }
}

/// Bytes from a routing socket are refused, or read as messages about interfaces, of which no
/// more carry a default route than bytes could describe.
#[cfg(target_os = "linux")]
pub fn netlink(bytes: &[u8]) {
    const SHORTEST: usize = 16 + 12;
    assert!(crate::bridge::carriers(bytes) <= bytes.len() / SHORTEST);
}

/// Sum over an IPv4 header: 0xffff if its checksum is right.
fn sum_v4(bytes: &[u8]) -> Option<u16> {
    let length = usize::from(bytes[0] & 15) * 4;
    let header = bytes.get(..length).filter(|_| bytes[0] >> 4 == 4)?;
    let words = header
        .chunks(2)
        .map(|word| u32::from(word[0]) << 8 | u32::from(word[1]));
    let mut sum = words.sum::<u32>();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    Some(sum as u16)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    const CASES: u32 = 2000;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(CASES))]

        #[test]
        fn arbitrary_bytes_keep_the_packet_invariants(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            super::packet(&bytes);
        }

        /// Bytes that begin as headers do, so that many parse.
        #[test]
        fn packet_like_bytes_keep_the_packet_invariants(
            first in prop::sample::select(vec![0x45_u8, 0x46, 0x4f, 0x60, 0x6f]),
            mut bytes in prop::collection::vec(any::<u8>(), 60..200),
        ) {
            bytes[0] = first;
            (bytes[2], bytes[3], bytes[4], bytes[5]) = (0, bytes[3] % 128, 0, bytes[5] % 128);
            super::packet(&bytes);
        }

        /// Messages with the lengths and types of real ones, and attributes of random lengths.
        #[cfg(target_os = "linux")]
        #[test]
        fn netlink_like_bytes_are_refused_or_read(
            messages in prop::collection::vec((2_u16..30, 0_u32..80, prop::collection::vec(any::<u8>(), 0..64)), 0..6),
            cut in 0_usize..400,
        ) {
            let mut bytes = Vec::new();
            for (kind, length, mut body) in messages {
                for (at, byte) in body.iter_mut().enumerate() {
                    // Attributes' lengths and types are small.
                    *byte = if at % 4 < 2 { *byte % 24 } else { 0 };
                }
                bytes.extend((16 + length).to_ne_bytes());
                bytes.extend(kind.to_ne_bytes());
                bytes.extend([0; 10]);
                bytes.extend(body);
                bytes.resize(bytes.len().next_multiple_of(4), 0);
            }
            super::netlink(&bytes);
            bytes.truncate(cut);
            super::netlink(&bytes);
        }

        #[cfg(target_os = "linux")]
        #[test]
        fn arbitrary_bytes_from_netlink_are_refused_or_read(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            super::netlink(&bytes);
        }

        #[test]
        fn gso_like_bytes_keep_the_segmentation_invariants(
            kind in prop::sample::select(vec![1_u8, 4, 0x81, 0x84, 3]),
            payload in 0_u16..3000,
            start in prop::sample::select(vec![20_u16, 24, 40, 48, 7]),
            mut bytes in prop::collection::vec(any::<u8>(), 60..4000),
        ) {
            bytes[0] = match kind & 0x7f {
                1 => 0x40 | (start / 4) as u8,
                _ => 0x60,
            };
            let mut all = vec![1, kind, 0, 0];
            for number in [payload, start, 16] {
                all.extend(number.to_ne_bytes());
            }
            all.extend(bytes);
            super::burst(&all);
        }
    }
}
