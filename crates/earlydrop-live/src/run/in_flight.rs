//! Packets whose time of arrival is known, and which do not arrive in the order in which
//! they became known: those of flows with delays of their own.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use earlydrop::units::Nanos;

use crate::pool::Frame;

/// Packets by when they arrive; those of one moment in the order in which they came.
#[derive(Debug)]
pub(crate) struct InFlight {
    heap: BinaryHeap<Entry>,
    /// Packets so far.
    count: u64,
}

#[derive(Debug)]
struct Entry {
    due: Nanos,
    number: u64,
    frame: Frame,
}

impl Entry {
    fn place(&self) -> (Nanos, u64) {
        (self.due, self.number)
    }
}

// The heap's top is its greatest: who comes first.
impl Ord for Entry {
    fn cmp(&self, other: &Entry) -> Ordering {
        other.place().cmp(&self.place())
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Entry) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Entry) -> bool {
        self.place() == other.place()
    }
}

impl Eq for Entry {}

impl InFlight {
    /// Room for so many, without allocating.
    pub(crate) fn new(room: u32) -> InFlight {
        InFlight {
            heap: BinaryHeap::with_capacity(room as usize),
            count: 0,
        }
    }

    pub(crate) fn push(&mut self, due: Nanos, frame: Frame) {
        let number = self.count;
        self.count += 1;
        self.heap.push(Entry { due, number, frame });
    }

    /// The next that arrives by `now`, and when it does.
    pub(crate) fn pop(&mut self, now: Nanos) -> Option<(Nanos, Frame)> {
        if self.next() > now {
            return None;
        }
        let first = self.heap.pop()?;
        Some((first.due, first.frame))
    }

    /// When the next arrives.
    pub(crate) fn next(&self) -> Nanos {
        self.heap.peek().map_or(Nanos::NEVER, |first| first.due)
    }

    /// All of them, in no order.
    pub(crate) fn frames(&self) -> impl Iterator<Item = &Frame> {
        self.heap.iter().map(|traveller| &traveller.frame)
    }
}
