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

use crate::aqm::{Aqm, Backlog, Verdict, WaitingPackets, each_call, start_among};
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

/// Makes the call `$call` of what `$any` holds.
macro_rules! in_variant {
    ($any:ident, $name:ident($($variant:ident)+), $call:ident $arguments:tt) => {
        match $any {
            $($name::$variant(held) => held.$call $arguments),+
        }
    };
}
use in_variant;

/// A method of an enum that makes the same call of what it holds.
macro_rules! to_variant {
    (
        $name:ident $variants:tt
        $(#[$inline:meta])* [$($mut:ident)?] $call:ident $(<$($generic:ident: $bound:ident),+>)?
        ($($argument:ident: $type:ty),*) $(-> $result:ty)?
    ) => {
        $(#[$inline])*
        fn $call $(<$($generic: $bound),+>)? (&$($mut)? self $(, $argument: $type)*) $(-> $result)? {
            in_variant!(self, $name $variants, $call($($argument),*))
        }
    };
}
use to_variant;

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
            each_call!(to_variant AnyAqm($($variant)+));

            fn continue_from(&mut self, now: Nanos, old: Self, waiting: WaitingPackets<'_>) {
                match (self, old) {
                    $((AnyAqm::$variant(aqm), AnyAqm::$variant(old)) => {
                        aqm.continue_from(now, old, waiting);
                    })+
                    (aqm, _) => start_among(aqm, waiting),
                }
            }
        }
    };
}

every_aqm!(any_aqm);
