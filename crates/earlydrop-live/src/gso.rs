//! TCP segmentation (TSO) and checksum offload for TUN devices.
//!
//! The kernel leaves both to a device that offers them. [`GsoPacket`] cuts a packet into
//! segments before any queue sees it. A partial checksum stays partial, and the receiving
//! kernel is informed, so nobody computes it.
//!
//! The header before each packet is `struct virtio_net_hdr` (virtio 1.2, section 5.1.6), in
//! the machine's byte order.

use crate::packet::{updated_checksum, word};

/// Length of the virtio header, in bytes.
pub(crate) const VNET_HEADER: usize = 10;

const NEEDS_CHECKSUM: u8 = 1;
const GSO_TCPV4: u8 = 1;
const GSO_TCPV6: u8 = 4;
/// `VIRTIO_NET_HDR_GSO_ECN`: CWR is set, which only the first segment carries (RFC 3168).
const GSO_ECN: u8 = 0x80;

/// Longest headers, in bytes: those of IPv4 and TCP have at most 120.
pub(crate) const MAX_HEADERS: usize = 256;

// TCP header, RFC 9293, section 3.1: offsets and flags.
const SEQUENCE: usize = 4;
const DATA_OFFSET: usize = 12;
const FLAGS: usize = 13;
const CHECKSUM: usize = 16;
const TCP_HEADER: usize = 20;
const FIN: u8 = 0x01;
const PSH: u8 = 0x08;
const CWR: u8 = 0x80;

/// A checksum that is not computed yet: its field holds the sum of the pseudo-header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PartialChecksum {
    /// Start of the bytes to sum: the transport header (`csum_start`).
    pub(crate) start: u16,
    /// Offset of the checksum field from there (`csum_offset`).
    pub(crate) offset: u16,
}

/// The virtio header of a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct VnetHeader {
    pub(crate) checksum: Option<PartialChecksum>,
    /// Segmentation that the packet needs.
    pub(crate) gso: Option<GsoInfo>,
}

/// Segmentation of a packet: `gso_type` and `gso_size`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GsoInfo {
    kind: u8,
    /// Payload of each segment but the last, in bytes.
    pub(crate) payload: u16,
}

impl VnetHeader {
    pub(crate) fn read(bytes: &[u8; VNET_HEADER]) -> VnetHeader {
        let [flags, kind, _, _, payload @ .., a, b, c, d] = *bytes;
        let number = u16::from_ne_bytes;
        let undone = flags & NEEDS_CHECKSUM != 0;
        VnetHeader {
            checksum: undone.then(|| PartialChecksum {
                start: number([a, b]),
                offset: number([c, d]),
            }),
            gso: (kind != 0).then(|| GsoInfo {
                kind,
                payload: number(payload),
            }),
        }
    }

    /// Encodes the header; `headers` is the length of the packet's headers, in bytes.
    pub(crate) fn bytes(&self, headers: u16) -> [u8; VNET_HEADER] {
        let mut bytes = [0; VNET_HEADER];
        if let Some(PartialChecksum { start, offset }) = self.checksum {
            bytes[0] = NEEDS_CHECKSUM;
            bytes[6..8].copy_from_slice(&start.to_ne_bytes());
            bytes[8..].copy_from_slice(&offset.to_ne_bytes());
        }
        if let Some(GsoInfo { kind, payload }) = self.gso {
            bytes[1] = kind;
            bytes[2..4].copy_from_slice(&headers.to_ne_bytes());
            bytes[4..6].copy_from_slice(&payload.to_ne_bytes());
        }
        bytes
    }
}

/// A TCP packet that is to be cut into segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GsoPacket {
    pub(crate) checksum: PartialChecksum,
    /// Length of the IP and TCP headers, in bytes.
    pub(crate) headers: usize,
    /// Payload of each segment but the last, in bytes.
    pub(crate) payload: usize,
    /// Payload of all segments, in bytes.
    total_payload: usize,
}

impl GsoPacket {
    /// Parses a packet of `length` bytes that begins with `prefix`; `None` if it is no valid GSO
    /// packet of TCP.
    pub(crate) fn parse(vnet: &VnetHeader, prefix: &[u8], length: usize) -> Option<GsoPacket> {
        let (checksum, gso) = (vnet.checksum?, vnet.gso?);
        let start = usize::from(checksum.start);
        let tcp = prefix.get(start..)?;
        if tcp.len() < TCP_HEADER || usize::from(checksum.offset) != CHECKSUM {
            return None;
        }
        let is_tcp = match gso.kind & !GSO_ECN {
            GSO_TCPV4 => prefix[0] >> 4 == 4 && start == usize::from(prefix[0] & 15) * 4,
            GSO_TCPV6 => prefix[0] >> 4 == 6 && start >= 40,
            _ => false,
        };
        let headers = start + usize::from(tcp[DATA_OFFSET] >> 4) * 4;
        let truncated = headers < start + TCP_HEADER || headers > prefix.len().min(MAX_HEADERS);
        if !is_tcp || start < 20 || truncated || gso.payload == 0 || length <= headers {
            return None;
        }
        Some(GsoPacket {
            checksum,
            headers,
            payload: usize::from(gso.payload),
            total_payload: length - headers,
        })
    }

    /// Number of segments.
    pub(crate) fn segments(&self) -> usize {
        self.total_payload.div_ceil(self.payload)
    }

    /// Payload of a segment, in bytes.
    pub(crate) fn payload_of(&self, segment: usize) -> usize {
        (self.total_payload - segment * self.payload).min(self.payload)
    }

    /// Turns the packet's headers into those of a segment.
    pub(crate) fn write_segment_headers(&self, headers: &mut [u8], segment: usize) {
        let start = usize::from(self.checksum.start);
        set_length(headers, start, self.headers + self.payload_of(segment));
        if headers[0] >> 4 == 4 {
            // Each segment has the next IPv4 identification.
            let before = word(headers, 4);
            let after = before.wrapping_add(segment as u16);
            set_word(headers, 4, after);
            update_ipv4_checksum(headers, before, after);
        }
        let tcp = &mut headers[start..];
        let offset = SEQUENCE..SEQUENCE + 4;
        let first = u32::from_be_bytes([tcp[4], tcp[5], tcp[6], tcp[7]]);
        let sequence = first.wrapping_add((segment * self.payload) as u32);
        tcp[offset].copy_from_slice(&sequence.to_be_bytes());
        if segment + 1 < self.segments() {
            tcp[FLAGS] &= !(FIN | PSH);
        }
        if segment > 0 {
            tcp[FLAGS] &= !CWR;
        }
    }
}

/// Turns the headers of the first of several consecutive segments into those of the merged
/// packet, which is `length` bytes long. `last` are the headers of the last segment, whose FIN
/// and PSH it takes. Returns the virtio header.
pub(crate) fn merge_segments(
    headers: &mut [u8],
    checksum: PartialChecksum,
    length: usize,
    payload: usize,
    last: &[u8],
) -> VnetHeader {
    let start = usize::from(checksum.start);
    set_length(headers, start, length);
    headers[start + FLAGS] |= last[start + FLAGS] & (FIN | PSH);
    let mut kind = if headers[0] >> 4 == 4 {
        GSO_TCPV4
    } else {
        GSO_TCPV6
    };
    if headers[start + FLAGS] & CWR != 0 {
        kind |= GSO_ECN;
    }
    VnetHeader {
        checksum: Some(checksum),
        gso: Some(GsoInfo {
            kind,
            payload: payload as u16,
        }),
    }
}

/// Sets the length in the IP header, and in TCP's partial checksum, which sums the addresses,
/// the protocol and the length.
fn set_length(headers: &mut [u8], start: usize, length: usize) {
    let (field, length_field) = match headers[0] >> 4 {
        4 => (2, length),
        _ => (4, length - 40),
    };
    let before = word(headers, field);
    set_word(headers, field, length_field as u16);
    if headers[0] >> 4 == 4 {
        update_ipv4_checksum(headers, before, length_field as u16);
    }
    let checksum = start + CHECKSUM;
    // The field holds a sum, not its complement: RFC 1624 applies to the complement.
    let sum = updated_checksum(!word(headers, checksum), before, length_field as u16);
    set_word(headers, checksum, !sum);
}

/// Updates the IPv4 header checksum after one word has changed.
fn update_ipv4_checksum(headers: &mut [u8], before: u16, after: u16) {
    let checksum = updated_checksum(word(headers, 10), before, after);
    set_word(headers, 10, checksum);
}

fn set_word(bytes: &mut [u8], at: usize, value: u16) {
    bytes[at..at + 2].copy_from_slice(&value.to_be_bytes());
}

#[cfg(test)]
#[path = "gso_tests.rs"]
mod tests;
