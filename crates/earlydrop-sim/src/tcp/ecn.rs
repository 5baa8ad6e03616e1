//! How a sender responds to a congestion mark: it reduces `cwnd` when an acknowledgment carries
//! ECE, the "ECN echo" flag.
//!
//! RFC 3168, 6.1.2: "the TCP source halves the congestion window `cwnd` and reduces the slow
//! start threshold `ssthresh`", at most once per window of data. How far `cwnd` falls is the
//! controller's affair ([`Control::on_congestion`]
//! with [`Signal::Mark`]): Reno halves it, CUBIC multiplies it by 0.7, and DCTCP (RFC 8257,
//! 3.3) goes by the fraction of segments marked. With AccECN (RFC 9768) an acknowledgment whose
//! counters report a new mark does what one with ECE does otherwise.

use earlydrop::units::Nanos;

use super::control::{Algorithm, Control, Signal};
use super::profile::Profile;
use super::recovery::prr::Prr;
use super::sender::Sender;
use super::settings::{Reduction, Rules};
use super::tcb::{CongestionState, Tcb};

impl Sender {
    /// Takes the ECE of an ACK up to `next`, before which `in_flight` segments were outstanding and
    /// which reports `delivered`: reduces `cwnd`, once per window of data. `ack.rs` calls it for every
    /// ACK with ECE.
    pub(super) fn on_ece(
        &mut self,
        profile: &Profile,
        next: u32,
        (in_flight, delivered): (u32, u32),
        now: Nanos,
    ) {
        let Sender { tcb, sack } = self;
        if profile.control == Algorithm::Dcqcn {
            return tcb.on_notification(profile, in_flight, now);
        }
        let ns2 = profile.rules == Rules::Ns2;
        // RFC 3168, 6.1.2: "TCP should not react to congestion indications more than once every
        // window of data". After a timeout ns-2 does.
        let after_timeout = ns2 && tcb.congestion.state == CongestionState::Timeout;
        if !tcb.may_reduce_for_mark(profile, next) && !after_timeout {
            return;
        }
        tcb.set_recover();
        tcb.congestion.state = CongestionState::Cwr;
        tcb.counts.marks += 1;
        let at_one = tcb.congestion.control.cwnd() <= 1.0;
        let was_at_one = tcb.rto.note_ece_at_cwnd_one(ns2 && at_one);
        // RFC 3168, 6.1.2: with cwnd at 1, wait for the timer. ns-2 doubles RTO.
        if ns2 && at_one && was_at_one {
            tcb.rto.back_off(profile);
        }
        if ns2 {
            let inflation = f64::from(tcb.congestion.inflation);
            tcb.congestion.control.shift(inflation);
        }
        let cwnd = tcb.congestion.whole_cwnd();
        let mark = tcb.congestion_event(profile, Signal::Mark, in_flight, now);
        tcb.congestion.control.on_congestion(&mark);
        tcb.congestion.cwr_pending = true;
        if let Some(sack) = sack {
            sack.undo.end();
        }
        match sack {
            Some(sack) if profile.reduction == Reduction::Proportional => {
                let flight = match profile.follows_linux() {
                    true => cwnd,
                    false => in_flight,
                };
                sack.prr = Some(Prr::begin(flight, delivered, tcb.segments_sent()));
                tcb.update_send_window_sack(profile, sack);
            }
            _ => tcb.update_send_window(profile),
        }
    }
}

impl Tcb {
    /// Takes a congestion notification. DCQCN reduces its rate for each: the receiver limits them.
    fn on_notification(&mut self, profile: &Profile, in_flight: u32, now: Nanos) {
        self.counts.marks += 1;
        let mark = self.congestion_event(profile, Signal::Mark, in_flight, now);
        self.congestion.control.on_congestion(&mark);
    }

    /// Whether a mark that an ACK up to `next` reports may reduce `cwnd`, once the ACK is processed.
    /// In Linux any may that ends a recovery, or comes after it (`tcp_try_to_open`).
    fn may_reduce_for_mark(&self, profile: &Profile, next: u32) -> bool {
        match self.congestion.state {
            CongestionState::Cwr => self.congestion.covers_more_than_recover(next),
            _ if profile.follows_linux() => !self.output.sack_recovery,
            _ => self.congestion.covers_more_than_recover(next),
        }
    }

    /// Whether an ACK up to `next` ends what a timeout has begun, so that ECE counts again.
    pub(super) fn ends_timeout(&self, profile: &Profile, next: u32) -> bool {
        match profile.follows_linux() {
            true => self.congestion.covers_recover(next),
            false => self.congestion.covers_more_than_recover(next),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Link, Script};
    use super::super::{AccEcn, Algorithm, EcnFeedback, EcnMode, Recovery};
    use super::*;

    fn with_ecn(recovery: Recovery) -> Profile {
        Profile {
            recovery,
            ecn: EcnMode::Classic,
            delayed_acks: None,
            initial_ssthresh: Some(1000),
            ..Profile::modern(Algorithm::Reno)
        }
    }

    #[test]
    fn an_ece_sets_ssthresh_and_cwnd_to_half_of_cwnd() {
        let mut script = Script::with_window(with_ecn(Recovery::NewReno), 10);
        assert_eq!(script.sender.cwnd(), 10.0);
        script.ece_ack(1);
        assert_eq!((script.sender.cwnd(), script.sender.ssthresh()), (5.0, 5.0));
    }

    #[test]
    fn an_ece_reduces_cwnd_once_per_window() {
        let mut script = Script::with_window(with_ecn(Recovery::NewReno), 10);
        // 10 were in flight until the first ECE; its acknowledgment does not grow cwnd.
        assert_eq!(script.ece_ack(1), "");
        assert_eq!(script.sender.cwnd(), 5.0);
        for next in 2..=10 {
            let sent = script.ece_ack(next);
            assert_eq!(sent.contains('!'), next == 6, "{next}: {sent}");
        }
        assert_eq!(script.sender.counts().marks, 1);
        // 10 was sent after the reduction: its mark reduces cwnd again.
        script.ece_ack(11);
        assert_eq!(script.sender.counts().marks, 2);
    }

    #[test]
    fn ece_that_stays_set_after_a_timeout_does_not_keep_cwnd_at_one() {
        for reduction in [Reduction::AtOnce, Reduction::Proportional] {
            let mut profile = with_ecn(Recovery::Sack);
            profile.reduction = reduction;
            profile.undo = false;
            let mut script = Script::with_window(profile, 100);
            script.ece_ack(1);
            while script.sender.counts().timeouts == 0 {
                script.wait();
            }
            assert_eq!(script.sender.cwnd(), 1.0);
            // Each retransmission is acknowledged, with ECE: no new segment carried CWR.
            let before = script.sender.snd_una();
            let cwnds: Vec<f64> = (before + 1..before + 20)
                .map(|next| {
                    script.ece_ack(next);
                    script.sender.cwnd()
                })
                .collect();
            assert!(cwnds[9] > 8.0, "{cwnds:?}");
            assert_eq!(script.sender.counts().marks, 1);
        }
    }

    #[test]
    fn a_loss_in_a_window_with_an_ece_does_not_reduce_cwnd_again() {
        let mut script = Script::with_window(with_ecn(Recovery::NewReno), 10);
        script.ece_ack(1);
        let sent: Vec<String> = (0..3).map(|_| script.ack(1)).collect();
        assert_eq!(sent, ["", "", "1*"]);
        assert_eq!(script.sender.cwnd(), 5.0);
    }

    fn linux_with_ecn() -> Profile {
        Profile {
            ecn: EcnMode::Classic,
            delayed_acks: None,
            ..Profile::linux(Algorithm::Reno)
        }
    }

    #[test]
    fn in_linux_a_loss_during_cwr_goes_on_with_its_reduction() {
        let mut script = Script::with_window(linux_with_ecn(), 20);
        assert_eq!(script.ece_ack(1), "20!");
        let sent = [3, 4, 5, 6].map(|to| script.sack(1, &[(2, to)]));
        // The third shows the loss, but PRR sends one segment for two delivered.
        assert_eq!(sent, ["", "21", "", "1*"]);
        assert_eq!(script.sender.ssthresh(), 10.0);
        assert_eq!(script.sender.counts().recoveries, 1);
        // All of the window of the mark: the recovery ends, though 20 and 21 are still in flight, and
        // its acknowledgment counts for growth.
        script.ack(20);
        assert_eq!(script.sender.cwnd(), 11.0);
    }

    #[test]
    fn in_linux_ece_on_the_acknowledgment_that_ends_a_timeout_reduces_cwnd() {
        for (preset, marks) in [(linux_with_ecn(), 1), (with_ecn(Recovery::Sack), 0)] {
            let profile = Profile {
                undo: false,
                ..preset
            };
            let mut script = Script::with_window(profile, 4);
            while script.sender.counts().timeouts == 0 {
                script.wait();
            }
            let end = script.sender.tcb.seq.snd_max;
            script.ece_ack(end);
            assert_eq!(script.sender.counts().marks, marks);
        }
    }

    #[test]
    fn ns2_doubles_rto_for_an_ece_that_finds_a_cwnd_of_one() {
        let mut profile = Profile {
            receiver_window: 100,
            ..Profile::ns2(Recovery::Reno)
        };
        profile.ecn = EcnMode::Classic;
        let mut script = Script::with_window(profile, 2);
        script.ack(1);
        script.ack(2);
        // 4 outstanding, cwnd = 4: halved by each mark on a segment sent after the last reduction.
        let mut next = 2;
        let mut cwnds = Vec::new();
        for _ in 0..12 {
            next += 1;
            script.ece_ack(next);
            cwnds.push(script.sender.cwnd());
        }
        assert_eq!(cwnds[0], 2.0);
        assert_eq!(*cwnds.last().unwrap(), 1.0);
        // Each mark counts, as one segment is sent at a time.
        let before = script.sender.rto();
        script.ece_ack(next + 1);
        script.ece_ack(next + 2);
        assert!(script.sender.rto() > before);
        script.ack(next + 3);
        script.ack(next + 4);
        assert!(script.sender.rto() <= before);
    }

    #[test]
    fn prr_spreads_the_reduction_for_an_ece_over_a_round_trip() {
        let mut profile = with_ecn(Recovery::Sack);
        profile.reduction = Reduction::Proportional;
        let mut script = Script::with_window(profile, 10);
        assert_eq!(script.ece_ack(1), "10!");
        assert_eq!(script.sender.cwnd(), 5.0);
        let sent: Vec<String> = (2..11).map(|next| script.ack(next)).collect();
        assert_eq!(sent.join(","), ",11,,12,,13,,,14");
        // That was the whole window. With the next one cwnd grows again.
        assert_eq!((script.sender.in_flight(), script.sender.cwnd()), (5, 5.2));
    }

    #[test]
    fn an_ece_halves_the_cwnd_before_its_acknowledgment() {
        let mut script = Script::with_window(with_ecn(Recovery::Sack), 9);
        script.ece_ack(2);
        assert_eq!(script.sender.cwnd(), 4.5);
    }

    /// Ten segments in flight, with AccECN's ACE field alone.
    fn with_ace(control: Algorithm) -> Script {
        let profile = Profile {
            control,
            ecn_feedback: Some(EcnFeedback::Ace),
            ..with_ecn(Recovery::Sack)
        };
        Script::with_window(profile, 10)
    }

    /// An acknowledgment with ACE = 5 + `marks` modulo 8.
    fn ace(marks: u8) -> AccEcn {
        AccEcn::new(5 + marks, None)
    }

    #[test]
    fn reno_and_cubic_answer_accecn_once_per_window() {
        for (control, reduced) in [(Algorithm::Reno, 5.0), (Algorithm::Cubic, 7.0)] {
            let mut script = with_ace(control);
            // Unmarked: slow start.
            script.accecn_ack(1, ace(0), &[]);
            assert_eq!(script.sender.cwnd(), 11.0);
            script.sender = with_ace(control).sender;
            // A mark reduces cwnd, and no segment carries CWR.
            let sent = script.accecn_ack(1, ace(1), &[]);
            assert!(!sent.contains('!'));
            assert_eq!(script.sender.cwnd(), reduced, "{control:?}");
            // More marks of the window do nothing, nor does the same ACE again.
            for (next, marks) in [(2, 1), (3, 2), (4, 3), (10, 9)] {
                script.accecn_ack(next, ace(marks), &[]);
            }
            assert_eq!(script.sender.counts().marks, 1);
            // 10 was sent after the reduction: a mark of it is another signal.
            script.accecn_ack(11, ace(9), &[]);
            assert_eq!(script.sender.counts().marks, 1);
            script.accecn_ack(12, ace(10), &[]);
            assert_eq!(script.sender.counts().marks, 2);
        }
    }

    #[test]
    fn a_marked_acknowledgment_does_not_grow_cwnd_of_reno() {
        let mut script = with_ace(Algorithm::Reno);
        script.accecn_ack(1, ace(1), &[]);
        script.accecn_ack(2, ace(2), &[]);
        assert_eq!(script.sender.cwnd(), 5.0);
    }

    #[test]
    fn after_eight_lost_acknowledgments_ace_counts_as_wrapped() {
        // ACE did not change, and nine segments are acknowledged: eight may have been marked. The
        // option says that none was.
        let after = |ce_bytes| {
            let mut script = with_ace(Algorithm::Reno);
            script.accecn_ack(9, AccEcn::new(5, ce_bytes), &[]);
            script.sender.counts().marks
        };
        assert_eq!((after(None), after(Some(0))), (1, 0));
    }

    #[test]
    fn with_prague_a_loss_in_the_window_of_a_mark_halves_the_cwnd_before_it() {
        let mut profile = Profile::modern(Algorithm::Prague);
        profile.initial_ssthresh = Some(10);
        profile.ecn_feedback = Some(EcnFeedback::Ace);
        profile.loss_detection = super::super::LossDetection::DupAck;
        let mut script = Script::with_window(profile, 10);
        // A round trip of 100 ms is measured, without marks.
        script.now = Nanos::from_secs(1);
        script.accecn_ack(1, ace(0), &[]);
        let before = script.sender.cwnd();
        // alpha is 1: half. 2 is lost.
        script.accecn_ack(2, ace(1), &[]);
        assert_eq!(script.sender.cwnd(), 0.5 * before);
        for to in 4..=6 {
            script.accecn_ack(2, ace(1), &[(3, to)]);
        }
        let counts = script.sender.counts();
        assert_eq!((counts.marks, counts.recoveries), (1, 1));
        // The loss and the mark together halve it: the mark's reduction was all of that.
        let cwnd = script.sender.cwnd();
        assert!((0.45..0.55).contains(&(cwnd / before)), "{cwnd} {before}");
    }

    #[test]
    fn marks_are_echoed_once_per_window_and_nothing_is_retransmitted() {
        let mut profile = Profile::ns2(Recovery::NewReno);
        profile.ecn = EcnMode::Classic;
        let mut link = Link::new(profile, 200, &[]);
        link.marks = vec![5, 6, 40];
        link.run(5000);
        assert_eq!(link.sender.snd_una(), 200);
        let counts = link.sender.counts();
        assert_eq!((counts.marks, counts.retransmissions), (2, 0));
    }
}
