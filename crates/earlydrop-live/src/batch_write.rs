//! Handing packets to a device: those that leave at the same time in a row, cut from one
//! burst, as one packet again, as a network card that gathers what it receives would.

use std::io::IoSlice;

use earlydrop::units::Nanos;

use crate::device::Device;
use crate::gso::{VNET_HEADER, VnetHeader, merge_segments};
use crate::pool::{Frame, Pool};

/// The most packets that go together: more than a burst of full ones has.
const MAX_PACKETS: usize = 64;

/// Packets are joined only when they are due within this of each other: what cards that
/// gather are usually set to. A packet of 1,500 bytes takes longer at 200 Mbps and less.
const COALESCE_TIME: Nanos = Nanos::from_micros(60);

/// Packets that can be handed over together.
#[derive(Debug)]
pub(crate) struct WriteBatch {
    frames: Vec<Frame>,
    /// When each is due.
    due: Vec<Nanos>,
}

impl WriteBatch {
    pub(crate) fn new() -> WriteBatch {
        WriteBatch {
            frames: Vec::with_capacity(MAX_PACKETS),
            due: Vec::with_capacity(MAX_PACKETS),
        }
    }

    /// Whether this one, which is due then, can go with the others.
    pub(crate) fn accepts(&self, due: Nanos, frame: &Frame) -> bool {
        let (Some(first), Some(last)) = (self.frames.first(), self.frames.last()) else {
            return true;
        };
        let (Some(before), Some(next)) = (last.segment, frame.segment) else {
            return false;
        };
        let is_next_segment = next.burst == before.burst && next.index == before.index + 1;
        // Only what a burst ends with is shorter.
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

    /// Lets all go, each with when it was due.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = (Nanos, Frame)> {
        self.due.drain(..).zip(self.frames.drain(..))
    }

    /// Hands all to `device`; answers whether it took them.
    pub(crate) fn write(&self, device: &Device, pool: &mut Pool) -> bool {
        let [first, others @ ..] = &self.frames[..] else {
            return true;
        };
        let device = match device {
            Device::Tun(tun) => tun,
            // Nothing is cut there, so there are no others.
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

    /// What is to be said of them; of several the first one's headers become those of all.
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
