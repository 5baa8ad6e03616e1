//! The claim of a bridge on an interface: two bridges on one interface would forward every frame
//! twice.
//!
//! A claim is an abstract Unix socket, unix(7). Its name belongs to the network namespace, as the
//! interface does; it needs no file and no privilege; and the kernel releases it when the process
//! ends, however it ends.

use std::os::fd::{AsRawFd, OwnedFd};

use nix::errno::Errno;
use nix::sys::socket::sockopt::PeerCredentials;
use nix::sys::socket::{
    AddressFamily, Backlog, SockFlag, SockType, UnixAddr, bind, connect, getsockopt, listen, socket,
};

use super::interfaces::Interface;
use crate::LiveError;
use crate::error::Context;

/// The claim on an interface while this value exists.
pub(super) struct Claim {
    _socket: OwnedFd,
}

impl Claim {
    /// Claims an interface; refused, with the process, if a bridge has it.
    pub(super) fn on(interface: &Interface) -> Result<Claim, LiveError> {
        const ACTION: &str = "claiming an interface";
        let name = format!("earlydrop bridge on interface {}", interface.index);
        let address = UnixAddr::new_abstract(name.as_bytes()).context(ACTION)?;
        let socket = stream_socket().context(ACTION)?;
        match bind(socket.as_raw_fd(), &address) {
            Ok(()) => {}
            Err(Errno::EADDRINUSE) => return Err(is_claimed(interface, holder(&address))),
            Err(problem) => return Err(problem).context(ACTION),
        }
        // A process that connects learns this one's id.
        listen(&socket, Backlog::MAXCONN).context(ACTION)?;
        Ok(Claim { _socket: socket })
    }
}

fn stream_socket() -> nix::Result<OwnedFd> {
    let flags = SockFlag::SOCK_CLOEXEC | SockFlag::SOCK_NONBLOCK;
    socket(AddressFamily::Unix, SockType::Stream, flags, None)
}

/// The process that holds the claim at an address; `None` if the kernel does not say, as across
/// PID namespaces.
fn holder(address: &UnixAddr) -> Option<i32> {
    let socket = stream_socket().ok()?;
    connect(socket.as_raw_fd(), address).ok()?;
    let process = getsockopt(&socket, PeerCredentials).ok()?.pid();
    (process > 0).then_some(process)
}

fn is_claimed(interface: &Interface, holder: Option<i32>) -> LiveError {
    let (whose, help) = match holder {
        Some(process) => (
            format!("belongs to another bridge, process {process}"),
            format!("end that one first: kill -INT {process}"),
        ),
        None => (
            "belongs to another bridge".to_string(),
            "end that one first".to_string(),
        ),
    };
    super::unusable(interface, whose, help)
}
