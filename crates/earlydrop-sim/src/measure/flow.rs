//! Measurement of a flow: counts, delays, round trips.

use std::sync::Arc;

use earlydrop::packet::{Ecn, Packet as _};
use earlydrop::units::Nanos;

use super::queue::ratio;
use super::{Distribution, FlowResult, Recorder};
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
    /// Delays and round trips, where they are measured.
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
    /// One-way delays, and the number of the group whose distribution they enter.
    delays: Option<(Delays, u32)>,
    /// Round trips as acknowledgments measure them.
    round_trips: Option<Delays>,
}

impl FlowMeter {
    /// A meter that also measures delays, for the distribution of the group of this number, and
    /// round trips, where asked to.
    pub fn new(delays_of: Option<u32>, round_trips: bool) -> FlowMeter {
        let mut meter = FlowMeter::default();
        if delays_of.is_some() || round_trips {
            meter.details = Some(Box::new(Details {
                delays: delays_of.map(|group| (Delays::default(), group)),
                round_trips: round_trips.then(Delays::default),
            }));
        }
        meter
    }

    /// Counts a packet of data that arrives at `at`, while the flow is measured.
    #[inline(always)]
    pub(crate) fn record_arrival(
        &mut self,
        groups: &mut GroupDelays,
        packet: &Packet,
        at: Nanos,
        timing: &Timing,
    ) {
        if at >= timing.middle && self.goodput_before == 0 {
            self.goodput_before = self.goodput_bytes + 1;
        }
        let delay = || at.since(packet.stamp(at));
        self.record_data(groups, packet.size(), packet.ecn() == Ecn::Ce, delay);
    }

    /// Counts a packet of data of `size` bytes that arrives `delay` after it was sent, while the
    /// flow is measured.
    #[inline(always)]
    pub fn record_data(
        &mut self,
        groups: &mut GroupDelays,
        size: u32,
        marked: bool,
        delay: impl FnOnce() -> Nanos,
    ) {
        self.received += 1;
        self.received_bytes += u64::from(size);
        if marked {
            self.marked += 1;
        }
        if let Some(Details {
            delays: Some((delays, group)),
            ..
        }) = self.details.as_deref_mut()
        {
            let delay = delay();
            delays.record(delay);
            if let Some(recorder) = groups.recorders.get_mut(*group as usize) {
                recorder.record(delay);
            }
        }
    }

    /// Records the round trip of a segment sent at `sent`, whose acknowledgment arrives at `at`.
    #[inline(always)]
    pub(crate) fn record_round_trip(&mut self, sent: Nanos, at: Nanos) {
        if let Some(Details {
            round_trips: Some(round_trips),
            ..
        }) = self.details.as_deref_mut()
        {
            round_trips.record(at.since(sent));
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
            delays: details.delays.map(|(delays, _)| delays),
            round_trips: details.round_trips,
            left_out: 0,
        }
    }
}

/// The distributions of the one-way delays of groups of flows, where delays are measured.
///
/// A histogram for each flow would take more memory than all else of it, and a packet would miss
/// the caches for it.
#[derive(Clone, Debug, Default)]
pub struct GroupDelays {
    names: Vec<Arc<str>>,
    recorders: Vec<Recorder>,
}

impl GroupDelays {
    /// The number of the group of this name, which is added if it is new.
    pub fn number_of(&mut self, name: &Arc<str>) -> u32 {
        let known = self.names.iter().rposition(|known| known == name);
        let number = known.unwrap_or_else(|| {
            self.names.push(name.clone());
            self.recorders.push(Recorder::to_digits(2));
            self.names.len() - 1
        });
        number as u32
    }

    /// Each group's name and what was recorded of it.
    pub fn finish(self) -> Vec<(Arc<str>, Distribution)> {
        let recorded = self.recorders.into_iter().map(Recorder::finish);
        self.names.into_iter().zip(recorded).collect()
    }
}

/// Statistics of a flow's one-way delays (queueing and propagation), or of its round trips, from
/// exact sums.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Delays {
    count: u64,
    /// The last delay, nanoseconds.
    last: u64,
    /// Sums of delays, of their squares, and of |difference| between each delay and the next, in
    /// nanoseconds.
    sum: u128,
    squares: u128,
    differences: u128,
}

impl Delays {
    /// Delays beyond this, which is 13 days, count as this: 2^28 of their squares fit into the sum.
    const LONGEST: u64 = 1 << 50;

    #[inline(always)]
    pub(crate) fn record(&mut self, delay: Nanos) {
        let delay = delay.0.min(Self::LONGEST);
        let difference = if self.count == 0 {
            0
        } else {
            delay.abs_diff(self.last)
        };
        self.count += 1;
        self.last = delay;
        self.sum += u128::from(delay);
        self.squares = self
            .squares
            .saturating_add(u128::from(delay) * u128::from(delay));
        self.differences += u128::from(difference);
    }

    /// Adds the statistics of other packets.
    pub fn add(&mut self, other: &Delays) {
        self.count += other.count;
        self.sum += other.sum;
        self.squares = self.squares.saturating_add(other.squares);
        self.differences += other.differences;
    }

    /// Number of delays recorded.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Mean, seconds; zero when nothing was recorded.
    pub fn mean(&self) -> f64 {
        ratio(self.sum as f64, self.count as f64) * 1e-9
    }

    /// Variance, seconds squared.
    ///
    /// With a sum of q n + r, the squared distances from the mean add up to
    /// squares - q (sum + r) - r^2 / n, of which all but the last term is a whole number.
    pub fn variance(&self) -> f64 {
        if self.count < 2 {
            return 0.0;
        }
        let count = u128::from(self.count);
        let (mean, rest) = (self.sum / count, self.sum % count);
        let about = self.squares.saturating_sub(mean * (self.sum + rest));
        let exact = about as f64 - (rest as f64) * (rest as f64) / self.count as f64;
        exact.max(0.0) / (self.count - 1) as f64 * 1e-18
    }

    /// Jitter, seconds: the mean |difference| between one packet's delay and the next's. RFC 3550
    /// defines a running estimate of it.
    pub fn jitter(&self) -> f64 {
        if self.count < 2 {
            return 0.0;
        }
        self.differences as f64 / (self.count - 1) as f64 * 1e-9
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
        // The sums are exact: an offset of a day changes no digit of the variance.
        let mut later = Delays::default();
        for millis in [10, 20, 30] {
            later.record(Nanos::from_millis(86_400_000 + millis));
        }
        assert_eq!(later.variance(), delays.variance());
        let (mut one, mut other) = (delays, Delays::default());
        other.record(Nanos::from_millis(40));
        one.add(&other);
        assert!((one.mean() - 0.025).abs() < 1e-12 && one.count() == 4);
    }
}
