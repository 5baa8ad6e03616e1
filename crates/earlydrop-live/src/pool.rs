//! Packet buffers, allocated once, and the frames that refer to them.

use earlydrop::packet::{Ecn, FlowKey, Packet};

use crate::gso::PartialChecksum;
use crate::packet::Header;

/// Position of a packet in its buffer, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Offsets {
    /// Start of the IP packet.
    pub(crate) at: u8,
    /// Length of the link-layer header in front of it, which is forwarded as well.
    pub(crate) link: u8,
}

/// A packet as queues handle it: its buffer and what was parsed from it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) slot: u32,
    pub(crate) offsets: Offsets,
    pub(crate) header: Header,
    /// Whether to set CE when the packet leaves.
    pub(crate) marked: bool,
    /// The partial checksum, if the kernel left one.
    pub(crate) checksum: Option<PartialChecksum>,
    /// Position in the GSO packet from which it was cut.
    pub(crate) segment: Option<Segment>,
}

/// Position of a segment in its GSO packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    /// Number of the GSO packet.
    pub(crate) burst: u32,
    /// Index of the segment.
    pub(crate) index: u16,
    /// Length of the headers before the payload, in bytes.
    pub(crate) headers: u16,
}

impl Frame {
    /// A packet at the beginning of buffer `slot`.
    pub(crate) fn new(slot: u32, header: Header) -> Frame {
        Frame {
            slot,
            offsets: Offsets::default(),
            header,
            marked: false,
            checksum: None,
            segment: None,
        }
    }

    /// Sets the packet's position in its buffer.
    pub(crate) fn with_offsets(self, offsets: Offsets) -> Frame {
        Frame { offsets, ..self }
    }
}

impl Packet for Frame {
    fn size(&self) -> u32 {
        self.header.length
    }
    fn flow(&self) -> FlowKey {
        self.header.flow
    }
    fn ecn(&self) -> Ecn {
        self.header.ecn
    }
    fn mark(&mut self) {
        self.header.ecn = Ecn::Ce;
        self.marked = true;
    }
    fn class(&self) -> u8 {
        self.header.class
    }
}

/// A pool of equal buffers.
#[derive(Debug)]
pub(crate) struct Pool {
    bytes: Vec<u8>,
    free: Vec<u32>,
}

/// Largest number of buffers: one gigabyte.
pub(crate) const MAX_BUFFERS: usize = 1 << 19;

/// Length of a buffer, in bytes: more than any device's packet, so that one that is too long
/// is detected.
pub(crate) const SLOT: usize = 2048;

impl Pool {
    /// A pool of so many buffers. The system provides memory only for those that are used.
    pub(crate) fn new(slots: u32) -> Pool {
        Pool {
            bytes: vec![0; slots as usize * SLOT],
            free: (0..slots).rev().collect(),
        }
    }

    /// Takes a free buffer: the one returned last, which is likely in the CPU cache.
    pub(crate) fn take(&mut self) -> Option<u32> {
        self.free.pop()
    }

    pub(crate) fn give_back(&mut self, slot: u32) {
        self.free.push(slot);
    }

    pub(crate) fn buffer(&mut self, slot: u32) -> &mut [u8] {
        let start = slot as usize * SLOT;
        &mut self.bytes[start..start + SLOT]
    }

    /// Several buffers at once; `slots` must ascend.
    pub(crate) fn buffers(&mut self, slots: &[u32]) -> impl Iterator<Item = &mut [u8]> {
        let mut buffers = self.bytes.chunks_exact_mut(SLOT);
        let mut next = 0;
        slots.iter().filter_map(move |&slot| {
            let skipped = (slot - next) as usize;
            next = slot + 1;
            buffers.nth(skipped)
        })
    }

    /// The IP packet, read-only.
    pub(crate) fn bytes(&self, frame: &Frame) -> &[u8] {
        let start = frame.slot as usize * SLOT + usize::from(frame.offsets.at);
        &self.bytes[start..start + frame.header.length as usize]
    }

    /// The IP packet.
    pub(crate) fn packet(&mut self, frame: &Frame) -> &mut [u8] {
        let at = usize::from(frame.offsets.at);
        &mut self.buffer(frame.slot)[at..at + frame.header.length as usize]
    }

    /// The packet with its link-layer header.
    pub(crate) fn whole(&mut self, frame: &Frame) -> &mut [u8] {
        let Offsets { at, link } = frame.offsets;
        let end = usize::from(at) + frame.header.length as usize;
        &mut self.buffer(frame.slot)[usize::from(at - link)..end]
    }

    #[cfg(test)]
    pub(crate) fn free(&self) -> usize {
        self.free.len()
    }
}
