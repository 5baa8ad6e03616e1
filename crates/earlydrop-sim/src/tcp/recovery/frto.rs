//! Spurious timeouts: F-RTO with SACK (RFC 5682, section 3), with section numbers of that RFC.
//!
//! After a timeout the first acknowledgment that moves `snd_una` lets new data be sent before more is
//! retransmitted. What is acknowledged next tells whether the rest of the flight was lost:
//! ```text
//! timeout                                 retransmit snd_una                    3.1, step 1
//! acknowledgment of data sent once        the timeout was spurious: undone      3.1, step 3b
//! first acknowledgment of a part          new data, where windows allow it;     3.1, step 2b
//!                                         else retransmissions as usual
//! then a duplicate, or a SACK block       the loss was real:                    3.1, step 3a
//!                                         retransmissions as usual
//! ```
//! Data sent once is what lay below SND.NXT at the timeout and was not retransmitted. It is not asked
//! where the timer interrupts another repair and expires for the first time.
//!
//! The source is Linux 6.1: `tcp_enter_loss`, `tcp_process_loss`, `tcp_xmit_recovery`.
//!
//! # Validated against
//! Linux 6.1, by scripts without a difference: Linux `outage`: 5 of 5 scripts, Linux `delay-spike`: 2 of
//! 2 scripts.

use super::sack::SackState;
use crate::tcp::control::Algorithm;
use crate::tcp::control::Control;
use crate::tcp::profile::Profile;
use crate::tcp::segment::Ack;
use crate::tcp::tcb::{CongestionState, Tcb};

impl Tcb {
    /// The retransmission timer expired: takes note of what may be undone, before `cwnd` falls.
    pub(in crate::tcp) fn begin_frto(&self, profile: &Profile, sack: &mut SackState) {
        let repairs = self.output.sack_recovery;
        let again = self.rto.repeats;
        sack.frto = profile.undoes() && (again || !repairs);
        if profile.undoes() && !again && !self.keeps_ssthresh(profile) {
            let before = self.windows(profile);
            sack.undo.begin_timeout(self.seq.snd_una, before, repairs);
        }
    }

    /// The `cwnd` that a timeout leaves in Linux (`tcp_enter_loss`) and to BBRv3
    /// (draft-ietf-ccwg-bbr, OnEnterRTO), where loss marks are set: one segment more than is in flight.
    /// RFC 5681, 3.1, leaves one.
    pub(in crate::tcp) fn open_cwnd_after_timeout(&mut self, profile: &Profile, sack: &SackState) {
        if profile.follows_linux() || profile.control == Algorithm::Bbr3 {
            let cwnd = self.pipe(&sack.board) + 1;
            self.congestion.control.leave_after_timeout(f64::from(cwnd));
        }
    }

    /// Whether the acknowledgment being processed reports data that was sent once before the timeout
    /// (step 3b).
    pub(super) fn shown_by_frto(&self, sack: &SackState) -> bool {
        let sent_once = sack
            .rack
            .as_ref()
            .map_or(u32::MAX, |rack| rack.lowest_original);
        sack.frto && sent_once < self.congestion.recover - 1
    }

    /// Steps 2b and 3a after an acknowledgment that moved `snd_una` by `acked` and whose blocks
    /// report `newly_sacked`. The send window is up to date.
    pub(super) fn step_frto(
        &self,
        profile: &Profile,
        sack: &mut SackState,
        ack: &Ack,
        (acked, newly_sacked): (u32, u32),
    ) {
        let repairs =
            self.congestion.state == CongestionState::Timeout && self.output.sack_recovery;
        sack.frto &= repairs;
        if !sack.frto {
            return;
        }
        let duplicate = acked == 0 && ack.dsack().is_none();
        if self.seq.snd_max >= self.congestion.recover {
            sack.frto = newly_sacked == 0 && !duplicate;
        } else if acked > 0 {
            let limit = self.seq.limit_of(profile.receiver_window);
            let may_send = self.pipe(&sack.board) < self.congestion.send_window;
            sack.frto = self.seq.snd_nxt < limit && may_send;
            sack.board.holds_retransmissions = sack.frto;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::tcp::testing::{Steps, rack_profile};
    use crate::tcp::{Algorithm, Handshake, Profile, RttSampling, Sender};
    use earlydrop::units::Nanos;

    /// Ten segments and a probe are sent; then the retransmission timer expires, at the time
    /// returned. There are no timestamps.
    fn timed_out(undo: bool) -> (Steps, u64) {
        let profile = Profile {
            rtt_sampling: RttSampling::OneAtATime,
            undo,
            ..rack_profile()
        };
        let (mut steps, _) = Steps::new(profile, 10, u32::MAX);
        assert_eq!(steps.timer().1, "10");
        let (at, sent) = steps.timer();
        assert_eq!((sent.as_str(), steps.sender.cwnd()), ("0*", 1.0));
        (steps, at)
    }

    #[test]
    fn an_acknowledgment_of_data_sent_once_undoes_a_timeout() {
        for undo in [true, false] {
            let (mut steps, at) = timed_out(undo);
            // The first one lets new data be sent.
            let sent = steps.ack_echoing(at + 1, Nanos::ZERO, 1, &[]);
            assert_eq!(sent, if undo { "11 12" } else { "1* 2*" });
            let sent = steps.ack_echoing(at + 2, Nanos::ZERO, 2, &[]);
            assert_eq!(sent.contains('*'), !undo, "{sent}");
            assert_eq!(steps.sender.cwnd() >= 10.0, undo);
            assert_eq!(steps.sender.ssthresh() == 1000.0, undo);
        }
    }

    #[test]
    fn new_data_that_overtakes_the_flight_shows_that_it_was_lost() {
        let (mut steps, at) = timed_out(true);
        steps.ack_echoing(at + 1, Nanos::ZERO, 1, &[]);
        let sent = steps.ack_echoing(at + 2, Nanos::ZERO, 1, &[(11, 12)]);
        assert!(sent.starts_with("1*"), "{sent}");
        // The retransmissions' acknowledgments undo nothing.
        steps.ack_echoing(at + 3, Nanos::ZERO, 2, &[(11, 12)]);
        assert!(steps.sender.cwnd() < 5.0);
    }

    #[test]
    fn without_new_data_retransmissions_go_on() {
        let profile = Profile {
            rtt_sampling: RttSampling::OneAtATime,
            ..rack_profile()
        };
        let (mut steps, _) = Steps::new(profile, 10, 10);
        while steps.sender.counts().timeouts == 0 {
            steps.timer();
        }
        let now = steps.sender.deadline().0 / 1_000_000 - 1;
        let sent = steps.ack_echoing(now, Nanos::ZERO, 1, &[]);
        assert!(sent.starts_with("1*"), "{sent}");
    }

    #[test]
    fn linux_leaves_one_segment_more_than_is_in_flight() {
        for (preset, cwnd) in [
            (Profile::linux(Algorithm::Reno), 11.0),
            (Profile::modern(Algorithm::Reno), 20.0),
        ] {
            let profile = Profile {
                handshake: Handshake::None,
                ..preset
            };
            let (mut steps, _) = Steps::new(profile, 20, 10);
            let Sender { tcb, sack } = &mut steps.sender;
            tcb.open_cwnd_after_timeout(&steps.profile, sack.as_ref().unwrap());
            assert_eq!(steps.sender.cwnd(), cwnd);
        }
    }
}
