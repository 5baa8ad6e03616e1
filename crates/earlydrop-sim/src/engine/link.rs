//! Transmitters and wires.

use earlydrop::random::Pcg32;
use earlydrop::units::{BitsPerSec, Bytes, Nanos};

use crate::capture::Capture;
use crate::network::{Reorder, Trace};

/// A link's transmitter and wire.
///
/// What waits for it in order and without limit leaves at a time that is known as soon
/// as it comes: max(when it comes, when the link is free) plus the time it takes to send.
#[derive(Clone, Debug)]
pub(super) struct Link {
    rate: BitsPerSec,
    pub(super) delay: Nanos,
    /// When what was sent last is through.
    pub(super) free_at: Nanos,
    /// The size asked for last, and how long that takes: packets come in few sizes.
    memo: (u32, u64),
    /// The index of what else there is to it, or [`NONE`].
    pub(super) extras: u32,
}

/// No such thing.
pub(super) const NONE: u32 = u32::MAX;

impl Link {
    pub(super) fn new(rate: BitsPerSec, delay: Nanos, extras: u32) -> Link {
        Link {
            rate,
            delay,
            free_at: Nanos::ZERO,
            memo: (0, 0),
            extras,
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

    /// Carries `size` bytes that come at `at` and wait for what came before.
    #[inline]
    pub(super) fn cross(&mut self, at: Nanos, size: u32) -> Crossing {
        self.free_at = self.free_at.max(at) + self.time(size);
        self.over(self.free_at)
    }

    /// Carries what has left at `leave`.
    #[inline]
    pub(super) fn over(&self, leave: Nanos) -> Crossing {
        match self.extras {
            NONE => Crossing::Plain(leave + self.delay),
            extras => Crossing::Special(extras, leave),
        }
    }
}

/// How a packet gets to the other end of a link.
pub(super) enum Crossing {
    /// It arrives then.
    Plain(Nanos),
    /// The link has [`Extras`] at this index, and the packet has left then.
    Special(u32, Nanos),
    /// The drop-tail queue of this index is full.
    Refused(u32),
}

/// What few links have.
#[derive(Clone, Debug)]
pub(super) struct Extras {
    pub(super) delay: Nanos,
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
    /// How long `size` bytes that are ready at `at` take to be sent.
    pub(super) fn time(&mut self, link: &mut Link, at: Nanos, size: u32) -> Nanos {
        match &mut self.trace {
            Some(trace) => trace.send(at, size).since(at),
            None => link.time(size),
        }
    }

    /// When a packet that has left at `leave` arrives; `None` when it is lost.
    pub(super) fn carry(&mut self, leave: Nanos) -> Option<Nanos> {
        if self.loss > 0.0 && self.random.chance(self.loss) {
            return None;
        }
        let arrive = (leave + self.delay).max(self.last_arrival);
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
