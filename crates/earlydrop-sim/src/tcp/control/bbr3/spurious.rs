//! Spurious losses of BBRv3 (draft-ietf-ccwg-bbr-06, section "Updating the Model Upon Detecting a
//! Spurious Loss Recovery").

use super::{Bbr3, State};

/// What an undo restores.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Undo {
    /// BBR.undo_state: the state that losses ended.
    pub(super) state: Option<State>,
    bw_shortterm: f64,
    inflight_shortterm: f64,
    inflight_longterm: f64,
}

impl Bbr3 {
    /// SaveStateUponLoss.
    pub(super) fn save_state_upon_loss(&mut self) {
        self.save_cwnd();
        self.undo = Undo {
            state: None,
            bw_shortterm: self.model.bw_shortterm,
            inflight_shortterm: self.model.inflight_shortterm,
            inflight_longterm: self.model.inflight_longterm,
        };
    }

    /// HandleSpuriousLossDetection.
    pub(super) fn on_spurious_losses(&mut self) {
        self.restore_cwnd();
        self.model.loss_in_round = false;
        self.reset_full_bw(0.0);
        let (model, undo) = (&mut self.model, self.undo);
        model.bw_shortterm = model.bw_shortterm.max(undo.bw_shortterm);
        model.inflight_shortterm = model.inflight_shortterm.max(undo.inflight_shortterm);
        model.inflight_longterm = model.inflight_longterm.max(undo.inflight_longterm);
        // "If flow was probing bandwidth, return to that state"
        match self.undo.state.take() {
            Some(State::Startup) if self.state != State::Startup => {
                self.full_bw_reached = false;
                if self.state != State::ProbeRtt {
                    self.state = State::Startup;
                }
            }
            Some(State::Up) if self.state != State::Up && self.state != State::ProbeRtt => {
                self.start_refill();
            }
            _ => {}
        }
    }
}
