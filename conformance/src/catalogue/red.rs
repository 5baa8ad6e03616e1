//! RED and its curves. A packet of 1000 bytes takes the link 8 ms.

use super::kernel;
use super::traffic::{ONE, Stream, draft, stream};
use crate::record::Draft;
use crate::vector::Ecn;

/// What all RED vectors set: an average that moves within some packets.
const RED: &str = "red:min=3,max=9,max_p=0.2,weight=0.25,limit=30";

/// Load that rises in three steps, each of 24 packets: half, all and twice the link's rate.
const RAMP: [Stream; 3] = [
    stream(0.0, 16.0, 24),
    stream(384.0, 7.0, 24),
    stream(552.0, 4.0, 40),
];
/// Bursts of 14 packets, and a pause after each that empties queue and average in part.
const BURSTS: [Stream; 4] = [
    stream(0.0, 1.0, 14),
    stream(140.0, 1.0, 14),
    stream(330.0, 1.0, 14),
    stream(620.0, 1.0, 14),
];

/// Packets of which every other can be marked, at twice the link's rate.
fn every_other(count: u32) -> [Stream; 2] {
    [
        stream(0.0, 8.0, count),
        stream(4.0, 8.0, count).ecn(Ecn::Ect0),
    ]
}

/// Packets of 300 and 1200 bytes, together somewhat above the link's rate.
fn two_sizes(count: u32) -> [Stream; 2] {
    [
        stream(0.0, 10.0, count).size(1200),
        stream(3.0, 5.0, 2 * count).size(300).flow(2),
    ]
}

/// Adds settings to a text.
fn with(base: &str, more: &str) -> String {
    format!("{base},{more}")
}

/// What a scheme of the family does under four loads.
fn four_loads(scheme: &str, base: &str, curve: &'static str) -> Vec<Draft> {
    let name = |what: &str| format!("{scheme}/{what}");
    vec![
        draft(
            &name("ramp"),
            base,
            "The load rises from half to twice the link's rate.",
            &["weight-misread", "gaps-not-uniform", curve],
            &RAMP,
            100.0,
        ),
        draft(
            &name("bursts"),
            base,
            "Four bursts with pauses: the average decays while the queue is empty.",
            &["no-idle-decay", "average-of-wrong-time", curve],
            &BURSTS,
            150.0,
        ),
        draft(
            &name("half-capable"),
            base,
            "Every other packet is ECN-capable, at twice the link's rate.",
            &["marks-what-cannot-be", "drops-what-could-be-marked", curve],
            &every_other(30),
            100.0,
        ),
        draft(
            &name("two-sizes"),
            &with(base, "unit=bytes"),
            "Packets of 300 and 1200 bytes, with average and thresholds in bytes.",
            &["limit-in-wrong-unit", "packet-size-ignored", curve],
            &two_sizes(24),
            100.0,
        ),
    ]
}

pub(super) fn red() -> Vec<Draft> {
    let mut all = four_loads("red", RED, "wrong-curve");
    all.push(kernel(
        "red_phasesm",
        "red:as=linux,max_p=0.1",
        "phases_mixed",
        &["average-of-wrong-time", "gaps-not-uniform", "count-kept"],
    ));
    all.extend([
        draft(
            "red/average",
            "red:min=20,max=60,weight=0.25,limit=100",
            "Fourteen packets at once, then silence: the average before each is of the queue \
             without it.",
            &["average-of-wrong-time", "weight-misread"],
            &[stream(0.0, 0.0, 14), stream(60.0, 8.0, 6)],
            100.0,
        ),
        draft(
            "red/idle",
            "red:min=20,max=60,weight=0.25,limit=100",
            "The queue is empty for the time of 1, 2.5 and 40 packets; the average decays by as \
             many samples of zero.",
            &["no-idle-decay"],
            &[
                stream(0.0, 0.0, 10),
                stream(88.0, 0.0, 3),
                stream(132.0, 0.0, 3),
                stream(476.0, 0.0, 3),
            ],
            60.0,
        ),
        draft(
            "red/edges",
            "red:min=3,max=6,max_p=1,weight=1,limit=30",
            "With a weight of 1 the average is the queue. At min nothing is dropped, at max \
             everything.",
            &["threshold-edge", "forced-drop-missing"],
            &[stream(0.0, 0.0, 12), stream(33.0, 2.0, 12)],
            100.0,
        ),
        draft(
            "red/forced",
            "red:min=2,max=4,max_p=0.02,weight=0.5,limit=30",
            "A queue far above max: all that arrives is dropped until the average has fallen.",
            &["forced-drop-missing", "weight-misread"],
            &[stream(0.0, 0.5, 40), stream(60.0, 8.0, 20)],
            100.0,
        ),
        draft(
            "red/forced-capable",
            "red:min=2,max=4,max_p=0.02,weight=0.5,limit=30,mark_above_max=off",
            "The same with packets that can be marked: above max they are dropped, too.",
            &["forced-drop-missing", "mark-limit"],
            &[
                stream(0.0, 0.5, 40).ecn(Ecn::Ect0),
                stream(60.0, 8.0, 20).ecn(Ecn::Ect0),
            ],
            100.0,
        ),
        draft(
            "red/count",
            "red:min=2,max=20,max_p=0.1,weight=0.5,limit=40",
            "The average falls below min and rises again: the count of packets since the last \
             drop starts anew.",
            &["count-kept", "gaps-not-uniform"],
            &[
                stream(0.0, 4.0, 24),
                stream(300.0, 4.0, 24),
                stream(600.0, 4.0, 24),
            ],
            100.0,
        ),
        draft(
            "red/geometric",
            &with(RED, "spacing=geometric"),
            "Each packet is dropped with the initial probability, whatever was before.",
            &["count-kept"],
            &RAMP,
            100.0,
        ),
        draft(
            "red/limit",
            "red:min=3,max=8,weight=0.002,limit=8",
            "The average never leaves the ground; the ninth of those waiting is dropped.",
            &["limit-off-by-one"],
            &[stream(0.0, 0.0, 12), stream(20.0, 4.0, 12)],
            100.0,
        ),
        draft(
            "red/capable-full",
            "red:min=2,max=8,max_p=0.02,weight=0.002,limit=8",
            "At a full buffer a packet that can be marked is dropped.",
            &["limit-off-by-one", "drops-what-could-be-marked"],
            &[stream(0.0, 2.0, 40).ecn(Ecn::Ect0)],
            100.0,
        ),
        draft(
            "red/marked-before",
            RED,
            "Packets that were marked on their way stay marked, and are not dropped early.",
            &["drops-what-could-be-marked"],
            &[stream(0.0, 4.0, 50).ecn(Ecn::Ce)],
            100.0,
        ),
    ]);
    all
}

pub(super) fn gred() -> Vec<Draft> {
    let base = "gred:min=2,max=5,max_p=0.2,weight=0.25,limit=30";
    let mut all = four_loads("gred", base, "not-gentle");
    all.push(draft(
        "gred/twice-max",
        "gred:min=2,max=4,max_p=0.1,weight=0.5,limit=60",
        "The average passes max and twice max: from there everything is dropped.",
        &["not-gentle", "forced-drop-missing"],
        &[stream(0.0, 0.5, 60)],
        60.0,
    ));
    all.push(draft(
        "gred/edges",
        "gred:min=2,max=4,max_p=0.3,weight=1,limit=60",
        "With a weight of 1 the average is the queue, at each whole number up to twice max.",
        &["not-gentle", "threshold-edge"],
        &[stream(0.0, 0.0, 16), stream(40.0, 3.0, 30)],
        60.0,
    ));
    all
}

pub(super) fn ared() -> Vec<Draft> {
    let base = "ared:min=3,max=9,max_p=0.1,weight=0.25,limit=30";
    let mut all = four_loads("ared", base, "wrong-curve");
    let overload = [stream(0.0, 6.0, 160).ecn(Ecn::Ect0)];
    all.extend([
        draft(
            "ared/rises",
            &with(base, "ared_interval=100 ms"),
            "The average stays above its target: max_p rises by at most a quarter, at most 0.01, at \
             each interval.",
            &["max-p-still", "max-p-wrong-step", "update-time"],
            &overload,
            60.0,
        ),
        draft(
            "ared/falls",
            &with(base, "ared_interval=100 ms"),
            "Below its target max_p falls to nine tenths at each interval, and not below its bound.",
            &["max-p-still", "max-p-wrong-step", "update-time"],
            &[stream(0.0, 9.0, 120)],
            60.0,
        ),
        draft(
            "ared/idle",
            &with(base, "ared_interval=100 ms"),
            "Half a second without packets between two bursts: max_p falls at each interval that \
             passes.",
            &["max-p-still", "update-time", "no-idle-decay"],
            &[
                stream(0.0, 4.0, 40).ecn(Ecn::Ect0),
                stream(900.0, 4.0, 40).ecn(Ecn::Ect0),
            ],
            60.0,
        ),
    ]);
    all
}

pub(super) fn nlred() -> Vec<Draft> {
    let base = "nlred:min=3,max=9,max_p=0.2,weight=0.25,limit=30";
    let mut all = four_loads("nlred", base, "wrong-curve");
    all.push(edges("nlred"));
    all
}

pub(super) fn clred() -> Vec<Draft> {
    let base = "clred:min=3,max=9,max_p=0.2,weight=0.25,limit=30";
    let mut all = four_loads("clred", base, "wrong-curve");
    all.push(edges("clred"));
    all
}

/// The initial probability at each whole number of packets.
fn edges(scheme: &str) -> Draft {
    draft(
        &format!("{scheme}/curve"),
        &format!("{scheme}:min=2,max=10,max_p=0.3,weight=1,limit=60"),
        "With a weight of 1 the average is the queue, at each whole number from 0 to above max.",
        &["wrong-curve", "threshold-edge"],
        &[
            stream(0.0, 1.0, 14),
            stream(120.0, 6.0, 30),
            Stream {
                from: 330.0,
                count: 16,
                ..ONE
            },
        ],
        80.0,
    )
}
