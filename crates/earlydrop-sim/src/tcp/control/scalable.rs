//! The scalable sender of L4S's analysis: frequent marks, small reductions, and nothing else.
//!
//! [`prague`](super::prague) is the sender for the Internet. This one stays beside it because its
//! equilibrium is the plain law that RFC 9332 couples its queues by, `cwnd = 2 (1 - p) / p` at any
//! round trip. Models and comparisons of queues need that law without exceptions.
//!
//! | | here | Prague |
//! |---|---|---|
//! | round trips below 25 ms | share in proportion to 1 / R | share as if 25 ms, after 500 rounds |
//! | a loss in the round trip of a mark | is not answered | both together halve `cwnd` |
//! | marks that a classic ECN queue sets | answered by alpha | answered as CUBIC, as an option |
//! | feedback by default | ECE for each segment (RFC 8257) | AccECN (RFC 9768) |
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
//!   most), `1 / cwnd` in congestion avoidance.
//!
//! With marking probability p the equilibrium is `cwnd = 2 (1 - p) / p`: the number of marks a
//! round trip does not depend on the rate, which is what scalable means.
//!
//! # Our readings
//! - The pacing rate is `cwnd / R`, and twice that while `cwnd` is below half of `ssthresh`,
//!   as Linux's Prague has it. Nothing is paced before a round trip was measured.
//! - alpha starts at 1 and stays until the first mark. That mark halves `cwnd` and ends slow
//!   start, as a loss would.
//! - `cwnd` grows in the round trip of a reduction too, by unmarked segments. Linux's DCTCP
//!   does not.
//! - R is the smoothed round-trip time.
//! - A reduction is at once; Linux's Prague reduces by a segment an acknowledgment.
//! - `cwnd` is at least 2 segments.
//!
//! # Validated against
//! Nothing outside but the equations above.

use super::aimd::Aimd;
use super::dctcp::{self, Marks};
use super::events::{AckSample, CongestionEvent, Control, Signal, Windows};
use earlydrop::units::Nanos;

/// The scalable sender's parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// g and the first alpha, as DCTCP has them; 1/16 and 1.
    pub marks: dctcp::Parameters,
    /// Whether it paces; true, as RFC 9331 advises against bursts.
    pub paced: bool,
}

impl Default for Parameters {
    fn default() -> Parameters {
        Parameters {
            marks: dctcp::Parameters::default(),
            paced: true,
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
    srtt: Nanos,
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
            srtt: Nanos::ZERO,
        }
    }

    /// alpha, the estimated fraction of segments that is marked.
    pub fn alpha(&self) -> f64 {
        self.marks.alpha
    }

    /// Ends a round, as a window of data was acknowledged.
    fn end_of_round(&mut self, ack: &AckSample) {
        if self.marked_before {
            self.marks.average(ack);
        } else {
            self.marks.begin(ack);
        }
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
            self.aimd.grow(unmarked, 1.0);
        }
    }

    fn on_congestion(&mut self, congestion: &CongestionEvent) {
        if congestion.signal == Signal::Loss {
            return self.aimd.reduce(0.5);
        }
        self.marked_before = true;
        self.aimd.reduce(1.0 - 0.5 * self.marks.alpha);
    }

    fn on_timeout(&mut self, _now: Nanos, _in_flight: u32, again: bool) {
        self.aimd.time_out(again);
    }

    fn undo(&mut self, before: &Windows) {
        self.aimd.undo(before);
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

    proptest! {
        #[test]
        fn stays_sane(events in testing::events(), initial in 1.0..100.0_f64) {
            let parameters = Parameters::default();
            testing::stays_sane(&mut Scalable::new(initial, None, parameters), events);
        }
    }
}
