use super::*;
use crate::packet::Ecn;
use crate::queue::QueueDiscipline;
use crate::random::Pcg32;
use crate::registry::{LinkFacts, Spec};
use crate::testing::{TestPacket, mbps, packet, queue};
use alloc::collections::VecDeque;
use alloc::vec::Vec;

const MS: u64 = 1_000_000;

/// The fate of each packet that reached the head: its number, and whether it left.
type Fates = Vec<(u64, bool)>;

/// The RFC's pseudo-code, literally.
#[derive(Default)]
struct Rfc {
    waiting: VecDeque<(u64, u64, u64)>,
    first_above: u64,
    drop_next: u64,
    count: u64,
    last_count: u64,
    dropping: bool,
    fates: Fates,
}

impl Rfc {
    fn do_dequeue(&mut self, now: u64) -> (Option<u64>, bool) {
        let Some((number, arrived, _)) = self.waiting.pop_front() else {
            self.first_above = 0;
            return (None, false);
        };
        let bytes: u64 = self.waiting.iter().map(|(_, _, size)| size).sum();
        let mut ok_to_drop = false;
        if now - arrived < 5 * MS || bytes <= 1500 {
            self.first_above = 0;
        } else if self.first_above == 0 {
            self.first_above = now + 100 * MS;
        } else if now >= self.first_above {
            ok_to_drop = true;
        }
        (Some(number), ok_to_drop)
    }

    fn control_law(t: u64, count: u64) -> u64 {
        t + libm::round((100 * MS) as f64 / libm::sqrt(count as f64)) as u64
    }

    fn drop(&mut self, number: Option<u64>) {
        self.fates.push((number.unwrap(), false));
    }

    fn deque(&mut self, now: u64) {
        let (mut number, mut ok) = self.do_dequeue(now);
        if self.dropping {
            if !ok {
                self.dropping = false;
            }
            while now >= self.drop_next && self.dropping {
                self.drop(number);
                self.count += 1;
                (number, ok) = self.do_dequeue(now);
                if ok {
                    self.drop_next = Rfc::control_law(self.drop_next, self.count);
                } else {
                    self.dropping = false;
                }
            }
        } else if ok {
            self.drop(number);
            (number, _) = self.do_dequeue(now);
            self.dropping = true;
            let delta = self.count - self.last_count;
            self.count = 1;
            if delta > 1 && (now as i64 - self.drop_next as i64) < 1600 * MS as i64 {
                self.count = delta;
            }
            self.drop_next = Rfc::control_law(now, self.count);
            self.last_count = self.count;
        }
        if let Some(number) = number {
            self.fates.push((number, true));
        }
    }
}

/// Random load, calm and heavy, through both implementations; every fate must agree.
#[test]
fn agrees_with_the_rfc_on_random_traces() {
    let mut drops = 0;
    let mut resumed = 0;
    for seed in 0..20 {
        let mut random = Pcg32::new(seed, 7);
        let mut ours = queue("codel:ecn=off,limit=100000", mbps(10));
        let (mut rfc, mut fates) = (Rfc::default(), Fates::new());
        let (mut now, mut number) = (MS, 0);
        for step in 0..20_000_u32 {
            now += u64::from(random.below(2 * MS as u32));
            let stormy = (step / 1500) % 2 == 0;
            if random.chance(if stormy { 0.56 } else { 0.42 }) {
                let size = [60, 700, 1500][random.below(3) as usize];
                ours.enqueue(
                    Nanos(now),
                    TestPacket {
                        size,
                        ..packet(number)
                    },
                );
                rfc.waiting.push_back((number, now, u64::from(size)));
                number += 1;
            } else {
                let left = ours.dequeue_with(Nanos(now), &mut |lost: TestPacket, _| {
                    fates.push((lost.flow, false));
                });
                fates.extend(left.map(|left| (left.packet.flow, true)));
                rfc.deque(now);
            }
            resumed = resumed.max(rfc.last_count);
        }
        assert_eq!(fates, rfc.fates, "seed {seed}");
        drops += fates.iter().filter(|(_, left)| !left).count();
    }
    assert!(drops > 500, "only {drops} drops: the traces try nothing");
    assert!(resumed > 1, "no trace resumed a count");
}

/// A standing queue of 100 packets, 10 ms old, dequeued every `step`; times of
/// drops and marks.
fn signals(spec: &str, ecn: Ecn, dequeues: u64, step: u64) -> Vec<u64> {
    let mut queue = queue(spec, mbps(10));
    let mut times = Vec::new();
    for tick in 0..dequeues {
        let now = Nanos(tick * step);
        queue.enqueue(now, TestPacket { ecn, ..packet(0) });
        if queue.packets() < 100 {
            continue;
        }
        let before = queue.counters().dropped().packets + queue.counters().marked.packets;
        queue.dequeue(now);
        let counters = queue.counters();
        if counters.dropped().packets + counters.marked.packets > before {
            times.push(now.0);
        }
        while queue.packets() < 99 {
            queue.enqueue(now, TestPacket { ecn, ..packet(0) });
        }
    }
    times
}

#[test]
fn gaps_are_the_published_interval_over_root_n() {
    for ecn in [Ecn::NotCapable, Ecn::Ect0] {
        let times = signals("codel", ecn, 10_000, MS / 10);
        let gaps: Vec<f64> = times
            .windows(2)
            .map(|pair| (pair[1] - pair[0]) as f64 / MS as f64)
            .collect();
        for (gap, expected) in gaps.iter().zip([100.0, 70.7, 57.7, 50.0, 44.7, 40.8]) {
            assert!((gap - expected).abs() <= 0.15, "{gaps:?}");
        }
        assert!(gaps.len() >= 6);
    }
}

#[test]
fn first_drops_one_interval_after_the_first_packet_above() {
    let times = signals("codel:ecn=off", Ecn::NotCapable, 2000, MS / 10);
    // The 100th packet arrives at 9.9 ms, when the head has waited 9.9 ms.
    assert_eq!(times.first(), Some(&(109 * MS + 9 * MS / 10)));
}

#[test]
fn never_drops_with_a_backlog_of_one_mtu_or_less() {
    let run = |left: u32| {
        let mut queue = queue("codel:ecn=off", mbps(10));
        for tick in 0..1000_u64 {
            let now = Nanos(tick * 50 * MS);
            queue.enqueue(
                now,
                TestPacket {
                    size: left,
                    ..packet(0)
                },
            );
            if tick > 0 {
                queue.dequeue(now);
            }
        }
        queue.counters().dropped().packets
    };
    assert_eq!(run(1500), 0);
    assert!(run(1501) > 0);
}

#[test]
fn a_wait_of_target_itself_is_above() {
    let spec: Spec = "codel".parse().unwrap();
    let mut codel = Codel::from_settings(&spec.settings(&LinkFacts::at(mbps(1))).unwrap()).unwrap();
    for (wait, above) in [(5 * MS - 1, None), (5 * MS, Some(Nanos(107 * MS)))] {
        codel.sojourn = Nanos(wait);
        codel.above_for_long(Nanos(7 * MS), 2000, &mut ());
        assert_eq!(codel.first_above, above);
    }
}

#[test]
fn marks_by_ce_threshold_even_without_ecn() {
    let mut queue = queue("codel:ecn=off,ce_threshold=1 ms", mbps(10));
    let capable = TestPacket {
        ecn: Ecn::Ect0,
        ..packet(0)
    };
    for late in [MS, MS + 1] {
        queue.enqueue(Nanos::ZERO, capable);
        let left = queue.dequeue(Nanos(late)).map(|left| left.ecn);
        assert_eq!(left == Some(Ecn::Ce), late > MS);
    }
    assert_eq!(queue.counters().marked.packets, 1);
}

#[test]
fn refuses_a_target_above_its_interval() {
    let spec: Spec = "codel:target=200 ms".parse().unwrap();
    let error = spec.plan(&LinkFacts::at(mbps(1))).unwrap_err();
    assert_eq!(error.parameter(), Some("target"));
}

#[test]
fn evictions_before_the_first_dropping_state_are_not_resumed() {
    let settings = crate::testing::settings("codel");
    let mut codel = Codel::from_settings(&settings).unwrap();
    let victim = PacketInfo::of(&packet(0), Nanos::ZERO);
    (0..9).for_each(|_| codel.on_evicted(Nanos::ZERO, &victim));
    codel.enter_dropping(Nanos(105 * MS), &victim, &mut ());
    assert_eq!(codel.count, 1);
}
