//! Events beyond the calendar's year, sorted only by season.
//!
//! When a season begins to lie within the year, its events move to the calendar together, in the
//! order in which they were pushed. Events more seasons ahead than there are lists wait in a
//! [radix heap](RadixHeap) before.

use earlydrop::units::Nanos;

use super::blocks::{Blocks, List, Taken};
use super::radix::RadixHeap;

/// The least and the greatest number of seasons that have a list.
const LISTS: (usize, usize) = (256, 1024);

/// Events beyond the year, each with its time.
#[derive(Clone, Debug)]
pub(super) struct Seasons<E> {
    /// A season lasts 2^this nanoseconds.
    bits: u32,
    /// The first season that is not yet in the calendar.
    next: u64,
    /// The lists of that season and those after it, each at its number modulo how many there are,
    /// a power of two.
    lists: Box<[List]>,
    blocks: Blocks<E>,
    /// The number of events in the lists.
    listed: usize,
    far: RadixHeap<E>,
    /// A lower bound on the times in `far`.
    far_from: u64,
}

impl<E: Copy> Seasons<E> {
    /// No events; seasons of 2^`bits` nanoseconds, from number `next` on, beyond a year of so many
    /// days.
    pub(super) fn new(bits: u32, next: u64, days: usize) -> Seasons<E> {
        Seasons {
            bits,
            next,
            lists: vec![List::EMPTY; days.clamp(LISTS.0, LISTS.1)].into(),
            blocks: Blocks::new(),
            listed: 0,
            far: RadixHeap::new(),
            far_from: u64::MAX,
        }
    }

    /// Whether an event at `at` lies beyond the year.
    #[inline(always)]
    pub(super) fn contain(&self, at: u64) -> bool {
        at >> self.bits >= self.next
    }

    /// The number of events.
    pub(super) fn len(&self) -> usize {
        self.listed + self.far.len()
    }

    /// Adds an event that lies beyond the year.
    #[inline(never)]
    pub(super) fn push(&mut self, at: u64, event: E) {
        let season = at >> self.bits;
        if season - self.next >= self.lists.len() as u64 {
            self.far_from = self.far_from.min(at);
            return self.far.push(Nanos(at), event);
        }
        self.listed += 1;
        let place = self.place(season);
        self.blocks.append(&mut self.lists[place], at, event);
    }

    /// Where the list of a season is.
    #[inline(always)]
    fn place(&self, season: u64) -> usize {
        season as usize & (self.lists.len() - 1)
    }

    fn first_listed(&self) -> Option<u64> {
        if self.listed == 0 {
            return None;
        }
        let seasons = self.next..self.next + self.lists.len() as u64;
        let mut lists = seasons.map(|season| self.lists[self.place(season)]);
        let first = lists.find(|list| !list.is_empty())?;
        self.blocks.iter(first).map(|(at, _)| *at).min()
    }

    /// The time of the first event, [`u64::MAX`] if there is none.
    pub(super) fn first(&self) -> u64 {
        let first = self
            .first_listed()
            .or_else(|| self.far.first().map(|at| at.0));
        first.unwrap_or(u64::MAX)
    }

    /// Skips to the season of the [first](Seasons::first) event, if no season before has any.
    pub(super) fn skip_to(&mut self, first: u64) {
        if self.listed == 0 {
            self.next = self.next.max(first >> self.bits);
            self.bring_near();
        }
    }

    /// Removes events of the seasons whose number is below `end`, a block at a time, in the order in
    /// which they were pushed.
    pub(super) fn take_before(&mut self, end: u64) -> Option<Taken<E>> {
        while self.next < end {
            let place = self.place(self.next);
            if let Some(taken) = self.blocks.take(&mut self.lists[place]) {
                self.listed -= taken.events().len();
                return Some(taken);
            }
            self.next += 1;
            self.bring_near();
        }
        None
    }

    /// Moves events from the radix heap to the lists that now cover them.
    fn bring_near(&mut self) {
        let last = (self.next + self.lists.len() as u64 - 1).min(u64::MAX >> self.bits);
        let end = last << self.bits | ((1 << self.bits) - 1);
        if self.far_from > end {
            return;
        }
        while let Some((at, event)) = self.far.pop_until(Nanos(end)) {
            self.push(at.0, event);
        }
        self.far_from = self.far.first().map_or(u64::MAX, |at| at.0);
    }

    /// All events, in no order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &E> {
        let listed = self.lists.iter().flat_map(|list| self.blocks.iter(*list));
        listed.map(|(_, event)| event).chain(self.far.iter())
    }
}
