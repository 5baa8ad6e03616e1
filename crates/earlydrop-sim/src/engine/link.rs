//! Transmitters and wires.

use earlydrop::random::Pcg32;
use earlydrop::units::{BitsPerSec, Bytes, Nanos};

use crate::capture::Capture;
use crate::network::{Opportunities, Reorder};

/// A link's transmitter and wire.
///
/// What waits for it in order and without limit leaves at a time that is known as soon
/// as it comes: max(when it comes, when the link is free) plus the time it takes to send.
#[derive(Clone, Debug)]
pub(super) struct Link {
    /// When what was sent last is through.
    pub(super) free_at: Nanos,
    pub(super) make: Make,
}

impl Link {
    pub(super) fn new(rate: BitsPerSec, delay: Nanos) -> Link {
        Link {
            free_at: Nanos::ZERO,
            make: Make::new(rate, delay),
        }
    }

    /// Carries `size` bytes that come at `at` and wait for what came before; answers
    /// when they arrive.
    #[inline]
    pub(super) fn cross(&mut self, at: Nanos, size: u32) -> Nanos {
        self.make.cross(&mut self.free_at, at, size)
    }
}

/// What links have in common that are alike: all about them but when they are free.
#[derive(Clone, Debug)]
pub(super) struct Make {
    pub(super) delay: Nanos,
    rate: BitsPerSec,
    /// How many nanoseconds the size asked for last takes: packets come in few sizes.
    time: u32,
    size: u32,
}

impl Make {
    pub(super) fn new(rate: BitsPerSec, delay: Nanos) -> Make {
        Make {
            delay,
            rate,
            time: 0,
            size: 0,
        }
    }

    pub(super) fn rate(&self) -> BitsPerSec {
        self.rate
    }

    pub(super) fn set_rate(&mut self, rate: BitsPerSec) {
        self.rate = rate;
        self.size = 0;
    }

    /// How long `size` bytes take to be sent.
    #[inline]
    pub(super) fn time(&mut self, size: u32) -> Nanos {
        if self.size != size {
            return self.work_out(size);
        }
        Nanos(u64::from(self.time))
    }

    /// The same where that size was asked for last.
    #[inline(always)]
    pub(super) fn known_time(&self, size: u32) -> Option<Nanos> {
        (self.size == size).then(|| Nanos(u64::from(self.time)))
    }

    /// The size asked for last and its time, where that is remembered.
    pub(super) fn last_time(&self) -> Option<(u32, Nanos)> {
        (self.size > 0).then(|| (self.size, Nanos(u64::from(self.time))))
    }

    #[cold]
    #[inline(never)]
    fn work_out(&mut self, size: u32) -> Nanos {
        let time = self.rate.transmission_time(Bytes(u64::from(size)));
        // Beyond four seconds it is worked out each time.
        if let Ok(short) = u32::try_from(time.0) {
            (self.size, self.time) = (size, short);
        }
        time
    }

    /// The same as [`Link::cross`] for a link of this make that is free at `free_at`.
    #[inline]
    pub(super) fn cross(&mut self, free_at: &mut Nanos, at: Nanos, size: u32) -> Nanos {
        let time = self.time(size);
        *free_at = Nanos(free_at.0.max(at.0) + time.0);
        Nanos(free_at.0 + self.delay.0)
    }
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
            None => link.make.time(size),
        }
    }

    /// What becomes of a packet that would arrive at `arrive`: it does then, or later, or
    /// is lost.
    pub(super) fn carry(&mut self, arrive: Nanos) -> Option<Nanos> {
        if self.loss > 0.0 && self.random.chance(self.loss) {
            return None;
        }
        let arrive = arrive.max(self.last_arrival);
        self.last_arrival = arrive;
        let held = self.reorder.filter(|r| self.random.chance(r.share));
        let extra = held.map_or(0.0, |r| self.random.uniform() * r.delay.0 as f64);
        Some(arrive + Nanos(extra as u64))
    }
}
