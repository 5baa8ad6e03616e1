//! Sockets as the generator uses them: none of them waits.

use std::io;
use std::net::{Ipv4Addr, SocketAddrV4, TcpListener};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use earlydrop::packet::Ecn;
use earlydrop::units::Nanos;
use earlydrop_sim::tcp::SenderCounts;
use nix::errno::Errno;
use nix::libc;
use nix::sys::socket::{
    AddressFamily, Backlog, MsgFlags, Shutdown, SockFlag, SockType, SockaddrIn, bind, connect,
    listen, recv, send, setsockopt, shutdown, socket, sockopt,
};

/// Where data is taken.
pub(super) const DATA: u16 = 5001;
/// Where requests are taken that are answered over the same connection.
pub(super) const REQUESTS: u16 = 5002;
/// Where datagrams come from and go.
const DATAGRAMS: u16 = 5003;

/// What a failed connection is called in errors.
pub(super) const CONNECTION_BROKE: &str = "a connection of the run broke";

/// What all data and datagrams consist of.
pub(super) static PAYLOAD: [u8; 1 << 16] = [0; 1 << 16];

/// What a socket's packets carry in their traffic class (RFC 2474, RFC 3168).
pub(super) fn traffic_class(class: u8, ecn: Ecn) -> i32 {
    i32::from(class << 5 | ecn as u8)
}

fn open(kind: SockType) -> nix::Result<OwnedFd> {
    let flags = SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC;
    socket(AddressFamily::Inet, kind, flags, None)
}

fn address(address: Ipv4Addr, port: u16) -> SockaddrIn {
    SockaddrIn::from(SocketAddrV4::new(address, port))
}

/// Takes connections for every address of this namespace.
pub(super) fn listening(port: u16) -> io::Result<TcpListener> {
    let socket = open(SockType::Stream)?;
    bind(socket.as_raw_fd(), &address(Ipv4Addr::UNSPECIFIED, port))?;
    listen(&socket, Backlog::MAXALLOWABLE)?;
    Ok(socket.into())
}

/// Asks for a connection from one address to another.
pub(super) fn connecting(
    [from, to]: [Ipv4Addr; 2],
    port: u16,
    traffic_class: i32,
) -> io::Result<OwnedFd> {
    let socket = open(SockType::Stream)?;
    // The port is chosen when both addresses are known: the same one serves many.
    setsockopt(&socket, sockopt::IpBindAddressNoPort, &true)?;
    setsockopt(&socket, sockopt::Ipv4Tos, &traffic_class)?;
    bind(socket.as_raw_fd(), &address(from, 0))?;
    match connect(socket.as_raw_fd(), &address(to, port)) {
        Ok(()) | Err(Errno::EINPROGRESS) => Ok(socket),
        Err(problem) => Err(problem.into()),
    }
}

/// Small segments do not wait for acknowledgments of others: RFC 1122, 4.2.3.4, turned off.
pub(super) fn set_nodelay(socket: &OwnedFd) -> nix::Result<()> {
    setsockopt(socket, sockopt::TcpNoDelay, &true)
}

/// The socket's packets carry this in their traffic class.
pub(super) fn set_traffic_class(socket: &OwnedFd, traffic_class: i32) -> nix::Result<()> {
    setsockopt(socket, sockopt::Ipv4Tos, &traffic_class)
}

/// The largest window that a socket offers, in bytes.
#[derive(Clone, Copy, Debug)]
struct LargestWindow;

nix::setsockopt_impl!(
    LargestWindow,
    libc::IPPROTO_TCP,
    libc::TCP_WINDOW_CLAMP,
    u32,
    sockopt::SetStruct<u32>
);

/// No more than this is offered to the other side.
pub(super) fn clamp_window(socket: BorrowedFd<'_>, bytes: u32) -> nix::Result<()> {
    setsockopt(&socket, LargestWindow, &bytes)
}

/// Nothing more will be sent.
pub(super) fn end(socket: BorrowedFd<'_>) -> nix::Result<()> {
    shutdown(socket.as_raw_fd(), Shutdown::Write)
}

/// Sends datagrams from one address to another, or takes those that come the other way.
pub(super) fn datagrams([own, other]: [Ipv4Addr; 2], traffic_class: i32) -> io::Result<OwnedFd> {
    /// Of what waits to be read: hosts are not always looked after at once.
    const WAITING: usize = 4 << 20;
    let socket = open(SockType::Datagram)?;
    // Beyond what the machine allows to everybody, where this process may.
    if setsockopt(&socket, sockopt::RcvBufForce, &WAITING).is_err() {
        setsockopt(&socket, sockopt::RcvBuf, &WAITING)?;
    }
    setsockopt(&socket, sockopt::Ipv4Tos, &traffic_class)?;
    bind(socket.as_raw_fd(), &address(own, DATAGRAMS))?;
    connect(socket.as_raw_fd(), &address(other, DATAGRAMS))?;
    Ok(socket)
}

/// Hands over as much of `left` as is taken; `more` of the same connection follows, so that
/// a last small segment waits for it.
pub(super) fn send_pending(
    socket: BorrowedFd<'_>,
    left: &mut u64,
    more: bool,
    nothing: &[u8],
) -> io::Result<()> {
    let mut flags = MsgFlags::MSG_NOSIGNAL;
    if more {
        flags |= MsgFlags::from_bits_retain(libc::MSG_MORE);
    }
    while *left > 0 {
        let chunk = (*left).min(nothing.len() as u64) as usize;
        match send(socket.as_raw_fd(), &nothing[..chunk], flags) {
            Ok(taken) if *left == u64::MAX => debug_assert!(taken > 0),
            Ok(taken) => *left -= taken as u64,
            Err(Errno::EAGAIN) => break,
            Err(Errno::EINTR) => {}
            Err(problem) => return Err(problem.into()),
        }
    }
    Ok(())
}

/// Throws away what has come; `None` when nothing has, 0 at the end.
pub(super) fn discard(socket: BorrowedFd<'_>, buffer: &mut [u8]) -> io::Result<Option<usize>> {
    match recv(socket.as_raw_fd(), buffer, MsgFlags::MSG_TRUNC) {
        Ok(length) => Ok(Some(length)),
        Err(Errno::EAGAIN | Errno::EINTR) => Ok(None),
        Err(problem) => Err(problem.into()),
    }
}

/// What the kernel tells of a connection: `struct tcp_info`, linux/tcp.h.
#[derive(Clone, Copy, Debug)]
pub(super) struct TcpInfo {
    bytes: [u8; TcpInfo::LENGTH],
}

impl TcpInfo {
    /// Up to `tcpi_total_rto`, which Linux has since 6.7.
    const LENGTH: usize = 242;
    /// The connection's end was sent, and acknowledged with everything before it: the states
    /// FIN-WAIT-2, TIME-WAIT and CLOSED.
    const ALL_ACKNOWLEDGED: [u8; 3] = [5, 6, 7];

    pub(super) fn of(socket: BorrowedFd<'_>) -> io::Result<TcpInfo> {
        let mut bytes = [0; TcpInfo::LENGTH];
        // What an older kernel does not know stays 0.
        option(socket, libc::IPPROTO_TCP, libc::TCP_INFO, &mut bytes)?;
        Ok(TcpInfo { bytes })
    }

    fn word(&self, at: usize) -> u32 {
        let word = self.bytes[at..].first_chunk();
        word.map_or(0, |bytes| u32::from_ne_bytes(*bytes))
    }

    /// Whether all that was sent is acknowledged, the end as well.
    pub(super) fn is_over(&self) -> bool {
        TcpInfo::ALL_ACKNOWLEDGED.contains(&self.bytes[0])
    }

    /// The congestion window, in segments.
    pub(super) fn window(&self) -> u32 {
        self.word(80)
    }

    /// The smoothed round-trip time, which the kernel keeps in microseconds.
    pub(super) fn smoothed_rtt(&self) -> Nanos {
        Nanos(u64::from(self.word(68)) * 1000)
    }

    /// What the sender did. Segments are those with data; retransmissions and timeouts
    /// include the request's. Before Linux 6.7 nothing tells of timeouts: they are 0, as are
    /// recoveries and reductions for marks on every kernel.
    pub(super) fn counts(&self) -> SenderCounts {
        let [.., low, high] = self.bytes;
        SenderCounts {
            segments: self.word(156),
            retransmissions: self.word(100),
            timeouts: u32::from(u16::from_ne_bytes([low, high])),
            recoveries: 0,
            marks: 0,
        }
    }
}

/// Datagrams that came and found the socket's buffer full.
pub(super) fn receive_drops(socket: BorrowedFd<'_>) -> io::Result<u64> {
    /// `SK_MEMINFO_DROPS`, linux/sock_diag.h.
    const DROPS: usize = 8;
    let mut bytes = [0; 4 * (DROPS + 1)];
    option(socket, libc::SOL_SOCKET, libc::SO_MEMINFO, &mut bytes)?;
    let [.., a, b, c, d] = bytes;
    Ok(u64::from(u32::from_ne_bytes([a, b, c, d])))
}

/// Reads an option of any length; answers how much of it there is.
#[allow(
    unsafe_code,
    reason = "options that are longer on newer kernels have no other interface"
)]
fn option(socket: BorrowedFd<'_>, level: i32, name: i32, bytes: &mut [u8]) -> io::Result<usize> {
    let mut length = bytes.len() as libc::socklen_t;
    let socket = socket.as_raw_fd();
    // SAFETY: the kernel writes `length` bytes at most to `bytes`, which is borrowed for
    // writing and has as many, and how many they were to `length`; both live until the call
    // is over.
    let done =
        unsafe { libc::getsockopt(socket, level, name, bytes.as_mut_ptr().cast(), &mut length) };
    Errno::result(done)?;
    Ok(length as usize)
}

/// What is wrong with a connection, if something is.
pub(super) fn problem(socket: impl AsFd) -> Option<io::Error> {
    match nix::sys::socket::getsockopt(&socket, sockopt::SocketError) {
        Ok(0) => None,
        Ok(number) => Some(io::Error::from_raw_os_error(number)),
        Err(problem) => Some(problem.into()),
    }
}
