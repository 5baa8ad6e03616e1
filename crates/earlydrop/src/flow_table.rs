//! A bounded least-recently-used table of flows, for schemes with state per flow.
//!
//! Memory is allocated once. Lookup, insertion, touch, removal and eviction of the least
//! recently used flow take constant time on average. The hash is salted, so that a sender
//! cannot make its flows collide.

use alloc::boxed::Box;
use alloc::vec;

use crate::packet::FlowKey;
use crate::random::Pcg32;

/// The largest capacity of a table: 2^20 flows.
pub(crate) const MOST_FLOWS: u32 = 1 << 20;

/// No entry: the end of a chain.
const NONE: u32 = u32::MAX;

/// The entry of a flow, valid until that flow is removed or evicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FlowSlot(u32);

#[derive(Clone, Copy, Debug)]
struct Entry<V> {
    flow: FlowKey,
    /// The next entry of the same bucket, or the next free one.
    next: u32,
    newer: u32,
    older: u32,
    value: V,
}

/// Flows and a value for each, ordered by when they were last touched.
#[derive(Clone, Debug)]
pub(crate) struct FlowTable<V> {
    /// First entry of each bucket; a power of two of them, at least one a flow.
    buckets: Box<[u32]>,
    entries: Box<[Entry<V>]>,
    salt: Option<u64>,
    flows: u32,
    newest: u32,
    oldest: u32,
    free: u32,
}

impl<V: Copy + Default> FlowTable<V> {
    /// Heap bytes a flow costs at most: its entry and up to two buckets.
    pub(crate) const BYTES_PER_FLOW: usize = size_of::<Entry<V>>() + 2 * size_of::<u32>();

    /// A table for `flows`, from one to [`MOST_FLOWS`].
    pub(crate) fn with_room_for(flows: u32) -> FlowTable<V> {
        let room = flows.clamp(1, MOST_FLOWS);
        let entry = |index| Entry {
            flow: FlowKey(0),
            next: if index + 1 < room { index + 1 } else { NONE },
            newer: NONE,
            older: NONE,
            value: V::default(),
        };
        FlowTable {
            buckets: vec![NONE; room.next_power_of_two() as usize].into(),
            entries: (0..room).map(entry).collect(),
            salt: None,
            flows: 0,
            newest: NONE,
            oldest: NONE,
            free: 0,
        }
    }

    /// Draws the salt of the hash at the first call. If a flow was inserted before, the salt
    /// stays 0.
    #[inline]
    pub(crate) fn salt_once(&mut self, random: &mut Pcg32) {
        if self.salt.is_none() {
            let high = u64::from(random.next_u32()) << 32;
            self.salt = Some(high | u64::from(random.next_u32()));
        }
    }

    /// Goes on with the flows of `old`. Where it has not as much room, it evicts those least
    /// recently used and calls `evicted` with the value of each.
    pub(crate) fn continue_from(&mut self, old: FlowTable<V>, mut evicted: impl FnMut(V)) {
        if old.entries.len() == self.entries.len() {
            *self = old;
            return;
        }
        self.salt = old.salt;
        let mut index = old.oldest;
        while index != NONE {
            let entry = &old.entries[index as usize];
            let (_, gone) = self.insert(entry.flow, entry.value);
            gone.into_iter().for_each(&mut evicted);
            index = entry.newer;
        }
    }

    /// Every value, for a change.
    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        let mut used = vec![false; self.entries.len()];
        let mut index = self.newest;
        while index != NONE {
            used[index as usize] = true;
            index = self.entries[index as usize].older;
        }
        let entries = self.entries.iter_mut().zip(used);
        entries.filter_map(|(entry, used)| used.then_some(&mut entry.value))
    }

    /// Flows in the table.
    pub(crate) fn flows(&self) -> u32 {
        self.flows
    }

    /// Whether the next insertion evicts a flow.
    pub(crate) fn is_full(&self) -> bool {
        self.free == NONE
    }

    /// The most recently used flow.
    pub(crate) fn newest(&self) -> Option<FlowSlot> {
        (self.newest != NONE).then_some(FlowSlot(self.newest))
    }

    /// The value of the flow at `slot`.
    pub(crate) fn value(&self, slot: FlowSlot) -> &V {
        &self.entries[slot.0 as usize].value
    }

    /// The value of the flow at `slot`, mutable.
    pub(crate) fn value_mut(&mut self, slot: FlowSlot) -> &mut V {
        &mut self.entries[slot.0 as usize].value
    }

    /// The entry of `flow`, if it is in the table.
    #[inline]
    pub(crate) fn find(&self, flow: FlowKey) -> Option<FlowSlot> {
        let mut index = self.buckets[self.bucket(flow)];
        while index != NONE {
            let entry = &self.entries[index as usize];
            if entry.flow == flow {
                return Some(FlowSlot(index));
            }
            index = entry.next;
        }
        None
    }

    /// Makes the flow at `slot` the most recently used.
    #[inline]
    pub(crate) fn touch(&mut self, slot: FlowSlot) {
        if self.newest != slot.0 {
            self.leave_order(slot.0);
            self.lead_order(slot.0);
        }
    }

    /// Inserts `flow`, which must not be in the table, as the most recently used. Returns its
    /// entry, and the value of the flow evicted to make room, if any.
    #[inline]
    pub(crate) fn insert(&mut self, flow: FlowKey, value: V) -> (FlowSlot, Option<V>) {
        debug_assert!(self.find(flow).is_none());
        self.salt.get_or_insert(0);
        let evicted = self.is_full().then(|| self.remove(FlowSlot(self.oldest)));
        let index = self.free;
        let bucket = self.bucket(flow);
        let entry = &mut self.entries[index as usize];
        self.free = entry.next;
        entry.flow = flow;
        entry.value = value;
        entry.next = self.buckets[bucket];
        self.buckets[bucket] = index;
        self.flows += 1;
        self.lead_order(index);
        (FlowSlot(index), evicted)
    }

    /// Removes the flow at `slot` and returns its value.
    pub(crate) fn remove(&mut self, slot: FlowSlot) -> V {
        self.leave_bucket(slot.0);
        self.leave_order(slot.0);
        let entry = &mut self.entries[slot.0 as usize];
        entry.next = self.free;
        self.free = slot.0;
        self.flows -= 1;
        entry.value
    }

    /// Heap bytes held.
    pub(crate) fn heap_bytes(&self) -> usize {
        size_of_val::<[u32]>(&self.buckets) + size_of_val::<[Entry<V>]>(&self.entries)
    }

    #[inline]
    fn bucket(&self, flow: FlowKey) -> usize {
        let hash = flow.hash(self.salt.unwrap_or(0));
        hash as usize & (self.buckets.len() - 1)
    }

    fn leave_bucket(&mut self, index: u32) {
        let Entry { flow, next, .. } = self.entries[index as usize];
        let bucket = self.bucket(flow);
        if self.buckets[bucket] == index {
            self.buckets[bucket] = next;
            return;
        }
        let mut before = self.buckets[bucket];
        while self.entries[before as usize].next != index {
            before = self.entries[before as usize].next;
        }
        self.entries[before as usize].next = next;
    }

    fn leave_order(&mut self, index: u32) {
        let Entry { newer, older, .. } = self.entries[index as usize];
        match newer {
            NONE => self.newest = older,
            newer => self.entries[newer as usize].older = older,
        }
        match older {
            NONE => self.oldest = newer,
            older => self.entries[older as usize].newer = newer,
        }
    }

    fn lead_order(&mut self, index: u32) {
        let entry = &mut self.entries[index as usize];
        entry.newer = NONE;
        entry.older = self.newest;
        match self.newest {
            NONE => self.oldest = index,
            newest => self.entries[newest as usize].newer = index,
        }
        self.newest = index;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    /// The table as a list, most recently used first.
    fn in_order(table: &FlowTable<u32>) -> Vec<(u64, u32)> {
        let mut order = Vec::new();
        let mut index = table.newest;
        let mut newer = NONE;
        while index != NONE {
            let entry = &table.entries[index as usize];
            assert_eq!(entry.newer, newer, "links agree both ways");
            order.push((entry.flow.0, entry.value));
            (newer, index) = (index, entry.older);
        }
        assert_eq!(table.oldest, newer);
        order
    }

    #[derive(Clone, Copy, Debug)]
    enum Step {
        Visit(u64),
        Remove(u64),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            3 => (0..12_u64).prop_map(Step::Visit),
            1 => (0..12_u64).prop_map(Step::Remove),
        ];
        prop::collection::vec(step, 0..200)
    }

    proptest! {
        #[test]
        fn agrees_with_a_plain_list(room in 1..10_u32, seed: u64, steps in steps()) {
            let mut table = FlowTable::with_room_for(room);
            table.salt_once(&mut Pcg32::new(seed, 0));
            let heap = table.heap_bytes();
            let mut model: Vec<(u64, u32)> = Vec::new();
            for (value, step) in (0_u32..).zip(steps) {
                let (Step::Visit(flow) | Step::Remove(flow)) = step;
                let place = model.iter().position(|(known, _)| *known == flow);
                let found = table.find(FlowKey(flow));
                prop_assert_eq!(
                    found.map(|slot| *table.value(slot)),
                    place.map(|place| model[place].1)
                );
                match (step, found, place) {
                    (Step::Visit(_), Some(slot), Some(place)) => {
                        table.touch(slot);
                        let entry = model.remove(place);
                        model.insert(0, entry);
                    }
                    (Step::Visit(_), ..) => {
                        let full = model.len() == room as usize;
                        let expected = if full { model.pop() } else { None };
                        let (_, evicted) = table.insert(FlowKey(flow), value);
                        prop_assert_eq!(evicted, expected.map(|(_, value)| value));
                        model.insert(0, (flow, value));
                    }
                    (Step::Remove(_), Some(slot), Some(place)) => {
                        prop_assert_eq!(table.remove(slot), model.remove(place).1);
                    }
                    (Step::Remove(_), ..) => {}
                }
                prop_assert_eq!(table.flows() as usize, model.len());
                prop_assert_eq!(table.is_full(), model.len() == room as usize);
                prop_assert_eq!(&in_order(&table), &model);
            }
            prop_assert_eq!(table.heap_bytes(), heap);
            prop_assert!(heap <= room as usize * FlowTable::<u32>::BYTES_PER_FLOW);
        }
    }

    #[test]
    fn the_salt_is_drawn_once() {
        let mut random = Pcg32::new(1, 0);
        let mut table = FlowTable::<u32>::with_room_for(8);
        table.salt_once(&mut random);
        let (drawn, salt) = (random.clone(), table.salt);
        table.salt_once(&mut random);
        assert_eq!((&random, table.salt), (&drawn, salt));
        let mut other = FlowTable::<u32>::with_room_for(8);
        other.salt_once(&mut Pcg32::new(2, 0));
        assert_ne!(other.salt, salt);
        let mut unsalted = FlowTable::<u32>::with_room_for(8);
        unsalted.insert(FlowKey(1), 1);
        unsalted.salt_once(&mut random);
        assert!(unsalted.find(FlowKey(1)).is_some());
    }

    #[test]
    fn a_table_always_has_room_for_one_and_never_for_too_many() {
        assert_eq!(FlowTable::<u32>::with_room_for(0).entries.len(), 1);
        let most = FlowTable::<u32>::with_room_for(u32::MAX);
        assert_eq!(most.entries.len(), MOST_FLOWS as usize);
    }
}
