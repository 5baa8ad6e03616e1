//! Reads captures: pcap (draft-ietf-opsawg-pcap) and pcapng (draft-ietf-opsawg-pcapng).
//!
//! Both byte orders, times in any resolution. Frames without an IP packet are counted.

use earlydrop::units::Nanos;

use super::frame::{Link, NoPacket, ip_packet};
use super::{Frames, LARGEST, RecordedPacket};
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
    link_type: u16,
    /// Units of time in a second.
    per_second: u64,
}

/// The frames of a capture; `None` where the file is not one.
pub(super) fn read(bytes: &[u8]) -> Option<Result<Frames, String>> {
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

impl Frames {
    /// Adds a frame that was captured at `time`, in the units of its interface.
    fn add(
        &mut self,
        interface: Interface,
        time: u128,
        captured: &[u8],
        on_wire: u32,
    ) -> Result<(), String> {
        let number = self.count() + 1;
        let link = Link::numbered(interface.link_type);
        let link = link.map_err(|problem| format!("packet {number} {problem}"))?;
        match ip_packet(link, captured, on_wire) {
            Ok((size, _)) if size > LARGEST => {
                return Err(format!(
                    "packet {number} has {size} bytes; allowed: up to {LARGEST}; nearest: a \
                     capture where the network card has cut it into packets"
                ));
            }
            Ok((size, ecn)) => {
                let nanos = time * 1_000_000_000 / u128::from(interface.per_second);
                let at = Nanos(u64::try_from(nanos).unwrap_or(u64::MAX));
                self.packets.push(RecordedPacket { at, size, ecn });
            }
            Err(NoPacket::NotIp) => self.left_out.not_ip += 1,
            Err(NoPacket::Cut) => self.left_out.cut += 1,
        }
        Ok(())
    }

    /// The problem of a file that ends within the next frame, at this byte.
    fn cut_off(&self, at: usize) -> String {
        let number = self.count() + 1;
        format!("is cut off within packet {number}, at byte {at}; nearest: without that packet")
    }
}

fn read_pcap(file: File<'_>, per_second: u64) -> Result<Frames, String> {
    let mut frames = Frames::default();
    let link_type = file.u32(20).ok_or_else(|| frames.cut_off(0))?;
    let interface = Interface {
        // The bits above have the length of the frames' checksums.
        link_type: link_type as u16,
        per_second,
    };
    let mut at = 24;
    while at < file.bytes.len() {
        let frame = (|| {
            let (seconds, part) = (file.u32(at)?, file.u32(at + 4)?);
            let (captured, length) = (file.u32(at + 8)?, file.u32(at + 12)?);
            let data = file.slice(at + 16, captured as usize)?;
            let time = u128::from(seconds) * u128::from(per_second) + u128::from(part);
            Some((time, data, length))
        })();
        let (time, data, length) = frame.ok_or_else(|| frames.cut_off(at))?;
        frames.add(interface, time, data, length)?;
        at += 16 + data.len();
    }
    Ok(frames)
}

fn read_pcapng(mut file: File<'_>) -> Result<Frames, String> {
    let mut frames = Frames::default();
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
        let (kind, length) = block.ok_or_else(|| frames.cut_off(at))?;
        let body = at + 8;
        match kind {
            INTERFACE => {
                let described = interface(file, body, at + length - 4);
                let number = interfaces.len();
                interfaces.push(described.map_err(|why| format!("interface {number}: {why}"))?);
            }
            SIMPLE_PACKET => return Err("has packets without times (simple packet blocks)".into()),
            PACKET => {
                let frame = (|| {
                    let interface = file.u32(body)?;
                    let (high, low) = (file.u32(body + 4)?, file.u32(body + 8)?);
                    let (captured, on_wire) = (file.u32(body + 12)?, file.u32(body + 16)?);
                    let data = file.slice(body + 20, captured as usize)?;
                    let time = u128::from(high) << 32 | u128::from(low);
                    Some((interface, time, data, on_wire))
                })();
                let (number, time, data, on_wire) = frame.ok_or_else(|| frames.cut_off(at))?;
                let interface = *interfaces.get(number as usize).ok_or_else(|| {
                    let (packet, count) = (frames.count() + 1, interfaces.len());
                    format!("packet {packet} names interface {number}; the section has {count}")
                })?;
                frames.add(interface, time, data, on_wire)?;
            }
            _ => {}
        }
        at += length;
    }
    Ok(frames)
}

/// The interface whose description begins at `body` and ends before `end`.
fn interface(file: File<'_>, body: usize, end: usize) -> Result<Interface, String> {
    let mut interface = Interface {
        link_type: file.u16(body).unwrap_or_default(),
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
            let base: u64 = if value & 0x80 == 0 { 10 } else { 2 };
            interface.per_second = base.checked_pow(exponent).ok_or_else(|| {
                let most = u64::MAX.ilog(base);
                format!(
                    "its times are in units of {base}^-{exponent} s (if_tsresol); allowed: down to \
                     {base}^-{most} s; nearest: a capture in nanoseconds"
                )
            })?;
        }
        at += 4 + usize::from(length).next_multiple_of(4);
    }
    Ok(interface)
}
