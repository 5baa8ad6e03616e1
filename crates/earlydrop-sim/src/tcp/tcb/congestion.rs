//! A sender's congestion state: the controller with `cwnd` and `ssthresh`, the send window that
//! follows from them, and where the sender stands in loss recovery.

use crate::tcp::control::{AnyControl, Control};
use crate::tcp::sequence::SequenceSpace;

/// The last congestion event; compare Linux's `tcp_ca_state`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tcp) enum CongestionState {
    /// None since the connection began.
    Open,
    /// `cwnd` was reduced for a loss, which is being repaired.
    FastRecovery,
    /// Fast recovery has ended. Tahoe, which has none, is here as soon as it retransmits.
    Recovered,
    /// The retransmission timer expired.
    Timeout,
    /// `cwnd` was reduced for a mark (ECE).
    Cwr,
}

/// How far `cwnd` was used in the last round trip, by what was in flight after each transmission;
/// compare Linux's `tcp_cwnd_validate`.
///
/// Whether `cwnd` limits the sender is decided when it sends, not when an acknowledgment arrives:
/// in a burst of acknowledgments, only the first would find `cwnd` full.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::tcp) struct CwndUse {
    /// The most segments in flight; [`LIMITED`]: `cwnd` limited the sender.
    max_flight: u32,
    /// What was noted holds until this number is acknowledged.
    until: u32,
}

/// More than is ever in flight.
const LIMITED: u32 = u32::MAX;

impl CwndUse {
    /// Notes what transmissions have left in flight, of `flight` outstanding; `limited`: `cwnd`
    /// allowed no more, or pacing waits.
    #[inline(always)]
    pub(in crate::tcp) fn note(&mut self, seq: &SequenceSpace, flight: u32, limited: bool) {
        let flight = if limited { LIMITED } else { flight };
        if limited || flight > self.max_flight || seq.snd_una >= self.until {
            self.max_flight = flight;
            self.until = seq.snd_max;
        }
    }

    /// Whether a window of `cwnd` segments was in use. In slow start half of it must have been,
    /// since each segment acknowledged adds one. RFC 7661, 4.3: "pipeACK >=(1/2)*cwnd" is the
    /// validated phase.
    #[inline(always)]
    fn limits(&self, cwnd: f64, ssthresh: f64) -> bool {
        let half_used = cwnd < ssthresh && 2.0 * f64::from(self.max_flight) > cwnd;
        half_used || self.max_flight == LIMITED
    }
}

/// What loss recovery and congestion control know of a connection.
#[derive(Clone, Debug)]
#[repr(C)]
pub(in crate::tcp) struct Congestion {
    /// Holds `cwnd` and `ssthresh`.
    pub(in crate::tcp) control: AnyControl,
    /// Segments that may be outstanding: the smaller of `rwnd` and `cwnd` with its inflation,
    /// rounded down. With SACK it is set from RFC 6675's `pipe` instead.
    pub(in crate::tcp) send_window: u32,
    /// Segments by which duplicate ACKs inflate `cwnd` (RFC 5681, 3.2, steps 3, 4).
    pub(in crate::tcp) inflation: i32,
    /// The smallest `snd_una` that shows that a segment sent after the last reduction of
    /// `cwnd` arrived. Segments here are numbered by `snd_una`, the next number expected, so
    /// this is RFC 6582's `recover` (the highest number sent) plus 2.
    pub(in crate::tcp) recover: u32,
    /// Duplicate ACKs in a row, counted up to 65535.
    pub(in crate::tcp) dupacks: u16,
    pub(in crate::tcp) state: CongestionState,
    /// Whether the next segment carries CWR (RFC 3168, 6.1.2).
    pub(in crate::tcp) cwr_pending: bool,
    pub(in crate::tcp) cwnd_use: CwndUse,
}

impl Congestion {
    /// `cwnd` in whole segments.
    #[inline(always)]
    pub(in crate::tcp) fn whole_cwnd(&self) -> u32 {
        self.control.cwnd() as u32
    }

    /// Whether `cwnd` limited the sender within the last round trip, so that it may grow.
    #[inline(always)]
    pub(in crate::tcp) fn is_cwnd_limited(&self) -> bool {
        let (cwnd, ssthresh) = (self.control.cwnd(), self.control.ssthresh());
        self.cwnd_use.limits(cwnd, ssthresh)
    }

    /// Whether a loss is being repaired (RFC 5681, 3.2).
    #[inline]
    pub(in crate::tcp) fn in_fast_recovery(&self) -> bool {
        self.state == CongestionState::FastRecovery
    }

    /// Whether an ACK up to `next` covers a segment sent after the last reduction, so that another
    /// may follow (RFC 6582, 3.2, step 2: "covers more than recover").
    #[inline]
    pub(in crate::tcp) fn covers_more_than_recover(&self, next: u32) -> bool {
        next >= self.recover
    }

    /// Whether an ACK up to `next` covers all that was sent before the last reduction: a full ACK
    /// (RFC 6582, 3.2, step 3).
    #[inline]
    pub(in crate::tcp) fn covers_recover(&self, next: u32) -> bool {
        next + 1 >= self.recover
    }

    /// Counts a duplicate ACK; returns how many came in a row.
    #[inline(always)]
    pub(in crate::tcp) fn count_dupack(&mut self) -> u32 {
        self.dupacks = self.dupacks.saturating_add(1);
        self.dupacks.into()
    }
}
