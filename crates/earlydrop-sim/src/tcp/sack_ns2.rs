//! Loss recovery as ns-2's Sack1 agent, where it differs from RFC 6675.
//!
//! | | ns-2's Sack1 | RFC 6675 (`sack.rs`) |
//! |---|---|---|
//! | retransmits | every hole below the highest segment received | holes known to be lost |
//! | `pipe` | outstanding less 3 at first; 1 less for a duplicate, 2 less for a partial acknowledgment | counted on the scoreboard |
//! | scoreboard | cleared by a timeout, and by new data acknowledged outside recovery | kept |
//! | duplicates after a timeout | show no loss | show losses |

use earlydrop::units::Nanos;

use super::control::Signal;
use super::profile::Profile;
use super::sack::{AckDelta, SackState};
use super::scoreboard::Scoreboard;
use super::segment::Ack;
use super::sender::CongestionState;
use super::sender::Sender;
use super::sequence::distance;
use super::settings::EcnFeedback;

impl Sender {
    /// Takes an acknowledgment whose blocks are on the scoreboard already.
    pub(super) fn on_sack_as_ns2(
        &mut self,
        profile: &Profile,
        sack: &mut SackState,
        ack: &Ack,
        delta: &AckDelta,
        now: Nanos,
    ) {
        let board = &mut sack.board;
        board.pipe -= 1;
        let new_data = ack.next > self.snd_una();
        if self.in_sack_recovery() && new_data && !self.covers_recover(ack.next) {
            self.advance_una(ack.next);
            board.pipe -= 1;
            self.rearm_rto(now);
            self.end_rto_backoff(profile);
        } else if new_data {
            let reduces = ack.ece && profile.feedback() == Some(EcnFeedback::Classic);
            let recovering = self.in_sack_recovery();
            self.on_new_data_acked(profile, ack, now, recovering || reduces);
            self.set_sack_recovery(false);
            if recovering {
                self.exit_recovery_as_ns2();
            }
            board.clear();
        } else if delta.newly_sacked > 0 {
            self.count_dupack();
            return self.on_dupack_as_ns2(profile, board, now);
        } else if !self.in_sack_recovery() {
            return;
        }
        self.update_send_window(profile);
    }

    fn on_dupack_as_ns2(&mut self, profile: &Profile, board: &mut Scoreboard, now: Nanos) {
        let threshold = profile.dupack_threshold;
        if self.in_sack_recovery() || self.dupacks() > threshold {
            return;
        }
        if self.dupacks() < threshold {
            if profile.limited_transmit {
                self.limited_transmit(profile);
            }
            return;
        }
        if self.covers_more_than_recover(self.snd_una()) || self.una_is_first_data() {
            self.set_recover();
            self.reduce_cwnd(profile, Signal::Loss, self.flight_size(), now);
        } else if self.state() != CongestionState::Cwr {
            return;
        }
        self.enter_recovery(now);
        self.set_sack_recovery(true);
        board.begin_repair(self.snd_una());
        board.pipe = distance(self.snd_una(), self.snd_max()) as i32 - threshold as i32;
        self.update_send_window(profile);
    }
}
