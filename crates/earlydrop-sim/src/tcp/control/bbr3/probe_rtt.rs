//! ProbeRTT of BBRv3 (draft-ietf-ccwg-bbr-06, section "ProbeRTT Logic").

use super::{AckPhase, Bbr3, State};
use earlydrop::units::Nanos;

impl Bbr3 {
    /// BBRCheckProbeRTT.
    pub(super) fn check_probe_rtt(&mut self, now: Nanos, in_flight: f64, expired: bool) {
        if self.state != State::ProbeRtt && expired && !self.idle_restart {
            self.save_cwnd();
            self.state = State::ProbeRtt;
            self.probe_rtt_done_stamp = None;
            self.ack_phase = AckPhase::ProbeStopping;
            self.model.start_round();
            self.model.begin_self_limit();
        }
        if self.state == State::ProbeRtt {
            self.model.extend_self_limit(in_flight);
            self.handle_probe_rtt(now, in_flight);
        }
        self.idle_restart = false;
    }

    /// BBRHandleProbeRTT.
    pub(super) fn handle_probe_rtt(&mut self, now: Nanos, in_flight: f64) {
        match self.probe_rtt_done_stamp {
            None if in_flight <= self.probe_rtt_cwnd() => {
                self.probe_rtt_done_stamp = Some(now + self.parameters.probe_rtt_duration);
                self.probe_rtt_round_done = false;
                self.model.start_round();
            }
            None => {}
            Some(done) => {
                self.probe_rtt_round_done |= self.model.round_start;
                if self.probe_rtt_round_done && now > done {
                    self.exit_probe_rtt(now);
                }
            }
        }
    }

    /// BBRCheckProbeRTTDone and BBRExitProbeRTT.
    pub(super) fn exit_probe_rtt(&mut self, now: Nanos) {
        self.model.schedule_probe_rtt(now);
        self.restore_cwnd();
        self.model.reset_short_term_model();
        if self.full_bw_reached {
            self.start_down(now);
            self.state = State::Cruise;
        } else {
            self.state = State::Startup;
        }
    }

    /// BBRProbeRTTCwnd.
    pub(super) fn probe_rtt_cwnd(&self) -> f64 {
        let gain = State::ProbeRtt.gains().1;
        self.bdp(self.model.bw, gain).max(self.parameters.min_cwnd)
    }
}
