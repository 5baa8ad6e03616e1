use super::*;
use crate::packet::Ecn;
use crate::queue::{AnyQueue, QueueDiscipline};
use crate::testing::{TestPacket, mbps, packet, queue};
use alloc::vec::Vec;

const MS: u64 = 1_000_000;

fn at(ms: u64) -> Nanos {
    Nanos::from_millis(ms)
}

fn probe(queue: &AnyQueue<TestPacket>, name: &str) -> f64 {
    queue.probe(name).unwrap()
}

/// Keeps `depth` packets queued, one dequeue a ms; times of drops and marks in ms.
fn signals(queue: &mut AnyQueue<TestPacket>, ecn: Ecn, depth: u32, ms: u64) -> Vec<u64> {
    let signals = |queue: &AnyQueue<TestPacket>| {
        queue.counters().dropped().packets + queue.counters().marked.packets
    };
    let mut times = Vec::new();
    for tick in 0..ms {
        while queue.packets() < depth {
            queue.enqueue(at(tick), TestPacket { ecn, ..packet(0) });
        }
        let before = signals(queue);
        queue.dequeue(at(tick));
        times.extend((signals(queue) > before).then_some(tick));
    }
    times
}

#[test]
fn signals_come_an_interval_over_root_count_apart() {
    for ecn in [Ecn::NotCapable, Ecn::Ect0] {
        let mut queue = queue("cobalt", mbps(100));
        let times = signals(&mut queue, ecn, 20, 2000);
        let gaps: Vec<u64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        // 100/sqrt(2), 100/sqrt(3), ...: the first signal already counts.
        for (gap, expected) in gaps.iter().zip([70.7, 57.7, 50.0, 44.7, 40.8]) {
            assert!((*gap as f64 - expected).abs() <= 1.0, "{gaps:?}");
        }
        assert!(gaps.len() > 5);
        let marks = queue.counters().marked.packets;
        assert_eq!(marks > 0, ecn == Ecn::Ect0);
        assert_eq!(queue.counters().dropped().packets == 0, ecn == Ecn::Ect0);
    }
}

#[test]
fn count_decays_one_by_one_below_target() {
    let mut queue = queue("cobalt", mbps(100));
    signals(&mut queue, Ecn::Ect0, 20, 2000);
    let high = probe(&queue, "count");
    assert!(high > 10.0);
    while queue.dequeue(at(2000)).is_some() {}
    let mut last = probe(&queue, "count");
    for tick in 2001..12_000 {
        queue.enqueue(at(tick), packet(0));
        queue.enqueue(at(tick), packet(0));
        queue.dequeue(at(tick));
        queue.dequeue(at(tick));
        let count = probe(&queue, "count");
        assert!(count == last || count == last - 1.0, "{last} to {count}");
        last = count;
    }
    assert_eq!(last, 0.0);
}

#[test]
fn a_long_calm_decays_every_count_at_once() {
    let mut queue = queue("cobalt", mbps(100));
    signals(&mut queue, Ecn::Ect0, 20, 2000);
    while queue.packets() > 0 {
        queue.dequeue(at(2000));
    }
    assert!(probe(&queue, "count") > 10.0);
    queue.enqueue(at(12_000), packet(0));
    queue.dequeue(at(12_000));
    assert_eq!(probe(&queue, "count"), 0.0);
}

/// Marks on a packet at 0 that did not wait, and on two that did, at `ms` and 1 ms later.
fn marks_after_calm(ms: u64) -> u64 {
    let mut queue = queue("cobalt", mbps(100));
    queue.enqueue(at(0), packet(0));
    queue.dequeue(at(0));
    for now in [ms, ms + 1] {
        queue.enqueue(
            at(now - 10),
            TestPacket {
                ecn: Ecn::Ect0,
                ..packet(0)
            },
        );
        queue.dequeue(at(now));
    }
    queue.counters().marked.packets
}

#[test]
fn an_interval_without_packets_makes_the_next_signal_due() {
    assert_eq!(
        marks_after_calm(50),
        0,
        "an interval from the first packet above"
    );
    assert_eq!(
        marks_after_calm(200),
        1,
        "at once: the activity timeout has passed"
    );
}

#[test]
fn blue_rises_on_overflow_once_a_target_and_falls_when_idle() {
    let mut queue = queue("cobalt:limit=2,increment=0.5,decrement=0.25", mbps(100));
    for _ in 0..10 {
        queue.enqueue(at(10), packet(0));
    }
    assert_eq!(probe(&queue, "p"), 0.5, "eight refusals, one step");
    queue.enqueue(at(15), packet(0));
    assert_eq!(
        probe(&queue, "p"),
        0.5,
        "a target later is not more than one"
    );
    queue.enqueue(at(16), packet(0));
    assert_eq!(probe(&queue, "p"), 1.0);
    while queue.dequeue(at(30)).is_some() {}
    assert_eq!(probe(&queue, "p"), 0.75);
    queue.dequeue(at(60));
    assert_eq!(probe(&queue, "p"), 0.75, "idleness counts once");
}

#[test]
fn blue_drops_ecn_capable_packets_but_the_last() {
    let mut queue = queue("cobalt:limit=3,increment=1", mbps(100));
    for _ in 0..4 {
        queue.enqueue(
            at(10),
            TestPacket {
                ecn: Ecn::Ect0,
                ..packet(0)
            },
        );
    }
    assert!(queue.dequeue(at(10)).is_some(), "the last packet is kept");
    let counters = queue.counters();
    assert_eq!(counters.dropped_for(DropReason::Dequeue).packets, 2);
    assert_eq!(counters.dropped_for(DropReason::Forced).packets, 1);
    assert_eq!(counters.marked.packets, 0);
    assert_eq!(queue.packets(), 0);
}

#[test]
fn a_slow_link_allows_four_packet_times() {
    // 1 Mbps: a packet of 1514 bytes takes 12.1 ms, four of them 48.4 ms.
    let dropping = |wait: u64| {
        let mut queue = queue("cobalt", mbps(1));
        queue.enqueue(Nanos::ZERO, packet(0));
        queue.dequeue(Nanos(wait * MS));
        probe(&queue, "dropping")
    };
    assert_eq!((dropping(48), dropping(49)), (0.0, 1.0));
}

#[test]
fn the_first_overflow_raises_p_however_early_it_is() {
    let mut queue = queue("cobalt:limit=2", mbps(100));
    for _ in 0..4 {
        queue.enqueue(Nanos::ZERO, packet(0));
    }
    assert_eq!(probe(&queue, "p"), 1.0 / 256.0, "once a target");
}

/// Four steps come within a thousandth of 1/sqrt(count).
#[test]
fn cake_s_roots_are_close_and_its_first_gap_is_zero() {
    for count in 1..ROOTS.len() as u32 {
        let exact = 4_294_967_296.0 / libm::sqrt(f64::from(count));
        let root = f64::from(ROOTS[count as usize]);
        assert!(
            (root / exact - 1.0).abs() < 1e-3,
            "{count}: {root}, {exact}"
        );
    }
    let mut first = queue("cobalt:sqrt=cake", mbps(100));
    let times = signals(&mut first, Ecn::Ect0, 20, 300);
    let mut exact = queue("cobalt", mbps(100));
    let later = signals(&mut exact, Ecn::Ect0, 20, 300);
    assert!(times[0] < 10, "at once: {times:?}");
    assert!(later[0] >= 100, "an interval later: {later:?}");
}
