//! How exactly a run's packets were delivered.

/// How exactly packets were delivered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TimingQuality {
    /// The lateness of packets: a share of them, and the time in seconds within which they
    /// were late; rising, to all of them.
    pub lateness: Vec<(f64, f64)>,
    /// How late 99 of 100 may be, in seconds, for the run to be believed.
    pub tolerated: f64,
    /// The share of one core that the bottleneck took.
    pub cpu: f64,
    /// Packets that the machine lost beside the queue: not read in time, or without a buffer.
    pub lost_outside_queue: u64,
}

impl TimingQuality {
    /// The time within which this share of packets was late, in seconds.
    pub fn late(&self, share: f64) -> f64 {
        let within = self.lateness.iter().find(|(of, _)| *of >= share);
        within.map_or(0.0, |(_, seconds)| *seconds)
    }

    /// Whether the run can be believed.
    pub fn trustworthy(&self) -> bool {
        self.late(0.99) <= self.tolerated && self.lost_outside_queue == 0
    }
}
