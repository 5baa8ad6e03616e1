//! Reads captures: pcap (draft-ietf-opsawg-pcap) and pcapng (draft-ietf-opsawg-pcapng).
//!
//! Both byte orders, times in any resolution. Link types with an IP packet at a known place give
//! its length and ECN field; of other packets only the length on the wire is known.

use earlydrop::packet::Ecn;
use earlydrop::units::Nanos;

use super::{LARGEST, RecordedPacket};
use crate::pcapng::{INTERFACE, PACKET, SECTION};

/// A pcapng block of a packet without a time (section 4.4).
const SIMPLE_PACKET: u32 = 3;

/// The option of an interface with the resolution of its times (section 4.2, `if_tsresol`).
const RESOLUTION: u16 = 9;

/// A file's bytes in its byte order.
#[derive(Clone, Copy)]
struct File<'a> {
    bytes: &'a [u8],
    is_big: bool,
}

impl<'a> File<'a> {
    fn slice(&self, at: usize, length: usize) -> Option<&'a [u8]> {
        self.bytes.get(at..at.checked_add(length)?)
    }

    fn u16(&self, at: usize) -> Option<u16> {
        let bytes = self.slice(at, 2)?.try_into().ok()?;
        Some(match self.is_big {
            true => u16::from_be_bytes(bytes),
            false => u16::from_le_bytes(bytes),
        })
    }

    fn u32(&self, at: usize) -> Option<u32> {
        let bytes = self.slice(at, 4)?.try_into().ok()?;
        Some(match self.is_big {
            true => u32::from_be_bytes(bytes),
            false => u32::from_le_bytes(bytes),
        })
    }
}

/// An interface of a pcapng section.
#[derive(Clone, Copy)]
struct Interface {
    link_type: u32,
    /// Units of time in a second.
    per_second: u64,
}

/// The packets of a capture; `None` where the file is not one.
pub(super) fn read(bytes: &[u8]) -> Option<Result<Vec<RecordedPacket>, String>> {
    let file = |is_big| File { bytes, is_big };
    if file(false).u32(0) == Some(SECTION) {
        return Some(read_pcapng(file(false)));
    }
    for is_big in [false, true] {
        let per_second = match file(is_big).u32(0) {
            Some(0xa1b2_c3d4) => 1_000_000,
            Some(0xa1b2_3c4d) => 1_000_000_000,
            _ => continue,
        };
        return Some(read_pcap(file(is_big), per_second));
    }
    None
}

fn cut_off(packets: &[RecordedPacket], at: usize) -> String {
    let number = packets.len() + 1;
    format!("is cut off within packet {number}, at byte {at}; nearest: without that packet")
}

fn read_pcap(file: File<'_>, per_second: u64) -> Result<Vec<RecordedPacket>, String> {
    let mut packets = Vec::new();
    let link_type = file.u32(20).ok_or_else(|| cut_off(&packets, 0))? & 0xffff;
    let interface = Interface {
        link_type,
        per_second,
    };
    let mut at = 24;
    while at < file.bytes.len() {
        let packet = (|| {
            let (seconds, part) = (file.u32(at)?, file.u32(at + 4)?);
            let (captured, length) = (file.u32(at + 8)?, file.u32(at + 12)?);
            let data = file.slice(at + 16, captured as usize)?;
            let time = u128::from(seconds) * u128::from(per_second) + u128::from(part);
            Some((packet(interface, time, data, length), 16 + data.len()))
        })();
        let (packet, length) = packet.ok_or_else(|| cut_off(&packets, at))?;
        packets.push(packet);
        at += length;
    }
    Ok(packets)
}

fn read_pcapng(mut file: File<'_>) -> Result<Vec<RecordedPacket>, String> {
    let mut packets = Vec::new();
    let mut interfaces: Vec<Interface> = Vec::new();
    let mut at = 0;
    while at < file.bytes.len() {
        // A section's type reads the same in both byte orders; its magic number tells them apart.
        if file.u32(at) == Some(SECTION) {
            file.is_big = file.slice(at + 8, 4) == Some(&[0x1a, 0x2b, 0x3c, 0x4d]);
            interfaces.clear();
        }
        let block = (|| {
            let (kind, length) = (file.u32(at)?, file.u32(at + 4)? as usize);
            let whole = length >= 12 && file.slice(at, length).is_some();
            whole.then_some((kind, length))
        })();
        let (kind, length) = block.ok_or_else(|| cut_off(&packets, at))?;
        let body = at + 8;
        match kind {
            INTERFACE => interfaces.push(interface(file, body, at + length - 4)),
            SIMPLE_PACKET => return Err("has packets without times (simple packet blocks)".into()),
            PACKET => {
                let packet = (|| {
                    let interface = *interfaces.get(file.u32(body)? as usize)?;
                    let (high, low) = (file.u32(body + 4)?, file.u32(body + 8)?);
                    let (captured, on_wire) = (file.u32(body + 12)?, file.u32(body + 16)?);
                    let data = file.slice(body + 20, captured as usize)?;
                    let time = u128::from(high) << 32 | u128::from(low);
                    Some(packet(interface, time, data, on_wire))
                })();
                packets.push(packet.ok_or_else(|| cut_off(&packets, at))?);
            }
            _ => {}
        }
        at += length;
    }
    Ok(packets)
}

/// The interface whose description begins at `body` and ends before `end`.
fn interface(file: File<'_>, body: usize, end: usize) -> Interface {
    let mut interface = Interface {
        link_type: u32::from(file.u16(body).unwrap_or_default()),
        // Without the option, times are in microseconds.
        per_second: 1_000_000,
    };
    let mut at = body + 8;
    while let (Some(code), Some(length)) = (file.u16(at), file.u16(at + 2)) {
        if code == 0 || at >= end {
            break;
        }
        if code == RESOLUTION
            && let Some([value]) = file.slice(at + 4, 1)
        {
            // A power of 2 where the first bit is set, else of 10.
            let exponent = u32::from(value & 0x7f);
            interface.per_second = match value & 0x80 {
                0 => 10_u64.checked_pow(exponent),
                _ => 2_u64.checked_pow(exponent),
            }
            .unwrap_or(1_000_000_000);
        }
        at += 4 + usize::from(length).next_multiple_of(4);
    }
    interface
}

fn packet(interface: Interface, time: u128, data: &[u8], on_wire: u32) -> RecordedPacket {
    let nanos = time * 1_000_000_000 / u128::from(interface.per_second);
    let (size, ecn) = match ip_packet(interface.link_type, data).and_then(length_and_ecn) {
        Some((size, ecn)) => (size, ecn),
        None => (on_wire, Ecn::NotCapable),
    };
    RecordedPacket {
        at: Nanos(u64::try_from(nanos).unwrap_or(u64::MAX)),
        size: size.clamp(1, LARGEST),
        ecn,
    }
}

/// The IP packet in a frame of this link type (tcpdump.org/linktypes.html), if there is one.
fn ip_packet(link_type: u32, frame: &[u8]) -> Option<&[u8]> {
    let is_ip = |kind: &[u8]| kind == [0x08, 0x00] || kind == [0x86, 0xdd];
    let (kind, header) = match link_type {
        // BSD's loopback: a protocol family of 4 bytes.
        0 | 108 => return frame.get(4..),
        // Raw IP, IPv4 and IPv6.
        12 | 14 | 101 | 228 | 229 => return Some(frame),
        // Ethernet, with up to two VLAN tags (IEEE 802.1Q).
        1 => {
            let is_tag = |at: usize| {
                let kind = frame.get(at..at + 2);
                kind == Some(&[0x81, 0x00]) || kind == Some(&[0x88, 0xa8])
            };
            let tags = [12, 16].into_iter().take_while(|at| is_tag(*at)).count();
            (12 + 4 * tags, 14 + 4 * tags)
        }
        // Linux's "cooked" captures, versions 1 and 2.
        113 => (14, 16),
        276 => (0, 20),
        _ => return None,
    };
    is_ip(frame.get(kind..kind + 2)?).then(|| frame.get(header..))?
}

/// The length and the ECN field (RFC 3168, section 5) of an IP packet.
fn length_and_ecn(ip: &[u8]) -> Option<(u32, Ecn)> {
    let word = |at: usize| {
        Some(u32::from(u16::from_be_bytes([
            *ip.get(at)?,
            *ip.get(at + 1)?,
        ])))
    };
    let (length, bits) = match ip.first()? >> 4 {
        4 => (word(2)?, ip.get(1)? & 3),
        6 => (word(4)? + 40, (ip.get(1)? >> 4) & 3),
        _ => return None,
    };
    // A length of zero is left to the network card (TCP segmentation offload).
    let is_known = length > 0;
    let ecn = match bits {
        0 => Ecn::NotCapable,
        1 => Ecn::Ect1,
        2 => Ecn::Ect0,
        _ => Ecn::Ce,
    };
    is_known.then_some((length, ecn))
}
