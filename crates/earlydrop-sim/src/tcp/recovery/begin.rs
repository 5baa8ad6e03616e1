//! How a recovery with SACK begins (RFC 6675, 5, step 4), also after a mark in the same window.

use earlydrop::units::Nanos;

use super::prr::Prr;
use super::sack::SackState;
use crate::tcp::control::Control;
use crate::tcp::profile::Profile;
use crate::tcp::settings::Reduction;
use crate::tcp::tcb::{CongestionState, Tcb};

impl Tcb {
    /// `snd_una` is lost: reduces `cwnd`, if this loss is new, and begins to fill holes
    /// (RFC 6675, 5, step 4).
    pub(in crate::tcp) fn start_sack_recovery(
        &mut self,
        profile: &Profile,
        sack: &mut SackState,
        delivered: u32,
        now: Nanos,
    ) {
        if self.continues_cwr(profile, sack) {
            return self.recover_in_cwr(sack, now);
        }
        let cwnd = self.congestion.whole_cwnd();
        let flight = self.seq.flight_size();
        // RFC 6675, 5.1: as soon as the recovery point is reached.
        let after_mark = self.congestion.state == CongestionState::Cwr
            && self.congestion.control.reduces_for_loss_after_mark();
        let reduces = self.congestion.covers_recover(self.seq.snd_una) || after_mark;
        let before = (reduces && !after_mark).then(|| self.windows(profile));
        let in_flight = sack.board.retransmissions_in_flight(self.seq.snd_una);
        sack.undo.begin(self.seq.snd_una, before, in_flight);
        if reduces {
            self.reduce_cwnd_for_loss(profile, now);
        } else if sack.rack.is_none() && self.congestion.state != CongestionState::Cwr {
            return;
        }
        self.set_recover();
        self.enter_recovery(now);
        self.output.sack_recovery = true;
        sack.probe = None;
        let board = &mut sack.board;
        if profile.reduction == Reduction::Proportional {
            let flight = match profile.follows_linux() {
                true => cwnd,
                false => flight - board.sacked() + delivered,
            };
            sack.prr = Some(Prr::begin(flight, delivered, self.segments_sent()));
        }
        self.begin_repair(sack, in_flight);
    }

    /// Begins to fill holes, with `in_flight` retransmissions in flight.
    fn begin_repair(&mut self, sack: &mut SackState, in_flight: u32) {
        let board = &mut sack.board;
        if in_flight > 0 && sack.rack.is_some() {
            // A recovery follows another: what that retransmitted is not retransmitted again.
            self.output.retransmit_una = board.awaits_retransmission(self.seq.snd_una);
        } else {
            board.begin_repair(self.seq.snd_una);
        }
        board.lost_below = board.lost_below.max(self.seq.snd_una + 1);
    }

    /// Whether a loss now is one of the window that a mark has reduced, of which Linux's CWR is
    /// still in progress.
    fn continues_cwr(&self, profile: &Profile, sack: &SackState) -> bool {
        profile.follows_linux()
            && self.congestion.state == CongestionState::Cwr
            && sack.prr.is_some()
            && !self.congestion.control.reduces_for_loss_after_mark()
    }

    /// Recovery begins during CWR (Linux: `tcp_enter_recovery`): `ssthresh`, `recover` and PRR's
    /// counts stay, and the first retransmission waits for PRR too.
    fn recover_in_cwr(&mut self, sack: &mut SackState, now: Nanos) {
        let in_flight = sack.board.retransmissions_in_flight(self.seq.snd_una);
        sack.undo.begin(self.seq.snd_una, None, in_flight);
        self.enter_recovery(now);
        self.output.sack_recovery = true;
        sack.probe = None;
        self.begin_repair(sack, in_flight);
        self.output.retransmit_una = false;
    }
}
