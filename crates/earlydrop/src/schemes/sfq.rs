//! SFQ: flows hashed into queues that are served in turn, each under any scheme.
//!
//! # Reference
//! P. McKenney, "Stochastic Fairness Queueing", IEEE INFOCOM 1990. Defaults are those of Linux's
//! sch_sfq.
//!
//! # Equations
//! - Sub-queue of a flow: `hash(flow, salt) mod queues`; the salt changes every `perturb`.
//! - A sub-queue that joins the round has a credit of one quantum of bytes. It sends while the
//!   credit is above zero, each packet subtracts its size, and a turn that finds none adds a
//!   quantum. With `scheduler=packets` a turn is one packet, as in McKenney's paper.
//! - Over the limit, the sub-queue with most packets loses the packet at its tail, counted as
//!   `forced`: the buffer is shared so that no flow can fill it.
//!
//! # Our readings
//! - Packets that wait when flows are hashed anew move to their new sub-queues, as in Linux, so
//!   that a flow's packets stay in order. Inner schemes then start afresh, as their averages and
//!   probabilities are of other flows.
//! - `inner.*` are the inner scheme's parameters. The inner `limit` bounds nothing.
//! - The inner scheme gets the full link rate, as no flow's share is known.
//!
//! # How other tools differ
//! | aspect | McKenney | Linux sch_sfq | ns-2 | here |
//! |---|---|---|---|---|
//! | a turn | a packet | a quantum of bytes | a packet | a quantum; `scheduler=packets` |
//! | hash | of addresses, perturbed | of the flow, salted; `perturb`, off | of addresses | of the flow, salted; `perturb`, off |
//! | waiting packets when hashed anew | stay | move | stay | move |
//! | queues | a few times the flows | 127 active of 1024 hash values | 16 | 1024 |
//! | most packets of a flow | no rule | 127 | a fair share | the limit |
//! | inside | FIFO | FIFO, or RED (`redflowlimit`) | FIFO | any scheme for one queue |
//! | overflow | the longest, its tail | the longest, its tail; `headdrop` | the longest | the longest, its tail; `overflow=fit,drop_batch=1` |

use crate::registry::{Descriptor, Preset};
use crate::schemes::flow_queues::{AS_SFQ, INNER, TURNS, plan};
use crate::schemes::fq_codel::{ACTIVE, FATTEST, SHARING};

/// The scheme.
pub const SCHEME: Descriptor = Descriptor::new(
    "sfq",
    "flows hashed into queues that are served in turn; the longest loses; each under any scheme",
    "McKenney, \"Stochastic Fairness Queueing\", INFOCOM 1990",
    &[SHARING, TURNS, INNER],
    plan,
)
.with_defaults(AS_SFQ)
.with_presets(&[
    Preset {
        name: "paper",
        meaning: "McKenney 1990: a packet a turn",
        values: &[("scheduler", "packets")],
    },
    Preset {
        name: "linux",
        meaning: "tc sfq perturb 10: 127 packets, 1024 hash values, an MTU a turn",
        values: &[
            ("limit", "127 packets"),
            ("queues", "1024"),
            ("quantum", "1514 bytes"),
            ("perturb", "10 s"),
        ],
    },
])
.with_probes(&[ACTIVE, FATTEST])
.that_nests();

#[cfg(test)]
mod tests {
    use crate::queue::QueueDiscipline;
    use crate::testing::{TestPacket, mbps, packet, queue};
    use crate::units::Nanos;
    use alloc::vec::Vec;

    fn order(spec: &str) -> Vec<u64> {
        let mut queue = queue(spec, mbps(8));
        for (flow, size, packets) in [(1, 1500, 3), (2, 500, 6)] {
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
        let next = || queue.dequeue(Nanos::ZERO).map(|packet| packet.flow);
        core::iter::from_fn(next).collect()
    }

    #[test]
    fn a_turn_is_a_quantum_or_a_packet() {
        let spec = "sfq:quantum=1500 bytes";
        assert_eq!(order(spec), [1, 2, 2, 2, 1, 2, 2, 2, 1]);
        let spec = "sfq:scheduler=packets";
        assert_eq!(order(spec), [1, 2, 1, 2, 1, 2, 2, 2, 2]);
    }

    #[test]
    fn no_flow_can_fill_the_buffer() {
        let mut queue = queue("sfq:limit=10 packets", mbps(8));
        for _ in 0..50 {
            queue.enqueue(Nanos::ZERO, packet(1));
        }
        for flow in 2..7 {
            assert_eq!(
                queue.enqueue(Nanos::ZERO, packet(flow)),
                crate::queue::Outcome::Queued
            );
        }
        assert_eq!(queue.packets(), 10);
        assert_eq!(queue.probe("active"), Some(6.0));
        assert_eq!(
            queue.probe("fattest"),
            Some(5000.0),
            "five of flow 1, one of each other"
        );
    }

    /// Two flows in one sub-queue are likely apart after a new hash.
    #[test]
    fn flows_that_collide_are_hashed_apart() {
        let spec = "sfq:queues=2,perturb=1 s,limit=1000";
        let mut queue = queue(spec, mbps(8));
        let mut apart = 0;
        for second in 0..40 {
            let now = Nanos::from_millis(1000 * second + 1);
            queue.enqueue(now, packet(1));
            queue.enqueue(now, packet(2));
            apart += u32::from(queue.probe("active") == Some(2.0));
            while queue.dequeue(now).is_some() {}
        }
        // Binomial(40, 1/2): outside of 5 to 35 by chance once in a million.
        assert!((5..=35).contains(&apart), "{apart}");
    }
}
