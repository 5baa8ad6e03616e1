//! The contract between a scheme and the queue it judges.
//!
//! A scheme is asked for a verdict when a packet arrives and again when one is
//! about to leave; it is told what became of each. It never holds packets,
//! never reads a clock, never draws from a generator of its own: packets stay
//! with the queue, and time and randomness come in as arguments.

use crate::packet::{FlowKey, PacketInfo};
use crate::random::Pcg32;
use crate::units::{BitsPerSec, Nanos};

/// Why a packet was dropped. Every drop is counted under exactly one reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropReason {
    /// The scheme chose to signal congestion (by its probability or threshold).
    Early = 0,
    /// No room: the buffer's limit.
    Forced = 1,
    /// A rule about flows: an unresponsive flow, a CHOKe match, a rate limit.
    Policy = 2,
    /// The scheme chose to signal congestion on the way out, as CoDel does.
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

/// What a scheme decides about one packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Let it pass unchanged.
    Keep,
    /// Let it pass, marked. Only given for an ECN-capable packet.
    Mark,
    /// Drop it.
    Drop(DropReason),
    /// Drop it and the waiting packet at this slot (CHOKe).
    DropBoth(Slot, DropReason),
}

/// Where a packet waits: valid until the queue next changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot(pub u32);

/// What a scheme may see of the queue it judges.
pub trait Backlog {
    /// Packets waiting; the one being sent is not among them.
    fn packets(&self) -> u32;
    /// Bytes waiting.
    fn bytes(&self) -> u64;
    /// When the packet at the head arrived; `None` when the queue is empty.
    fn head_arrival(&self) -> Option<Nanos>;
    /// A waiting packet, each equally likely: its slot and its flow.
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
/// The queue calls, in this order: [`poll`](Aqm::poll) first whenever time may
/// have passed; on an arrival [`on_arrival`](Aqm::on_arrival), then exactly one
/// of [`on_accepted`](Aqm::on_accepted), or [`on_refused`](Aqm::on_refused)
/// when there was no room, or neither when the verdict was to drop; for each
/// packet that reaches the head [`on_departure`](Aqm::on_departure), again for
/// the next one when the verdict was to drop; [`on_empty`](Aqm::on_empty) when
/// nothing waits any more, and [`on_idle`](Aqm::on_idle) when nothing was left to send.
pub trait Aqm {
    /// Judges an arriving packet, which is not yet part of `queue`.
    #[inline]
    fn on_arrival<Q: Backlog>(
        &mut self,
        _now: Nanos,
        _packet: &PacketInfo,
        _queue: &Q,
        _random: &mut Pcg32,
    ) -> Verdict {
        Verdict::Keep
    }

    /// The packet just judged now waits in the queue.
    fn on_accepted(&mut self, _now: Nanos, _packet: &PacketInfo) {}

    /// The packet just judged found no room, whatever the verdict was.
    fn on_refused(&mut self, _now: Nanos, _packet: &PacketInfo) {}

    /// Judges a packet that has just left `queue` to be sent.
    fn on_departure<Q: Backlog>(
        &mut self,
        _now: Nanos,
        _packet: &PacketInfo,
        _queue: &Q,
        _random: &mut Pcg32,
    ) -> Verdict {
        Verdict::Keep
    }

    /// A waiting packet was taken out without reaching the head.
    fn on_evicted(&mut self, _now: Nanos, _packet: &PacketInfo) {}

    /// Nothing waits: the last packet has left, perhaps to be sent for a while yet, or
    /// an arrival was not let into an empty queue.
    fn on_empty(&mut self, _now: Nanos) {}

    /// The link has nothing to send: a dequeue has found nothing, for the first time
    /// since a packet was let in.
    fn on_idle(&mut self, _now: Nanos) {}

    /// Runs what is periodic, up to and including `now`.
    ///
    /// The queue has not changed since the last call, so running late loses
    /// nothing: an update due at time t sees the queue as it was at t.
    fn poll<Q: Backlog>(&mut self, _now: Nanos, _queue: &Q) {}

    /// When [`poll`](Aqm::poll) next has something to do.
    fn next_deadline(&self) -> Option<Nanos> {
        None
    }

    /// The link now sends at `rate`.
    fn on_link_rate(&mut self, _now: Nanos, _rate: BitsPerSec) {}

    /// Shows each probe by name: the average, the probability, whatever the
    /// scheme acts on. Costs nothing unless called.
    fn probes(&self, _show: &mut dyn FnMut(&'static str, f64)) {}

    /// Heap bytes held, beside the size of the value itself.
    fn heap_bytes(&self) -> usize {
        0
    }
}

/// A periodic update that is run late, all at once, when somebody looks.
#[derive(Clone, Debug)]
pub struct Ticker {
    interval: Nanos,
    next: Option<Nanos>,
}

impl Ticker {
    /// Ticks every `interval`, for the first time one interval after the first look.
    ///
    /// An interval of zero never ticks.
    pub fn every(interval: Nanos) -> Ticker {
        Ticker {
            interval,
            next: None,
        }
    }

    /// The next tick, once the first look has happened.
    pub fn next(&self) -> Option<Nanos> {
        self.next
    }

    /// The time between ticks.
    pub fn interval(&self) -> Nanos {
        self.interval
    }

    /// Whether a tick is due at `now`, or the first look is still to come.
    #[inline]
    pub fn is_due(&self, now: Nanos) -> bool {
        self.next.is_none_or(|next| now >= next)
    }

    /// Calls `update` with the time of each tick up to and including `now`.
    ///
    /// `update` returns whether it changed anything. When it did not, nothing
    /// can change before the queue does, and the remaining ticks are skipped: a
    /// long calm costs no more than a short one.
    pub fn catch_up(&mut self, now: Nanos, mut update: impl FnMut(Nanos) -> bool) {
        if self.interval == Nanos::ZERO {
            self.next = Some(Nanos::NEVER);
            return;
        }
        let mut next = self.next.unwrap_or(now + self.interval);
        while next <= now {
            let changed = update(next);
            let behind = (now - next).0 / self.interval.0;
            let steps = if changed { 1 } else { behind + 1 };
            next += Nanos(steps.saturating_mul(self.interval.0));
        }
        self.next = Some(next);
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
        ticker.catch_up(Nanos(5), |_| unreachable!("the first look only starts it"));
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
