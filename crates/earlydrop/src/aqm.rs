//! The contract between a scheme and the queue it judges.
//!
//! The queue asks a scheme for a verdict when a packet arrives and when one is about to
//! leave, and reports what happened to each. A scheme holds no packets, reads no clock and
//! owns no random generator: packets stay with the queue; time and randomness are arguments.

use crate::packet::{FlowKey, PacketInfo};
use crate::random::Pcg32;
use crate::steering::{Setting, SteerError};
use crate::units::{BitsPerSec, Nanos};

/// Why a packet was dropped. Every drop counts under exactly one reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DropReason {
    /// The scheme signalled congestion on arrival, by its probability or threshold.
    Early = 0,
    /// The buffer was full.
    Forced = 1,
    /// A rule about the packet's flow: unresponsive, a CHOKe match, a rate limit.
    Policy = 2,
    /// The scheme signalled congestion on departure, as CoDel does.
    Dequeue = 3,
}

impl DropReason {
    /// All reasons, in the order of their numbers.
    pub const ALL: [DropReason; 4] = [
        DropReason::Early,
        DropReason::Forced,
        DropReason::Policy,
        DropReason::Dequeue,
    ];

    /// The reason's name in results: "early", "forced", "policy", "dequeue".
    pub const fn name(self) -> &'static str {
        match self {
            DropReason::Early => "early",
            DropReason::Forced => "forced",
            DropReason::Policy => "policy",
            DropReason::Dequeue => "dequeue",
        }
    }
}

/// A scheme's decision about one packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Pass it unchanged.
    Keep,
    /// Pass it with an ECN mark. Only for an ECN-capable packet.
    Mark,
    /// Drop it.
    Drop(DropReason),
    /// Drop it and the waiting packet in this slot (CHOKe).
    DropBoth(Slot, DropReason),
}

/// The position of a packet in its queue, valid until the queue changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot(pub u32);

/// The queue as its scheme sees it.
pub trait Backlog {
    /// Packets in the queue, without the one being sent.
    fn packets(&self) -> u32;
    /// Bytes in the queue.
    fn bytes(&self) -> u64;
    /// Arrival time of the packet at the head; `None` when the queue is empty.
    fn head_arrival(&self) -> Option<Nanos>;
    /// Draws a packet of the queue, each equally likely: its slot and its flow.
    fn draw(&self, random: &mut Pcg32) -> Option<(Slot, FlowKey)>;
}

impl<B: Backlog + ?Sized> Backlog for &B {
    fn packets(&self) -> u32 {
        (**self).packets()
    }

    fn bytes(&self) -> u64 {
        (**self).bytes()
    }

    fn head_arrival(&self) -> Option<Nanos> {
        (**self).head_arrival()
    }

    fn draw(&self, random: &mut Pcg32) -> Option<(Slot, FlowKey)> {
        (**self).draw(random)
    }
}

/// An active queue management scheme for one queue.
///
/// The queue calls:
/// - before anything else, when time may have passed: [`poll`](Aqm::poll);
/// - on an arrival: [`on_arrival`](Aqm::on_arrival); then, unless the verdict was to drop,
///   [`on_accepted`](Aqm::on_accepted) or, with a full buffer,
///   [`on_refused`](Aqm::on_refused);
/// - for each packet that reaches the head: [`on_departure`](Aqm::on_departure), and again
///   for the next packet when the verdict was to drop;
/// - when the queue has become empty: [`on_empty`](Aqm::on_empty);
/// - when a dequeue finds no packet: [`on_idle`](Aqm::on_idle).
pub trait Aqm {
    /// Judges an arriving packet, which is not yet part of `queue`.
    #[inline]
    fn on_arrival<Q: Backlog>(
        &mut self,
        _now: Nanos,
        _packet: &PacketInfo,
        _queue: &Q,
        _random: &mut Pcg32,
    ) -> Verdict
    where
        Self: Sized,
    {
        Verdict::Keep
    }

    /// The packet just judged has joined the queue.
    fn on_accepted(&mut self, _now: Nanos, _packet: &PacketInfo) {}

    /// The packet just judged is dropped because the buffer is full. Under
    /// [`Overflow::Unjudged`](crate::queue::Overflow::Unjudged) it has not been judged.
    fn on_refused(&mut self, _now: Nanos, _packet: &PacketInfo) {}

    /// Judges a packet that has just left `queue` to be sent.
    fn on_departure<Q: Backlog>(
        &mut self,
        _now: Nanos,
        _packet: &PacketInfo,
        _queue: &Q,
        _random: &mut Pcg32,
    ) -> Verdict
    where
        Self: Sized,
    {
        Verdict::Keep
    }

    /// A packet was dropped from within the queue, not from its head by a verdict.
    fn on_evicted(&mut self, _now: Nanos, _packet: &PacketInfo) {}

    /// The queue is empty: the last packet has left (the link may still be sending it), or
    /// an arrival at an empty queue was dropped.
    fn on_empty(&mut self, _now: Nanos) {}

    /// The link is idle: a dequeue has found no packet, for the first time since the last
    /// packet was accepted.
    fn on_idle(&mut self, _now: Nanos) {}

    /// Runs the periodic updates due up to and including `now`.
    ///
    /// The queue has not changed since the last call, so a late update is exact: an update
    /// due at time t sees the queue as it was at t.
    fn poll<Q: Backlog>(&mut self, _now: Nanos, _queue: &Q)
    where
        Self: Sized,
    {
    }

    /// When the next periodic update is due.
    fn next_deadline(&self) -> Option<Nanos> {
        None
    }

    /// The link now sends at `rate`.
    fn on_link_rate(&mut self, _now: Nanos, _rate: BitsPerSec) {}

    /// Sets a parameter from outside, from the next packet on. A setting that is not allowed
    /// leaves the scheme as it was.
    fn steer(&mut self, _now: Nanos, setting: &Setting) -> Result<(), SteerError> {
        Err(SteerError::not_steerable(setting))
    }

    /// Goes on where `old` stops: this scheme, new and configured otherwise, takes over its
    /// state, and judges from the next packet on. The queue, in which the packets of `waiting`
    /// are, from the head on, does not change.
    ///
    /// Under the parameters of `old` every later verdict is the one that `old` would have given.
    ///
    /// By default the scheme starts afresh: of the packets that wait it knows only that they
    /// were [accepted](Aqm::on_accepted).
    fn continue_from(&mut self, _now: Nanos, _old: Self, waiting: WaitingPackets<'_>)
    where
        Self: Sized,
    {
        start_among(self, waiting);
    }

    /// Reports each probe by name and value: the average, the probability, and other state.
    /// Costs nothing unless called.
    fn probes(&self, _show: &mut dyn FnMut(&'static str, f64)) {}

    /// Heap bytes held, in addition to the size of the value itself.
    fn heap_bytes(&self) -> usize {
        0
    }
}

/// The packets that wait in a queue, from the head on.
pub type WaitingPackets<'a> = &'a mut dyn Iterator<Item = PacketInfo>;

/// Makes `$method!` of each call of [`Aqm`] but [`continue_from`](Aqm::continue_from), which takes
/// two schemes: a scheme that holds another hands them on. `$context` comes before the call;
/// `[mut]` is a call on `&mut self`.
macro_rules! each_call {
    ($method:ident $($context:tt)*) => {
        $method! { $($context)* #[inline] [mut] on_arrival<Q: Backlog>(
            now: Nanos, packet: &PacketInfo, queue: &Q, random: &mut Pcg32
        ) -> Verdict }
        $method! { $($context)* #[inline] [mut] on_accepted(now: Nanos, packet: &PacketInfo) }
        $method! { $($context)* [mut] on_refused(now: Nanos, packet: &PacketInfo) }
        $method! { $($context)* #[inline] [mut] on_departure<Q: Backlog>(
            now: Nanos, packet: &PacketInfo, queue: &Q, random: &mut Pcg32
        ) -> Verdict }
        $method! { $($context)* [mut] on_evicted(now: Nanos, packet: &PacketInfo) }
        $method! { $($context)* [mut] on_empty(now: Nanos) }
        $method! { $($context)* [mut] on_idle(now: Nanos) }
        $method! { $($context)* #[inline] [mut] poll<Q: Backlog>(now: Nanos, queue: &Q) }
        $method! { $($context)* [] next_deadline() -> Option<Nanos> }
        $method! { $($context)* [mut] on_link_rate(now: Nanos, rate: BitsPerSec) }
        $method! { $($context)* [mut] steer(now: Nanos, setting: &Setting) -> Result<(), SteerError> }
        $method! { $($context)* [] probes(show: &mut dyn FnMut(&'static str, f64)) }
        $method! { $($context)* [] heap_bytes() -> usize }
    };
}
pub(crate) use each_call;

/// Starts `aqm` on a queue in which packets wait already.
pub(crate) fn start_among(aqm: &mut impl Aqm, waiting: WaitingPackets<'_>) {
    for packet in waiting {
        aqm.on_accepted(packet.arrived, &packet);
    }
}

/// A periodic update that runs late: the ticks due run at the next call.
#[derive(Clone, Debug)]
pub struct Ticker {
    interval: Nanos,
    next: Option<Nanos>,
}

impl Ticker {
    /// Ticks every `interval`, first one interval after the first call of
    /// [`catch_up`](Ticker::catch_up). An interval of zero never ticks.
    pub fn every(interval: Nanos) -> Ticker {
        Ticker {
            interval,
            next: None,
        }
    }

    /// The next tick; `None` before the first call of [`catch_up`](Ticker::catch_up).
    pub fn next(&self) -> Option<Nanos> {
        self.next
    }

    /// Goes on after `old`: ticks when that would have, or an interval after `now` if that is
    /// sooner.
    pub fn continue_from(&mut self, now: Nanos, old: &Ticker) {
        if self.interval > Nanos::ZERO && old.interval > Nanos::ZERO {
            self.next = old.next.map(|next| next.min(now + self.interval));
        }
    }

    /// Whether a tick is due at `now`, or the ticker has not started.
    #[inline]
    pub fn is_due(&self, now: Nanos) -> bool {
        self.next.is_none_or(|next| now >= next)
    }

    /// Calls `update` with the time of each tick up to and including `now`.
    ///
    /// `update` returns whether it changed anything. When it did not, no further tick would
    /// before the queue changes, so the remaining ticks are skipped: a long calm costs no
    /// more than a short one. Returns the last tick, if there was one.
    pub fn catch_up(&mut self, now: Nanos, mut update: impl FnMut(Nanos) -> bool) -> Option<Nanos> {
        if self.interval == Nanos::ZERO {
            self.next = Some(Nanos::NEVER);
            return None;
        }
        let first = self.next.unwrap_or(now + self.interval);
        let mut next = first;
        while next <= now {
            let changed = update(next);
            let behind = (now - next).0 / self.interval.0;
            let steps = if changed { 1 } else { behind + 1 };
            next += Nanos(steps.saturating_mul(self.interval.0));
        }
        self.next = Some(next);
        (next > first).then(|| next - self.interval)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn ticks_come_at_their_times_and_stop_when_nothing_changes() {
        let mut ticker = Ticker::every(Nanos(10));
        let mut seen = Vec::new();
        ticker.catch_up(Nanos(5), |_| unreachable!("the first call only starts it"));
        ticker.catch_up(Nanos(35), |tick| {
            seen.push(tick.0);
            true
        });
        assert_eq!(seen, [15, 25, 35]);
        let mut calls = 0;
        ticker.catch_up(Nanos(1_000_000_007), |_| {
            calls += 1;
            false
        });
        assert_eq!(calls, 1);
        assert_eq!(ticker.next(), Some(Nanos(1_000_000_015)));
    }
}
