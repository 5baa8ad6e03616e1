//! CUBIC's growth by whole segments, as Linux computes it.
//!
//! ```text
//! cwnd grows by 1 for n segments acknowledged, n >= 2 (Linux: ca->cnt)
//! n = cwnd / (floor(W_cubic(t + min rtt)) - cwnd), rounded down;
//!     100 cwnd where W_cubic is not above cwnd; 20 at most where no W_max is known
//! W_est, in whole segments too, grows by 1 for each floor(8 / alpha) cwnd / 8 acknowledged;
//!     where it is above cwnd, n = cwnd / (W_est - cwnd) at most
//! n is recomputed once cwnd has changed, and after 1/32 s
//! ```
//! The source is Linux's `tcp_cubic.c` and `tcp_cong.c`. Time is not rounded here.

use earlydrop::units::Nanos;

use super::super::ack_counter::AckCounter;

/// How long `n` is used while `cwnd` does not change.
const RECOMPUTE_AFTER: Nanos = Nanos(1_000_000_000 / 32);
/// The greatest `n` where no W_max is known.
const MAX_WITHOUT_W_MAX: u32 = 20;

/// What `cwnd` is to follow.
pub(super) struct GrowthTarget {
    /// W_cubic(t + min rtt), segments.
    pub(super) w_cubic: f64,
    /// alpha.
    pub(super) alpha: f64,
    /// Whether `cwnd` is at least Reno's estimate.
    pub(super) reno_friendly: bool,
    /// Whether W_max is known.
    pub(super) w_max_known: bool,
}

/// The state of growth by whole segments.
#[derive(Clone, Copy, Debug)]
pub(super) struct LinuxGrowth {
    counter: AckCounter,
    /// Reno's estimate, segments; 0 before an epoch.
    w_est: u32,
    /// Segments acknowledged since W_est last grew.
    w_est_count: u32,
    /// n.
    every: u32,
    /// When `n` was computed.
    computed_at: Nanos,
    /// The `cwnd` for which `n` was computed.
    computed_for: u32,
    /// The least round trip; NEVER before the first.
    pub(super) min_rtt: Nanos,
}

impl Default for LinuxGrowth {
    fn default() -> LinuxGrowth {
        LinuxGrowth {
            counter: AckCounter::default(),
            w_est: 0,
            w_est_count: 0,
            every: 2,
            computed_at: Nanos::ZERO,
            computed_for: 0,
            min_rtt: Nanos::NEVER,
        }
    }
}

impl LinuxGrowth {
    /// Starts over after a reduction or an idle time; only the least round trip stays.
    pub(super) fn reset(&mut self) {
        let min_rtt = self.min_rtt;
        *self = LinuxGrowth {
            min_rtt,
            ..LinuxGrowth::default()
        };
    }

    /// Reno's estimate, segments.
    pub(super) fn w_est(&self) -> f64 {
        f64::from(self.w_est)
    }

    /// By how many segments `cwnd` grows for `segments` acknowledged.
    pub(super) fn grow(
        &mut self,
        now: Nanos,
        cwnd: u32,
        segments: u32,
        target: &GrowthTarget,
    ) -> u32 {
        if self.w_est == 0 {
            self.w_est = cwnd;
        }
        self.w_est_count += segments;
        if cwnd != self.computed_for || now.since(self.computed_at) > RECOMPUTE_AFTER {
            (self.computed_at, self.computed_for) = (now, cwnd);
            self.every = self.compute_every(cwnd, target);
        }
        self.counter.add(segments, self.every)
    }

    /// n (Linux: `bictcp_update`).
    fn compute_every(&mut self, cwnd: u32, target: &GrowthTarget) -> u32 {
        let w_cubic = target.w_cubic.clamp(0.0, f64::from(u32::MAX)) as u32;
        let mut every = match w_cubic.saturating_sub(cwnd) {
            0 => cwnd.saturating_mul(100),
            ahead => cwnd / ahead,
        };
        if !target.w_max_known {
            every = every.min(MAX_WITHOUT_W_MAX);
        }
        if target.reno_friendly {
            let eighths = u64::from(cwnd) * (8.0 / target.alpha) as u64;
            let step = (eighths / 8).max(1) as u32;
            self.w_est += self.w_est_count / step;
            self.w_est_count %= step;
            if self.w_est > cwnd {
                every = every.min(cwnd / (self.w_est - cwnd));
            }
        }
        every.max(2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(w_cubic: f64) -> GrowthTarget {
        GrowthTarget {
            w_cubic,
            alpha: 9.0 / 17.0,
            reno_friendly: true,
            w_max_known: true,
        }
    }

    /// Segments acknowledged one by one until the `cwnd` of 10 grows.
    fn until_growth(growth: &mut LinuxGrowth, target: &GrowthTarget) -> u32 {
        let grows = |_: &u32| growth.grow(Nanos::ZERO, 10, 1, target) > 0;
        (1..).find(grows).unwrap()
    }

    #[test]
    fn follows_the_curve_by_one_segment_for_two_at_most() {
        assert_eq!(until_growth(&mut LinuxGrowth::default(), &target(12.0)), 5);
        assert_eq!(until_growth(&mut LinuxGrowth::default(), &target(40.0)), 2);
    }

    #[test]
    fn follows_renos_estimate_where_the_curve_is_not_above() {
        let mut growth = LinuxGrowth::default();
        let at = |growth: &mut LinuxGrowth, ms, segments| {
            growth.grow(Nanos::from_millis(ms), 10, segments, &target(10.0))
        };
        // W_est is 11 after 18 segments, which counts once n is recomputed, 1/32 s later.
        assert_eq!([at(&mut growth, 0, 9), at(&mut growth, 1, 9)], [0, 0]);
        assert_eq!(at(&mut growth, 31, 1), 0);
        assert_eq!(at(&mut growth, 33, 1), 1);
        assert_eq!(growth.w_est(), 11.0);
        growth.reset();
        assert_eq!(growth.w_est(), 0.0);
    }

    #[test]
    fn grows_by_one_in_twenty_while_no_maximum_is_known() {
        let unknown = GrowthTarget {
            w_max_known: false,
            reno_friendly: false,
            ..target(10.0)
        };
        assert_eq!(until_growth(&mut LinuxGrowth::default(), &unknown), 20);
    }
}
