//! Whether the bottleneck marks as RFC 3168 says, judged by how much the queue delay varies
//! (Briscoe & Ahmed, arXiv:1911.00710; constants as in Linux's Prague).
//!
//! # Equations
//! Times in seconds, lg to base 2.
//! - For each round trip measured, rtt: `mdev = mdev + (|rtt - s| - mdev) g / 2`,
//!   `s = s + (rtt - s) g`, with `g = 2^-(1 + lg + lg / 2)` of `lg = floor(lg ssthresh)`, rounded
//!   down, at least 2^-18: slow enough to average over some sawteeth.
//! - After each round, once a mark arrived:
//!   `c = c + V lg(mdev / V0) + D lg(max(d / D0, 1))`, `d = s - min rtt`,
//!   V = D = 1/2, V0 = 750 us, D0 = 2 ms; from -8, within [-8, 9].
//! - c at 0 or below stands for an L4S queue, at 1 or above for a classic one. Between, the least
//!   alpha of a reduction rises from 0 to 0.625, which leaves 0.69 `cwnd`: about CUBIC's 0.7.
//!
//! # Our readings
//! - The term of the paper by which a flow that is limited by its application counts less is left
//!   out, as in Linux.
//! - A round trip is that of the first segment an acknowledgment covers, with the delay of the
//!   acknowledgment; Linux takes the last one's. So at a few Mbps, where a segment takes longer
//!   than V0, an L4S queue may be taken for a classic one; the paper finds that too.

use earlydrop::units::Nanos;

/// V, the weight of the delay's variation.
const VARIATION_WEIGHT: f64 = 0.5;
/// D, the weight of the delay's mean.
const DEPTH_WEIGHT: f64 = 0.5;
/// V0, the mean deviation at which c stays, seconds.
const VARIATION: f64 = 750e-6;
/// D0, the mean queue delay from which c rises, seconds.
const DEPTH: f64 = 2e-3;
/// How far c goes beyond the transition, so that it takes some rounds to change sides.
const STICKY: f64 = 8.0;
/// The least alpha of a reduction, once the queue is classic.
const CLASSIC_ALPHA: f64 = 0.625;
/// The mean deviation before it is measured, seconds.
const INITIAL_DEVIATION: f64 = 1e-6;
/// The greatest exponent of the gain.
const MAX_SHIFT: i32 = 18;

/// The state of the detector.
#[derive(Clone, Debug)]
pub(super) struct ClassicEcnDetector {
    /// s, the round trip smoothed over many; 0 before the first.
    srtt: f64,
    /// The mean deviation from it.
    mdev: f64,
    min_rtt: f64,
    /// c, the score.
    score: f64,
}

impl ClassicEcnDetector {
    pub(super) fn new() -> ClassicEcnDetector {
        ClassicEcnDetector {
            srtt: 0.0,
            mdev: INITIAL_DEVIATION,
            min_rtt: f64::INFINITY,
            score: -STICKY,
        }
    }

    /// Takes a round trip of a flow with this `ssthresh`.
    pub(super) fn measure(&mut self, rtt: Nanos, ssthresh: f64) {
        let rtt = rtt.as_secs_f64();
        self.min_rtt = self.min_rtt.min(rtt);
        if self.srtt == 0.0 {
            self.srtt = rtt;
            return;
        }
        let gain = gain(ssthresh);
        let error = rtt - self.srtt;
        self.srtt += gain * error;
        self.mdev += 0.5 * gain * (error.abs() - self.mdev);
    }

    /// Updates the score at the end of a round.
    pub(super) fn end_round(&mut self) {
        if self.srtt == 0.0 {
            return;
        }
        let depth = (self.srtt - self.min_rtt).max(0.0);
        let by_variation = VARIATION_WEIGHT * libm::log2(self.mdev / VARIATION);
        let by_depth = DEPTH_WEIGHT * libm::log2((depth / DEPTH).max(1.0));
        let score = self.score + by_variation + by_depth;
        self.score = score.clamp(-STICKY, 1.0 + STICKY);
    }

    /// How classic the queue is, 0 to 1.
    pub(super) fn weight(&self) -> f64 {
        self.score.clamp(0.0, 1.0)
    }

    /// The least alpha of a reduction.
    pub(super) fn least_alpha(&self) -> f64 {
        CLASSIC_ALPHA * self.weight()
    }
}

/// The gain of the smoothed round trip.
fn gain(ssthresh: f64) -> f64 {
    let lg = libm::floor(libm::log2(ssthresh.clamp(2.0, 1e9))) as i32;
    libm::ldexp(1.0, -(1 + lg + lg / 2).min(MAX_SHIFT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gain_follows_the_sawtooth() {
        assert_eq!(gain(2.0), 1.0 / 4.0);
        assert_eq!(gain(7.0), 1.0 / 16.0);
        assert_eq!(gain(100.0), 1.0 / 1024.0);
        assert_eq!(gain(f64::INFINITY), libm::ldexp(1.0, -18));
    }

    /// The detector after many round trips that alternate between two times, microseconds.
    fn after(rtts: [u64; 2]) -> ClassicEcnDetector {
        let mut detector = ClassicEcnDetector::new();
        for index in 0..100_000 {
            detector.measure(Nanos::from_micros(rtts[index % 2]), 16.0);
        }
        detector
    }

    #[test]
    fn a_queue_that_varies_by_milliseconds_is_classic() {
        // Mean deviation 3 ms, mean queue 3 ms: lg(4) / 2 + lg(1.5) / 2 a round.
        let mut detector = after([20_000, 26_000]);
        assert!((detector.mdev - 3e-3).abs() < 2e-4, "{}", detector.mdev);
        detector.end_round();
        let step = detector.score + STICKY;
        assert!((step - 1.29).abs() < 0.05, "{step}");
        for _ in 0..5 {
            detector.end_round();
        }
        assert_eq!(detector.weight(), 0.0);
        detector.end_round();
        assert_eq!((detector.weight(), detector.least_alpha()), (1.0, 0.625));
        // It stays, whatever comes next, for some rounds.
        for _ in 0..100 {
            detector.end_round();
        }
        assert_eq!(detector.score, 1.0 + STICKY);
    }

    #[test]
    fn a_queue_of_some_hundred_microseconds_is_not() {
        // Mean deviation 375 us: -1/2 a round. A deep queue that does not vary counts for less.
        let mut detector = after([20_000, 20_750]);
        detector.score = 1.0;
        detector.end_round();
        assert!((detector.score - 0.5).abs() < 0.05, "{}", detector.score);
        for _ in 0..100 {
            detector.end_round();
        }
        assert_eq!((detector.score, detector.least_alpha()), (-STICKY, 0.0));
    }
}
