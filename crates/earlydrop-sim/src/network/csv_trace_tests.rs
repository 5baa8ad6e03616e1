//! Traces of `time,rate` and `time,delay`: worked out by hand.

use earlydrop::units::{Bytes, Nanos};

use super::super::{DelayTrace, Link, Network};
use super::*;
use crate::Run;
use crate::traffic::{Flow, Pattern};

const MILLI: u64 = 1_000_000;

/// When packets of 1250 bytes leave that are ready at these times, in ns.
fn departures<const N: usize>(trace: &str, ready: [u64; N]) -> [u64; N] {
    let mut link = Opportunities::new(trace.parse().unwrap());
    ready.map(|at| link.send(Nanos(at), 1250).0)
}

#[test]
fn a_constant_rate_is_that_of_a_link() {
    // 10,000 bits at 10 Mbps: 1 ms each; at 30 Mbps a third of it, rounded up to 2^-32 ns.
    let ten = "time,rate\n0,10 Mbps\n1,";
    assert_eq!(
        departures(ten, [0, 0, 5 * MILLI]),
        [MILLI, 2 * MILLI, 6 * MILLI]
    );
    let thirty = BitsPerSec::from_mbps(30);
    let mut link = Opportunities::new("time,rate\n0,30000000\n1,".parse().unwrap());
    let mut free_at = FineTime::default();
    for ends in [333_334, 666_667, 1_000_001] {
        let time = link.transmission_time(free_at.nanos(), 1250);
        assert!(time == FineTime::to_send(Bytes(1250), thirty));
        free_at += time;
        assert_eq!(free_at.nanos().0, ends);
    }
}

#[test]
fn a_packet_may_begin_at_one_rate_and_end_at_another() {
    // 10 Mbps until 1.5 ms, then 2 Mbps until 3 ms, where it repeats.
    let trace = "time,rate\n0,10 Mbps\n1.5 ms,2 Mbps\n3 ms,\n";
    // The second packet has sent 5,000 bits at 1.5 ms. The other 5,000 would take 2.5 ms: 3,000
    // are sent by 3 ms, and 2,000 at 10 Mbps again, in 0.2 ms.
    assert_eq!(departures(trace, [0, 0]), [MILLI, 3_200_000]);
    // From 1.5 ms: 3,000 bits by 3 ms, 7,000 in 0.7 ms.
    assert_eq!(departures(trace, [1_500_000]), [3_700_000]);
    // A thousand rounds later it is the same.
    let later = 3_000 * MILLI;
    assert_eq!(departures(trace, [later + 1_500_000]), [later + 3_700_000]);
}

#[test]
fn an_outage_holds_what_is_being_sent() {
    // Nothing from 0.5 ms to 10 ms.
    let trace = "time,rate\n0,10 Mbps\n0.0005,0\n0.01,10 Mbps\n0.02,\n";
    assert_eq!(departures(trace, [0, 0]), [10_500_000, 11_500_000]);
    assert_eq!(departures(trace, [2 * MILLI]), [11 * MILLI]);
    // The packet ends exactly where the outage begins.
    let mut link = Opportunities::new(trace.parse().unwrap());
    assert_eq!(link.send(Nanos::ZERO, 625), Nanos(500_000));
}

#[test]
fn the_mean_rate_is_that_of_a_period() {
    let trace: Trace = "time,rate\n0,9 Mbps\n1,0\n3,".parse().unwrap();
    assert_eq!(trace.mean_rate().to_string(), "3 Mbps");
    assert_eq!(trace.period(), Nanos::from_secs(3));
}

#[test]
fn work_is_what_was_sent_of_what_was_possible() {
    let mut link = Opportunities::new("time,rate\n0,10 Mbps\n1 ms,0\n2 ms,".parse().unwrap());
    // 1.5 packets' worth is possible by 2.5 ms: 1 ms and 0.5 ms at 10 Mbps.
    assert_eq!(
        link.possible_before(Nanos(2_500_000)),
        15_000 * 1_000_000_000
    );
    // Two packets end at 1 ms and 3 ms; of the second, half is sent after 2.5 ms.
    assert_eq!(link.send(Nanos::ZERO, 1250), Nanos(MILLI));
    assert_eq!(link.send(Nanos::ZERO, 1250), Nanos(3 * MILLI));
    assert_eq!(link.used_from(Nanos(2_500_000)), 5_000 * 1_000_000_000);
    assert_eq!(link.work_of(2500), 20_000 * 1_000_000_000);
}

#[test]
fn errors_of_lines_name_the_nearest_fix() {
    let wrong = |text: &str| text.parse::<Trace>().unwrap_err().to_string();
    for (text, expected) in [
        (
            "0,10 Mbps\n1,",
            "line 1: \"0,10 Mbps\" is not the heading; nearest: time,rate",
        ),
        (
            "time,rates\n0,1\n",
            "line 1: \"time,rates\" is not the heading; nearest: time,rate",
        ),
        (
            "time,rate\n\n1,10 Mbps\n2,",
            "line 3: \"1,10 Mbps\" begins at 1 s; nearest: 0,10 Mbps",
        ),
        (
            "time,rate\n0,10\n0,20\n",
            "line 3: \"0,20\" is not after the line before, at 0 s",
        ),
        (
            "time,rate\n0,fast\n1,",
            "line 2: \"0,fast\" has no rate; allowed: bit/s",
        ),
        ("time,rate\n0,-5\n1,", "line 2: \"0,-5\" has no rate"),
        ("time,rate\n0,3 THz\n1,", "has no rate"),
        (
            "time,rate\nsoon,5\n1,",
            "line 2: \"soon,5\" has no time; allowed: seconds",
        ),
        ("time,rate\n-1,5\n1,", "has a time below zero"),
        (
            "time,rate\n0\n1,",
            "line 2: \"0\" has no rate; allowed: time,rate",
        ),
        (
            "time,rate\n0,5\n",
            "line 2: \"0,5\" ends the file; at least two lines",
        ),
        ("time,rate\n0,0\n1,", "less than one bit per second"),
    ] {
        assert!(wrong(text).contains(expected), "{}", wrong(text));
    }
    let wrong = "time,delay\n0,long\n1,".parse::<DelayTrace>().unwrap_err();
    assert!(
        wrong
            .to_string()
            .contains("line 2: \"0,long\" has no delay")
    );
}

/// The times at which datagrams of 1250 bytes leave a second link, every 2 ms from time zero on,
/// after a link of 10 Mbps with this delay: 1 ms on each link.
fn arrivals(delays: &str, queue: bool) -> Vec<u64> {
    let rate = BitsPerSec::from_mbps(10);
    let mut link = Link::new(rate, Nanos::ZERO).delayed_by(delays.parse().unwrap());
    if queue {
        link = link.queue("red:min=5,max=15".parse().unwrap());
    }
    let mut network = Network::new();
    let [from, middle, to] = ["from", "middle", "to"].map(|name| network.node(name));
    network.link(from, middle, link);
    let last = network.link(middle, to, Link::new(rate, Nanos::ZERO));
    network.link(to, from, Link::new(rate, Nanos::ZERO));
    let mut run = Run::new(network, Nanos::from_millis(40));
    run.measure.captures = vec![last];
    run.add(Flow::datagrams(
        from,
        to,
        Bytes(1250),
        BitsPerSec::from_mbps(5),
        Pattern::Constant,
    ));
    let results = run.results().unwrap();
    results.captures[0].times().map(|at| at.0).collect()
}

#[test]
fn packets_travel_for_the_delay_at_which_they_leave() {
    // Packets leave at 1, 3, 5, 7, 9, 11 ms ... The delay is 2 ms, 6 ms from 4 ms on, 1 ms from
    // 8 ms on, and repeats from 12 ms on.
    let delays = "time,delay\n0,2 ms\n4 ms,6 ms\n8 ms,0.001\n12 ms,\n";
    for queue in [false, true] {
        // They arrive at 3, 5, 11, 13, and then, after 1 ms, at 10 and 12: not before 13, so one
        // waits for the other at the second link. The next leaves at 13 ms with 2 ms again.
        let expected = [4, 6, 12, 14, 15, 16, 17, 18].map(|at| at * MILLI);
        let seen = arrivals(delays, queue);
        assert_eq!(seen[..8], expected, "queue: {queue}");
    }
}
