//! The dialects whose lines name each threshold: their words, their defaults, and the tools that they
//! are.

use earlydrop::red::Spacing;

use super::read;
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
    /// What is not given.
    pub(super) usual: Usual,
}

/// The defaults of a dialect.
pub(super) struct Usual {
    pub(super) thresholds: Option<(f64, f64)>,
    pub(super) max_p: f64,
    pub(super) limit: Option<f64>,
    pub(super) why: &'static str,
}

const NONE: Usual = Usual {
    thresholds: None,
    max_p: 1.0,
    limit: None,
    why: "by default every packet at max",
};

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
    usual: NONE,
};

const EOS_WORDS: Words = Words {
    object: &["tx-queue", "uc-tx-queue"],
    before_name: &[],
    class: &["drop-precedence", "traffic-class"],
    silent: &["random-detect", "drop"],
    min: "minimum-threshold",
    max: "maximum-threshold",
    max_p: "max-mark-probability",
    limit: "queue-limit",
    is_denominator: false,
    unit: "segments",
    usual: NONE,
};

const HUAWEI_WORDS: Words = Words {
    object: &["drop-profile"],
    before_name: &[],
    class: &["color", "dscp", "ip-precedence", "8021p"],
    silent: &[],
    min: "low-limit",
    max: "high-limit",
    max_p: "discard-percentage",
    limit: "queue-depth",
    is_denominator: false,
    unit: "percent",
    usual: NONE,
};

const MIKROTIK_WORDS: Words = Words {
    object: &["name"],
    before_name: &["="],
    class: &[],
    silent: &["/queue", "type", "add", "set", "kind", "red", "="],
    min: "red-min-threshold",
    max: "red-max-threshold",
    max_p: "",
    limit: "red-limit",
    is_denominator: false,
    unit: "packets",
    usual: Usual {
        thresholds: Some((10.0, 50.0)),
        max_p: 0.02,
        limit: Some(60.0),
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
    usual: Usual {
        thresholds: Some((9.0, 18.0)),
        max_p: 0.1,
        limit: Some(72.0),
        why: "VyOS's default",
    },
};

/// The tools that these dialects are.
const fn tool(
    name: &'static str,
    title: &'static str,
    keywords: &'static [&'static str],
    knobs: &'static [KnobName],
    objects: &'static [Object],
    read: fn(&Source<'_>) -> Result<Configuration, ParseError>,
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
        limitations: &[],
        objects,
        read,
        write: None,
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
);

pub(in crate::tools) static EOS: Tool = tool(
    "eos",
    "Arista EOS, random-detect",
    &["random-detect ecn minimum-threshold", "random-detect drop"],
    &[
        knob(
            Knob::Min,
            "minimum-threshold",
            "bytes, kbytes",
            "must be given",
        ),
        knob(
            Knob::Max,
            "maximum-threshold",
            "bytes, kbytes",
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
);

pub(in crate::tools) static HUAWEI: Tool = tool(
    "huawei",
    "Huawei VRP, drop-profile",
    &["low-limit", "discard-percentage"],
    &[
        knob(Knob::Min, "low-limit", "% of the buffer", "must be given"),
        knob(Knob::Max, "high-limit", "% of the buffer", "must be given"),
        knob(Knob::MaxP, "discard-percentage", "%", "100"),
        knob(Knob::Limit, "queue-depth", "packets", "by platform"),
    ],
    &[Object::Profile],
    |source| read(source, &HUAWEI, &HUAWEI_WORDS),
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
        ],
        &[Object::Queue],
        |source| read(source, &MIKROTIK, &MIKROTIK_WORDS),
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
            knob(Knob::Min, "minimum-threshold", "packets", "9"),
            knob(Knob::Max, "maximum-threshold", "packets", "18"),
            knob(Knob::MaxP, "mark-probability", "1/probability", "10"),
            knob(Knob::Limit, "queue-limit", "packets", "72"),
        ],
        &[Object::Profile],
        |source| read(source, &VYOS, &VYOS_WORDS),
    )
};
