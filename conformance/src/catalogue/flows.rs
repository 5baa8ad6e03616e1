//! Drop-tail, and schemes that know flows: SFRED, CHOKe, SFB. A packet of 1000 bytes takes the
//! link 8 ms.

use super::traffic::{draft, stream};
use crate::record::Draft;
use crate::vector::Ecn;

pub(super) fn droptail() -> Vec<Draft> {
    vec![
        draft(
            "droptail/packets",
            "droptail:limit=5 packets",
            "Twelve packets at once: one is sent, five wait, six are dropped.",
            &["limit-off-by-one", "order"],
            &[stream(0.0, 0.0, 12), stream(30.0, 3.0, 12)],
            60.0,
        ),
        draft(
            "droptail/bytes",
            "droptail:limit=4000 bytes",
            "Packets of 300 and 1200 bytes: a small one still fits where a large one does not.",
            &["limit-in-wrong-unit", "limit-off-by-one"],
            &[
                stream(0.0, 2.0, 20).size(1200),
                stream(1.0, 2.0, 20).size(300).flow(2),
            ],
            60.0,
        ),
        draft(
            "droptail/one",
            "droptail:limit=1 packets",
            "A buffer of a single packet.",
            &["limit-off-by-one"],
            &[stream(0.0, 3.0, 20)],
            30.0,
        ),
        draft(
            "droptail/capable",
            "droptail:limit=3 packets",
            "Packets that can be marked are dropped all the same, and marks that came along stay.",
            &["marks-what-cannot-be", "order"],
            &[
                stream(0.0, 4.0, 16).ecn(Ecn::Ect0),
                stream(2.0, 8.0, 8).ecn(Ecn::Ce),
            ],
            40.0,
        ),
    ]
}

/// Two slow flows beside one that sends at the link's rate.
fn fast_and_slow(count: u32) -> [super::traffic::Stream; 3] {
    [
        stream(0.0, 8.0, count),
        stream(3.0, 24.0, count / 3).flow(2),
        stream(5.0, 40.0, count / 5).flow(3),
    ]
}

pub(super) fn sfred() -> Vec<Draft> {
    let base = "sfred:min=2,max=8,max_p=0.2,weight=0.25,limit=30,flows=4,k=2";
    let faults = ["flow-classes"];
    let two = ["flow-classes", "wrong-curve"];
    vec![
        draft(
            "sfred/fast-and-slow",
            base,
            "A flow at the link's rate beside two slow ones: it is fast, and loses more.",
            &two,
            &fast_and_slow(60),
            60.0,
        ),
        draft(
            "sfred/unresponsive",
            &format!("{base},eta=2"),
            "A flow at twice the link's rate that does not respond: once it is known, all of it is \
             dropped.",
            &faults,
            &[
                stream(0.0, 4.0, 90),
                stream(1.0, 20.0, 18).flow(2),
                stream(9.0, 20.0, 18).flow(3),
            ],
            60.0,
        ),
        draft(
            "sfred/new-flows",
            base,
            "Short flows come one after the other: the thresholds are raised for each.",
            &faults,
            &[
                stream(0.0, 7.0, 60),
                stream(40.0, 2.0, 6).flow(2),
                stream(120.0, 2.0, 6).flow(3),
                stream(200.0, 2.0, 6).flow(4),
                stream(280.0, 2.0, 6).flow(5),
            ],
            60.0,
        ),
        draft(
            "sfred/list",
            &format!("{base},eta=1"),
            "Six flows and a list of four: those that are not seen leave it with their counts.",
            &faults,
            &[
                stream(0.0, 12.0, 24),
                stream(1.0, 24.0, 12).flow(2),
                stream(2.0, 24.0, 12).flow(3),
                stream(3.0, 36.0, 8).flow(4),
                stream(4.0, 36.0, 8).flow(5),
                stream(5.0, 36.0, 8).flow(6),
            ],
            60.0,
        ),
        draft(
            "sfred/ageing",
            &format!("{base},eta=4,horizon=100 ms"),
            "Counts are halved each 100 ms: a flow that has become slow is treated so again.",
            &faults,
            &[
                stream(0.0, 5.0, 40),
                stream(200.0, 30.0, 12),
                stream(2.0, 16.0, 36).flow(2),
            ],
            60.0,
        ),
        draft(
            "sfred/literal",
            &format!("{base},horizon=never,totals=all,fast_scaling=as-printed"),
            "Everything as printed: counts of all time and all traffic, and a fast flow loses less.",
            &two,
            &fast_and_slow(60),
            60.0,
        ),
        draft(
            "sfred/capable",
            &format!("{base},eta=2"),
            "Packets that can be marked: a mark is a signal, an unresponsive flow is dropped.",
            &["flow-classes", "drops-what-could-be-marked"],
            &[
                stream(0.0, 4.0, 90).ecn(Ecn::Ect0),
                stream(1.0, 20.0, 18).flow(2).ecn(Ecn::Ect0),
            ],
            60.0,
        ),
    ]
}

pub(super) fn choke() -> Vec<Draft> {
    let base = "choke:min=3,max=12,max_p=0.1,weight=0.25,limit=30";
    let mixed = [
        stream(0.0, 6.0, 60),
        stream(2.0, 18.0, 20).flow(2),
        stream(5.0, 18.0, 20).flow(3),
    ];
    vec![
        draft(
            "choke/one-heavy",
            base,
            "A flow at more than the link's rate beside two light ones: it meets its own packets.",
            &["victim", "wrong-curve"],
            &mixed,
            60.0,
        ),
        draft(
            "choke/equal",
            base,
            "Four equal flows.",
            &["victim"],
            &[
                stream(0.0, 24.0, 22),
                stream(6.0, 24.0, 22).flow(2),
                stream(12.0, 24.0, 22).flow(3),
                stream(16.0, 24.0, 22).flow(4),
            ],
            60.0,
        ),
        draft(
            "choke/alone",
            base,
            "One flow: each comparison above min is with itself, and both are dropped.",
            &["victim", "threshold-edge"],
            &[stream(0.0, 5.0, 60)],
            60.0,
        ),
        draft(
            "choke/capable",
            base,
            "Packets that can be marked are dropped with their like all the same.",
            &["victim", "drops-what-could-be-marked"],
            &mixed.map(|one| one.ecn(Ecn::Ect0)),
            60.0,
        ),
        draft(
            "choke/edges",
            "choke:min=3,max=6,max_p=1,weight=1,limit=30",
            "With a weight of 1 the average is the queue: nothing is compared below min, and above \
             max everything is dropped.",
            &["threshold-edge", "forced-drop-missing", "victim"],
            &[
                stream(0.0, 1.0, 10),
                stream(0.5, 1.0, 10).flow(2),
                stream(90.0, 5.0, 16).flow(3),
            ],
            60.0,
        ),
        draft(
            "choke/bursts",
            base,
            "Bursts with pauses.",
            &["no-idle-decay", "average-of-wrong-time", "victim"],
            &[
                stream(0.0, 1.0, 12),
                stream(150.0, 1.0, 12).flow(2),
                stream(300.0, 1.0, 12),
                stream(301.0, 2.0, 6).flow(2),
            ],
            60.0,
        ),
    ]
}

pub(super) fn sfb() -> Vec<Draft> {
    let base =
        "sfb:bins=64,bin_size=3,d1=0.1,d2=0.05,penalty_rate=20,penalty_burst=2,limit=20,rehash=0 s";
    let flood = [
        stream(0.0, 2.0, 180),
        stream(2.0, 30.0, 12).flow(2),
        stream(11.0, 30.0, 12).flow(3),
    ];
    vec![
        draft(
            "sfb/one-bin",
            base,
            "One flow fills its bins: their probability rises at each arrival above bin_size.",
            &["bins"],
            &[stream(0.0, 6.0, 60)],
            60.0,
        ),
        draft(
            "sfb/falls",
            base,
            "A flow that fills its bins and then sends little: arrivals at an empty bin lower the \
             probability.",
            &["bins"],
            &[stream(0.0, 3.0, 30), stream(300.0, 20.0, 30)],
            60.0,
        ),
        draft(
            "sfb/flood",
            base,
            "A flow that does not respond beside two that send little: only what the penalty rate \
             lets through of it passes.",
            &["penalty", "bins"],
            &flood,
            60.0,
        ),
        draft(
            "sfb/capable",
            base,
            "The same with packets that can be marked.",
            &["bins", "drops-what-could-be-marked", "marks-what-cannot-be"],
            &flood.map(|one| one.ecn(Ecn::Ect0)),
            60.0,
        ),
        draft(
            "sfb/limit",
            "sfb:bins=64,bin_size=6,limit=6,rehash=0 s",
            "A full buffer below every bin's size.",
            &["limit-off-by-one"],
            &[stream(0.0, 0.0, 10), stream(20.0, 4.0, 12).flow(2)],
            60.0,
        ),
        draft(
            "sfb/two-flows",
            base,
            "Two flows in bins of their own: one's probability leaves the other's alone.",
            &["bins"],
            &[
                stream(0.0, 10.0, 40),
                stream(200.0, 10.0, 30).flow(2),
                stream(203.0, 10.0, 30).flow(2),
            ],
            60.0,
        ),
    ]
}
