//! DualPI2. A packet of 1000 bytes takes the link 8 ms.

use super::traffic::{draft, stream};
use crate::record::Draft;
use crate::vector::Ecn;

pub(super) fn dualpi2() -> Vec<Draft> {
    let base = "dualpi2:target=40 ms,update=16 ms,alpha=1,beta=10,step=10 ms,limit=60";
    let classic = stream(0.0, 6.0, 100);
    let low_latency = stream(3.0, 20.0, 30).flow(2).ecn(Ecn::Ect1);
    vec![
        draft(
            "dualpi2/classic",
            base,
            "Classic packets alone at 1.3 times the link's rate: dropped with the square of p'.",
            &["not-squared", "update-time", "delay-measured-otherwise"],
            &[classic],
            60.0,
        ),
        draft(
            "dualpi2/coupled",
            base,
            "Low-latency packets beside them are marked with twice p', though their own queue is \
             short.",
            &["not-coupled", "not-squared"],
            &[classic, low_latency],
            60.0,
        ),
        draft(
            "dualpi2/step",
            base,
            "Low-latency packets alone: marked once they have waited for more than the threshold.",
            &["step-threshold"],
            &[
                stream(0.0, 10.0, 20).ecn(Ecn::Ect1),
                stream(250.0, 7.0, 40).ecn(Ecn::Ect1),
            ],
            60.0,
        ),
        draft(
            "dualpi2/shares",
            base,
            "Both queues are full: the low-latency one is first nearly always, and the other is not \
             starved.",
            &["classic-starves", "not-coupled"],
            &[
                stream(0.0, 0.0, 10),
                stream(1.0, 0.0, 30).flow(2).ecn(Ecn::Ect1),
                stream(40.0, 8.0, 30).flow(2).ecn(Ecn::Ect1),
            ],
            120.0,
        ),
        draft(
            "dualpi2/capable",
            base,
            "Classic packets with ECT(0) are marked with the square of p'.",
            &["drops-what-could-be-marked", "not-squared"],
            &[classic.ecn(Ecn::Ect0), low_latency],
            60.0,
        ),
        draft(
            "dualpi2/ce",
            base,
            "Packets with CE belong to the low-latency queue, and stay marked.",
            &["order", "drops-what-could-be-marked"],
            &[classic, low_latency.ecn(Ecn::Ce)],
            60.0,
        ),
        draft(
            "dualpi2/overload",
            "dualpi2:target=40 ms,update=16 ms,alpha=10,beta=100,step=10 ms,limit=60",
            "Twice the link's rate: p' reaches its bound, and low-latency packets are dropped, too.",
            &["overload", "not-coupled"],
            &[
                stream(0.0, 5.0, 120),
                stream(2.0, 10.0, 60).flow(2).ecn(Ecn::Ect1),
            ],
            60.0,
        ),
        draft(
            "dualpi2/limit",
            "dualpi2:target=40 ms,update=16 ms,step=10 ms,limit=10",
            "The buffer, which both queues share, is full.",
            &["limit-off-by-one"],
            &[
                stream(0.0, 0.0, 8),
                stream(1.0, 0.0, 8).flow(2).ecn(Ecn::Ect1),
                stream(30.0, 4.0, 30),
            ],
            60.0,
        ),
        draft(
            "dualpi2/pause",
            base,
            "Updates that fall due during a pause are made up for.",
            &["update-time"],
            &[stream(0.0, 5.0, 60), stream(600.0, 5.0, 40)],
            60.0,
        ),
    ]
}
