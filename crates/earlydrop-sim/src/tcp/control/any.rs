//! Any of the controllers, told apart without a pointer to functions.

use earlydrop::units::Nanos;

use super::bbr::{self, Bbr};
use super::cubic::{self, Cubic};
use super::dctcp::{self, Dctcp};
use super::reno::Reno;
use super::scalable::{self, Scalable};
use super::{Acked, Congestion, Control};
use crate::tcp::profile::{Algorithm, Growth, Profile, RenoEstimate};

/// Hands a call on to whichever controller there is. Reno's answers to what every
/// acknowledgment asks are let in where they are asked for: it is asked often, and most
/// of what it is told is of no use to it.
macro_rules! any_control {
    ($($name:ident => $state:ty, $new:expr;)*) => {
        /// One of the controllers.
        #[derive(Clone, Debug)]
        pub enum AnyControl {
            $(#[doc = concat!("[`Algorithm::", stringify!($name), "`].")] $name($state),)*
        }

        impl AnyControl {
            #[inline(never)]
            fn ask_window(&self) -> f64 {
                match self { $(AnyControl::$name(control) => control.window(),)* }
            }

            #[inline(never)]
            fn tell_acked(&mut self, acked: Acked) {
                match self { $(AnyControl::$name(control) => control.on_acked(&acked),)* }
            }

            /// The controller a profile asks for; `seed` is for what it draws by chance.
            pub fn new(profile: &Profile, seed: u64) -> AnyControl {
                match profile.control {
                    $(Algorithm::$name => AnyControl::$name(create(profile, seed, $new)),)*
                }
            }
        }

        impl Control for AnyControl {
            #[inline(always)]
            fn window(&self) -> f64 {
                match self {
                    AnyControl::Reno(control) => control.window(),
                    _ => self.ask_window(),
                }
            }
            #[inline]
            fn threshold(&self) -> f64 {
                match self { $(AnyControl::$name(control) => control.threshold(),)* }
            }
            #[inline(always)]
            fn on_acked(&mut self, acked: &Acked) {
                match self {
                    AnyControl::Reno(control) => control.on_acked(acked),
                    _ => self.tell_acked(*acked),
                }
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
            fn paces(&self) -> bool {
                match self { $(AnyControl::$name(control) => control.paces(),)* }
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
    Reno => Reno, |profile, _| Reno::new(profile);
    Cubic => Box<Cubic>, |profile, _| Box::new(Cubic::new(first(profile), threshold(profile), cubic_of(profile)));
    Dctcp => Box<Dctcp>, |profile, _| Box::new(Dctcp::new(first(profile), threshold(profile), dctcp::Parameters::default()));
    Scalable => Box<Scalable>, |profile, _| Box::new(Scalable::new(first(profile), threshold(profile), scalable::Parameters::default()));
    Bbr => Box<Bbr>, |profile, seed| Box::new(Bbr::new(first(profile), seed, bbr::Parameters::default()));
}

/// Calls `new`, whose arguments' types are known only here.
fn create<T>(profile: &Profile, seed: u64, new: impl Fn(&Profile, u64) -> T) -> T {
    new(profile, seed)
}

fn first(profile: &Profile) -> f64 {
    f64::from(profile.initial_window)
}

fn cubic_of(profile: &Profile) -> cubic::Parameters {
    cubic::Parameters {
        alpha_rises: profile.reno_estimate == RenoEstimate::Rising,
        whole_growth: profile.growth == Growth::CountedAsLinux,
        whole_cuts: profile.whole_cuts,
        least_after_mark: f64::from(profile.least_after_mark),
        ..cubic::Parameters::default()
    }
}

fn threshold(profile: &Profile) -> Option<f64> {
    profile.initial_threshold.map(f64::from)
}

impl AnyControl {
    /// Grows the window by an acknowledgment of which nothing else counts: Reno's with
    /// ns-2's rules. `false`: this did nothing.
    #[inline(always)]
    pub(crate) fn grow_as_ns2(&mut self) -> bool {
        match self {
            AnyControl::Reno(control) => control.grow_as_ns2(),
            _ => false,
        }
    }

    /// Moves the window of Reno as ns-2's recovery does.
    pub(crate) fn shift(&mut self, segments: f64) {
        if let AnyControl::Reno(control) = self {
            control.shift(segments);
        }
    }
}
