//! Measurement of a flow: counts, delays, round trips.

use std::sync::Arc;

use earlydrop::packet::{Ecn, Packet as _};
use earlydrop::units::Nanos;

use super::queue::ratio;
use super::{Distribution, FlowResult};
use crate::packet::Packet;
use crate::tcp::SenderCounts;

/// The measured part of a run: from the end of the warm-up to the end.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// End of the warm-up.
    pub from: Nanos,
    /// The middle of the time measured.
    pub middle: Nanos,
    /// End of the run.
    pub end: Nanos,
}

impl Timing {
    /// The timing of a run that is measured from a time until its end.
    pub fn new(from: Nanos, end: Nanos) -> Timing {
        let middle = from + Nanos(end.since(from).0 / 2);
        Timing { from, middle, end }
    }

    /// Whether an event at `at` is measured.
    #[inline]
    pub fn counts(&self, at: Nanos) -> bool {
        at >= self.from && at < self.end
    }

    /// Whether there is a warm-up, and it is over by `at`.
    #[inline]
    pub(crate) fn warmed_up_by(&self, at: Nanos) -> bool {
        self.from > Nanos::ZERO && at >= self.from
    }
}

/// Counts of one flow while it is measured. The fields that every packet needs come first.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub struct FlowMeter {
    /// Delays and round trips, which few runs measure.
    pub(crate) details: Option<Box<Details>>,
    /// Packets of data that arrived.
    pub(crate) received: u64,
    /// Bytes of payload that arrived for the first time.
    pub(crate) goodput_bytes: u64,
    /// Bytes on the wire of the packets that arrived.
    pub(crate) received_bytes: u64,
    /// Packets of data that arrived marked.
    pub(crate) marked: u64,
    /// The payload that had arrived when the second half of the time measured began, and one more;
    /// zero until the first packet of that half.
    goodput_before: u64,
}

/// Measurements that a run must ask for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Details {
    /// One-way delays.
    pub(crate) delays: Option<Box<Delays>>,
    /// Round trips as acknowledgments measure them.
    pub(crate) round_trips: Option<Box<Delays>>,
}

impl FlowMeter {
    /// A meter that also measures delays and round trips where asked to.
    pub fn new(delays: bool, round_trips: bool) -> FlowMeter {
        let mut meter = FlowMeter::default();
        if delays || round_trips {
            meter.details = Some(Box::new(Details {
                delays: delays.then(Box::default),
                round_trips: round_trips.then(Box::default),
            }));
        }
        meter
    }

    /// Counts a packet of data that arrives at `at`, while the flow is measured.
    #[inline(always)]
    pub(crate) fn record_arrival(&mut self, packet: &Packet, at: Nanos, timing: &Timing) {
        if at >= timing.middle && self.goodput_before == 0 {
            self.goodput_before = self.goodput_bytes + 1;
        }
        let delay = || at.since(packet.stamp(at));
        self.record_data(packet.size(), packet.ecn() == Ecn::Ce, delay);
    }

    /// Counts a packet of data of `size` bytes that arrives `delay` after it was sent, while the
    /// flow is measured.
    #[inline(always)]
    pub fn record_data(&mut self, size: u32, marked: bool, delay: impl FnOnce() -> Nanos) {
        self.received += 1;
        self.received_bytes += u64::from(size);
        if marked {
            self.marked += 1;
        }
        if let Some(details) = &mut self.details {
            details.record_delay(delay());
        }
    }

    /// Records the round trip of a segment sent at `sent`, whose acknowledgment arrives at `at`.
    #[inline(always)]
    pub(crate) fn record_round_trip(&mut self, sent: Nanos, at: Nanos) {
        if let Some(details) = &mut self.details {
            details.record_round_trip(sent, at);
        }
    }

    /// The result of a flow of `group`, measured for `seconds`. The caller fills in what was lost,
    /// and what only its sender knows.
    pub fn result(&mut self, group: &Arc<str>, seconds: f64) -> FlowResult {
        let details = self.details.take().unwrap_or_default();
        let first = match self.goodput_before {
            0 => self.goodput_bytes,
            before => before - 1,
        };
        let halves = [first, self.goodput_bytes - first];
        FlowResult {
            group: group.clone(),
            received: self.received,
            throughput: ratio(8.0 * self.received_bytes as f64, seconds),
            goodput: ratio(8.0 * self.goodput_bytes as f64, seconds),
            goodput_halves: halves.map(|bytes| ratio(16.0 * bytes as f64, seconds)),
            lost: 0,
            lost_syns: 0,
            lost_control: 0,
            marked: self.marked,
            sender: SenderCounts::default(),
            smoothed_rtt: Nanos::ZERO,
            delays: details.delays.map(|boxed| *boxed),
            round_trips: details.round_trips.map(|boxed| *boxed),
            left_out: 0,
        }
    }
}

impl Details {
    #[inline(never)]
    fn record_delay(&mut self, delay: Nanos) {
        if let Some(delays) = &mut self.delays {
            delays.record(delay);
        }
    }

    #[inline(never)]
    fn record_round_trip(&mut self, sent: Nanos, at: Nanos) {
        if let Some(round_trips) = &mut self.round_trips {
            round_trips.record(at.since(sent));
        }
    }
}

/// Statistics of a flow's one-way delays (queueing and propagation), or of its round trips.
/// Percentiles are to two significant digits, in 20 KB a flow.
#[derive(Clone, Debug)]
pub struct Delays {
    count: u64,
    /// Welford's running mean, and the sum of squared distances from it, in seconds.
    mean: f64,
    squares: f64,
    last: Option<Nanos>,
    /// Sum of |difference| between each delay and the next, seconds.
    differences: f64,
    distribution: Distribution,
}

impl Default for Delays {
    fn default() -> Delays {
        Delays {
            count: 0,
            mean: 0.0,
            squares: 0.0,
            last: None,
            differences: 0.0,
            distribution: Distribution::coarse(),
        }
    }
}

impl Delays {
    pub(crate) fn record(&mut self, delay: Nanos) {
        let seconds = delay.as_secs_f64();
        self.count += 1;
        let distance = seconds - self.mean;
        self.mean += distance / self.count as f64;
        self.squares += distance * (seconds - self.mean);
        if let Some(last) = self.last {
            self.differences += (seconds - last.as_secs_f64()).abs();
        }
        self.last = Some(delay);
        self.distribution.record(delay);
    }

    /// Adds the statistics of other packets (Chan, Golub, LeVeque).
    pub fn add(&mut self, other: &Delays) {
        let (own, others) = (self.count as f64, other.count as f64);
        if other.count > 0 {
            let distance = other.mean - self.mean;
            self.count += other.count;
            self.mean += distance * others / (own + others);
            self.squares += other.squares + distance * distance * own * others / (own + others);
            self.differences += other.differences;
            self.distribution.add(&other.distribution);
        }
    }

    /// Number of delays recorded.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Mean, seconds.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// Variance, seconds squared.
    pub fn variance(&self) -> f64 {
        if self.count < 2 {
            return 0.0;
        }
        self.squares / (self.count - 1) as f64
    }

    /// Jitter, seconds: the mean |difference| between one packet's delay and the next's. RFC 3550
    /// defines a running estimate of it.
    pub fn jitter(&self) -> f64 {
        if self.count < 2 {
            return 0.0;
        }
        self.differences / (self.count - 1) as f64
    }

    /// The distribution of the delays.
    pub fn distribution(&self) -> &Distribution {
        &self.distribution
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_and_jitter_of_three_delays() {
        let mut delays = Delays::default();
        for millis in [10, 20, 30] {
            delays.record(Nanos::from_millis(millis));
        }
        assert!((delays.mean() - 0.020).abs() < 1e-12);
        assert!((delays.variance() - 1e-4).abs() < 1e-12);
        assert!((delays.jitter() - 0.010).abs() < 1e-12);
        assert_eq!(delays.distribution().count(), 3);
    }
}
