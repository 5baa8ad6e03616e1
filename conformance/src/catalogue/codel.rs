//! CoDel and COBALT. A packet of 1000 bytes takes the link 8 ms.

use super::kernel;
use super::traffic::{Stream, draft, stream};
use crate::record::Draft;
use crate::vector::Ecn;

/// A standing queue: twelve packets at once, then packets at the link's rate.
fn standing(count: u32) -> [Stream; 2] {
    [stream(0.0, 0.0, 12), stream(4.0, 8.0, count)]
}

/// A queue that is dropped from twice, with a pause of some hundred ms between.
const TWICE: [Stream; 4] = [
    stream(0.0, 0.0, 30),
    stream(4.0, 7.0, 60),
    stream(640.0, 0.0, 30),
    stream(644.0, 7.0, 40),
];
/// A standing queue of which every other packet can be marked.
const HALF_CAPABLE: [Stream; 3] = [
    stream(0.0, 0.0, 12),
    stream(4.0, 12.0, 40),
    stream(10.0, 12.0, 40).ecn(Ecn::Ect0),
];

pub(super) fn codel() -> Vec<Draft> {
    let base = "codel:target=20 ms,interval=100 ms,mtu=1000 bytes,limit=100";
    vec![
        draft(
            "codel/entry",
            base,
            "A standing queue of 96 ms: the packet at the head 100 ms after the delay first was above \
             target is dropped, and the one behind it is sent.",
            &["other-packet-lost", "interval-not-waited"],
            &standing(30),
            20.0,
        ),
        draft(
            "codel/law",
            base,
            "The queue stays: drops come 100, 70.7, 57.7, ... ms apart.",
            &["control-law", "other-packet-lost"],
            &[stream(0.0, 0.0, 30), stream(4.0, 7.0, 100)],
            20.0,
        ),
        draft(
            "codel/overload",
            base,
            "Twice the link's rate: several packets are dropped in one dequeue.",
            &["control-law", "other-packet-lost"],
            &[stream(0.0, 4.0, 200)],
            200.0,
        ),
        draft(
            "codel/below-target",
            base,
            "A delay just below target: nothing is dropped, however long it lasts.",
            &["threshold-edge", "interval-not-waited"],
            &[stream(0.0, 0.0, 2), stream(4.0, 8.0, 60)],
            40.0,
        ),
        draft(
            "codel/dips",
            base,
            "The delay is above target for 96 ms, dips, and is above it again: the interval starts \
             anew.",
            &["interval-not-waited"],
            &[
                stream(0.0, 0.0, 13),
                stream(120.0, 0.0, 13),
                stream(250.0, 0.0, 13),
            ],
            120.0,
        ),
        draft(
            "codel/one-mtu",
            "codel:target=5 ms,interval=20 ms,mtu=1000 bytes,limit=100",
            "Each packet waits longer than target, but no more than one MTU waits behind it.",
            &["last-packet-dropped"],
            &[stream(0.0, 0.0, 2), stream(7.0, 8.0, 40)],
            40.0,
        ),
        draft(
            "codel/mtu",
            "codel:target=5 ms,interval=20 ms,mtu=3000 bytes,limit=100",
            "The same with an MTU of 3000 bytes and a queue of up to four packets.",
            &["last-packet-dropped"],
            &[
                stream(0.0, 0.0, 4),
                stream(7.0, 8.0, 30),
                stream(120.0, 16.0, 8),
            ],
            60.0,
        ),
        draft(
            "codel/resumes",
            base,
            "Dropping stops and starts again soon after: the count goes on from where it was, less \
             two.",
            &["count-not-resumed"],
            &TWICE,
            200.0,
        ),
        draft(
            "codel/late",
            base,
            "Dropping starts again after more than sixteen intervals: the count starts at one.",
            &["count-not-resumed"],
            &[
                stream(0.0, 0.0, 30),
                stream(4.0, 7.0, 50),
                stream(2600.0, 0.0, 30),
                stream(2604.0, 7.0, 40),
            ],
            200.0,
        ),
        draft(
            "codel/capable",
            base,
            "Packets that can be marked: the head is marked and sent, one a call.",
            &["drops-what-could-be-marked", "control-law"],
            &standing(40).map(|one| one.ecn(Ecn::Ect0)),
            20.0,
        ),
        draft(
            "codel/half-capable",
            base,
            "Every other packet can be marked.",
            &[
                "marks-what-cannot-be",
                "drops-what-could-be-marked",
                "other-packet-lost",
            ],
            &HALF_CAPABLE,
            100.0,
        ),
        draft(
            "codel/limit",
            "codel:target=20 ms,interval=100 ms,mtu=1000 bytes,limit=10",
            "Twice the link's rate at a buffer of ten packets.",
            &["limit-off-by-one"],
            &[stream(0.0, 4.0, 80)],
            100.0,
        ),
        draft(
            "codel/empties",
            base,
            "The queue empties while packets are dropped: the last one is sent.",
            &["last-packet-dropped", "other-packet-lost"],
            &[stream(0.0, 0.0, 40)],
            400.0,
        ),
        draft(
            "codel/threshold",
            &format!("{base},ce_threshold=10 ms"),
            "Packets that can be marked and have waited for more than 10 ms are marked, whatever the \
             state.",
            &["step-threshold"],
            &[
                stream(0.0, 10.0, 20).ecn(Ecn::Ect0),
                stream(200.0, 0.0, 3).ecn(Ecn::Ect0),
                stream(260.0, 0.0, 3),
            ],
            60.0,
        ),
        kernel("codel_phases", "codel:as=linux", "phases", &["control-law"]),
    ]
}

pub(super) fn cobalt() -> Vec<Draft> {
    let base = "cobalt:target=20 ms,interval=100 ms,limit=40";
    vec![
        draft(
            "cobalt/standing",
            base,
            "A standing queue, as for CoDel.",
            &["control-law", "interval-not-waited", "other-packet-lost"],
            &standing(60),
            20.0,
        ),
        draft(
            "cobalt/capable",
            base,
            "The same with packets that can be marked.",
            &["drops-what-could-be-marked", "control-law"],
            &standing(60).map(|one| one.ecn(Ecn::Ect0)),
            20.0,
        ),
        draft(
            "cobalt/overflow",
            "cobalt:target=20 ms,interval=100 ms,limit=12",
            "The buffer overflows: BLUE's probability rises, at most once in its time.",
            &["blue", "limit-off-by-one"],
            &[stream(0.0, 3.0, 120)],
            200.0,
        ),
        draft(
            "cobalt/idle",
            "cobalt:target=20 ms,interval=100 ms,limit=12",
            "Overflow, then pauses: the probability falls whenever the queue is found empty.",
            &["blue"],
            &[
                stream(0.0, 2.0, 60),
                stream(400.0, 20.0, 20),
                stream(900.0, 60.0, 10),
            ],
            200.0,
        ),
        draft(
            "cobalt/resumes",
            base,
            "Dropping stops and starts again.",
            &["count-not-resumed"],
            &TWICE,
            200.0,
        ),
        draft(
            "cobalt/half-capable",
            base,
            "Every other packet can be marked.",
            &[
                "marks-what-cannot-be",
                "drops-what-could-be-marked",
                "other-packet-lost",
            ],
            &HALF_CAPABLE,
            100.0,
        ),
        draft(
            "cobalt/empties",
            base,
            "The queue empties while packets are dropped.",
            &["last-packet-dropped"],
            &[stream(0.0, 0.0, 36)],
            400.0,
        ),
    ]
}
