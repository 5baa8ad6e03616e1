//! Tail loss probes (RFC 8985, section 7), with section numbers of that RFC.
//!
//! When no acknowledgment arrives for some time, one segment is sent whose acknowledgment shows
//! what the rest of the flight has come to, instead of waiting for the retransmission timer:
//! ```text
//! PTO    2 SRTT; 1 s without a measurement                                7.2, TLP_calc_PTO
//!        + max_ack_delay with one segment in flight
//!        no later than RTO expires
//! armed  by new data sent, and by new data acknowledged, unless in         7.2
//!        recovery, with segments received out of order, or with a
//!        probe in flight
//! probe  new data where rwnd allows it, whatever cwnd; else the last       7.3, TLP_send_probe
//!        segment again; then RTO is armed
//! ```
//! A loss that a retransmitted probe repaired reduces `cwnd`: it shows when more than TLP.end_seq
//! is acknowledged without a DSACK of the probe (7.4.2, TLP_process_ack).
//!
//! # Validated against
//! Linux 6.1, by scripts without a difference: Linux `tail`: 4 of 4 scripts, Linux `probe`: 2 of 2
//! scripts.

use earlydrop::units::Nanos;

use super::scoreboard::Scoreboard;
use crate::tcp::profile::Profile;
use crate::tcp::segment::{Ack, SackBlock};
use crate::tcp::tcb::Tcb;

/// A probe in flight, or one that pacing holds back.
///
/// It belongs to the flight at whose end it stands: what ends that flight ends the probe too.
#[derive(Clone, Copy, Debug)]
pub(in crate::tcp) struct Probe {
    /// TLP.end_seq: SND.NXT once it was sent.
    end_seq: u32,
    /// TLP.is_retrans.
    is_retransmission: bool,
    /// Whether it is still to be retransmitted.
    pending: bool,
}

impl Probe {
    /// The segment to retransmit as a probe, which is the last of the flight.
    pub(in crate::tcp) fn to_retransmit(self) -> Option<u32> {
        self.pending.then(|| self.end_seq - 1)
    }

    /// Whether a DSACK of `block` reports it.
    pub(super) fn ends_with(self, block: SackBlock) -> bool {
        block.to == self.end_seq
    }

    /// Notes that a segment was sent: a pending probe comes before any other.
    pub(in crate::tcp) fn on_sent(&mut self) {
        self.pending = false;
    }
}

impl Tcb {
    /// The PTO expired: sends a probe, and arms the retransmission timer (7.3).
    pub(in crate::tcp) fn on_probe_timer(&mut self, profile: &Profile, now: Nanos) -> Probe {
        let is_retransmission = !self.allow_one_segment(profile);
        if is_retransmission {
            self.retransmit_una_now();
        }
        self.rto.rearm(now);
        Probe {
            end_seq: self.seq.snd_max + u32::from(!is_retransmission),
            is_retransmission,
            pending: is_retransmission,
        }
    }

    /// Lets one segment of new data be sent now, whatever `cwnd` and pacing say; `false`: there is
    /// none, or `rwnd` does not allow it.
    fn allow_one_segment(&mut self, profile: &Profile) -> bool {
        let seq = &mut self.seq;
        let allowed = seq.snd_nxt < seq.limit_of(profile.receiver_window);
        if allowed {
            seq.snd_limit = seq.snd_nxt + 1;
            self.output.skip_pacing();
        }
        allowed
    }

    /// Processes an ACK while there is a probe; `new_data`: it moves `snd_una`. Reduces `cwnd` for a loss that the probe repaired (7.4.2, TLP_process_ack).
    pub(in crate::tcp) fn on_ack_of_probe(
        &mut self,
        profile: &Profile,
        in_flight: &mut Option<Probe>,
        board: &Scoreboard,
        ack: &Ack,
        new_data: bool,
        now: Nanos,
    ) {
        let Some(probe) = *in_flight else { return };
        if let Some(number) = probe.to_retransmit() {
            // The segment arrived before its probe was sent: there is nothing left to probe.
            if ack.next > number || board.hole(number, number + 1).is_none() {
                *in_flight = None;
                self.output.retransmit_una = false;
            }
            return;
        }
        if ack.next < probe.end_seq {
            return;
        }
        if !probe.is_retransmission {
            *in_flight = None;
            return;
        }
        let dsack = ack.dsack().is_some_and(|block| probe.ends_with(block));
        let repaired = !dsack && ack.next > probe.end_seq;
        let duplicate = !new_data && ack.sacked.is_empty();
        if dsack || repaired || duplicate {
            *in_flight = None;
        }
        if repaired && self.congestion.covers_recover(ack.next) {
            self.reduce_cwnd_for_loss(profile, now);
            self.set_recover();
            self.counts.recoveries += 1;
            self.exit_recovery(now);
        }
    }
}
