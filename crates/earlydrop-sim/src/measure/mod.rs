//! Measurement: what a run measures is chosen before it, and costs nothing where it is off.

mod arrivals;
mod fairness;
mod flow;
pub(crate) mod queue;
mod result;

pub(crate) use arrivals::TrafficByGroup;
pub use arrivals::{GroupTraffic, Groups};
pub use fairness::{coefficient_of_variation, jain_index};
pub use flow::{Delays, FlowMeter, Timing};
pub(crate) use queue::QueueProgress;
pub use queue::{MeasuredQueue, QueueMeter, Samples, Work};
pub use result::{FlowResult, HalfOfQueue, QueueResult, SharedBufferResult};

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
    /// Each flow's packet delays: mean, variance, jitter, percentiles.
    pub delays: bool,
    /// Each TCP flow's round trips as its acknowledgments measure them: mean, variance, jitter,
    /// percentiles.
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

/// A distribution of times as an HDR histogram: three significant digits, two for a single
/// flow's delays.
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
    /// An empty distribution to two significant digits, in 20 KB instead of 200, for one flow.
    pub(crate) fn coarse() -> Distribution {
        let histogram = Histogram::new(2).expect("2 digits are within what it allows");
        Distribution { histogram }
    }

    pub(crate) fn record(&mut self, span: Nanos) {
        let recorded = self.histogram.record(span.0);
        recorded.expect("it grows by itself");
    }

    /// Records `span` as often as `times`.
    fn record_all(&mut self, span: Nanos, times: u64) {
        let recorded = self.histogram.record_n(span.0, times);
        recorded.expect("it grows by itself");
    }

    pub(crate) fn add(&mut self, other: &Distribution) {
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

/// Records a [`Distribution`], several times at once: a histogram is too large for the caches where
/// there are many, and then the misses of one batch overlap.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recorder {
    waiting: [Nanos; 32],
    filled: usize,
    /// Times of zero, as of packets that find a link free.
    zeros: u64,
    recorded: Distribution,
}

impl Recorder {
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

    /// Enters what waits into the histogram.
    #[inline(never)]
    fn empty(&mut self) {
        for span in &self.waiting[..self.filled] {
            self.recorded.record(*span);
        }
        self.filled = 0;
    }

    /// Forgets everything recorded.
    pub(crate) fn clear(&mut self) {
        (self.filled, self.zeros) = (0, 0);
        self.recorded.histogram.clear();
    }

    /// What was recorded.
    pub(crate) fn finish(mut self) -> Distribution {
        self.empty();
        self.recorded.record_all(Nanos::ZERO, self.zeros);
        self.recorded
    }
}
