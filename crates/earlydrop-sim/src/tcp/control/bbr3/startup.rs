//! Startup and Drain of BBRv3 (draft-ietf-ccwg-bbr-06, sections "Startup" and "Drain").

use super::model::Sample;
use super::{Bbr3, State};
use earlydrop::units::Nanos;

impl Bbr3 {
    /// BBRResetFullBW.
    pub(super) fn reset_full_bw(&mut self, baseline: f64) {
        self.full_bw = baseline;
        self.full_bw_count = 0;
        self.full_bw_now = false;
    }

    /// BBRCheckFullBWReached.
    pub(super) fn check_full_bw_reached(&mut self, sample: &Sample) {
        if self.full_bw_now || !self.model.round_start || sample.limited {
            return;
        }
        if sample.rate >= self.full_bw * 1.25 {
            return self.reset_full_bw(sample.rate);
        }
        self.full_bw_count += 1;
        self.full_bw_now = self.full_bw_count >= 3;
        self.full_bw_reached |= self.full_bw_now;
    }

    /// BBRCheckStartupHighLoss, and the same for marks.
    pub(super) fn check_startup_congestion(&mut self, sample: &Sample, lost: u32) {
        if self.full_bw_reached {
            return;
        }
        self.loss_events += u32::from(lost > 0);
        let many_losses = self.model.loss_round_start
            && self.recovering
            && self.loss_events >= self.parameters.full_loss_count
            && sample.lost > self.parameters.loss_threshold * sample.tx_in_flight;
        let many_marks = self.model.round_start
            && match self.marks_apply() {
                true => self.marks.end_startup(&self.parameters),
                false => self.has_marked_too_many(),
            };
        if many_losses {
            self.undo.state = Some(State::Startup);
        }
        if many_losses || many_marks {
            self.end_startup();
        }
        if self.model.loss_round_start {
            self.loss_events = 0;
        }
    }

    /// Startup ends for congestion.
    pub(super) fn end_startup(&mut self) {
        self.full_bw_reached = true;
        let bdp = self.bdp(self.model.max_bw(), 1.0);
        self.model.inflight_longterm = bdp.max(self.model.inflight_latest);
    }

    /// BBRCheckStartupDone and BBRCheckDrainDone.
    pub(super) fn check_startup_and_drain(&mut self, now: Nanos, in_flight: f64) {
        if self.state == State::Startup && self.full_bw_reached {
            self.state = State::Drain;
            self.drain_start_round = self.model.round_count;
        }
        if self.state == State::Drain {
            let drained = in_flight <= self.quantize(self.bdp(self.model.bw, 1.0));
            if drained || self.model.round_count > self.drain_start_round + 3 {
                self.start_down(now);
            }
        }
    }
}
