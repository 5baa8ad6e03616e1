//! Flow queueing: a queue for each flow or class, served in turn, each under its own scheme.
//!
//! # Reference
//! T. Hoeiland-Joergensen, P. McKenney, D. Taht, J. Gettys, E. Dumazet, "The Flow Queue
//! CoDel Packet Scheduler and Active Queue Management Algorithm", RFC 8290, 2018.
//!
//! The rules are RFC 8290's unless a queue is built [with others](SharingRules), such as those of
//! deficit round robin or stochastic fairness queueing. The RFC's rules are:
//!
//! Flows are hashed, with a salt drawn from the seed, into a fixed number of sub-queues. A
//! sub-queue that receives a packet while in no list joins the *new* list with a quantum of
//! bytes as credit. The head of the new list is served, or of the old list if there is none:
//! - without credit it receives another quantum and moves to the end of the old list;
//! - if empty, it moves from the new list to the end of the old list, or from the old list
//!   to none.
//!
//! # Costs
//! The cost of a packet does not depend on the number of sub-queues. Only when the limit is
//! exceeded are the listed sub-queues searched for the one with most bytes. It then loses
//! up to `drop_batch` packets from its head, or half its bytes if that is less, so one
//! search serves many packets of a flood. With flows of one packet each, it serves one.

mod change;
mod lists;
mod overflow;
mod shadow;
mod sharing;
mod turns;

use alloc::boxed::Box;
use core::hint::cold_path;

use lists::{List, NEW, NONE, OLD, SubQueue};
pub(crate) use sharing::buffer_memory;
pub use sharing::{Classifier, MOST_WEIGHTS, Overflow, Scheduler, Sharing, SharingRules, Weights};

use super::pool::{Chain, Pool};
use super::{Departure, Losses, Outcome, QueueDiscipline};
use crate::aqm::{Aqm, DropReason, Verdict};
use crate::counters::Counters;
use crate::packet::{FlowKey, Packet, PacketInfo};
use crate::random::Pcg32;
use crate::units::{BitsPerSec, Nanos};

/// Flow queueing over copies of one scheme.
///
/// The schemes' periodic work is done when their sub-queue is next used, which loses
/// nothing: see [`Aqm::poll`].
#[derive(Clone, Debug)]
pub struct FairQueue<P, A, const RULES: bool = false> {
    sub_queues: Box<[SubQueue<A>]>,
    lists: [List; 2],
    pool: Pool<P>,
    sharing: Sharing,
    /// A packet that has bypassed the sub-queues, and its arrival time.
    bypassing: Option<(P, Nanos)>,
    packets: u32,
    bytes: u64,
    /// Memory of the buffers, where the limit counts it.
    memory: u64,
    salt: u64,
    /// The scheme in its initial state, where flows are hashed anew.
    pristine: Option<Box<A>>,
    /// When flows are next hashed anew; `None` before the first packet, and where they never are.
    rehash: Option<Nanos>,
    /// Whether the updates of all sub-queues have started, where they fall together.
    started: bool,
    /// Sub-queues that may not send, a bit each.
    paused: u32,
    /// Sub-queues that lose nothing as long as others do, a bit each.
    protected: u32,
    random: Pcg32,
    counters: Counters,
}

impl<P: Packet, A: Aqm + Clone> FairQueue<P, A> {
    /// Empty sub-queues, each under its own copy of `aqm`; they share `random`. The rules are RFC
    /// 8290's, whatever `sharing` says.
    pub fn new(aqm: &A, sharing: Sharing, random: Pcg32) -> FairQueue<P, A> {
        FairQueue::build(aqm, sharing, random)
    }
}

impl<P: Packet, A: Aqm + Clone> FairQueue<P, A, true> {
    /// As [`FairQueue::new`], with the rules of `sharing`.
    pub fn with_rules(aqm: &A, sharing: Sharing, random: Pcg32) -> FairQueue<P, A, true> {
        FairQueue::build(aqm, sharing, random)
    }
}

impl<P: Packet, A: Aqm + Clone, const RULES: bool> FairQueue<P, A, RULES> {
    /// The generator that it draws from. How far it has come shows what a call has drawn.
    pub fn random(&self) -> &Pcg32 {
        &self.random
    }

    /// The rules, known to be the RFC's when compiled without `RULES`.
    #[inline(always)]
    fn rules(&self) -> SharingRules {
        if RULES {
            self.sharing.rules
        } else {
            SharingRules::RFC_8290
        }
    }

    fn build(aqm: &A, sharing: Sharing, mut random: Pcg32) -> Self {
        // With one timer the schemes draw from the stream's beginning, as those of Linux do.
        let mut salting = random.clone();
        let mut draw = |random: &mut Pcg32| match RULES && sharing.rules.one_timer {
            true => salting.next_u32(),
            false => random.next_u32(),
        };
        let sub_queue = |_| SubQueue {
            aqm: aqm.clone(),
            chain: Chain::EMPTY,
            credit: 0,
            next: NONE,
            listed: false,
            idle: false,
        };
        FairQueue {
            sub_queues: (0..sharing.queues.max(1)).map(sub_queue).collect(),
            lists: [List::EMPTY; 2],
            pool: Pool::of(sharing.limit),
            sharing,
            bypassing: None,
            packets: 0,
            bytes: 0,
            memory: 0,
            salt: u64::from(draw(&mut random)) << 32 | u64::from(draw(&mut random)),
            pristine: (RULES && sharing.rules.perturb > Nanos::ZERO).then(|| Box::new(aqm.clone())),
            rehash: None,
            started: false,
            paused: 0,
            protected: 0,
            random,
            counters: Counters::default(),
        }
    }

    /// The sub-queue that packets of `flow` go to.
    pub fn sub_queue_of(&self, flow: FlowKey) -> u32 {
        let hash = flow.hash(self.salt) >> 32;
        ((hash * self.sub_queues.len() as u64) >> 32) as u32
    }

    /// What a packet of `size` bytes counts in the limit in bytes.
    fn memory_of(&self, size: u32) -> u64 {
        match self.rules().buffer_memory {
            true => buffer_memory(size),
            false => u64::from(size),
        }
    }

    /// What the limit in bytes counts.
    fn counted_bytes(&self) -> u64 {
        match self.rules().buffer_memory {
            true => self.memory,
            false => self.bytes,
        }
    }

    /// Whether the limit leaves room for a packet of `size` bytes in a sub-queue, others dropped if
    /// need be.
    fn fits(&self, index: u32, size: u32) -> bool {
        let memory = self.memory_of(size);
        let limit = self.sharing.limit;
        let alone = matches!(
            self.rules().overflow,
            Overflow::Arrival | Overflow::Unjudged
        ) && !self.is_protected(index);
        let waiting = if alone { self.counted_bytes() } else { 0 };
        waiting + memory <= limit.bytes.0 && !(alone && self.packets >= limit.packets)
    }

    fn remember(&mut self, size: u32) {
        self.packets += 1;
        self.bytes += u64::from(size);
        if self.rules().buffer_memory {
            self.memory += buffer_memory(size);
        }
    }

    fn forget(&mut self, packet: &P) {
        self.packets -= 1;
        self.bytes -= u64::from(packet.size());
        if self.rules().buffer_memory {
            self.memory -= buffer_memory(packet.size());
        }
    }

    fn lose_waiting(&mut self, packet: P, reason: DropReason, losses: &mut impl Losses<P>) {
        self.forget(&packet);
        self.counters.lose(packet, reason, losses);
    }

    fn append(&mut self, list: usize, index: u32) {
        self.sub_queues[index as usize].next = NONE;
        match self.lists[list].tail {
            NONE => self.lists[list].head = index,
            tail => self.sub_queues[tail as usize].next = index,
        }
        self.lists[list].tail = index;
    }

    fn unlist_head(&mut self, list: usize) {
        let head = self.lists[list].head;
        self.lists[list].head = self.sub_queues[head as usize].next;
        if self.lists[list].head == NONE {
            self.lists[list].tail = NONE;
        }
    }

    /// Every sub-queue in a list: each that holds packets, and some just emptied.
    fn listed(&self) -> impl Iterator<Item = u32> + '_ {
        let known = |index: u32| (index != NONE).then_some(index);
        self.lists.iter().flat_map(move |list| {
            core::iter::successors(known(list.head), move |index| {
                known(self.sub_queues[*index as usize].next)
            })
        })
    }

    fn accept(
        &mut self,
        index: u32,
        mut packet: P,
        info: &PacketInfo,
        marked: bool,
        losses: &mut impl Losses<P>,
    ) -> Outcome {
        if marked {
            debug_assert!(info.ecn.is_capable());
            packet.mark();
        }
        self.remember(info.size);
        let sub_queue = &mut self.sub_queues[index as usize];
        let slot = self.pool.push(&mut sub_queue.chain, packet, info.arrived);
        sub_queue.aqm.on_accepted(info.arrived, info);
        self.list(index);
        if self.make_room(info.arrived, slot, info.size, losses) {
            return Outcome::Dropped(DropReason::Forced);
        }
        if marked {
            self.counters.marked.add(info.size);
            return Outcome::Marked;
        }
        Outcome::Queued
    }

    /// The packet that bypasses the sub-queues.
    #[cold]
    fn send_bypassing(&mut self) -> Option<Departure<P>> {
        let (packet, arrived) = self.bypassing.take()?;
        self.forget(&packet);
        self.counters.departed.add(packet.size());
        Some(Departure { packet, arrived })
    }

    /// The next packet of a sub-queue that its scheme does not drop.
    fn dequeue_from(
        &mut self,
        index: u32,
        now: Nanos,
        losses: &mut impl Losses<P>,
    ) -> Option<Departure<P>> {
        let rules = self.rules();
        let sub_queue = &mut self.sub_queues[index as usize];
        sub_queue.aqm.poll(now, &self.pool.view(&sub_queue.chain));
        loop {
            let sub_queue = &mut self.sub_queues[index as usize];
            let Some((mut packet, arrived)) = self.pool.pop(&mut sub_queue.chain) else {
                if !core::mem::replace(&mut sub_queue.idle, true) {
                    sub_queue.aqm.on_idle(now);
                }
                return None;
            };
            let info = PacketInfo::of(&packet, arrived);
            let view = self.pool.view(&sub_queue.chain);
            let view = match rules.total_backlog {
                true => view.with_bytes(self.bytes - u64::from(info.size)),
                false => view,
            };
            let verdict = sub_queue
                .aqm
                .on_departure(now, &info, &view, &mut self.random);
            if let Verdict::Drop(reason) | Verdict::DropBoth(_, reason) = verdict {
                self.lose_waiting(packet, reason, losses);
                continue;
            }
            if verdict == Verdict::Mark {
                debug_assert!(info.ecn.is_capable());
                packet.mark();
                self.counters.marked.add(info.size);
            }
            sub_queue.notify_if_empty(now, rules.total_backlog);
            self.forget(&packet);
            self.counters.departed.add(info.size);
            return Some(Departure { packet, arrived });
        }
    }
}

impl<P: Packet, A: Aqm + Clone, const RULES: bool> QueueDiscipline<P> for FairQueue<P, A, RULES> {
    fn enqueue_with(&mut self, now: Nanos, packet: P, losses: &mut impl Losses<P>) -> Outcome {
        let info = PacketInfo::of(&packet, now);
        self.counters.arrived.add(info.size);
        if self.packets == 0 && self.rules().bypass {
            cold_path();
            self.remember(info.size);
            self.bypassing = Some((packet, now));
            return Outcome::Queued;
        }
        if RULES {
            self.start_timers(now);
            self.perturb(now);
        }
        let index = self.place_of(&info);
        let rules = self.rules();
        let fits = self.fits(index, info.size);
        let sub_queue = &mut self.sub_queues[index as usize];
        let view = self.pool.view(&sub_queue.chain);
        sub_queue.aqm.poll(now, &view);
        if !fits && rules.overflow == Overflow::Unjudged {
            sub_queue.aqm.on_refused(now, &info);
            return self.counters.lose(packet, DropReason::Forced, losses);
        }
        let random = &mut self.random;
        let verdict = sub_queue.aqm.on_arrival(now, &info, &view, random);
        let marked = match verdict {
            Verdict::Keep => false,
            Verdict::Mark => true,
            Verdict::Drop(reason) => {
                sub_queue.notify_if_empty(now, rules.total_backlog);
                return self.counters.lose(packet, reason, losses);
            }
            Verdict::DropBoth(slot, reason) => {
                if let Some((victim, arrived)) = self.pool.remove(&mut sub_queue.chain, slot) {
                    let victims = PacketInfo::of(&victim, arrived);
                    sub_queue.aqm.on_evicted(now, &victims);
                    sub_queue.notify_if_empty(now, rules.total_backlog);
                    self.lose_waiting(victim, reason, losses);
                }
                return self.counters.lose(packet, reason, losses);
            }
        };
        if !fits {
            sub_queue.aqm.on_refused(now, &info);
            return self.counters.lose(packet, DropReason::Forced, losses);
        }
        self.accept(index, packet, &info, marked, losses)
    }

    fn dequeue_with(&mut self, now: Nanos, losses: &mut impl Losses<P>) -> Option<Departure<P>> {
        if RULES && self.bypassing.is_some() {
            cold_path();
            return self.send_bypassing();
        }
        if RULES {
            self.start_timers(now);
        }
        if RULES && self.rules().scheduler != Scheduler::NewFirst {
            return self.dequeue_in_turn(now, losses);
        }
        loop {
            let list = if self.lists[NEW].head == NONE {
                OLD
            } else {
                NEW
            };
            let index = self.lists[list].head;
            let sub_queue = self.sub_queues.get(index as usize)?;
            if sub_queue.credit <= 0 {
                let turn = self.turn_of(index);
                self.sub_queues[index as usize].credit += turn;
                self.unlist_head(list);
                self.append(OLD, index);
                continue;
            }
            if let Some(departure) = self.dequeue_from(index, now, losses) {
                let size = departure.packet.size();
                self.sub_queues[index as usize].credit -= i64::from(size);
                return Some(departure);
            }
            self.unlist_head(list);
            let stays = self.lists[OLD].head != NONE || !self.rules().leave_when_alone;
            if list == NEW && stays {
                self.append(OLD, index);
            } else {
                self.sub_queues[index as usize].listed = false;
            }
        }
    }

    fn poll(&mut self, now: Nanos) {
        if RULES {
            self.start_timers(now);
        }
        for list in self.lists {
            let mut index = list.head;
            while let Some(sub_queue) = self.sub_queues.get_mut(index as usize) {
                sub_queue.aqm.poll(now, &self.pool.view(&sub_queue.chain));
                index = sub_queue.next;
            }
        }
    }

    /// None: each sub-queue's scheme catches up when that sub-queue is next used.
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

    /// Gives every sub-queue's scheme the full rate, as a flow's share is not known.
    fn set_link_rate(&mut self, now: Nanos, rate: BitsPerSec) {
        for sub_queue in &mut self.sub_queues {
            sub_queue.aqm.poll(now, &self.pool.view(&sub_queue.chain));
            sub_queue.aqm.on_link_rate(now, rate);
        }
        if let Some(pristine) = &mut self.pristine {
            pristine.on_link_rate(now, rate);
        }
    }

    /// `active`: sub-queues that hold packets; `fattest`: bytes in the fullest; and of
    /// each of the scheme's own probes the largest among active sub-queues, or 0.
    fn probes(&self, show: &mut dyn FnMut(&'static str, f64)) {
        let sub_queue = |index: u32| &self.sub_queues[index as usize];
        let holds = |sub_queue: &&SubQueue<A>| sub_queue.chain.packets() > 0;
        let active = || self.listed().map(sub_queue).filter(holds);
        show("active", active().count() as f64);
        let bytes = active().map(|sub_queue| sub_queue.chain.bytes());
        show("fattest", bytes.max().unwrap_or(0) as f64);
        sub_queue(0).aqm.probes(&mut |wanted, _| {
            let mut largest: Option<f64> = None;
            active().for_each(|sub_queue| {
                sub_queue.aqm.probes(&mut |name, value| {
                    if name == wanted {
                        largest = Some(largest.map_or(value, |so_far| so_far.max(value)));
                    }
                });
            });
            show(wanted, largest.unwrap_or(0.0));
        });
    }

    fn memory(&self) -> usize {
        let schemes = self.sub_queues.iter().map(|one| one.aqm.heap_bytes());
        let pristine = self.pristine.iter();
        let pristine = pristine.map(|aqm| size_of::<A>() + aqm.heap_bytes());
        size_of::<Self>()
            + self.pool.heap_bytes()
            + size_of_val::<[SubQueue<A>]>(&self.sub_queues)
            + schemes.sum::<usize>()
            + pristine.sum::<usize>()
    }
}

#[cfg(test)]
#[path = "fair_tests.rs"]
mod tests;
