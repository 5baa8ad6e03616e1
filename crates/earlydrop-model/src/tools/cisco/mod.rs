//! Cisco IOS: `random-detect` in a policy map or on an interface. Ranges and defaults are
//! those of the command reference, which does not document the spacing of drops.

mod xr;

use std::ops::Range;

use earlydrop::red::Spacing;
use earlydrop::registry::{Length, LinkFacts};
use earlydrop::units::BitsPerSec;

use crate::tools::configuration::{merge_equal_classes, whole_thresholds};
use crate::tools::ledger::{Cursor, Ledger, unknown};
use crate::tools::token::Token;
use crate::tools::{
    Class, Configuration, Knob, KnobName, Marking, Object, ParseError, Shape, Source, Tool,
    WithOrigin, knob,
};

pub(super) use xr::IOS_XR;

pub(super) static TOOL: Tool = Tool {
    name: "cisco",
    title: "Cisco IOS, random-detect",
    keywords: &["random-detect"],
    spacing: Spacing::Geometric,
    supported_spacings: &[Spacing::Geometric],
    spacing_source: "not documented; assumed independent for each packet",
    assumed_rate: None,
    knobs: KNOBS,
    limitations: &[
        (Knob::Min, "min-threshold is a whole number of packets"),
        (
            Knob::Max,
            "max-threshold is a whole number of packets up to 4096",
        ),
        (
            Knob::MaxP,
            "the denominator is a whole number from 1 to 65536",
        ),
        (
            Knob::Shape,
            "random-detect has one straight line, and drops everything above max",
        ),
        (
            Knob::Weight,
            "the weighting constant is a whole number from 1 to 16",
        ),
        (Knob::Unit, "random-detect measures in packets"),
        (Knob::BySize, "random-detect ignores packet sizes"),
        (Knob::Cautious, "not documented"),
        (Knob::Idle, "not documented"),
        (Knob::Ecn, "random-detect ecn marks below max only"),
        (Knob::Adapt, "random-detect does not adapt"),
        (Knob::Packet, "random-detect ignores packet sizes"),
        (Knob::Rate, "random-detect takes the interface's rate"),
        (Knob::Limit, "queue-limit defaults to 64 packets"),
        (Knob::Classes, "classes are DSCPs or IP precedences"),
    ],
    objects: &[Object::Class],
    is_special: false,
    read,
    write: Some(write),
};

const KNOBS: &[KnobName] = &[
    knob(
        Knob::Classes,
        "dscp, precedence",
        "code points",
        "one for each precedence",
    ),
    knob(Knob::Min, "min-threshold", "packets", "by precedence"),
    knob(Knob::Max, "max-threshold", "packets", "40"),
    knob(
        Knob::MaxP,
        "mark-probability-denominator",
        "1/probability",
        "10",
    ),
    knob(Knob::Limit, "queue-limit", "packets", "64 packets"),
    knob(
        Knob::Weight,
        "exponential-weighting-constant",
        "n of 2^-n",
        "9",
    ),
    knob(Knob::Ecn, "ecn", "word", "off"),
    knob(
        Knob::Rate,
        "bandwidth, shape average",
        "kbps, bps or percent",
        "the link's",
    ),
];

/// The largest threshold in packets.
const MOST: f64 = 4096.0;

/// First words of statements that are read.
const READ: &[&str] = &[
    "policy-map",
    "interface",
    "class",
    "queue-limit",
    "random-detect",
    "bandwidth",
    "shape",
];

/// First words of other statements of a policy's class.
const BESIDE: &[&str] = &[
    "priority",
    "police",
    "set",
    "fair-queue",
    "service-policy",
    "compression",
    "description",
    "match",
    "class-map",
    "ip",
    "exit",
    "end",
    "end-policy-map",
    "end-class-map",
    "no",
];

/// A class of a policy-map, or the lines that belong to none.
struct PolicyClass<'a> {
    name: String,
    at: Option<Token<'a>>,
    configuration: Configuration,
    classes: Vec<Class>,
    /// Where its `random-detect` statements without thresholds are.
    without_thresholds: Vec<Range<usize>>,
}

impl<'a> PolicyClass<'a> {
    fn new(name: String, at: Option<Token<'a>>, tool: &'static Tool) -> PolicyClass<'a> {
        PolicyClass {
            name,
            at,
            configuration: Configuration {
                weight: WithOrigin::implied(1.0 / 512.0, "IOS's default: 9"),
                limit: WithOrigin::implied(None, "IOS's default depends on the platform"),
                ..Configuration::of(tool)
            },
            classes: Vec::new(),
            without_thresholds: Vec::new(),
        }
    }
}

fn read(source: &Source<'_>) -> Result<Configuration, ParseError> {
    read_for(source, &TOOL)
}

fn read_for(source: &Source<'_>, tool: &'static Tool) -> Result<Configuration, ParseError> {
    let ledger = Ledger::of(source.text, &["!"]);
    let mut policies = vec![PolicyClass::new(String::new(), None, tool)];
    let mut policy = "";
    let mut in_class = false;
    for mut line in ledger.lines("") {
        let Some(head) = line.take_one_of(READ) else {
            leave(line, in_class)?;
            continue;
        };
        match head.text {
            "policy-map" => policy = line.value(&head)?.text,
            "interface" => {
                let name = line.value(&head)?;
                policies.push(PolicyClass::new(name.text.to_string(), Some(name), tool));
                in_class = false;
            }
            "class" => {
                let name = line.value(&head)?;
                in_class = true;
                let taken = policies.iter().any(|class| class.name == name.text);
                let full = match taken {
                    true => format!("{policy}/{}", name.text),
                    false => name.text.to_string(),
                };
                policies.push(PolicyClass::new(full, Some(name), tool));
            }
            _ => {
                if let Some(class) = policies.last_mut() {
                    statement(&head, &mut line, class, source.link)?;
                }
            }
        }
        line.end(&[])?;
    }
    let mut irrelevant = ledger.close(READ)?;
    // A class of the platform's own thresholds cannot be judged, and is not forgotten.
    let unjudged = policies.iter().filter(|class| class.classes.is_empty());
    irrelevant.extend(unjudged.flat_map(|class| class.without_thresholds.iter().cloned()));
    irrelevant.sort_by_key(|range| range.start);
    policies.retain(|class| !class.classes.is_empty());
    let names = policies.iter().map(|class| (class.name.clone(), class.at));
    let names: Vec<_> = names.collect();
    if names.is_empty() {
        let help = "give thresholds, such as random-detect dscp default 20 40 10; IOS's defaults \
                    depend on the platform";
        return Err(ParseError::of_all(
            source.text,
            "this text contains no thresholds",
            help,
        ));
    }
    let mut chosen = policies.swap_remove(source.choose(Object::Class, &names)?);
    for class in &mut chosen.classes {
        if tool.name == IOS_XR.name && !class.max_p.is_given() {
            class.max_p = WithOrigin::implied(1.0, "IOS XR: every packet at max");
        }
    }
    Ok(Configuration {
        classes: merge_equal_classes(chosen.classes),
        objects: names.into_iter().map(|(name, _)| name).collect(),
        irrelevant,
        ..chosen.configuration
    })
}

/// A statement that is not of WRED. In a class of a policy only known ones are irrelevant.
fn leave(mut line: Cursor<'_, '_>, in_class: bool) -> Result<(), ParseError> {
    let known: Vec<&str> = READ.iter().chain(BESIDE).copied().collect();
    let is_known = line.peek().is_some_and(|head| BESIDE.contains(&head.text));
    if in_class && !is_known {
        return line.end(&known);
    }
    line.leave_unless_misspelt(&known)
}

/// Reads a statement of a class.
fn statement<'a>(
    head: &Token<'a>,
    line: &mut Cursor<'_, 'a>,
    class: &mut PolicyClass<'a>,
    link: &LinkFacts,
) -> Result<(), ParseError> {
    let configuration = &mut class.configuration;
    match head.text {
        "queue-limit" => configuration.limit = limit(head, line)?,
        "bandwidth" | "shape" => bandwidth(head, line, configuration)?,
        _ => match detect(head, line, link, configuration)? {
            Some(profile) => class.classes.push(profile),
            None => class.without_thresholds.push(head.span()),
        },
    }
    Ok(())
}

/// `bandwidth percent 30`, `bandwidth 2000` in kbps, `shape average 5000000` in bps, `shape average
/// percent 30`: the rate of the class.
fn bandwidth<'a>(
    head: &Token<'a>,
    line: &mut Cursor<'_, 'a>,
    configuration: &mut Configuration,
) -> Result<(), ParseError> {
    let shaped = head.is("shape");
    if shaped {
        line.take_one_of(&["average", "peak"]);
    }
    line.take_word("remaining");
    if let Some(word) = line.take_word("percent") {
        let value = line.value(&word)?;
        let share = value.number("percent", 1.0, 100.0)? / 100.0;
        configuration.share = Some(WithOrigin::given(share, value.span()));
        return Ok(());
    }
    if line.take_word("ratio").is_some() {
        let value = line.value(head)?;
        return Err(value.error(
            "a ratio gives no rate of the class",
            "give the rate of the class: bandwidth 2000, in kbps",
        ));
    }
    let value = line.value(head)?;
    let scale = if shaped { 1.0 } else { 1e3 };
    let rate = value.number(head.text, 1.0, 1e12)? * scale;
    configuration.rate = WithOrigin::given(Some(BitsPerSec(rate as u64)), value.span());
    Ok(())
}

/// A unit of a threshold or of a queue's limit. IOS has packets, bytes and ms; IOS XR has all.
const UNITS: &[&str] = &["packets", "bytes", "kbytes", "mbytes", "gbytes", "ms", "us"];

fn in_unit(number: f64, unit: Option<&str>) -> Length {
    match unit {
        Some("bytes") => Length::Bytes(number),
        Some("kbytes") => Length::Bytes(1e3 * number),
        Some("mbytes") => Length::Bytes(1e6 * number),
        Some("gbytes") => Length::Bytes(1e9 * number),
        Some("ms") => Length::Seconds(number / 1e3),
        Some("us") => Length::Seconds(number / 1e6),
        _ => Length::Packets(number),
    }
}

fn limit<'a>(
    head: &Token<'a>,
    line: &mut Cursor<'_, 'a>,
) -> Result<WithOrigin<Option<Length>>, ParseError> {
    let value = line.take().ok_or_else(|| {
        head.error(
            "queue-limit needs a value",
            "allowed: queue-limit 64 packets",
        )
    })?;
    let number = value.count("queue-limit", 1.0, f64::from(u32::MAX))?;
    let unit = line.take_one_of(UNITS).map(|unit| unit.text);
    line.end(UNITS)?;
    Ok(WithOrigin::given(Some(in_unit(number, unit)), value.span()))
}

/// Reads one `random-detect` line: the thresholds of a class, or a setting of `configuration`.
fn detect<'a>(
    head: &Token<'a>,
    line: &mut Cursor<'_, 'a>,
    link: &LinkFacts,
    configuration: &mut Configuration,
) -> Result<Option<Class>, ParseError> {
    const OPTIONS: &[&str] = &[
        "dscp",
        "precedence",
        "discard-class",
        "exp",
        "default",
        "dscp-based",
        "prec-based",
        "precedence-based",
        "discard-class-based",
        "ecn",
        "exponential-weighting-constant",
    ];
    let Some(first) = line.peek() else {
        return Ok(None);
    };
    if first.text.parse::<f64>().is_ok() {
        return thresholds(head, line, String::new(), link).map(Some);
    }
    line.take();
    match first.text {
        "dscp-based" | "prec-based" | "precedence-based" | "discard-class-based" => Ok(None),
        "ecn" => {
            let marking = Marking {
                on: true,
                ..Marking::OFF
            };
            configuration.ecn = WithOrigin::given(marking, first.span());
            Ok(None)
        }
        "exponential-weighting-constant" => {
            let missing = || {
                let message = "exponential-weighting-constant needs a value";
                first.error(message, "allowed: 1 to 16")
            };
            let value = line.take().ok_or_else(missing)?;
            let exponent = value.count(first.text, 1.0, 16.0)?;
            configuration.weight = WithOrigin::given((-exponent).exp2(), value.span());
            Ok(None)
        }
        "default" => thresholds(&first, line, String::new(), link).map(Some),
        "dscp" | "precedence" | "discard-class" | "exp" | "clp" | "cos" => {
            let class = line.take();
            let class = class.ok_or_else(|| first.error("the class is missing", ""))?;
            let mut name = format!("{} {}", first.text, class.text);
            // IOS XR takes up to eight values.
            while line.take_word(",").is_some() {
                name += &format!(",{}", line.value(&class)?.text);
            }
            thresholds(&class, line, name, link).map(Some)
        }
        _ => Err(unknown(&first, OPTIONS)),
    }
}

/// Reads `min max [denominator]`, in packets, bytes, ms or us.
fn thresholds<'a>(
    word: &Token<'a>,
    line: &mut Cursor<'_, 'a>,
    name: String,
    link: &LinkFacts,
) -> Result<Class, ParseError> {
    let mut next = || (line.take(), line.take_one_of(UNITS));
    let ((min, of_min), (max, of_max)) = (next(), next());
    let (Some(min), Some(max)) = (min, max) else {
        let help = "allowed: min max [denominator], such as random-detect dscp af11 32 40 10";
        return Err(word.error("min and max thresholds are missing", help));
    };
    if let (Some(of_min), Some(of_max)) = (of_min, of_max)
        && of_min.text != of_max.text
    {
        let message = format!(
            "min-threshold is in {}, max-threshold in {}",
            of_min.text, of_max.text
        );
        return Err(of_max.error(message, format!("nearest: {} {}", max.text, of_min.text)));
    }
    let unit = of_min.or(of_max).map(|unit| unit.text);
    let most = if unit.is_none() { MOST } else { 1e12 };
    let packets = |token: &Token, name: &str, least: f64| {
        let number = token.count(name, least, most)?;
        let length = in_unit(number, unit);
        Ok(WithOrigin::given(
            length.in_packets(link.mean_packet, link.rate.0 as f64),
            token.span(),
        ))
    };
    let (low, high) = (
        packets(&min, "min-threshold", 0.0)?,
        packets(&max, "max-threshold", 1.0)?,
    );
    if low.value >= high.value {
        let message = format!(
            "min-threshold {} is not below max-threshold {}",
            min.text, max.text
        );
        let nearest = (3.0 * min.number("min-threshold", 0.0, most)?).clamp(1.0, most);
        return Err(max.error(message, format!("nearest: max-threshold {nearest}")));
    }
    line.take_word("probability");
    let max_p = match line.take() {
        Some(percentage) if percentage.is("percentage") => {
            let value = line.value(&percentage)?;
            let percent = value.number("percentage", 1e-3, 100.0)?;
            WithOrigin::given(percent / 100.0, value.span())
        }
        Some(token) => {
            let denominator = token.count("mark-probability-denominator", 1.0, 65_536.0)?;
            WithOrigin::given(1.0 / denominator, token.span())
        }
        None => WithOrigin::implied(0.1, "IOS's default: 10"),
    };
    Ok(Class {
        name,
        min: low,
        max: high,
        max_p,
        shape: WithOrigin::implied(Shape::Straight, "random-detect has no other shape"),
    })
}

/// The code point of a class; `None` if it is the only one and has none. In assured forwarding, a higher
/// drop precedence has lower thresholds.
fn code_point(classes: &[Class], index: usize) -> Option<String> {
    let name = classes[index].name.as_str();
    if name.starts_with("dscp ") || name.starts_with("precedence ") {
        return Some(name.to_string());
    }
    (classes.len() > 1).then(|| format!("dscp af1{}", index + 1))
}

fn write(configuration: &Configuration, link: &LinkFacts) -> String {
    let packets = |length: f64| configuration.in_packets(length, link);
    let exponent = (-configuration.weight.value.log2())
        .round()
        .clamp(1.0, 16.0);
    let mut lines = vec![
        "policy-map EARLYDROP".to_string(),
        " class class-default".to_string(),
    ];
    if let Some(limit) = configuration.limit_in_unit(link) {
        let most = configuration
            .classes
            .iter()
            .map(|class| packets(class.max.value));
        let limit = packets(limit).max(most.fold(1.0, f64::max)).ceil();
        lines.push(format!("  queue-limit {limit} packets"));
    }
    lines.push("  random-detect dscp-based".to_string());
    lines.push(format!(
        "  random-detect exponential-weighting-constant {exponent}"
    ));
    for (index, class) in configuration.classes.iter().enumerate() {
        let (min, max) = whole_thresholds(packets(class.min.value), packets(class.max.value), MOST);
        let denominator = (1.0 / class.max_p.value).round().clamp(1.0, 65_536.0);
        let name = code_point(&configuration.classes, index);
        let name = name.unwrap_or_else(|| "dscp default".to_string());
        lines.push(format!("  random-detect {name} {min} {max} {denominator}"));
    }
    if configuration.ecn.value.on {
        lines.push("  random-detect ecn".to_string());
    }
    lines.join("\n")
}
