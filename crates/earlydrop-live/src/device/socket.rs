//! A packet socket (packet(7)) on an interface: every frame that comes there is read, what is
//! written to it leaves there. The interface is in promiscuous mode as long as this is.

use std::io::{self, IoSliceMut};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use nix::errno::Errno;
use nix::libc;
use nix::sys::socket::sockopt::{RcvBuf, RcvBufForce, SndBuf, SndBufForce};
use nix::sys::socket::{
    AddressFamily, LinkAddr, MsgFlags, SockFlag, SockType, SockaddrLike, bind, getsockopt, recvmsg,
    setsockopt, socket,
};

use super::arrival::Arrival;
use super::counters::InterfaceCounters;
use super::ethernet::{self, ADDRESSES, TAG};
use crate::LiveError;
use crate::error::Context;
use crate::stats::DeviceCounts;

/// What waits in the kernel until it is read or sent, in bytes: what is read late by some
/// milliseconds is not lost.
const WAITING: usize = 32 << 20;

#[derive(Debug)]
pub(crate) struct Socket {
    socket: OwnedFd,
    interface: String,
    counter: InterfaceCounters,
    /// What the interface had sent before.
    before: u64,
    /// Read so far, and dropped since it was not read in time: the socket begins to count anew
    /// whenever it is asked.
    read: u64,
    unread: u64,
}

#[allow(
    unsafe_code,
    reason = "nix's macros call the kernel where they are used"
)]
mod options {
    use nix::libc;
    use nix::{getsockopt_impl, setsockopt_impl, sockopt_impl};

    sockopt_impl!(
        AuxData,
        SetOnly,
        libc::SOL_PACKET,
        libc::PACKET_AUXDATA,
        bool
    );
    sockopt_impl!(
        IgnoreOutgoing,
        SetOnly,
        libc::SOL_PACKET,
        libc::PACKET_IGNORE_OUTGOING,
        bool
    );
    sockopt_impl!(
        BypassQueue,
        SetOnly,
        libc::SOL_PACKET,
        libc::PACKET_QDISC_BYPASS,
        bool
    );
    sockopt_impl!(
        Member,
        SetOnly,
        libc::SOL_PACKET,
        libc::PACKET_ADD_MEMBERSHIP,
        libc::packet_mreq
    );
    sockopt_impl!(
        Statistics,
        GetOnly,
        libc::SOL_PACKET,
        libc::PACKET_STATISTICS,
        libc::tpacket_stats
    );
}

impl Socket {
    /// Listens on an interface of the namespace that this thread is in.
    pub(super) fn new(interface: &str, index: u32) -> Result<Socket, LiveError> {
        let flags = SockFlag::SOCK_CLOEXEC | SockFlag::SOCK_NONBLOCK;
        let socket =
            socket(AddressFamily::Packet, SockType::Raw, flags, None).map_err(|problem| {
                LiveError::NoPacketSocket {
                    problem: problem.into(),
                }
            })?;
        configure(&socket, index).context("setting a packet socket up")?;
        let counter = InterfaceCounters::open()?;
        let before = counter
            .read(interface)
            .context("reading an interface's counters")?;
        Ok(Socket {
            socket,
            interface: interface.to_string(),
            counter,
            before: before.sent,
            read: 0,
            unread: 0,
        })
    }

    /// Reads the next frame; `None` when none waits.
    pub(super) fn read(&self, buffer: &mut [u8]) -> io::Result<Option<Arrival>> {
        let mut aside = AuxData([0; 64]);
        // A tag that the kernel has taken out of the frame is put back in: room for one.
        let mut start = TAG;
        let Some(length) = self.receive(&mut buffer[start..], &mut aside)? else {
            return Ok(None);
        };
        let Some(frame) = buffer.get_mut(..start + length) else {
            return Ok(Some(Arrival::Oversized));
        };
        if let Some(tag) = aside.tag() {
            start = 0;
            frame.copy_within(TAG..TAG + ADDRESSES, start);
            frame[ADDRESSES..ADDRESSES + TAG].copy_from_slice(&tag);
        }
        let arrival = ethernet::read(frame, start);
        if let (Arrival::Packet(place, header), true) = (arrival, aside.is_unsummed()) {
            let at = usize::from(place.at);
            ethernet::complete(&mut frame[at..at + header.length as usize]);
        }
        Ok(Some(arrival))
    }

    /// A frame's length, which may be more than there is room for.
    fn receive(&self, room: &mut [u8], aside: &mut AuxData) -> io::Result<Option<usize>> {
        let flags = MsgFlags::MSG_TRUNC | MsgFlags::MSG_DONTWAIT;
        let (mut room, aside) = ([IoSliceMut::new(room)], Some(&mut aside.0[..]));
        match recvmsg::<()>(self.socket.as_raw_fd(), &mut room, aside, flags) {
            Ok(message) => Ok(Some(message.bytes)),
            Err(Errno::EAGAIN | Errno::EINTR) => Ok(None),
            Err(problem) => {
                let problem = io::Error::from(problem);
                Err(io::Error::new(
                    problem.kind(),
                    format!("{}: {problem}", self.interface),
                ))
            }
        }
    }

    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    /// What the kernel has counted since this is there.
    pub(super) fn counts(&mut self) -> io::Result<DeviceCounts> {
        let since = getsockopt(&self.socket, options::Statistics)?;
        self.read += u64::from(since.tp_packets - since.tp_drops);
        self.unread += u64::from(since.tp_drops);
        Ok(DeviceCounts {
            sent: self.read,
            unread: self.unread,
            received: self
                .counter
                .read(&self.interface)?
                .sent
                .saturating_sub(self.before),
        })
    }
}

/// Sets a socket up before it hears of any frame, then ties it to the interface.
fn configure(socket: &OwnedFd, interface: u32) -> nix::Result<()> {
    setsockopt(socket, options::AuxData, &true)?;
    setsockopt(socket, options::IgnoreOutgoing, &true)?;
    // The interface's own queue would be one more between the two.
    setsockopt(socket, options::BypassQueue, &true)?;
    // Above the machine's limit only who may administrate the network.
    setsockopt(socket, RcvBufForce, &WAITING).or_else(|_| setsockopt(socket, RcvBuf, &WAITING))?;
    setsockopt(socket, SndBufForce, &WAITING).or_else(|_| setsockopt(socket, SndBuf, &WAITING))?;
    bind(socket.as_raw_fd(), &everything_of(interface)?)?;
    let promiscuous = libc::packet_mreq {
        mr_ifindex: interface as libc::c_int,
        mr_type: libc::PACKET_MR_PROMISC as libc::c_ushort,
        mr_alen: 0,
        mr_address: [0; 8],
    };
    setsockopt(socket, options::Member, &promiscuous)
}

/// The address of every protocol on an interface.
#[allow(unsafe_code, reason = "nix makes such an address of the kernel's only")]
fn everything_of(interface: u32) -> nix::Result<LinkAddr> {
    let address = libc::sockaddr_ll {
        sll_family: libc::AF_PACKET as libc::c_ushort,
        sll_protocol: (libc::ETH_P_ALL as u16).to_be(),
        sll_ifindex: interface as libc::c_int,
        sll_hatype: 0,
        sll_pkttype: 0,
        sll_halen: 0,
        sll_addr: [0; 8],
    };
    let length = size_of::<libc::sockaddr_ll>() as libc::socklen_t;
    // SAFETY: it reads so many bytes as a `sockaddr_ll`, which they are.
    unsafe { LinkAddr::from_raw((&raw const address).cast(), Some(length)) }.ok_or(Errno::EINVAL)
}

/// What the kernel knows of a frame beside its bytes: a message of the kind
/// `PACKET_AUXDATA` (cmsg(3), packet(7)).
#[derive(Debug)]
#[repr(align(8))]
struct AuxData([u8; 64]);

impl AuxData {
    /// Where the message's content begins.
    const CONTENT: usize = size_of::<libc::cmsghdr>();

    fn half(&self, at: usize) -> u16 {
        let at = AuxData::CONTENT + at;
        u16::from_ne_bytes([self.0[at], self.0[at + 1]])
    }

    fn status(&self) -> u32 {
        const BYTES: [usize; 4] = [0, 1, 2, 3];
        u32::from_ne_bytes(BYTES.map(|byte| self.0[AuxData::CONTENT + byte]))
    }

    /// Whether the sender has left a checksum to its device.
    fn is_unsummed(&self) -> bool {
        self.status() & libc::TP_STATUS_CSUMNOTREADY != 0
    }

    /// A tag that is no longer in the frame.
    fn tag(&self) -> Option<[u8; TAG]> {
        const CONTENT: usize = 16;
        const KIND: usize = 18;
        if self.status() & libc::TP_STATUS_VLAN_VALID == 0 {
            return None;
        }
        let [kind, content] = [self.half(KIND), self.half(CONTENT)].map(u16::to_be_bytes);
        Some([kind[0], kind[1], content[0], content[1]])
    }
}

#[cfg(test)]
#[path = "socket_tests.rs"]
mod tests;
