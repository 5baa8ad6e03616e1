//! What the kernel leaves undone where a device offers to do it: cutting a burst of TCP into
//! segments, and checksums. A burst is cut here, before any queue sees it; a checksum stays
//! undone, and the receiving kernel is told, so that nobody works it out at all.
//!
//! The note before each packet is `struct virtio_net_hdr` (virtio 1.2, section 5.1.6), in
//! the machine's byte order.

use crate::packet::{updated_checksum, word};

/// Bytes of a note.
pub(crate) const VNET_HEADER: usize = 10;

const NEEDS_CHECKSUM: u8 = 1;
const GSO_TCPV4: u8 = 1;
const GSO_TCPV6: u8 = 4;
/// The congestion window was reduced: said in a burst's first segment only (RFC 3168).
const GSO_ECN: u8 = 0x80;

/// Longer headers than this are not gso: those of IPv4 and TCP are 120 bytes at most.
pub(crate) const MAX_HEADERS: usize = 256;

// TCP's header, RFC 9293, section 3.1: places and flags.
const SEQUENCE: usize = 4;
const DATA_OFFSET: usize = 12;
const FLAGS: usize = 13;
const CHECKSUM: usize = 16;
const TCP_HEADER: usize = 20;
const FIN: u8 = 0x01;
const PSH: u8 = 0x08;
const CWR: u8 = 0x80;

/// A checksum that is not worked out yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PartialChecksum {
    /// Where what it sums up begins: the transport's header.
    pub(crate) start: u16,
    /// Where it goes, from there.
    pub(crate) offset: u16,
}

/// What is said of a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct VnetHeader {
    pub(crate) checksum: Option<PartialChecksum>,
    /// To be cut into segments.
    pub(crate) gso: Option<GsoInfo>,
}

/// Into what a burst is to be cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GsoInfo {
    kind: u8,
    /// Bytes of payload in each segment but the last.
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

    /// As bytes, before headers of so many bytes.
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

/// A burst of one flow's TCP segments that are one packet yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GsoPacket {
    pub(crate) checksum: PartialChecksum,
    /// Bytes of headers, of IP and TCP together.
    pub(crate) headers: usize,
    /// Bytes of payload in each segment but the last.
    pub(crate) payload: usize,
    /// Bytes of payload altogether.
    total_payload: usize,
}

impl GsoPacket {
    /// The burst of `length` bytes that begins with these; `None` where it is no such thing.
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

    /// How many segments it is.
    pub(crate) fn segments(&self) -> usize {
        self.total_payload.div_ceil(self.payload)
    }

    /// Bytes of payload of a segment.
    pub(crate) fn payload_of(&self, segment: usize) -> usize {
        (self.total_payload - segment * self.payload).min(self.payload)
    }

    /// Makes of the burst's own headers those of a segment.
    pub(crate) fn write_segment_headers(&self, headers: &mut [u8], segment: usize) {
        let start = usize::from(self.checksum.start);
        set_length(headers, start, self.headers + self.payload_of(segment));
        if headers[0] >> 4 == 4 {
            // Each has the next identification.
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

/// Makes of the headers of the first of several segments in a row, cut from one burst, those
/// of all of them together, which are so long; `last` are the headers of the last. Answers
/// what is to be said of them.
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

/// Says in the headers of IP that the packet is so long, and in TCP's checksum, which has
/// only the sum of the addresses, the protocol and the length as yet.
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
    // A sum, not its complement: as if it were updated_checksum, complemented before and after.
    let sum = updated_checksum(!word(headers, checksum), before, length_field as u16);
    set_word(headers, checksum, !sum);
}

/// Mends the checksum of an IPv4 header one of whose words has changed.
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
