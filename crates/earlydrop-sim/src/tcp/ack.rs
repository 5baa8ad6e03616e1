//! Acknowledgments: which path they take, and what one of new data does.
//!
//! The fast path processes an ACK of new data that carries neither ECE nor SACK blocks,
//! while no loss is being repaired. All others take the slow path, which hands them to
//! `recovery`, and an ECE to `ecn.rs`.

use earlydrop::units::Nanos;

use super::control::Control;
use super::profile::Profile;
use super::receiver::SACK_BLOCKS;
use super::segment::{Ack, SackBlock};
use super::sender::Sender;
use super::settings::{EcnMode, Recovery, RttSampling, Rules};
use super::tcb::LossTimerKind;

/// RTO when the SYN was retransmitted and no round trip could be measured (RFC 6298, 5.7).
const RTO_AFTER_LOST_SYN: Nanos = Nanos::from_secs(3);

impl Sender {
    /// Processes an ACK that arrived.
    #[inline(always)]
    pub fn on_ack(&mut self, profile: &Profile, ack: &Ack, now: Nanos) {
        let bare = !ack.ece && ack.sacked.is_empty() && ack.accecn.is_none();
        if !(bare && self.on_ack_fast(profile, ack.next, ack.echo, now)) {
            self.on_ack_slow(profile, ack, now);
        }
    }

    /// Fast path: processes an ACK up to `next` without ECE and SACK blocks that echoes the time
    /// `echo`, if it acknowledges new data and no loss is being repaired. `false` means nothing
    /// was done.
    #[inline(always)]
    pub fn on_ack_fast(&mut self, profile: &Profile, next: u32, echo: Nanos, now: Nanos) -> bool {
        let Sender { tcb, sack } = self;
        let new_data = next > tcb.seq.snd_una && next <= tcb.seq.snd_max;
        if !new_data || tcb.ack_slow_path {
            return false;
        }
        let mut ack = Ack {
            next,
            echo,
            echo_retransmitted: false,
            ece: false,
            sacked: &[],
            accecn: None,
        };
        let rack = sack.as_ref().and_then(|sack| sack.rack.as_ref());
        let mut newest = None;
        if let Some(rack) = rack {
            newest = rack.times.newest_rtt(next - 1, now);
            if profile.rtt_sampling == RttSampling::BySegment {
                // Nothing was retransmitted, and the first segment has the longest round trip.
                ack.echo = rack.times.sent_at(tcb.seq.snd_una);
            }
        }
        let rtt = tcb.on_new_data_acked(profile, &ack, now, false, newest);
        if tcb.loss_timer.kind() != LossTimerKind::Off {
            if let Some(rtt) = rtt
                && let Some(sack) = sack
                && let Some(rack) = &mut sack.rack
            {
                rack.min_rtt = rack.min_rtt.min(rtt);
            }
            tcb.arm_probe(now);
        }
        tcb.update_send_window(profile);
        true
    }

    /// Fast path: processes an ACK without ECE and SACK blocks that repeats the one before.
    /// `false` means nothing was done.
    #[inline(always)]
    pub(crate) fn on_dupack_fast(
        &mut self,
        profile: &Profile,
        next: u32,
        echo: Nanos,
        now: Nanos,
    ) -> bool {
        let Sender { tcb, sack } = self;
        let repeats = next == tcb.seq.snd_una && !tcb.seq.all_acked();
        let goes_back = profile.recovery == Recovery::GoBackN;
        if !repeats
            || tcb.syn_sent
            || sack.is_some()
            || goes_back
            || tcb.is_of_previous_connection(echo)
        {
            return false;
        }
        tcb.on_dupack(profile, now);
        tcb.rto.ece_at_cwnd_one = false;
        self.choose_ack_path();
        true
    }

    /// Slow path: processes any ACK.
    #[cold]
    pub(crate) fn on_ack_slow(&mut self, profile: &Profile, ack: &Ack, now: Nanos) {
        if !self.tcb.is_acceptable(ack) {
            return self.on_overtaken_ack(profile, ack, now);
        }
        let syn_sent = self.tcb.syn_sent;
        let mut ece = ack.ece && profile.ecn != EcnMode::Off && !syn_sent;
        let in_flight = self.tcb.seq.flight_size();
        // ns-2 reduces cwnd before it processes the ACK, the RFCs' senders after it.
        if ece && profile.rules == Rules::Ns2 {
            self.on_ece(profile, ack.next, (in_flight, 0), now);
        }
        let mut delivered = 0;
        let Sender { tcb, sack } = self;
        if syn_sent {
            self.on_syn_acked(profile, ack, now);
        } else if let Some(sack) = sack {
            // RFC 6675 distinguishes new data from duplicates by itself. With AccECN a mark newly
            // counted is what ECE is without.
            let marked;
            (marked, delivered) = tcb.on_sack(profile, sack, ack, now);
            ece |= marked > 0;
        } else if profile.recovery == Recovery::GoBackN {
            tcb.on_ack_go_back_n(profile, ack, now);
        } else if ack.next > tcb.seq.snd_una {
            tcb.on_cumulative_ack(profile, ack, now);
        } else if !tcb.seq.all_acked() {
            tcb.on_dupack(profile, now);
        }
        if ece && profile.rules == Rules::Standard {
            self.on_ece(profile, ack.next, (in_flight, delivered), now);
        }
        if !ack.ece {
            self.tcb.rto.ece_at_cwnd_one = false;
        }
        self.choose_ack_path();
    }

    /// Processes an ACK below SND.UNA, which a later one has overtaken: what its SACK blocks report
    /// above is news, and nothing else (Linux: `tcp_ack`, `old_ack`).
    fn on_overtaken_ack(&mut self, profile: &Profile, ack: &Ack, now: Nanos) {
        let seq = &self.tcb.seq;
        if !profile.uses_rack() || ack.next >= seq.snd_una || ack.dsack().is_some() {
            return;
        }
        let mut blocks = [SackBlock { from: 0, to: 0 }; SACK_BLOCKS];
        let above = |block: &&SackBlock| block.from > seq.snd_una && block.to <= seq.snd_max;
        let news = ack.sacked.iter().filter(above);
        let count = blocks
            .iter_mut()
            .zip(news)
            .map(|(to, from)| *to = *from)
            .count();
        if count > 0 {
            let news = Ack {
                next: seq.snd_una,
                ece: false,
                sacked: &blocks[..count],
                accecn: None,
                ..*ack
            };
            self.on_ack_slow(profile, &news, now);
        }
    }

    /// Processes the SYN's ACK: `cwnd` is the initial window, and does not grow.
    fn on_syn_acked(&mut self, profile: &Profile, ack: &Ack, now: Nanos) {
        let tcb = &mut self.tcb;
        if ack.next == tcb.seq.snd_una {
            return;
        }
        tcb.take_cumulative_ack(ack.next);
        let rtt = tcb.rto.sample_rtt(profile, ack, now);
        if let Some(sack) = &mut self.sack
            && let Some(rack) = &mut sack.rack
            && !ack.echo_retransmitted
        {
            rack.min_rtt = rack.min_rtt.min(rtt.unwrap_or(Nanos::NEVER));
        }
        if let Some(rtt) = rtt {
            tcb.congestion.control.on_handshake(now, rtt);
        }
        if rtt.is_none() && profile.rules == Rules::Standard {
            tcb.rto.reset(profile, RTO_AFTER_LOST_SYN);
        }
        tcb.rearm_rto_after_ack(profile, now);
        tcb.syn_sent = false;
        tcb.output.sack_recovery = false;
        self.enable_probes();
        self.tcb.update_send_window(profile);
    }
}
