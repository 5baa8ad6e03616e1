//! Any queue discipline, chosen while the program runs.

use super::{Departure, DualQueue, FairQueue, Losses, Outcome, QueueDiscipline, SingleQueue};
use crate::counters::Counters;
use crate::packet::Packet;
use crate::schemes::AnyAqm;
use crate::schemes::codel::Codel;
use crate::units::{BitsPerSec, Nanos};

/// Any queue discipline the registry can build.
#[derive(Clone, Debug)]
// A program holds few; what counts is that a packet needs no pointer.
#[allow(clippy::large_enum_variant)]
pub enum AnyQueue<P> {
    /// One queue under one scheme.
    Single(SingleQueue<P, AnyAqm>),
    /// A queue for each flow, under copies of one scheme.
    Fair(FairQueue<P, AnyAqm>),
    /// A queue for each flow, under copies of CoDel.
    FairCodel(FairQueue<P, Codel>),
    /// A low-latency and a Classic queue under one controller.
    Dual(DualQueue<P>),
}

/// Calls the same method on whichever it is.
macro_rules! each {
    ($queue:expr, $it:ident => $call:expr) => {
        match $queue {
            AnyQueue::Single($it) => $call,
            AnyQueue::Fair($it) => $call,
            AnyQueue::FairCodel($it) => $call,
            AnyQueue::Dual($it) => $call,
        }
    };
}

impl<P: Packet> QueueDiscipline<P> for AnyQueue<P> {
    #[inline]
    fn enqueue_with(&mut self, now: Nanos, packet: P, losses: &mut impl Losses<P>) -> Outcome {
        each!(self, queue => queue.enqueue_with(now, packet, losses))
    }

    #[inline]
    fn dequeue_with(&mut self, now: Nanos, losses: &mut impl Losses<P>) -> Option<Departure<P>> {
        each!(self, queue => queue.dequeue_with(now, losses))
    }

    fn poll(&mut self, now: Nanos) {
        each!(self, queue => queue.poll(now));
    }

    fn next_deadline(&self) -> Option<Nanos> {
        each!(self, queue => queue.next_deadline())
    }

    #[inline]
    fn packets(&self) -> u32 {
        each!(self, queue => queue.packets())
    }

    #[inline]
    fn bytes(&self) -> u64 {
        each!(self, queue => queue.bytes())
    }

    fn counters(&self) -> &Counters {
        each!(self, queue => queue.counters())
    }

    fn set_link_rate(&mut self, now: Nanos, rate: BitsPerSec) {
        each!(self, queue => queue.set_link_rate(now, rate));
    }

    fn probes(&self, show: &mut dyn FnMut(&'static str, f64)) {
        each!(self, queue => queue.probes(show));
    }

    fn memory(&self) -> usize {
        let inside = each!(self, queue => queue.memory() - size_of_val(queue));
        size_of::<Self>() + inside
    }
}
