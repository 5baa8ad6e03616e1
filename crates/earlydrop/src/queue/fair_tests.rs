use super::*;
use crate::counters::Tally;
use crate::packet::Ecn;
use crate::queue::Limit;
use crate::schemes::droptail::DropTail;
use crate::testing::TestPacket;
use crate::units::Bytes;
use alloc::vec::Vec;
use proptest::prelude::*;

type Plain = FairQueue<TestPacket, DropTail>;

fn fair(packets: u32, bytes: u64) -> Plain {
    let bytes = Bytes(bytes);
    let sharing = Sharing {
        queues: 1024,
        quantum: 1514,
        limit: Limit {
            bytes,
            ..Limit::packets(packets)
        },
        drop_batch: 64,
        rules: SharingRules::default(),
    };
    FairQueue::new(&DropTail, sharing, Pcg32::new(1, 0))
}

fn sized(flow: u64, size: u32) -> TestPacket {
    let ecn = Ecn::NotCapable;
    TestPacket { flow, size, ecn }
}

fn fill(queue: &mut Plain, flow: u64, size: u32, packets: u32) {
    for _ in 0..packets {
        queue.enqueue(Nanos::ZERO, sized(flow, size));
    }
}

fn leave(queue: &mut Plain, packets: usize) -> Vec<u64> {
    let next = || queue.dequeue(Nanos::ZERO).map(|packet| packet.flow);
    core::iter::from_fn(next).take(packets).collect()
}

#[test]
fn a_thin_flow_overtakes_a_fat_one() {
    let mut queue = fair(10_240, u64::MAX);
    fill(&mut queue, 1, 1514, 100);
    assert_eq!(leave(&mut queue, 2), [1, 1]);
    fill(&mut queue, 2, 100, 1);
    assert_eq!(leave(&mut queue, 2), [2, 1]);
}

#[test]
fn new_flows_are_served_before_old_ones_for_one_quantum() {
    let mut queue = fair(10_240, u64::MAX);
    fill(&mut queue, 1, 1514, 9);
    assert_eq!(leave(&mut queue, 1), [1]);
    // Flow 1 has spent its quantum and moves to the old list. Flow 2 has two quanta
    // queued: one is sent as new, the other alternates with flow 1.
    fill(&mut queue, 2, 1514, 2);
    assert_eq!(leave(&mut queue, 5), [2, 1, 2, 1, 1]);
}

#[test]
fn an_emptied_new_flow_moves_behind_the_old_ones() {
    let mut queue = fair(10_240, u64::MAX);
    fill(&mut queue, 1, 500, 12);
    leave(&mut queue, 4);
    fill(&mut queue, 2, 100, 1);
    assert_eq!(leave(&mut queue, 2), [2, 1]);
    // Flow 2 was empty and moved to the end of the old list: no second priority.
    fill(&mut queue, 2, 100, 1);
    assert_eq!(leave(&mut queue, 4), [1, 1, 2, 1]);
    // Empty for the second time, it is in no list.
    let flow_1 = queue.sub_queue_of(FlowKey(1));
    assert!(queue.listed().eq([flow_1]));
}

#[test]
fn bytes_are_shared_equally_whatever_the_packet_sizes() {
    let mut queue = fair(100_000, u64::MAX);
    let sizes = [(1, 1514), (2, 300), (3, 64)];
    for (flow, size) in sizes {
        fill(&mut queue, flow, size, 4_000_000 / size);
    }
    let mut sent = [0_u64; 4];
    for _ in 0..10_000 {
        let packet = queue.dequeue(Nanos::ZERO).unwrap();
        sent[packet.flow as usize] += u64::from(packet.size);
    }
    // Deficit round robin: flows differ by at most a quantum and a packet.
    for (flow, _) in sizes {
        assert!(
            sent[flow as usize].abs_diff(sent[1]) <= 1514 + 1514,
            "{sent:?}"
        );
    }
}

#[test]
fn overflow_drops_a_batch_from_the_head_of_the_largest_flow() {
    let mut queue = fair(200, u64::MAX);
    fill(&mut queue, 1, 1000, 150);
    fill(&mut queue, 2, 100, 50);
    let mut lost = Vec::new();
    let outcome = queue.enqueue_with(Nanos(1), sized(3, 1), &mut |gone: TestPacket, reason| {
        lost.push((gone.flow, reason));
    });
    assert_eq!(outcome, Outcome::Queued);
    assert_eq!(lost, [(1, DropReason::Forced); 64]);
    assert_eq!(queue.packets(), 137);
}

#[test]
fn overflow_drops_at_most_half_and_counts_bytes_not_packets() {
    let mut queue = fair(20, u64::MAX);
    fill(&mut queue, 1, 60, 12);
    fill(&mut queue, 2, 1000, 9);
    assert_eq!(queue.packets(), 16, "5 of the 9 packets, half the bytes");
    assert_eq!(
        queue.sub_queues[queue.sub_queue_of(FlowKey(1)) as usize]
            .chain
            .packets(),
        12
    );
}

#[test]
fn reports_when_the_arriving_packet_is_among_the_dropped() {
    let mut queue = fair(3, u64::MAX);
    for flow in [1, 2, 3] {
        fill(&mut queue, flow, 100, 1);
    }
    let outcome = queue.enqueue(Nanos::ZERO, sized(4, 200));
    assert_eq!(outcome, Outcome::Dropped(DropReason::Forced));
    assert_eq!(queue.packets(), 3);
    let another_is_fatter = queue.enqueue(Nanos::ZERO, sized(5, 50));
    assert_eq!(another_is_fatter, Outcome::Queued);
}

#[test]
fn a_packet_larger_than_the_limit_is_dropped() {
    let mut queue = fair(10, 999);
    fill(&mut queue, 1, 500, 1);
    fill(&mut queue, 2, 1000, 1);
    assert_eq!(queue.packets(), 1, "no other packet is dropped for it");
    assert_eq!(queue.counters().dropped_for(DropReason::Forced).packets, 1);
}

/// Departed, dropped and queued.
fn total(counters: &Counters, queue: &Plain) -> Tally {
    let (left, lost) = (counters.departed, counters.dropped());
    Tally {
        packets: left.packets + lost.packets + u64::from(queue.packets()),
        bytes: left.bytes + lost.bytes + queue.bytes(),
    }
}

proptest! {
    #[test]
    fn nothing_is_lost_uncounted_and_limits_hold(
        steps in prop::collection::vec((0..10_u64, 0..1600_u32, any::<bool>()), 1..400),
    ) {
        let mut queue = fair(12, 9000);
        for (flow, size, arrives) in steps {
            if arrives {
                queue.enqueue(Nanos::ZERO, sized(flow, size));
            } else {
                let held = queue.packets();
                prop_assert_eq!(queue.dequeue(Nanos::ZERO).is_some(), held > 0);
            }
            prop_assert!(queue.packets() <= 12 && queue.bytes() <= 9000);
            prop_assert_eq!(queue.counters().arrived, total(queue.counters(), &queue));
            let in_chains: u32 = queue.sub_queues.iter().map(|one| one.chain.packets()).sum();
            let in_lists: u32 = queue
                .listed()
                .map(|index| queue.sub_queues[index as usize].chain.packets())
                .sum();
            prop_assert_eq!(in_chains, queue.packets());
            prop_assert_eq!(in_lists, queue.packets());
        }
        while queue.dequeue(Nanos::ZERO).is_some() {}
        prop_assert_eq!((queue.packets(), queue.bytes()), (0, 0));
        prop_assert_eq!(queue.listed().count(), 0);
    }
}
