//! Cost of an event: the simulator's event queue compared with heaps, with 64 to 262,144 pending
//! events.
//!
//! `cargo bench -p earlydrop-bench --bench event_queue`

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hint::black_box;

use earlydrop::random::Pcg32;
use earlydrop::units::Nanos;
use earlydrop_bench::{Contender, race};
use earlydrop_sim::events::Events;
use earlydrop_sim::events::radix::RadixHeap;

const EVENTS: usize = 1 << 18;
const ROUNDS: usize = 11;

/// An event: enough for a kind and an index.
type Event = u64;

/// A queue that pops events in order of time, equal times in order of insertion.
trait EventQueue {
    fn push(&mut self, at: u64, event: Event);
    fn pop(&mut self) -> (u64, Event);
}

impl EventQueue for Events<Event> {
    fn push(&mut self, at: u64, event: Event) {
        Events::push(self, Nanos(at), event);
    }
    fn pop(&mut self) -> (u64, Event) {
        let (at, event) = Events::pop(self).expect("as many pushed as popped");
        (at.0, event)
    }
}

impl EventQueue for RadixHeap<Event> {
    fn push(&mut self, at: u64, event: Event) {
        RadixHeap::push(self, Nanos(at), event);
    }
    fn pop(&mut self) -> (u64, Event) {
        let (at, event) = RadixHeap::pop(self).expect("as many pushed as popped");
        (at.0, event)
    }
}

/// The standard library's heap, with a number that orders equal times.
#[derive(Default)]
struct Binary {
    heap: BinaryHeap<Reverse<(u64, u64, Event)>>,
    number: u64,
}

impl EventQueue for Binary {
    fn push(&mut self, at: u64, event: Event) {
        self.number += 1;
        self.heap.push(Reverse((at, self.number, event)));
    }
    fn pop(&mut self) -> (u64, Event) {
        let Reverse((at, _, event)) = self.heap.pop().expect("as many pushed as popped");
        (at, event)
    }
}

/// A 4-ary heap, which is half as deep.
#[derive(Default)]
struct Quaternary {
    nodes: Vec<(u64, u64, Event)>,
    number: u64,
}

impl EventQueue for Quaternary {
    fn push(&mut self, at: u64, event: Event) {
        self.number += 1;
        let new = (at, self.number, event);
        let mut hole = self.nodes.len();
        self.nodes.push(new);
        while hole > 0 {
            let parent = (hole - 1) / 4;
            if self.nodes[parent] <= new {
                break;
            }
            self.nodes[hole] = self.nodes[parent];
            hole = parent;
        }
        self.nodes[hole] = new;
    }

    fn pop(&mut self) -> (u64, Event) {
        let (at, _, event) = self.nodes[0];
        let last = self.nodes.pop().expect("as many pushed as popped");
        let mut hole = 0;
        while let Some(least) = (4 * hole + 1..(4 * hole + 5).min(self.nodes.len()))
            .min_by_key(|child| (self.nodes[*child].0, self.nodes[*child].1))
        {
            if last <= self.nodes[least] {
                break;
            }
            self.nodes[hole] = self.nodes[least];
            hole = least;
        }
        if hole < self.nodes.len() {
            self.nodes[hole] = last;
        }
        (at, event)
    }
}

/// No queue: the cost of the loop around it.
struct Nothing;

impl EventQueue for Nothing {
    fn push(&mut self, at: u64, _what: Event) {
        black_box(at);
    }
    fn pop(&mut self) -> (u64, Event) {
        (0, 0)
    }
}

/// How far ahead a packet simulation schedules, nanoseconds: the end of a transmission, an arrival
/// across a link, a timer.
fn ahead(random: &mut Pcg32) -> u64 {
    let spread = u64::from(random.below(1000));
    match random.below(16) {
        0..7 => 800_000 + spread,
        7..14 => 10_000_000 + spread,
        14 => u64::from(random.below(50_000_000)),
        _ => 200_000_000 + spread,
    }
}

/// The hold model: pops an event and pushes another, so that their number stays.
fn hold(queue: &mut impl EventQueue, random: &mut Pcg32) {
    for _ in 0..EVENTS {
        let (now, event) = queue.pop();
        queue.push(now + ahead(random), black_box(event));
    }
}

/// The hold model with events all equally far ahead, which pop in the order of insertion.
fn hold_in_order(queue: &mut Events<Event>, random: &mut Pcg32) {
    for _ in 0..EVENTS {
        let (now, event) = EventQueue::pop(queue);
        black_box(ahead(random));
        queue.push_in_stream(0, Nanos(now + 10_000_000), black_box(event));
    }
}

fn filled<Q: EventQueue>(mut queue: Q, pending: u64) -> Q {
    let mut random = Pcg32::new(2, 0);
    for event in 0..pending {
        queue.push(ahead(&mut random), event);
    }
    queue
}

fn main() {
    println!(
        "An event popped and another pushed at a random distance, ns, {ROUNDS} rounds in turn"
    );
    println!("| pending events | queue | min | median | max |");
    println!("|---|---|---|---|---|");
    for pending in [64, 1024, 16_384, 262_144] {
        let mut calendar = filled(Events::new(), pending);
        let mut radix = filled(RadixHeap::new(), pending);
        let mut binary = filled(Binary::default(), pending);
        let mut quaternary = filled(Quaternary::default(), pending);
        let mut stream = filled(Events::new(), pending);
        let mut randoms = [(); 6].map(|()| Pcg32::new(3, 0));
        let [zeroth, first, second, third, fourth, fifth] = &mut randoms;
        let mut contenders = [
            Contender::new("calendar (ours)", || hold(&mut calendar, zeroth)),
            Contender::new("in order (ours)", || hold_in_order(&mut stream, fifth)),
            Contender::new("radix heap", || hold(&mut radix, first)),
            Contender::new("binary heap (std)", || hold(&mut binary, second)),
            Contender::new("quaternary heap", || hold(&mut quaternary, third)),
            Contender::new("none: the loop alone", || hold(&mut Nothing, fourth)),
        ];
        let timings = race(&mut contenders, EVENTS, ROUNDS);
        for (contender, timing) in contenders.iter().zip(timings) {
            println!(
                "| {pending} | {} | {:.1} | {:.1} | {:.1} |",
                contender.name, timing.min, timing.median, timing.max
            );
        }
    }
}
