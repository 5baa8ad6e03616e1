//! A link as arithmetic on times: queue, transmitter, wire.
//!
//! The simulator and the bottleneck between real hosts carry packets with this one module. It is
//! generic over the packet and knows no clock, no events and no devices: the caller says when
//! packets arrive, and up to when departures must be known.
//!
//! - [`LinkParams`]: rate and propagation delay, shared by links that are alike.
//! - [`Transmitter`]: a link without a queue limit. A packet's arrival at the far end is known as
//!   soon as it enters. When it is free is a [`FineTime`]: at high rates a packet takes a few
//!   nanoseconds or less than one, and none of it may be lost to rounding.
//! - [`QueuedLink`]: a queue discipline in front of a transmitter. Departures are computed when
//!   they are asked for, each at the time when the packet before it has been sent, so asking late
//!   shifts nothing.
//! - [`is_lost`] and [`Wire`]: random loss, reordering, and no overtaking otherwise.
//!
//! ```
//! use earlydrop::units::{BitsPerSec, Nanos};
//! use earlydrop_sim::link::Transmitter;
//! // 1250 bytes take 1 ms at 10 Mbps, and 5 ms to the far end.
//! let mut link = Transmitter::new(BitsPerSec::from_mbps(10), Nanos::from_millis(5));
//! assert_eq!(link.transmit(Nanos::ZERO, 1250), Nanos::from_millis(6));
//! // The second packet waits for the first.
//! assert_eq!(link.transmit(Nanos::ZERO, 1250), Nanos::from_millis(7));
//! ```

use earlydrop::aqm::DropReason;
use earlydrop::counters::Counters;
use earlydrop::packet::Packet;
use earlydrop::queue::{AnyQueue, Losses, QueueDiscipline};
use earlydrop::random::Pcg32;
use earlydrop::units::{BitsPerSec, Bytes, Nanos};

use crate::fine_time::FineTime;
use crate::network::{Aggregation, Change, MediumAccess, Opportunities, Reorder, Trace};

/// A link's rate and propagation delay: all about it but when it is free.
#[derive(Clone, Debug)]
pub struct LinkParams {
    /// Propagation delay: how long a packet travels once it is sent.
    pub delay: Nanos,
    times: SendTimes,
}

/// How long packets take to be sent at a rate.
#[derive(Clone, Debug)]
pub(crate) struct SendTimes {
    rate: BitsPerSec,
    /// The last size asked for, in bytes, and its transmission time: packets come in few sizes.
    size: u32,
    time: FineTime,
    /// The size asked for before, and its time: calls and transfers share a link. A division by
    /// the rate costs as much as half a packet.
    before: (u32, FineTime),
}

impl LinkParams {
    /// The parameters of a link of this rate and propagation delay.
    pub fn new(rate: BitsPerSec, delay: Nanos) -> LinkParams {
        let times = SendTimes::at(rate);
        LinkParams { delay, times }
    }

    /// The rate.
    pub fn rate(&self) -> BitsPerSec {
        self.times.rate
    }

    /// Changes the rate.
    pub fn set_rate(&mut self, rate: BitsPerSec) {
        self.times = SendTimes::at(rate);
    }

    /// The transmission time of `size` bytes.
    #[inline]
    pub fn transmission_time(&mut self, size: u32) -> FineTime {
        self.times.of(size)
    }

    /// The transmission time of `size` bytes, if that is the size asked for last.
    #[inline(always)]
    pub(crate) fn cached_time(&self, size: u32) -> Option<FineTime> {
        (self.times.size == size).then_some(self.times.time)
    }

    /// The size asked for last and its transmission time, if they are cached.
    pub(crate) fn cached(&self) -> Option<(u32, FineTime)> {
        (self.times.size > 0).then_some((self.times.size, self.times.time))
    }
}

impl SendTimes {
    /// Those at `rate`.
    pub(crate) fn at(rate: BitsPerSec) -> SendTimes {
        SendTimes {
            rate,
            size: 0,
            time: FineTime::default(),
            before: (0, FineTime::default()),
        }
    }

    /// The transmission time of `size` bytes.
    #[inline(always)]
    pub(crate) fn of(&mut self, size: u32) -> FineTime {
        if self.size != size {
            self.compute(size);
        }
        self.time
    }

    /// Sends `size` bytes that arrive at `at` over a link that is free at `free_at`; returns when they
    /// are sent.
    #[inline(always)]
    pub(crate) fn send(&mut self, free_at: &mut FineTime, at: Nanos, size: u32) -> Nanos {
        *free_at = free_at.max(at);
        *free_at += self.of(size);
        free_at.nanos()
    }

    #[cold]
    #[inline(never)]
    fn compute(&mut self, size: u32) {
        let (known, time) = std::mem::replace(&mut self.before, (self.size, self.time));
        self.size = size;
        self.time = match known == size && size > 0 {
            true => time,
            false => FineTime::to_send(Bytes(u64::from(size)), self.rate),
        };
    }
}

/// A transmitter and its wire, with a queue in front that is first-in first-out and never full.
///
/// A packet leaves at max(its arrival, when the link is free) plus its transmission time.
#[derive(Clone, Debug)]
pub struct Transmitter {
    /// When the transmission of the packet sent last ends.
    pub(crate) free_at: FineTime,
    pub(crate) params: LinkParams,
}

impl Transmitter {
    /// A transmitter that is free at time zero.
    pub fn new(rate: BitsPerSec, delay: Nanos) -> Transmitter {
        Transmitter {
            free_at: FineTime::default(),
            params: LinkParams::new(rate, delay),
        }
    }

    /// Rate and propagation delay.
    pub fn params(&self) -> &LinkParams {
        &self.params
    }

    /// Sends `size` bytes that arrive at `at`, after everything before; returns when they arrive
    /// at the far end. Arrival times must not decrease from one call to the next.
    #[inline]
    pub fn transmit(&mut self, at: Nanos, size: u32) -> Nanos {
        let LinkParams { delay, times } = &mut self.params;
        Nanos(times.send(&mut self.free_at, at, size).0 + delay.0)
    }
}

/// A packet that a [`QueuedLink`] begins to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transmission<P> {
    /// The packet, marked where the scheme said so.
    pub packet: P,
    /// How long it waited in the queue.
    pub sojourn: Nanos,
    /// Its transmission time.
    pub time: FineTime,
    /// When its transmission ends, rounded up.
    pub ends: Nanos,
    /// When it arrives at the far end, unless something happens to it on the wire.
    pub arrives: Nanos,
}

/// A queue discipline in front of a transmitter, whose link may change, stop or follow a trace.
///
/// The caller drives it: after [`enqueue`](QueuedLink::enqueue), and whenever it must know what
/// has left, it calls [`transmit`](QueuedLink::transmit) for each
/// [`next_transmission`](QueuedLink::next_transmission) up to now.
///
/// ```
/// use earlydrop::packet::{Ecn, FlowKey, Packet};
/// use earlydrop::queue::Discard;
/// use earlydrop::registry::{LinkFacts, Spec};
/// use earlydrop::units::{BitsPerSec, Nanos};
/// use earlydrop_sim::link::QueuedLink;
///
/// struct Full; // a packet of 1250 bytes
/// impl Packet for Full {
///     fn size(&self) -> u32 {
///         1250
///     }
/// #   fn flow(&self) -> FlowKey { FlowKey(0) }
/// #   fn ecn(&self) -> Ecn { Ecn::NotCapable }
/// #   fn mark(&mut self) {}
/// }
///
/// let rate = BitsPerSec::from_mbps(10);
/// let queue = "droptail".parse::<Spec>()?.plan(&LinkFacts::at(rate))?.queue(1);
/// let mut link = QueuedLink::new(queue, rate, Nanos::from_millis(5), None);
/// link.enqueue(Nanos::ZERO, Full, &mut Discard);
/// assert_eq!(link.next_transmission(), Nanos::ZERO);
/// let sent = link.transmit(&mut Discard).ok_or("a packet waits")?;
/// assert_eq!(sent.arrives, Nanos::from_millis(6));
/// // At 1 ms the link is free, and finds its queue empty.
/// assert_eq!(link.next_transmission(), Nanos::from_millis(1));
/// assert!(link.transmit(&mut Discard).is_none());
/// assert_eq!(link.next_transmission(), Nanos::NEVER);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct QueuedLink<P> {
    /// Packets waiting, as the queue counts them.
    waiting: u32,
    /// When it next takes a packet from the queue: when the transmitter is free; never while it
    /// is idle or down.
    next_transmission: Nanos,
    /// The transmitter is free and found nothing to send: the queue is empty, or all that waits is
    /// [paused](QueuedLink::pause_class).
    idle: bool,
    down: bool,
    transmitter: Transmitter,
    trace: Option<Opportunities>,
    /// The transmit opportunities of a link that does not send packet by packet.
    access: Option<Box<MediumAccess>>,
    queue: AnyQueue<P>,
    /// Packets that were dropped before the queue saw them.
    refused: Counters,
}

impl<P: Packet> QueuedLink<P> {
    /// A link that is free at time zero. With a `trace`, packets leave at its opportunities and
    /// `rate` is not used.
    pub fn new(
        queue: AnyQueue<P>,
        rate: BitsPerSec,
        delay: Nanos,
        trace: Option<Trace>,
    ) -> QueuedLink<P> {
        QueuedLink {
            waiting: 0,
            next_transmission: Nanos::NEVER,
            idle: true,
            down: false,
            transmitter: Transmitter::new(rate, delay),
            trace: trace.map(Opportunities::new),
            access: None,
            queue,
            refused: Counters::default(),
        }
    }

    /// Sends in transmit opportunities: an aggregate in each, and each at a multiple of `slot`.
    /// A link that follows a trace has opportunities of its own.
    pub fn with_opportunities(
        self,
        aggregation: Option<Aggregation>,
        slot: Option<Nanos>,
    ) -> QueuedLink<P> {
        let access = MediumAccess::new(aggregation, slot);
        QueuedLink {
            access: Some(Box::new(access)),
            ..self
        }
    }

    /// The queue.
    #[inline]
    pub fn queue(&self) -> &AnyQueue<P> {
        &self.queue
    }

    /// The queue, to bring its probes up to date and measure it.
    #[inline]
    pub fn queue_mut(&mut self) -> &mut AnyQueue<P> {
        &mut self.queue
    }

    /// What [`refuse`](QueuedLink::refuse) has counted.
    pub fn refused(&self) -> &Counters {
        &self.refused
    }

    /// Counts a packet of `size` bytes that arrived and was dropped before the queue saw it: a
    /// buffer that several queues share had no room for it.
    pub fn refuse(&mut self, size: u32) {
        self.refused.arrived.add(size);
        self.refused.drop(DropReason::Forced, size);
    }

    /// Packets waiting.
    #[inline]
    pub fn waiting(&self) -> u32 {
        self.waiting
    }

    /// Whether it sends nothing until it is [up](Change::Up) again.
    #[inline]
    pub fn is_down(&self) -> bool {
        self.down
    }

    /// The propagation delay.
    pub fn delay(&self) -> Nanos {
        self.transmitter.params.delay
    }

    pub(crate) fn transmitter(&self) -> &Transmitter {
        &self.transmitter
    }

    pub(crate) fn opportunities(&self) -> Option<&Opportunities> {
        self.trace.as_ref()
    }

    /// When the transmission of the packet sent last ends, rounded up.
    #[inline]
    pub fn free_at(&self) -> Nanos {
        self.transmitter.free_at.nanos()
    }

    /// When it next takes a packet from the queue, as far as is known; [`Nanos::NEVER`] while
    /// nothing may be sent.
    #[inline]
    pub fn next_transmission(&self) -> Nanos {
        self.next_transmission
    }

    /// Puts a packet that arrives at `at` into the queue, after all transmissions up to then;
    /// what is dropped goes to `losses`. Returns whether an idle transmitter now has something to
    /// send.
    #[inline(always)]
    pub fn enqueue(&mut self, at: Nanos, packet: P, losses: &mut impl Losses<P>) -> bool {
        let mut losses = Counted { losses, count: 0 };
        self.queue.enqueue_with(at, packet, &mut losses);
        self.waiting = self.waiting + 1 - losses.count;
        self.leave_idle(at)
    }

    /// Begins to send if it was idle and something waits.
    #[inline]
    fn leave_idle(&mut self, at: Nanos) -> bool {
        let begins = self.idle && !self.down && self.waiting > 0;
        if begins {
            self.idle = false;
            self.transmitter.free_at = self.transmitter.free_at.max(at);
            self.next_transmission = match &self.access {
                None => self.free_at(),
                Some(access) => access.next_begin(self.free_at()),
            };
        }
        begins
    }

    /// Takes the next packet from the queue at [`next_transmission`](QueuedLink::next_transmission)
    /// and sends it; what the queue drops on the way goes to `losses`. `None`: nothing
    /// may be sent, and the link is idle.
    #[inline(always)]
    pub fn transmit(&mut self, losses: &mut impl Losses<P>) -> Option<Transmission<P>> {
        // The time at which the transmitter is free, unless it waits for an opportunity.
        let at = self.next_transmission;
        let mut losses = Counted { losses, count: 0 };
        let departure = self.queue.dequeue_with(at, &mut losses);
        self.waiting -= losses.count;
        let Some(departure) = departure else {
            // A scheme may drop all that an opportunity has not taken yet.
            if let Some(access) = &mut self.access {
                access.end();
            }
            self.idle = true;
            self.next_transmission = Nanos::NEVER;
            return None;
        };
        self.waiting -= 1;
        let mut time = self.transmission_time(at, departure.packet.size());
        if self.access.is_some() {
            time = self.take(at, departure.packet.size(), time);
        }
        self.transmitter.free_at += time;
        let ends = self.free_at();
        self.next_transmission = ends;
        if self.access.is_some() {
            self.next_in_opportunity(at);
        }
        Some(Transmission {
            packet: departure.packet,
            sojourn: Nanos(at.0 - departure.arrived.0),
            time,
            ends,
            arrives: Nanos(ends.0 + self.transmitter.params.delay.0),
        })
    }

    /// Takes a packet into the opportunity that begins at `at`; returns how long it keeps the
    /// link.
    #[cold]
    #[inline(never)]
    fn take(&mut self, at: Nanos, size: u32, time: FineTime) -> FineTime {
        // The first of an opportunity may have waited for it.
        self.transmitter.free_at = self.transmitter.free_at.max(at);
        match &mut self.access {
            Some(access) => access.take(size, time),
            None => time,
        }
    }

    /// After a packet of the opportunity that began at `at`: another is taken then, or the next
    /// opportunity begins once the link is free.
    #[cold]
    #[inline(never)]
    fn next_in_opportunity(&mut self, at: Nanos) {
        let largest = self.access.as_ref().map_or(0, |access| access.largest());
        let time = self.transmitter.params.transmission_time(largest);
        let access = self.access.as_ref();
        if self.waiting > 0 && access.is_some_and(|access| access.takes_another(time)) {
            self.next_transmission = at;
        } else {
            self.end_opportunity();
        }
    }

    /// Ends the opportunity and sets the time of the next.
    fn end_opportunity(&mut self) {
        let free_at = self.free_at();
        if let Some(access) = &mut self.access {
            access.end();
            self.next_transmission = access.next_begin(free_at);
        }
    }

    /// Sends a packet that arrives at `now` before everything that waits, past the queue. All
    /// transmissions up to `now` must have been taken.
    pub fn transmit_unqueued(&mut self, now: Nanos, packet: P) -> Transmission<P> {
        self.transmitter.free_at = self.transmitter.free_at.max(now);
        let at = self.free_at();
        let time = self.transmission_time(at, packet.size());
        self.transmitter.free_at += time;
        let ends = self.free_at();
        if self.next_transmission != Nanos::NEVER {
            self.next_transmission = ends;
        }
        Transmission {
            packet,
            sojourn: at.since(now),
            time,
            ends,
            arrives: ends + self.delay(),
        }
    }

    /// How long `size` bytes that are ready at `at` take to be sent.
    #[inline(always)]
    fn transmission_time(&mut self, at: Nanos, size: u32) -> FineTime {
        match &mut self.trace {
            None => self.transmitter.params.transmission_time(size),
            Some(trace) => trace.transmission_time(at, size),
        }
    }

    /// Changes the link at `now`, after all transmissions up to then. A packet being sent keeps
    /// its time. Afterwards there may be something to [transmit](QueuedLink::transmit).
    pub fn change(&mut self, now: Nanos, change: &Change) {
        match change {
            Change::Rate(rate) => {
                self.transmitter.params.set_rate(*rate);
                self.queue.set_link_rate(now, *rate);
            }
            Change::Delay(delay) => self.transmitter.params.delay = *delay,
            Change::Scheme(plan) => {
                // Whoever describes the link checks it before.
                let changed = self.queue.change(now, plan);
                debug_assert!(changed.is_ok(), "{changed:?}");
            }
            Change::Down => {
                self.down = true;
                self.next_transmission = Nanos::NEVER;
            }
            Change::Up => {
                self.down = false;
                self.idle = true;
                self.next_transmission = Nanos::NEVER;
                self.transmitter.free_at = self.transmitter.free_at.max(now);
                self.leave_idle(now);
            }
        }
    }

    /// Its queue passes over a class, or serves it again, from `now` on. Only queues that
    /// [tell classes apart](AnyQueue::pause_class) do.
    pub fn pause_class(&mut self, now: Nanos, class: u8, pauses: bool) {
        self.queue.pause_class(class, pauses);
        if !pauses {
            self.leave_idle(now);
        }
    }
}

/// Counts the packets that a queue drops in one call.
struct Counted<'a, L> {
    losses: &'a mut L,
    count: u32,
}

impl<P, L: Losses<P>> Losses<P> for Counted<'_, L> {
    #[inline(always)]
    fn lost(&mut self, packet: P, reason: DropReason) {
        self.count += 1;
        self.losses.lost(packet, reason);
    }
}

/// Whether a packet is lost on a wire that loses this share of packets, at random. Nothing is
/// drawn where the share is zero.
#[inline]
pub fn is_lost(share: f64, random: &mut Pcg32) -> bool {
    share > 0.0 && random.chance(share)
}

/// The order of packets on a wire: none overtakes another, unless that is held back on purpose.
#[derive(Clone, Debug)]
pub struct Wire {
    reorder: Option<Reorder>,
    /// When the last packet arrives that is not held back. A propagation delay that shrinks lets
    /// no later one arrive before.
    last_arrival: Nanos,
}

impl Wire {
    /// A wire that holds back packets as `reorder` says.
    pub fn new(reorder: Option<Reorder>) -> Wire {
        Wire {
            reorder,
            last_arrival: Nanos::ZERO,
        }
    }

    /// Whether packets may arrive in another order than they were sent.
    pub fn reorders(&self) -> bool {
        self.reorder.is_some()
    }

    /// When a packet arrives that would after its propagation delay arrive at `at`.
    #[inline]
    pub fn arrival(&mut self, at: Nanos, random: &mut Pcg32) -> Nanos {
        let at = at.max(self.last_arrival);
        self.last_arrival = at;
        let held_back = self.reorder.filter(|r| random.chance(r.share));
        let extra = held_back.map_or(0.0, |r| random.uniform() * r.delay.0 as f64);
        at + Nanos(extra as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remembered_transmission_time_is_that_of_its_size_and_rate() {
        let rates = [BitsPerSec::from_mbps(10), BitsPerSec::from_mbps(3)];
        let mut link = LinkParams::new(rates[0], Nanos::ZERO);
        for rate in rates.into_iter().cycle().take(6) {
            link.set_rate(rate);
            for size in [0, 1500, 40, 1500, 1500, 200, 40, 0, 200, 1500] {
                let computed = FineTime::to_send(Bytes(u64::from(size)), rate);
                assert_eq!(link.transmission_time(size), computed, "{size} bytes");
            }
        }
    }
}
