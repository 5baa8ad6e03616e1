//! One direction of the bottleneck: queue, transmitter, wire. It knows no device and no
//! clock: what time it is comes in, what arrives at which time comes out.
//!
//! The transmitter is worked out, not waited for: a packet is taken from the queue at the
//! time when the one before is through, even where that is noticed later. So the rate is
//! exact however late the thread is, and lateness never adds up.

use std::collections::VecDeque;

use earlydrop::aqm::DropReason;
use earlydrop::counters::Counters;
use earlydrop::queue::{AnyQueue, Losses, QueueDiscipline};
use earlydrop::random::Pcg32;
use earlydrop::registry::{ConfigError, Link, Spec};
use earlydrop::units::{BitsPerSec, Bytes, Nanos};
use earlydrop_sim::network::{self, Change, Opportunities};

use crate::packet;
use crate::plan;
use crate::pool::{Frame, Pool};

#[derive(Debug)]
pub(crate) struct Direction {
    queue: AnyQueue<Frame>,
    transmitter: Transmitter,
    /// When what was sent last is through; never, as long as it is down.
    free_at: Nanos,
    /// When it is down: when what it sent last was through.
    down: Option<Nanos>,
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
        Ok(Direction::with(plan, plan.queue(seed)?, seed))
    }

    fn with(plan: &plan::Direction, queue: AnyQueue<Frame>, seed: u64) -> Direction {
        Direction {
            queue,
            transmitter: match &plan.rate {
                plan::Rate::Constant(rate) => Transmitter::Constant(*rate),
                plan::Rate::Recorded(trace) => {
                    Transmitter::Recorded(Opportunities::new(trace.clone()))
                }
            },
            free_at: Nanos::ZERO,
            down: None,
            idle: true,
            delay: plan.delay,
            loss: plan.loss,
            random: Pcg32::new(seed, LOSS_STREAM),
            wire: VecDeque::with_capacity(plan.on_the_wire()),
            lost: 0,
        }
    }

    /// The same of a link of the simulator's, behind `queue`. What is special about it once
    /// packets are on its wire is left to others.
    pub(crate) fn of_link(
        link: &network::Link,
        queue: &Spec,
        seed: u64,
    ) -> Result<Direction, ConfigError> {
        let rate = match &link.trace {
            Some(trace) => plan::Rate::Recorded(trace.clone()),
            None => plan::Rate::Constant(link.rate),
        };
        let facts = Link {
            rate: rate.mean(),
            mean_packet: link.mean_packet,
        };
        let plan = plan::Direction {
            rate,
            delay: link.delay,
            loss: link.loss,
            queue: queue.clone(),
        };
        let mut queue = queue.plan(&facts)?.queue(seed);
        // What is periodic counts from the first look: from time zero.
        queue.poll(Nanos::ZERO);
        Ok(Direction::with(&plan, queue, seed))
    }

    /// A packet comes at `now`.
    pub(crate) fn offer(&mut self, now: Nanos, frame: Frame, pool: &mut Pool, tap: &mut impl Tap) {
        self.advance(now, pool, tap);
        tap.comes(now, &mut self.queue);
        let mut losses = Lost(now, pool, tap);
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
        self.send(frame, now, pool, tap);
    }

    /// Sends what can be sent by `now`.
    pub(crate) fn advance(&mut self, now: Nanos, pool: &mut Pool, tap: &mut impl Tap) {
        while !self.idle && self.free_at <= now {
            tap.comes(self.free_at, &mut self.queue);
            let mut losses = Lost(self.free_at, pool, tap);
            match self.queue.dequeue_with(self.free_at, &mut losses) {
                Some(departure) => self.send(departure.packet, departure.arrived, pool, tap),
                None => self.idle = true,
            }
        }
    }

    fn send(&mut self, frame: Frame, arrived: Nanos, pool: &mut Pool, tap: &mut impl Tap) {
        let begins = self.free_at;
        let size = frame.header.length;
        self.free_at = match &mut self.transmitter {
            Transmitter::Constant(rate) => begins + rate.transmission_time(Bytes(u64::from(size))),
            Transmitter::Recorded(opportunities) => opportunities.send(begins, size),
        };
        tap.sends(begins.since(arrived), self.free_at.since(begins));
        if frame.marked {
            packet::mark(pool.packet(&frame));
        }
        tap.left(self.free_at, pool.whole(&frame));
        if self.loss > 0.0 && self.random.chance(self.loss) {
            self.lost += 1;
            tap.lost_on_the_wire(self.free_at, &frame);
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

    /// Takes a packet off the wire whenever it arrives, and says when it does.
    pub(crate) fn sent(&mut self) -> Option<(Nanos, Frame)> {
        let next = self.wire.pop_front()?;
        Some((next.due, next.frame))
    }

    /// When it sends next, as far as is known; never, when nothing waits.
    pub(crate) fn sends(&self) -> Nanos {
        match self.idle {
            true => Nanos::NEVER,
            false => self.free_at,
        }
    }

    pub(crate) fn delay(&self) -> Nanos {
        self.delay
    }

    /// Something about the link changes at `at`. What is being sent keeps its time.
    pub(crate) fn change(
        &mut self,
        at: Nanos,
        change: Change,
        pool: &mut Pool,
        tap: &mut impl Tap,
    ) {
        self.advance(at, pool, tap);
        tap.comes(at, &mut self.queue);
        match change {
            Change::Rate(rate) => {
                if let Transmitter::Constant(sends) = &mut self.transmitter {
                    *sends = rate;
                }
                self.queue.set_link_rate(at, rate);
            }
            Change::Delay(delay) => self.delay = delay,
            Change::Down => {
                let free_at = self.free_at;
                self.down.get_or_insert(free_at);
                self.free_at = Nanos::NEVER;
            }
            Change::Up => {
                if let Some(free_at) = self.down.take() {
                    self.free_at = free_at.max(at);
                    self.advance(at, pool, tap);
                }
            }
        }
    }

    /// Brings a tap up to `at`, before anything happens then.
    pub(crate) fn show(&mut self, at: Nanos, pool: &mut Pool, tap: &mut impl Tap) {
        self.advance(at, pool, tap);
        tap.comes(at, &mut self.queue);
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

/// Who looks on.
pub(crate) trait Tap {
    /// A packet leaves the transmitter.
    fn left(&mut self, at: Nanos, bytes: &[u8]);
    /// Time goes on to `at`, and the queue is still as it was before.
    fn comes(&mut self, _at: Nanos, _queue: &mut AnyQueue<Frame>) {}
    /// A packet that has waited for `sojourn` begins to be sent, which takes `time`.
    fn sends(&mut self, _sojourn: Nanos, _time: Nanos) {}
    /// A packet is dropped in the queue.
    fn lost(&mut self, _at: Nanos, _frame: &Frame) {}
    /// A packet is lost after the transmitter.
    fn lost_on_the_wire(&mut self, _at: Nanos, _frame: &Frame) {}
}

/// Receives what the queue drops at a time.
struct Lost<'a, T>(Nanos, &'a mut Pool, &'a mut T);

impl<T: Tap> Losses<Frame> for Lost<'_, T> {
    fn lost(&mut self, frame: Frame, _reason: DropReason) {
        self.2.lost(self.0, &frame);
        self.1.give_back(frame.slot);
    }
}

impl<F: FnMut(Nanos, &[u8])> Tap for F {
    fn left(&mut self, at: Nanos, bytes: &[u8]) {
        self(at, bytes);
    }
}

#[cfg(test)]
#[path = "direction_tests.rs"]
mod tests;
