//! The four requests to the kernel's routing socket (RFC 3549, rtnetlink(7)) that a device
//! in a namespace needs: set it up, give it addresses and a default route. And lists of what
//! there is.

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
const ADDRESS_ADDRESS: u16 = 1;
const ADDRESS_LOCAL: u16 = 2;
const ROUTE_OUT: u16 = 4;
const UP: u32 = 1;
/// An address of IPv6 is used at once, without looking for others that have it.
const NO_DETECTION: u8 = 2;
const MAIN_TABLE: u8 = 254;
const BOOT: u8 = 3;
const UNICAST: u8 = 1;

/// The routing socket of the namespace in which it was made.
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

    /// Sets a device up, with its largest packet and how many wait to be read where given.
    pub(crate) fn set_up(&self, device: u32, sizes: Option<(u32, u32)>) -> io::Result<()> {
        let mut body = vec![0; 4];
        body.extend(device.to_ne_bytes());
        body.extend(UP.to_ne_bytes());
        body.extend(UP.to_ne_bytes());
        if let Some((mtu, queue)) = sizes {
            attribute(&mut body, LINK_MTU, &mtu.to_ne_bytes());
            attribute(&mut body, LINK_QUEUE, &queue.to_ne_bytes());
        }
        self.ask(NEW_LINK, 0, &body)
    }

    /// Gives a device an address in a network of this prefix.
    pub(crate) fn add_address(&self, device: u32, address: IpAddr, prefix: u8) -> io::Result<()> {
        let (family, bytes) = family(address);
        let mut body = vec![family, prefix, NO_DETECTION, 0];
        body.extend(device.to_ne_bytes());
        attribute(&mut body, ADDRESS_LOCAL, &bytes);
        attribute(&mut body, ADDRESS_ADDRESS, &bytes);
        self.ask(NEW_ADDRESS, CREATE | EXCLUSIVE, &body)
    }

    /// Sends everything of the family of `like` that goes nowhere else to a device.
    pub(crate) fn add_default_route(&self, device: u32, like: IpAddr) -> io::Result<()> {
        let (family, _) = family(like);
        let mut body = vec![family, 0, 0, 0, MAIN_TABLE, BOOT, 0, UNICAST];
        body.extend([0; 4]);
        attribute(&mut body, ROUTE_OUT, &device.to_ne_bytes());
        self.ask(NEW_ROUTE, CREATE | EXCLUSIVE, &body)
    }

    /// The contents of all messages that answer a question.
    pub(crate) fn list(&self, question: u16) -> io::Result<Vec<Vec<u8>>> {
        // The longest header of those that can be asked with; of whatever family.
        self.send(question, LIST, &[0; 16])?;
        let mut found = Vec::new();
        let mut answer = vec![0; 1 << 16];
        loop {
            let length = recv(self.socket.as_raw_fd(), &mut answer, MsgFlags::empty())?;
            let mut rest = &answer[..length];
            while let Some((kind, body, after)) = message(rest) {
                match kind {
                    DONE => return Ok(found),
                    ERROR => return Err(io::Error::other("the kernel answers with an error")),
                    _ => found.push(body.to_vec()),
                }
                rest = after;
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
            None => Err(io::Error::other("the kernel's answer cannot be read")),
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

/// The first message: its kind, its content, and what comes after it.
fn message(bytes: &[u8]) -> Option<(u16, &[u8], &[u8])> {
    let length = u32::from_ne_bytes(*bytes.first_chunk()?) as usize;
    let kind = u16::from_ne_bytes(*bytes.get(4..)?.first_chunk()?);
    let after = length.next_multiple_of(4).min(bytes.len());
    Some((kind, bytes.get(16..length)?, &bytes[after..]))
}

/// The attributes that begin at a place of a message's content: kind and value.
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

/// The number in an acknowledgment: 0 when all is well.
fn errno(answer: &[u8]) -> Option<i32> {
    let kind = u16::from_ne_bytes(answer.get(4..6)?.try_into().ok()?);
    let number = i32::from_ne_bytes(answer.get(16..20)?.try_into().ok()?);
    (kind == ERROR).then_some(-number)
}

fn family(address: IpAddr) -> (u8, Vec<u8>) {
    match address {
        IpAddr::V4(address) => (AddressFamily::Inet as u8, address.octets().to_vec()),
        IpAddr::V6(address) => (AddressFamily::Inet6 as u8, address.octets().to_vec()),
    }
}

/// Length and kind, then the value; the next begins at a multiple of 4 bytes.
fn attribute(body: &mut Vec<u8>, kind: u16, value: &[u8]) {
    body.extend((4 + value.len() as u16).to_ne_bytes());
    body.extend(kind.to_ne_bytes());
    body.extend(value);
    body.resize(body.len().next_multiple_of(4), 0);
}
