//! Non-blocking sockets of the traffic generator, and their options.

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

/// Port that receives data.
pub(super) const DATA: u16 = 5001;
/// Port that receives requests, answered over the same connection.
pub(super) const REQUESTS: u16 = 5002;
/// Source and destination port of datagrams.
const DATAGRAMS: u16 = 5003;

/// Action named in errors of a connection.
pub(super) const CONNECTION_BROKE: &str = "a connection of the run broke";

/// Payload of all data and datagrams.
pub(super) static PAYLOAD: [u8; 1 << 16] = [0; 1 << 16];

/// Traffic class of a socket's packets (RFC 2474, RFC 3168).
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

/// Listens at a port on every address of this namespace.
pub(super) fn listening(port: u16) -> io::Result<TcpListener> {
    let socket = open(SockType::Stream)?;
    bind(socket.as_raw_fd(), &address(Ipv4Addr::UNSPECIFIED, port))?;
    listen(&socket, Backlog::MAXALLOWABLE)?;
    Ok(socket.into())
}

/// Starts to connect one address to another.
pub(super) fn connecting(
    [from, to]: [Ipv4Addr; 2],
    port: u16,
    traffic_class: i32,
) -> io::Result<OwnedFd> {
    let socket = open(SockType::Stream)?;
    // Chooses the port at connect(2), so that one port serves many destinations.
    setsockopt(&socket, sockopt::IpBindAddressNoPort, &true)?;
    setsockopt(&socket, sockopt::Ipv4Tos, &traffic_class)?;
    bind(socket.as_raw_fd(), &address(from, 0))?;
    match connect(socket.as_raw_fd(), &address(to, port)) {
        Ok(()) | Err(Errno::EINPROGRESS) => Ok(socket),
        Err(problem) => Err(problem.into()),
    }
}

/// Turns Nagle's algorithm off, RFC 1122, 4.2.3.4.
pub(super) fn set_nodelay(socket: &OwnedFd) -> nix::Result<()> {
    setsockopt(socket, sockopt::TcpNoDelay, &true)
}

/// Sets the traffic class of the socket's packets.
pub(super) fn set_traffic_class(socket: &OwnedFd, traffic_class: i32) -> nix::Result<()> {
    setsockopt(socket, sockopt::Ipv4Tos, &traffic_class)
}

/// `TCP_WINDOW_CLAMP`: largest window that a socket advertises, in bytes.
#[derive(Clone, Copy, Debug)]
struct LargestWindow;

nix::setsockopt_impl!(
    LargestWindow,
    libc::IPPROTO_TCP,
    libc::TCP_WINDOW_CLAMP,
    u32,
    sockopt::SetStruct<u32>
);

/// Limits the window that a socket advertises, in bytes.
pub(super) fn clamp_window(socket: BorrowedFd<'_>, bytes: u32) -> nix::Result<()> {
    setsockopt(&socket, LargestWindow, &bytes)
}

/// Closes the sending side (FIN).
pub(super) fn end(socket: BorrowedFd<'_>) -> nix::Result<()> {
    shutdown(socket.as_raw_fd(), Shutdown::Write)
}

/// A datagram socket between two addresses, to send or to receive.
pub(super) fn datagrams([own, other]: [Ipv4Addr; 2], traffic_class: i32) -> io::Result<OwnedFd> {
    /// Receive buffer, in bytes: the thread does not always read at once.
    const WAITING: usize = 4 << 20;
    let socket = open(SockType::Datagram)?;
    // Beyond the machine's limit if this process may.
    if setsockopt(&socket, sockopt::RcvBufForce, &WAITING).is_err() {
        setsockopt(&socket, sockopt::RcvBuf, &WAITING)?;
    }
    setsockopt(&socket, sockopt::Ipv4Tos, &traffic_class)?;
    bind(socket.as_raw_fd(), &address(own, DATAGRAMS))?;
    connect(socket.as_raw_fd(), &address(other, DATAGRAMS))?;
    Ok(socket)
}

/// Sends as much of `left` as the socket accepts. With `more`, a last small segment waits for
/// the bytes that follow (MSG_MORE).
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

/// Discards received bytes; returns `None` if there are none, 0 at the end of the stream.
pub(super) fn discard(socket: BorrowedFd<'_>, buffer: &mut [u8]) -> io::Result<Option<usize>> {
    match recv(socket.as_raw_fd(), buffer, MsgFlags::MSG_TRUNC) {
        Ok(length) => Ok(Some(length)),
        Err(Errno::EAGAIN | Errno::EINTR) => Ok(None),
        Err(problem) => Err(problem.into()),
    }
}

/// The kernel's state of a connection: `struct tcp_info`, linux/tcp.h.
#[derive(Clone, Copy, Debug)]
pub(super) struct TcpInfo {
    bytes: [u8; TcpInfo::LENGTH],
}

impl TcpInfo {
    /// Length up to `tcpi_total_rto`, which Linux has since 6.7.
    const LENGTH: usize = 242;
    /// States in which the FIN, and so everything before it, is acknowledged: FIN-WAIT-2,
    /// TIME-WAIT and CLOSED.
    const ALL_ACKNOWLEDGED: [u8; 3] = [5, 6, 7];

    pub(super) fn of(socket: BorrowedFd<'_>) -> io::Result<TcpInfo> {
        let mut bytes = [0; TcpInfo::LENGTH];
        // Fields that an older kernel lacks stay 0.
        option(socket, libc::IPPROTO_TCP, libc::TCP_INFO, &mut bytes)?;
        Ok(TcpInfo { bytes })
    }

    fn word(&self, at: usize) -> u32 {
        let word = self.bytes[at..].first_chunk();
        word.map_or(0, |bytes| u32::from_ne_bytes(*bytes))
    }

    /// Whether everything that was sent is acknowledged, the FIN included.
    pub(super) fn is_over(&self) -> bool {
        TcpInfo::ALL_ACKNOWLEDGED.contains(&self.bytes[0])
    }

    /// cwnd, in segments.
    pub(super) fn window(&self) -> u32 {
        self.word(80)
    }

    /// Smoothed RTT, which the kernel reports in microseconds.
    pub(super) fn smoothed_rtt(&self) -> Nanos {
        Nanos(u64::from(self.word(68)) * 1000)
    }

    /// Counts of the sender: segments with data, and retransmissions and timeouts including those
    /// of the SYN. Timeouts are 0 before Linux 6.7; recoveries and reductions after marks are 0 on
    /// every kernel, which does not report them.
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

/// Datagrams dropped because the socket's receive buffer was full.
pub(super) fn receive_drops(socket: BorrowedFd<'_>) -> io::Result<u64> {
    /// `SK_MEMINFO_DROPS`, linux/sock_diag.h.
    const DROPS: usize = 8;
    let mut bytes = [0; 4 * (DROPS + 1)];
    option(socket, libc::SOL_SOCKET, libc::SO_MEMINFO, &mut bytes)?;
    let [.., a, b, c, d] = bytes;
    Ok(u64::from(u32::from_ne_bytes([a, b, c, d])))
}

/// Reads a socket option of any length; returns its length.
#[allow(
    unsafe_code,
    reason = "nix has no getsockopt for options whose length depends on the kernel"
)]
fn option(socket: BorrowedFd<'_>, level: i32, name: i32, bytes: &mut [u8]) -> io::Result<usize> {
    let mut length = bytes.len() as libc::socklen_t;
    let socket = socket.as_raw_fd();
    // SAFETY: the kernel writes at most `length` bytes to `bytes`, which is mutably borrowed and
    // that long, and the number of bytes to `length`; both outlive the call.
    let done =
        unsafe { libc::getsockopt(socket, level, name, bytes.as_mut_ptr().cast(), &mut length) };
    Errno::result(done)?;
    Ok(length as usize)
}

/// The pending error of a connection, if there is one.
pub(super) fn problem(socket: impl AsFd) -> Option<io::Error> {
    match nix::sys::socket::getsockopt(&socket, sockopt::SocketError) {
        Ok(0) => None,
        Ok(number) => Some(io::Error::from_raw_os_error(number)),
        Err(problem) => Some(problem.into()),
    }
}
