//! Quality of a run's timing.

/// How late packets were delivered in a run, and how many were lost outside the queue.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct TimingQuality {
    /// Quantiles of lateness: share of packets, from 0 to 1, and time in seconds; both ascend.
    pub lateness: Vec<(f64, f64)>,
    /// Largest 99th percentile of lateness of a trustworthy run, in seconds.
    pub tolerated: f64,
    /// CPU time of the bottleneck thread as a share of one core.
    pub cpu: f64,
    /// Packets lost outside the queue: read too late, without a buffer, or refused by a device.
    pub lost_outside_queue: u64,
}

impl TimingQuality {
    /// The smallest known quantile of lateness of at least this share of packets, in seconds.
    pub fn lateness_quantile(&self, share: f64) -> f64 {
        let quantile = self.lateness.iter().find(|(of, _)| *of >= share);
        quantile.map_or(0.0, |(_, seconds)| *seconds)
    }

    /// Whether the 99th percentile of lateness is within the limit, and no packet was lost
    /// outside the queue.
    pub fn trustworthy(&self) -> bool {
        self.lateness_quantile(0.99) <= self.tolerated && self.lost_outside_queue == 0
    }
}
