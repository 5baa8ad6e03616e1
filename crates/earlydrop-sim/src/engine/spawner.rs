//! Flows that open connections: for transfers at random times, at listed times, or each after the
//! one before.

use std::collections::HashMap;
use std::sync::Arc;

use earlydrop::random::Pcg32;
use earlydrop::units::Nanos;

use super::Simulation;
use super::application::{Phase, Session};
use super::flow::{Ends, Flow, Rare};
use crate::packet::MAX_FLOWS;
use crate::spread::Spread;
use crate::streams::{Purpose, spawned, stream};
use crate::traffic::{Application, ListedTransfer};

/// A flow that starts transfers, each over a connection of its own.
#[derive(Clone, Debug)]
pub(super) struct Spawner {
    pub(super) starts: Starts,
    pub(super) application: Application,
    pub(super) at_most: u32,
    pub(super) next_at: Nanos,
    pub(super) random: Pcg32,
    /// What a new connection is cloned from.
    pub(super) template: Flow,
    /// All connections opened so far.
    pub(super) connections: Vec<u32>,
    /// Those of them that are free, by the hop where their route begins.
    pub(super) free: HashMap<usize, Vec<u32>>,
    /// Starts that were skipped because `at_most` transfers were going on.
    pub(super) left_out: u64,
}

/// When a spawner's transfers start.
#[derive(Clone, Debug)]
pub(super) enum Starts {
    /// With these times in between.
    Every(Spread<Nanos>),
    /// A pause after the last has ended, over a connection that none had before.
    AfterLast,
    /// At the times of a list.
    Listed(FlowList),
}

/// A list of transfers, and how far it is done.
#[derive(Clone, Debug)]
pub(super) struct FlowList {
    /// In order of time.
    pub(super) transfers: Arc<[ListedTransfer]>,
    /// For each, the number of its route among those of lists.
    pub(super) routes: Vec<u32>,
    /// The number of the next.
    pub(super) next: usize,
}

impl FlowList {
    /// When the next transfer starts; never after the last.
    fn next_start(&self) -> Nanos {
        let next = self.transfers.get(self.next);
        next.map_or(Nanos::NEVER, |transfer| transfer.start)
    }
}

impl Spawner {
    /// Starts, or continues, after a stop.
    pub(super) fn resume(&mut self, now: Nanos) {
        match &mut self.starts {
            Starts::Every(_) => self.next_at = now,
            Starts::AfterLast => {
                let free: usize = self.free.values().map(Vec::len).sum();
                if free == self.connections.len() {
                    self.next_at = now;
                }
            }
            // What should have started in the meantime does not.
            Starts::Listed(list) => {
                list.next = list.transfers.partition_point(|t| t.start < now);
                self.next_at = list.next_start();
            }
        }
    }

    /// Takes the start that is due off: the transfer's own application and the number of its
    /// route among those of lists, where it has them.
    fn take_start(&mut self, now: Nanos) -> Option<(Application, u32)> {
        match &mut self.starts {
            Starts::Every(every) => {
                self.next_at = now + every.draw(&mut self.random).max(Nanos(1));
                None
            }
            Starts::AfterLast => {
                self.next_at = Nanos::NEVER;
                None
            }
            Starts::Listed(list) => {
                let number = list.next;
                list.next += 1;
                self.next_at = list.next_start();
                let application = Application::Transfer(list.transfers[number].size);
                Some((application, list.routes[number]))
            }
        }
    }

    /// A connection that may be used again, over the route that begins at this hop.
    fn reuse(&mut self, route: usize) -> Option<u32> {
        match self.starts {
            Starts::AfterLast => None,
            _ => self.free.get_mut(&route).and_then(Vec::pop),
        }
    }
}

impl Simulation {
    /// A spawner's next start is due: its transfer takes a free connection or a new one, or is
    /// skipped.
    pub(super) fn on_spawn_due(&mut self, index: u32) {
        let now = self.now;
        let room = self.flows.len() < MAX_FLOWS;
        let flow = &mut self.flows[index as usize];
        let open = flow.state.open;
        let Ends::Spawner(spawner) = &mut flow.ends else {
            return;
        };
        if !open || spawner.next_at > now {
            return;
        }
        let listed = spawner.take_start(now);
        let route = match &listed {
            Some((_, route)) => self.routes.listed_begin(*route),
            None => self.routes.forward_begin(index),
        };
        let connection = match spawner.reuse(route) {
            Some(free) => free,
            None if spawner.connections.len() < spawner.at_most as usize && room => {
                self.open_connection(index, listed.as_ref().map(|(_, route)| *route))
            }
            None => {
                spawner.left_out += 1;
                return;
            }
        };
        if let Some((application, _)) = listed
            && let Some(session) = self.session(connection)
        {
            session.application = application;
        }
        self.record_baseline(connection, now);
        self.start_transfer_and_send(connection, now);
    }

    /// Adds a connection to the spawner at `index`, over its own route or over this one of those
    /// of lists; returns the index of the new flow.
    fn open_connection(&mut self, index: u32, listed: Option<u32>) -> u32 {
        let added = self.flows.len() as u32;
        let Ends::Spawner(spawner) = &mut self.flows[index as usize].ends else {
            return added;
        };
        let place = spawned(index, spawner.connections.len() as u64);
        spawner.connections.push(added);
        let mut flow = spawner.template.clone();
        flow.segment = flow.segment.of_flow(added);
        if let Some(Rare {
            overhead: Some(overhead),
            ..
        }) = flow.rare.as_deref_mut()
        {
            overhead.random = stream(self.seed, Purpose::SpawnedOverhead, place);
        }
        let follows = matches!(spawner.starts, Starts::AfterLast);
        let random = match follows {
            true => spawner.random.clone(),
            false => stream(self.seed, Purpose::Spawned, place),
        };
        let session = Session::new(spawner.application.clone(), random, index);
        if let Ends::Tcp(connection) = &mut flow.ends {
            connection.session = Some(Box::new(session));
        }
        if follows {
            flow.meter.details = self.flows[index as usize].meter.details.take();
        }
        self.flows.push(flow);
        self.accounts.add_flow();
        match listed {
            Some(route) => self.routes.add_flow_on(route),
            None => self.routes.add_flow_like(index),
        }
        added
    }

    /// A spawner's connection has nothing to do any more.
    pub(super) fn free_connection(&mut self, parent: u32, index: u32) {
        if parent == index {
            return;
        }
        let route = self.routes.forward_begin(index);
        if let Ends::Spawner(spawner) = &mut self.flows[parent as usize].ends {
            spawner.free.entry(route).or_default().push(index);
            if matches!(spawner.starts, Starts::AfterLast) {
                self.continue_with_new_connection(parent, index);
            }
        }
    }

    /// The transfer of the connection at `index` has ended: the spawner at `parent` takes back what
    /// it draws from and measures, and starts the next transfer when this connection would have.
    fn continue_with_new_connection(&mut self, parent: u32, index: u32) {
        let details = self.flows[index as usize].meter.details.take();
        let Some(session) = self.session(index) else {
            return;
        };
        let (random, next_at) = (session.random.clone(), session.due());
        session.phase = Phase::Pausing(Nanos::NEVER);
        let flow = &mut self.flows[parent as usize];
        flow.meter.details = details;
        if let Ends::Spawner(spawner) = &mut flow.ends {
            (spawner.random, spawner.next_at) = (random, next_at);
        }
        self.ensure_wake(parent);
    }
}
