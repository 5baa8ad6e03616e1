//! CUBIC: a window that grows with the cube of the time since it was last cut.
//!
//! # Reference
//! L. Xu, S. Ha, I. Rhee, V. Goel, L. Eggert, "CUBIC for Fast and Long-Distance
//! Networks", RFC 9438, 2023, section 4.
//!
//! # Equations
//! Windows in segments, times in seconds; t is the time since congestion avoidance
//! (the epoch) began, and `w_0` the window then.
//! - `W(t) = C (t - K)^3 + W_max`, `K = cbrt((W_max - w_0) / C)`.
//! - `target = W(t + rtt)`, kept within [w, 1.5 w]; a segment acknowledged adds
//!   `(target - w) / w`.
//! - Reno's window is estimated by `W_est += alpha / w` a segment acknowledged, from
//!   `W_est = w_0`; `alpha = 3 (1 - beta) / (1 + beta)` until W_est reaches the window
//!   before the last cut, 1 from there on. Where `W(t) < W_est`, w is W_est.
//! - Congestion: `W_max = w`, or `w (1 + beta) / 2` when w is below the last W_max (fast
//!   convergence); then w and the threshold become `beta w`.
//!
//! # Our readings
//! - The RFC adds `(target - w) / w` "for each received new ACK"; we add it for each
//!   segment acknowledged, or delayed acknowledgments would halve the growth. An
//!   acknowledgment never takes the window beyond its target.
//! - An epoch begins with the first acknowledgment that may grow the window after a cut,
//!   which is after recovery. Time during which the window was not used is taken out.
//! - The cut is one of the window, not of what is in flight: the RFC allows this where
//!   an unused window does not grow, as here.
//! - Where W(t) < W_est, the window becomes the larger of itself and W_est: the growth
//!   towards W(t + rtt) may have left it above.
//! - The window has a floor of 2 segments after a loss, and of 1 after a mark; the
//!   threshold always one of 2.
//! - After a timeout, and where slow start ended without loss, K is 0 and W_max the
//!   window at which the epoch begins; so too whenever the window is above W_max then.
//! - A timeout for the same segment again leaves the threshold (RFC 5681, section 3.1).
//! - In slow start each segment acknowledged adds one, and an acknowledgment 2 at most
//!   (RFC 3465's L; HyStart++ has its own); what is left of them at the threshold counts
//!   for congestion avoidance.
//! - Undoing a spurious reduction, section 4.9, is left out.
//!
//! # How other tools differ
//! | aspect | Linux | ns-3 | here |
//! |---|---|---|---|
//! | slow start | HyStart | HyStart | HyStart++ as an option, off |
//! | Reno's estimate | alpha stays below 1 | none, later Linux's | RFC 9438 |
//! | target at | t and the least round trip | the same | t and the smoothed one |
//! | growth of the window | whole segments, by a count of acknowledgments | the same | fractions |
//! | W(t) | integers, time in 1/1024 s | floating point | floating point |
//! | growth at most | 1 in 2 segments acknowledged | the same | 1.5 w a round trip |
//! | floor after a mark | 2 | 2 | 1 |
//!
//! Linux's growth by whole segments, cuts, estimate and floor can be had:
//! [`Profile::linux`](crate::tcp::Profile::linux).

#[cfg(test)]
mod tests;
mod whole;

use super::hystart::{self, HyStart, Step};
use super::window::BURST;
use super::{Acked, Congestion, Control, Signal};
use earlydrop::units::Nanos;
use whole::{Course, Whole};

/// What CUBIC goes by; the defaults are RFC 9438's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// C, segments a second cubed; above 0, 0.4 by section 5.1.
    pub scale: f64,
    /// beta, the part of the window left by a cut; between 0 and 1, 0.7 by section 4.6.
    pub beta: f64,
    /// Whether a flow that did not reach its last W_max yields more; true by section 4.7.
    pub fast_convergence: bool,
    /// Whether the window is at least Reno's estimate; true by section 4.3.
    pub reno_friendly: bool,
    /// Whether alpha is 1 once Reno's estimate reaches the window before the last cut; true
    /// by section 4.3, false in RFC 8312 and Linux.
    pub alpha_rises: bool,
    /// Whether the window grows by whole segments, as in Linux; false.
    pub whole_growth: bool,
    /// Whether a cut leaves whole segments, rounded down, as in Linux; false.
    pub whole_cuts: bool,
    /// The least window after a mark, segments; 1 by section 4.6, 2 in Linux.
    pub least_after_mark: f64,
    /// HyStart++ for the first slow start; none, though section 4.10 advises it, so that
    /// a flow starts as other controllers here do.
    pub hystart: Option<hystart::Parameters>,
}

impl Default for Parameters {
    fn default() -> Parameters {
        Parameters {
            scale: 0.4,
            beta: 0.7,
            fast_convergence: true,
            reno_friendly: true,
            alpha_rises: true,
            whole_growth: false,
            whole_cuts: false,
            least_after_mark: 1.0,
            hystart: None,
        }
    }
}

/// A stage of congestion avoidance.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    began: Nanos,
    /// K, seconds.
    k: f64,
    /// W_max as this epoch takes it.
    origin: f64,
    /// W_est, Reno's window.
    reno: f64,
}

/// CUBIC's state for one flow.
///
/// ```
/// use earlydrop_sim::tcp::control::Control;
/// use earlydrop_sim::tcp::control::cubic::{Cubic, Parameters};
/// let cubic = Cubic::new(10.0, None, Parameters::default());
/// assert_eq!(cubic.window(), 10.0);
/// ```
#[derive(Clone, Debug)]
pub struct Cubic {
    parameters: Parameters,
    /// alpha below the prior window.
    alpha: f64,
    window: f64,
    threshold: f64,
    /// W_max; 0 when it is not known.
    w_max: f64,
    /// The window before the last cut.
    prior: f64,
    /// `None` until growth begins anew.
    epoch: Option<Epoch>,
    /// Since when the window has not been used.
    unused_since: Option<Nanos>,
    /// In the first slow start, where wanted.
    hystart: Option<HyStart>,
    /// Where it grows by whole segments.
    whole: Whole,
}

impl Cubic {
    /// A flow's controller with its first window, segments, and the threshold it starts
    /// from, segments; `None` for slow start until congestion.
    pub fn new(
        initial_window: f64,
        initial_threshold: Option<f64>,
        parameters: Parameters,
    ) -> Cubic {
        let beta = parameters.beta;
        Cubic {
            parameters,
            alpha: 3.0 * (1.0 - beta) / (1.0 + beta),
            window: initial_window.max(1.0),
            threshold: initial_threshold.unwrap_or(f64::INFINITY).max(2.0),
            w_max: 0.0,
            prior: 0.0,
            epoch: None,
            unused_since: None,
            hystart: parameters.hystart.map(HyStart::new),
            whole: Whole::default(),
        }
    }

    /// Grows the window in slow start; the segments left for congestion avoidance.
    fn slow_start(&mut self, acked: &Acked) -> f64 {
        let burst = if self.parameters.whole_growth {
            u32::MAX
        } else {
            BURST
        };
        let mut grow = f64::from(acked.segments.min(burst));
        if let Some(hystart) = &mut self.hystart {
            match hystart.on_acked(acked) {
                Step::Grow(segments) => grow = segments,
                Step::Leave => {
                    self.leave_slow_start();
                    return 0.0;
                }
            }
        }
        let room = self.threshold - self.window;
        if grow < room {
            self.window += grow;
            return 0.0;
        }
        self.window = self.threshold;
        self.hystart = None;
        grow - room
    }

    /// Slow start ends without loss: W_max is not known, and the prior window is this.
    fn leave_slow_start(&mut self) {
        self.hystart = None;
        self.threshold = self.window.max(2.0);
        self.prior = self.window;
    }

    fn begin_epoch(&self, now: Nanos) -> Epoch {
        let below = self.w_max - self.window;
        let (k, origin) = if below > 0.0 {
            (libm::cbrt(below / self.parameters.scale), self.w_max)
        } else {
            (0.0, self.window)
        };
        Epoch {
            began: now,
            k,
            origin,
            reno: self.window,
        }
    }

    /// Alpha where Reno's estimate is `reno`.
    fn alpha_at(&self, reno: f64) -> f64 {
        if self.parameters.alpha_rises && reno >= self.prior {
            1.0
        } else {
            self.alpha
        }
    }

    /// W(t) - W_max at `since_k` seconds after K.
    fn above_origin(&self, since_k: f64) -> f64 {
        self.parameters.scale * since_k * since_k * since_k
    }

    fn grow_by_whole(&mut self, epoch: &mut Epoch, now: Nanos, segments: u32) {
        let ahead = self.whole.least_rtt.as_secs_f64();
        let since_k = now.since(epoch.began).as_secs_f64() - epoch.k;
        let course = Course {
            curve: epoch.origin + self.above_origin(since_k + ahead).trunc(),
            alpha: self.alpha_at(epoch.reno),
            friendly: self.parameters.reno_friendly,
            known: self.w_max > 0.0,
        };
        let window = self.window as u32;
        self.window += f64::from(self.whole.grow(now, window, segments, &course));
        epoch.reno = self.whole.estimate();
    }

    fn avoid_congestion(&mut self, now: Nanos, rtt: Nanos, segments: f64) {
        let mut epoch = self.epoch.unwrap_or_else(|| self.begin_epoch(now));
        if self.parameters.whole_growth {
            self.grow_by_whole(&mut epoch, now, segments as u32);
            self.epoch = Some(epoch);
            return;
        }
        if self.epoch.is_none() {
            self.w_max = epoch.origin;
        }
        let cubic = |since_k: f64| self.above_origin(since_k) + epoch.origin;
        let since_k = now.since(epoch.began).as_secs_f64() - epoch.k;
        let share = segments / self.window;
        let alpha = self.alpha_at(epoch.reno);
        if self.parameters.reno_friendly {
            epoch.reno += alpha * share;
        }
        if self.parameters.reno_friendly && cubic(since_k) < epoch.reno {
            self.window = self.window.max(epoch.reno);
        } else {
            let ahead = cubic(since_k + rtt.as_secs_f64());
            let target = ahead.min(1.5 * self.window).max(self.window);
            self.window += (target - self.window) * share.min(1.0);
        }
        self.epoch = Some(epoch);
    }

    /// Section 4.6 and 4.7, but for the window itself.
    fn lower_threshold(&mut self) -> f64 {
        let beta = self.parameters.beta;
        self.prior = self.window;
        let shrinking = self.window < self.w_max && self.parameters.fast_convergence;
        self.w_max = if shrinking {
            self.window * (1.0 + beta) * 0.5
        } else {
            self.window
        };
        if self.parameters.whole_cuts {
            self.w_max = self.w_max.floor();
        }
        let left = self.window * beta;
        let left = if self.parameters.whole_cuts {
            left.floor()
        } else {
            left
        };
        self.threshold = left.max(2.0);
        self.epoch = None;
        self.hystart = None;
        self.whole.forget();
        left
    }
}

impl Control for Cubic {
    fn window(&self) -> f64 {
        self.window
    }

    fn threshold(&self) -> f64 {
        self.threshold
    }

    fn on_acked(&mut self, acked: &Acked) {
        if let Some(rtt) = acked.rtt {
            self.whole.least_rtt = self.whole.least_rtt.min(rtt);
        }
        if acked.recovering {
            return;
        }
        if !acked.window_limited {
            self.unused_since.get_or_insert(acked.now);
            return;
        }
        if let Some(since) = self.unused_since.take()
            && let Some(epoch) = &mut self.epoch
        {
            epoch.began += acked.now.since(since);
        }
        let mut segments = f64::from(acked.segments);
        if self.window < self.threshold {
            segments = self.slow_start(acked);
        }
        if segments > 0.0 {
            self.avoid_congestion(acked.now, acked.smoothed_rtt, segments);
        }
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        let floor = match congestion.signal {
            Signal::Loss => 2.0,
            Signal::Mark => self.parameters.least_after_mark,
        };
        self.window = self.lower_threshold().max(floor);
    }

    fn on_timeout(&mut self, _now: Nanos, _in_flight: u32, again: bool) {
        if !again {
            self.lower_threshold();
        }
        self.w_max = 0.0;
        self.epoch = None;
        self.hystart = None;
        self.whole.forget();
        self.window = 1.0;
    }

    fn on_restart(&mut self, _now: Nanos, initial_window: f64) {
        self.window = self.window.min(initial_window).max(1.0);
        self.epoch = None;
        self.whole.forget();
        self.unused_since = None;
    }
}
