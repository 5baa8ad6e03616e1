//! Go-back-N: what a network card of RDMA does about a loss.
//!
//! The receiver discards every segment after a missing one. The first of them it answers by a
//! negative acknowledgment, and stays silent about others until the missing one arrives (InfiniBand
//! architecture specification, volume 1, 9.7.5.1.4: PSN sequence error). Here that is an
//! acknowledgment with a block of what was discarded. The sender then sends everything again from the
//! missing segment on. If that is lost again, its timer must expire.
//!
//! A congestion notification is due for a marked segment that is discarded, too. It is carried by an
//! acknowledgment without a block, which is not negative.
//!
//! A loss costs all that was under way: RDMA wants a network that hardly loses anything.
//!
//! # Validated against
//! A link that loses a segment, a timer's expiry, and transfers through a buffer of ten packets.

use earlydrop::units::Nanos;

use crate::tcp::profile::Profile;
use crate::tcp::segment::Ack;
use crate::tcp::tcb::Tcb;

impl Tcb {
    /// Processes an acknowledgment: of new data, negative, or both.
    pub(in crate::tcp) fn on_ack_go_back_n(&mut self, profile: &Profile, ack: &Ack, now: Nanos) {
        if ack.next > self.seq.snd_una {
            self.on_new_data_acked(profile, ack, now, false, None);
        }
        if !ack.sacked.is_empty() && !self.seq.all_acked() {
            self.reduce_cwnd_for_loss(profile, now);
            self.count_fast_retransmit(now);
            self.seq.rewind_to_una();
        }
        self.update_send_window(profile);
    }
}

#[cfg(test)]
mod tests {
    use earlydrop::units::Nanos;

    use crate::tcp::Profile;
    use crate::tcp::testing::Link;

    fn link(lost: &[(u32, u32)]) -> Link {
        let mut profile = Profile::roce();
        // More than a round trip here, which is far longer than a data centre's.
        profile.timer.initial = Nanos::from_secs(1);
        (profile.timer.minimum, profile.timer.maximum) = (Nanos::from_secs(1), Nanos::from_secs(1));
        Link::new(profile, 200, lost)
    }

    #[test]
    fn everything_after_a_lost_segment_is_sent_again() {
        let mut link = link(&[(50, 1)]);
        link.run(5000);
        assert_eq!(link.sender.snd_una(), 200);
        let counts = link.sender.counts();
        assert_eq!((counts.recoveries, counts.timeouts), (1, 0));
        // What was under way when the negative acknowledgment arrived, and the lost one itself.
        assert!(counts.retransmissions > 1, "{}", counts.retransmissions);
        assert_eq!(link.receiver.duplicates(), 0);
    }
}
