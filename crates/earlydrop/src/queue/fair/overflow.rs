//! What a fair queue drops when its limit is exceeded.

use super::{FairQueue, Overflow};
use crate::aqm::{Aqm, DropReason, Slot};
use crate::packet::{Packet, PacketInfo};
use crate::queue::{Limit, Losses};
use crate::units::{Bytes, Nanos};

impl<P: Packet, A: Aqm + Clone, const RULES: bool> FairQueue<P, A, RULES> {
    /// The sub-queue with most bytes, or packets, the first listed of equals; never an empty one, and a
    /// [protected](FairQueue::protect_class) one only where all are.
    pub(super) fn fattest(&self) -> Option<u32> {
        let chain = |index: u32| &self.sub_queues[index as usize].chain;
        let in_packets = self.rules().longest_in_packets;
        let length = |index: u32| match in_packets {
            true => u64::from(chain(index).packets()),
            false => chain(index).bytes(),
        };
        self.listed()
            .filter(|index| chain(*index).packets() > 0)
            .reduce(|best, next| {
                let rank = |index: u32| (!self.is_protected(index), length(index));
                match rank(next) > rank(best) {
                    true => next,
                    false => best,
                }
            })
    }

    /// Whether there are more packets or bytes than `limit`.
    pub(super) fn exceeds(&self, limit: Limit) -> bool {
        self.packets > limit.packets || self.counted_bytes() > limit.bytes.0
    }

    /// Drops packets until the limit holds; returns whether the one at `arrived`, of `size`
    /// bytes, was dropped.
    pub(super) fn make_room(
        &mut self,
        now: Nanos,
        arrived: Slot,
        size: u32,
        losses: &mut impl Losses<P>,
    ) -> bool {
        if !self.exceeds(self.sharing.limit) {
            return false;
        }
        // More than the limit only after a change to a smaller one: what waited then may stay.
        let bytes_before = self.counted_bytes() - self.memory_of(size);
        let limit = Limit {
            packets: self.sharing.limit.packets.max(self.packets - 1),
            bytes: self.sharing.limit.bytes.max(Bytes(bytes_before)),
            ..self.sharing.limit
        };
        let mut lost = false;
        while self.exceeds(limit) {
            let Some(fattest) = self.fattest() else {
                break;
            };
            lost |= match self.rules().overflow {
                Overflow::Tail => self.cut(fattest, now, arrived, losses),
                _ => self.shrink(fattest, now, arrived, losses),
            };
            if self.rules().overflow == Overflow::OneBatch {
                break;
            }
        }
        lost
    }

    /// Drops from the head of a sub-queue: a batch, or until half its bytes are gone.
    fn shrink(
        &mut self,
        index: u32,
        now: Nanos,
        arrived: Slot,
        losses: &mut impl Losses<P>,
    ) -> bool {
        let rules = self.rules();
        let mut lost_arrived = false;
        let enough = self.sub_queues[index as usize].chain.bytes() / 2;
        let mut freed = 0;
        for _ in 0..self.sharing.drop_batch.max(1) {
            let sub_queue = &mut self.sub_queues[index as usize];
            lost_arrived |= sub_queue.chain.head() == Some(arrived);
            let Some((packet, at)) = self.pool.pop(&mut sub_queue.chain) else {
                break;
            };
            sub_queue.aqm.on_evicted(now, &PacketInfo::of(&packet, at));
            sub_queue.notify_if_empty(now, rules.total_backlog);
            freed += u64::from(packet.size());
            self.lose_waiting(packet, DropReason::Forced, losses);
            if freed >= enough {
                break;
            }
        }
        lost_arrived
    }

    /// Drops the last packet of a sub-queue. Walks the sub-queue.
    fn cut(&mut self, index: u32, now: Nanos, arrived: Slot, losses: &mut impl Losses<P>) -> bool {
        let rules = self.rules();
        let sub_queue = &mut self.sub_queues[index as usize];
        let Some(slot) = sub_queue.chain.tail() else {
            return false;
        };
        if let Some((packet, at)) = self.pool.remove(&mut sub_queue.chain, slot) {
            sub_queue.aqm.on_evicted(now, &PacketInfo::of(&packet, at));
            sub_queue.notify_if_empty(now, rules.total_backlog);
            self.lose_waiting(packet, DropReason::Forced, losses);
        }
        slot == arrived
    }
}
