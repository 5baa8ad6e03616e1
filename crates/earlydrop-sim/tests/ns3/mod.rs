//! Every case of `bench/reference/ns3-3.48.csv` and `ns3-mended.csv` as a run, except those of
//! `TcpNewReno`, for the test `ns3` and the example `validation`.

mod cases;
mod settings;

use crate::reference::{self, Figure, ReferenceSimulator};

pub(crate) use cases::{Version, cases};

// Reasons, each shown by an experiment of docs/explanation/validation.md.
const TIMER: &str = "its timer is not restarted by a fast retransmit";
const CREDITS: &str = "what it counted before a reduction grows cwnd after it";
const ALPHA: &str = "its Reno-friendly region is RFC 8312's, ours RFC 9438's";
const FLIGHT: &str = "its PRR leaves out what the acknowledgment delivered";
const TWICE: &str = "its PRR counts a segment reported by SACK twice";
const AGAIN: &str = "a timeout in recovery halves ssthresh again";
const LOCKSTEP: &str = "flows in lockstep: depends on details of the quantum";

/// ns-3 3.48, unmodified.
pub(crate) const NS3: ReferenceSimulator = ReferenceSimulator {
    name: "ns-3",
    explained: &[
        (
            "*.droptail.noecn.*",
            "timeouts|recoveries|goodput_mbps",
            TIMER,
        ),
        ("cubic.droptail.noecn.N5", "meanq|sojourn|loss_pct", CREDITS),
        ("cubic.*.noecn.N20", "timeouts", TIMER),
        ("cubic.pie.ecn.N20", "timeouts", TIMER),
        ("cubic.red|ared|pie.ecn.*", "mark_pct|ecn_cuts", ALPHA),
        ("cubic.red.ecn.N20", "sojourn_p99", ALPHA),
        ("cubic.codel.ecn.*", "util|meanq|sojourn|sojourn_p99", ALPHA),
        ("cubic.codel.noecn.N20", "sojourn_p99", ALPHA),
        ("cubic.codel.noecn.N5", "loss_pct", CREDITS),
        (
            "cubic.fqcodel.noecn.N20",
            "meanq|sojourn|sojourn_p99|loss_pct",
            ALPHA,
        ),
        (
            "cubic.fqcodel.*.*",
            "util|meanq|sojourn|sojourn_p99|loss_pct|mark_pct|goodput_mbps|recoveries|ecn_cuts",
            LOCKSTEP,
        ),
        (
            "linuxreno.ared|codel|pie.ecn.N5",
            "mark_pct|ecn_cuts",
            FLIGHT,
        ),
        ("linuxreno.ared|pie.noecn.N5", "sojourn_p99", AGAIN),
        (
            "linuxreno.codel.noecn.N5",
            "meanq|sojourn|sojourn_p99|timeouts",
            AGAIN,
        ),
        (
            "linuxreno.fqcodel.noecn.N5",
            "util|meanq|sojourn|goodput_mbps",
            TWICE,
        ),
        (
            "linuxreno.fqcodel.ecn.*",
            "util|meanq|sojourn_p99|mark_pct|goodput_mbps|ecn_cuts",
            LOCKSTEP,
        ),
    ],
};

/// ns-3 3.48 with `bench/peers/ns3-mended.patch`.
pub(crate) const MENDED: ReferenceSimulator = ReferenceSimulator {
    name: "ns-3 mended",
    explained: &[
        ("cubic.ared.ecn.N5", "mark_pct", "at its tolerance"),
        ("linuxreno.ared|codel.noecn.N5", "sojourn_p99", AGAIN),
        (
            "*.fqcodel.*.N5",
            "util|meanq|sojourn|sojourn_p99|loss_pct|goodput_mbps|recoveries",
            LOCKSTEP,
        ),
    ],
};

/// The reference figures that a run has too: all but the mean of smoothed round trips.
pub(crate) fn figures(version: Version) -> Vec<Figure> {
    let table = match version {
        Version::AsItIs => include_str!("../../../../bench/reference/ns3-3.48.csv"),
        Version::Mended => include_str!("../../../../bench/reference/ns3-mended.csv"),
    };
    let mut all = reference::figures(table);
    all.retain(|figure| figure.metric != "rtt" && !figure.case.starts_with("newreno"));
    all
}

/// A table of how many figures miss their tolerance when one setting is changed.
pub(crate) fn table_of_settings() -> String {
    let version = Version::AsItIs;
    let cases = || cases(version);
    let figures = figures(version);
    reference::table_of_settings(cases, &figures, &settings::QUEUE, &settings::SENDER)
}
