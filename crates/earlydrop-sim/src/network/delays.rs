//! Recorded propagation delays: a delay from each time on.

use std::str::FromStr;
use std::sync::Arc;

use earlydrop::units::Nanos;

use super::TraceError;
use super::steps::{Quantity, Steps, read_time};

const DELAY: Quantity = Quantity {
    name: "delay",
    read: |text| {
        let delay = read_time(text).map(|delay| delay.0);
        delay.map_err(|_| "has no delay; allowed: seconds such as 0.025, or 25 ms")
    },
};

/// A propagation delay that changes over time and repeats. Clones share it.
///
/// A packet whose last bit leaves the transmitter at time t travels for the delay at t, but never
/// overtakes an earlier one.
///
/// ```
/// use earlydrop::units::Nanos;
/// use earlydrop_sim::network::DelayTrace;
/// let trace: DelayTrace = "time,delay\n0,20 ms\n1.5,35 ms\n2,".parse()?;
/// assert_eq!(trace.at(Nanos::from_millis(1499)), Nanos::from_millis(20));
/// assert_eq!(trace.at(Nanos::from_millis(1500)), Nanos::from_millis(35));
/// // At 2 s it begins again.
/// assert_eq!(trace.at(Nanos::from_secs(2)), Nanos::from_millis(20));
/// # Ok::<(), earlydrop_sim::network::TraceError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DelayTrace {
    delays: Steps,
    least: Nanos,
    most: Nanos,
}

impl FromStr for DelayTrace {
    type Err = TraceError;

    fn from_str(text: &str) -> Result<DelayTrace, TraceError> {
        let delays = Steps::read(text, &DELAY)?;
        let values: Arc<[u64]> = delays.pieces().map(|(_, _, delay)| delay).collect();
        let least = values.iter().min().copied().unwrap_or_default();
        let most = values.iter().max().copied().unwrap_or_default();
        Ok(DelayTrace {
            delays,
            least: Nanos(least),
            most: Nanos(most),
        })
    }
}

impl DelayTrace {
    /// The delay at `at`.
    pub fn at(&self, at: Nanos) -> Nanos {
        let within = Nanos(at.0 % self.delays.period().0);
        Nanos(self.delays.piece(self.delays.index_at(within)).1)
    }

    /// The smallest delay.
    pub fn least(&self) -> Nanos {
        self.least
    }

    /// The largest delay.
    pub fn most(&self) -> Nanos {
        self.most
    }

    /// How long it lasts before it repeats.
    pub fn period(&self) -> Nanos {
        self.delays.period()
    }
}
