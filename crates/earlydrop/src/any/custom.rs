//! A scheme of the program's own behind a pointer, so that the enums can hold it.

use alloc::boxed::Box;
use core::fmt;

use crate::aqm::{Aqm, Backlog, Verdict};
use crate::packet::PacketInfo;
use crate::random::Pcg32;
use crate::units::{BitsPerSec, Nanos};

/// Any scheme for one queue, boxed: the variant `Custom` of [`AnyAqm`](super::AnyAqm).
///
/// Each call goes through a virtual table. The built-in schemes do not pay for it.
pub struct BoxedAqm(Box<dyn ErasedAqm>);

impl BoxedAqm {
    /// Boxes `aqm`: the one allocation, made when the queue is built.
    pub fn new(aqm: impl Aqm + Clone + fmt::Debug + Send + Sync + 'static) -> BoxedAqm {
        BoxedAqm(Box::new(aqm))
    }
}

impl Clone for BoxedAqm {
    fn clone(&self) -> BoxedAqm {
        BoxedAqm(self.0.clone_boxed())
    }
}

impl fmt::Debug for BoxedAqm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// [`Aqm`] without type parameters, so that a virtual table can hold it.
trait ErasedAqm: fmt::Debug + Send + Sync {
    fn clone_boxed(&self) -> Box<dyn ErasedAqm>;
    fn on_arrival(
        &mut self,
        now: Nanos,
        packet: &PacketInfo,
        queue: &dyn Backlog,
        random: &mut Pcg32,
    ) -> Verdict;
    fn on_accepted(&mut self, now: Nanos, packet: &PacketInfo);
    fn on_refused(&mut self, now: Nanos, packet: &PacketInfo);
    fn on_departure(
        &mut self,
        now: Nanos,
        packet: &PacketInfo,
        queue: &dyn Backlog,
        random: &mut Pcg32,
    ) -> Verdict;
    fn on_evicted(&mut self, now: Nanos, packet: &PacketInfo);
    fn on_empty(&mut self, now: Nanos);
    fn on_idle(&mut self, now: Nanos);
    fn poll(&mut self, now: Nanos, queue: &dyn Backlog);
    fn next_deadline(&self) -> Option<Nanos>;
    fn on_link_rate(&mut self, now: Nanos, rate: BitsPerSec);
    fn probes(&self, show: &mut dyn FnMut(&'static str, f64));
    /// Bytes of the box and of what the scheme holds beside it.
    fn boxed_bytes(&self) -> usize;
}

impl<A: Aqm + Clone + fmt::Debug + Send + Sync + 'static> ErasedAqm for A {
    fn clone_boxed(&self) -> Box<dyn ErasedAqm> {
        Box::new(self.clone())
    }

    fn on_arrival(
        &mut self,
        now: Nanos,
        packet: &PacketInfo,
        queue: &dyn Backlog,
        random: &mut Pcg32,
    ) -> Verdict {
        Aqm::on_arrival(self, now, packet, &queue, random)
    }

    fn on_accepted(&mut self, now: Nanos, packet: &PacketInfo) {
        Aqm::on_accepted(self, now, packet);
    }

    fn on_refused(&mut self, now: Nanos, packet: &PacketInfo) {
        Aqm::on_refused(self, now, packet);
    }

    fn on_departure(
        &mut self,
        now: Nanos,
        packet: &PacketInfo,
        queue: &dyn Backlog,
        random: &mut Pcg32,
    ) -> Verdict {
        Aqm::on_departure(self, now, packet, &queue, random)
    }

    fn on_evicted(&mut self, now: Nanos, packet: &PacketInfo) {
        Aqm::on_evicted(self, now, packet);
    }

    fn on_empty(&mut self, now: Nanos) {
        Aqm::on_empty(self, now);
    }

    fn on_idle(&mut self, now: Nanos) {
        Aqm::on_idle(self, now);
    }

    fn poll(&mut self, now: Nanos, queue: &dyn Backlog) {
        Aqm::poll(self, now, &queue);
    }

    fn next_deadline(&self) -> Option<Nanos> {
        Aqm::next_deadline(self)
    }

    fn on_link_rate(&mut self, now: Nanos, rate: BitsPerSec) {
        Aqm::on_link_rate(self, now, rate);
    }

    fn probes(&self, show: &mut dyn FnMut(&'static str, f64)) {
        Aqm::probes(self, show);
    }

    fn boxed_bytes(&self) -> usize {
        size_of::<A>() + self.heap_bytes()
    }
}

impl Aqm for BoxedAqm {
    fn on_arrival<Q: Backlog>(
        &mut self,
        now: Nanos,
        packet: &PacketInfo,
        queue: &Q,
        random: &mut Pcg32,
    ) -> Verdict {
        self.0.on_arrival(now, packet, queue, random)
    }

    fn on_accepted(&mut self, now: Nanos, packet: &PacketInfo) {
        self.0.on_accepted(now, packet);
    }

    fn on_refused(&mut self, now: Nanos, packet: &PacketInfo) {
        self.0.on_refused(now, packet);
    }

    fn on_departure<Q: Backlog>(
        &mut self,
        now: Nanos,
        packet: &PacketInfo,
        queue: &Q,
        random: &mut Pcg32,
    ) -> Verdict {
        self.0.on_departure(now, packet, queue, random)
    }

    fn on_evicted(&mut self, now: Nanos, packet: &PacketInfo) {
        self.0.on_evicted(now, packet);
    }

    fn on_empty(&mut self, now: Nanos) {
        self.0.on_empty(now);
    }

    fn on_idle(&mut self, now: Nanos) {
        self.0.on_idle(now);
    }

    fn poll<Q: Backlog>(&mut self, now: Nanos, queue: &Q) {
        self.0.poll(now, queue);
    }

    fn next_deadline(&self) -> Option<Nanos> {
        self.0.next_deadline()
    }

    fn on_link_rate(&mut self, now: Nanos, rate: BitsPerSec) {
        self.0.on_link_rate(now, rate);
    }

    fn probes(&self, show: &mut dyn FnMut(&'static str, f64)) {
        self.0.probes(show);
    }

    fn heap_bytes(&self) -> usize {
        self.0.boxed_bytes()
    }
}
