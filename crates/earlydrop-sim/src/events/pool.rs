//! A pool of list entries, shared by many lists.

use crate::prefetch::{prefetch, use_huge_pages};

/// The index of no entry.
pub(super) const NONE: u32 = u32::MAX;

/// Entries of singly linked lists. Free ones are a list, too, the last to be freed first.
#[derive(Clone, Debug)]
pub(super) struct Pool<T> {
    entries: Vec<Entry<T>>,
    free: u32,
}

/// A value in a list, or a free entry.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry<T> {
    pub(super) value: T,
    /// The index of the next entry, or [`NONE`].
    pub(super) next: u32,
}

impl<T: Copy> Pool<T> {
    pub(super) fn new() -> Pool<T> {
        Pool {
            entries: Vec::new(),
            free: NONE,
        }
    }

    /// The entry at `index`, if there is one.
    pub(super) fn get(&self, index: u32) -> Option<&Entry<T>> {
        self.entries.get(index as usize)
    }

    /// Prefetches the entry at `index`, if there is one.
    #[inline(always)]
    pub(super) fn prefetch(&self, index: u32) {
        if let Some(entry) = self.get(index) {
            prefetch(entry);
        }
    }

    #[inline]
    pub(super) fn value(&self, index: u32) -> &T {
        &self.entries[index as usize].value
    }

    #[inline]
    pub(super) fn value_mut(&mut self, index: u32) -> &mut T {
        &mut self.entries[index as usize].value
    }

    #[inline]
    pub(super) fn next(&self, index: u32) -> u32 {
        self.entries[index as usize].next
    }

    pub(super) fn set_next(&mut self, index: u32, next: u32) {
        self.entries[index as usize].next = next;
    }

    /// Adds a value before the entry `next`; returns its index.
    #[inline]
    pub(super) fn add(&mut self, value: T, next: u32) -> u32 {
        let entry = Entry { value, next };
        let index = self.free;
        if let Some(free) = self.entries.get_mut(index as usize) {
            self.free = free.next;
            *free = entry;
            return index;
        }
        if self.entries.len() == self.entries.capacity() {
            self.grow();
        }
        self.entries.push(entry);
        self.entries.len() as u32 - 1
    }

    #[cold]
    fn grow(&mut self) {
        self.entries.reserve(1);
        use_huge_pages(&self.entries);
    }

    /// Removes the entry at `index`, which is then free.
    #[inline]
    pub(super) fn take(&mut self, index: u32) -> Entry<T> {
        let entry = &mut self.entries[index as usize];
        let taken = *entry;
        entry.next = self.free;
        self.free = index;
        taken
    }

    /// The entries of a list that begins at `first`.
    pub(super) fn iter(&self, first: u32) -> impl Iterator<Item = &Entry<T>> {
        std::iter::successors(self.get(first), |before| self.get(before.next))
    }
}
