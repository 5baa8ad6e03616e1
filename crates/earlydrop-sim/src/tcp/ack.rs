//! Acknowledgments: which path they take, and what one of new data does.
//!
//! The fast path takes an acknowledgment of new data that carries neither ECE nor SACK blocks,
//! while no loss is being repaired. All others take the slow path, which hands them to
//! `recovery.rs` or `sack.rs`, and an ECE to `ecn.rs`.

use earlydrop::units::Nanos;

use super::control::AckSample;
use super::ecn::marked_segments;
use super::profile::Profile;
use super::segment::Ack;
use super::sender::LossTimer;
use super::sender::Sender;
use super::settings::{EcnMode, Rules};

/// RTO when the SYN was retransmitted and no round trip could be measured (RFC 6298, 5.7).
const RTO_AFTER_LOST_SYN: Nanos = Nanos::from_secs(3);

impl Sender {
    /// Takes an acknowledgment that arrived.
    #[inline(always)]
    pub fn on_ack(&mut self, profile: &Profile, ack: &Ack, now: Nanos) {
        let bare = !ack.ece && ack.sacked.is_empty() && ack.accecn.is_none();
        if !(bare && self.on_ack_fast(profile, ack.next, ack.echo, now)) {
            self.on_ack_slow(profile, ack, now);
        }
    }

    /// Fast path: takes an acknowledgment up to `next` without ECE and SACK blocks that echoes
    /// the time `echo`, if it acknowledges new data and no loss is being repaired. `false`
    /// means nothing was done.
    #[inline(always)]
    pub fn on_ack_fast(&mut self, profile: &Profile, next: u32, echo: Nanos, now: Nanos) -> bool {
        let new_data = next > self.snd_una() && next <= self.snd_max();
        if !new_data || self.ack_slow_path() {
            return false;
        }
        let ack = Ack {
            next,
            echo,
            echo_retransmitted: false,
            ece: false,
            sacked: &[],
            accecn: None,
        };
        self.on_new_data_acked(profile, &ack, now, false);
        self.update_send_window(profile);
        true
    }

    /// Fast path: takes an acknowledgment without ECE and SACK blocks that repeats the one
    /// before. `false` means nothing was done.
    #[inline(always)]
    pub(crate) fn on_dupack_fast(
        &mut self,
        profile: &Profile,
        next: u32,
        echo: Nanos,
        now: Nanos,
    ) -> bool {
        let repeats = next == self.snd_una() && self.snd_una() < self.snd_max();
        if !repeats || self.in_syn_sent() || self.has_sack() || self.is_of_previous_connection(echo)
        {
            return false;
        }
        self.on_dupack(profile, now);
        self.note_ece_at_cwnd_one(false);
        self.choose_ack_path();
        true
    }

    /// Slow path: takes any acknowledgment.
    #[cold]
    pub(crate) fn on_ack_slow(&mut self, profile: &Profile, ack: &Ack, now: Nanos) {
        if !self.is_acceptable(ack) {
            return;
        }
        let mut ece = ack.ece && profile.ecn != EcnMode::Off && !self.in_syn_sent();
        let in_flight = self.flight_size();
        // ns-2 reduces cwnd before it takes the acknowledgment, the RFCs' senders after it.
        if ece && profile.rules == Rules::Ns2 {
            self.on_ece(profile, ack.next, in_flight, now);
        }
        if self.in_syn_sent() {
            self.on_syn_acked(profile, ack, now);
        } else if self.with_sack(|sender, sack| {
            // With AccECN a mark newly counted is what ECE is without.
            ece |= sender.on_sack(profile, sack, ack, now) > 0;
        }) {
            // RFC 6675 distinguishes new data from duplicates by itself.
        } else if ack.next > self.snd_una() {
            self.on_cumulative_ack(profile, ack, now);
        } else if self.snd_una() < self.snd_max() {
            self.on_dupack(profile, now);
        }
        if ece && profile.rules == Rules::Standard {
            self.on_ece(profile, ack.next, in_flight, now);
        }
        if !ack.ece {
            self.note_ece_at_cwnd_one(false);
        }
        self.choose_ack_path();
    }

    /// Takes the SYN's acknowledgment: `cwnd` is the initial window, and does not grow.
    fn on_syn_acked(&mut self, profile: &Profile, ack: &Ack, now: Nanos) {
        if ack.next == self.snd_una() {
            return;
        }
        self.take_cumulative_ack(ack.next);
        let rtt = self.sample_rtt(profile, ack, now);
        if rtt.is_none() && profile.rules == Rules::Standard {
            self.reset_rto(profile, RTO_AFTER_LOST_SYN);
        }
        self.rearm_rto_after_ack(profile, now);
        self.establish();
        self.update_send_window(profile);
    }

    /// Takes new data acknowledged: moves `snd_una`, measures the round trip, restarts the
    /// timer and grows `cwnd`, which does not grow while `recovering`.
    #[inline(always)]
    pub(super) fn on_new_data_acked(
        &mut self,
        profile: &Profile,
        ack: &Ack,
        now: Nanos,
        recovering: bool,
    ) {
        let in_flight = self.flight_size();
        let segments = self.take_cumulative_ack(ack.next);
        let rtt = self.sample_rtt(profile, ack, now);
        self.rearm_rto_after_ack(profile, now);
        if self.loss_timer() != LossTimer::Off {
            self.restart_probe(rtt, now);
        }
        if !recovering && self.grow_cwnd_as_ns2() {
            return;
        }
        let cwnd = self.whole_cwnd();
        self.grow_cwnd(&AckSample {
            now,
            segments,
            marked: marked_segments(profile, ack, segments),
            in_flight,
            rtt,
            srtt: self.srtt(profile),
            cwnd_limited: in_flight >= cwnd,
            recovering,
            rate_sample: None,
        });
    }
}
