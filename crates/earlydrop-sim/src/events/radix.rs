//! A radix heap: a priority queue for times that never decrease (Ahuja, Mehlhorn, Orlin, Tarjan,
//! "Faster Algorithms for the Shortest Path Problem", 1990).
//!
//! A simulation never looks back, so events need to be sorted only as far as it matters. Bucket b
//! holds the events whose time first differs from the present in bit b - 1, bucket 0 those of the
//! present itself. When the present is used up, the lowest bucket is redistributed around its
//! earliest time. Each time an event moves it is to a lower bucket.
//!
//! Events of the same time come out in the order in which they went in, without sequence numbers:
//! they are always in the same bucket, and redistribution keeps their order.

use earlydrop::units::Nanos;

/// One bucket per bit of a time, and one for the present.
const BUCKETS: usize = 65;

/// Pending events, ordered by time; events of the same time in the order in which they were pushed.
#[derive(Clone, Debug)]
pub struct RadixHeap<E> {
    now: u64,
    /// How many events of bucket 0 have been popped.
    popped: usize,
    /// A bit for each bucket that holds events, except bucket 0.
    filled: u64,
    buckets: Box<[Vec<(u64, E)>; BUCKETS]>,
    length: usize,
}

impl<E: Copy> Default for RadixHeap<E> {
    fn default() -> RadixHeap<E> {
        RadixHeap::new()
    }
}

impl<E: Copy> RadixHeap<E> {
    /// An empty heap, at time 0.
    pub fn new() -> RadixHeap<E> {
        RadixHeap {
            now: 0,
            popped: 0,
            filled: 0,
            buckets: Box::new([const { Vec::new() }; BUCKETS]),
            length: 0,
        }
    }

    /// The time of the event popped last.
    pub fn now(&self) -> Nanos {
        Nanos(self.now)
    }

    /// All pending events, in no order.
    pub fn iter(&self) -> impl Iterator<Item = &E> {
        let present = self.buckets[0].get(self.popped..).unwrap_or_default();
        let later = self.buckets[1..].iter().flatten();
        present.iter().chain(later).map(|(_, event)| event)
    }

    /// The number of pending events.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether no event is pending.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Adds an event. One in the past happens now.
    #[inline]
    pub fn push(&mut self, at: Nanos, event: E) {
        debug_assert!(at.0 >= self.now, "an event in the past");
        let at = at.0.max(self.now);
        self.put(at, event);
        self.length += 1;
    }

    #[inline]
    fn put(&mut self, at: u64, event: E) {
        let bucket = (64 - (at ^ self.now).leading_zeros()) as usize;
        self.buckets[bucket].push((at, event));
        if bucket > 0 {
            self.filled |= 1 << (bucket - 1);
        }
    }

    /// The time of the next event, if there is one.
    pub fn first(&self) -> Option<Nanos> {
        if let Some((at, _)) = self.buckets[0].get(self.popped) {
            return Some(Nanos(*at));
        }
        let bucket = self.filled.trailing_zeros() as usize + 1;
        let earliest = self.buckets.get(bucket)?.iter().map(|(at, _)| *at).min();
        earliest.map(Nanos)
    }

    /// Removes the next event and moves to its time.
    #[inline]
    pub fn pop(&mut self) -> Option<(Nanos, E)> {
        self.pop_until(Nanos::NEVER)
    }

    /// Removes the next event, unless it is later than `limit`, and moves to its time.
    #[inline]
    pub fn pop_until(&mut self, limit: Nanos) -> Option<(Nanos, E)> {
        let Some(&(at, event)) = self.buckets[0].get(self.popped) else {
            return self.advance(limit);
        };
        self.popped += 1;
        self.length -= 1;
        Some((Nanos(at), event))
    }

    /// Moves to the time of the next event, removes it, and redistributes the rest of its bucket.
    fn advance(&mut self, limit: Nanos) -> Option<(Nanos, E)> {
        self.buckets[0].clear();
        self.popped = 0;
        if self.filled == 0 {
            return None;
        }
        let bucket = self.filled.trailing_zeros() as usize + 1;
        let earliest = self.buckets[bucket].iter().enumerate();
        let (first, &(at, event)) = earliest.min_by_key(|(_, (at, _))| *at)?;
        if at > limit.0 {
            return None;
        }
        self.filled &= self.filled - 1;
        let mut events = core::mem::take(&mut self.buckets[bucket]);
        self.now = at;
        for (index, (at, event)) in events.drain(..).enumerate() {
            if index != first {
                self.put(at, event);
            }
        }
        // All went to lower buckets. The bucket keeps its memory.
        self.buckets[bucket] = events;
        self.length -= 1;
        Some((Nanos(at), event))
    }
}
