//! Any queue discipline, chosen at run time.

use super::{AnyAqm, every_aqm, in_variant, to_variant};
use crate::counters::Counters;
use crate::curve::Curve;
use crate::packet::Packet;
use crate::queue::{
    CakeQueue, Departure, DualQueue, FairQueue, Limit, Losses, Outcome, QueueDiscipline,
    SingleQueue,
};
use crate::random::Pcg32;
use crate::schemes::cobalt::Cobalt;
use crate::schemes::codel::Codel;
use crate::steering::{Setting, SteerError};
use crate::units::{BitsPerSec, Nanos};

/// Makes an enum of queue disciplines that is a queue discipline itself.
///
/// The variant named `first`, the most frequent, is tested before the others and inlined
/// into the caller.
macro_rules! any_of {
    ($(#[$attribute:meta])* $name:ident first $first:ident { $($(#[$about:meta])* $variant:ident($queue:ty),)+ }) => {
        $(#[$attribute])*
        #[derive(Clone, Debug)]
        // A program holds few queues, and a packet needs no pointer this way.
        #[allow(clippy::large_enum_variant)]
        pub enum $name<P> {
            $($(#[$about])* $variant($queue)),+
        }

        impl<P: Packet> $name<P> {
            /// The generator that it draws from. How far it has come shows what a call has drawn.
            pub fn random(&self) -> &Pcg32 {
                in_variant!(self, $name($($variant)+), random())
            }

            #[inline(never)]
            fn enqueue_in_any(
                &mut self,
                now: Nanos,
                packet: P,
                losses: &mut impl Losses<P>,
            ) -> Outcome {
                in_variant!(self, $name($($variant)+), enqueue_with(now, packet, losses))
            }

            #[inline(never)]
            fn dequeue_from_any(
                &mut self,
                now: Nanos,
                losses: &mut impl Losses<P>,
            ) -> Option<Departure<P>> {
                in_variant!(self, $name($($variant)+), dequeue_with(now, losses))
            }
        }

        impl<P: Packet> QueueDiscipline<P> for $name<P> {
            #[inline(always)]
            fn enqueue_with(
                &mut self,
                now: Nanos,
                packet: P,
                losses: &mut impl Losses<P>,
            ) -> Outcome {
                match self {
                    $name::$first(queue) => queue.enqueue_with(now, packet, losses),
                    _ => self.enqueue_in_any(now, packet, losses),
                }
            }

            #[inline(always)]
            fn dequeue_with(
                &mut self,
                now: Nanos,
                losses: &mut impl Losses<P>,
            ) -> Option<Departure<P>> {
                match self {
                    $name::$first(queue) => queue.dequeue_with(now, losses),
                    _ => {
                        // Taken apart, so that the first variant's result stays in registers.
                        let Departure { packet, arrived } = self.dequeue_from_any(now, losses)?;
                        Some(Departure { packet, arrived })
                    }
                }
            }

            to_variant!($name($($variant)+) [mut] poll(now: Nanos));
            to_variant!($name($($variant)+) [] next_deadline() -> Option<Nanos>);
            to_variant!($name($($variant)+) #[inline] [] packets() -> u32);
            to_variant!($name($($variant)+) #[inline] [] bytes() -> u64);
            to_variant!($name($($variant)+) #[inline] [] peek(ahead: u32) -> Option<&P>);
            to_variant!($name($($variant)+) [] head_arrival() -> Option<Nanos>);
            to_variant!($name($($variant)+) [] counters() -> &Counters);
            to_variant!($name($($variant)+) [mut] set_link_rate(now: Nanos, rate: BitsPerSec));
            to_variant!($name($($variant)+) [mut] steer(
                now: Nanos, setting: &Setting
            ) -> Result<(), SteerError>);
            to_variant!($name($($variant)+) [] probes(show: &mut dyn FnMut(&'static str, f64)));

            fn memory(&self) -> usize {
                let inside = match self {
                    $($name::$variant(queue) => queue.memory() - size_of_val(queue)),+
                };
                size_of::<Self>() + inside
            }
        }
    };
}

macro_rules! any_queue {
    ($($variant:ident($scheme:ty)),+ $(,)?) => {
        any_of! {
            /// Any queue discipline the registry can build: a single queue under one scheme,
            /// or several queues.
            ///
            /// One comparison or jump a call finds the variant. Only
            /// [`Custom`](AnyQueue::Custom) calls its scheme through a pointer.
            #[non_exhaustive]
            #[allow(missing_docs)]
            AnyQueue first Red {
                $($variant(SingleQueue<P, $scheme>),)+
                /// A queue for each flow, under copies of one scheme.
                Fair(FairQueue<P, AnyAqm>),
                /// A queue for each flow or class, under copies of one scheme, by other rules
                /// than RFC 8290's.
                RuledFair(FairQueue<P, AnyAqm, true>),
                /// A queue for each flow, under copies of CoDel.
                FairCodel(FairQueue<P, Codel>),
                /// A queue for each flow, under copies of CoDel, by rules of Linux's own.
                LinuxFairCodel(FairQueue<P, Codel, true>),
                /// CAKE: tins of queues for each flow, under copies of COBALT.
                Cake(CakeQueue<P, Cobalt>),
                /// A low-latency and a Classic queue under one controller.
                Dual(DualQueue<P>),
            }
        }

        impl<P: Packet> AnyQueue<P> {
            /// One empty queue under `aqm`; see [`SingleQueue::new`].
            pub fn single(aqm: AnyAqm, limit: Limit, random: Pcg32) -> AnyQueue<P> {
                match aqm {
                    $(AnyAqm::$variant(aqm) => {
                        AnyQueue::$variant(SingleQueue::new(aqm, limit, random))
                    })+
                }
            }
        }
    };
}

every_aqm!(any_queue);

impl<P: Packet> AnyQueue<P> {
    /// The drop curve at its present strength, if this is a single queue of the RED family.
    pub fn curve(&self) -> Option<&Curve> {
        match self {
            AnyQueue::Red(queue) => Some(queue.aqm().curve()),
            _ => None,
        }
    }

    /// What [`FairQueue::pause_class`] does; `false` for any other queue.
    pub fn pause_class(&mut self, class: u8, pauses: bool) -> bool {
        match self {
            AnyQueue::RuledFair(queue) => queue.pause_class(class, pauses),
            _ => false,
        }
    }

    /// What [`FairQueue::protect_class`] does; nothing for any other queue.
    pub fn protect_class(&mut self, class: u8) {
        if let AnyQueue::RuledFair(queue) = self {
            queue.protect_class(class);
        }
    }

    /// The bytes that wait where packets of a class go; `None` where packets are not told apart by
    /// class.
    pub fn bytes_of_class(&self, class: u8) -> Option<u64> {
        match self {
            AnyQueue::RuledFair(queue) => queue.bytes_of_class(class),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counters::Tally;
    use crate::packet::Ecn;
    use crate::random::Pcg32;
    use crate::registry::{LinkFacts, SCHEMES, Spec};
    use crate::testing::{TestPacket, mbps};
    use alloc::format;
    use alloc::vec::Vec;

    /// Overload, calm and idle times from 40 flows; checks the identity after every step.
    fn exercise(name: &str, queue: &mut AnyQueue<TestPacket>) {
        let mut random = Pcg32::new(3, 9);
        let mut now = Nanos::ZERO;
        for step in 0..6000_u32 {
            now += Nanos(u64::from(random.below(1_000_000)));
            let busy = [0.7, 0.3, 0.0][(step / 700) as usize % 3];
            if random.chance(busy) {
                let ecn = Ecn::from_bits(random.below(4) as u8);
                let (flow, size) = (random.below(40).into(), 40 + random.below(1461));
                let _ = queue.enqueue(now, TestPacket { flow, size, ecn });
            } else {
                let _ = queue.dequeue(now);
            }
            let counters = queue.counters();
            let (left, lost) = (counters.departed, counters.dropped());
            let accounted = Tally {
                packets: left.packets + lost.packets + u64::from(queue.packets()),
                bytes: left.bytes + lost.bytes + queue.bytes(),
            };
            assert_eq!(counters.arrived, accounted, "{name}, step {step}");
            assert!(counters.marked.packets <= counters.arrived.packets);
        }
    }

    #[test]
    fn every_scheme_by_every_preset_accounts_for_every_packet() {
        let link = LinkFacts::at(mbps(8));
        let plan = |name: &str| name.parse::<Spec>().unwrap().plan(&link);
        for scheme in SCHEMES {
            for preset in scheme.presets {
                let name = format!("{}:as={}", scheme.name, preset.name);
                exercise(&name, &mut plan(&name).unwrap().queue(1));
            }
            let name = format!("{}:limit=30", scheme.name);
            // So small a limit may be below a scheme's thresholds, which is an error.
            if let Ok(plan) = plan(&name) {
                exercise(&name, &mut plan.queue(1));
            }
        }
    }

    #[test]
    fn a_growing_queue_decides_alike_and_takes_no_more_memory() {
        for scheme in SCHEMES {
            let plan = Spec::of(scheme).plan(&LinkFacts::at(mbps(8))).unwrap();
            let (mut reserved, mut growing) = (plan.queue(1), plan.growing().queue(1));
            assert!(growing.memory() < reserved.memory(), "{}", scheme.name);
            exercise(scheme.name, &mut reserved);
            exercise(scheme.name, &mut growing);
            assert_eq!(reserved.counters(), growing.counters(), "{}", scheme.name);
            assert!(growing.memory() <= reserved.memory(), "{}", scheme.name);
        }
    }

    #[test]
    fn every_scheme_shows_exactly_the_probes_it_lists() {
        for scheme in SCHEMES {
            let plan = Spec::of(scheme).plan(&LinkFacts::at(mbps(8))).unwrap();
            let mut shown = Vec::new();
            plan.queue::<TestPacket>(1).probes(&mut |name, value| {
                assert!(!value.is_nan(), "{}: {name}", scheme.name);
                shown.push(name);
            });
            let listed: Vec<_> = scheme.probes.iter().map(|probe| probe.name).collect();
            assert_eq!(shown, listed, "{}", scheme.name);
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_counters() {
        for scheme in SCHEMES {
            let plan = Spec::of(scheme).plan(&LinkFacts::at(mbps(8))).unwrap();
            let counters = [5, 5].map(|seed| {
                let mut queue = plan.queue(seed);
                exercise(scheme.name, &mut queue);
                queue.counters().clone()
            });
            assert_eq!(counters[0], counters[1], "{}", scheme.name);
        }
    }
}
