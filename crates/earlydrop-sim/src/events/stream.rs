//! Events that come in the order in which they were set up.

/// A row of events, each with its time, none earlier than the one before.
#[derive(Clone, Debug)]
pub(super) struct Stream<E> {
    /// A ring of a power of two, or of nothing.
    places: Vec<(u64, E)>,
    /// How many have joined since the start, and how many of them have left.
    joined: u64,
    left: u64,
    /// The times of the first, [`u64::MAX`] without any, and of the last there was.
    first_at: u64,
    last_at: u64,
}

impl<E: Copy> Stream<E> {
    /// None yet.
    pub(super) fn new() -> Stream<E> {
        Stream {
            places: Vec::new(),
            joined: 0,
            left: 0,
            first_at: u64::MAX,
            last_at: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        (self.joined - self.left) as usize
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
        self.left
    }

    #[inline(always)]
    fn place(&self, number: u64) -> usize {
        number as usize & (self.places.len() - 1)
    }

    /// Adds an event at `at`, by which the others [end](Stream::ends_by).
    #[inline(always)]
    pub(super) fn join(&mut self, at: u64, event: E) {
        if self.len() == self.places.len() {
            self.grow(at, event);
        }
        let place = self.place(self.joined);
        self.places[place] = (at, event);
        if self.joined == self.left {
            self.first_at = at;
        }
        self.last_at = at;
        self.joined += 1;
    }

    /// Makes room; an event is needed to fill it with.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, at: u64, event: E) {
        let room = (2 * self.places.len()).max(64);
        let mut places = vec![(at, event); room];
        for number in self.left..self.joined {
            places[number as usize & (room - 1)] = self.places[self.place(number)];
        }
        self.places = places;
    }

    /// Takes the first, where there is one.
    #[inline(always)]
    pub(super) fn leave(&mut self) -> (u64, E) {
        let first = self.places[self.place(self.left)];
        self.left += 1;
        self.first_at = match self.left == self.joined {
            true => u64::MAX,
            false => self.places[self.place(self.left)].0,
        };
        first
    }

    /// All of them.
    pub(super) fn iter(&self) -> impl Iterator<Item = &E> {
        let numbers = self.left..self.joined;
        numbers.map(|number| &self.places[self.place(number)].1)
    }
}
