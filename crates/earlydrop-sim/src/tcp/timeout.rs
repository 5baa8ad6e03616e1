//! What happens when the retransmission timer expires (RFC 6298, 5.4 to 5.6; RFC 5681, 3.1).
//!
//! How long the timer runs is in `rto.rs`. The timer of RACK-TLP (RFC 8985) comes before it.

use earlydrop::units::Nanos;

use super::profile::Profile;
use super::sender::Sender;
use super::settings::Rules;
use super::tcb::{CongestionState, LossTimerKind, Tcb};

impl Sender {
    /// To be called at the [deadline](Sender::deadline); does nothing before it.
    pub fn on_timer(&mut self, profile: &Profile, now: Nanos) {
        let Sender { tcb, sack } = self;
        tcb.output.release_pacing(now);
        if tcb.loss_timer.has_expired(&tcb.rto, now) {
            return self.on_loss_timer(profile, now);
        }
        if now < tcb.rto.expiry {
            return;
        }
        if tcb.seq.all_acked() {
            // ns-2's timer: it expires with nothing outstanding, and cwnd becomes 1.
            tcb.rto.expiry = Nanos::NEVER;
            tcb.restart_cwnd(now);
        } else {
            if let Some(sack) = sack {
                tcb.begin_frto(profile, sack);
            }
            tcb.on_rto(profile, now);
        }
        tcb.enter_timeout();
        if let Some(sack) = sack {
            tcb.on_rto_sack(profile, sack, now);
            tcb.open_cwnd_after_timeout(profile, sack);
        }
        self.choose_ack_path();
        self.tcb.update_send_window(profile);
    }

    /// The timer of RACK-TLP expired, before the retransmission timer (RFC 8985).
    #[cold]
    fn on_loss_timer(&mut self, profile: &Profile, now: Nanos) {
        let Sender { tcb, sack } = self;
        if let Some(sack) = sack {
            match tcb.loss_timer.kind() {
                LossTimerKind::Probe => sack.probe = Some(tcb.on_probe_timer(profile, now)),
                _ => tcb.on_reordering_timer(profile, sack, now),
            }
            tcb.choose_loss_timer(sack, 0, now);
        }
        self.choose_ack_path();
    }
}

impl Tcb {
    /// Whether `ssthresh` stays at a timeout, since `cwnd` was reduced in this window already, as
    /// Linux has it (`tcp_enter_loss`).
    pub(super) fn keeps_ssthresh(&self, profile: &Profile) -> bool {
        let state = self.congestion.state;
        let reduced = matches!(state, CongestionState::FastRecovery | CongestionState::Cwr);
        let within = !self.congestion.covers_recover(self.seq.snd_una);
        profile.follows_linux() && reduced && within
    }

    /// The retransmission timer expired with segments outstanding.
    fn on_rto(&mut self, profile: &Profile, now: Nanos) {
        self.counts.timeouts += 1;
        self.rto.first_segment_lost |= self.seq.snd_una == self.seq.iss;
        let again = core::mem::replace(&mut self.rto.repeats, true);
        if profile.rules == Rules::Ns2 && self.congestion.state == CongestionState::Cwr {
            self.restart_cwnd(now);
        } else {
            // RFC 5681, 3.1: ssthresh = max(FlightSize / 2, 2 SMSS), cwnd = 1 segment; a segment
            // retransmitted by the timer before holds ssthresh constant.
            self.collapse_cwnd(again || self.keeps_ssthresh(profile), now);
        }
        self.rto.back_off(profile); // RFC 6298, 5.5
        self.rto.rearm(now); // RFC 6298, 5.6
    }
}
