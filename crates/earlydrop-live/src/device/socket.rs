//! A packet socket, packet(7), on an interface: reads every frame that the interface receives
//! and sends what is written. The interface is in promiscuous mode while the socket is open.

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

/// Size of the socket's receive and send buffers, in bytes: enough for some milliseconds
/// during which nobody reads.
const SOCKET_BUFFER: usize = 32 << 20;

#[derive(Debug)]
pub(crate) struct Socket {
    socket: OwnedFd,
    interface: String,
    counter: InterfaceCounters,
    /// Packets that the interface had sent before the socket was opened.
    before: u64,
    /// Packets read, and packets dropped because they were read too late. The kernel resets its
    /// counters at each query, so the sums are kept here.
    read: u64,
    unread: u64,
}

#[allow(
    unsafe_code,
    reason = "nix's socket option macros contain the unsafe calls"
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
    /// Opens a socket on an interface of this thread's namespace.
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

    /// Reads the next frame; `None` if none is waiting.
    pub(super) fn read(&self, buffer: &mut [u8]) -> io::Result<Option<Arrival>> {
        let mut aux = AuxData([0; 64]);
        // Leaves room to put back one tag that the kernel has removed from the frame.
        let mut start = TAG;
        let length = match self.receive(&mut buffer[start..], &mut aux) {
            Ok(Some(length)) => length,
            Ok(None) => return Ok(None),
            // The kernel reports it once. If the interface comes up again, frames follow.
            Err(Errno::ENETDOWN) => return Ok(Some(Arrival::Down)),
            Err(problem) => {
                let problem = io::Error::from(problem);
                let message = format!("{}: {problem}", self.interface);
                return Err(io::Error::new(problem.kind(), message));
            }
        };
        let Some(frame) = buffer.get_mut(..start + length) else {
            return Ok(Some(Arrival::Oversized));
        };
        if let Some(tag) = aux.tag() {
            start = 0;
            frame.copy_within(TAG..TAG + ADDRESSES, start);
            frame[ADDRESSES..ADDRESSES + TAG].copy_from_slice(&tag);
        }
        let arrival = ethernet::read(frame, start);
        if let (Arrival::Packet(offsets, header), true) = (arrival, aux.has_partial_checksum()) {
            let at = usize::from(offsets.at);
            ethernet::complete_checksum(&mut frame[at..at + header.length as usize]);
        }
        Ok(Some(arrival))
    }

    /// Receives a frame; returns its length, which may exceed the buffer.
    fn receive(&self, room: &mut [u8], aux: &mut AuxData) -> nix::Result<Option<usize>> {
        let flags = MsgFlags::MSG_TRUNC | MsgFlags::MSG_DONTWAIT;
        let (mut room, aux) = ([IoSliceMut::new(room)], Some(&mut aux.0[..]));
        match recvmsg::<()>(self.socket.as_raw_fd(), &mut room, aux, flags) {
            Ok(message) => Ok(Some(message.bytes)),
            Err(Errno::EAGAIN | Errno::EINTR) => Ok(None),
            Err(problem) => Err(problem),
        }
    }

    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    /// Counts since the socket was opened. `handed` packets were accepted by the interface: that
    /// many it has sent, if it has vanished and cannot be asked.
    pub(super) fn counts(&mut self, handed: u64) -> io::Result<DeviceCounts> {
        let since = getsockopt(&self.socket, options::Statistics)?;
        self.read += u64::from(since.tp_packets - since.tp_drops);
        self.unread += u64::from(since.tp_drops);
        Ok(DeviceCounts {
            sent: self.read,
            unread: self.unread,
            received: match self.counter.read(&self.interface) {
                Ok(counts) => counts.sent.saturating_sub(self.before),
                Err(_) => handed,
            },
        })
    }
}

/// Sets the socket's options, then binds it to the interface, so no frame comes before.
fn configure(socket: &OwnedFd, interface: u32) -> nix::Result<()> {
    setsockopt(socket, options::AuxData, &true)?;
    setsockopt(socket, options::IgnoreOutgoing, &true)?;
    // The interface's queueing discipline would be a second queue.
    setsockopt(socket, options::BypassQueue, &true)?;
    // Beyond the machine's limit only with CAP_NET_ADMIN.
    setsockopt(socket, RcvBufForce, &SOCKET_BUFFER)
        .or_else(|_| setsockopt(socket, RcvBuf, &SOCKET_BUFFER))?;
    setsockopt(socket, SndBufForce, &SOCKET_BUFFER)
        .or_else(|_| setsockopt(socket, SndBuf, &SOCKET_BUFFER))?;
    bind(socket.as_raw_fd(), &all_protocols_on(interface)?)?;
    let promiscuous = libc::packet_mreq {
        mr_ifindex: interface as libc::c_int,
        mr_type: libc::PACKET_MR_PROMISC as libc::c_ushort,
        mr_alen: 0,
        mr_address: [0; 8],
    };
    setsockopt(socket, options::Member, &promiscuous)
}

/// The address that receives every protocol on an interface.
#[allow(unsafe_code, reason = "nix has no safe constructor for this address")]
fn all_protocols_on(interface: u32) -> nix::Result<LinkAddr> {
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
    // SAFETY: the pointer and the length describe `address`, a valid `sockaddr_ll`.
    unsafe { LinkAddr::from_raw((&raw const address).cast(), Some(length)) }.ok_or(Errno::EINVAL)
}

/// What the kernel reports about a frame besides its bytes: a control message of type
/// `PACKET_AUXDATA`, cmsg(3), packet(7).
#[derive(Debug)]
#[repr(align(8))]
struct AuxData([u8; 64]);

impl AuxData {
    /// Offset of the message's content.
    const CONTENT: usize = size_of::<libc::cmsghdr>();

    fn half(&self, at: usize) -> u16 {
        let at = AuxData::CONTENT + at;
        u16::from_ne_bytes([self.0[at], self.0[at + 1]])
    }

    fn status(&self) -> u32 {
        const BYTES: [usize; 4] = [0, 1, 2, 3];
        u32::from_ne_bytes(BYTES.map(|byte| self.0[AuxData::CONTENT + byte]))
    }

    /// Whether the sender has left the checksum to its device.
    fn has_partial_checksum(&self) -> bool {
        self.status() & libc::TP_STATUS_CSUMNOTREADY != 0
    }

    /// The VLAN tag that the kernel has removed from the frame.
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
