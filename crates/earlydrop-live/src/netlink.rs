//! Requests to the kernel's routing socket (RFC 3549, rtnetlink(7)): set an interface up, add
//! addresses and routes with TCP metrics, and list interfaces, addresses and routes.

use std::io;
use std::net::IpAddr;
use std::os::fd::{AsRawFd, OwnedFd};

use nix::errno::Errno;
use nix::sys::socket::{
    AddressFamily, MsgFlags, NetlinkAddr, SockFlag, SockProtocol, SockType, recv, sendto, socket,
};

// Kinds of messages, their flags and attributes: linux/netlink.h, linux/rtnetlink.h,
// linux/if_link.h, linux/if_addr.h.
const ERROR: u16 = 2;
const DONE: u16 = 3;
const NEW_LINK: u16 = 16;
pub(crate) const GET_LINK: u16 = 18;
const NEW_ADDRESS: u16 = 20;
pub(crate) const GET_ADDRESS: u16 = 22;
const NEW_ROUTE: u16 = 24;
pub(crate) const GET_ROUTE: u16 = 26;
const REQUEST: u16 = 1;
const ACKNOWLEDGE: u16 = 4;
const LIST: u16 = 0x300;
const EXCLUSIVE: u16 = 0x200;
const CREATE: u16 = 0x400;
const LINK_MTU: u16 = 4;
const LINK_QUEUE: u16 = 13;
const LINK_BURST: u16 = 40;
const ADDRESS_ADDRESS: u16 = 1;
const ADDRESS_LOCAL: u16 = 2;
const ROUTE_TO: u16 = 1;
const ROUTE_OUT: u16 = 4;
const ROUTE_METRICS: u16 = 8;
const METRIC_LOCKED: u16 = 1;
const METRIC_CONTROL: u16 = 16;
const UP: u32 = 1;
/// `IFA_F_NODAD`: an IPv6 address is usable at once, without duplicate address detection.
const NO_DETECTION: u8 = 2;
const MAIN_TABLE: u8 = 254;
const LOCAL_TABLE: u8 = 255;
const BOOT: u8 = 3;
const EVERYWHERE: u8 = 0;
const THIS_HOST: u8 = 254;
const UNICAST: u8 = 1;
const LOCAL: u8 = 2;

/// Settings of an interface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinkSettings {
    /// MTU, in bytes.
    pub(crate) mtu: u32,
    /// Length of the transmit queue, in packets.
    pub(crate) queue: u32,
    /// Most segments of a GSO packet; `None` keeps the kernel's default.
    pub(crate) burst: Option<u32>,
}

/// Metrics of a route, which set TCP's behaviour over it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Metrics {
    /// Congestion control; any that the kernel has, even if it is not allowed to all users.
    pub(crate) control: Option<String>,
    /// Numeric metrics.
    pub(crate) numbers: Vec<(Metric, u32)>,
}

/// Numeric metrics: `RTAX_*` of linux/rtnetlink.h.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Metric {
    /// Path MTU, in bytes.
    Mtu = 2,
    /// Largest window that a receiver advertises, in bytes.
    Window = 3,
    /// MSS that a receiver advertises, in bytes of payload and options.
    AdvertisedMss = 8,
    /// Initial congestion window, in segments.
    InitialCwnd = 11,
    /// 1: TCP requests and accepts ECN.
    Features = 12,
    /// Smallest retransmission timeout, in milliseconds.
    RtoMin = 13,
    /// 1: quick ACKs, one for every segment.
    QuickAck = 15,
}

/// Destination of a route.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Destination {
    /// Default route of this address's family, via a device.
    Anywhere(IpAddr),
    /// Prefix, via a device.
    Prefix(IpAddr, u8),
    /// Prefix whose addresses all belong to this host.
    Local(IpAddr, u8),
}

/// A routing socket of the namespace in which it was opened.
pub(crate) struct Routing {
    socket: OwnedFd,
}

impl Routing {
    pub(crate) fn open() -> io::Result<Routing> {
        let socket = socket(
            AddressFamily::Netlink,
            SockType::Raw,
            SockFlag::SOCK_CLOEXEC,
            SockProtocol::NetlinkRoute,
        )?;
        Ok(Routing { socket })
    }

    /// Sets an interface up, with these settings if given.
    pub(crate) fn set_up(&self, device: u32, settings: Option<LinkSettings>) -> io::Result<()> {
        let mut body = vec![0; 4];
        body.extend(device.to_ne_bytes());
        body.extend(UP.to_ne_bytes());
        body.extend(UP.to_ne_bytes());
        if let Some(settings) = settings {
            attribute(&mut body, LINK_MTU, &settings.mtu.to_ne_bytes());
            attribute(&mut body, LINK_QUEUE, &settings.queue.to_ne_bytes());
            if let Some(burst) = settings.burst {
                attribute(&mut body, LINK_BURST, &burst.to_ne_bytes());
            }
        }
        self.ask(NEW_LINK, 0, &body)
    }

    /// Adds an address with this prefix length to an interface.
    pub(crate) fn add_address(&self, device: u32, address: IpAddr, prefix: u8) -> io::Result<()> {
        let (family, bytes) = family(address);
        let mut body = vec![family, prefix, NO_DETECTION, 0];
        body.extend(device.to_ne_bytes());
        attribute(&mut body, ADDRESS_LOCAL, &bytes);
        attribute(&mut body, ADDRESS_ADDRESS, &bytes);
        self.ask(NEW_ADDRESS, CREATE | EXCLUSIVE, &body)
    }

    /// Adds a route via an interface.
    pub(crate) fn add_route(
        &self,
        device: u32,
        to: Destination,
        metrics: &Metrics,
    ) -> io::Result<()> {
        self.ask(NEW_ROUTE, CREATE | EXCLUSIVE, &route(device, to, metrics))
    }

    /// Lists the bodies of all messages that answer a dump request.
    pub(crate) fn list(&self, request: u16) -> io::Result<Vec<Vec<u8>>> {
        // As long as the longest header of these requests; family 0 is any.
        self.send(request, LIST, &[0; 16])?;
        let mut bodies = Vec::new();
        let mut answer = vec![0; 1 << 16];
        loop {
            let length = recv(self.socket.as_raw_fd(), &mut answer, MsgFlags::empty())?;
            if add_bodies(&answer[..length], &mut bodies)? {
                return Ok(bodies);
            }
        }
    }

    /// Sends a request and waits for its acknowledgment.
    fn ask(&self, kind: u16, flags: u16, body: &[u8]) -> io::Result<()> {
        self.send(kind, ACKNOWLEDGE | flags, body)?;
        let mut answer = [0; 4096];
        let length = recv(self.socket.as_raw_fd(), &mut answer, MsgFlags::empty())?;
        match errno(&answer[..length]) {
            Some(0) => Ok(()),
            Some(errno) => Err(Errno::from_raw(errno).into()),
            None => Err(unreadable()),
        }
    }

    fn send(&self, kind: u16, flags: u16, body: &[u8]) -> io::Result<()> {
        let mut message = (16 + body.len() as u32).to_ne_bytes().to_vec();
        message.extend(kind.to_ne_bytes());
        message.extend((REQUEST | flags).to_ne_bytes());
        message.extend([0; 8]);
        message.extend(body);
        let kernel = NetlinkAddr::new(0, 0);
        sendto(
            self.socket.as_raw_fd(),
            &message,
            &kernel,
            MsgFlags::empty(),
        )?;
        Ok(())
    }
}

/// Adds the bodies of the messages in one part of the answer to a dump request; returns whether
/// the answer ends there.
pub(crate) fn add_bodies(mut answer: &[u8], bodies: &mut Vec<Vec<u8>>) -> io::Result<bool> {
    while !answer.is_empty() {
        let (kind, body, after) = message(answer).ok_or_else(unreadable)?;
        match kind {
            DONE => return Ok(true),
            ERROR => {
                let errno = errno(answer).ok_or_else(unreadable)?;
                return Err(Errno::from_raw(errno).into());
            }
            _ => bodies.push(body.to_vec()),
        }
        answer = after;
    }
    Ok(false)
}

fn unreadable() -> io::Error {
    io::Error::other("the kernel's answer cannot be read")
}

/// Splits off the first message: its type, its body, and the bytes after it.
fn message(bytes: &[u8]) -> Option<(u16, &[u8], &[u8])> {
    let length = u32::from_ne_bytes(*bytes.first_chunk()?) as usize;
    let kind = u16::from_ne_bytes(*bytes.get(4..)?.first_chunk()?);
    let after = length.next_multiple_of(4).min(bytes.len());
    Some((kind, bytes.get(16..length)?, &bytes[after..]))
}

/// Attributes from offset `at` of a message's body on: type and value.
pub(crate) fn attributes(body: &[u8], at: usize) -> impl Iterator<Item = (u16, &[u8])> {
    let mut rest = body.get(at..).unwrap_or_default();
    std::iter::from_fn(move || {
        let length = usize::from(u16::from_ne_bytes(*rest.first_chunk()?));
        let kind = u16::from_ne_bytes(*rest.get(2..)?.first_chunk()?);
        let value = rest.get(4..length)?;
        rest = &rest[length.next_multiple_of(4).min(rest.len())..];
        Some((kind, value))
    })
}

/// Error number in an acknowledgment or an error message; 0 is success.
fn errno(answer: &[u8]) -> Option<i32> {
    let kind = u16::from_ne_bytes(answer.get(4..6)?.try_into().ok()?);
    let number = i32::from_ne_bytes(answer.get(16..20)?.try_into().ok()?);
    (kind == ERROR).then_some(number.checked_neg()?)
}

/// Body of a request to add a route.
fn route(device: u32, to: Destination, metrics: &Metrics) -> Vec<u8> {
    let (address, prefix) = match to {
        Destination::Anywhere(like) => (like, 0),
        Destination::Prefix(address, prefix) | Destination::Local(address, prefix) => {
            (address, prefix)
        }
    };
    let (table, scope, kind) = match to {
        Destination::Local(..) => (LOCAL_TABLE, THIS_HOST, LOCAL),
        _ => (MAIN_TABLE, EVERYWHERE, UNICAST),
    };
    let (family, bytes) = family(address);
    let mut body = vec![family, prefix, 0, 0, table, BOOT, scope, kind];
    body.extend([0; 4]);
    if prefix > 0 {
        attribute(&mut body, ROUTE_TO, &bytes);
    }
    attribute(&mut body, ROUTE_OUT, &device.to_ne_bytes());
    let metrics = nested(metrics);
    if !metrics.is_empty() {
        attribute(&mut body, ROUTE_METRICS, &metrics);
    }
    body
}

/// Metrics as attributes. Without the lock the kernel ignores `RtoMin`.
fn nested(metrics: &Metrics) -> Vec<u8> {
    let mut body = Vec::new();
    for (metric, value) in &metrics.numbers {
        attribute(&mut body, *metric as u16, &value.to_ne_bytes());
        if *metric == Metric::RtoMin {
            let lock = 1_u32 << Metric::RtoMin as u16;
            attribute(&mut body, METRIC_LOCKED, &lock.to_ne_bytes());
        }
    }
    if let Some(control) = &metrics.control {
        let mut name = control.clone().into_bytes();
        name.push(0);
        attribute(&mut body, METRIC_CONTROL, &name);
    }
    body
}

fn family(address: IpAddr) -> (u8, Vec<u8>) {
    match address {
        IpAddr::V4(address) => (AddressFamily::Inet as u8, address.octets().to_vec()),
        IpAddr::V6(address) => (AddressFamily::Inet6 as u8, address.octets().to_vec()),
    }
}

/// Appends an attribute: length, type, value, padded to a multiple of 4 bytes.
fn attribute(body: &mut Vec<u8>, kind: u16, value: &[u8]) {
    body.extend((4 + value.len() as u16).to_ne_bytes());
    body.extend(kind.to_ne_bytes());
    body.extend(value);
    body.resize(body.len().next_multiple_of(4), 0);
}

#[cfg(test)]
#[path = "netlink_tests.rs"]
mod tests;
