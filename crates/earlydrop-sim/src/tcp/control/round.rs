//! One window of data, told apart from the next by counting.

use super::Acked;

/// A window of data that began with some segments in flight, and is over when as many
/// were acknowledged.
///
/// The RFCs note the next sequence number to be sent and wait until it is passed. A
/// [`Control`](super::Control) is told no sequence numbers; without loss both agree,
/// and a segment lost and sent again prolongs the window by at most itself.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Round {
    left: u32,
}

impl Round {
    /// Counts an acknowledgment; true when the window is over, as it is before the
    /// first [`Round::begin`].
    pub(super) fn is_over_with(&mut self, acked: &Acked) -> bool {
        self.left = self.left.saturating_sub(acked.segments);
        self.left == 0
    }

    /// Begins the next window with what `in_flight` segments leave, at least one.
    pub(super) fn begin(&mut self, in_flight: u32) {
        self.left = in_flight.max(1);
    }
}
