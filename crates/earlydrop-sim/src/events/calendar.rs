//! A calendar queue (Brown, "Calendar Queues: A Fast O(1) Priority Queue Implementation for the
//! Simulation Event Set Problem", CACM 31(10), 1988).
//!
//! Time is divided into days of equal length. A year is a power of two of days, and each day has a
//! sorted list of its events. A day is about as long as the time between two events, or a quarter of
//! that while so many days still fit the caches: a list seldom has more than one or two, and each
//! that has costs a mispredicted branch. The first event of a day is kept in the day itself, so that
//! going from day to day reads memory in order, and one bit per day says whether it has any.
//! Events beyond the year are only sorted by seasons, quarters of a year. A season's events enter
//! their days when all of it lies within the year.
//!
//! The length of a day and the number of days follow the load. They change how fast events are
//! found, never their order: by time, and at the same time in the order in which they were pushed.

use super::blocks::{Blocks, List};
use super::pool::{NONE, Pool};
use super::seasons::Seasons;
use crate::prefetch::{prefetch, use_huge_pages};

/// The least and the greatest number of days in a year. Each takes 48 bytes or so: all of them fit a
/// second cache, with an event each.
const DAYS: (usize, usize) = (64, 1 << 12);

/// With so many events or more, what is due soon is prefetched.
const MANY: usize = 1 << 11;

/// An event that would have to pass more than so many others of a day to come makes it crowded.
const PASSED: usize = 8;

/// How many days ahead of its turn an event is prefetched.
const DAYS_AHEAD: u64 = 16;

/// Pending events, each with its time.
#[derive(Clone, Debug)]
pub(super) struct Calendar<E> {
    /// The time of the event popped last.
    now: u64,
    /// A lower bound on the time of the next event.
    earliest: u64,
    /// The number of the current day, counted from time zero.
    today: u64,
    /// The days before this one have been [seen ahead](Calendar::due_soon).
    seen_ahead: u64,
    /// A day lasts 2^this nanoseconds.
    day_bits: u32,
    days: Box<[Day<E>]>,
    /// A bit for each day that has events.
    busy: Box<[u64]>,
    /// A bit for each crowded day, whose list is sorted when it comes.
    crowded: Box<[u64]>,
    /// What was pushed to each day since it is crowded, in this order; empty while no day is.
    crowds: Box<[List]>,
    blocks: Blocks<E>,
    /// The lists of events that are not the first of their day.
    pool: Pool<(u64, E)>,
    /// The number of events within the year.
    within: usize,
    /// Events beyond the year.
    later: Seasons<E>,
    /// The day on which the next season begins, and the one a year later enters the calendar.
    season_end: u64,
    resizing: Resizing,
    /// Whether there were [many](MANY) events when its size was checked.
    are_many: bool,
}

/// The first event of a day, and the list of the others.
#[derive(Clone, Copy, Debug)]
struct Day<E> {
    at: u64,
    first: Option<E>,
    next: u32,
    last: u32,
}

/// When the calendar's size is checked next, and the load since the last check.
#[derive(Clone, Copy, Debug)]
struct Resizing {
    /// Events to be popped until the next check.
    left: u32,
    /// Events to be popped between checks.
    every: u32,
    /// The time of the last check.
    since: u64,
    /// List entries passed since then to insert events into their days.
    passed: usize,
}

impl<E: Copy> Calendar<E> {
    /// An empty calendar, at time 0.
    pub(super) fn new() -> Calendar<E> {
        // A day of 2^16 ns, 66 microseconds, until the first check.
        Calendar::starting(0, 16, DAYS.0, 0)
    }

    /// An empty calendar for so many events.
    fn starting(now: u64, day_bits: u32, days: usize, events: usize) -> Calendar<E> {
        // Seldom enough that rebuilding costs little per event.
        let every = (4 * days).max(events).max(256) as u32;
        let season = (now >> day_bits) / (days as u64 / 4);
        let empty = Day {
            at: 0,
            first: None,
            next: NONE,
            last: NONE,
        };
        let mut year = Vec::with_capacity(days);
        use_huge_pages(&year);
        year.resize(days, empty);
        Calendar {
            now,
            earliest: u64::MAX,
            today: now >> day_bits,
            seen_ahead: 0,
            day_bits,
            days: year.into(),
            busy: vec![0; days / 64].into(),
            crowded: vec![0; days / 64].into(),
            crowds: Box::default(),
            blocks: Blocks::new(),
            pool: Pool::new(),
            within: 0,
            later: Seasons::new(day_bits + days.ilog2() - 2, season + 4, days),
            season_end: (season + 1) * (days as u64 / 4),
            resizing: Resizing {
                left: every,
                every,
                since: now,
                passed: 0,
            },
            are_many: events >= MANY,
        }
    }

    /// A lower bound on the time of the next event.
    #[inline(always)]
    pub(super) fn earliest(&self) -> u64 {
        self.earliest
    }

    /// The number of pending events.
    pub(super) fn len(&self) -> usize {
        self.within + self.later.len()
    }

    /// Adds an event.
    #[inline(always)]
    pub(super) fn push(&mut self, at: u64, event: E) {
        self.earliest = self.earliest.min(at);
        if self.later.contain(at) {
            self.later.push(at, event);
        } else {
            self.insert(at, event);
            // Due or not: nothing may be popped before much more is pushed.
            if self.resizing.left <= 1 {
                self.relieve();
            }
        }
    }

    /// Makes days shorter at once if inserting has passed too many entries.
    #[cold]
    #[inline(never)]
    fn relieve(&mut self) {
        if self.is_crowded() {
            self.check_size();
        }
    }

    /// Inserts an event into its day, after those of the same time.
    #[inline(always)]
    fn insert(&mut self, at: u64, event: E) {
        let place = (at >> self.day_bits) as usize & (self.days.len() - 1);
        let day = &mut self.days[place];
        if day.first.is_none() {
            day.at = at;
            day.first = Some(event);
            self.busy[place >> 6] |= 1 << (place & 63);
        } else {
            self.insert_busy(place, at, event);
        }
        self.within += 1;
    }

    /// Inserts an event into a day that has some.
    fn insert_busy(&mut self, place: usize, at: u64, event: E) {
        let Day {
            at: first_at,
            first,
            next,
            last,
        } = self.days[place];
        let Some(first) = first else { return };
        if at < first_at {
            let index = self.pool.add((first_at, first), next);
            let day = &mut self.days[place];
            (day.at, day.first, day.next) = (at, Some(event), index);
            if last == NONE {
                day.last = index;
            }
        } else if self.is_crowded_day(place) {
            self.blocks.append(&mut self.crowds[place], at, event);
        } else if last == NONE || self.pool.value(last).0 <= at {
            self.append(place, at, event);
        } else {
            self.insert_sorted(place, next, at, event);
        }
    }

    /// Inserts an event after the others of its day, which has some.
    fn append(&mut self, place: usize, at: u64, event: E) {
        let index = self.pool.add((at, event), NONE);
        match self.days[place].last {
            NONE => self.days[place].next = index,
            last => self.pool.set_next(last, index),
        }
        self.days[place].last = index;
    }

    /// Whether the events of a day are to be sorted when it comes.
    fn is_crowded_day(&self, place: usize) -> bool {
        self.crowded[place >> 6] & 1 << (place & 63) != 0
    }

    /// Inserts an event between the first and the last of its day. One that would have to pass many
    /// makes a day to come a crowded one.
    fn insert_sorted(&mut self, place: usize, next: u32, at: u64, event: E) {
        let is_today = place == self.today as usize & (self.days.len() - 1);
        let (mut before, mut after, mut passed) = (NONE, next, 0);
        while self.pool.value(after).0 <= at {
            if passed == PASSED && !is_today {
                return self.crowd(place, at, event);
            }
            before = after;
            after = self.pool.next(after);
            passed += 1;
        }
        self.resizing.passed += passed;
        if self.is_crowded() {
            self.resizing.left = 1;
        }
        let index = self.pool.add((at, event), after);
        match before {
            NONE => self.days[place].next = index,
            before => self.pool.set_next(before, index),
        }
    }

    /// Makes a day a crowded one, and adds an event to it.
    #[cold]
    #[inline(never)]
    fn crowd(&mut self, place: usize, at: u64, event: E) {
        self.crowded[place >> 6] |= 1 << (place & 63);
        if self.crowds.is_empty() {
            self.crowds = vec![List::EMPTY; self.days.len()].into();
        }
        self.blocks.append(&mut self.crowds[place], at, event);
    }

    /// Moves to the day of the next event, if that is due by `limit`; returns the event and its
    /// time.
    #[inline(always)]
    pub(super) fn advance(&mut self, limit: u64) -> Option<(u64, E)> {
        let mask = self.days.len() - 1;
        let from = self.today as usize & mask;
        // The current day, or a later one whose bit is in the same word.
        let bits = self.busy[from >> 6] >> (from & 63);
        let ahead = match bits {
            0 => self.search(limit)?,
            _ => bits.trailing_zeros() as usize,
        };
        let day = &self.days[(self.today as usize + ahead) & mask];
        let (at, event) = (day.at, day.first?);
        self.earliest = at;
        if at > limit {
            return None;
        }
        self.today += ahead as u64;
        Some((at, event))
    }

    /// Removes the event that [`advance`](Calendar::advance) returned.
    #[inline(always)]
    pub(super) fn pop(&mut self) {
        let place = self.today as usize & (self.days.len() - 1);
        if self.are_many {
            self.prefetch_after(place);
        }
        let day = &mut self.days[place];
        self.now = day.at;
        if day.next == NONE {
            day.first = None;
            self.busy[place >> 6] ^= 1 << (place & 63);
            self.earliest = self.bound_within_word(place);
        } else {
            self.promote_second(place);
        }
        self.within -= 1;
        if self.today >= self.season_end {
            self.change_season();
        }
        self.resizing.left -= 1;
        if self.resizing.left == 0 {
            self.check_size();
        }
    }

    /// A lower bound on the time of the next event after the last one of the current day, at
    /// `place`: exact if its day's bit is in the same word.
    #[inline(always)]
    fn bound_within_word(&self, place: usize) -> u64 {
        let bits = self.busy[place >> 6] >> (place & 63);
        match bits {
            0 => ((self.today | 63) + 1) << self.day_bits,
            _ => self.days[place + bits.trailing_zeros() as usize].at,
        }
    }

    /// Prefetches a later day, and the second event of a nearer one.
    #[inline(always)]
    fn prefetch_after(&self, place: usize) {
        let mask = self.days.len() - 1;
        let ahead = DAYS_AHEAD as usize;
        prefetch(&self.days[(place + 2 * ahead) & mask]);
        self.pool.prefetch(self.days[(place + ahead) & mask].next);
    }

    /// The first event of a day that comes soon, in a calendar of [many](MANY) events: of each day
    /// once, if it is asked for as often as events are popped.
    #[inline(always)]
    pub(super) fn due_soon(&mut self) -> Option<E> {
        if !self.are_many {
            return None;
        }
        let from = self.seen_ahead.max(self.today + DAYS_AHEAD);
        if from >= self.today + 2 * DAYS_AHEAD {
            return None;
        }
        let place = from as usize & (self.days.len() - 1);
        let bits = self.busy[place >> 6] >> (place & 63);
        if bits == 0 {
            self.seen_ahead = (from | 63) + 1;
            return None;
        }
        let ahead = bits.trailing_zeros();
        self.seen_ahead = from + u64::from(ahead) + 1;
        self.days[place + ahead as usize].first
    }

    /// Makes the second event of a day its first.
    fn promote_second(&mut self, place: usize) {
        if self.is_crowded_day(place) {
            self.sort(place);
        }
        let day = &mut self.days[place];
        let second = self.pool.take(day.next);
        let (at, event) = second.value;
        (day.at, day.first, day.next) = (at, Some(event), second.next);
        self.earliest = at;
        if day.next == NONE {
            day.last = NONE;
        }
    }

    /// Sorts the events of a crowded day, which has come, but its first. Those of its list are sorted,
    /// and no later than any of the same time in the crowd.
    #[cold]
    #[inline(never)]
    fn sort(&mut self, place: usize) {
        self.crowded[place >> 6] ^= 1 << (place & 63);
        let mut events = Vec::new();
        let mut next = self.days[place].next;
        while next != NONE {
            let entry = self.pool.take(next);
            events.push(entry.value);
            next = entry.next;
        }
        while let Some(taken) = self.blocks.take(&mut self.crowds[place]) {
            events.extend_from_slice(taken.events());
        }
        events.sort_by_key(|(at, _)| *at);
        (self.days[place].next, self.days[place].last) = (NONE, NONE);
        for (at, event) in events {
            self.append(place, at, event);
        }
    }

    /// How many days ahead the next day with events is, if its bit is not in the word of the
    /// current day.
    #[cold]
    fn search(&mut self, limit: u64) -> Option<usize> {
        if self.within == 0 {
            // Move to the day before that of the first event beyond the year: a day to come is sorted
            // when it comes.
            let first = self.later.first();
            self.earliest = first;
            if first > limit || first == u64::MAX {
                return None;
            }
            self.later.skip_to(first);
            self.today = (first >> self.day_bits) - 1;
            self.change_season();
            return Some(1);
        }
        let mask = self.days.len() - 1;
        let from = self.today as usize & mask;
        let mut word = from >> 6;
        loop {
            word = (word + 1) & (self.busy.len() - 1);
            if self.busy[word] != 0 {
                let place = word << 6 | self.busy[word].trailing_zeros() as usize;
                return Some(place.wrapping_sub(from) & mask);
            }
        }
    }

    /// Inserts the events of the seasons that now lie within the year.
    #[cold]
    #[inline(never)]
    fn change_season(&mut self) {
        let length = self.days.len() as u64 / 4;
        let season = self.today / length;
        self.season_end = (season + 1) * length;
        while let Some(taken) = self.later.take_before(season + 4) {
            for (at, event) in taken.events() {
                self.earliest = self.earliest.min(*at);
                self.insert(*at, *event);
            }
        }
    }

    /// Whether inserting has passed more entries than rebuilding the calendar would.
    fn is_crowded(&self) -> bool {
        self.resizing.passed > 8 * self.len() + 4096
    }

    /// Rebuilds the calendar if its days have become too long, too short or too few.
    #[cold]
    fn check_size(&mut self) {
        let (elapsed, popped) = (
            self.now - self.resizing.since,
            u64::from(self.resizing.every),
        );
        let gap = elapsed / popped;
        // In a large network many events share a nanosecond, and no day is shorter.
        let crowd = (popped / elapsed.max(1)).clamp(1, DAYS.1 as u64) as usize;
        let days = (2 * self.len()).next_power_of_two().max(DAYS.0);
        let shorter = (DAYS.1 / days.min(DAYS.1)).ilog2().min(2);
        let is_crowded = self.is_crowded();
        let day_bits = match is_crowded {
            true => self.day_bits.saturating_sub(3),
            false => gap.max(1).ilog2().saturating_sub(shorter),
        };
        let fit = (DAYS.1 / crowd.next_power_of_two()).max(DAYS.0);
        let days = (days << shorter).min(fit);
        let most_off = u32::from(!is_crowded);
        let fits = self.day_bits.abs_diff(day_bits) <= most_off
            && (days / 2..=4 * days).contains(&self.days.len());
        self.resizing.left = self.resizing.every;
        self.resizing.since = self.now;
        self.resizing.passed = 0;
        self.are_many = self.len() >= MANY;
        if !fits {
            let mut rebuilt = Calendar::starting(self.now, day_bits, days, self.len());
            while let Some((at, event)) = self.pop_in_place() {
                rebuilt.push(at, event);
            }
            *self = rebuilt;
        }
    }

    /// Removes the next event, without checking the size.
    fn pop_in_place(&mut self) -> Option<(u64, E)> {
        self.resizing.left = u32::MAX;
        let next = self.advance(u64::MAX)?;
        self.pop();
        Some(next)
    }

    /// All pending events, in no order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &E> {
        let within = self.days.iter().flat_map(|day| {
            let others = self.pool.iter(day.next).map(|entry| &entry.value.1);
            day.first.iter().chain(others)
        });
        let crowds = self.crowds.iter().flat_map(|list| self.blocks.iter(*list));
        let crowds = crowds.map(|(_, event)| event);
        within.chain(crowds).chain(self.later.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// List entries passed to push so many events at times within a microsecond, and the times and
    /// numbers of the events in the order in which they are popped.
    fn crowd(events: u64) -> (usize, Vec<(u64, u64)>) {
        let mut calendar = Calendar::new();
        let (mut passed, mut before) = (0, 0);
        for number in 0..events {
            calendar.push(number.wrapping_mul(7919) % 1000, number);
            let now = calendar.resizing.passed;
            // A calendar that was rebuilt counts from 0.
            passed += now.checked_sub(before).unwrap_or(now);
            before = now;
        }
        (passed, drain(&mut calendar))
    }

    fn drain(calendar: &mut Calendar<u64>) -> Vec<(u64, u64)> {
        assert_eq!(calendar.iter().count(), calendar.len());
        std::iter::from_fn(|| calendar.pop_in_place()).collect()
    }

    #[test]
    fn pushing_many_events_into_one_day_passes_a_bounded_number_each() {
        for events in [2_000, 20_000, 100_000] {
            let (passed, popped) = crowd(events);
            assert!(passed as u64 <= 64 * events + 65_536, "{events}: {passed}");
            assert_eq!(popped.len() as u64, events);
            assert!(popped.is_sorted());
        }
    }

    /// In days to come, of which some come one by one and others after a year without events.
    #[test]
    fn events_of_a_crowded_day_come_in_order_of_time_and_number() {
        let mut calendar = Calendar::new();
        for number in 0..60_000_u64 {
            let day = [70_000, 130_000, 4_500_000, 900_000_000][number as usize % 4];
            calendar.push(day + number.wrapping_mul(7919) % 50, number);
        }
        assert!(!calendar.crowds.is_empty());
        let popped = drain(&mut calendar);
        assert_eq!(popped.len(), 60_000);
        assert!(popped.is_sorted());
        assert!(calendar.resizing.passed < 60_000 * 16);
    }
}
