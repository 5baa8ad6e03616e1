//! What a run measures: chosen before it, free where it is off.

mod arrivals;
mod fairness;
mod flow;
pub(crate) mod queue;

pub use arrivals::Arrivals;
pub(crate) use arrivals::ArrivalsByFlow;
pub use fairness::{coefficient_of_variation, jain_index};
pub use flow::{Delays, FlowMeter, Timing};
pub use queue::{QueueMeter, Samples, Watched};

use std::fmt;

use earlydrop::units::Nanos;
use hdrhistogram::Histogram;

use crate::network::LinkId;
use crate::traffic::FlowId;

/// What to measure, and from when on.
///
/// Measuring changes nothing of what is measured: the same run with other choices here
/// sends the same packets at the same times.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measure {
    /// How much of the beginning is left out of every figure but time series,
    /// captures and the identity of what was sent and what became of it.
    pub warm_up: Nanos,
    /// Each flow's packet delays: mean, variance, jitter, percentiles.
    pub delays: bool,
    /// Each TCP flow's round trips as its acknowledgments measure them: the same figures.
    pub round_trips: bool,
    /// Percentiles of each queue's sojourn times (the mean is always there).
    pub sojourn: bool,
    /// Queue lengths and probes over time, at this interval.
    pub sample_every: Option<Nanos>,
    /// How much of each group of flows comes to each queue over time, at this interval.
    pub arrivals_every: Option<Nanos>,
    /// TCP flows whose windows are sampled at the same interval.
    pub windows: Vec<FlowId>,
    /// The time within which losses of several flows count as one event, usually a
    /// round-trip time; see [`QueueResult`](crate::results::QueueResult).
    pub loss_event: Option<Nanos>,
    /// Links whose packets are recorded.
    pub captures: Vec<LinkId>,
}

/// A distribution of times, to three significant digits, or two for a single flow's
/// delays (HDR histogram).
#[derive(Clone)]
pub struct Distribution {
    histogram: Histogram<u64>,
}

/// Each time with how often it was recorded.
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
    /// To two significant digits, in 20 KB where the other takes 200: one for each flow.
    pub(crate) fn coarse() -> Distribution {
        let histogram = Histogram::new(2).expect("2 digits are within what it allows");
        Distribution { histogram }
    }

    pub(crate) fn record(&mut self, span: Nanos) {
        let recorded = self.histogram.record(span.0);
        recorded.expect("it grows by itself");
    }

    /// Records the same time so often.
    pub(crate) fn record_all(&mut self, span: Nanos, times: u64) {
        let recorded = self.histogram.record_n(span.0, times);
        recorded.expect("it grows by itself");
    }

    pub(crate) fn clear(&mut self) {
        self.histogram.clear();
    }

    pub(crate) fn add(&mut self, other: &Distribution) {
        let added = self.histogram.add(&other.histogram);
        added.expect("both grow by themselves");
    }

    /// How many were recorded.
    pub fn count(&self) -> u64 {
        self.histogram.len()
    }

    /// The time below which this share lies; zero when nothing was recorded.
    pub fn quantile(&self, share: f64) -> Nanos {
        Nanos(self.histogram.value_at_quantile(share))
    }

    /// The mean; zero when nothing was recorded.
    pub fn mean(&self) -> Nanos {
        Nanos(self.histogram.mean() as u64)
    }
}
