//! Frames between both ends of a veth, in a namespace of the test's thread.
//!
//! Every test reports that it is skipped without root and `ip`, which this takes.

use super::*;
use etherparse::PacketBuilder;
use nix::net::if_::if_nametoindex;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sched::{CloneFlags, unshare};
use std::process::Command;

/// Sockets on both ends of a veth.
fn pair() -> Option<[Socket; 2]> {
    let test = std::thread::current().name().unwrap_or("").to_string();
    let made = unshare(CloneFlags::CLONE_NEWNET).map_err(io::Error::from);
    // IPv6 would send packets of its own.
    let line = "set -e
        sysctl -qw net.ipv6.conf.default.disable_ipv6=1 || true
        ip link add one type veth peer name other
        ip link set one up
        ip link set other up";
    let made = made.and_then(|()| Command::new("sh").args(["-c", line]).output());
    match made {
        Ok(output) if output.status.success() => {}
        problem => {
            println!("skipped: {test}: {problem:?}");
            return None;
        }
    }
    let open = |name: &str| Socket::new(name, if_nametoindex(name).unwrap()).unwrap();
    Some(["one", "other"].map(open))
}

/// The next frame, and how it was parsed.
fn next(socket: &Socket) -> (Arrival, Vec<u8>) {
    let mut buffer = [0; 2048];
    loop {
        let mut fds = [PollFd::new(socket.fd(), PollFlags::POLLIN)];
        let ready = poll(&mut fds, PollTimeout::from(60_000_u16)).unwrap();
        assert_eq!(ready, 1, "no frame within a minute");
        if let Some(arrival) = socket.read(&mut buffer).unwrap() {
            let frame = match arrival {
                Arrival::Packet(offsets, header) | Arrival::Bypass(offsets, header) => {
                    let start = usize::from(offsets.at - offsets.link);
                    let end = usize::from(offsets.at) + header.length as usize;
                    buffer[start..end].to_vec()
                }
                _ => Vec::new(),
            };
            return (arrival, frame);
        }
    }
}

/// A datagram to another host than the socket's, in a frame with these tags.
fn frame(tags: &[[u8; TAG]], payload: usize) -> Vec<u8> {
    let mut packet = Vec::new();
    let builder = PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64).udp(1, 2);
    builder.write(&mut packet, &vec![7; payload]).unwrap();
    let addresses = [[2, 0, 0, 0, 0, 2], [2, 0, 0, 0, 0, 1]].concat();
    [addresses, tags.concat(), vec![8, 0], packet].concat()
}

fn sends(socket: &Socket, frame: &[u8]) {
    nix::unistd::write(socket.fd(), frame).unwrap();
}

#[test]
fn frames_keep_their_tags() {
    let Some([one, mut other]) = pair() else {
        return;
    };
    let (outer, inner) = ([0x88, 0xa8, 0, 100], [0x81, 0, 0x20, 7]);
    // A full packet with one tag fits, too: interfaces leave room for that.
    let full = 1472;
    for (tags, payload) in [(&[][..], full), (&[inner], full), (&[outer, inner], 100)] {
        let sent = frame(tags, payload);
        sends(&one, &sent);
        let (arrival, received) = next(&other);
        assert!(matches!(arrival, Arrival::Packet(..)), "{arrival:?}");
        assert_eq!(received, sent);
    }
    let counted = other.counts(0).unwrap();
    assert_eq!((counted.sent, counted.unread, counted.received), (3, 0, 0));
}

#[test]
fn a_socket_does_not_read_its_own_frames_and_both_ends_count() {
    let Some([mut one, mut other]) = pair() else {
        return;
    };
    sends(&one, &frame(&[], 100));
    next(&other);
    sends(&other, &frame(&[], 200));
    // A socket does not read its own frame, so the first one is the other's.
    assert_eq!(next(&one).1.len(), frame(&[], 200).len());
    for socket in [&mut one, &mut other] {
        for _ in 0..2 {
            let counted = socket.counts(0).unwrap();
            assert_eq!(
                (counted.sent, counted.received),
                (1, 1),
                "the same at every query"
            );
        }
    }
}

#[test]
fn frames_longer_than_a_buffer_are_oversized() {
    let Some([one, other]) = pair() else {
        return;
    };
    let line = "ip link set one mtu 9000; ip link set other mtu 9000";
    let widened = Command::new("sh").args(["-c", line]).status();
    assert!(widened.unwrap().success());
    for (payload, long) in [(1472, false), (1473, true), (5000, true)] {
        sends(&one, &frame(&[], payload));
        let (arrival, _) = next(&other);
        assert_eq!(
            arrival == Arrival::Oversized,
            long,
            "{payload}: {arrival:?}"
        );
    }
}
