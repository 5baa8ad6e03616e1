//! Counts that age by halves: exactly, as a halved `f64` loses nothing, and only
//! when a flow's own counts are looked at, so that a packet never costs more for
//! the flows it does not belong to.

/// Packets of one flow, or of all in the list; no whole numbers once they age.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Counts {
    pub(super) received: f64,
    /// Dropped or marked.
    pub(super) signals: f64,
    pub(super) dropped: f64,
}

impl Counts {
    /// What is left after so many horizons.
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

    /// What is left without `gone`. Rounding after many halvings must not leave a
    /// sum below zero.
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
    /// Nothing yet, in `epoch`.
    pub(super) fn from(epoch: u64) -> History {
        History {
            counts: Counts::default(),
            epoch,
        }
    }

    /// The counts in `epoch`, which is not before the last one seen.
    #[inline]
    pub(super) fn bring_to(&mut self, epoch: u64) -> &mut Counts {
        self.counts = self.at(epoch);
        self.epoch = epoch;
        &mut self.counts
    }

    /// What is left of the counts in `epoch`.
    #[inline]
    pub(super) fn at(self, epoch: u64) -> Counts {
        if self.epoch == epoch {
            self.counts
        } else {
            self.counts.halved(epoch - self.epoch)
        }
    }
}
