//! Reno's window (RFC 5681), also as ns-2 computes it.
//!
//! ```text
//! slow start, W < T    W += segments acknowledged, 2 at most for one acknowledgment
//! above                W += segments acknowledged / W
//! loss or mark         T = max(half of what is used of W, 2),  W = T
//! timeout              T = max(in flight / 2, 2) the first time,  W = 1
//! ```
//!
//! | | here | ns-2 |
//! |---|---|---|
//! | growth | by segments (RFC 3465, L = 2), only when the window was used; with [`Growth::CountedAsLinux`] by whole ones, and without L | 1, or 1/W, for each acknowledgment |
//! | cut | half of what is in flight; with `whole_cuts` a whole number | T = half of the window as a whole number, W = half of it exactly, or with [`whole_cuts`](crate::tcp::Profile::whole_cuts) as whole a number as T, 1 at least; the receiver's window counts when it is smaller |
//! | timeout again | T stays | T is cut to 2 |

use earlydrop::units::Nanos;

use super::count::Count;
use super::window::BURST;
use super::{Acked, Congestion, Control};
use crate::tcp::profile::{Growth, Profile, Rules};

/// The least threshold, in segments.
const LEAST_THRESHOLD: f64 = 2.0;

/// Reno's window.
#[derive(Clone, Copy, Debug)]
pub struct Reno {
    window: f64,
    threshold: f64,
    /// With ns-2's rules, the receiver's window; 0 with the RFC's.
    limit: u32,
    /// Whether cuts leave whole segments.
    whole: bool,
    growth: Growth,
    count: Count,
}

impl Reno {
    /// The window a connection starts with.
    pub fn new(profile: &Profile) -> Reno {
        let (first, limit) = match profile.rules {
            Rules::Standard => (f64::INFINITY, 0),
            Rules::Ns2 => (f64::from(profile.receiver_window), profile.receiver_window),
        };
        Reno {
            window: f64::from(profile.initial_window),
            threshold: profile.initial_threshold.map_or(first, f64::from),
            limit,
            whole: profile.whole_cuts,
            growth: profile.growth,
            count: Count::default(),
        }
    }

    /// Takes an acknowledgment outside a recovery with ns-2's rules, by which it counts
    /// whatever it covers. `false` with the RFC's, when this did nothing.
    #[inline(always)]
    pub(crate) fn grow_as_ns2(&mut self) -> bool {
        if self.limit == 0 || self.growth != Growth::Segments {
            return false;
        }
        self.window += if self.window < self.threshold {
            1.0
        } else {
            1.0 / self.window
        };
        true
    }

    /// Moves the window by `segments`, which is how ns-2's recovery lets it in and out.
    pub(crate) fn shift(&mut self, segments: f64) {
        self.window = (self.window + segments).max(1.0);
    }

    /// ns-2's window, as far as the receiver lets it be used.
    fn used(&self) -> f64 {
        self.window.min(f64::from(self.limit))
    }

    /// Half of what is in use, before it is bounded.
    fn half(&self, in_flight: u32) -> f64 {
        if self.limit == 0 && self.whole {
            f64::from(in_flight / 2)
        } else if self.limit == 0 {
            // What is used of a window is its whole segments.
            let used = f64::from(in_flight);
            if used >= self.window.floor() && used <= self.window {
                self.window / 2.0
            } else {
                used / 2.0
            }
        } else if self.whole {
            f64::from(self.used() as u32 / 2)
        } else {
            self.used() / 2.0
        }
    }

    /// Growth above the threshold by whole segments.
    fn count(&mut self, segments: u32) {
        let window = (self.window as u32).max(1);
        self.window += f64::from(self.count.add(segments, window));
    }

    /// Linux's growth: slow start by all that was acknowledged, and what is left of that at
    /// the threshold counts.
    fn grow_as_linux(&mut self, segments: u32) {
        let room = (self.threshold - self.window).clamp(0.0, f64::from(segments)) as u32;
        self.window += f64::from(room);
        if room < segments {
            self.count(segments - room);
        }
    }

    /// Linux's count ends with a cut.
    fn forget(&mut self) {
        if self.growth == Growth::CountedAsLinux {
            self.count.clear();
        }
    }

    fn set_threshold(&mut self, half: f64) {
        let half = if self.limit > 0 {
            f64::from(half as u32)
        } else {
            half
        };
        self.threshold = half.max(LEAST_THRESHOLD);
    }
}

impl Control for Reno {
    #[inline]
    fn window(&self) -> f64 {
        self.window
    }

    #[inline]
    fn threshold(&self) -> f64 {
        self.threshold
    }

    #[inline(always)]
    fn on_acked(&mut self, acked: &Acked) {
        if acked.recovering {
            return;
        }
        let (slow_start, above) = if self.limit > 0 {
            (1.0, 1.0)
        } else if acked.window_limited {
            let slow_start = acked.segments.min(BURST);
            (f64::from(slow_start), f64::from(acked.segments))
        } else {
            return;
        };
        if self.growth == Growth::CountedAsLinux && self.limit == 0 {
            self.grow_as_linux(acked.segments);
        } else if self.window < self.threshold {
            self.window += slow_start;
        } else if self.growth == Growth::CountedAsNs3 {
            self.count(acked.segments);
        } else {
            self.window += above / self.window;
        }
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        self.forget();
        let half = self.half(congestion.in_flight);
        self.set_threshold(half);
        self.window = if self.limit > 0 {
            half.max(1.0)
        } else {
            self.threshold
        };
    }

    fn on_timeout(&mut self, _now: Nanos, in_flight: u32, again: bool) {
        self.forget();
        if self.limit > 0 || !again {
            self.set_threshold(self.half(in_flight));
        }
        self.window = 1.0;
    }

    fn on_restart(&mut self, _now: Nanos, initial_window: f64) {
        self.window = self.window.min(initial_window);
    }
}
