//! INET (OMNeT++): parameters of `RedDropper` in an `omnetpp.ini`. Facts from
//! `src/inet/queueing/filter/RedDropper.cc` and `.ned`.

use std::ops::Range;

use earlydrop::red::{Idle, Spacing};
use earlydrop::registry::{Length, Link};

use super::scan::{Piece, digits, pieces};
use super::{Called, Class, Configuration, Dialect, Knob, Known, Marking, Refusal, Shape, called};

pub(super) static DIALECT: Dialect = Dialect {
    name: "inet",
    title: "INET, RedDropper",
    signs: &[".minth", ".maxth", "RedDropper", ".wq ", ".pkrate"],
    spacing: Spacing::Uniform,
    spacings: &[Spacing::Uniform],
    spacing_source: "RedDropper.cc: p/(1 - count p)",
    assumed_rate: None,
    knobs: KNOBS,
    lacks: &[
        (Knob::Classes, "RedDropper has one curve a gate"),
        (
            Knob::Shape,
            "RedDropper is a straight line, and drops all from max on",
        ),
        (Knob::Unit, "RedDropper measures in packets"),
        (Knob::BySize, "RedDropper does not look at sizes"),
        (Knob::Cautious, "RedDropper spares nobody above min"),
        (
            Knob::Idle,
            "RedDropper decays by pkrate, 150 packets a second unless told",
        ),
        (Knob::Ecn, "useEcn marks above max, too"),
        (Knob::Adapt, "RedDropper adapts nothing"),
        (Knob::Packet, "RedDropper knows no sizes"),
        (Knob::Rate, "RedDropper is told pkrate instead"),
        (
            Knob::Limit,
            "packetCapacity is a whole number of packets, maxth unless told",
        ),
    ],
    read,
    write,
};

const KNOBS: &[Called] = &[
    called(Knob::Min, "minth", "packets", "5"),
    called(Knob::Max, "maxth", "packets", "50"),
    called(Knob::MaxP, "maxp", "probability", "0.02"),
    called(Knob::Limit, "packetCapacity", "packets", "maxth"),
    called(Knob::Weight, "wq", "ratio", "0.002"),
    called(Knob::Idle, "pkrate", "packets a second", "150"),
    called(Knob::Ecn, "useEcn", "true or false", "false"),
];

const NAMES: [&str; 7] = [
    "minth",
    "maxth",
    "maxp",
    "wq",
    "pkrate",
    "useEcn",
    "packetCapacity",
];

fn read(text: &str, _link: &Link) -> Result<Configuration, Refusal> {
    let all = pieces(text, &["#", "//"]);
    let find = |name: &str| -> Option<Piece> {
        let set = |index: &usize| {
            all[*index].text.rsplit('.').next() == Some(name)
                && all.get(index + 1).is_some_and(|sign| sign.text == "=")
        };
        let at = (0..all.len()).rev().find(set)?;
        all.get(at + 2).copied()
    };
    let number = |name: &str, low, high| -> Result<Option<(f64, Range<usize>)>, Refusal> {
        let read = find(name).map(|piece| Ok((piece.number(name, low, high)?, piece.span())));
        read.transpose()
    };
    let known = |given, default| Known::or_tool(given, default, "RedDropper.ned");
    if NAMES.iter().all(|name| find(name).is_none()) {
        let help = format!("known: {}, as **.red.minth = 5", NAMES.join(", "));
        return Err(Refusal::of_all(
            text,
            "no parameter of RedDropper stands in this",
            help,
        ));
    }
    let min = known(number("minth", 0.0, f64::MAX)?, 5.0);
    let max = known(number("maxth", 0.0, f64::MAX)?, 50.0);
    if min.value >= max.value {
        let piece = find("maxth").or_else(|| find("minth"));
        let message = format!("minth {} is not below maxth {}", min.value, max.value);
        let help = format!("nearest: maxth {}", (3.0 * min.value).max(1.0));
        return Err(piece.map_or_else(
            || Refusal::of_all(text, message.clone(), help.clone()),
            |piece| piece.refuse(message.clone(), help.clone()),
        ));
    }
    let max_p = find("maxp").map(|piece| Ok((piece.probability("maxp")?, piece.span())));
    let limit = number("packetCapacity", 1.0, f64::MAX)?;
    let capacity = Some(Length::Packets(max.value.floor().max(1.0)));
    let on = find("useEcn").map(|piece| Ok((piece.flag("useEcn")?, piece.span())));
    let marking = on.transpose()?.map(|(on, span)| {
        let marks = Marking {
            on: true,
            above_max: true,
            ..Marking::OFF
        };
        (if on { marks } else { Marking::OFF }, span)
    });
    let weight = find("wq").map(|piece| Ok((piece.probability("wq")?, piece.span())));
    Ok(Configuration {
        weight: known(weight.transpose()?, 0.002),
        limit: Known::or_tool(
            limit.map(|(limit, span)| (Some(Length::Packets(limit)), span)),
            capacity,
            "RedDropper.ned: int(maxth)",
        ),
        classes: vec![Class {
            name: String::new(),
            min,
            max,
            max_p: known(max_p.transpose()?, 0.02),
            shape: Known::tool(Shape::Straight, "RedDropper has no other"),
        }],
        idle: Known::tool(Idle::Exact, "RedDropper.cc: by pkrate packets a second"),
        ecn: Known::or_tool(marking, Marking::OFF, "RedDropper.ned"),
        ..Configuration::of(&DIALECT)
    })
}

fn write(configuration: &Configuration, link: &Link) -> String {
    let Some(class) = configuration.classes.first() else {
        return String::new();
    };
    let packets = |length: f64| configuration.in_packets(length, link);
    let max = packets(class.max.value);
    let limit = configuration.limit_in_unit(link).map_or(4.0 * max, packets);
    let lines = [
        ("wq", digits(configuration.weight.value, 9)),
        ("minth", digits(packets(class.min.value), 9)),
        ("maxth", digits(max, 9)),
        ("maxp", digits(class.max_p.value, 4)),
        (
            "pkrate",
            digits(link.rate.packets_per_sec(link.mean_packet), 6),
        ),
        ("packetCapacity", limit.max(max).ceil().to_string()),
        ("useEcn", configuration.ecn.value.on.to_string()),
    ];
    let lines = lines
        .iter()
        .map(|(name, value)| format!("**.red.{name} = {value}"));
    lines.collect::<Vec<_>>().join("\n")
}
