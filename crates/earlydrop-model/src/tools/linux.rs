//! Linux: `tc qdisc ... red`, as a command, as `tc -d qdisc show` prints it, and as
//! `tc -j -d qdisc show` does.
//!
//! Sizes are in bytes, and `k` is 1024. Syntax and rules are those of iproute2's `tc/q_red.c` and of
//! the kernel's `net/sched/sch_red.c` and `include/net/red.h`.

use earlydrop::red::{Idle, Spacing};
use earlydrop::registry::{Length, LinkFacts};
use earlydrop::units::{BitsPerSec, Bytes};

use super::qdisc::scheme_of_qdisc;
use super::tc::{self, NoWeight};
use super::token::{Token, digits, tokenize};
use super::{
    Adapt, Class, Configuration, Knob, KnobName, Marking, ParseError, Shape, Tool, WithOrigin,
    json, knob,
};

pub(super) static TOOL: Tool = Tool {
    name: "linux",
    title: "Linux, tc red",
    keywords: &["qdisc", "avpkt", "\"kind\":\"red\"", "\"kind\": \"red\""],
    spacing: Spacing::Drawn,
    supported_spacings: &[Spacing::Drawn],
    spacing_source: "include/net/red.h: one random number per gap",
    assumed_rate: Some(BitsPerSec::from_mbps(10)),
    knobs: KNOBS,
    limitations: &[
        (Knob::Classes, "red has one curve; gred has several"),
        (
            Knob::Shape,
            "red has one straight line, and drops everything above max",
        ),
        (Knob::Unit, "red measures in bytes"),
        (Knob::BySize, "red ignores packet sizes"),
        (Knob::Cautious, "red spares no packet above min"),
        (Knob::Idle, "red decays by a table of 256 cells"),
        (
            Knob::Weight,
            "red's weights are powers of two that a burst can give",
        ),
        (Knob::Adapt, "adaptive is Floyd's ARED"),
        (Knob::Ecn, "red marks at any probability"),
        (Knob::Limit, "red requires a limit of at most 4 GiB"),
        (Knob::Packet, "red requires avpkt"),
    ],
    read,
    write,
};

const KNOBS: &[KnobName] = &[
    knob(Knob::Min, "min", "bytes", "max/3"),
    knob(Knob::Max, "max", "bytes", "3 min, or limit/4"),
    knob(Knob::MaxP, "probability", "probability", "0.02"),
    knob(Knob::Limit, "limit", "bytes", "must be given"),
    knob(
        Knob::Weight,
        "burst",
        "packets, converted to a weight 2^-n",
        "(2 min + max)/(3 avpkt)",
    ),
    knob(Knob::Packet, "avpkt", "bytes", "must be given"),
    knob(Knob::Ecn, "ecn, harddrop, nodrop", "words", "off"),
    knob(Knob::Adapt, "adaptive", "word", "off"),
    knob(Knob::Rate, "bandwidth", "rate", "10Mbit"),
];

/// The options of one qdisc, each with its token.
#[derive(Default)]
struct ParsedKnobs<'a> {
    limit: Option<(u32, Token<'a>)>,
    min: Option<(u32, Token<'a>)>,
    max: Option<(u32, Token<'a>)>,
    avpkt: Option<(u32, Token<'a>)>,
    burst: Option<(u32, Token<'a>)>,
    wlog: Option<(u32, Token<'a>)>,
    probability: Option<(f64, Token<'a>)>,
    rate: Option<(BitsPerSec, Token<'a>)>,
    flags: Vec<(&'a str, Token<'a>)>,
}

fn read(text: &str, _link: &LinkFacts) -> Result<Configuration, ParseError> {
    let knobs = match text.trim_start().starts_with(['[', '{']) {
        true => parse_json(text)?,
        false => parse_words(text)?,
    };
    let (limit, limit_at) = knobs
        .limit
        .filter(|(limit, _)| *limit > 0)
        .ok_or_else(|| missing(text, "limit", "several times max, such as limit 400000"))?;
    let class = class(&knobs, limit, limit_at)?;
    let (min, max) = (class.min.value as u32, class.max.value as u32);
    let (weight, burst) = weight(text, &knobs, min, max)?;
    let wlog = -weight.value.log2() as u32;
    if !tc::fits_kernel(max, wlog) {
        let at = knobs.max.map_or(limit_at, |(_, at)| at);
        let most = (1_u64 << (31 - wlog)) - 1;
        let message = format!("the kernel refuses max {max} with a weight of 2^-{wlog}");
        let help =
            format!("nearest: max {most}, or a smaller burst: max * 2^n must stay below 2^31");
        return Err(at.error(message, help));
    }
    let packet = |(avpkt, at): (u32, Token)| (Some(Bytes(u64::from(avpkt))), at.span());
    let adaptive = knobs
        .flags
        .iter()
        .find(|(flag, _)| flag.starts_with("adapt"));
    Ok(Configuration {
        classes: vec![class],
        in_bytes: true,
        limit: WithOrigin::given(Some(Length::Bytes(f64::from(limit))), limit_at.span()),
        weight,
        mean_packet: WithOrigin::given_or(knobs.avpkt.map(packet), None, "tc does not show it"),
        idle: WithOrigin::implied(Idle::Halving, "include/net/red.h: a table of halvings"),
        ecn: marking(&knobs),
        adapt: WithOrigin::given_or(
            adaptive.map(|(_, at)| (Adapt::Floyd, at.span())),
            Adapt::No,
            "off by default",
        ),
        rate: WithOrigin::given_or(
            knobs.rate.map(|(rate, at)| (Some(rate), at.span())),
            None,
            "tc's default: 10Mbit, for idle times only",
        ),
        burst,
        ..Configuration::of(&TOOL)
    })
}

/// Reads thresholds and probability. tc derives missing thresholds: first max, then min.
fn class(knobs: &ParsedKnobs, limit: u32, limit_at: Token) -> Result<Class, ParseError> {
    let min_given = knobs.min.filter(|(min, _)| *min > 0);
    let max_given = knobs.max.filter(|(max, _)| *max > 0);
    let max = max_given.map_or_else(
        || min_given.map_or(limit / 4, |(min, _)| min.saturating_mul(3)),
        |(max, _)| max,
    );
    let min = min_given.map_or(max / 3, |(min, _)| min);
    if min > max {
        let at = max_given.map_or(limit_at, |(_, at)| at);
        let message = format!("min {min} is above max {max}: tc fails to calculate probability");
        return Err(at.error(message, format!("nearest: max {}", u64::from(min) * 3)));
    }
    let max_p = knobs.probability.map(|(p, at)| (p, at.span()));
    let max_p = WithOrigin::given_or(max_p, 0.02, "tc's default: 0.02");
    if tc::plog(min, max, max_p.value).is_none() {
        let at = knobs.probability.map_or(limit_at, |(_, at)| at);
        let least = f64::from(max - min) * (-31_f64).exp2();
        let message = format!(
            "tc fails to calculate a probability of {} between {min} and {max}",
            max_p.value
        );
        let help = match least < 1.0 {
            true => format!("nearest: probability {}", digits(1.01 * least, 3)),
            false => "nearest: a max closer to min".to_string(),
        };
        return Err(at.error(message, help));
    }
    Ok(Class {
        name: String::new(),
        min: known(min_given, min, "tc's default: max/3"),
        max: known(max_given, max, "tc's default: three times min, or limit/4"),
        max_p,
        shape: WithOrigin::implied(Shape::Straight, "tc red has no other shape"),
    })
}

fn known(given: Option<(u32, Token)>, value: u32, why: &'static str) -> WithOrigin<f64> {
    match given {
        Some((given, at)) => WithOrigin::given(f64::from(given), at.span()),
        None => WithOrigin::implied(f64::from(value), why),
    }
}

fn missing(text: &str, word: &str, example: &str) -> ParseError {
    ParseError::of_all(
        text,
        format!("tc red requires {word}"),
        format!("nearest: {example}"),
    )
}

fn marking(knobs: &ParsedKnobs) -> WithOrigin<Marking> {
    let flag = |word: &str| knobs.flags.iter().find(|(flag, _)| *flag == word);
    let Some((_, ecn)) = flag("ecn") else {
        return WithOrigin::implied(Marking::OFF, "off by default");
    };
    let marking = Marking {
        on: true,
        above_max: flag("harddrop").is_none(),
        up_to: 1.0,
        spares_others: flag("nodrop").is_some(),
    };
    WithOrigin::given(marking, ecn.span())
}

/// The weight and the burst from which tc derives it. The burst is `None` if the text has the
/// weight itself, as the output of `tc qdisc show` has.
fn weight(
    text: &str,
    knobs: &ParsedKnobs,
    min: u32,
    max: u32,
) -> Result<(WithOrigin<f64>, Option<WithOrigin<f64>>), ParseError> {
    if let Some((wlog, at)) = knobs.wlog {
        return Ok((
            WithOrigin::given((-f64::from(wlog)).exp2(), at.span()),
            None,
        ));
    }
    let avpkt = knobs
        .avpkt
        .map(|(avpkt, _)| avpkt)
        .filter(|avpkt| *avpkt > 0);
    let avpkt =
        avpkt.ok_or_else(
            || match knobs.flags.iter().any(|(flag, _)| *flag == "refcnt") {
                true => missing(text, "ewma", "tc -d qdisc show, which prints it"),
                false => missing(text, "avpkt", "avpkt 1000"),
            },
        )?;
    let given = knobs.burst.filter(|(burst, _)| *burst > 0);
    let burst = given.map_or_else(|| tc::default_burst(min, max, avpkt), |(burst, _)| burst);
    let span = match (given, knobs.min.or(knobs.limit)) {
        (Some((_, at)), _) | (None, Some((_, at))) => at.span(),
        _ => 0..text.len(),
    };
    let wlog = tc::wlog(min, burst, avpkt).map_err(|error| {
        let (message, help) = no_weight(error, min, burst, avpkt);
        ParseError {
            span,
            message,
            help,
        }
    })?;
    let burst = f64::from(burst);
    let burst = match given {
        Some((_, at)) => WithOrigin::given(burst, at.span()),
        None => WithOrigin::implied(burst, "tc's default: (2 min + max)/(3 avpkt)"),
    };
    let weight = WithOrigin::implied(
        (-f64::from(wlog)).exp2(),
        "derived by tc from burst, min and avpkt",
    );
    Ok((weight, Some(burst)))
}

/// Explains why tc cannot derive a weight from the burst, and names the nearest valid burst.
fn no_weight(error: NoWeight, min: u32, burst: u32, avpkt: u32) -> (String, String) {
    match error {
        NoWeight::TooSmall { least } => (
            format!(
                "a burst of {burst} packets of {avpkt} bytes is less than min, {min} bytes: tc \
                 derives no weight from it"
            ),
            format!("nearest: burst {least}"),
        ),
        NoWeight::TooLarge if min < avpkt => (
            format!("no burst gives a weight if min, {min} bytes, is less than avpkt"),
            format!("nearest: min {avpkt}"),
        ),
        NoWeight::TooLarge => (
            format!("no weight is small enough for a burst of {burst} packets"),
            format!("nearest: burst {}", tc::burst_for(31, 31, min, avpkt)),
        ),
    }
}

/// Reads a `tc` command, or the output of `tc qdisc show`.
fn parse_words(text: &str) -> Result<ParsedKnobs<'_>, ParseError> {
    let all = tokenize(text, &["#"]);
    let all: Vec<Token> = all.into_iter().filter(|token| token.text != "\\").collect();
    let kind = all.iter().position(|token| token.text == "red");
    let Some(kind) = kind else {
        let other = all.iter().find(|token| KINDS.contains(&token.text));
        let help = "of tc's queueing disciplines, only red is explained";
        return Err(match other {
            Some(token) => token.error(
                format!("{} is not red", token.text),
                scheme_of_qdisc(text).map_or(help.to_string(), |scheme| {
                    format!("{help}; this one is simulated by --schemes {scheme}")
                }),
            ),
            None => ParseError::of_all(text, "this text contains no \"red\"", help),
        });
    };
    let mut knobs = ParsedKnobs::default();
    let mut rest = all[kind + 1..].iter().copied();
    while let Some(word) = rest.next() {
        let mut value = || {
            let next = rest.next();
            next.ok_or_else(|| {
                word.error(format!("{} needs a value", word.text), "give it a value")
            })
        };
        match word.text {
            "limit" => knobs.limit = Some(size(value()?, "limit")?),
            "min" => knobs.min = Some(size(value()?, "min")?),
            "max" => knobs.max = Some(size(value()?, "max")?),
            "avpkt" => knobs.avpkt = Some(size(value()?, "avpkt")?),
            "burst" => knobs.burst = Some(burst(value()?)?),
            "ewma" => knobs.wlog = Some(exponent(value()?)?),
            "probability" => knobs.probability = Some(probability(value()?)?),
            "bandwidth" => knobs.rate = Some(rate(value()?)?),
            "dev" | "parent" | "handle" | "refcnt" | "Scell_log" | "Plog" => {
                value()?;
                if word.text == "refcnt" {
                    knobs.flags.push((word.text, word));
                }
            }
            "ecn" | "harddrop" | "nodrop" | "adaptive" | "adaptative" => {
                knobs.flags.push((word.text, word))
            }
            "root" => {}
            // Counters follow.
            "Sent" => break,
            other if other.ends_with(':') => {}
            other => return Err(unknown(word, other)),
        }
    }
    Ok(knobs)
}

/// Other queueing disciplines, for a better error.
const KINDS: &[&str] = &[
    "fq_codel",
    "codel",
    "pie",
    "fq_pie",
    "fq",
    "sfq",
    "gred",
    "choke",
    "cake",
    "pfifo",
    "bfifo",
    "pfifo_fast",
    "htb",
    "tbf",
    "dualpi2",
    "noqueue",
    "netem",
];

fn unknown(word: Token, text: &str) -> ParseError {
    const WORDS: [&str; 12] = [
        "limit",
        "min",
        "max",
        "avpkt",
        "burst",
        "probability",
        "bandwidth",
        "ecn",
        "harddrop",
        "nodrop",
        "adaptive",
        "qevent",
    ];
    let guess = earlydrop::registry::nearest(text, WORDS.into_iter());
    let guess = guess.map_or(String::new(), |guess| format!("did you mean '{guess}'? "));
    let help = format!("{guess}known: {}", WORDS.join(", "));
    word.error(format!("unknown option of tc red: \"{text}\""), help)
}

/// Reads the first red in the output of `tc -j qdisc show`.
fn parse_json(text: &str) -> Result<ParsedKnobs<'_>, ParseError> {
    let mut knobs = ParsedKnobs::default();
    let mut is_red = false;
    for entry in json::entries(text)? {
        let key = entry.path.last().copied().unwrap_or_default();
        if key == "kind" {
            if is_red {
                break;
            }
            is_red = entry.value.text == "red";
        } else if is_red {
            let value = entry.value;
            match key {
                "limit" => knobs.limit = Some(size(value, key)?),
                "min" => knobs.min = Some(size(value, key)?),
                "max" => knobs.max = Some(size(value, key)?),
                "ewma" => knobs.wlog = Some(exponent(value)?),
                "probability" => knobs.probability = Some(probability(value)?),
                "refcnt" => knobs.flags.push(("refcnt", value)),
                "ecn" | "harddrop" | "nodrop" | "adaptive" if value.text == "true" => {
                    knobs.flags.push((key, value));
                }
                _ => {}
            }
        }
    }
    match is_red {
        true => Ok(knobs),
        false => Err(ParseError::of_all(text, "this text contains no red", "")),
    }
}

/// Splits a token into a number and its unit in lower case.
pub(super) fn split(token: Token<'_>) -> (Option<f64>, String) {
    let end = |(_, letter): &(usize, char)| letter.is_ascii_alphabetic();
    let end = token.text.char_indices().find(end).map(|(index, _)| index);
    let (number, unit) = token.text.split_at(end.unwrap_or(token.text.len()));
    let number = number
        .parse::<f64>()
        .ok()
        .filter(|n| n.is_finite() && *n >= 0.0);
    (number, unit.to_ascii_lowercase())
}

/// Parses a size as iproute2 does: `k` is 1024, and `kbit` is 1024/8 bytes.
pub(super) fn size<'a>(token: Token<'a>, name: &str) -> Result<(u32, Token<'a>), ParseError> {
    let (number, unit) = split(token);
    let scale = match unit.as_str() {
        "" | "b" => Some(1.0),
        "k" | "kb" => Some(1024.0),
        "m" | "mb" => Some(1_048_576.0),
        "g" | "gb" => Some(1_073_741_824.0),
        "kbit" => Some(128.0),
        "mbit" => Some(131_072.0),
        "gbit" => Some(134_217_728.0),
        _ => None,
    };
    let bytes = number.zip(scale).map(|(number, scale)| number * scale);
    match bytes {
        Some(bytes) if bytes <= f64::from(u32::MAX) => Ok((bytes as u32, token)),
        Some(_) => Err(token.error(
            format!("{name} {} exceeds tc's maximum", token.text),
            format!("nearest: {name} {}", u32::MAX),
        )),
        None => Err(token.error(
            format!("{name} {} is not a size", token.text),
            "allowed: bytes, or a number with b, k, m, g (1024s), kbit, mbit, gbit",
        )),
    }
}

fn burst(token: Token<'_>) -> Result<(u32, Token<'_>), ParseError> {
    let hexadecimal = token.text.strip_prefix("0x");
    let number = match hexadecimal {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => token.text.parse().ok(),
    };
    let number = number.ok_or_else(|| {
        let nearest = token.text.parse::<f64>().ok().filter(|n| *n >= 1.0);
        let nearest = nearest.map_or(String::new(), |n| format!("; nearest: burst {}", n.round()));
        let message = format!("burst {} is not a whole number of packets", token.text);
        token.error(message, format!("allowed: a whole number{nearest}"))
    })?;
    Ok((number, token))
}

fn exponent(token: Token<'_>) -> Result<(u32, Token<'_>), ParseError> {
    let number = token.count("ewma", 1.0, 31.0)?;
    Ok((number as u32, token))
}

/// Parses a probability of at most 1. tc itself accepts larger values, reads `2%` as 2, and sends
/// the kernel the remainder.
fn probability(token: Token<'_>) -> Result<(f64, Token<'_>), ParseError> {
    if let Some(percent) = token.text.strip_suffix('%') {
        let number = percent.parse::<f64>().unwrap_or(2.0);
        let message = format!("tc reads probability {} as {number}", token.text);
        let help = format!("nearest: probability {}", digits(number / 100.0, 6));
        return Err(token.error(message, help));
    }
    Ok((token.probability("probability")?, token))
}

fn rate(token: Token<'_>) -> Result<(BitsPerSec, Token<'_>), ParseError> {
    let (number, unit) = split(token);
    let bits = if unit.ends_with("bps") { 8.0 } else { 1.0 };
    let prefix = unit.trim_end_matches("bps").trim_end_matches("bit");
    let scale = match prefix {
        "" => Some(1.0),
        "k" => Some(1e3),
        "m" => Some(1e6),
        "g" => Some(1e9),
        "t" => Some(1e12),
        "ki" => Some(1024.0),
        "mi" => Some(1_048_576.0),
        "gi" => Some(1_073_741_824.0),
        "ti" => Some(1_099_511_627_776.0),
        _ => None,
    };
    let rate = number
        .zip(scale)
        .map(|(number, scale)| number * scale * bits);
    match rate {
        Some(rate) if (8.0..1e18).contains(&rate) => Ok((BitsPerSec(rate as u64), token)),
        _ => Err(token.error(
            format!("bandwidth {} is not a rate", token.text),
            "allowed: bits per second, or a number with kbit, mbit, gbit, kbps (bytes)",
        )),
    }
}

fn write(configuration: &Configuration, link: &LinkFacts) -> String {
    let Some(class) = configuration.classes.first() else {
        return String::new();
    };
    let all = f64::from(u32::MAX);
    let bytes = |length: f64| configuration.to_bytes(length, link).round().clamp(1.0, all) as u32;
    let packet = configuration.mean_packet.value.unwrap_or(link.mean_packet);
    let (min, max) = (bytes(class.min.value), bytes(class.max.value));
    // No burst gives a weight if min is less than avpkt.
    let avpkt = packet.0.clamp(1, u64::from(min)) as u32;
    let wanted = (-configuration.weight.value.log2())
        .round()
        .clamp(1.0, 31.0) as u32;
    let fits = |n: &u32| tc::fits_kernel(max, *n);
    let most = (1..=31).rev().find(fits).unwrap_or(1);
    let limit = configuration
        .limit_in_unit(link)
        .map_or_else(|| max.saturating_mul(4), |limit| bytes(limit).max(max));
    let burst = tc::burst_for(wanted, most, min, avpkt);
    let marking = configuration.ecn.value;
    let mut text = format!(
        "tc qdisc add dev eth0 root red limit {limit} min {min} max {max} avpkt {avpkt} \
         burst {burst} probability {} bandwidth {}bit",
        digits(class.max_p.value, 4),
        configuration.rate.value.unwrap_or(link.rate).0,
    );
    let words = [
        (configuration.adapt.value != Adapt::No, " adaptive"),
        (marking.on, " ecn"),
        (marking.on && !marking.above_max, " harddrop"),
        (marking.on && marking.spares_others, " nodrop"),
    ];
    for (_, word) in words.iter().filter(|(set, _)| *set) {
        text.push_str(word);
    }
    text
}

/// The written command for the device and the parent that the output of `tc qdisc show` names. Other
/// text leaves it as it is.
pub(crate) fn linux_command(written: &str, shown: &str) -> String {
    let words: Vec<&str> = shown.split_whitespace().collect();
    let after = |word: &str| {
        let at = words.iter().position(|other| *other == word)?;
        words.get(at + 1).copied()
    };
    let Some(options) = written.strip_prefix("tc qdisc add dev eth0 root red ") else {
        return written.to_string();
    };
    if words.first() != Some(&"qdisc") {
        return written.to_string();
    }
    let device = after("dev").unwrap_or("eth0");
    let parent = after("parent").map_or("root".to_string(), |parent| format!("parent {parent}"));
    let handle = after("red").filter(|handle| handle.ends_with(':') && *handle != "0:");
    let handle = handle.map_or(String::new(), |handle| format!(" handle {handle}"));
    format!("tc qdisc replace dev {device} {parent}{handle} red {options}")
}
