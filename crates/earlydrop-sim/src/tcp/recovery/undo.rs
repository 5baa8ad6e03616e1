//! Spurious reductions of `cwnd` are undone: what was taken for lost was only late.
//!
//! # Equations
//! ```text
//! by timestamps   an ACK that fills a hole echoes a time before the first       RFC 3522, 3.2
//!                 retransmission: the original filled it
//! by DSACK        each retransmission since the reduction is reported as a      RFC 3708, 2
//!                 duplicate
//! undone          cwnd = max(cwnd, cwnd before the reduction)                   RFC 9438, 4.9
//!                 ssthresh = max(ssthresh, ssthresh before the reduction)
//! ```
//! The timestamp is asked during a recovery, at each acknowledgment that moves `snd_una`. If it is a
//! partial one and nothing retransmitted is in flight, recovery ends and nothing is lost any more;
//! while something is, the acknowledgment retransmits nothing. DSACKs are counted until the next
//! reduction, also after the recovery has ended.
//!
//! # Our readings
//! - RFC 4015 restores `ssthresh` and lets `cwnd` grow back in slow start. Here both are restored,
//!   as RFC 9438, 4.9, and Linux have it.
//! - Timestamps have the resolution of the profile's `timer.tick`, as on real hosts: two in the same
//!   tick are equal.
//! - A mark (ECE) during recovery forbids the undo, since the reduction was due: RFC 3168, 6.1.2.
//! - It needs RACK-TLP, which knows what was retransmitted. BBR's model has nothing to restore but
//!   `cwnd`, as at the end of any recovery.
//!
//! The source is Linux 6.1: `tcp_try_undo_recovery`, `tcp_try_undo_partial`, `tcp_try_undo_loss`,
//! `tcp_try_undo_dsack`, `tcp_undo_cwnd_reduction`; where `linux` differs, `ssthresh` before the
//! reduction is at least three quarters of `cwnd` (`tcp_current_ssthresh`).
//!
//! # Validated against
//! Linux 6.1, by scripts without a difference: Linux `reordered`: 4 of 4 scripts, Linux `duplicates`: 1
//! of 1 scripts, Linux `delay-spike`: 2 of 2 scripts.

use earlydrop::units::Nanos;

use super::sack::SackState;
use super::scoreboard::Scoreboard;
use crate::tcp::control::{Control, Windows, three_quarters};
use crate::tcp::profile::Profile;
use crate::tcp::segment::Ack;
use crate::tcp::settings::RttSampling;
use crate::tcp::tcb::{CongestionState, Tcb};

/// What is known of the last reduction of `cwnd` for a loss.
#[derive(Clone, Copy, Debug)]
pub(in crate::tcp) struct Undo {
    /// `snd_una` when `cwnd` was reduced; `None`: there is nothing to undo (Linux: `undo_marker`).
    marker: Option<u32>,
    /// What is restored; `None`: the reduction was due.
    before: Option<Windows>,
    /// When the first of the retransmissions was sent; NEVER: none was (Linux: `retrans_stamp`).
    first_sent: Nanos,
    /// Retransmissions that no DSACK has reported; `None`: there were none yet (Linux:
    /// `undo_retrans`).
    unreported: Option<u32>,
    /// Duplicates that DSACKs have reported on this connection.
    dsacks: u32,
}

impl Undo {
    pub(super) const NONE: Undo = Undo {
        marker: None,
        before: None,
        first_sent: Nanos::NEVER,
        unreported: None,
        dsacks: 0,
    };

    /// Takes note of a reduction at `snd_una` with `in_flight` retransmissions in flight.
    pub(super) fn begin(&mut self, snd_una: u32, before: Option<Windows>, in_flight: u32) {
        self.marker = Some(snd_una);
        self.before = before;
        self.unreported = (in_flight > 0).then_some(in_flight);
        if in_flight == 0 {
            self.first_sent = Nanos::NEVER;
        }
    }

    /// Takes note of a timeout's reduction. What was `repaired` before counts from its first
    /// retransmission on.
    pub(super) fn begin_timeout(&mut self, snd_una: u32, before: Windows, repaired: bool) {
        let first_sent = self.first_sent;
        self.begin(snd_una, Some(before), 0);
        if repaired {
            self.first_sent = first_sent;
        }
    }

    /// The reduction cannot be undone, nor can one of before.
    pub(in crate::tcp) fn end(&mut self) {
        self.marker = None;
        self.before = None;
    }

    /// `cwnd` stays reduced, whatever was lost.
    pub(super) fn forbid(&mut self) {
        self.before = None;
    }

    /// Takes note of a retransmission that is no probe.
    pub(in crate::tcp) fn on_retransmitted(&mut self, now: Nanos) {
        if self.first_sent == Nanos::NEVER {
            self.first_sent = now;
        }
        *self.unreported.get_or_insert(0) += 1;
    }

    /// Whether DSACKs have reported every retransmission.
    pub(super) fn shown_by_dsack(&self) -> bool {
        self.marker.is_some() && self.unreported == Some(0)
    }

    /// Whether `ack` was caused by a segment sent before the first retransmission. RFC 3522, 3.2,
    /// step 5: "if the value of the Timestamp Echo Reply field of the acceptable ACK's Timestamps
    /// option is smaller than the value of the variable RetransmitTS", the retransmission was
    /// spurious.
    fn shown_by_timestamp(&self, profile: &Profile, ack: &Ack) -> bool {
        let ticks = |time: Nanos| time.0 / profile.timer.tick.0;
        let has_timestamps = profile.rtt_sampling != RttSampling::OneAtATime;
        let sent = self.marker.is_some() && self.first_sent != Nanos::NEVER;
        has_timestamps && sent && ticks(ack.echo) < ticks(self.first_sent)
    }
}

impl Tcb {
    /// `cwnd` and `ssthresh` before a reduction.
    pub(super) fn windows(&self, profile: &Profile) -> Windows {
        let control = &self.congestion.control;
        let (cwnd, mut ssthresh) = (control.cwnd(), control.ssthresh());
        if profile.follows_linux() {
            ssthresh = ssthresh.max(three_quarters(cwnd));
        }
        Windows { cwnd, ssthresh }
    }

    /// Counts the duplicates that `ack` reports by a DSACK, and returns them. One that the network
    /// duplicated is no retransmission, so more than those are not believed (Linux:
    /// `tcp_dsack_seen`). To be called before `snd_una` moves.
    pub(super) fn count_dsack(&self, sack: &mut SackState, ack: &Ack) -> u32 {
        let (Some(block), Some(rack)) = (ack.dsack(), &sack.rack) else {
            return 0;
        };
        let undo = &mut sack.undo;
        undo.dsacks += block.length();
        if undo.dsacks > self.counts.retransmissions {
            return 0;
        }
        let retransmitted =
            block.to <= self.seq.snd_una || rack.times.is_retransmission(block.from);
        if retransmitted
            && undo.marker.is_some_and(|marker| block.to > marker)
            && let Some(unreported) = &mut undo.unreported
        {
            *unreported = unreported.saturating_sub(block.length());
        }
        block.length()
    }

    /// Undoes the last reduction if `ack`, which is on the scoreboard, shows that it was spurious. It
    /// moved `snd_una` by `acked`; `marked`: it reports a mark.
    pub(super) fn undo_if_spurious(
        &mut self,
        profile: &Profile,
        sack: &mut SackState,
        ack: &Ack,
        (acked, marked): (u32, bool),
        now: Nanos,
    ) {
        if marked {
            sack.undo.forbid();
        }
        let prior_una = self.seq.snd_una - acked;
        if let Some(rack) = &mut sack.rack {
            rack.measure_reordering(highest(&sack.board, self.seq.snd_una));
        }
        let dsack = sack.undo.shown_by_dsack();
        let late = acked > 0 && sack.undo.shown_by_timestamp(profile, ack);
        let full_ack = self.congestion.covers_recover(ack.next);
        let repairs_timeout =
            self.congestion.state == CongestionState::Timeout && self.output.sack_recovery;
        let spurious = match self.congestion.state {
            CongestionState::FastRecovery if !full_ack => {
                return self.undo_during_recovery(sack, prior_una, (late, dsack), now);
            }
            CongestionState::FastRecovery => dsack || late,
            CongestionState::Timeout if repairs_timeout => {
                acked > 0 && (dsack || late) || self.shown_by_frto(sack)
            }
            CongestionState::Cwr => false,
            _ => dsack,
        };
        if spurious && repairs_timeout {
            sack.board.unmark_losses(self.seq.snd_una);
        }
        if spurious {
            self.undo_reduction(sack, now);
        }
    }

    /// A partial acknowledgment, or a duplicate, during fast recovery (Linux:
    /// `tcp_try_undo_partial`, `tcp_try_undo_dsack`).
    fn undo_during_recovery(
        &mut self,
        sack: &mut SackState,
        prior_una: u32,
        (late, dsack): (bool, bool),
        now: Nanos,
    ) {
        let snd_una = self.seq.snd_una;
        if late {
            if let Some(rack) = &mut sack.rack {
                rack.note_reordering(prior_una, highest(&sack.board, snd_una));
            }
            if sack.board.retransmissions_in_flight(snd_una) > 0 {
                sack.board.holds_retransmissions = true;
                return;
            }
            sack.undo.first_sent = Nanos::NEVER;
            sack.board.unmark_losses(snd_una);
        }
        if late || dsack {
            self.undo_reduction(sack, now);
        }
    }

    /// Restores `cwnd` and `ssthresh`, and ends the recovery (Linux: `tcp_undo_cwnd_reduction`).
    fn undo_reduction(&mut self, sack: &mut SackState, now: Nanos) {
        if let Some(before) = sack.undo.before.take() {
            if before.ssthresh > self.congestion.control.ssthresh() {
                self.congestion.cwr_pending = false;
            }
            self.congestion.control.undo(&before);
        }
        sack.undo.end();
        sack.frto = false;
        sack.prr = None;
        if self.output.sack_recovery {
            self.output.sack_recovery = false;
            self.exit_recovery(now);
        }
        // The next loss or mark reduces `cwnd`, whenever it was sent.
        self.congestion.recover = self.seq.snd_una;
    }
}

/// The highest segment that SACK blocks report, or `snd_una` without one (Linux:
/// `tcp_highest_sack_seq`).
fn highest(board: &Scoreboard, snd_una: u32) -> u32 {
    board.highest().max(snd_una + 1) - 1
}
