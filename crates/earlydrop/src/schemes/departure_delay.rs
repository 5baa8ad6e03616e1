//! How PIE measures the queueing delay at departures: by an estimate of the rate, or by the last
//! packet that left.

use crate::units::Nanos;

/// An estimate of the departure rate, measured while the queue is long enough (section 5.2).
#[derive(Clone, Debug)]
pub(crate) struct RateEstimator {
    threshold: u64,
    measuring_since: Option<Nanos>,
    counted: u64,
    /// Average time of a measurement over `threshold`; 0 before the first.
    pub(crate) secs_per_byte: f64,
}

impl RateEstimator {
    pub(crate) fn new(threshold: u64) -> RateEstimator {
        RateEstimator {
            threshold,
            measuring_since: None,
            counted: 0,
            secs_per_byte: 0.0,
        }
    }

    /// Goes on with the measurement of `old`.
    pub(crate) fn continue_from(&mut self, old: RateEstimator) {
        let threshold = self.threshold;
        *self = RateEstimator { threshold, ..old };
    }

    /// Counts a departure of `size` bytes that leaves `backlog` bytes behind.
    pub(crate) fn on_departure(&mut self, now: Nanos, size: u32, backlog: u64) {
        if self.measuring_since.is_none() && backlog >= self.threshold {
            self.measuring_since = Some(now);
            self.counted = 0;
        }
        let Some(since) = self.measuring_since else {
            return;
        };
        self.counted += u64::from(size);
        if self.counted < self.threshold {
            return;
        }
        let sample = now.since(since).as_secs_f64() / self.threshold as f64;
        self.secs_per_byte = if self.secs_per_byte == 0.0 {
            sample
        } else {
            // The RFC's weight: 16,384/2^16.
            0.75 * self.secs_per_byte + 0.25 * sample
        };
        self.counted = 0;
        self.measuring_since = (backlog >= self.threshold).then_some(now);
    }
}

/// The delay that Linux takes: of the last packet that left.
#[derive(Clone, Debug, Default)]
pub(crate) struct LastDeparture {
    pub(crate) delay: Nanos,
    /// `None` before the first since the burst allowance was reset.
    pub(crate) at: Option<Nanos>,
}

/// A time in whole ticks of 64 ns, as Linux's qdiscs keep it.
pub(crate) fn in_ticks(time: Nanos) -> Nanos {
    Nanos(time.0 & !63)
}
