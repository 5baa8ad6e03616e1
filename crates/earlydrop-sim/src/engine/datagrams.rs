//! Datagrams, and flows that start other flows.

use earlydrop::packet::Packet as _;
use earlydrop::units::Nanos;

use super::Simulation;
use super::flow::{Datagrams, Ends, Rare};
use super::session::Session;
use crate::packet::{Kind, Packet};
use crate::results::Completion;
use crate::streams::{Purpose, spawned, stream};
use crate::traffic::Step;

impl Datagrams {
    pub(super) fn step(&mut self, step: Step, now: Nanos) {
        match step {
            Step::Stop => {}
            Step::Rate(rate) => self.schedule.set_rate(rate),
            Step::Resume => self.schedule.resume(now),
        }
    }
}

impl Simulation {
    /// Sends the datagram that is due.
    pub(super) fn send_datagrams(&mut self, index: u32) {
        let now = self.now;
        let flow = &mut self.flows[index as usize];
        let Ends::Datagrams(source) = &mut flow.ends else {
            return;
        };
        if !flow.open || source.schedule.due() > now {
            return;
        }
        let packet = Packet::new(Kind::Datagram, index, source.number, source.size)
            .stamped(now)
            .with_ecn(source.ecn)
            .with_class(flow.class);
        source.number = source.number.wrapping_add(1);
        source.schedule.advance();
        let at = flow.leaves_host_at(now);
        self.accounts.totals.sent.add(packet.size());
        self.travel(packet, at);
    }

    /// Starts the transfer that is due, over a connection that is free or a new one.
    pub(super) fn spawn(&mut self, index: u32) {
        let now = self.now;
        let fresh = self.flows.len() as u32;
        let flow = &mut self.flows[index as usize];
        let open = flow.open;
        let Ends::Spawner(spawner) = &mut flow.ends else {
            return;
        };
        if !open || spawner.next_at > now {
            return;
        }
        spawner.next_at = now + spawner.every.draw(&mut spawner.random).max(Nanos(1));
        let slot = match spawner.spare.pop() {
            Some(slot) => slot,
            None if spawner.made.len() < spawner.at_most as usize => {
                let number = spawner.made.len() as u64;
                spawner.made.push(fresh);
                let mut made = spawner.template.clone();
                made.segment = made.segment.of_flow(fresh);
                let place = spawned(index, number);
                let random = stream(self.seed, Purpose::Spawned, place);
                if let Some(Rare {
                    overhead: Some(overhead),
                    ..
                }) = made.rare.as_deref_mut()
                {
                    overhead.random = stream(self.seed, Purpose::SpawnedOverhead, place);
                }
                let session = Session::new(spawner.application.clone(), random, index);
                if let Ends::Tcp(connection) = &mut made.ends {
                    connection.session = Some(Box::new(session));
                }
                self.flows.push(made);
                self.accounts.add_flow();
                self.ways.add_like(index);
                fresh
            }
            None => {
                spawner.left_out += 1;
                return;
            }
        };
        self.note_counts(slot, now);
        self.begin_now(slot, now);
    }

    /// A transfer is over: notes it, when it began within what is measured.
    pub(super) fn complete(&mut self, completion: Completion) {
        self.accounts.totals.completed += 1;
        if completion.began >= self.accounts.timing.from {
            self.completions.push(completion);
        }
    }

    /// A spawned connection is free again.
    pub(super) fn free_slot(&mut self, parent: u32, slot: u32) {
        if parent != slot
            && let Ends::Spawner(spawner) = &mut self.flows[parent as usize].ends
        {
            spawner.spare.push(slot);
        }
    }
}
