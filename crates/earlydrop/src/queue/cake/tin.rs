//! A tin: the sub-queues of one traffic class, the hosts of their flows, and whose turn it is.

use alloc::boxed::Box;

use super::params::Isolation;
use crate::queue::pool::Chain;
use crate::units::Nanos;

const NONE: u32 = u32::MAX;
/// Sub-queues that have just become active.
pub(super) const NEW: usize = 0;
/// Sub-queues that have used up a turn.
pub(super) const OLD: usize = 1;
/// Empty sub-queues whose scheme has yet to come to rest.
pub(super) const DECAYING: usize = 2;
const UNLISTED: usize = 3;

/// What a sub-queue counts as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Set {
    /// In no list.
    Idle,
    /// It has not used up a turn since it became active.
    Sparse,
    /// As `Sparse`, but empty when its turn was used up.
    SparseWaiting,
    /// It has used up a turn.
    Bulk,
    /// Empty, in a list until its scheme is at rest.
    Decaying,
}

/// A sub-queue.
#[derive(Clone, Debug)]
pub(super) struct Flow<A> {
    pub(super) aqm: A,
    pub(super) chain: Chain,
    /// Bytes it may still send this turn, as the link counts them.
    pub(super) deficit: i64,
    pub(super) set: Set,
    list: usize,
    previous: u32,
    next: u32,
    /// The hash of the flow it was last reserved for.
    tag: u32,
    source: u32,
    destination: u32,
}

impl<A> Flow<A> {
    pub(super) fn new(aqm: A) -> Flow<A> {
        Flow {
            aqm,
            chain: Chain::EMPTY,
            deficit: 0,
            set: Set::Idle,
            list: UNLISTED,
            previous: NONE,
            next: NONE,
            tag: 0,
            source: 0,
            destination: 0,
        }
    }

    /// The same place under another scheme.
    pub(super) fn map<B>(&self, aqm: impl Fn(&A) -> B) -> Flow<B> {
        Flow {
            aqm: aqm(&self.aqm),
            chain: self.chain.clone(),
            deficit: self.deficit,
            set: self.set,
            list: self.list,
            previous: self.previous,
            next: self.next,
            tag: self.tag,
            source: self.source,
            destination: self.destination,
        }
    }
}

/// A host: the hash it is known by, and its bulk flows.
#[derive(Clone, Copy, Debug, Default)]
struct Host {
    tag: u32,
    bulk: u32,
}

/// A packet's hashes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hashes {
    pub(super) flow: u32,
    pub(super) source: u32,
    pub(super) destination: u32,
}

/// One tin.
#[derive(Clone, Debug)]
pub(super) struct Tin<A> {
    pub(super) flows: Box<[Flow<A>]>,
    sources: Box<[Host]>,
    destinations: Box<[Host]>,
    /// Head and tail of each list.
    lists: [(u32, u32); 3],
    /// Sub-queues that count as sparse.
    pub(super) sparse: u32,
    /// Sub-queues that count as bulk.
    pub(super) bulk: u32,
    /// Bytes that wait.
    pub(super) bytes: u64,
    /// Bytes a second; 0 in unlimited mode.
    pub(super) rate: u64,
    /// Bytes of a turn of a flow on its own.
    pub(super) quantum: u32,
    /// Bytes of a turn of the tin in unlimited mode.
    pub(super) weight: i64,
    pub(super) deficit: i64,
    /// Until when the tin has used up its rate.
    pub(super) next_at: Nanos,
}

impl<A> Tin<A> {
    pub(super) fn new(flows: Box<[Flow<A>]>) -> Tin<A> {
        let hosts = || flows.iter().map(|_| Host::default()).collect();
        Tin {
            sources: hosts(),
            destinations: hosts(),
            lists: [(NONE, NONE); 3],
            sparse: 0,
            bulk: 0,
            bytes: 0,
            rate: 0,
            quantum: 1514,
            weight: 0,
            deficit: 0,
            next_at: Nanos::ZERO,
            flows,
        }
    }

    /// The same tin under other schemes.
    pub(super) fn map<B>(&self, aqm: impl Fn(&A) -> B) -> Tin<B> {
        Tin {
            flows: self.flows.iter().map(|flow| flow.map(&aqm)).collect(),
            sources: self.sources.clone(),
            destinations: self.destinations.clone(),
            lists: self.lists,
            sparse: self.sparse,
            bulk: self.bulk,
            bytes: self.bytes,
            rate: self.rate,
            quantum: self.quantum,
            weight: self.weight,
            deficit: self.deficit,
            next_at: self.next_at,
        }
    }

    /// Heap bytes, without those of schemes.
    pub(super) fn heap_bytes(&self) -> usize {
        size_of_val::<[Flow<A>]>(&self.flows)
            + size_of_val::<[Host]>(&self.sources)
            + size_of_val::<[Host]>(&self.destinations)
    }

    /// Whether a sub-queue counts as sparse or bulk.
    pub(super) fn is_active(&self) -> bool {
        self.sparse + self.bulk > 0
    }

    pub(super) fn flow(&mut self, index: u32) -> &mut Flow<A> {
        &mut self.flows[index as usize]
    }

    /// Every listed sub-queue.
    pub(super) fn listed(&self) -> impl Iterator<Item = u32> + '_ {
        let known = |index: u32| (index != NONE).then_some(index);
        self.lists.iter().flat_map(move |(head, _)| {
            core::iter::successors(known(*head), move |index| {
                known(self.flows[*index as usize].next)
            })
        })
    }

    /// The sub-queue whose turn it is; a decaying one only if it is the `first` to be asked.
    pub(super) fn next(&self, first: bool) -> Option<u32> {
        let order = match first {
            true => [DECAYING, NEW, OLD],
            false => [NEW, OLD, DECAYING],
        };
        let heads = order.into_iter().map(|list| self.lists[list].0);
        heads.into_iter().find(|head| *head != NONE)
    }

    fn unlink(&mut self, index: u32) {
        let Flow {
            list,
            previous,
            next,
            ..
        } = *self.flow(index);
        if list == UNLISTED {
            return;
        }
        match self.flows.get_mut(previous as usize) {
            Some(flow) => flow.next = next,
            None => self.lists[list].0 = next,
        }
        match self.flows.get_mut(next as usize) {
            Some(flow) => flow.previous = previous,
            None => self.lists[list].1 = previous,
        }
        self.flow(index).list = UNLISTED;
    }

    /// Moves a sub-queue to the end of a list.
    fn move_to(&mut self, index: u32, list: usize) {
        self.unlink(index);
        let tail = self.lists[list].1;
        let flow = self.flow(index);
        (flow.list, flow.previous, flow.next) = (list, tail, NONE);
        match self.flows.get_mut(tail as usize) {
            Some(last) => last.next = index,
            None => self.lists[list].0 = index,
        }
        self.lists[list].1 = index;
    }

    /// Counts the flow of a sub-queue as one more, or one less, bulk flow of its hosts.
    fn count_hosts(&mut self, index: u32, isolation: Isolation, more: bool) {
        let step = |host: &mut Host| match more {
            true => host.bulk += 1,
            false => host.bulk = host.bulk.saturating_sub(1),
        };
        let Flow {
            source,
            destination,
            ..
        } = *self.flow(index);
        if isolation.flows && isolation.sources {
            step(&mut self.sources[source as usize]);
        }
        if isolation.flows && isolation.destinations {
            step(&mut self.destinations[destination as usize]);
        }
    }

    /// Bulk flows of the busier of a sub-queue's hosts, at least 1.
    pub(super) fn host_load(&self, index: u32, isolation: Isolation) -> u32 {
        let flow = &self.flows[index as usize];
        let mut load = 1;
        if isolation.flows && isolation.sources {
            load = load.max(self.sources[flow.source as usize].bulk);
        }
        if isolation.flows && isolation.destinations {
            load = load.max(self.destinations[flow.destination as usize].bulk);
        }
        load
    }

    /// The sub-queue for a packet, which it reserves (`cake_hash`): the one reserved for the flow
    /// already, an idle one of its set, or one that it shares.
    pub(super) fn reserve(&mut self, hashes: Hashes, isolation: Isolation, ways: u32) -> u32 {
        let direct = hashes.flow % self.flows.len() as u32;
        let flow = self.flow(direct);
        if flow.tag == hashes.flow && flow.set != Set::Idle {
            return direct;
        }
        let place = |way: u32| direct - direct % ways + (direct % ways + way) % ways;
        let find = |wanted: &dyn Fn(&Flow<A>) -> bool| {
            (0..ways)
                .map(place)
                .find(|index| wanted(&self.flows[*index as usize]))
        };
        let found =
            find(&|flow| flow.tag == hashes.flow).or_else(|| find(&|flow| flow.set == Set::Idle));
        let index = found.unwrap_or(direct);
        let is_new = found.is_none() || self.flow(index).set == Set::Idle;
        let is_bulk = self.flow(index).set == Set::Bulk;
        if found.is_none() && is_bulk {
            self.count_hosts(index, isolation, false);
        }
        self.flow(index).tag = hashes.flow;
        if is_new {
            let (source, destination) = (
                host_place(&mut self.sources, hashes.source, ways),
                host_place(&mut self.destinations, hashes.destination, ways),
            );
            let flow = self.flow(index);
            (flow.source, flow.destination) = (source, destination);
            if is_bulk {
                self.count_hosts(index, isolation, true);
            }
        }
        index
    }

    /// A packet has joined a sub-queue. Returns whether the sub-queue begins its first turn.
    pub(super) fn activate(&mut self, index: u32, isolation: Isolation) -> bool {
        match self.flow(index).set {
            Set::Idle | Set::Decaying => {
                self.move_to(index, NEW);
                self.flow(index).set = Set::Sparse;
                self.sparse += 1;
                true
            }
            Set::SparseWaiting => {
                self.flow(index).set = Set::Bulk;
                self.sparse -= 1;
                self.bulk += 1;
                self.count_hosts(index, isolation, true);
                false
            }
            Set::Sparse | Set::Bulk => false,
        }
    }

    /// A sub-queue has used up its turn; it moves to the end of the old ones.
    pub(super) fn end_turn(&mut self, index: u32, isolation: Isolation) {
        let flow = self.flow(index);
        if flow.set == Set::Sparse {
            if flow.chain.packets() > 0 {
                flow.set = Set::Bulk;
                self.sparse -= 1;
                self.bulk += 1;
                self.count_hosts(index, isolation, true);
            } else {
                flow.set = Set::SparseWaiting;
            }
        }
        self.move_to(index, OLD);
    }

    /// A sub-queue was found empty: it decays until its scheme is at rest, then leaves the lists.
    pub(super) fn retire(&mut self, index: u32, isolation: Isolation, is_at_rest: bool) {
        match self.flow(index).set {
            Set::Sparse | Set::SparseWaiting => self.sparse -= 1,
            Set::Bulk => {
                self.bulk -= 1;
                self.count_hosts(index, isolation, false);
            }
            Set::Idle | Set::Decaying => {}
        }
        if is_at_rest {
            self.unlink(index);
            self.flow(index).set = Set::Idle;
        } else {
            self.move_to(index, DECAYING);
            self.flow(index).set = Set::Decaying;
        }
    }
}

/// The place of a host in its set: the one it has, else one without bulk flows, else one it
/// shares.
fn host_place(hosts: &mut [Host], tag: u32, ways: u32) -> u32 {
    let direct = tag % hosts.len() as u32;
    let place = |way: u32| (direct - direct % ways + (direct % ways + way) % ways) as usize;
    let places = || (0..ways).map(place);
    let found = places()
        .find(|index| hosts[*index].tag == tag)
        .or_else(|| places().find(|index| hosts[*index].bulk == 0));
    let index = found.unwrap_or(direct as usize);
    hosts[index].tag = tag;
    index as u32
}
