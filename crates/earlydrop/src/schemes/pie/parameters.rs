//! PIE's parameters, with the origin of each default.

use super::RFC;
use crate::registry::{ECN, Kind, LIMIT, MEAN_PACKET, Parameter, Range};

/// The buffer.
pub(super) const BUFFER: &[Parameter] = &[LIMIT];

/// The controller, for one queue or one of many.
pub(crate) const PARAMETERS: &[Parameter] = &[
    ECN,
    Parameter {
        name: "target",
        meaning: "the target queueing delay",
        kind: Kind::Time(Range::POSITIVE),
        default: "15 ms",
        origin: RFC,
        when: None,
    },
    Parameter {
        name: "interval",
        meaning: "T, the time between two updates of p",
        kind: Kind::Time(Range::UPDATE_INTERVAL),
        default: "15 ms",
        origin: RFC,
        when: None,
    },
    Parameter {
        name: "alpha",
        meaning: "integral gain, in Hz: weight of the delay's error",
        kind: Kind::Number(Range::POSITIVE, "Hz"),
        default: "0.125",
        origin: RFC,
        when: None,
    },
    Parameter {
        name: "beta",
        meaning: "proportional gain, in Hz: weight of the delay's change since the last update",
        kind: Kind::Number(Range::POSITIVE, "Hz"),
        default: "1.25",
        origin: RFC,
        when: None,
    },
    Parameter {
        name: "burst",
        meaning: "the burst allowance: how long a burst after a calm passes without signals",
        kind: Kind::Time(Range::NOT_NEGATIVE),
        default: "150 ms",
        origin: RFC,
        when: None,
    },
    MEAN_PACKET,
    Parameter {
        name: "mark_limit",
        meaning: "drop ECN-capable packets too once p has reached this",
        kind: Kind::Number(Range::PROBABILITY, "probability"),
        default: "0.1",
        origin: "RFC 8033, section 5.1",
        when: Some(("ecn", &["on"])),
    },
    Parameter {
        name: "cap",
        meaning: "let p rise by at most 0.02 an update once it is 0.1",
        kind: Kind::Flag,
        default: "on",
        origin: "RFC 8033, section 5.5",
        when: None,
    },
    Parameter {
        name: "high_delay",
        meaning: "above this delay p rises by 0.02 more an update; 0: never",
        kind: Kind::Time(Range::NOT_NEGATIVE),
        default: "0 s",
        origin: "Linux has 250 ms; ns-3, DPDK and FreeBSD have no such rule",
        when: None,
    },
    Parameter {
        name: "decay",
        meaning: "when p decays, and by how much an update",
        kind: Kind::Choice(&[
            ("zero", "by 2% after two delays of 0"),
            ("half", "by 2% after two delays below half the target"),
            (
                "linux",
                "to 63/64 after two delays of 0, unless packets wait",
            ),
        ]),
        default: "zero",
        origin: "RFC 8033, section 4; linux: sch_pie.c, pie_calculate_probability",
        when: None,
    },
    Parameter {
        name: "derandomise",
        meaning: "avoid drops too close together or too far apart",
        kind: Kind::Flag,
        default: "off",
        origin: "RFC 8033, section 5.4: optional",
        when: None,
    },
    Parameter {
        name: "delay",
        meaning: "how the queueing delay is measured",
        kind: Kind::Choice(&[
            ("timestamps", "the waiting time of the packet at the head"),
            ("rate", "the queue over an estimate of the departure rate"),
            (
                "departed",
                "the sojourn time of the last packet that left, in ticks of 64 ns; 0 if no other was left",
            ),
        ]),
        default: "timestamps",
        origin: "RFC 8033, sections 4.2 and 5.2; departed: Linux sch_pie.c, pie_process_dequeue",
        when: None,
    },
    Parameter {
        name: "dq_threshold",
        meaning: "bytes that must leave for one estimate of the departure rate",
        kind: Kind::Bytes(Range::POSITIVE),
        default: "16384 bytes",
        origin: "RFC 8033, section 5.2",
        when: Some(("delay", &["rate"])),
    },
    Parameter {
        name: "wraps_at",
        meaning: "p is bounded by this, and is 1 after a step beyond it",
        kind: Kind::Number(Range::closed(1.0, 1e6), "probability"),
        default: "1",
        origin: "RFC 8033, section 4.2; Linux has 256: 2^64 over its MAX_PROB, pie_calculate_probability",
        when: None,
    },
    Parameter {
        name: "spared",
        meaning: "the queue without signals",
        kind: Kind::Choice(&[
            ("at-most", "at most two mean packets"),
            ("below", "less than two mean packets"),
        ]),
        default: "at-most",
        origin: "RFC 8033, section 4.1; below: Linux sch_pie.c, pie_drop_early",
        when: None,
    },
    Parameter {
        name: "burst_falls",
        meaning: "when the burst allowance falls",
        kind: Kind::Choice(&[
            ("updates", "with each update of p"),
            (
                "departures",
                "with each departure, by the time since the last",
            ),
        ]),
        default: "updates",
        origin: "RFC 8033, section 4.4; departures: Linux sch_pie.c, pie_process_dequeue",
        when: None,
    },
    Parameter {
        name: "long_gap",
        meaning: "the sum of p after a mark because it reached 8.5",
        kind: Kind::Choice(&[
            ("reset", "starts again at 0"),
            ("kept", "goes on: the next packet is signalled too"),
        ]),
        default: "reset",
        origin: "RFC 8033, section 5.4; kept: Linux sch_pie.c, pie_drop_early",
        when: Some(("derandomise", &["on"])),
    },
];
