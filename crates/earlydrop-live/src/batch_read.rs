//! Taking packets from a device: each into a buffer of its own, a burst of TCP cut into
//! segments on the way.
//!
//! A burst is read as if it were like the one before, one segment into each of several
//! buffers with room for headers, so that no payload is moved. Where it is not like that,
//! it is put together and cut once more.

use std::io::{self, IoSliceMut};

use crate::device::{Arrival, Device, Tun};
use crate::gso::{GsoPacket, MAX_HEADERS, VNET_HEADER, VnetHeader};
use crate::packet::Header;
use crate::plan::MTU;
use crate::pool::{Frame, Offsets, Pool, SLOT, Segment};

/// As much as the kernel hands over at once.
const MAX_READ: usize = 1 << 16;

/// Segments read into places of their own: a burst of full packets.
const MAX_SEGMENTS: usize = MAX_READ / 1400;

/// The note, the places, and where the rest goes.
const PARTS: usize = 1 + MAX_SEGMENTS + 1;

/// Single packets after a burst until no other is expected.
const BURST_HOLD: u32 = 16;

/// Takes packets from one device.
#[derive(Debug)]
pub(crate) struct BatchReader {
    /// What was taken last.
    pub(crate) frames: Vec<Frame>,
    /// Buffers for the next, ascending.
    slots: Vec<u32>,
    /// What does not fit them.
    overflow: Box<[u8]>,
    /// A burst that was not as expected.
    scratch: Box<[u8]>,
    /// What a burst's first segment is expected to be.
    expected: SegmentLayout,
    burst_hold: u32,
    bursts: u32,
}

/// A segment: bytes of headers and of payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SegmentLayout {
    headers: usize,
    payload: usize,
}

/// What was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReadOutcome {
    /// Nothing was there.
    Nothing,
    /// What is in [`BatchReader::frames`] now, and so many packets more for which there were no
    /// buffers.
    Packets { unbuffered: u64 },
    /// What is in [`BatchReader::frames`] is not for the scheme to judge.
    Bypass,
    /// No packet.
    Malformed,
    /// A packet longer than any that crosses.
    Oversized,
}

impl BatchReader {
    pub(crate) fn new() -> BatchReader {
        BatchReader {
            frames: Vec::with_capacity(MAX_READ),
            slots: Vec::with_capacity(MAX_READ),
            overflow: vec![0; MAX_READ].into(),
            scratch: vec![0; MAX_READ].into(),
            expected: SegmentLayout {
                headers: 52,
                payload: MTU as usize - 52,
            },
            burst_hold: 0,
            bursts: 0,
        }
    }

    /// Takes what is next, a packet or a burst.
    pub(crate) fn read_next(
        &mut self,
        device: &Device,
        pool: &mut Pool,
    ) -> io::Result<ReadOutcome> {
        self.frames.clear();
        match device {
            Device::Tun(tun) => self.read_gso(tun, pool),
            Device::Socket(_) => self.read_one(device, pool),
        }
    }

    fn read_one(&mut self, device: &Device, pool: &mut Pool) -> io::Result<ReadOutcome> {
        self.refill(1, pool);
        let Some(&slot) = self.slots.first() else {
            let outcome = device.read(&mut self.overflow)?;
            return Ok(
                outcome.map_or(ReadOutcome::Nothing, |_| ReadOutcome::Packets {
                    unbuffered: 1,
                }),
            );
        };
        let Some(arrival) = device.read(pool.buffer(slot))? else {
            return Ok(ReadOutcome::Nothing);
        };
        let (offsets, header, outcome) = match arrival {
            Arrival::Packet(offsets, header) => {
                (offsets, header, ReadOutcome::Packets { unbuffered: 0 })
            }
            Arrival::Bypass(offsets, header) => (offsets, header, ReadOutcome::Bypass),
            Arrival::Malformed => return Ok(ReadOutcome::Malformed),
            Arrival::Oversized => return Ok(ReadOutcome::Oversized),
        };
        self.slots.clear();
        self.frames
            .push(Frame::new(slot, header).with_offsets(offsets));
        Ok(outcome)
    }

    fn read_gso(&mut self, device: &Tun, pool: &mut Pool) -> io::Result<ReadOutcome> {
        let buffers = if self.burst_hold > 0 { MAX_SEGMENTS } else { 1 };
        self.refill(buffers, pool);
        let buffers = buffers.min(self.slots.len());
        let mut vnet = [0; VNET_HEADER];
        let length = match buffers {
            0 | 1 => self.read::<3>(device, pool, buffers, &mut vnet)?,
            _ => self.read::<PARTS>(device, pool, buffers, &mut vnet)?,
        };
        let Some(length) = length else {
            return Ok(ReadOutcome::Nothing);
        };
        if length > MAX_READ {
            return Ok(ReadOutcome::Malformed);
        }
        let vnet = VnetHeader::read(&vnet);
        Ok(match vnet.gso {
            None => self.add_packet(&vnet, length, buffers, pool),
            Some(_) => self.add_gso_packet(&vnet, length, buffers, pool),
        })
    }

    /// Sees to it that there are so many slots, where the pool has them.
    fn refill(&mut self, buffers: usize, pool: &mut Pool) {
        if self.slots.len() >= buffers {
            return;
        }
        while self.slots.len() < buffers
            && let Some(slot) = pool.take()
        {
            self.slots.push(slot);
        }
        self.slots.sort_unstable();
    }

    /// Bytes that the first of so many places takes.
    fn first_buffer_size(&self, buffers: usize) -> usize {
        match buffers {
            0 => 0,
            1 => SLOT,
            _ => self.expected.headers + self.expected.payload,
        }
    }

    /// Reads into so many places, which with the note and the rest are so many parts at most.
    fn read<const PARTS: usize>(
        &mut self,
        device: &Tun,
        pool: &mut Pool,
        count: usize,
        vnet: &mut [u8; VNET_HEADER],
    ) -> io::Result<Option<usize>> {
        let first = self.first_buffer_size(count);
        let SegmentLayout { headers, payload } = self.expected;
        let mut buffers = pool.buffers(&self.slots[..count]).enumerate();
        let mut vnet = Some(&mut vnet[..]);
        let mut overflow = Some(&mut self.overflow[..]);
        let mut parts: [IoSliceMut<'_>; PARTS] = std::array::from_fn(|_| {
            let part = vnet.take().or_else(|| match buffers.next() {
                Some((0, buffer)) => Some(&mut buffer[..first]),
                Some((_, buffer)) => Some(&mut buffer[headers..headers + payload]),
                None => overflow.take(),
            });
            IoSliceMut::new(part.unwrap_or_default())
        });
        device.read_parts(&mut parts[..count + 2])
    }

    fn add_packet(
        &mut self,
        vnet: &VnetHeader,
        length: usize,
        buffers: usize,
        pool: &mut Pool,
    ) -> ReadOutcome {
        self.burst_hold = self.burst_hold.saturating_sub(1);
        if buffers == 0 {
            return ReadOutcome::Packets { unbuffered: 1 };
        }
        let slot = self.slots[0];
        if length > self.first_buffer_size(buffers) {
            // It lies in several places, or is too long, which is told from its header.
            self.reassemble(length, buffers, pool);
            let kept = length.min(SLOT);
            pool.buffer(slot)[..kept].copy_from_slice(&self.scratch[..kept]);
        }
        let bytes = &pool.buffer(slot)[..length.min(SLOT)];
        let Ok(header) = Header::read(bytes) else {
            return ReadOutcome::Malformed;
        };
        self.slots.remove(0);
        self.frames.push(Frame {
            checksum: vnet.checksum,
            ..Frame::new(slot, header)
        });
        ReadOutcome::Packets { unbuffered: 0 }
    }

    fn add_gso_packet(
        &mut self,
        vnet: &VnetHeader,
        length: usize,
        buffers: usize,
        pool: &mut Pool,
    ) -> ReadOutcome {
        let first_length = length.min(self.first_buffer_size(buffers));
        let prefix = match buffers {
            0 => &self.overflow[..length.min(MAX_HEADERS)],
            _ => &pool.buffer(self.slots[0])[..first_length],
        };
        let Some(gso_packet) = GsoPacket::parse(vnet, prefix, length) else {
            return ReadOutcome::Malformed;
        };
        let mut headers = [0; MAX_HEADERS];
        let headers = &mut headers[..gso_packet.headers];
        headers.copy_from_slice(&prefix[..gso_packet.headers]);
        let layout = SegmentLayout {
            headers: gso_packet.headers,
            payload: gso_packet.payload,
        };
        if layout.headers + layout.payload > SLOT {
            return ReadOutcome::Malformed;
        }
        let segments = gso_packet.segments();
        let in_place = layout == self.expected && buffers > 1 && segments <= buffers;
        if !in_place {
            self.reassemble(length, buffers, pool);
            self.refill(segments, pool);
        }
        self.expected = layout;
        self.burst_hold = BURST_HOLD;
        self.bursts = self.bursts.wrapping_add(1);
        let taken = segments.min(self.slots.len());
        for segment in 0..taken {
            let buffer = pool.buffer(self.slots[segment]);
            let end = gso_packet.headers + gso_packet.payload_of(segment);
            if !in_place {
                let from = gso_packet.headers + segment * gso_packet.payload;
                let payload = &self.scratch[from..from + gso_packet.payload_of(segment)];
                buffer[gso_packet.headers..end].copy_from_slice(payload);
            }
            buffer[..gso_packet.headers].copy_from_slice(headers);
            gso_packet.write_segment_headers(&mut buffer[..gso_packet.headers], segment);
        }
        let unbuffered = (segments - taken) as u64;
        if taken == 0 {
            return ReadOutcome::Packets { unbuffered };
        }
        let length = gso_packet.headers + gso_packet.payload_of(0);
        let Ok(header) = Header::read(&pool.buffer(self.slots[0])[..length]) else {
            return ReadOutcome::Malformed;
        };
        self.push_frames(&gso_packet, header, taken);
        ReadOutcome::Packets { unbuffered }
    }

    /// Makes frames of the first slots, whose flow, ECN and class are those of `header`.
    fn push_frames(&mut self, gso_packet: &GsoPacket, header: Header, taken: usize) {
        let slots = self.slots.drain(..taken).enumerate();
        self.frames.extend(slots.map(|(index, slot)| Frame {
            slot,
            header: Header {
                length: (gso_packet.headers + gso_packet.payload_of(index)) as u32,
                ..header
            },
            offsets: Offsets::default(),
            marked: false,
            checksum: Some(gso_packet.checksum),
            segment: Some(Segment {
                burst: self.bursts,
                index: index as u16,
                headers: gso_packet.headers as u16,
            }),
        }));
    }

    /// Puts together what lies in so many places and beyond.
    fn reassemble(&mut self, length: usize, buffers: usize, pool: &mut Pool) {
        let first = self.first_buffer_size(buffers);
        let SegmentLayout { headers, payload } = self.expected;
        let mut filled = 0;
        let whole = &mut self.scratch[..length];
        let mut add = |part: &[u8]| {
            let taken = part.len().min(length - filled);
            whole[filled..filled + taken].copy_from_slice(&part[..taken]);
            filled += taken;
        };
        for (index, buffer) in pool.buffers(&self.slots[..buffers]).enumerate() {
            match index {
                0 => add(&buffer[..first]),
                _ => add(&buffer[headers..headers + payload]),
            }
        }
        add(&self.overflow);
    }
}
