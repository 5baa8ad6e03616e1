//! Fast retransmit and fast recovery without SACK: Tahoe, Reno (RFC 5681) and NewReno
//! (RFC 6582), with limited transmit (RFC 3042).
//!
//! ```text
//! dupack 1, 2             send a new segment each                      RFC 3042, 2
//! dupack 3                ssthresh = cwnd = half; inflation = 3;       RFC 5681, 3.2, steps 2, 3
//!                         retransmit snd_una  (Tahoe: cwnd = 1)
//! each further dupack     inflation += 1                               RFC 5681, 3.2, step 4
//! partial acknowledgment  of n segments (NewReno): retransmit snd_una; RFC 6582, 3.2, step 3
//!                         inflation -= n - 1
//! full acknowledgment     (Reno: any): inflation = 0                   RFC 5681, 3.2, step 6
//! ```
//! Inflation is stored apart from the controller's `cwnd`, which it leaves unchanged.
//!
//! `cwnd` is reduced once per window: a loss counts as new when more than `recover` is
//! acknowledged (RFC 6582, 3.2, step 2; ns-2's "bugfix"). A loss in a window that was reduced
//! for a mark is retransmitted without another reduction.
//!
//! | ns-2 differs | |
//! |---|---|
//! | burst | NewReno answers a duplicate with two segments at most |
//! | partial acknowledgment of more segments than inflation | the rest is taken from `cwnd` itself |
//! | end of recovery | the full acknowledgment grows `cwnd` |
//!
//! # Validated against
//! ns-2.35: figures of whole runs (`docs/explanation/validation.md`). As Linux without SACK it is not:
//! packetdrill `no-sack`: 0 of 1 scripts.

use earlydrop::units::Nanos;

use crate::tcp::profile::Profile;
use crate::tcp::segment::Ack;
use crate::tcp::sequence::distance;
use crate::tcp::settings::{EcnFeedback, Recovery, Rules};
use crate::tcp::tcb::{CongestionState, Tcb};

/// Segments ns-2's NewReno sends at most for a duplicate acknowledgment.
const NS2_RECOVERY_BURST: u32 = 2;

impl Tcb {
    /// Processes a cumulative ACK of new data, during recovery or with ECE.
    pub(in crate::tcp) fn on_cumulative_ack(&mut self, profile: &Profile, ack: &Ack, now: Nanos) {
        let recovering = self.congestion.in_fast_recovery();
        let by_newreno = matches!(profile.recovery, Recovery::NewReno | Recovery::Sack);
        if recovering && by_newreno && !self.congestion.covers_recover(ack.next) {
            return self.on_partial_ack(profile, ack, now);
        }
        self.end_inflation();
        let reduces = ack.ece && profile.feedback() == Some(EcnFeedback::Classic);
        let ends_recovery = recovering && profile.rules == Rules::Standard;
        self.on_new_data_acked(profile, ack, now, ends_recovery || reduces, None);
        if recovering {
            self.exit_recovery(now);
        }
        self.update_send_window(profile);
    }

    /// Processes a partial ACK: of some, not all, of what was sent before recovery began
    /// (RFC 6582, 3.2, step 3).
    fn on_partial_ack(&mut self, profile: &Profile, ack: &Ack, now: Nanos) {
        self.output.retransmit_una = true;
        let first = !core::mem::replace(&mut self.rto.partial_ack_seen, true);
        if profile.rules == Rules::Ns2 {
            return self.on_partial_ack_as_ns2(profile, ack, first, now);
        }
        let segments = distance(self.seq.snd_una, ack.next);
        let (expiry, dupacks) = (self.rto.expiry, self.congestion.dupacks);
        self.congestion.inflation -= segments as i32 - 1;
        self.on_new_data_acked(profile, ack, now, true, None);
        self.congestion.dupacks = dupacks;
        // "For the first partial ACK that arrives during fast recovery, also reset the retransmit
        // timer."
        if !first {
            self.rto.expiry = expiry;
        }
        self.update_send_window(profile);
    }

    /// ns-2's partial ACK: it measures no round trip and grows nothing.
    fn on_partial_ack_as_ns2(&mut self, profile: &Profile, ack: &Ack, first: bool, now: Nanos) {
        if first {
            self.rto.rearm(now);
        }
        let segments = self.seq.advance_una(ack.next) as i32;
        let inflation = self.congestion.inflation;
        if inflation > segments {
            self.congestion.inflation = inflation - (segments - 1);
        } else {
            self.congestion
                .control
                .shift(-f64::from(segments - inflation));
            self.congestion.inflation = 1;
        }
        if self.rto.discard_sample(ack.next) {
            self.rto.end_backoff(profile);
        }
        self.update_send_window(profile);
        self.seq.limit_burst(NS2_RECOVERY_BURST);
    }

    /// Processes a duplicate ACK: a segment arrived out of order.
    pub(in crate::tcp) fn on_dupack(&mut self, profile: &Profile, now: Nanos) {
        let dupacks = self.congestion.count_dupack();
        let threshold = profile.dupack_threshold;
        if dupacks < threshold {
            if profile.limited_transmit {
                self.limited_transmit(profile);
            }
            return;
        }
        if dupacks == threshold {
            self.on_dupack_threshold(profile, now);
        } else if self.congestion.in_fast_recovery() {
            self.congestion.inflation += 1;
        }
        self.update_send_window(profile);
        if profile.rules == Rules::Ns2 && profile.recovery == Recovery::NewReno {
            self.seq.limit_burst(NS2_RECOVERY_BURST);
        }
    }

    /// The third duplicate shows that `snd_una` was lost: fast retransmit (RFC 5681, 3.2).
    fn on_dupack_threshold(&mut self, profile: &Profile, now: Nanos) {
        let ns2 = profile.rules == Rules::Ns2;
        let tahoe = profile.recovery == Recovery::Tahoe;
        let first_data = ns2 && self.seq.una_is_first_data();
        if self.congestion.covers_more_than_recover(self.seq.snd_una) || first_data {
            self.set_recover();
            if tahoe {
                self.collapse_cwnd(false, now);
            } else {
                self.reduce_cwnd_for_loss(profile, now);
            }
        } else if self.congestion.state == CongestionState::Cwr {
            if tahoe {
                self.restart_cwnd(now);
            }
            if !ns2 {
                self.set_recover();
            }
        } else {
            return;
        }
        if tahoe {
            self.count_fast_retransmit(now);
            self.congestion.state = CongestionState::Recovered;
            self.seq.rewind_to_una();
        } else {
            self.enter_recovery(now);
            self.congestion.inflation = profile.dupack_threshold as i32;
        }
    }
}
