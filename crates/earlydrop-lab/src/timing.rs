//! The timing quality of runs on real hosts.

/// How late the packets of a run on real hosts were delivered, and whether its figures can
/// be trusted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LiveTiming {
    /// Quantiles of the lateness: a share of the packets, and the time in seconds within
    /// which that share was late; rising.
    pub lateness: Vec<(f64, f64)>,
    /// The largest 99th percentile of the lateness, in seconds, of a trustworthy run.
    pub tolerated: f64,
    /// The share of one core that the bottleneck took.
    pub cpu: f64,
    /// Packets that the machine lost outside the queue.
    pub beside: u64,
    /// Whether the run's figures can be trusted.
    pub trustworthy: bool,
}

impl LiveTiming {
    /// The lateness in seconds that this share of the packets did not exceed; `None` where
    /// there was no packet.
    pub fn late(&self, share: f64) -> Option<f64> {
        let within = self.lateness.iter().find(|(of, _)| *of >= share);
        within.map(|(_, seconds)| *seconds)
    }
}
