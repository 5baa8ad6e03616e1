//! Every scheme, one file each.
//!
//! To add one, write its file and add its line to `schemes!` (a curve of the RED
//! family: also to [`CURVES`]; a scheme with a state of its own: also to
//! `every_aqm!`). It then appears in the command line, the scenario format, the
//! documentation, the property tests and the reports.

pub mod ared;
pub mod blue;
pub mod choke;
pub mod clred;
pub mod cobalt;
pub mod codel;
pub(crate) mod common;
pub mod droptail;
pub mod dsred;
pub mod dualpi2;
pub mod feng;
pub mod fq_codel;
pub mod fq_red;
pub mod fred;
pub mod gred;
pub mod lru_red;
pub mod mred;
pub mod nlred;
pub mod pi;
pub mod pi2;
pub mod pi_controller;
pub mod pie;
pub mod rared;
pub mod red;
pub mod rem;
pub mod restraint;
pub mod sfb;
pub mod sfred;
pub mod sred;
pub mod step;
pub mod wred;

use crate::aqm::{Aqm, Backlog, Verdict};
use crate::packet::Facts;
use crate::random::Pcg32;
use crate::red::CurveLaw;
use crate::registry::Descriptor;
use crate::units::{BitsPerSec, Nanos};

/// Lists the schemes of these files, and their files for the manual.
macro_rules! schemes {
    ($($module:ident),+ $(,)?) => {
        /// Every registered scheme, in the order they are shown.
        pub const SCHEMES: &[&Descriptor] = &[$(&$module::SCHEME),+];

        /// Every scheme's name and the file it is documented in.
        #[cfg(feature = "manual")]
        pub(crate) const FILES: &[(&str, &str)] = &[
            $(($module::SCHEME.name, include_str!(concat!(stringify!($module), ".rs")))),+
        ];
    };
}

schemes! {
    droptail,
    red,
    gred,
    dsred,
    nlred,
    mred,
    clred,
    ared,
    feng,
    restraint,
    rared,
    sfred,
    lru_red,
    fred,
    choke,
    wred,
    rem,
    blue,
    sfb,
    sred,
    pi,
    pie,
    pi2,
    dualpi2,
    codel,
    cobalt,
    fq_codel,
    fq_red,
    step,
}

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

/// Every scheme for one queue, for the enums that hold one of them.
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
        }
    };
}
pub(crate) use every_aqm;

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
