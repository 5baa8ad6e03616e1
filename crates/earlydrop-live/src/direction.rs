//! One direction of the bottleneck: queue, transmitter, wire. It knows no device and no
//! clock: what time it is comes in, what arrives at which time comes out.
//!
//! The transmitter is worked out, not waited for: a packet is taken from the queue at the
//! time when the one before is through, even where that is noticed later. So the rate is
//! exact however late the thread is, and lateness never adds up.

use std::collections::VecDeque;

use earlydrop::counters::Counters;
use earlydrop::queue::{AnyQueue, QueueDiscipline};
use earlydrop::random::Pcg32;
use earlydrop::registry::ConfigError;
use earlydrop::units::{BitsPerSec, Bytes, Nanos};
use earlydrop_sim::network::Opportunities;

use crate::packet;
use crate::plan;
use crate::pool::{Frame, Pool};

#[derive(Debug)]
pub(crate) struct Direction {
    queue: AnyQueue<Frame>,
    transmitter: Transmitter,
    /// When what was sent last is through.
    free_at: Nanos,
    /// The transmitter is free, and found the queue empty.
    idle: bool,
    delay: Nanos,
    loss: f64,
    random: Pcg32,
    wire: VecDeque<OnWire>,
    /// Lost at random on the wire.
    pub(crate) lost: u64,
}

#[derive(Debug)]
enum Transmitter {
    Constant(BitsPerSec),
    Recorded(Opportunities),
}

/// A packet that has been sent, and when it arrives.
#[derive(Clone, Copy, Debug)]
struct OnWire {
    due: Nanos,
    frame: Frame,
}

/// Streams of random numbers, apart from the queue's own.
const LOSS_STREAM: u64 = 1;

impl Direction {
    pub(crate) fn new(plan: &plan::Direction, seed: u64) -> Result<Direction, ConfigError> {
        Ok(Direction {
            queue: plan.queue(seed)?,
            transmitter: match &plan.rate {
                plan::Rate::Constant(rate) => Transmitter::Constant(*rate),
                plan::Rate::Recorded(trace) => {
                    Transmitter::Recorded(Opportunities::new(trace.clone()))
                }
            },
            free_at: Nanos::ZERO,
            idle: true,
            delay: plan.delay,
            loss: plan.loss,
            random: Pcg32::new(seed, LOSS_STREAM),
            wire: VecDeque::with_capacity(plan.on_the_wire()),
            lost: 0,
        })
    }

    /// A packet comes at `now`.
    pub(crate) fn offer(&mut self, now: Nanos, frame: Frame, pool: &mut Pool, tap: &mut impl Tap) {
        self.advance(now, pool, tap);
        let mut losses = |frame: Frame, _| pool.give_back(frame.slot);
        self.queue.enqueue_with(now, frame, &mut losses);
        if self.idle {
            self.idle = false;
            self.free_at = self.free_at.max(now);
            self.advance(now, pool, tap);
        }
    }

    /// A packet comes that the scheme does not judge: it is sent before all that waits.
    pub(crate) fn pass(&mut self, now: Nanos, frame: Frame, pool: &mut Pool, tap: &mut impl Tap) {
        self.advance(now, pool, tap);
        self.free_at = self.free_at.max(now);
        self.send(frame, pool, tap);
    }

    /// Sends what can be sent by `now`.
    pub(crate) fn advance(&mut self, now: Nanos, pool: &mut Pool, tap: &mut impl Tap) {
        while !self.idle && self.free_at <= now {
            let mut losses = |frame: Frame, _| pool.give_back(frame.slot);
            match self.queue.dequeue_with(self.free_at, &mut losses) {
                Some(departure) => self.send(departure.packet, pool, tap),
                None => self.idle = true,
            }
        }
    }

    fn send(&mut self, frame: Frame, pool: &mut Pool, tap: &mut impl Tap) {
        let size = frame.header.length;
        self.free_at = match &mut self.transmitter {
            Transmitter::Constant(rate) => {
                self.free_at + rate.transmission_time(Bytes(u64::from(size)))
            }
            Transmitter::Recorded(opportunities) => opportunities.send(self.free_at, size),
        };
        if frame.marked {
            packet::mark(pool.packet(&frame));
        }
        tap.left(self.free_at, pool.whole(&frame));
        if self.loss > 0.0 && self.random.chance(self.loss) {
            self.lost += 1;
            pool.give_back(frame.slot);
            return;
        }
        let due = self.free_at + self.delay;
        self.wire.push_back(OnWire { due, frame });
    }

    /// The next packet that has arrived by `now`, and when it did.
    pub(crate) fn arrived(&mut self, now: Nanos) -> Option<(Nanos, Frame)> {
        let next = self.wire.pop_front_if(|next| next.due <= now)?;
        Some((next.due, next.frame))
    }

    /// When it must be looked after again.
    pub(crate) fn next(&self) -> Nanos {
        match self.wire.front() {
            Some(next) => next.due,
            None if self.idle => Nanos::NEVER,
            None => self.free_at,
        }
    }

    pub(crate) fn counters(&self) -> &Counters {
        self.queue.counters()
    }

    pub(crate) fn packets(&self) -> u32 {
        self.queue.packets()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.queue.bytes()
    }

    pub(crate) fn travelling(&self) -> usize {
        self.wire.len()
    }

    /// Every probe of the scheme as it is at `now`.
    pub(crate) fn probes(&mut self, now: Nanos, show: &mut dyn FnMut(&'static str, f64)) {
        self.queue.poll(now);
        self.queue.probes(show);
    }
}

/// Who sees the packets as they leave the transmitter.
pub(crate) trait Tap {
    fn left(&mut self, at: Nanos, bytes: &[u8]);
}

impl<F: FnMut(Nanos, &[u8])> Tap for F {
    fn left(&mut self, at: Nanos, bytes: &[u8]) {
        self(at, bytes);
    }
}

#[cfg(test)]
#[path = "direction_tests.rs"]
mod tests;
