//! What happens next: events in the order of their times.
//!
//! A radix heap (Ahuja, Mehlhorn, Orlin, Tarjan, "Faster Algorithms for the Shortest
//! Path Problem", 1990): a simulation never looks back, so events can be sorted only
//! as far as it matters. Bucket b holds the events whose time first differs from the
//! present in bit b - 1, bucket 0 those of the present itself. To find the next event
//! once the present is used up, the lowest bucket is dealt out anew around its
//! earliest time; an event moves to a lower bucket each time, and seldom often.
//!
//! Events of the same time come out in the order they went in, without a number that
//! says so: they are always in the same bucket, and dealing out keeps the order.

use earlydrop::units::Nanos;

/// One bucket for each bit of a time, and one for the present.
const BUCKETS: usize = 65;

/// Events to come, each with its time.
///
/// ```
/// use earlydrop::units::Nanos;
/// use earlydrop_sim::events::Events;
/// let mut events = Events::new();
/// events.push(Nanos(20), "later");
/// events.push(Nanos(10), "first");
/// assert_eq!(events.pop(), Some((Nanos(10), "first")));
/// assert_eq!(events.now(), Nanos(10));
/// ```
#[derive(Clone, Debug)]
pub struct Events<E> {
    now: u64,
    /// Events of the present that have been handed out already, in bucket 0.
    handed_out: usize,
    /// A bit for each bucket that holds events, the present's left out.
    filled: u64,
    buckets: Box<[Vec<(u64, E)>; BUCKETS]>,
    length: usize,
}

impl<E: Copy> Default for Events<E> {
    fn default() -> Events<E> {
        Events::new()
    }
}

impl<E: Copy> Events<E> {
    /// None yet, at time 0.
    pub fn new() -> Events<E> {
        Events {
            now: 0,
            handed_out: 0,
            filled: 0,
            buckets: Box::new([const { Vec::new() }; BUCKETS]),
            length: 0,
        }
    }

    /// The time of the event handed out last.
    pub fn now(&self) -> Nanos {
        Nanos(self.now)
    }

    /// Every event to come, in no order.
    pub fn iter(&self) -> impl Iterator<Item = &E> {
        let present = self.buckets[0].get(self.handed_out..).unwrap_or_default();
        let later = self.buckets[1..].iter().flatten();
        present.iter().chain(later).map(|(_, event)| event)
    }

    /// Events to come.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether nothing is to come.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Adds an event. One in the past would happen now.
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

    /// Takes the next event and moves to its time.
    #[inline]
    pub fn pop(&mut self) -> Option<(Nanos, E)> {
        self.pop_until(Nanos::NEVER)
    }

    /// Takes the next event, unless it is later than `limit`, and moves to its time.
    #[inline]
    pub fn pop_until(&mut self, limit: Nanos) -> Option<(Nanos, E)> {
        let Some(&(at, event)) = self.buckets[0].get(self.handed_out) else {
            return self.advance(limit);
        };
        self.handed_out += 1;
        self.length -= 1;
        Some((Nanos(at), event))
    }

    /// Moves to the time of the next event, takes it, and deals out anew what else was
    /// in its bucket.
    fn advance(&mut self, limit: Nanos) -> Option<(Nanos, E)> {
        self.buckets[0].clear();
        self.handed_out = 0;
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
        let mut dealt = core::mem::take(&mut self.buckets[bucket]);
        self.now = at;
        for (index, (at, event)) in dealt.drain(..).enumerate() {
            if index != first {
                self.put(at, event);
            }
        }
        // Empty, for all went to lower buckets: its memory goes back to it.
        self.buckets[bucket] = dealt;
        self.length -= 1;
        Some((Nanos(at), event))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BinaryHeap;

    #[test]
    fn equal_times_keep_their_order_across_buckets() {
        let mut events = Events::new();
        events.push(Nanos(12), 'a');
        events.push(Nanos(8), 'b');
        events.push(Nanos(12), 'c');
        assert_eq!(events.pop(), Some((Nanos(8), 'b')));
        events.push(Nanos(12), 'd');
        events.push(Nanos(8), 'e');
        let rest: String = std::iter::from_fn(|| events.pop().map(|(_, event)| event)).collect();
        assert_eq!(rest, "eacd");
        assert!(events.is_empty());
    }

    proptest! {
        #[test]
        fn the_order_is_that_of_a_sorted_list(
            // Steps: some pushes at distances from the present, then some pops.
            steps in prop::collection::vec((prop::collection::vec(0_u32..64, 0..8), 0_usize..8), 1..60),
        ) {
            let mut events = Events::new();
            let mut reference = BinaryHeap::new();
            let mut number = 0_u64;
            for (pushes, pops) in steps {
                for bits in pushes {
                    let distance = (1_u64 << bits >> 1) + number % 3;
                    let at = events.now().0.saturating_add(distance);
                    events.push(Nanos(at), number);
                    reference.push(std::cmp::Reverse((at, number)));
                    number += 1;
                }
                for _ in 0..pops {
                    let expected = reference.pop().map(|std::cmp::Reverse((at, n))| (Nanos(at), n));
                    prop_assert_eq!(events.pop(), expected);
                    prop_assert_eq!(events.len(), reference.len());
                }
            }
        }
    }
}
