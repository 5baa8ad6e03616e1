//! BBR, version 1: sends by a model of the path, its bandwidth and its empty round trip.
//!
//! # Reference
//! N. Cardwell, Y. Cheng, S. Hassas Yeganeh, V. Jacobson, "BBR Congestion Control",
//! draft-cardwell-iccrg-bbr-congestion-control-00, 2017, section 4; delivery rates after
//! draft-cheng-iccrg-delivery-rate-estimation.
//!
//! # Equations
//! Windows in segments, rates in segments a second, times in seconds.
//! - B, the bandwidth: the most of the delivery rates of the last 10 round trips; those
//!   seen while the application was the limit count only where they are higher.
//! - R, the empty round trip: the least of the last 10 s.
//! - Pacing at `g B`, at most `inflight(c) = c B R + 3` segments on their way.
//! - *Startup*: g = c = 2 / ln 2, until B grew by less than a quarter in each of 3
//!   rounds. *Drain*: g = ln 2 / 2, until `inflight(1)` is on its way. *ProbeBW*: c = 2
//!   and g = 5/4, 3/4, 1, 1, 1, 1, 1, 1 in turn, each for R; 5/4 also until `inflight(5/4)`
//!   is on its way or something was lost, 3/4 at most until `inflight(1)` is. *ProbeRTT*:
//!   g = c = 1 and at most 4 segments, for 200 ms and a round, when R is 10 s old.
//! - Before B and R are known: pacing at g times the first window a millisecond, from the
//!   first measurement of a round trip at g times the first window each such, as Linux.
//! - The window grows by what is acknowledged, up to `inflight(c)` once the pipe was seen
//!   full, with a floor of 4. In the first round of a fast recovery it is what is on its
//!   way and what was acknowledged (packet conservation); afterwards it is as before it.
//!
//! # Our readings
//! - "On its way" before an acknowledgment is [`Acked::in_flight`]; after it, that less
//!   the segments acknowledged and lost with it.
//! - The draft's `3 * send_quantum` is 3 segments: a simulator needs no batches.
//! - The first phase of ProbeBW is drawn, from all but 3/4, by a generator of the seed
//!   given: the same seed, the same phases.
//! - Each sample of the last 10 rounds, this one included, counts; they are kept as one
//!   maximum a round. Rounds without a sample that counts do not age the others.
//! - What is sent during ProbeRTT is taken as limited by the application, which the
//!   draft has the sender note; here the controller does, by the count delivered.
//! - Samples over less than the least round trip known are not believed, as the draft on
//!   delivery rates has it.
//! - After the idle time told by `on_restart` the window stays, and pacing goes on at B.
//! - The window before a recovery is taken when its beginning is told: a sender tells it
//!   before the acknowledgment that shows the loss, or the losses come off it.
//! - A timeout leaves a window of 1 that grows again as usual; what it was before comes
//!   back only if the end of recovery is told.
//! - Without samples of the delivery rate it never leaves Startup, nor grows much.
//! - Marks are ignored, as in the draft. There is no slow start threshold: infinite.
//!
//! # How other tools differ
//! | aspect | Linux | ns-3 | here |
//! |---|---|---|---|
//! | pacing | 1 % less | the same | the draft's |
//! | aggregated acknowledgments | the window is raised by them | the same | no |
//! | policers | a long-term rate | no | no |
//! | in the phase of 5/4 | 2 segments more | the same | the draft's |
//! | maximum of 10 rounds | of three samples kept | the same | exact, by round |
//! | R is renewed by | a lower one, or after 10 s | an equal one too | an equal one too |

mod model;
#[cfg(test)]
mod tests;

use super::{Acked, Congestion, Control, Signal};
use earlydrop::random::Pcg32;
use earlydrop::units::Nanos;
use model::Model;

/// 2 / ln 2, the least gain that doubles the rate each round.
const HIGH_GAIN: f64 = 2.0 * core::f64::consts::LOG2_E;
/// ProbeBW's gains.
const CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
/// Which of a seed's generators draws the phases.
const PHASES: u64 = 0xbb;

/// What BBR goes by; the defaults are the draft's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// The gain of Startup, above 1; 2 / ln 2 by section 4.3.2.
    pub high_gain: f64,
    /// The window's gain in ProbeBW, at least 1; 2 by section 4.3.4.
    pub window_gain: f64,
    /// Segments allowed on their way beyond the gain's; 3 by section 4.2.3.2 with
    /// batches of one.
    pub extra: f64,
    /// The least window outside of recovery and the most in ProbeRTT, at least 1; 4 by
    /// section 4.2.3.3.
    pub least_window: f64,
    /// How old the least round trip may grow; 10 s by section 4.1.2.2.
    pub rtt_age: Nanos,
    /// How long ProbeRTT lasts at least; 200 ms by section 4.3.5.
    pub probe_rtt: Nanos,
    /// Growth of the bandwidth in a round that says the pipe is not full; 1.25 by
    /// section 4.3.2.2.
    pub full_growth: f64,
    /// Rounds of less growth that say it is; 3 by section 4.3.2.2.
    pub full_rounds: u32,
}

impl Default for Parameters {
    fn default() -> Parameters {
        Parameters {
            high_gain: HIGH_GAIN,
            window_gain: 2.0,
            extra: 3.0,
            least_window: 4.0,
            rtt_age: Nanos::from_secs(10),
            probe_rtt: Nanos::from_millis(200),
            full_growth: 1.25,
            full_rounds: 3,
        }
    }
}

/// What BBR is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Looking for the bandwidth, twice the rate each round.
    Startup,
    /// Emptying the queue that Startup made.
    Drain,
    /// Cycling around the bandwidth found.
    ProbeBw,
    /// Sending next to nothing, to see the empty round trip.
    ProbeRtt,
}

/// ProbeRTT's end, once few enough segments are on their way.
#[derive(Clone, Copy, Debug)]
struct ProbeEnd {
    at: Nanos,
    round_over: bool,
}

/// BBR's state for one flow.
///
/// ```
/// use earlydrop_sim::tcp::control::Control;
/// use earlydrop_sim::tcp::control::bbr::{Bbr, Parameters, State};
/// let bbr = Bbr::new(10.0, 1, Parameters::default());
/// assert_eq!((bbr.state(), bbr.window()), (State::Startup, 10.0));
/// assert!(bbr.wants_delivery_rate());
/// ```
#[derive(Clone, Debug)]
pub struct Bbr {
    parameters: Parameters,
    phases: Pcg32,
    state: State,
    pacing_gain: f64,
    window_gain: f64,
    pacing_rate: f64,
    /// Whether the pacing rate is still that of before the first round trip.
    guessed_rate: bool,
    initial_window: f64,
    window: f64,
    /// The last good window.
    prior: f64,
    model: Model,
    filled: bool,
    full_rate: f64,
    full_count: u32,
    phase: usize,
    phase_began: Nanos,
    probe_end: Option<ProbeEnd>,
    idle_restart: bool,
    recovering: bool,
    conserving: bool,
}

impl Bbr {
    /// A flow's controller with its first window, segments, and the seed by which the
    /// phases of ProbeBW are drawn.
    pub fn new(initial_window: f64, seed: u64, parameters: Parameters) -> Bbr {
        let initial_window = initial_window.max(1.0);
        Bbr {
            parameters,
            phases: Pcg32::new(seed, PHASES),
            state: State::Startup,
            pacing_gain: parameters.high_gain,
            window_gain: parameters.high_gain,
            pacing_rate: parameters.high_gain * initial_window * 1e3,
            guessed_rate: true,
            initial_window,
            window: initial_window,
            prior: 0.0,
            model: Model::new(),
            filled: false,
            full_rate: 0.0,
            full_count: 0,
            phase: 0,
            phase_began: Nanos::ZERO,
            probe_end: None,
            idle_restart: false,
            recovering: false,
            conserving: false,
        }
    }

    /// What it is about.
    pub fn state(&self) -> State {
        self.state
    }

    /// The bandwidth it believes in, segments a second; 0 before the first sample.
    pub fn bandwidth(&self) -> f64 {
        self.model.bandwidth()
    }

    /// The round trip it believes to be empty; `None` before the first sample.
    pub fn least_rtt(&self) -> Option<Nanos> {
        self.model.least_rtt()
    }

    /// Segments on their way at `gain` times what fills the pipe.
    fn inflight(&self, gain: f64) -> f64 {
        match self.model.fill() {
            Some(fill) => gain * fill + self.parameters.extra,
            None => self.initial_window,
        }
    }

    fn check_phase(&mut self, acked: &Acked, lost: u32) {
        if self.state != State::ProbeBw {
            return;
        }
        let age = acked.now.since(self.phase_began);
        let over = self.least_rtt().is_some_and(|rtt| age > rtt);
        let before = f64::from(acked.in_flight);
        let next = if self.pacing_gain > 1.0 {
            over && (lost > 0 || before >= self.inflight(self.pacing_gain))
        } else if self.pacing_gain < 1.0 {
            over || before <= self.inflight(1.0)
        } else {
            over
        };
        if next {
            self.enter_phase((self.phase + 1) % CYCLE.len(), acked.now);
        }
    }

    fn enter_phase(&mut self, phase: usize, now: Nanos) {
        self.phase = phase;
        self.phase_began = now;
        self.pacing_gain = CYCLE[phase];
    }

    fn check_full(&mut self, limited: bool) {
        if self.filled || !self.model.round_start || limited {
            return;
        }
        if self.bandwidth() >= self.full_rate * self.parameters.full_growth {
            self.full_rate = self.bandwidth();
            self.full_count = 0;
            return;
        }
        self.full_count += 1;
        self.filled = self.full_count >= self.parameters.full_rounds;
    }

    fn check_drain(&mut self, now: Nanos, in_flight: f64) {
        if self.state == State::Startup && self.filled {
            self.state = State::Drain;
            self.pacing_gain = 1.0 / self.parameters.high_gain;
        }
        if self.state == State::Drain && in_flight <= self.inflight(1.0) {
            self.enter_probe_bw(now);
        }
    }

    fn enter_probe_bw(&mut self, now: Nanos) {
        self.state = State::ProbeBw;
        self.window_gain = self.parameters.window_gain;
        // Any but the phase of 3/4: 2 to 7, or 0.
        let phase = (CYCLE.len() - self.phases.below(7) as usize) % CYCLE.len();
        self.enter_phase(phase, now);
    }

    fn check_probe_rtt(&mut self, now: Nanos, in_flight: f64, expired: bool) {
        if self.state != State::ProbeRtt && expired && !self.idle_restart {
            self.save_window();
            self.state = State::ProbeRtt;
            (self.pacing_gain, self.window_gain) = (1.0, 1.0);
            self.probe_end = None;
            self.model.begin_to_hold_back();
        }
        if self.state == State::ProbeRtt {
            self.probe(now, in_flight);
        }
        self.idle_restart = false;
    }

    fn probe(&mut self, now: Nanos, in_flight: f64) {
        self.model.hold_back(in_flight);
        match &mut self.probe_end {
            None if in_flight <= self.parameters.least_window => {
                self.probe_end = Some(ProbeEnd {
                    at: now + self.parameters.probe_rtt,
                    round_over: false,
                });
                self.model.begin_round();
            }
            None => {}
            Some(end) => {
                end.round_over |= self.model.round_start;
                if end.round_over && now > end.at {
                    self.model.renew_rtt(now);
                    self.restore_window();
                    self.leave_probe_rtt(now);
                }
            }
        }
    }

    fn leave_probe_rtt(&mut self, now: Nanos) {
        if self.filled {
            return self.enter_probe_bw(now);
        }
        self.state = State::Startup;
        self.pacing_gain = self.parameters.high_gain;
        self.window_gain = self.parameters.high_gain;
    }

    fn pace(&mut self, gain: f64) {
        let rate = gain * self.bandwidth();
        if rate > 0.0 && (self.filled || rate > self.pacing_rate) {
            self.pacing_rate = rate;
        }
    }

    /// The first round trip measured says what the first window is worth.
    fn correct_first_rate(&mut self, rtt: Option<Nanos>) {
        if let (true, Some(rtt)) = (self.guessed_rate, rtt.filter(|rtt| *rtt > Nanos::ZERO)) {
            self.guessed_rate = false;
            self.pacing_rate = self.parameters.high_gain * self.initial_window / rtt.as_secs_f64();
        }
    }

    fn set_window(&mut self, segments: f64, in_flight: f64, lost: u32) {
        let target = self.inflight(self.window_gain);
        self.window = (self.window - f64::from(lost)).max(1.0);
        if self.conserving {
            self.window = self.window.max(in_flight + segments);
        } else {
            if self.filled {
                self.window = (self.window + segments).min(target);
            } else if self.window < target || (self.model.delivered as f64) < self.initial_window {
                self.window += segments;
            }
            self.window = self.window.max(self.parameters.least_window);
        }
        self.bound_probe();
    }

    fn bound_probe(&mut self) {
        if self.state == State::ProbeRtt {
            self.window = self.window.min(self.parameters.least_window.max(1.0));
        }
    }

    /// Brings the last good window back, once.
    fn restore_window(&mut self) {
        self.window = self.window.max(self.prior);
        if !self.recovering {
            self.prior = 0.0;
        }
    }

    fn save_window(&mut self) {
        let kept = self.recovering || self.state == State::ProbeRtt;
        self.prior = if kept {
            self.prior.max(self.window)
        } else {
            self.window
        };
    }
}

impl Control for Bbr {
    fn window(&self) -> f64 {
        self.window
    }

    fn threshold(&self) -> f64 {
        f64::INFINITY
    }

    fn on_acked(&mut self, acked: &Acked) {
        let lost = acked.delivery.map_or(0, |delivery| delivery.lost);
        let gone = acked.segments.saturating_add(lost);
        let in_flight = f64::from(acked.in_flight.saturating_sub(gone));
        self.model.round_start = false;
        let limited = match &acked.delivery {
            Some(delivery) => self.model.take_delivery(delivery),
            None => {
                self.model.delivered += u64::from(acked.segments);
                true
            }
        };
        if self.model.round_start {
            self.conserving = false;
        }
        self.recovering &= acked.recovering || self.conserving;
        self.correct_first_rate(acked.rtt);
        self.check_phase(acked, lost);
        self.check_full(limited);
        self.check_drain(acked.now, in_flight);
        let age = self.parameters.rtt_age;
        let expired = self.model.take_rtt(acked.now, acked.rtt, age);
        self.check_probe_rtt(acked.now, in_flight, expired);
        self.pace(self.pacing_gain);
        self.set_window(f64::from(acked.segments), in_flight, lost);
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        if congestion.signal == Signal::Mark {
            return;
        }
        self.save_window();
        self.window = f64::from(congestion.in_flight) + 1.0;
        self.bound_probe();
        (self.recovering, self.conserving) = (true, true);
        self.model.begin_round();
    }

    fn on_recovered(&mut self, _now: Nanos) {
        (self.recovering, self.conserving) = (false, false);
        if self.state != State::ProbeRtt {
            self.restore_window();
        }
    }

    fn on_timeout(&mut self, _now: Nanos, _in_flight: u32, _again: bool) {
        self.save_window();
        self.window = 1.0;
        (self.recovering, self.conserving) = (true, false);
    }

    fn on_restart(&mut self, _now: Nanos, _initial_window: f64) {
        self.idle_restart = true;
        if self.state == State::ProbeBw {
            self.pace(1.0);
        }
    }

    fn paces(&self) -> bool {
        true
    }

    fn pacing_rate(&self) -> Option<f64> {
        Some(self.pacing_rate)
    }

    fn wants_delivery_rate(&self) -> bool {
        true
    }
}
