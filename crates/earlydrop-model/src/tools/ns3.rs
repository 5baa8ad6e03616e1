//! ns-3: the attributes of `RedQueueDisc`, in C++, Python or on the command line. Defaults and
//! algorithms are those of `src/traffic-control/model/red-queue-disc.cc`.

use earlydrop::red::{Average, Idle, Spacing};
use earlydrop::registry::{Length, LinkFacts};
use earlydrop::units::{BitsPerSec, Bytes, Nanos};

use super::ledger::{Cursor, Ledger};
use super::parse::ParsedKnobs;
use super::token::{Token, digits};
use super::{
    Adapt, Class, Configuration, Knob, KnobName, Marking, ParseError, Shape, Source, Tool,
    WithOrigin, knob,
};

pub(super) static TOOL: Tool = Tool {
    name: "ns3",
    title: "ns-3, RedQueueDisc",
    keywords: &["RedQueueDisc", "LInterm", "MinTh"],
    spacing: Spacing::Wait,
    supported_spacings: &[Spacing::Wait, Spacing::Uniform],
    spacing_source: "red-queue-disc.cc, ModifyP with Wait",
    assumed_rate: Some(BitsPerSec(1_500_000)),
    knobs: KNOBS,
    limitations: &[
        (Knob::Classes, "RedQueueDisc has one curve"),
        (
            Knob::Shape,
            "RedQueueDisc has a straight line, gentle, or NLRED",
        ),
        (
            Knob::BySize,
            "RedQueueDisc uses packet sizes only if its queue is in bytes",
        ),
        (
            Knob::Cautious,
            "RedQueueDisc spares the first packet above min",
        ),
        (Knob::Idle, "RedQueueDisc decays by whole packets, plus one"),
        (
            Knob::Ecn,
            "UseEcn marks at any probability, and drops packets without ECN",
        ),
        (Knob::Limit, "MaxSize defaults to 25 packets"),
        (Knob::Packet, "MeanPktSize defaults to 500"),
        (Knob::Rate, "LinkBandwidth defaults to 1.5Mbps"),
    ],
    objects: &[],
    is_special: false,
    read,
    write: Some(write),
};

const KNOBS: &[KnobName] = &[
    knob(Knob::Min, "MinTh", "packets, or bytes as MaxSize", "5"),
    knob(Knob::Max, "MaxTh", "packets, or bytes as MaxSize", "15"),
    knob(Knob::MaxP, "LInterm", "1/probability", "50"),
    knob(Knob::Shape, "Gentle, NLRED", "true or false", "true, false"),
    knob(Knob::Limit, "MaxSize", "\"25p\" or \"100kB\"", "25p"),
    knob(Knob::Weight, "QW", "ratio", "0.002"),
    knob(Knob::Unit, "MaxSize", "p or B", "p"),
    knob(Knob::Packet, "MeanPktSize", "bytes", "500"),
    knob(Knob::BySize, "MaxSize", "p or B", "p: no"),
    knob(Knob::Spacing, "Wait", "true or false", "true"),
    knob(
        Knob::Ecn,
        "UseEcn, UseHardDrop",
        "true or false",
        "false, true",
    ),
    knob(
        Knob::Adapt,
        "ARED, AdaptMaxP, FengAdaptive",
        "true or false",
        "false",
    ),
    knob(Knob::Rate, "LinkBandwidth", "rate", "1.5Mbps"),
];

const ATTRIBUTES: &[&str] = &[
    "MinTh",
    "MaxTh",
    "LInterm",
    "Gentle",
    "NLRED",
    "MaxSize",
    "QW",
    "MeanPktSize",
    "Wait",
    "UseEcn",
    "UseHardDrop",
    "ARED",
    "AdaptMaxP",
    "FengAdaptive",
    "LinkBandwidth",
    "LinkDelay",
    "TargetDelay",
    "IdlePktSize",
    "Interval",
    "Top",
    "Bottom",
    "Alpha",
    "Beta",
    "FengAlpha",
    "FengBeta",
    "LastSet",
    "Rtt",
    "Ns1Compat",
    "QueueLimit",
    "Mode",
];

/// Reads attributes. An attribute is a known name, alone or after `::`. Its value is the next token
/// that is neither punctuation nor the name of a value type. A statement that names RedQueueDisc
/// has no unknown ones; other statements are irrelevant.
fn parse<'a>(text: &'a str) -> Result<(ParsedKnobs<'a>, Vec<std::ops::Range<usize>>), ParseError> {
    let ledger = Ledger::of(text, &["//", "#"]);
    let mut knobs: Vec<(&str, Token)> = Vec::new();
    let mut rest = ledger.all();
    // Whether the statement is about RedQueueDisc, and only attributes may follow.
    let mut of_red = false;
    while let Some(token) = rest.peek() {
        let name = token.text.rsplit("::").next().unwrap_or_default();
        let names_red = token.text.contains("RedQueueDisc");
        let names_attribute = token.text.contains("RedQueueDisc::");
        of_red = (of_red || names_red) && !token.is(";");
        if ATTRIBUTES.contains(&name) {
            rest.take();
            let value = value(&mut rest, &token)?;
            if let Some((_, first)) = knobs.iter().find(|(known, _)| *known == name) {
                let message = format!("{name} is given twice: {} and {}", first.text, value.text);
                return Err(token.error(message, "leave one, or explain one queue disc at a time"));
            }
            knobs.push((name, value));
            continue;
        }
        // A quoted word before a value is a misspelt attribute.
        let before_value = token.quoted
            && rest.after(1).is_some_and(|next| next.is(","))
            && rest.after(2).is_some_and(|next| is_type(next.text));
        let quoted_in_red = of_red && token.quoted && !names_red;
        let assigned = of_red && rest.after(1).is_some_and(|next| next.is("=")) && !token.is(")");
        if names_attribute || before_value || quoted_in_red || assigned && !names_red {
            return Err(unknown(&token, name));
        }
        match names_red || is_sign(&token) {
            true => rest.take(),
            false => rest.leave(),
        };
    }
    let irrelevant = ledger.close(ATTRIBUTES)?;
    Ok((ParsedKnobs::new(knobs, "ns-3's default"), irrelevant))
}

/// Uses the value of an attribute and what stands before it.
fn value<'a>(rest: &mut Cursor<'_, 'a>, attribute: &Token<'a>) -> Result<Token<'a>, ParseError> {
    while let Some(token) = rest.take() {
        if token.quoted || !is_sign(&token) && !is_type(token.text) {
            return Ok(token);
        }
    }
    Err(attribute.error("the value is missing", "give it a value"))
}

fn is_sign(token: &Token) -> bool {
    !token.quoted && token.text.len() == 1 && "{}()[];,=".contains(token.text)
}

/// Whether this is a value type, such as `DoubleValue` or `ns.core.UintegerValue`.
fn is_type(text: &str) -> bool {
    text.ends_with("Value")
}

fn unknown(token: &Token, name: &str) -> ParseError {
    let guess = earlydrop::registry::nearest(name, ATTRIBUTES.iter().copied());
    let guess = guess.map_or(String::new(), |guess| format!("did you mean {guess}? "));
    let help = format!("{guess}known: {}", ATTRIBUTES.join(", "));
    token.error(format!("RedQueueDisc has no {name}"), help)
}

fn read(source: &Source<'_>) -> Result<Configuration, ParseError> {
    let (knobs, irrelevant) = parse(source.text)?;
    let link = source.link;
    let rate = link_bandwidth(&knobs)?;
    let packet = knobs.number("MeanPktSize", 1.0, 65_535.0)?;
    let mean = packet.as_ref().map_or(500.0, |(size, _)| *size);
    let (limit, in_bytes) = max_size(&knobs)?;
    let ared = knobs.flag("ARED", false)?;
    let unit = if in_bytes { mean } else { 1.0 };
    let assumed = TOOL.assumed_rate.unwrap_or(link.rate);
    let per_second = rate
        .value
        .unwrap_or(assumed)
        .packets_per_sec(Bytes(mean as u64));
    let (min, max) = thresholds(&knobs, &ared, unit, per_second)?;
    let linterm = knobs.number("LInterm", 1.0, f64::MAX)?;
    let max_p = linterm.map(|(linterm, span)| (1.0 / linterm, span));
    let class = Class {
        name: String::new(),
        min,
        max,
        max_p: WithOrigin::given_or(max_p, 0.02, "ns-3's default: LInterm 50"),
        shape: shape(&knobs)?,
    };
    Ok(Configuration {
        classes: vec![class],
        in_bytes,
        unit_origin: limit.origin.clone(),
        limit,
        weight: weight(&knobs, &ared, per_second)?,
        mean_packet: WithOrigin::given_or(
            packet.map(|(size, span)| (Some(Bytes(size as u64)), span)),
            Some(Bytes(500)),
            "ns-3's default",
        ),
        spacing: knobs.flag("Wait", true)?.map(|wait| match wait {
            true => Spacing::Wait,
            false => Spacing::Uniform,
        }),
        idle: WithOrigin::implied(Idle::FloorPlusOne, "whole packets, plus one"),
        ecn: marking(&knobs)?,
        adapt: adapt(&knobs, ared)?,
        by_size: WithOrigin::implied(in_bytes, "exactly if the queue is in bytes"),
        cautious: WithOrigin::implied(true, "the first packet above min is kept"),
        rate,
        irrelevant,
        ..Configuration::of(&TOOL)
    })
}

/// Reads `LinkBandwidth`, if given.
fn link_bandwidth(knobs: &ParsedKnobs) -> Result<WithOrigin<Option<BitsPerSec>>, ParseError> {
    let rate = knobs.find("LinkBandwidth").map(|token| {
        let rate = token.text.parse::<BitsPerSec>().ok();
        let rate = rate.filter(|rate| rate.0 > 0);
        let invalid = || token.error(format!("{} is not a rate", token.text), "nearest: 10Mbps");
        Ok((Some(rate.ok_or_else(invalid)?), token.span()))
    });
    let default = "ns-3's default: 1.5Mbps";
    Ok(WithOrigin::given_or(rate.transpose()?, None, default))
}

/// Reads the buffer size; the flag says whether it and the thresholds are in bytes.
fn max_size(knobs: &ParsedKnobs) -> Result<(WithOrigin<Option<Length>>, bool), ParseError> {
    let why = "ns-3's default: 25p";
    let Some(token) = knobs.find("MaxSize").or_else(|| knobs.find("QueueLimit")) else {
        return Ok((WithOrigin::implied(Some(Length::Packets(25.0)), why), false));
    };
    let refused = || {
        let message = format!("MaxSize {} is not a queue size", token.text);
        token.error(
            message,
            "allowed: packets such as \"25p\", or bytes such as \"100kB\"",
        )
    };
    let packets = token.text.strip_suffix('p').unwrap_or(token.text);
    let length = match packets
        .parse::<f64>()
        .ok()
        .filter(|n| *n >= 1.0 && n.is_finite())
    {
        Some(packets) => Length::Packets(packets),
        None => {
            let bytes: Bytes = token.text.parse().map_err(|_| refused())?;
            Length::Bytes(bytes.0 as f64)
        }
    };
    let in_bytes = matches!(length, Length::Bytes(_));
    Ok((WithOrigin::given(Some(length), token.span()), in_bytes))
}

/// Reads min and max. ARED and 0 select automatic values.
fn thresholds(
    knobs: &ParsedKnobs,
    ared: &WithOrigin<bool>,
    unit: f64,
    per_second: f64,
) -> Result<(WithOrigin<f64>, WithOrigin<f64>), ParseError> {
    let delay = knobs.find("TargetDelay");
    let delay = delay.and_then(|token| token.text.parse::<Nanos>().ok());
    let delay = delay.map_or(0.005, Nanos::as_secs_f64);
    let given = |name| {
        let given = knobs.number(name, 0.0, f64::MAX)?;
        Ok(given.filter(|(length, _)| *length > 0.0))
    };
    let zero = |name| {
        knobs
            .find(name)
            .is_some_and(|token| token.text.parse() == Ok(0.0))
    };
    if ared.value || zero("MinTh") {
        let why = "ARED and 0 stand for max(5, C TargetDelay/2) packets, and three times that";
        let min = (per_second * delay / 2.0).max(5.0) * unit;
        return Ok((
            WithOrigin::implied(min, why),
            WithOrigin::implied(3.0 * min, why),
        ));
    }
    let min = WithOrigin::given_or(given("MinTh")?, 5.0, "ns-3's default, in either unit");
    let max = match zero("MaxTh") {
        true => WithOrigin::implied(3.0 * min.value, "0 stands for 3 MinTh"),
        false => WithOrigin::given_or(given("MaxTh")?, 15.0, "ns-3's default, in either unit"),
    };
    Ok((min, max))
}

fn shape(knobs: &ParsedKnobs) -> Result<WithOrigin<Shape>, ParseError> {
    let gentle = knobs.flag("Gentle", true)?;
    let nonlinear = knobs.flag("NLRED", false)?;
    Ok(match nonlinear.value {
        true => nonlinear.map(|_| Shape::Nonlinear),
        false => gentle.map(|gentle| match gentle {
            true => Shape::Gentle,
            false => Shape::Straight,
        }),
    })
}

fn weight(
    knobs: &ParsedKnobs,
    ared: &WithOrigin<bool>,
    per_second: f64,
) -> Result<WithOrigin<f64>, ParseError> {
    let given = knobs.number("QW", -2.0, 1.0)?;
    let automatic = ared.value || given.as_ref().is_some_and(|(weight, _)| *weight == 0.0);
    if automatic {
        let weight = Average::automatic_weight(per_second, 1.0);
        return Ok(WithOrigin::implied(
            weight,
            "ARED and 0 stand for 1 - exp(-1/C)",
        ));
    }
    match given {
        Some((weight, span)) if weight < 0.0 => Err(ParseError {
            span,
            message: format!("QW {weight} is not a weight"),
            help: "allowed: above 0 and at most 1, or 0 for 1 - exp(-1/C); nearest: QW 0".into(),
        }),
        given => Ok(WithOrigin::given_or(given, 0.002, "ns-3's default")),
    }
}

fn marking(knobs: &ParsedKnobs) -> Result<WithOrigin<Marking>, ParseError> {
    let on = knobs.flag("UseEcn", false)?;
    let hard = knobs.flag("UseHardDrop", true)?.value;
    let marking = Marking {
        on: true,
        above_max: !hard,
        ..Marking::OFF
    };
    Ok(on.map(|on| if on { marking } else { Marking::OFF }))
}

fn adapt(knobs: &ParsedKnobs, ared: WithOrigin<bool>) -> Result<WithOrigin<Adapt>, ParseError> {
    let max_p = knobs.flag("AdaptMaxP", false)?;
    let feng = knobs.flag("FengAdaptive", false)?;
    let (adapt, origin) = match (ared.value, max_p.value, feng.value) {
        (true, ..) => (Adapt::Floyd, ared.origin),
        (_, true, _) => (Adapt::Floyd, max_p.origin),
        (_, _, true) => (Adapt::Feng, feng.origin),
        _ => (Adapt::No, ared.origin),
    };
    Ok(WithOrigin {
        value: adapt,
        origin,
    })
}

fn write(configuration: &Configuration, link: &LinkFacts) -> String {
    let Some(class) = configuration.classes.first() else {
        return String::new();
    };
    let packet = configuration.mean_packet.value.unwrap_or(link.mean_packet);
    let limit = configuration
        .limit_in_unit(link)
        .unwrap_or(4.0 * class.max.value);
    let unit = if configuration.in_bytes { "B" } else { "p" };
    let marking = configuration.ecn.value;
    let flag = |value: bool| format!("BooleanValue({value})");
    let number = |value: f64, significant| format!("DoubleValue({})", digits(value, significant));
    let mut attributes = vec![
        ("MinTh", number(class.min.value.max(1e-9), 9)),
        ("MaxTh", number(class.max.value, 9)),
        ("LInterm", number(1.0 / class.max_p.value, 4)),
        ("Gentle", flag(class.shape.value == Shape::Gentle)),
        ("QW", number(configuration.weight.value, 9)),
        ("Wait", flag(configuration.spacing.value == Spacing::Wait)),
        ("MeanPktSize", format!("UintegerValue({})", packet.0)),
        (
            "MaxSize",
            format!("StringValue(\"{}{unit}\")", limit.ceil()),
        ),
        ("UseEcn", flag(marking.on)),
    ];
    if class.shape.value == Shape::Nonlinear {
        attributes.push(("NLRED", flag(true)));
    }
    if marking.on && marking.above_max {
        attributes.push(("UseHardDrop", flag(false)));
    }
    match configuration.adapt.value {
        Adapt::No => {}
        Adapt::Floyd => attributes.push(("AdaptMaxP", flag(true))),
        Adapt::Feng => attributes.push(("FengAdaptive", flag(true))),
    }
    let rate = configuration.rate.value.unwrap_or(link.rate);
    attributes.push(("LinkBandwidth", format!("StringValue(\"{}bps\")", rate.0)));
    let lines = attributes
        .iter()
        .map(|(name, value)| format!(",\n    \"{name}\", {value}"));
    let lines: String = lines.collect();
    format!("TrafficControlHelper tch;\ntch.SetRootQueueDisc(\"ns3::RedQueueDisc\"{lines});")
}
