//! A single first-in first-out queue under one scheme.

use super::ring::Ring;
use super::{Buffer, Departure, Losses, Outcome, QueueDiscipline, Shadow};
use crate::aqm::{Aqm, Backlog, DropReason, Slot, Verdict, start_among};
use crate::counters::Counters;
use crate::packet::{Packet, PacketInfo};
use crate::random::Pcg32;
use crate::steering::{Setting, SteerError};
use crate::units::{BitsPerSec, Bytes, Nanos};

/// The capacity of a queue; with a full buffer every arrival is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// At most this many packets.
    pub packets: u32,
    /// At most this many bytes.
    pub bytes: Bytes,
    /// Whether memory for packets is allocated as they come, and kept. Otherwise it is allocated
    /// for all of them when the queue is built, and no call allocates.
    pub grows: bool,
}

impl Limit {
    /// A limit in packets only.
    pub const fn packets(packets: u32) -> Limit {
        Limit {
            packets,
            bytes: Bytes(u64::MAX),
            grows: false,
        }
    }

    /// The same, with memory allocated as packets come.
    pub const fn growing(self) -> Limit {
        Limit {
            grows: true,
            ..self
        }
    }

    /// Whether a packet of `size` fits into a queue of `packets` and `bytes`.
    #[inline]
    pub(crate) fn has_room(&self, packets: u32, bytes: u64, size: u32) -> bool {
        packets < self.packets && bytes + u64::from(size) <= self.bytes.0
    }
}

/// A first-in first-out queue whose arrivals and departures a scheme judges.
#[derive(Clone, Debug)]
pub struct SingleQueue<P, A> {
    aqm: A,
    random: Pcg32,
    ring: Ring<P>,
    limit: Limit,
    counters: Counters,
    /// A dequeue has found no packet since the last one was accepted.
    idle: bool,
}

impl<P: Packet, A: Aqm> SingleQueue<P, A> {
    /// An empty queue under `aqm`, which draws its randomness from `random`.
    pub fn new(aqm: A, limit: Limit, random: Pcg32) -> SingleQueue<P, A> {
        SingleQueue {
            aqm,
            random,
            ring: Ring::of(limit),
            limit,
            counters: Counters::default(),
            idle: false,
        }
    }

    /// Changes to the parameters of `aqm`, a new scheme that
    /// [continues](Aqm::continue_from) from the present one, and to another buffer, from the next
    /// packet on. Packets that wait stay, also those above a smaller limit.
    pub fn change(&mut self, now: Nanos, aqm: A, limit: Limit) {
        // A timer that has not started starts with the next packet.
        if self.aqm.next_deadline().is_some() {
            self.aqm.poll(now, &self.ring);
        }
        self.resize(limit);
        let old = core::mem::replace(&mut self.aqm, aqm);
        self.aqm.continue_from(now, old, &mut self.ring.infos());
    }

    /// The same queue under a scheme of another kind, which starts afresh.
    pub(crate) fn under<B: Aqm>(self, mut aqm: B) -> SingleQueue<P, B> {
        start_among(&mut aqm, &mut self.ring.infos());
        SingleQueue {
            aqm,
            random: self.random,
            ring: self.ring,
            limit: self.limit,
            counters: self.counters,
            idle: false,
        }
    }

    /// Changes the buffer. Packets above a smaller one stay.
    pub(crate) fn resize(&mut self, limit: Limit) {
        self.ring.resize(limit);
        self.limit = limit;
    }

    /// A copy in which a scheme that judges alike holds the place of this one, and shadows those
    /// of the packets.
    pub(crate) fn shadow<B>(&self, aqm: impl FnOnce(&A) -> B) -> SingleQueue<Shadow, B> {
        SingleQueue {
            aqm: aqm(&self.aqm),
            random: self.random.clone(),
            ring: self.ring.map(Shadow::of),
            limit: self.limit,
            counters: self.counters.clone(),
            idle: self.idle,
        }
    }

    /// The buffer as an arrival of `size` bytes finds it.
    pub(crate) fn buffer(&self, size: u32) -> Buffer {
        Buffer {
            packets: self.ring.packets(),
            bytes: self.ring.bytes(),
            limit: self.limit,
            size: u64::from(size),
        }
    }

    /// The generator that it draws from. How far it has come shows what a call has drawn.
    pub fn random(&self) -> &Pcg32 {
        &self.random
    }

    /// The scheme and its state.
    pub fn aqm(&self) -> &A {
        &self.aqm
    }

    /// Drops an arriving packet.
    #[inline(never)]
    fn drop_arrival(
        &mut self,
        now: Nanos,
        packet: P,
        reason: DropReason,
        losses: &mut impl Losses<P>,
    ) -> Outcome {
        if self.ring.packets() == 0 {
            self.aqm.on_empty(now);
        }
        self.counters.lose(packet, reason, losses)
    }

    /// Drops the packet in `slot`.
    #[inline(never)]
    fn evict(&mut self, now: Nanos, slot: Slot, reason: DropReason, losses: &mut impl Losses<P>) {
        if let Some((victim, arrived)) = self.ring.remove(slot) {
            self.aqm.on_evicted(now, &PacketInfo::of(&victim, arrived));
            self.counters.lose(victim, reason, losses);
        }
    }

    #[inline(always)]
    fn accept(&mut self, mut packet: P, info: &PacketInfo, marked: bool) -> Outcome {
        if marked {
            debug_assert!(info.ecn.is_capable());
            packet.mark();
            self.counters.marked.add(info.size);
        }
        self.ring.push(packet, info.arrived);
        self.aqm.on_accepted(info.arrived, info);
        self.idle = false;
        if marked {
            Outcome::Marked
        } else {
            Outcome::Queued
        }
    }
}

impl<P: Packet, A: Aqm> QueueDiscipline<P> for SingleQueue<P, A> {
    #[inline(always)]
    fn enqueue_with(&mut self, now: Nanos, packet: P, losses: &mut impl Losses<P>) -> Outcome {
        self.aqm.poll(now, &self.ring);
        let info = PacketInfo::of(&packet, now);
        self.counters.arrived.add(info.size);
        let verdict = self
            .aqm
            .on_arrival(now, &info, &self.ring, &mut self.random);
        let marked = match verdict {
            Verdict::Keep => false,
            Verdict::Mark => true,
            Verdict::Drop(reason) => return self.drop_arrival(now, packet, reason, losses),
            Verdict::DropBoth(slot, reason) => {
                self.evict(now, slot, reason, losses);
                return self.drop_arrival(now, packet, reason, losses);
            }
        };
        let (packets, bytes) = (self.ring.packets(), self.ring.bytes());
        if !self.limit.has_room(packets, bytes, info.size) {
            self.aqm.on_refused(now, &info);
            return self.drop_arrival(now, packet, DropReason::Forced, losses);
        }
        self.accept(packet, &info, marked)
    }

    #[inline(always)]
    fn dequeue_with(&mut self, now: Nanos, losses: &mut impl Losses<P>) -> Option<Departure<P>> {
        self.aqm.poll(now, &self.ring);
        while let Some((mut packet, arrived)) = self.ring.pop() {
            let info = PacketInfo::of(&packet, arrived);
            let verdict = self
                .aqm
                .on_departure(now, &info, &self.ring, &mut self.random);
            match verdict {
                Verdict::Keep => {}
                Verdict::Mark => {
                    debug_assert!(info.ecn.is_capable());
                    packet.mark();
                    self.counters.marked.add(info.size);
                }
                Verdict::Drop(reason) | Verdict::DropBoth(_, reason) => {
                    self.counters.lose(packet, reason, losses);
                    continue;
                }
            }
            self.counters.departed.add(info.size);
            if self.ring.packets() == 0 {
                self.aqm.on_empty(now);
            }
            return Some(Departure { packet, arrived });
        }
        if !self.idle {
            self.idle = true;
            self.aqm.on_idle(now);
        }
        None
    }

    fn poll(&mut self, now: Nanos) {
        self.aqm.poll(now, &self.ring);
    }

    fn next_deadline(&self) -> Option<Nanos> {
        self.aqm.next_deadline()
    }

    fn packets(&self) -> u32 {
        self.ring.packets()
    }

    #[inline]
    fn peek(&self, ahead: u32) -> Option<&P> {
        self.ring.peek(ahead)
    }

    fn bytes(&self) -> u64 {
        self.ring.bytes()
    }

    fn head_arrival(&self) -> Option<Nanos> {
        self.ring.head_arrival()
    }

    fn counters(&self) -> &Counters {
        &self.counters
    }

    fn set_link_rate(&mut self, now: Nanos, rate: BitsPerSec) {
        self.aqm.poll(now, &self.ring);
        self.aqm.on_link_rate(now, rate);
    }

    fn steer(&mut self, now: Nanos, setting: &Setting) -> Result<(), SteerError> {
        self.aqm.poll(now, &self.ring);
        self.aqm.steer(now, setting)
    }

    fn probes(&self, show: &mut dyn FnMut(&'static str, f64)) {
        self.aqm.probes(show);
    }

    fn memory(&self) -> usize {
        size_of::<Self>() + self.ring.heap_bytes() + self.aqm.heap_bytes()
    }
}
