//! ProbeBW of BBRv3: the cycle of DOWN, CRUISE, REFILL and UP, and the long-term volume that it
//! probes (draft-ietf-ccwg-bbr-06, section "ProbeBW Algorithm Details").

use super::model::Sample;
use super::{AckPhase, Bbr3, State};
use crate::tcp::control::AckSample;
use earlydrop::units::Nanos;

/// Most rounds between probes (BBRIsRenoCoexistenceProbeTime).
const MOST_PROBE_ROUNDS: f64 = 63.0;

impl Bbr3 {
    /// BBRStartProbeBW_DOWN.
    pub(super) fn start_down(&mut self, now: Nanos) {
        self.model.reset_congestion_signals();
        self.probe_up_count = f64::INFINITY;
        // BBRPickProbeWait.
        self.model.rounds_since_probe = self.random.below(2);
        let wait = 2.0 + self.random.uniform();
        self.bw_probe_wait = Nanos((wait * 1e9) as u64);
        self.cycle_stamp = now;
        self.ack_phase = AckPhase::ProbeStopping;
        self.model.start_round();
        self.state = State::Down;
    }

    /// BBRStartProbeBW_REFILL.
    pub(super) fn start_refill(&mut self) {
        self.model.reset_short_term_model();
        self.bw_probe_up_rounds = 0;
        self.bw_probe_up_acks = 0.0;
        self.prev_probe_precautionary = false;
        self.ack_phase = AckPhase::Refilling;
        self.model.start_round();
        self.state = State::Refill;
    }

    /// BBRStartProbeBW_UP.
    pub(super) fn start_up(&mut self, sample: &Sample) {
        self.bw_probe_samples = true;
        self.ack_phase = AckPhase::ProbeStarting;
        self.model.start_round();
        self.reset_full_bw(sample.rate);
        self.state = State::Up;
        self.raise_inflight_longterm_slope();
    }

    /// BBRRaiseInflightLongtermSlope.
    pub(super) fn raise_inflight_longterm_slope(&mut self) {
        let growth = f64::from(1_u32 << self.bw_probe_up_rounds);
        self.bw_probe_up_rounds = (self.bw_probe_up_rounds + 1).min(30);
        self.probe_up_count = (self.cwnd / growth).max(1.0);
    }

    /// BBRIsTimeToProbeBW.
    pub(super) fn is_time_to_probe(&self, now: Nanos) -> bool {
        let rounds = self.target_inflight().min(MOST_PROBE_ROUNDS);
        now > self.cycle_stamp + self.bw_probe_wait
            || f64::from(self.model.rounds_since_probe) >= rounds
    }

    /// BBRUpdateProbeBWCyclePhase.
    pub(super) fn update_cycle_phase(&mut self, ack: &AckSample, sample: &Sample, in_flight: f64) {
        if !self.full_bw_reached {
            return;
        }
        if self.adapt_long_term_model(ack, sample) {
            return;
        }
        let goes_down = self.state == State::Up && self.is_time_to_go_down(ack, sample, in_flight);
        match self.state {
            State::Down | State::Cruise if self.is_time_to_probe(ack.now) => self.start_refill(),
            State::Down => {
                let bdp = self.quantize(self.bdp(self.model.max_bw(), 1.0));
                if in_flight <= self.inflight_with_headroom() && in_flight <= bdp {
                    self.state = State::Cruise;
                }
            }
            State::Refill if self.model.round_start => self.start_up(sample),
            State::Up if goes_down => {
                self.prev_probe_too_high = false;
                self.start_down(ack.now);
            }
            _ => {}
        }
    }

    /// BBRIsTimeToGoDown.
    fn is_time_to_go_down(&mut self, ack: &AckSample, sample: &Sample, in_flight: f64) -> bool {
        let longterm = self.model.inflight_longterm;
        // Precaution: the probe before had losses at this volume.
        if self.prev_probe_too_high && in_flight >= longterm {
            self.prev_probe_precautionary = true;
            return true;
        }
        if ack.cwnd_limited && self.cwnd >= longterm {
            self.reset_full_bw(sample.rate);
            return false;
        }
        self.full_bw_now
    }

    /// BBRAdaptLongTermModel; returns whether it began a phase.
    fn adapt_long_term_model(&mut self, ack: &AckSample, sample: &Sample) -> bool {
        if self.model.round_start && self.ack_phase == AckPhase::ProbeStarting {
            self.ack_phase = AckPhase::ProbeFeedback;
        }
        if self.model.round_start && self.ack_phase == AckPhase::ProbeStopping {
            self.bw_probe_samples = false;
            self.ack_phase = AckPhase::Init;
            if self.state.is_probe_bw() && !sample.limited {
                self.model.advance_max_bw_filter();
            }
            // Precaution: a round of feedback without excess losses.
            let safe = self.prev_probe_precautionary && !self.prev_probe_too_high;
            if self.state.is_probe_bw() && safe {
                self.start_refill();
                return true;
            }
        }
        let by_marks = self.model.round_start && self.has_marked_too_many();
        let by_losses = sample.lost > sample.tx_in_flight * self.parameters.loss_threshold;
        if by_marks || by_losses {
            // Marks are a congestion signal while the pipe is refilled, too.
            if self.bw_probe_samples || by_marks && self.state == State::Refill {
                self.on_inflight_too_high(sample.tx_in_flight, sample.limited, ack.now);
            }
        } else if self.model.inflight_longterm.is_finite() {
            let longterm = &mut self.model.inflight_longterm;
            *longterm = longterm.max(sample.tx_in_flight);
            if self.state == State::Up {
                self.probe_inflight_longterm_upward(ack);
            }
        }
        false
    }

    /// BBRProbeInflightLongtermUpward.
    pub(super) fn probe_inflight_longterm_upward(&mut self, ack: &AckSample) {
        if !ack.cwnd_limited || self.cwnd < self.model.inflight_longterm {
            return;
        }
        self.bw_probe_up_acks += f64::from(ack.segments);
        if self.bw_probe_up_acks >= self.probe_up_count {
            let delta = libm::floor(self.bw_probe_up_acks / self.probe_up_count);
            self.bw_probe_up_acks -= delta * self.probe_up_count;
            self.model.inflight_longterm += delta;
        }
        if self.model.round_start {
            self.raise_inflight_longterm_slope();
        }
    }

    /// BBRHandleInflightTooHigh, once a probe.
    pub(super) fn on_inflight_too_high(&mut self, tx_in_flight: f64, limited: bool, now: Nanos) {
        self.prev_probe_too_high = true;
        self.bw_probe_samples = false;
        if !limited {
            let least = self.target_inflight() * self.parameters.beta;
            self.model.inflight_longterm = tx_in_flight.max(least);
        }
        if matches!(self.state, State::Up | State::Refill) {
            self.undo.state = (self.state == State::Up).then_some(State::Up);
            self.start_down(now);
        }
    }
}
