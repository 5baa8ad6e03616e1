//! Whose turn it is: the schedulers other than RFC 8290's.
//!
//! # Reference
//! M. Shreedhar, G. Varghese, "Efficient Fair Queueing using Deficit Round Robin", ACM SIGCOMM
//! 1995. P. McKenney, "Stochastic Fairness Queueing", IEEE INFOCOM 1990.
//!
//! One list holds every sub-queue with packets; a sub-queue joins it at the end, with the credit
//! of a turn. The head is served:
//! - if its credit allows no packet, it receives that of another turn and moves to the end;
//! - when its last packet has left, it leaves the list, and what is left of its credit lapses.
//!
//! Strict sub-queues have a list of their own, by priority; the first of it that may send is served
//! before the others. A sub-queue that is [paused](FairQueue::pause_class) is passed over, and keeps
//! its credit.
//!
//! Under [`Scheduler::Deficit`] credit allows a packet that is no larger, so that no sub-queue
//! ever sends more than its turns are worth; otherwise any packet while there is credit.

use super::lists::{NEW, NONE, OLD, STRICT};
use super::sharing::CLASSES;
use super::{Classifier, FairQueue, Scheduler};
use crate::aqm::Aqm;
use crate::packet::{FlowKey, Packet, PacketInfo};
use crate::queue::{Departure, Losses};
use crate::units::Nanos;

impl<P: Packet, A: Aqm + Clone, const RULES: bool> FairQueue<P, A, RULES> {
    /// The sub-queue that a packet goes to.
    #[inline(always)]
    pub(super) fn place_of(&self, info: &PacketInfo) -> u32 {
        self.place(info.flow, info.class)
    }

    /// The sub-queue that packets of `flow` and `class` go to.
    #[inline(always)]
    pub(super) fn place(&self, flow: FlowKey, class: u8) -> u32 {
        let queues = self.sub_queues.len() as u64;
        match self.rules().classifier {
            Classifier::Hash => self.sub_queue_of(flow),
            Classifier::Flow => (flow.0 % queues) as u32,
            Classifier::Class => (u64::from(class) % queues) as u32,
        }
    }

    /// The credit of one turn: bytes, or packets under [`Scheduler::Packets`].
    #[inline(always)]
    pub(super) fn turn_of(&self, index: u32) -> i64 {
        let quantum = i64::from(self.sharing.quantum.max(1));
        if !RULES {
            return quantum;
        }
        let weight = i64::from(self.rules().weights.of(index));
        match self.rules().scheduler {
            Scheduler::Packets => weight,
            _ => weight * quantum,
        }
    }

    /// Lists a sub-queue that a packet has joined, unless it is listed.
    #[inline(always)]
    pub(super) fn list(&mut self, index: u32) {
        let turn = self.turn_of(index);
        let sub_queue = &mut self.sub_queues[index as usize];
        sub_queue.idle = false;
        if !core::mem::replace(&mut sub_queue.listed, true) {
            sub_queue.credit = turn;
            if RULES && self.is_strict(index) {
                return self.list_strict(index);
            }
            let list = match self.rules().scheduler {
                Scheduler::NewFirst => NEW,
                _ => OLD,
            };
            self.append(list, index);
        }
    }

    /// Whether a sub-queue goes before those that take turns.
    pub(super) fn is_strict(&self, index: u32) -> bool {
        let rules = self.rules();
        let queues = self.sub_queues.len() as u64;
        let used = match rules.classifier {
            Classifier::Class => queues.min(u64::from(CLASSES)),
            _ => queues,
        };
        u64::from(index) + u64::from(rules.strict) >= used
    }

    /// Puts a strict sub-queue into its list: higher indices are before it.
    pub(super) fn list_strict(&mut self, index: u32) {
        let (mut before, mut after) = (NONE, self.lists[STRICT].head);
        while after != NONE && after > index {
            (before, after) = (after, self.sub_queues[after as usize].next);
        }
        self.sub_queues[index as usize].next = after;
        match before {
            NONE => self.lists[STRICT].head = index,
            before => self.sub_queues[before as usize].next = index,
        }
        if after == NONE {
            self.lists[STRICT].tail = index;
        }
    }

    /// Takes a sub-queue out of the list of strict ones.
    fn unlist_strict(&mut self, index: u32) {
        let (mut before, mut after) = (NONE, self.lists[STRICT].head);
        while after > index {
            (before, after) = (after, self.sub_queues[after as usize].next);
        }
        let after = self.sub_queues[index as usize].next;
        match before {
            NONE => self.lists[STRICT].head = after,
            before => self.sub_queues[before as usize].next = after,
        }
        if after == NONE {
            self.lists[STRICT].tail = before;
        }
    }

    fn is_paused(&self, index: u32) -> bool {
        has_bit(self.paused, index)
    }

    /// The bit of a class's sub-queue among those that can be paused; `None` where no class can.
    fn bit_of_class(&self, class: u8) -> Option<u32> {
        let can = RULES && self.sharing.can_pause_classes();
        1_u32
            .checked_shl(self.place(FlowKey(0), class))
            .filter(|_| can)
    }

    /// The sub-queue of a class may not send, or may again. Without effect, and `false`, where classes
    /// have no sub-queues of their own, or new flows go first. A change to such rules ends all pauses.
    pub fn pause_class(&mut self, class: u8, pauses: bool) -> bool {
        let Some(bit) = self.bit_of_class(class) else {
            return false;
        };
        match pauses {
            true => self.paused |= bit,
            false => self.paused &= !bit,
        }
        true
    }

    /// Packets of a class are not dropped for the limit as long as others wait: one that finds no room
    /// takes that of others. Such classes have reserved buffer in switches that pause them. Without
    /// effect where no class can be paused.
    pub fn protect_class(&mut self, class: u8) {
        self.protected |= self.bit_of_class(class).unwrap_or(0);
    }

    /// Whether a sub-queue is that of a [protected](FairQueue::protect_class) class.
    pub(super) fn is_protected(&self, index: u32) -> bool {
        RULES && has_bit(self.protected, index)
    }

    /// The bytes in the sub-queue of a class; `None` where packets are not told apart by class.
    pub(crate) fn bytes_of_class(&self, class: u8) -> Option<u64> {
        let by_class = self.rules().classifier == Classifier::Class;
        let index = self.place(FlowKey(0), class);
        by_class.then(|| self.sub_queues[index as usize].chain.bytes())
    }

    /// The sub-queue that is next: the first strict one that may send, or the first of the others,
    /// which is then the head of their list.
    fn next_in_turn(&mut self) -> Option<u32> {
        let mut index = self.lists[STRICT].head;
        while index != NONE && self.is_paused(index) {
            index = self.sub_queues[index as usize].next;
        }
        if index != NONE {
            return Some(index);
        }
        let first = self.lists[OLD].head;
        while self.is_paused(self.lists[OLD].head) {
            let head = self.lists[OLD].head;
            self.unlist_head(OLD);
            self.append(OLD, head);
            if self.lists[OLD].head == first {
                return None;
            }
        }
        Some(self.lists[OLD].head).filter(|head| *head != NONE)
    }

    /// Starts the updates of all sub-queues at once, where they fall together.
    pub(super) fn start_timers(&mut self, now: Nanos) {
        if self.rules().one_timer && !core::mem::replace(&mut self.started, true) {
            for sub_queue in &mut self.sub_queues {
                sub_queue.aqm.poll(now, &self.pool.view(&sub_queue.chain));
            }
        }
    }

    /// Hashes flows anew when that is due.
    pub(super) fn perturb(&mut self, now: Nanos) {
        let period = self.rules().perturb;
        if period == Nanos::ZERO {
            return;
        }
        let due = *self.rehash.get_or_insert(now + period);
        if now < due {
            return;
        }
        let periods = (now - due).0 / period.0 + 1;
        self.rehash = Some(due + Nanos(periods.saturating_mul(period.0)));
        // One number for each period, so that a long calm costs no more than a short one.
        const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
        self.salt = self.salt.wrapping_add(periods.wrapping_mul(STEP));
        if let Some(pristine) = self.pristine.take() {
            self.reseat(now, &pristine);
            self.pristine = Some(pristine);
        }
    }

    /// The next packet in the order of one list.
    pub(super) fn dequeue_in_turn(
        &mut self,
        now: Nanos,
        losses: &mut impl Losses<P>,
    ) -> Option<Departure<P>> {
        let scheduler = self.rules().scheduler;
        loop {
            let index = self.next_in_turn()?;
            let is_strict = self.is_strict(index);
            let sub_queue = &self.sub_queues[index as usize];
            let next = self.pool.head_size(&sub_queue.chain);
            let needed = match scheduler {
                Scheduler::Deficit => next.map_or(0, i64::from),
                _ => 1,
            };
            if next.is_some() && sub_queue.credit < needed && !is_strict {
                let turn = self.turn_of(index);
                self.sub_queues[index as usize].credit += turn;
                self.unlist_head(OLD);
                self.append(OLD, index);
                continue;
            }
            let departure = self.dequeue_from(index, now, losses);
            let sub_queue = &mut self.sub_queues[index as usize];
            if let Some(departure) = &departure {
                sub_queue.credit -= match scheduler {
                    Scheduler::Packets => 1,
                    _ => i64::from(departure.packet.size()),
                };
            }
            if sub_queue.chain.packets() == 0 {
                sub_queue.listed = false;
                if !core::mem::replace(&mut sub_queue.idle, true) {
                    sub_queue.aqm.on_idle(now);
                }
                match is_strict {
                    true => self.unlist_strict(index),
                    false => self.unlist_head(OLD),
                }
            }
            if departure.is_some() {
                return departure;
            }
        }
    }
}

fn has_bit(bits: u32, index: u32) -> bool {
    index < u32::BITS && bits >> index & 1 != 0
}

#[cfg(test)]
#[path = "turns_tests.rs"]
mod tests;
