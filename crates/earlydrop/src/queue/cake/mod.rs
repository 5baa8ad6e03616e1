//! CAKE: tins by traffic class, hosts and flows that share each evenly, a scheme for each flow.
//!
//! # Reference
//! T. Hoeiland-Joergensen, D. Taht, J. Morton, "Piece of CAKE: A Comprehensive Queue Management
//! Solution for Home Gateways", IEEE LANMAN 2018; Linux's sch_cake.c as fact. Equations and
//! readings: the scheme [`cake`](crate::schemes::cake).
//!
//! # Costs
//! The cost of a packet does not depend on the number of sub-queues. Only when the limit is
//! exceeded are the listed sub-queues searched for the one with most bytes. The ACK filter walks
//! the sub-queue that an acknowledgment joins.

mod ack_filter;
mod change;
mod params;
mod tin;

use alloc::boxed::Box;

pub use params::{AckFilter, CakeParams, Cells, Diffserv, Framing, HostGroups, Isolation};
use tin::{Flow, Hashes, Tin};

use super::fair::buffer_memory;
use super::pool::Pool;
use super::{Departure, Limit, Losses, Outcome, QueueDiscipline, Shadow};
use crate::aqm::{Aqm, DropReason, Slot, Verdict};
use crate::counters::Counters;
use crate::packet::{Ack, FlowKey, Packet, PacketInfo};
use crate::random::Pcg32;
use crate::units::{BitsPerSec, Bytes, Nanos};

/// A scheme that judges departing packets and comes to rest in an empty queue (COBALT).
pub trait DecayingAqm: Aqm {
    /// Whether nothing will change any more while its queue stays empty.
    fn is_at_rest(&self, now: Nanos) -> bool;
}

/// CAKE's queue: tins of sub-queues, each under a copy of one scheme.
#[derive(Clone, Debug)]
pub struct CakeQueue<P, A> {
    params: CakeParams,
    tins: Box<[Tin<A>]>,
    pool: Pool<P>,
    /// The tin whose turn it is.
    current: usize,
    packets: u32,
    bytes: u64,
    /// Memory of the buffers, where the limit counts it.
    memory: u64,
    salt: u64,
    random: Pcg32,
    /// Acknowledgments that the filter has dropped.
    filtered: u64,
    counters: Counters,
}

impl<P: Packet, A: DecayingAqm + Clone> CakeQueue<P, A> {
    /// The generator that it draws from. How far it has come shows what a call has drawn.
    pub fn random(&self) -> &Pcg32 {
        &self.random
    }

    /// Empty tins; each sub-queue is under its own copy of `aqm`, at its tin's rate.
    pub fn new(aqm: &A, params: CakeParams, random: Pcg32) -> CakeQueue<P, A> {
        // The salt leaves `random` at its beginning, as Linux's hash takes none of its numbers.
        let mut salting = random.clone();
        let mut queue = CakeQueue {
            tins: Box::default(),
            pool: Pool::of(params.limit),
            params,
            current: 0,
            packets: 0,
            bytes: 0,
            memory: 0,
            salt: u64::from(salting.next_u32()) << 32 | u64::from(salting.next_u32()),
            random,
            filtered: 0,
            counters: Counters::default(),
        };
        queue.build_tins(aqm);
        queue
    }

    /// What a packet of `size` bytes counts in the limit in bytes.
    fn memory_of(&self, size: u32) -> u64 {
        match self.params.buffer_memory {
            true => buffer_memory(size),
            false => u64::from(size),
        }
    }

    /// What the limit in bytes counts.
    fn counted_bytes(&self) -> u64 {
        match self.params.buffer_memory {
            true => self.memory,
            false => self.bytes,
        }
    }

    /// The tin of a packet, and its hashes there.
    fn hashes_of(&self, packet: &impl Packet) -> (usize, Hashes) {
        let class = packet.class();
        let dscp = match self.params.class_is_precedence {
            true => (class & 7) << 3,
            false => class,
        };
        let hosts = self.params.hosts.of(packet.hosts());
        let hash = |key: FlowKey, role: u64| (key.hash(self.salt ^ role) >> 32) as u32;
        let (source, destination) = (
            hash(FlowKey(hosts.source), 1 << 62),
            hash(FlowKey(hosts.destination), 1 << 63),
        );
        let Isolation {
            flows,
            sources,
            destinations,
        } = self.params.isolation;
        let flow = match flows {
            true => hash(packet.flow(), 0),
            false => (source * u32::from(sources)) ^ (destination * u32::from(destinations)),
        };
        let hashes = Hashes {
            flow,
            source,
            destination,
        };
        (self.params.diffserv.tin_of(dscp), hashes)
    }

    /// The tin and the sub-queue of a packet, which is reserved for it.
    fn reserve(&mut self, packet: &impl Packet) -> (usize, u32) {
        let (tin, hashes) = self.hashes_of(packet);
        let isolation = self.params.isolation;
        if isolation == Isolation::default() {
            return (tin, 0);
        }
        let index = self.tins[tin].reserve(hashes, isolation, self.params.ways);
        (tin, index)
    }

    /// The bytes of one turn of a sub-queue: its quantum over the bulk flows of its busier host,
    /// rounded at random (`cake_get_flow_quantum`).
    fn turn_of(&mut self, tin: usize, index: u32) -> i64 {
        let tin = &self.tins[tin];
        let load = tin.host_load(index, self.params.isolation).clamp(1, 65_535);
        let share = u64::from(tin.quantum) * u64::from(65_535 / load);
        let dither = u64::from(self.random.next_u32() >> 16);
        ((share + dither) >> 16) as i64
    }

    fn remember(&mut self, tin: usize, size: u32) {
        self.packets += 1;
        self.bytes += u64::from(size);
        self.tins[tin].bytes += u64::from(size);
        if self.params.buffer_memory {
            self.memory += buffer_memory(size);
        }
    }

    fn forget(&mut self, tin: usize, packet: &P) {
        let size = packet.size();
        self.packets -= 1;
        self.bytes -= u64::from(size);
        self.tins[tin].bytes -= u64::from(size);
        if self.params.buffer_memory {
            self.memory -= buffer_memory(size);
        }
    }

    /// Drops an acknowledgment that `last`, which has just joined, replaces.
    fn filter(
        &mut self,
        tin: usize,
        index: u32,
        last: (Slot, FlowKey, Ack),
        losses: &mut impl Losses<P>,
    ) {
        let chain = &mut self.tins[tin].flow(index).chain;
        let waiting = self.pool.packets(chain);
        let waiting = waiting.map(|(slot, packet)| (slot, packet.flow(), packet.ack()));
        let Some(old) = ack_filter::superfluous(self.params.ack_filter, waiting, last) else {
            return;
        };
        if let Some((packet, _)) = self.pool.remove(chain, old) {
            self.forget(tin, &packet);
            self.filtered += 1;
            self.counters.lose(packet, DropReason::Policy, losses);
        }
    }

    /// The tin and sub-queue with most bytes, the first listed of equals; never an empty one.
    fn fattest(&self) -> Option<(usize, u32)> {
        let places = self.tins.iter().enumerate();
        let places =
            places.flat_map(|(number, tin)| tin.listed().map(move |index| (number, index)));
        let bytes = |(tin, index): (usize, u32)| self.tins[tin].flows[index as usize].chain.bytes();
        let filled =
            |place: &(usize, u32)| self.tins[place.0].flows[place.1 as usize].chain.packets() > 0;
        places.filter(filled).reduce(|best, next| {
            if bytes(next) > bytes(best) {
                next
            } else {
                best
            }
        })
    }

    /// Whether there are more packets or bytes than `limit`.
    fn exceeds(&self, limit: Limit) -> bool {
        self.packets > limit.packets || self.counted_bytes() > limit.bytes.0
    }

    /// Drops packets from the head of the fattest sub-queues until the limit holds; returns
    /// whether the one at `arrived`, of `size` bytes, was dropped.
    fn make_room(
        &mut self,
        now: Nanos,
        arrived: Slot,
        size: u32,
        losses: &mut impl Losses<P>,
    ) -> bool {
        if !self.exceeds(self.params.limit) {
            return false;
        }
        // More than the limit only after a change to a smaller one: what waited then may stay.
        let bytes_before = self.counted_bytes().saturating_sub(self.memory_of(size));
        let limit = Limit {
            packets: self.params.limit.packets.max(self.packets - 1),
            bytes: self.params.limit.bytes.max(Bytes(bytes_before)),
            ..self.params.limit
        };
        let mut lost = false;
        while self.exceeds(limit) {
            let Some((tin, index)) = self.fattest() else {
                break;
            };
            let flow = self.tins[tin].flow(index);
            lost |= flow.chain.head() == Some(arrived);
            let Some((packet, at)) = self.pool.pop(&mut flow.chain) else {
                break;
            };
            flow.aqm.on_evicted(now, &PacketInfo::of(&packet, at));
            self.forget(tin, &packet);
            self.counters.lose(packet, DropReason::Forced, losses);
        }
        lost
    }

    /// The tin to serve next: shaped, the highest that has not used up its rate, else the one that
    /// may send soonest; in unlimited mode by deficit round robin.
    fn choose_tin(&mut self, now: Nanos) -> Option<usize> {
        self.tins.iter().any(Tin::is_active).then_some(())?;
        if self.params.rate.is_none() {
            loop {
                let tin = &mut self.tins[self.current];
                if tin.deficit >= 0 && tin.is_active() {
                    return Some(self.current);
                }
                if tin.deficit <= 0 {
                    tin.deficit += tin.weight;
                }
                self.current = (self.current + 1) % self.tins.len();
            }
        }
        let mut best: Option<(usize, Nanos)> = None;
        for (number, tin) in self
            .tins
            .iter()
            .enumerate()
            .filter(|(_, tin)| tin.is_active())
        {
            let soonest = best.is_none_or(|(_, at)| tin.next_at <= at);
            if tin.next_at <= now || soonest {
                best = Some((number, tin.next_at));
            }
        }
        best.map(|(number, _)| number)
    }

    /// Charges a packet of `size` bytes to its flow and its tin (`cake_advance_shaper`).
    fn charge(&mut self, tin: usize, index: u32, size: u32, now: Nanos) {
        let cost = self.params.framing.cost(size);
        let tin = &mut self.tins[tin];
        tin.flow(index).deficit -= i64::from(cost);
        tin.deficit -= i64::from(cost);
        if tin.rate > 0 {
            let took = u128::from(cost) * 1_000_000_000 / u128::from(tin.rate);
            let took = Nanos(u64::try_from(took).unwrap_or(u64::MAX));
            if tin.next_at < now {
                tin.next_at += took;
            } else {
                tin.next_at = tin.next_at.max(now + took);
            }
        }
    }

    /// The next packet of a sub-queue that its scheme does not drop.
    fn dequeue_from(
        &mut self,
        tin: usize,
        index: u32,
        now: Nanos,
        losses: &mut impl Losses<P>,
    ) -> Option<Departure<P>> {
        loop {
            let flow = self.tins[tin].flow(index);
            let (mut packet, arrived) = self.pool.pop(&mut flow.chain)?;
            let info = PacketInfo::of(&packet, arrived);
            let view = self.pool.view(&flow.chain);
            let verdict = flow.aqm.on_departure(now, &info, &view, &mut self.random);
            self.forget(tin, &packet);
            if let Verdict::Drop(reason) | Verdict::DropBoth(_, reason) = verdict {
                self.counters.lose(packet, reason, losses);
                continue;
            }
            if verdict == Verdict::Mark {
                debug_assert!(info.ecn.is_capable());
                packet.mark();
                self.counters.marked.add(info.size);
            }
            self.charge(tin, index, info.size, now);
            self.counters.departed.add(info.size);
            return Some(Departure { packet, arrived });
        }
    }

    /// A packet of the sub-queue of `tin` whose turn it is, if that has one. A decaying one is
    /// asked `first`, once a dequeue.
    fn serve(
        &mut self,
        tin: usize,
        first: &mut bool,
        now: Nanos,
        losses: &mut impl Losses<P>,
    ) -> Option<Departure<P>> {
        let isolation = self.params.isolation;
        loop {
            let index = self.tins[tin].next(core::mem::take(first))?;
            if self.tins[tin].flow(index).deficit <= 0 {
                self.tins[tin].end_turn(index, isolation);
                let turn = self.turn_of(tin, index);
                self.tins[tin].flow(index).deficit += turn;
                continue;
            }
            let departure = self.dequeue_from(tin, index, now, losses);
            if departure.is_none() {
                let flow = self.tins[tin].flow(index);
                flow.aqm.on_idle(now);
                let is_at_rest = flow.aqm.is_at_rest(now);
                self.tins[tin].retire(index, isolation, is_at_rest);
            }
            return departure;
        }
    }
}

impl<P: Packet, A: DecayingAqm + Clone> QueueDiscipline<P> for CakeQueue<P, A> {
    fn enqueue_with(&mut self, now: Nanos, packet: P, losses: &mut impl Losses<P>) -> Outcome {
        let info = PacketInfo::of(&packet, now);
        self.counters.arrived.add(info.size);
        let (tin, index) = self.reserve(&packet);
        let fits = self.memory_of(info.size) <= self.params.limit.bytes.0;
        let flow = self.tins[tin].flow(index);
        let view = self.pool.view(&flow.chain);
        // It judges when the packet leaves.
        flow.aqm.on_arrival(now, &info, &view, &mut self.random);
        if !fits {
            flow.aqm.on_refused(now, &info);
            return self.counters.lose(packet, DropReason::Forced, losses);
        }
        let ack = match self.params.ack_filter {
            AckFilter::Off => None,
            _ => packet.ack(),
        };
        let slot = self.pool.push(&mut flow.chain, packet, now);
        flow.aqm.on_accepted(now, &info);
        if self.tins[tin].bytes == 0 {
            let next_at = &mut self.tins[tin].next_at;
            *next_at = (*next_at).max(now);
        }
        self.remember(tin, info.size);
        if let Some(ack) = ack {
            self.filter(tin, index, (slot, info.flow, ack), losses);
        }
        if self.tins[tin].activate(index, self.params.isolation) {
            let turn = self.turn_of(tin, index);
            self.tins[tin].flow(index).deficit = turn;
        }
        match self.make_room(now, slot, info.size, losses) {
            true => Outcome::Dropped(DropReason::Forced),
            false => Outcome::Queued,
        }
    }

    fn dequeue_with(&mut self, now: Nanos, losses: &mut impl Losses<P>) -> Option<Departure<P>> {
        let mut first = true;
        while self.packets > 0 {
            let tin = self.choose_tin(now)?;
            if let Some(departure) = self.serve(tin, &mut first, now, losses) {
                return Some(departure);
            }
        }
        None
    }

    /// Nothing is periodic.
    fn poll(&mut self, _now: Nanos) {}

    fn next_deadline(&self) -> Option<Nanos> {
        None
    }

    fn packets(&self) -> u32 {
        self.packets
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Sets the rates of tins, and with them targets and quanta, unless the rate was given.
    fn set_link_rate(&mut self, now: Nanos, rate: BitsPerSec) {
        if self.params.follows_link && self.params.rate.is_some() {
            self.params.rate = Some(rate);
            self.set_rates();
            for tin in &mut self.tins {
                let rate = tin.bits_per_sec();
                for flow in &mut tin.flows {
                    flow.aqm.on_link_rate(now, rate);
                }
            }
        }
    }

    /// `active`: sub-queues that hold packets; `fattest`: bytes in the fullest; `bulk`: sub-queues
    /// that have used up a turn; `filtered`: acknowledgments dropped by the filter; and of each of
    /// the scheme's own probes the largest among active sub-queues, or 0.
    fn probes(&self, show: &mut dyn FnMut(&'static str, f64)) {
        let active = || {
            let flows = self
                .tins
                .iter()
                .flat_map(|tin| tin.listed().map(|index| &tin.flows[index as usize]));
            flows.filter(|flow| flow.chain.packets() > 0)
        };
        show("active", active().count() as f64);
        let bytes = active().map(|flow| flow.chain.bytes());
        show("fattest", bytes.max().unwrap_or(0) as f64);
        let bulk: u32 = self.tins.iter().map(|tin| tin.bulk).sum();
        show("bulk", f64::from(bulk));
        show("filtered", self.filtered as f64);
        self.tins[0].flows[0].aqm.probes(&mut |wanted, _| {
            let mut largest = 0.0_f64;
            active().for_each(|flow| {
                flow.aqm.probes(&mut |name, value| {
                    if name == wanted {
                        largest = largest.max(value);
                    }
                });
            });
            show(wanted, largest);
        });
    }

    fn memory(&self) -> usize {
        let schemes = self.tins.iter().flat_map(|tin| &tin.flows);
        let schemes: usize = schemes.map(|flow| flow.aqm.heap_bytes()).sum();
        let tins: usize = self.tins.iter().map(Tin::heap_bytes).sum();
        let groups = &self.params.hosts;
        size_of::<Self>()
            + self.pool.heap_bytes()
            + size_of_val::<[Tin<A>]>(&self.tins)
            + tins
            + schemes
            + size_of_val::<[u64]>(&groups.sources)
            + size_of_val::<[u64]>(&groups.destinations)
    }
}

#[cfg(test)]
#[path = "../cake_tests.rs"]
mod tests;
