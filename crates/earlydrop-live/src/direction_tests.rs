//! A direction driven by a test's clock: when packets arrive, whenever it is advanced.

use super::*;
use crate::packet::Header;
use crate::plan::Rate;
use earlydrop::packet::Ecn;
use earlydrop::registry::Spec;
use proptest::prelude::*;

fn plan(rate: Rate, delay: Nanos, queue: &str) -> plan::Direction {
    plan::Direction {
        rate,
        delay,
        loss: 0.0,
        queue: queue.parse::<Spec>().unwrap(),
    }
}

const MILLI: Nanos = Nanos::from_millis(1);

/// A packet of 1,250 bytes, which take 1 ms at 10 Mbps.
fn bytes(ecn: Ecn) -> Vec<u8> {
    let mut bytes = vec![0; 1250];
    bytes[..4].copy_from_slice(&[0x45, ecn as u8, 0x04, 0xe2]);
    bytes
}

fn frame(pool: &mut Pool, ecn: Ecn) -> Frame {
    let slot = pool.take().unwrap();
    let bytes = bytes(ecn);
    pool.buffer(slot)[..bytes.len()].copy_from_slice(&bytes);
    Frame::new(slot, Header::read(&bytes).unwrap())
}

fn nobody(_: Nanos, _: &[u8]) {}

/// When packets arrive at the far end that arrive at the queue at `times`, if the direction is
/// also advanced at `looks`.
fn arrivals(plan: &plan::Direction, times: &[Nanos], looks: &[Nanos]) -> Vec<Nanos> {
    let mut pool = Pool::new(times.len() as u32);
    let mut direction = Direction::new(plan, 1).unwrap();
    let mut arrived = Vec::new();
    let mut calls: Vec<(Nanos, bool)> = times.iter().map(|time| (*time, true)).collect();
    calls.extend(looks.iter().map(|time| (*time, false)));
    calls.sort();
    for (now, comes) in calls {
        if comes {
            let frame = frame(&mut pool, Ecn::NotCapable);
            direction.enqueue(now, frame, &mut pool, &mut nobody);
        }
        direction.advance(now, &mut pool, &mut nobody);
        while let Some((due, frame)) = direction.pop_due(now) {
            pool.give_back(frame.slot);
            arrived.push(due);
        }
    }
    // As the emulator does: whenever it must be advanced.
    while direction.next_event() < Nanos::NEVER {
        let now = direction.next_event();
        direction.advance(now, &mut pool, &mut nobody);
        while let Some((due, frame)) = direction.pop_due(now) {
            pool.give_back(frame.slot);
            arrived.push(due);
        }
    }
    assert_eq!(pool.free(), times.len(), "every buffer comes back");
    arrived
}

#[test]
fn packets_are_spaced_by_the_rate_and_arrive_after_the_delay() {
    let plan = plan(
        Rate::Constant("10 Mbps".parse().unwrap()),
        Nanos::from_millis(25),
        "droptail",
    );
    let times = [0, 0, 0, 10].map(Nanos::from_millis);
    let expected = [26, 27, 28, 36].map(Nanos::from_millis);
    assert_eq!(arrivals(&plan, &times, &[]), expected);
}

#[test]
fn a_recorded_link_sends_when_it_could() {
    let trace = Rate::Recorded("2\n4\n4\n10".parse().unwrap());
    let plan = plan(trace, MILLI, "droptail");
    // What an opportunity has left goes to the next packet: 1,500 bytes at 2 and 4 and 4 ms.
    let times = [Nanos::ZERO; 3];
    let expected = [3, 5, 5].map(Nanos::from_millis);
    assert_eq!(arrivals(&plan, &times, &[]), expected);
}

#[test]
fn what_a_scheme_drops_and_marks_is_counted_and_given_back() {
    // Everything above one packet is marked where it can be, else dropped.
    let plan = plan(
        Rate::Constant("10 Mbps".parse().unwrap()),
        MILLI,
        "step:threshold=1 packets",
    );
    let mut pool = Pool::new(8);
    let mut direction = Direction::new(&plan, 1).unwrap();
    let mut seen = Vec::new();
    let mut tap = |at: Nanos, bytes: &[u8]| seen.push((at, bytes[1] & 3));
    for ecn in [Ecn::Ect0; 5] {
        let frame = frame(&mut pool, ecn);
        direction.enqueue(Nanos::ZERO, frame, &mut pool, &mut tap);
    }
    direction.advance(Nanos::from_millis(9), &mut pool, &mut tap);
    let counters = direction.counters().clone();
    assert_eq!(counters.arrived.packets, 5);
    assert!(counters.marked.packets > 0);
    let marks = seen.iter().filter(|(_, ecn)| *ecn == 3).count() as u64;
    assert_eq!(marks, counters.marked.packets);
    assert_eq!(seen.len() as u64, counters.departed.packets);
}

#[test]
fn what_passes_is_sent_before_what_waits_and_takes_its_time() {
    let plan = plan(
        Rate::Constant("10 Mbps".parse().unwrap()),
        MILLI,
        "droptail:limit=2",
    );
    let mut pool = Pool::new(8);
    let mut direction = Direction::new(&plan, 1).unwrap();
    // One is being sent, two wait, a fourth finds the queue full; a fifth passes.
    let waiting = [(); 4].map(|()| frame(&mut pool, Ecn::NotCapable));
    for frame in waiting {
        direction.enqueue(Nanos::ZERO, frame, &mut pool, &mut nobody);
    }
    let passing = frame(&mut pool, Ecn::NotCapable);
    direction.bypass(Nanos::ZERO, passing, &mut pool, &mut nobody);
    direction.advance(Nanos::from_millis(9), &mut pool, &mut nobody);
    let order: Vec<(Nanos, u32)> = std::iter::from_fn(|| direction.pop_due(Nanos::from_millis(9)))
        .map(|(due, frame)| (due, frame.slot))
        .collect();
    let slots = [waiting[0], passing, waiting[1], waiting[2]].map(|frame| frame.slot);
    let times = [2, 3, 4, 5].map(Nanos::from_millis);
    assert_eq!(order, times.into_iter().zip(slots).collect::<Vec<_>>());
    // And when nothing is there, it is sent at once, and the next waits for it.
    let late = Nanos::from_millis(20);
    let (passing, next) = (
        frame(&mut pool, Ecn::NotCapable),
        frame(&mut pool, Ecn::NotCapable),
    );
    direction.bypass(late, passing, &mut pool, &mut nobody);
    direction.enqueue(late, next, &mut pool, &mut nobody);
    direction.advance(Nanos::from_millis(30), &mut pool, &mut nobody);
    let times = std::iter::from_fn(|| direction.pop_due(Nanos::from_millis(30)));
    let times: Vec<Nanos> = times.map(|(due, _)| due).collect();
    assert_eq!(times, [22, 23].map(Nanos::from_millis));
}

#[test]
fn a_share_is_lost_on_the_wire() {
    const SENT: u32 = 2000;
    let mut plan = plan(
        Rate::Constant("10 Mbps".parse().unwrap()),
        MILLI,
        "droptail:limit=5000",
    );
    plan.loss = 0.25;
    let times: Vec<Nanos> = (0..SENT)
        .map(|n| Nanos(u64::from(n) * 2 * MILLI.0))
        .collect();
    let arrived = arrivals(&plan, &times, &[]).len() as f64;
    let lost = 1.0 - arrived / f64::from(SENT);
    // Four standard deviations of a binomial share: false once in 16,000 seeds; this one is
    // fixed.
    let deviation = (0.25_f64 * 0.75 / f64::from(SENT)).sqrt();
    assert!((lost - 0.25).abs() < 4.0 * deviation, "{lost}");
}

proptest! {
    /// Packets arrive at the same times, however rarely it is advanced.
    #[test]
    fn when_it_is_advanced_changes_nothing(
        gaps in prop::collection::vec(0..4_000_000_u64, 1..60),
        looks in prop::collection::vec(0..200_000_000_u64, 0..60),
        delay in 0..30_000_000_u64,
        queue in prop::sample::select(vec!["droptail:limit=5", "red:min=2,max=8", "codel", "fq-codel", "pie"]),
    ) {
        let plan = plan(Rate::Constant("10 Mbps".parse().unwrap()), Nanos(delay), queue);
        let mut now = 0;
        let times: Vec<Nanos> = gaps.iter().map(|gap| { now += gap; Nanos(now) }).collect();
        let looks: Vec<Nanos> = looks.into_iter().map(Nanos).collect();
        prop_assert_eq!(arrivals(&plan, &times, &[]), arrivals(&plan, &times, &looks));
    }
}
