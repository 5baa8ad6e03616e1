//! Events that come in the order in which they were set up.

use std::collections::VecDeque;

/// A row of events, each with its time, none earlier than the one before.
#[derive(Clone, Debug)]
pub(super) struct Stream<E> {
    row: VecDeque<(u64, E)>,
    /// The times of the first, [`u64::MAX`] without any, and of the last there was.
    first_at: u64,
    last_at: u64,
    /// How many have joined since the start.
    joined: u64,
}

impl<E: Copy> Stream<E> {
    /// None yet.
    pub(super) fn new() -> Stream<E> {
        Stream {
            row: VecDeque::new(),
            first_at: u64::MAX,
            last_at: 0,
            joined: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.row.len()
    }

    /// The time of the first event, [`u64::MAX`] without any.
    #[inline(always)]
    pub(super) fn first_at(&self) -> u64 {
        self.first_at
    }

    /// Whether an event at `at` may join.
    #[inline(always)]
    pub(super) fn ends_by(&self, at: u64) -> bool {
        self.last_at <= at
    }

    /// How many have joined since the start.
    #[inline(always)]
    pub(super) fn joined(&self) -> u64 {
        self.joined
    }

    /// How many of them have left.
    #[inline(always)]
    pub(super) fn left(&self) -> u64 {
        self.joined - self.row.len() as u64
    }

    /// Adds an event at `at`, by which the others [end](Stream::ends_by).
    #[inline(always)]
    pub(super) fn join(&mut self, at: u64, event: E) {
        self.first_at = self.first_at.min(at);
        self.last_at = at;
        self.joined += 1;
        self.row.push_back((at, event));
    }

    /// Takes the first.
    #[inline(always)]
    pub(super) fn leave(&mut self) -> Option<(u64, E)> {
        let first = self.row.pop_front();
        self.first_at = self.row.front().map_or(u64::MAX, |(at, _)| *at);
        first
    }

    /// All of them.
    pub(super) fn iter(&self) -> impl Iterator<Item = &E> {
        self.row.iter().map(|(_, event)| event)
    }
}
