//! A scalable sender for L4S queues, after TCP Prague: frequent marks, small cuts.
//!
//! # Reference
//! K. De Schepper, O. Tilmans, B. Briscoe, V. Goel, "Prague Congestion Control",
//! draft-briscoe-iccrg-prague-congestion-control-04, 2024; K. De Schepper, B. Briscoe,
//! "The ECN Protocol for L4S", RFC 9331, 2023, section 4.3, for what is asked of such a
//! sender. That its segments carry ECT(1) is the sender's affair.
//!
//! # Equations
//! Windows w in segments, times in seconds.
//! - `alpha = (1 - g) alpha + g M` after each window of data, with M its marked part.
//! - A mark, at most once a round trip: `w = w (1 - alpha / 2)`. A loss: `w = w / 2`.
//! - Each segment acknowledged *unmarked* adds 1 in slow start (an acknowledgment 2 at
//!   most), `i / w` beyond it.
//! - `i = 1`; with RTT independence, at round trips R below the target T,
//!   `i = (R / T)^2`, and cuts and averages come at least T apart.
//!
//! With marking probability p this settles at `w = 2 (1 - p) / p`: the number of marks a
//! round trip does not depend on the rate, which is what scalable means. With RTT
//! independence `w = 2 (1 - p) R / (p T)`, at most: the rate w / R depends on T alone.
//!
//! # Our readings
//! - It paces at `w / R`, and at twice that while the window is below half the threshold,
//!   as Linux's Prague does; not at all before a round trip was measured.
//! - alpha starts at 1 and stays until the first mark: that mark halves the window, and
//!   ends slow start, as a loss would.
//! - Growth goes on in the round trip of a cut, by unmarked segments: that is where
//!   Prague leaves DCTCP as Linux has it.
//! - RTT independence begins some rounds after slow start, so that a short transfer is
//!   not slowed.
//! - R is the smoothed round-trip time.
//!
//! # What is left out of Prague
//! Falling back to a classic response where the queue is found to mark classically
//! (off in Linux too); taking a cut by marks into account at a loss in the same round
//! trip; windows below 2 segments; the draft's pacing of bursts (a simulator sends
//! segments one by one); reacting to a loss as CUBIC, by 0.7; and the two other rules for
//! RTT independence that Linux offers.
//!
//! # How other tools differ
//! | aspect | Linux (L4STeam) | here |
//! |---|---|---|
//! | RTT independence | on: T = 25 ms, after 500 rounds | off; the same numbers when on |
//! | cut | one segment an acknowledgment, down to the new window | at once |
//! | window sent by | rounded up | the sender compares whole segments |

use super::dctcp::{self, Marks};
use super::window::Window;
use super::{Acked, Congestion, Control, Signal};
use earlydrop::units::Nanos;

/// A round-trip time that shorter ones behave like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RttIndependence {
    /// T; above 0; 25 ms in Linux's Prague.
    pub target: Nanos,
    /// Rounds after slow start before it is taken up; 500 in Linux's Prague.
    pub after_rounds: u32,
}

impl Default for RttIndependence {
    fn default() -> RttIndependence {
        RttIndependence {
            target: Nanos::from_millis(25),
            after_rounds: 500,
        }
    }
}

/// What the scalable sender goes by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// g and the first alpha, as DCTCP has them; 1/16 and 1.
    pub marks: dctcp::Parameters,
    /// Whether it paces; true, as RFC 9331 advises against bursts.
    pub paced: bool,
    /// RTT independence; none, for the plain law `w = 2 (1 - p) / p`.
    pub rtt_independence: Option<RttIndependence>,
}

impl Default for Parameters {
    fn default() -> Parameters {
        Parameters {
            marks: dctcp::Parameters::default(),
            paced: true,
            rtt_independence: None,
        }
    }
}

/// The scalable sender's state for one flow.
///
/// ```
/// use earlydrop_sim::tcp::control::Control;
/// use earlydrop_sim::tcp::control::scalable::{Parameters, Scalable};
/// let scalable = Scalable::new(10.0, None, Parameters::default());
/// assert_eq!(scalable.window(), 10.0);
/// assert_eq!(scalable.pacing_rate(), None);
/// ```
#[derive(Clone, Debug)]
pub struct Scalable {
    parameters: Parameters,
    marks: Marks,
    /// Whether a mark was seen yet.
    seen: bool,
    window: Window,
    /// Rounds since slow start.
    rounds: u32,
    averaged: Nanos,
    cut: Option<Nanos>,
    smoothed_rtt: Nanos,
    /// i, what a window's worth of acknowledgments adds.
    increase: f64,
}

impl Scalable {
    /// A flow's controller with its first window, segments, and the threshold it starts
    /// from, segments; `None` for slow start until congestion.
    pub fn new(
        initial_window: f64,
        initial_threshold: Option<f64>,
        parameters: Parameters,
    ) -> Scalable {
        Scalable {
            parameters,
            marks: Marks::new(parameters.marks),
            seen: false,
            window: Window::new(initial_window, initial_threshold),
            rounds: 0,
            averaged: Nanos::ZERO,
            cut: None,
            smoothed_rtt: Nanos::ZERO,
            increase: 1.0,
        }
    }

    /// The estimate of the part of segments that is marked.
    pub fn alpha(&self) -> f64 {
        self.marks.alpha
    }

    /// T, where RTT independence is taken up and the round trip is shorter.
    fn target(&self) -> Option<Nanos> {
        let rule = self.parameters.rtt_independence?;
        let taken_up = !self.window.in_slow_start() && self.rounds >= rule.after_rounds;
        (taken_up && self.smoothed_rtt < rule.target).then_some(rule.target)
    }

    /// A window of data was acknowledged: a round, unless the target is not over yet.
    fn end_of_round(&mut self, acked: &Acked) {
        let due = |target| acked.now.since(self.averaged) >= target;
        if !self.target().is_none_or(due) {
            return;
        }
        self.averaged = acked.now;
        if self.seen {
            self.marks.average(acked);
        } else {
            self.marks.begin(acked);
        }
        if !self.window.in_slow_start() {
            self.rounds = self.rounds.saturating_add(1);
        }
        self.increase = match self.target() {
            Some(target) if self.smoothed_rtt > Nanos::ZERO => {
                let ratio = self.smoothed_rtt.as_secs_f64() / target.as_secs_f64();
                ratio * ratio
            }
            _ => 1.0,
        };
    }
}

impl Control for Scalable {
    fn window(&self) -> f64 {
        self.window.size
    }

    fn threshold(&self) -> f64 {
        self.window.threshold
    }

    fn on_acked(&mut self, acked: &Acked) {
        self.smoothed_rtt = acked.smoothed_rtt;
        self.seen |= acked.marked > 0;
        if self.marks.count(acked) {
            self.end_of_round(acked);
        }
        if acked.window_limited && !acked.recovering {
            let unmarked = f64::from(acked.segments.saturating_sub(acked.marked));
            self.window.grow(unmarked, self.increase);
        }
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        if congestion.signal == Signal::Loss {
            return self.window.cut_by(0.5);
        }
        self.seen = true;
        let early = self.target().zip(self.cut);
        if early.is_some_and(|(target, cut)| congestion.now.since(cut) < target) {
            return;
        }
        self.cut = Some(congestion.now);
        self.window.cut_by(1.0 - 0.5 * self.marks.alpha);
    }

    fn on_timeout(&mut self, _now: Nanos, _in_flight: u32, again: bool) {
        self.window.time_out(again);
    }

    fn on_restart(&mut self, _now: Nanos, initial_window: f64) {
        self.window.restart(initial_window);
    }

    fn paces(&self) -> bool {
        self.parameters.paced
    }

    fn pacing_rate(&self) -> Option<f64> {
        if !self.parameters.paced || self.smoothed_rtt == Nanos::ZERO {
            return None;
        }
        let gain = if self.window.size < 0.5 * self.window.threshold {
            2.0
        } else {
            1.0
        };
        Some(gain * self.window.size / self.smoothed_rtt.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{self, acked, congestion};
    use super::*;
    use proptest::prelude::*;

    fn new(window: f64, parameters: Parameters) -> Scalable {
        Scalable::new(window, Some(window), parameters)
    }

    fn of(segments: u32, marked: u32, in_flight: u32, ms: u64) -> Acked {
        Acked {
            marked,
            ..acked(Nanos::ZERO, segments, in_flight, Nanos::from_millis(ms))
        }
    }

    fn mark(scalable: &mut Scalable, now: Nanos) {
        scalable.on_congestion(&congestion(now, Signal::Mark, 0));
    }

    #[test]
    fn the_first_mark_ends_slow_start_at_half() {
        let mut scalable = Scalable::new(10.0, None, Parameters::default());
        for _ in 0..45 {
            scalable.on_acked(&of(2, 0, 10, 20));
        }
        assert_eq!((scalable.window(), scalable.alpha()), (100.0, 1.0));
        mark(&mut scalable, Nanos::ZERO);
        assert_eq!((scalable.window(), scalable.threshold()), (50.0, 50.0));
        // Half of ten segments marked, a whole window: alpha is 31/32; 5 of them grow.
        scalable.on_acked(&of(10, 5, 20, 20));
        assert_eq!(scalable.alpha(), 31.0 / 32.0);
        assert_eq!(scalable.window(), 50.1);
    }

    #[test]
    fn halves_at_a_loss_and_starts_again_after_a_timeout() {
        let mut scalable = new(40.0, Parameters::default());
        scalable.marks.alpha = 0.1;
        mark(&mut scalable, Nanos::ZERO);
        assert_eq!(scalable.window(), 38.0);
        scalable.on_congestion(&congestion(Nanos::ZERO, Signal::Loss, 38));
        assert_eq!(scalable.window(), 19.0);
        scalable.on_timeout(Nanos::ZERO, 19, false);
        assert_eq!((scalable.window(), scalable.threshold()), (1.0, 9.5));
    }

    #[test]
    fn paces_a_window_a_round_trip_and_twice_that_in_slow_start() {
        let mut scalable = Scalable::new(9.0, Some(30.0), Parameters::default());
        scalable.on_acked(&of(1, 0, 9, 20));
        assert!((scalable.pacing_rate().unwrap() - 1000.0).abs() < 1e-9);
        (0..5).for_each(|_| scalable.on_acked(&of(2, 0, 10, 20)));
        assert!((scalable.pacing_rate().unwrap() - 1000.0).abs() < 1e-9);
        scalable.parameters.paced = false;
        assert_eq!(scalable.pacing_rate(), None);
    }

    /// The mean window over the second half of a run in which every `every`-th segment
    /// is marked and a round trip takes `rtt`; cuts are told once a window.
    fn settled(parameters: Parameters, every: u32, rtt: Nanos, segments: u32) -> f64 {
        let mut scalable = new(20.0, parameters);
        let (mut now, mut since_cut, mut total) = (0.0, 0.0, 0.0);
        for segment in 0..segments {
            now += rtt.as_secs_f64() / scalable.window();
            let marked = u32::from(segment % every == every - 1);
            let at = Nanos::from_secs_f64(now);
            let flight = scalable.window() as u32 + 1;
            scalable.on_acked(&Acked {
                marked,
                ..acked(at, 1, flight, rtt)
            });
            since_cut += 1.0;
            if marked == 1 && since_cut >= scalable.window() {
                mark(&mut scalable, at);
                since_cut = 0.0;
            }
            if segment >= segments / 2 {
                total += scalable.window();
            }
        }
        total / f64::from(segments - segments / 2)
    }

    #[test]
    fn settles_at_two_marks_a_round_trip() {
        let rtt = Nanos::from_millis(20);
        // 2 * 0.98 / 0.02 = 98, the more for waiting until a mark comes, as in DCTCP.
        let mean = settled(Parameters::default(), 50, rtt, 200_000);
        assert!((93.0..123.0).contains(&mean), "{mean}");
    }

    #[test]
    fn rates_do_not_depend_on_short_round_trips_when_asked_not_to() {
        let rule = RttIndependence {
            after_rounds: 10,
            ..RttIndependence::default()
        };
        let parameters = Parameters {
            rtt_independence: Some(rule),
            ..Parameters::default()
        };
        // Not taken up yet: the plain law, 2 * 0.95 / 0.05 segments a window.
        let plain = Parameters {
            rtt_independence: Some(RttIndependence {
                after_rounds: 1_000_000,
                ..rule
            }),
            ..parameters
        };
        let window = settled(plain, 20, Nanos::from_millis(5), 100_000);
        assert!((36.0..50.0).contains(&window), "{window}");
        let rate = |ms: u64| {
            let rtt = Nanos::from_millis(ms);
            settled(parameters, 20, rtt, 400_000) / rtt.as_secs_f64()
        };
        let (short, long, target) = (rate(5), rate(12), rate(25));
        // 2 * 0.95 / (0.05 * 25 ms) = 1520 segments a second; intervals of T are waited
        // out up to a mark, which stretches them.
        for rate in [short, long, target] {
            assert!((1400.0..2000.0).contains(&rate), "{short} {long} {target}");
        }
        assert!((short / long - 1.0).abs() < 0.15, "{short} {long}");
    }

    proptest! {
        #[test]
        fn stays_sane(
            events in testing::events(),
            initial in 1.0..100.0_f64,
            independent in any::<bool>(),
        ) {
            let rule = RttIndependence { after_rounds: 1, ..RttIndependence::default() };
            let parameters = Parameters {
                rtt_independence: independent.then_some(rule),
                ..Parameters::default()
            };
            testing::stays_sane(&mut Scalable::new(initial, None, parameters), events);
        }
    }
}
