//! Types over all schemes: any scheme for one queue, any queue, and the plan of one.
//!
//! These enums name every scheme, so that a packet follows no pointer. The rest of the crate
//! depends on traits and tables only.

mod change;
mod custom;
mod plan;
mod queue;
mod why;

pub use custom::BoxedAqm;
pub use plan::Plan;
pub use queue::AnyQueue;

use crate::aqm::{Aqm, Backlog, Verdict, start_among};
use crate::packet::PacketInfo;
use crate::random::Pcg32;
use crate::steering::{Setting, SteerError};
use crate::units::{BitsPerSec, Nanos};

/// Lists every scheme for one queue, for the enums that hold one of them.
macro_rules! every_aqm {
    ($apply:ident) => {
        $apply! {
            DropTail($crate::schemes::droptail::DropTail),
            Red($crate::red::Red),
            Wred($crate::schemes::wred::Wred),
            Step($crate::schemes::step::Step),
            Rem($crate::schemes::rem::Rem),
            Blue($crate::schemes::blue::Blue),
            Sfb($crate::schemes::sfb::Sfb),
            Sred($crate::schemes::sred::Sred),
            Pi($crate::schemes::pi::Pi),
            Pie($crate::schemes::pie::Pie),
            Pi2($crate::schemes::pi2::Pi2),
            Codel($crate::schemes::codel::Codel),
            Cobalt($crate::schemes::cobalt::Cobalt),
            Dial($crate::schemes::dial::Dial),
            Custom($crate::any::BoxedAqm),
        }
    };
}
use every_aqm;

/// Makes the enum of schemes, which is a scheme itself.
macro_rules! any_aqm {
    ($($variant:ident($scheme:ty)),+ $(,)?) => {
        /// Any scheme for one queue, chosen at run time.
        ///
        /// The enum holds the scheme by value, so a verdict follows no pointer. Only
        /// [`Custom`](AnyAqm::Custom), a scheme of the program's own, is boxed.
        #[derive(Clone, Debug)]
        #[non_exhaustive]
        #[allow(missing_docs, clippy::large_enum_variant)]
        pub enum AnyAqm {
            $($variant($scheme)),+
        }

        $(impl From<$scheme> for AnyAqm {
            fn from(aqm: $scheme) -> AnyAqm {
                AnyAqm::$variant(aqm)
            }
        })+

        impl Aqm for AnyAqm {
            #[inline]
            fn on_arrival<Q: Backlog>(
                &mut self,
                now: Nanos,
                packet: &PacketInfo,
                queue: &Q,
                random: &mut Pcg32,
            ) -> Verdict {
                match self {
                    $(AnyAqm::$variant(aqm) => aqm.on_arrival(now, packet, queue, random)),+
                }
            }

            #[inline]
            fn on_accepted(&mut self, now: Nanos, packet: &PacketInfo) {
                match self {
                    $(AnyAqm::$variant(aqm) => aqm.on_accepted(now, packet)),+
                }
            }

            fn on_refused(&mut self, now: Nanos, packet: &PacketInfo) {
                match self {
                    $(AnyAqm::$variant(aqm) => aqm.on_refused(now, packet)),+
                }
            }

            #[inline]
            fn on_departure<Q: Backlog>(
                &mut self,
                now: Nanos,
                packet: &PacketInfo,
                queue: &Q,
                random: &mut Pcg32,
            ) -> Verdict {
                match self {
                    $(AnyAqm::$variant(aqm) => aqm.on_departure(now, packet, queue, random)),+
                }
            }

            fn on_evicted(&mut self, now: Nanos, packet: &PacketInfo) {
                match self {
                    $(AnyAqm::$variant(aqm) => aqm.on_evicted(now, packet)),+
                }
            }

            fn on_empty(&mut self, now: Nanos) {
                match self {
                    $(AnyAqm::$variant(aqm) => aqm.on_empty(now)),+
                }
            }

            fn on_idle(&mut self, now: Nanos) {
                match self {
                    $(AnyAqm::$variant(aqm) => aqm.on_idle(now)),+
                }
            }

            #[inline]
            fn poll<Q: Backlog>(&mut self, now: Nanos, queue: &Q) {
                match self {
                    $(AnyAqm::$variant(aqm) => aqm.poll(now, queue)),+
                }
            }

            fn next_deadline(&self) -> Option<Nanos> {
                match self {
                    $(AnyAqm::$variant(aqm) => aqm.next_deadline()),+
                }
            }

            fn on_link_rate(&mut self, now: Nanos, rate: BitsPerSec) {
                match self {
                    $(AnyAqm::$variant(aqm) => aqm.on_link_rate(now, rate)),+
                }
            }

            fn steer(&mut self, now: Nanos, setting: &Setting) -> Result<(), SteerError> {
                match self {
                    $(AnyAqm::$variant(aqm) => aqm.steer(now, setting)),+
                }
            }

            fn continue_from(
                &mut self,
                now: Nanos,
                old: Self,
                waiting: &mut dyn Iterator<Item = PacketInfo>,
            ) {
                match (self, old) {
                    $((AnyAqm::$variant(aqm), AnyAqm::$variant(old)) => {
                        aqm.continue_from(now, old, waiting);
                    })+
                    (aqm, _) => start_among(aqm, waiting),
                }
            }

            fn probes(&self, show: &mut dyn FnMut(&'static str, f64)) {
                match self {
                    $(AnyAqm::$variant(aqm) => aqm.probes(show)),+
                }
            }

            fn heap_bytes(&self) -> usize {
                match self {
                    $(AnyAqm::$variant(aqm) => aqm.heap_bytes()),+
                }
            }
        }
    };
}

every_aqm!(any_aqm);
