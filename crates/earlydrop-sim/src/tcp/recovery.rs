//! What acknowledgments and the timer tell of losses: Tahoe, Reno and NewReno.
//!
//! RFC 5681 and RFC 6582, with W the controller's window, T its threshold and i the
//! segments by which duplicates let the window out:
//! ```text
//! 3rd duplicate      send the segment again; cut W and T; i = 3       (Tahoe: W = 1)
//! each further one   i += 1
//! part of the window acknowledged, n segments (NewReno)
//!                    send the next hole again; i -= n - 1
//! all of it (Reno: anything)
//!                    i = 0
//! timeout            W = 1, start again at the first unacknowledged segment
//! ```
//! No second cut for the same window: a loss counts as new once a segment sent after
//! the last cut was acknowledged (RFC 6582, section 3.2, step 2; ns-2's "bugfix").
//! After a cut for a mark the lost segment is sent again without another cut.
//!
//! ns-2 differs: NewReno answers a duplicate with two segments at most; a window let
//! out by less than a partial acknowledgment covers is itself reduced by the rest; when
//! recovery ends, the acknowledgment that ends it lets the window grow.

use earlydrop::units::Nanos;

use super::Ack;
use super::control::{Acked, Congestion, Control, Signal};
use super::profile::{EcnMode, Profile, Recovery, Reduction, Rules};
use super::reduction::Proportion;
use super::sender::{Last, Sender};

/// Segments ns-2's NewReno sends at most for a duplicate acknowledgment.
const NS2_RECOVERY_BURST: u32 = 2;

/// The timeout when a connection's request was lost and no round trip could be measured
/// (RFC 6298, 5.7).
const AFTER_LOST_REQUEST: Nanos = Nanos::from_secs(3);

impl Sender {
    /// Takes new data acknowledged into account, `repairing` a loss or not.
    #[inline(always)]
    pub(super) fn advance(&mut self, profile: &Profile, ack: &Ack, now: Nanos, repairing: bool) {
        let in_flight = self.outstanding();
        let segments = ack.next - self.acknowledged;
        self.acknowledged = ack.next;
        self.next = self.next.max(ack.next);
        self.duplicates = 0;
        self.timed_out = false;
        let rtt = self.measure(profile, ack, now);
        self.rearm_after_news(profile, now);
        if !repairing && self.control.grow_as_ns2() {
            return;
        }
        let whole = self.control.window() as u32;
        self.control.on_acked(&Acked {
            now,
            segments,
            marked: self.marked(profile, ack, segments),
            in_flight,
            rtt,
            smoothed_rtt: self.smoothed_rtt(profile),
            window_limited: in_flight >= whole,
            recovering: repairing,
            delivery: None,
        });
    }

    /// Segments sent, since the last timeout, and not acknowledged in turn: the RFCs'
    /// FlightSize.
    #[inline]
    pub(super) fn outstanding(&self) -> u32 {
        self.next - self.acknowledged
    }

    /// Starts the timer anew; once everything is acknowledged it stops, but that ns-2
    /// lets it run on to close the window of a connection that stays idle.
    #[inline]
    pub(super) fn rearm_after_news(&mut self, profile: &Profile, now: Nanos) {
        let closes_when_idle = profile.rules == Rules::Ns2 && profile.slow_start_restart;
        if self.acknowledged < self.sent || closes_when_idle {
            self.rearm(now);
        } else {
            self.expiry = Nanos::NEVER;
        }
    }

    #[inline]
    pub(super) fn marked(&self, profile: &Profile, ack: &Ack, segments: u32) -> u32 {
        let counts = matches!(profile.ecn, EcnMode::Dctcp | EcnMode::L4s);
        if ack.ece && counts { segments } else { 0 }
    }

    /// An acknowledgment that is not simply of the next segments.
    #[cold]
    pub(crate) fn on_unusual_ack(&mut self, profile: &Profile, ack: &Ack, now: Nanos) {
        // A segment of the connection before, arriving late, says nothing of this one.
        let stale = ack.next == self.acknowledged && ack.echo < self.began;
        if ack.next < self.acknowledged || ack.next > self.sent || stale {
            return;
        }
        let marked = ack.ece && profile.ecn != EcnMode::Off && !self.requesting;
        let in_flight = self.outstanding();
        if marked && profile.rules == Rules::Ns2 {
            self.on_mark(profile, ack.next, in_flight, now);
        }
        if self.requesting {
            self.on_accepted(profile, ack, now);
        } else if let Some(mut extra) = self.extra.take() {
            self.on_selective_ack(profile, &mut extra, ack, now);
            self.extra = Some(extra);
        } else if ack.next > self.acknowledged {
            self.on_news(profile, ack, now);
        } else if self.acknowledged < self.sent {
            self.on_duplicate(profile, now);
        }
        if marked && profile.rules == Rules::Standard {
            self.on_mark(profile, ack.next, in_flight, now);
        }
        if !ack.ece {
            self.marked_at_one = false;
        }
        self.careful = self.requesting || self.last == Last::FastRecovery || self.is_detailed();
    }

    /// The same of one that says nothing but the time it echoes, where it only repeats the
    /// one before. `false`: this did nothing.
    #[inline(always)]
    pub(crate) fn on_plain_duplicate(
        &mut self,
        profile: &Profile,
        next: u32,
        echo: Nanos,
        now: Nanos,
    ) -> bool {
        let repeats = next == self.acknowledged && self.acknowledged < self.sent;
        if !repeats || self.requesting || self.extra.is_some() || echo < self.began {
            return false;
        }
        self.on_duplicate(profile, now);
        self.marked_at_one = false;
        self.careful = self.last == Last::FastRecovery;
        true
    }

    /// Whether the scoreboard or the delivery rate must see the next acknowledgment.
    fn is_detailed(&self) -> bool {
        self.extra.as_ref().is_some_and(|extra| {
            self.selective
                || extra.board.sacked() > 0
                || extra.deliveries.is_some()
                || extra.reduction.is_some()
        })
    }

    /// A mark was echoed by an acknowledgment up to `next`, with `in_flight` segments
    /// outstanding until it came.
    fn on_mark(&mut self, profile: &Profile, next: u32, in_flight: u32, now: Nanos) {
        let ns2 = profile.rules == Rules::Ns2;
        if next < self.bar && !(ns2 && self.last == Last::Timeout) {
            return;
        }
        self.bar = self.sent + 1;
        self.last = Last::Mark;
        let at_one = self.control.window() <= 1.0;
        if ns2 && at_one && self.marked_at_one {
            self.timer.back_off(&profile.timer, profile.rules);
        }
        self.marked_at_one = ns2 && at_one;
        if ns2 {
            self.control.shift(f64::from(self.inflation));
        }
        self.cut(profile, Signal::Mark, in_flight, now);
        self.counts.marks += 1;
        if profile.reduction == Reduction::Proportional
            && let Some(mut extra) = self.extra.take()
        {
            let delivered = in_flight.saturating_sub(self.outstanding());
            let reduction = Proportion::begin(in_flight, delivered, self.segments());
            extra.reduction = Some(reduction);
            self.refresh_selective(profile, &mut extra);
            self.extra = Some(extra);
        } else {
            self.refresh(profile);
        }
    }

    /// Cuts the window, `in_flight` segments having been outstanding.
    pub(super) fn cut(&mut self, profile: &Profile, signal: Signal, in_flight: u32, now: Nanos) {
        let whole = (self.control.window() as u32).max(1);
        self.control.on_congestion(&Congestion {
            now,
            signal,
            in_flight: in_flight.min(whole),
            smoothed_rtt: self.smoothed_rtt(profile),
        });
        self.reduced = true;
    }

    /// New data was acknowledged, in recovery or with a mark.
    fn on_news(&mut self, profile: &Profile, ack: &Ack, now: Nanos) {
        let repairing = self.last == Last::FastRecovery;
        let stays = matches!(profile.recovery, Recovery::NewReno | Recovery::Sack);
        if repairing && stays && ack.next + 1 < self.bar {
            return self.on_partial(profile, ack, now);
        }
        self.inflation = 0;
        self.partial = false;
        let told_otherwise = ack.ece && profile.ecn == EcnMode::Classic;
        let ends = repairing && profile.rules == Rules::Standard;
        self.advance(profile, ack, now, ends || told_otherwise);
        if repairing {
            self.last = Last::Recovered;
            self.control.on_recovered(now);
        }
        self.refresh(profile);
    }

    /// The connection is accepted: the window is the initial one, grown by nothing.
    fn on_accepted(&mut self, profile: &Profile, ack: &Ack, now: Nanos) {
        if ack.next == self.acknowledged {
            return;
        }
        self.acknowledged = ack.next;
        self.next = self.next.max(ack.next);
        self.duplicates = 0;
        self.timed_out = false;
        let rtt = self.measure(profile, ack, now);
        if rtt.is_none() && profile.rules == Rules::Standard {
            self.timer
                .restart_with(&profile.timer, profile.rules, AFTER_LOST_REQUEST);
        }
        self.rearm_after_news(profile, now);
        self.requesting = false;
        self.selective = false;
        self.refresh(profile);
    }

    /// A part of what was sent before recovery began was acknowledged.
    fn on_partial(&mut self, profile: &Profile, ack: &Ack, now: Nanos) {
        let segments = ack.next - self.acknowledged;
        if profile.rules == Rules::Ns2 {
            if !self.partial {
                self.rearm(now);
            }
            self.deflate_as_ns2(segments);
            self.acknowledged = ack.next;
            self.next = self.next.max(ack.next);
            if self.timing && ack.next > self.timed {
                self.timing = false;
                self.timer.end_backoff(&profile.timer, profile.rules);
            }
        } else {
            let expiry = self.expiry;
            let duplicates = self.duplicates;
            self.inflation -= segments as i32 - 1;
            self.advance(profile, ack, now, true);
            self.duplicates = duplicates;
            if self.partial {
                self.expiry = expiry;
            }
        }
        self.partial = true;
        self.resend = true;
        self.refresh(profile);
        if profile.rules == Rules::Ns2 {
            self.limit_burst(NS2_RECOVERY_BURST);
        }
    }

    fn deflate_as_ns2(&mut self, segments: u32) {
        let segments = segments as i32;
        if self.inflation > segments {
            self.inflation -= segments - 1;
        } else {
            self.control.shift(-f64::from(segments - self.inflation));
            self.inflation = 1;
        }
    }

    /// Nothing new was acknowledged: a segment arrived out of its turn.
    fn on_duplicate(&mut self, profile: &Profile, now: Nanos) {
        self.duplicates += 1;
        let threshold = profile.duplicate_threshold;
        if self.duplicates < threshold {
            if profile.limited_transmit {
                self.transmit_one_more(profile);
            }
            return;
        }
        if self.duplicates == threshold {
            self.on_loss(profile, now);
        } else if self.last == Last::FastRecovery {
            self.inflation += 1;
        }
        self.refresh(profile);
        if profile.rules == Rules::Ns2 && profile.recovery == Recovery::NewReno {
            self.limit_burst(NS2_RECOVERY_BURST);
        }
    }

    /// RFC 3042: a segment arrived, so a new one may leave.
    pub(super) fn transmit_one_more(&mut self, profile: &Profile) {
        let out = self.allowed.saturating_add(self.duplicates);
        let window = out.min(profile.receiver_window);
        self.stop = self.acknowledged.saturating_add(window).min(self.end);
        self.limit_burst(1);
    }

    /// So many duplicates tell that the segment expected was lost.
    fn on_loss(&mut self, profile: &Profile, now: Nanos) {
        let ns2 = profile.rules == Rules::Ns2;
        let first_of_all = ns2 && self.acknowledged == self.first + 1;
        let tahoe = profile.recovery == Recovery::Tahoe;
        if self.acknowledged >= self.bar || first_of_all {
            self.bar = self.sent + 1;
            if tahoe {
                self.control.on_timeout(now, self.outstanding(), false);
                self.reduced = true;
            } else {
                self.cut(profile, Signal::Loss, self.outstanding(), now);
            }
        } else if self.last == Last::Mark {
            if tahoe {
                self.control.on_restart(now, 1.0);
                self.reduced = true;
            }
            if !ns2 {
                self.bar = self.sent + 1;
            }
        } else {
            return;
        }
        if tahoe {
            self.count_recovery(now);
            self.last = Last::Recovered;
            self.next = self.acknowledged;
        } else {
            self.begin_repair(now);
            self.inflation = profile.duplicate_threshold as i32;
        }
    }

    /// A loss was found without the timer, which starts anew.
    fn count_recovery(&mut self, now: Nanos) {
        self.counts.recoveries += 1;
        self.timing = false;
        self.rearm(now);
    }

    /// A loss was found, and is repaired from the first segment unacknowledged on.
    pub(super) fn begin_repair(&mut self, now: Nanos) {
        self.count_recovery(now);
        self.last = Last::FastRecovery;
        self.resend = true;
    }

    /// To be called at the [deadline](Sender::deadline); before it, nothing happens.
    pub fn on_timer(&mut self, profile: &Profile, now: Nanos) {
        if self.held && now >= self.release {
            self.held = false;
        }
        if now < self.expiry {
            return;
        }
        self.timing = false;
        self.inflation = 0;
        self.duplicates = 0;
        self.partial = false;
        self.resend = false;
        self.bar = self.sent + 1;
        if self.acknowledged == self.sent {
            self.expiry = Nanos::NEVER;
            self.control.on_restart(now, 1.0);
            self.reduced = true;
        } else {
            self.on_timeout(profile, now);
            self.timed_out = true;
        }
        self.last = Last::Timeout;
        self.next = self.acknowledged;
        if let Some(mut extra) = self.extra.take() {
            self.on_timeout_selective(profile, &mut extra);
            self.extra = Some(extra);
        }
        self.careful = self.requesting || self.is_detailed();
        self.refresh(profile);
    }

    /// The timer ran out with segments outstanding.
    fn on_timeout(&mut self, profile: &Profile, now: Nanos) {
        let ns2 = profile.rules == Rules::Ns2;
        self.counts.timeouts += 1;
        self.request_lost |= self.acknowledged == self.first;
        if ns2 && self.last == Last::Mark {
            self.control.on_restart(now, 1.0);
        } else {
            self.control
                .on_timeout(now, self.outstanding(), self.timed_out);
        }
        self.reduced = true;
        self.timer.back_off(&profile.timer, profile.rules);
        self.rearm(now);
    }
}
