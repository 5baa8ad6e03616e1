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

    fn avoid_congestion(&mut self, now: Nanos, rtt: Nanos, segments: f64) {
        let known = self.w_max > 0.0;
        let mut epoch = match self.epoch {
            Some(epoch) => epoch,
            None => {
                let epoch = self.begin_epoch(now);
                if !self.parameters.whole_growth {
                    self.w_max = epoch.origin;
                }
                epoch
            }
        };
        let scale = self.parameters.scale;
        let cubic = |since_k: f64| scale * since_k * since_k * since_k + epoch.origin;
        let since_k = now.since(epoch.began).as_secs_f64() - epoch.k;
        let share = segments / self.window;
        let rises = self.parameters.alpha_rises && epoch.reno >= self.prior;
        let alpha = if rises { 1.0 } else { self.alpha };
        if self.parameters.whole_growth {
            let ahead = self.whole.least_rtt.as_secs_f64();
            let course = Course {
                curve: epoch.origin + (cubic(since_k + ahead) - epoch.origin).trunc(),
                alpha,
                friendly: self.parameters.reno_friendly,
                known,
            };
            let (window, segments) = (self.window as u32, segments as u32);
            self.window += f64::from(self.whole.grow(now, window, segments, &course));
            epoch.reno = self.whole.estimate();
            self.epoch = Some(epoch);
            return;
        }
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

#[cfg(test)]
mod tests {
    use super::super::testing::{self, acked, congestion};
    use super::*;
    use proptest::prelude::*;

    const RTT: Nanos = Nanos::from_millis(100);

    fn at(secs: f64) -> Nanos {
        Nanos::from_secs_f64(secs)
    }

    /// Just cut from a window of `window` by a loss.
    fn cut(window: f64, parameters: Parameters) -> Cubic {
        let mut cubic = Cubic::new(window, Some(window), parameters);
        cubic.on_congestion(&congestion(Nanos::ZERO, Signal::Loss, window as u32));
        cubic
    }

    fn one(secs: f64) -> Acked {
        acked(at(secs), 1, 100, RTT)
    }

    fn near(found: f64, expected: f64, within: f64) {
        assert!(
            (found - expected).abs() <= within,
            "{found}, not {expected}"
        );
    }

    #[test]
    fn k_is_the_time_back_to_the_window_before() {
        // 0.3 of 1000 segments at 0.4 a second cubed: cbrt(750) = 9.0856 s.
        let mut cubic = cut(1000.0, Parameters::default());
        assert_eq!((cubic.window(), cubic.threshold()), (700.0, 700.0));
        cubic.on_acked(&one(5.0));
        let epoch = cubic.epoch.unwrap();
        assert_eq!((epoch.began, epoch.origin), (at(5.0), 1000.0));
        near(epoch.k, 9.085_603, 1e-6);
    }

    #[test]
    fn a_segment_goes_a_windows_part_of_the_way_to_the_target() {
        let mut cubic = cut(
            1000.0,
            Parameters {
                reno_friendly: false,
                ..Parameters::default()
            },
        );
        // t = 0: W(0.1) = 1000 - 0.4 * 8.985603^3 = 709.7971.
        cubic.on_acked(&one(0.0));
        near(cubic.window(), 700.0 + 9.797_1 / 700.0, 1e-6);
        // t = 8.985603, a round trip before K: the target is W_max itself.
        let window = cubic.window();
        cubic.on_acked(&one(8.985_603));
        near(cubic.window(), window + (1000.0 - window) / window, 1e-6);
        // Five seconds past K: 1000 + 0.4 * 5^3 = 1050, just below 1.5 w.
        let window = cubic.window();
        cubic.on_acked(&one(13.985_603));
        near(cubic.window(), window + (1050.0 - window) / window, 1e-5);
        // Far later, half a segment for each.
        let window = cubic.window();
        cubic.on_acked(&one(1000.0));
        near(cubic.window(), window + 0.5, 1e-9);
    }

    /// One acknowledgment for each segment of the window, evenly over each round trip.
    fn rounds(cubic: &mut Cubic, from: f64, rounds: u32) -> f64 {
        let mut now = from;
        for _ in 0..rounds {
            let segments = cubic.window() as u32;
            for _ in 0..segments {
                now += 0.1 / f64::from(segments);
                cubic.on_acked(&one(now));
            }
        }
        now
    }

    #[test]
    fn follows_its_curve() {
        let mut cubic = cut(1000.0, Parameters::default());
        cubic.on_acked(&one(0.0));
        let now = rounds(&mut cubic, 0.0, 50);
        // W(5) = 1000 - 0.4 * 4.085603^3 = 972.72; the window is at most a step ahead.
        near(now, 5.0, 1e-6);
        near(cubic.window(), 972.72, 3.0);
        let now = rounds(&mut cubic, now, 70);
        // W(12) = 1000 + 0.4 * 2.914397^3 = 1009.90.
        near(now, 12.0, 1e-6);
        near(cubic.window(), 1009.90, 1.5);
    }

    #[test]
    fn grows_as_reno_would_where_that_is_faster() {
        // Cut from 20 to 14: K = cbrt(15) = 2.47 s, W(1) = 20 - 0.4 * 1.47^3 = 18.73.
        // With round trips of 10 ms W_est is ahead at once.
        let mut cubic = cut(20.0, Parameters::default());
        let short = |now: f64| acked(at(now), 1, 14, Nanos::from_millis(10));
        // alpha = 3 * 0.3 / 1.7 = 0.529412 segments a round trip.
        let mut expected = 14.0;
        for segment in 0..140 {
            expected += 0.529_411_764_705_882_3 / cubic.window();
            cubic.on_acked(&short(f64::from(segment) * 0.01 / 14.0));
        }
        // Ten windows of 14 and a little more: the closed form is sqrt(w^2 + 2 alpha n).
        near(
            expected,
            libm::sqrt(14.0 * 14.0 + 2.0 * 0.529_412 * 140.0),
            0.05,
        );
        near(cubic.epoch.unwrap().reno, expected, 1e-9);
        near(cubic.window(), expected, 0.05);
    }

    #[test]
    fn grows_a_segment_a_round_trip_beyond_the_window_before() {
        let mut cubic = cut(20.0, Parameters::default());
        let short = |now: f64| acked(at(now), 1, 20, Nanos::from_millis(1));
        cubic.on_acked(&short(0.0));
        cubic.epoch = Some(Epoch {
            reno: 20.0,
            ..cubic.epoch.unwrap()
        });
        cubic.window = 20.0;
        cubic.on_acked(&short(0.001));
        near(cubic.window(), 20.0 + 1.0 / 20.0, 1e-12);
    }

    #[test]
    fn fast_convergence_yields_where_the_last_window_was_not_reached() {
        let mut cubic = cut(1000.0, Parameters::default());
        cubic.on_congestion(&congestion(at(1.0), Signal::Loss, 700));
        // 700 is below 1000: W_max = 700 * 1.7 / 2; above it: the window itself.
        near(cubic.w_max, 595.0, 1e-9);
        near(cubic.window(), 490.0, 1e-9);
        cubic.window = 600.0;
        cubic.on_congestion(&congestion(at(2.0), Signal::Loss, 600));
        near(cubic.w_max, 600.0, 1e-9);
        let steady = Parameters {
            fast_convergence: false,
            ..Parameters::default()
        };
        let mut cubic = cut(1000.0, steady);
        cubic.on_congestion(&congestion(at(1.0), Signal::Loss, 700));
        near(cubic.w_max, 700.0, 1e-9);
    }

    #[test]
    fn starts_anew_after_a_timeout() {
        let mut cubic = cut(100.0, Parameters::default());
        cubic.on_timeout(at(1.0), 70, false);
        assert_eq!((cubic.window(), cubic.threshold()), (1.0, 49.0));
        cubic.on_timeout(at(2.0), 1, true);
        assert_eq!((cubic.window(), cubic.threshold()), (1.0, 49.0));
        (0..24).for_each(|_| cubic.on_acked(&acked(at(3.0), 2, 48, RTT)));
        assert_eq!(cubic.window(), 49.0);
        cubic.on_acked(&one(3.1));
        let epoch = cubic.epoch.unwrap();
        assert_eq!((epoch.k, epoch.origin), (0.0, 49.0));
    }

    #[test]
    fn what_an_acknowledgment_has_left_at_the_threshold_is_not_lost() {
        let mut cubic = Cubic::new(9.0, Some(10.0), Parameters::default());
        cubic.on_acked(&acked(at(1.0), 3, 9, RTT));
        // Two of the three count. K = 0, W_max = 10, W(0) = 10 < W_est = 10 + 1 / 10,
        // with nothing cut yet.
        near(cubic.window(), 10.1, 1e-12);
    }

    #[test]
    fn time_without_use_does_not_count() {
        let mut cubic = cut(1000.0, Parameters::default());
        let mut idle = cut(1000.0, Parameters::default());
        cubic.on_acked(&one(0.0));
        idle.on_acked(&one(0.0));
        cubic.on_acked(&one(2.0));
        idle.on_acked(&Acked {
            window_limited: false,
            ..one(1.0)
        });
        idle.on_acked(&Acked {
            window_limited: false,
            ..one(50.0)
        });
        idle.on_acked(&one(61.0));
        idle.on_acked(&one(62.0));
        assert_eq!(idle.epoch.unwrap().began, at(60.0));
        cubic.on_acked(&Acked {
            recovering: true,
            ..one(3.0)
        });
        assert_eq!(cubic.epoch.unwrap().began, at(0.0));
    }

    #[test]
    fn floors_are_two_for_loss_and_one_for_marks() {
        for (signal, floor) in [(Signal::Loss, 2.0), (Signal::Mark, 1.0)] {
            let mut cubic = Cubic::new(3.0, None, Parameters::default());
            (0..9).for_each(|_| cubic.on_congestion(&congestion(at(1.0), signal, 1)));
            assert_eq!((cubic.window(), cubic.threshold()), (floor, 2.0));
        }
    }

    #[test]
    fn hystart_ends_slow_start_without_loss() {
        let gentle = Parameters {
            hystart: Some(Default::default()),
            ..Parameters::default()
        };
        let mut cubic = Cubic::new(10.0, None, gentle);
        for ms in 0..800 {
            let rtt = Nanos::from_millis(20 + ms / 10);
            cubic.on_acked(&acked(
                Nanos::from_millis(ms),
                1,
                cubic.window() as u32,
                rtt,
            ));
        }
        assert!(cubic.threshold() < 300.0, "{cubic:?}");
        assert!(cubic.prior >= cubic.threshold() && cubic.hystart.is_none());
    }

    /// Tables 1 and 2 of the RFC: the mean window with a loss every 1 / p segments.
    #[test]
    fn has_the_mean_windows_of_the_rfcs_tables() {
        let mean = |rtt: f64, every: u32| {
            let mut cubic = Cubic::new(10.0, Some(10.0), Parameters::default());
            let (mut now, mut from) = (0.0, 0.0);
            // The curve is flat at its end, so that hundreds of losses pass until it settles.
            for segment in 1..=400 * every {
                now += rtt / cubic.window();
                cubic.on_acked(&acked(at(now), 1, 10, at(rtt)));
                if segment % every == 0 {
                    cubic.on_congestion(&congestion(at(now), Signal::Loss, 10));
                }
                if segment == 200 * every {
                    from = now;
                }
            }
            f64::from(200 * every) * rtt / (now - from)
        };
        // 1.054 (0.1 / p)^(3/4) for the first, Reno's 1.2 / sqrt(p) for the others.
        for (rtt, every, table) in [
            (0.1, 10_000, 187.0),
            (0.1, 100, 12.0),
            (0.01, 10_000, 120.0),
        ] {
            let found = mean(rtt, every);
            assert!((found / table - 1.0).abs() < 0.04, "{found}, not {table}");
        }
    }

    proptest! {
        #[test]
        fn stays_sane(
            events in testing::events(),
            initial in 1.0..100.0_f64,
            gentle in any::<bool>(),
            whole in any::<bool>(),
        ) {
            let hystart = gentle.then(hystart::Parameters::default);
            let parameters = Parameters {
                hystart,
                alpha_rises: !whole,
                whole_growth: whole,
                whole_cuts: whole,
                ..Parameters::default()
            };
            testing::stays_sane(&mut Cubic::new(initial, None, parameters), events);
        }
    }
}
