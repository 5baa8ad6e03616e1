//! What the times of `rack.rs` do to a connection: losses after an acknowledgment, after the
//! reordering timer and after the retransmission timer (RFC 8985, with its section numbers).

use earlydrop::units::Nanos;

use super::sack::SackState;
use crate::tcp::profile::Profile;
use crate::tcp::tcb::{LossTimer, LossTimerKind, Tcb};

impl Tcb {
    /// Detects losses by time after an acknowledgment, or when the reordering timer expires
    /// (6.2, step 5); returns how many segments are newly lost. `recovering`: whether a loss is
    /// still being repaired.
    pub(super) fn detect_losses_by_time(
        &self,
        profile: &Profile,
        sack: &mut SackState,
        recovering: bool,
        now: Nanos,
    ) -> u32 {
        let SackState { board, rack, .. } = sack;
        let Some(rack) = rack else { return 0 };
        let hasty = recovering || board.sacked() >= profile.dupack_threshold;
        rack.update_reo_wnd(hasty, self.rto.srtt(profile));
        rack.detect_losses(board, self.seq.snd_una, self.seq.snd_max, now)
    }

    /// The reordering timer expired: what is lost now is retransmitted.
    pub(in crate::tcp) fn on_reordering_timer(
        &mut self,
        profile: &Profile,
        sack: &mut SackState,
        now: Nanos,
    ) {
        let recovering = self.output.sack_recovery;
        sack.board.holds_retransmissions = false;
        let lost = self.detect_losses_by_time(profile, sack, recovering, now);
        if let Some(rack) = &mut sack.rack {
            rack.lost_by_timer += lost;
        }
        if lost == 0 {
            return;
        }
        if !recovering {
            self.start_sack_recovery(profile, sack, 0, now);
        }
        if let Some(prr) = &mut sack.prr {
            // Nothing was delivered; PRR grants as for one segment, as Linux has it.
            prr.on_ack(1, false);
        }
        self.report_losses(sack, now);
        self.update_send_window_sack(profile, sack);
    }

    /// The retransmission timer expired: `snd_una` and what is overdue is lost (6.3).
    pub(super) fn on_rto_with_rack(&mut self, profile: &Profile, sack: &mut SackState, now: Nanos) {
        sack.probe = None;
        let SackState { board, rack, .. } = sack;
        let Some(rack) = rack else { return };
        let (snd_una, snd_max) = (self.seq.snd_una, self.seq.snd_max);
        rack.timeout = Nanos::ZERO;
        board.high_rxt = board.high_rxt.max(snd_una);
        rack.mark_losses_on_rto(board, (snd_una, snd_max), self.rto.srtt(profile), now);
        board.count_pipe(snd_una, snd_max);
        self.report_losses(sack, now);
        self.retransmit_una_now();
    }

    /// Decides which timer of RACK-TLP runs after an ACK, by which `acked` segments were
    /// acknowledged cumulatively, or after a timer.
    pub(in crate::tcp) fn choose_loss_timer(&mut self, sack: &SackState, acked: u32, now: Nanos) {
        let Some(rack) = &sack.rack else { return };
        let repairs = self.output.sack_recovery || sack.board.sacked() > 0;
        if repairs && rack.timeout > Nanos::ZERO {
            self.loss_timer.arm_reordering(rack.timeout, &self.rto, now);
        } else if repairs || sack.probe.is_some() {
            self.loss_timer = LossTimer::OFF;
        } else if acked > 0 || self.loss_timer.kind() != LossTimerKind::Probe {
            self.arm_probe(now);
        }
    }
}
