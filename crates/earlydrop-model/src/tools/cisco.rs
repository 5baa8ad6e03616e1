//! Cisco IOS: `random-detect` in a policy map or on an interface. Ranges and defaults are
//! those of the command reference, which does not document the spacing of drops.

use earlydrop::red::Spacing;
use earlydrop::registry::{Length, LinkFacts};

use super::configuration::{merge_equal_classes, whole_thresholds};
use super::token::{Token, tokenize};
use super::{
    Class, Configuration, Knob, KnobName, Marking, ParseError, Shape, Tool, WithOrigin, knob,
};

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
    read,
    write,
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
];

/// The largest threshold in packets.
const MOST: f64 = 4096.0;

fn read(text: &str, link: &LinkFacts) -> Result<Configuration, ParseError> {
    let all = tokenize(text, &["!"]);
    let mut configuration = Configuration {
        weight: WithOrigin::implied(1.0 / 512.0, "IOS's default: 9"),
        limit: WithOrigin::implied(None, "IOS's default depends on the platform"),
        ..Configuration::of(&TOOL)
    };
    let mut classes = Vec::new();
    for (index, word) in all.iter().enumerate() {
        let line: Vec<Token> = all[index + 1..]
            .iter()
            .take_while(|token| token.line == word.line)
            .copied()
            .collect();
        let negated = index > 0 && all[index - 1].text == "no" && all[index - 1].line == word.line;
        match word.text {
            "queue-limit" => configuration.limit = limit(word, &line)?,
            "random-detect" if !negated => {
                classes.extend(detect(word, &line, link, &mut configuration)?);
            }
            _ => {}
        }
    }
    if classes.is_empty() {
        let help = "give thresholds, such as random-detect dscp default 20 40 10; IOS's defaults \
                    depend on the platform";
        return Err(ParseError::of_all(
            text,
            "this text contains no thresholds",
            help,
        ));
    }
    configuration.classes = merge_equal_classes(classes);
    Ok(configuration)
}

fn limit(word: &Token, line: &[Token]) -> Result<WithOrigin<Option<Length>>, ParseError> {
    let Some(value) = line.first() else {
        return Err(word.error(
            "queue-limit needs a value",
            "allowed: queue-limit 64 packets",
        ));
    };
    let number = value.count("queue-limit", 1.0, 1e9)?;
    let limit = match line.get(1).map(|unit| unit.text) {
        Some("bytes") => Length::Bytes(number),
        Some("ms") => Length::Seconds(number / 1e3),
        Some("us") => Length::Seconds(number / 1e6),
        _ => Length::Packets(number),
    };
    Ok(WithOrigin::given(Some(limit), value.span()))
}

/// Reads one `random-detect` line: the thresholds of a class, or a setting of `configuration`.
fn detect(
    word: &Token,
    line: &[Token],
    link: &LinkFacts,
    configuration: &mut Configuration,
) -> Result<Option<Class>, ParseError> {
    let Some(first) = line.first() else {
        return Ok(None);
    };
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
            let value = line.get(1).ok_or_else(|| first.error("exponential-weighting-constant needs a value", "allowed: 1 to 16"))?;
            let exponent = value.count(first.text, 1.0, 16.0)?;
            configuration.weight = WithOrigin::given((-exponent).exp2(), value.span());
            Ok(None)
        }
        "dscp" | "precedence" | "discard-class" | "clp" | "cos" => {
            let class = line.get(1).ok_or_else(|| first.error("the class is missing", ""))?;
            let name = format!("{} {}", first.text, class.text);
            thresholds(class, &line[2..], name, link).map(Some)
        }
        text if text.parse::<f64>().is_ok() => {
            thresholds(word, line, String::new(), link).map(Some)
        }
        other => Err(first.error(
            format!("unknown option of random-detect: \"{other}\""),
            "known: dscp, precedence, discard-class, dscp-based, ecn, exponential-weighting-constant",
        )),
    }
}

/// Reads `min max [denominator]`, in packets, bytes, ms or us.
fn thresholds(
    word: &Token,
    line: &[Token],
    name: String,
    link: &LinkFacts,
) -> Result<Class, ParseError> {
    let is_unit = |token: &&Token| matches!(token.text, "packets" | "bytes" | "ms" | "us");
    let unit = line.iter().find(is_unit).map(|token| token.text);
    let numbers: Vec<&Token> = line.iter().filter(|token| !is_unit(token)).collect();
    let (Some(min), Some(max)) = (numbers.first(), numbers.get(1)) else {
        let help = "allowed: min max [denominator], such as random-detect dscp af11 32 40 10";
        return Err(word.error("min and max thresholds are missing", help));
    };
    let most = if unit.is_none() { MOST } else { 1e12 };
    let packets = |token: &Token, name: &str, least: f64| {
        let number = token.count(name, least, most)?;
        let rate = link.rate.0 as f64;
        let length = match unit {
            Some("bytes") => Length::Bytes(number),
            Some("ms") => Length::Seconds(number / 1e3),
            Some("us") => Length::Seconds(number / 1e6),
            _ => Length::Packets(number),
        };
        Ok(WithOrigin::given(
            length.in_packets(link.mean_packet, rate),
            token.span(),
        ))
    };
    let (low, high) = (
        packets(min, "min-threshold", 0.0)?,
        packets(max, "max-threshold", 1.0)?,
    );
    if low.value >= high.value {
        let message = format!(
            "min-threshold {} is not below max-threshold {}",
            min.text, max.text
        );
        let nearest = (3.0 * min.number("min-threshold", 0.0, most)?).clamp(1.0, most);
        return Err(max.error(message, format!("nearest: max-threshold {nearest}")));
    }
    let max_p = match numbers.get(2) {
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
        // In assured forwarding, a higher drop precedence has lower thresholds.
        let name = match class.name.as_str() {
            name if name.starts_with("dscp ") || name.starts_with("precedence ") => {
                name.to_string()
            }
            _ if configuration.classes.len() == 1 => "dscp default".to_string(),
            _ => format!("dscp af1{}", index + 1),
        };
        lines.push(format!("  random-detect {name} {min} {max} {denominator}"));
    }
    if configuration.ecn.value.on {
        lines.push("  random-detect ecn".to_string());
    }
    lines.join("\n")
}
