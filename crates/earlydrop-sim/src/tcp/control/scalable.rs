//! A scalable sender for L4S queues, after TCP Prague: frequent marks, small reductions.
//!
//! # Reference
//! K. De Schepper, O. Tilmans, B. Briscoe, V. Goel, "Prague Congestion Control",
//! draft-briscoe-iccrg-prague-congestion-control-04, 2024; K. De Schepper, B. Briscoe,
//! "The ECN Protocol for L4S", RFC 9331, 2023, section 4.3, for the requirements on such a
//! sender. The sender itself sets ECT(1) on segments.
//!
//! # Equations
//! `cwnd` in segments, times in seconds.
//! - After each window of data, M being the fraction of it that was marked:
//!   `alpha = (1 - g) alpha + g M`.
//! - A mark, at most once a round trip: `cwnd = cwnd (1 - alpha / 2)`. A loss:
//!   `cwnd = cwnd / 2`.
//! - Each segment acknowledged *unmarked* adds 1 in slow start (an acknowledgment 2 at
//!   most), `i / cwnd` in congestion avoidance.
//! - `i = 1`. With RTT independence, at round trips R below the target T, `i = (R / T)^2`, and
//!   reductions and averages come at least T apart.
//!
//! With marking probability p the equilibrium is `cwnd = 2 (1 - p) / p`: the number of marks a
//! round trip does not depend on the rate, which is what scalable means. With RTT
//! independence it is at most `cwnd = 2 (1 - p) R / (p T)`: the rate cwnd / R depends on T
//! alone.
//!
//! # Our readings
//! - The pacing rate is `cwnd / R`, and twice that while `cwnd` is below half of `ssthresh`,
//!   as Linux's Prague has it. Nothing is paced before a round trip was measured.
//! - alpha starts at 1 and stays until the first mark. That mark halves `cwnd` and ends slow
//!   start, as a loss would.
//! - `cwnd` grows in the round trip of a reduction too, by unmarked segments. Linux's DCTCP
//!   does not.
//! - RTT independence begins some rounds after slow start, so that a short transfer is
//!   not slowed.
//! - R is the smoothed round-trip time.
//!
//! # What is left out of Prague
//! - The fallback to a classic response where the queue seems to mark classically (off in
//!   Linux too).
//! - Counting a reduction by marks towards a loss in the same round trip.
//! - A `cwnd` below 2 segments.
//! - The draft's pacing of bursts: a simulator sends segments one by one.
//! - Reacting to a loss as CUBIC, by 0.7.
//! - The two other rules for RTT independence that Linux offers.
//!
//! # How other tools differ
//! | aspect | Linux (L4STeam) | here |
//! |---|---|---|
//! | RTT independence | on: T = 25 ms, after 500 rounds | off; the same numbers when on |
//! | reduction | one segment an acknowledgment, down to the new `cwnd` | at once |
//! | `cwnd` sent by | rounded up | the sender compares whole segments |

use super::aimd::Aimd;
use super::dctcp::{self, Marks};
use super::{AckSample, CongestionEvent, Control, Signal};
use earlydrop::units::Nanos;

/// RTT independence: flows with shorter round trips behave as if they had this one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RttIndependence {
    /// T; above 0; 25 ms in Linux's Prague.
    pub target: Nanos,
    /// Rounds after slow start before it begins; 500 in Linux's Prague.
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

/// The scalable sender's parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// g and the first alpha, as DCTCP has them; 1/16 and 1.
    pub marks: dctcp::Parameters,
    /// Whether it paces; true, as RFC 9331 advises against bursts.
    pub paced: bool,
    /// RTT independence; none by default, so that the equilibrium is `cwnd = 2 (1 - p) / p`.
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
/// assert_eq!(scalable.cwnd(), 10.0);
/// assert_eq!(scalable.pacing_rate(), None);
/// ```
#[derive(Clone, Debug)]
pub struct Scalable {
    parameters: Parameters,
    marks: Marks,
    /// Whether a mark arrived yet.
    marked_before: bool,
    aimd: Aimd,
    /// Rounds since slow start.
    rounds: u32,
    /// When alpha was last updated.
    averaged_at: Nanos,
    /// When a mark last reduced `cwnd`.
    reduced_at: Option<Nanos>,
    srtt: Nanos,
    /// i: segments that a window of acknowledgments adds.
    increase: f64,
}

impl Scalable {
    /// A flow's controller with its initial `cwnd` and `ssthresh`, segments; `None` for slow
    /// start until congestion.
    pub fn new(
        initial_cwnd: f64,
        initial_ssthresh: Option<f64>,
        parameters: Parameters,
    ) -> Scalable {
        Scalable {
            parameters,
            marks: Marks::new(parameters.marks),
            marked_before: false,
            aimd: Aimd::new(initial_cwnd, initial_ssthresh),
            rounds: 0,
            averaged_at: Nanos::ZERO,
            reduced_at: None,
            srtt: Nanos::ZERO,
            increase: 1.0,
        }
    }

    /// alpha, the estimated fraction of segments that is marked.
    pub fn alpha(&self) -> f64 {
        self.marks.alpha
    }

    /// T, while RTT independence is in force and the round trip is shorter.
    fn target(&self) -> Option<Nanos> {
        let rule = self.parameters.rtt_independence?;
        let in_force = !self.aimd.in_slow_start() && self.rounds >= rule.after_rounds;
        (in_force && self.srtt < rule.target).then_some(rule.target)
    }

    /// Ends a round, as a window of data was acknowledged, unless the target has not passed yet.
    fn end_of_round(&mut self, ack: &AckSample) {
        let due = |target| ack.now.since(self.averaged_at) >= target;
        if !self.target().is_none_or(due) {
            return;
        }
        self.averaged_at = ack.now;
        if self.marked_before {
            self.marks.average(ack);
        } else {
            self.marks.begin(ack);
        }
        if !self.aimd.in_slow_start() {
            self.rounds = self.rounds.saturating_add(1);
        }
        self.increase = match self.target() {
            Some(target) if self.srtt > Nanos::ZERO => {
                let ratio = self.srtt.as_secs_f64() / target.as_secs_f64();
                ratio * ratio
            }
            _ => 1.0,
        };
    }
}

impl Control for Scalable {
    fn cwnd(&self) -> f64 {
        self.aimd.cwnd
    }

    fn ssthresh(&self) -> f64 {
        self.aimd.ssthresh
    }

    fn on_ack(&mut self, ack: &AckSample) {
        self.srtt = ack.srtt;
        self.marked_before |= ack.marked > 0;
        if self.marks.count(ack) {
            self.end_of_round(ack);
        }
        if ack.cwnd_limited && !ack.recovering {
            let unmarked = f64::from(ack.segments.saturating_sub(ack.marked));
            self.aimd.grow(unmarked, self.increase);
        }
    }

    fn on_congestion(&mut self, congestion: &CongestionEvent) {
        if congestion.signal == Signal::Loss {
            return self.aimd.reduce(0.5);
        }
        self.marked_before = true;
        let early = self.target().zip(self.reduced_at);
        if early.is_some_and(|(target, at)| congestion.now.since(at) < target) {
            return;
        }
        self.reduced_at = Some(congestion.now);
        self.aimd.reduce(1.0 - 0.5 * self.marks.alpha);
    }

    fn on_timeout(&mut self, _now: Nanos, _in_flight: u32, again: bool) {
        self.aimd.time_out(again);
    }

    fn on_restart(&mut self, _now: Nanos, initial_window: f64) {
        self.aimd.restart(initial_window);
    }

    fn paces(&self) -> bool {
        self.parameters.paced
    }

    fn pacing_rate(&self) -> Option<f64> {
        if !self.parameters.paced || self.srtt == Nanos::ZERO {
            return None;
        }
        let gain = if self.aimd.cwnd < 0.5 * self.aimd.ssthresh {
            2.0
        } else {
            1.0
        };
        Some(gain * self.aimd.cwnd / self.srtt.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{self, congestion, sample};
    use super::*;
    use proptest::prelude::*;

    fn new(window: f64, parameters: Parameters) -> Scalable {
        Scalable::new(window, Some(window), parameters)
    }

    fn of(segments: u32, marked: u32, in_flight: u32, ms: u64) -> AckSample {
        AckSample {
            marked,
            ..sample(Nanos::ZERO, segments, in_flight, Nanos::from_millis(ms))
        }
    }

    fn mark(scalable: &mut Scalable, now: Nanos) {
        scalable.on_congestion(&congestion(now, Signal::Mark, 0));
    }

    #[test]
    fn the_first_mark_halves_cwnd_and_ends_slow_start() {
        let mut scalable = Scalable::new(10.0, None, Parameters::default());
        for _ in 0..45 {
            scalable.on_ack(&of(2, 0, 10, 20));
        }
        assert_eq!((scalable.cwnd(), scalable.alpha()), (100.0, 1.0));
        mark(&mut scalable, Nanos::ZERO);
        assert_eq!((scalable.cwnd(), scalable.ssthresh()), (50.0, 50.0));
        // Half of ten segments marked, a whole window: alpha is 31/32; 5 of them grow.
        scalable.on_ack(&of(10, 5, 20, 20));
        assert_eq!(scalable.alpha(), 31.0 / 32.0);
        assert_eq!(scalable.cwnd(), 50.1);
    }

    #[test]
    fn halves_at_a_loss_and_starts_again_after_a_timeout() {
        let mut scalable = new(40.0, Parameters::default());
        scalable.marks.alpha = 0.1;
        mark(&mut scalable, Nanos::ZERO);
        assert_eq!(scalable.cwnd(), 38.0);
        scalable.on_congestion(&congestion(Nanos::ZERO, Signal::Loss, 38));
        assert_eq!(scalable.cwnd(), 19.0);
        scalable.on_timeout(Nanos::ZERO, 19, false);
        assert_eq!((scalable.cwnd(), scalable.ssthresh()), (1.0, 9.5));
    }

    #[test]
    fn paces_a_cwnd_a_round_trip_and_twice_that_in_slow_start() {
        let mut scalable = Scalable::new(9.0, Some(30.0), Parameters::default());
        scalable.on_ack(&of(1, 0, 9, 20));
        assert!((scalable.pacing_rate().unwrap() - 1000.0).abs() < 1e-9);
        (0..5).for_each(|_| scalable.on_ack(&of(2, 0, 10, 20)));
        assert!((scalable.pacing_rate().unwrap() - 1000.0).abs() < 1e-9);
        scalable.parameters.paced = false;
        assert_eq!(scalable.pacing_rate(), None);
    }

    /// Mean `cwnd` over the second half of a run in which every `every`-th segment is marked and
    /// a round trip takes `rtt`; marks are reported once a window.
    fn equilibrium(parameters: Parameters, every: u32, rtt: Nanos, segments: u32) -> f64 {
        let mut scalable = new(20.0, parameters);
        let (mut now, mut since_mark, mut total) = (0.0, 0.0, 0.0);
        for segment in 0..segments {
            now += rtt.as_secs_f64() / scalable.cwnd();
            let marked = u32::from(segment % every == every - 1);
            let at = Nanos::from_secs_f64(now);
            let flight = scalable.cwnd() as u32 + 1;
            scalable.on_ack(&AckSample {
                marked,
                ..sample(at, 1, flight, rtt)
            });
            since_mark += 1.0;
            if marked == 1 && since_mark >= scalable.cwnd() {
                mark(&mut scalable, at);
                since_mark = 0.0;
            }
            if segment >= segments / 2 {
                total += scalable.cwnd();
            }
        }
        total / f64::from(segments - segments / 2)
    }

    #[test]
    fn equilibrium_is_two_marks_a_round_trip() {
        let rtt = Nanos::from_millis(20);
        // 2 * 0.98 / 0.02 = 98, the more for waiting until a mark comes, as in DCTCP.
        let mean = equilibrium(Parameters::default(), 50, rtt, 200_000);
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
        // Not in force yet: cwnd is 2 * 0.95 / 0.05 segments.
        let later = Parameters {
            rtt_independence: Some(RttIndependence {
                after_rounds: 1_000_000,
                ..rule
            }),
            ..parameters
        };
        let window = equilibrium(later, 20, Nanos::from_millis(5), 100_000);
        assert!((36.0..50.0).contains(&window), "{window}");
        let rate = |ms: u64| {
            let rtt = Nanos::from_millis(ms);
            equilibrium(parameters, 20, rtt, 400_000) / rtt.as_secs_f64()
        };
        let (short, long, target) = (rate(5), rate(12), rate(25));
        // 2 * 0.95 / (0.05 * 25 ms) = 1520 segments a second. Reductions wait for the first mark
        // after an interval of T, which stretches the intervals.
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
