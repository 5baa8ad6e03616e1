//! Rounds: windows of data, delimited by counting acknowledged segments.

use super::events::AckSample;

/// One window of data: it begins with some segments in flight, and ends when as many were
/// acknowledged.
///
/// The RFCs note the next sequence number to be sent and wait until it is acknowledged. Without loss
/// both agree. While a loss is repaired the count goes on, and the number waits for the repair.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Round {
    /// Segments still to be acknowledged.
    left: u32,
}

impl Round {
    /// Counts an acknowledgment; returns whether the round ends with it. It does before the
    /// first [`Round::begin`].
    pub(super) fn ends_with(&mut self, ack: &AckSample) -> bool {
        self.left = self.left.saturating_sub(ack.segments);
        self.left == 0
    }

    /// Begins the next round with `in_flight` segments in flight, at least one.
    pub(super) fn begin(&mut self, in_flight: u32) {
        self.left = in_flight.max(1);
    }
}
