//! Creates and configures the two hosts of a run: namespaces with a TUN device each.
//!
//! Every flow has an address of its own, and all flows with one TCP profile share a prefix. A
//! local route assigns the whole prefix to its host. Another route leads to the other host's
//! prefix, and its metrics set TCP ([`tcp_profile`]). What a namespace sets for all of its
//! connections ([`tcp_profile::HostWideTcp`]) must be equal in all flows.

mod limits;
mod tcp_profile;

#[cfg(test)]
mod tests;

use std::fs;
use std::io;
use std::thread;

use earlydrop_sim::Run;
use earlydrop_sim::traffic::{Flow, Pattern, Traffic};

use super::addresses::AddressPlan;
use crate::LiveError;
use crate::device::{Device, Offloads};
use crate::error::Context;
use crate::error::Unsupported;
use crate::namespace::{
    HostDevice, LOOPBACK, Namespace, congestion_controls, create_device, enter_new_namespace,
    set_sysctl,
};
use crate::netlink::{Destination, Metrics};
use tcp_profile::{BUFFER, HostWideTcp};

pub(super) use limits::{DATAGRAM_HEADERS, raise_limit};
pub(super) use tcp_profile::window;

/// An end of the bottleneck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Near = 0,
    Far = 1,
}

impl End {
    pub(crate) fn other(self) -> End {
        match self {
            End::Near => End::Far,
            End::Far => End::Near,
        }
    }
}

/// Checks a run for what hosts on this machine cannot provide.
pub(crate) fn check(run: &Run) -> Result<(), Unsupported> {
    if run.measure.round_trips {
        return Err(Unsupported {
            flow: None,
            message: "live cannot measure single round trips: the kernel reports a mean only"
                .into(),
            help: "set round_trips = false; queueing delays are measured at the bottleneck".into(),
        });
    }
    limits::check(run)?;
    let known = congestion_controls();
    for (number, flow) in run.flows.iter().enumerate() {
        let problem = match &flow.traffic {
            Traffic::Tcp { profile, .. } => tcp_profile::problem(profile, &known),
            Traffic::Datagrams {
                pattern: Pattern::Replay { .. },
                ..
            } => Some((
                "live replays no recorded packets: its hosts send datagrams of one size".into(),
                "run it in the simulator, or use kind = \"cbr\" or \"on-off\"".into(),
            )),
            Traffic::Datagrams { size, .. } => limits::datagram_problem(*size),
        };
        if let Some((message, help)) = problem {
            return Err(Unsupported {
                flow: Some(number),
                message,
                help,
            });
        }
    }
    host_wide_tcp(&run.flows).map(|_| ())
}

/// The host-wide TCP settings of all flows, if they are equal.
fn host_wide_tcp(flows: &[Flow]) -> Result<HostWideTcp, Unsupported> {
    let mut all: Option<HostWideTcp> = None;
    for (number, flow) in flows.iter().enumerate() {
        let Traffic::Tcp { profile, .. } = &flow.traffic else {
            continue;
        };
        let own = tcp_profile::host_wide(profile);
        let first = *all.get_or_insert(own);
        let differs = [
            (own.selective != first.selective, "recovery"),
            (own.timestamps != first.timestamps, "header"),
            (own.restart != first.restart, "slow_start_restart"),
        ];
        if let Some((_, what)) = differs.iter().find(|(differs, _)| *differs) {
            return Err(Unsupported {
                flow: Some(number),
                message: format!(
                    "live has one {what} for all flows: it is a host-wide setting of the kernel"
                ),
                help: format!("set the same {what} for all flows"),
            });
        }
    }
    Ok(all.unwrap_or_default())
}

/// Both hosts: namespaces with devices, routes and sysctls.
pub(crate) struct Hosts {
    namespaces: [Namespace; 2],
}

impl Hosts {
    /// Creates both hosts; returns them with the near end's device and the far end's. The
    /// calling thread stays in its namespace.
    pub(crate) fn new(
        run: &Run,
        addresses: &AddressPlan,
    ) -> Result<(Hosts, [Device; 2]), LiveError> {
        let common = host_wide_tcp(&run.flows).unwrap_or_default();
        let make = || -> Result<(Hosts, [Device; 2]), LiveError> {
            let (near, near_device) = create_host(End::Near, run, addresses, common)?;
            let (far, far_device) = create_host(End::Far, run, addresses, common)?;
            let namespaces = [near, far];
            Ok((Hosts { namespaces }, [near_device, far_device]))
        };
        in_own_thread(make)
    }

    /// Enters the namespace of one end.
    pub(super) fn enter(&self, end: End) -> Result<(), LiveError> {
        self.namespaces[end as usize]
            .enter()
            .context("entering a network namespace")
    }
}

/// Runs `work` in a thread of its own, which may enter namespaces.
pub(super) fn in_own_thread<T: Send>(
    work: impl FnOnce() -> Result<T, LiveError> + Send,
) -> Result<T, LiveError> {
    thread::scope(|scope| match scope.spawn(work).join() {
        Ok(done) => done,
        Err(panic) => std::panic::resume_unwind(panic),
    })
}

/// Creates and configures one host; this thread enters its namespace.
fn create_host(
    end: End,
    run: &Run,
    addresses: &AddressPlan,
    common: HostWideTcp,
) -> Result<(Namespace, Device), LiveError> {
    enter_new_namespace()?;
    set_sysctls(run, common)?;
    // TCP sends single segments: otherwise the kernel waits until it can send several at once.
    // So segmentation offload has nothing to do.
    let HostDevice {
        device,
        routing,
        index,
    } = create_device(Some(1), Offloads::None)?;
    for (kind, flow) in addresses.kinds().enumerate() {
        let prefixes = AddressPlan::prefixes(kind as u8);
        let own = Destination::Local(prefixes[end as usize].into(), PREFIX);
        let others = Destination::Prefix(prefixes[end.other() as usize].into(), PREFIX);
        let metrics = match &run.flows[flow as usize].traffic {
            Traffic::Tcp { profile, .. } => tcp_profile::metrics(profile),
            Traffic::Datagrams { .. } => Metrics::default(),
        };
        routing
            .add_route(LOOPBACK, own, &Metrics::default())
            .and_then(|()| routing.add_route(index, others, &metrics))
            .context("adding the routes of a TCP profile")?;
    }
    Ok((Namespace::current()?, device))
}

/// Length of the prefixes of the address plan, in bits.
const PREFIX: u8 = 16;

/// Sets the sysctls of the current namespace, which hold for all of its connections.
fn set_sysctls(run: &Run, common: HostWideTcp) -> Result<(), LiveError> {
    let flag = |on: bool| if on { "1" } else { "0" };
    set_sysctl("tcp_sack", flag(common.selective))?;
    set_sysctl("tcp_timestamps", flag(common.timestamps))?;
    set_sysctl("tcp_slow_start_after_idle", flag(common.restart))?;
    set_sysctl("tcp_no_metrics_save", "1")?;
    set_sysctl("tcp_ecn", "0")?; // route metrics turn it on
    // Only the windows in route metrics limit connections, not their buffers. The receive
    // buffer starts at the kernel's default and is tuned from there: while it has room, the
    // kernel acknowledges every segment.
    set_sysctl("tcp_rmem", &format!("4096 {} {BUFFER}", 1 << 17))?;
    set_sysctl("tcp_wmem", &format!("4096 {} {BUFFER}", 1 << 18))?;
    set_sysctl("tcp_notsent_lowat", &limits::unsent(run).to_string())?;
    set_sysctl("ip_local_port_range", "10240 65535")?;
    for (what, value) in OPTIONAL_SYSCTLS {
        match set_sysctl(what, value) {
            // Older kernels lack it.
            Err(LiveError::Setting { problem, .. })
                if problem.kind() == io::ErrorKind::NotFound => {}
            other => other?,
        }
    }
    // Otherwise hosts would send IPv6 router solicitations.
    let _ = fs::write("/proc/sys/net/ipv6/conf/all/disable_ipv6", "1");
    // Many connections may start at once.
    let _ = fs::write("/proc/sys/net/core/somaxconn", "65535");
    Ok(())
}

/// Sysctls that only newer kernels or some configurations have.
const OPTIONAL_SYSCTLS: [(&str, &str); 7] = [
    // Immediate ACKs for out-of-order segments, one each: RFC 5681, 4.2.
    ("tcp_comp_sack_nr", "0"),
    // Immediate ACKs also while the socket is busy.
    ("tcp_backlog_ack_defer", "0"),
    // A lost SYN is retransmitted with ECN.
    ("tcp_ecn_fallback", "0"),
    // The SYN-ACK carries the SYN's class.
    ("tcp_reflect_tos", "1"),
    // Ports of closed connections are reused.
    ("tcp_tw_reuse", "1"),
    // Pending SYNs are kept with all their options.
    ("tcp_syncookies", "0"),
    ("tcp_max_syn_backlog", "65535"),
];
