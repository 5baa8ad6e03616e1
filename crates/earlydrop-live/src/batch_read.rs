//! Reads packets from a device, each into a buffer of its own. A GSO packet from a TUN device
//! is cut into segments while it is read.
//!
//! Zero copy for the usual case: a GSO packet is read with readv(2) as if its segments were as
//! long as those of the previous one. Each segment goes into a buffer with room for headers in
//! front, so no payload is moved. A GSO packet with other segments is reassembled and cut with
//! one copy.

use std::io::{self, IoSliceMut};

use crate::device::{Arrival, Device, Tun};
use crate::gso::{GsoPacket, MAX_HEADERS, VNET_HEADER, VnetHeader};
use crate::packet::Header;
use crate::plan::MTU;
use crate::pool::{Frame, Offsets, Pool, SLOT, Segment};

/// Longest read: a GSO packet has at most 64 KiB.
const MAX_READ: usize = 1 << 16;

/// Segments that are read into buffers of their own: a GSO packet of full segments.
const MAX_SEGMENTS: usize = MAX_READ / 1400;

/// Parts of a scattered read: virtio header, segments, overflow.
const PARTS: usize = 1 + MAX_SEGMENTS + 1;

/// Reads of single packets in a row after which no GSO packet is expected any more.
const BURST_HOLD: u32 = 16;

/// Reads packets from one device.
#[derive(Debug)]
pub(crate) struct BatchReader {
    /// Packets of the last read.
    pub(crate) frames: Vec<Frame>,
    /// Buffers for the next read, in ascending order.
    slots: Vec<u32>,
    /// Receives the bytes that do not fit the buffers.
    overflow: Box<[u8]>,
    /// A whole GSO packet whose segments differ from the expected ones.
    scratch: Box<[u8]>,
    /// Layout of the first segment of the next GSO packet, if that is like the last one.
    expected: SegmentLayout,
    burst_hold: u32,
    bursts: u32,
}

/// Layout of a segment: bytes of headers, bytes of payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SegmentLayout {
    headers: usize,
    payload: usize,
}

/// Result of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReadOutcome {
    /// No packet was waiting.
    Nothing,
    /// Packets for the queue, now in [`BatchReader::frames`]; `unbuffered` more were dropped
    /// because no buffer was free.
    Packets { unbuffered: u64 },
    /// A packet that bypasses the scheme, now in [`BatchReader::frames`].
    Bypass,
    /// Bytes that are no packet.
    Malformed,
    /// A packet longer than the MTU.
    Oversized,
    /// The device has gone down.
    Down,
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

    /// Reads the next packet or GSO packet.
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
            return Ok(match device.read(&mut self.overflow)? {
                None => ReadOutcome::Nothing,
                Some(Arrival::Down) => ReadOutcome::Down,
                Some(_) => ReadOutcome::Packets { unbuffered: 1 },
            });
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
            Arrival::Down => return Ok(ReadOutcome::Down),
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

    /// Reserves so many buffers, or as many as the pool has.
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

    /// Number of bytes that are read into the first of so many buffers.
    fn first_buffer_size(&self, buffers: usize) -> usize {
        match buffers {
            0 => 0,
            1 => SLOT,
            _ => self.expected.headers + self.expected.payload,
        }
    }

    /// Reads into `count` buffers; `PARTS` is at least `count + 2`.
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
            // The packet lies in several buffers, or is longer than one, as its header shows.
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
        self.write_segments(&gso_packet, headers, taken, in_place, pool);
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

    /// Completes the first `taken` segments in their buffers: headers, and payload unless the read
    /// has put it in place.
    fn write_segments(
        &self,
        gso_packet: &GsoPacket,
        headers: &[u8],
        taken: usize,
        in_place: bool,
        pool: &mut Pool,
    ) {
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
    }

    /// Makes frames of the first `taken` buffers; flow, ECN and class are those of `header`.
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

    /// Copies a packet that lies in several buffers and the overflow into `scratch`.
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
