//! RACK: losses detected by time (RFC 8985, section 6), with section numbers of that RFC.
//!
//! A segment is lost when one that was sent after it was received, and it is not received within
//! a reordering window either:
//! ```text
//! RACK.xmit_ts, .end_seq  the most recently sent segment that was received      6.2, step 2
//! RACK.rtt                round trip of the last segment received               6.2, step 2
//! RACK.reo_wnd            min(reo_wnd_mult * min_RTT / 4, SRTT)                 6.2, step 4
//!                         0 before reordering was seen, in recovery or with
//!                         DupThresh segments received out of order
//! lost(segment)           sent before RACK's segment, and                       6.2, step 5
//!                         xmit_ts + RACK.rtt + RACK.reo_wnd <= now
//! reordering timer        expires when the last segment sent before RACK's
//!                         will be lost
//! timeout                 the first segment is lost, and those for which        6.3
//!                         xmit_ts + RTT + RACK.reo_wnd <= now
//! ```
//! An original transmission is later than those of all smaller numbers, so the originals that are
//! lost are the holes below one number: [`Scoreboard::lost_below`]. Retransmissions are judged in
//! the order in which they were sent. So RACK replaces [`Profile::dupack_threshold`] as the rule
//! for a loss; how much may be sent stays the affair of `pipe` (RFC 6675) or of PRR.
//!
//! # Readings
//! - RACK.min_RTT is the least round trip of the connection (6.2, step 1: "a simple global
//!   minimum").
//! - Acknowledgments on the fast path update only RACK.min_RTT: any segment reported by a later
//!   acknowledgment was sent after those that they acknowledge. RACK.rtt may be old therefore when
//!   the retransmission timer expires, and SRTT stands for it.
//! - Reordering is judged against the highest segment received before the acknowledgment, so that
//!   the order of its blocks does not matter.
//! - A DSACK (RFC 2883) raises reo_wnd_mult once a round trip, for 16 recoveries. The receiver
//!   here sends one for each segment that arrives twice.
//! - A reduction of `cwnd` that was unnecessary is undone in `undo.rs`.
//!
//! # Validated against
//! Linux 6.1 and packetdrill, by scripts without a difference: Linux `reordered`: 4 of 4 scripts,
//! Linux `loss`: 10 of 10 scripts, packetdrill `fr-4pkt`: 2 of 3 scripts.

use earlydrop::units::Nanos;

use super::scoreboard::{RetransmissionFate, Scoreboard};
use crate::tcp::profile::Profile;
use crate::tcp::segment::Ack;
use crate::tcp::sequence::distance;
use crate::tcp::settings::RttSampling;

/// Recoveries without a DSACK after which the reordering window is as at first (6.2, step 4).
const REO_WND_PERSIST: u32 = 16;
/// Greatest factor of the reordering window; compare Linux's `reo_wnd_steps`.
const LARGEST_REO_WND_MULT: u32 = 255;
/// The greatest number of segments by which one counts as late (Linux: `tcp_max_reordering`).
const MOST_REORDERING: u32 = 300;
/// Transmit times allocated at first.
const FIRST_TIMES: usize = 16;

/// When each segment in flight was last sent (Segment.xmit_ts), and whether it was retransmitted
/// (Segment.retransmitted).
#[derive(Clone, Debug)]
pub(in crate::tcp) struct TransmitTimes {
    /// By number modulo the length, a power of two: the time in nanoseconds, times 2, plus 1 for
    /// a retransmission.
    entries: Vec<u64>,
}

impl TransmitTimes {
    fn new() -> TransmitTimes {
        TransmitTimes {
            entries: vec![0; FIRST_TIMES],
        }
    }

    #[inline(always)]
    fn entry(&self, number: u32) -> u64 {
        self.entries[number as usize & (self.entries.len() - 1)]
    }

    /// When `number` was last sent.
    #[inline]
    pub(in crate::tcp) fn sent_at(&self, number: u32) -> Nanos {
        Nanos(self.entry(number) >> 1)
    }

    /// Whether one of `from..to` was retransmitted.
    #[inline]
    pub(super) fn any_retransmission(&self, from: u32, to: u32) -> bool {
        (from..to).any(|number| self.is_retransmission(number))
    }

    /// Whether `number` was retransmitted.
    #[inline]
    pub(in crate::tcp) fn is_retransmission(&self, number: u32) -> bool {
        self.entry(number) & 1 == 1
    }

    /// The round trip of `number`, which is acknowledged now, if it was not retransmitted.
    #[inline(always)]
    pub(in crate::tcp) fn newest_rtt(&self, number: u32, now: Nanos) -> Option<Nanos> {
        (!self.is_retransmission(number)).then(|| now.since(self.sent_at(number)))
    }

    /// Records that `number` is sent now, with `snd_una` the oldest number in flight.
    #[inline(always)]
    pub(in crate::tcp) fn record(
        &mut self,
        snd_una: u32,
        number: u32,
        retransmission: bool,
        now: Nanos,
    ) {
        if distance(snd_una, number) as usize >= self.entries.len() {
            self.grow(snd_una, number);
        }
        let mask = self.entries.len() - 1;
        self.entries[number as usize & mask] = now.0 << 1 | u64::from(retransmission);
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, snd_una: u32, number: u32) {
        let length = (distance(snd_una, number) as usize + 1).next_power_of_two();
        let mut entries = vec![0; length];
        for number in snd_una..number {
            entries[number as usize & (length - 1)] = self.entry(number);
        }
        self.entries = entries;
    }
}

/// What an acknowledgment says about the times of the segments that it reports.
#[derive(Clone, Copy, Debug)]
pub(in crate::tcp) struct AckTime {
    pub(in crate::tcp) now: Nanos,
    /// When the segment was sent whose timestamp it echoes; `None` without timestamps.
    pub(in crate::tcp) echo: Option<Nanos>,
}

impl AckTime {
    pub(in crate::tcp) fn of(profile: &Profile, ack: &Ack, now: Nanos) -> AckTime {
        AckTime {
            now,
            echo: (profile.rtt_sampling != RttSampling::OneAtATime).then_some(ack.echo),
        }
    }
}

/// RACK's state.
#[derive(Clone, Debug)]
pub(in crate::tcp) struct Rack {
    pub(in crate::tcp) times: TransmitTimes,
    /// RACK.min_RTT; NEVER before the first measurement.
    pub(in crate::tcp) min_rtt: Nanos,
    /// RACK.xmit_ts.
    xmit_ts: Nanos,
    /// RACK.end_seq: the number after RACK's segment.
    end_seq: u32,
    /// RACK.fack: the number after the highest segment received.
    fack: u32,
    /// RACK.fack before the ACK being processed.
    prior_fack: u32,
    /// RACK.rtt.
    rtt: Nanos,
    /// RACK.reo_wnd_mult.
    reo_wnd_mult: u32,
    /// RACK.reo_wnd_persist.
    reo_wnd_persist: u32,
    /// RACK.dsack_round: DSACKs count again once `snd_una` is there.
    dsack_round: Option<u32>,
    /// RACK.reordering_seen.
    pub(super) reordering_seen: bool,
    /// The most segments by which one that was sent once was late, as far as was seen
    /// (Linux: `reordering`).
    pub(in crate::tcp) reordering: u32,
    /// The first of the segments that the ACK being processed reports, of those that were sent once.
    pub(super) lowest_original: u32,
    /// RACK.reo_wnd.
    pub(in crate::tcp) reo_wnd: Nanos,
    /// How long the reordering timer is to run from the last detection on; zero: not at all.
    pub(in crate::tcp) timeout: Nanos,
    /// Losses detected by the reordering timer, which no acknowledgment reported yet.
    pub(in crate::tcp) lost_by_timer: u32,
}

impl Rack {
    pub(in crate::tcp) fn new() -> Rack {
        Rack {
            times: TransmitTimes::new(),
            min_rtt: Nanos::NEVER,
            xmit_ts: Nanos::ZERO,
            end_seq: 0,
            fack: 0,
            prior_fack: 0,
            rtt: Nanos::ZERO,
            reo_wnd_mult: 1,
            reo_wnd_persist: REO_WND_PERSIST,
            dsack_round: None,
            reordering_seen: false,
            reordering: 0,
            lowest_original: u32::MAX,
            reo_wnd: Nanos::ZERO,
            timeout: Nanos::ZERO,
            lost_by_timer: 0,
        }
    }

    /// Forgets everything for a new connection, and keeps the memory.
    pub(in crate::tcp) fn restart(&mut self) {
        let times = core::mem::take(&mut self.times.entries);
        *self = Rack {
            times: TransmitTimes { entries: times },
            ..Rack::new()
        };
    }

    /// Begins to process an ACK: everything below `snd_una` was received before.
    pub(in crate::tcp) fn begin_ack(&mut self, snd_una: u32) {
        self.fack = self.fack.max(snd_una);
        self.prior_fack = self.fack;
        self.lowest_original = u32::MAX;
    }

    /// Takes note that `from..to` was received, of which each segment was sent once (6.2, steps 1 to
    /// 3); returns when the first and the last were sent.
    #[inline]
    pub(super) fn on_originals_delivered(
        &mut self,
        from: u32,
        to: u32,
        ack: &AckTime,
    ) -> (Nanos, Nanos) {
        let last = self.times.sent_at(to - 1);
        self.min_rtt = self.min_rtt.min(ack.now.since(last));
        self.lowest_original = self.lowest_original.min(from);
        self.reordering_seen |= from + 1 < self.prior_fack;
        self.take_delivered(to - 1, last, ack);
        (self.times.sent_at(from), last)
    }

    /// Takes note that `number`, which was retransmitted, was received.
    pub(super) fn on_retransmission_delivered(&mut self, number: u32, ack: &AckTime) {
        let sent = self.times.sent_at(number);
        // Step 2: an acknowledgment of an earlier transmission.
        let earlier = ack.echo.is_some_and(|echo| echo < sent);
        if earlier || ack.now.since(sent) < self.min_rtt {
            self.fack = self.fack.max(number + 1);
        } else {
            self.take_delivered(number, sent, ack);
        }
    }

    /// `number` was received, which was sent at `sent`.
    #[inline]
    fn take_delivered(&mut self, number: u32, sent: Nanos, ack: &AckTime) {
        self.fack = self.fack.max(number + 1);
        self.rtt = ack.now.since(sent);
        if (sent, number + 1) > (self.xmit_ts, self.end_seq) {
            (self.xmit_ts, self.end_seq) = (sent, number + 1);
        }
    }

    /// Measures by how many segments a late one was late, with `highest` the highest segment received
    /// (Linux: `tcp_check_sack_reordering`).
    pub(super) fn measure_reordering(&mut self, highest: u32) {
        if self.lowest_original != u32::MAX && self.lowest_original + 1 < self.prior_fack {
            self.note_reordering(self.lowest_original, highest);
        }
    }

    /// Takes note that `number` arrived after `highest`, though it was sent before.
    pub(super) fn note_reordering(&mut self, number: u32, highest: u32) {
        if number < highest {
            self.reordering_seen = true;
            let late_by = distance(number, highest).min(MOST_REORDERING);
            self.reordering = self.reordering.max(late_by);
        }
    }

    /// Whether `number` was last sent before RACK's segment (6.2, RACK_sent_after).
    fn was_sent_before(&self, number: u32) -> bool {
        (self.times.sent_at(number), number + 1) < (self.xmit_ts, self.end_seq)
    }

    /// Takes the DSACK of an acknowledgment up to `snd_una` into account (6.2, step 4).
    pub(in crate::tcp) fn adapt_reo_wnd(&mut self, dsack: bool, snd_una: u32, snd_nxt: u32) {
        if self.dsack_round.is_some_and(|round| snd_una >= round) {
            self.dsack_round = None;
        }
        // 3.3.2: "The RACK reordering window SHOULD adaptively increase [...] if the sender receives
        // a Duplicate Selective Acknowledgment (DSACK) option".
        if dsack && self.dsack_round.is_none() {
            self.dsack_round = Some(snd_nxt);
            self.reo_wnd_mult = (self.reo_wnd_mult + 1).min(LARGEST_REO_WND_MULT);
            self.reo_wnd_persist = REO_WND_PERSIST;
        }
    }

    /// A recovery ends: the sixteenth in a row without a DSACK takes the factor of the reordering
    /// window back (6.2, step 4).
    pub(in crate::tcp) fn on_recovery_end(&mut self) {
        self.reo_wnd_persist = self.reo_wnd_persist.saturating_sub(1);
        if self.reo_wnd_persist == 0 {
            self.reo_wnd_mult = 1;
        }
    }

    /// Sets RACK.reo_wnd (6.2, RACK_update_reo_wnd). `hasty`: in recovery, or with DupThresh
    /// segments received out of order. Without an SRTT there is no upper bound.
    pub(in crate::tcp) fn update_reo_wnd(&mut self, hasty: bool, srtt: Nanos) {
        let known = self.min_rtt != Nanos::NEVER;
        // 3.3.2: "The reordering window SHOULD be set to zero if no reordering has been observed on
        // the connection so far, and either (a) three segments have been SACKed since the last
        // recovery or (b) the sender is already in fast or RTO recovery."
        self.reo_wnd = if !known || (hasty && !self.reordering_seen) {
            Nanos::ZERO
        } else {
            let window = Nanos(u64::from(self.reo_wnd_mult) * self.min_rtt.0 / 4);
            match srtt {
                Nanos::ZERO => window,
                // 3.3.2: "MUST be bounded, and this bound SHOULD be SRTT".
                srtt => window.min(srtt),
            }
        };
    }

    /// Whether an acknowledgment of `from..to`, with nothing received beyond, shows no loss: each of
    /// these was sent once, and what is expected next after all that was received.
    pub(super) fn finds_no_loss(&self, from: u32, to: u32, snd_max: u32) -> bool {
        let newest = (self.xmit_ts, self.end_seq).max((self.times.sent_at(to - 1), to));
        let in_order = to == snd_max || (self.times.sent_at(to), to + 1) > newest;
        in_order && !self.times.any_retransmission(from, to)
    }

    /// How long `number` may take until it is lost, counted from `now` with round trip `rtt`;
    /// zero when it is lost.
    fn remaining(&self, number: u32, rtt: Nanos, now: Nanos) -> Nanos {
        let due = self.times.sent_at(number) + rtt + self.reo_wnd;
        due.since(now.min(due))
    }

    /// Finds what is lost (6.2, RACK_detect_loss), and sets how long the reordering timer is to
    /// run; returns how many segments are newly lost.
    pub(in crate::tcp) fn detect_losses(
        &mut self,
        board: &mut Scoreboard,
        snd_una: u32,
        snd_max: u32,
        now: Nanos,
    ) -> u32 {
        let mut lost = 0;
        let mut timeout = Nanos::ZERO;
        let mut next = board.lost_below.max(snd_una);
        while let Some(number) = board.hole(next, snd_max)
            && self.was_sent_before(number)
        {
            next = number + 1;
            match self.remaining(number, self.rtt, now) {
                Nanos::ZERO => lost += board.raise_lost_below(snd_una, next),
                remaining => timeout = timeout.max(remaining),
            }
        }
        lost += board.judge_retransmissions(snd_una, |number| {
            if !self.was_sent_before(number) {
                return RetransmissionFate::SentLater;
            }
            match self.remaining(number, self.rtt, now) {
                Nanos::ZERO => RetransmissionFate::Lost,
                remaining => {
                    timeout = timeout.max(remaining);
                    RetransmissionFate::Pending
                }
            }
        });
        self.timeout = timeout;
        lost
    }

    /// Marks what the retransmission timer shows to be lost (6.3, RACK_mark_losses_on_RTO), with
    /// SRTT in place of RACK.rtt.
    pub(in crate::tcp) fn mark_losses_on_rto(
        &self,
        board: &mut Scoreboard,
        (snd_una, snd_max): (u32, u32),
        srtt: Nanos,
        now: Nanos,
    ) {
        let mut next = board.lost_below.max(snd_una);
        while let Some(number) = board.hole(next, snd_max)
            && self.remaining(number, srtt, now) == Nanos::ZERO
        {
            next = number + 1;
        }
        board.raise_lost_below(snd_una, next.max(snd_una + 1));
        board.judge_retransmissions(snd_una, |number| {
            if number == snd_una || self.remaining(number, srtt, now) == Nanos::ZERO {
                RetransmissionFate::Lost
            } else {
                RetransmissionFate::Pending
            }
        });
    }
}
