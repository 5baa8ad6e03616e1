//! CUBIC as Linux computes it: whole segments, ticks of a millisecond, and integers.
//!
//! ```text
//! cwnd grows by 1 for n segments acknowledged, n >= 2 (Linux: ca->cnt)
//! n = cwnd / (W_cubic(t + min rtt) - cwnd), rounded down;
//!     100 cwnd where W_cubic is not above cwnd; 20 at most where no W_max is known
//! W_cubic(t) = W_max +- (410 |t - K|^3 >> 40), t and K in 1/1024 s; 410 / 1024 is C
//! W_est, in whole segments too, grows by 1 for each floor(8 / alpha) cwnd / 8 acknowledged;
//!     where it is above cwnd, n = cwnd / (W_est - cwnd) at most
//! n is recomputed once cwnd has changed, at most once a tick, and after 1/32 s
//! ssthresh = 717 cwnd / 1024, at least 2; W_max = 1741 cwnd / 2048 below the last one
//! ```
//! The source is Linux 6.1's `tcp_cubic.c` and `tcp_cong.c`, at 1000 Hz. Its cubic root is off by up
//! to 0.2%, as it is the first step of an approximation; [`cubic_root`] makes that step, too.

use earlydrop::units::Nanos;

use super::super::ack_counter::AckCounter;
use crate::tcp::rto::JIFFY;

/// Ticks for which `n` is used while `cwnd` does not change: HZ / 32.
const RECOMPUTE_AFTER: u64 = 31;
/// The greatest `n` where no W_max is known.
const MAX_WITHOUT_W_MAX: u32 = 20;
/// beta, in 1/1024.
const BETA: u64 = 717;
/// C over 10, in 1/1024: a hundred milliseconds are the unit of Linux's round trip.
const SCALE: u64 = 410;
/// Eighths of `cwnd` acknowledged for which W_est grows: 8 / alpha, rounded down.
const W_EST_EIGHTHS: u64 = 15;
/// Ticks for which round trips do not count after an epoch began.
const QUIET: u64 = 1000;

/// An epoch: the time since the first growth after a reduction.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    /// When it began, ticks.
    began: u64,
    /// K, 1/1024 s.
    k: u64,
    /// W_max of this epoch.
    origin: u32,
}

/// The state of CUBIC as Linux's.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LinuxGrowth {
    counter: AckCounter,
    /// W_max; 0: not known.
    w_max: u32,
    epoch: Option<Epoch>,
    /// Reno's estimate.
    w_est: u32,
    /// Segments acknowledged since W_est last grew.
    w_est_count: u32,
    /// n.
    every: u32,
    /// When `n` was computed, ticks.
    computed_at: u64,
    /// The `cwnd` for which `n` was computed.
    computed_for: u32,
    /// The least round trip, us; 0 before the first.
    min_rtt: u64,
}

/// K in 1/1024 s, of `(W_max - cwnd) / C` in (1/1024 s)^3, which is 2^31 or more unless it is 0.
///
/// RFC 9438, 4.2: `K = cbrt((W_max - cwnd_epoch) / C)`, in seconds. Linux (`cubic_root`) makes one
/// step of Newton's method, `g' = (2 g + n / g^2) / 3`, from a first guess g that it takes from the
/// leading two octal digits of n, in 1/64. Three things move the root:
/// - a g that is off by e makes g' too large by e^2, whatever the sign of e;
/// - g (g - 1) in place of g^2 makes it larger by a third of a unit;
/// - 341/1024 in place of 1/3 makes it smaller by 1/1024.
///
/// An e of 1/32 makes up for the last: (1/32)^2 = 1/1024. So the guess here is 33/32 times the cubic
/// root of the two digits and a quarter, rounded up to 1/64: 0.6 to 4.7% too high. Then K is within
/// 0.11% of the root. Linux reads its guess from a table that was refined by hand, which is not
/// copied: the quarter is what gives K the effect it has in the reference's 18 epochs.
fn cubic_root(n: u64) -> u64 {
    if n < 1 << 9 {
        return libm::cbrt(n as f64) as u64;
    }
    let rest = n.ilog2() / 3 - 1;
    let digits = (n >> (3 * rest)) as f64;
    let guess = libm::ceil(64.0 * 33.0 / 32.0 * libm::cbrt(digits + 0.25)) as u64;
    let guess = (guess << rest) >> 6;
    ((2 * guess + n / (guess * (guess - 1))) * 341) >> 10
}

/// Ticks that have passed.
fn ticks(now: Nanos) -> u64 {
    now.0 / JIFFY
}

impl LinuxGrowth {
    /// Takes a round trip; returns whether it counts: none does for a second after an epoch began.
    pub(super) fn measure(&mut self, now: Nanos, rtt: Nanos) -> bool {
        if self
            .epoch
            .is_some_and(|epoch| ticks(now) - epoch.began.min(ticks(now)) < QUIET)
        {
            return false;
        }
        let rtt = (rtt.0 / 1000).max(1);
        if self.min_rtt == 0 || rtt < self.min_rtt {
            self.min_rtt = rtt;
        }
        true
    }

    /// The least round trip.
    pub(super) fn min_rtt(&self) -> Nanos {
        Nanos::from_micros(self.min_rtt)
    }

    /// `ssthresh` for a reduction of `cwnd`, which ends the epoch (`bictcp_recalc_ssthresh`).
    pub(super) fn reduce(&mut self, cwnd: u32) -> u32 {
        self.epoch = None;
        self.counter.clear();
        self.w_max = if cwnd < self.w_max {
            (u64::from(cwnd) * (1024 + BETA) / 2048) as u32
        } else {
            cwnd
        };
        ((u64::from(cwnd) * BETA / 1024) as u32).max(2)
    }

    /// Sending starts again after `idle`, which the epoch does not count (`cubictcp_cwnd_event`).
    pub(super) fn on_transmit_start(&mut self, now: Nanos, last: Nanos) {
        if let Some(epoch) = &mut self.epoch {
            epoch.began = (epoch.began + ticks(now) - ticks(last)).min(ticks(now));
        }
    }

    /// By how many segments `cwnd` grows for `segments` acknowledged.
    pub(super) fn grow(&mut self, now: Nanos, cwnd: u32, segments: u32) -> u32 {
        self.update_every(ticks(now), cwnd, segments);
        self.counter.add(segments, self.every)
    }

    /// Sets n (`bictcp_update`).
    fn update_every(&mut self, now: u64, cwnd: u32, segments: u32) {
        self.w_est_count += segments;
        if self.computed_for == cwnd && now - self.computed_at <= RECOMPUTE_AFTER {
            return;
        }
        if self.epoch.is_none() || now != self.computed_at {
            (self.computed_at, self.computed_for) = (now, cwnd);
            let epoch = match self.epoch {
                Some(epoch) => epoch,
                None => self.begin_epoch(now, cwnd, segments),
            };
            self.every = self.follow_curve(&epoch, now, cwnd);
        }
        let step = ((u64::from(cwnd) * W_EST_EIGHTHS) >> 3) as u32;
        while self.w_est_count > step {
            self.w_est_count -= step;
            self.w_est += 1;
        }
        if self.w_est > cwnd {
            self.every = self.every.min(cwnd / (self.w_est - cwnd));
        }
        self.every = self.every.max(2);
    }

    fn begin_epoch(&mut self, now: u64, cwnd: u32, segments: u32) -> Epoch {
        (self.w_est, self.w_est_count) = (cwnd, segments);
        let below = self.w_max.saturating_sub(cwnd);
        let epoch = Epoch {
            began: now,
            k: cubic_root(u64::from(below) * ((1 << 40) / SCALE)),
            origin: self.w_max.max(cwnd),
        };
        self.epoch = Some(epoch);
        epoch
    }

    /// n by W_cubic.
    fn follow_curve(&self, epoch: &Epoch, now: u64, cwnd: u32) -> u32 {
        let elapsed = now - epoch.began + self.min_rtt.div_ceil(1000);
        let t = (elapsed << 10) / 1000;
        let offset = u128::from(t.abs_diff(epoch.k));
        let delta = ((u128::from(SCALE) * offset * offset * offset) >> 40) as u64;
        let origin = u64::from(epoch.origin);
        let target = match t < epoch.k {
            true => origin.saturating_sub(delta),
            false => origin + delta,
        };
        let ahead = target.saturating_sub(u64::from(cwnd));
        let every = match ahead {
            0 => cwnd.saturating_mul(100),
            ahead => (u64::from(cwnd) / ahead) as u32,
        };
        match self.w_max {
            0 => every.min(MAX_WITHOUT_W_MAX),
            _ => every,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Segments acknowledged one by one until `cwnd` grows.
    fn until_growth(growth: &mut LinuxGrowth, now: Nanos, cwnd: u32) -> u32 {
        (1..).find(|_| growth.grow(now, cwnd, 1) > 0).unwrap()
    }

    /// K after a reduction by `below` segments.
    fn k(below: u64) -> u64 {
        cubic_root(below * ((1 << 40) / SCALE))
    }

    #[test]
    fn k_is_one_step_of_an_approximation() {
        assert_eq!([k(0), k(16), k(33)], [0, 3500, 4456]);
        // Too low and too high for the root: 4410.8 and 4268.5.
        assert_eq!([k(32), k(29)], [4407, 4271]);
        for below in 1..20_000 {
            let root = libm::cbrt((below * ((1 << 40) / SCALE)) as f64);
            assert!((k(below) as f64 / root - 1.0).abs() < 0.0011, "{below}");
        }
    }

    #[test]
    fn a_reduction_leaves_717_of_1024_parts() {
        let mut growth = LinuxGrowth::default();
        assert_eq!(growth.reduce(110), 77);
        assert_eq!(growth.w_max, 110);
        // Below the last maximum, W_max is reduced, too: 77 * 1741 / 2048.
        assert_eq!(growth.reduce(77), 53);
        assert_eq!(growth.w_max, 65);
        assert_eq!(growth.reduce(2), 2);
    }

    #[test]
    fn grows_by_one_in_twenty_while_no_maximum_is_known() {
        let mut growth = LinuxGrowth::default();
        assert_eq!(until_growth(&mut growth, Nanos::ZERO, 10), 20);
        // Far along the curve, by one in two.
        let mut growth = LinuxGrowth::default();
        growth.grow(Nanos::ZERO, 100, 1);
        let far = Nanos::from_secs(20);
        assert_eq!(until_growth(&mut growth, far, 101), 1);
        assert_eq!([growth.grow(far, 102, 9), growth.every], [4, 2]);
    }

    #[test]
    fn follows_renos_estimate_where_the_curve_is_not_above() {
        let mut growth = LinuxGrowth {
            w_max: 10,
            ..LinuxGrowth::default()
        };
        // W_est is 11 once more than 18 segments are acknowledged, which counts when n is
        // recomputed, after 1/32 s.
        let at = |growth: &mut LinuxGrowth, ms, segments| {
            growth.grow(Nanos::from_millis(ms), 10, segments)
        };
        assert_eq!(at(&mut growth, 0, 9), 0);
        assert_eq!([at(&mut growth, 31, 10), growth.w_est], [0, 10]);
        at(&mut growth, 32, 1);
        assert_eq!(growth.w_est, 11);
    }
}
