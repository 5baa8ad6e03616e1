//! The flows of a run, when each is woken, and what is recorded of all of them.
//!
//! A flow has one wake event for all of it, at the earliest time something may be due. A timer
//! that moves later, as the retransmission timer does with each acknowledgment, leaves the event
//! where it is: when the event is due, it finds that it is early and is scheduled again.

use std::ops::{Index, IndexMut};
use std::sync::Arc;

use earlydrop::queue::{AnyQueue, QueueDiscipline};
use earlydrop::units::Nanos;

use super::access::AccessLinks;
use super::accounts::Accounts;
use super::barrier::Barrier;
use super::event::{Scheduler, Task};
use super::flow::{Connection, Ends, Flow};
use crate::packet::Packet;
use crate::prefetch::prefetch;
use crate::results::{Completion, IncastRound};
use crate::tcp::Profile;

/// Every flow, and what flows have in common.
#[derive(Clone, Debug)]
pub(super) struct Flows {
    /// The described flows, requesters, and the connections that spawners opened.
    pub(super) flows: Vec<Flow>,
    /// The access links of each flow. Empty where no flow has any.
    pub(super) access: Vec<AccessLinks>,
    pub(super) profiles: Vec<Profile>,
    /// Flows may take the fast path: this is not the [`reference`](super::reference) engine, and
    /// packets are not sprayed, which changes the route of each acknowledgment.
    pub(super) may_be_fast: bool,
    /// Clients that wait for the answers of all their servers.
    pub(super) barriers: Vec<Barrier>,
    pub(super) completions: Vec<Completion>,
    pub(super) rounds: Vec<IncastRound>,
    pub(super) cwnd_samples: Option<CwndSamples>,
    /// The group of each described flow.
    pub(super) groups: Vec<Arc<str>>,
    pub(super) seed: u64,
}

/// Congestion windows over time.
#[derive(Clone, Debug)]
pub(super) struct CwndSamples {
    pub(super) interval: Nanos,
    /// For each sampled flow: its index, and its window in segments at each interval.
    pub(super) flows: Vec<(u32, Vec<f64>)>,
}

impl Index<u32> for Flows {
    type Output = Flow;

    #[inline(always)]
    fn index(&self, index: u32) -> &Flow {
        &self.flows[index as usize]
    }
}

impl IndexMut<u32> for Flows {
    #[inline(always)]
    fn index_mut(&mut self, index: u32) -> &mut Flow {
        &mut self.flows[index as usize]
    }
}

impl Flows {
    /// The connection of a flow over TCP, and its profile.
    #[inline(always)]
    pub(super) fn connection(&mut self, index: u32) -> Option<(&mut Connection, &Profile)> {
        let flow = &mut self.flows[index as usize];
        match &mut flow.ends {
            Ends::Tcp(connection) => {
                let profile = &self.profiles[flow.profile as usize];
                Some((connection, profile))
            }
            _ => None,
        }
    }

    /// Schedules a flow's wake event, unless one is due early enough.
    #[inline(always)]
    pub(super) fn ensure_wake(&mut self, scheduler: &mut Scheduler, index: u32) {
        let flow = &self[index];
        if flow.wake_at > flow.earliest_wake() {
            self.schedule_wake(scheduler, index);
        }
    }

    /// Schedules a flow's wake event for when something is next due.
    #[inline(never)]
    pub(super) fn schedule_wake(&mut self, scheduler: &mut Scheduler, index: u32) {
        let flow = &mut self[index];
        let due = flow.next_wake();
        if due < flow.wake_at {
            let at = due.max(scheduler.now);
            flow.wake_at = at;
            scheduler.schedule(at, Task::Wake(index));
        }
    }

    /// Holds a packet for an end that may act of its own accord before the packet arrives at
    /// `at`.
    #[cold]
    #[inline(never)]
    pub(super) fn hold(&mut self, scheduler: &mut Scheduler, packet: Packet, at: Nanos) {
        let index = packet.flow_index();
        let held = &mut self[index].rare().held;
        let line = if packet.is_forward() {
            &mut held.data
        } else {
            &mut held.acks
        };
        line.push_back((at, packet));
        self.ensure_wake(scheduler, index);
    }

    /// Records what a sender did in the warm-up, before it first acts after that at `at`.
    #[inline]
    pub(super) fn record_baseline(&mut self, accounts: &mut Accounts, index: u32, at: Nanos) {
        let Flow { ends, state, .. } = &mut self[index];
        if let Ends::Tcp(connection) = ends {
            state.record_baseline(accounts, (index, &connection.sender), at);
        }
    }

    /// [`Task::Sample`] is due: records congestion windows.
    pub(super) fn on_sample(&mut self, scheduler: &mut Scheduler) {
        let Some(samples) = &mut self.cwnd_samples else {
            return;
        };
        for (flow, values) in &mut samples.flows {
            if let Ends::Tcp(connection) = &self.flows[*flow as usize].ends {
                values.push(connection.sender.cwnd());
            }
        }
        scheduler.schedule(scheduler.now + samples.interval, Task::Sample);
    }

    /// Prefetches the flow of a packet that will leave a queue soon, and what the flow of a nearer
    /// one keeps elsewhere. Memory answers within the microsecond or two that some packets take.
    #[inline(always)]
    pub(super) fn prefetch_of(&self, queue: &AnyQueue<Packet>) {
        if self.flows.len() < MANY_FLOWS {
            return;
        }
        if let Some(packet) = queue.peek(16) {
            let index = packet.flow_index();
            prefetch(&self[index]);
            self.prefetch_access(index);
        }
        if let Some(packet) = queue.peek(6) {
            self[packet.flow_index()].prefetch_receiver();
        }
    }

    /// Prefetches the access links of a flow, if any flow has some.
    #[inline(always)]
    fn prefetch_access(&self, index: u32) {
        if let Some(links) = self.access.get(index as usize) {
            prefetch(links);
        }
    }

    /// Prefetches the flows of what will be due soon: of a packet that goes on, an acknowledgment on
    /// its way to the sender most often, and of an event of any kind.
    #[inline(always)]
    pub(super) fn prefetch_due(&self, scheduler: &mut Scheduler) {
        if self.flows.len() < MANY_FLOWS {
            return;
        }
        if let Some(packet) = scheduler.forwarded_behind(AHEAD) {
            prefetch(&self[packet.flow_index()]);
            self.prefetch_access(packet.flow_index());
        }
        if let Some(index) = scheduler.flow_due_soon()
            && let Some(flow) = self.flows.get(index as usize)
        {
            prefetch(flow);
            self.prefetch_access(index);
        }
    }
}

/// How many packets before its turn a flow is prefetched; 20 are as good.
const AHEAD: u64 = 8;

/// From so many flows on, their state does not fit the caches, and a packet's flow is prefetched
/// before the packet leaves its queue.
const MANY_FLOWS: usize = 2000;
