//! BBR, version 3: a model of the path, bounded by the losses and marks that probing causes.
//!
//! # Reference
//! N. Cardwell, I. Swett, J. Beshay (editors), "BBR Congestion Control",
//! draft-ietf-ccwg-bbr-06, 2026. Names of functions and variables are the draft's. Its
//! `inflight_longterm`, `inflight_shortterm` and `bw_shortterm` are `inflight_hi`, `inflight_lo`
//! and `bw_lo` in deployed code.
//!
//! # Equations
//! `cwnd` and volumes in segments, rates in segments a second, times in seconds.
//! - max_bw: the greatest delivery rate of this cycle of ProbeBW and the one before.
//!   bw = min(max_bw, bw_shortterm).
//! - min_rtt: the least round trip of 10 s. bdp = bw min_rtt.
//! - Pacing rate 0.99 g bw; `cwnd` grows up to c bdp + extra_acked, and is at least 4.
//! - extra_acked: the most, of 10 rounds, that was acknowledged beyond bw times the time.
//!
//! | state | g | c | `cwnd` at most | ends |
//! |---|---|---|---|---|
//! | Startup | 4 ln 2 | 2 | | max_bw grew by less than a quarter in each of 3 rounds; or a round of recovery with losses above 2 % in 6 events |
//! | Drain | 0.5 | 2 | | bdp is in flight, or after 3 rounds |
//! | DOWN | 0.9 | 2 | longterm, shortterm | bdp and 0.85 longterm are in flight; or as CRUISE |
//! | CRUISE | 1 | 2 | 0.85 longterm, shortterm | 2 to 3 s after DOWN began, or min(bdp, 62 or 63) rounds |
//! | REFILL | 1 | 2 | longterm | after a round |
//! | UP | 1.25 | 2.25 | longterm | max_bw grows no more, losses are above 2 %, or longterm is in flight and the probe before had such losses |
//! | ProbeRTT | 1 | 0.5 | bdp / 2, 0.85 longterm, shortterm | after 200 ms and a round; every 5 s without a lower round trip |
//!
//! - *Losses while probing* (UP): when RS.lost > 0.02 RS.tx_in_flight, longterm is what was in
//!   flight when that was reached, at least 0.7 min(bdp, cwnd).
//! - *Losses in other states*, once a round: shortterm = max(latest, 0.7 shortterm), for bw and
//!   for the volume; REFILL forgets both.
//! - *UP* raises longterm by 1, 2, 4, ... segments in successive rounds, if it limits `cwnd`.
//! - *Precaution*: after a probe that ended at longterm, without losses above 2 %, REFILL follows
//!   DOWN after a round.
//! - *Timeout*: `cwnd` is what is in flight and one more; the end of any repair restores it.
//! - *Spurious losses*: bounds are at least what they were before the first loss, and a probe or a
//!   Startup that ended for them is resumed.
//!
//! # Marks
//! The draft leaves the response open, but "the congestion controller response MUST treat any CE
//! marks as congestion". It depends on the feedback:
//!
//! | | Startup | REFILL, UP | other states |
//! |---|---|---|---|
//! | one echo a round trip (RFC 3168) | ends | as losses above 2 % | as a loss of the round |
//! | marks counted one by one | ends after a round with more than 2 % | so too | as a loss of the round |
//! | the same, min_rtt at most 5 ms: as deployed | ends after 2 rounds with half | after a round with more than half | shortterm volume = (1 - alpha / 3) shortterm |
//!
//! alpha = 15/16 alpha + 1/16 of the share of marks in a round, at first 1.
//!
//! # Our readings
//! - In flight before an acknowledgment is [`AckSample::in_flight`]; in flight after it is that
//!   less the segments acknowledged and lost with it.
//! - The offload budget is 3 segments: a simulator needs no batches.
//! - The state to which an undo returns is saved at the first loss of a round, before bounds fall for
//!   it. The draft saves it again as recovery begins, which that loss caused.
//! - A loss event in Startup is an acknowledgment that reports losses, as deployed, in place of
//!   discontiguous ranges.
//! - What is sent during ProbeRTT counts as limited by the application; the controller notes it,
//!   by the count delivered. Samples over less than min_rtt are ignored.
//! - The share of marks is that of a round, not of RS's interval.
//! - Only a restart after an idle time of RTO is noticed (`on_restart`), not any transmission with
//!   nothing in flight.
//! - What depends on acknowledgments being asked for more often, on offloads and on connections
//!   without SACK is left out.
//! - There is no `ssthresh`: infinite.
//!
//! # Not for L4S
//! RFC 9331, 4.3, asks a sender of ECT(1) for a response to marks that scales and does not depend on
//! short round trips. BBRv3's does neither above 5 ms, nor does it slow down in UP before half of a
//! round is marked. Where a scenario calls it `l4s`, a run warns.
//!
//! # Validated against
//! Nothing outside: BBRv3 is in no released kernel.

mod ecn;
mod model;
mod probe_bw;
mod probe_rtt;
mod spurious;
mod startup;
#[cfg(test)]
mod tests;

use super::events::{AckSample, CongestionEvent, Control, LostSegment, Signal, Windows};
use earlydrop::random::Pcg32;
use earlydrop::units::Nanos;
use ecn::Marks;
use model::Model;
use spurious::Undo;

/// The stream of a seed's generator that draws the times between probes.
const PROBE_WAITS: u64 = 0xbb3;

/// BBRv3's parameters; the defaults are the draft's, and those of marks as deployed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// The largest share of losses in a round while probing (LossThresh).
    pub loss_threshold: f64,
    /// The factor of a reduction (Beta).
    pub beta: f64,
    /// The share of `inflight_longterm` that is left free (Headroom).
    pub headroom: f64,
    /// The least `cwnd`, segments (MinPipeCwnd).
    pub min_cwnd: f64,
    /// Segments in flight beyond the gain's (offload_budget).
    pub offload_budget: f64,
    /// The share by which pacing stays below bw (PacingMarginPercent).
    pub pacing_margin: f64,
    /// Loss events in a round that end Startup (StartupFullLossCnt).
    pub full_loss_count: u32,
    /// How old min_rtt may grow (MinRTTFilterLen).
    pub min_rtt_filter: Nanos,
    /// Time between ProbeRTTs (ProbeRTTInterval).
    pub probe_rtt_interval: Nanos,
    /// Least duration of ProbeRTT (ProbeRTTDuration).
    pub probe_rtt_duration: Nanos,
    /// The longest min_rtt at which marks are answered by their share.
    pub ecn_max_rtt: Nanos,
    /// The weight of a round in alpha.
    pub ecn_gain: f64,
    /// The reduction by marks with alpha = 1.
    pub ecn_factor: f64,
    /// The largest share of marks in a round while probing.
    pub ecn_threshold: f64,
    /// Rounds above it that end Startup.
    pub full_ecn_rounds: u32,
}

impl Default for Parameters {
    fn default() -> Parameters {
        Parameters {
            loss_threshold: 0.02,
            beta: 0.7,
            headroom: 0.15,
            min_cwnd: 4.0,
            offload_budget: 3.0,
            pacing_margin: 0.01,
            full_loss_count: 6,
            min_rtt_filter: Nanos::from_secs(10),
            probe_rtt_interval: Nanos::from_secs(5),
            probe_rtt_duration: Nanos::from_millis(200),
            ecn_max_rtt: Nanos::from_millis(5),
            ecn_gain: 1.0 / 16.0,
            ecn_factor: 1.0 / 3.0,
            ecn_threshold: 0.5,
            full_ecn_rounds: 2,
        }
    }
}

/// A state of BBRv3's state machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Doubles the rate each round, until the pipe is full.
    Startup,
    /// Drains the queue that Startup made.
    Drain,
    /// ProbeBW_DOWN: drains the queue that UP made.
    Down,
    /// ProbeBW_CRUISE: sends at the estimated rate, and leaves headroom.
    Cruise,
    /// ProbeBW_REFILL: fills the pipe for a round.
    Refill,
    /// ProbeBW_UP: probes for more bandwidth.
    Up,
    /// Sends at half of the bdp, to measure the round trip of empty queues.
    ProbeRtt,
}

impl State {
    /// Its pacing_gain and cwnd_gain.
    fn gains(self) -> (f64, f64) {
        match self {
            State::Startup => (4.0 * core::f64::consts::LN_2, 2.0),
            State::Drain => (0.5, 2.0),
            State::Down => (0.9, 2.0),
            State::Cruise | State::Refill => (1.0, 2.0),
            State::Up => (1.25, 2.25),
            State::ProbeRtt => (1.0, 0.5),
        }
    }

    /// IsInAProbeBWState.
    fn is_probe_bw(self) -> bool {
        matches!(
            self,
            State::Down | State::Cruise | State::Refill | State::Up
        )
    }

    /// BBRIsProbingBW.
    fn is_probing(self) -> bool {
        matches!(self, State::Startup | State::Refill | State::Up)
    }
}

/// Which samples of a probe arrive (BBR.ack_phase).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AckPhase {
    Init,
    Refilling,
    ProbeStarting,
    ProbeFeedback,
    ProbeStopping,
}

/// BBRv3's state for one flow.
///
/// ```
/// use earlydrop_sim::tcp::control::Control;
/// use earlydrop_sim::tcp::control::bbr3::{Bbr3, Parameters, State};
/// let bbr = Bbr3::new(10.0, 1, Parameters::default());
/// assert_eq!((bbr.state(), bbr.cwnd()), (State::Startup, 10.0));
/// assert!(bbr.wants_rate_sample());
/// ```
#[derive(Clone, Debug)]
pub struct Bbr3 {
    parameters: Parameters,
    random: Pcg32,
    state: State,
    model: Model,
    marks: Marks,
    pacing_rate: f64,
    /// Whether the pacing rate is still that of before the first round trip.
    guessed_rate: bool,
    initial_cwnd: f64,
    /// Congestion window, segments.
    cwnd: f64,
    prior_cwnd: f64,
    full_bw_reached: bool,
    full_bw_now: bool,
    full_bw: f64,
    full_bw_count: u32,
    /// BBR.drain_start_round.
    drain_start_round: u64,
    /// Loss events in this round of Startup.
    loss_events: u32,
    ack_phase: AckPhase,
    /// BBR.bw_probe_samples: whether losses show that probing went too far.
    bw_probe_samples: bool,
    /// Whether losses of the last probe were above the threshold.
    prev_probe_too_high: bool,
    /// Whether the last probe ended because `inflight_longterm` was reached.
    prev_probe_precautionary: bool,
    undo: Undo,
    cycle_stamp: Nanos,
    bw_probe_wait: Nanos,
    bw_probe_up_rounds: u32,
    bw_probe_up_acks: f64,
    probe_up_count: f64,
    probe_rtt_done_stamp: Option<Nanos>,
    probe_rtt_round_done: bool,
    idle_restart: bool,
    recovering: bool,
}

impl Bbr3 {
    /// A flow's controller with its initial `cwnd`, segments, and the seed by which the times
    /// between probes are drawn.
    pub fn new(initial_cwnd: f64, seed: u64, parameters: Parameters) -> Bbr3 {
        let initial_cwnd = initial_cwnd.max(1.0);
        Bbr3 {
            parameters,
            random: Pcg32::new(seed, PROBE_WAITS),
            state: State::Startup,
            model: Model::new(),
            marks: Marks::new(),
            pacing_rate: State::Startup.gains().0 * initial_cwnd * 1e3,
            guessed_rate: true,
            initial_cwnd,
            cwnd: initial_cwnd,
            prior_cwnd: 0.0,
            full_bw_reached: false,
            full_bw_now: false,
            full_bw: 0.0,
            full_bw_count: 0,
            drain_start_round: 0,
            loss_events: 0,
            ack_phase: AckPhase::Init,
            bw_probe_samples: false,
            prev_probe_too_high: false,
            prev_probe_precautionary: false,
            undo: Undo::default(),
            cycle_stamp: Nanos::ZERO,
            bw_probe_wait: Nanos::ZERO,
            bw_probe_up_rounds: 0,
            bw_probe_up_acks: 0.0,
            probe_up_count: f64::INFINITY,
            probe_rtt_done_stamp: None,
            probe_rtt_round_done: false,
            idle_restart: false,
            recovering: false,
        }
    }

    /// The state of the state machine.
    pub fn state(&self) -> State {
        self.state
    }

    /// BBR.max_bw, segments a second; 0 before the first sample.
    pub fn max_bw(&self) -> f64 {
        self.model.max_bw()
    }

    /// BBR.min_rtt; `None` before the first sample.
    pub fn min_rtt(&self) -> Option<Nanos> {
        (self.model.min_rtt != Nanos::NEVER).then_some(self.model.min_rtt)
    }

    /// BBR.inflight_longterm (`inflight_hi`), segments; infinite before losses set it.
    pub fn inflight_longterm(&self) -> f64 {
        self.model.inflight_longterm
    }

    /// `gain` times the bandwidth-delay product with `bw` (BBRBDPMultiple).
    fn bdp(&self, bw: f64, gain: f64) -> f64 {
        let bdp = self.model.bdp(bw);
        bdp.map_or(self.initial_cwnd, |bdp| gain * bdp)
    }

    /// BBRQuantizationBudget.
    fn quantize(&self, volume: f64) -> f64 {
        let budget = self.parameters.offload_budget;
        let volume = volume.max(budget).max(self.parameters.min_cwnd);
        volume + if self.state == State::Up { 2.0 } else { 0.0 }
    }

    /// BBRTargetInflight.
    fn target_inflight(&self) -> f64 {
        self.bdp(self.model.bw, 1.0).min(self.cwnd)
    }

    /// BBRInflightWithHeadroom.
    fn inflight_with_headroom(&self) -> f64 {
        let longterm = self.model.inflight_longterm;
        if longterm.is_infinite() {
            return longterm;
        }
        let headroom = (self.parameters.headroom * longterm).max(1.0);
        (longterm - headroom).max(self.parameters.min_cwnd)
    }

    /// BBRUpdateCongestionSignals, after max_bw is up to date.
    fn update_congestion_signals(&mut self) {
        if self.model.round_start {
            self.marks.end_round(self.parameters.ecn_gain);
        }
        if !self.model.loss_round_start {
            return;
        }
        if !self.state.is_probing() {
            let cut = match self.marks_apply() {
                true => self.marks.cut(self.parameters.ecn_factor),
                false => 1.0,
            };
            let beta = self.parameters.beta;
            self.model.adapt_lower_bounds(beta, cut, self.cwnd);
        }
        self.model.loss_in_round = false;
        self.marks.in_round = false;
    }

    /// BBRSetPacingRateWithGain.
    fn set_pacing_rate(&mut self, gain: f64) {
        let rate = gain * self.model.bw * (1.0 - self.parameters.pacing_margin);
        if rate > 0.0 && (self.full_bw_reached || rate > self.pacing_rate) {
            self.pacing_rate = rate;
        }
    }

    /// Replaces the guessed pacing rate once a round trip was measured (BBRInitPacingRate).
    fn correct_guessed_rate(&mut self, rtt: Option<Nanos>) {
        if let (true, Some(rtt)) = (self.guessed_rate, rtt.filter(|rtt| *rtt > Nanos::ZERO)) {
            self.guessed_rate = false;
            let gain = State::Startup.gains().0;
            self.pacing_rate = gain * self.initial_cwnd / rtt.as_secs_f64();
        }
    }

    /// BBRSetCwnd.
    fn set_cwnd(&mut self, segments: u32) {
        let gain = self.state.gains().1;
        let volume = self.bdp(self.model.bw, gain) + self.model.extra_acked;
        let max_inflight = self.quantize(volume);
        let grown = self.cwnd + f64::from(segments);
        if self.full_bw_reached {
            self.cwnd = grown.min(max_inflight);
        } else if self.cwnd < max_inflight || (self.model.delivered as f64) < self.initial_cwnd {
            self.cwnd = grown;
        }
        self.cwnd = self.cwnd.max(self.parameters.min_cwnd);
        if self.state == State::ProbeRtt {
            self.cwnd = self.cwnd.min(self.probe_rtt_cwnd());
        }
        // BBRBoundCwndForModel.
        let cap = match self.state {
            State::ProbeRtt | State::Cruise => self.inflight_with_headroom(),
            state if state.is_probe_bw() => self.model.inflight_longterm,
            _ => f64::INFINITY,
        };
        let cap = cap.min(self.model.inflight_shortterm);
        self.cwnd = self.cwnd.min(cap.max(self.parameters.min_cwnd)).max(1.0);
    }

    /// BBRSaveCwnd.
    fn save_cwnd(&mut self) {
        let nested = self.recovering || self.state == State::ProbeRtt;
        let prior = if nested { self.prior_cwnd } else { 0.0 };
        self.prior_cwnd = prior.max(self.cwnd);
    }

    /// BBRRestoreCwnd.
    fn restore_cwnd(&mut self) {
        self.cwnd = self.cwnd.max(self.prior_cwnd);
    }
}

impl Control for Bbr3 {
    fn cwnd(&self) -> f64 {
        self.cwnd
    }

    fn ssthresh(&self) -> f64 {
        f64::INFINITY
    }

    fn on_ack(&mut self, ack: &AckSample) {
        let lost = ack.rate_sample.map_or(0, |sample| sample.lost);
        let gone = ack.segments.saturating_add(lost);
        let in_flight = f64::from(ack.in_flight.saturating_sub(gone));
        self.correct_guessed_rate(ack.newest_rtt);
        self.marks.count(ack);
        if ack.marked > 0 && !self.marks_apply() {
            self.model.note_loss();
        }
        let Some(sample) = &ack.rate_sample else {
            self.model.delivered += u64::from(ack.segments);
            return self.set_cwnd(ack.segments);
        };
        let sample = self.model.take_rate_sample(sample);
        self.update_congestion_signals();
        let full = self.full_bw_reached;
        self.model.update_ack_aggregation(ack, full, self.cwnd);
        self.check_full_bw_reached(&sample);
        self.check_startup_congestion(&sample, lost);
        self.check_startup_and_drain(ack.now, in_flight);
        self.update_cycle_phase(ack, &sample, in_flight);
        let expired = self
            .model
            .update_min_rtt(ack.now, ack.newest_rtt, &self.parameters);
        self.check_probe_rtt(ack.now, in_flight, expired);
        self.model.end_ack(&sample);
        self.set_pacing_rate(self.state.gains().0);
        self.set_cwnd(ack.segments);
    }

    /// BBRHandleLostPacket.
    fn on_loss(&mut self, lost: &LostSegment) {
        if !self.model.loss_in_round {
            self.save_state_upon_loss();
        }
        self.model.note_loss();
        let threshold = self.parameters.loss_threshold;
        let (losses, tx_in_flight) = (
            f64::from(lost.lost_since_sent),
            f64::from(lost.tx_in_flight),
        );
        if !self.bw_probe_samples || losses <= tx_in_flight * threshold {
            return;
        }
        // BBRInflightAtLoss.
        let inflight_before = (tx_in_flight - 1.0).max(0.0);
        let lost_before = losses - 1.0;
        let prefix = (threshold * inflight_before - lost_before) / (1.0 - threshold);
        let limited = lost.application_limited;
        self.on_inflight_too_high(inflight_before + prefix.max(0.0), limited, lost.now);
    }

    fn on_congestion(&mut self, congestion: &CongestionEvent) {
        match congestion.signal {
            Signal::Loss => {
                self.save_cwnd();
                self.recovering = true;
            }
            // Marks that are counted one by one were reported with their acknowledgment.
            Signal::Mark if !self.marks.counted => self.on_echo(congestion),
            Signal::Mark => {}
        }
    }

    fn on_recovery_end(&mut self, _now: Nanos) {
        self.recovering = false;
        if self.state != State::ProbeRtt {
            self.restore_cwnd();
        }
    }

    fn on_timeout(&mut self, _now: Nanos, _in_flight: u32, _again: bool) {
        self.save_state_upon_loss();
        self.cwnd = 1.0;
        self.recovering = true;
    }

    /// BBROnEnterRTO: `C.cwnd = C.inflight + 1`.
    fn leave_after_timeout(&mut self, cwnd: f64) {
        self.cwnd = cwnd;
    }

    fn undo(&mut self, _before: &Windows) {
        self.on_spurious_losses();
    }

    fn on_restart(&mut self, now: Nanos, _initial_window: f64) {
        self.idle_restart = true;
        self.model.restart_ack_aggregation(now);
        if self.state.is_probe_bw() {
            self.set_pacing_rate(1.0);
        } else if self.state == State::ProbeRtt
            && self.probe_rtt_done_stamp.is_some_and(|done| now > done)
        {
            self.exit_probe_rtt(now);
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
