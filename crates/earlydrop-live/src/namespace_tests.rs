use std::net::SocketAddr;
use std::os::fd::AsRawFd;
use std::thread;

use nix::sys::socket::{
    AddressFamily, SockFlag, SockType, SockaddrStorage, connect, getsockopt, socket, sockopt,
};

use super::*;

/// The congestion control with which a connection to this address begins, from the near end
/// of a session that asks for one.
fn control_towards(to: IpAddr, asked: &str) -> Result<String, LiveError> {
    enter_new_namespace()?;
    let tcp = Tcp {
        control: Some(asked.to_string()),
        ..Tcp::default()
    };
    let _device = configure(NEAR, &tcp)?;
    let family = match to {
        IpAddr::V4(_) => AddressFamily::Inet,
        IpAddr::V6(_) => AddressFamily::Inet6,
    };
    let socket = socket(family, SockType::Stream, SockFlag::SOCK_NONBLOCK, None).unwrap();
    // Nobody answers, and nobody need.
    let far = SockaddrStorage::from(SocketAddr::new(to, 7));
    assert_eq!(connect(socket.as_raw_fd(), &far), Err(Errno::EINPROGRESS));
    let control = getsockopt(&socket, sockopt::TcpCongestion).unwrap();
    Ok(control.into_string().unwrap())
}

/// What `work` answers in a thread of its own, which namespaces may keep; `None`, and said
/// so, where this system has none for this user.
fn elsewhere<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, LiveError> + Send + 'static,
) -> Option<Result<T, LiveError>> {
    let done = thread::spawn(work).join().unwrap();
    if let Err(problem @ (LiveError::NoTun { .. } | LiveError::System { .. })) = &done {
        println!("skipped: {problem}");
        return None;
    }
    Some(done)
}

#[test]
fn every_control_that_the_kernel_has_will_do_whatever_is_allowed() {
    let has_v6 = fs::exists("/proc/net/if_inet6").unwrap_or(false);
    let mut ends = vec![IpAddr::V4(FAR.v4)];
    ends.extend(has_v6.then_some(IpAddr::V6(FAR.v6)));
    for control in congestion_controls() {
        for to in ends.clone() {
            let asked = control.clone();
            let Some(found) = elsewhere(move || control_towards(to, &asked)) else {
                return;
            };
            assert_eq!(found.unwrap(), control, "{to}");
        }
    }
}

#[test]
fn a_control_that_the_kernel_has_not_is_refused_with_those_it_has() {
    let Some(found) = elsewhere(|| control_towards(FAR.v4.into(), "tahoe")) else {
        return;
    };
    let said = found.unwrap_err().to_string();
    assert!(said.contains("tahoe"), "{said}");
    assert!(
        congestion_controls()
            .iter()
            .all(|control| said.contains(control)),
        "{said}"
    );
}
