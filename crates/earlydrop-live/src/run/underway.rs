//! Packets whose time of arrival is known, and which do not arrive in the order in which
//! they became known: those of flows with delays of their own.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use earlydrop::units::Nanos;

use crate::pool::Frame;

/// Packets by when they arrive; those of one moment in the order in which they came.
#[derive(Debug)]
pub(crate) struct Underway {
    heap: BinaryHeap<Traveller>,
    /// Packets so far.
    count: u64,
}

#[derive(Debug)]
struct Traveller {
    due: Nanos,
    number: u64,
    frame: Frame,
}

impl Traveller {
    fn place(&self) -> (Nanos, u64) {
        (self.due, self.number)
    }
}

// The heap's top is its greatest: who comes first.
impl Ord for Traveller {
    fn cmp(&self, other: &Traveller) -> Ordering {
        other.place().cmp(&self.place())
    }
}

impl PartialOrd for Traveller {
    fn partial_cmp(&self, other: &Traveller) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Traveller {
    fn eq(&self, other: &Traveller) -> bool {
        self.place() == other.place()
    }
}

impl Eq for Traveller {}

impl Underway {
    /// Room for so many, without allocating.
    pub(crate) fn new(room: u32) -> Underway {
        Underway {
            heap: BinaryHeap::with_capacity(room as usize),
            count: 0,
        }
    }

    pub(crate) fn push(&mut self, due: Nanos, frame: Frame) {
        let number = self.count;
        self.count += 1;
        self.heap.push(Traveller { due, number, frame });
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
