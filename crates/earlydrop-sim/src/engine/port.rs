//! Links with a queue.

use earlydrop::queue::AnyQueue;
use earlydrop::units::Nanos;

use super::link::Link;
use crate::measure::QueueMeter;
use crate::packet::Packet;

/// A link with its queue, looked after lazily: what left it by some time is worked out
/// when something comes at that time, or when its departures must be known at the far
/// end.
#[derive(Clone, Debug)]
pub(super) struct Port {
    /// The link's number and name.
    pub(super) number: u32,
    pub(super) name: String,
    pub(super) link: Link,
    /// The index of its extras, where it has some.
    pub(super) extras: Option<u32>,
    /// Packets waiting, as the queue says.
    pub(super) waiting: u32,
    /// When it next sends something, as far as is known: when its link is free; never while
    /// the queue is found empty, or the link down.
    pub(super) sends_at: Nanos,
    /// The link is free and the queue was found empty.
    pub(super) idle: bool,
    pub(super) down: bool,
    /// The time of the event that will drain it; later ones set before are stale.
    pub(super) drain_at: Nanos,
    /// How long after a departure begins it must be known: before it can arrive.
    pub(super) slack: Nanos,
    pub(super) meter: QueueMeter,
    pub(super) queue: AnyQueue<Packet>,
}

impl Port {
    pub(super) fn new(
        number: u32,
        name: String,
        link: Link,
        extras: Option<u32>,
        queue: AnyQueue<Packet>,
        meter: QueueMeter,
    ) -> Port {
        Port {
            number,
            name,
            slack: link.make.delay.since(Nanos(1)),
            link,
            extras,
            waiting: 0,
            sends_at: Nanos::NEVER,
            idle: true,
            down: false,
            drain_at: Nanos::NEVER,
            meter,
            queue,
        }
    }

    /// Whether it has something to send by `at`, as far as is known.
    #[inline]
    pub(super) fn sends_by(&self, at: Nanos) -> bool {
        self.sends_at <= at
    }

    /// The queue was found empty.
    #[inline]
    pub(super) fn rest(&mut self) {
        self.idle = true;
        self.sends_at = Nanos::NEVER;
    }

    /// Whether something has come to a link that had nothing to send, and now sends.
    #[inline]
    pub(super) fn wakes(&mut self, at: Nanos) -> bool {
        let wakes = self.idle && !self.down && self.waiting > 0;
        if wakes {
            self.idle = false;
            self.link.free_at = self.link.free_at.max(at);
            self.sends_at = self.link.free_at;
        }
        wakes
    }

    /// The link goes up or down.
    pub(super) fn switch(&mut self, up: bool, now: Nanos) {
        self.down = !up;
        self.sends_at = Nanos::NEVER;
        if up {
            self.idle = true;
            self.link.free_at = self.link.free_at.max(now);
            self.wakes(now);
        }
    }

    /// Brings measurement up to `at`, before anything happens then.
    #[inline]
    pub(super) fn observe(&mut self, at: Nanos) {
        self.meter.observe(at, self.waiting, &mut self.queue);
    }
}
