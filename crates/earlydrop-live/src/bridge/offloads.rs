//! Queries an interface's receive offloads with ethtool ioctls.

use std::os::fd::{AsRawFd, OwnedFd};

use nix::libc;
use nix::sys::socket::{AddressFamily, SockFlag, SockType, socket};

nix::ioctl_readwrite_bad!(ask_ethtool, libc::SIOCETHTOOL, libc::ifreq);

// Commands, and a flag of the answer to `GET_FLAGS`: linux/ethtool.h.
const GET_FLAGS: u32 = 0x25;
const GET_GRO: u32 = 0x2b;
const LRO: u32 = 1 << 15;

/// `struct ethtool_value`: a command, and the number that answers it.
#[repr(C)]
struct Question {
    command: u32,
    answer: u32,
}

/// Names of the receive offloads that are on, as ethtool calls them.
pub(super) fn receive_offloads(interface: &str) -> Vec<&'static str> {
    let socket = socket(
        AddressFamily::Inet,
        SockType::Datagram,
        SockFlag::SOCK_CLOEXEC,
        None,
    );
    let Ok(socket) = socket else {
        return Vec::new();
    };
    let ask = |question| ask(&socket, interface, question).unwrap_or(0);
    let offloads = [
        ("gro", ask(GET_GRO) != 0),
        ("lro", ask(GET_FLAGS) & LRO != 0),
    ];
    offloads
        .into_iter()
        .filter(|(_, on)| *on)
        .map(|(name, _)| name)
        .collect()
}

#[allow(unsafe_code, reason = "SIOCETHTOOL is an ioctl that takes addresses")]
fn ask(socket: &OwnedFd, interface: &str, command: u32) -> nix::Result<u32> {
    let mut question = Question { command, answer: 0 };
    let mut request = libc::ifreq {
        ifr_name: [0; libc::IFNAMSIZ],
        ifr_ifru: libc::__c_anonymous_ifr_ifru {
            ifru_data: (&raw mut question).cast(),
        },
    };
    let room = libc::IFNAMSIZ - 1;
    for (to, from) in request.ifr_name[..room].iter_mut().zip(interface.bytes()) {
        *to = from as libc::c_char;
    }
    // SAFETY: SIOCETHTOOL reads one `ifreq`; these commands read and write the two numbers of a
    // `Question` at the address in it. Both outlive the call.
    unsafe { ask_ethtool(socket.as_raw_fd(), &raw mut request) }?;
    Ok(question.answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The loopback interface receives segments of its own, so it has no LRO.
    #[test]
    fn offloads_are_those_of_the_interface() {
        let names = receive_offloads("lo");
        assert!(names.iter().all(|name| *name == "gro"), "{names:?}");
        assert!(receive_offloads("no-interface-0").is_empty());
        // Longer than the kernel's names: cut off, and not found.
        assert!(receive_offloads(&"x".repeat(40)).is_empty());
    }
}
