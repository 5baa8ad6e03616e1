//! `cwnd` and `ssthresh` that grow as Reno's (RFC 5681) and are multiplied by any factor on
//! congestion (RFC 8257): for DCTCP and the scalable controller.

use super::events::Windows;

/// Segments one acknowledgment may add in slow start, so that one that fills a hole causes no
/// burst: L of RFC 3465, 2.2.
pub(super) const ABC_LIMIT: u32 = 2;

/// The least `ssthresh`, segments (RFC 5681, 3.1, equation 4).
const MIN_SSTHRESH: f64 = 2.0;

/// Three quarters of `cwnd` in whole segments, which `ssthresh` is at least after an idle time and
/// after an undo (Linux: `tcp_current_ssthresh`).
pub(in crate::tcp) fn three_quarters(cwnd: f64) -> f64 {
    f64::from((cwnd as u32 >> 1) + (cwnd as u32 >> 2))
}

/// `cwnd` with additive increase and multiplicative decrease.
#[derive(Clone, Copy, Debug)]
pub(super) struct Aimd {
    /// Congestion window, segments.
    pub(super) cwnd: f64,
    /// Slow-start threshold, segments.
    pub(super) ssthresh: f64,
}

impl Aimd {
    /// Starts with this `cwnd` and `ssthresh`; `None` for slow start until congestion.
    pub(super) fn new(cwnd: f64, ssthresh: Option<f64>) -> Aimd {
        Aimd {
            cwnd: cwnd.max(1.0),
            ssthresh: ssthresh.unwrap_or(f64::INFINITY).max(MIN_SSTHRESH),
        }
    }

    /// Whether `cwnd` is below `ssthresh`.
    pub(super) fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// Grows `cwnd` for `segments` acknowledged: by each of them in slow start, by
    /// `increase / cwnd` for each in congestion avoidance (RFC 5681, 3.1).
    pub(super) fn grow(&mut self, segments: f64, increase: f64) {
        let room = self.ssthresh - self.cwnd;
        if room <= 0.0 {
            self.cwnd += increase * segments / self.cwnd;
            return;
        }
        let added = segments.min(f64::from(ABC_LIMIT));
        self.cwnd = if added <= room {
            self.cwnd + added
        } else {
            self.ssthresh + increase * (added - room) / self.ssthresh
        };
    }

    /// Sets `cwnd` and `ssthresh` to `factor * cwnd`.
    pub(super) fn reduce(&mut self, factor: f64) {
        self.ssthresh = (self.cwnd * factor).max(MIN_SSTHRESH);
        self.cwnd = self.ssthresh;
    }

    /// Sets `cwnd` to 1 as the retransmission timer expired, and halves `ssthresh` unless that
    /// happened `again` for the same segment (RFC 5681, 3.1).
    pub(super) fn time_out(&mut self, again: bool) {
        if !again {
            self.reduce(0.5);
        }
        self.cwnd = 1.0;
    }

    /// Restores `cwnd` and `ssthresh` of before a reduction, where they were larger.
    pub(super) fn undo(&mut self, before: &Windows) {
        self.cwnd = self.cwnd.max(before.cwnd);
        self.ssthresh = self.ssthresh.max(before.ssthresh);
    }

    /// Limits `cwnd` to `initial` after idleness (RFC 5681, 4.1).
    pub(super) fn restart(&mut self, initial: f64) {
        self.cwnd = self.cwnd.min(initial).max(1.0);
    }
}
