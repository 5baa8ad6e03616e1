//! The receiver: takes segments, and decides when to acknowledge them.
//!
//! - Delayed acknowledgments (RFC 5681, 4.2): one for every second segment at the latest; at
//!   once for a segment out of order or one that fills a hole.
//! - ECE as RFC 3168, 6.1.3: set from a mark on until a segment carries CWR.
//! - ECE as RFC 8257, 3.2: says whether the segments acknowledged were marked. When that
//!   changes, those before the change are acknowledged at once. A change that comes with a
//!   segment out of order is reported by that segment's acknowledgment alone.
//! - ECE as a congestion notification: on the acknowledgment of a marked segment, once in so long, 50 us
//!   unless the card's parameters say else (Zhu et al. 2015, section 3.1).
//! - AccECN (RFC 9768): counters of marks, on every acknowledgment. Marks may cause one at once.
//! - DSACK (RFC 2883), with RACK-TLP: a first block reports a segment that arrived twice.
//! - Quick acknowledgments, as Linux: see [`Profile::quick_acks`].
//!
//! # Validated against
//! packetdrill's language: the kernel's self-test `tcp_dsack_mult`, 6 of 7 acknowledgments. The receiver
//! of Linux's scripts is the scripts' own.

use earlydrop::packet::Ecn;
use earlydrop::units::Nanos;

use super::accecn::AccEcn;
use super::accecn::ReceiverCounters;
use super::out_of_order::OutOfOrderQueue;
use super::profile::Profile;
use super::segment::{Ack, SackBlock, Segment};
use super::settings::{DelayedAcks, EcnFeedback, EcnMode, Recovery};

/// SACK blocks an acknowledgment has room for with a timestamp (RFC 2018, section 3).
pub(super) const SACK_BLOCKS: usize = 3;
/// Quick acknowledgments when a connection begins (Linux, TCP_MAX_QUICKACKS).
const QUICK_AT_FIRST: u8 = 16;
/// Quick acknowledgments after a mark (Linux, `tcp_enter_quickack_mode`).
const QUICK_AFTER_MARK: u8 = 2;

/// A segment as the receiver gets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Sequence number, in segments.
    pub number: u32,
    /// The ECN field on arrival.
    pub ecn: Ecn,
    /// The CWR flag, "congestion window reduced" (RFC 3168).
    pub cwr: bool,
    /// Whether it is a retransmission.
    pub retransmission: bool,
    /// When it was sent (TSval, RFC 7323).
    pub sent: Nanos,
}

impl Arrival {
    /// The arrival of `segment`, sent at `sent`, without a mark.
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
    /// The next number expected (RFC 9293, RCV.NXT).
    pub next: u32,
    /// When the first segment it acknowledges was sent, or the one out of order (TSecr,
    /// RFC 7323).
    pub echo: Nanos,
    /// Whether that segment was a retransmission.
    pub echo_retransmitted: bool,
    /// The ECE flag, "ECN echo" (RFC 3168).
    pub ece: bool,
    /// How many of `blocks` are filled.
    pub length: u8,
    /// SACK blocks: what arrived beyond `next`, the most recent first (RFC 2018).
    pub blocks: [SackBlock; SACK_BLOCKS],
    /// The AccECN fields, where the connection uses them (RFC 9768).
    pub accecn: Option<AccEcn>,
}

impl Reply {
    /// The SACK blocks, the most recent first.
    pub fn sacked(&self) -> &[SackBlock] {
        &self.blocks[..usize::from(self.length)]
    }

    /// This acknowledgment with a first block that reports `number`: received again (RFC 2883), or
    /// discarded (go-back-N).
    #[cold]
    fn with_first_block(mut self, number: u32) -> Reply {
        self.blocks.rotate_right(1);
        self.blocks[0] = SackBlock {
            from: number,
            to: number + 1,
        };
        self.length = (self.length + 1).min(SACK_BLOCKS as u8);
        self
    }

    /// This acknowledgment as a sender takes it.
    pub fn as_ack(&self) -> Ack<'_> {
        Ack {
            next: self.next,
            echo: self.echo,
            echo_retransmitted: self.echo_retransmitted,
            ece: self.ece,
            sacked: self.sacked(),
            accecn: self.accecn,
        }
    }
}

/// What an acknowledgment echoes of a segment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Echo {
    /// When the segment was sent.
    pub(crate) sent: Nanos,
    /// Whether it was a retransmission.
    pub(crate) retransmission: bool,
}

/// What a receiver with delayed acknowledgments does about a segment in order.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AckDecision {
    /// Wait for another segment, or for the timer.
    Delay,
    /// Acknowledge now, with this echo.
    Send(Echo),
}

/// Receives segments and acknowledges them.
#[derive(Clone, Debug)]
#[repr(C)] // What every segment needs first.
pub struct Receiver {
    /// The next number expected (RFC 9293, RCV.NXT).
    rcv_nxt: u32,
    /// Segments received, each number counted once.
    received: u32,
    /// What arrived beyond `rcv_nxt`; with go-back-N what was discarded first.
    out_of_order: OutOfOrderQueue,
    /// Whether nothing of this connection arrived yet.
    fresh: bool,
    /// Whether acknowledgments carry ECE: with RFC 3168 until CWR, with RFC 8257 as the last
    /// segment was marked, with [`EcnFeedback::Cnp`] the next one alone.
    ece: bool,
    echo_retransmitted: bool,
    /// Acknowledgments left that are not delayed.
    quick: u8,
    /// Segments not acknowledged yet, counted up to 65535.
    unacked: u16,
    /// AccECN's counters, of a connection that uses them (RFC 9768); with [`EcnFeedback::Cnp`] the
    /// time of the last notification.
    accecn: ReceiverCounters,
    duplicates: u32,
    echo: Nanos,
    deadline: Nanos,
}

impl Receiver {
    /// Prefetches the out-of-order queue.
    #[inline]
    pub(crate) fn prefetch(&self) {
        self.out_of_order.prefetch();
    }

    /// A receiver that expects number `first` next.
    pub fn new(first: u32) -> Receiver {
        Receiver {
            rcv_nxt: first,
            unacked: 0,
            quick: 0,
            received: 0,
            duplicates: 0,
            fresh: true,
            ece: false,
            echo_retransmitted: false,
            echo: Nanos::ZERO,
            deadline: Nanos::NEVER,
            out_of_order: OutOfOrderQueue::default(),
            accecn: ReceiverCounters::default(),
        }
    }

    /// Whether nothing has arrived beyond the next number expected.
    pub(crate) fn has_no_hole(&self) -> bool {
        self.out_of_order.is_empty()
    }

    /// Begins a new connection on the same numbering with number `first`: what is missing before
    /// it does not come any more. To be called for each connection after the first, so that its
    /// first segment is acknowledged at once.
    pub fn restart(&mut self, first: u32) {
        self.rcv_nxt = self.rcv_nxt.max(first);
        self.out_of_order.clear();
        self.unacked = 0;
        self.fresh = true;
        self.ece = false;
        self.deadline = Nanos::NEVER;
        self.accecn = ReceiverCounters::default();
    }

    /// Fast path without ECN and delayed acknowledgments: processes a segment whose acknowledgment
    /// carries only [`Receiver::rcv_nxt`] and the time it was sent, and is sent at once. Returns
    /// whether the segment was new; `None` means nothing was done.
    #[inline(always)]
    pub fn on_segment_fast(&mut self, profile: &Profile, number: u32) -> Option<bool> {
        if profile.delayed_acks.is_some() || profile.ecn != EcnMode::Off {
            return None;
        }
        if number == self.rcv_nxt && self.out_of_order.is_empty() {
            self.fresh = false;
            self.rcv_nxt += 1;
            self.received += 1;
            return Some(true);
        }
        if matches!(profile.recovery, Recovery::Sack | Recovery::GoBackN) {
            return None;
        }
        self.fresh = false;
        Some(self.queue(number))
    }

    /// Fast path with delayed acknowledgments: processes a segment in order that is not marked and
    /// comes before the [deadline](Receiver::deadline). `None` means nothing was done.
    #[inline(always)]
    pub(crate) fn on_segment_fast_delayed(
        &mut self,
        profile: &Profile,
        number: u32,
        echo: Echo,
        now: Nanos,
    ) -> Option<AckDecision> {
        let delay = profile.delayed_acks.as_ref()?;
        let in_order = number == self.rcv_nxt && self.out_of_order.is_empty();
        let slow = self.ece | self.fresh | profile.quick_acks;
        if !in_order || slow || self.quick > 0 {
            return None;
        }
        let due = profile.uses_accecn() && self.accecn.count(Ecn::NotCapable);
        self.rcv_nxt += 1;
        self.received += 1;
        if self.unacked == 0 {
            (self.echo, self.echo_retransmitted) = (echo.sent, echo.retransmission);
        }
        if !due && self.delays(delay, now) {
            return Some(AckDecision::Delay);
        }
        self.unacked = 0;
        self.deadline = Nanos::NEVER;
        Some(AckDecision::Send(Echo {
            sent: self.echo,
            retransmission: self.echo_retransmitted,
        }))
    }

    /// Processes a segment that arrived; returns the acknowledgment to send now, if any.
    #[inline]
    pub fn on_segment(
        &mut self,
        profile: &Profile,
        arrival: &Arrival,
        now: Nanos,
    ) -> Option<Reply> {
        if profile.quick_acks {
            self.count_quick_acks(profile, arrival);
        }
        let early = self.on_ecn(profile, arrival, now);
        let due = profile.uses_accecn() && self.accecn.count(arrival.ecn);
        if self.unacked == 0 || arrival.number != self.rcv_nxt {
            self.echo = arrival.sent;
            self.echo_retransmitted = arrival.retransmission;
        }
        let first = core::mem::replace(&mut self.fresh, false);
        let goes_back = profile.recovery == Recovery::GoBackN;
        if goes_back && arrival.number == self.rcv_nxt {
            self.out_of_order.clear();
        }
        let in_order = arrival.number == self.rcv_nxt && self.out_of_order.is_empty();
        let mut new = true;
        if in_order {
            self.rcv_nxt += 1;
            self.received += 1;
        } else if goes_back {
            return self.refuse(profile, arrival.number);
        } else {
            new = self.queue(arrival.number);
        }
        match profile.delayed_acks {
            Some(delay)
                if in_order && !first && !due && self.quick == 0 && self.delays(&delay, now) =>
            {
                early
            }
            _ if !new && profile.uses_rack() => {
                Some(self.reply(profile).with_first_block(arrival.number))
            }
            _ => Some(self.reply(profile)),
        }
    }

    /// Answers a segment that is not the next one, which go-back-N discards: one that arrived before
    /// by an acknowledgment, the first after a missing one by a negative acknowledgment.
    #[cold]
    fn refuse(&mut self, profile: &Profile, number: u32) -> Option<Reply> {
        if number < self.rcv_nxt {
            self.duplicates += 1;
            return Some(self.reply(profile));
        }
        if !self.out_of_order.is_empty() {
            // Zhu et al. 2015, 3.1: "If a marked packet arrives for a flow, and no CNP has been sent
            // for the flow in the last N microseconds, a CNP is sent immediately", in order or not.
            return self.ece.then(|| self.reply(profile));
        }
        self.out_of_order.add(number);
        Some(self.reply(profile).with_first_block(number))
    }

    /// Delays the acknowledgment of a segment, unless enough segments wait for one; returns
    /// whether it does (RFC 5681, 4.2).
    #[inline(always)]
    fn delays(&mut self, delay: &DelayedAcks, now: Nanos) -> bool {
        let delayed = u32::from(self.unacked) + 1 < delay.every.min(u16::MAX.into());
        if delayed {
            self.unacked += 1;
            if self.deadline == Nanos::NEVER {
                self.deadline = now + delay.timeout;
            }
        }
        delayed
    }

    /// Determines how many acknowledgments, this segment's first, are not delayed (Linux,
    /// `__tcp_ecn_check_ce`, `tcp_ecn_accept_cwr`).
    fn count_quick_acks(&mut self, profile: &Profile, arrival: &Arrival) {
        if self.fresh {
            self.quick = QUICK_AT_FIRST;
        }
        if profile.feedback() != Some(EcnFeedback::Classic) {
            return;
        }
        let first_mark = arrival.ecn == Ecn::Ce && (!self.ece || arrival.cwr);
        if first_mark || arrival.ecn == Ecn::NotCapable {
            self.quick = self.quick.max(QUICK_AFTER_MARK);
        } else if arrival.cwr {
            self.quick = self.quick.max(1);
        }
    }

    /// Sets ECE by a segment's mark; returns an acknowledgment of the segments before it,
    /// where RFC 8257 asks for one.
    #[inline]
    fn on_ecn(&mut self, profile: &Profile, arrival: &Arrival, now: Nanos) -> Option<Reply> {
        let marked = arrival.ecn == Ecn::Ce;
        match profile.feedback() {
            None | Some(EcnFeedback::AccEcn | EcnFeedback::Ace) => None,
            // RFC 3168, 6.1.3: ECE until a segment with CWR arrives.
            Some(EcnFeedback::Classic) => {
                self.ece = marked || (self.ece && !arrival.cwr);
                None
            }
            Some(EcnFeedback::Cnp) => {
                self.ece = marked && self.accecn.notifies(now, profile.card.notify_every);
                None
            }
            // RFC 8257, 3.2: an immediate acknowledgment when DCTCP.CE changes.
            Some(EcnFeedback::Dctcp) => {
                let changed = marked != self.ece;
                let early = (changed && self.unacked > 0).then(|| self.reply(profile));
                self.ece = marked;
                early
            }
        }
    }

    #[inline]
    fn reply(&mut self, profile: &Profile) -> Reply {
        self.unacked = 0;
        self.quick = self.quick.saturating_sub(1);
        self.deadline = Nanos::NEVER;
        let mut blocks = [SackBlock::default(); SACK_BLOCKS];
        let mut length = 0;
        if profile.recovery == Recovery::Sack {
            for (block, queued) in blocks.iter_mut().zip(self.out_of_order.iter()) {
                *block = *queued;
                length += 1;
            }
        }
        let accecn = self.report_marks(profile);
        Reply {
            next: self.rcv_nxt,
            echo: self.echo,
            echo_retransmitted: self.echo_retransmitted,
            ece: self.ece,
            length,
            blocks,
            accecn,
        }
    }

    /// The AccECN fields of an acknowledgment that is sent now, where the connection uses them.
    #[inline]
    pub(crate) fn report_marks(&mut self, profile: &Profile) -> Option<AccEcn> {
        profile.uses_accecn().then(|| {
            let with_option = profile.ecn_feedback == Some(EcnFeedback::AccEcn);
            self.accecn.report(with_option.then_some(profile.payload()))
        })
    }

    /// Processes a segment out of order, or one while others are queued; returns whether it was new.
    #[inline(never)]
    fn queue(&mut self, number: u32) -> bool {
        if self.out_of_order.extend(number) {
            self.received += 1;
            return true;
        }
        if number < self.rcv_nxt || self.out_of_order.contains(number) {
            self.duplicates += 1;
            return false;
        }
        self.received += 1;
        let block = self.out_of_order.add(number);
        if block.from == self.rcv_nxt {
            self.rcv_nxt = block.to;
            self.out_of_order.remove_latest();
        }
        true
    }

    /// The time at which [`Receiver::on_timer`] is to be called; [`Nanos::NEVER`] when
    /// there is none.
    #[inline]
    pub fn deadline(&self) -> Nanos {
        self.deadline
    }

    /// To be called at the [deadline](Receiver::deadline): returns the delayed
    /// acknowledgment; nothing before it.
    pub fn on_timer(&mut self, profile: &Profile, now: Nanos) -> Option<Reply> {
        (now >= self.deadline).then(|| self.reply(profile))
    }

    /// The next number expected (RFC 9293, RCV.NXT).
    #[inline]
    pub fn rcv_nxt(&self) -> u32 {
        self.rcv_nxt
    }

    /// Segments received, each number counted once.
    #[inline]
    pub fn received(&self) -> u32 {
        self.received
    }

    /// Segments received more than once.
    pub fn duplicates(&self) -> u32 {
        self.duplicates
    }
}
