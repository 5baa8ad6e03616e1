//! Links as they run: wires, which are arithmetic, and ports, which have a queue.

use earlydrop::queue::{AnyQueue, QueueDiscipline};
use earlydrop::random::Pcg32;
use earlydrop::units::{BitsPerSec, Bytes, Nanos};

use crate::capture::Capture;
use crate::measure::port::PortMeter;
use crate::network::{Reorder, Trace};
use crate::packet::Packet;

/// A link's transmitter and wire.
///
/// Without a port its queue is first in, first out and without limit, so when a packet
/// leaves it is known as soon as it comes: max(when it comes, when the link is free)
/// plus the time it takes to send.
#[derive(Clone, Debug)]
pub(super) struct Link {
    rate: BitsPerSec,
    pub(super) delay: Nanos,
    /// When what was sent last is through.
    pub(super) free_at: Nanos,
    /// The size asked for last, and how long that takes: packets come in few sizes.
    memo: (u32, u64),
    /// Its queue's index, or [`NONE`].
    pub(super) port: u32,
    /// The index of what else there is to it, or [`NONE`].
    pub(super) extras: u32,
}

/// No such thing.
pub(super) const NONE: u32 = u32::MAX;

impl Link {
    pub(super) fn new(rate: BitsPerSec, delay: Nanos) -> Link {
        Link {
            rate,
            delay,
            free_at: Nanos::ZERO,
            memo: (0, 0),
            port: NONE,
            extras: NONE,
        }
    }

    pub(super) fn set_rate(&mut self, rate: BitsPerSec) {
        self.rate = rate;
        self.memo = (0, 0);
    }

    /// How long `size` bytes take to be sent.
    #[inline]
    pub(super) fn time(&mut self, size: u32) -> Nanos {
        if self.memo.0 != size {
            let time = self.rate.transmission_time(Bytes(u64::from(size)));
            self.memo = (size, time.0);
        }
        Nanos(self.memo.1)
    }

    /// Sends `size` bytes that come at `at`; answers when they have left.
    #[inline]
    pub(super) fn send(&mut self, at: Nanos, size: u32) -> Nanos {
        let start = self.free_at.max(at);
        self.free_at = start + self.time(size);
        self.free_at
    }
}

/// A link's queue, looked after lazily: what left it by some time is worked out when
/// something comes at that time, or when its departures must be known at the far end.
#[derive(Clone, Debug)]
pub(super) struct Port {
    pub(super) link: u32,
    pub(super) queue: AnyQueue<Packet>,
    /// The link is free and the queue was found empty.
    pub(super) idle: bool,
    pub(super) down: bool,
    /// The time of the event that will drain it; later ones set before are stale.
    pub(super) drain_at: Nanos,
    pub(super) meter: PortMeter,
}

impl Port {
    pub(super) fn new(link: u32, queue: AnyQueue<Packet>, meter: PortMeter) -> Port {
        Port {
            link,
            queue,
            idle: true,
            down: false,
            drain_at: Nanos::NEVER,
            meter,
        }
    }

    /// Brings measurement up to `at`, before anything happens then.
    #[inline]
    pub(super) fn observe(&mut self, at: Nanos) {
        if at >= self.meter.next_tick {
            self.meter.tick(at, &mut self.queue);
        }
        self.meter.pass(at, self.queue.packets());
    }
}

/// What few links have.
#[derive(Clone, Debug)]
pub(super) struct Extras {
    pub(super) loss: f64,
    pub(super) reorder: Option<Reorder>,
    pub(super) random: Pcg32,
    /// No packet arrives before this unless it is held back on purpose: a delay that
    /// shrinks lets none overtake.
    pub(super) last_arrival: Nanos,
    pub(super) trace: Option<Opportunities>,
    pub(super) capture: Option<Capture>,
}

impl Extras {
    /// Sends `size` bytes that are ready at `at` as the trace allows; answers when they
    /// have left.
    pub(super) fn follow_trace(&mut self, at: Nanos, size: u32) -> Nanos {
        self.trace.as_mut().map_or(at, |trace| trace.send(at, size))
    }

    /// When a packet that has left at `leave` arrives; `None` when it is lost.
    pub(super) fn carry(&mut self, leave: Nanos, delay: Nanos) -> Option<Nanos> {
        if self.loss > 0.0 && self.random.chance(self.loss) {
            return None;
        }
        let arrive = (leave + delay).max(self.last_arrival);
        self.last_arrival = arrive;
        let held = self.reorder.filter(|r| self.random.chance(r.share));
        let extra = held.map_or(0.0, |r| self.random.uniform() * r.delay.0 as f64);
        Some(arrive + Nanos(extra as u64))
    }
}

/// Where a link that follows a trace has got to.
#[derive(Clone, Debug)]
pub(super) struct Opportunities {
    trace: Trace,
    /// The number of the opportunity being used.
    number: u64,
    /// Bytes it still carries.
    left: u32,
}

impl Opportunities {
    pub(super) fn new(trace: Trace) -> Opportunities {
        Opportunities {
            trace,
            number: 0,
            left: crate::network::OPPORTUNITY,
        }
    }

    /// Sends `size` bytes that are ready at `at`; answers when the last of them leave.
    fn send(&mut self, at: Nanos, size: u32) -> Nanos {
        if self.trace.opportunity(self.number) < at {
            self.number = self.trace.first_from(at);
            self.left = crate::network::OPPORTUNITY;
        }
        let mut size = size;
        while size > self.left {
            size -= self.left;
            self.left = crate::network::OPPORTUNITY;
            self.number += 1;
        }
        self.left -= size;
        self.trace.opportunity(self.number)
    }
}
