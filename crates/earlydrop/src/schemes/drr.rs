//! DRR: a queue for each flow or class, served by deficit round robin, each under any scheme.
//!
//! # Reference
//! M. Shreedhar, G. Varghese, "Efficient Fair Queueing using Deficit Round Robin", ACM SIGCOMM
//! 1995. With a weight for each sub-queue it is a weighted fair queue.
//!
//! # Equations
//! - Sub-queue of a packet: the number of its flow, its traffic class, or the hash of its flow,
//!   modulo `queues`.
//! - A turn adds `quantum` times the sub-queue's weight to its deficit, in bytes. It sends while
//!   its packet at the head is no larger than the deficit, and each packet is subtracted.
//! - What is left of the deficit is kept for the next turn, unless the sub-queue has become empty.
//! - `strict` sub-queues, those with the highest numbers, go before all others without turns, the
//!   highest first: the strict priority and the weighted shares of IEEE 802.1Q, sections 8.6.8.1 and
//!   8.6.8.3.
//! - Over the limit, in packets or bytes, the sub-queue with most bytes loses the packet at its
//!   tail, counted as `forced`.
//!
//! While all of n sub-queues hold packets and none is strict, each sends its weight over the sum of their weights of
//! the link, within a quantum and the largest packet.
//!
//! # Our readings
//! - The paper hashes flows and gives each a queue; Linux has one a class, found by filters. Here
//!   `by` chooses. The simulator numbers the flow i of a scenario 2i, its acknowledgments 2i + 1:
//!   `weights=4 1 2` with `by=flow` are those of flow 0, of its acknowledgments, and of flow 1.
//! - `inner.*` are the inner scheme's parameters. The inner `limit` bounds nothing: `limit` and
//!   `memory_limit` bound all sub-queues together, as the paper's shared buffers do.
//! - The inner scheme gets the full link rate, as no sub-queue's share is known.
//! - Where the inner scheme drops at departure, as CoDel does, the packet sent may be larger than
//!   the one at the head was. The deficit is then negative until the next turns.
//! - A turn that cannot send costs a step, so a packet costs a constant number of steps only with
//!   a quantum of at least the largest packet (section 3 of the paper).
//! - An emptied sub-queue's scheme is notified that its link is idle.
//!
//! # How other tools differ
//! | aspect | the paper | Linux sch_drr | ns-2 | here |
//! |---|---|---|---|---|
//! | queues | hashed flows | classes, by filters | hashed source addresses | `by=flow`, `class`, `hash` |
//! | first turn | one quantum | one quantum | one quantum | one quantum |
//! | buffer | shared; the longest loses | each class its own | shared; the longest loses | shared; the longest loses |
//! | scheme of a queue | FIFO | any qdisc | FIFO | any scheme for one queue |

use crate::registry::{Descriptor, Preset};
use crate::schemes::flow_queues::{AS_DRR, INNER, TURNS, plan};
use crate::schemes::fq_codel::{ACTIVE, FATTEST, SHARING};

/// The scheme.
pub const SCHEME: Descriptor = Descriptor::new(
    "drr",
    "a queue for each flow or class, served by deficit round robin with weights, each under any scheme",
    "Shreedhar, Varghese, \"Efficient Fair Queueing using Deficit Round Robin\", SIGCOMM 1995",
    &[SHARING, TURNS, INNER],
    plan,
)
.with_defaults(AS_DRR)
.with_presets(&[
        Preset {
            name: "paper",
            meaning: "Shreedhar and Varghese 1995: hashed flows, quantum of the largest packet",
            values: &[("by", "hash"), ("quantum", "1514 bytes")],
        },
        Preset {
            name: "linux",
            meaning: "tc drr with a class for each of eight traffic classes, pfifo of 1000 packets in all together",
            values: &[("by", "class"), ("queues", "8"), ("limit", "1000 packets")],
        },
    ])
.with_probes(&[ACTIVE, FATTEST])
.that_nests();

#[cfg(test)]
mod tests {
    use crate::queue::{AnyQueue, QueueDiscipline};
    use crate::registry::{LinkFacts, Spec};
    use crate::testing::{TestPacket, mbps, packet, queue};
    use crate::units::Nanos;
    use alloc::string::ToString;
    use alloc::vec::Vec;

    fn fill(queue: &mut AnyQueue<TestPacket>, flow: u64, size: u32, packets: u32) {
        for _ in 0..packets {
            queue.enqueue(
                Nanos::ZERO,
                TestPacket {
                    size,
                    ..packet(flow)
                },
            );
        }
    }

    fn leave(queue: &mut AnyQueue<TestPacket>, packets: usize) -> Vec<u64> {
        let next = || queue.dequeue(Nanos::ZERO).map(|packet| packet.flow);
        core::iter::from_fn(next).take(packets).collect()
    }

    /// Figure 3 of the paper's idea by hand: quantum 500; flow 1 has packets of 200, 750 and 20
    /// bytes, flow 2 of 500 and 500. Flow 1 sends 200 (300 left), not 750; flow 2 sends one; flow 1
    /// has 800 and sends 750 and 20.
    #[test]
    fn a_deficit_is_kept_for_the_next_turn() {
        let mut queue = queue("drr:quantum=500 bytes", mbps(8));
        for size in [200, 750, 20] {
            fill(&mut queue, 1, size, 1);
        }
        fill(&mut queue, 2, 500, 2);
        assert_eq!(leave(&mut queue, 5), [1, 2, 1, 1, 2]);
    }

    #[test]
    fn an_emptied_queue_forgets_its_deficit() {
        let mut queue = queue("drr:quantum=1000 bytes", mbps(8));
        fill(&mut queue, 1, 100, 1);
        assert_eq!(leave(&mut queue, 1), [1]);
        // 900 bytes were left: they would allow two of these at once.
        fill(&mut queue, 1, 950, 2);
        fill(&mut queue, 2, 950, 2);
        assert_eq!(leave(&mut queue, 4), [1, 2, 1, 2]);
    }

    /// Bytes of each of four flows out of 400 packets that leave, where all stay backlogged.
    fn shares(spec: &str, sizes: [u32; 4]) -> [f64; 4] {
        let mut queue = queue(spec, mbps(8));
        let mut sent = [0.0; 4];
        for (flow, size) in (0..).zip(sizes) {
            fill(&mut queue, flow, size, 400);
        }
        for _ in 0..400 {
            let packet = queue.dequeue(Nanos::ZERO).unwrap();
            sent[packet.flow as usize] += f64::from(packet.size);
        }
        let all: f64 = sent.iter().sum();
        sent.map(|bytes| bytes / all)
    }

    #[test]
    fn backlogged_flows_share_by_bytes_and_weights() {
        for (spec, expected) in [
            ("drr:limit=1 MB", [0.25; 4]),
            ("drr:limit=1 MB,weights=4 2 1", [0.5, 0.25, 0.125, 0.125]),
            (
                "drr:limit=1 MB,inner=pie,weights=1 1 1 5",
                [0.125, 0.125, 0.125, 0.625],
            ),
        ] {
            let got = shares(spec, [1500, 500, 1000, 300]);
            for (got, expected) in got.iter().zip(expected) {
                assert!(
                    (got - expected).abs() < 0.03,
                    "{spec}: {got} for {expected}"
                );
            }
        }
    }

    #[test]
    fn the_longest_queue_loses_from_its_tail() {
        let mut queue = queue("drr:limit=4 packets", mbps(8));
        fill(&mut queue, 0, 1000, 4);
        let mut lost = Vec::new();
        queue.enqueue_with(
            Nanos::ZERO,
            TestPacket {
                size: 999,
                ..packet(1)
            },
            &mut |packet: TestPacket, _| lost.push((packet.flow, packet.size)),
        );
        assert_eq!(lost, [(0, 1000)]);
        assert_eq!(queue.packets(), 4);
        assert_eq!(leave(&mut queue, 4), [0, 1, 0, 0]);
    }

    #[test]
    fn the_inner_scheme_acts_in_its_queue_only() {
        let mut queue = queue(
            "drr:inner=red,inner.min=2,inner.max=8,inner.weight=1",
            mbps(8),
        );
        fill(&mut queue, 0, 1000, 200);
        let dropped = queue.counters().dropped().packets;
        assert!(dropped > 100, "{dropped}");
        fill(&mut queue, 1, 1000, 2);
        assert_eq!(queue.counters().dropped().packets, dropped);
    }

    #[test]
    fn weights_are_numbers_above_zero() {
        for text in ["4 0", "1.5", "70000", "x", "-1"] {
            let spec: Spec = alloc::format!("drr:weights={text}").parse().unwrap();
            let error = spec.plan(&LinkFacts::at(mbps(10))).unwrap_err().to_string();
            assert!(error.contains("whole numbers from 1 to 65535"), "{error}");
        }
    }
}
