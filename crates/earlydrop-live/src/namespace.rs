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
use crate::device::{self, Device};
use crate::error::Doing;
use crate::netlink::Routing;
use crate::plan::MTU;

/// By which right namespaces were made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    /// The process may do so on this machine.
    Root,
    /// A user namespace of its own gives it that right, in there only.
    UserNamespace,
}

/// The addresses of one end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Addresses {
    /// In 10.77.0.0/24.
    pub v4: Ipv4Addr,
    /// In fd77::/64; not there when the kernel has no IPv6.
    pub v6: Ipv6Addr,
}

/// Where the command runs.
pub const NEAR: Addresses = Addresses {
    v4: Ipv4Addr::new(10, 77, 0, 1),
    v6: Ipv6Addr::new(0xfd77, 0, 0, 0, 0, 0, 0, 1),
};

/// Beyond the bottleneck.
pub const FAR: Addresses = Addresses {
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
}

/// Enters a new network namespace; the first of a process decides by which right.
pub(crate) fn enter_first() -> Result<Right, LiveError> {
    match unshare(CloneFlags::CLONE_NEWNET) {
        Ok(()) => return Ok(Right::Root),
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
    Ok(Right::UserNamespace)
}

/// Gains the right to make network namespaces, in threads that are started from now on; in
/// a user namespace of its own where there are such, which takes every other right away.
pub(crate) fn gain_right() -> Result<Right, LiveError> {
    let (user, group) = (geteuid(), getegid());
    let refused = |problem: io::Error| LiveError::Namespaces { problem };
    let right = match unshare(CloneFlags::CLONE_NEWUSER) {
        Ok(()) => {
            map_to_itself(user, group).map_err(refused)?;
            Right::UserNamespace
        }
        Err(_) => Right::Root,
    };
    // A thread that tries takes what it gets with it.
    let tried = thread::spawn(|| unshare(CloneFlags::CLONE_NEWNET)).join();
    let tried = tried.unwrap_or_else(|panic| resume_unwind(panic));
    tried.map_err(|problem| refused(problem.into()))?;
    Ok(right)
}

/// In the new user namespace, the user is who they were: user_namespaces(7).
fn map_to_itself(user: Uid, group: Gid) -> io::Result<()> {
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}

/// Enters one more.
pub(crate) fn enter_next() -> Result<(), LiveError> {
    unshare(CloneFlags::CLONE_NEWNET).doing("making a network namespace")
}

/// A network namespace, held open.
pub(crate) struct Namespace(File);

impl Namespace {
    /// The one that this process is in.
    pub(crate) fn current() -> Result<Namespace, LiveError> {
        let file = File::open("/proc/self/ns/net").doing("opening a network namespace")?;
        Ok(Namespace(file))
    }

    pub(crate) fn enter(&self) -> io::Result<()> {
        Ok(setns(&self.0, CloneFlags::CLONE_NEWNET)?)
    }
}

/// How many packets wait in a device until they are read: what the kernel's TCP sends at
/// once while this thread is kept waiting for some milliseconds.
const UNREAD: u32 = 10_000;

/// Gives the current namespace, which is new, its device and addresses.
pub(crate) fn furnish(addresses: Addresses, tcp: &Tcp) -> Result<Device, LiveError> {
    const LOOPBACK: u32 = 1;
    let device = Device::new()?;
    let routing = Routing::open().doing("opening the routing socket")?;
    let index = if_nametoindex(device::NAME).doing("finding the device")?;
    routing
        .set_up(LOOPBACK, None)
        .and_then(|()| routing.set_up(index, Some((MTU, UNREAD))))
        .doing("setting the device up")?;
    let give = |address: IpAddr, prefix| {
        routing.add_address(index, address, prefix)?;
        routing.add_default_route(index, address)
    };
    give(addresses.v4.into(), 24).doing("giving the device an address")?;
    // Machines without IPv6 do without it here, too.
    let _ = give(addresses.v6.into(), 64);
    let_all_ping();
    set_tcp(tcp)?;
    Ok(device)
}

/// Lets every group use `ping`, or the only one that there is; else it needs a privilege.
fn let_all_ping() {
    let range = "/proc/sys/net/ipv4/ping_group_range";
    let group = getegid();
    if fs::write(range, "0 2147483647").is_err() {
        let _ = fs::write(range, format!("{group} {group}"));
    }
}

fn set_tcp(tcp: &Tcp) -> Result<(), LiveError> {
    if let Some(control) = &tcp.control {
        set("tcp_congestion_control", control, || {
            let allowed = fs::read_to_string("/proc/sys/net/ipv4/tcp_allowed_congestion_control");
            format!(
                "allowed: {}; this machine lets namespaces use no other \
                 (net.ipv4.tcp_allowed_congestion_control)",
                allowed.unwrap_or_default().trim()
            )
        })?;
    }
    if tcp.ecn {
        set("tcp_ecn", "1", || {
            "/proc/sys/net must be writable".to_string()
        })?;
    }
    Ok(())
}

fn set(what: &'static str, value: &str, allowed: impl Fn() -> String) -> Result<(), LiveError> {
    let path = format!("/proc/sys/net/ipv4/{what}");
    fs::write(path, value).map_err(|problem| LiveError::Setting {
        what,
        value: value.to_string(),
        problem,
        allowed: allowed(),
    })
}
