use super::*;
use crate::counters::Tally;
use crate::packet::{Ack, Ecn, Hosts};
use crate::registry::{LinkFacts, Plan, Spec};
use crate::schemes::cobalt::Cobalt;
use crate::testing::mbps;
use alloc::vec::Vec;
use proptest::prelude::*;

/// A packet with hosts, class and acknowledgment.
#[derive(Clone, Copy, Debug)]
struct Routed {
    flow: u64,
    size: u32,
    class: u8,
    hosts: (u64, u64),
    ack: Option<u32>,
}

impl Packet for Routed {
    fn size(&self) -> u32 {
        self.size
    }
    fn flow(&self) -> FlowKey {
        FlowKey(self.flow)
    }
    fn ecn(&self) -> Ecn {
        Ecn::NotCapable
    }
    fn mark(&mut self) {}
    fn class(&self) -> u8 {
        self.class
    }
    fn hosts(&self) -> Hosts {
        let (source, destination) = self.hosts;
        Hosts {
            source,
            destination,
        }
    }
    fn ack(&self) -> Option<Ack> {
        self.ack.map(|number| Ack {
            number,
            is_pure: true,
            has_sack: false,
            echo: 0,
        })
    }
}

fn packet(flow: u64) -> Routed {
    Routed {
        flow,
        size: 1000,
        class: 0,
        hosts: (flow, flow),
        ack: None,
    }
}

/// The queue of `spec` before a link of 8 Mbps.
fn cake(spec: &str) -> CakeQueue<Routed, Cobalt> {
    let spec: Spec = spec.parse().unwrap();
    match spec.plan(&LinkFacts::at(mbps(8))).unwrap() {
        Plan::Cake { aqm, params } => CakeQueue::new(&aqm, params, Pcg32::new(1, 0)),
        other => panic!("{other:?}"),
    }
}

/// Keeps `backlogged` flows at three packets each and sends 4000 packets, one a ms: how many of
/// each flow are among the last 2000.
fn sent(spec: &str, backlogged: &[Routed]) -> Vec<u32> {
    let mut queue = cake(spec);
    let mut waiting: Vec<u32> = backlogged.iter().map(|_| 0).collect();
    let mut sent = waiting.clone();
    for ms in 0..4000 {
        let now = Nanos::from_millis(ms);
        for (place, packet) in backlogged.iter().enumerate() {
            while waiting[place] < 3 {
                queue.enqueue(now, *packet);
                waiting[place] += 1;
            }
        }
        let mut lost = Vec::new();
        let left = queue.dequeue_with(now, &mut |packet: Routed, _| lost.push(packet.flow));
        let left = left.expect("a packet waits").packet.flow;
        lost.push(left);
        for flow in lost {
            let place = backlogged.iter().position(|packet| packet.flow == flow);
            waiting[place.unwrap()] -= 1;
        }
        let place = backlogged.iter().position(|packet| packet.flow == left);
        sent[place.unwrap()] += u32::from(ms >= 2000);
    }
    sent
}

/// Six flows of source host 1, two of host 2; host 1 sends to destinations 1 to 6, host 2 to 7.
fn eight_flows() -> Vec<Routed> {
    let hosts = |flow| match flow {
        0..6 => (101, 201 + flow),
        _ => (102, 207),
    };
    (0..8)
        .map(|flow| Routed {
            hosts: hosts(flow),
            ..packet(flow)
        })
        .collect()
}

#[test]
fn what_is_isolated_shares_evenly() {
    for (isolation, first, last) in [
        // By flows: an eighth each. By source: half for six flows, half for two.
        ("flows", 1.0 / 8.0, 1.0 / 8.0),
        ("dual-srchost", 1.0 / 12.0, 1.0 / 4.0),
        // Seven destinations, of which the last has two flows.
        ("dual-dsthost", 1.0 / 7.0, 1.0 / 14.0),
        // The busier host counts: of weights 1/6 six times and 1/2 twice, 1/12 and 1/4.
        ("triple-isolate", 1.0 / 12.0, 1.0 / 4.0),
        ("srchost", 1.0 / 12.0, 1.0 / 4.0),
    ] {
        let spec = alloc::format!("cake:isolation={isolation},target=1 s,interval=10 s");
        let sent = sent(&spec, &eight_flows());
        for (flow, wanted) in [(0, first), (7, last)] {
            let share = f64::from(sent[flow]) / 2000.0;
            assert!((share - wanted).abs() < 0.02, "{isolation}: {sent:?}");
        }
    }
}

#[test]
fn a_tin_within_its_rate_is_served_first() {
    // Voice has a quarter of the link; bulk a sixteenth.
    let tins = [0, 1, 46].map(|class| Routed {
        class,
        ..packet(u64::from(class))
    });
    let sent = sent("cake:class=dscp,target=1 s,interval=10 s", &tins);
    let share = |tin: usize| f64::from(sent[tin]) / 2000.0;
    assert!((share(1) - 1.0 / 16.0).abs() < 0.02, "bulk: {sent:?}");
    assert!((share(2) - 1.0 / 4.0).abs() < 0.02, "voice: {sent:?}");
    // Voice alone with best effort, one packet in ten: it never waits for more than one.
    let mut queue = cake("cake:class=dscp");
    for ms in 0..1000 {
        let now = Nanos::from_millis(ms);
        queue.enqueue(now, packet(1));
        queue.enqueue(now, packet(1));
        if ms % 10 == 0 {
            queue.enqueue(
                now,
                Routed {
                    class: 46,
                    ..packet(2)
                },
            );
        }
        let left = queue.dequeue(now).unwrap();
        assert_eq!(left.flow == 2, ms % 10 == 0, "{ms}");
    }
}

#[test]
fn unlimited_tins_share_by_their_weights() {
    let tins = [0, 1, 46].map(|class| Routed {
        class,
        ..packet(u64::from(class))
    });
    let sent = sent(
        "cake:class=dscp,unlimited=on,target=1 s,interval=10 s",
        &tins,
    );
    // 1024, 64 and 256 bytes a turn.
    for (tin, wanted) in [(0, 1024.0), (1, 64.0), (2, 256.0)] {
        let share = f64::from(sent[tin]) / 2000.0;
        assert!((share - wanted / 1344.0).abs() < 0.03, "{sent:?}");
    }
}

#[test]
fn small_packets_pay_for_their_cells() {
    // On ATM a packet of 100 bytes takes 3 cells, 159 bytes; one of 1500 takes 32, 1696.
    let flows = [(0, 100), (1, 1500)].map(|(flow, size)| Routed {
        size,
        ..packet(flow)
    });
    for (framing, wanted) in [("none", 15.0), ("atm", 1696.0 / 159.0)] {
        let spec = alloc::format!("cake:framing={framing},target=1 s,interval=10 s");
        let mut queue = cake(&spec);
        let mut sent = [0_u32; 2];
        for _ in 0..2000 {
            while queue.probe("active") < Some(2.0) || queue.packets() < 60 {
                for flow in flows {
                    queue.enqueue(Nanos::ZERO, flow);
                }
            }
            sent[queue.dequeue(Nanos::ZERO).unwrap().flow as usize] += 1;
        }
        let ratio = f64::from(sent[0]) / f64::from(sent[1]);
        assert!(
            (ratio / wanted - 1.0).abs() < 0.1,
            "{framing}: {ratio} for {wanted}"
        );
    }
}

#[test]
fn the_ack_filter_keeps_the_last_of_each_flow() {
    for (filter, waits) in [("off", 10), ("on", 2), ("aggressive", 1)] {
        let mut queue = cake(&alloc::format!("cake:ack_filter={filter}"));
        for number in 0..10 {
            let ack = Some(number);
            let outcome = queue.enqueue(
                Nanos::ZERO,
                Routed {
                    ack,
                    size: 60,
                    ..packet(3)
                },
            );
            assert_eq!(outcome, Outcome::Queued);
        }
        assert_eq!(queue.packets(), waits, "{filter}");
        assert_eq!(queue.probe("filtered"), Some(f64::from(10 - waits)));
        let policy = queue.counters().dropped_for(DropReason::Policy).packets;
        assert_eq!(policy, u64::from(10 - waits));
        let last = core::iter::from_fn(|| queue.dequeue(Nanos::ZERO)).last();
        assert_eq!(last.unwrap().ack, Some(9));
    }
}

/// Of 8 flows in a set of 8, each has a queue of its own, wherever their hashes point to.
#[test]
fn flows_of_a_set_do_not_collide() {
    for (ways, wanted) in [(8, 8), (1, 6)] {
        let spec = alloc::format!("cake:queues=8,ways={ways},isolation=flows");
        let mut queue = cake(&spec);
        for flow in 0..8 {
            queue.enqueue(Nanos::ZERO, packet(flow));
        }
        let active = queue.probe("active").unwrap() as u32;
        match ways {
            8 => assert_eq!(active, wanted),
            _ => assert!(active <= wanted, "{active} of 8 by a plain hash"),
        }
    }
}

#[test]
fn the_fattest_flow_loses_from_its_head() {
    let mut queue = cake("cake:limit=20 packets");
    for _ in 0..20 {
        queue.enqueue(Nanos::ZERO, packet(1));
    }
    let mut lost = Vec::new();
    for flow in 2..7 {
        queue.enqueue_with(Nanos::ZERO, packet(flow), &mut |packet: Routed, reason| {
            lost.push((packet.flow, reason));
        });
    }
    assert_eq!(lost, [(1, DropReason::Forced); 5]);
    assert_eq!(queue.packets(), 20);
}

/// RFC: none; `cake_set_rate`: at 1 Mbps a packet of 1514 bytes takes 12.112 ms, so target is
/// 18.168 ms and interval 113.168 ms.
#[test]
fn targets_follow_the_rate() {
    let at = |mbps: u64| {
        let spec: Spec = "cake:diffserv=besteffort".parse().unwrap();
        let plan = spec
            .plan(&LinkFacts::at(BitsPerSec::from_mbps(mbps)))
            .unwrap();
        let Plan::Cake { aqm, params } = plan else {
            panic!("another plan");
        };
        CakeQueue::<Routed, Cobalt>::new(&aqm, params, Pcg32::new(1, 0))
    };
    let mut queue = at(1);
    let quantum = |queue: &CakeQueue<Routed, Cobalt>| queue.tins[0].quantum;
    assert_eq!(quantum(&queue), 300);
    assert_eq!(
        queue.tins[0].flows[0].aqm.delays(),
        (Nanos(18_168_000), Nanos(113_168_000))
    );
    queue.set_link_rate(Nanos::ZERO, BitsPerSec::from_mbps(100));
    assert_eq!(quantum(&queue), 1514);
    assert_eq!(
        queue.tins[0].flows[0].aqm.delays(),
        (Nanos(5_000_000), Nanos(100_000_000))
    );
    assert_eq!(at(10).tins[0].quantum, 305);
}

proptest! {
    /// Counts of packets, bytes, lists and hosts agree after every call.
    #[test]
    fn counts_agree(
        steps in prop::collection::vec((0..30_u64, 1..2000_u32, 0..8_u8, 0..3_u8), 1..400),
        isolation in prop::sample::select(&["flows", "hosts", "triple-isolate", "flowblind"][..]),
    ) {
        let spec = alloc::format!(
            "cake:limit=15,queues=16,isolation={isolation},class=precedence,ack_filter=on"
        );
        let mut queue = cake(&spec);
        for (number, (flow, size, class, act)) in (0_u32..).zip(steps) {
            let now = Nanos::from_millis(u64::from(number));
            match act {
                0 => drop(queue.dequeue(now)),
                _ => {
                    let ack = (act == 2).then_some(number);
                    let hosts = (flow % 4, flow % 3);
                    queue.enqueue(now, Routed { flow, size, class, hosts, ack });
                }
            }
            let tins = || queue.tins.iter();
            let flows = || tins().flat_map(|tin| &tin.flows);
            let waiting: u32 = flows().map(|flow| flow.chain.packets()).sum();
            let bytes: u64 = tins().map(|tin| tin.bytes).sum();
            prop_assert_eq!((waiting, bytes), (queue.packets(), queue.bytes()));
            prop_assert!(waiting <= 15);
            for tin in tins() {
                let of = |sets: &[tin::Set]| {
                    tin.flows.iter().filter(|flow| sets.contains(&flow.set)).count() as u32
                };
                prop_assert_eq!(tin.bulk, of(&[tin::Set::Bulk]));
                let sparse = [tin::Set::Sparse, tin::Set::SparseWaiting];
                prop_assert_eq!(tin.sparse, of(&sparse));
                let listed = tin.listed().count() as u32;
                prop_assert_eq!(listed, tin.flows.len() as u32 - of(&[tin::Set::Idle]));
            }
            let counters = queue.counters();
            let (left, lost) = (counters.departed, counters.dropped());
            let accounted = Tally {
                packets: left.packets + lost.packets + u64::from(queue.packets()),
                bytes: left.bytes + lost.bytes + queue.bytes(),
            };
            prop_assert_eq!(counters.arrived, accounted);
        }
    }
}
