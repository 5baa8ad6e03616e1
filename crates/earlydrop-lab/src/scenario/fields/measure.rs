//! The fields of `measure`.

use earlydrop::registry::{Kind, Range};

use super::kinds::{FLAG, SPAN, TIME, one};
use crate::document::Section;

/// The measurements besides the counters that every run has.
pub(super) static MEASURE: Section = Section {
    name: "measure",
    meaning: "Measurements besides the counters that every run has.",
    fields: &[
        one(
            "delays",
            FLAG,
            "auto",
            "packet delays of each flow, for jitter and end-to-end delay; auto: on for up to 1000 flows",
        ),
        one(
            "round_trips",
            Kind::Flag,
            "off",
            "round-trip times of each TCP flow, as its sender measures them",
        ),
        one(
            "sojourn",
            Kind::Flag,
            "on",
            "percentiles of the time in the queue",
        ),
        one(
            "sample",
            Kind::OrAuto(&SPAN),
            "auto",
            "the time between two samples of queues and probes; auto: a 600th of the duration",
        )
        .written_like("10 ms"),
        one(
            "series",
            Kind::Choice(&[
                ("first", "runs of the first seed"),
                ("all", "all runs"),
                ("none", "no runs"),
            ]),
            "first",
            "the runs whose samples are stored",
        ),
        one(
            "queues",
            Kind::Choice(&[
                ("auto", "all, in a network of up to 64 queues; otherwise as `watched`"),
                ("all", "every queue"),
                ("watched", "that of the watched link, and those of bottlenecks"),
            ]),
            "auto",
            "the queues that are sampled",
        ),
        one(
            "records",
            FLAG,
            "auto",
            "a record of each transfer that begins in the time measured: start, hosts, path, size, completion time, slowdown, retransmissions, timeouts; auto: on in a leaf-spine or a fat tree, for up to 100000 transfers of a run",
        ),
        one(
            "arrivals",
            Kind::Flag,
            "off",
            "samples of the arrival rate of each group of flows at each queue",
        ),
        one(
            "departures",
            Kind::Flag,
            "off",
            "samples of the rate at which each group of flows leaves each queue: the bandwidth it uses",
        ),
        one(
            "windows",
            Kind::Count(Range::closed(0.0, 1000.0), "flows"),
            "4",
            "the number of TCP flows of each group whose congestion window (cwnd) is sampled",
        ),
        one(
            "loss_event",
            Kind::OrAuto(&SPAN),
            "auto",
            "the time within which losses of several flows are one loss event; auto: the network's round-trip time",
        )
        .written_like("50 ms"),
        one(
            "drain",
            Kind::OrAuto(&TIME),
            "auto",
            "how long a run goes on after its end, at most, until the transfers that began in the time measured have ended; nothing else of this time is measured, and what has not ended then counts as unfinished; auto: as long as the run",
        )
        .written_like("10 s"),
        one(
            "longest",
            Kind::OrAuto(&SPAN),
            "auto",
            "with duration = \"auto\": the duration that is not exceeded; auto: 16 times the first",
        )
        .written_like("300 s"),
        one(
            "interval",
            Kind::Number(Range::closed(0.001, 1.0), "share"),
            "10%",
            "with duration = \"auto\": the largest half-width of the 95% intervals of what each group of flows feels first (a median, a goodput, a delay), as a share of the mean",
        ),
        one(
            "deadline",
            SPAN,
            "1 s",
            "transfers, pages and answers that take less are in time",
        ),
        one(
            "playout",
            SPAN,
            "150 ms",
            "packets of flows that feel lateness are late if they take longer from host to host: the time after which a receiver plays them; 150 ms is the most that ITU-T G.114 recommends for a call",
        ),
    ],
};
