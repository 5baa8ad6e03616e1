//! Where packets lie while they wait.

use earlydrop::packet::{Ecn, FlowKey, Packet};

use crate::gso::PartialChecksum;
use crate::packet::Header;

/// Where in its buffer a packet lies, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Offsets {
    /// The packet's beginning.
    pub(crate) at: u8,
    /// What stands before it and crosses with it: the header of its link layer.
    pub(crate) link: u8,
}

/// What queues move around: where a packet lies, and what was read of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) slot: u32,
    pub(crate) offsets: Offsets,
    pub(crate) header: Header,
    /// To be marked when it leaves.
    pub(crate) marked: bool,
    /// Its checksum, where the kernel has left that undone.
    pub(crate) checksum: Option<PartialChecksum>,
    /// Which of a burst's segments it is, where it was cut from one.
    pub(crate) segment: Option<Segment>,
}

/// A segment of a burst.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    /// The burst's number.
    pub(crate) burst: u32,
    /// Its place there.
    pub(crate) index: u16,
    /// Bytes of headers before its payload.
    pub(crate) headers: u16,
}

impl Frame {
    /// A packet at the beginning of its buffer.
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

    /// The same packet, in_own_thread in its buffer.
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

/// Buffers of one size, made once.
#[derive(Debug)]
pub(crate) struct Pool {
    bytes: Vec<u8>,
    free: Vec<u32>,
}

/// The most buffers that are made: a gigabyte of them.
pub(crate) const MAX_BUFFERS: usize = 1 << 19;

/// More than any packet of the devices takes, so that one that is too long is seen to be.
pub(crate) const SLOT: usize = 2048;

impl Pool {
    /// So many buffers. The system gives memory only to those that are used.
    pub(crate) fn new(slots: u32) -> Pool {
        Pool {
            bytes: vec![0; slots as usize * SLOT],
            free: (0..slots).rev().collect(),
        }
    }

    /// A free buffer: the one given back last, which is in the caches.
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

    /// Several at once: of these slots, which must ascend.
    pub(crate) fn buffers(&mut self, slots: &[u32]) -> impl Iterator<Item = &mut [u8]> {
        let mut buffers = self.bytes.chunks_exact_mut(SLOT);
        let mut next = 0;
        slots.iter().filter_map(move |&slot| {
            let skipped = (slot - next) as usize;
            next = slot + 1;
            buffers.nth(skipped)
        })
    }

    /// The bytes of a packet, to be read only.
    pub(crate) fn bytes(&self, frame: &Frame) -> &[u8] {
        let start = frame.slot as usize * SLOT + usize::from(frame.offsets.at);
        &self.bytes[start..start + frame.header.length as usize]
    }

    /// The bytes of a packet.
    pub(crate) fn packet(&mut self, frame: &Frame) -> &mut [u8] {
        let at = usize::from(frame.offsets.at);
        &mut self.buffer(frame.slot)[at..at + frame.header.length as usize]
    }

    /// The same with its link layer.
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
