//! Which segment is sent next, and when.
//!
//! The fast path sends new data below the send limit. The slow path asks the scoreboard
//! (RFC 6675), retransmits, and paces.

use earlydrop::packet::Ecn;
use earlydrop::units::Nanos;

use super::control::{AnyControl, Control};
use super::profile::Profile;
use super::recovery::sack::SackState;
use super::recovery::scoreboard::Scoreboard;
use super::segment::Segment;
use super::sender::Sender;
use super::sequence::distance;
use super::settings::{EcnFeedback, Handshake, Rules};
use super::tcb::{LossTimerKind, Tcb};

/// Segments of a connection after which Linux does not pace the next one: the gap comes after the
/// tenth.
const LINUX_UNPACED: u32 = 9;

impl Sender {
    /// The next segment to send now, if there is one. To be called after every other call,
    /// until there is none.
    #[inline]
    pub fn poll_transmit(&mut self, profile: &Profile, now: Nanos) -> Option<Segment> {
        let Sender { tcb, sack } = self;
        if tcb.output.takes_slow_path() {
            return poll_transmit_slow(tcb, sack.as_deref_mut(), profile, now);
        }
        if tcb.seq.snd_nxt >= tcb.seq.snd_limit {
            return None;
        }
        if tcb.seq.all_acked() {
            tcb.start_flight(profile, now);
        }
        let number = tcb.seq.snd_nxt;
        tcb.seq.snd_nxt += 1;
        let segment = tcb.emit(profile, number, now);
        self.record_new_data(number, now);
        Some(segment)
    }

    /// Fast path: the number of the next segment, of a sender that
    /// [may have more](Sender::may_have_more), if it is new data with no flag to set and a
    /// running retransmission timer. `None` means nothing was done.
    #[inline(always)]
    pub fn poll_transmit_fast(&mut self, now: Nanos) -> Option<u32> {
        let tcb = &mut self.tcb;
        let slow = tcb.output.takes_slow_path() || tcb.syn_sent | tcb.congestion.cwr_pending;
        let seq = &mut tcb.seq;
        let number = seq.snd_nxt;
        let continues = number == seq.snd_max && number != seq.snd_una;
        if slow || !continues || tcb.rto.expiry == Nanos::NEVER {
            return None;
        }
        seq.snd_nxt = number + 1;
        seq.snd_max = number + 1;
        tcb.rto.time_segment(number, now);
        tcb.last_sent_at = now;
        tcb.sent_new = true;
        self.record_new_data(number, now);
        self.tcb.arm_probe_for_new_data(now);
        Some(number)
    }

    /// Whether [`Sender::poll_transmit`] may have another segment now; else it has none.
    #[inline]
    pub fn may_have_more(&mut self, profile: &Profile, now: Nanos) -> bool {
        let Sender { tcb, sack } = self;
        if !tcb.output.takes_slow_path() {
            return tcb.seq.snd_nxt < tcb.seq.snd_limit;
        }
        match sack {
            Some(sack) => tcb.may_send_by_sack(profile, &sack.board, now),
            None => true,
        }
    }

    /// Records when new data is sent, if losses are detected by time (RFC 8985, 6.1).
    #[inline(always)]
    fn record_new_data(&mut self, number: u32, now: Nanos) {
        if let Some(sack) = &mut self.sack
            && let Some(rack) = &mut sack.rack
        {
            rack.times.record(self.tcb.seq.snd_una, number, false, now);
        }
    }
}

/// The next segment of a sender that repairs a loss, paces, or records deliveries.
#[cold]
fn poll_transmit_slow(
    tcb: &mut Tcb,
    sack: Option<&mut SackState>,
    profile: &Profile,
    now: Nanos,
) -> Option<Segment> {
    match sack {
        Some(sack) => poll_transmit_sack(tcb, sack, profile, now),
        None => {
            let number = tcb.next_number(profile, &Scoreboard::default());
            tcb.send_number(profile, number?, now)
        }
    }
}

/// The next segment of a sender with a scoreboard, which takes note of it.
fn poll_transmit_sack(
    tcb: &mut Tcb,
    sack: &mut SackState,
    profile: &Profile,
    now: Nanos,
) -> Option<Segment> {
    let probe = sack.probe.and_then(|probe| probe.to_retransmit());
    let next = probe.or_else(|| tcb.next_number(profile, &sack.board));
    let in_flight = tcb.pipe(&sack.board);
    let Some(number) = next else {
        if let Some(rate) = &mut sack.rate
            && tcb.seq.snd_nxt >= tcb.seq.data_end
            && in_flight < tcb.congestion.send_window
        {
            rate.on_application_limited(in_flight);
        }
        return None;
    };
    let first_retransmission = tcb.output.retransmit_una;
    let segment = tcb.send_number(profile, number, now)?;
    if tcb.output.sack_recovery && first_retransmission {
        tcb.on_una_retransmitted(profile, &mut sack.board);
    } else if tcb.output.sack_recovery {
        tcb.on_sent_in_sack_recovery(&mut sack.board, number);
    }
    if probe.is_none() && segment.retransmission {
        sack.undo.on_retransmitted(now);
    }
    if let Some(probe) = &mut sack.probe {
        probe.on_sent();
    }
    let snd_una = tcb.seq.snd_una;
    if let Some(rack) = &mut sack.rack {
        rack.times
            .record(snd_una, number, segment.retransmission, now);
    }
    if let Some(rate) = &mut sack.rate {
        rate.on_sent(snd_una, number, in_flight, profile.stamp(now));
    }
    Some(segment)
}

impl Tcb {
    /// Whether a sender that repairs a loss or paces may have another segment now: what asking for
    /// it would find, where the window is full or pacing waits.
    #[inline]
    fn may_send_by_sack(&mut self, profile: &Profile, board: &Scoreboard, now: Nanos) -> bool {
        let Tcb { seq, output, .. } = self;
        // Asking does more: at the end of data the application limits the rate, with nothing in
        // flight a sender may have been idle, and DCQCN's rate rises.
        let asks = seq.snd_nxt >= seq.data_end
            || seq.all_acked()
            || matches!(self.congestion.control, AnyControl::Dcqcn(_));
        if asks {
            return true;
        }
        let full = match output.sack_recovery {
            true => board.pipe >= self.congestion.send_window as i32,
            false => seq.snd_nxt >= seq.snd_limit,
        };
        if full && !output.retransmit_una {
            return false;
        }
        let waits = output.paces_after(now);
        if waits && output.pacing_deadline().is_none() && self.next_number(profile, board).is_some()
        {
            self.output.wait_for_pacing();
        }
        !waits
    }

    /// The number to send next, if the window lets one be sent.
    fn next_number(&self, profile: &Profile, board: &Scoreboard) -> Option<u32> {
        let seq = &self.seq;
        if self.output.retransmit_una {
            Some(seq.snd_una)
        } else if self.output.sack_recovery {
            self.next_seg(profile, board)
        } else {
            (seq.snd_nxt < seq.snd_limit).then_some(seq.snd_nxt)
        }
    }

    /// Sends `number`, unless pacing makes it wait.
    fn send_number(&mut self, profile: &Profile, number: u32, now: Nanos) -> Option<Segment> {
        if self.seq.all_acked() {
            self.start_flight(profile, now);
        }
        self.congestion.control.advance(now);
        if let Some(rate) = self.congestion.control.pacing_rate() {
            if !self.paces_now(profile, rate, number, now) {
                return None;
            }
            self.congestion.control.on_sent();
        }
        if !core::mem::take(&mut self.output.retransmit_una) && !self.output.sack_recovery {
            self.seq.snd_nxt = number + 1;
        }
        Some(self.emit(profile, number, now))
    }

    /// Whether pacing at `rate` lets `number` be sent now.
    fn paces_now(&mut self, profile: &Profile, rate: f64, number: u32, now: Nanos) -> bool {
        if !profile.follows_linux() {
            return self.output.pace(rate, now);
        }
        // The SYN has the number before that of the first data.
        let syn = u32::from(profile.handshake == Handshake::ThreeWay);
        let data_before = distance(self.seq.iss, number).saturating_sub(syn);
        self.output
            .pace_as_linux(rate, data_before < LINUX_UNPACED, now)
    }

    /// Sending starts with nothing outstanding. RFC 5681, 4.1: "a TCP SHOULD set cwnd to no more
    /// than RW before beginning transmission if the TCP has not sent data in an interval exceeding
    /// the retransmission timeout."
    fn start_flight(&mut self, profile: &Profile, now: Nanos) {
        let rto = self.rto.rto();
        let idle = now.since(self.last_sent_at) > rto && self.seq.snd_max > self.seq.iss;
        if idle && profile.slow_start_restart && profile.rules == Rules::Standard {
            let window = self.restart_window(profile, now.since(self.last_sent_at));
            self.congestion.control.on_restart(now, window);
            self.update_send_window(profile);
        }
        if self.seq.snd_max > self.seq.iss {
            self.congestion
                .control
                .on_transmit_start(now, self.last_sent_at);
        }
        self.rto.expiry = Nanos::NEVER;
    }

    /// RW of RFC 5681, 4.1, after `idle`: the initial window. Linux halves `cwnd` for each RTO that
    /// has passed, down to that (RFC 2861, 3; `tcp_cwnd_restart`).
    fn restart_window(&self, profile: &Profile, idle: Nanos) -> f64 {
        let initial = profile.initial_window;
        if !profile.follows_linux() {
            return f64::from(initial);
        }
        let halvings = (idle.0.saturating_sub(1) / self.rto.rto().0.max(1)).min(31);
        f64::from((self.congestion.whole_cwnd() >> halvings).max(initial))
    }

    /// New data is sent at `now`: arms PTO anew, where it may run.
    #[inline(always)]
    fn arm_probe_for_new_data(&mut self, now: Nanos) {
        if matches!(
            self.loss_timer.kind(),
            LossTimerKind::Idle | LossTimerKind::Probe
        ) {
            self.arm_probe(now);
        }
    }

    #[inline]
    fn emit(&mut self, profile: &Profile, number: u32, now: Nanos) -> Segment {
        let new = number >= self.seq.snd_max;
        let syn = self.syn_sent && number == self.seq.iss;
        if new {
            self.seq.snd_max = number + 1;
            self.sent_new = true;
            self.rto.time_segment(number, now);
        } else {
            self.counts.retransmissions += 1;
        }
        self.last_sent_at = now;
        // RFC 6298, 5.1: start the timer if it is not running.
        if self.rto.expiry == Nanos::NEVER {
            self.rto.rearm(now);
        }
        if new {
            self.arm_probe_for_new_data(now);
        }
        // RFC 3168, 6.1.5: retransmissions are not ECN-capable; nor are SYNs (6.1.1).
        let ecn = if syn {
            profile.control_codepoint()
        } else if new || profile.ecn_on_retransmissions {
            profile.ecn.codepoint()
        } else {
            Ecn::NotCapable
        };
        // RFC 3168, 6.1.2: CWR on the first new data segment after the reduction.
        let cwr = self.congestion.cwr_pending && (new || profile.rules == Rules::Ns2);
        if cwr {
            self.congestion.cwr_pending = false;
        }
        Segment {
            number,
            size: if syn {
                profile.ack_size
            } else {
                profile.segment_size
            },
            retransmission: !new,
            ecn,
            // RFC 8257, 3.3: "The setting of the CWR bit is also as per [RFC3168]."
            cwr: cwr
                && matches!(
                    profile.feedback(),
                    Some(EcnFeedback::Classic | EcnFeedback::Dctcp)
                ),
            syn,
        }
    }
}
