//! Lists of events in blocks, which share one memory: an event goes to the end of a list, and a
//! list is emptied block by block, in the order in which its events came. However many lists there
//! are, adding touches the last block of one, and emptying reads memory in order.

use super::pool::{NONE, Pool};

/// So many events are in a block. More would waste memory in lists of few.
const LENGTH: usize = 8;

/// Events, each with its time. What a block does not hold yet is a copy of its first.
type Block<E> = [(u64, E); LENGTH];

/// The blocks of all lists.
#[derive(Clone, Debug)]
pub(super) struct Blocks<E> {
    pool: Pool<Block<E>>,
}

/// A block that was taken from a list.
pub(super) struct Taken<E> {
    block: Block<E>,
    length: usize,
}

impl<E> Taken<E> {
    /// Its events, each with its time.
    pub(super) fn events(&self) -> &[(u64, E)] {
        &self.block[..self.length]
    }
}

/// The first and the last block of a list, and how many events the last one has. The last of an
/// empty list counts as full.
#[derive(Clone, Copy, Debug)]
pub(super) struct List {
    first: u32,
    last: u32,
    filled: u32,
}

impl List {
    pub(super) const EMPTY: List = List {
        first: NONE,
        last: NONE,
        filled: LENGTH as u32,
    };

    pub(super) fn is_empty(self) -> bool {
        self.first == NONE
    }
}

impl<E: Copy> Blocks<E> {
    pub(super) fn new() -> Blocks<E> {
        let pool = Pool::new();
        Blocks { pool }
    }

    /// Adds an event at the end of a list.
    #[inline]
    pub(super) fn append(&mut self, list: &mut List, at: u64, event: E) {
        if list.filled == LENGTH as u32 {
            let index = self.pool.add([(at, event); LENGTH], NONE);
            match list.first {
                NONE => list.first = index,
                _ => self.pool.set_next(list.last, index),
            }
            (list.last, list.filled) = (index, 1);
            return;
        }
        self.pool.value_mut(list.last)[list.filled as usize] = (at, event);
        list.filled += 1;
    }

    /// Removes the first block of a list.
    #[inline]
    pub(super) fn take(&mut self, list: &mut List) -> Option<Taken<E>> {
        if list.is_empty() {
            return None;
        }
        let entry = self.pool.take(list.first);
        let (block, mut length) = (entry.value, LENGTH);
        list.first = entry.next;
        self.pool.prefetch(list.first);
        if list.is_empty() {
            length = list.filled as usize;
            *list = List::EMPTY;
        }
        Some(Taken { block, length })
    }

    /// The events of a list, each with its time.
    pub(super) fn iter(&self, list: List) -> impl Iterator<Item = &(u64, E)> {
        self.pool.iter(list.first).flat_map(move |entry| {
            let length = match entry.next {
                NONE => list.filled as usize,
                _ => LENGTH,
            };
            &entry.value[..length]
        })
    }
}
