//! Packets in flight whose arrival times are known but not in order, because flows have
//! different delays.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use earlydrop::units::Nanos;

use crate::pool::Frame;

/// Packets ordered by arrival time; ties in the order they were added.
#[derive(Debug)]
pub(crate) struct InFlight {
    heap: BinaryHeap<Packet>,
    /// Number of packets added so far.
    count: u64,
}

#[derive(Debug)]
struct Packet {
    due: Nanos,
    number: u64,
    frame: Frame,
}

impl Packet {
    fn order(&self) -> (Nanos, u64) {
        (self.due, self.number)
    }
}

// `BinaryHeap` is a max-heap, so the earliest must compare greatest.
impl Ord for Packet {
    fn cmp(&self, other: &Packet) -> Ordering {
        other.order().cmp(&self.order())
    }
}

impl PartialOrd for Packet {
    fn partial_cmp(&self, other: &Packet) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Packet {
    fn eq(&self, other: &Packet) -> bool {
        self.order() == other.order()
    }
}

impl Eq for Packet {}

impl InFlight {
    /// Allocates room for so many packets.
    pub(crate) fn new(room: u32) -> InFlight {
        InFlight {
            heap: BinaryHeap::with_capacity(room as usize),
            count: 0,
        }
    }

    pub(crate) fn push(&mut self, due: Nanos, frame: Frame) {
        let number = self.count;
        self.count += 1;
        self.heap.push(Packet { due, number, frame });
    }

    /// Removes the next packet that has arrived by `now`, with its arrival time.
    pub(crate) fn pop(&mut self, now: Nanos) -> Option<(Nanos, Frame)> {
        if self.next() > now {
            return None;
        }
        let first = self.heap.pop()?;
        Some((first.due, first.frame))
    }

    /// Arrival time of the next packet.
    pub(crate) fn next(&self) -> Nanos {
        self.heap.peek().map_or(Nanos::NEVER, |first| first.due)
    }

    /// All packets, in no particular order.
    pub(crate) fn frames(&self) -> impl Iterator<Item = &Frame> {
        self.heap.iter().map(|packet| &packet.frame)
    }
}
