//! One direction of the bottleneck: queue, transmitter, wire. It knows no device and no clock:
//! the caller passes the time, and takes the packets that have arrived.
//!
//! The queue and the transmitter are the simulator's [`QueuedLink`]. A packet is taken from the
//! queue at the time when the one before it is through, even if the thread notices later. So the
//! rate is exact however late the thread is, and lateness never adds up.

use std::collections::VecDeque;

use earlydrop::aqm::DropReason;
use earlydrop::counters::Counters;
use earlydrop::queue::{AnyQueue, Losses, QueueDiscipline};
use earlydrop::random::Pcg32;
use earlydrop::registry::{ConfigError, LinkFacts, Spec};
use earlydrop::units::Nanos;
use earlydrop_sim::fine_time::FineTime;
use earlydrop_sim::link::{QueuedLink, Transmission, is_lost};
use earlydrop_sim::network::{self, Change};

use crate::packet;
use crate::plan;
use crate::pool::{Frame, Pool};

#[derive(Debug)]
pub(crate) struct Direction {
    link: QueuedLink<Frame>,
    /// The share of packets lost at random on the wire.
    loss: f64,
    random: Pcg32,
    wire: VecDeque<OnWire>,
    /// Packets lost at random on the wire.
    pub(crate) lost: u64,
}

/// A packet that has been sent, and when it arrives.
#[derive(Clone, Copy, Debug)]
struct OnWire {
    due: Nanos,
    frame: Frame,
}

/// The stream of random numbers for losses; the queue has its own.
const LOSS_STREAM: u64 = 1;

impl Direction {
    pub(crate) fn new(plan: &plan::Direction, seed: u64) -> Result<Direction, ConfigError> {
        Ok(Direction::with(plan, plan.queue(seed)?, seed))
    }

    fn with(plan: &plan::Direction, queue: AnyQueue<Frame>, seed: u64) -> Direction {
        let trace = match &plan.rate {
            plan::Rate::Constant(_) => None,
            plan::Rate::Recorded(trace) => Some(trace.clone()),
        };
        Direction {
            link: QueuedLink::new(queue, plan.rate.mean(), plan.delay, trace),
            loss: plan.loss,
            random: Pcg32::new(seed, LOSS_STREAM),
            wire: VecDeque::with_capacity(plan.on_the_wire()),
            lost: 0,
        }
    }

    /// The direction over a link as the simulator describes it, behind `queue`. Whatever reorders
    /// or changes packets' delays on the wire is left to the caller.
    pub(crate) fn of_link(
        link: &network::Link,
        queue: &Spec,
        seed: u64,
    ) -> Result<Direction, ConfigError> {
        let rate = match &link.trace {
            Some(trace) => plan::Rate::Recorded(trace.clone()),
            None => plan::Rate::Constant(link.rate),
        };
        let facts = LinkFacts {
            rate: link.mean_rate(),
            mean_packet: link.mean_packet,
        };
        let plan = plan::Direction {
            rate,
            delay: link.delay,
            loss: link.loss,
            queue: queue.clone(),
        };
        let mut queue = queue.plan(&facts)?.queue(seed);
        // Periodic updates count from the first poll: from time zero.
        queue.poll(Nanos::ZERO);
        Ok(Direction::with(&plan, queue, seed))
    }

    /// A packet arrives at the queue at `now`.
    pub(crate) fn enqueue(
        &mut self,
        now: Nanos,
        frame: Frame,
        pool: &mut Pool,
        tap: &mut impl Tap,
    ) {
        self.advance(now, pool, tap);
        tap.before_change(now, &mut self.link);
        if self.link.enqueue(now, frame, &mut Lost(now, pool, tap)) {
            self.advance(now, pool, tap);
        }
    }

    /// A packet arrives at `now` that the scheme does not judge: it is sent before all that waits.
    pub(crate) fn bypass(&mut self, now: Nanos, frame: Frame, pool: &mut Pool, tap: &mut impl Tap) {
        self.advance(now, pool, tap);
        let sent = self.link.transmit_unqueued(now, frame);
        self.put_on_wire(now, sent, pool, tap);
    }

    /// Sends what can be sent by `now`.
    pub(crate) fn advance(&mut self, now: Nanos, pool: &mut Pool, tap: &mut impl Tap) {
        loop {
            let at = self.link.next_transmission();
            if at > now {
                return;
            }
            tap.before_change(at, &mut self.link);
            let Some(sent) = self.link.transmit(&mut Lost(at, pool, tap)) else {
                return;
            };
            self.put_on_wire(at, sent, pool, tap);
        }
    }

    fn put_on_wire(
        &mut self,
        at: Nanos,
        sent: Transmission<Frame>,
        pool: &mut Pool,
        tap: &mut impl Tap,
    ) {
        let frame = sent.packet;
        tap.on_transmission(at, &frame, sent.sojourn, sent.time);
        if frame.marked {
            packet::mark(pool.packet(&frame));
        }
        tap.on_sent(sent.ends, pool.whole(&frame));
        if is_lost(self.loss, &mut self.random) {
            self.lost += 1;
            tap.on_wire_loss(sent.ends, &frame);
            pool.give_back(frame.slot);
            return;
        }
        let due = sent.arrives;
        self.wire.push_back(OnWire { due, frame });
    }

    /// Removes the next packet that arrives by `now`, with its arrival time.
    pub(crate) fn pop_due(&mut self, now: Nanos) -> Option<(Nanos, Frame)> {
        let next = self.wire.pop_front_if(|next| next.due <= now)?;
        Some((next.due, next.frame))
    }

    /// The time of the next event: when a packet arrives, or the caller must
    /// [advance](Direction::advance) the direction.
    pub(crate) fn next_event(&self) -> Nanos {
        match self.wire.front() {
            Some(next) => next.due,
            None => self.link.next_transmission(),
        }
    }

    /// Removes the next packet from the wire, however late it arrives, with its arrival time.
    pub(crate) fn pop_sent(&mut self) -> Option<(Nanos, Frame)> {
        let next = self.wire.pop_front()?;
        Some((next.due, next.frame))
    }

    /// When it next sends a packet, as far as is known; never, if nothing waits.
    pub(crate) fn next_transmission(&self) -> Nanos {
        self.link.next_transmission()
    }

    pub(crate) fn delay(&self) -> Nanos {
        self.link.delay()
    }

    /// Changes the link at `at`. A packet being sent keeps its time.
    pub(crate) fn change(
        &mut self,
        at: Nanos,
        change: &Change,
        pool: &mut Pool,
        tap: &mut impl Tap,
    ) {
        self.observe(at, pool, tap);
        self.link.change(at, change);
        self.advance(at, pool, tap);
    }

    /// Brings a tap up to `at`, before anything happens then.
    pub(crate) fn observe(&mut self, at: Nanos, pool: &mut Pool, tap: &mut impl Tap) {
        self.advance(at, pool, tap);
        tap.before_change(at, &mut self.link);
    }

    pub(crate) fn counters(&self) -> &Counters {
        self.link.queue().counters()
    }

    pub(crate) fn packets(&self) -> u32 {
        self.link.waiting()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.link.queue().bytes()
    }

    /// Packets on the wire.
    pub(crate) fn on_wire(&self) -> usize {
        self.wire.len()
    }

    /// Passes each of the scheme's probes, as it is at `now`, to `show`.
    pub(crate) fn probes(&mut self, now: Nanos, show: &mut dyn FnMut(&'static str, f64)) {
        self.link.queue_mut().poll(now);
        self.link.queue().probes(show);
    }
}

/// An observer of one direction.
pub(crate) trait Tap {
    /// A packet leaves the transmitter.
    fn on_sent(&mut self, at: Nanos, bytes: &[u8]);
    /// The queue of `link` is about to change at `at`, and has not changed since the last call.
    fn before_change(&mut self, _at: Nanos, _link: &mut QueuedLink<Frame>) {}
    /// A packet that has waited for `sojourn` begins to be sent at `at`, which takes `time`.
    fn on_transmission(&mut self, _at: Nanos, _frame: &Frame, _sojourn: Nanos, _time: FineTime) {}
    /// A packet is dropped in the queue.
    fn on_drop(&mut self, _at: Nanos, _frame: &Frame) {}
    /// A packet is lost after the transmitter.
    fn on_wire_loss(&mut self, _at: Nanos, _frame: &Frame) {}
}

/// Receives the packets that the queue drops at one time.
struct Lost<'a, T>(Nanos, &'a mut Pool, &'a mut T);

impl<T: Tap> Losses<Frame> for Lost<'_, T> {
    fn lost(&mut self, frame: Frame, _reason: DropReason) {
        self.2.on_drop(self.0, &frame);
        self.1.give_back(frame.slot);
    }
}

impl<F: FnMut(Nanos, &[u8])> Tap for F {
    fn on_sent(&mut self, at: Nanos, bytes: &[u8]) {
        self(at, bytes);
    }
}

#[cfg(test)]
#[path = "direction_tests.rs"]
mod tests;
