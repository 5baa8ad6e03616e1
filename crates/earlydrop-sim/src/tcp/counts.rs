//! What a sender counts.

/// Counts of what a sender did since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderCounts {
    /// Segments sent, retransmissions included.
    pub segments: u32,
    /// Segments retransmitted.
    pub retransmissions: u32,
    /// Times the retransmission timer expired with segments outstanding.
    pub timeouts: u32,
    /// Losses detected without the timer: fast retransmits and SACK recoveries.
    pub recoveries: u32,
    /// Times `cwnd` was reduced for a congestion mark.
    pub marks: u32,
}

impl SenderCounts {
    /// The difference to `earlier`, a state of the same sender.
    pub fn since(&self, earlier: &SenderCounts) -> SenderCounts {
        self.zip(earlier, |now, before| now - before)
    }

    /// The sum of two senders' counts.
    pub fn plus(&self, other: &SenderCounts) -> SenderCounts {
        self.zip(other, |one, other| one + other)
    }

    fn zip(&self, other: &SenderCounts, join: fn(u32, u32) -> u32) -> SenderCounts {
        SenderCounts {
            segments: join(self.segments, other.segments),
            retransmissions: join(self.retransmissions, other.retransmissions),
            timeouts: join(self.timeouts, other.timeouts),
            recoveries: join(self.recoveries, other.recoveries),
            marks: join(self.marks, other.marks),
        }
    }
}

/// The part of [`SenderCounts`] that a sender stores: the number of segments follows from
/// their sequence numbers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counters {
    pub(super) retransmissions: u32,
    pub(super) timeouts: u32,
    pub(super) recoveries: u32,
    pub(super) marks: u32,
}
