use std::net::SocketAddr;
use std::os::fd::AsRawFd;
use std::thread;

use nix::sys::socket::{
    AddressFamily, SockFlag, SockType, SockaddrStorage, connect, getsockopt, socket, sockopt,
};

use super::*;

/// Congestion control of a connection to this address, from the near end of a session that is
/// configured with `asked`.
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
    // No host answers, and none needs to.
    let far = SockaddrStorage::from(SocketAddr::new(to, 7));
    assert_eq!(connect(socket.as_raw_fd(), &far), Err(Errno::EINPROGRESS));
    let control = getsockopt(&socket, sockopt::TcpCongestion).unwrap();
    Ok(control.into_string().unwrap())
}

/// Runs `work` in a thread of its own, which may enter namespaces; `None`, with a report, if
/// this system has none for this user.
fn in_own_thread<T: Send + 'static>(
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
fn every_congestion_control_of_the_kernel_can_be_set() {
    let has_v6 = fs::exists("/proc/net/if_inet6").unwrap_or(false);
    let mut ends = vec![IpAddr::V4(FAR.v4)];
    ends.extend(has_v6.then_some(IpAddr::V6(FAR.v6)));
    for control in congestion_controls() {
        for to in ends.clone() {
            let asked = control.clone();
            let Some(result) = in_own_thread(move || control_towards(to, &asked)) else {
                return;
            };
            assert_eq!(result.unwrap(), control, "{to}");
        }
    }
}

#[test]
fn an_unknown_congestion_control_is_refused_with_the_known_ones() {
    let Some(result) = in_own_thread(|| control_towards(FAR.v4.into(), "tahoe")) else {
        return;
    };
    let message = result.unwrap_err().to_string();
    assert!(message.contains("tahoe"), "{message}");
    assert!(
        congestion_controls()
            .iter()
            .all(|control| message.contains(control)),
        "{message}"
    );
}
