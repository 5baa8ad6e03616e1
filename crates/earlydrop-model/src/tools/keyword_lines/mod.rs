//! Dialects whose lines name each threshold: Cisco NX-OS, Arista EOS, Huawei VRP, MikroTik RouterOS
//! and VyOS. The first two are written, too.
//!
//! Each dialect is a table of words. Names and units are those of the vendors' command references,
//! which do not document the spacing of drops.

pub(super) mod vendors;
mod write;

use earlydrop::red::Spacing;
use earlydrop::registry::Length;
use earlydrop::units::{BitsPerSec, Bytes};

use vendors::Words;

use crate::tools::configuration::merge_equal_classes;
use crate::tools::ledger::{Cursor, Ledger, unknown};
use crate::tools::tc_units::rate;
use crate::tools::token::Token;
use crate::tools::{
    Class, Configuration, Marking, ParseError, Shape, Source, Tool, WithOrigin, tc,
};

/// The units of thresholds.
const UNITS: [&str; 10] = [
    "packets",
    "bytes",
    "kbytes",
    "mbytes",
    "ms",
    "us",
    "percent",
    "segments",
    "milliseconds",
    "microseconds",
];

/// The curve of one class, as far as it is given.
struct Curve<'a> {
    name: String,
    min: Option<(Length, Token<'a>)>,
    max: Option<(Length, Token<'a>)>,
    max_p: Option<(f64, Token<'a>)>,
}

/// A class, a queue or a profile.
struct Policy<'a> {
    name: String,
    at: Option<Token<'a>>,
    curves: Vec<Curve<'a>>,
    limit: Option<(Length, Token<'a>)>,
    ecn: Option<Token<'a>>,
    weight: Option<(f64, Token<'a>)>,
    burst: Option<(u32, Token<'a>)>,
    share: Option<(f64, Token<'a>)>,
    rate: Option<(BitsPerSec, Token<'a>)>,
    packet: Option<(u32, Token<'a>)>,
}

impl<'a> Policy<'a> {
    fn new(name: String, at: Option<Token<'a>>) -> Policy<'a> {
        Policy {
            name,
            at,
            curves: Vec::new(),
            limit: None,
            ecn: None,
            weight: None,
            burst: None,
            share: None,
            rate: None,
            packet: None,
        }
    }

    fn curve(&mut self, name: &str) -> &mut Curve<'a> {
        let known = self.curves.iter().position(|curve| curve.name == name);
        let index = known.unwrap_or(self.curves.len());
        if known.is_none() {
            self.curves.push(Curve {
                name: name.to_string(),
                min: None,
                max: None,
                max_p: None,
            });
        }
        &mut self.curves[index]
    }
}

/// The buffer that percentages are of where none is given, in seconds.
const BUFFER: f64 = 0.1;

fn read(
    source: &Source<'_>,
    tool: &'static Tool,
    words: &Words,
) -> Result<Configuration, ParseError> {
    let ledger = Ledger::of(source.text, &["!", "#"]);
    let mut policies = vec![Policy::new(String::new(), None)];
    for line in ledger.lines(";") {
        statement(line, words, &mut policies, source)?;
    }
    let irrelevant = ledger.close(&[words.min, words.max, words.max_p])?;
    let has_defaults = words.usual.max.is_some();
    policies.retain(|policy| !policy.curves.is_empty() || has_defaults && policy.at.is_some());
    let names: Vec<_> = policies
        .iter()
        .map(|policy| (policy.name.clone(), policy.at))
        .collect();
    if policies.is_empty() {
        let help = format!("give {} and {}", words.min, words.max);
        return Err(ParseError::of_all(
            source.text,
            "this text contains no thresholds",
            help,
        ));
    }
    let mut chosen = policies.swap_remove(source.choose(tool.objects[0], &names)?);
    if chosen.curves.is_empty() {
        chosen.curve("");
    }
    let configuration = configuration(chosen, source, tool, words)?;
    Ok(Configuration {
        objects: names.into_iter().map(|(name, _)| name).collect(),
        irrelevant,
        ..configuration
    })
}

/// Reads a line: an object's head, the words of a curve, or something else.
fn statement<'a>(
    mut line: Cursor<'_, 'a>,
    words: &Words,
    policies: &mut Vec<Policy<'a>>,
    source: &Source<'a>,
) -> Result<(), ParseError> {
    let known = known(words);
    let head = line.peek().map_or("", |head| head.text);
    let reads = |word: &str| known.contains(&word);
    if !reads(head) {
        return line.leave_unless_misspelt(&known);
    }
    if let Some(kind) = words.kind
        && line.has("kind")
        && !line.has(kind)
    {
        line.leave_all();
        return Ok(());
    }
    let mut class = String::new();
    while let Some(word) = line.take() {
        let text = word.text;
        if words.object.contains(&text) {
            while line.take_one_of(words.before_name).is_some() {}
            let name = line.value(&word)?;
            match policies.iter().position(|policy| policy.name == name.text) {
                // The words that follow are of the last one.
                Some(at) => {
                    let policy = policies.remove(at);
                    policies.push(policy);
                }
                None => policies.push(Policy::new(name.text.to_string(), Some(name))),
            }
            continue;
        }
        let Some(policy) = policies.last_mut() else {
            return Ok(());
        };
        if words.class.contains(&text) {
            let value = line.value(&word)?;
            class = format!("{text} {}", value.text);
        } else if text == words.min {
            policy.curve(&class).min = Some(length(&word, &mut line, words, source)?);
        } else if text == words.max {
            policy.curve(&class).max = Some(length(&word, &mut line, words, source)?);
        } else if text == words.limit {
            policy.limit = Some(length(&word, &mut line, words, source)?);
        } else if text == words.max_p || text == "drop-probability" {
            policy.curve(&class).max_p = Some(probability(&word, &mut line, words)?);
        } else if text == "bandwidth" {
            bandwidth(&word, &mut line, policy)?;
        } else if text == "ecn" {
            policy.ecn = Some(word);
        } else if text == "weight" {
            let value = line.value(&word)?;
            policy.weight = Some((value.count("weight", 0.0, 15.0)?, value));
        } else if text == "red-burst" {
            line.take_word("=");
            let value = line.value(&word)?;
            policy.burst = Some((value.count(text, 1.0, 1e6)? as u32, value));
        } else if ["red-avg-packet", "average-packet"].contains(&text) {
            line.take_word("=");
            let value = line.value(&word)?;
            policy.packet = Some((value.count(text, 1.0, 65_535.0)? as u32, value));
        } else if text == "set"
            && line
                .peek()
                .is_some_and(|next| next.text.parse::<u32>().is_ok())
        {
            // The number of a queue.
            line.take();
        } else if ["burst-optimized", "mesh-optimized"].contains(&text) {
            let message = format!("the thresholds of {text} depend on the switch");
            let help = format!("give {} and {}", words.min, words.max);
            return Err(word.error(message, help));
        } else if !words.silent.contains(&text) {
            return Err(unknown(&word, &known));
        }
    }
    Ok(())
}

/// All words of a dialect.
fn known(words: &Words) -> Vec<&'static str> {
    let lists = [words.object, words.class, words.silent].concat();
    let mut all = vec![words.min, words.max];
    let some = [words.limit, "bandwidth", "ecn", "weight"];
    let some = some.into_iter().chain([words.max_p, "drop-probability"]);
    all.extend(some.filter(|word| !word.is_empty()));
    all.extend(["red-burst", "red-avg-packet", "average-packet"]);
    all.extend(lists.iter().filter(|word| word.len() > 1));
    all.dedup();
    all
}

/// The value of a threshold with its unit, before or behind it.
fn length<'a>(
    of: &Token<'a>,
    line: &mut Cursor<'_, 'a>,
    words: &Words,
    source: &Source<'a>,
) -> Result<(Length, Token<'a>), ParseError> {
    line.take_word("=");
    let before = line.take_one_of(&UNITS);
    let value = line.value(of)?;
    let unit = line.take_one_of(&UNITS).or(before);
    let unit = unit.map_or(words.unit, |unit| unit.text);
    let most = if unit == "percent" { 100.0 } else { 1e12 };
    let number = value.number(of.text, 0.0, most)?;
    let length = match unit {
        "bytes" => Length::Bytes(number),
        "kbytes" => Length::Bytes(1e3 * number),
        "mbytes" => Length::Bytes(1e6 * number),
        "ms" | "milliseconds" => Length::Seconds(number / 1e3),
        "us" | "microseconds" => Length::Seconds(number / 1e6),
        "segments" => {
            let message = format!("{} segments: their size depends on the switch", value.text);
            return Err(value.error(message, "give bytes or kbytes"));
        }
        "percent" => {
            let whole = source.context.buffer.unwrap_or(Length::Seconds(BUFFER));
            let link = source.link;
            let bytes = whole.in_bytes(link.mean_packet, link.rate.0 as f64);
            Length::Bytes(number / 100.0 * bytes)
        }
        _ => Length::Packets(number),
    };
    Ok((length, value))
}

/// `bandwidth percent 30`, `bandwidth remaining percent 30`, or `bandwidth 20mbit`. A percentage of 0
/// guarantees nothing.
fn bandwidth<'a>(
    of: &Token<'a>,
    line: &mut Cursor<'_, 'a>,
    policy: &mut Policy<'a>,
) -> Result<(), ParseError> {
    line.take_one_of(&["remaining", "guaranteed"]);
    if line.take_word("percent").is_some() {
        let value = line.value(of)?;
        let share = value.number("percent", 0.0, 100.0)? / 100.0;
        policy.share = (share > 0.0).then_some((share, value));
        return Ok(());
    }
    policy.rate = Some(rate(line.value(of)?)?);
    Ok(())
}

fn probability<'a>(
    of: &Token<'a>,
    line: &mut Cursor<'_, 'a>,
    words: &Words,
) -> Result<(f64, Token<'a>), ParseError> {
    let value = line.value(of)?;
    let p = match words.is_denominator {
        true => 1.0 / value.count(of.text, 1.0, 65_536.0)?,
        false => value.number(of.text, 1e-3, 100.0)? / 100.0,
    };
    Ok((p, value))
}

/// The weight as an exponent of a half, by the packets of a burst as tc has it, or what the tool does
/// without either. Thresholds and packet are in bytes.
fn weight(
    policy: &Policy,
    (min, max): (u32, u32),
    packet: u32,
    (tool, words): (&Tool, &Words),
) -> Result<WithOrigin<f64>, ParseError> {
    let weight = |wlog: u32| (-f64::from(wlog)).exp2();
    Ok(match (policy.weight, policy.burst) {
        (Some((exponent, at)), _) => WithOrigin::given((-exponent).exp2(), at.span()),
        (None, Some((burst, at))) => {
            let wlog = tc::wlog(min, burst, packet).map_err(|_| {
                let nearest = tc::burst_for(9, 31, min, packet);
                at.error(
                    "no weight follows from this burst",
                    format!("nearest: {nearest}"),
                )
            })?;
            WithOrigin::given(weight(wlog), at.span())
        }
        (None, None) if tool.spacing == Spacing::Drawn => {
            let usual = words.usual.burst;
            let burst = usual.unwrap_or_else(|| tc::default_burst(min, max, packet));
            let wlog = tc::wlog(min, burst, packet).unwrap_or(5);
            WithOrigin::implied(weight(wlog), "as tc derives it")
        }
        (None, None) => WithOrigin::implied(1.0, "no average: the current queue length"),
    })
}

/// The class of a curve, with lengths in bytes.
fn class(
    curve: &Curve,
    text: &str,
    words: &Words,
    bytes: &dyn Fn(Length) -> f64,
) -> Result<Class, ParseError> {
    let usual = &words.usual;
    let missing = |word: &str| {
        let help = format!("give {} and {}", words.min, words.max);
        ParseError::of_all(text, format!("{word} is missing"), help)
    };
    let threshold = |given: &Option<(Length, Token)>, usual: Option<f64>, word: &str| {
        let given = given.map(|(length, at)| (bytes(length), at.span()));
        match (given, usual) {
            (Some((value, span)), _) => Ok(WithOrigin::given(value, span)),
            (None, Some(value)) => Ok(WithOrigin::implied(value, words.usual.why)),
            (None, None) => Err(missing(word)),
        }
    };
    let packet = bytes(Length::Packets(1.0));
    let max = threshold(&curve.max, usual.max.map(|max| max * packet), words.max)?;
    let low = (usual.min)(max.value / packet, &curve.name) * packet;
    let max_p = curve.max_p.map(|(p, at)| (p, at.span()));
    Ok(Class {
        name: curve.name.clone(),
        min: threshold(&curve.min, usual.max.map(|_| low), words.min)?,
        max,
        max_p: WithOrigin::given_or(max_p, usual.max_p, usual.why),
        shape: WithOrigin::implied(Shape::Straight, "it has no other shape"),
    })
}

fn configuration(
    policy: Policy,
    source: &Source<'_>,
    tool: &'static Tool,
    words: &Words,
) -> Result<Configuration, ParseError> {
    let (link, usual) = (source.link, &words.usual);
    let given = policy.packet.map(|(packet, _)| packet).or(words.packet);
    let packet = given.map_or(link.mean_packet, |packet| Bytes(packet.into()));
    let bytes = |length: Length| length.in_bytes(packet, link.rate.0 as f64);
    let curves = policy.curves.iter();
    let classes = curves.map(|curve| class(curve, source.text, words, &bytes));
    let classes = classes.collect::<Result<Vec<Class>, ParseError>>()?;
    let marking = Marking {
        on: true,
        above_max: true,
        ..Marking::OFF
    };
    let first = classes.first();
    let (min, max) = first.map_or((0.0, 0.0), |class| (class.min.value, class.max.value));
    let weight = weight(
        &policy,
        (min as u32, max as u32),
        packet.0 as u32,
        (tool, words),
    )?;
    let in_packets = max / packet.0 as f64;
    // Of packets, where the tool counts them by their average.
    let limit = |length: Length| match words.packet {
        Some(_) => Length::Bytes(bytes(length)),
        None => length,
    };
    let given_limit = policy
        .limit
        .map(|(length, at)| (Some(limit(length)), at.span()));
    let usual_limit = usual.limit.map(|of| limit(Length::Packets(of(in_packets))));
    Ok(Configuration {
        classes: merge_equal_classes(classes),
        in_bytes: true,
        limit: WithOrigin::given_or(given_limit, usual_limit, "not given here"),
        weight,
        mean_packet: WithOrigin::given_or(
            policy.packet.map(|(_, at)| (Some(packet), at.span())),
            words.packet.map(|_| packet),
            usual.why,
        ),
        share: policy
            .share
            .map(|(share, at)| WithOrigin::given(share, at.span())),
        rate: WithOrigin::given_or(
            policy.rate.map(|(rate, at)| (Some(rate), at.span())),
            None,
            "the interface's",
        ),
        ecn: WithOrigin::given_or(
            policy.ecn.map(|at| (marking, at.span())),
            Marking::OFF,
            "off by default",
        ),
        ..Configuration::of(tool)
    })
}
