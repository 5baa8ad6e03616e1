//! Arithmetic on sequence numbers, and a sender's sequence space.

/// How many segments lie from number `from` up to `to`, which is at or after it.
///
/// RFC 9293, 3.4: "Since the space is finite, all arithmetic dealing with sequence numbers must be
/// performed modulo 2**32." Numbers more than half of the space apart are in the wrong order.
#[inline(always)]
pub(super) fn distance(from: u32, to: u32) -> u32 {
    let distance = to.wrapping_sub(from);
    debug_assert!(distance <= 1 << 31, "{to} comes before {from}");
    distance
}

/// A sender's sequence space (RFC 9293, 3.3.1), in segments.
///
/// ```text
/// iss ... snd_una ... snd_nxt ... snd_max ... data_end
///         |-- in flight --|
/// ```
/// `snd_nxt` lies below `snd_max` while segments are retransmitted after a timeout.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct SequenceSpace {
    /// The oldest unacknowledged number (SND.UNA).
    pub(super) snd_una: u32,
    /// The number to send next (SND.NXT).
    pub(super) snd_nxt: u32,
    /// Numbers below it may be sent now.
    pub(super) snd_limit: u32,
    /// The highest number sent so far, plus one.
    pub(super) snd_max: u32,
    /// Where the application's data ends.
    pub(super) data_end: u32,
    /// The first number of the connection (ISS).
    pub(super) iss: u32,
}

impl SequenceSpace {
    /// The space of a connection that starts with number `iss`, with nothing to send.
    pub(super) fn new(iss: u32) -> SequenceSpace {
        SequenceSpace {
            snd_una: iss,
            snd_nxt: iss,
            snd_limit: iss,
            snd_max: iss,
            data_end: iss,
            iss,
        }
    }

    /// Segments sent since the last timeout and not acknowledged cumulatively (RFC 5681,
    /// FlightSize).
    #[inline(always)]
    pub(super) fn flight_size(&self) -> u32 {
        distance(self.snd_una, self.snd_nxt)
    }

    /// Whether all that was sent is acknowledged.
    #[inline(always)]
    pub(super) fn all_acked(&self) -> bool {
        self.snd_una == self.snd_max
    }

    /// Whether the connection's first data segment is the oldest unacknowledged: ns-2 finds a
    /// loss there whatever `recover` says.
    #[inline]
    pub(super) fn una_is_first_data(&self) -> bool {
        self.snd_una == self.iss + 1
    }

    /// Moves `snd_una` to `next`; returns how many segments that acknowledges.
    #[inline(always)]
    pub(super) fn advance_una(&mut self, next: u32) -> u32 {
        let segments = distance(self.snd_una, next);
        self.snd_una = next;
        self.snd_nxt = self.snd_nxt.max(next);
        segments
    }

    /// Goes back to the oldest unacknowledged segment: all after it is retransmitted, in
    /// slow start (go-back-N).
    #[inline]
    pub(super) fn rewind_to_una(&mut self) {
        self.snd_nxt = self.snd_una;
    }

    /// Moves `snd_nxt` beyond `number`, which was sent as the scoreboard chose it.
    pub(super) fn advance_nxt(&mut self, number: u32) {
        self.snd_nxt = self.snd_nxt.max(number + 1);
    }

    /// The number after the last that may be sent with `window` segments outstanding.
    #[inline]
    pub(super) fn limit_of(&self, window: u32) -> u32 {
        self.snd_una.saturating_add(window).min(self.data_end)
    }

    /// Lets `window` segments be outstanding.
    #[inline]
    pub(super) fn limit_to(&mut self, window: u32) {
        self.snd_limit = self.limit_of(window);
    }

    /// Lets at most `burst` segments be sent until the next event.
    #[inline]
    pub(super) fn limit_burst(&mut self, burst: u32) {
        self.snd_limit = self.snd_limit.min(self.snd_nxt.saturating_add(burst));
    }
}

#[cfg(test)]
mod tests {
    use super::distance;

    #[test]
    fn distances_are_modulo_the_size_of_the_space() {
        assert_eq!(distance(7, 7), 0);
        assert_eq!(distance(7, 10), 3);
        assert_eq!(distance(u32::MAX - 1, 2), 4);
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "9 comes before 10")]
    fn a_distance_backwards_is_an_error() {
        distance(10, 9);
    }
}
