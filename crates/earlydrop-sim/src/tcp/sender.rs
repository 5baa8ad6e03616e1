//! A sender's connection state, and the operations that change it.
//!
//! The fields are private to this module. Acknowledgments (`ack.rs`), loss recovery
//! (`recovery.rs`, `sack.rs`), ECN (`ecn.rs`) and timeouts (`timeout.rs`) change them through
//! methods that are named after the RFC's step:
//!
//! | file | operations |
//! |---|---|
//! | `sender.rs` | connections and sequence numbers |
//! | `sender/cwnd.rs` | `reduce_cwnd`, `collapse_cwnd`, `grow_cwnd`; the send window |
//! | `sender/state.rs` | `enter_recovery`, `exit_recovery`, `enter_cwr`, `recover`, duplicates |
//! | `sender/rtt.rs` | round-trip samples; starting and stopping the retransmission timer |
//! | `sender/loss_timer.rs` | starting and stopping the timer of RACK-TLP |
//! | `sender/transmit.rs` | what is sent next |
//!
//! ```text
//! iss ... snd_una ... snd_nxt ... snd_max ... data_end
//!         |-- in flight --|
//! ```
//! `snd_nxt` lies below `snd_max` while segments are retransmitted after a timeout.

mod cwnd;
mod loss_timer;
mod rtt;
mod state;
mod transmit;

use earlydrop::packet::FlowKey;
use earlydrop::units::Nanos;

use super::control::{AckSample, AnyControl, CongestionEvent, Control, LostSegment, Signal};
use super::counts::{Counters, SenderCounts};
use super::profile::Profile;
use super::rto::RtoEstimator;
use super::sack::SackState;
use super::scoreboard::Scoreboard;
use super::segment::{Ack, Segment};
use super::sequence::distance;
use super::settings::{Handshake, Recovery, RttSampling, Rules};
use crate::fine_time::FineTime;
use loss_timer::Lead;

pub(super) use loss_timer::LossTimer;
pub(super) use state::CongestionState;

/// Separates the seed made from a start time from other uses of that time.
const SEED_SALT: u64 = 0xc0ff_ee00;

/// Sends the segments of one connection at a time.
///
/// The fields that every acknowledgment touches come first, so that they share cache lines.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Sender {
    /// The oldest unacknowledged number (RFC 9293, SND.UNA).
    snd_una: u32,
    /// The number to send next (RFC 9293, SND.NXT).
    snd_nxt: u32,
    /// Numbers below it may be sent now.
    snd_limit: u32,
    /// The highest number sent so far, plus one.
    snd_max: u32,
    /// Where the application's data ends.
    data_end: u32,
    /// Segments that may be outstanding: the smaller of `rwnd` and `cwnd` with its inflation, rounded
    /// down. With SACK it is set from RFC 6675's `pipe` instead.
    send_window: u32,
    /// Segments by which duplicate acknowledgments inflate `cwnd` (RFC 5681, 3.2, steps 3, 4).
    inflation: i32,
    /// The number of the segment whose round trip is being timed.
    rtt_seq: u32,
    /// When the retransmission timer expires.
    rto_expiry: Nanos,
    last_sent_at: Nanos,
    control: AnyControl,
    /// Whether `snd_una` is to be retransmitted, whatever the window.
    retransmit_una: bool,
    /// Whether the scoreboard chooses what is sent (RFC 6675).
    sack_recovery: bool,
    /// Whether the controller paces, or needs a delivery-rate record of each segment.
    paced: bool,
    /// Whether the next segment waits for `pacing_release`.
    pacing_blocked: bool,
    /// SYN-SENT: the SYN is not acknowledged yet (RFC 9293).
    syn_sent: bool,
    /// Whether the next segment carries CWR (RFC 3168, 6.1.2).
    cwr_pending: bool,
    /// Whether acknowledgments of new data must take the slow path.
    ack_slow_path: bool,
    /// Whether `rtt_seq` is being timed.
    rtt_pending: bool,
    state: CongestionState,
    /// Whether this recovery saw a partial acknowledgment (RFC 6582).
    partial_ack_seen: bool,
    /// Whether an ECE found `cwnd` at 1 already (ns-2).
    ece_at_cwnd_one: bool,
    /// Whether nothing was acknowledged since the retransmission timer expired.
    rto_repeats: bool,
    /// Whether the first segment of a connection was lost.
    first_segment_lost: bool,
    loss_timer: LossTimer,
    /// Duplicate acknowledgments in a row, counted up to 65535.
    dupacks: u16,
    /// The smallest `snd_una` that shows that a segment sent after the last reduction of
    /// `cwnd` arrived. Segments here are numbered by `snd_una`, the next number expected, so
    /// this is RFC 6582's `recover` (the highest number sent) plus 2.
    recover: u32,
    loss_timer_lead: Lead,
    /// When the segment being timed was sent.
    rtt_sent_at: Nanos,
    rto: RtoEstimator,
    /// The first number of the connection (RFC 9293, ISS).
    iss: u32,
    /// Nothing is sent before this time, where the controller paces.
    pacing_release: FineTime,
    started_at: Nanos,
    sack: Option<Box<SackState>>,
    counts: Counters,
}

/// Connections, and what their applications have to send.
impl Sender {
    /// A sender whose connection starts with number 0, with nothing to send yet.
    pub fn new(profile: &Profile, now: Nanos) -> Sender {
        let uses_sack = profile.recovery == Recovery::Sack;
        let mut sender = Sender::at(0, profile, now);
        let rates = sender.control.wants_rate_sample();
        sender.sack = uses_sack.then(|| SackState::boxed(rates, profile.uses_rack(), now));
        sender.enable_probes();
        sender.update_send_window(profile);
        sender
    }

    /// Begins a new connection on the same numbering, with nothing to send yet: it starts with
    /// the number after the last that was sent. The receiver restarts too
    /// ([`Receiver::restart`](super::Receiver::restart)).
    ///
    /// With ns-2's rules a sender that once lost a SYN begins every further connection with a
    /// `cwnd` of 1.
    pub fn restart(&mut self, profile: &Profile, now: Nanos) {
        let sack = self.sack.take();
        let fresh = Sender {
            first_segment_lost: self.first_segment_lost && profile.rules == Rules::Ns2,
            counts: self.counts,
            ..Sender::at(self.snd_max, profile, now)
        };
        *self = fresh;
        self.sack = sack;
        if let Some(sack) = &mut self.sack {
            sack.restart(now);
        }
        self.enable_probes();
        if self.first_segment_lost {
            self.control.on_restart(now, 1.0);
        }
        self.update_send_window(profile);
    }

    /// A sender whose connection starts with number `iss`.
    fn at(iss: u32, profile: &Profile, now: Nanos) -> Sender {
        // Connections start at different times, so their controllers draw differently.
        let control = AnyControl::new(
            profile.control,
            &profile.control_settings(),
            FlowKey(now.0).hash(SEED_SALT),
        );
        Sender {
            snd_una: iss,
            snd_nxt: iss,
            snd_limit: iss,
            snd_max: iss,
            data_end: iss,
            send_window: 0,
            ack_slow_path: true,
            state: CongestionState::Open,
            rtt_pending: false,
            retransmit_una: false,
            cwr_pending: false,
            partial_ack_seen: false,
            ece_at_cwnd_one: false,
            rto_repeats: false,
            syn_sent: profile.handshake == Handshake::ThreeWay,
            first_segment_lost: false,
            loss_timer: LossTimer::Off,
            loss_timer_lead: Lead::default(),
            sack_recovery: false,
            paced: control.paces() || control.wants_rate_sample(),
            pacing_blocked: false,
            // ns-2 starts with `recover_` 0 and compares it with the highest number
            // acknowledged, which is one less than `snd_una`.
            recover: match profile.rules {
                Rules::Standard => iss,
                Rules::Ns2 => iss + 2,
            },
            dupacks: 0,
            inflation: 0,
            iss,
            started_at: now,
            rtt_seq: 0,
            rtt_sent_at: Nanos::ZERO,
            last_sent_at: now,
            rto_expiry: Nanos::NEVER,
            pacing_release: FineTime::default(),
            rto: RtoEstimator::new(&profile.timer, profile.rules, now),
            control,
            sack: None,
            counts: Counters::default(),
        }
    }

    /// Gives the sender data up to but not including number `end`; `u32::MAX` is endless.
    pub fn supply(&mut self, end: u32) {
        self.data_end = self.data_end.max(end);
        self.limit_to(self.send_window);
    }

    /// Takes back all data that was not sent yet.
    pub fn withdraw(&mut self) {
        self.data_end = self.snd_max;
        self.limit_to(self.send_window);
    }

    /// Ends SYN-SENT: the SYN is acknowledged.
    pub(super) fn establish(&mut self) {
        self.syn_sent = false;
        self.sack_recovery = false;
        self.enable_probes();
    }

    /// Counts of what was done so far.
    pub fn counts(&self) -> SenderCounts {
        SenderCounts {
            segments: self.segments_sent(),
            retransmissions: self.counts.retransmissions,
            timeouts: self.counts.timeouts,
            recoveries: self.counts.recoveries,
            marks: self.counts.marks,
        }
    }
}

/// Sequence numbers.
impl Sender {
    /// The oldest unacknowledged number (RFC 9293, SND.UNA).
    #[inline]
    pub fn snd_una(&self) -> u32 {
        self.snd_una
    }

    /// The number to send next (RFC 9293, SND.NXT).
    #[inline]
    pub(super) fn snd_nxt(&self) -> u32 {
        self.snd_nxt
    }

    /// The highest number sent so far, plus one.
    #[inline(always)]
    pub(super) fn snd_max(&self) -> u32 {
        self.snd_max
    }

    /// Whether the connection's first data segment is the oldest unacknowledged: ns-2 finds a
    /// loss there whatever `recover` says.
    #[inline]
    pub(super) fn una_is_first_data(&self) -> bool {
        self.snd_una == self.iss + 1
    }

    /// Segments sent since the last timeout and not acknowledged cumulatively (RFC 5681,
    /// FlightSize).
    #[inline]
    pub(super) fn flight_size(&self) -> u32 {
        distance(self.snd_una, self.snd_nxt)
    }

    /// Segments estimated to be in the network: `pipe` of RFC 6675 with selective
    /// acknowledgments, FlightSize without.
    #[inline]
    pub fn in_flight(&self) -> u32 {
        match &self.sack {
            None => self.flight_size(),
            Some(sack) => self.pipe(&sack.board),
        }
    }

    /// `pipe` of RFC 6675 during recovery; FlightSize less what is reported received before.
    #[inline]
    pub(super) fn pipe(&self, board: &Scoreboard) -> u32 {
        if self.sack_recovery {
            board.pipe.max(0) as u32
        } else {
            self.flight_size().saturating_sub(board.sacked())
        }
    }

    /// Segments sent in all, retransmissions included: connections share one numbering.
    pub(super) fn segments_sent(&self) -> u32 {
        self.snd_max.wrapping_add(self.counts.retransmissions)
    }

    /// Whether `ack` is neither older than `snd_una`, nor of something unsent, nor caused by a
    /// late segment of the previous connection.
    #[inline]
    pub(super) fn is_acceptable(&self, ack: &Ack) -> bool {
        let stale = ack.next == self.snd_una && self.is_of_previous_connection(ack.echo);
        ack.next >= self.snd_una && ack.next <= self.snd_max && !stale
    }

    /// Whether a segment sent at `sent` belongs to the previous connection.
    #[inline(always)]
    pub(super) fn is_of_previous_connection(&self, sent: Nanos) -> bool {
        sent < self.started_at
    }

    /// Moves `snd_una` to `next`; answers how many segments that acknowledges.
    #[inline(always)]
    pub(super) fn advance_una(&mut self, next: u32) -> u32 {
        let segments = distance(self.snd_una, next);
        self.snd_una = next;
        self.snd_nxt = self.snd_nxt.max(next);
        segments
    }

    /// Moves `snd_una` to `next`, which ends a row of duplicates and of timeouts; answers how
    /// many segments that acknowledges.
    #[inline(always)]
    pub(super) fn take_cumulative_ack(&mut self, next: u32) -> u32 {
        self.dupacks = 0;
        self.rto_repeats = false;
        self.advance_una(next)
    }

    /// Goes back to the oldest unacknowledged segment: all after it is retransmitted, in
    /// slow start (go-back-N).
    #[inline]
    pub(super) fn rewind_to_una(&mut self) {
        self.snd_nxt = self.snd_una;
    }

    /// Undoes [`Sender::rewind_to_una`], as the scoreboard chooses what is retransmitted.
    pub(super) fn undo_rewind(&mut self) {
        self.snd_nxt = self.snd_max;
    }

    /// Takes note that `number` was sent, as the scoreboard chose it.
    pub(super) fn advance_nxt(&mut self, number: u32) {
        self.snd_nxt = self.snd_nxt.max(number + 1);
    }
}
