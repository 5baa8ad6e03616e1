//! The fields of `tcp`.

use earlydrop::registry::{Kind, Range};
use earlydrop_sim::tcp::CONTROLLERS;
use earlydrop_sim::tcp::control::dcqcn::Card;

use super::kinds::{FLAG, RATE, SIZE, SPAN, TIME, one};
use crate::document::{Field, Section};

const PROFILES: Kind = Kind::Choice(&[
    (
        "modern",
        "the RFCs of today: segments of 1500 bytes, initial cwnd 10, SACK with RACK-TLP",
    ),
    (
        "linux",
        "`modern` with Linux's deviations: cwnd in whole segments, proportional rate reduction, the Reno-friendly estimate of RFC 8312",
    ),
    (
        "roce",
        "a network card of RDMA (RoCEv2): DCQCN at the rate of the host's link, go-back-N, segments of 1068 bytes, no window",
    ),
    (
        "ns2",
        "ns-2.35 with its defaults: segments of 1000 bytes, receive window 20, clock ticks of 10 ms",
    ),
    (
        "ns2-old-timers",
        "ns-2 around the year 2000: clock ticks of 100 ms, initial cwnd 1",
    ),
]);

/// The names of the controllers, with what each does.
const CONTROL_NAMES: [(&str, &str); CONTROLLERS.len()] = {
    let mut names = [("", ""); CONTROLLERS.len()];
    let mut index = 0;
    while index < names.len() {
        names[index] = (CONTROLLERS[index].name, CONTROLLERS[index].meaning);
        index += 1;
    }
    names
};
/// The names of the network cards, with what each is.
const CARD_NAMES: [(&str, &str); Card::ALL.len()] = {
    let mut names = [("", ""); Card::ALL.len()];
    let mut index = 0;
    while index < names.len() {
        (_, names[index].0, names[index].1) = Card::ALL[index];
        index += 1;
    }
    names
};
const CARDS: Kind = Kind::OrAuto(&Kind::Choice(&CARD_NAMES));
const CONTROLS: Kind = Kind::OrAuto(&Kind::Choice(&CONTROL_NAMES));

const fn from_profile(name: &'static str, kind: Kind, meaning: &'static str) -> Field {
    one(name, kind, "auto", meaning)
}

const SEGMENTS: Kind = Kind::OrAuto(&Kind::Count(Range::closed(1.0, 16_777_216.0), "segments"));
/// From [`LEAST_RTO`](earlydrop_sim::tcp::LEAST_RTO) on.
const TIMEOUT: Kind = Kind::OrAuto(&Kind::Time(Range {
    low: 1e-6,
    ..Range::NOT_NEGATIVE
}));

/// TCP senders and receivers. For "auto" the profile's value holds.
pub(super) static TCP: Section = Section {
    name: "tcp",
    meaning: "TCP senders and receivers. `auto` stands for the profile's value; `tcp = \"cubic\"` is short for `tcp = { control = \"cubic\" }`.",
    fields: &[
        one(
            "profile",
            PROFILES,
            "modern",
            "the set of values that all other fields start from; with control = \"dcqcn\" roce",
        ),
        from_profile(
            "control",
            CONTROLS,
            "the congestion control algorithm; auto: cubic, in ns-2's profiles reno",
        ),
        from_profile(
            "recovery",
            Kind::OrAuto(&Kind::Choice(&[
                ("tahoe", "fast retransmit, then slow start"),
                (
                    "reno",
                    "fast recovery, which ends with the first ACK for new data (RFC 5681)",
                ),
                (
                    "newreno",
                    "fast recovery, which ends when all data sent before it is acknowledged (RFC 6582)",
                ),
                ("sack", "selective acknowledgments (RFC 6675)"),
                (
                    "go-back-n",
                    "everything from the first loss on is sent again, as by RDMA's network cards",
                ),
            ])),
            "loss recovery; auto: sack, in ns-2's profiles reno, in roce go-back-n",
        ),
        from_profile(
            "loss_detection",
            Kind::OrAuto(&Kind::Choice(&[
                (
                    "dupack",
                    "by the number of segments received beyond it, as `duplicates` says (RFC 5681, RFC 6675)",
                ),
                (
                    "rack",
                    "by time, with tail loss probes (RACK-TLP, RFC 8985); needs recovery = \"sack\"",
                ),
            ])),
            "how a lost segment is detected; auto: rack with SACK, in ns-2's profiles dupack",
        ),
        from_profile(
            "ecn",
            Kind::OrAuto(&Kind::Choice(&[
                ("off", "segments are not ECN-capable"),
                (
                    "on",
                    "ECT(0); marks are echoed until the sender answers CWR (RFC 3168)",
                ),
                (
                    "dctcp",
                    "ECT(0); the receiver echoes the mark of each segment (RFC 8257)",
                ),
                (
                    "l4s",
                    "ECT(1); the receiver echoes the mark of each segment (RFC 9331)",
                ),
            ])),
            "ECN; auto: on for algorithms that need marks (dctcp, prague, scalable, dcqcn), else off",
        ),
        from_profile(
            "ecn_feedback",
            Kind::OrAuto(&Kind::Choice(&[
                (
                    "classic",
                    "the receiver echoes a mark until the sender answers CWR (RFC 3168)",
                ),
                (
                    "dctcp",
                    "the receiver echoes the mark of each segment (RFC 8257)",
                ),
                (
                    "cnp",
                    "the receiver notifies of a marked segment, once in 50 us: RoCE's congestion notifications",
                ),
                (
                    "accecn",
                    "AccECN: the receiver counts marks, in the ACE field and in the AccECN option (RFC 9768); needs recovery = \"sack\"",
                ),
                (
                    "ace",
                    "AccECN without its option, as where a middlebox removes it (RFC 9768)",
                ),
            ])),
            "how the receiver reports marks; auto: accecn with prague, cnp with dcqcn, else as `ecn` says",
        ),
        from_profile(
            "card",
            CARDS,
            "the network card of RDMA whose values all fields below start from, with control = \"dcqcn\"",
        ),
        from_profile(
            "notify_every",
            Kind::OrAuto(&TIME),
            "DCQCN's N: the least time between two congestion notifications to a flow",
        )
        .written_like("50 us"),
        from_profile(
            "cut_every",
            Kind::OrAuto(&TIME),
            "the least time between two cuts of DCQCN's rate; a notification before takes effect then",
        )
        .written_like("4 us"),
        from_profile(
            "alpha_gain",
            Kind::OrAuto(&Kind::Number(Range::POSITIVE_PROBABILITY, "a weight")),
            "DCQCN's g: the weight of a notification in alpha",
        ),
        from_profile(
            "alpha_every",
            Kind::OrAuto(&SPAN),
            "DCQCN's K: the time without a notification after which alpha decays",
        )
        .written_like("55 us"),
        from_profile(
            "raise_every",
            Kind::OrAuto(&SPAN),
            "DCQCN's T: the time after which its rate is raised",
        )
        .written_like("55 us"),
        from_profile(
            "raise_after",
            Kind::OrNever(&Kind::OrAuto(&Kind::Bytes(Range::closed(1.0, 1e12)))),
            "DCQCN's B: the bytes after which its rate is raised; never: time alone raises it",
        ),
        from_profile(
            "fast_recovery",
            Kind::OrAuto(&Kind::Count(Range::closed(1.0, 1000.0), "raises")),
            "DCQCN's F: fast recovery lasts for one raise less",
        ),
        from_profile(
            "additive_increase",
            Kind::OrAuto(&RATE),
            "DCQCN's R_AI",
        )
        .written_like("40 Mbps"),
        from_profile(
            "hyper_increase",
            Kind::OrAuto(&RATE),
            "DCQCN's R_HAI",
        )
        .written_like("400 Mbps"),
        from_profile(
            "least_rate",
            Kind::OrAuto(&RATE),
            "the least rate that DCQCN sends at",
        )
        .written_like("10 Mbps"),
        from_profile(
            "classic_ecn_fallback",
            FLAG,
            "whether Prague reduces cwnd as CUBIC does once the queue seems to mark as RFC 3168 says; auto: no",
        ),
        from_profile(
            "rules",
            Kind::OrAuto(&Kind::Choice(&[
                (
                    "standard",
                    "the RFCs: reductions start from the data in flight",
                ),
                (
                    "ns2",
                    "ns-2's one-way agents: reductions start from cwnd, used or not",
                ),
            ])),
            "whether RFCs or ns-2 decide where they differ",
        ),
        from_profile(
            "segment",
            Kind::OrAuto(&SIZE),
            "the size on the wire of a full segment",
        ),
        from_profile(
            "header",
            Kind::OrAuto(&Kind::Bytes(Range::closed(0.0, 1000.0))),
            "the headers' part of it",
        ),
        from_profile(
            "ack",
            Kind::OrAuto(&SIZE),
            "the size on the wire of an acknowledgment",
        ),
        from_profile("initial_window", SEGMENTS, "the initial cwnd (RFC 6928)"),
        from_profile("receiver_window", SEGMENTS, "the receive window"),
        from_profile(
            "initial_threshold",
            Kind::OrNever(&Kind::OrAuto(&Kind::Count(
                Range::closed(1.0, 16_777_216.0),
                "segments",
            ))),
            "the initial ssthresh; never: slow start ends with the first congestion signal",
        ),
        from_profile(
            "delayed_acks",
            Kind::OrAuto(&Kind::Count(Range::closed(0.0, 1000.0), "segments")),
            "delayed ACKs: one ACK for so many segments; 0: one for each segment",
        ),
        from_profile(
            "ack_delay",
            Kind::OrAuto(&TIME),
            "the maximum delay of an ACK",
        )
        .written_like("40 ms"),
        from_profile(
            "first_timeout",
            TIMEOUT,
            "the initial RTO, before a round-trip time is measured (RFC 6298)",
        ),
        from_profile(
            "least_timeout",
            Kind::OrAuto(&TIME),
            "the minimum RTO; 0 s leaves it to `tick`, below which RTO never is",
        )
        .written_like("200 ms"),
        from_profile("largest_timeout", TIMEOUT, "the maximum RTO"),
        from_profile(
            "tick",
            Kind::OrAuto(&Kind::Time(Range::closed(1e-9, 1.0))),
            "the granularity of the clock that measures round-trip times",
        )
        .written_like("1 ms"),
        from_profile(
            "round_trips",
            Kind::OrAuto(&Kind::Choice(&[
                (
                    "one-at-a-time",
                    "one segment at a time, none while a retransmission is outstanding",
                ),
                (
                    "every",
                    "every segment, by the timestamp that its ACK echoes (RFC 7323)",
                ),
                (
                    "by-segment",
                    "every segment, also by SACK, by the time at which it was sent, as Linux",
                ),
            ])),
            "the segments whose round-trip time is measured",
        ),
        from_profile(
            "duplicates",
            Kind::OrAuto(&Kind::Count(Range::closed(1.0, 1000.0), "acknowledgments")),
            "DupThresh: the number of duplicate ACKs that indicate a loss; with rack, until reordering was seen",
        ),
        from_profile(
            "limited_transmit",
            FLAG,
            "limited transmit: each of the first two duplicate ACKs allows one new segment (RFC 3042)",
        ),
        from_profile(
            "lost_retransmissions",
            FLAG,
            "whether SACK detects lost retransmissions; rack always does",
        ),
        from_profile(
            "slow_start_restart",
            FLAG,
            "whether cwnd restarts from its initial value after an idle time of one RTO",
        ),
        from_profile(
            "whole_cuts",
            FLAG,
            "whether Reno and CUBIC round a reduced cwnd down to whole segments",
        ),
        from_profile(
            "ecn_on_retransmissions",
            FLAG,
            "whether retransmissions are ECN-capable",
        ),
        from_profile(
            "ecn_on_control",
            FLAG,
            "whether SYN, SYN-ACK and pure ACKs are ECN-capable: on for DCTCP and Prague, as in Linux",
        ),
        from_profile(
            "growth",
            Kind::OrAuto(&Kind::Choice(&[
                (
                    "segments",
                    "by the segments acknowledged, in fractions of a segment (RFC 3465 with RFC 5681)",
                ),
                ("counted", "in whole segments, as ns-3's TcpLinuxReno"),
                (
                    "linux",
                    "in whole segments, Reno's and CUBIC's; a reduction clears the count of ACKs",
                ),
            ])),
            "how Reno's cwnd grows, and with linux also CUBIC's",
        ),
        from_profile(
            "reno_estimate",
            Kind::OrAuto(&Kind::Choice(&[
                (
                    "rising",
                    "at Reno's rate once it has reached the cwnd before the reduction (RFC 9438)",
                ),
                ("steady", "at a constant rate (RFC 8312, Linux)"),
            ])),
            "how CUBIC's Reno-friendly estimate of cwnd grows",
        ),
        from_profile(
            "hystart",
            Kind::OrAuto(&Kind::Choice(&[
                ("off", "slow start ends at the first congestion"),
                ("plusplus", "HyStart++ (RFC 9406)"),
                ("linux", "Linux's HyStart, with growth = \"linux\""),
            ])),
            "how CUBIC ends slow start before a loss",
        ),
        from_profile(
            "least_after_mark",
            SEGMENTS,
            "CUBIC's minimum cwnd after a mark: 1, in Linux 2",
        ),
        from_profile(
            "quick_acks",
            FLAG,
            "quick ACKs as in Linux: the first 16 ACKs, and 2 after a mark, are not delayed",
        ),
        from_profile(
            "undo",
            FLAG,
            "whether a reduction of cwnd is undone where timestamps (Eifel) or DSACKs show that nothing was lost (RFC 9438, 4.9); needs rack",
        ),
        from_profile(
            "reduction",
            Kind::OrAuto(&Kind::Choice(&[
                (
                    "at-once",
                    "no new segment until the data in flight fits the reduced cwnd",
                ),
                (
                    "proportional",
                    "over a round-trip time, as segments are delivered (proportional rate reduction, RFC 9937)",
                ),
            ])),
            "how a reduction of cwnd takes effect",
        ),
        from_profile(
            "handshake",
            FLAG,
            "whether a connection begins with a handshake (SYN, SYN-ACK)",
        ),
        from_profile(
            "max_burst",
            Kind::OrNever(&SEGMENTS),
            "the largest burst of segments; never: limited by cwnd only",
        ),
    ],
};
