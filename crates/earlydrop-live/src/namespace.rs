//! Network namespaces: creates them, with a TUN device and addresses. They disappear with the
//! last process in them.

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

/// The privilege by which namespaces were created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Privilege {
    /// The process has CAP_SYS_ADMIN on this machine.
    Root,
    /// A user namespace of the process's own, in which it has every capability.
    UserNamespace,
}

/// Addresses of one end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostAddresses {
    /// Address in 10.77.0.0/24.
    pub v4: Ipv4Addr,
    /// Address in fd77::/64; not assigned if the kernel has no IPv6.
    pub v6: Ipv6Addr,
}

/// Addresses of the near end, where the command runs.
pub const NEAR: HostAddresses = HostAddresses {
    v4: Ipv4Addr::new(10, 77, 0, 1),
    v6: Ipv6Addr::new(0xfd77, 0, 0, 0, 0, 0, 0, 1),
};

/// Addresses of the far end, beyond the bottleneck.
pub const FAR: HostAddresses = HostAddresses {
    v4: Ipv4Addr::new(10, 77, 0, 2),
    v6: Ipv6Addr::new(0xfd77, 0, 0, 0, 0, 0, 0, 2),
};

/// TCP settings of both namespaces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tcp {
    /// Congestion control; `None` keeps the kernel's default.
    pub control: Option<String>,
    /// Whether TCP requests ECN.
    pub ecn: bool,
    /// Turns segmentation and checksum offload of the devices off: the kernel cuts segments and
    /// computes checksums. Queues see the same packets either way.
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

/// Enters a new network namespace, in a new user namespace if this one lacks the privilege.
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

/// Acquires the privilege to create network namespaces, for threads that are started later:
/// in a user namespace of the process's own if possible, which takes every other privilege
/// away.
pub(crate) fn acquire_privilege() -> Result<Privilege, LiveError> {
    let (user, group) = (geteuid(), getegid());
    let refused = |problem: io::Error| LiveError::Namespaces { problem };
    let privilege = match unshare(CloneFlags::CLONE_NEWUSER) {
        Ok(()) => {
            map_to_itself(user, group).map_err(refused)?;
            Privilege::UserNamespace
        }
        Err(_) => Privilege::Root,
    };
    // The thread tests it, and takes the namespace with it when it ends.
    let created = thread::spawn(|| unshare(CloneFlags::CLONE_NEWNET)).join();
    let created = created.unwrap_or_else(|panic| resume_unwind(panic));
    created.map_err(|problem| refused(problem.into()))?;
    Ok(privilege)
}

/// Maps user and group of the new user namespace to themselves: user_namespaces(7).
fn map_to_itself(user: Uid, group: Gid) -> io::Result<()> {
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}

/// Enters another new network namespace.
pub(crate) fn enter_new_namespace() -> Result<(), LiveError> {
    unshare(CloneFlags::CLONE_NEWNET).context("making a network namespace")
}

/// An open file that keeps a network namespace alive.
pub(crate) struct Namespace(File);

impl Namespace {
    /// The namespace of this thread.
    pub(crate) fn current() -> Result<Namespace, LiveError> {
        let file = File::open("/proc/thread-self/ns/net").context("opening a network namespace")?;
        Ok(Namespace(file))
    }

    pub(crate) fn enter(&self) -> io::Result<()> {
        Ok(setns(&self.0, CloneFlags::CLONE_NEWNET)?)
    }
}

/// Packets that a device holds until they are read: what the kernel's TCP sends while this
/// thread is not scheduled for some milliseconds.
const TX_QUEUE_LENGTH: u32 = 10_000;

/// The TUN device of a namespace, up, and the socket that configures it.
pub(crate) struct HostDevice {
    pub(crate) device: Device,
    pub(crate) routing: Routing,
    /// Interface index of the device.
    pub(crate) index: u32,
}

/// Interface index of the loopback device.
pub(crate) const LOOPBACK: u32 = 1;

/// Creates the TUN device of the current, new namespace, and sets it and loopback up. TCP
/// passes at most `burst` segments to the device at once.
pub(crate) fn create_device(
    burst: Option<u32>,
    offloads: Offloads,
) -> Result<HostDevice, LiveError> {
    let device = Device::new(offloads)?;
    let routing = Routing::open().context("opening the routing socket")?;
    let index = if_nametoindex(device::NAME).context("finding the device")?;
    let settings = LinkSettings {
        mtu: MTU,
        queue: TX_QUEUE_LENGTH,
        burst,
    };
    routing
        .set_up(LOOPBACK, None)
        .and_then(|()| routing.set_up(index, Some(settings)))
        .context("setting the device up")?;
    Ok(HostDevice {
        device,
        routing,
        index,
    })
}

/// Creates the TUN device of the current, new namespace, with addresses, routes and sysctls.
pub(crate) fn configure(addresses: HostAddresses, tcp: &Tcp) -> Result<Device, LiveError> {
    let HostDevice {
        device,
        routing,
        index,
    } = create_device(None, tcp.offloads())?;
    let metrics = configure_tcp(tcp)?;
    // Host addresses only: all else follows the default route, whose metrics set TCP.
    let assign = |address: IpAddr, prefix_length| {
        routing.add_address(index, address, prefix_length)?;
        routing.add_route(index, Destination::Anywhere(address), &metrics)
    };
    assign(addresses.v4.into(), 32).context("giving the device an address")?;
    // Fails if the kernel has no IPv6.
    let _ = assign(addresses.v6.into(), 128);
    allow_ping();
    Ok(device)
}

/// Lets every group use `ping` without privileges, or at least the group of this process.
fn allow_ping() {
    let range = "/proc/sys/net/ipv4/ping_group_range";
    let group = getegid();
    if fs::write(range, "0 2147483647").is_err() {
        let _ = fs::write(range, format!("{group} {group}"));
    }
}

/// Sets the sysctls of TCP; returns the metrics that routes must carry.
fn configure_tcp(tcp: &Tcp) -> Result<Metrics, LiveError> {
    // Connections should not reuse metrics of earlier ones. Without the right to set it, they do.
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
        // Sysctls accept the controls that are allowed to all users; route metrics accept any.
        if set_sysctl(CONTROL, control).is_err() {
            metrics.control = Some(control.clone());
        }
    }
    Ok(metrics)
}

const CONTROL: &str = "tcp_congestion_control";

/// The congestion controls that the kernel offers.
pub(crate) fn congestion_controls() -> Vec<String> {
    let path = "/proc/sys/net/ipv4/tcp_available_congestion_control";
    let names = fs::read_to_string(path).unwrap_or_default();
    names.split_whitespace().map(str::to_string).collect()
}

/// Sets a sysctl of the current namespace below `net.ipv4`, which applies to TCP over IPv6,
/// too.
pub(crate) fn set_sysctl(what: &'static str, value: &str) -> Result<(), LiveError> {
    let path = format!("/proc/sys/net/ipv4/{what}");
    fs::write(path, value).map_err(|problem| LiveError::Setting {
        what,
        value: value.to_string(),
        problem,
        allowed: "/proc/sys/net must be writable, and the kernel must have the setting".to_string(),
    })
}

#[cfg(test)]
#[path = "namespace_tests.rs"]
mod tests;
