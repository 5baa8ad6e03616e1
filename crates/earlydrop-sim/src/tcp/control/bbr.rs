//! BBR, version 1: paces by a model of the path, its bandwidth and its least round trip.
//!
//! # Reference
//! N. Cardwell, Y. Cheng, S. Hassas Yeganeh, V. Jacobson, "BBR Congestion Control",
//! draft-cardwell-iccrg-bbr-congestion-control-00, 2017, section 4; delivery rates after
//! draft-cheng-iccrg-delivery-rate-estimation.
//!
//! # Equations
//! `cwnd` in segments, rates in segments a second, times in seconds.
//! - BtlBw, the bandwidth: the greatest delivery rate of the last 10 rounds. Samples limited
//!   by the application count only where they are greater.
//! - RTprop: the least round trip of the last 10 s.
//! - Pacing rate `g BtlBw`; at most `inflight(c) = c BtlBw RTprop + 3` segments in flight.
//! - *Startup*: g = c = 2 / ln 2, until BtlBw grew by less than a quarter in each of 3 rounds.
//! - *Drain*: g = ln 2 / 2, until `inflight(1)` is in flight.
//! - *ProbeBW*: c = 2, and g = 5/4, 3/4, 1, 1, 1, 1, 1, 1 in turn, each for RTprop. 5/4 lasts
//!   until `inflight(5/4)` is in flight or a segment was lost, 3/4 at most until `inflight(1)`
//!   is.
//! - *ProbeRTT*: g = c = 1 and at most 4 segments, for 200 ms and a round, when RTprop is 10 s
//!   old.
//! - Before the first round trip the pacing rate is g times the initial `cwnd` a millisecond,
//!   then g times the initial `cwnd` a round trip, as Linux has it.
//! - `cwnd` grows by what is acknowledged, up to `inflight(c)` once the pipe was full, and is at
//!   least 4. In the first round of a fast recovery it is what is in flight and what was
//!   acknowledged (packet conservation); afterwards it is as before it.
//!
//! # Our readings
//! - In flight before an acknowledgment is [`AckSample::in_flight`]; in flight after it is that
//!   less the segments acknowledged and lost with it.
//! - The draft's `3 * send_quantum` is 3 segments: a simulator needs no batches.
//! - The first phase of ProbeBW is drawn, from all but 3/4, by a generator of the seed
//!   given: the same seed, the same phases.
//! - The maximum of the last 10 rounds is exact, with one maximum stored for each round. Rounds
//!   without a sample that counts do not age the others.
//! - What is sent during ProbeRTT counts as limited by the application. The draft has the
//!   sender note that; here the controller does, by the count delivered.
//! - Samples over less than RTprop are ignored, as the draft on delivery rates has it.
//! - After an idle time (`on_restart`) `cwnd` stays, and the pacing rate is BtlBw.
//! - `cwnd` before a recovery is saved when the recovery begins: a sender reports that before
//!   the acknowledgment that shows the loss, or the losses come off it.
//! - A timeout leaves a `cwnd` of 1 that grows as usual; the one before comes back only if the
//!   end of recovery is reported.
//! - Without delivery-rate samples it never leaves Startup, nor grows much.
//! - Marks are ignored, as in the draft. There is no `ssthresh`: infinite.
//!
//! # How other tools differ
//! | aspect | Linux | ns-3 | here |
//! |---|---|---|---|
//! | pacing | 1 % less | 1 % less | the draft's |
//! | aggregated acknowledgments | raise `cwnd` | raise `cwnd` | no |
//! | policers | a long-term rate | no | no |
//! | in the phase of 5/4 | 2 segments more | 2 segments more | the draft's |
//! | maximum of 10 rounds | by three samples | by three samples | exact, by round |
//! | RTprop is renewed by | a lower one, or after 10 s | an equal one too | an equal one too |
//!
//! [`Profile::linux`](crate::tcp::Profile::linux) computes all that as Linux, in integers, but for
//! policers and the maximum. `ssthresh` then is `inflight(1)` when Drain begins.
//!
//! # Validated against
//! Linux 6.1, acknowledgment by acknowledgment: 2 of 2 scripts of `linux` senders without a
//! difference in the time of any transmission, nor in `cwnd` and `ssthresh` outside recovery, with the
//! first phase of ProbeBW that Linux drew. One is a queue that overflows, one a loss in Startup; none
//! lasts until ProbeRTT.

mod linux;
mod model;
#[cfg(test)]
mod tests;

use super::events::{AckSample, CongestionEvent, Control, Signal, Windows};
use earlydrop::random::Pcg32;
use earlydrop::units::Nanos;
use linux::{LastAck, LinuxBbr};
use model::Model;

/// 2 / ln 2, the least gain that doubles the rate each round (section 4.3.2).
const HIGH_GAIN: f64 = 2.0 * core::f64::consts::LOG2_E;
/// The same in Linux, in 1/256.
pub(super) const LINUX_HIGH_GAIN: f64 = 739.0 / 256.0;
/// ProbeBW's pacing gains (section 4.3.4).
const CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
/// The stream of a seed's generator that draws the phases.
const PHASES: u64 = 0xbb;

/// BBR's parameters; the defaults are the draft's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// The gain of Startup, above 1; 2 / ln 2 by section 4.3.2.
    pub high_gain: f64,
    /// The gain of `cwnd` in ProbeBW, at least 1; 2 by section 4.3.4.
    pub cwnd_gain: f64,
    /// Segments in flight beyond the gain's; 3 by section 4.2.3.2 with batches of one.
    pub extra: f64,
    /// The least `cwnd` outside of recovery and the greatest in ProbeRTT, segments, at least 1;
    /// 4 by section 4.2.3.3 (BBRMinPipeCwnd).
    pub min_cwnd: f64,
    /// How old RTprop may grow; 10 s by section 4.1.2.2 (RTpropFilterLen).
    pub min_rtt_age: Nanos,
    /// Least duration of ProbeRTT; 200 ms by section 4.3.5 (ProbeRTTDuration).
    pub probe_rtt_duration: Nanos,
    /// Growth of BtlBw in a round from which on the pipe is not full; 1.25 by section 4.3.2.2.
    pub full_bw_growth: f64,
    /// Rounds of less growth after which it is; 3 by section 4.3.2.2.
    pub full_bw_rounds: u32,
    /// Bytes of payload in a segment, where BBR is computed as in Linux; `None`: it is not.
    pub linux_payload: Option<u32>,
}

impl Default for Parameters {
    fn default() -> Parameters {
        Parameters {
            high_gain: HIGH_GAIN,
            cwnd_gain: 2.0,
            extra: 3.0,
            min_cwnd: 4.0,
            min_rtt_age: Nanos::from_secs(10),
            probe_rtt_duration: Nanos::from_millis(200),
            full_bw_growth: 1.25,
            full_bw_rounds: 3,
            linux_payload: None,
        }
    }
}

/// A state of BBR's state machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Doubles the rate each round, until the pipe is full.
    Startup,
    /// Drains the queue that Startup made.
    Drain,
    /// Cycles around the bandwidth, to probe for more.
    ProbeBw,
    /// Sends next to nothing, to measure the round trip of empty queues.
    ProbeRtt,
}

/// When ProbeRTT may end, set once few enough segments are in flight.
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
/// assert_eq!((bbr.state(), bbr.cwnd()), (State::Startup, 10.0));
/// assert!(bbr.wants_rate_sample());
/// ```
#[derive(Clone, Debug)]
pub struct Bbr {
    parameters: Parameters,
    phases: Pcg32,
    state: State,
    pacing_gain: f64,
    cwnd_gain: f64,
    pacing_rate: f64,
    /// Whether the pacing rate is still that of before the first round trip.
    guessed_rate: bool,
    initial_cwnd: f64,
    /// Congestion window, segments.
    cwnd: f64,
    /// `cwnd` before a recovery or ProbeRTT (prior_cwnd).
    prior_cwnd: f64,
    model: Model,
    /// Whether the pipe was full once (filled_pipe).
    filled_pipe: bool,
    full_bw: f64,
    full_bw_count: u32,
    /// Index into [`CYCLE`].
    phase: usize,
    phase_began: Nanos,
    probe_end: Option<ProbeEnd>,
    idle_restart: bool,
    recovering: bool,
    conserving: bool,
    linux: Option<LinuxBbr>,
}

impl Bbr {
    /// A flow's controller with its initial `cwnd`, segments, and the seed by which the phases
    /// of ProbeBW are drawn.
    pub fn new(initial_cwnd: f64, seed: u64, parameters: Parameters) -> Bbr {
        let initial_cwnd = initial_cwnd.max(1.0);
        Bbr {
            parameters,
            phases: Pcg32::new(seed, PHASES),
            state: State::Startup,
            pacing_gain: parameters.high_gain,
            cwnd_gain: parameters.high_gain,
            pacing_rate: parameters.high_gain * initial_cwnd * 1e3,
            guessed_rate: true,
            initial_cwnd,
            cwnd: initial_cwnd,
            prior_cwnd: 0.0,
            model: Model::new(parameters.linux_payload.is_some()),
            filled_pipe: false,
            full_bw: 0.0,
            full_bw_count: 0,
            phase: 0,
            phase_began: Nanos::ZERO,
            probe_end: None,
            idle_restart: false,
            recovering: false,
            conserving: false,
            linux: parameters.linux_payload.map(LinuxBbr::new),
        }
    }

    /// The state of the state machine.
    pub fn state(&self) -> State {
        self.state
    }

    /// BtlBw, segments a second; 0 before the first sample.
    pub fn bandwidth(&self) -> f64 {
        self.model.bandwidth()
    }

    /// RTprop; `None` before the first sample.
    pub fn min_rtt(&self) -> Option<Nanos> {
        self.model.min_rtt()
    }

    /// `gain` times the bandwidth-delay product, and some segments more (BBRInflight).
    fn inflight(&self, gain: f64) -> f64 {
        if let (Some(linux), Some(rtt)) = (&self.linux, self.min_rtt()) {
            let bdp = linux::bdp(self.bandwidth(), rtt, gain);
            return self.with_bursts(linux, bdp);
        }
        match self.model.bdp() {
            Some(bdp) => gain * bdp + self.parameters.extra,
            None => self.initial_cwnd,
        }
    }

    fn with_bursts(&self, linux: &LinuxBbr, segments: u64) -> f64 {
        let probing = self.state == State::ProbeBw && self.phase == 0;
        linux.with_bursts(segments, self.pacing_rate, probing)
    }

    /// The most that may be in flight: `inflight(c)`, in Linux with what acknowledgments aggregate.
    fn target(&self) -> f64 {
        match (&self.linux, self.min_rtt()) {
            (Some(linux), Some(rtt)) if self.filled_pipe => {
                let bandwidth = self.bandwidth();
                let bdp = linux::bdp(bandwidth, rtt, self.cwnd_gain);
                self.with_bursts(linux, bdp + linux.aggregated(bandwidth))
            }
            _ => self.inflight(self.cwnd_gain),
        }
    }

    /// What of `in_flight` counts; in Linux by the time at which the next segment may leave.
    fn in_the_net(&self, in_flight: f64, wait: Nanos) -> f64 {
        let state = (self.bandwidth(), self.pacing_rate, self.pacing_gain);
        match &self.linux {
            Some(linux) => linux.in_the_net(in_flight, wait, state),
            None => in_flight,
        }
    }

    /// Goes to the next phase of ProbeBW, where it is time (BBRCheckCyclePhase).
    fn check_cycle_phase(&mut self, ack: &AckSample, lost: u32) {
        if self.state != State::ProbeBw {
            return;
        }
        let age = ack.now.since(self.phase_began);
        let over = self.min_rtt().is_some_and(|rtt| age > rtt);
        let before = self.in_the_net(f64::from(ack.in_flight), ack.pacing_wait);
        let next = if self.pacing_gain > 1.0 {
            over && (lost > 0 || before >= self.inflight(self.pacing_gain))
        } else if self.pacing_gain < 1.0 {
            over || before <= self.inflight(1.0)
        } else {
            over
        };
        if next {
            self.enter_phase((self.phase + 1) % CYCLE.len(), ack.now);
        }
    }

    fn enter_phase(&mut self, phase: usize, now: Nanos) {
        self.phase = phase;
        self.phase_began = now;
        self.pacing_gain = CYCLE[phase];
    }

    /// Checks whether the pipe is full, once a round (BBRCheckFullPipe).
    fn check_full_pipe(&mut self, limited: bool) {
        if self.filled_pipe || !self.model.round_start || limited {
            return;
        }
        if self.bandwidth() >= self.full_bw * self.parameters.full_bw_growth {
            self.full_bw = self.bandwidth();
            self.full_bw_count = 0;
            return;
        }
        self.full_bw_count += 1;
        self.filled_pipe = self.full_bw_count >= self.parameters.full_bw_rounds;
    }

    /// Enters and leaves Drain (BBRCheckDrain).
    fn check_drain(&mut self, now: Nanos, in_flight: f64, wait: Nanos) {
        if self.state == State::Startup && self.filled_pipe {
            self.state = State::Drain;
            let ssthresh = self.inflight(1.0);
            if let Some(linux) = &mut self.linux {
                linux.ssthresh = ssthresh;
            }
            self.pacing_gain = 1.0 / self.parameters.high_gain;
        }
        if self.state == State::Drain && self.in_the_net(in_flight, wait) <= self.inflight(1.0) {
            self.enter_probe_bw(now);
        }
    }

    fn enter_probe_bw(&mut self, now: Nanos) {
        self.state = State::ProbeBw;
        self.cwnd_gain = self.parameters.cwnd_gain;
        // Any but the phase of 3/4: 2 to 7, or 0.
        let phase = (CYCLE.len() - self.phases.below(7) as usize) % CYCLE.len();
        self.enter_phase(phase, now);
    }

    /// Enters and leaves ProbeRTT (BBRCheckProbeRTT).
    fn check_probe_rtt(&mut self, now: Nanos, in_flight: f64, expired: bool) {
        if self.state != State::ProbeRtt && expired && !self.idle_restart {
            self.save_cwnd();
            self.state = State::ProbeRtt;
            (self.pacing_gain, self.cwnd_gain) = (1.0, 1.0);
            self.probe_end = None;
            self.model.begin_self_limit();
        }
        if self.state == State::ProbeRtt {
            self.handle_probe_rtt(now, in_flight);
        }
        self.idle_restart = false;
    }

    /// Leaves ProbeRTT after its duration and a round with few segments in flight
    /// (BBRHandleProbeRTT).
    fn handle_probe_rtt(&mut self, now: Nanos, in_flight: f64) {
        self.model.extend_self_limit(in_flight);
        match &mut self.probe_end {
            None if in_flight <= self.parameters.min_cwnd => {
                self.probe_end = Some(ProbeEnd {
                    at: now + self.parameters.probe_rtt_duration,
                    round_over: false,
                });
                self.model.begin_round();
            }
            None => {}
            Some(end) => {
                end.round_over |= self.model.round_start;
                if end.round_over && now > end.at {
                    self.model.renew_min_rtt(now);
                    self.restore_cwnd();
                    self.exit_probe_rtt(now);
                }
            }
        }
    }

    fn exit_probe_rtt(&mut self, now: Nanos) {
        if self.filled_pipe {
            return self.enter_probe_bw(now);
        }
        self.state = State::Startup;
        self.pacing_gain = self.parameters.high_gain;
        self.cwnd_gain = self.parameters.high_gain;
    }

    /// Sets the pacing rate; before the pipe is full it only rises (BBRSetPacingRateWithGain).
    fn set_pacing_rate(&mut self, gain: f64) {
        let rate = self.pacing_rate_of(self.bandwidth(), gain);
        if rate > 0.0 && (self.filled_pipe || rate > self.pacing_rate) {
            self.pacing_rate = rate;
        }
    }

    fn pacing_rate_of(&self, bandwidth: f64, gain: f64) -> f64 {
        match &self.linux {
            Some(linux) => linux::pacing_rate(bandwidth, gain, linux.payload),
            None => gain * bandwidth,
        }
    }

    /// Replaces the guessed pacing rate once a round trip was measured.
    fn correct_guessed_rate(&mut self, rtt: Option<Nanos>) {
        if let (true, Some(rtt)) = (self.guessed_rate, rtt.filter(|rtt| *rtt > Nanos::ZERO)) {
            self.guessed_rate = false;
            self.pacing_rate = self.parameters.high_gain * self.initial_cwnd / rtt.as_secs_f64();
        }
    }

    /// Sets `cwnd` by what was acknowledged and lost (BBRSetCwnd).
    fn set_cwnd(&mut self, segments: f64, in_flight: f64, lost: u32) {
        let target = self.target();
        self.cwnd = (self.cwnd - f64::from(lost)).max(1.0);
        if self.conserving {
            self.cwnd = self.cwnd.max(in_flight + segments);
        } else {
            if self.filled_pipe {
                self.cwnd = (self.cwnd + segments).min(target);
            } else if self.cwnd < target || (self.model.delivered as f64) < self.initial_cwnd {
                self.cwnd += segments;
            }
            self.cwnd = self.cwnd.max(self.parameters.min_cwnd);
        }
        self.bound_cwnd_for_probe_rtt();
    }

    /// Bounds `cwnd` during ProbeRTT (BBRModulateCwndForProbeRTT).
    fn bound_cwnd_for_probe_rtt(&mut self) {
        if self.state == State::ProbeRtt {
            self.cwnd = self.cwnd.min(self.parameters.min_cwnd.max(1.0));
        }
    }

    /// Restores the saved `cwnd`, once (BBRRestoreCwnd).
    fn restore_cwnd(&mut self) {
        self.cwnd = self.cwnd.max(self.prior_cwnd);
        if !self.recovering {
            self.prior_cwnd = 0.0;
        }
    }

    /// Saves `cwnd`; within a recovery or ProbeRTT the greater one stays (BBRSaveCwnd).
    fn save_cwnd(&mut self) {
        let nested = self.recovering || self.state == State::ProbeRtt;
        self.prior_cwnd = if nested {
            self.prior_cwnd.max(self.cwnd)
        } else {
            self.cwnd
        };
    }
}

impl Control for Bbr {
    fn cwnd(&self) -> f64 {
        self.cwnd
    }

    fn ssthresh(&self) -> f64 {
        self.linux
            .as_ref()
            .map_or(f64::INFINITY, |linux| linux.ssthresh)
    }

    fn on_handshake(&mut self, now: Nanos, rtt: Nanos) {
        let Some(linux) = &mut self.linux else {
            return;
        };
        linux.begin(now);
        self.guessed_rate = false;
        let cwnd = linux::bandwidth(self.initial_cwnd as u64, rtt);
        let rate = self.pacing_rate_of(cwnd, self.parameters.high_gain);
        self.pacing_rate = rate.max(1e-3); // Above 0, however long the round trip was.
        self.model
            .take_rtt(now, Some(rtt), self.parameters.min_rtt_age);
    }

    fn on_ack(&mut self, ack: &AckSample) {
        let lost = ack.rate_sample.map_or(0, |sample| sample.lost);
        let gone = ack.segments.saturating_add(lost);
        let in_flight = f64::from(ack.in_flight.saturating_sub(gone));
        self.model.round_start = false;
        let limited = match &ack.rate_sample {
            Some(sample) => self.model.take_rate_sample(sample),
            None => {
                self.model.delivered += u64::from(ack.segments);
                true
            }
        };
        if self.model.round_start {
            self.conserving = false;
        }
        self.recovering &= ack.recovering || self.conserving;
        self.correct_guessed_rate(ack.newest_rtt);
        let (bandwidth, round_start) = (self.bandwidth(), self.model.round_start);
        if let Some(linux) = &mut self.linux {
            linux.last = Some(LastAck {
                at: ack.now,
                cwnd: self.cwnd,
                in_flight,
                segments: f64::from(ack.segments),
            });
            let segments = (u64::from(ack.segments), self.cwnd);
            linux.aggregate(ack.now, segments, bandwidth, round_start);
        }
        self.check_cycle_phase(ack, lost);
        self.check_full_pipe(limited);
        self.check_drain(ack.now, in_flight, ack.pacing_wait);
        let age = self.parameters.min_rtt_age;
        let expired = self.model.take_rtt(ack.now, ack.newest_rtt, age);
        self.check_probe_rtt(ack.now, in_flight, expired);
        self.set_pacing_rate(self.pacing_gain);
        self.set_cwnd(f64::from(ack.segments), in_flight, lost);
    }

    fn on_congestion(&mut self, congestion: &CongestionEvent) {
        if congestion.signal == Signal::Mark {
            return;
        }
        let mut cwnd = f64::from(congestion.in_flight) + 1.0;
        if let Some(linux) = &self.linux
            && let Some(ack) = linux.ack_of(congestion.now)
        {
            self.cwnd = ack.cwnd;
            cwnd = (ack.in_flight + ack.segments).max(1.0);
        }
        self.save_cwnd();
        self.cwnd = cwnd;
        self.bound_cwnd_for_probe_rtt();
        (self.recovering, self.conserving) = (true, true);
        self.model.begin_round();
    }

    fn on_recovery_end(&mut self, now: Nanos) {
        (self.recovering, self.conserving) = (false, false);
        if self.state == State::ProbeRtt {
            return;
        }
        let ack = self.linux.as_ref().and_then(|linux| linux.ack_of(now));
        if let Some(ack) = ack {
            self.cwnd = ack.cwnd;
        }
        self.restore_cwnd();
        if let Some(ack) = ack {
            self.set_cwnd(ack.segments, ack.in_flight, 0);
        }
    }

    fn on_timeout(&mut self, _now: Nanos, _in_flight: u32, _again: bool) {
        self.save_cwnd();
        self.cwnd = 1.0;
        (self.recovering, self.conserving) = (true, false);
        if self.linux.is_some() {
            // Linux looks for a full pipe anew (`bbr_set_state`).
            self.full_bw = 0.0;
        }
    }

    fn leave_after_timeout(&mut self, cwnd: f64) {
        self.cwnd = cwnd;
    }

    fn undo(&mut self, _before: &Windows) {
        // The end of the recovery restores `cwnd`.
    }

    fn on_restart(&mut self, _now: Nanos, _initial_window: f64) {
        self.idle_restart = true;
        if self.state == State::ProbeBw {
            self.set_pacing_rate(1.0);
        }
    }

    fn paces(&self) -> bool {
        true
    }

    fn pacing_rate(&self) -> Option<f64> {
        Some(self.pacing_rate)
    }

    fn wants_rate_sample(&self) -> bool {
        true
    }
}
