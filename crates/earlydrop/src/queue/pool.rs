//! Packets of many queues in one block of memory.

use alloc::vec::Vec;
use core::mem;

use crate::aqm::{Backlog, Slot};
use crate::packet::{FlowKey, Packet, PacketInfo};
use crate::queue::Limit;
use crate::random::Pcg32;
use crate::units::Nanos;

/// No node: the end of a chain.
const NONE: u32 = u32::MAX;

#[derive(Clone, Debug)]
struct Node<P> {
    packet: Option<P>,
    arrived: Nanos,
    /// The next node of the same chain, or of the free ones.
    next: u32,
}

/// The nodes, each in one chain or free.
#[derive(Debug)]
pub(crate) struct Pool<P> {
    /// The nodes that have held a packet.
    nodes: Vec<Node<P>>,
    free: u32,
    /// Whether memory is allocated as packets come, and not for all from the start.
    grows: bool,
}

/// One first-in first-out queue in a pool. Use it only with the pool that filled it.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    head: u32,
    tail: u32,
    packets: u32,
    bytes: u64,
}

impl Chain {
    /// An empty chain.
    pub(crate) const EMPTY: Chain = Chain {
        head: NONE,
        tail: NONE,
        packets: 0,
        bytes: 0,
    };

    /// Packets in the chain.
    pub(crate) fn packets(&self) -> u32 {
        self.packets
    }

    /// Bytes in the chain.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The slot of the youngest packet.
    pub(crate) fn tail(&self) -> Option<Slot> {
        (self.tail != NONE).then_some(Slot(self.tail))
    }

    /// The slot of the oldest packet.
    pub(crate) fn head(&self) -> Option<Slot> {
        (self.head != NONE).then_some(Slot(self.head))
    }
}

impl<P: Clone> Clone for Pool<P> {
    fn clone(&self) -> Pool<P> {
        self.with_nodes(Node::clone)
    }
}

impl<P> Pool<P> {
    /// A copy of what `of` makes of each node, with as much memory reserved.
    fn with_nodes<Q>(&self, of: impl Fn(&Node<P>) -> Node<Q>) -> Pool<Q> {
        let mut nodes = Vec::with_capacity(self.nodes.capacity());
        nodes.extend(self.nodes.iter().map(of));
        Pool {
            nodes,
            free: self.free,
            grows: self.grows,
        }
    }
}

impl<P: Packet> Pool<P> {
    /// Allocates room for the packets that `limit` allows in all chains together, or for none yet.
    pub(crate) fn of(limit: Limit) -> Pool<P> {
        let mut pool = Pool {
            nodes: Vec::new(),
            free: NONE,
            grows: limit.grows,
        };
        pool.resize(limit);
        pool
    }

    /// Makes room for the packets that `limit` allows if there is less, and for one more: a queue
    /// may make room after a packet has joined.
    pub(crate) fn resize(&mut self, limit: Limit) {
        if !self.grows {
            let room = limit.packets as usize + 1;
            let more = room.saturating_sub(self.nodes.len());
            self.nodes.reserve_exact(more);
        }
    }

    /// A copy that holds what `map` makes of each packet, in the same slot.
    pub(crate) fn map<Q>(&self, map: impl Fn(&P) -> Q) -> Pool<Q> {
        self.with_nodes(|node| Node {
            packet: node.packet.as_ref().map(&map),
            arrived: node.arrived,
            next: node.next,
        })
    }

    /// The packets of `chain` from its head on.
    pub(crate) fn infos<'a>(&'a self, chain: &Chain) -> impl Iterator<Item = PacketInfo> + 'a {
        let node = |index: u32| self.nodes.get(index as usize);
        let nodes = core::iter::successors(node(chain.head), move |last| node(last.next));
        nodes.filter_map(|node| Some(PacketInfo::of(node.packet.as_ref()?, node.arrived)))
    }

    /// The slots and packets of `chain` from its head on.
    pub(crate) fn packets<'a>(&'a self, chain: &Chain) -> impl Iterator<Item = (Slot, &'a P)> {
        let next = |index: u32| (index != NONE).then_some(index);
        let indices = core::iter::successors(next(chain.head), move |index| {
            next(self.nodes.get(*index as usize)?.next)
        });
        let packet = |index: u32| self.nodes.get(index as usize)?.packet.as_ref();
        indices.filter_map(move |index| Some((Slot(index), packet(index)?)))
    }

    /// Appends `packet` to `chain`. The caller never exceeds the limit by more than this packet.
    pub(crate) fn push(&mut self, chain: &mut Chain, packet: P, arrived: Nanos) -> Slot {
        chain.packets += 1;
        chain.bytes += u64::from(packet.size());
        let joined = Node {
            packet: Some(packet),
            arrived,
            next: NONE,
        };
        let mut index = self.free;
        match self.nodes.get_mut(index as usize) {
            Some(node) => self.free = mem::replace(node, joined).next,
            None => {
                debug_assert!(self.grows || self.nodes.len() < self.nodes.capacity());
                index = self.nodes.len() as u32;
                self.nodes.push(joined);
            }
        }
        if chain.tail == NONE {
            chain.head = index;
        } else {
            self.nodes[chain.tail as usize].next = index;
        }
        chain.tail = index;
        Slot(index)
    }

    /// Puts `packet` before the oldest of `chain`, as [`push`](Pool::push) does behind the youngest.
    pub(crate) fn push_front(&mut self, chain: &mut Chain, packet: P, arrived: Nanos) {
        let mut rest = mem::replace(chain, Chain::EMPTY);
        let first = self.push(chain, packet, arrived);
        if rest.packets > 0 {
            self.nodes[first.0 as usize].next = rest.head;
            rest.head = first.0;
            rest.packets += chain.packets;
            rest.bytes += chain.bytes;
            *chain = rest;
        }
    }

    /// The size of the oldest packet of `chain`, in bytes.
    pub(crate) fn head_size(&self, chain: &Chain) -> Option<u32> {
        let head = self.nodes.get(chain.head as usize)?;
        head.packet.as_ref().map(Packet::size)
    }

    /// Puts the packets of `other` behind those of `chain`.
    pub(crate) fn append(&mut self, chain: &mut Chain, other: Chain) {
        match self.nodes.get_mut(chain.tail as usize) {
            None => *chain = other,
            Some(_) if other.tail == NONE => {}
            Some(last) => {
                last.next = other.head;
                chain.tail = other.tail;
                chain.packets += other.packets;
                chain.bytes += other.bytes;
            }
        }
    }

    /// Removes the oldest packet of `chain`; returns it with its arrival time.
    pub(crate) fn pop(&mut self, chain: &mut Chain) -> Option<(P, Nanos)> {
        self.unlink(chain, NONE, chain.head)
    }

    /// Removes the packet in `slot` of `chain`. Walks the chain up to it.
    pub(crate) fn remove(&mut self, chain: &mut Chain, slot: Slot) -> Option<(P, Nanos)> {
        let (mut before, mut index) = (NONE, chain.head);
        while index != NONE && index != slot.0 {
            before = index;
            index = self.nodes[index as usize].next;
        }
        self.unlink(chain, before, index)
    }

    /// Removes node `index` from `chain`, where it follows node `before`.
    fn unlink(&mut self, chain: &mut Chain, before: u32, index: u32) -> Option<(P, Nanos)> {
        let node = self.nodes.get_mut(index as usize)?;
        let packet = node.packet.take()?;
        let (arrived, next) = (node.arrived, node.next);
        node.next = self.free;
        self.free = index;
        match self.nodes.get_mut(before as usize) {
            Some(before) => before.next = next,
            None => chain.head = next,
        }
        if next == NONE {
            chain.tail = before;
        }
        chain.packets -= 1;
        chain.bytes -= u64::from(packet.size());
        Some((packet, arrived))
    }

    /// `chain` as its scheme sees it.
    pub(crate) fn view<'a>(&'a self, chain: &'a Chain) -> View<'a, P> {
        View {
            pool: self,
            chain,
            bytes: chain.bytes,
        }
    }

    /// Heap bytes of the nodes.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node<P>>()
    }
}

/// One chain and the pool it is in.
pub(crate) struct View<'a, P> {
    pool: &'a Pool<P>,
    chain: &'a Chain,
    bytes: u64,
}

impl<P> View<'_, P> {
    /// The same with another number of bytes.
    pub(crate) fn with_bytes(self, bytes: u64) -> Self {
        View { bytes, ..self }
    }
}

impl<P: Packet> Backlog for View<'_, P> {
    #[inline]
    fn packets(&self) -> u32 {
        self.chain.packets
    }

    #[inline]
    fn bytes(&self) -> u64 {
        self.bytes
    }

    #[inline]
    fn head_arrival(&self) -> Option<Nanos> {
        let head = self.pool.nodes.get(self.chain.head as usize);
        head.map(|node| node.arrived)
    }

    /// Walks to the packet drawn: half the chain on average.
    fn draw(&self, random: &mut Pcg32) -> Option<(Slot, FlowKey)> {
        let mut index = self.chain.head;
        for _ in 0..random.below(self.chain.packets) {
            index = self.pool.nodes[index as usize].next;
        }
        let packet = self.pool.nodes.get(index as usize)?.packet.as_ref()?;
        Some((Slot(index), packet.flow()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{TestPacket, packet};
    use alloc::collections::VecDeque;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    const CHAINS: usize = 3;
    const ROOM: u32 = 8;

    #[derive(Clone, Debug)]
    enum Step {
        Push(usize, u32),
        Pop(usize),
        Remove(usize, usize),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            3 => (0..CHAINS, 1..2000_u32).prop_map(|(chain, size)| Step::Push(chain, size)),
            2 => (0..CHAINS).prop_map(Step::Pop),
            1 => (0..CHAINS, 0..8_usize).prop_map(|(chain, nth)| Step::Remove(chain, nth)),
        ];
        prop::collection::vec(step, 1..200)
    }

    /// The slot of the `nth` packet of a chain.
    fn slot(pool: &Pool<TestPacket>, chain: &Chain, nth: usize) -> Slot {
        let next = |index: &u32| Some(pool.nodes[*index as usize].next);
        Slot(
            core::iter::successors(Some(chain.head), next)
                .nth(nth)
                .unwrap(),
        )
    }

    fn free_nodes(pool: &Pool<TestPacket>) -> u32 {
        let next = |index: u32| (index != NONE).then_some(index);
        let free = core::iter::successors(next(pool.free), |index| {
            next(pool.nodes[*index as usize].next)
        });
        free.take(ROOM as usize + 1).count() as u32
    }

    proptest! {
        #[test]
        fn never_leaks_a_node_and_keeps_order(steps in steps(), grows in any::<bool>()) {
            let limit = Limit { grows, ..Limit::packets(ROOM) };
            let mut pool = Pool::of(limit);
            let mut chains = [const { Chain::EMPTY }; CHAINS];
            let mut models: [VecDeque<(u64, u32)>; CHAINS] = Default::default();
            let (mut waiting, mut most) = (0, 0);
            for (number, step) in (0..).zip(steps) {
                match step {
                    Step::Push(to, size) if waiting < ROOM => {
                        let packet = TestPacket { size, ..packet(number) };
                        pool.push(&mut chains[to], packet, Nanos(number));
                        models[to].push_back((number, size));
                    }
                    Step::Pop(from) => {
                        let got = pool.pop(&mut chains[from]).map(|(packet, _)| packet.flow);
                        prop_assert_eq!(got, models[from].pop_front().map(|(number, _)| number));
                    }
                    Step::Remove(from, nth) if nth < models[from].len() => {
                        let slot = slot(&pool, &chains[from], nth);
                        let got = pool.remove(&mut chains[from], slot).unwrap();
                        let (number, _) = models[from].remove(nth).unwrap();
                        prop_assert_eq!((got.0.flow, got.1), (number, Nanos(number)));
                    }
                    _ => {}
                }
                waiting = chains.iter().map(Chain::packets).sum();
                most = most.max(waiting);
                prop_assert_eq!(free_nodes(&pool) + waiting, most);
                prop_assert!(grows || pool.nodes.capacity() == ROOM as usize + 1);
                for (chain, model) in chains.iter().zip(&models) {
                    let bytes: u64 = model.iter().map(|(_, size)| u64::from(*size)).sum();
                    prop_assert_eq!(chain.bytes(), bytes);
                    prop_assert_eq!(chain.packets() as usize, model.len());
                    let head = pool.view(chain).head_arrival();
                    prop_assert_eq!(head, model.front().map(|(number, _)| Nanos(*number)));
                }
            }
        }
    }

    #[test]
    fn draws_each_packet_equally_often() {
        let mut pool = Pool::of(Limit::packets(4));
        let mut chain = Chain::EMPTY;
        let mut random = Pcg32::new(1, 1);
        assert_eq!(pool.view(&chain).draw(&mut random), None);
        for flow in 0..4 {
            pool.push(&mut chain, packet(flow), Nanos::ZERO);
        }
        let mut seen = [0_u32; 4];
        for _ in 0..4000 {
            let (_, flow) = pool.view(&chain).draw(&mut random).unwrap();
            seen[flow.0 as usize] += 1;
        }
        // Binomial(4000, 1/4) has a deviation of 27.4; five of them fail by chance
        // less than once in a million.
        assert!(
            seen.iter().all(|count| count.abs_diff(1000) < 137),
            "{seen:?}"
        );
    }
}
