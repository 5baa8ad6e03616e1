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
//! Under [`Scheduler::Deficit`] credit allows a packet that is no larger, so that no sub-queue
//! ever sends more than its turns are worth; otherwise any packet while there is credit.

use super::lists::{NEW, OLD};
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
            let list = match self.rules().scheduler {
                Scheduler::NewFirst => NEW,
                _ => OLD,
            };
            self.append(list, index);
        }
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
            let index = self.lists[OLD].head;
            let sub_queue = self.sub_queues.get(index as usize)?;
            let next = self.pool.head_size(&sub_queue.chain);
            let needed = match scheduler {
                Scheduler::Deficit => next.map_or(0, i64::from),
                _ => 1,
            };
            if next.is_some() && sub_queue.credit < needed {
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
                self.unlist_head(OLD);
            }
            if departure.is_some() {
                return departure;
            }
        }
    }
}
