//! Strict sub-queues, and classes that are paused.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use crate::packet::{Ecn, FlowKey, Packet};
use crate::queue::{AnyQueue, QueueDiscipline};
use crate::random::Pcg32;
use crate::registry::{LinkFacts, Spec};
use crate::testing::mbps;
use crate::units::Nanos;

/// A packet of a class, with a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Classed {
    class: u8,
    number: u32,
    size: u32,
}

impl Packet for Classed {
    fn size(&self) -> u32 {
        self.size
    }
    fn flow(&self) -> FlowKey {
        FlowKey(7)
    }
    fn class(&self) -> u8 {
        self.class
    }
    fn ecn(&self) -> Ecn {
        Ecn::NotCapable
    }
    fn mark(&mut self) {}
}

fn queue(spec: &str) -> AnyQueue<Classed> {
    let spec: Spec = spec.parse().unwrap();
    spec.plan(&LinkFacts::at(mbps(8))).unwrap().queue(1)
}

/// `packets` of 1,000 bytes of each of these classes, in turn.
fn fill(queue: &mut AnyQueue<Classed>, classes: &[u8], packets: u32) {
    for number in 0..packets {
        for class in classes {
            let (class, size) = (*class, 1000);
            queue.enqueue(
                Nanos::ZERO,
                Classed {
                    class,
                    number,
                    size,
                },
            );
        }
    }
}

/// The classes of the next packets.
fn leave(queue: &mut AnyQueue<Classed>, packets: usize) -> Vec<u8> {
    let next = || queue.dequeue(Nanos::ZERO).map(|packet| packet.class);
    core::iter::from_fn(next).take(packets).collect()
}

#[test]
fn strict_classes_go_first_and_the_others_share_by_weight() {
    for scheduler in ["deficit", "credit", "packets"] {
        let spec = alloc::format!(
            "drr:by=class,queues=4,strict=2,weights=2 1,quantum=1000 bytes,scheduler={scheduler}"
        );
        let mut queue = queue(&spec);
        fill(&mut queue, &[0, 1, 2, 3], 4);
        let left = leave(&mut queue, 16);
        assert_eq!(left[..8], [3, 3, 3, 3, 2, 2, 2, 2], "{scheduler}");
        assert_eq!(left[8..14], [0, 0, 1, 0, 0, 1], "{scheduler}");
        // One that arrives is next, between two packets of another's turn.
        fill(&mut queue, &[0], 2);
        assert_eq!(leave(&mut queue, 1), [0]);
        fill(&mut queue, &[2], 1);
        assert_eq!(leave(&mut queue, 2), [2, 0]);
    }
}

#[test]
fn a_paused_class_waits_and_the_others_go_on() {
    let mut queue = queue("drr:by=class,queues=8,strict=1");
    fill(&mut queue, &[3, 0, 7], 2);
    assert!(queue.pause_class(3, true));
    assert!(queue.pause_class(7, true));
    assert_eq!(leave(&mut queue, 9), [0, 0]);
    assert_eq!(queue.packets(), 4);
    assert_eq!(queue.bytes_of_class(3), Some(2000));
    assert!(queue.pause_class(3, false));
    assert_eq!(leave(&mut queue, 1), [3]);
    assert!(queue.pause_class(7, false));
    assert_eq!(leave(&mut queue, 9), [7, 7, 3]);
}

#[test]
fn only_queues_by_class_in_turn_pause_a_class() {
    for spec in [
        "droptail",
        "fq-codel",
        "fq-red:by=class",
        "drr:by=flow",
        "cake",
    ] {
        assert!(!queue(spec).pause_class(0, true), "{spec}");
    }
    assert_eq!(queue("droptail").bytes_of_class(0), None);
}

#[test]
fn a_change_of_the_rules_keeps_strict_order_and_frees_what_no_rule_pauses() {
    let plan = |spec: &str| spec.parse::<Spec>().unwrap().plan(&LinkFacts::at(mbps(8)));
    let mut queue = queue("drr:by=class,queues=8");
    fill(&mut queue, &[0, 1, 2, 3], 2);
    assert!(queue.pause_class(1, true));
    let strict = plan("drr:by=class,queues=8,strict=7").unwrap();
    queue.change(Nanos::ZERO, &strict).unwrap();
    assert_eq!(leave(&mut queue, 3), [3, 3, 2]);
    let by_flow = plan("drr:by=flow,queues=8").unwrap();
    queue.change(Nanos::ZERO, &by_flow).unwrap();
    assert_eq!(leave(&mut queue, 9).len(), 5);
}

#[test]
fn strict_with_new_flows_first_is_refused() {
    let spec: Spec = "fq-red:by=class,strict=1".parse().unwrap();
    let error = spec.plan(&LinkFacts::at(mbps(8))).unwrap_err();
    assert!(alloc::format!("{error}").contains("new-first"), "{error}");
}

/// Whatever comes and is paused: a class's packets leave in their order, none while it is paused,
/// none before a strict one that may go, and all in the end.
#[test]
fn random_pauses_lose_no_packet_and_break_no_order() {
    for seed in 0..200 {
        let mut random = Pcg32::new(seed, 5);
        let strict = random.below(9);
        let mut queue = queue(&alloc::format!("drr:by=class,queues=8,strict={strict}"));
        let mut waiting: Vec<VecDeque<u32>> = (0..8).map(|_| VecDeque::new()).collect();
        let mut paused = [false; 8];
        for number in 0..600 {
            match random.below(5) {
                0 | 1 => {
                    let class = random.below(8) as u8;
                    let size = 64 + random.below(1437);
                    let packet = Classed {
                        class,
                        number,
                        size,
                    };
                    queue.enqueue(Nanos(u64::from(number)), packet);
                    waiting[usize::from(class)].push_back(number);
                }
                2 => {
                    let class = random.below(8) as u8;
                    let pauses = random.below(2) == 0;
                    assert!(queue.pause_class(class, pauses));
                    paused[usize::from(class)] = pauses;
                }
                _ => {
                    let may_go = |class: usize| !paused[class] && !waiting[class].is_empty();
                    let first = (0..8).rev().find(|class| may_go(*class));
                    let left = queue.dequeue(Nanos(u64::from(number)));
                    assert_eq!(left.is_some(), first.is_some(), "seed {seed}, {number}");
                    let Some(packet) = left else { continue };
                    let class = usize::from(packet.class);
                    assert!(may_go(class), "seed {seed}: class {class} is paused");
                    let strictest = first.unwrap_or(0);
                    if strictest >= 8 - strict as usize {
                        assert_eq!(class, strictest, "seed {seed}, {number}");
                    }
                    assert_eq!(waiting[class].pop_front(), Some(packet.number));
                }
            }
        }
        for class in 0..8 {
            queue.pause_class(class, false);
        }
        let left = waiting.iter().map(VecDeque::len).sum::<usize>();
        assert_eq!(leave(&mut queue, usize::MAX).len(), left, "seed {seed}");
    }
}
