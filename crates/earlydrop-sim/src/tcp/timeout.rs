//! What happens when the retransmission timer expires (RFC 6298, 5.4 to 5.6; RFC 5681, 3.1).
//!
//! How long the timer runs is in `rto.rs`. The timer of RACK-TLP (RFC 8985) comes before it.

use earlydrop::units::Nanos;

use super::profile::Profile;
use super::sender::Sender;
use super::sender::{CongestionState, LossTimer};
use super::settings::Rules;

impl Sender {
    /// To be called at the [deadline](Sender::deadline); does nothing before it.
    pub fn on_timer(&mut self, profile: &Profile, now: Nanos) {
        self.release_pacing(now);
        if self.loss_timer_expired(now) {
            return self.on_loss_timer(profile, now);
        }
        if !self.rto_expired(now) {
            return;
        }
        if self.snd_una() == self.snd_max() {
            self.on_idle_timeout(now);
        } else {
            self.on_rto(profile, now);
        }
        self.enter_timeout();
        self.rewind_to_una();
        self.with_sack(|sender, sack| sender.on_rto_sack(profile, sack, now));
        self.choose_ack_path();
        self.update_send_window(profile);
    }

    /// The timer of RACK-TLP expired, before the retransmission timer (RFC 8985).
    #[cold]
    fn on_loss_timer(&mut self, profile: &Profile, now: Nanos) {
        self.with_sack(|sender, sack| {
            match sender.loss_timer() {
                LossTimer::Probe => sender.on_probe_timer(profile, sack, now),
                _ => sender.on_reordering_timer(profile, sack, now),
            }
            sender.choose_loss_timer(sack, 0, now);
        });
        self.choose_ack_path();
    }

    /// The timer expired with nothing outstanding, as ns-2's does: `cwnd` becomes 1.
    fn on_idle_timeout(&mut self, now: Nanos) {
        self.set_rto_expiry(Nanos::NEVER);
        self.restart_cwnd(now);
    }

    /// The timer expired with segments outstanding.
    fn on_rto(&mut self, profile: &Profile, now: Nanos) {
        let again = self.count_timeout();
        if profile.rules == Rules::Ns2 && self.state() == CongestionState::Cwr {
            self.restart_cwnd(now);
        } else {
            // RFC 5681, 3.1: ssthresh = max(FlightSize / 2, 2 SMSS), cwnd = 1 segment; a segment
            // retransmitted by the timer before holds ssthresh constant.
            self.collapse_cwnd(again, now);
        }
        self.back_off_rto(profile); // RFC 6298, 5.5
        self.rearm_rto(now); // RFC 6298, 5.6
    }
}
