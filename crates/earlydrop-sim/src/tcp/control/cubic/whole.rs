//! CUBIC's growth by whole segments, as Linux has it.
//!
//! ```text
//! w grows by 1 for n segments acknowledged, n >= 2
//! n = w / (floor(W(t + least rtt)) - w), rounded down; 100 w where the curve is not above
//!     w; 20 at most where no W_max is known
//! Reno's estimate, in whole segments too, is 1 more for each floor(8 / alpha) w / 8
//! acknowledged; above w, n = w / (estimate - w) at most
//! n is worked out anew once w has changed, and after 1/32 s
//! ```
//! The source is Linux's `tcp_cubic.c` and `tcp_cong.c`; time is not rounded here.

use earlydrop::units::Nanos;

use super::super::count::Count;

/// For how long `n` stays as it is while the window does.
const HOLD: Nanos = Nanos(1_000_000_000 / 32);
/// The most that is waited for where no W_max is known.
const UNKNOWN: u32 = 20;

/// What the window is to follow.
pub(super) struct Course {
    /// W(t + least rtt), segments.
    pub(super) curve: f64,
    /// alpha.
    pub(super) alpha: f64,
    /// Whether Reno's estimate counts.
    pub(super) friendly: bool,
    /// Whether W_max is known.
    pub(super) known: bool,
}

/// Growth by whole segments.
#[derive(Clone, Copy, Debug)]
pub(super) struct Whole {
    count: Count,
    /// Reno's estimate; 0 before an epoch.
    estimate: u32,
    /// Segments acknowledged towards its next one.
    towards: u32,
    /// n.
    every: u32,
    /// When n was worked out, and for which window.
    looked: Nanos,
    seen: u32,
    /// The least round trip; NEVER before the first.
    pub(super) least_rtt: Nanos,
}

impl Default for Whole {
    fn default() -> Whole {
        Whole {
            count: Count::default(),
            estimate: 0,
            towards: 0,
            every: 2,
            looked: Nanos::ZERO,
            seen: 0,
            least_rtt: Nanos::NEVER,
        }
    }
}

impl Whole {
    /// A cut, or a new start: nothing is counted.
    pub(super) fn forget(&mut self) {
        let least_rtt = self.least_rtt;
        *self = Whole {
            least_rtt,
            ..Whole::default()
        };
    }

    /// Reno's estimate.
    pub(super) fn estimate(&self) -> f64 {
        f64::from(self.estimate)
    }

    /// By how many segments `window` grows for `segments` acknowledged.
    pub(super) fn grow(&mut self, now: Nanos, window: u32, segments: u32, course: &Course) -> u32 {
        if self.estimate == 0 {
            self.estimate = window;
        }
        self.towards += segments;
        if window != self.seen || now.since(self.looked) > HOLD {
            (self.looked, self.seen) = (now, window);
            self.every = self.pace(window, course);
        }
        self.count.add(segments, self.every)
    }

    fn pace(&mut self, window: u32, course: &Course) -> u32 {
        let curve = course.curve.clamp(0.0, f64::from(u32::MAX)) as u32;
        let mut every = match curve.saturating_sub(window) {
            0 => window.saturating_mul(100),
            ahead => window / ahead,
        };
        if !course.known {
            every = every.min(UNKNOWN);
        }
        if course.friendly {
            let eighths = u64::from(window) * (8.0 / course.alpha) as u64;
            let step = (eighths / 8).max(1) as u32;
            self.estimate += self.towards / step;
            self.towards %= step;
            if self.estimate > window {
                every = every.min(window / (self.estimate - window));
            }
        }
        every.max(2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn course(curve: f64) -> Course {
        Course {
            curve,
            alpha: 9.0 / 17.0,
            friendly: true,
            known: true,
        }
    }

    /// Segments acknowledged one by one from `from` until the window of 10 grows.
    fn until_growth(whole: &mut Whole, course: &Course) -> u32 {
        let grows = |_: &u32| whole.grow(Nanos::ZERO, 10, 1, course) > 0;
        (1..).find(grows).unwrap()
    }

    #[test]
    fn follows_the_curve_by_one_segment_for_two_at_most() {
        assert_eq!(until_growth(&mut Whole::default(), &course(12.0)), 5);
        assert_eq!(until_growth(&mut Whole::default(), &course(40.0)), 2);
    }

    #[test]
    fn follows_renos_estimate_where_the_curve_is_not_above() {
        let mut whole = Whole::default();
        let at = |whole: &mut Whole, ms, segments| {
            whole.grow(Nanos::from_millis(ms), 10, segments, &course(10.0))
        };
        // The estimate is 11 after 18 segments, which is seen 1/32 s later.
        assert_eq!([at(&mut whole, 0, 9), at(&mut whole, 1, 9)], [0, 0]);
        assert_eq!(at(&mut whole, 31, 1), 0);
        assert_eq!(at(&mut whole, 33, 1), 1);
        assert_eq!(whole.estimate(), 11.0);
        whole.forget();
        assert_eq!(whole.estimate(), 0.0);
    }

    #[test]
    fn grows_by_one_in_twenty_while_no_maximum_is_known() {
        let unknown = Course {
            known: false,
            friendly: false,
            ..course(10.0)
        };
        assert_eq!(until_growth(&mut Whole::default(), &unknown), 20);
    }
}
