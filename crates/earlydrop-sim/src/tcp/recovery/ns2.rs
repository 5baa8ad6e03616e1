//! Loss recovery as ns-2's Sack1 agent, where it differs from RFC 6675.
//!
//! | | ns-2's Sack1 | RFC 6675 (`sack.rs`) |
//! |---|---|---|
//! | retransmits | every hole below the highest segment received | holes known to be lost |
//! | `pipe` | outstanding less 3 at first; 1 less for a duplicate, 2 less for a partial acknowledgment | counted on the scoreboard |
//! | scoreboard | cleared by a timeout, and by new data acknowledged outside recovery | kept |
//! | duplicates after a timeout | show no loss | show losses |

use earlydrop::units::Nanos;

use super::sack::{AckDelta, SackState};
use super::scoreboard::Scoreboard;
use crate::tcp::profile::Profile;
use crate::tcp::segment::Ack;
use crate::tcp::sequence::distance;
use crate::tcp::settings::EcnFeedback;
use crate::tcp::tcb::{CongestionState, Tcb};

impl Tcb {
    /// Processes an ACK whose blocks are on the scoreboard already.
    pub(in crate::tcp) fn on_sack_as_ns2(
        &mut self,
        profile: &Profile,
        sack: &mut SackState,
        ack: &Ack,
        delta: &AckDelta,
        now: Nanos,
    ) {
        let board = &mut sack.board;
        board.pipe -= 1;
        let new_data = ack.next > self.seq.snd_una;
        if self.output.sack_recovery && new_data && !self.congestion.covers_recover(ack.next) {
            self.seq.advance_una(ack.next);
            board.pipe -= 1;
            self.rto.rearm(now);
            self.rto.end_backoff(profile);
        } else if new_data {
            let reduces = ack.ece && profile.feedback() == Some(EcnFeedback::Classic);
            let recovering = self.output.sack_recovery;
            self.on_new_data_acked(profile, ack, now, recovering || reduces, None);
            self.output.sack_recovery = false;
            if recovering {
                // The next reduction is allowed at once.
                self.congestion.state = CongestionState::Recovered;
                self.congestion.recover = self.seq.iss;
            }
            board.clear();
        } else if delta.newly_sacked > 0 {
            self.congestion.count_dupack();
            return self.on_dupack_as_ns2(profile, board, now);
        } else if !self.output.sack_recovery {
            return;
        }
        self.update_send_window(profile);
    }

    fn on_dupack_as_ns2(&mut self, profile: &Profile, board: &mut Scoreboard, now: Nanos) {
        let threshold = profile.dupack_threshold;
        let dupacks = u32::from(self.congestion.dupacks);
        if self.output.sack_recovery || dupacks > threshold {
            return;
        }
        if dupacks < threshold {
            if profile.limited_transmit {
                self.limited_transmit(profile);
            }
            return;
        }
        if self.congestion.covers_more_than_recover(self.seq.snd_una)
            || self.seq.una_is_first_data()
        {
            self.set_recover();
            self.reduce_cwnd_for_loss(profile, now);
        } else if self.congestion.state != CongestionState::Cwr {
            return;
        }
        self.enter_recovery(now);
        self.output.sack_recovery = true;
        board.begin_repair(self.seq.snd_una);
        board.pipe = distance(self.seq.snd_una, self.seq.snd_max) as i32 - threshold as i32;
        self.update_send_window(profile);
    }
}
