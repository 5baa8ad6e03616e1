use super::*;
use crate::aqm::DropReason;
use crate::packet::Ecn;
use crate::queue::{Outcome, QueueDiscipline};
use crate::registry::{LinkFacts, Spec};
use crate::testing::{TestPacket, mbps, packet, queue};

fn pie(text: &str) -> Pie {
    let spec: Spec = text.parse().unwrap();
    Pie::from_settings(&spec.settings(&LinkFacts::at(mbps(10))).unwrap()).unwrap()
}

fn close(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-12, "{a} {b}");
}

/// p after one update from `probability`, with delays `before` and now.
fn after(text: &str, probability: f64, before: f64, delay: f64) -> f64 {
    let mut pie = pie(text);
    (pie.probability, pie.delay) = (probability, before);
    pie.update(delay, false);
    pie.probability
}

#[test]
fn the_gains_are_tuned_by_the_table() {
    for (probability, divisor) in [
        (0.0, 2048.0),
        (0.99e-6, 2048.0),
        (1e-6, 512.0),
        (1e-5, 128.0),
        (1e-4, 32.0),
        (1e-3, 8.0),
        (0.01, 2.0),
        (0.1, 1.0),
        (0.9, 1.0),
    ] {
        assert_eq!(autotune(probability), 1.0 / divisor, "{probability}");
    }
}

#[test]
fn updates_are_those_computed_by_hand() {
    // .125 (.035 - .015) + 1.25 (.035 - .025) = .015
    close(after("pie", 0.0, 0.025, 0.035), 0.015 / 2048.0);
    close(after("pie", 5e-3, 0.025, 0.035), 5e-3 + 0.015 / 8.0);
    close(after("pie", 0.2, 0.025, 0.035), 0.215);
    // .125 .035 + 1.25 .03 = .041875, capped from p = .1 on.
    close(after("pie", 0.1, 0.020, 0.050), 0.12);
    close(after("pie:cap=off", 0.1, 0.020, 0.050), 0.141_875);
    close(after("pie", 0.09, 0.020, 0.050), 0.09 + 0.041_875 / 2.0);
    // Down is not capped: .125 (.005 - .015) + 1.25 (.005 - .105) = -.12625.
    close(after("pie", 0.5, 0.105, 0.005), 0.373_75);
    // Above 250 ms as in Linux: .02 more than .125 .245 = .030625, capped or not.
    close(after("pie:as=linux", 0.5, 0.260, 0.260), 0.54);
    close(after("pie:as=linux", 0.5, 0.250, 0.250), 0.52);
    close(after("pie", 0.5, 0.260, 0.260), 0.52);
    close(after("pie:as=linux,cap=off", 0.5, 0.260, 0.260), 0.550_625);
    // Empty twice: .98 (.5 - .125 .015).
    close(after("pie", 0.5, 0.0, 0.0), 0.98 * 0.498_125);
    close(after("pie", 0.5, 0.007, 0.007), 0.5 - 0.001);
    close(after("pie:decay=half", 0.5, 0.007, 0.007), 0.98 * 0.499);
    // Within [0, 1].
    close(after("pie", 1e-7, 0.0, 0.0), 0.0);
    close(after("pie", 0.99, 0.3, 0.4), 1.0);
}

#[test]
fn bursts_are_allowed_for_150_ms_after_a_calm() {
    let mut pie = pie("pie");
    for update in 1..=9 {
        pie.update(0.030, false);
        assert!(!pie.active, "{update}");
    }
    pie.update(0.030, false);
    assert_eq!(pie.burst_left, Nanos::ZERO);
    assert!(pie.active);
    // Below half the target and p below .2: no signal. Once p is 0, a burst is allowed again.
    pie.update(0.007, false);
    assert!(!pie.active);
    pie.probability = 0.01;
    while pie.probability > 0.0 {
        assert_eq!(pie.burst_left, Nanos::ZERO);
        pie.update(0.0, false);
    }
    assert_eq!(pie.burst_left, Nanos::from_millis(150));
}

#[test]
fn a_calm_soon_reaches_a_fixed_point() {
    let mut pie = pie("pie");
    (pie.probability, pie.delay, pie.burst_left) = (1.0, 0.5, Nanos::ZERO);
    let mut updates = 0;
    while pie.update(0.0, false) {
        updates += 1;
    }
    assert!(updates < 1000, "{updates}");
    assert_eq!(
        (pie.probability, pie.burst_left),
        (0.0, Nanos::from_millis(150))
    );
}

#[test]
fn late_updates_are_exact() {
    // Ends before p = 1, and long after.
    for (spec, end) in [("pie", 400), ("pie", 50_000), ("pie:delay=rate", 2000)] {
        let run = |step: usize| {
            let mut queue = queue(spec, mbps(10));
            queue.poll(Nanos::ZERO);
            for flow in 0..400 {
                queue.enqueue(Nanos::ZERO, packet(flow));
            }
            // 200 packets leave at 10 Mbps, 0.8 ms each, then the link stops.
            for sent in 1..=200 {
                queue.dequeue(Nanos::from_micros(800 * sent));
            }
            for millis in (161..end).step_by(step) {
                queue.poll(Nanos::from_millis(millis));
            }
            queue.poll(Nanos::from_millis(end));
            (queue.probe("probability"), queue.probe("qdelay"))
        };
        assert!(run(1).0 > Some(0.0), "{spec}");
        assert_eq!(run(1), run(100_000), "{spec}");
    }
}

#[test]
fn the_departure_rate_is_estimated_from_16384_bytes() {
    let mut estimator = RateEstimator::new(16_384);
    for sent in 0..17 {
        estimator.on_departure(Nanos::from_micros(800 * sent), 1000, 100_000);
    }
    // 17 packets reach the threshold in the 16 gaps between them.
    close(estimator.secs_per_byte, 12.8e-3 / 16_384.0);
    // The next measurement runs from the last packet's leaving: 17 gaps.
    for sent in 17..34 {
        estimator.on_departure(Nanos::from_micros(800 * sent), 1000, 100_000);
    }
    close(
        estimator.secs_per_byte,
        (0.75 * 12.8e-3 + 0.25 * 13.6e-3) / 16_384.0,
    );
    let mut short = RateEstimator::new(16_384);
    for sent in 0..40 {
        short.on_departure(Nanos::from_micros(800 * sent), 1000, 16_383);
    }
    assert_eq!(short.secs_per_byte, 0.0, "too little waits to measure");
}

#[test]
fn marks_below_the_limit_and_never_with_two_packets() {
    let mut queue = queue("pie:target=1 us,interval=1 s,burst=0", mbps(10));
    let capable = TestPacket {
        ecn: Ecn::Ect0,
        ..packet(1)
    };
    queue.poll(Nanos::ZERO);
    queue.enqueue(Nanos::ZERO, capable);
    // Delays of 1 s: first 1.375/2048, then over .1 soon.
    queue.poll(Nanos::from_secs(1));
    let p = queue.probe("probability").unwrap();
    close(p, (1.375 - 0.125e-6) / 2048.0);
    queue.poll(Nanos::from_secs(60));
    assert_eq!(queue.probe("probability"), Some(1.0));
    let outcomes = [(); 4].map(|()| queue.enqueue(Nanos::from_secs(60), capable));
    let early = Outcome::Dropped(DropReason::Early);
    assert_eq!(outcomes, [Outcome::Queued, Outcome::Queued, early, early]);
}

#[test]
fn derandomised_drops_lie_between_085_and_85_of_p() {
    let mut pie = pie("pie:derandomise=on");
    pie.probability = 0.05;
    let mut random = Pcg32::new(8033, 0);
    let (mut shortest, mut longest, mut gap, mut packets) = (u32::MAX, 0, 0, 0);
    for _ in 0..20_000 {
        loop {
            gap += 1;
            if pie.hits(&mut random, &mut ()) {
                break;
            }
        }
        (shortest, longest) = (shortest.min(gap), longest.max(gap));
        packets += gap;
        gap = 0;
    }
    // 17 packets make .85 and 170 make 8.5; sums of .05 round either way.
    assert!((17..=18).contains(&shortest), "{shortest}");
    assert!(longest <= 171, "{longest}");
    // Geometric after 16: mean 36 (less 0.1 for the cut), standard error
    // sqrt(380/20000) = 0.14; five of them: a false alarm in 2e6 seeds.
    let mean = f64::from(packets) / 20_000.0;
    assert!((35.2..36.8).contains(&mean), "{mean}");
}

#[test]
fn a_target_beyond_the_buffer_is_refused() {
    let spec: Spec = "pie:target=2 s,limit=1 s".parse().unwrap();
    let error = spec.plan(&LinkFacts::at(mbps(10))).unwrap_err();
    assert_eq!(error.parameter(), Some("target"));
}

#[test]
fn a_link_that_is_down_for_years_costs_no_more() {
    let mut queue = queue("pie", mbps(10));
    queue.poll(Nanos::ZERO);
    queue.enqueue(Nanos::ZERO, packet(1));
    let years = Nanos::from_secs(10_000_000_000);
    queue.poll(years);
    assert_eq!(queue.probe("probability"), Some(1.0));
    let delay = queue.probe("qdelay").unwrap();
    assert!((delay - 1e10).abs() <= 0.016, "{delay}");
}
