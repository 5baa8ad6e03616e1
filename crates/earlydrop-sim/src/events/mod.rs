//! The event queue of a discrete-event simulation.
//!
//! Most events of the simulator are scheduled in the order of their times: packets that cross equal
//! access links become events in the order in which they were sent, and those that come from one
//! queue in the order in which they left it. They are kept in rings, the *streams*, without sorting;
//! all others are in a calendar queue. The next event is the earliest of the heads; of events at the
//! same time, the one that was pushed first.

mod blocks;
mod calendar;
mod pool;
pub mod radix;
mod seasons;
mod stream;

use earlydrop::units::Nanos;

use self::calendar::Calendar;
use self::stream::Stream;

/// Pending events, ordered by time; events of the same time in the order in which they were pushed.
///
/// ```
/// use earlydrop::units::Nanos;
/// use earlydrop_sim::events::Events;
/// let mut events = Events::new();
/// events.push(Nanos(20), "later");
/// events.push_in_stream(0, Nanos(10), "first");
/// assert_eq!(events.pop(), Some((Nanos(10), "first")));
/// assert_eq!(events.now(), Nanos(10));
/// ```
#[derive(Clone, Debug)]
pub struct Events<E> {
    now: u64,
    /// Events pushed since the start.
    pushed: u64,
    streams: [Stream<E>; STREAMS],
    calendar: Calendar<Numbered<E>>,
}

/// So many streams are each in the order of their times.
pub const STREAMS: usize = 2;

/// An event in the calendar.
#[derive(Clone, Copy, Debug)]
struct Numbered<E> {
    event: E,
    /// How many events had been pushed anywhere before.
    number: u64,
}

impl<E: Copy> Default for Events<E> {
    fn default() -> Events<E> {
        Events::new()
    }
}

impl<E: Copy> Events<E> {
    /// An empty queue, at time 0.
    pub fn new() -> Events<E> {
        Events {
            now: 0,
            pushed: 0,
            streams: [Stream::new(), Stream::new()],
            calendar: Calendar::new(),
        }
    }

    /// The time of the event popped last.
    pub fn now(&self) -> Nanos {
        Nanos(self.now)
    }

    /// The number of pending events.
    pub fn len(&self) -> usize {
        let in_streams: usize = self.streams.iter().map(Stream::len).sum();
        in_streams + self.calendar.len()
    }

    /// Whether no event is pending.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds an event. One in the past happens now, one at [`Nanos::NEVER`] never.
    // Not inlined, the event would be written to memory in parts and read back as a whole, which
    // stalls.
    #[inline(always)]
    pub fn push(&mut self, at: Nanos, event: E) {
        debug_assert!(at.0 >= self.now, "an event in the past");
        let number = self.number();
        let numbered = Numbered { event, number };
        self.calendar.push(at.0.max(self.now), numbered);
    }

    /// The number of an event that is pushed now.
    #[inline(always)]
    fn number(&mut self) -> u64 {
        let number = self.pushed;
        self.pushed += 1;
        number
    }

    /// Adds an event that is probably later than all others added to this stream, one of
    /// [`STREAMS`]. That is fast; otherwise it is [`push`](Events::push).
    #[inline(always)]
    pub fn push_in_stream(&mut self, stream: usize, at: Nanos, event: E) {
        if self.streams[stream].ends_by(at.0) && at.0 >= self.now {
            let number = self.number();
            self.streams[stream].push(at.0, number, event);
        } else {
            self.push(at, event);
        }
    }

    /// Removes the next event and moves to its time.
    #[inline(always)]
    pub fn pop(&mut self) -> Option<(Nanos, E)> {
        self.pop_until(Nanos::NEVER)
    }

    /// Removes the next event, unless it is later than `limit`, and moves to its time.
    #[inline(always)]
    pub fn pop_until(&mut self, limit: Nanos) -> Option<(Nanos, E)> {
        let [sent, forwarded] = [self.streams[0].first_at(), self.streams[1].first_at()];
        let first = sent.min(forwarded);
        if first < self.calendar.earliest() && first <= limit.0 && sent != forwarded {
            return Some(self.pop_stream(usize::from(forwarded < sent)));
        }
        self.pop_any(limit.0)
    }

    #[inline(always)]
    fn pop_stream(&mut self, stream: usize) -> (Nanos, E) {
        let (at, event) = self.streams[stream].pop();
        self.now = at;
        (Nanos(at), event)
    }

    /// [`pop_until`](Events::pop_until) if the calendar may have the next event, or two streams have
    /// one at the same time.
    #[inline(always)]
    fn pop_any(&mut self, limit: u64) -> Option<(Nanos, E)> {
        let [sent, forwarded] = [self.streams[0].first(), self.streams[1].first()];
        let first = sent.min(forwarded);
        match self.calendar.advance(limit.min(first.0)) {
            Some((at, numbered)) if (at, numbered.number) < first => {
                self.calendar.pop();
                self.now = at;
                Some((Nanos(at), numbered.event))
            }
            _ if first.0 <= limit && first.0 < u64::MAX => {
                Some(self.pop_stream(usize::from(forwarded < sent)))
            }
            _ => None,
        }
    }

    /// An event due soon, to prefetch what it needs; none while the calendar fits the caches.
    #[inline(always)]
    pub(crate) fn due_soon(&mut self) -> Option<E> {
        self.calendar.due_soon().map(|numbered| numbered.event)
    }

    /// The event so many places behind the first of a stream, to prefetch what it needs.
    #[inline(always)]
    pub(crate) fn in_stream(&self, stream: usize, places: u64) -> Option<E> {
        self.streams[stream].behind_first(places)
    }

    /// All pending events, in no order.
    pub fn iter(&self) -> impl Iterator<Item = &E> {
        let others = self.calendar.iter().map(|numbered| &numbered.event);
        self.streams.iter().flat_map(Stream::iter).chain(others)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeSet, BinaryHeap};

    #[test]
    fn equal_times_keep_their_order_in_the_stream_and_out_of_it() {
        let mut events = Events::new();
        events.push_in_stream(0, Nanos(12), 'a');
        events.push_in_stream(0, Nanos(8), 'b');
        events.push(Nanos(12), 'c');
        assert_eq!(events.pop(), Some((Nanos(8), 'b')));
        events.push_in_stream(1, Nanos(12), 'd');
        events.push_in_stream(0, Nanos(12), 'f');
        events.push_in_stream(1, Nanos(12), 'g');
        events.push(Nanos(8), 'e');
        let rest: String = std::iter::from_fn(|| events.pop().map(|(_, event)| event)).collect();
        assert_eq!(rest, "eacdfg");
        assert!(events.is_empty());
    }

    proptest! {
        #[test]
        fn the_order_is_that_of_a_sorted_list(
            // Steps: some pushes at distances from the present, each into a stream or not,
            // then some pops.
            steps in prop::collection::vec(
                (prop::collection::vec((0_u32..63, 0..=STREAMS), 0..8), 0_usize..8),
                1..60,
            ),
        ) {
            let mut events = Events::new();
            let mut reference = BinaryHeap::new();
            let mut number = 0_u64;
            for (pushes, pops) in steps {
                for (bits, stream) in pushes {
                    let distance = (1_u64 << bits >> 1) + number % 3;
                    // The last moment of all never comes.
                    let at = events.now().0.saturating_add(distance).min(u64::MAX - 1);
                    match stream {
                        STREAMS => events.push(Nanos(at), number),
                        stream => events.push_in_stream(stream, Nanos(at), number),
                    }
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

        /// A load like a simulation's, long enough for days to change their length and for
        /// seasons to turn: timers far ahead, packets near, most of them in the stream.
        #[test]
        fn the_order_is_that_of_a_sorted_list_at_length(
            flows in 1_u64..20,
            timer in 1_u64..16_000_000,
            packet in 1_u64..4_000_000,
            draws in prop::collection::vec(any::<u64>(), 2000..4000),
        ) {
            let mut events = Events::new();
            let mut reference = BTreeSet::new();
            let mut number = 0;
            let mut add = |events: &mut Events<u64>, reference: &mut BTreeSet<_>, at, stream| {
                number += 1;
                reference.insert((at, number));
                match stream {
                    STREAMS => events.push(Nanos(at), number),
                    stream => events.push_in_stream(stream, Nanos(at), number),
                }
            };
            for flow in 0..flows {
                add(&mut events, &mut reference, flow * 7 % packet, STREAMS);
            }
            for draw in draws {
                let expected = reference.pop_first();
                let popped = events.pop();
                prop_assert_eq!(popped.map(|(at, number)| (at.0, number)), expected);
                let now = events.now().0;
                match draw % 32 {
                    0 => add(&mut events, &mut reference, now + timer, STREAMS),
                    1 => add(&mut events, &mut reference, now + draw % packet, 1),
                    2 => {}
                    3 => {
                        add(&mut events, &mut reference, now + 2 * packet, 0);
                        add(&mut events, &mut reference, now + 2 * packet, STREAMS);
                    }
                    draw => {
                        let stream = usize::from(draw > 16);
                        add(&mut events, &mut reference, now + (2 + draw / 17) * packet, stream);
                    }
                }
            }
        }
    }
}
