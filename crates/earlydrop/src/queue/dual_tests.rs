use super::*;
use crate::counters::Tally;
use crate::packet::Ecn;
use crate::testing::{TestPacket, packet};
use crate::units::Bytes;
use proptest::prelude::*;

const L4S: TestPacket = sized(Ecn::Ect1, 1000);
const CAPABLE: TestPacket = sized(Ecn::Ect0, 1000);
const PLAIN: TestPacket = sized(Ecn::NotCapable, 1000);

const fn sized(ecn: Ecn, size: u32) -> TestPacket {
    TestPacket { flow: 0, size, ecn }
}

const PI: PiControl = PiControl {
    target: Nanos::from_millis(15),
    update: Nanos::from_millis(16),
    alpha: 0.16,
    beta: 3.2,
};

fn coupling() -> Coupling {
    Coupling {
        limit: Limit::packets(2000),
        law: DualLaw::Pi2(PI),
        factor: 2.0,
        step: Nanos::from_millis(1),
        ramp: Nanos::ZERO,
        least_behind: 0,
        least_backlog: 0,
        classic_share: 0.1,
        drop_on_overload: true,
        evenly: true,
    }
}

fn dual(coupling: Coupling) -> DualQueue<TestPacket> {
    DualQueue::new(coupling, Pcg32::new(1, 0))
}

/// Marks and drops among 1,000 packets of `kind`, dequeued at once with p' = `base`.
fn signalled(coupling: Coupling, base: f64, kind: TestPacket) -> (u64, u64) {
    let mut queue = dual(coupling);
    queue.base = base;
    for _ in 0..1000 {
        queue.enqueue(Nanos::ZERO, kind);
    }
    while queue.dequeue(Nanos::ZERO).is_some() {}
    let counters = queue.counters();
    let dropped = counters.dropped_for(DropReason::Dequeue).packets;
    (counters.marked.packets, dropped)
}

#[test]
fn coupling_is_p_squared_against_twice_p() {
    // p' = 1/4: p_CL is 1/2, p_C is 1/16.
    assert_eq!(signalled(coupling(), 0.25, L4S), (500, 0));
    assert_eq!(signalled(coupling(), 0.25, CAPABLE), (62, 0));
    assert_eq!(signalled(coupling(), 0.25, PLAIN), (0, 62));
    let mut queue = dual(coupling());
    queue.base = 0.3;
    let probe = |name| queue.probe(name).unwrap();
    assert_eq!((probe("p_cl"), probe("p_c")), (0.6, 0.3 * 0.3));
}

#[test]
fn randomly_spread_signals_have_the_rates_of_even_ones() {
    let by_chance = Coupling {
        evenly: false,
        ..coupling()
    };
    // Binomial: deviations 15.5 and 9.0; five of them fail by chance less than
    // once in a million.
    let (marked, _) = signalled(by_chance, 0.3, L4S);
    assert!(marked.abs_diff(600) < 78, "{marked}");
    let (_, dropped) = signalled(by_chance, 0.3, PLAIN);
    assert!(dropped.abs_diff(90) < 46 && dropped != 90, "{dropped}");
}

#[test]
fn saturation_drops_in_both_and_marks_what_it_keeps() {
    // p' = 3/4: p_CL would be 3/2, p_C is 9/16.
    assert_eq!(signalled(coupling(), 0.75, L4S), (438, 562));
    assert_eq!(signalled(coupling(), 0.75, CAPABLE), (0, 562));
    assert_eq!(
        signalled(coupling(), 0.4999, CAPABLE).1,
        0,
        "just below it marks"
    );
}

#[test]
fn without_drop_on_overload_p_is_capped_where_p_cl_is_1() {
    let mut queue = dual(Coupling {
        drop_on_overload: false,
        ..coupling()
    });
    queue.enqueue(Nanos::ZERO, L4S);
    queue.poll(Nanos::from_secs(10));
    assert_eq!(queue.base, 0.5);
    let left = queue.dequeue(Nanos::from_secs(10));
    assert_eq!(left.map(|left| left.ecn), Some(Ecn::Ce));
}

#[test]
fn low_latency_packets_are_marked_beyond_the_step() {
    for (micros, marked) in [(999, 0), (1000, 0), (1001, 1)] {
        let mut queue = dual(coupling());
        queue.enqueue(Nanos::ZERO, L4S);
        queue.enqueue(Nanos::ZERO, CAPABLE);
        for _ in 0..2 {
            queue.dequeue(Nanos::from_micros(micros));
        }
        assert_eq!(queue.counters().marked.packets, marked, "{micros} us");
    }
}

#[test]
fn a_ramp_marks_in_proportion_and_spares_a_short_queue() {
    let ramp = Coupling {
        step: Nanos::from_micros(800),
        ramp: Nanos::from_micros(400),
        least_behind: 2,
        ..coupling()
    };
    let mut queue = dual(ramp);
    for _ in 0..1002 {
        queue.enqueue(Nanos::ZERO, L4S);
    }
    while queue.dequeue(Nanos::from_micros(900)).is_some() {}
    // A quarter of the 1,000 that left two or more behind.
    assert_eq!(queue.counters().marked.packets, 250);
}

#[test]
fn the_controller_follows_the_hand_computed_trajectory() {
    let mut queue = dual(coupling());
    queue.enqueue(Nanos::ZERO, PLAIN);
    queue.poll(Nanos::from_millis(16));
    // 0.16 (16 - 15) ms + 3.2 (16 - 0) ms
    assert!((queue.base - (0.000_16 + 0.051_2)).abs() < 1e-12);
    queue.poll(Nanos::from_millis(32));
    // + 0.16 (32 - 15) ms + 3.2 (32 - 16) ms
    assert!((queue.base - (0.051_36 + 0.002_72 + 0.051_2)).abs() < 1e-12);
    assert_eq!(queue.next_deadline(), Some(Nanos::from_millis(48)));
    queue.poll(Nanos::from_secs(60));
    assert_eq!(queue.base, 1.0, "bounded");
    while queue.dequeue(Nanos::from_secs(60)).is_some() {}
    queue.poll(Nanos::from_secs(120));
    assert_eq!(queue.base, 0.0, "and back once the queue is empty");
}

#[test]
fn the_classic_queue_keeps_a_tenth_of_the_bytes() {
    for (low_latency, classic) in [(1000, 1000), (1500, 100), (100, 1500)] {
        let mut queue = dual(coupling());
        let mut sent = [0_u64; 2];
        for _ in 0..20_000 {
            queue.enqueue(Nanos::ZERO, sized(Ecn::Ect1, low_latency));
            queue.enqueue(Nanos::ZERO, sized(Ecn::NotCapable, classic));
            let left = queue.dequeue(Nanos::ZERO).unwrap();
            sent[usize::from(left.ecn == Ecn::NotCapable)] += u64::from(left.size);
            if queue.packets() > 1990 {
                break;
            }
        }
        let share = sent[1] as f64 / (sent[0] + sent[1]) as f64;
        assert!((share - 0.1).abs() < 0.02, "{share} of {sent:?}");
    }
}

#[test]
fn credit_counts_only_while_both_queues_hold_packets_and_resets_when_both_are_empty() {
    let mut queue = dual(coupling());
    let mut credit_after = |arrivals: &[TestPacket]| {
        for arrival in arrivals {
            queue.enqueue(Nanos::ZERO, *arrival);
        }
        queue.dequeue(Nanos::ZERO);
        queue.credit
    };
    assert_eq!(credit_after(&[L4S]), 0.0, "alone");
    assert_eq!(credit_after(&[L4S, PLAIN]), 100.0, "a tenth of 1,000 bytes");
    assert_eq!(credit_after(&[]), 100.0, "alone again");
    assert_eq!(credit_after(&[]), 0.0, "no packet");
}

#[test]
fn a_quiet_queue_ignores_the_controller() {
    let quiet = Coupling {
        least_backlog: 3000,
        ..coupling()
    };
    let mut queue = dual(quiet);
    queue.base = 0.49;
    for _ in 0..3 {
        queue.enqueue(Nanos::ZERO, L4S);
    }
    while queue.dequeue(Nanos::ZERO).is_some() {}
    assert_eq!(queue.counters().marked.packets, 0);
}

#[test]
fn both_queues_share_one_limit() {
    let mut queue = dual(Coupling {
        limit: Limit::packets(3),
        ..coupling()
    });
    for kind in [L4S, L4S, PLAIN] {
        assert_eq!(queue.enqueue(Nanos::ZERO, kind), Outcome::Queued);
    }
    for kind in [L4S, PLAIN] {
        let outcome = queue.enqueue(Nanos::ZERO, kind);
        assert_eq!(outcome, Outcome::Dropped(DropReason::Forced));
    }
}

proptest! {
    #[test]
    fn nothing_is_lost_uncounted(
        steps in prop::collection::vec((0..4_u8, 1..1600_u32, 0..20_u64, any::<bool>()), 1..400),
        base in 0.0..1.0_f64,
    ) {
        let limit = Limit { bytes: Bytes(15_000), ..Limit::packets(20) };
        let mut queue = dual(Coupling { limit, ..coupling() });
        queue.base = base;
        let mut now = Nanos::ZERO;
        for (ecn, size, ms, arrives) in steps {
            now += Nanos::from_millis(ms);
            if arrives {
                let ecn = Ecn::from_bits(ecn);
                queue.enqueue(now, TestPacket { ecn, size, ..packet(0) });
            } else {
                queue.dequeue(now);
            }
            let (left, lost) = (queue.counters().departed, queue.counters().dropped());
            let total = Tally {
                packets: left.packets + lost.packets + u64::from(queue.packets()),
                bytes: left.bytes + lost.bytes + queue.bytes(),
            };
            prop_assert_eq!(queue.counters().arrived, total);
            prop_assert!(queue.packets() <= 20 && queue.bytes() <= 15_000);
            prop_assert!((0.0..=1.0).contains(&queue.base));
        }
    }
}
