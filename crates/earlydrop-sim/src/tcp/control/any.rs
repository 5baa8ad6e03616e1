//! Any of the controllers, told apart without a pointer to functions.

use earlydrop::units::Nanos;

use super::reno::Reno;
use super::{Acked, Congestion, Control};
use crate::tcp::profile::{Algorithm, Profile};

/// Hands a call on to whichever controller there is.
macro_rules! any_control {
    ($($name:ident => $state:ty, $new:expr;)*) => {
        /// One of the controllers.
        #[derive(Clone, Debug)]
        pub enum AnyControl {
            $(#[doc = concat!("[`Algorithm::", stringify!($name), "`].")] $name($state),)*
        }

        impl AnyControl {
            /// The controller a profile asks for.
            pub fn new(profile: &Profile) -> AnyControl {
                match profile.control {
                    $(Algorithm::$name => AnyControl::$name($new(profile)),)*
                }
            }
        }

        impl Control for AnyControl {
            #[inline]
            fn window(&self) -> f64 {
                match self { $(AnyControl::$name(control) => control.window(),)* }
            }
            #[inline]
            fn threshold(&self) -> f64 {
                match self { $(AnyControl::$name(control) => control.threshold(),)* }
            }
            #[inline]
            fn on_acked(&mut self, acked: &Acked) {
                match self { $(AnyControl::$name(control) => control.on_acked(acked),)* }
            }
            fn on_congestion(&mut self, congestion: &Congestion) {
                match self { $(AnyControl::$name(control) => control.on_congestion(congestion),)* }
            }
            fn on_recovered(&mut self, now: Nanos) {
                match self { $(AnyControl::$name(control) => control.on_recovered(now),)* }
            }
            fn on_timeout(&mut self, now: Nanos, in_flight: u32, again: bool) {
                match self { $(AnyControl::$name(control) => control.on_timeout(now, in_flight, again),)* }
            }
            fn on_restart(&mut self, now: Nanos, initial_window: f64) {
                match self { $(AnyControl::$name(control) => control.on_restart(now, initial_window),)* }
            }
            #[inline]
            fn pacing_rate(&self) -> Option<f64> {
                match self { $(AnyControl::$name(control) => control.pacing_rate(),)* }
            }
            fn wants_delivery_rate(&self) -> bool {
                match self { $(AnyControl::$name(control) => control.wants_delivery_rate(),)* }
            }
        }
    };
}

any_control! {
    Reno => Reno, Reno::new;
}

impl AnyControl {
    /// Moves the window of a controller that follows ns-2's rules.
    pub(crate) fn shift(&mut self, segments: f64) {
        match self {
            AnyControl::Reno(control) => control.shift(segments),
        }
    }
}
