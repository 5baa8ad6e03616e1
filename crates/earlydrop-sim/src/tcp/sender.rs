//! The sender: what is sent when, and what is known of it.
//!
//! Numbers from `acknowledged` on are unacknowledged; `next` is sent next, and lies
//! below `sent` while segments are sent again after a timeout; `end` is where the
//! application's data ends.
//! ```text
//! first ... acknowledged ... next ... sent ... end
//!           |-- in flight ---|
//! ```
//! What an acknowledgment does to this is in `recovery`.

use earlydrop::packet::{Ecn, FlowKey};
use earlydrop::units::Nanos;

use super::control::{AnyControl, Control};
use super::profile::{EcnMode, Handshake, Profile, Recovery, RoundTrips, Rules};
use super::scoreboard::Scoreboard;
use super::selective::Extra;
use super::timer::Estimator;
use super::{Ack, Segment};

/// Tells the seed made from a time from other uses of that time.
const SEED_SALT: u64 = 0xc0ff_ee00;

/// What a sender did, since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderCounts {
    /// Segments sent, those sent again included.
    pub segments: u32,
    /// Segments sent again.
    pub retransmissions: u32,
    /// Times the retransmission timer ran out with segments outstanding.
    pub timeouts: u32,
    /// Times a loss was found without it.
    pub recoveries: u32,
    /// Times the window was reduced for a mark.
    pub marks: u32,
}

impl SenderCounts {
    /// What was counted after `earlier`, a state of the same sender.
    pub fn since(&self, earlier: &SenderCounts) -> SenderCounts {
        self.with(earlier, |now, before| now - before)
    }

    /// Two senders' counts together.
    pub fn plus(&self, other: &SenderCounts) -> SenderCounts {
        self.with(other, |one, other| one + other)
    }

    fn with(&self, other: &SenderCounts, join: fn(u32, u32) -> u32) -> SenderCounts {
        SenderCounts {
            segments: join(self.segments, other.segments),
            retransmissions: join(self.retransmissions, other.retransmissions),
            timeouts: join(self.timeouts, other.timeouts),
            recoveries: join(self.recoveries, other.recoveries),
            marks: join(self.marks, other.marks),
        }
    }
}

/// What a sender counts of [`SenderCounts`]: the segments follow from their numbers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counted {
    pub(super) retransmissions: u32,
    pub(super) timeouts: u32,
    pub(super) recoveries: u32,
    pub(super) marks: u32,
}

/// What happened to the window last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Last {
    /// Nothing since the connection began.
    Nothing,
    /// It was cut for a loss, which is being repaired.
    FastRecovery,
    /// That loss was repaired.
    Recovered,
    /// The retransmission timer ran out.
    Timeout,
    /// It was cut for a mark.
    Mark,
}

/// Sends segments of one connection at a time.
///
/// What every acknowledgment needs stands first.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Sender {
    pub(super) acknowledged: u32,
    pub(super) next: u32,
    /// Numbers below it may be sent now.
    pub(super) stop: u32,
    pub(super) sent: u32,
    pub(super) end: u32,
    /// The window in whole segments, as far as the receiver lets it be used.
    pub(super) allowed: u32,
    /// Segments by which duplicates let the window out.
    pub(super) inflation: i32,
    /// The segment that is timed.
    pub(super) timed: u32,
    /// When the retransmission timer runs out.
    pub(super) expiry: Nanos,
    pub(super) last_sent: Nanos,
    pub(super) control: AnyControl,
    /// Whether `acknowledged` is to be sent again, whatever the window.
    pub(super) resend: bool,
    /// Whether holes are being filled by what the scoreboard says.
    pub(super) selective: bool,
    /// Whether the controller spreads sending over time, or measures deliveries.
    pub(super) paced: bool,
    /// Whether sending waits for `release`.
    pub(super) held: bool,
    /// Whether the connection is not accepted yet.
    pub(super) requesting: bool,
    /// Whether the next segment says that the window was reduced.
    pub(super) reduced: bool,
    /// Whether acknowledgments need more than the usual path.
    pub(super) careful: bool,
    /// Whether a segment is timed.
    pub(super) timing: bool,
    pub(super) last: Last,
    /// Whether this recovery saw an acknowledgment of a part of its window.
    pub(super) partial: bool,
    /// Whether a mark arrived with the window at 1 already (ns-2).
    pub(super) marked_at_one: bool,
    /// Whether nothing was acknowledged since the last timeout.
    pub(super) timed_out: bool,
    /// Whether the first segment of a connection was lost.
    pub(super) request_lost: bool,
    /// Acknowledgments that repeated the one before, one after the other.
    pub(super) duplicates: u32,
    /// When the segment that is timed was sent.
    pub(super) timed_at: Nanos,
    pub(super) timer: Estimator,
    /// The window may be cut when numbers from here on are acknowledged.
    pub(super) bar: u32,
    pub(super) first: u32,
    /// When the connection began.
    pub(super) began: Nanos,
    /// Before it, nothing new is sent.
    pub(super) release: Nanos,
    pub(super) extra: Option<Box<Extra>>,
    pub(super) counts: Counted,
}

impl Sender {
    /// A sender whose connection starts at number 0, with nothing to send yet.
    pub fn new(profile: &Profile, now: Nanos) -> Sender {
        let selective = profile.recovery == Recovery::Sack;
        let mut sender = Sender::at(0, profile, now);
        sender.extra = selective.then(|| Extra::boxed(sender.control.wants_delivery_rate(), now));
        sender.refresh(profile);
        sender
    }

    /// A new connection on the same numbering: it starts with the number after the last
    /// that was sent, and with nothing to send. The receiver is to be told
    /// ([`Receiver::restart`](super::Receiver::restart)).
    ///
    /// With ns-2's rules a sender that lost a connection request goes on beginning with
    /// a window of 1.
    pub fn restart(&mut self, profile: &Profile, now: Nanos) {
        let extra = self.extra.take();
        let fresh = Sender {
            request_lost: self.request_lost && profile.rules == Rules::Ns2,
            counts: self.counts,
            ..Sender::at(self.sent, profile, now)
        };
        *self = fresh;
        self.extra = extra;
        if let Some(extra) = &mut self.extra {
            extra.restart(now);
        }
        if self.request_lost {
            self.control.on_restart(now, 1.0);
        }
        self.refresh(profile);
    }

    /// A sender whose connection starts at `first`.
    fn at(first: u32, profile: &Profile, now: Nanos) -> Sender {
        // Two connections need not draw alike: they start at other times.
        let control = AnyControl::new(profile, FlowKey(now.0).hash(SEED_SALT));
        Sender {
            acknowledged: first,
            next: first,
            stop: first,
            sent: first,
            end: first,
            allowed: 0,
            careful: true,
            last: Last::Nothing,
            timing: false,
            resend: false,
            reduced: false,
            partial: false,
            marked_at_one: false,
            timed_out: false,
            requesting: profile.handshake == Handshake::ThreeWay,
            request_lost: false,
            selective: false,
            paced: control.paces() || control.wants_delivery_rate(),
            held: false,
            // ns-2 compares its first `recover_`, 0, with the number acknowledged, which
            // is one less than ours.
            bar: match profile.rules {
                Rules::Standard => first,
                Rules::Ns2 => first + 2,
            },
            duplicates: 0,
            inflation: 0,
            first,
            began: now,
            timed: 0,
            timed_at: Nanos::ZERO,
            last_sent: now,
            expiry: Nanos::NEVER,
            release: Nanos::ZERO,
            timer: Estimator::new(&profile.timer, profile.rules, now),
            control,
            extra: None,
            counts: Counted::default(),
        }
    }

    /// The application has data up to `end`, itself left out; `u32::MAX` is endless.
    pub fn supply(&mut self, end: u32) {
        self.end = self.end.max(end);
        self.stop = self.stop_at(self.allowed);
    }

    /// The application has nothing more than what was sent already.
    pub fn withdraw(&mut self) {
        self.end = self.sent;
        self.stop = self.stop_at(self.allowed);
    }

    /// An acknowledgment arrived.
    #[inline(always)]
    pub fn on_ack(&mut self, profile: &Profile, ack: &Ack, now: Nanos) {
        let plain = !ack.ece && ack.sacked.is_empty();
        if !(plain && self.on_plain_ack(profile, ack.next, ack.echo, now)) {
            self.on_unusual_ack(profile, ack, now);
        }
    }

    /// The same of an acknowledgment up to `next` that says nothing but the time it echoes,
    /// where it is simply of the next segments. `false`: this did nothing.
    #[inline(always)]
    pub fn on_plain_ack(&mut self, profile: &Profile, next: u32, echo: Nanos, now: Nanos) -> bool {
        let news = next > self.acknowledged && next <= self.sent;
        if !news || self.careful {
            return false;
        }
        let ack = Ack {
            next,
            echo,
            echo_retransmitted: false,
            ece: false,
            sacked: &[],
        };
        self.advance(profile, &ack, now, false);
        self.refresh(profile);
        true
    }

    /// The next segment to send now, if there is one; to be called until there is none,
    /// after every other call.
    #[inline]
    pub fn poll_transmit(&mut self, profile: &Profile, now: Nanos) -> Option<Segment> {
        if self.sends_specially() {
            return self.poll_unusual(profile, now);
        }
        if self.next >= self.stop {
            return None;
        }
        if self.acknowledged == self.sent {
            self.wake(profile, now);
        }
        let number = self.next;
        self.next += 1;
        Some(self.emit(profile, number, now))
    }

    /// The same of a sender that [may have more](Sender::may_have_more), where all there is
    /// to be said of the segment is that it is new, and its number; `None`: this did
    /// nothing.
    #[inline(always)]
    pub fn poll_plain(&mut self, now: Nanos) -> Option<u32> {
        let special = self.sends_specially() || self.requesting | self.reduced;
        let number = self.next;
        let goes_on = number == self.sent && number != self.acknowledged;
        if special || !goes_on || self.expiry == Nanos::NEVER {
            return None;
        }
        self.next = number + 1;
        self.sent = number + 1;
        if !self.timing {
            self.timing = true;
            self.timed = number;
            self.timed_at = now;
        }
        self.last_sent = now;
        Some(number)
    }

    /// Whether [`Sender::poll_transmit`] may have another segment now; else it has none.
    #[inline]
    pub fn may_have_more(&self) -> bool {
        self.sends_specially() || self.next < self.stop
    }

    /// Whether more counts for what is sent than the window. The four stand side by side,
    /// and are looked at together.
    #[inline(always)]
    fn sends_specially(&self) -> bool {
        let Sender {
            resend,
            selective,
            paced,
            held,
            ..
        } = self;
        u32::from_ne_bytes([*resend, *selective, *paced, *held].map(u8::from)) != 0
    }

    /// The next segment of a sender that repairs a loss, or spreads sending over time.
    #[cold]
    fn poll_unusual(&mut self, profile: &Profile, now: Nanos) -> Option<Segment> {
        let Some(mut extra) = self.extra.take() else {
            let number = self.pick(profile, &Scoreboard::default());
            return self.send_picked(profile, number?, now);
        };
        let picked = self.pick(profile, &extra.board);
        let in_flight = self.pipe(&extra.board);
        let segment = picked.and_then(|number| {
            let first = self.resend;
            let segment = self.send_picked(profile, number, now)?;
            if self.selective && first {
                self.on_first_repair(profile, &mut extra.board);
            } else if self.selective {
                self.on_chosen(&mut extra.board, number);
            }
            if let Some(deliveries) = &mut extra.deliveries {
                deliveries.on_sent(self.acknowledged, number, in_flight, now);
            }
            Some(segment)
        });
        if let Some(deliveries) = &mut extra.deliveries
            && picked.is_none()
            && self.next >= self.end
            && in_flight < self.allowed
        {
            deliveries.on_application_limited(in_flight);
        }
        self.extra = Some(extra);
        segment
    }

    /// The number to send next, if the window lets one be sent.
    fn pick(&self, profile: &Profile, board: &Scoreboard) -> Option<u32> {
        if self.resend {
            Some(self.acknowledged)
        } else if self.selective {
            self.choose(profile, board)
        } else {
            (self.next < self.stop).then_some(self.next)
        }
    }

    /// Sends `number`, unless it is too early.
    fn send_picked(&mut self, profile: &Profile, number: u32, now: Nanos) -> Option<Segment> {
        if self.acknowledged == self.sent {
            self.wake(profile, now);
        }
        if let Some(rate) = self.control.pacing_rate() {
            self.held = now < self.release;
            if self.held {
                return None;
            }
            let gap = Nanos::from_secs_f64(1.0 / rate);
            self.release = self.release.max(now) + gap;
        }
        if !core::mem::take(&mut self.resend) && !self.selective {
            self.next = number + 1;
        }
        Some(self.emit(profile, number, now))
    }

    /// Sending starts again after everything was acknowledged.
    fn wake(&mut self, profile: &Profile, now: Nanos) {
        let timeout = self.timer.timeout();
        let idle = now.since(self.last_sent) > timeout && self.sent > self.first;
        if idle && profile.slow_start_restart && profile.rules == Rules::Standard {
            let initial = f64::from(profile.initial_window);
            self.control.on_restart(now, initial);
            self.refresh(profile);
        }
        self.expiry = Nanos::NEVER;
    }

    #[inline]
    fn emit(&mut self, profile: &Profile, number: u32, now: Nanos) -> Segment {
        let new = number >= self.sent;
        let syn = self.requesting && number == self.first;
        if new {
            self.sent = number + 1;
            if !self.timing {
                self.timing = true;
                self.timed = number;
                self.timed_at = now;
            }
        } else {
            self.counts.retransmissions += 1;
        }
        self.last_sent = now;
        if self.expiry == Nanos::NEVER {
            self.expiry = now + self.timer.timeout();
        }
        let capable = !syn && (new || profile.ecn_on_retransmissions);
        let cwr = self.reduced && (new || profile.rules == Rules::Ns2);
        if cwr {
            self.reduced = false;
        }
        Segment {
            number,
            size: if syn {
                profile.ack_size
            } else {
                profile.segment_size
            },
            retransmission: !new,
            ecn: if capable {
                profile.ecn.codepoint()
            } else {
                Ecn::NotCapable
            },
            cwr: cwr && profile.ecn == EcnMode::Classic,
            syn,
        }
    }

    /// Computes anew how far may be sent.
    #[inline(always)]
    pub(super) fn refresh(&mut self, profile: &Profile) {
        let window = self.control.window() as u32;
        let mut allowed = window.min(profile.receiver_window);
        if self.inflation != 0 {
            let inflated = allowed.saturating_add_signed(self.inflation);
            allowed = inflated.min(profile.receiver_window);
        }
        let allowed = allowed.max(1);
        self.allowed = if self.requesting { 1 } else { allowed };
        self.stop = self.stop_at(self.allowed);
        self.limit_burst(profile.max_burst.unwrap_or(u32::MAX));
    }

    /// Where sending ends with `window` segments outstanding.
    #[inline]
    pub(super) fn stop_at(&self, window: u32) -> u32 {
        self.acknowledged.saturating_add(window).min(self.end)
    }

    /// Lets at most `burst` segments be sent until something else happens.
    #[inline]
    pub(super) fn limit_burst(&mut self, burst: u32) {
        self.stop = self.stop.min(self.next.saturating_add(burst));
    }

    /// Starts the retransmission timer anew.
    #[inline]
    pub(super) fn rearm(&mut self, now: Nanos) {
        self.expiry = now + self.timer.timeout();
    }

    /// The time at which [`Sender::on_timer`] is to be called, unless something happens
    /// before; [`Nanos::NEVER`] when there is none.
    #[inline]
    pub fn deadline(&self) -> Nanos {
        if self.held {
            self.release.min(self.expiry)
        } else {
            self.expiry
        }
    }

    /// Takes the round trip that `ack` measures, where it does.
    #[inline(always)]
    pub(super) fn measure(&mut self, profile: &Profile, ack: &Ack, now: Nanos) -> Option<Nanos> {
        let span = match profile.round_trips {
            RoundTrips::OneAtATime => {
                if !self.timing || ack.next <= self.timed {
                    return None;
                }
                self.timing = false;
                if !(ack.ece && self.marked_at_one) {
                    self.timer.end_backoff(&profile.timer, profile.rules);
                    self.marked_at_one = false;
                }
                now.since(self.timed_at)
            }
            RoundTrips::Every => {
                self.timer.end_backoff(&profile.timer, profile.rules);
                now.since(ack.echo)
            }
        };
        self.timer.measure(&profile.timer, profile.rules, span, now);
        Some(span)
    }

    /// Everything before this number was acknowledged.
    #[inline]
    pub fn acknowledged(&self) -> u32 {
        self.acknowledged
    }

    /// Segments believed to be on their way: losses not known of included, those known
    /// to have arrived or to be lost left out as far as the way of recovery tells.
    #[inline]
    pub fn in_flight(&self) -> u32 {
        match &self.extra {
            None => self.next - self.acknowledged,
            Some(extra) => self.pipe(&extra.board),
        }
    }

    /// The congestion window, in segments.
    pub fn window(&self) -> f64 {
        self.control.window()
    }

    /// The window at which slow start ends, in segments.
    pub fn threshold(&self) -> f64 {
        self.control.threshold()
    }

    /// The smoothed round trip; zero before the first measurement.
    #[inline]
    pub fn smoothed_rtt(&self, profile: &Profile) -> Nanos {
        self.timer.smoothed(&profile.timer, profile.rules)
    }

    /// How long the retransmission timer runs.
    pub fn timeout(&self) -> Nanos {
        self.timer.timeout()
    }

    /// What was done so far.
    pub fn counts(&self) -> SenderCounts {
        SenderCounts {
            segments: self.segments(),
            retransmissions: self.counts.retransmissions,
            timeouts: self.counts.timeouts,
            recoveries: self.counts.recoveries,
            marks: self.counts.marks,
        }
    }

    /// Segments sent, those sent again included: a connection goes on in the numbering of
    /// the one before.
    pub(super) fn segments(&self) -> u32 {
        self.sent.wrapping_add(self.counts.retransmissions)
    }
}
