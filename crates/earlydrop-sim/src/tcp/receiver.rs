//! The receiver: what arrived, and what is said of it.
//!
//! RFC 5681, section 4.2: an acknowledgment for every second segment at the latest, at
//! once for a segment out of its turn or one that fills a hole. RFC 3168, section
//! 6.1.3: a mark is echoed until the sender says it reduced its window. RFC 8257,
//! section 3.2: the echo says whether the segments acknowledged were marked, and when
//! that changes, those before the change are acknowledged at once. A change that comes
//! with a segment out of turn is told by that segment's acknowledgment alone.

use earlydrop::packet::Ecn;
use earlydrop::units::Nanos;

use super::held::Held;
use super::profile::{DelayedAcks, EcnMode, Profile, Recovery};
use super::{Ack, Range, Segment};

/// Ranges an acknowledgment has room for.
const RANGES: usize = 3;
/// Quick acknowledgments, where a profile has them: when a connection begins, and after a mark.
const QUICK_AT_FIRST: u8 = 16;
const QUICK_AFTER_MARK: u8 = 2;

/// A segment that arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Its number.
    pub number: u32,
    /// Its ECN field on arrival.
    pub ecn: Ecn,
    /// RFC 3168's "congestion window reduced".
    pub cwr: bool,
    /// Whether it was sent before.
    pub retransmission: bool,
    /// When this copy was sent.
    pub sent: Nanos,
}

impl Arrival {
    /// `segment`, sent at `sent`, arriving as it left.
    pub fn of(segment: &Segment, sent: Nanos) -> Arrival {
        Arrival {
            number: segment.number,
            ecn: segment.ecn,
            cwr: segment.cwr,
            retransmission: segment.retransmission,
            sent,
        }
    }
}

/// An acknowledgment to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The next number expected.
    pub next: u32,
    /// When the first segment it acknowledges was sent, or the one out of its turn.
    pub echo: Nanos,
    /// Whether that one was a retransmission.
    pub echo_retransmitted: bool,
    /// RFC 3168's "ECN echo".
    pub ece: bool,
    /// How many of `ranges` are filled.
    pub length: u8,
    /// What arrived beyond `next`, the most recent first.
    pub ranges: [Range; RANGES],
}

impl Reply {
    /// What arrived beyond `next`, the most recent first.
    pub fn sacked(&self) -> &[Range] {
        &self.ranges[..usize::from(self.length)]
    }

    /// The same, as a sender takes it.
    pub fn as_ack(&self) -> Ack<'_> {
        Ack {
            next: self.next,
            echo: self.echo,
            echo_retransmitted: self.echo_retransmitted,
            ece: self.ece,
            sacked: self.sacked(),
        }
    }
}

/// What an acknowledgment echoes of a segment: when this copy of it was sent, and whether
/// others were before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Echo {
    pub(crate) sent: Nanos,
    pub(crate) again: bool,
}

/// What a receiver says of a segment that came in its turn.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Say {
    /// Nothing yet.
    Nothing,
    /// That everything up to it has arrived.
    Acknowledge(Echo),
}

/// Receives segments and acknowledges them.
#[derive(Clone, Debug)]
#[repr(C)] // What every segment needs first.
pub struct Receiver {
    next: u32,
    received: u32,
    /// What arrived beyond `next`, the most recent first.
    held: Held,
    /// Whether nothing of this connection arrived yet.
    fresh: bool,
    /// Whether marks are echoed: with RFC 3168 until the window is reduced, with RFC
    /// 8257 as the last segment was.
    echoing: bool,
    echo_retransmitted: bool,
    /// Acknowledgments that will not be held back.
    quick: u8,
    /// Segments not acknowledged yet.
    waiting: u32,
    duplicates: u32,
    echo: Nanos,
    deadline: Nanos,
}

impl Receiver {
    /// Asks the caches for what is kept of segments out of their turn.
    #[inline]
    pub(crate) fn look_ahead(&self) {
        self.held.look_ahead();
    }

    /// A receiver that expects number `first`.
    pub fn new(first: u32) -> Receiver {
        Receiver {
            next: first,
            waiting: 0,
            quick: 0,
            received: 0,
            duplicates: 0,
            fresh: true,
            echoing: false,
            echo_retransmitted: false,
            echo: Nanos::ZERO,
            deadline: Nanos::NEVER,
            held: Held::default(),
        }
    }

    /// A new connection on the same numbering that begins with `first`: what is missing
    /// before it does not come any more. To be called for each connection after the
    /// first, so that its first segment is acknowledged at once.
    pub fn restart(&mut self, first: u32) {
        self.next = self.next.max(first);
        self.held.clear();
        self.waiting = 0;
        self.fresh = true;
        self.echoing = false;
        self.deadline = Nanos::NEVER;
    }

    /// The quick way, where there is nothing to be said of a segment but what is expected
    /// next: takes it, and answers whether it was new. It is then to be acknowledged at
    /// once, with [`Receiver::expected`] and the time it was sent. `None`: this did nothing.
    #[inline(always)]
    pub fn take(&mut self, profile: &Profile, number: u32) -> Option<bool> {
        if profile.delayed_acks.is_some() || profile.ecn != EcnMode::Off {
            return None;
        }
        if number == self.next && self.held.is_empty() {
            self.fresh = false;
            self.next += 1;
            self.received += 1;
            return Some(true);
        }
        if profile.recovery == Recovery::Sack {
            return None;
        }
        self.fresh = false;
        Some(self.put(number))
    }

    /// The same where acknowledgments are delayed, for a segment that is not marked and
    /// comes before the [deadline](Receiver::deadline); `of_it` is what to echo of it.
    #[inline(always)]
    pub(crate) fn take_in_turn(
        &mut self,
        profile: &Profile,
        number: u32,
        of_it: Echo,
        now: Nanos,
    ) -> Option<Say> {
        let delay = profile.delayed_acks.as_ref()?;
        let in_turn = number == self.next && self.held.is_empty();
        if !in_turn || self.echoing | self.fresh | profile.quick_acks || self.quick > 0 {
            return None;
        }
        self.next += 1;
        self.received += 1;
        if self.waiting == 0 {
            (self.echo, self.echo_retransmitted) = (of_it.sent, of_it.again);
        }
        if self.holds_back(delay, now) {
            return Some(Say::Nothing);
        }
        self.waiting = 0;
        self.deadline = Nanos::NEVER;
        Some(Say::Acknowledge(Echo {
            sent: self.echo,
            again: self.echo_retransmitted,
        }))
    }

    /// A segment arrived; what is to be said of it now, if anything.
    #[inline]
    pub fn on_segment(
        &mut self,
        profile: &Profile,
        arrival: &Arrival,
        now: Nanos,
    ) -> Option<Reply> {
        if profile.quick_acks {
            self.on_cause_to_hurry(profile, arrival);
        }
        let early = self.on_ecn(profile, arrival);
        if self.waiting == 0 || arrival.number != self.next {
            self.echo = arrival.sent;
            self.echo_retransmitted = arrival.retransmission;
        }
        let first = core::mem::replace(&mut self.fresh, false);
        let in_turn = arrival.number == self.next && self.held.is_empty();
        if in_turn {
            self.next += 1;
            self.received += 1;
        } else {
            self.put(arrival.number);
        }
        match profile.delayed_acks {
            Some(delay) if in_turn && !first && self.quick == 0 && self.holds_back(&delay, now) => {
                early
            }
            _ => Some(self.reply(profile)),
        }
    }

    /// Holds the acknowledgment of a segment back for the next, unless it is due; answers
    /// whether it does.
    #[inline(always)]
    fn holds_back(&mut self, delay: &DelayedAcks, now: Nanos) -> bool {
        let waits = self.waiting + 1 < delay.every;
        if waits {
            self.waiting += 1;
            if self.deadline == Nanos::NEVER {
                self.deadline = now + delay.timeout;
            }
        }
        waits
    }

    /// Whether the acknowledgment of this segment, and of which after it, is not to wait.
    fn on_cause_to_hurry(&mut self, profile: &Profile, arrival: &Arrival) {
        if self.fresh {
            self.quick = QUICK_AT_FIRST;
        }
        if profile.ecn != EcnMode::Classic {
            return;
        }
        let news = arrival.ecn == Ecn::Ce && (!self.echoing || arrival.cwr);
        if news || arrival.ecn == Ecn::NotCapable {
            self.quick = self.quick.max(QUICK_AFTER_MARK);
        } else if arrival.cwr {
            self.quick = self.quick.max(1);
        }
    }

    /// Reads marks; with RFC 8257 it may be time to acknowledge what came before.
    #[inline]
    fn on_ecn(&mut self, profile: &Profile, arrival: &Arrival) -> Option<Reply> {
        let marked = arrival.ecn == Ecn::Ce;
        match profile.ecn {
            EcnMode::Off => None,
            EcnMode::Classic => {
                self.echoing = marked || (self.echoing && !arrival.cwr);
                None
            }
            EcnMode::Dctcp | EcnMode::L4s => {
                let changed = marked != self.echoing;
                let early = (changed && self.waiting > 0).then(|| self.reply(profile));
                self.echoing = marked;
                early
            }
        }
    }

    #[inline]
    fn reply(&mut self, profile: &Profile) -> Reply {
        self.waiting = 0;
        self.quick = self.quick.saturating_sub(1);
        self.deadline = Nanos::NEVER;
        let mut ranges = [Range::default(); RANGES];
        let mut length = 0;
        if profile.recovery == Recovery::Sack {
            for (range, held) in ranges.iter_mut().zip(self.held.iter()) {
                *range = *held;
                length += 1;
            }
        }
        Reply {
            next: self.next,
            echo: self.echo,
            echo_retransmitted: self.echo_retransmitted,
            ece: self.echoing,
            length,
            ranges,
        }
    }

    /// Takes in a segment out of its turn, or one with others held; answers whether it
    /// was new.
    #[inline(never)]
    fn put(&mut self, number: u32) -> bool {
        if self.held.extend(number) {
            self.received += 1;
            return true;
        }
        if number < self.next || self.held.contains(number) {
            self.duplicates += 1;
            return false;
        }
        self.received += 1;
        let range = self.held.add(number);
        if range.from == self.next {
            self.next = range.to;
            self.held.drop_latest();
        }
        true
    }

    /// The time at which [`Receiver::on_timer`] is to be called; [`Nanos::NEVER`] when
    /// there is none.
    #[inline]
    pub fn deadline(&self) -> Nanos {
        self.deadline
    }

    /// What is to be said at the [deadline](Receiver::deadline); nothing before it.
    pub fn on_timer(&mut self, profile: &Profile, now: Nanos) -> Option<Reply> {
        (now >= self.deadline).then(|| self.reply(profile))
    }

    /// The next number expected.
    #[inline]
    pub fn expected(&self) -> u32 {
        self.next
    }

    /// Segments that arrived, each number counted once.
    #[inline]
    pub fn received(&self) -> u32 {
        self.received
    }

    /// Segments that arrived again.
    pub fn duplicates(&self) -> u32 {
        self.duplicates
    }
}
