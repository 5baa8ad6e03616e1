//! Round-trip samples and the retransmission timer of a sender (RFC 6298, sections 3 and 5).
//!
//! How RTO follows from samples is in `rto.rs`.

use earlydrop::units::Nanos;

use super::{Ack, Profile, RttSampling, Rules, Sender};

impl Sender {
    /// The time at which [`Sender::on_timer`] is to be called, unless something happens
    /// before; [`Nanos::NEVER`] when there is none.
    #[inline]
    pub fn deadline(&self) -> Nanos {
        let timer = self.loss_timer_lead.before(self.rto_expiry);
        if self.pacing_blocked {
            self.pacing_release.nanos().min(timer)
        } else {
            timer
        }
    }

    /// The smoothed round-trip time, SRTT of RFC 6298; zero before the first measurement.
    #[inline]
    pub fn srtt(&self, profile: &Profile) -> Nanos {
        self.rto.srtt(&profile.timer, profile.rules)
    }

    /// The retransmission timeout, RTO of RFC 6298, doublings included.
    pub fn rto(&self) -> Nanos {
        self.rto.rto()
    }

    /// Whether the retransmission timer has expired.
    #[inline]
    pub(in crate::tcp) fn rto_expired(&self, now: Nanos) -> bool {
        now >= self.rto_expiry
    }

    /// When the retransmission timer expires.
    #[inline]
    pub(in crate::tcp) fn rto_expiry(&self) -> Nanos {
        self.rto_expiry
    }

    /// Lets the retransmission timer expire at `at`; [`Nanos::NEVER`] switches it off.
    #[inline(always)]
    pub(in crate::tcp) fn set_rto_expiry(&mut self, at: Nanos) {
        self.rto_expiry = at;
    }

    /// Restarts the retransmission timer, so that it expires after RTO from now.
    #[inline]
    pub(in crate::tcp) fn rearm_rto(&mut self, now: Nanos) {
        self.rto_expiry = now + self.rto.rto();
    }

    /// Restarts the timer when new data is acknowledged, or switches it off once all is
    /// (RFC 6298, 5.2, 5.3). ns-2's timer runs on: its expiry closes an idle connection's
    /// `cwnd`.
    #[inline]
    pub(in crate::tcp) fn rearm_rto_after_ack(&mut self, profile: &Profile, now: Nanos) {
        let closes_when_idle = profile.rules == Rules::Ns2 && profile.slow_start_restart;
        if self.snd_una < self.snd_max || closes_when_idle {
            self.rearm_rto(now);
        } else {
            self.rto_expiry = Nanos::NEVER;
        }
    }

    /// Doubles RTO (RFC 6298, 5.5).
    pub(in crate::tcp) fn back_off_rto(&mut self, profile: &Profile) {
        self.rto.back_off(&profile.timer, profile.rules);
    }

    /// Takes doublings of RTO back.
    #[inline]
    pub(in crate::tcp) fn end_rto_backoff(&mut self, profile: &Profile) {
        self.rto.end_backoff(&profile.timer, profile.rules);
    }

    /// Starts over with an RTO of `rto`, and nothing measured.
    pub(in crate::tcp) fn reset_rto(&mut self, profile: &Profile, rto: Nanos) {
        self.rto.reset(&profile.timer, profile.rules, rto);
    }

    /// Stops timing the segment being timed if an acknowledgment up to `next` covers it, without
    /// a sample; answers whether it does.
    #[inline]
    pub(in crate::tcp) fn discard_rtt_sample(&mut self, next: u32) -> bool {
        let covered = self.rtt_pending && next > self.rtt_seq;
        if covered {
            self.rtt_pending = false;
        }
        covered
    }

    /// Takes the round trip that `ack` measures, where it measures one (RFC 6298, 3: one segment
    /// at a time and by Karn's rule; RFC 7323: every segment, by its timestamp).
    #[inline(always)]
    pub(in crate::tcp) fn sample_rtt(
        &mut self,
        profile: &Profile,
        ack: &Ack,
        now: Nanos,
    ) -> Option<Nanos> {
        let rtt = match profile.rtt_sampling {
            RttSampling::OneAtATime => {
                if !self.rtt_pending || ack.next <= self.rtt_seq {
                    return None;
                }
                self.rtt_pending = false;
                if !(ack.ece && self.ece_at_cwnd_one) {
                    self.rto.end_backoff(&profile.timer, profile.rules);
                    self.ece_at_cwnd_one = false;
                }
                now.since(self.rtt_sent_at)
            }
            RttSampling::Every => {
                self.rto.end_backoff(&profile.timer, profile.rules);
                now.since(ack.echo)
            }
        };
        self.rto.measure(&profile.timer, profile.rules, rtt, now);
        Some(rtt)
    }
}
