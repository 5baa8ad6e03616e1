//! Network namespaces: made, filled with a device and addresses, and left to vanish with
//! the last process in them.

use std::fs::{self, File};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::panic::resume_unwind;
use std::thread;

use nix::errno::Errno;
use nix::net::if_::if_nametoindex;
use nix::sched::{CloneFlags, setns, unshare};
use nix::unistd::{Gid, Uid, getegid, geteuid};

use crate::LiveError;
use crate::device::{self, Device, Offloads};
use crate::error::Context;
use crate::netlink::{Destination, LinkSettings, Metrics, Routing};
use crate::plan::MTU;

/// By which right namespaces were made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Privilege {
    /// The process may do so on this machine.
    Root,
    /// A user namespace of its own gives it that right, in there only.
    UserNamespace,
}

/// The addresses of one end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostAddresses {
    /// Of 10.77.0.0/24.
    pub v4: Ipv4Addr,
    /// Of fd77::/64; not there when the kernel has no IPv6.
    pub v6: Ipv6Addr,
}

/// Where the command runs.
pub const NEAR: HostAddresses = HostAddresses {
    v4: Ipv4Addr::new(10, 77, 0, 1),
    v6: Ipv6Addr::new(0xfd77, 0, 0, 0, 0, 0, 0, 1),
};

/// Beyond the bottleneck.
pub const FAR: HostAddresses = HostAddresses {
    v4: Ipv4Addr::new(10, 77, 0, 2),
    v6: Ipv6Addr::new(0xfd77, 0, 0, 0, 0, 0, 0, 2),
};

/// What is set in both namespaces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tcp {
    /// TCP's congestion control; the kernel's own choice where none is named.
    pub control: Option<String>,
    /// Whether TCP asks for ECN.
    pub ecn: bool,
    /// Whether the devices offer nothing, so that the kernel itself cuts what TCP sends into
    /// packets and works out checksums. Queues see the same packets either way.
    pub no_offloads: bool,
}

impl Tcp {
    fn offloads(&self) -> Offloads {
        match self.no_offloads {
            true => Offloads::None,
            false => Offloads::Segmentation,
        }
    }
}

/// Enters a new network namespace; the first of a process decides by which right.
pub(crate) fn enter_first_namespace() -> Result<Privilege, LiveError> {
    match unshare(CloneFlags::CLONE_NEWNET) {
        Ok(()) => return Ok(Privilege::Root),
        Err(Errno::EPERM) => {}
        Err(problem) => {
            return Err(LiveError::Namespaces {
                problem: problem.into(),
            });
        }
    }
    let (user, group) = (geteuid(), getegid());
    unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNET)
        .map_err(io::Error::from)
        .and_then(|()| map_to_itself(user, group))
        .map_err(|problem| LiveError::Namespaces { problem })?;
    Ok(Privilege::UserNamespace)
}

/// Gains the right to make network namespaces, in threads that are started from now on; in
/// a user namespace of its own where there are such, which takes every other right away.
pub(crate) fn acquire_privilege() -> Result<Privilege, LiveError> {
    let (user, group) = (geteuid(), getegid());
    let refused = |problem: io::Error| LiveError::Namespaces { problem };
    let right = match unshare(CloneFlags::CLONE_NEWUSER) {
        Ok(()) => {
            map_to_itself(user, group).map_err(refused)?;
            Privilege::UserNamespace
        }
        Err(_) => Privilege::Root,
    };
    // A thread that tries takes what it gets with it.
    let created = thread::spawn(|| unshare(CloneFlags::CLONE_NEWNET)).join();
    let created = created.unwrap_or_else(|panic| resume_unwind(panic));
    created.map_err(|problem| refused(problem.into()))?;
    Ok(right)
}

/// In the new user namespace, the user is who they were: user_namespaces(7).
fn map_to_itself(user: Uid, group: Gid) -> io::Result<()> {
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}

/// Enters one more.
pub(crate) fn enter_new_namespace() -> Result<(), LiveError> {
    unshare(CloneFlags::CLONE_NEWNET).context("making a network namespace")
}

/// A network namespace, held open.
pub(crate) struct Namespace(File);

impl Namespace {
    /// The one that this thread is in.
    pub(crate) fn current() -> Result<Namespace, LiveError> {
        let file = File::open("/proc/thread-self/ns/net").context("opening a network namespace")?;
        Ok(Namespace(file))
    }

    pub(crate) fn enter(&self) -> io::Result<()> {
        Ok(setns(&self.0, CloneFlags::CLONE_NEWNET)?)
    }
}

/// How many packets wait in a device until they are read: what the kernel's TCP sends at
/// once while this thread is kept waiting for some milliseconds.
const RECEIVE_QUEUE: u32 = 10_000;

/// A namespace's device, up, and what its routes are made with.
pub(crate) struct HostDevice {
    pub(crate) device: Device,
    pub(crate) routing: Routing,
    /// The device's number.
    pub(crate) index: u32,
}

/// The number of the device by which a host sends to itself.
pub(crate) const LOOPBACK: u32 = 1;

/// Gives the current namespace, which is new, its devices; TCP hands down so many segments
/// at once.
pub(crate) fn create_device(
    burst: Option<u32>,
    offloads: Offloads,
) -> Result<HostDevice, LiveError> {
    let device = Device::new(offloads)?;
    let routing = Routing::open().context("opening the routing socket")?;
    let index = if_nametoindex(device::NAME).context("finding the device")?;
    let sizes = LinkSettings {
        mtu: MTU,
        queue: RECEIVE_QUEUE,
        burst,
    };
    routing
        .set_up(LOOPBACK, None)
        .and_then(|()| routing.set_up(index, Some(sizes)))
        .context("setting the device up")?;
    Ok(HostDevice {
        device,
        routing,
        index,
    })
}

/// Gives the current namespace, which is new, its device and addresses.
pub(crate) fn configure(addresses: HostAddresses, tcp: &Tcp) -> Result<Device, LiveError> {
    let HostDevice {
        device,
        routing,
        index,
    } = create_device(None, tcp.offloads())?;
    let metrics = configure_tcp(tcp)?;
    // Single addresses: everything else goes by the route that says what holds for TCP.
    let give = |address: IpAddr, all_of_it| {
        routing.add_address(index, address, all_of_it)?;
        routing.add_route(index, Destination::Anywhere(address), &metrics)
    };
    give(addresses.v4.into(), 32).context("giving the device an address")?;
    // Machines without IPv6 do without it here, too.
    let _ = give(addresses.v6.into(), 128);
    allow_ping();
    Ok(device)
}

/// Lets every group use `ping`, or the only one that there is; else it needs a privilege.
fn allow_ping() {
    let range = "/proc/sys/net/ipv4/ping_group_range";
    let group = getegid();
    if fs::write(range, "0 2147483647").is_err() {
        let _ = fs::write(range, format!("{group} {group}"));
    }
}

/// Sets what is asked for; answers what routes must say of it.
fn configure_tcp(tcp: &Tcp) -> Result<Metrics, LiveError> {
    // What a connection finds should not depend on those before it; where nothing can be set,
    // it does.
    let _ = set_sysctl("tcp_no_metrics_save", "1");
    if tcp.ecn {
        set_sysctl("tcp_ecn", "1")?;
    }
    let mut metrics = Metrics::default();
    if let Some(control) = &tcp.control {
        let available = congestion_controls();
        if !available.iter().any(|name| name == control) {
            return Err(LiveError::Setting {
                what: CONTROL,
                value: control.clone(),
                problem: io::Error::other("this kernel has none of that name"),
                allowed: format!("it has: {}", available.join(", ")),
            });
        }
        // A namespace may set what the machine allows to everybody; a route may say any.
        if set_sysctl(CONTROL, control).is_err() {
            metrics.control = Some(control.clone());
        }
    }
    Ok(metrics)
}

const CONTROL: &str = "tcp_congestion_control";

/// The congestion controls that the kernel has.
pub(crate) fn congestion_controls() -> Vec<String> {
    let path = "/proc/sys/net/ipv4/tcp_available_congestion_control";
    let names = fs::read_to_string(path).unwrap_or_default();
    names.split_whitespace().map(str::to_string).collect()
}

/// Sets one of the current namespace's settings of IPv4, which TCP over IPv6 goes by, too.
pub(crate) fn set_sysctl(what: &'static str, value: &str) -> Result<(), LiveError> {
    let path = format!("/proc/sys/net/ipv4/{what}");
    fs::write(path, value).map_err(|problem| LiveError::Setting {
        what,
        value: value.to_string(),
        problem,
        allowed: "/proc/sys/net must be writable, and the kernel know it".to_string(),
    })
}

#[cfg(test)]
#[path = "namespace_tests.rs"]
mod tests;
