//! Packets in order of arrival, in one block of memory.

use alloc::vec::Vec;

use crate::aqm::{Backlog, Slot};
use crate::packet::{FlowKey, Packet, PacketInfo};
use crate::queue::Limit;
use crate::random::Pcg32;
use crate::units::Nanos;

/// A slot of the ring with its packet. A packet taken out of the middle leaves a hole.
#[derive(Clone, Debug)]
struct RingEntry<P> {
    packet: Option<P>,
    arrived: Nanos,
}

impl<P> RingEntry<P> {
    fn empty() -> RingEntry<P> {
        RingEntry {
            packet: None,
            arrived: Nanos::ZERO,
        }
    }
}

/// The slots for `packets`: a quarter more than needed, so that holes are rarely closed.
fn slots_for(packets: u32) -> u32 {
    (packets + packets / 4).max(1).next_power_of_two()
}

/// The slots that are in turn at first.
const FIRST_TURN: u32 = 16;

/// A first-in first-out queue of at most a given number of packets.
///
/// The head is never a hole. Holes in the middle (CHOKe makes them) are closed
/// when the ring would otherwise be full.
///
/// Most queues are far from their limit. So packets take turns in the first few slots, and in
/// twice as many when these do not suffice: what is used again soon stays in the caches.
#[derive(Debug)]
pub(crate) struct Ring<P> {
    /// The slots in turn, a power of two.
    slots: Vec<RingEntry<P>>,
    /// The most slots that are ever in turn.
    room: u32,
    /// Whether memory is allocated with the turn, and not for all slots from the start.
    grows: bool,
    /// Index of the oldest packet; slots are used modulo those in turn.
    head: u32,
    /// Slots in use from the head on, holes included.
    span: u32,
    packets: u32,
    bytes: u64,
}

impl<P: Clone> Clone for Ring<P> {
    fn clone(&self) -> Ring<P> {
        self.with_slots(|slot| slot.clone())
    }
}

impl<P> Ring<P> {
    /// A copy of what `of` makes of each slot, with as much memory reserved.
    fn with_slots<Q>(&self, of: impl FnMut(&RingEntry<P>) -> RingEntry<Q>) -> Ring<Q> {
        let mut slots = Vec::with_capacity(self.slots.capacity());
        slots.extend(self.slots.iter().map(of));
        Ring {
            slots,
            room: self.room,
            grows: self.grows,
            head: self.head,
            span: self.span,
            packets: self.packets,
            bytes: self.bytes,
        }
    }
}

impl<P: Packet> Ring<P> {
    /// Allocates room for the packets that `limit` allows, or for the first of them.
    pub(crate) fn of(limit: Limit) -> Ring<P> {
        let room = slots_for(limit.packets);
        let first = room.min(FIRST_TURN);
        let reserved = if limit.grows { first } else { room };
        let mut slots = Vec::with_capacity(reserved as usize);
        slots.resize_with(first as usize, RingEntry::empty);
        Ring {
            slots,
            room,
            grows: limit.grows,
            head: 0,
            span: 0,
            packets: 0,
            bytes: 0,
        }
    }

    /// Makes room for the packets that `limit` allows if there is less. Packets and holes stay in
    /// their slots.
    pub(crate) fn resize(&mut self, limit: Limit) {
        self.room = self.room.max(slots_for(limit.packets));
        if !self.grows {
            let more = self.room as usize - self.slots.len();
            self.slots.reserve_exact(more);
        }
    }

    /// The packets from the head on.
    pub(crate) fn infos(&self) -> impl Iterator<Item = PacketInfo> + '_ {
        (0..self.span).filter_map(|offset| {
            let slot = &self.slots[self.index(offset)];
            let packet = slot.packet.as_ref()?;
            Some(PacketInfo::of(packet, slot.arrived))
        })
    }

    /// A copy that holds what `map` makes of each packet, in the same slot.
    pub(crate) fn map<Q>(&self, map: impl Fn(&P) -> Q) -> Ring<Q> {
        self.with_slots(|slot| RingEntry {
            packet: slot.packet.as_ref().map(&map),
            arrived: slot.arrived,
        })
    }

    #[inline(always)]
    fn index(&self, offset: u32) -> usize {
        (self.head.wrapping_add(offset) & (self.slots.len() as u32 - 1)) as usize
    }

    /// Adds `packet` at the tail. The caller never exceeds the room allocated.
    #[inline(always)]
    pub(crate) fn push(&mut self, packet: P, arrived: Nanos) {
        if self.span as usize == self.slots.len() {
            self.make_room();
        }
        self.bytes += u64::from(packet.size());
        self.packets += 1;
        let tail = self.index(self.span);
        self.slots[tail] = RingEntry {
            packet: Some(packet),
            arrived,
        };
        self.span += 1;
    }

    /// Removes the packet at the head; returns it with its arrival time.
    #[inline(always)]
    pub(crate) fn pop(&mut self) -> Option<(P, Nanos)> {
        let slot = &mut self.slots[self.head as usize];
        let packet = slot.packet.take()?;
        let arrived = slot.arrived;
        self.forget(&packet);
        self.span -= 1;
        // An empty queue begins again at the first slot, whose memory is more likely at hand.
        self.head = match self.span {
            0 => 0,
            _ => self.index(1) as u32,
        };
        // There are holes only if there are fewer packets than slots in use.
        if self.span > self.packets {
            self.skip_holes();
        }
        Some((packet, arrived))
    }

    /// The packet behind `ahead` others, unless there are holes before it.
    #[inline(always)]
    pub(crate) fn peek(&self, ahead: u32) -> Option<&P> {
        if ahead >= self.span {
            return None;
        }
        self.slots[self.index(ahead)].packet.as_ref()
    }

    /// Removes the packet in `slot`.
    pub(crate) fn remove(&mut self, slot: Slot) -> Option<(P, Nanos)> {
        let index = self.index(slot.0);
        let slot = &mut self.slots[index];
        let packet = slot.packet.take()?;
        let arrived = slot.arrived;
        self.forget(&packet);
        self.skip_holes();
        Some((packet, arrived))
    }

    fn forget(&mut self, packet: &P) {
        self.packets -= 1;
        self.bytes -= u64::from(packet.size());
    }

    /// Moves the head past holes.
    fn skip_holes(&mut self) {
        while self.span > 0 && self.slots[self.head as usize].packet.is_none() {
            self.head = self.index(1) as u32;
            self.span -= 1;
        }
    }

    /// Every slot in turn is used: takes twice as many, or closes the holes if all are in turn.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self) {
        let turn = self.slots.len();
        if turn == self.room as usize {
            return self.close_holes();
        }
        self.slots.reserve_exact(turn);
        self.slots.resize_with(2 * turn, RingEntry::empty);
        // What has come round to the first slots continues behind the last.
        for slot in 0..self.head as usize {
            self.slots.swap(slot, turn + slot);
        }
    }

    /// Moves packets towards the head over the holes between them.
    fn close_holes(&mut self) {
        let mut filled = 0;
        for offset in 0..self.span {
            let from = self.index(offset);
            if self.slots[from].packet.is_some() {
                let to = self.index(filled);
                self.slots.swap(from, to);
                filled += 1;
            }
        }
        self.span = filled;
    }

    /// Bytes of memory held for slots.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.slots.capacity() * core::mem::size_of::<RingEntry<P>>()
    }
}

impl<P: Packet> Backlog for Ring<P> {
    #[inline]
    fn packets(&self) -> u32 {
        self.packets
    }

    #[inline]
    fn bytes(&self) -> u64 {
        self.bytes
    }

    #[inline]
    fn head_arrival(&self) -> Option<Nanos> {
        (self.packets > 0).then(|| self.slots[self.head as usize].arrived)
    }

    /// Draws slots until one is not a hole, which keeps every packet equally likely.
    fn draw(&self, random: &mut Pcg32) -> Option<(Slot, FlowKey)> {
        if self.packets == 0 {
            return None;
        }
        loop {
            let offset = random.below(self.span);
            if let Some(packet) = &self.slots[self.index(offset)].packet {
                return Some((Slot(offset), packet.flow()));
            }
        }
    }
}
