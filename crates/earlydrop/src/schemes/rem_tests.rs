use super::*;
use crate::aqm::DropReason;
use crate::packet::Ecn;
use crate::queue::{AnyQueue, Outcome, QueueDiscipline};
use crate::registry::{LinkFacts, Spec};
use crate::testing::{TestPacket, mbps, packet, queue};

fn rem(text: &str) -> Rem {
    let spec: Spec = text.parse().unwrap();
    Rem::from_settings(&spec.settings(&LinkFacts::at(mbps(10))).unwrap()).unwrap()
}

fn close(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-12, "{a} {b}");
}

#[test]
fn price_follows_the_hand_computed_trajectory() {
    // 10 Mbps: 1,250 packets/s, so c = 2.5 in 2 ms.
    let mut rem = rem("rem");
    for (arrivals, length, price) in [
        (10.0, 30.0, 0.0085), // .001 (.1 10 + 10 - 2.5)
        (5.0, 40.0, 0.013),   // + .001 (2 + 5 - 2.5)
        (2.5, 20.0, 0.013),   // at the reference, nothing
        (0.0, 0.0, 0.0085),   // + .001 (-2 - 2.5)
        (0.0, 0.0, 0.004),
        (0.0, 0.0, 0.0), // not below
    ] {
        rem.arrivals = arrivals;
        rem.update(length);
        close(rem.price, price);
    }
    assert!(!rem.update(0.0), "a fixed point");
}

#[test]
fn arrivals_are_smoothed_by_their_weight() {
    let mut rem = rem("rem:inw=0.25");
    rem.arrivals = 8.0;
    rem.update(60.0); // x = 2: .001 (4 + 2 - 2.5)
    close(rem.price, 0.0035);
    rem.update(60.0); // x = 1.5
    close(rem.price, 0.0065);
}

#[test]
fn probability_is_exponential_in_the_price() {
    let mut queue = queue("rem:phi=2,gamma=1,alpha=1,q_ref=0,limit=100", mbps(10));
    queue.poll(Nanos::ZERO);
    for flow in 0..3 {
        queue.enqueue(Nanos::ZERO, packet(flow));
    }
    queue.poll(Nanos::from_millis(2));
    // price = 3 + 3 - 2.5
    assert_eq!(queue.probe("price"), Some(3.5));
    close(
        queue.probe("probability").unwrap(),
        1.0 - libm::pow(2.0, -3.5),
    );
}

fn filled(spec: &str) -> AnyQueue<TestPacket> {
    let mut queue = queue(spec, mbps(10));
    queue.poll(Nanos::ZERO);
    for flow in 0..100 {
        let ecn = Ecn::Ect0;
        queue.enqueue(
            Nanos::ZERO,
            TestPacket {
                ecn,
                ..packet(flow)
            },
        );
    }
    queue
}

#[test]
fn late_updates_are_exact() {
    for spec in ["rem:inw=0.1", "rem:unit=bytes", "rem:interval=5 ms"] {
        let (mut eager, mut lazy) = (filled(spec), filled(spec));
        for millis in 0..3000 {
            eager.poll(Nanos::from_millis(millis));
        }
        lazy.poll(Nanos::from_millis(2999));
        assert!(eager.probe("price") > Some(0.0));
        assert_eq!(eager.probe("price"), lazy.probe("price"), "{spec}");
        assert_eq!(eager.next_deadline(), lazy.next_deadline(), "{spec}");
    }
}

#[test]
fn a_long_calm_ends_at_zero_and_is_skipped() {
    let mut rem = rem("rem:inw=0.01");
    (rem.price, rem.average_arrivals) = (100.0, 10.0);
    let mut updates = 0;
    let mut ticker = rem.ticker.clone();
    ticker.catch_up(Nanos::ZERO, |_| unreachable!());
    ticker.catch_up(Nanos::from_secs(10_000_000), |_| {
        updates += 1;
        rem.update(0.0)
    });
    assert_eq!((rem.price, rem.average_arrivals), (0.0, 0.0));
    assert!(updates < 30_000, "{updates} of 5e9");
}

#[test]
fn a_link_that_is_down_ends_at_probability_one() {
    let mut rem = rem("rem:gamma=10");
    while rem.update(1000.0) {}
    assert_eq!(-libm::expm1(-rem.price * rem.parameters.ln_phi), 1.0);
}

#[test]
fn byte_mode_counts_mean_packets() {
    let mut queue = queue("rem:unit=bytes,mean_packet=500 bytes", mbps(10));
    queue.poll(Nanos::ZERO);
    for flow in 0..20 {
        queue.enqueue(Nanos::ZERO, packet(flow));
    }
    queue.poll(Nanos::from_millis(2));
    // 40 mean packets came and wait, 5 could be sent: .001 (2 + 40 - 5).
    close(queue.probe("price").unwrap(), 0.037);
}

#[test]
fn ns2_marks_what_leaves_and_spares_the_last_place() {
    let mut queue = queue("rem:as=ns2,limit=4,q_ref=0,gamma=1000,phi=1000", mbps(10));
    queue.poll(Nanos::ZERO);
    let capable = TestPacket {
        ecn: Ecn::Ect0,
        ..packet(1)
    };
    for offered in [capable, capable, packet(1)] {
        assert_eq!(queue.enqueue(Nanos::ZERO, offered), Outcome::Queued);
    }
    let full = Outcome::Dropped(DropReason::Forced);
    assert_eq!(queue.enqueue(Nanos::ZERO, capable), full);
    // The price is 1000 (.3 + 4 - 2.5) by now, and p is 1.
    let later = Nanos::from_millis(2);
    let left = [(); 3].map(|()| queue.dequeue(later).unwrap().ecn);
    assert_eq!(left, [Ecn::Ce, Ecn::Ce, Ecn::NotCapable]);
    assert_eq!(queue.counters().marked.packets, 2);
}

#[test]
fn contradictions_are_refused() {
    for (text, blamed) in [
        ("rem:limit=10", "q_ref"),
        ("rem:limit=1,q_ref=0,last_place=off", "last_place"),
    ] {
        let spec: Spec = text.parse().unwrap();
        let error = spec.plan(&LinkFacts::at(mbps(10))).unwrap_err();
        assert_eq!(error.parameter(), Some(blamed));
    }
}
