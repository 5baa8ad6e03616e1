//! Writes packets to a device. Consecutive segments of one GSO packet that are due together
//! are merged again, as a network card with GRO does.

use std::io::IoSlice;

use earlydrop::units::Nanos;

use crate::device::Device;
use crate::gso::{VNET_HEADER, VnetHeader, merge_segments};
use crate::pool::{Frame, Pool};

/// Largest number of packets in a batch: more segments than a GSO packet of full ones has.
const MAX_PACKETS: usize = 64;

/// Packets are merged only if they are due within this time, a usual setting of cards with
/// GRO. The transmission of 1,500 bytes takes longer at 200 Mbps and less.
const COALESCE_TIME: Nanos = Nanos::from_micros(60);

/// Packets to write with one system call.
#[derive(Debug)]
pub(crate) struct WriteBatch {
    frames: Vec<Frame>,
    /// Time at which each packet is due.
    due: Vec<Nanos>,
}

impl WriteBatch {
    pub(crate) fn new() -> WriteBatch {
        WriteBatch {
            frames: Vec::with_capacity(MAX_PACKETS),
            due: Vec::with_capacity(MAX_PACKETS),
        }
    }

    /// Whether a packet that is due at `due` can be merged with the batch.
    pub(crate) fn accepts(&self, due: Nanos, frame: &Frame) -> bool {
        let (Some(first), Some(last)) = (self.frames.first(), self.frames.last()) else {
            return true;
        };
        let (Some(before), Some(next)) = (last.segment, frame.segment) else {
            return false;
        };
        let is_next_segment = next.burst == before.burst && next.index == before.index + 1;
        // Only the last segment of a GSO packet is shorter.
        let is_full = last.header.length == first.header.length;
        let same_marking = frame.marked == first.marked && frame.header.flow == first.header.flow;
        is_next_segment
            && same_marking
            && is_full
            && due.since(self.due[0]) <= COALESCE_TIME
            && self.frames.len() < MAX_PACKETS
    }

    pub(crate) fn add(&mut self, due: Nanos, frame: Frame) {
        self.frames.push(frame);
        self.due.push(due);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// Removes all packets, each with the time it was due.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = (Nanos, Frame)> {
        self.due.drain(..).zip(self.frames.drain(..))
    }

    /// Writes the batch to `device`; returns whether the device accepted it.
    pub(crate) fn write(&self, device: &Device, pool: &mut Pool) -> bool {
        let [first, others @ ..] = &self.frames[..] else {
            return true;
        };
        let device = match device {
            Device::Tun(tun) => tun,
            // Frames of a packet socket are never merged, so there are no others.
            Device::Socket(_) => return device.write(pool.whole(first)),
        };
        let vnet = self.vnet_header(pool);
        let begin = [&vnet, pool.bytes(first)].map(IoSlice::new);
        if others.is_empty() {
            return device.write_parts(&begin);
        }
        let payload_of = |frame: &Frame| {
            let headers = frame.segment.map_or(0, |segment| segment.headers);
            IoSlice::new(&pool.bytes(frame)[usize::from(headers)..])
        };
        let mut parts = begin.into_iter().chain(others.iter().map(payload_of));
        let parts: [IoSlice<'_>; MAX_PACKETS + 1] =
            std::array::from_fn(|_| parts.next().unwrap_or(IoSlice::new(&[])));
        device.write_parts(&parts[..self.frames.len() + 1])
    }

    /// The virtio header of the batch. Turns the first packet's headers into those of the
    /// merged packet.
    fn vnet_header(&self, pool: &mut Pool) -> [u8; VNET_HEADER] {
        let [first, .., last] = &self.frames[..] else {
            let checksum = self.frames.first().and_then(|frame| frame.checksum);
            return VnetHeader {
                checksum,
                gso: None,
            }
            .bytes(0);
        };
        let (Some(checksum), Some(segment)) = (first.checksum, first.segment) else {
            return [0; VNET_HEADER];
        };
        let headers = usize::from(segment.headers);
        let payload = first.header.length as usize - headers;
        let of = |frame: &Frame| frame.header.length as usize - headers;
        let length = headers + self.frames.iter().map(of).sum::<usize>();
        let mut last_headers = [0; crate::gso::MAX_HEADERS];
        last_headers[..headers].copy_from_slice(&pool.bytes(last)[..headers]);
        let vnet = merge_segments(pool.packet(first), checksum, length, payload, &last_headers);
        vnet.bytes(segment.headers)
    }
}
