//! Dialects whose lines name each threshold: Cisco NX-OS, Arista EOS, Huawei VRP, MikroTik RouterOS
//! and VyOS. They are read, not written.
//!
//! Each dialect is a table of words. Names and units are those of the vendors' command references,
//! which do not document the spacing of drops.

pub(super) mod vendors;

use earlydrop::red::Spacing;
use earlydrop::registry::Length;
use earlydrop::units::BitsPerSec;

use vendors::Words;

use crate::tools::configuration::merge_equal_classes;
use crate::tools::ledger::{Cursor, Ledger, unknown};
use crate::tools::tc_units::rate;
use crate::tools::token::Token;
use crate::tools::{
    Class, Configuration, Marking, ParseError, Shape, Source, Tool, WithOrigin, tc,
};

/// The units of thresholds.
const UNITS: [&str; 9] = [
    "packets",
    "bytes",
    "kbytes",
    "mbytes",
    "ms",
    "us",
    "percent",
    "segments",
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
    packet: u32,
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
            packet: 1000,
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
    let has_defaults = words.usual.thresholds.is_some();
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
            policy.packet = line.value(&word)?.count(text, 1.0, 65_535.0)? as u32;
        } else if !words.silent.contains(&text) {
            return Err(unknown(&word, &known));
        }
    }
    Ok(())
}

/// All words of a dialect.
fn known(words: &Words) -> Vec<&'static str> {
    let lists = [words.object, words.class, words.silent].concat();
    let mut all = vec![
        words.min,
        words.max,
        words.limit,
        "bandwidth",
        "ecn",
        "weight",
    ];
    all.extend(
        [words.max_p, "drop-probability"]
            .iter()
            .filter(|word| !word.is_empty()),
    );
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
        "ms" => Length::Seconds(number / 1e3),
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

/// `bandwidth percent 30`, `bandwidth remaining percent 30`, or `bandwidth 20mbit`.
fn bandwidth<'a>(
    of: &Token<'a>,
    line: &mut Cursor<'_, 'a>,
    policy: &mut Policy<'a>,
) -> Result<(), ParseError> {
    line.take_word("remaining");
    if line.take_word("percent").is_some() {
        let value = line.value(of)?;
        policy.share = Some((value.number("percent", 1.0, 100.0)? / 100.0, value));
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
/// without either.
fn weight(
    exponent: Option<(f64, Token<'_>)>,
    burst: Option<(u32, Token<'_>)>,
    min: u32,
    packet: u32,
    tool: &Tool,
) -> Result<WithOrigin<f64>, ParseError> {
    let weight = |wlog: u32| (-f64::from(wlog)).exp2();
    Ok(match (exponent, burst) {
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
            let burst = tc::default_burst(min, 3 * min, packet);
            let wlog = tc::wlog(min, burst, packet).unwrap_or(5);
            WithOrigin::implied(weight(wlog), "as tc derives it")
        }
        (None, None) => WithOrigin::implied(1.0, "no average: the current queue length"),
    })
}

fn configuration(
    policy: Policy,
    source: &Source<'_>,
    tool: &'static Tool,
    words: &Words,
) -> Result<Configuration, ParseError> {
    let (link, usual) = (source.link, &words.usual);
    let bytes = |length: Length| length.in_bytes(link.mean_packet, link.rate.0 as f64);
    let mut classes = Vec::new();
    for curve in policy.curves {
        let threshold = |given: Option<(Length, Token)>, packets: Option<f64>, word: &str| {
            let given = given.map(|(length, at)| (bytes(length), at.span()));
            match (given, packets) {
                (Some((value, span)), _) => Ok(WithOrigin::given(value, span)),
                (None, Some(packets)) => Ok(WithOrigin::implied(
                    bytes(Length::Packets(packets)),
                    usual.why,
                )),
                (None, None) => Err(ParseError::of_all(
                    source.text,
                    format!("{word} is missing"),
                    format!("give {} and {}", words.min, words.max),
                )),
            }
        };
        let (low, high) = (
            usual.thresholds.map(|one| one.0),
            usual.thresholds.map(|one| one.1),
        );
        let max_p = curve.max_p.map(|(p, at)| (p, at.span()));
        classes.push(Class {
            name: curve.name,
            min: threshold(curve.min, low, words.min)?,
            max: threshold(curve.max, high, words.max)?,
            max_p: WithOrigin::given_or(max_p, usual.max_p, usual.why),
            shape: WithOrigin::implied(Shape::Straight, "it has no other shape"),
        });
    }
    let marking = Marking {
        on: true,
        above_max: true,
        ..Marking::OFF
    };
    let min = classes.first().map_or(0.0, |class| class.min.value) as u32;
    let weight = weight(policy.weight, policy.burst, min, policy.packet, tool)?;
    let limit = policy.limit.map(|(length, at)| (Some(length), at.span()));
    let usual_limit = usual.limit.map(Length::Packets);
    Ok(Configuration {
        classes: merge_equal_classes(classes),
        in_bytes: true,
        limit: WithOrigin::given_or(limit, usual_limit, "not given here"),
        weight,
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
