//! Lists of events that share their places.

use crate::prefetch;

/// No place.
pub(super) const NONE: u32 = u32::MAX;

/// Places for events; those that are free are linked, the last to be freed first.
#[derive(Clone, Debug)]
pub(super) struct Pool<E> {
    entries: Vec<Entry<E>>,
    free: u32,
}

/// An event in a list, or a place that is free.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry<E> {
    pub(super) at: u64,
    /// The place of the one after it, or [`NONE`].
    pub(super) next: u32,
    pub(super) event: E,
}

/// A list's first and last place; where the first is [`NONE`], the last means nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct List {
    pub(super) first: u32,
    last: u32,
}

impl List {
    pub(super) const EMPTY: List = List {
        first: NONE,
        last: NONE,
    };
}

impl<E: Copy> Pool<E> {
    pub(super) fn new() -> Pool<E> {
        Pool {
            entries: Vec::new(),
            free: NONE,
        }
    }

    /// The event at a place, if there is one.
    pub(super) fn get(&self, place: u32) -> Option<&Entry<E>> {
        self.entries.get(place as usize)
    }

    /// Asks the caches for the event at a place, if there is one.
    #[inline(always)]
    pub(super) fn fetch(&self, place: u32) {
        if let Some(entry) = self.get(place) {
            prefetch::prefetch(entry);
        }
    }

    #[inline]
    pub(super) fn at(&self, place: u32) -> u64 {
        self.entries[place as usize].at
    }

    #[inline]
    pub(super) fn next(&self, place: u32) -> u32 {
        self.entries[place as usize].next
    }

    pub(super) fn set_next(&mut self, place: u32, next: u32) {
        self.entries[place as usize].next = next;
    }

    /// Gives an event a place, before the one at `next`.
    #[inline]
    pub(super) fn add(&mut self, at: u64, event: E, next: u32) -> u32 {
        let entry = Entry { at, next, event };
        let index = self.free;
        if let Some(place) = self.entries.get_mut(index as usize) {
            self.free = place.next;
            *place = entry;
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
        prefetch::use_huge_pages(&self.entries);
    }

    /// Takes an event, whose place is then free.
    #[inline]
    pub(super) fn take(&mut self, place: u32) -> Entry<E> {
        let entry = &mut self.entries[place as usize];
        let taken = *entry;
        entry.next = self.free;
        self.free = place;
        taken
    }

    /// Adds an event at the end of a list.
    pub(super) fn append(&mut self, list: &mut List, at: u64, event: E) {
        let place = self.add(at, event, NONE);
        match list.first {
            NONE => list.first = place,
            _ => self.set_next(list.last, place),
        }
        list.last = place;
    }

    /// A list's events.
    pub(super) fn iter(&self, first: u32) -> impl Iterator<Item = &Entry<E>> {
        std::iter::successors(self.get(first), |before| self.get(before.next))
    }
}
