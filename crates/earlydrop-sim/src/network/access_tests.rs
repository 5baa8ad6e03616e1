//! Aggregates and slots: departure times worked out by hand, and both engines alike.

use earlydrop::units::{BitsPerSec, Nanos};

use std::sync::Arc;

use super::Aggregation;
use crate::Run;
use crate::network::{Dumbbell, Link, Network};
use crate::replay::PacketTrace;
use crate::tcp::{Algorithm, Profile};
use crate::traffic::Flow;

/// When packets leave a link in microseconds, each with its time of arrival and its size. 1250
/// bytes take 1 ms.
fn departures(link: Link, packets: &[(u64, u32)]) -> Vec<u64> {
    let packets: Vec<_> = packets
        .iter()
        .map(|(at, size)| (*at, *size, "off"))
        .collect();
    departures_with_ecn(link, &packets)
}

/// [`departures`] of packets with this ECN field.
fn departures_with_ecn(link: Link, packets: &[(u64, u32, &str)]) -> Vec<u64> {
    let lines = packets.iter().map(|(micros, size, ecn)| {
        let (seconds, micros) = (micros / 1_000_000, micros % 1_000_000);
        format!("{seconds}.{micros:06},{size},{ecn}\n")
    });
    let text = format!("time,size,ecn\n{}", lines.collect::<String>());
    let trace = PacketTrace::read(text.as_bytes()).unwrap();
    let mut network = Network::new();
    let (from, to) = (network.node("from"), network.node("to"));
    let (there, _) = network.duplex(from, to, link);
    let mut run = Run::new(network, Nanos::from_millis(100));
    run.measure.captures = vec![there];
    let start = Nanos::from_micros(packets[0].0);
    run.add(Flow::replay(from, to, trace, false).at(start));
    let results = run.results().unwrap();
    results.captures[0].times().map(|at| at.0 / 1000).collect()
}

fn link() -> Link {
    Link::new(BitsPerSec::from_mbps(10), Nanos::from_millis(3))
}

#[test]
fn an_aggregate_has_what_waits_when_it_begins() {
    let overhead = Nanos::from_micros(500);
    let limits = |aggregation: Aggregation| {
        let five = [(0, 1250); 5];
        let aggregation = Aggregation {
            overhead,
            ..aggregation
        };
        departures(link().aggregating(aggregation), &five)
    };
    // The first finds the link idle and goes alone; the others wait at 1.5 ms. Each aggregate has
    // one overhead.
    let none = Aggregation::default();
    assert_eq!(limits(none), [1500, 3000, 4000, 5000, 6000]);
    // Two packets, or as many as 3000 bytes or 2.5 ms hold.
    let expected = [1500, 3000, 4000, 5500, 6500];
    let (packets, bytes) = (2, 3000);
    assert_eq!(limits(Aggregation { packets, ..none }), expected);
    assert_eq!(limits(Aggregation { bytes, ..none }), expected);
    let airtime = Nanos::from_micros(2500);
    assert_eq!(limits(Aggregation { airtime, ..none }), expected);
    // A packet larger than the limit goes alone.
    let (packets, bytes) = (1, 100);
    let alone = [1500, 3000, 4500, 6000, 7500];
    assert_eq!(limits(Aggregation { bytes, ..none }), alone);
    assert_eq!(limits(Aggregation { packets, ..none }), alone);
}

#[test]
fn slots_begin_at_their_multiples() {
    // Four packets of 0.5 ms from 0.2 ms on wait for 2 ms. The fifth comes at 3.2 ms, while they
    // are sent, and waits for the first slot after them, which end at 4 ms: at 4 ms itself.
    let slotted = link().slotted(Nanos::from_millis(2));
    let packets = [(200, 625), (200, 625), (300, 625), (1999, 625), (3200, 625)];
    let expected = [2500, 3000, 3500, 4000, 4500];
    assert_eq!(departures(slotted.clone(), &packets), expected);
    // One that comes at 5 ms waits for 6 ms, and one that comes as a slot begins goes with it.
    let packets = [(200, 625), (5000, 625), (8000, 625)];
    assert_eq!(departures(slotted.clone(), &packets), [2500, 6500, 8500]);
    // Two in each slot, after 0.25 ms.
    let aggregation = Aggregation {
        packets: 2,
        overhead: Nanos::from_micros(250),
        ..Aggregation::default()
    };
    let five = [(200, 625); 5];
    let expected = [2750, 3250, 4750, 5250, 6750];
    assert_eq!(
        departures(slotted.aggregating(aggregation), &five),
        expected
    );
}

#[test]
fn an_aggregate_ends_where_the_scheme_drops_the_rest() {
    // At 1 ms the low-latency packet is taken, and the Classic one is dropped: it has waited for
    // longer than the delay at which all are. The link is free at 2 ms and idle until 2.5 ms.
    let all_dropped = "dual-curvy-red:scale=0.1 ms,weight=1,least_backlog=0 bytes";
    let link = link()
        .queue(all_dropped.parse().unwrap())
        .aggregating(Aggregation::default());
    let packets = [
        (0, 1250, "off"),
        (100, 1250, "ect1"),
        (100, 1250, "off"),
        (2500, 1250, "off"),
    ];
    assert_eq!(departures_with_ecn(link, &packets), [1000, 2000, 3500]);
}

#[test]
fn opportunities_need_a_link_without_a_trace() {
    let follows = link().following("1\n".parse().unwrap());
    let problem = |link: Link| {
        let mut network = Network::new();
        let (from, to) = (network.node("from"), network.node("to"));
        network.duplex(from, to, link);
        let run = Run::new(network, Nanos::from_millis(1));
        run.results().unwrap_err().to_string()
    };
    let wrong = problem(follows.slotted(Nanos::from_millis(1)));
    assert!(wrong.contains("both a trace and"), "{wrong}");
    let wrong = problem(link().slotted(Nanos::ZERO));
    assert!(wrong.contains("slots of no time"), "{wrong}");
}

/// One CUBIC flow over this bottleneck, as the engine and as the reference engine see it.
fn check_engines(link: Link) {
    let mut dumbbell = Dumbbell::new(
        link.queue("red:min=5,max=15".parse().unwrap()),
        self::link(),
    );
    let (rate, delay) = (BitsPerSec::from_mbps(100), Nanos::from_micros(1234));
    let (from, to) = dumbbell.pair(rate, delay);
    let mut run = Run::new(dumbbell.network, Nanos::from_secs(3));
    let profile = Arc::new(Profile::modern(Algorithm::Cubic));
    run.add(Flow::bulk(from, to, &profile));
    let simulation = run.start().unwrap();
    let seen = simulation.clone().finish();
    let reference = simulation.reference_engine().finish();
    assert!(seen.queues[0].counters.departed.packets > 1000);
    assert_eq!(
        format!("{:?}", seen.flows),
        format!("{:?}", reference.flows)
    );
    assert_eq!(
        format!("{:?}", seen.queues),
        format!("{:?}", reference.queues)
    );
}

#[test]
fn both_engines_agree() {
    let aggregation = Aggregation {
        packets: 7,
        overhead: Nanos::from_micros(321),
        ..Aggregation::default()
    };
    let slot = Nanos::from_micros(1777);
    check_engines(link().aggregating(aggregation));
    check_engines(link().slotted(slot));
    check_engines(link().aggregating(aggregation).slotted(slot));
    let rates = "time,rate\n0,10 Mbps\n0.1,3 Mbps\n0.15,0\n0.17,20 Mbps\n0.3,\n";
    let delays = "time,delay\n0,3 ms\n0.11,9 ms\n0.2,1 ms\n0.3,\n";
    check_engines(link().following(rates.parse().unwrap()));
    check_engines(link().delayed_by(delays.parse().unwrap()));
}
