//! Cisco IOS XR: IOS's statements with units, read by the same parser. Syntax, units and ranges are
//! those of the command references of the CRS and the NCS 5500.
//!
//! A line has no probability there: it signals every packet at max, and rises to that from min. The
//! weight of the average is not configurable, and not documented.

use earlydrop::registry::LinkFacts;

use super::{KNOBS, TOOL, code_point, read_for};
use crate::tools::{Configuration, Knob, KnobName, Tool, knob};

pub(in crate::tools) static IOS_XR: Tool = Tool {
    name: "iosxr",
    title: "Cisco IOS XR, random-detect",
    keywords: &[
        "end-policy-map",
        "random-detect default",
        "random-detect exp ",
    ],
    knobs: XR_KNOBS,
    limitations: &[
        (Knob::Min, "min-threshold is a whole number of bytes"),
        (
            Knob::Max,
            "max-threshold is a whole number of bytes below 2^30",
        ),
        (Knob::MaxP, "a line rises to 1 at max"),
        (
            Knob::Shape,
            "random-detect has one straight line, and drops everything above max",
        ),
        (Knob::Weight, "the weight is not configurable"),
        (Knob::Unit, "written in bytes"),
        (Knob::BySize, "random-detect ignores packet sizes"),
        (Knob::Cautious, "not documented"),
        (Knob::Idle, "not documented"),
        (Knob::Ecn, "random-detect ecn marks below max only"),
        (Knob::Adapt, "random-detect does not adapt"),
        (Knob::Packet, "random-detect ignores packet sizes"),
        (Knob::Rate, "random-detect takes the interface's rate"),
        (Knob::Limit, "queue-limit depends on the platform"),
        (
            Knob::Classes,
            "classes are code points, precedences, EXP or discard classes",
        ),
    ],
    is_special: true,
    read: |source| read_for(source, &IOS_XR),
    write: Some(write),
    ..TOOL
};

const UNITS: &str = "packets, bytes, kbytes, mbytes, gbytes, ms, us";

const XR_KNOBS: &[KnobName] = &[
    knob(
        Knob::Classes,
        "dscp, precedence, exp, discard-class, cos",
        "values",
        "one curve",
    ),
    knob(Knob::Min, "min-threshold", UNITS, "by platform"),
    knob(Knob::Max, "max-threshold", UNITS, "by platform"),
    knob(Knob::Limit, "queue-limit", UNITS, "by platform"),
    KNOBS[6],
    KNOBS[7],
];

/// The largest threshold in bytes.
const MOST: f64 = 1_073_741_823.0;

fn write(configuration: &Configuration, link: &LinkFacts) -> String {
    let bytes = |length: f64| configuration.to_bytes(length, link).round();
    let mut lines = vec![
        "policy-map EARLYDROP".to_string(),
        " class class-default".to_string(),
    ];
    for (index, class) in configuration.classes.iter().enumerate() {
        let max = bytes(class.max.value).clamp(1.0, MOST);
        let min = bytes(class.min.value).clamp(0.0, max - 1.0);
        let name = code_point(&configuration.classes, index);
        let name = name.map_or(String::new(), |name| name + " ");
        lines.push(format!("  random-detect {name}{min} bytes {max} bytes"));
    }
    if configuration.ecn.value.on {
        lines.push("  random-detect ecn".to_string());
    }
    if let Some(limit) = configuration.limit_in_unit(link) {
        let most = configuration.classes.iter().map(|class| class.max.value);
        let limit = bytes(limit.max(most.fold(0.0, f64::max)));
        let limit = limit.clamp(1.0, f64::from(u32::MAX));
        lines.push(format!("  queue-limit {limit} bytes"));
    }
    lines.push(" !".to_string());
    lines.push(" end-policy-map".to_string());
    lines.join("\n")
}
