//! Flows that open connections: for transfers at random times, at listed times, or each after the
//! one before.

use std::collections::HashMap;
use std::sync::Arc;

use earlydrop::random::Pcg32;
use earlydrop::units::Nanos;

use super::flow::Flow;
use crate::spread::Spread;
use crate::streams::of_transfer;
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
    /// How many of them have a transfer.
    pub(super) in_progress: u32,
    /// Starts taken so far.
    pub(super) taken: u64,
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
                if self.in_progress == 0 {
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

    /// The number of the transfer that starts next; of a list, its place there.
    pub(super) fn next_number(&self) -> u64 {
        match &self.starts {
            Starts::Listed(list) => list.next as u64,
            _ => self.taken,
        }
    }

    /// What the size of the transfer that starts next is drawn from: the same whichever connections
    /// are free, so that all schemes see the same transfers. `None`: a list has its size, or it goes on
    /// drawing where the last one ended.
    pub(super) fn stream_of_next(&self, seed: u64, flow: u32) -> Option<Pcg32> {
        matches!(self.starts, Starts::Every(_)).then(|| of_transfer(seed, flow, self.taken))
    }

    /// Takes the start that is due off: the transfer's own application and the number of its
    /// route among those of lists, where it has them.
    pub(super) fn take_start(&mut self, now: Nanos) -> Option<(Application, u32)> {
        self.taken += 1;
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
    pub(super) fn reuse(&mut self, route: usize) -> Option<u32> {
        match self.starts {
            Starts::AfterLast => None,
            _ => self.free.get_mut(&route).and_then(Vec::pop),
        }
    }
}
