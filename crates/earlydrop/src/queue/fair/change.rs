//! Changes of a fair queue in use: other parameters, other rules, another scheme.

use super::lists::{NEW, NONE, OLD, SubQueue};
use super::{FairQueue, Sharing, buffer_memory};
use crate::aqm::Aqm;
use crate::packet::{Packet, PacketInfo};
use crate::queue::ChangeError;
use crate::units::Nanos;

impl<P: Packet, A: Aqm + Clone, const RULES: bool> FairQueue<P, A, RULES> {
    /// Changes every sub-queue to the parameters of `aqm`, a new scheme that
    /// [continues](Aqm::continue_from) from its present one, and to those of `sharing`, from the
    /// next packet on. Packets that wait stay, also those above a smaller limit.
    ///
    /// Refused for another number of sub-queues.
    pub fn change(&mut self, now: Nanos, aqm: &A, sharing: Sharing) -> Result<(), ChangeError> {
        self.check(&sharing)?;
        for sub_queue in &mut self.sub_queues {
            // A timer that has not started starts with the next packet.
            if sub_queue.aqm.next_deadline().is_some() {
                sub_queue.aqm.poll(now, &self.pool.view(&sub_queue.chain));
            }
            let old = core::mem::replace(&mut sub_queue.aqm, aqm.clone());
            let waiting = &mut self.pool.infos(&sub_queue.chain);
            sub_queue.aqm.continue_from(now, old, waiting);
        }
        self.share(sharing);
        Ok(())
    }

    /// Whether a queue in use can share as in `sharing`.
    pub(crate) fn check(&self, sharing: &Sharing) -> Result<(), ChangeError> {
        let (now, wanted) = (self.sharing.queues, sharing.queues);
        match now == wanted {
            true => Ok(()),
            false => Err(ChangeError::SubQueues { now, wanted }),
        }
    }

    /// The same queue by other rules, under schemes of another type: `take_over` hands each the
    /// scheme that its sub-queue had.
    pub(crate) fn under<B: Aqm + Clone, const OTHER: bool>(
        self,
        aqm: &B,
        sharing: Sharing,
        take_over: impl Fn(&mut B, A, &mut dyn Iterator<Item = PacketInfo>),
    ) -> FairQueue<P, B, OTHER> {
        let pool = self.pool;
        let change = |old: SubQueue<A>| {
            let mut aqm = aqm.clone();
            take_over(&mut aqm, old.aqm, &mut pool.infos(&old.chain));
            SubQueue {
                aqm,
                chain: old.chain,
                credit: old.credit,
                next: old.next,
                listed: old.listed,
                idle: old.idle,
            }
        };
        let sub_queues = self.sub_queues.into_iter().map(change).collect();
        let mut queue = FairQueue {
            sub_queues,
            lists: self.lists,
            pool,
            sharing: self.sharing,
            bypassing: self.bypassing,
            packets: self.packets,
            bytes: self.bytes,
            memory: self.memory,
            salt: self.salt,
            rehash: self.rehash,
            started: self.started,
            random: self.random,
            counters: self.counters,
        };
        queue.share(sharing);
        if !OTHER && let Some((packet, arrived)) = queue.bypassing.take() {
            queue.seat(packet, arrived);
        }
        queue
    }

    /// Puts a packet that has bypassed its sub-queue at the head of that.
    fn seat(&mut self, packet: P, arrived: Nanos) {
        let info = PacketInfo::of(&packet, arrived);
        let index = self.place_of(&info);
        let sub_queue = &mut self.sub_queues[index as usize];
        self.pool.push_front(&mut sub_queue.chain, packet, arrived);
        sub_queue.aqm.on_accepted(arrived, &info);
        self.list(index);
    }

    /// Shares as in `sharing`, by its rules where these may apply.
    fn share(&mut self, sharing: Sharing) {
        self.pool.grow(sharing.limit.packets + 1);
        let before = self.rules();
        self.sharing = sharing;
        let rules = self.rules();
        if rules.perturb != before.perturb {
            self.rehash = None;
        }
        if rules.scheduler != before.scheduler {
            self.merge_lists();
        }
        if self.rules().buffer_memory {
            let chains = self.sub_queues.iter().map(|sub_queue| &sub_queue.chain);
            let waiting = chains.flat_map(|chain| self.pool.infos(chain));
            let bypassing = self.bypassing.iter().map(|(packet, _)| packet.size());
            let sizes = waiting.map(|packet| packet.size).chain(bypassing);
            self.memory = sizes.map(buffer_memory).sum();
        }
    }

    /// Puts all listed sub-queues into the old list, each with the credit of a turn.
    fn merge_lists(&mut self) {
        while self.lists[NEW].head != NONE {
            let index = self.lists[NEW].head;
            self.unlist_head(NEW);
            self.append(OLD, index);
        }
        let mut index = self.lists[OLD].head;
        while index != NONE {
            let turn = self.turn_of(index);
            let sub_queue = &mut self.sub_queues[index as usize];
            sub_queue.credit = turn;
            index = sub_queue.next;
        }
    }
}
