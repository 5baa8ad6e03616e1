//! Measurement: what a run measures is chosen before it, and costs nothing where it is off.

mod arrivals;
mod fairness;
mod flow;
pub(crate) mod queue;
mod result;

pub(crate) use arrivals::TrafficByGroup;
pub use arrivals::{GroupTraffic, Groups};
pub use fairness::{coefficient_of_variation, jain_index};
pub(crate) use flow::Details;
pub use flow::{Delays, FlowMeter, GroupDelays, Timing};
pub(crate) use queue::QueueProgress;
pub use queue::{MeasuredQueue, QueueMeter, Samples, Work};
pub use result::{FlowResult, HalfOfQueue, PauseResult, QueueResult, SharedBufferResult};

use std::fmt;

use earlydrop::units::Nanos;
use hdrhistogram::Histogram;

use crate::network::LinkId;
use crate::traffic::FlowId;

/// What to measure, and from when on.
///
/// Measuring does not disturb: a run with other choices here sends the same packets at the same
/// times.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measure {
    /// The time at the beginning that is left out of every figure except time series, captures
    /// and the totals of packets sent, delivered and dropped.
    pub warm_up: Nanos,
    /// How long the run goes on after its end, at most, until the transfers that began in the time
    /// measured have ended. Nothing else of this time is measured.
    pub drain: Nanos,
    /// Each flow's packet delays: mean, variance, jitter; percentiles of each group's.
    pub delays: bool,
    /// Each TCP flow's round trips as its acknowledgments measure them: mean, variance, jitter.
    pub round_trips: bool,
    /// The queues whose percentiles of sojourn times are measured. Their mean always is.
    pub sojourn: Option<Queues>,
    /// Interval at which queue lengths and probes are sampled.
    pub sample_every: Option<Nanos>,
    /// The queues of which there are samples, arrivals and departures over time, if of any.
    pub sampled: Queues,
    /// Interval by which the bytes of each group that arrive at each queue are counted.
    pub arrivals_every: Option<Nanos>,
    /// Interval by which the bytes of each group that depart from each queue are counted, when
    /// their transmission begins.
    pub departures_every: Option<Nanos>,
    /// TCP flows whose `cwnd` is sampled, every [`sample_every`](Measure::sample_every).
    pub windows: Vec<FlowId>,
    /// The time within which losses of several flows count as one loss event, usually a
    /// round-trip time; see [`QueueResult`].
    pub loss_event: Option<Nanos>,
    /// Links whose packets are recorded as they leave.
    pub captures: Vec<LinkId>,
    /// Links with a queue whose every arrival, drop and departure is recorded.
    pub packets: Vec<LinkId>,
}

/// Queues that something is measured of.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Queues {
    /// All.
    #[default]
    All,
    /// Those in front of these links.
    Of(Vec<LinkId>),
}

impl Queues {
    /// Whether the queue in front of `link` is one of them.
    pub fn include(&self, link: LinkId) -> bool {
        match self {
            Queues::All => true,
            Queues::Of(links) => links.contains(&link),
        }
    }
}

/// A distribution of times as an HDR histogram: three significant digits, two for the delays of
/// flows.
#[derive(Clone)]
pub struct Distribution {
    histogram: Histogram<u64>,
}

/// Lists each time with how often it was recorded.
impl fmt::Debug for Distribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let recorded = self.histogram.iter_recorded();
        let counted = recorded.map(|value| (value.value_iterated_to(), value.count_at_value()));
        f.debug_map().entries(counted).finish()
    }
}

impl Default for Distribution {
    fn default() -> Distribution {
        let histogram = Histogram::new(3).expect("3 digits are within what it allows");
        Distribution { histogram }
    }
}

impl Distribution {
    /// An empty distribution to two significant digits, in 20 KB instead of 200.
    pub(crate) fn coarse() -> Distribution {
        let histogram = Histogram::new(2).expect("2 digits are within what it allows");
        Distribution { histogram }
    }

    /// Records `span` as often as `times`.
    fn record_all(&mut self, span: Nanos, times: u64) {
        let recorded = self.histogram.record_n(span.0, times);
        recorded.expect("it grows by itself");
    }

    /// Adds what the other has recorded.
    pub fn add(&mut self, other: &Distribution) {
        let added = self.histogram.add(&other.histogram);
        added.expect("both grow by themselves");
    }

    /// Number of times recorded.
    pub fn count(&self) -> u64 {
        self.histogram.len()
    }

    /// The quantile of `share`, 0 to 1; zero when nothing was recorded.
    pub fn quantile(&self, share: f64) -> Nanos {
        Nanos(self.histogram.value_at_quantile(share))
    }

    /// How many times were above `span`, to the digits that are kept.
    pub fn above(&self, span: Nanos) -> u64 {
        self.count() - self.histogram.count_between(0, span.0)
    }

    /// The mean; zero when nothing was recorded.
    pub fn mean(&self) -> Nanos {
        Nanos(self.histogram.mean() as u64)
    }
}

/// Records a [`Distribution`], several times at once: the counts are too large for the caches where
/// there are many, and then the misses of one batch overlap.
#[derive(Clone, Debug)]
pub(crate) struct Recorder {
    waiting: [Nanos; 32],
    filled: usize,
    /// Times of zero, as of packets that find a link free.
    zeros: u64,
    counts: Buckets,
}

impl Default for Recorder {
    /// A recorder to three significant digits.
    fn default() -> Recorder {
        Recorder::to_digits(3)
    }
}

impl Recorder {
    /// A recorder to so many significant digits: 2 or 3.
    pub(crate) fn to_digits(digits: u8) -> Recorder {
        Recorder {
            waiting: [Nanos::ZERO; 32],
            filled: 0,
            zeros: 0,
            counts: Buckets::to_digits(digits),
        }
    }

    #[inline(always)]
    pub(crate) fn record(&mut self, span: Nanos) {
        if span == Nanos::ZERO {
            self.zeros += 1;
            return;
        }
        if self.filled == self.waiting.len() {
            self.empty();
        }
        self.waiting[self.filled] = span;
        self.filled += 1;
    }

    /// Records that many times of zero.
    pub(crate) fn record_zeros(&mut self, times: u64) {
        self.zeros += times;
    }

    /// Counts what waits.
    #[inline(never)]
    fn empty(&mut self) {
        for span in &self.waiting[..self.filled] {
            self.counts.add(span.0);
        }
        self.filled = 0;
    }

    /// Forgets everything recorded.
    pub(crate) fn clear(&mut self) {
        (self.filled, self.zeros) = (0, 0);
        self.counts.counts.clear();
    }

    /// What was recorded.
    pub(crate) fn finish(mut self) -> Distribution {
        self.empty();
        let mut recorded = match self.counts.digits {
            2 => Distribution::coarse(),
            _ => Distribution::default(),
        };
        recorded.record_all(Nanos::ZERO, self.zeros);
        for (value, count) in self.counts.counted() {
            recorded.record_all(Nanos(value), count);
        }
        recorded
    }
}

/// Counts of values in the buckets of an HDR histogram, which costs a tenth of entering each value
/// there.
///
/// Values below 2^bits have a bucket each. Beyond, each doubling is cut into 2^(bits - 1) buckets
/// of equal width, 2^k for values from 2^(bits + k - 1) on; bits is 8 for two significant digits and
/// 11 for three.
#[derive(Clone, Debug)]
struct Buckets {
    digits: u8,
    bits: u32,
    counts: Vec<u64>,
}

impl Buckets {
    fn to_digits(digits: u8) -> Buckets {
        Buckets {
            digits,
            bits: if digits == 2 { 8 } else { 11 },
            counts: Vec::new(),
        }
    }

    /// The number of the bucket of `value`.
    #[inline(always)]
    fn index(&self, value: u64) -> usize {
        let k = (64 - self.bits).saturating_sub((value | 1).leading_zeros());
        ((k as usize) << (self.bits - 1)) + (value >> k) as usize
    }

    /// The least value of a bucket.
    fn least(&self, index: usize) -> u64 {
        let k = (index >> (self.bits - 1)).saturating_sub(1);
        ((index - (k << (self.bits - 1))) as u64) << k
    }

    #[inline(always)]
    fn add(&mut self, value: u64) {
        let index = self.index(value);
        match self.counts.get_mut(index) {
            Some(count) => *count += 1,
            None => self.add_beyond(index),
        }
    }

    /// Counts a value in a bucket beyond the last, up to the end of its doubling.
    #[cold]
    #[inline(never)]
    fn add_beyond(&mut self, index: usize) {
        let end = (index >> (self.bits - 1)) + 1;
        self.counts.resize(end << (self.bits - 1), 0);
        self.counts[index] += 1;
    }

    /// The least value and the count of each bucket that has any.
    fn counted(&self) -> impl Iterator<Item = (u64, u64)> {
        let counted = self
            .counts
            .iter()
            .enumerate()
            .filter(|(_, count)| **count > 0);
        counted.map(|(index, count)| (self.least(index), *count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use earlydrop::random::Pcg32;

    /// The buckets are those of the histogram: each quantile is the same as if every value had been
    /// entered there.
    #[test]
    fn counts_in_buckets_are_the_histogram() {
        for digits in [2, 3] {
            let mut random = Pcg32::new(digits.into(), 0);
            let mut recorder = Recorder::to_digits(digits);
            let mut entered = Histogram::<u64>::new(digits).unwrap();
            for _ in 0..50_000 {
                let bits = random.below(63) + 1;
                let value = (u64::from(random.next_u32()) << 32 | 1) >> (64 - bits);
                recorder.record(Nanos(value));
                entered.record(value).unwrap();
            }
            assert_eq!(recorder.finish().histogram, entered);
        }
    }
}
