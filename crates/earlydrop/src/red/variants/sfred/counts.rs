//! Counts that age by halving.
//!
//! Halving an `f64` is exact. A flow's counts are halved when they are next read, so the
//! cost of a packet does not depend on the other flows.

/// Packets of one flow, or of all flows in the list; fractions once they have aged.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Counts {
    pub(super) received: f64,
    /// Dropped or marked.
    pub(super) signals: f64,
    pub(super) dropped: f64,
}

impl Counts {
    /// The counts after `times` further horizons.
    pub(super) fn halved(self, times: u64) -> Counts {
        // 2^-1100 of any count is 0.
        let times = times.min(1100) as i32;
        let halve = |count| libm::ldexp(count, -times);
        Counts {
            received: halve(self.received),
            signals: halve(self.signals),
            dropped: halve(self.dropped),
        }
    }

    /// The sum of both.
    pub(super) fn plus(self, more: Counts) -> Counts {
        Counts {
            received: self.received + more.received,
            signals: self.signals + more.signals,
            dropped: self.dropped + more.dropped,
        }
    }

    /// The counts less `gone`, at least zero: rounding after many halvings could leave a
    /// sum below it.
    pub(super) fn without(self, gone: Counts) -> Counts {
        Counts {
            received: (self.received - gone.received).max(0.0),
            signals: (self.signals - gone.signals).max(0.0),
            dropped: (self.dropped - gone.dropped).max(0.0),
        }
    }
}

/// A flow's counts as they were in a past epoch.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct History {
    counts: Counts,
    epoch: u64,
}

impl History {
    /// Counts of zero, in `epoch`.
    pub(super) fn from(epoch: u64) -> History {
        History {
            counts: Counts::default(),
            epoch,
        }
    }

    /// Ages the counts to `epoch` and calls that one 0.
    pub(super) fn restart_from(&mut self, epoch: u64) {
        *self = History {
            counts: self.at(epoch),
            epoch: 0,
        };
    }

    /// Ages the counts to `epoch`, which is not before the last one.
    #[inline]
    pub(super) fn bring_to(&mut self, epoch: u64) -> &mut Counts {
        self.counts = self.at(epoch);
        self.epoch = epoch;
        &mut self.counts
    }

    /// The counts as they have aged by `epoch`.
    #[inline]
    pub(super) fn at(self, epoch: u64) -> Counts {
        if self.epoch == epoch {
            self.counts
        } else {
            self.counts.halved(epoch - self.epoch)
        }
    }
}
