//! What counts at the ends of the measured time: transmissions that reach over them, packets that
//! wait then.

use earlydrop::units::{BitsPerSec, Bytes, Nanos};
use earlydrop_sim::Run;
use earlydrop_sim::network::{Link, Network, Node, Trace};
use earlydrop_sim::results::QueueResult;
use earlydrop_sim::traffic::{Flow, Pattern, Step};

const fn ms(millis: u64) -> Nanos {
    Nanos::from_millis(millis)
}

/// Each kind of queue that the engine distinguishes.
const QUEUES: [&str; 3] = ["droptail", "droptail:limit=100000 bytes", "fq-codel"];

/// The queue before `link` in a run from the end of the warm-up to the end of the run.
fn measured(
    link: Link,
    (warm_up, end): (Nanos, Nanos),
    flow: impl Fn(Node, Node) -> Flow,
) -> QueueResult {
    let mut network = Network::new();
    let (from, to) = (network.node("from"), network.node("to"));
    network.link(from, to, link);
    network.link(to, from, Link::new(BitsPerSec::from_mbps(100), ms(1)));
    let mut run = Run::new(network, end);
    run.measure.warm_up = warm_up;
    run.add(flow(from, to));
    run.results().unwrap().queues.remove(0)
}

/// The utilisation of a link on which 1,500 bytes take a second, with each kind of queue.
fn slow(window: (Nanos, Nanos), flow: impl Fn(Node, Node) -> Flow + Copy) -> [f64; 3] {
    QUEUES.map(|queue| {
        let link = Link::new(BitsPerSec(12_000), ms(1)).queue(queue.parse().unwrap());
        measured(link, window, flow).utilisation
    })
}

/// Packets of `size` bytes, one every `interval` from `start` on.
fn every(interval: Nanos, size: u64, start: Nanos) -> impl Fn(Node, Node) -> Flow + Copy {
    let rate = BitsPerSec(size * 8_000_000_000 / interval.0);
    move |from, to| Flow::datagrams(from, to, Bytes(size), rate, Pattern::Constant).at(start)
}

#[test]
fn a_transmission_that_reaches_over_the_end_counts_up_to_the_end() {
    // Of 10 s from 9.5 s on, or of 43 s from 9 s on, which is all that the link sends.
    assert_eq!(
        slow((ms(0), ms(10_000)), every(ms(60_000), 15_000, ms(9_500))),
        [0.05; 3]
    );
    assert_eq!(
        slow((ms(0), ms(10_000)), every(ms(60_000), 65_000, ms(9_000))),
        [0.1; 3]
    );
}

#[test]
fn a_transmission_that_reaches_over_the_warm_up_counts_from_its_end_on() {
    // Seconds 0 to 1, 2 to 3 and so on: 6 to 7 and 8 to 9, and half a second of 4.5 to 9.5.
    let half = every(ms(2000), 1500, ms(0));
    assert_eq!(slow((ms(4500), ms(9500)), half), [0.5; 3]);
    // Seconds 8 to 9 and 10 to 10.25 of 7 to 10.25.
    assert_eq!(slow((ms(7000), ms(10_250)), half), [1.25 / 3.25; 3]);
}

#[test]
fn a_link_that_always_sends_is_used_all_the_time() {
    // One transmission that is longer than what is measured, and many that are cut at both ends.
    assert_eq!(
        slow((ms(2000), ms(8000)), every(ms(60_000), 15_000, ms(0))),
        [1.0; 3]
    );
    assert_eq!(
        slow((ms(5500), ms(10_000)), every(ms(500), 1500, ms(0))),
        [1.0; 3]
    );
    // 7/3 ns each: the ends lie within nanoseconds, too.
    for window in 100..120 {
        let link = |queue: &str| {
            Link::new(BitsPerSec(24_000_000_000), ms(1)).queue(queue.parse().unwrap())
        };
        for queue in QUEUES {
            let overload = every(Nanos(2), 7, Nanos(0));
            let used = measured(link(queue), (Nanos(window), Nanos(3 * window)), overload);
            assert!(used.utilisation <= 1.0, "{queue}: {}", used.utilisation);
            assert!(used.utilisation >= 1.0 - 1.0 / window as f64, "{queue}");
        }
    }
}

/// The utilisation of a link with an opportunity every 10 ms, from 10 ms on.
fn recorded(window: (Nanos, Nanos), flow: impl Fn(Node, Node) -> Flow) -> f64 {
    let trace: Trace = "10".parse().unwrap();
    let link = Link::new(BitsPerSec(1), ms(1)).following(trace);
    measured(link.queue("droptail".parse().unwrap()), window, flow).utilisation
}

#[test]
fn a_recorded_link_is_used_as_far_as_its_opportunities_are() {
    let from_50_to_150 = (ms(50), ms(150));
    assert_eq!(recorded(from_50_to_150, every(ms(20), 1500, ms(5))), 0.5);
    // The rest of an opportunity is lost where nothing waits.
    assert_eq!(recorded(from_50_to_150, every(ms(10), 300, ms(5))), 0.2);
    assert_eq!(recorded(from_50_to_150, every(ms(1), 1000, ms(0))), 1.0);
}

#[test]
fn a_packet_uses_the_opportunities_within_the_window_that_it_needs() {
    // 15,000 bytes, at 10 to 100 ms. There are opportunities at 10 to 190 ms, and at 50 to 90.
    let once = every(ms(1000), 15_000, ms(5));
    assert_eq!(recorded((ms(0), ms(200)), once), 10.0 / 19.0);
    assert_eq!(recorded((ms(45), ms(95)), once), 1.0);
    // 100 ms, and 110 to 190, which nothing uses.
    assert_eq!(recorded((ms(100), ms(200)), once), 0.1);
    // No opportunity at all.
    assert_eq!(recorded((ms(91), ms(99)), once), 0.0);
}

#[test]
fn where_nothing_departs_there_is_no_mean_sojourn_time() {
    for queue in QUEUES {
        let link = || Link::new(BitsPerSec(12_000), ms(1)).queue(queue.parse().unwrap());
        let until = |stop: u64| {
            move |from, to| every(ms(2000), 1500, ms(0))(from, to).then(ms(stop), Step::Stop)
        };
        let window = (ms(5000), ms(10_000));
        assert_eq!(measured(link(), window, until(4500)).mean_sojourn, None);
        let some = measured(link(), window, until(6500)).mean_sojourn;
        assert_eq!(some, Some(Nanos::ZERO));
    }
}

#[test]
fn packets_that_wait_when_the_warm_up_ends_are_among_those_that_may_be_dropped() {
    // Ten packets a second at a link that sends one, two of them after the warm-up.
    let burst = |from, to| every(ms(100), 1500, ms(0))(from, to).then(ms(1200), Step::Stop);
    let codel = "codel:target=1ms,interval=10ms".parse().unwrap();
    let link = Link::new(BitsPerSec(12_000), ms(1)).queue(codel);
    let queue = measured(link, (ms(1000), ms(8000)), burst);
    let dropped = queue.counters.dropped().packets;
    assert!(dropped > queue.counters.arrived.packets, "{queue:?}");
    assert!(queue.share(dropped).unwrap() <= 1.0, "{queue:?}");
}
