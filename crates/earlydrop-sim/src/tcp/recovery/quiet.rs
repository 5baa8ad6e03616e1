//! Acknowledgments while nothing is lost and nothing was received out of order: what `sack.rs` does
//! for any acknowledgment, without what cannot be the case.
//!
//! Senders that count marks or measure delivery rates see every acknowledgment, and most are such.

use earlydrop::units::Nanos;

use super::rack::AckTime;
use super::sack::{AckDelta, SackState};
use crate::tcp::profile::Profile;
use crate::tcp::segment::Ack;
use crate::tcp::settings::Rules;
use crate::tcp::tcb::Tcb;

impl SackState {
    /// Whether an ACK up to `next` finds nothing lost, to be repaired, probed or undone.
    fn is_quiet(&self, next: u32) -> bool {
        let repairs = self.prr.is_some() || self.probe.is_some() || self.frto;
        !repairs && self.board.is_quiet(next) && !self.undo.shown_by_dsack()
    }
}

impl Tcb {
    /// [`Tcb::on_sack`] of an acknowledgment of new data without SACK blocks, while there is nothing
    /// to repair. `None`: that is not so, and nothing was done.
    pub(super) fn on_quiet_ack(
        &mut self,
        profile: &Profile,
        sack: &mut SackState,
        ack: &Ack,
        now: Nanos,
    ) -> Option<(u32, u32)> {
        let (snd_una, next) = (self.seq.snd_una, ack.next);
        let repairs = self.output.sack_recovery || self.congestion.in_fast_recovery();
        let plain = next > snd_una && ack.sacked.is_empty() && profile.rules == Rules::Standard;
        if !plain || repairs || !sack.is_quiet(next) {
            return None;
        }
        let rack = sack.rack.as_mut()?;
        if !rack.finds_no_loss(snd_una, next, self.seq.snd_max) {
            return None;
        }
        let time = AckTime::of(profile, ack, now);
        rack.begin_ack(snd_una);
        let (first, last) = rack.on_originals_delivered(snd_una, next, &time);
        if let Some(rate) = &mut sack.rate {
            rate.on_delivered(next - snd_una, next - 1, profile.stamp(now));
        }
        rack.adapt_reo_wnd(false, next, self.seq.snd_nxt);
        rack.timeout = Nanos::ZERO;
        let lost = core::mem::take(&mut rack.lost_by_timer);
        let in_flight = self.seq.flight_size();
        self.note_cwnd_use(in_flight, self.congestion.whole_cwnd());
        let delivered = self.take_cumulative_ack(next);
        sack.board.high_rxt = sack.board.high_rxt.max(next);
        sack.board.holds_retransmissions = false;
        let counted = sack.newly_marked(profile, ack, delivered);
        let marked = counted + ack.marked_segments(profile, delivered);
        let rtt = self.sample_sack_rtt(profile, sack, ack, Some(first), true, now);
        self.rearm_rto_after_ack(profile, now);
        if let Some(rack) = &mut sack.rack {
            rack.update_reo_wnd(false, self.rto.srtt(profile));
        }
        if profile.undoes() && (ack.ece || marked > 0) {
            sack.undo.forbid();
        }
        let delta = AckDelta {
            delivered,
            marked,
            newly_sacked: 0,
            in_flight,
            rtt,
            newest_rtt: Some(now.since(last)),
            first_sent: Some(first),
            lost,
        };
        let no_growth = self.ends_growth(profile, ack, marked);
        self.report_ack(profile, sack, &delta, no_growth, now);
        self.update_send_window(profile);
        self.arm_probe(now);
        Some((counted, delivered))
    }
}
