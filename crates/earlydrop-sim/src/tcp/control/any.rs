//! Any of the controllers, as an enum: dispatch by `match`, so that Reno's fast path is inlined.

use earlydrop::units::Nanos;

use super::bbr::{self, Bbr};
use super::bbr3::{self, Bbr3};
use super::cubic::{self, Cubic};
use super::dctcp::{self, Dctcp};
use super::prague::{self, Prague};
use super::reno::Reno;
use super::scalable::{self, Scalable};
use super::{AckSample, CongestionEvent, Control, LostSegment};
use crate::tcp::profile::{Algorithm, Growth, Profile, RenoEstimate};

/// Defines [`AnyControl`] and forwards every call to the controller in it. Reno's `cwnd` and
/// `on_ack` are inlined into the caller, since every acknowledgment calls them and Reno needs
/// little of an [`AckSample`]; those of the others are not.
macro_rules! any_control {
    ($($name:ident => $state:ty, $new:expr;)*) => {
        /// One of the controllers.
        #[derive(Clone, Debug)]
        pub enum AnyControl {
            $(#[doc = concat!("[`Algorithm::", stringify!($name), "`].")] $name($state),)*
        }

        impl AnyControl {
            #[inline(never)]
            fn other_cwnd(&self) -> f64 {
                match self { $(AnyControl::$name(control) => control.cwnd(),)* }
            }

            #[inline(never)]
            fn other_on_ack(&mut self, ack: AckSample) {
                match self { $(AnyControl::$name(control) => control.on_ack(&ack),)* }
            }

            /// The controller that `profile` chooses, with the seed of what it draws at random.
            pub fn new(profile: &Profile, seed: u64) -> AnyControl {
                match profile.control {
                    $(Algorithm::$name => AnyControl::$name(create(profile, seed, $new)),)*
                }
            }
        }

        impl Control for AnyControl {
            #[inline(always)]
            fn cwnd(&self) -> f64 {
                match self {
                    AnyControl::Reno(control) => control.cwnd(),
                    _ => self.other_cwnd(),
                }
            }
            #[inline]
            fn ssthresh(&self) -> f64 {
                match self { $(AnyControl::$name(control) => control.ssthresh(),)* }
            }
            #[inline(always)]
            fn on_ack(&mut self, ack: &AckSample) {
                match self {
                    AnyControl::Reno(control) => control.on_ack(ack),
                    _ => self.other_on_ack(*ack),
                }
            }
            fn on_loss(&mut self, lost: &LostSegment) {
                match self { $(AnyControl::$name(control) => control.on_loss(lost),)* }
            }
            fn on_congestion(&mut self, congestion: &CongestionEvent) {
                match self { $(AnyControl::$name(control) => control.on_congestion(congestion),)* }
            }
            fn on_recovery_end(&mut self, now: Nanos) {
                match self { $(AnyControl::$name(control) => control.on_recovery_end(now),)* }
            }
            fn on_timeout(&mut self, now: Nanos, in_flight: u32, again: bool) {
                match self { $(AnyControl::$name(control) => control.on_timeout(now, in_flight, again),)* }
            }
            fn on_restart(&mut self, now: Nanos, initial_window: f64) {
                match self { $(AnyControl::$name(control) => control.on_restart(now, initial_window),)* }
            }
            fn reduces_for_loss_after_mark(&self) -> bool {
                match self { $(AnyControl::$name(control) => control.reduces_for_loss_after_mark(),)* }
            }
            fn paces(&self) -> bool {
                match self { $(AnyControl::$name(control) => control.paces(),)* }
            }
            #[inline]
            fn pacing_rate(&self) -> Option<f64> {
                match self { $(AnyControl::$name(control) => control.pacing_rate(),)* }
            }
            fn wants_rate_sample(&self) -> bool {
                match self { $(AnyControl::$name(control) => control.wants_rate_sample(),)* }
            }
        }
    };
}

any_control! {
    Reno => Reno, |profile, _| Reno::new(profile);
    Cubic => Box<Cubic>, |profile, _| Box::new(Cubic::new(initial_cwnd(profile), initial_ssthresh(profile), cubic_parameters(profile)));
    Dctcp => Box<Dctcp>, |profile, _| Box::new(Dctcp::new(initial_cwnd(profile), initial_ssthresh(profile), dctcp::Parameters::default()));
    Prague => Box<Prague>, |profile, _| Box::new(Prague::new(initial_cwnd(profile), initial_ssthresh(profile), prague_parameters(profile)));
    Scalable => Box<Scalable>, |profile, _| Box::new(Scalable::new(initial_cwnd(profile), initial_ssthresh(profile), scalable::Parameters::default()));
    Bbr => Box<Bbr>, |profile, seed| Box::new(Bbr::new(initial_cwnd(profile), seed, bbr::Parameters::default()));
    Bbr3 => Box<Bbr3>, |profile, seed| Box::new(Bbr3::new(initial_cwnd(profile), seed, bbr3::Parameters::default()));
}

/// Calls `new`, whose arguments' types are known only here.
fn create<T>(profile: &Profile, seed: u64, new: impl Fn(&Profile, u64) -> T) -> T {
    new(profile, seed)
}

fn initial_cwnd(profile: &Profile) -> f64 {
    f64::from(profile.initial_window)
}

fn cubic_parameters(profile: &Profile) -> cubic::Parameters {
    cubic::Parameters {
        alpha_rises: profile.reno_estimate == RenoEstimate::Rising,
        linux_growth: profile.growth == Growth::CountedAsLinux,
        whole_cuts: profile.whole_cuts,
        least_after_mark: f64::from(profile.least_after_mark),
        ..cubic::Parameters::default()
    }
}

fn prague_parameters(profile: &Profile) -> prague::Parameters {
    prague::Parameters {
        classic_ecn_fallback: profile.classic_ecn_fallback,
        ..prague::Parameters::default()
    }
}

fn initial_ssthresh(profile: &Profile) -> Option<f64> {
    profile.initial_ssthresh.map(f64::from)
}

impl AnyControl {
    /// Grows `cwnd` of Reno with ns-2's rules by one acknowledgment. `false` means nothing was
    /// done.
    #[inline(always)]
    pub(crate) fn grow_as_ns2(&mut self) -> bool {
        match self {
            AnyControl::Reno(control) => control.grow_as_ns2(),
            _ => false,
        }
    }

    /// Moves `cwnd` of Reno by `segments`, as ns-2's recovery does.
    pub(crate) fn shift(&mut self, segments: f64) {
        if let AnyControl::Reno(control) = self {
            control.shift(segments);
        }
    }
}
