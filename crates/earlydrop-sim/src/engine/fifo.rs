//! Drop-tail as arithmetic.
//!
//! A packet let into a first-in first-out queue of at most L packets leaves when those
//! before it have, whatever comes after: its departure is known on arrival. All that
//! must be kept is when each packet that waits will begin to be sent.

use earlydrop::aqm::DropReason;
use earlydrop::counters::Counters;
use earlydrop::packet::Packet as _;
use earlydrop::queue::{AnyQueue, Limit};
use earlydrop::random::Pcg32;
use earlydrop::schemes::AnyAqm;
use earlydrop::schemes::droptail::DropTail;
use earlydrop::units::Nanos;

use super::link::Link;
use super::port::Port;
use crate::measure::{QueueMeter, Watched};
use crate::packet::Packet;

/// A link with a drop-tail queue.
#[derive(Clone, Debug)]
pub(super) struct FifoPort {
    pub(super) number: u32,
    pub(super) name: String,
    link: Link,
    fifo: Fifo,
    pub(super) meter: QueueMeter,
}

impl FifoPort {
    pub(super) fn new(
        number: u32,
        name: String,
        link: Link,
        limit: u32,
        meter: QueueMeter,
    ) -> FifoPort {
        FifoPort {
            number,
            name,
            link,
            fifo: Fifo::new(limit),
            meter,
        }
    }

    /// Carries a packet that comes at `at`; answers when it arrives, if there is room for
    /// it.
    // Let in where packets travel, its sums would be got ready for every step.
    #[inline(never)]
    pub(super) fn cross(&mut self, at: Nanos, packet: Packet) -> Option<Nanos> {
        let size = packet.size();
        if at >= self.meter.next_tick || self.fifo.packets() > 0 {
            self.observe(at);
        }
        self.meter.came(packet, at);
        if self.link.free_at > at {
            return self.wait(at, size);
        }
        // Nothing is being sent, so nothing waits: it only passes.
        self.fifo.pass(size);
        let takes = self.link.make.time(size);
        self.meter.sent(Nanos::ZERO, takes);
        Some(self.link.cross(at, size))
    }

    fn wait(&mut self, at: Nanos, size: u32) -> Option<Nanos> {
        if !self.fifo.admits(size) {
            return None;
        }
        let begins = self.link.free_at;
        self.meter.pass(at, self.fifo.packets());
        self.fifo.enter(Waiting {
            came: at,
            begins,
            takes: self.link.make.time(size),
            size,
        });
        Some(self.link.cross(at, size))
    }

    /// The same as a queue that is looked after, for [`Simulation::in_turn`](super::Simulation::in_turn).
    pub(super) fn as_port(&self) -> Port {
        let limit = Limit::packets(self.fifo.limit);
        let queue = AnyQueue::single(AnyAqm::DropTail(DropTail), limit, Pcg32::new(0, 0));
        Port::new(
            self.number,
            self.name.clone(),
            self.link.clone(),
            None,
            queue,
            self.meter.clone(),
        )
    }

    /// Brings measurement up to `until`: what has begun to be sent by then has left.
    pub(super) fn observe(&mut self, until: Nanos) {
        while let Some(begins) = self.fifo.next_begins(until) {
            self.meter
                .observe(begins, self.fifo.packets(), &mut self.fifo);
            let sent = self.fifo.take_begun();
            self.meter.sent(begins.since(sent.came), sent.takes);
        }
        self.meter
            .observe(until, self.fifo.packets(), &mut self.fifo);
    }
}

impl Watched for Fifo {
    fn poll(&mut self, _now: Nanos) {}

    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn counters(&self) -> &Counters {
        &self.counters
    }

    fn probes(&self, _show: &mut dyn FnMut(&'static str, f64)) {}
}

/// A drop-tail queue of a number of packets over a link whose rate does not change.
#[derive(Clone, Debug)]
struct Fifo {
    /// A ring of a power of two.
    waiting: Box<[Waiting]>,
    limit: u32,
    /// Packets whose sending has begun, and packets let in, since the start.
    begun: u64,
    entered: u64,
    bytes: u64,
    counters: Counters,
}

/// A packet that waits.
#[derive(Clone, Copy, Debug, Default)]
struct Waiting {
    /// When it came, when it begins to be sent, and how long that takes.
    came: Nanos,
    begins: Nanos,
    takes: Nanos,
    size: u32,
}

impl Fifo {
    fn new(limit: u32) -> Fifo {
        Fifo {
            waiting: vec![Waiting::default(); limit.next_power_of_two() as usize].into(),
            limit,
            begun: 0,
            entered: 0,
            bytes: 0,
            counters: Counters::default(),
        }
    }

    #[inline]
    fn place(&self, number: u64) -> usize {
        number as usize & (self.waiting.len() - 1)
    }

    /// When the next packet begins to be sent, if it does by `at`.
    #[inline]
    fn next_begins(&self, at: Nanos) -> Option<Nanos> {
        let begins = self.waiting[self.place(self.begun)].begins;
        (self.begun < self.entered && begins <= at).then_some(begins)
    }

    /// Takes that packet.
    #[inline]
    fn take_begun(&mut self) -> Waiting {
        let next = self.waiting[self.place(self.begun)];
        self.begun += 1;
        self.bytes -= u64::from(next.size);
        self.counters.departed.add(next.size);
        next
    }

    /// A packet of `size` comes and is sent at once.
    #[inline]
    fn pass(&mut self, size: u32) {
        self.counters.arrived.add(size);
        self.counters.departed.add(size);
    }

    /// Whether a packet of `size` that comes now is let in. What has begun to be sent
    /// must have been [taken](Fifo::take_begun).
    #[inline]
    fn admits(&mut self, size: u32) -> bool {
        self.counters.arrived.add(size);
        let room = self.entered - self.begun < u64::from(self.limit);
        if !room {
            self.counters.drop(DropReason::Forced, size);
        }
        room
    }

    /// Lets a packet in.
    #[inline]
    fn enter(&mut self, packet: Waiting) {
        let place = self.place(self.entered);
        self.waiting[place] = packet;
        self.entered += 1;
        self.bytes += u64::from(packet.size);
    }

    /// Packets waiting.
    #[inline]
    fn packets(&self) -> u32 {
        (self.entered - self.begun) as u32
    }
}
