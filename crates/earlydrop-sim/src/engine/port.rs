//! Links with a queue.

use earlydrop::counters::Counters;
use earlydrop::queue::{AnyQueue, QueueDiscipline};
use earlydrop::units::Nanos;

use super::fifo::Fifo;
use super::link::Link;
use crate::measure::port::{PortMeter, Watched};
use crate::packet::Packet;

/// A link with its queue, looked after lazily: what left it by some time is worked out
/// when something comes at that time, or when its departures must be known at the far
/// end.
#[derive(Clone, Debug)]
pub(super) struct Port {
    /// The link's number.
    pub(super) number: u32,
    pub(super) link: Link,
    /// Packets waiting, as the queue says.
    pub(super) waiting: u32,
    /// The link is free and the queue was found empty.
    pub(super) idle: bool,
    pub(super) down: bool,
    /// The time of the event that will drain it; later ones set before are stale.
    pub(super) drain_at: Nanos,
    /// How long after a departure begins it must be known: the delay of the link, or zero.
    pub(super) slack: Nanos,
    pub(super) meter: PortMeter,
    pub(super) queue: Queue,
}

/// What stands before a link.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)] // A program holds few.
pub(super) enum Queue {
    /// Any discipline: when a packet leaves is known when it leaves.
    Any(AnyQueue<Packet>),
    /// Drop-tail over a steady link: when a packet leaves is known when it comes.
    Fifo(Fifo),
}

impl Port {
    pub(super) fn new(number: u32, link: Link, queue: Queue, meter: PortMeter) -> Port {
        Port {
            number,
            slack: link.delay,
            link,
            waiting: 0,
            idle: true,
            down: false,
            drain_at: Nanos::NEVER,
            meter,
            queue,
        }
    }

    /// Takes note of what a drop-tail queue has sent up to `until`.
    pub(super) fn settle(&mut self, until: Nanos) {
        loop {
            let Queue::Fifo(fifo) = &mut self.queue else {
                return;
            };
            let Some(begins) = fifo.next_begins(until) else {
                return;
            };
            if begins >= self.meter.next_tick {
                self.meter.tick(begins, self.waiting, &mut self.queue);
                continue;
            }
            self.meter.pass(begins, self.waiting);
            let sent = fifo.take_begun();
            self.meter.sent(begins.since(sent.came), sent.takes);
            self.waiting -= 1;
        }
    }

    /// Brings measurement up to `at`, before anything happens then.
    #[inline]
    pub(super) fn observe(&mut self, at: Nanos) {
        if at >= self.meter.next_tick {
            self.meter.tick(at, self.waiting, &mut self.queue);
        }
        self.meter.pass(at, self.waiting);
    }
}

impl Watched for Queue {
    fn poll(&mut self, now: Nanos) {
        if let Queue::Any(queue) = self {
            queue.poll(now);
        }
    }

    fn bytes(&self) -> u64 {
        match self {
            Queue::Any(queue) => queue.bytes(),
            Queue::Fifo(fifo) => fifo.bytes(),
        }
    }

    fn counters(&self) -> &Counters {
        match self {
            Queue::Any(queue) => queue.counters(),
            Queue::Fifo(fifo) => fifo.counters(),
        }
    }

    fn probes(&self, show: &mut dyn FnMut(&'static str, f64)) {
        if let Queue::Any(queue) = self {
            queue.probes(show);
        }
    }
}
