//! What is measured of a flow.

use std::sync::Arc;

use earlydrop::packet::{Ecn, Packet as _};
use earlydrop::units::Nanos;

use super::Distribution;
use super::queue::ratio;
use crate::packet::Packet;
use crate::results::FlowResult;
use crate::tcp::SenderCounts;

/// The part of a run that is measured, for what happens at a given time.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// When the warm-up is over.
    pub from: Nanos,
    /// When the run is over.
    pub end: Nanos,
}

impl Timing {
    /// Whether what happens at `at` counts.
    #[inline]
    pub fn counts(&self, at: Nanos) -> bool {
        at >= self.from && at < self.end
    }

    /// Whether there was a warm-up, and it is over by `at`.
    #[inline]
    pub(crate) fn warmed_up_by(&self, at: Nanos) -> bool {
        self.from > Nanos::ZERO && at >= self.from
    }
}

/// What is counted of one flow while it is measured; what every packet needs first.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub struct FlowMeter {
    /// What few runs measure.
    pub(crate) more: Option<Box<More>>,
    /// Packets of data that arrived.
    pub(crate) received: u64,
    /// Payload that had not arrived before.
    pub(crate) goodput_bytes: u64,
    /// Bytes on the wire of the packets that arrived.
    pub(crate) received_bytes: u64,
    /// Packets of data that arrived marked.
    pub(crate) marked: u64,
    /// Packets of data lost on the way; the simulator counts them elsewhere.
    pub(crate) lost: u64,
}

/// What is measured of a flow only where it was asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct More {
    pub(crate) delays: Option<Box<Delays>>,
    pub(crate) round_trips: Option<Box<Delays>>,
}

impl FlowMeter {
    /// A meter of what was asked for.
    pub fn new(delays: bool, round_trips: bool) -> FlowMeter {
        let mut meter = FlowMeter::default();
        if delays || round_trips {
            meter.more = Some(Box::new(More {
                delays: delays.then(Box::default),
                round_trips: round_trips.then(Box::default),
            }));
        }
        meter
    }

    /// A packet of data has arrived at `at` while the flow is measured.
    #[inline(always)]
    pub(crate) fn arrived(&mut self, packet: &Packet, at: Nanos) {
        let delay = || at.since(packet.stamp(at));
        self.data_arrived(packet.size(), packet.ecn() == Ecn::Ce, delay);
    }

    /// A packet of data of `size` bytes has arrived while the flow is measured, marked or
    /// not, `delay` after it was sent.
    #[inline(always)]
    pub fn data_arrived(&mut self, size: u32, marked: bool, delay: impl FnOnce() -> Nanos) {
        self.received += 1;
        self.received_bytes += u64::from(size);
        if marked {
            self.marked += 1;
        }
        if let Some(more) = &mut self.more {
            more.delayed(delay());
        }
    }

    /// A packet of data was lost while the flow is measured.
    #[inline]
    pub fn data_lost(&mut self) {
        self.lost += 1;
    }

    /// An acknowledgment of a segment sent at `sent` has come at `at`.
    #[inline(always)]
    pub(crate) fn went_round(&mut self, sent: Nanos, at: Nanos) {
        if let Some(more) = &mut self.more {
            more.went_round(sent, at);
        }
    }

    /// What a flow of `group` did on the way, measured for so many seconds; what its ends
    /// did is left to whoever knows them.
    pub fn result(&mut self, group: &Arc<str>, seconds: f64) -> FlowResult {
        let more = self.more.take().unwrap_or_default();
        FlowResult {
            group: group.clone(),
            received: self.received,
            throughput: ratio(8.0 * self.received_bytes as f64, seconds),
            goodput: ratio(8.0 * self.goodput_bytes as f64, seconds),
            lost: self.lost,
            marked: self.marked,
            sender: SenderCounts::default(),
            smoothed_rtt: Nanos::ZERO,
            delays: more.delays.map(|boxed| *boxed),
            round_trips: more.round_trips.map(|boxed| *boxed),
            left_out: 0,
        }
    }
}

impl More {
    #[inline(never)]
    fn delayed(&mut self, delay: Nanos) {
        if let Some(delays) = &mut self.delays {
            delays.record(delay);
        }
    }

    #[inline(never)]
    fn went_round(&mut self, sent: Nanos, at: Nanos) {
        if let Some(round_trips) = &mut self.round_trips {
            round_trips.record(at.since(sent));
        }
    }
}

/// One-way delays of a flow's packets, queueing and propagation together, or its round
/// trips. Percentiles are to two significant digits: 20 KB a flow.
#[derive(Clone, Debug)]
pub struct Delays {
    count: u64,
    /// Welford's running mean, and the sum of squared distances from it, in seconds.
    mean: f64,
    squares: f64,
    last: Option<Nanos>,
    /// The steps from one packet's delay to the next's, added up, in seconds.
    steps: f64,
    distribution: Distribution,
}

impl Default for Delays {
    fn default() -> Delays {
        Delays {
            count: 0,
            mean: 0.0,
            squares: 0.0,
            last: None,
            steps: 0.0,
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
            self.steps += (seconds - last.as_secs_f64()).abs();
        }
        self.last = Some(delay);
        self.distribution.record(delay);
    }

    /// Joins what was measured of other packets (Chan, Golub, LeVeque).
    pub fn add(&mut self, other: &Delays) {
        let (own, others) = (self.count as f64, other.count as f64);
        if other.count > 0 {
            let distance = other.mean - self.mean;
            self.count += other.count;
            self.mean += distance * others / (own + others);
            self.squares += other.squares + distance * distance * own * others / (own + others);
            self.steps += other.steps;
            self.distribution.add(&other.distribution);
        }
    }

    /// Packets measured.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The mean, in seconds.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// The variance, in seconds squared.
    pub fn variance(&self) -> f64 {
        if self.count < 2 {
            return 0.0;
        }
        self.squares / (self.count - 1) as f64
    }

    /// Jitter: how much one packet's delay differs from the next's on average, in
    /// seconds. (RFC 3550's is a running estimate of the same.)
    pub fn jitter(&self) -> f64 {
        if self.count < 2 {
            return 0.0;
        }
        self.steps / (self.count - 1) as f64
    }

    /// How the delays are distributed.
    pub fn distribution(&self) -> &Distribution {
        &self.distribution
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_and_jitter_worked_by_hand() {
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
