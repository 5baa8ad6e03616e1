//! Applications over TCP, on a link where every time can be computed by hand.

use std::sync::Arc;

use earlydrop::units::{BitsPerSec, Bytes, Nanos};
use earlydrop_sim::Run;
use earlydrop_sim::network::{Dumbbell, Link, Network};
use earlydrop_sim::results::{Completion, Results};
use earlydrop_sim::spread::Spread;
use earlydrop_sim::tcp::{Algorithm, Handshake, Profile, Recovery, Rules};
use earlydrop_sim::traffic::{Application, Flow, Ports};

/// One flow of `application` for 1 s over 8 Mbps and 10 ms: a packet of 1000 bytes takes
/// 1 ms to be sent, one of 40 bytes 40 us.
fn results(application: Application, profile: Profile) -> Results {
    let mut network = Network::new();
    let (server, client) = (network.node("server"), network.node("client"));
    let link = Link::new(BitsPerSec::from_mbps(8), Nanos::from_millis(10));
    let link = link.queue("droptail".parse().unwrap());
    network.duplex(server, client, link);
    let mut run = Run::new(network, Nanos::from_secs(1));
    run.measure.round_trips = true;
    run.add(Flow::tcp(server, client, &Arc::new(profile), application));
    run.results().unwrap()
}

fn pages(size: u64, pause_ms: u64) -> Application {
    Application::Pages {
        request: Bytes(1000),
        size: Spread::constant(Bytes(size)),
        pause: Spread::constant(Nanos::from_millis(pause_ms)),
    }
}

/// Round trip of a SYN.
const OPENING: Nanos = Nanos(2 * 10_040_000);
/// Round trip of a data packet.
const PACKET: Nanos = Nanos(11_000_000 + 10_040_000);

#[test]
fn round_trips_are_those_of_the_segments() {
    let results = results(
        Application::Transfer(Bytes(9000)),
        Profile::ns2(Recovery::Reno),
    );
    let round_trips = results.flows[0].round_trips.as_ref().unwrap();
    assert_eq!(round_trips.count(), 10);
    // The SYN: 20.08 ms. A segment by itself: 21.04 ms, and 1 ms more for each it waits for. Two
    // are sent with a cwnd of 2, and two more for each of the first acknowledgments: they wait
    // for 0, 1; 0, 1; 1, 2; 0, 1; and the last one for 1.
    let waits = [0, 1, 0, 1, 1, 2, 0, 1, 1].map(|waits: u64| PACKET.0 + waits * 1_000_000);
    let mean = (OPENING.0 + waits.iter().sum::<u64>()) as f64 * 1e-9 / 10.0;
    assert!((round_trips.mean() - mean).abs() < 1e-9, "{mean}");
    let distances = waits.iter().chain([&OPENING.0]);
    let squares = distances.map(|span| (*span as f64 * 1e-9 - mean).powi(2));
    assert!((round_trips.variance() - squares.sum::<f64>() / 9.0).abs() < 1e-15);
}

#[test]
fn a_page_is_requested_over_a_connection_of_its_own() {
    let results = results(pages(1000, 100), Profile::ns2(Recovery::Reno));
    let page = Nanos(2 * (OPENING.0 + PACKET.0));
    let cycle = page + Nanos::from_millis(100);
    // The sixth ends at 993.44 ms, with no pause behind it.
    assert_eq!(results.completions.len(), 6);
    for (number, completion) in (0..).zip(&results.completions) {
        assert_eq!(completion.span(), page);
        assert_eq!(completion.began, Nanos(number * cycle.0));
        assert_eq!(completion.bytes, Bytes(1000));
    }
    let (there, back) = (&results.queues[0].counters, &results.queues[1].counters);
    // For each page, each way: a SYN, a packet, and two acknowledgments.
    let finished = results.completions.len() as u64;
    assert!(there.arrived.packets >= 4 * finished && back.arrived.packets >= 4 * finished);
    assert!(there.arrived.bytes >= 1120 * finished && back.arrived.bytes >= 1120 * finished);
    assert_eq!(results.totals.completed, finished);
    assert_eq!(results.totals.transfers, finished);
    assert_eq!(results.flows.len(), 1, "the request is no flow of its own");
}

#[test]
fn a_page_without_a_pause_is_requested_too() {
    let results = results(pages(1000, 0), Profile::ns2(Recovery::Reno));
    let page = 2 * (OPENING.0 + PACKET.0);
    assert_eq!(results.completions.len() as u64, 1_000_000_000 / page);
}

#[test]
fn ns2_sends_whole_packets() {
    let web = || Application::Web {
        ports: Ports::Same,
        size: Spread::constant(Bytes(1500)),
        pause: Spread::constant(Nanos::from_secs(10)),
    };
    for (rules, bytes) in [(Rules::Ns2, 2040), (Rules::Standard, 1540)] {
        let mut profile = Profile::ns2(Recovery::Reno);
        profile.rules = rules;
        let results = results(web(), profile);
        assert_eq!(
            results.queues[0].counters.departed.bytes, bytes,
            "{rules:?}"
        );
    }
}

#[test]
fn a_request_of_no_bytes_is_refused() {
    let mut network = Network::new();
    let (server, client) = (network.node("server"), network.node("client"));
    let link = Link::new(BitsPerSec::from_mbps(8), Nanos::from_millis(10));
    network.duplex(server, client, link);
    let mut run = Run::new(network, Nanos::from_secs(1));
    let nothing = Application::Pages {
        request: Bytes(0),
        size: Spread::constant(Bytes(1)),
        pause: Spread::constant(Nanos::ZERO),
    };
    let profile = Arc::new(Profile::ns2(Recovery::Reno));
    run.add(Flow::tcp(server, client, &profile, nothing));
    let refused = run.results().unwrap_err().to_string();
    assert_eq!(refused, "flow 0: requests of 0 bytes; at least 1");
}

#[test]
fn senders_clocks_tick_at_different_phases() {
    // 15 ms are one tick or two, depending on the phase; flows start at whole ticks. That all 40
    // measure the same has a probability of 2^-39.
    let mut profile = Profile::ns2(Recovery::Reno);
    profile.handshake = Handshake::None;
    let profile = Arc::new(profile);
    let mut network = Network::new();
    let link = Link::new(BitsPerSec::from_mbps(1_000_000), Nanos::from_micros(7500));
    let pairs: Vec<_> = (0..40)
        .map(|_| {
            let (from, to) = (network.node("from"), network.node("to"));
            network.duplex(from, to, link.clone());
            (from, to)
        })
        .collect();
    let mut run = Run::new(network, Nanos::from_secs(1));
    for (number, (from, to)) in (0..).zip(pairs) {
        let transfer = Application::Transfer(Bytes(1000));
        let flow = Flow::tcp(from, to, &profile, transfer);
        run.add(flow.at(Nanos::from_millis(10 * number)));
    }
    let results = run.results().unwrap();
    let of_one_tick = (results.flows.iter())
        .filter(|flow| flow.smoothed_rtt == Nanos::from_millis(10))
        .count();
    assert!((1..40).contains(&of_one_tick), "{of_one_tick} of 40");
}

/// A run in which one host sends the other transfers of this mean size, in segments of one byte.
fn one_byte_segments(application: Application) -> Run {
    let mut network = Network::new();
    let (from, to) = (network.node("from"), network.node("to"));
    network.duplex(
        from,
        to,
        Link::new(BitsPerSec::from_mbps(10), Nanos::from_millis(1)),
    );
    let profile = Profile {
        segment_size: 41,
        header_size: 40,
        ..Profile::modern(Algorithm::Reno)
    };
    let mut run = Run::new(network, Nanos::from_secs(2));
    run.add(Flow::tcp(from, to, &Arc::new(profile), application));
    run
}

#[test]
fn a_transfer_of_more_segments_than_can_be_numbered_is_refused() {
    let largest = Bytes(1 << 31);
    for size in [Bytes(largest.0 + 1), Bytes((1 << 32) + 1), Bytes(u64::MAX)] {
        let refused = one_byte_segments(Application::Transfer(size)).results();
        let problem = refused.unwrap_err().to_string();
        assert!(problem.contains("at most 2147483648 bytes"), "{problem}");
    }
    // The largest takes longer than the run.
    let results = one_byte_segments(Application::Transfer(largest))
        .results()
        .unwrap();
    assert_eq!((results.totals.transfers, results.totals.completed), (1, 0));
}

/// Bulk flows of segments of 1000 bytes over 800 Gbps for `seconds`: a hundred million segments a
/// second, so 42.9 s for all numbers.
fn fast_bulk(flows: usize, seconds: u64, receiver_window: u32) -> Run {
    let mut network = Network::new();
    let (server, client) = (network.node("server"), network.node("client"));
    let link = Link::new(BitsPerSec(800_000_000_000), Nanos::from_millis(1));
    network.duplex(server, client, link);
    let profile = Arc::new(Profile {
        segment_size: 1000,
        receiver_window,
        ..Profile::ns2(Recovery::Reno)
    });
    let mut run = Run::new(network, Nanos::from_secs(seconds));
    for _ in 0..flows {
        run.add(Flow::bulk(server, client, &profile));
    }
    run
}

#[test]
fn a_bulk_flow_that_would_run_out_of_numbers_is_refused() {
    let window = 1 << 24;
    let problem = fast_bulk(1, 50, window).start().unwrap_err().to_string();
    let wanted = "flow 0: at 100000000 segments a second it would send all that 32 bits can \
                  number; nearest: a run of 42 s";
    assert_eq!(problem, wanted);
    for (flows, seconds, window) in [(1, 42, window), (2, 50, window), (1, 600, 1000)] {
        assert!(fast_bulk(flows, seconds, window).start().is_ok());
    }
}

/// Flows whose links to the network differ in their delays alone share a route. Each has its own time
/// over it nevertheless, also where a delay is longer than what is kept with the flow.
#[test]
fn a_transfer_takes_the_time_of_its_own_links() {
    let link = Link::new(BitsPerSec::from_mbps(8), Nanos::from_millis(10));
    let mut dumbbell = Dumbbell::new(link.clone().queue("droptail".parse().unwrap()), link);
    let profile = Arc::new(Profile::ns2(Recovery::Reno));
    let rate = BitsPerSec::from_mbps(80);
    let near = [1, 30, 250, 5000].map(Nanos::from_millis);
    let flows = near.map(|near| {
        let from = dumbbell.left_host(rate, near);
        let to = dumbbell.right_host(rate, Nanos::ZERO);
        Flow::tcp(from, to, &profile, Application::Transfer(Bytes(960)))
    });
    let mut run = Run::new(dumbbell.network, Nanos::from_secs(60));
    run.flows = flows.into();
    let results = run.results().unwrap();
    for (flow, near) in near.iter().enumerate() {
        let of_flow = |completion: &&Completion| completion.flow.0 as usize == flow;
        let transfer = results.completions.iter().find(of_flow).unwrap();
        // A SYN and a segment: there and back twice over both links. Each packet, the longest of
        // 1,000 bytes, takes less than 1.3 ms to be sent over both, and the last acknowledgment.
        let travels = 4 * (near.0 + 10_000_000);
        let taken = transfer.ended.0 - transfer.began.0;
        assert!((travels..travels + 4 * 1_300_000).contains(&transfer.ideal.0));
        assert!((transfer.ideal.0..transfer.ideal.0 + 4 * 1_300_000).contains(&taken));
    }
}
