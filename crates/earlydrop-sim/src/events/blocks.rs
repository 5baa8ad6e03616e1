//! Lists of events in blocks, which share one memory: an event goes to the end of a list, and a
//! list is emptied block by block, in the order in which its events came. However many lists there
//! are, adding touches the last block of one, and emptying reads memory in order.

use crate::prefetch::{prefetch, use_huge_pages};

/// The index of no block.
const NONE: u32 = u32::MAX;

/// So many events are in a block. More would waste memory in lists of few.
const LENGTH: usize = 8;

/// The blocks of all lists. Free ones are a list, too, the last to be freed first.
#[derive(Clone, Debug)]
pub(super) struct Blocks<E> {
    blocks: Vec<Block<E>>,
    free: u32,
}

/// Events, each with its time. What a block does not hold yet is a copy of its first.
#[derive(Clone, Copy, Debug)]
struct Block<E> {
    events: [(u64, E); LENGTH],
    next: u32,
}

/// A block that was taken from a list.
pub(super) struct Taken<E> {
    events: [(u64, E); LENGTH],
    length: usize,
}

impl<E> Taken<E> {
    /// Its events, each with its time.
    pub(super) fn events(&self) -> &[(u64, E)] {
        &self.events[..self.length]
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
        Blocks {
            blocks: Vec::new(),
            free: NONE,
        }
    }

    /// Adds an event at the end of a list.
    #[inline]
    pub(super) fn append(&mut self, list: &mut List, at: u64, event: E) {
        if list.filled == LENGTH as u32 {
            let index = self.block_of((at, event));
            match list.first {
                NONE => list.first = index,
                _ => self.blocks[list.last as usize].next = index,
            }
            (list.last, list.filled) = (index, 1);
            return;
        }
        self.blocks[list.last as usize].events[list.filled as usize] = (at, event);
        list.filled += 1;
    }

    /// The index of a free block that begins with an event.
    fn block_of(&mut self, event: (u64, E)) -> u32 {
        let block = Block {
            events: [event; LENGTH],
            next: NONE,
        };
        let index = self.free;
        if let Some(free) = self.blocks.get_mut(index as usize) {
            self.free = free.next;
            *free = block;
            return index;
        }
        if self.blocks.len() == self.blocks.capacity() {
            self.grow();
        }
        self.blocks.push(block);
        self.blocks.len() as u32 - 1
    }

    #[cold]
    fn grow(&mut self) {
        self.blocks.reserve(1);
        use_huge_pages(&self.blocks);
    }

    /// Removes the first block of a list.
    #[inline]
    pub(super) fn take(&mut self, list: &mut List) -> Option<Taken<E>> {
        let index = list.first;
        let block = self.blocks.get_mut(index as usize)?;
        let next = std::mem::replace(&mut block.next, self.free);
        let events = block.events;
        self.free = index;
        if index == list.last {
            let length = list.filled as usize;
            *list = List::EMPTY;
            return Some(Taken { events, length });
        }
        list.first = next;
        if let Some(block) = self.blocks.get(next as usize) {
            prefetch(block);
        }
        let length = LENGTH;
        Some(Taken { events, length })
    }

    /// The events of a list, each with its time.
    pub(super) fn iter(&self, list: List) -> impl Iterator<Item = &(u64, E)> {
        let at = |index: u32| Some((index, self.blocks.get(index as usize)?));
        let blocks = std::iter::successors(at(list.first), move |(index, block)| {
            // What follows the last is whatever followed it in a list before.
            (*index != list.last).then(|| at(block.next)).flatten()
        });
        blocks.flat_map(move |(index, block)| {
            let length = match index == list.last {
                true => list.filled as usize,
                false => LENGTH,
            };
            &block.events[..length]
        })
    }
}
