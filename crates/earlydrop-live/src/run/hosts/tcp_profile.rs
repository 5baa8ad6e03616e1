//! What a profile of the simulator's TCP becomes: what routes say of it, and what holds for
//! both namespaces.
//!
//! | profile | kernel |
//! |---|---|
//! | `control` | the route's congestion control; cubic keeps its HyStart, bbr paces by itself |
//! | `recovery` | selective acknowledgments on or off; off, the kernel's recovery is NewReno's |
//! | `segment_size` | the route's largest packet and segment |
//! | `header_size` | 52: with timestamps, 40: without |
//! | `initial_window` | the route's |
//! | `receiver_window` | the route's, and again each time a socket is read: newer kernels let it grow when the first segment comes |
//! | `ecn` | the route's; `dctcp` where the control is |
//! | `timer.minimum` | the route's, in milliseconds, 1 ms at least |
//! | `delayed_acks` none | the route's quick acknowledgments; segments that come while the socket is being read are still answered together |
//! | `slow_start_restart` | the namespaces' |
//!
//! A profile may say in the simulator what the kernel does anyway: how windows grow and are
//! cut, and which acknowledgments are quick (`Profile::linux`). Nothing is set for that.
//!
//! What has a counterpart that cannot be chosen is left as the kernel has it: limited
//! transmit and lost retransmissions (it does the one and finds the others, by RFC 8985),
//! cuts in proportion (it always does, RFC 9937), the timer's rounds and first timeout
//! (1 ms, 1 s), how long an acknowledgment is held back (40 ms at least, by what it has
//! seen), sizes of acknowledgments, the handshake (always), ECN on retransmissions (only
//! dctcp's).

use earlydrop_sim::tcp::{Algorithm, EcnMode, Profile, Recovery, Rules};

use crate::netlink::{Metric, Metrics};
use crate::plan::MTU;

/// A message and what to do instead.
pub(super) type Problem = (String, String);

/// What holds for a whole namespace, and so for all flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HostWideTcp {
    pub(super) selective: bool,
    pub(super) timestamps: bool,
    pub(super) restart: bool,
}

impl Default for HostWideTcp {
    /// As the kernel comes.
    fn default() -> HostWideTcp {
        HostWideTcp {
            selective: true,
            timestamps: true,
            restart: true,
        }
    }
}

/// Headers of IPv4 and TCP without options.
const HEADERS: u32 = 40;
/// With timestamps.
const WITH_TIMESTAMPS: u32 = 52;
/// The least segment: less than the headers and TCP's least payload (88 bytes) is not sent.
const MIN_SEGMENT: u32 = 140;
/// The largest buffers of a connection, in bytes: 1 Gbps for half a second.
pub(super) const BUFFER: u64 = 64 << 20;
/// `RTAX_FEATURE_ECN`.
const ECN: u32 = 1;

/// What the kernel calls a congestion control.
fn name_of(control: Algorithm) -> Option<&'static str> {
    match control {
        Algorithm::Reno => Some("reno"),
        Algorithm::Cubic => Some("cubic"),
        Algorithm::Bbr => Some("bbr"),
        Algorithm::Dctcp => Some("dctcp"),
        Algorithm::Scalable => None,
    }
}

/// What of a profile the kernel, which has these congestion controls, cannot do.
pub(super) fn problem(profile: &Profile, controls: &[String]) -> Option<Problem> {
    sender_problem(profile)
        .or_else(|| control_problem(profile, controls))
        .or_else(|| size_problem(profile))
        .or_else(|| detail_problem(profile))
}

fn no(message: impl Into<String>, help: impl Into<String>) -> Option<Problem> {
    Some((message.into(), help.into()))
}

fn sender_problem(profile: &Profile) -> Option<Problem> {
    let others = "recovery = \"sack\" or \"newreno\"";
    match (profile.rules, profile.recovery) {
        (Rules::Ns2, Recovery::Tahoe) | (_, Recovery::Tahoe) => no(
            "live has no Tahoe sender: the kernel's TCP recovers by selective acknowledgments or as NewReno",
            format!("set profile = \"linux\" or \"modern\", and {others}"),
        ),
        (Rules::Ns2, _) => no(
            "live has no ns-2 sender: the kernel's TCP goes by the RFCs",
            "set profile = \"linux\" or \"modern\", and of it what the experiment needs",
        ),
        (_, Recovery::Reno) => no(
            "live has no Reno recovery: the kernel's stays until all losses of a window are updated_checksum",
            format!("set {others}; control = \"reno\" stays as it is"),
        ),
        _ => None,
    }
}

fn control_problem(profile: &Profile, controls: &[String]) -> Option<Problem> {
    let Some(name) = name_of(profile.control) else {
        return no(
            "live has no Scalable sender: the kernel has none",
            "set control = \"dctcp\" where the kernel has it, or \"reno\", \"cubic\" or \"bbr\"",
        );
    };
    if !controls.iter().any(|known| known == name) {
        return no(
            format!("this kernel has no {name}"),
            format!(
                "it has: {} (others are modules, tcp_{name})",
                controls.join(", ")
            ),
        );
    }
    match (profile.control, profile.ecn) {
        (Algorithm::Dctcp, EcnMode::Dctcp) | (_, EcnMode::Off | EcnMode::Classic)
            if (profile.control == Algorithm::Dctcp) == (profile.ecn == EcnMode::Dctcp) =>
        {
            None
        }
        (Algorithm::Dctcp, _) => no(
            "live has no dctcp with other marks than its own",
            "set ecn = \"dctcp\"",
        ),
        (_, EcnMode::L4s) => no(
            "live has no L4S marks: the kernel has none",
            "set ecn = \"on\" or \"off\"",
        ),
        _ => no(
            "live has dctcp's marks only with its congestion control",
            "set ecn = \"on\" or \"off\", or control = \"dctcp\"",
        ),
    }
}

fn size_problem(profile: &Profile) -> Option<Problem> {
    let (segment, header) = (profile.segment_size, profile.header_size);
    if ![HEADERS, WITH_TIMESTAMPS].contains(&header) {
        return no(
            format!("live has no headers of {header} bytes"),
            "set header = 52 (IPv4, TCP and its timestamps) or 40 (without timestamps)",
        );
    }
    if !(MIN_SEGMENT..=MTU).contains(&segment) {
        return no(
            format!("live has no segments of {segment} bytes"),
            format!("set segment to {MIN_SEGMENT} to {MTU} bytes"),
        );
    }
    None
}

fn detail_problem(profile: &Profile) -> Option<Problem> {
    if profile.initial_threshold.is_some() {
        return no(
            "live has no threshold for the first slow start: the kernel's ends at a loss",
            "set initial_threshold = \"never\"",
        );
    }
    if profile.max_burst.is_some() {
        return no(
            "live has no limit to bursts: the kernel sends what the window allows",
            "set max_burst = \"never\"",
        );
    }
    if profile.duplicate_threshold != 3 {
        return no(
            format!(
                "live has no threshold of {} duplicates: the kernel begins with 3 and adapts",
                profile.duplicate_threshold
            ),
            "set duplicates = 3",
        );
    }
    match profile.delayed_acks {
        Some(acks) if acks.every > 2 => no(
            format!(
                "live has no acknowledgment of every {} segments",
                acks.every
            ),
            "set delayed_acks = 2, or 0 for each by itself",
        ),
        _ => None,
    }
}

/// What holds for all flows, by this one's profile.
pub(super) fn host_wide(profile: &Profile) -> HostWideTcp {
    HostWideTcp {
        selective: profile.recovery == Recovery::Sack,
        timestamps: profile.header_size == WITH_TIMESTAMPS,
        restart: profile.slow_start_restart,
    }
}

/// The most that a receiver offers, in bytes, where that is less than its buffer may hold.
pub(in crate::run) fn window(profile: &Profile) -> Option<u32> {
    let window = u64::from(profile.receiver_window) * u64::from(profile.payload());
    (window < BUFFER / 2).then_some(window as u32)
}

/// What the routes of a profile's flows say.
pub(super) fn metrics(profile: &Profile) -> Metrics {
    let milliseconds = profile.timer.minimum.0.div_ceil(1_000_000).max(1);
    let mut numbers = vec![
        (Metric::Mtu, profile.segment_size),
        (Metric::AdvertisedMss, profile.segment_size - HEADERS),
        (Metric::InitialCwnd, profile.initial_window),
        (Metric::RtoMin, milliseconds.min(120_000) as u32),
    ];
    if let Some(window) = window(profile) {
        numbers.push((Metric::Window, window));
    }
    if profile.ecn == EcnMode::Classic {
        numbers.push((Metric::Features, ECN));
    }
    if profile.delayed_acks.is_none_or(|acks| acks.every == 1) {
        numbers.push((Metric::QuickAck, 1));
    }
    Metrics {
        control: name_of(profile.control).map(str::to_string),
        numbers,
    }
}
