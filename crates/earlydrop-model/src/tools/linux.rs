//! Linux: `tc qdisc ... red`, as a command, as `tc -d qdisc show` prints it, and as
//! `tc -j -d qdisc show` does.
//!
//! Sizes are in bytes, and `k` is 1024. Syntax and rules are those of iproute2's `tc/q_red.c` and of
//! the kernel's `net/sched/sch_red.c` and `include/net/red.h`.

use std::ops::Range;

use earlydrop::red::{Idle, Spacing};
use earlydrop::registry::{Length, LinkFacts};
use earlydrop::units::{BitsPerSec, Bytes};

use super::ets::{self, Band};
use super::ledger::{Ledger, unknown};
use super::qdisc::scheme_of_qdisc;
use super::tc::{self, NoWeight};
use super::tc_line::{self, Options, QdiscLine};
use super::tc_units::{burst, exponent, probability, rate, size};
use super::token::{Token, digits};
use super::{
    Adapt, Class, Configuration, Knob, KnobName, Marking, Object, ParseError, Shape, Source, Tool,
    WithOrigin, json, knob,
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
    objects: &[Object::Queue],
    is_special: false,
    read,
    write: Some(write),
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
    share: Option<(f64, Token<'a>)>,
    flags: Vec<(&'a str, Token<'a>)>,
    /// Whether this is output of `tc qdisc show`, which has no avpkt.
    is_shown: bool,
    objects: Vec<String>,
    irrelevant: Vec<Range<usize>>,
}

fn read(source: &Source<'_>) -> Result<Configuration, ParseError> {
    let text = source.text;
    let knobs = match text.trim_start().starts_with(['[', '{']) {
        true => parse_json(source)?,
        false => parse_words(source)?,
    };
    spares_marked_only(&knobs)?;
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
        share: knobs
            .share
            .map(|(share, at)| WithOrigin::given(share, at.span())),
        objects: knobs.objects,
        irrelevant: knobs.irrelevant,
        ..Configuration::of(&TOOL)
    })
}

/// The kernel refuses nodrop without ecn (`red_validate_flags` in `include/net/red.h`).
fn spares_marked_only(knobs: &ParsedKnobs) -> Result<(), ParseError> {
    let flag = |word: &str| knobs.flags.iter().find(|(flag, _)| *flag == word);
    match (flag("nodrop"), flag("ecn")) {
        (Some((_, nodrop)), None) => Err(nodrop.error(
            "the kernel refuses nodrop without ecn",
            "nearest: ecn nodrop",
        )),
        _ => Ok(()),
    }
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
        let least = tc::least_probability(min, max);
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
    let avpkt = avpkt.ok_or_else(|| match knobs.is_shown {
        true => missing(text, "ewma", "tc -d qdisc show, which prints it"),
        false => missing(text, "avpkt", "avpkt 1000"),
    })?;
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

/// The options of `tc red`.
const WORDS: [&str; 13] = [
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
    "ewma",
];

/// Reads a `tc` command, or the output of `tc qdisc show`.
fn parse_words<'a>(source: &Source<'a>) -> Result<ParsedKnobs<'a>, ParseError> {
    let ledger = Ledger::of(source.text, &["#"]);
    let (mut red, others): (Vec<QdiscLine>, Vec<QdiscLine>) = tc_line::qdiscs(&ledger)?
        .into_iter()
        .partition(|line| line.kind.is("red"));
    if red.is_empty() {
        return Err(not_red(source.text, &others));
    }
    let mut others = others;
    let bands = ets::bands(&red, &mut others)?;
    let named = red.iter().zip(&bands);
    let names: Vec<_> = named
        .map(|(line, band)| (line.name.clone() + &ets::in_words(*band), Some(line.kind)))
        .collect();
    let chosen = source.choose(Object::Queue, &names)?;
    let mut knobs = ParsedKnobs::default();
    for (index, line) in red.iter_mut().enumerate() {
        let its = parse_options(line)?;
        if index == chosen {
            knobs = its;
        }
    }
    if let Some(Some(Band::Share(share, at))) = bands.get(chosen) {
        knobs.share.get_or_insert((*share, *at));
    }
    for line in others.into_iter().flat_map(|line| line.options) {
        line.clone().leave_all();
    }
    knobs.irrelevant = ledger.close(&WORDS)?;
    knobs.objects = names.into_iter().map(|(name, _)| name).collect();
    Ok(knobs)
}

/// Reads the options of one red.
fn parse_options<'a>(line: &mut QdiscLine<'_, 'a>) -> Result<ParsedKnobs<'a>, ParseError> {
    let mut knobs = ParsedKnobs {
        is_shown: line.is_shown,
        ..ParsedKnobs::default()
    };
    let mut options = Options::of(line);
    while let Some(word) = options.take() {
        match word.text {
            "limit" => knobs.limit = Some(size(options.value(&word)?, "limit")?),
            "min" => knobs.min = Some(size(options.value(&word)?, "min")?),
            "max" => knobs.max = Some(size(options.value(&word)?, "max")?),
            "avpkt" => knobs.avpkt = Some(size(options.value(&word)?, "avpkt")?),
            "burst" => knobs.burst = Some(burst(options.value(&word)?)?),
            "ewma" => knobs.wlog = Some(exponent(options.value(&word)?)?),
            "probability" => knobs.probability = Some(probability(options.value(&word)?)?),
            "bandwidth" => bandwidth(&mut knobs, options.value(&word)?)?,
            "Scell_log" | "Plog" => drop(options.value(&word)?),
            // Where filters see early drops and marks: "qevent early_drop block 10".
            "qevent" => {
                options.value(&word)?;
                if let Some(block) = options.take().filter(|next| !next.is("block")) {
                    return Err(unknown(&block, &["block"]));
                }
                options.value(&word)?;
            }
            "ecn" | "harddrop" | "nodrop" | "adaptive" | "adaptative" => {
                knobs.flags.push((word.text, word));
            }
            "[offloaded]" => {}
            _ => return Err(unknown_option(&word)),
        }
    }
    Ok(knobs)
}

fn unknown_option(word: &Token) -> ParseError {
    let error = unknown(word, &WORDS);
    ParseError {
        message: format!("unknown option of tc red: \"{}\"", word.text),
        ..error
    }
}

/// `bandwidth 10mbit`, or a share of the device's speed: `bandwidth 50%`.
fn bandwidth<'a>(knobs: &mut ParsedKnobs<'a>, token: Token<'a>) -> Result<(), ParseError> {
    let Some(percent) = token.text.strip_suffix('%') else {
        let (given, _) = rate(token)?;
        if given > tc::MOST_RATE {
            let message = format!(
                "tc refuses bandwidth {}: bytes a second of 32 bits",
                token.text
            );
            let help = format!("nearest: bandwidth {}bit", tc::MOST_RATE.0);
            return Err(token.error(message, help));
        }
        knobs.rate = Some((given, token));
        return Ok(());
    };
    let share = token
        .part(0, percent.len())
        .number("bandwidth", 1e-3, 100.0)?;
    knobs.share = Some((share / 100.0, token));
    Ok(())
}

/// Why a text without red is refused: another discipline is named with the scheme that simulates it.
fn not_red(text: &str, others: &[QdiscLine]) -> ParseError {
    const HELP: &str = "of tc's queueing disciplines, only red is translated";
    match others.first() {
        Some(line) => {
            let help = scheme_of_qdisc(text).map_or(HELP.to_string(), |scheme| {
                format!("{HELP}; this one is simulated by --schemes {scheme}")
            });
            line.kind
                .error(format!("{} is not red", line.kind.text), help)
        }
        None => ParseError::of_all(text, "this text contains no \"red\"", HELP),
    }
}

/// Reads a red in the output of `tc -j qdisc show`.
fn parse_json<'a>(source: &Source<'a>) -> Result<ParsedKnobs<'a>, ParseError> {
    let ledger = json::ledger(source.text);
    let entries = json::entries(&ledger)?;
    let starts = entries
        .iter()
        .enumerate()
        .filter(|(_, entry)| entry.key.text == "kind");
    let starts: Vec<usize> = starts.map(|(at, _)| at).collect();
    let ends = starts.iter().skip(1).copied().chain([entries.len()]);
    let qdiscs: Vec<&[json::Entry]> = starts
        .iter()
        .zip(ends)
        .map(|(start, end)| &entries[*start..end])
        .collect();
    let red: Vec<&[json::Entry]> = qdiscs
        .into_iter()
        .filter(|qdisc| qdisc[0].value.text == "red")
        .collect();
    let named = |qdisc: &&[json::Entry<'a>]| {
        let of = |key: &str| qdisc.iter().find(|entry| entry.key.text == key);
        let name = ["dev", "parent"]
            .into_iter()
            .filter_map(of)
            .map(|entry| entry.value.text);
        (name.collect::<Vec<_>>().join(" "), Some(qdisc[0].value))
    };
    let names: Vec<_> = red.iter().map(named).collect();
    let Some(chosen) = red.get(source.choose(Object::Queue, &names)?) else {
        return Err(ParseError::of_all(
            source.text,
            "this text contains no red",
            "",
        ));
    };
    let mut knobs = ParsedKnobs {
        is_shown: true,
        ..ParsedKnobs::default()
    };
    for entry in *chosen {
        let (key, value) = (entry.key.text, entry.value);
        match key {
            "limit" => knobs.limit = Some(size(value, key)?),
            "min" => knobs.min = Some(size(value, key)?),
            "max" => knobs.max = Some(size(value, key)?),
            "ewma" => knobs.wlog = Some(exponent(value)?),
            "probability" => knobs.probability = Some(probability(value)?),
            "ecn" | "harddrop" | "nodrop" | "adaptive" if value.text == "true" => {
                knobs.flags.push((key, value));
            }
            "kind" | "ecn" | "harddrop" | "nodrop" | "adaptive" | "Scell_log" | "Plog" => {}
            _ if entry.path.contains(&"options") => return Err(unknown_option(&entry.key)),
            _ => {
                entry.leave(&ledger);
                continue;
            }
        }
        entry.take(&ledger);
    }
    for entry in &entries {
        if !chosen.iter().any(|one| std::ptr::eq(one, entry)) {
            entry.leave(&ledger);
        }
    }
    knobs.irrelevant = ledger.close(&WORDS)?;
    knobs.objects = names.into_iter().map(|(name, _)| name).collect();
    Ok(knobs)
}

fn write(configuration: &Configuration, link: &LinkFacts) -> String {
    let Some(class) = configuration.classes.first() else {
        return String::new();
    };
    let all = f64::from(u32::MAX);
    let bytes = |length: f64| configuration.to_bytes(length, link).round().clamp(1.0, all) as u32;
    let packet = configuration.mean_packet.value.unwrap_or(link.mean_packet);
    let (min, max) = (bytes(class.min.value), bytes(class.max.value));
    // With min of a single packet, bursts give 2^-1 and 2^-27 only.
    let avpkt = packet.0.clamp(1, u64::from(min / 2).max(1)) as u32;
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
    let least = 1.01 * tc::least_probability(min, max);
    let rate = configuration.rate.value.unwrap_or(link.rate);
    let mut text = format!(
        "tc qdisc add dev eth0 root red limit {limit} min {min} max {max} avpkt {avpkt} \
         burst {burst} probability {} bandwidth {}bit",
        // tc sends 1 as 0.
        digits(class.max_p.value.max(least).min(0.9999), 4),
        rate.0.min(tc::MOST_RATE.0),
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

/// What tc prints about a configuration that it accepts.
pub(crate) fn warning(configuration: &Configuration) -> Option<String> {
    let burst = configuration.burst.as_ref()?.value;
    let wlog = -configuration.weight.value.log2();
    (wlog >= f64::from(tc::LOUD)).then(|| {
        format!(
            "tc warns that burst {burst} seems to be too large, as of every weight of at most 2^-{}; \
             it sets it",
            tc::LOUD
        )
    })
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
