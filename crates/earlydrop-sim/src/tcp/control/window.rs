//! A window that grows as Reno's (RFC 5681) and is cut by parts of itself (RFC 8257).

/// Segments one acknowledgment may add in slow start (RFC 3465's L), so that one that
/// fills a hole lets no burst out.
pub(super) const BURST: u32 = 2;

/// The least threshold, in segments.
const LEAST_THRESHOLD: f64 = 2.0;

/// A window and the one at which its slow start ends, in segments.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub(super) size: f64,
    pub(super) threshold: f64,
}

impl Window {
    /// The first window, and the threshold it starts from; `None` for slow start until
    /// congestion.
    pub(super) fn new(size: f64, threshold: Option<f64>) -> Window {
        Window {
            size: size.max(1.0),
            threshold: threshold.unwrap_or(f64::INFINITY).max(LEAST_THRESHOLD),
        }
    }

    /// Whether it is below its threshold.
    pub(super) fn in_slow_start(&self) -> bool {
        self.size < self.threshold
    }

    /// `segments` more were acknowledged: slow start to the threshold, and beyond it
    /// `increase / w` for each.
    pub(super) fn grow(&mut self, segments: f64, increase: f64) {
        let room = self.threshold - self.size;
        if room <= 0.0 {
            self.size += increase * segments / self.size;
            return;
        }
        let added = segments.min(f64::from(BURST));
        self.size = if added <= room {
            self.size + added
        } else {
            self.threshold + increase * (added - room) / self.threshold
        };
    }

    /// Leaves this part of it, and the threshold there.
    pub(super) fn cut_by(&mut self, part: f64) {
        self.threshold = (self.size * part).max(LEAST_THRESHOLD);
        self.size = self.threshold;
    }

    /// The retransmission timer ran out, `again` for the same segment.
    pub(super) fn time_out(&mut self, again: bool) {
        if !again {
            self.cut_by(0.5);
        }
        self.size = 1.0;
    }

    /// Sending starts again after a pause.
    pub(super) fn restart(&mut self, initial: f64) {
        self.size = self.size.min(initial).max(1.0);
    }
}
