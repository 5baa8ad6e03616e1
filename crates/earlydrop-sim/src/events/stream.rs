//! A ring of events that are scheduled in the order of their times.

/// A queue of events; none is earlier than the one before it.
#[derive(Clone, Debug)]
pub(super) struct Stream<E> {
    /// A ring whose length is a power of two, or zero.
    ring: Vec<Entry<E>>,
    /// Events pushed and popped since the start.
    pushed: u64,
    popped: u64,
    /// The time of the first event, [`u64::MAX`] if there is none.
    first_at: u64,
    /// The time of the event pushed last.
    last_at: u64,
}

/// An event with its time.
#[derive(Clone, Copy, Debug)]
struct Entry<E> {
    at: u64,
    /// How many events had been pushed anywhere before.
    number: u64,
    event: E,
}

impl<E: Copy> Stream<E> {
    /// An empty stream.
    pub(super) fn new() -> Stream<E> {
        Stream {
            ring: Vec::new(),
            pushed: 0,
            popped: 0,
            first_at: u64::MAX,
            last_at: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        (self.pushed - self.popped) as usize
    }

    /// The time of the first event, [`u64::MAX`] if there is none.
    #[inline(always)]
    pub(super) fn first_at(&self) -> u64 {
        self.first_at
    }

    /// Whether an event at `at` may be pushed: no event is later.
    #[inline(always)]
    pub(super) fn ends_by(&self, at: u64) -> bool {
        self.last_at <= at
    }

    /// The time of the first event and its number; the greatest there are if there is none.
    #[inline(always)]
    pub(super) fn first(&self) -> (u64, u64) {
        match self.first_at {
            u64::MAX => (u64::MAX, u64::MAX),
            at => (at, self.ring[self.place(self.popped)].number),
        }
    }

    /// The event so many places behind the first.
    #[inline(always)]
    pub(super) fn behind_first(&self, places: u64) -> Option<E> {
        let number = self.popped + places;
        (number < self.pushed).then(|| self.ring[self.place(number)].event)
    }

    #[inline(always)]
    fn place(&self, number: u64) -> usize {
        number as usize & (self.ring.len() - 1)
    }

    /// Adds an event at `at`, by which the others must [end](Stream::ends_by).
    #[inline(always)]
    pub(super) fn push(&mut self, at: u64, number: u64, event: E) {
        let entry = Entry { at, number, event };
        if self.len() == self.ring.len() {
            self.grow(entry);
        }
        let place = self.place(self.pushed);
        self.ring[place] = entry;
        if self.pushed == self.popped {
            self.first_at = at;
        }
        self.last_at = at;
        self.pushed += 1;
    }

    /// Doubles the ring; an entry is needed to fill it with.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, any: Entry<E>) {
        let length = (2 * self.ring.len()).max(64);
        let mut ring = vec![any; length];
        for number in self.popped..self.pushed {
            ring[number as usize & (length - 1)] = self.ring[self.place(number)];
        }
        self.ring = ring;
    }

    /// Removes the first event, which must exist.
    #[inline(always)]
    pub(super) fn pop(&mut self) -> (u64, E) {
        let first = self.ring[self.place(self.popped)];
        self.popped += 1;
        self.first_at = match self.popped == self.pushed {
            true => u64::MAX,
            false => self.ring[self.place(self.popped)].at,
        };
        (first.at, first.event)
    }

    /// All events, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &E> {
        let numbers = self.popped..self.pushed;
        numbers.map(|number| &self.ring[self.place(number)].event)
    }
}
