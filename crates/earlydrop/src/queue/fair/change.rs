//! Changes of a fair queue in use: other parameters, other rules, another scheme.

use alloc::boxed::Box;

use super::lists::{List, NEW, NONE, OLD, SubQueue};
use super::{FairQueue, Sharing, buffer_memory};
use crate::aqm::{Aqm, WaitingPackets, start_among};
use crate::packet::{Packet, PacketInfo};
use crate::queue::ChangeError;
use crate::queue::pool::Chain;
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
        self.share(now, aqm, sharing);
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
        now: Nanos,
        aqm: &B,
        sharing: Sharing,
        take_over: impl Fn(&mut B, A, WaitingPackets<'_>),
    ) -> FairQueue<P, B, OTHER> {
        let rules = self.rules();
        let pool = self.pool;
        let change = |old: SubQueue<A>| {
            let mut new = old.under(aqm.clone());
            take_over(&mut new.aqm, old.aqm, &mut pool.infos(&new.chain));
            new
        };
        let sub_queues = self.sub_queues.into_iter().map(change).collect();
        let mut queue = FairQueue {
            sub_queues,
            lists: self.lists,
            pool,
            sharing: Sharing {
                rules,
                ..self.sharing
            },
            bypassing: self.bypassing,
            packets: self.packets,
            bytes: self.bytes,
            memory: self.memory,
            salt: self.salt,
            pristine: None,
            rehash: self.rehash,
            started: self.started,
            paused: self.paused,
            protected: self.protected,
            random: self.random,
            counters: self.counters,
        };
        queue.share(now, aqm, sharing);
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
    fn share(&mut self, now: Nanos, aqm: &A, sharing: Sharing) {
        self.pool.resize(sharing.limit);
        let before = self.sharing.rules;
        self.sharing = sharing;
        let rules = self.rules();
        if !self.sharing.can_pause_classes() {
            (self.paused, self.protected) = (0, 0);
        }
        let hashes = RULES && rules.perturb > Nanos::ZERO;
        self.pristine = hashes.then(|| Box::new(aqm.clone()));
        if rules.perturb != before.perturb {
            self.rehash = None;
        }
        if rules.classifier != before.classifier {
            self.reseat(now, aqm);
        } else if (rules.scheduler, rules.strict) != (before.scheduler, before.strict) {
            self.relist();
        }
        if self.rules().buffer_memory {
            let chains = self.sub_queues.iter().map(|sub_queue| &sub_queue.chain);
            let waiting = chains.flat_map(|chain| self.pool.infos(chain));
            let bypassing = self.bypassing.iter().map(|(packet, _)| packet.size());
            let sizes = waiting.map(|packet| packet.size).chain(bypassing);
            self.memory = sizes.map(buffer_memory).sum();
        }
    }

    /// Puts the packets that wait into the sub-queues that they belong to now, a flow's in their
    /// order. Schemes start afresh among them: what they know is of other flows.
    pub(super) fn reseat(&mut self, now: Nanos, pristine: &A) {
        let mut all = Chain::EMPTY;
        for index in [NEW, OLD].map(|list| self.lists[list].head) {
            let mut index = index;
            while let Some(sub_queue) = self.sub_queues.get_mut(index as usize) {
                let chain = core::mem::replace(&mut sub_queue.chain, Chain::EMPTY);
                self.pool.append(&mut all, chain);
                index = sub_queue.next;
            }
        }
        self.lists = [List::EMPTY; 2];
        for sub_queue in &mut self.sub_queues {
            sub_queue.aqm = pristine.clone();
            (sub_queue.listed, sub_queue.idle) = (false, false);
        }
        while let Some((packet, arrived)) = self.pool.pop(&mut all) {
            let info = PacketInfo::of(&packet, arrived);
            let index = self.place_of(&info);
            let sub_queue = &mut self.sub_queues[index as usize];
            self.pool.push(&mut sub_queue.chain, packet, arrived);
            self.list(index);
        }
        self.started = true;
        for sub_queue in &mut self.sub_queues {
            start_among(&mut sub_queue.aqm, &mut self.pool.infos(&sub_queue.chain));
            sub_queue.aqm.poll(now, &self.pool.view(&sub_queue.chain));
        }
    }

    /// Puts all listed sub-queues into the old list, old ones first, each with the credit of a turn;
    /// strict ones into theirs.
    fn relist(&mut self) {
        let [new, old] = core::mem::replace(&mut self.lists, [List::EMPTY; 2]);
        for mut index in [old.head, new.head] {
            while index != NONE {
                let turn = self.turn_of(index);
                let sub_queue = &mut self.sub_queues[index as usize];
                sub_queue.credit = turn;
                let next = sub_queue.next;
                match self.is_strict(index) {
                    true => self.list_strict(index),
                    false => self.append(OLD, index),
                }
                index = next;
            }
        }
    }
}
