//! A scheme of the program's own behind a pointer, so that the enums can hold it.

use alloc::boxed::Box;
use core::any::Any;
use core::fmt;

use crate::aqm::{Aqm, Backlog, Verdict, start_among};
use crate::packet::PacketInfo;
use crate::random::Pcg32;
use crate::steering::{Setting, SteerError};
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
    fn steer(&mut self, now: Nanos, setting: &Setting) -> Result<(), SteerError>;
    /// Continues from `old` if that is of the same type, and starts afresh otherwise.
    fn continue_from(
        &mut self,
        now: Nanos,
        old: Box<dyn ErasedAqm>,
        waiting: &mut dyn Iterator<Item = PacketInfo>,
    );
    fn into_any(self: Box<Self>) -> Box<dyn Any>;
    fn probes(&self, show: &mut dyn FnMut(&'static str, f64));
    /// Heap bytes of the box and of the scheme's own allocations.
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

    fn steer(&mut self, now: Nanos, setting: &Setting) -> Result<(), SteerError> {
        Aqm::steer(self, now, setting)
    }

    fn continue_from(
        &mut self,
        now: Nanos,
        old: Box<dyn ErasedAqm>,
        waiting: &mut dyn Iterator<Item = PacketInfo>,
    ) {
        match old.into_any().downcast::<A>() {
            Ok(old) => Aqm::continue_from(self, now, *old, waiting),
            Err(_) => start_among(self, waiting),
        }
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }

    fn probes(&self, show: &mut dyn FnMut(&'static str, f64)) {
        Aqm::probes(self, show);
    }

    fn boxed_bytes(&self) -> usize {
        size_of::<A>() + self.heap_bytes()
    }
}

// The calls that hand on the backlog are kept out of line: inlined into the enum's dispatch they
// would force the backlog into memory, and built-in schemes would pay up to 2 ns a verdict.
impl Aqm for BoxedAqm {
    #[cold]
    #[inline(never)]
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

    #[cold]
    #[inline(never)]
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

    #[cold]
    #[inline(never)]
    fn poll<Q: Backlog>(&mut self, now: Nanos, queue: &Q) {
        self.0.poll(now, queue);
    }

    fn next_deadline(&self) -> Option<Nanos> {
        self.0.next_deadline()
    }

    fn on_link_rate(&mut self, now: Nanos, rate: BitsPerSec) {
        self.0.on_link_rate(now, rate);
    }

    fn steer(&mut self, now: Nanos, setting: &Setting) -> Result<(), SteerError> {
        self.0.steer(now, setting)
    }

    fn continue_from(
        &mut self,
        now: Nanos,
        old: Self,
        waiting: &mut dyn Iterator<Item = PacketInfo>,
    ) {
        self.0.continue_from(now, old.0, waiting);
    }

    fn probes(&self, show: &mut dyn FnMut(&'static str, f64)) {
        self.0.probes(show);
    }

    fn heap_bytes(&self) -> usize {
        self.0.boxed_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::any::{AnyAqm, AnyQueue, Plan};
    use crate::packet::Ecn;
    use crate::queue::{Outcome, QueueDiscipline};
    use crate::registry::{LinkFacts, Registry};
    use crate::testing::{TestPacket, mbps};
    use alloc::vec::Vec;

    fn drive(mut queue: AnyQueue<TestPacket>) -> (Vec<Outcome>, usize, Vec<f64>) {
        let mut random = Pcg32::new(6, 6);
        let mut outcomes = Vec::new();
        for step in 0..20_000 {
            let now = Nanos::from_micros(step * 700);
            let ecn = Ecn::from_bits(random.below(4) as u8);
            let (flow, size) = (random.below(9).into(), 100 + random.below(1400));
            outcomes.push(queue.enqueue(now, TestPacket { flow, size, ecn }));
            if random.below(10) < 7 {
                queue.dequeue(now);
            }
            if step == 9000 {
                queue.set_link_rate(now, mbps(5));
            }
        }
        let mut probes = Vec::new();
        queue.probes(&mut |_, value| probes.push(value));
        (outcomes, queue.memory(), probes)
    }

    #[test]
    fn a_boxed_scheme_gives_the_verdicts_of_the_built_in_one() {
        for scheme in Registry::built_in().iter() {
            let spec = Registry::built_in().spec(scheme.name).unwrap();
            let plan = spec.plan(&LinkFacts::at(mbps(10))).unwrap();
            let Plan::Single { aqm, limit } = &plan else {
                continue;
            };
            let boxed = Plan::custom(aqm.clone(), *limit);
            assert!(matches!(
                &boxed,
                Plan::Single {
                    aqm: AnyAqm::Custom(_),
                    ..
                }
            ));
            let (outcomes, memory, probes) = drive(plan.queue(1));
            let (same_outcomes, boxed_memory, same_probes) = drive(boxed.queue(1));
            assert_eq!(outcomes, same_outcomes, "{}", scheme.name);
            assert_eq!(probes, same_probes, "{}", scheme.name);
            assert!(boxed_memory >= memory, "{}: the box counts", scheme.name);
        }
    }
}
