//! The state of a connection at its sender: RFC 9293's transmission control block (TCB, 3.3.1), in
//! parts with disjoint fields, and the operations that change more than one part.
//!
//! | part | file | holds |
//! |---|---|---|
//! | [`SequenceSpace`] | `sequence.rs` | `snd_una`, `snd_nxt`, and how far may be sent |
//! | [`Output`] | `tcb/output.rs` | retransmissions and pacing |
//! | [`Congestion`] | `tcb/congestion.rs` | the controller (`cwnd`, `ssthresh`), the send window, `recover` |
//! | [`RtoTimer`], [`LossTimer`] | `tcb/timers.rs` | RTO and round trips; PTO and the reordering timer |
//!
//! The scoreboard of a sender with SACK is not part of it ([`SackState`](super::recovery::sack::SackState)):
//! loss recovery gets both, and neither owns the other.

mod congestion;
mod output;
mod timers;

use earlydrop::packet::FlowKey;
use earlydrop::units::Nanos;

use super::control::{AckSample, AnyControl, CongestionEvent, Control, Signal};
use super::counts::Counters;
use super::profile::Profile;
use super::segment::Ack;
use super::sequence::SequenceSpace;
use super::settings::{Handshake, Rules};

pub(super) use congestion::{Congestion, CongestionState, CwndUse};
pub(super) use output::Output;
pub(super) use timers::{LossTimer, LossTimerKind, RtoTimer};

/// Separates the seed made from a start time from other uses of that time.
const SEED_SALT: u64 = 0xc0ff_ee00;

/// The state of a connection at its sender, without a scoreboard.
///
/// The fields that every ACK touches come first, so that they share cache lines.
#[derive(Clone, Debug)]
#[repr(C)]
pub(super) struct Tcb {
    pub(super) seq: SequenceSpace,
    pub(super) output: Output,
    pub(super) congestion: Congestion,
    pub(super) loss_timer: LossTimer,
    /// SYN-SENT: the SYN is not acknowledged yet (RFC 9293).
    pub(super) syn_sent: bool,
    /// Whether ACKs of new data must take the slow path.
    pub(super) ack_slow_path: bool,
    /// Whether new data was sent since the last acknowledgment.
    pub(super) sent_new: bool,
    pub(super) rto: RtoTimer,
    pub(super) last_sent_at: Nanos,
    pub(super) started_at: Nanos,
    pub(super) counts: Counters,
}

impl Tcb {
    /// A connection that starts now with number `iss`.
    pub(super) fn new(iss: u32, profile: &Profile, now: Nanos) -> Tcb {
        // Connections start at different times, so their controllers draw differently.
        let seed = FlowKey(now.0).hash(SEED_SALT);
        let control = AnyControl::new(profile.control, &profile.control_settings(), seed);
        Tcb {
            seq: SequenceSpace::new(iss),
            output: Output::new(control.paces() || control.wants_rate_sample()),
            congestion: Congestion {
                control,
                send_window: 0,
                inflation: 0,
                // ns-2 starts with `recover_` 0 and compares it with the highest number
                // acknowledged, which is one less than `snd_una`.
                recover: match profile.rules {
                    Rules::Standard => iss,
                    Rules::Ns2 => iss + 2,
                },
                dupacks: 0,
                state: CongestionState::Open,
                cwr_pending: false,
                cwnd_use: CwndUse::default(),
            },
            loss_timer: LossTimer::OFF,
            syn_sent: profile.handshake == Handshake::ThreeWay,
            ack_slow_path: true,
            sent_new: false,
            rto: RtoTimer::new(profile, now),
            last_sent_at: now,
            started_at: now,
            counts: Counters::default(),
        }
    }

    /// Segments sent in all, retransmissions included: connections share one numbering.
    pub(super) fn segments_sent(&self) -> u32 {
        self.seq.snd_max.wrapping_add(self.counts.retransmissions)
    }

    /// Whether `ack` is neither older than `snd_una`, nor of something unsent, nor caused by a
    /// late segment of the previous connection.
    #[inline]
    pub(super) fn is_acceptable(&self, ack: &Ack) -> bool {
        let stale = ack.next == self.seq.snd_una && self.is_of_previous_connection(ack.echo);
        ack.next >= self.seq.snd_una && ack.next <= self.seq.snd_max && !stale
    }

    /// Whether a segment sent at `sent` belongs to the previous connection.
    #[inline(always)]
    pub(super) fn is_of_previous_connection(&self, sent: Nanos) -> bool {
        sent < self.started_at
    }
}

/// Acknowledgments.
impl Tcb {
    /// Moves `snd_una` to `next`, which ends a row of duplicates and of timeouts; returns how
    /// many segments that acknowledges.
    #[inline(always)]
    pub(super) fn take_cumulative_ack(&mut self, next: u32) -> u32 {
        self.congestion.dupacks = 0;
        self.rto.repeats = false;
        self.seq.advance_una(next)
    }

    /// Restarts the retransmission timer when new data is acknowledged, or switches it off once
    /// all is (RFC 6298, 5.2, 5.3). ns-2's timer runs on: its expiry closes an idle connection's
    /// `cwnd`.
    #[inline]
    pub(super) fn rearm_rto_after_ack(&mut self, profile: &Profile, now: Nanos) {
        let closes_when_idle = profile.rules == Rules::Ns2 && profile.slow_start_restart;
        if !self.seq.all_acked() || closes_when_idle {
            self.rto.rearm(now);
        } else {
            self.rto.expiry = Nanos::NEVER;
        }
    }

    /// New data is acknowledged: moves `snd_una`, measures the round trip, restarts the timer and
    /// grows `cwnd`, which does not grow while `recovering`. Returns the round trip.
    #[inline(always)]
    pub(super) fn on_new_data_acked(
        &mut self,
        profile: &Profile,
        ack: &Ack,
        now: Nanos,
        recovering: bool,
        newest_rtt: Option<Nanos>,
    ) -> Option<Nanos> {
        let in_flight = self.seq.flight_size();
        self.note_cwnd_use(in_flight, self.congestion.whole_cwnd());
        let segments = self.take_cumulative_ack(ack.next);
        let rtt = self.rto.sample_rtt(profile, ack, now);
        self.rearm_rto_after_ack(profile, now);
        if !recovering && self.congestion.control.grow_as_ns2() {
            return rtt;
        }
        let cwnd_limited = self.congestion.is_cwnd_limited();
        self.congestion.control.on_ack(&AckSample {
            now,
            segments,
            marked: ack.marked_segments(profile, segments),
            in_flight,
            snd_una: self.seq.snd_una,
            snd_max: self.seq.snd_max,
            rtt,
            newest_rtt: newest_rtt.or(rtt),
            srtt: self.rto.srtt(profile),
            pacing_wait: Nanos::ZERO,
            cwnd_limited,
            recovering,
            rate_sample: None,
        });
        rtt
    }

    /// Notes how far a window of `cwnd` was used by what was sent before this acknowledgment, with
    /// `in_flight` segments in flight.
    ///
    /// RFC 9002, 7.8: "A sender SHOULD NOT consider itself application limited if it would have
    /// fully utilized the congestion window without pacing delay."
    #[inline(always)]
    pub(super) fn note_cwnd_use(&mut self, in_flight: u32, cwnd: u32) {
        let full = in_flight >= cwnd;
        let limited = full || self.output.pacing_deadline().is_some();
        if core::mem::take(&mut self.sent_new) || limited {
            let flight = self.seq.flight_size();
            self.congestion.cwnd_use.note(&self.seq, flight, limited);
        }
    }

    /// Arms PTO anew, as new data is sent or acknowledged.
    #[inline(always)]
    pub(super) fn arm_probe(&mut self, now: Nanos) {
        let in_flight = self.seq.flight_size();
        self.loss_timer.arm_probe(in_flight, &self.rto, now);
    }
}

/// The send window.
impl Tcb {
    /// Recomputes the send window, min(cwnd + inflation, rwnd), and with it how far may be sent.
    #[inline(always)]
    pub(super) fn update_send_window(&mut self, profile: &Profile) {
        let inflation = self.congestion.inflation;
        let mut window = self.congestion.whole_cwnd().min(profile.receiver_window);
        if inflation != 0 {
            let inflated = window.saturating_add_signed(inflation);
            window = inflated.min(profile.receiver_window);
        }
        let window = window.max(1);
        self.congestion.send_window = if self.syn_sent { 1 } else { window };
        self.seq.limit_to(self.congestion.send_window);
        self.seq.limit_burst(profile.max_burst.unwrap_or(u32::MAX));
    }

    /// Lets one new segment leave for a duplicate ACK. RFC 3042, 2: "The amount of outstanding data
    /// would remain less than or equal to the congestion window plus 2 segments."
    pub(super) fn limited_transmit(&mut self, profile: &Profile) {
        let dupacks = self.congestion.dupacks.into();
        let window = self.congestion.send_window.saturating_add(dupacks);
        self.seq.limit_to(window.min(profile.receiver_window));
        self.seq.limit_burst(1);
    }
}

/// Reductions of `cwnd`, and loss recovery.
impl Tcb {
    /// A congestion signal with `in_flight` segments outstanding.
    pub(super) fn congestion_event(
        &self,
        profile: &Profile,
        signal: Signal,
        in_flight: u32,
        now: Nanos,
    ) -> CongestionEvent {
        let cwnd = self.congestion.whole_cwnd().max(1);
        CongestionEvent {
            now,
            signal,
            in_flight: in_flight.min(cwnd),
            srtt: self.rto.srtt(profile),
        }
    }

    /// Reports a loss to the controller, which reduces `cwnd` and `ssthresh` (RFC 5681, 3.2,
    /// step 2). The next segment carries CWR.
    pub(super) fn reduce_cwnd_for_loss(&mut self, profile: &Profile, now: Nanos) {
        let in_flight = self.seq.flight_size();
        let loss = self.congestion_event(profile, Signal::Loss, in_flight, now);
        self.congestion.control.on_congestion(&loss);
        self.congestion.cwr_pending = true;
    }

    /// The retransmission timer expired: the controller sets `cwnd`, to 1 by RFC 5681, 3.1, and
    /// `ssthresh` to its share of FlightSize: half (equation 4), or beta_cubic (RFC 9438, 4.8);
    /// `again`: the timer expired before for the same segment, so `ssthresh` stays.
    pub(super) fn collapse_cwnd(&mut self, again: bool, now: Nanos) {
        let in_flight = self.seq.flight_size();
        self.congestion.control.on_timeout(now, in_flight, again);
        self.congestion.cwr_pending = true;
    }

    /// Asks the controller for a `cwnd` of 1; `ssthresh` stays.
    pub(super) fn restart_cwnd(&mut self, now: Nanos) {
        self.congestion.control.on_restart(now, 1.0);
        self.congestion.cwr_pending = true;
    }

    /// Sets `recover` from the highest number sent (RFC 6582, 3.2, step 2), in the numbering of
    /// the field `recover`.
    #[inline]
    pub(super) fn set_recover(&mut self) {
        self.congestion.recover = self.seq.snd_max + 1;
    }

    /// Enters fast recovery: `snd_una` is retransmitted next (RFC 5681, 3.2, step 3).
    #[inline]
    pub(super) fn enter_recovery(&mut self, now: Nanos) {
        self.count_fast_retransmit(now);
        self.congestion.state = CongestionState::FastRecovery;
        self.output.retransmit_una = true;
    }

    /// Counts a loss detected without the timer, and restarts the timer.
    pub(super) fn count_fast_retransmit(&mut self, now: Nanos) {
        self.counts.recoveries += 1;
        self.rto.stop_timing();
        self.rto.rearm(now);
    }

    /// Leaves fast recovery: the loss is repaired.
    #[inline]
    pub(super) fn exit_recovery(&mut self, now: Nanos) {
        self.congestion.state = CongestionState::Recovered;
        self.congestion.control.on_recovery_end(now);
    }

    /// Deflates `cwnd`: what was sent before recovery is acknowledged (RFC 6582, 3.2, step 3).
    #[inline]
    pub(super) fn end_inflation(&mut self) {
        self.congestion.inflation = 0;
        self.rto.partial_ack_seen = false;
    }

    /// Lets the oldest segment, or a probe, be retransmitted now, whatever the window is.
    pub(super) fn retransmit_una_now(&mut self) {
        self.output.retransmit_una = !self.seq.all_acked();
    }

    /// The retransmission timer expired: all outstanding is retransmitted from `snd_una` on, and
    /// duplicates, inflation and the timed segment are forgotten.
    pub(super) fn enter_timeout(&mut self) {
        self.rto.stop_timing();
        self.congestion.dupacks = 0;
        self.end_inflation();
        self.output.retransmit_una = false;
        self.set_recover();
        self.congestion.state = CongestionState::Timeout;
        self.seq.rewind_to_una();
    }
}
