//! The counters of a queue, and the identity between them.

use crate::aqm::DropReason;

/// A number of packets, and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Packets.
    pub packets: u64,
    /// The sum of their lengths on the wire.
    pub bytes: u64,
}

impl Tally {
    /// Counts one packet of `size` bytes.
    #[inline]
    pub fn add(&mut self, size: u32) {
        self.packets += 1;
        self.bytes += u64::from(size);
    }

    /// Counts `packets` packets of `size` bytes each.
    #[inline]
    pub fn add_all(&mut self, packets: u64, size: u32) {
        self.packets += packets;
        self.bytes += packets * u64::from(size);
    }

    /// The difference to `earlier`, a past state of this tally.
    pub fn since(self, earlier: Tally) -> Tally {
        Tally {
            packets: self.packets - earlier.packets,
            bytes: self.bytes - earlier.bytes,
        }
    }

    /// The sum of both.
    pub fn plus(self, other: Tally) -> Tally {
        Tally {
            packets: self.packets + other.packets,
            bytes: self.bytes + other.bytes,
        }
    }
}

/// The packets a queue has received, sent, marked and dropped.
///
/// Always, in packets and in bytes: `arrived = departed + dropped + queued`. Marked packets
/// are also counted under what happens to them next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Enqueued, including those dropped on arrival.
    pub arrived: Tally,
    /// Returned by a dequeue.
    pub departed: Tally,
    /// Marked by this queue, on arrival or on departure.
    pub marked: Tally,
    dropped: [Tally; DropReason::ALL.len()],
}

impl Counters {
    /// Dropped for `reason`.
    pub fn dropped_for(&self, reason: DropReason) -> Tally {
        self.dropped[reason as usize]
    }

    /// Dropped for any reason.
    pub fn dropped(&self) -> Tally {
        self.dropped
            .iter()
            .fold(Tally::default(), |sum, tally| sum.plus(*tally))
    }

    /// Packets that have arrived and neither departed nor been dropped: those in the queue.
    pub fn queued(&self) -> u64 {
        self.arrived.packets - self.departed.packets - self.dropped().packets
    }

    /// The difference to `earlier`, a past state of the same queue's counters.
    pub fn since(&self, earlier: &Counters) -> Counters {
        Counters {
            arrived: self.arrived.since(earlier.arrived),
            departed: self.departed.since(earlier.departed),
            marked: self.marked.since(earlier.marked),
            dropped: core::array::from_fn(|reason| {
                self.dropped[reason].since(earlier.dropped[reason])
            }),
        }
    }

    /// The sum of both, as of one queue.
    pub fn plus(&self, other: &Counters) -> Counters {
        Counters {
            arrived: self.arrived.plus(other.arrived),
            departed: self.departed.plus(other.departed),
            marked: self.marked.plus(other.marked),
            dropped: core::array::from_fn(|reason| {
                self.dropped[reason].plus(other.dropped[reason])
            }),
        }
    }

    /// Counts a packet of `size` bytes that was dropped.
    #[inline]
    pub fn drop(&mut self, reason: DropReason, size: u32) {
        self.dropped[reason as usize].add(size);
    }
}
