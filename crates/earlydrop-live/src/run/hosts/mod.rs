//! Real hosts: two namespaces with a device each, in which every flow has an address of its
//! own and its kind of TCP its rules ([`rules`]).
//!
//! A whole prefix of addresses is a host's own by one local route, and goes out by another
//! that carries what holds for TCP. What a namespace can only set for all of its
//! connections ([`tcp_profile::HostWideTcp`]) must be the same for all flows.

mod limits;
mod tcp_profile;

#[cfg(test)]
mod tests;

use std::fs;
use std::io;
use std::thread;

use earlydrop_sim::Run;
use earlydrop_sim::traffic::{Flow, Traffic};

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

/// The end of a bottleneck at which something is.
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

/// What of a run real hosts on this machine cannot do.
pub(crate) fn check(run: &Run) -> Result<(), Unsupported> {
    if run.measure.round_trips {
        return Err(Unsupported {
            flow: None,
            message: "live does not see single round trips: the kernel keeps a mean only".into(),
            help: "set round_trips = false; queueing delays are measured at the bottleneck".into(),
        });
    }
    limits::check(run)?;
    let known = congestion_controls();
    for (number, flow) in run.flows.iter().enumerate() {
        let problem = match &flow.traffic {
            Traffic::Tcp { profile, .. } => tcp_profile::problem(profile, &known),
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

/// What holds for all flows of TCP, if it is the same for all.
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
                    "live has one {what} for all flows: the kernel sets it for a whole host"
                ),
                help: format!("set the same {what} for all flows"),
            });
        }
    }
    Ok(all.unwrap_or_default())
}

/// Both namespaces, create_host: devices, routes, settings.
pub(crate) struct Hosts {
    namespaces: [Namespace; 2],
}

impl Hosts {
    /// Makes both, and the near end's device and the far end's. The calling thread stays
    /// where it is.
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

    /// Enters one end's namespace.
    pub(super) fn enter(&self, end: End) -> Result<(), LiveError> {
        self.namespaces[end as usize]
            .enter()
            .context("entering a network namespace")
    }
}

/// Does something in a thread of its own, which may enter namespaces.
pub(super) fn in_own_thread<T: Send>(
    work: impl FnOnce() -> Result<T, LiveError> + Send,
) -> Result<T, LiveError> {
    thread::scope(|scope| match scope.spawn(work).join() {
        Ok(done) => done,
        Err(panic) => std::panic::resume_unwind(panic),
    })
}

/// Makes a namespace, which this thread enters, with everything in it.
fn create_host(
    end: End,
    run: &Run,
    addresses: &AddressPlan,
    common: HostWideTcp,
) -> Result<(Namespace, Device), LiveError> {
    enter_new_namespace()?;
    set_sysctls(run, common)?;
    // Single segments: the kernel otherwise waits until it can send several at once. So there
    // is nothing for a device to cut.
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
            .context("adding the routes of a kind of TCP")?;
    }
    Ok((Namespace::current()?, device))
}

/// Bits of the prefixes that the book gives.
const PREFIX: u8 = 16;

/// Sets what holds for all connections of the current namespace.
fn set_sysctls(run: &Run, common: HostWideTcp) -> Result<(), LiveError> {
    let flag = |on: bool| if on { "1" } else { "0" };
    set_sysctl("tcp_sack", flag(common.selective))?;
    set_sysctl("tcp_timestamps", flag(common.timestamps))?;
    set_sysctl("tcp_slow_start_after_idle", flag(common.restart))?;
    set_sysctl("tcp_no_metrics_save", "1")?;
    set_sysctl("tcp_ecn", "0")?; // routes say who asks and who grants
    // Buffers limit nothing; the routes' windows do. A receiver's begins as the kernel's own
    // does and grows by what is read: while there is room left, the kernel acknowledges every
    // segment.
    set_sysctl("tcp_rmem", &format!("4096 {} {BUFFER}", 1 << 17))?;
    set_sysctl("tcp_wmem", &format!("4096 {} {BUFFER}", 1 << 18))?;
    set_sysctl("tcp_notsent_lowat", &limits::unsent(run).to_string())?;
    set_sysctl("ip_local_port_range", "10240 65535")?;
    for (what, value) in OPTIONAL_SYSCTLS {
        match set_sysctl(what, value) {
            // An older kernel does not know it.
            Err(LiveError::Setting { problem, .. })
                if problem.kind() == io::ErrorKind::NotFound => {}
            other => other?,
        }
    }
    // Hosts without addresses of IPv6 announce nothing of their own accord.
    let _ = fs::write("/proc/sys/net/ipv6/conf/all/disable_ipv6", "1");
    // Connections that begin at once wait to be accepted.
    let _ = fs::write("/proc/sys/net/core/somaxconn", "65535");
    Ok(())
}

/// What only newer kernels know, and what only some are built with.
const OPTIONAL_SYSCTLS: [(&str, &str); 7] = [
    // What comes out of turn is acknowledged at once, each by itself: RFC 5681, 4.2.
    ("tcp_comp_sack_nr", "0"),
    // So is what comes while the socket is busy.
    ("tcp_backlog_ack_defer", "0"),
    // A request that is lost is repeated with ECN.
    ("tcp_ecn_fallback", "0"),
    // An answer has its request's class.
    ("tcp_reflect_tos", "1"),
    // Ports of connections that are over are used again.
    ("tcp_tw_reuse", "1"),
    // Requests that wait are remembered with all their options.
    ("tcp_syncookies", "0"),
    ("tcp_max_syn_backlog", "65535"),
];
