//! Drop-tail queues as arithmetic.
//!
//! A packet that enters a first-in first-out queue of at most L packets leaves when those before
//! it have, whatever arrives after it. So its departure is known on arrival, and the queue keeps
//! only when the transmission of each waiting packet begins.

use earlydrop::aqm::DropReason;
use earlydrop::counters::Counters;
use earlydrop::packet::Packet as _;
use earlydrop::queue::{AnyQueue, Limit};
use earlydrop::random::Pcg32;
use earlydrop::schemes::AnyAqm;
use earlydrop::schemes::droptail::DropTail;
use earlydrop::units::Nanos;

use super::accounts::Accounts;
use super::port::Port;
use crate::fine_time::FineTime;
use crate::link::{QueuedLink, Transmitter};
use crate::measure::{Groups, MeasuredQueue, QueueMeter, Work};
use crate::packet::Packet;

/// A link with a drop-tail queue, and what is measured of both.
#[derive(Clone, Debug)]
pub(super) struct FifoPort {
    /// The link's number and name.
    pub(super) number: u32,
    pub(super) name: String,
    fifo: Fifo,
    pub(super) meter: QueueMeter,
    /// Until this time the meter has nothing due, and packets that do not wait are only counted.
    calm_until: Nanos,
    /// How many were counted and are [not yet measured](FifoPort::measure_counted).
    counted: u64,
}

impl FifoPort {
    pub(super) fn new(
        number: u32,
        name: String,
        link: Transmitter,
        limit: u32,
        meter: QueueMeter,
    ) -> FifoPort {
        FifoPort {
            number,
            name,
            fifo: Fifo::new(limit, link),
            meter,
            calm_until: Nanos::ZERO,
            counted: 0,
        }
    }

    /// Sends a packet of `size` bytes that arrives at `at`, if the link is free then and the meter
    /// has nothing due; returns when it arrives at the far end. `None`: nothing was done.
    #[inline(always)]
    pub(super) fn transmit_if_free(&mut self, at: Nanos, size: u32) -> Option<Nanos> {
        let free = self.fifo.link.free_at.nanos() <= at && at < self.calm_until;
        let time = self.fifo.link.params.cached_time(size).filter(|_| free)?;
        self.counted += 1;
        self.fifo.link.free_at = at.into();
        self.fifo.link.free_at += time;
        Some(Nanos(
            self.fifo.link.free_at.nanos().0 + self.fifo.link.params.delay.0,
        ))
    }

    /// Sends any packet that arrives at `at`; returns when it arrives at the far end, or `None` if
    /// the queue is full and the packet lost.
    pub(super) fn transmit(
        &mut self,
        accounts: &mut Accounts,
        packet: Packet,
        at: Nanos,
    ) -> Option<Nanos> {
        let size = packet.size();
        self.observe(&accounts.groups, at);
        self.meter.on_arrival(&accounts.groups, packet, at);
        let arrives = if self.fifo.link.free_at.nanos() > at {
            self.enqueue(at, packet)
        } else {
            let time = self.fifo.link.params.transmission_time(size);
            self.fifo.count_unqueued(1, size);
            self.meter.sent_unqueued(1, time);
            self.meter.on_departure(&accounts.groups, packet, at);
            Some(self.fifo.link.transmit(at, size))
        };
        self.calm_until = self.meter.fast_path_until();
        if arrives.is_none() {
            accounts.loss(at, Some(&mut self.meter)).take(packet);
        }
        arrives
    }

    /// Measures the packets that were only counted. All are of one size: the one whose
    /// transmission time is cached.
    fn measure_counted(&mut self) {
        if let Some((size, time)) = self.fifo.link.params.cached() {
            self.fifo.count_unqueued(self.counted, size);
            self.meter.sent_unqueued(self.counted, time);
        }
        self.counted = 0;
    }

    fn enqueue(&mut self, at: Nanos, packet: Packet) -> Option<Nanos> {
        let size = packet.size();
        if !self.fifo.has_room_for(size) {
            return None;
        }
        let begins = self.fifo.link.free_at.nanos();
        self.meter.advance(at, self.fifo.packets());
        let time = self.fifo.link.params.transmission_time(size);
        self.fifo.push(Waiting {
            arrived: at,
            begins,
            time,
            size,
            data_of: match packet.is_forward() {
                true => packet.flow_index(),
                false => NO_FLOW,
            },
        });
        Some(self.fifo.link.transmit(at, size))
    }

    /// The port that this link is in the [reference engine](super::reference).
    pub(super) fn as_port(&self) -> Port {
        let limit = Limit::packets(self.fifo.limit).growing();
        let queue = AnyQueue::single(AnyAqm::DropTail(DropTail), limit, Pcg32::new(0, 0));
        let params = &self.fifo.link.params;
        let link = QueuedLink::new(queue, params.rate(), params.delay, None);
        let (number, name) = (self.number, self.name.clone());
        Port::new(number, name, None, link, self.meter.clone())
    }

    /// Brings measurement up to `until`: packets whose transmission has begun have left the queue.
    pub(super) fn observe(&mut self, groups: &Groups, until: Nanos) {
        self.measure_counted();
        while let Some(begins) = self.fifo.next_begins(until) {
            self.meter
                .observe(begins, self.fifo.packets(), &mut self.fifo);
            let sent = self.fifo.pop();
            self.meter.sent(begins.since(sent.arrived), sent.time);
            if sent.data_of != NO_FLOW {
                self.meter
                    .on_data_departure(groups, sent.data_of, sent.size, begins);
            }
        }
        self.meter
            .observe(until, self.fifo.packets(), &mut self.fifo);
    }

    /// Ends measurement at `at`.
    pub(super) fn finish(&mut self, groups: &Groups, at: Nanos) {
        self.observe(groups, at);
        self.meter.finish(at, self.fifo.packets(), &mut self.fifo);
    }
}

impl MeasuredQueue for Fifo {
    fn poll(&mut self, _now: Nanos) {}

    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn counters(&self) -> Counters {
        self.counters.clone()
    }

    fn probes(&self, _show: &mut dyn FnMut(&'static str, f64)) {}

    fn work(&self, at: Nanos, begun: FineTime) -> Work {
        let waiting =
            (self.popped..self.pushed).map(|number| self.waiting[self.place(number)].time);
        let waiting: i128 = waiting.map(FineTime::fractions).sum();
        Work::of_transmitter(at, begun, self.link.free_at.fractions() - waiting)
    }
}

/// A drop-tail queue with a limit in packets, over a link whose rate does not change.
#[derive(Clone, Debug)]
struct Fifo {
    /// The link. It is free once all that wait now are sent.
    link: Transmitter,
    /// A ring whose length is a power of two; it grows with the queue, as most limits are never
    /// reached.
    waiting: Box<[Waiting]>,
    limit: u32,
    /// Packets popped and pushed since the start.
    popped: u64,
    pushed: u64,
    bytes: u64,
    counters: Counters,
}

/// A packet that waits.
#[derive(Clone, Copy, Debug, Default)]
struct Waiting {
    arrived: Nanos,
    /// When its transmission begins, and how long that takes.
    begins: Nanos,
    time: FineTime,
    size: u32,
    /// The flow whose data it is, or [`NO_FLOW`].
    data_of: u32,
}

/// The packets that a queue has room for at first.
const FIRST_ROOM: u32 = 16;

/// No flow has this index.
const NO_FLOW: u32 = u32::MAX;

impl Fifo {
    fn new(limit: u32, link: Transmitter) -> Fifo {
        Fifo {
            link,
            waiting: vec![
                Waiting::default();
                limit.clamp(1, FIRST_ROOM).next_power_of_two() as usize
            ]
            .into(),
            limit,
            popped: 0,
            pushed: 0,
            bytes: 0,
            counters: Counters::default(),
        }
    }

    #[inline]
    fn place(&self, number: u64) -> usize {
        number as usize & (self.waiting.len() - 1)
    }

    /// When the transmission of the next packet begins, if it does by `at`.
    #[inline]
    fn next_begins(&self, at: Nanos) -> Option<Nanos> {
        let begins = self.waiting[self.place(self.popped)].begins;
        (self.popped < self.pushed && begins <= at).then_some(begins)
    }

    /// Takes the next packet, which must exist.
    #[inline]
    fn pop(&mut self) -> Waiting {
        let next = self.waiting[self.place(self.popped)];
        self.popped += 1;
        self.bytes -= u64::from(next.size);
        self.counters.departed.add(next.size);
        next
    }

    /// Counts so many packets of `size` bytes that do not wait.
    fn count_unqueued(&mut self, packets: u64, size: u32) {
        self.counters.arrived.add_all(packets, size);
        self.counters.departed.add_all(packets, size);
    }

    /// Counts an arrival of `size` bytes; returns whether there is room for it. Packets whose
    /// transmission has begun must have been [popped](Fifo::pop).
    #[inline]
    fn has_room_for(&mut self, size: u32) -> bool {
        self.counters.arrived.add(size);
        let room = self.pushed - self.popped < u64::from(self.limit);
        if !room {
            self.counters.drop(DropReason::Forced, size);
        }
        room
    }

    /// Adds a packet at the end.
    #[inline]
    fn push(&mut self, packet: Waiting) {
        if (self.pushed - self.popped) as usize == self.waiting.len() {
            self.grow();
        }
        let place = self.place(self.pushed);
        self.waiting[place] = packet;
        self.pushed += 1;
        self.bytes += u64::from(packet.size);
    }

    /// Doubles the room for waiting packets.
    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let old = std::mem::take(&mut self.waiting);
        self.waiting = vec![Waiting::default(); 2 * old.len()].into();
        for number in self.popped..self.pushed {
            let place = self.place(number);
            self.waiting[place] = old[number as usize & (old.len() - 1)];
        }
    }

    /// Packets waiting.
    #[inline]
    fn packets(&self) -> u32 {
        (self.pushed - self.popped) as u32
    }
}
