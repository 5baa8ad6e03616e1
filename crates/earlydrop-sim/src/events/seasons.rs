//! Events beyond the calendar's year, sorted only by season.
//!
//! When a season begins to lie within the year, its events move to the calendar together, in the
//! order in which they were pushed. Events more than 256 seasons ahead wait in a
//! [radix heap](RadixHeap) before.

use earlydrop::units::Nanos;

use super::pool::{List, NONE, Pool};
use super::radix::RadixHeap;

/// The number of seasons that have a list.
const SEASONS: usize = 256;

/// Events beyond the year, each with its time. The entries of their lists are in a [`Pool`].
#[derive(Clone, Debug)]
pub(super) struct Seasons<E> {
    /// A season lasts 2^this nanoseconds.
    bits: u32,
    /// The first season that is not yet in the calendar.
    next: u64,
    /// The lists of that season and those after it, each at its number modulo [`SEASONS`].
    lists: Box<[List; SEASONS]>,
    far: RadixHeap<E>,
    /// A lower bound on the times in `far`.
    far_from: u64,
}

impl<E: Copy> Seasons<E> {
    /// No events; seasons of 2^`bits` nanoseconds, from number `next` on.
    pub(super) fn new(bits: u32, next: u64) -> Seasons<E> {
        Seasons {
            bits,
            next,
            lists: Box::new([List::EMPTY; SEASONS]),
            far: RadixHeap::new(),
            far_from: u64::MAX,
        }
    }

    /// Whether an event at `at` lies beyond the year.
    #[inline(always)]
    pub(super) fn contain(&self, at: u64) -> bool {
        at >> self.bits >= self.next
    }

    /// Adds an event that lies beyond the year.
    pub(super) fn push(&mut self, pool: &mut Pool<E>, at: u64, event: E) {
        let season = at >> self.bits;
        if season - self.next >= SEASONS as u64 {
            self.far_from = self.far_from.min(at);
            return self.far.push(Nanos(at), event);
        }
        pool.append(&mut self.lists[season as usize % SEASONS], at, event);
    }

    fn first_listed(&self, pool: &Pool<E>) -> Option<u64> {
        let seasons = self.next..self.next + SEASONS as u64;
        let mut lists = seasons.map(|season| self.lists[season as usize % SEASONS].first);
        let first = lists.find(|first| *first != NONE)?;
        pool.iter(first).map(|entry| entry.at).min()
    }

    /// The time of the first event, [`u64::MAX`] if there is none.
    pub(super) fn first(&self, pool: &Pool<E>) -> u64 {
        let listed = self.first_listed(pool);
        let first = listed.or_else(|| self.far.first().map(|at| at.0));
        first.unwrap_or(u64::MAX)
    }

    /// Skips to the season of the [first](Seasons::first) event, if no season before has any.
    pub(super) fn skip_to(&mut self, pool: &mut Pool<E>, first: u64) {
        if self.first_listed(pool).is_none() {
            self.next = self.next.max(first >> self.bits);
            self.bring_near(pool);
        }
    }

    /// Removes the events of the next season, if its number is below `end`.
    pub(super) fn take_next(&mut self, pool: &mut Pool<E>, end: u64) -> Option<List> {
        if self.next >= end {
            return None;
        }
        let list = &mut self.lists[self.next as usize % SEASONS];
        let taken = std::mem::replace(list, List::EMPTY);
        self.next += 1;
        self.bring_near(pool);
        Some(taken)
    }

    /// Moves events from the radix heap to the lists that now cover them.
    fn bring_near(&mut self, pool: &mut Pool<E>) {
        let last = (self.next + SEASONS as u64 - 1).min(u64::MAX >> self.bits);
        let end = last << self.bits | ((1 << self.bits) - 1);
        if self.far_from > end {
            return;
        }
        while let Some((at, event)) = self.far.pop_until(Nanos(end)) {
            self.push(pool, at.0, event);
        }
        self.far_from = self.far.first().map_or(u64::MAX, |at| at.0);
    }

    /// All events, in no order.
    pub(super) fn iter<'a>(&'a self, pool: &'a Pool<E>) -> impl Iterator<Item = &'a E> {
        let listed = self.lists.iter().flat_map(|list| pool.iter(list.first));
        listed.map(|entry| &entry.event).chain(self.far.iter())
    }
}
