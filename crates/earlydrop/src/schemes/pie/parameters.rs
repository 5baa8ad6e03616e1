//! PIE's parameters, with the origin of each default.

use super::RFC;
use crate::registry::{ECN, Extent, Kind, LIMIT, MEAN_PACKET, Parameter, Range};

/// The buffer.
pub(super) const BUFFER: &[Parameter] = &[LIMIT];

/// The controller, for one queue or one of many.
pub(crate) const PARAMETERS: &[Parameter] = &[
    ECN,
    Parameter::new(
        "target",
        "the target queueing delay",
        Kind::Time(Range::POSITIVE),
    )
    .with_default("15 ms", RFC),
    Parameter::new(
        "interval",
        "T, the time between two updates of p",
        Kind::Time(Range::UPDATE_INTERVAL),
    )
    .with_extent(Extent::Period)
    .with_default("15 ms", RFC),
    Parameter::new(
        "alpha",
        "integral gain, in Hz: weight of the delay's error",
        Kind::Number(Range::POSITIVE, "Hz"),
    )
    .with_default("0.125", RFC),
    Parameter::new(
        "beta",
        "proportional gain, in Hz: weight of the delay's change since the last update",
        Kind::Number(Range::POSITIVE, "Hz"),
    )
    .with_default("1.25", RFC),
    Parameter::new(
        "burst",
        "the burst allowance: how long a burst after a calm passes without signals",
        Kind::Time(Range::NOT_NEGATIVE),
    )
    .with_extent(Extent::Period)
    .with_default("150 ms", RFC),
    MEAN_PACKET,
    Parameter::new(
        "mark_limit",
        "drop ECN-capable packets too once p has reached this",
        Kind::Number(Range::PROBABILITY, "probability"),
    )
    .fixed()
    .with_default("0.1", "RFC 8033, section 5.1")
    .only_with("ecn", &["on"]),
    Parameter::new(
        "cap",
        "let p rise by at most 0.02 an update once it is 0.1",
        Kind::Flag,
    )
    .with_default("on", "RFC 8033, section 5.5"),
    Parameter::new(
        "high_delay",
        "above this delay p rises by 0.02 more an update; 0: never",
        Kind::Time(Range::NOT_NEGATIVE),
    )
    .with_default(
        "0 s",
        "Linux has 250 ms; ns-3, DPDK and FreeBSD have no such rule",
    ),
    Parameter::new(
        "decay",
        "when p decays, and by how much an update",
        Kind::Choice(&[
            ("zero", "by 2% after two delays of 0"),
            ("half", "by 2% after two delays below half the target"),
            (
                "linux",
                "to 63/64 after two delays of 0, unless packets wait",
            ),
        ]),
    )
    .with_default(
        "zero",
        "RFC 8033, section 4; linux: sch_pie.c, pie_calculate_probability",
    ),
    Parameter::new(
        "derandomise",
        "avoid drops too close together or too far apart",
        Kind::Flag,
    )
    .with_default("off", "RFC 8033, section 5.4: optional"),
    Parameter::new(
        "delay",
        "how the queueing delay is measured",
        Kind::Choice(&[
            ("timestamps", "the waiting time of the packet at the head"),
            ("rate", "the queue over an estimate of the departure rate"),
            (
                "departed",
                "the sojourn time of the last packet that left, in ticks of 64 ns; 0 if no \
                 other was left",
            ),
        ]),
    )
    .with_default(
        "timestamps",
        "RFC 8033, sections 4.2 and 5.2; departed: Linux sch_pie.c, \
         pie_process_dequeue",
    ),
    Parameter::new(
        "dq_threshold",
        "bytes that must leave for one estimate of the departure rate",
        Kind::Bytes(Range::POSITIVE),
    )
    .with_default("16384 bytes", "RFC 8033, section 5.2")
    .only_with("delay", &["rate"]),
    Parameter::new(
        "wraps_at",
        "p is bounded by this, and is 1 after a step beyond it",
        Kind::Number(Range::closed(1.0, 1e6), "probability"),
    )
    .with_extent(Extent::Multiple)
    .fixed()
    .with_default(
        "1",
        "RFC 8033, section 4.2; Linux has 256: 2^64 over its MAX_PROB, \
         pie_calculate_probability",
    ),
    Parameter::new(
        "spared",
        "the queue without signals",
        Kind::Choice(&[
            ("at-most", "at most two mean packets"),
            ("below", "less than two mean packets"),
        ]),
    )
    .with_default(
        "at-most",
        "RFC 8033, section 4.1; below: Linux sch_pie.c, pie_drop_early",
    ),
    Parameter::new(
        "burst_falls",
        "when the burst allowance falls",
        Kind::Choice(&[
            ("updates", "with each update of p"),
            (
                "departures",
                "with each departure, by the time since the last",
            ),
        ]),
    )
    .with_default(
        "updates",
        "RFC 8033, section 4.4; departures: Linux sch_pie.c, pie_process_dequeue",
    ),
    Parameter::new(
        "long_gap",
        "the sum of p after a mark because it reached 8.5",
        Kind::Choice(&[
            ("reset", "starts again at 0"),
            ("kept", "goes on: the next packet is signalled too"),
        ]),
    )
    .with_default(
        "reset",
        "RFC 8033, section 5.4; kept: Linux sch_pie.c, pie_drop_early",
    )
    .only_with("derandomise", &["on"]),
];
