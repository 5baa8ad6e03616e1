//! Every kind of traffic over the kernel's TCP. Each test reports that it is skipped if the
//! system has no namespaces.

use std::sync::Arc;

use earlydrop::packet::Ecn;
use earlydrop::units::BitsPerSec;
use earlydrop_sim::schedule::Schedule;
use earlydrop_sim::spread::{Law, Spread};
use earlydrop_sim::streams::{Purpose, of_transfer, stream};
use earlydrop_sim::tcp::{Algorithm, EcnMode, Profile};
use earlydrop_sim::traffic::{self, Application, Pattern, Ports, Step};

use super::*;
use crate::run::testing::{FIN, Packet, Path, SYN, in_real_time, run_for, run_over};

const MS: fn(u64) -> Nanos = Nanos::from_millis;

/// Number of connections that an end opened.
fn opened(packets: &[Packet], from_near: bool) -> usize {
    let from = packets
        .iter()
        .filter(|packet| packet.from_near == from_near);
    let mut ports: Vec<_> = from
        .filter(|packet| packet.is_tcp() && packet.flags() & 0x12 == SYN)
        .map(|packet| (packet.head[12..16].to_vec(), packet.source_port()))
        .collect();
    // A lost SYN is retransmitted.
    ports.sort();
    ports.dedup();
    ports.len()
}

/// A run of one Reno flow with this application.
fn one(application: Application, duration: Nanos) -> Run {
    let (mut run, near, far) = run_for(duration);
    let profile = Arc::new(Profile::modern(Algorithm::Reno));
    run.add(traffic::Flow::tcp(near, far, &profile, application));
    run
}

macro_rules! or_skip {
    ($outcome:expr) => {
        match $outcome {
            Some(outcome) => outcome,
            None => return,
        }
    };
}

#[test]
fn bulk_data_fills_the_path_with_full_packets() {
    in_real_time(|| {
        let mut run = one(Application::Bulk, MS(1500));
        run.measure.warm_up = MS(500);
        run.measure.sample_every = Some(MS(100));
        run.measure.windows = vec![FlowId(0)];
        let (seen, packets) = or_skip!(run_over(&run, Path::default()));
        let flow = seen.flows[0];
        let data = packets
            .iter()
            .filter(|packet| packet.from_near && packet.data() > 0);
        let data: Vec<_> = data.collect();
        let full = data.iter().filter(|packet| packet.size == 1500).count();
        // Only the last segment of a write may be short.
        assert!(full * 100 >= data.len() * 99, "{full} of {}", data.len());
        let sent_while_measured = data
            .iter()
            .filter(|packet| packet.at >= run.measure.warm_up);
        let sent: u64 = sent_while_measured.map(|packet| packet.data() as u64).sum();
        // Data sent during the warm-up and read after it is at most what the path holds.
        assert!(flow.goodput_bytes > 0 && flow.goodput_bytes < sent + 200_000);
        assert!(flow.sender.segments > 0 && u64::from(flow.sender.segments) <= data.len() as u64);
        assert!(flow.smoothed_rtt >= MS(10), "{}", flow.smoothed_rtt);
        let (watched, windows) = &seen.windows[0];
        assert_eq!((*watched, windows.len()), (FlowId(0), 16));
        assert_eq!(windows[0], 10.0, "the initial window");
        assert!(windows.iter().any(|window| *window > 10.0), "{windows:?}");
        assert_eq!((seen.transfers, seen.completed), (0, 0));
    });
}

#[test]
fn a_transfer_delivers_its_size_once() {
    in_real_time(|| {
        let run = one(Application::Transfer(Bytes(123_456)), MS(1000));
        let (seen, packets) = or_skip!(run_over(&run, Path::default()));
        assert_eq!(seen.flows[0].goodput_bytes, 123_456);
        assert_eq!((seen.transfers, seen.completed), (1, 1));
        let completion = seen.completions[0];
        assert_eq!(
            (completion.flow, completion.bytes),
            (FlowId(0), Bytes(123_456))
        );
        // At least the handshake's RTT and the data's, 10 ms each.
        assert!(completion.span() >= MS(20), "{}", completion.span());
        assert_eq!(opened(&packets, true), 1);
        assert!(packets.iter().all(|packet| packet.traffic_class() == 0));
        // The FIN goes with the last data, not in a packet of its own.
        let ends = packets
            .iter()
            .filter(|packet| packet.from_near && packet.flags() & 1 != 0);
        assert!(ends.into_iter().all(|packet| packet.data() > 0));
    });
}

/// Every transfer has a connection of its own. The run may end between the beginning of the last
/// one and its SYN.
fn assert_all_but_the_last_opened(packets: &[Packet], seen: &TrafficReport) {
    let (opened, begun) = (opened(packets, true) as u64, seen.transfers);
    assert!(
        (begun.saturating_sub(1)..=begun).contains(&opened),
        "{opened} of {begun}"
    );
    assert!(opened >= seen.completed, "{opened} of {}", seen.completed);
}

#[test]
fn web_transfers_have_the_sizes_drawn_by_the_simulator() {
    in_real_time(|| {
        let size = Spread::new(Bytes(20_000), Law::Exponential);
        let pause = Spread::constant(MS(20));
        let ports = Ports::New;
        let mut run = one(
            Application::Web {
                ports,
                size: size.clone(),
                pause: pause.clone(),
            },
            MS(1500),
        );
        run.seed = 7;
        let (seen, packets) = or_skip!(run_over(&run, Path::default()));
        let mut random = stream(7, Purpose::Application, 0);
        assert!(seen.completions.len() > 5, "{}", seen.completions.len());
        for pair in seen.completions.windows(2) {
            assert!(pair[1].began >= pair[0].ended + MS(20));
        }
        for completion in &seen.completions {
            assert_eq!(completion.bytes, size.draw(&mut random));
            pause.draw(&mut random);
        }
        assert_eq!(seen.completed, seen.completions.len() as u64);
        assert!(seen.transfers - seen.completed <= 1);
        assert_all_but_the_last_opened(&packets, &seen);
    });
}

#[test]
fn pages_are_requested_over_separate_connections() {
    in_real_time(|| {
        let pages = Application::Pages {
            request: Bytes(300),
            size: Spread::constant(Bytes(10_000)),
            pause: Spread::constant(MS(10)),
        };
        let run = one(pages, MS(1000));
        let (seen, packets) = or_skip!(run_over(&run, Path::default()));
        let completed = seen.completed;
        assert!(completed > 2, "{completed}");
        assert_all_but_the_last_opened(&packets, &seen);
        let asked = opened(&packets, false) as u64;
        assert!(
            (seen.transfers..=seen.transfers + 1).contains(&asked),
            "{asked}"
        );
        // Two handshakes, the request and the page: four RTTs.
        assert!(
            seen.completions
                .iter()
                .all(|completion| completion.span() >= MS(40))
        );
        // The request does not count as the flow's data.
        let goodput = seen.flows[0].goodput_bytes;
        assert!(
            (10_000 * completed..=10_000 * seen.transfers).contains(&goodput),
            "{goodput}"
        );
    });
}

#[test]
fn arrivals_beyond_at_most_are_left_out() {
    in_real_time(|| {
        let (every, size) = (
            Spread::constant(MS(20)),
            Spread::new(Bytes(5_000), Law::Uniform),
        );
        let arrivals = Application::Arrivals {
            every,
            size: size.clone(),
            at_most: 2,
        };
        let run = one(arrivals, MS(1000));
        // With an RTT of 100 ms a transfer takes at least 200 ms, and two run at once.
        let path = Path {
            delay: MS(50),
            ..Path::default()
        };
        let (seen, packets) = or_skip!(run_over(&run, path));
        let left_out = seen.flows[0].left_out;
        assert!(left_out > 0);
        // One is due every 20 ms, and none is lost if the thread is late.
        assert!((45..=50).contains(&(left_out + seen.transfers)), "{seen:?}");
        assert_all_but_the_last_opened(&packets, &seen);
        let own = |number| size.draw(&mut of_transfer(run.seed, 0, number));
        let mut drawn: Vec<_> = (0..50).map(own).collect();
        for completion in &seen.completions {
            let place = drawn.iter().position(|size| *size == completion.bytes);
            drawn.remove(place.expect("a size that is drawn, once"));
        }
    });
}

#[test]
fn requests_are_answered_over_one_connection() {
    in_real_time(|| {
        let response = Spread::new(Bytes(8_000), Law::Exponential);
        let think = Spread::constant(MS(5));
        let requests = Application::Requests {
            request: Bytes(400),
            response: response.clone(),
            think: think.clone(),
        };
        let run = one(requests, MS(1000));
        let (seen, packets) = or_skip!(run_over(&run, Path::default()));
        assert!(seen.completed > 5);
        assert_eq!((opened(&packets, true), opened(&packets, false)), (0, 1));
        let mut random = stream(run.seed, Purpose::Application, 0);
        for completion in &seen.completions {
            assert_eq!(completion.bytes, response.draw(&mut random));
            think.draw(&mut random);
        }
        // A request is one packet of 400 bytes.
        let asked = packets
            .iter()
            .filter(|p| !p.from_near && p.size == 400)
            .count() as u64;
        assert!(
            (seen.transfers..=seen.transfers + 1).contains(&asked),
            "{asked}"
        );
    });
}

#[test]
fn datagrams_have_the_rate_size_class_and_ecn_of_the_flow() {
    in_real_time(|| {
        let (mut run, near, far) = run_for(MS(1000));
        let (size, rate) = (Bytes(500), BitsPerSec(400_000));
        let mut flow = traffic::Flow::datagrams(near, far, size, rate, Pattern::Constant).class(5);
        if let traffic::Traffic::Datagrams { ecn, .. } = &mut flow.traffic {
            *ecn = Ecn::Ect0;
        }
        // 10 ms apart; none for 300 ms, then 5 ms apart.
        let flow = flow
            .then(MS(305), Step::Stop)
            .then(MS(600), Step::Resume)
            .then(MS(600), Step::Rate(BitsPerSec(800_000)));
        run.add(flow);
        run.measure.warm_up = MS(595);
        let (seen, packets) = or_skip!(run_over(&run, Path::default()));
        assert!(packets.iter().all(|packet| packet.size == 500));
        assert!(
            packets
                .iter()
                .all(|packet| packet.traffic_class() == 5 << 5 | 2)
        );
        let early = packets.iter().filter(|packet| packet.at < MS(450)).count();
        assert_eq!(early, 31);
        // The first two are 10 ms apart, as in the simulator: at most 80 until the end.
        let late = packets.len() - early;
        assert!((70..=80).contains(&late), "{late}");
        let goodput = seen.flows[0].goodput_bytes;
        assert!(
            goodput % 500 == 0 && goodput <= 500 * late as u64 && goodput > 0,
            "{goodput}"
        );
        assert_eq!(seen.flows[0].sender, SenderCounts::default());
    });
}

#[test]
fn bursts_are_drawn_as_in_the_simulator() {
    in_real_time(|| {
        let spread = |millis| Spread::new(MS(millis), Law::Exponential);
        let pattern = Pattern::OnOff {
            on: spread(50),
            off: spread(50),
        };
        let (mut run, near, far) = run_for(MS(2000));
        let (size, rate) = (Bytes(200), BitsPerSec(160_000));
        run.add(traffic::Flow::datagrams(
            near,
            far,
            size,
            rate,
            pattern.clone(),
        ));
        let (_, packets) = or_skip!(run_over(&run, Path::default()));
        let mut schedule = Schedule::new(size, rate, pattern, stream(1, Purpose::Application, 0));
        schedule.resume(Nanos::ZERO);
        for packet in &packets {
            assert!(
                packet.at >= schedule.due(),
                "{} before {}",
                packet.at,
                schedule.due()
            );
            schedule.advance();
        }
        // Datagrams that are missing were due when the run ended.
        assert!(schedule.due() >= MS(1950), "{}", schedule.due());
    });
}

#[test]
fn a_bulk_flow_stops_and_resumes() {
    in_real_time(|| {
        let mut run = one(Application::Bulk, MS(1500));
        let flow = run.flows[0].clone();
        run.flows[0] = flow.then(MS(500), Step::Stop).then(MS(1000), Step::Resume);
        let (_, packets) = or_skip!(run_over(&run, Path::default()));
        let sent = |from, to| {
            let of = |packet: &&Packet| packet.from_near && packet.data() > 0;
            let data = packets.iter().filter(of);
            data.filter(|packet| (from..to).contains(&packet.at))
                .count()
        };
        assert!(sent(MS(0), MS(500)) > 100);
        // Its unsent data, 25,000 bytes at 20 Mbps, is sent within 10 ms.
        assert_eq!(sent(MS(800), MS(1000)), 0);
        assert!(sent(MS(1000), MS(1500)) > 100);
        assert_eq!(opened(&packets, true), 1);
    });
}

#[test]
fn tcp_packets_carry_class_and_ecn_in_both_directions() {
    in_real_time(|| {
        let (mut run, near, far) = run_for(MS(500));
        let mut profile = Profile::modern(Algorithm::Cubic);
        profile.ecn = EcnMode::Classic;
        let application = Application::Transfer(Bytes(50_000));
        run.add(traffic::Flow::tcp(near, far, &Arc::new(profile), application).class(3));
        let (seen, packets) = or_skip!(run_over(&run, Path::default()));
        assert_eq!(seen.completed, 1);
        assert!(
            packets
                .iter()
                .all(|packet| packet.traffic_class() >> 5 == 3)
        );
        // Only data is ECN-capable: RFC 3168, 6.1. A connection in TIME-WAIT acknowledges with the
        // ECN field of its last segment.
        let mut has_ended = [false; 2];
        for packet in packets {
            let has_ended = &mut has_ended[usize::from(packet.from_near)];
            if *has_ended {
                continue;
            }
            *has_ended = packet.flags() & FIN != 0;
            let capable = if packet.data() > 0 { 2 } else { 0 };
            assert_eq!(packet.traffic_class() & 3, capable, "{packet:?}");
        }
    });
}

#[test]
fn many_simultaneous_connections_all_complete() {
    in_real_time(|| {
        let (mut run, near, far) = run_for(MS(3000));
        let profile = Arc::new(Profile::modern(Algorithm::Cubic));
        for _ in 0..200 {
            let transfer = Application::Transfer(Bytes(3_000));
            run.add(traffic::Flow::tcp(near, far, &profile, transfer));
        }
        let path = Path {
            rate: BitsPerSec(100_000_000),
            buffer: MS(500),
            ..Path::default()
        };
        let (seen, _) = or_skip!(run_over(&run, path));
        assert_eq!((seen.transfers, seen.completed), (200, 200));
        assert!(seen.flows.iter().all(|flow| flow.goodput_bytes == 3_000));
    });
}

/// Congestion controls of both ends of a connection from the near address to the far one.
pub(crate) fn controls_of_a_connection(
    hosts: &Hosts,
    addresses: [std::net::Ipv4Addr; 2],
    port: u16,
) -> [String; 2] {
    use nix::sys::socket::{getsockopt, sockopt::TcpCongestion};
    hosts.enter(End::Far).unwrap();
    let listener = sockets::listening(port).unwrap();
    listener.set_nonblocking(false).unwrap();
    hosts.enter(End::Near).unwrap();
    let near = sockets::connecting(addresses, port, 0).unwrap();
    let (far, _) = listener.accept().unwrap();
    let name = |name: std::ffi::OsString| name.into_string().unwrap();
    [
        name(getsockopt(&near, TcpCongestion).unwrap()),
        name(getsockopt(&far, TcpCongestion).unwrap()),
    ]
}
