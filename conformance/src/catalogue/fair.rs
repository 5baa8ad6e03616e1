//! FQ-CoDel. A packet of 1000 bytes takes the link 8 ms. No two flows share a queue.

use super::kernel;
use super::traffic::{draft, stream};
use crate::record::Draft;
use crate::vector::Ecn;

pub(super) fn fq_codel() -> Vec<Draft> {
    let base = "fq-codel:target=20 ms,interval=100 ms,quantum=1000 bytes,limit=60";
    vec![
        draft(
            "fq-codel/sparse",
            base,
            "A flow that sends a packet each 50 ms beside one that fills the queue: it is served \
             next.",
            &["sparse-flows-not-first"],
            &[
                stream(0.0, 0.0, 20),
                stream(4.0, 8.0, 40),
                stream(21.0, 50.0, 7).flow(2).size(200),
            ],
            60.0,
        ),
        draft(
            "fq-codel/turns",
            base,
            "Three flows with full queues take turns.",
            &["quantum", "order"],
            &[
                stream(0.0, 0.0, 12),
                stream(1.0, 0.0, 12).flow(2),
                stream(2.0, 0.0, 12).flow(3),
            ],
            320.0,
        ),
        draft(
            "fq-codel/bytes",
            base,
            "Packets of 300 and 1200 bytes: both flows get the same number of bytes.",
            &["quantum"],
            &[
                stream(0.0, 0.0, 14).size(1200),
                stream(1.0, 0.0, 40).flow(2).size(300),
            ],
            240.0,
        ),
        draft(
            "fq-codel/small-quantum",
            "fq-codel:target=20 ms,interval=100 ms,quantum=300 bytes,limit=60",
            "With a quantum of 300 bytes a packet of 1200 needs several rounds.",
            &["quantum"],
            &[
                stream(0.0, 0.0, 10).size(1200),
                stream(1.0, 0.0, 30).flow(2).size(300),
                stream(2.0, 12.0, 12).flow(3).size(600),
            ],
            200.0,
        ),
        draft(
            "fq-codel/emptied",
            base,
            "A new flow's queue empties and fills again at once: it has to pass through the old \
             ones.",
            &["emptied-flow", "sparse-flows-not-first"],
            &[
                stream(0.0, 0.0, 16),
                stream(1.0, 0.0, 16).flow(2),
                stream(10.0, 9.0, 24).flow(3).size(400),
            ],
            160.0,
        ),
        draft(
            "fq-codel/overflow",
            "fq-codel:target=20 ms,interval=100 ms,quantum=1000 bytes,limit=16",
            "The buffer is full: packets at the head of the longest queue are dropped.",
            &["overflow-victim", "limit-off-by-one"],
            &[
                stream(0.0, 2.0, 40),
                stream(1.0, 12.0, 8).flow(2),
                stream(2.0, 12.0, 8).flow(3),
            ],
            160.0,
        ),
        draft(
            "fq-codel/overflow-bytes",
            "fq-codel:target=20 ms,interval=100 ms,quantum=1000 bytes,limit=16",
            "The longest queue is that with the most bytes, not the most packets.",
            &["overflow-victim"],
            &[
                stream(0.0, 5.0, 16).size(200),
                stream(1.0, 8.0, 12).flow(2).size(1400),
                stream(30.0, 3.0, 20).flow(3).size(300),
            ],
            160.0,
        ),
        draft(
            "fq-codel/codel-each",
            base,
            "Each queue has a CoDel of its own: the one whose delay stays above target drops, the \
             other does not.",
            &["control-law", "other-packet-lost", "backlog-of-all"],
            &[
                stream(0.0, 0.0, 16),
                stream(4.0, 14.0, 40),
                stream(9.0, 25.0, 22).flow(2).size(300),
            ],
            160.0,
        ),
        draft(
            "fq-codel/capable",
            base,
            "The same with packets that can be marked.",
            &["drops-what-could-be-marked"],
            &[
                stream(0.0, 0.0, 16).ecn(Ecn::Ect0),
                stream(4.0, 14.0, 40).ecn(Ecn::Ect0),
                stream(9.0, 25.0, 22).flow(2).size(300).ecn(Ecn::Ect0),
            ],
            160.0,
        ),
        draft(
            "fq-codel/two-floods",
            base,
            "Two flows at the link's rate each: both queues drop, by their own counts.",
            &["control-law", "quantum", "backlog-of-all"],
            &[stream(0.0, 8.0, 70), stream(3.0, 8.0, 70).flow(2)],
            160.0,
        ),
        kernel(
            "fqc_bursts",
            "fq-codel:as=linux",
            "bursts",
            &["control-law", "backlog-of-all", "emptied-flow"],
        ),
    ]
}
