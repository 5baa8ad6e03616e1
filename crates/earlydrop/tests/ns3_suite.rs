//! ns-3's own tests of its queue discs as facts: what each `as=ns3` must do.
//!
//! The suites are `red-queue-disc`, `adaptive-red-queue-disc`, `codel-queue-disc`,
//! `cobalt-queue-disc`, `fq-codel-queue-disc` and `pie-queue-disc` of ns-3 3.48. Packets do not
//! arrive at random; where drops are, ns-3's facts are inequalities, and the seed is fixed.

use std::collections::BTreeMap;

use earlydrop::packet::Ecn;
use earlydrop::queue::{AnyQueue, QueueDiscipline};
use earlydrop::units::Nanos;

use crate::support::ledger::Tagged;
use crate::support::plan;

/// A queue, and what became of each flow's packets.
struct Watched {
    queue: AnyQueue<Tagged>,
    id: u64,
    dropped: BTreeMap<u64, u32>,
    marked: BTreeMap<u64, u32>,
}

impl Watched {
    fn new(spec: &str) -> Watched {
        Watched {
            queue: plan(spec).queue(1),
            id: 0,
            dropped: BTreeMap::new(),
            marked: BTreeMap::new(),
        }
    }

    /// `count` packets of a flow arrive.
    fn offer(&mut self, at: Nanos, count: u32, size: u32, (flow, ecn): (u64, Ecn)) {
        let Watched { queue, dropped, .. } = self;
        for _ in 0..count {
            self.id += 1;
            let packet = Tagged {
                id: self.id,
                flow,
                size,
                ecn,
                class: 0,
                marks: 0,
            };
            let mut lose = |lost: Tagged, _| *dropped.entry(lost.flow).or_default() += 1;
            queue.enqueue_with(at, packet, &mut lose);
        }
    }

    /// A packet leaves; returns its number from 1, and its flow.
    fn take(&mut self, at: Nanos) -> Option<(u64, u64)> {
        let Watched { queue, dropped, .. } = self;
        let mut lose = |lost: Tagged, _| *dropped.entry(lost.flow).or_default() += 1;
        let left = queue.dequeue_with(at, &mut lose)?.packet;
        *self.marked.entry(left.flow).or_default() += u32::from(left.marks);
        Some((left.id, left.flow))
    }

    fn dropped(&self) -> u32 {
        self.dropped.values().sum()
    }

    fn marked(&self) -> u32 {
        self.queue.counters().marked.packets as u32
    }
}

const DATA: (u64, Ecn) = (1, Ecn::NotCapable);

/// 300 packets of 500 bytes at once: drops, and marks.
fn burst(spec: &str, ecn: Ecn) -> (u32, u32) {
    let mut queue = Watched::new(spec);
    queue.offer(Nanos::ZERO, 300, 500, (1, ecn));
    (queue.dropped(), queue.marked())
}

#[test]
fn red_drops_more_with_a_faster_average_a_lower_max_and_without_gentle_or_wait() {
    let small = "red:as=ns3,min=2 packets,max=5 packets,limit=8 packets,weight=0.002";
    let mut queue = Watched::new(small);
    queue.offer(Nanos::ZERO, 8, 500, DATA);
    let left: Vec<_> = std::iter::from_fn(|| queue.take(Nanos::ZERO)).collect();
    let all: Vec<_> = (1..=8).map(|id| (id, 1)).collect();
    assert_eq!(left, all);

    let gred = |settings: &str| {
        let thresholds = "gred:as=ns3,min=70 packets,limit=300 packets";
        burst(&format!("{thresholds},{settings}"), Ecn::NotCapable).0
    };
    assert_eq!(gred("max=150 packets,weight=0.002"), 0);
    let faster = gred("max=150 packets,weight=0.02");
    assert!(faster > 0);
    assert!(gred("max=100 packets,weight=0.02") > faster);
    assert!(gred("max=150 packets,weight=0.02,max_p=0.2") > faster);
    assert!(gred("max=150 packets,weight=0.02,spacing=uniform") > faster);
    let red = "red:as=ns3,min=70 packets,limit=300 packets,max=150 packets,weight=0.02";
    assert!(burst(red, Ecn::NotCapable).0 > faster);
}

/// `red-queue-disc`, tests 8 to 13.
fn with_l_interm(scheme: &str, rest: &str) -> String {
    let common = "min=30 packets,max=90 packets,limit=300 packets,weight=0.002,max_p=0.5";
    format!("{scheme}:as=ns3,{common}{rest}")
}

#[test]
fn red_marks_only_where_packets_and_queue_are_capable() {
    let (with, without) = (with_l_interm("gred", ",ecn=on"), with_l_interm("gred", ""));
    let (drops, marks) = burst(&with, Ecn::NotCapable);
    assert!(drops > 0 && marks == 0);
    let (drops, marks) = burst(&without, Ecn::Ect0);
    assert!(drops > 0 && marks == 0);
    let (drops, marks) = burst(&with, Ecn::Ect0);
    assert!(drops == 0 && marks > 0);
}

#[test]
fn feng_and_nlred_drop_less_than_red() {
    let drops = |scheme, rest| burst(&with_l_interm(scheme, rest), Ecn::NotCapable).0;
    let red = drops("gred", "");
    // Feng's first average divides max_p by 3.
    let feng = drops("feng", ",curve=gentle");
    let from_below = drops("feng", ",curve=gentle,feng_start=below");
    assert!(feng < red, "{feng} {red}");
    assert_eq!(from_below, red);
    assert!(drops("nlred", "") < red);
}

#[test]
fn ared_drops_less_than_red_while_its_max_p_adapts() {
    // A packet every 10 ms, 300 in all, and none leaves.
    let drops = |spec: &str| {
        let mut queue = Watched::new(spec);
        for n in 1..=300 {
            queue.offer(Nanos::from_millis(10 * n), 1, 500, DATA);
        }
        queue.dropped()
    };
    let red = drops("gred:as=ns3,weight=0.002,max_p=0.5,limit=300 packets");
    let ared = drops("ared:as=ns3,max_p=0.5,limit=300 packets");
    assert!(0 < red && ared < red, "{ared} {red}");
}

#[test]
fn codel_drops_and_marks_when_ns_3_s_does() {
    let ms = Nanos::from_millis;
    let mut full = Watched::new("codel:as=ns3,limit=500 packets");
    full.offer(Nanos::ZERO, 503, 1000, DATA);
    assert_eq!((full.dropped(), full.queue.packets()), (3, 500));

    // 20 packets; one leaves after twice the target, two after twice the interval more, the second
    // of them too early for the next signal.
    for (ecn, drops, marks) in [(Ecn::NotCapable, 1, 0), (Ecn::Ect0, 0, 1)] {
        let mut queue = Watched::new("codel:as=ns3,limit=500 packets,ecn=on");
        queue.offer(Nanos::ZERO, 20, 1000, (1, ecn));
        queue.take(ms(10));
        assert_eq!((queue.dropped(), queue.marked()), (0, 0));
        for _ in 0..2 {
            queue.take(ms(210));
            assert_eq!((queue.dropped(), queue.marked()), (drops, marks));
        }
        assert_eq!(queue.queue.packets(), 17 - drops);
    }

    // With a threshold of 2 ms each packet that waited longer is marked.
    let mut queue = Watched::new("codel:as=ns3,limit=500 packets,ecn=on,ce_threshold=2 ms");
    queue.offer(Nanos::ZERO, 20, 1000, (1, Ecn::Ect0));
    for (at, marks) in [(1, 0), (3, 1), (10, 2), (210, 3)] {
        queue.take(ms(at));
        assert_eq!(queue.marked(), marks, "{at} ms");
    }
}

#[test]
fn cobalt_marks_when_ns_3_s_does() {
    let mut queue = Watched::new("cobalt:as=ns3,limit=500 packets,ecn=on");
    queue.offer(Nanos::ZERO, 20, 1000, (1, Ecn::Ect0));
    for (at, marks) in [(10, 0), (210, 1), (210, 2), (420, 3)] {
        queue.take(Nanos::from_millis(at));
        assert_eq!((queue.dropped(), queue.marked()), (0, marks), "{at} ms");
    }
}

#[test]
fn fq_codel_signals_each_flow_as_often_as_ns_3_s() {
    // Three flows that are capable and two that are not, of 20 packets of 120 bytes each; a packet
    // leaves every 110 ms, or every 0.1 ms with a threshold of 2 ms.
    let spec = "fq-codel:as=ns3,quantum=1514 bytes,limit=10240 packets";
    for (more, gap, marks, drops) in [
        (
            "",
            Nanos::from_millis(110),
            [6, 6, 6, 0, 0],
            [0, 0, 0, 4, 4],
        ),
        (
            ",ce_threshold=2 ms",
            Nanos::from_micros(100),
            [0, 6, 13, 0, 0],
            [0; 5],
        ),
    ] {
        let mut queue = Watched::new(&format!("{spec}{more}"));
        for flow in 1..=5 {
            let ecn = if flow <= 3 {
                Ecn::Ect0
            } else {
                Ecn::NotCapable
            };
            queue.offer(Nanos::ZERO, 20, 120, (flow, ecn));
        }
        for n in 1..=60 {
            queue.take(Nanos(n * gap.0));
        }
        let of = |counts: &BTreeMap<u64, u32>| -> [u32; 5] {
            std::array::from_fn(|index| counts.get(&(index as u64 + 1)).copied().unwrap_or(0))
        };
        assert_eq!(
            (of(&queue.marked), of(&queue.dropped)),
            (marks, drops),
            "{more}"
        );
    }
}

#[test]
fn fq_codel_serves_by_deficits_as_ns_3_s() {
    // A quantum of 90 bytes, packets of 120.
    let mut queue = Watched::new("fq-codel:as=ns3,quantum=90 bytes");
    queue.offer(Nanos::ZERO, 1, 120, (1, Ecn::NotCapable));
    queue.take(Nanos::ZERO);
    queue.offer(Nanos::ZERO, 2, 120, (1, Ecn::NotCapable));
    queue.offer(Nanos::ZERO, 2, 120, (2, Ecn::NotCapable));
    let flows = std::iter::from_fn(|| queue.take(Nanos::ZERO)).map(|(_, flow)| flow);
    assert_eq!(flows.collect::<Vec<_>>(), [2, 1, 2, 1]);
}

#[test]
fn pie_drops_less_with_a_higher_target_and_slower_updates_more_on_a_slower_link() {
    // A packet of 1,000 bytes arrives every 10 ms, 400 in all; one leaves every so many ms.
    let drops = |settings: &str, leaves: u64| {
        let common = "pie:as=ns3,limit=300 packets,burst=100 ms";
        let mut queue = Watched::new(&format!("{common},{settings}"));
        for at in 1..=400 * leaves.max(10) {
            if at % 10 == 0 && at <= 4000 {
                queue.offer(Nanos::from_millis(at), 1, 1000, DATA);
            }
            if at % leaves == 0 {
                queue.take(Nanos::from_millis(at));
            }
        }
        queue.dropped()
    };
    let usual = drops("target=20 ms,interval=30 ms", 12);
    assert!(usual > 0);
    assert!(drops("target=80 ms,interval=30 ms", 12) < usual);
    let slower = drops("target=20 ms,interval=30 ms", 15);
    assert!(slower > usual);
    assert!(drops("target=20 ms,interval=90 ms", 15) < slower);
}
