//! Both ends of the traffic that `bench/live/run.sh` sends through emulators. Linux only.
//!
//! ```text
//! ends take PORT                            receives, over TCP and UDP
//! ends bulk ADDRESS PORT FLOWS SECONDS      sends bulk TCP flows: goodput
//! ends spaced ADDRESS PORT MBPS SECONDS     sends full datagrams at a rate: one-way delay
//! ```
//!
//! The sending side prints a line of JSON with what the receiving side measured.

#[cfg(target_os = "linux")]
fn main() {
    linux::main();
}

#[cfg(not(target_os = "linux"))]
fn main() {
    eprintln!("this runs on Linux only");
}

#[cfg(target_os = "linux")]
mod linux {
    use std::io::{IoSliceMut, Read, Write};
    use std::net::{Ipv4Addr, Shutdown, SocketAddrV4, TcpListener, TcpStream, UdpSocket};
    use std::os::fd::AsRawFd;
    use std::thread;
    use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

    use nix::sys::socket::{
        ControlMessageOwned, MsgFlags, SockaddrIn, recvmsg, setsockopt, sockopt,
    };
    use nix::sys::time::TimeSpec;

    /// Goodput is measured after this time.
    const WARM_UP: Duration = Duration::from_millis(500);

    /// The payload of a datagram of 1,500 bytes, IPv4 and UDP included.
    const DATAGRAM: usize = 1472;

    pub(super) fn main() {
        let arguments: Vec<String> = std::env::args().skip(1).collect();
        let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let number = |text: &str| text.parse::<f64>().expect("a number");
        match words[..] {
            ["take", port] => take(number(port) as u16),
            ["bulk", address, port, flows, seconds] => {
                let to = format!("{address}:{port}");
                bulk(&to, number(flows) as usize, number(seconds));
            }
            ["spaced", address, port, mbps, seconds] => {
                spaced(&format!("{address}:{port}"), number(mbps), number(seconds));
            }
            _ => {
                eprintln!(
                    "usage: ends take PORT | bulk ADDRESS PORT FLOWS SECONDS | spaced ADDRESS PORT MBPS SECONDS"
                );
                std::process::exit(2);
            }
        }
    }

    fn take(port: u16) {
        let datagrams = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, port)).expect("a free port");
        thread::spawn(move || {
            loop {
                take_datagrams(&datagrams);
            }
        });
        let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, port)).expect("a free port");
        for connection in listener.incoming().flatten() {
            thread::spawn(move || take_bytes(connection));
        }
    }

    /// Receives until the end, then sends the goodput after the warm-up, bits a second.
    fn take_bytes(mut connection: TcpStream) {
        let mut buffer = vec![0; 1 << 18];
        let began = Instant::now();
        let (mut bytes, mut from) = (0, None);
        while let Ok(read @ 1..) = connection.read(&mut buffer) {
            match from {
                Some(_) => bytes += read,
                None if began.elapsed() >= WARM_UP => from = Some(Instant::now()),
                None => {}
            }
        }
        let took = from.map_or(1.0, |from| from.elapsed().as_secs_f64());
        let rate = bytes as f64 * 8.0 / took;
        let _ = connection.write_all(&rate.to_be_bytes());
    }

    fn bulk(to: &str, flows: usize, seconds: f64) {
        let until = Instant::now() + WARM_UP + Duration::from_secs_f64(seconds);
        let flows = (0..flows).map(|_| {
            let connection = connect(to);
            thread::spawn(move || send_bytes(connection, until))
        });
        let flows: Vec<_> = flows.collect();
        let rates = flows.into_iter().map(|flow| flow.join().expect("a rate"));
        println!("{{\"goodput_mbps\":{:.1}}}", rates.sum::<f64>() / 1e6);
    }

    /// Connects to a receiver that may still be starting.
    fn connect(to: &str) -> TcpStream {
        for _ in 0..100 {
            if let Ok(connection) = TcpStream::connect(to) {
                return connection;
            }
            thread::sleep(Duration::from_millis(20));
        }
        panic!("nobody listens at {to}");
    }

    fn send_bytes(mut connection: TcpStream, until: Instant) -> f64 {
        // Available everywhere, to every user.
        setsockopt(&connection, sockopt::TcpCongestion, &"reno".into()).expect("reno");
        let bytes = vec![0; 1 << 17];
        while Instant::now() < until && connection.write(&bytes).is_ok() {}
        let _ = connection.shutdown(Shutdown::Write);
        let mut rate = [0; 8];
        connection.read_exact(&mut rate).expect("the rate");
        f64::from_be_bytes(rate)
    }

    fn now() -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        since.expect("a clock that is set").as_nanos() as u64
    }

    /// Sends datagrams that carry the time they were sent; the last one is empty.
    fn spaced(to: &str, mbps: f64, seconds: f64) {
        drop(connect(to));
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).expect("a socket");
        socket.connect(to).expect("an address");
        let gap = 1500.0 * 8.0 / (mbps * 1e6);
        let began = Instant::now();
        let mut datagram = [0; DATAGRAM];
        for number in 0..(seconds / gap) as u32 {
            let due = began + Duration::from_secs_f64(gap * f64::from(number));
            thread::sleep(due.saturating_duration_since(Instant::now()));
            datagram[..8].copy_from_slice(&now().to_be_bytes());
            let _ = socket.send(&datagram);
        }
        socket.send(&[]).expect("an end");
        let mut report = [0; 256];
        let length = socket.recv(&mut report).expect("a report");
        println!("{}", String::from_utf8_lossy(&report[..length]));
    }

    /// Receives datagrams until an empty one, and answers that with a report of the others' delays,
    /// up to their timestamp in the receiving kernel.
    fn take_datagrams(socket: &UdpSocket) {
        setsockopt(socket, sockopt::ReceiveTimestampns, &true).expect("timestamps");
        let mut delays: Vec<u64> = Vec::new();
        let mut buffer = [0; DATAGRAM];
        loop {
            let mut parts = [IoSliceMut::new(&mut buffer)];
            let mut notes = nix::cmsg_space!(TimeSpec);
            let (fd, flags) = (socket.as_raw_fd(), MsgFlags::empty());
            let Ok(message) = recvmsg::<SockaddrIn>(fd, &mut parts, Some(&mut notes), flags) else {
                continue;
            };
            let came = message.cmsgs().ok().and_then(|mut notes| {
                notes.find_map(|note| match note {
                    ControlMessageOwned::ScmTimestampns(at) => Some(Duration::from(at)),
                    _ => None,
                })
            });
            let (length, from) = (message.bytes, message.address);
            let sent = buffer
                .first_chunk()
                .map_or(0, |sent| u64::from_be_bytes(*sent));
            match came {
                Some(came) if length > 0 => delays.push(came.as_nanos() as u64 - sent),
                _ => {
                    let to = from.map(SocketAddrV4::from);
                    let _ = to.map(|to| socket.send_to(delay_report(&mut delays).as_bytes(), to));
                    return;
                }
            }
        }
    }

    /// Percentiles of the delays as JSON.
    fn delay_report(delays: &mut [u64]) -> String {
        delays.sort_unstable();
        let at = |share: f64| {
            let index = (delays.len().saturating_sub(1)) as f64 * share;
            delays
                .get(index as usize)
                .map_or(0.0, |delay| *delay as f64 / 1e3)
        };
        format!(
            "{{\"datagrams\":{},\"delay_p50_us\":{:.1},\"delay_p90_us\":{:.1},\"delay_p99_us\":{:.1}}}",
            delays.len(),
            at(0.5),
            at(0.9),
            at(0.99)
        )
    }
}
