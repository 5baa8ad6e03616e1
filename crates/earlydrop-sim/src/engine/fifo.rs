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
    /// Packets that found the link free before this time need only be counted, and how
    /// many have come that are not [yet](FifoPort::count_passed).
    calm_until: Nanos,
    passed: u64,
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
            calm_until: Nanos::ZERO,
            passed: 0,
        }
    }

    /// Carries a packet of `size` that comes at `at` when nothing is being sent, so that
    /// nothing waits and it only passes; answers when it arrives. `None`: this did nothing.
    #[inline(always)]
    pub(super) fn pass(&mut self, at: Nanos, size: u32) -> Option<Nanos> {
        let free = self.link.free_at <= at && at < self.calm_until;
        let takes = self.link.make.known_time(size).filter(|_| free)?;
        self.passed += 1;
        self.link.free_at = Nanos(at.0 + takes.0);
        Some(Nanos(self.link.free_at.0 + self.link.make.delay.0))
    }

    /// Carries any packet; answers when it arrives, if there is room for it.
    pub(super) fn cross(&mut self, at: Nanos, packet: Packet) -> Option<Nanos> {
        let size = packet.size();
        self.observe(at);
        self.meter.came(packet, at);
        let arrive = if self.link.free_at > at {
            self.wait(at, size)
        } else {
            let takes = self.link.make.time(size);
            self.fifo.pass(1, size);
            self.meter.passed(1, takes);
            Some(self.link.cross(at, size))
        };
        self.calm_until = self.meter.calm_until();
        arrive
    }

    /// Counts what has passed since this was last asked for: as many packets of one size,
    /// that which the link was asked about last.
    fn count_passed(&mut self) {
        if let Some((size, takes)) = self.link.make.last_time() {
            self.fifo.pass(self.passed, size);
            self.meter.passed(self.passed, takes);
        }
        self.passed = 0;
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
        self.count_passed();
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

    /// `packets` of `size` come and are sent at once.
    fn pass(&mut self, packets: u64, size: u32) {
        self.counters.arrived.add_all(packets, size);
        self.counters.departed.add_all(packets, size);
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
