//! CUBIC: `cwnd` grows with the cube of the time since the last reduction.
//!
//! # Reference
//! L. Xu, S. Ha, I. Rhee, V. Goel, L. Eggert, "CUBIC for Fast and Long-Distance
//! Networks", RFC 9438, 2023, section 4.
//!
//! # Equations
//! Windows in segments, times in seconds; t is the time since congestion avoidance
//! (the epoch) began, and `cwnd_epoch` is `cwnd` then. Section numbers are the RFC's.
//! - `W_cubic(t) = C (t - K)^3 + W_max`, `K = cbrt((W_max - cwnd_epoch) / C)` (4.2).
//! - `target = W_cubic(t + rtt)`, within [cwnd, 1.5 cwnd]; a segment acknowledged adds
//!   `(target - cwnd) / cwnd` (4.2, 4.4, 4.5).
//! - Reno's `cwnd` is estimated: a segment acknowledged adds `alpha / cwnd` to `W_est`, which
//!   starts at `cwnd_epoch`; `alpha = 3 (1 - beta) / (1 + beta)` until W_est reaches
//!   `cwnd_prior`, the `cwnd` before the last reduction, and 1 from there on. Where
//!   `W_cubic(t) < W_est`, `cwnd` is W_est (4.3).
//! - Congestion: `W_max = cwnd`, or `cwnd (1 + beta) / 2` when `cwnd` is below the last W_max
//!   (fast convergence, 4.7); then `cwnd` and `ssthresh` become `beta cwnd` (4.6).
//!
//! # Our readings
//! - The RFC adds `(target - cwnd) / cwnd` "for each received new ACK". Here each segment
//!   acknowledged adds it, or delayed acknowledgments would halve the growth. An
//!   acknowledgment never takes `cwnd` beyond its target.
//! - An epoch begins with the first acknowledgment that may grow `cwnd` after a reduction,
//!   which is after recovery. Time during which `cwnd` was not used does not count.
//! - A reduction is of `cwnd`, not of what is in flight: the RFC allows this where an unused
//!   `cwnd` does not grow, as here.
//! - Where W_cubic(t) < W_est, `cwnd` becomes the larger of itself and W_est: growth towards
//!   W_cubic(t + rtt) may have left it above.
//! - `cwnd` is at least 2 segments after a loss, and 1 after a mark; `ssthresh` at least 2.
//! - After a timeout, and where slow start ended without loss, K is 0 and W_max is `cwnd` at
//!   the beginning of the epoch; so too whenever `cwnd` is above W_max then.
//! - A timeout for the same segment again leaves `ssthresh` (RFC 5681, 3.1).
//! - In slow start each segment acknowledged adds one, and an acknowledgment 2 at most
//!   (RFC 3465's L; HyStart++ has its own). What is left of them at `ssthresh` counts for
//!   congestion avoidance.
//! - A spurious reduction is undone (4.9) "if the current cwnd is lower than cwnd_prior"; with
//!   Linux's growth only `cwnd` and `ssthresh` are restored, and a new epoch begins.
//!
//! # How other tools differ
//! | aspect | Linux | ns-3 | here |
//! |---|---|---|---|
//! | slow start | HyStart | HyStart | HyStart++; Linux's HyStart with its growth |
//! | Reno's estimate | alpha stays below 1 | none, later as Linux | RFC 9438 |
//! | target at | t and the least round trip | t and the least round trip | t and SRTT |
//! | growth of `cwnd` | whole segments, by a count of acknowledgments | as Linux | fractions |
//! | W_cubic(t) | integers, time in 1/1024 s, K up to 0.2% off | floating point | floating point |
//! | growth at most | 1 in 2 segments acknowledged | 1 in 2 segments acknowledged | 1.5 cwnd a round trip |
//! | least `cwnd` after a mark | 2 | 2 | 1 |
//!
//! [`Profile::linux`](crate::tcp::Profile::linux) chooses Linux's growth by whole segments,
//! reductions, estimate and least `cwnd`.
//!
//! # Validated against
//! - Linux 6.1, acknowledgment by acknowledgment: 16 of 16 scripts of `linux` senders without
//!   HyStart, and 5 of 5 with it, without a difference in the time of any transmission, nor in
//!   `cwnd` and `ssthresh` outside recovery.
//! - ns-3 3.48: queue, losses, goodput and timeouts of whole runs.

mod linux_growth;
mod linux_hystart;
#[cfg(test)]
mod tests;

use super::aimd::{ABC_LIMIT, three_quarters};
use super::events::{AckSample, CongestionEvent, Control, Signal, Windows};
use super::hystart::{self, HyStart, Step};
use earlydrop::units::Nanos;
use linux_growth::LinuxGrowth;
use linux_hystart::LinuxHyStart;

/// CUBIC's parameters; the defaults are RFC 9438's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// C, segments a second cubed; above 0, 0.4 by section 5.1.
    pub scale: f64,
    /// beta, the factor of a reduction; between 0 and 1. RFC 9438, 3.4: "CUBIC sets the
    /// multiplicative window decrease factor (beta_cubic) to 0.7, whereas Reno uses 0.5."
    pub beta: f64,
    /// Whether a flow that did not reach its last W_max yields more; true by section 4.7.
    pub fast_convergence: bool,
    /// Whether `cwnd` is at least Reno's estimate; true by section 4.3.
    pub reno_friendly: bool,
    /// Whether alpha is 1 once Reno's estimate reaches the `cwnd` before the last reduction;
    /// true by section 4.3, false in RFC 8312 and Linux.
    pub alpha_rises: bool,
    /// Whether `cwnd` grows by whole segments, as in Linux; false.
    pub linux_growth: bool,
    /// Whether a reduction leaves whole segments, rounded down, as in Linux; false.
    pub whole_cuts: bool,
    /// The least `cwnd` after a mark, segments; 1 by section 4.6, 2 in Linux.
    pub least_after_mark: f64,
    /// HyStart++ for the first slow start (RFC 9406), where `linux_growth` is off.
    pub hystart: Option<hystart::Parameters>,
    /// Linux's HyStart for every slow start, where `linux_growth` is on.
    pub linux_hystart: bool,
    /// Bytes of payload in a segment, for Linux's pacing rate.
    pub payload: u32,
}

impl Default for Parameters {
    fn default() -> Parameters {
        Parameters {
            scale: 0.4,
            beta: 0.7,
            fast_convergence: true,
            reno_friendly: true,
            alpha_rises: true,
            linux_growth: false,
            whole_cuts: false,
            least_after_mark: 1.0,
            hystart: None,
            linux_hystart: false,
            payload: 1448,
        }
    }
}

/// An epoch of congestion avoidance: the time between two reductions.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    began: Nanos,
    /// K, seconds.
    k: f64,
    /// W_max of this epoch, segments.
    origin: f64,
    /// W_est, the estimate of Reno's `cwnd`, segments.
    w_est: f64,
}

/// What `cwnd` grows by.
#[derive(Clone, Copy, Debug, Default)]
struct Curve {
    /// W_max, segments; 0 when it is not known.
    w_max: f64,
    /// `cwnd` before the last reduction.
    cwnd_prior: f64,
    /// `None` from a reduction on until `cwnd` grows.
    epoch: Option<Epoch>,
}

/// CUBIC's state for one flow.
///
/// ```
/// use earlydrop_sim::tcp::control::Control;
/// use earlydrop_sim::tcp::control::cubic::{Cubic, Parameters};
/// let cubic = Cubic::new(10.0, None, Parameters::default());
/// assert_eq!(cubic.cwnd(), 10.0);
/// ```
#[derive(Clone, Debug)]
pub struct Cubic {
    parameters: Parameters,
    /// alpha while W_est is below `cwnd_prior`.
    alpha: f64,
    /// Congestion window, segments.
    cwnd: f64,
    /// Slow-start threshold, segments.
    ssthresh: f64,
    curve: Curve,
    /// Since when `cwnd` has not been used.
    unused_since: Option<Nanos>,
    /// The curve before the last reduction, to which an undo returns.
    before: Curve,
    /// During the first slow start, where wanted.
    hystart: Option<HyStart>,
    /// What takes the place of all but `cwnd` and `ssthresh`, with Linux's growth.
    linux: Option<Box<Linux>>,
}

/// The state of Linux's CUBIC.
#[derive(Clone, Debug, Default)]
struct Linux {
    growth: LinuxGrowth,
    /// Until slow start has ended, where wanted.
    hystart: Option<LinuxHyStart>,
}

impl Linux {
    /// The state at the start, and after a timeout.
    fn new(parameters: &Parameters) -> Linux {
        Linux {
            growth: LinuxGrowth::default(),
            hystart: parameters.linux_hystart.then(LinuxHyStart::new),
        }
    }
}

impl Cubic {
    /// A flow's controller with its initial `cwnd` and `ssthresh`, segments; `None` for slow
    /// start until congestion.
    pub fn new(initial_cwnd: f64, initial_ssthresh: Option<f64>, parameters: Parameters) -> Cubic {
        let beta = parameters.beta;
        Cubic {
            parameters,
            alpha: 3.0 * (1.0 - beta) / (1.0 + beta),
            cwnd: initial_cwnd.max(1.0),
            ssthresh: initial_ssthresh.unwrap_or(f64::INFINITY).max(2.0),
            curve: Curve::default(),
            unused_since: None,
            before: Curve::default(),
            hystart: parameters.hystart.map(HyStart::new),
            linux: parameters
                .linux_growth
                .then(|| Box::new(Linux::new(&parameters))),
        }
    }

    /// Grows `cwnd` in slow start; returns the segments left for congestion avoidance.
    fn slow_start(&mut self, ack: &AckSample) -> f64 {
        let mut grow = f64::from(ack.segments.min(ABC_LIMIT));
        if let Some(hystart) = &mut self.hystart {
            match hystart.on_ack(ack) {
                Step::Grow(segments) => grow = segments,
                Step::Leave => {
                    self.leave_slow_start();
                    return 0.0;
                }
            }
        }
        let room = self.ssthresh - self.cwnd;
        if grow < room {
            self.cwnd += grow;
            return 0.0;
        }
        self.cwnd = self.ssthresh;
        self.hystart = None;
        grow - room
    }

    /// Ends slow start without loss: W_max is not known, and `cwnd_prior` is `cwnd`.
    fn leave_slow_start(&mut self) {
        self.hystart = None;
        self.ssthresh = self.cwnd.max(2.0);
        self.curve.cwnd_prior = self.cwnd;
    }

    /// The epoch that begins now (4.2).
    fn begin_epoch(&self, now: Nanos) -> Epoch {
        let below = self.curve.w_max - self.cwnd;
        let (k, origin) = if below > 0.0 {
            (libm::cbrt(below / self.parameters.scale), self.curve.w_max)
        } else {
            (0.0, self.cwnd)
        };
        Epoch {
            began: now,
            k,
            origin,
            w_est: self.cwnd,
        }
    }

    /// alpha while Reno's estimate is `w_est` (4.3).
    fn alpha_at(&self, w_est: f64) -> f64 {
        if self.parameters.alpha_rises && w_est >= self.curve.cwnd_prior {
            1.0
        } else {
            self.alpha
        }
    }

    /// W_cubic(t) - W_max at `since_k` seconds after K (4.2, figure 1).
    fn above_origin(&self, since_k: f64) -> f64 {
        self.parameters.scale * since_k * since_k * since_k
    }

    /// Grows `cwnd` in congestion avoidance for `segments` acknowledged.
    fn avoid_congestion(&mut self, now: Nanos, rtt: Nanos, segments: f64) {
        let mut epoch = self.curve.epoch.unwrap_or_else(|| self.begin_epoch(now));
        if self.curve.epoch.is_none() {
            self.curve.w_max = epoch.origin;
        }
        let w_cubic = |since_k: f64| self.above_origin(since_k) + epoch.origin;
        let since_k = now.since(epoch.began).as_secs_f64() - epoch.k;
        let share = segments / self.cwnd;
        let alpha = self.alpha_at(epoch.w_est);
        if self.parameters.reno_friendly {
            epoch.w_est += alpha * share;
        }
        if self.parameters.reno_friendly && w_cubic(since_k) < epoch.w_est {
            // 4.3: the Reno-friendly region.
            self.cwnd = self.cwnd.max(epoch.w_est);
        } else {
            // 4.4 and 4.5: the concave and the convex region.
            let ahead = w_cubic(since_k + rtt.as_secs_f64());
            let target = ahead.min(1.5 * self.cwnd).max(self.cwnd);
            self.cwnd += (target - self.cwnd) * share.min(1.0);
        }
        self.curve.epoch = Some(epoch);
    }

    /// Reduces W_max and `ssthresh` (4.6, 4.7); returns `beta cwnd`.
    fn reduce_ssthresh(&mut self) -> f64 {
        if let Some(linux) = &mut self.linux {
            self.ssthresh = f64::from(linux.growth.reduce(self.cwnd as u32));
            return self.ssthresh;
        }
        let beta = self.parameters.beta;
        self.before = self.curve;
        self.curve.cwnd_prior = self.cwnd;
        // 4.7: fast convergence.
        let shrinking = self.cwnd < self.curve.w_max && self.parameters.fast_convergence;
        self.curve.w_max = if shrinking {
            self.cwnd * (1.0 + beta) * 0.5
        } else {
            self.cwnd
        };
        if self.parameters.whole_cuts {
            self.curve.w_max = self.curve.w_max.floor();
        }
        let left = self.cwnd * beta;
        let left = if self.parameters.whole_cuts {
            left.floor()
        } else {
            left
        };
        self.ssthresh = left.max(2.0);
        self.curve.epoch = None;
        self.hystart = None;
        left
    }
}

impl Linux {
    /// Processes an acknowledgment: the round trip first, then growth by whole segments. Returns
    /// `cwnd` and `ssthresh`.
    fn on_ack(
        &mut self,
        ack: &AckSample,
        payload: f64,
        (cwnd, ssthresh): (f64, f64),
    ) -> (f64, f64) {
        let mut ssthresh = ssthresh;
        if let Some(rtt) = ack.newest_rtt
            && self.growth.measure(ack.now, rtt)
            && cwnd < ssthresh
            && let Some(hystart) = &mut self.hystart
            && hystart.on_ack(ack, rtt, self.growth.min_rtt(), (cwnd, payload))
        {
            ssthresh = cwnd;
            self.hystart = None;
        }
        if ack.recovering || !ack.cwnd_limited {
            return (cwnd, ssthresh);
        }
        let room = (ssthresh - cwnd).clamp(0.0, f64::from(ack.segments)) as u32;
        let mut cwnd = cwnd + f64::from(room);
        if room < ack.segments {
            let left = ack.segments - room;
            cwnd += f64::from(self.growth.grow(ack.now, cwnd as u32, left));
        }
        (cwnd, ssthresh)
    }
}

impl Control for Cubic {
    fn cwnd(&self) -> f64 {
        self.cwnd
    }

    fn ssthresh(&self) -> f64 {
        self.ssthresh
    }

    fn on_ack(&mut self, ack: &AckSample) {
        if let Some(linux) = &mut self.linux {
            let payload = f64::from(self.parameters.payload);
            (self.cwnd, self.ssthresh) = linux.on_ack(ack, payload, (self.cwnd, self.ssthresh));
            return;
        }
        if ack.recovering {
            return;
        }
        if !ack.cwnd_limited {
            self.unused_since.get_or_insert(ack.now);
            return;
        }
        if let Some(since) = self.unused_since.take()
            && let Some(epoch) = &mut self.curve.epoch
        {
            epoch.began += ack.now.since(since);
        }
        let mut segments = f64::from(ack.segments);
        if self.cwnd < self.ssthresh {
            segments = self.slow_start(ack);
        }
        if segments > 0.0 {
            self.avoid_congestion(ack.now, ack.srtt, segments);
        }
    }

    fn on_congestion(&mut self, congestion: &CongestionEvent) {
        let least = match congestion.signal {
            Signal::Loss => 2.0,
            Signal::Mark => self.parameters.least_after_mark,
        };
        self.cwnd = self.reduce_ssthresh().max(least);
    }

    fn on_timeout(&mut self, _now: Nanos, _in_flight: u32, again: bool) {
        if !again {
            self.reduce_ssthresh();
        }
        self.curve.w_max = 0.0;
        self.curve.epoch = None;
        self.hystart = None;
        if let Some(linux) = &mut self.linux {
            **linux = Linux::new(&self.parameters);
        }
        self.cwnd = 1.0;
    }

    fn leave_after_timeout(&mut self, cwnd: f64) {
        self.cwnd = cwnd;
    }

    fn undo(&mut self, before: &Windows) {
        self.ssthresh = self.ssthresh.max(before.ssthresh);
        if self.cwnd >= before.cwnd {
            return;
        }
        self.cwnd = before.cwnd;
        if self.linux.is_none() {
            self.curve = self.before;
        }
    }

    fn on_restart(&mut self, _now: Nanos, initial_window: f64) {
        if self.parameters.linux_growth {
            self.ssthresh = self.ssthresh.max(three_quarters(self.cwnd));
        }
        self.cwnd = self.cwnd.min(initial_window).max(1.0);
        self.curve.epoch = None;
        self.unused_since = None;
    }

    fn on_transmit_start(&mut self, now: Nanos, last: Nanos) {
        if let Some(linux) = &mut self.linux {
            linux.growth.on_transmit_start(now, last);
        }
    }
}
