//! Congestion control: `cwnd`, the number of segments that may be in flight.
//!
//! A controller knows no sequence numbers, holes or timers. Loss recovery decides *when* a
//! segment was lost and retransmits it; it reports to the controller through the events of
//! [`Control`]. `cwnd` and `ssthresh` are in segments and may be fractional; the sender
//! compares whole segments with them.
//!
//! [`CONTROLLERS`] lists all of them. Names in scenarios and on the command line, titles, uses of
//! ECN and random tests follow from it.
//!
//! | file | `cwnd` on a mark (ECE) or loss |
//! |---|---|
//! | [`reno`] | half of FlightSize (RFC 5681, 3.1, equation 4) |
//! | [`cubic`] | 0.7 `cwnd` (RFC 9438, 4.6) |
//! | [`dctcp`] | mark: `cwnd (1 - alpha / 2)` (RFC 8257, 3.3); loss: half |
//! | [`prague`] | mark: `cwnd (1 - alpha / 2)` (draft-briscoe-iccrg-prague-congestion-control, 2.4.2); loss: half |
//! | [`scalable`] | as DCTCP, the sender of RFC 9332's analysis |
//! | [`bbr`] | mark: ignored; loss: packet conservation for a round |
//! | [`dcqcn`] | mark: `rate (1 - alpha / 2)`, without a `cwnd` (Zhu et al. 2015); loss: ignored |
//! | [`bbr3`] | by a model of the path, bounded by losses and marks (draft-ietf-ccwg-bbr) |

mod ack_counter;
mod aimd;
pub mod bbr;
pub mod bbr3;
pub mod cubic;
pub mod dcqcn;
pub mod dctcp;
mod events;
pub mod hystart;
pub mod prague;
pub mod reno;
mod round;
pub mod scalable;
#[cfg(test)]
mod testing;
mod windowed_max;

use earlydrop::units::Nanos;

use super::settings::{EcnFeedback, EcnMode, Growth, HyStartKind, RenoEstimate};
use bbr::Bbr;
use bbr3::Bbr3;
use cubic::Cubic;
use dcqcn::Dcqcn;
use dctcp::Dctcp;
use prague::Prague;
use scalable::Scalable;

pub(super) use aimd::three_quarters;
pub use events::{
    AckSample, CongestionEvent, Control, ControlSettings, LostSegment, RateSample, Signal, Windows,
};
pub use reno::Reno;

/// What is known of a controller beside its rules.
#[derive(Clone, Copy, Debug)]
pub struct Controller {
    /// Which it is.
    pub algorithm: Algorithm,
    /// Its name in scenarios and on the command line.
    pub name: &'static str,
    /// Its name in sentences.
    pub title: &'static str,
    /// What it does, in one line.
    pub meaning: &'static str,
    /// How it uses ECN, unless a profile says otherwise.
    pub ecn: EcnMode,
    /// The feedback that it needs, unless a profile says otherwise; `None`: as `ecn` says.
    pub feedback: Option<EcnFeedback>,
    /// Whether it goes by the number of marks, and not only by the first of a round trip.
    pub counts_marks: bool,
    /// Whether it measures delivery rates, which needs SACK and the standard rules.
    pub measures_rates: bool,
    /// Linux's name of it, where Linux has it.
    pub linux_name: Option<&'static str>,
}

impl Algorithm {
    /// Its line in [`CONTROLLERS`].
    pub const fn controller(self) -> &'static Controller {
        &CONTROLLERS[self as usize]
    }
}

/// Defines [`Algorithm`], [`CONTROLLERS`] and [`AnyControl`], which forwards every call to the
/// controller in it by `match`. Reno's `cwnd` and `on_ack` are inlined into the caller, since every
/// ACK calls them and Reno needs little of an [`AckSample`]; those of the others are not.
macro_rules! controllers {
    ($($(#[$doc:meta])* $name:ident => $state:ty, $new:expr, { $($fact:tt)* })*) => {
        /// The congestion control algorithm: how many segments may be in flight.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Algorithm {
            $($(#[$doc])* $name,)*
        }

        /// All controllers, in the order of [`Algorithm`].
        pub const CONTROLLERS: &[Controller] = &[
            $(Controller { algorithm: Algorithm::$name, $($fact)* },)*
        ];

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

            /// A controller of `algorithm`, with the seed of what it draws at random.
            pub fn new(algorithm: Algorithm, settings: &ControlSettings, seed: u64) -> AnyControl {
                match algorithm {
                    $(Algorithm::$name => AnyControl::$name(create(settings, seed, $new)),)*
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
            fn on_handshake(&mut self, now: Nanos, rtt: Nanos) {
                match self { $(AnyControl::$name(control) => control.on_handshake(now, rtt),)* }
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
            fn leave_after_timeout(&mut self, cwnd: f64) {
                match self { $(AnyControl::$name(control) => control.leave_after_timeout(cwnd),)* }
            }
            fn undo(&mut self, before: &Windows) {
                match self { $(AnyControl::$name(control) => control.undo(before),)* }
            }
            fn on_restart(&mut self, now: Nanos, initial_window: f64) {
                match self { $(AnyControl::$name(control) => control.on_restart(now, initial_window),)* }
            }
            fn on_transmit_start(&mut self, now: Nanos, last: Nanos) {
                match self { $(AnyControl::$name(control) => control.on_transmit_start(now, last),)* }
            }
            fn reduces_for_loss_after_mark(&self) -> bool {
                match self { $(AnyControl::$name(control) => control.reduces_for_loss_after_mark(),)* }
            }
            fn advance(&mut self, now: Nanos) {
                match self { $(AnyControl::$name(control) => control.advance(now),)* }
            }
            fn on_sent(&mut self) {
                match self { $(AnyControl::$name(control) => control.on_sent(),)* }
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

controllers! {
    /// Additive increase, multiplicative decrease (RFC 5681).
    Reno => Reno, |settings, _| Reno::new(settings), {
        name: "reno",
        title: "Reno",
        meaning: "additive increase, multiplicative decrease (RFC 5681)",
        ecn: EcnMode::Off,
        feedback: None,
        counts_marks: false,
        measures_rates: false,
        linux_name: Some("reno"),
    }
    /// `cwnd` grows by a cubic function of time (RFC 9438).
    Cubic => Box<Cubic>, |settings, _| Box::new(Cubic::new(initial_cwnd(settings), initial_ssthresh(settings), cubic_parameters(settings))), {
        name: "cubic",
        title: "CUBIC",
        meaning: "growth by a cubic function of time (RFC 9438)",
        ecn: EcnMode::Off,
        feedback: None,
        counts_marks: false,
        measures_rates: false,
        linux_name: Some("cubic"),
    }
    /// `cwnd` is reduced by the fraction of segments marked (RFC 8257).
    Dctcp => Box<Dctcp>, |settings, _| Box::new(Dctcp::new(initial_cwnd(settings), initial_ssthresh(settings), dctcp_parameters(settings))), {
        name: "dctcp",
        title: "DCTCP",
        meaning: "reduces cwnd in proportion to the share of segments marked (RFC 8257)",
        ecn: EcnMode::Dctcp,
        feedback: None,
        counts_marks: true,
        measures_rates: false,
        linux_name: Some("dctcp"),
    }
    /// TCP Prague, for the low-latency queue of RFC 9332
    /// (draft-briscoe-iccrg-prague-congestion-control). Needs feedback that counts marks.
    Prague => Box<Prague>, |settings, _| Box::new(Prague::new(initial_cwnd(settings), initial_ssthresh(settings), prague_parameters(settings))), {
        name: "prague",
        title: "Prague",
        meaning: "a scalable sender for L4S queues, made for the Internet (TCP Prague, draft-briscoe-iccrg-prague-congestion-control)",
        ecn: EcnMode::L4s,
        feedback: Some(EcnFeedback::AccEcn),
        counts_marks: true,
        measures_rates: false,
        linux_name: None,
    }
    /// The scalable sender of RFC 9332's analysis, without what Prague adds for the Internet.
    /// Needs [`EcnMode::L4s`].
    Scalable => Box<Scalable>, |settings, _| Box::new(Scalable::new(initial_cwnd(settings), initial_ssthresh(settings), scalable::Parameters::default())), {
        name: "scalable",
        title: "scalable",
        meaning: "the scalable sender of RFC 9332's analysis: Prague without RTT independence, fallback and AccECN",
        ecn: EcnMode::L4s,
        feedback: None,
        counts_marks: true,
        measures_rates: false,
        linux_name: None,
    }
    /// BBR: a model of the path's bandwidth and round trip. Needs SACK.
    Bbr => Box<Bbr>, |settings, seed| Box::new(Bbr::new(initial_cwnd(settings), seed, bbr_parameters(settings))), {
        name: "bbr",
        title: "BBR",
        meaning: "a model of the path's bandwidth and round-trip time (BBR version 1)",
        ecn: EcnMode::Off,
        feedback: None,
        counts_marks: false,
        measures_rates: true,
        linux_name: Some("bbr"),
    }
    /// BBR, version 3: bounded by losses and marks too (draft-ietf-ccwg-bbr). Needs SACK.
    Bbr3 => Box<Bbr3>, |settings, seed| Box::new(Bbr3::new(initial_cwnd(settings), seed, bbr3::Parameters::default())), {
        name: "bbr3",
        title: "BBRv3",
        meaning: "the same, bounded by losses and marks (BBR version 3, draft-ietf-ccwg-bbr)",
        ecn: EcnMode::Off,
        feedback: None,
        counts_marks: true,
        measures_rates: true,
        linux_name: Some("bbr3"),
    }
    /// DCQCN: the rate of a network card for RDMA (Zhu et al. 2015). Needs
    /// [`EcnFeedback::Cnp`], or another report of each mark.
    Dcqcn => Box<Dcqcn>, |settings, _| Box::new(Dcqcn::new(settings.line_rate, settings.segment_size, settings.card)), {
        name: "dcqcn",
        title: "DCQCN",
        meaning: "a network card's rate for RDMA, cut by congestion notifications (Zhu et al. 2015)",
        ecn: EcnMode::Dctcp,
        feedback: Some(EcnFeedback::Cnp),
        counts_marks: true,
        measures_rates: false,
        linux_name: None,
    }
}

/// Calls `new`, whose arguments' types are known only here.
fn create<T>(settings: &ControlSettings, seed: u64, new: impl Fn(&ControlSettings, u64) -> T) -> T {
    new(settings, seed)
}

fn initial_cwnd(settings: &ControlSettings) -> f64 {
    f64::from(settings.initial_window)
}

fn cubic_parameters(settings: &ControlSettings) -> cubic::Parameters {
    cubic::Parameters {
        alpha_rises: settings.reno_estimate == RenoEstimate::Rising,
        linux_growth: settings.growth == Growth::CountedAsLinux,
        whole_cuts: settings.whole_cuts,
        least_after_mark: f64::from(settings.least_after_mark),
        hystart: (settings.hystart == HyStartKind::PlusPlus).then(hystart::Parameters::default),
        linux_hystart: settings.hystart == HyStartKind::Linux,
        payload: settings.payload,
        ..cubic::Parameters::default()
    }
}

fn dctcp_parameters(settings: &ControlSettings) -> dctcp::Parameters {
    dctcp::Parameters {
        linux: settings.growth == Growth::CountedAsLinux,
        ..dctcp::Parameters::default()
    }
}

fn bbr_parameters(settings: &ControlSettings) -> bbr::Parameters {
    let linux = settings.growth == Growth::CountedAsLinux;
    bbr::Parameters {
        high_gain: match linux {
            true => bbr::LINUX_HIGH_GAIN,
            false => bbr::Parameters::default().high_gain,
        },
        linux_payload: linux.then_some(settings.payload),
        ..bbr::Parameters::default()
    }
}

fn prague_parameters(settings: &ControlSettings) -> prague::Parameters {
    prague::Parameters {
        classic_ecn_fallback: settings.classic_ecn_fallback,
        ..prague::Parameters::default()
    }
}

fn initial_ssthresh(settings: &ControlSettings) -> Option<f64> {
    settings.initial_ssthresh.map(f64::from)
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
