//! A calendar of events (Brown, "Calendar Queues", 1988).
//!
//! Time is cut into days of equal length, a year has a power of two of them, and each day
//! has its list of events, in order. A day is about as long as the time between two events,
//! so a list seldom has more than one or two; the first is kept in the day itself, so that
//! going from day to day reads memory in order; a bit for each day says whether it has any.
//! What lies more than a year ahead is sorted by seasons, quarters of a year, only; a
//! season's events enter their days once all of these lie within the year.
//!
//! How long a day is and how many a year has follows what happens. That changes how fast
//! events are found and never their order: by time, and of the same time in the order
//! they went in.

use super::pool::{NONE, Pool};
use super::seasons::Seasons;
use crate::prefetch;

/// The fewest and the most days of a year.
const DAYS: (usize, usize) = (64, 1 << 20);

/// A calendar of so many days or more does not fit the nearest caches: what will be needed of
/// it is asked for ahead of time.
const MANY_DAYS: usize = 1 << 12;
/// A calendar of so many days fits the nearest cache: up to there days may be shorter, a
/// quarter at least, so that they seldom hold two events. That saves questions whose answers
/// cannot be foreseen.
const FEW_DAYS: usize = 1 << 10;

/// So many days before its time a day's second event is asked for, and the day itself twice
/// as many.
const DAYS_AHEAD: usize = 16;

/// Events to come, each with its time.
#[derive(Clone, Debug)]
pub(super) struct Calendar<E> {
    /// The time of the event taken last.
    now: u64,
    /// No event is to come before.
    soonest: u64,
    /// The number of today, counted from time zero.
    today: u64,
    /// A day lasts 2^this nanoseconds.
    day_bits: u32,
    days: Box<[Day<E>]>,
    /// A bit for each day that has events.
    busy: Box<[u64]>,
    /// Events that are not the first of their day, linked day by day, and those beyond
    /// the year.
    pool: Pool<E>,
    /// Events of the year, and those beyond it.
    within: usize,
    beyond: usize,
    /// What lies beyond the year.
    later: Seasons<E>,
    /// The day on which the next season begins, and one more enters the calendar.
    turn: u64,
    review: Review,
}

/// A day's first event, and where the others are.
#[derive(Clone, Copy, Debug)]
struct Day<E> {
    at: u64,
    first: Option<E>,
    next: u32,
    last: u32,
}

/// When the calendar is next looked at, and what it was like at the last look.
#[derive(Clone, Copy, Debug)]
struct Review {
    /// Events to be handed out until then.
    left: u32,
    /// Events to be handed out between looks.
    every: u32,
    since: u64,
    /// Events passed by since then on the way to an event's place in its day.
    passed: usize,
}

impl<E: Copy> Calendar<E> {
    /// None yet, at time 0.
    pub(super) fn new() -> Calendar<E> {
        // A day of 2^16 ns, 66 microseconds, until it is known better.
        Calendar::starting(0, 16, DAYS.0)
    }

    fn starting(now: u64, day_bits: u32, days: usize) -> Calendar<E> {
        // Seldom enough that making it anew costs little an event.
        let every = (4 * days).max(256) as u32;
        let season = (now >> day_bits) / (days as u64 / 4);
        let empty = Day {
            at: 0,
            first: None,
            next: NONE,
            last: NONE,
        };
        let mut year = Vec::with_capacity(days);
        prefetch::use_huge_pages(&year);
        year.resize(days, empty);
        Calendar {
            now,
            soonest: u64::MAX,
            today: now >> day_bits,
            day_bits,
            days: year.into(),
            busy: vec![0; days / 64].into(),
            pool: Pool::new(),
            within: 0,
            beyond: 0,
            later: Seasons::new(day_bits + days.ilog2() - 2, season + 4),
            turn: (season + 1) * (days as u64 / 4),
            review: Review {
                left: every,
                every,
                since: now,
                passed: 0,
            },
        }
    }

    /// No event is to come before.
    #[inline(always)]
    pub(super) fn soonest(&self) -> u64 {
        self.soonest
    }

    /// Events to come.
    pub(super) fn len(&self) -> usize {
        self.within + self.beyond
    }

    /// Adds an event.
    #[inline(always)]
    pub(super) fn push(&mut self, at: u64, event: E) {
        self.soonest = self.soonest.min(at);
        if self.later.begin_by(at) {
            self.push_later(at, event);
        } else {
            self.enter(at, event);
        }
    }

    #[cold]
    #[inline(never)]
    fn push_later(&mut self, at: u64, event: E) {
        self.beyond += 1;
        self.later.push(&mut self.pool, at, event);
    }

    /// Enters an event into its day, after those of the same time.
    #[inline(always)]
    fn enter(&mut self, at: u64, event: E) {
        let place = (at >> self.day_bits) as usize & (self.days.len() - 1);
        let day = &mut self.days[place];
        if day.first.is_none() {
            day.at = at;
            day.first = Some(event);
            self.busy[place >> 6] |= 1 << (place & 63);
        } else {
            self.enter_busy(place, at, event);
        }
        self.within += 1;
    }

    /// Enters an event into a day that has some.
    fn enter_busy(&mut self, place: usize, at: u64, event: E) {
        let Day {
            at: first_at,
            first,
            next,
            last,
        } = self.days[place];
        let Some(first) = first else { return };
        if at < first_at {
            let index = self.pool.add(first_at, first, next);
            let day = &mut self.days[place];
            (day.at, day.first, day.next) = (at, Some(event), index);
            if last == NONE {
                day.last = index;
            }
        } else if last == NONE || self.pool.at(last) <= at {
            let index = self.pool.add(at, event, NONE);
            match last {
                NONE => self.days[place].next = index,
                last => self.pool.set_next(last, index),
            }
            self.days[place].last = index;
        } else {
            self.insert(place, next, at, event);
        }
    }

    /// Enters an event between the first and the last of its day.
    fn insert(&mut self, place: usize, next: u32, at: u64, event: E) {
        let (mut before, mut after) = (NONE, next);
        while self.pool.at(after) <= at {
            before = after;
            after = self.pool.next(after);
            self.review.passed += 1;
        }
        if self.is_crowded() {
            self.review.left = 1;
        }
        let index = self.pool.add(at, event, after);
        match before {
            NONE => self.days[place].next = index,
            before => self.pool.set_next(before, index),
        }
    }

    /// Moves to the day of the next event, if that comes by `limit`; answers with the event
    /// and its time.
    #[inline(always)]
    pub(super) fn reach(&mut self, limit: u64) -> Option<(u64, E)> {
        let mask = self.days.len() - 1;
        let from = self.today as usize & mask;
        // Today, or a later day whose bit is in the same word.
        let bits = self.busy[from >> 6] >> (from & 63);
        let ahead = match bits {
            0 => self.search(limit)?,
            _ => bits.trailing_zeros() as usize,
        };
        let day = &self.days[(self.today as usize + ahead) & mask];
        let (at, event) = (day.at, day.first?);
        self.soonest = at;
        if at > limit {
            return None;
        }
        self.today += ahead as u64;
        Some((at, event))
    }

    /// Takes the event that was [reached](Calendar::reach).
    #[inline(always)]
    pub(super) fn take(&mut self) {
        let place = self.today as usize & (self.days.len() - 1);
        if self.days.len() >= MANY_DAYS {
            self.look_ahead(place);
        }
        let day = &mut self.days[place];
        self.now = day.at;
        if day.next == NONE {
            day.first = None;
            self.busy[place >> 6] ^= 1 << (place & 63);
            self.soonest = self.next_within_word(place);
        } else {
            self.bring_up(place);
        }
        self.within -= 1;
        if self.today >= self.turn {
            self.turn_season();
        }
        self.review.left -= 1;
        if self.review.left == 0 {
            self.look_over();
        }
    }

    /// A time before which nothing comes, when nothing is left of today, at `place`: that of
    /// the next event, as far as one word of bits tells.
    #[inline(always)]
    fn next_within_word(&self, place: usize) -> u64 {
        let bits = self.busy[place >> 6] >> (place & 63);
        match bits {
            0 => ((self.today | 63) + 1) << self.day_bits,
            _ => self.days[place + bits.trailing_zeros() as usize].at,
        }
    }

    /// Asks for a day to come, and for the second event of a nearer one.
    #[inline(always)]
    fn look_ahead(&self, place: usize) {
        let mask = self.days.len() - 1;
        prefetch::prefetch(&self.days[(place + 2 * DAYS_AHEAD) & mask]);
        self.pool.fetch(self.days[(place + DAYS_AHEAD) & mask].next);
    }

    /// The first event of a day to come, in a calendar that does not fit the nearest caches.
    #[inline(always)]
    pub(super) fn coming(&self) -> Option<E> {
        if self.days.len() < MANY_DAYS {
            return None;
        }
        let place = (self.today as usize + DAYS_AHEAD) & (self.days.len() - 1);
        self.days[place].first
    }

    /// Makes a day's second event its first.
    fn bring_up(&mut self, place: usize) {
        let day = &mut self.days[place];
        let second = self.pool.take(day.next);
        (day.at, day.first, day.next) = (second.at, Some(second.event), second.next);
        self.soonest = second.at;
        if day.next == NONE {
            day.last = NONE;
        }
    }

    /// How many days ahead the next one with events is, none of which has its bit in the
    /// same word as today.
    #[cold]
    fn search(&mut self, limit: u64) -> Option<usize> {
        if self.within == 0 {
            // To the day of the first event after the year.
            let first = self.later.first(&self.pool);
            self.soonest = first;
            if first > limit || first == u64::MAX {
                return None;
            }
            self.later.skip_to(&mut self.pool, first);
            self.today = first >> self.day_bits;
            self.turn_season();
            return Some(0);
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

    /// Enters the seasons that now lie within the year.
    #[cold]
    #[inline(never)]
    fn turn_season(&mut self) {
        let length = self.days.len() as u64 / 4;
        let season = self.today / length;
        self.turn = (season + 1) * length;
        while let Some(list) = self.later.take_next(&mut self.pool, season + 4) {
            let mut place = list.first;
            while place != NONE {
                let entry = self.pool.take(place);
                self.beyond -= 1;
                self.soonest = self.soonest.min(entry.at);
                self.enter(entry.at, entry.event);
                place = entry.next;
            }
        }
    }

    /// Whether finding places has taken more than making the calendar anew would.
    fn is_crowded(&self) -> bool {
        self.review.passed > 8 * self.len() + 4096
    }

    /// Makes the calendar anew when its days have become too long, too short or too few.
    #[cold]
    fn look_over(&mut self) {
        let gap = (self.now - self.review.since) / u64::from(self.review.every);
        let days = (2 * self.len()).next_power_of_two().max(DAYS.0);
        let shorter = (FEW_DAYS / days).max(1).ilog2().min(2);
        let day_bits = match self.is_crowded() {
            true => self.day_bits.saturating_sub(3),
            false => gap.max(1).ilog2().saturating_sub(shorter),
        };
        let days = (days << shorter).min(DAYS.1);
        let fits = self.day_bits.abs_diff(day_bits) <= 1
            && (days / 2..=4 * days).contains(&self.days.len());
        self.review.left = self.review.every;
        self.review.since = self.now;
        self.review.passed = 0;
        if !fits {
            let mut anew = Calendar::starting(self.now, day_bits, days);
            while let Some((at, event)) = self.take_in_order() {
                anew.push(at, event);
            }
            *self = anew;
        }
    }

    /// The next event, without moving to its time.
    fn take_in_order(&mut self) -> Option<(u64, E)> {
        self.review.left = u32::MAX;
        let next = self.reach(u64::MAX)?;
        self.take();
        Some(next)
    }

    /// Every event to come, in no order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &E> {
        let within = self.days.iter().flat_map(|day| {
            let others = self.pool.iter(day.next).map(|entry| &entry.event);
            day.first.iter().chain(others)
        });
        within.chain(self.later.iter(&self.pool))
    }
}
