//! A scheme of the program's own behind a pointer, so that the enums can hold it.

use alloc::boxed::Box;
use core::any::Any;
use core::fmt;

use crate::aqm::{Aqm, Backlog, Verdict, WaitingPackets, each_call, start_among};
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

/// [`Aqm`], with the calls that have type parameters without them, so that a virtual table can
/// hold it.
trait ErasedAqm: Aqm + fmt::Debug + Send + Sync {
    fn clone_boxed(&self) -> Box<dyn ErasedAqm>;
    fn on_arrival(
        &mut self,
        now: Nanos,
        packet: &PacketInfo,
        queue: &dyn Backlog,
        random: &mut Pcg32,
    ) -> Verdict;
    fn on_departure(
        &mut self,
        now: Nanos,
        packet: &PacketInfo,
        queue: &dyn Backlog,
        random: &mut Pcg32,
    ) -> Verdict;
    fn poll(&mut self, now: Nanos, queue: &dyn Backlog);
    /// Continues from `old` if that is of the same type, and starts afresh otherwise.
    fn continue_from(&mut self, now: Nanos, old: Box<dyn ErasedAqm>, waiting: WaitingPackets<'_>);
    fn into_any(self: Box<Self>) -> Box<dyn Any>;
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

    fn on_departure(
        &mut self,
        now: Nanos,
        packet: &PacketInfo,
        queue: &dyn Backlog,
        random: &mut Pcg32,
    ) -> Verdict {
        Aqm::on_departure(self, now, packet, &queue, random)
    }

    fn poll(&mut self, now: Nanos, queue: &dyn Backlog) {
        Aqm::poll(self, now, &queue);
    }

    fn continue_from(&mut self, now: Nanos, old: Box<dyn ErasedAqm>, waiting: WaitingPackets<'_>) {
        match old.into_any().downcast::<A>() {
            Ok(old) => Aqm::continue_from(self, now, *old, waiting),
            Err(_) => start_among(self, waiting),
        }
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

/// A method that makes the same call of the scheme in the box.
macro_rules! to_box {
    ([] heap_bytes() -> usize) => {
        fn heap_bytes(&self) -> usize {
            size_of_val::<dyn ErasedAqm>(&*self.0) + self.0.heap_bytes()
        }
    };
    // The calls that hand on the backlog are kept out of line: inlined into the enum's dispatch
    // they would force the backlog into memory, and built-in schemes would pay up to 2 ns a
    // verdict.
    (
        $(#[$inline:meta])* [mut] $call:ident<Q: Backlog>
        ($($argument:ident: $type:ty),*) $(-> $result:ty)?
    ) => {
        #[cold]
        #[inline(never)]
        fn $call<Q: Backlog>(&mut self, $($argument: $type),*) $(-> $result)? {
            ErasedAqm::$call(&mut *self.0, $($argument),*)
        }
    };
    (
        $(#[$inline:meta])* [$($mut:ident)?] $call:ident
        ($($argument:ident: $type:ty),*) $(-> $result:ty)?
    ) => {
        fn $call(&$($mut)? self, $($argument: $type),*) $(-> $result)? {
            self.0.$call($($argument),*)
        }
    };
}

impl Aqm for BoxedAqm {
    each_call!(to_box);

    fn continue_from(&mut self, now: Nanos, old: Self, waiting: WaitingPackets<'_>) {
        ErasedAqm::continue_from(&mut *self.0, now, old.0, waiting);
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
