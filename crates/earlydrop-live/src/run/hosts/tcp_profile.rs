//! Maps a TCP profile of the simulator to the kernel: route metrics, and sysctls of both
//! namespaces.
//!
//! | profile | kernel |
//! |---|---|
//! | `control` | congestion control of the route; cubic uses HyStart, bbr paces by itself |
//! | `recovery` | selective acknowledgments on or off; without them the kernel recovers as NewReno |
//! | `loss_detection` | always RACK-TLP (RFC 8985) with selective acknowledgments |
//! | `segment_size` | MTU and MSS of the route |
//! | `header_size` | 52: timestamps on, 40: off |
//! | `initial_window` | initial congestion window of the route |
//! | `receiver_window` | window of the route, and window clamp each time a socket is read: newer kernels let the window grow when the first segment arrives |
//! | `ecn` | ECN feature of the route; `dctcp` with that congestion control |
//! | `timer.minimum` | smallest RTO of the route, in whole milliseconds, at least 1 ms |
//! | `delayed_acks` none | quick ACKs of the route; segments that arrive while the socket is being read still share one ACK |
//! | `slow_start_restart` | sysctl of the namespaces |
//!
//! Some settings describe in the simulator what the kernel does anyway: how cwnd grows and is
//! reduced, and which ACKs are quick (`Profile::linux`). Nothing is set for those.
//!
//! What cannot be chosen stays as the kernel has it: limited transmit, proportional rate reduction (RFC 9937), granularity of the
//! timer (1 ms) and first RTO (1 s), delay of ACKs (40 ms at least, adaptive), size of ACKs,
//! the handshake, ECN on retransmissions (only dctcp's).

use earlydrop_sim::tcp::{
    Algorithm, EcnFeedback, EcnMode, LossDetection, Profile, Recovery, Rules,
};

use crate::netlink::{Metric, Metrics};
use crate::plan::MTU;

/// What is unsupported, and what to set instead.
pub(super) type Problem = (String, String);

/// TCP settings of a whole namespace, and so of all flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HostWideTcp {
    pub(super) selective: bool,
    pub(super) timestamps: bool,
    pub(super) restart: bool,
}

impl Default for HostWideTcp {
    /// The kernel's defaults.
    fn default() -> HostWideTcp {
        HostWideTcp {
            selective: true,
            timestamps: true,
            restart: true,
        }
    }
}

/// Length of IPv4 and TCP headers without options, in bytes.
const HEADERS: u32 = 40;
/// Length of the headers with timestamps, in bytes.
const WITH_TIMESTAMPS: u32 = 52;
/// Smallest segment, in bytes: the kernel's smallest MSS is 88 bytes, plus headers.
const MIN_SEGMENT: u32 = 140;
/// Largest buffers of a connection, in bytes: 1 Gbps for half a second.
pub(super) const BUFFER: u64 = 64 << 20;
/// `RTAX_FEATURE_ECN`.
const ECN: u32 = 1;

/// The first setting of a profile that a kernel with these congestion controls lacks.
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
            "live has no ns-2 sender: the kernel's TCP follows the RFCs",
            "set profile = \"linux\" or \"modern\", and of it what the experiment needs",
        ),
        (_, Recovery::GoBackN) => no(
            "live has no go-back-N: the kernel's TCP recovers by selective acknowledgments or as NewReno",
            format!("set profile = \"linux\" or \"modern\", and {others}"),
        ),
        (_, Recovery::Reno) => no(
            "live has no Reno recovery: the kernel stays in recovery until all losses of a window are repaired",
            format!("set {others}; control = \"reno\" stays as it is"),
        ),
        _ => None,
    }
}

fn control_problem(profile: &Profile, controls: &[String]) -> Option<Problem> {
    let Some(name) = profile.control.controller().linux_name else {
        return no(
            format!(
                "live has no {:?} sender: the kernel has none",
                profile.control
            ),
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
    let feedback = match profile.feedback() {
        Some(EcnFeedback::Cnp) => Some(("cnp", "congestion notifications")),
        Some(EcnFeedback::Ace) => Some(("ace", "AccECN")),
        Some(EcnFeedback::AccEcn) => Some(("accecn", "AccECN")),
        _ => None,
    };
    if let Some((name, what)) = feedback {
        return no(
            format!("live has no {what} (`ecn_feedback = \"{name}\"`)"),
            "leave `ecn_feedback` out",
        );
    }
    match (profile.control, profile.ecn) {
        (Algorithm::Dctcp, EcnMode::Dctcp) | (_, EcnMode::Off | EcnMode::Classic)
            if (profile.control == Algorithm::Dctcp) == (profile.ecn == EcnMode::Dctcp) =>
        {
            None
        }
        (Algorithm::Dctcp, _) => no(
            "live has no dctcp with another kind of ECN",
            "set ecn = \"dctcp\"",
        ),
        (_, EcnMode::L4s) => no(
            "live has no L4S marks: the kernel has none",
            "set ecn = \"on\" or \"off\"",
        ),
        _ => no(
            "live has dctcp's marks only with dctcp as congestion control",
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
    if profile.initial_ssthresh.is_some() {
        return no(
            "live has no initial ssthresh: the kernel's slow start ends at the first loss",
            "set initial_threshold = \"never\"",
        );
    }
    if profile.max_burst.is_some() {
        return no(
            "live has no limit of bursts: the kernel sends what cwnd allows",
            "set max_burst = \"never\"",
        );
    }
    if profile.dupack_threshold != 3 {
        return no(
            format!(
                "live has no threshold of {} duplicate ACKs: the kernel starts with 3 and adapts",
                profile.dupack_threshold
            ),
            "set duplicates = 3",
        );
    }
    if profile.loss_detection == LossDetection::DupAck && profile.recovery == Recovery::Sack {
        return no(
            "live has no loss detection by duplicate ACKs with SACK: the kernel's is RACK-TLP",
            "set loss_detection = \"rack\", or leave it out",
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

/// The host-wide settings of a profile.
pub(super) fn host_wide(profile: &Profile) -> HostWideTcp {
    HostWideTcp {
        selective: profile.recovery == Recovery::Sack,
        timestamps: profile.header_size == WITH_TIMESTAMPS,
        restart: profile.slow_start_restart,
    }
}

/// The largest window that a receiver advertises, in bytes, unless the buffer limits it.
pub(in crate::run) fn window(profile: &Profile) -> Option<u32> {
    let window = u64::from(profile.receiver_window) * u64::from(profile.payload());
    (window < BUFFER / 2).then_some(window as u32)
}

/// The route metrics of a profile's flows.
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
        control: profile.control.controller().linux_name.map(str::to_string),
        numbers,
    }
}
