//! Every scheme, one file each.
//!
//! To add one, write its file and add its line to [`SCHEMES`] (a curve of the RED
//! family: also to [`CURVES`]; a scheme with a state of its own: also to
//! [`AnyAqm`]). It then appears in the command line, the scenario format, the
//! documentation, the property tests and the reports.

pub mod ared;
pub mod choke;
pub mod clred;
pub mod cobalt;
pub mod codel;
pub mod droptail;
pub mod dsred;
pub mod dualpi2;
pub mod feng;
pub mod fq_codel;
pub mod fq_red;
pub mod gred;
pub mod mred;
pub mod nlred;
pub mod rared;
pub mod red;
pub mod restraint;

use crate::aqm::{Aqm, Backlog, Verdict};
use crate::packet::Facts;
use crate::random::Pcg32;
use crate::red::{CurveLaw, Red};
use crate::registry::Descriptor;
use crate::units::{BitsPerSec, Nanos};

/// Every registered scheme, in the order they are shown.
pub const SCHEMES: &[&Descriptor] = &[
    &droptail::SCHEME,
    &red::SCHEME,
    &gred::SCHEME,
    &dsred::SCHEME,
    &nlred::SCHEME,
    &mred::SCHEME,
    &clred::SCHEME,
    &ared::SCHEME,
    &feng::SCHEME,
    &restraint::SCHEME,
    &rared::SCHEME,
    &choke::SCHEME,
    &codel::SCHEME,
    &cobalt::SCHEME,
    &fq_codel::SCHEME,
    &fq_red::SCHEME,
    &dualpi2::SCHEME,
];

/// Every curve of the RED family.
pub const CURVES: &[&CurveLaw] = &[
    &red::CURVE,
    &gred::CURVE,
    &dsred::CURVE,
    &nlred::CURVE,
    &nlred::GENTLE_CURVE,
    &mred::CURVE,
    &clred::CURVE,
];

/// Any scheme for one queue, chosen while the program runs.
macro_rules! any_aqm {
    ($($variant:ident($scheme:ty)),+ $(,)?) => {
        /// Any scheme for one queue, chosen while the program runs.
        #[derive(Clone, Debug)]
        // A queue holds one; what counts is that a verdict needs no pointer.
        #[allow(missing_docs, clippy::large_enum_variant)]
        pub enum AnyAqm {
            $($variant($scheme)),+
        }

        impl Aqm for AnyAqm {
            #[inline]
            fn on_arrival<Q: Backlog>(
                &mut self,
                now: Nanos,
                packet: &Facts,
                queue: &Q,
                random: &mut Pcg32,
            ) -> Verdict {
                match self {
                    $(AnyAqm::$variant(aqm) => aqm.on_arrival(now, packet, queue, random)),+
                }
            }

            #[inline]
            fn on_accepted(&mut self, now: Nanos, packet: &Facts) {
                match self {
                    $(AnyAqm::$variant(aqm) => aqm.on_accepted(now, packet)),+
                }
            }

            fn on_refused(&mut self, now: Nanos, packet: &Facts) {
                match self {
                    $(AnyAqm::$variant(aqm) => aqm.on_refused(now, packet)),+
                }
            }

            #[inline]
            fn on_departure<Q: Backlog>(
                &mut self,
                now: Nanos,
                packet: &Facts,
                queue: &Q,
                random: &mut Pcg32,
            ) -> Verdict {
                match self {
                    $(AnyAqm::$variant(aqm) => aqm.on_departure(now, packet, queue, random)),+
                }
            }

            fn on_evicted(&mut self, now: Nanos, packet: &Facts) {
                match self {
                    $(AnyAqm::$variant(aqm) => aqm.on_evicted(now, packet)),+
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

any_aqm! {
    DropTail(droptail::DropTail),
    Red(Red),
    Codel(codel::Codel),
    Cobalt(cobalt::Cobalt),
}
