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

use earlydrop::units::Nanos;

use super::control::Signal;
use super::profile::Profile;
use super::rack::dsack_of;
use super::sack::SackState;
use super::segment::Ack;
use super::sender::Sender;

/// TLP.max_ack_delay, for which the RFC names no value: Linux's.
pub(super) const MAX_ACK_DELAY: Nanos = Nanos::from_millis(200);
/// PTO before a round trip was measured (7.2).
pub(super) const PTO_WITHOUT_RTT: Nanos = Nanos::from_secs(1);

/// A probe in flight, or one that pacing holds back.
///
/// It belongs to the flight at whose end it stands: what ends that flight ends the probe too.
#[derive(Clone, Copy, Debug)]
pub(super) struct Probe {
    /// TLP.end_seq: SND.NXT once it was sent.
    end_seq: u32,
    /// TLP.is_retrans.
    is_retransmission: bool,
    /// Whether it is still to be retransmitted.
    pending: bool,
}

impl Probe {
    /// The segment to retransmit as a probe, which is the last of the flight.
    pub(super) fn to_retransmit(self) -> Option<u32> {
        self.pending.then(|| self.end_seq - 1)
    }

    /// Notes that a segment was sent: a pending probe comes before any other.
    pub(super) fn on_sent(&mut self) {
        self.pending = false;
    }
}

impl Sender {
    /// The PTO expired: sends a probe, and arms the retransmission timer (7.3).
    pub(super) fn on_probe_timer(&mut self, profile: &Profile, sack: &mut SackState, now: Nanos) {
        let Some(rack) = &mut sack.rack else { return };
        let is_retransmission = !self.allow_one_segment(profile);
        if is_retransmission {
            self.retransmit_una_now();
        }
        rack.probe = Some(Probe {
            end_seq: self.snd_max() + u32::from(!is_retransmission),
            is_retransmission,
            pending: is_retransmission,
        });
        self.rearm_rto(now);
    }

    /// Processes an ACK while there is a probe, which acknowledges `segments` new ones
    /// cumulatively; reduces `cwnd` for a loss that the probe repaired (7.4.2, TLP_process_ack).
    pub(super) fn on_ack_of_probe(
        &mut self,
        profile: &Profile,
        sack: &mut SackState,
        ack: &Ack,
        segments: u32,
        now: Nanos,
    ) {
        let SackState { rack, board, .. } = sack;
        let Some(rack) = rack else { return };
        let Some(probe) = rack.probe else { return };
        if let Some(number) = probe.to_retransmit() {
            // The segment arrived before its probe was sent: there is nothing left to probe.
            if ack.next > number || board.hole(number, number + 1).is_none() {
                rack.probe = None;
                self.cancel_retransmit_una();
            }
            return;
        }
        if ack.next < probe.end_seq {
            return;
        }
        if !probe.is_retransmission {
            rack.probe = None;
            return;
        }
        let dsack = dsack_of(ack).is_some_and(|block| block.to == probe.end_seq);
        let repaired = !dsack && ack.next > probe.end_seq;
        let duplicate = segments == 0 && ack.sacked.is_empty();
        if dsack || repaired || duplicate {
            rack.probe = None;
        }
        if repaired && self.covers_recover(ack.next) {
            self.reduce_cwnd(profile, Signal::Loss, self.flight_size(), now);
            self.note_repaired_loss(now);
        }
    }
}
