//! The dialects whose lines name each threshold: their words, their defaults, and the tools that they
//! are.

use earlydrop::red::Spacing;
use earlydrop::registry::LinkFacts;

use super::{read, write};
use crate::tools::{Configuration, Knob, KnobName, Object, ParseError, Source, Tool, knob};

/// The words of a dialect.
pub(super) struct Words {
    /// Words that open an object, such as a class or a profile, whose name follows.
    pub(super) object: &'static [&'static str],
    /// Words between an object's word and its name.
    pub(super) before_name: &'static [&'static str],
    /// Words that name the traffic of a curve, with a value.
    pub(super) class: &'static [&'static str],
    /// Words that say nothing about the curve.
    pub(super) silent: &'static [&'static str],
    pub(super) min: &'static str,
    pub(super) max: &'static str,
    pub(super) max_p: &'static str,
    pub(super) limit: &'static str,
    /// Whether max_p is 1 over the value rather than percent.
    pub(super) is_denominator: bool,
    /// The unit of a threshold without one.
    pub(super) unit: &'static str,
    /// The kind of queue that is RED, where a line names kinds.
    pub(super) kind: Option<&'static str>,
    /// The average packet by which packets become bytes, in bytes; `None` for the mean packet.
    pub(super) packet: Option<u32>,
    /// What is not given.
    pub(super) usual: Usual,
}

/// The defaults of a dialect, in packets.
pub(super) struct Usual {
    pub(super) max: Option<f64>,
    /// min by max and the class's name.
    pub(super) min: fn(f64, &str) -> f64,
    pub(super) max_p: f64,
    /// The buffer by max.
    pub(super) limit: Option<fn(f64) -> f64>,
    /// The burst of tc's RED; `None` for `(2 min + max)/3`.
    pub(super) burst: Option<u32>,
    pub(super) why: &'static str,
}

const NONE: Usual = Usual {
    max: None,
    min: |_, _| 0.0,
    max_p: 1.0,
    limit: None,
    burst: None,
    why: "by default every packet at max",
};

/// `((9 + precedence) max)/18` in whole numbers (`vyos-1x`, `python/vyos/qos/base.py`).
fn vyos_min(max: f64, class: &str) -> f64 {
    let precedence = class.rsplit(' ').next().and_then(|name| name.parse().ok());
    ((9.0 + precedence.unwrap_or(0.0)) * max / 18.0).floor()
}

const NXOS_WORDS: Words = Words {
    object: &["class"],
    before_name: &["type", "queuing"],
    class: &[],
    silent: &["random-detect", "threshold"],
    min: "minimum-threshold",
    max: "maximum-threshold",
    max_p: "drop-probability",
    limit: "queue-limit",
    is_denominator: false,
    unit: "packets",
    kind: None,
    packet: None,
    usual: NONE,
};

const EOS_WORDS: Words = Words {
    object: &["tx-queue", "uc-tx-queue"],
    before_name: &[],
    class: &["drop-precedence", "traffic-class"],
    silent: &["random-detect", "drop", "count"],
    min: "minimum-threshold",
    max: "maximum-threshold",
    max_p: "max-mark-probability",
    limit: "queue-limit",
    is_denominator: false,
    unit: "segments",
    kind: None,
    packet: None,
    usual: NONE,
};

const HUAWEI_WORDS: Words = Words {
    object: &["drop-profile", "port-wred", "flow-wred"],
    before_name: &[],
    class: &["color", "dscp", "ip-precedence", "8021p"],
    silent: &[],
    min: "low-limit",
    max: "high-limit",
    max_p: "discard-percentage",
    limit: "",
    is_denominator: false,
    unit: "percent",
    kind: None,
    packet: None,
    usual: NONE,
};

const MIKROTIK_WORDS: Words = Words {
    object: &["name"],
    before_name: &["="],
    class: &[],
    silent: &["/queue", "type", "add", "set", "kind", "red", "=", "\\"],
    min: "red-min-threshold",
    max: "red-max-threshold",
    max_p: "",
    limit: "red-limit",
    is_denominator: false,
    unit: "packets",
    kind: Some("red"),
    packet: Some(1000),
    usual: Usual {
        max: Some(50.0),
        min: |_, _| 10.0,
        max_p: 0.02,
        limit: Some(|_| 60.0),
        burst: Some(20),
        why: "RouterOS's default",
    },
};

const VYOS_WORDS: Words = Words {
    object: &["random-detect"],
    before_name: &[],
    class: &["precedence"],
    silent: &["set", "qos", "policy", "traffic-policy"],
    min: "minimum-threshold",
    max: "maximum-threshold",
    max_p: "mark-probability",
    limit: "queue-limit",
    is_denominator: true,
    unit: "packets",
    kind: None,
    packet: Some(1024),
    usual: Usual {
        max: Some(18.0),
        min: vyos_min,
        max_p: 0.1,
        limit: Some(|max| 4.0 * max),
        burst: None,
        why: "VyOS's default",
    },
};

/// What NX-OS and EOS cannot express.
const LIMITATIONS: &[(Knob, &str)] = &[
    (Knob::Classes, "a queue has one curve"),
    (Knob::Min, "minimum-threshold is a whole number of its unit"),
    (Knob::Max, "maximum-threshold is a whole number of its unit"),
    (Knob::MaxP, "probabilities are whole percents"),
    (
        Knob::Shape,
        "random-detect has one straight line, and signals every packet above max",
    ),
    (Knob::Weight, "weight is a whole number from 0 to 15"),
    (Knob::Unit, "thresholds are in bytes"),
    (Knob::BySize, "random-detect ignores packet sizes"),
    (Knob::Cautious, "not documented"),
    (Knob::Idle, "not documented"),
    (Knob::Ecn, "ecn also marks above max"),
    (Knob::Adapt, "random-detect does not adapt"),
    (Knob::Packet, "random-detect ignores packet sizes"),
    (Knob::Rate, "the switch knows its ports"),
    (
        Knob::Limit,
        "the ports share a buffer that is configured elsewhere",
    ),
];

/// The tools that these dialects are.
const fn tool(
    name: &'static str,
    title: &'static str,
    keywords: &'static [&'static str],
    knobs: &'static [KnobName],
    objects: &'static [Object],
    read: fn(&Source<'_>) -> Result<Configuration, ParseError>,
    write: Option<fn(&Configuration, &LinkFacts) -> String>,
) -> Tool {
    Tool {
        name,
        title,
        keywords,
        spacing: Spacing::Geometric,
        supported_spacings: &[Spacing::Geometric],
        spacing_source: "not documented; assumed independent for each packet",
        assumed_rate: None,
        knobs,
        limitations: LIMITATIONS,
        objects,
        is_special: true,
        read,
        write,
    }
}

pub(in crate::tools) static NXOS: Tool = tool(
    "nxos",
    "Cisco NX-OS, random-detect",
    &["random-detect minimum-threshold", "random-detect threshold"],
    &[
        knob(
            Knob::Min,
            "minimum-threshold",
            "packets, kbytes, ms, percent",
            "must be given",
        ),
        knob(
            Knob::Max,
            "maximum-threshold",
            "packets, kbytes, ms, percent",
            "must be given",
        ),
        knob(Knob::MaxP, "drop-probability", "%", "100"),
        knob(Knob::Weight, "weight", "n of 2^-n", "0: no average"),
        knob(Knob::Limit, "queue-limit", "packets, kbytes", "by platform"),
        knob(Knob::Ecn, "ecn", "word", "off"),
    ],
    &[Object::Class],
    |source| read(source, &NXOS, &NXOS_WORDS),
    Some(write::nxos),
);

pub(in crate::tools) static EOS: Tool = tool(
    "eos",
    "Arista EOS, random-detect",
    &["random-detect ecn minimum-threshold", "random-detect drop"],
    &[
        knob(
            Knob::Min,
            "minimum-threshold",
            "bytes, kbytes, ms",
            "must be given",
        ),
        knob(
            Knob::Max,
            "maximum-threshold",
            "bytes, kbytes, ms",
            "must be given",
        ),
        knob(
            Knob::MaxP,
            "max-mark-probability, drop-probability",
            "%",
            "100",
        ),
        knob(Knob::Weight, "weight", "n of 2^-n", "0: no average"),
        knob(Knob::Ecn, "ecn", "word", "off"),
    ],
    &[Object::Queue],
    |source| read(source, &EOS, &EOS_WORDS),
    Some(write::eos),
);

pub(in crate::tools) static HUAWEI: Tool = tool(
    "huawei",
    "Huawei VRP, drop-profile, port-wred",
    &["low-limit", "discard-percentage"],
    &[
        knob(Knob::Min, "low-limit", "% of the buffer", "must be given"),
        knob(Knob::Max, "high-limit", "% of the buffer", "must be given"),
        knob(Knob::MaxP, "discard-percentage", "%", "100"),
    ],
    &[Object::Profile],
    |source| read(source, &HUAWEI, &HUAWEI_WORDS),
    None,
);

pub(in crate::tools) static MIKROTIK: Tool = Tool {
    spacing: Spacing::Drawn,
    supported_spacings: &[Spacing::Drawn],
    spacing_source: "it is Linux's RED: include/net/red.h",
    ..tool(
        "mikrotik",
        "MikroTik RouterOS, kind=red",
        &["kind=red", "red-min-threshold"],
        &[
            knob(Knob::Min, "red-min-threshold", "packets", "10"),
            knob(Knob::Max, "red-max-threshold", "packets", "50"),
            knob(Knob::Limit, "red-limit", "packets", "60"),
            knob(
                Knob::Weight,
                "red-burst",
                "packets, converted to a weight 2^-n",
                "20",
            ),
            knob(Knob::Packet, "red-avg-packet", "bytes", "1000"),
        ],
        &[Object::Queue],
        |source| read(source, &MIKROTIK, &MIKROTIK_WORDS),
        None,
    )
};

pub(in crate::tools) static VYOS: Tool = Tool {
    spacing: Spacing::Drawn,
    supported_spacings: &[Spacing::Drawn],
    spacing_source: "it is Linux's RED: include/net/red.h",
    ..tool(
        "vyos",
        "VyOS, policy random-detect",
        &["policy random-detect"],
        &[
            knob(
                Knob::Min,
                "minimum-threshold",
                "packets",
                "(9 + precedence) max/18",
            ),
            knob(Knob::Max, "maximum-threshold", "packets", "18"),
            knob(Knob::MaxP, "mark-probability", "1/probability", "10"),
            knob(Knob::Limit, "queue-limit", "packets", "4 max"),
            knob(Knob::Packet, "average-packet", "bytes", "1024"),
        ],
        &[Object::Profile],
        |source| read(source, &VYOS, &VYOS_WORDS),
        None,
    )
};
