//! ns-2: `Queue/RED set thresh_ 5`, or `$redq set thresh_ 5` for one queue. Defaults are those of
//! ns-2.35's `tcl/lib/ns-default.tcl`, equations those of `queue/red.cc`.

use earlydrop::red::{Average, Idle, Spacing};
use earlydrop::registry::{Length, LinkFacts};
use earlydrop::units::{BitsPerSec, Bytes};

use super::ledger::{Cursor, Ledger, unknown};
use super::parse::ParsedKnobs;
use super::token::{Token, digits};
use super::{
    Adapt, Class, Configuration, Knob, KnobName, Marking, Object, ParseError, Shape, Source, Tool,
    WithOrigin, knob,
};

pub(super) static TOOL: Tool = Tool {
    name: "ns2",
    title: "ns-2, Queue/RED",
    keywords: &["Queue/RED", "thresh_", "q_weight_", "linterm_"],
    spacing: Spacing::Wait,
    supported_spacings: &[Spacing::Wait, Spacing::Uniform],
    spacing_source: "queue/red.cc, modify_p with wait_",
    assumed_rate: None,
    knobs: KNOBS,
    limitations: &[
        (Knob::Classes, "Queue/RED has one curve"),
        (
            Knob::Shape,
            "Queue/RED has one straight line, optionally gentle",
        ),
        (Knob::Unit, "thresh_ is in packets of mean_pktsize_"),
        (Knob::Cautious, "red.cc spares the first packet above min"),
        (Knob::Idle, "red.cc decays by whole packets, plus one"),
        (
            Knob::Ecn,
            "setbit_ marks below max only, and up to probability mark_p_",
        ),
        (Knob::Limit, "limit_ defaults to 50"),
        (Knob::Rate, "red.cc takes the link's rate"),
        (Knob::Packet, "mean_pktsize_ defaults to 500"),
    ],
    objects: &[Object::Queue],
    is_special: false,
    read,
    write: Some(write),
};

const KNOBS: &[KnobName] = &[
    knob(
        Knob::Min,
        "thresh_",
        "packets of mean_pktsize_",
        "0: max(5, C targetdelay_/2)",
    ),
    knob(
        Knob::Max,
        "maxthresh_",
        "packets of mean_pktsize_",
        "0: 3 thresh_",
    ),
    knob(Knob::MaxP, "linterm_", "1/probability", "10"),
    knob(Knob::Shape, "gentle_", "true or false", "true"),
    knob(Knob::Limit, "limit_", "packets", "50"),
    knob(
        Knob::Weight,
        "q_weight_",
        "ratio",
        "-1: 1 - exp(-1/(10 rtt C))",
    ),
    knob(Knob::Unit, "queue_in_bytes_", "true or false", "true"),
    knob(Knob::Packet, "mean_pktsize_", "bytes", "500"),
    knob(Knob::BySize, "bytes_", "true or false", "true"),
    knob(Knob::Spacing, "wait_", "true or false", "true"),
    knob(Knob::Ecn, "setbit_", "true or false", "false"),
    knob(Knob::Adapt, "adaptive_", "0 or 1", "0"),
    knob(Knob::Rate, "duplex-link", "rate", "of the link"),
];

/// Known names that do not affect the configuration.
const SILENT: &[&str] = &[
    "idle_pktsize_",
    "cautious_",
    "alpha_",
    "beta_",
    "interval_",
    "top_",
    "bottom_",
    "drop_tail_",
    "drop_front_",
    "drop_rand_",
    "ns1_compat_",
    "curq_",
    "ave_",
    "prob1_",
    "cur_max_p_",
    "bandwidth_",
    "delay_",
    "dqcn_",
    "summarystats_",
];

/// Names that are read.
const KNOWN: &[&str] = &[
    "thresh_",
    "maxthresh_",
    "linterm_",
    "gentle_",
    "limit_",
    "q_weight_",
    "queue_in_bytes_",
    "mean_pktsize_",
    "bytes_",
    "wait_",
    "setbit_",
    "adaptive_",
    "targetdelay_",
    "mark_p_",
    "use_mark_p_",
    "feng_adaptive_",
];

/// Names that only RED has: an object that sets one is a RED queue.
const ONLY_RED: &[&str] = &[
    "thresh_",
    "maxthresh_",
    "linterm_",
    "q_weight_",
    "mean_pktsize_",
    "setbit_",
    "wait_",
    "gentle_",
    "adaptive_",
];

/// What a script sets.
#[derive(Default)]
struct Script<'a> {
    /// Each `OBJECT set NAME VALUE`, with the object's name; empty for the class of all queues.
    set: Vec<(&'a str, &'a str, Token<'a>)>,
    /// The queues that have names of their own.
    queues: Vec<(String, Option<Token<'a>>)>,
    /// The rates of links with RED.
    rates: Vec<Token<'a>>,
}

impl<'a> Script<'a> {
    /// Reads `OBJECT set NAME VALUE`, `queue-limit` and `duplex-link`; other statements are
    /// irrelevant.
    fn statement(&mut self, mut rest: Cursor<'_, 'a>, queues: &[&str]) -> Result<(), ParseError> {
        const WORDS: [&str; 4] = ["set", "queue-limit", "duplex-link", "simplex-link"];
        let word = rest
            .tokens()
            .iter()
            .position(|token| WORDS.contains(&token.text));
        let Some(word) = word else {
            rest.leave_all();
            return Ok(());
        };
        let before = word.checked_sub(1).and_then(|before| rest.after(before));
        let Some(name) = rest.after(word + 1) else {
            rest.leave_all();
            return Ok(());
        };
        match rest.after(word).map_or("", |token| token.text) {
            "queue-limit" => {
                is_object(&rest, word)?;
                rest.take_many(word + 3);
                let limit = rest.value(&name)?;
                self.set.push(("", "limit_", limit));
                rest.end(&[])
            }
            "set" => {
                let object = before.map_or("", |before| before.text);
                if !is_red(object, queues) || !name.text.ends_with('_') {
                    rest.leave_all();
                    return Ok(());
                }
                is_object(&rest, word)?;
                self.assignment(object, word, rest)
            }
            _ => {
                // The type of the queue ends the statement.
                let is_red = rest.tokens().iter().any(|token| token.text.contains("RED"));
                if !is_red {
                    rest.leave_all();
                    return Ok(());
                }
                is_object(&rest, word)?;
                rest.take_many(word + 3);
                self.rates.push(rest.value(&name)?);
                let delay = rest.value(&name)?;
                rest.value(&delay)?;
                rest.end(&[])
            }
        }
    }

    fn assignment(
        &mut self,
        object: &'a str,
        word: usize,
        mut rest: Cursor<'_, 'a>,
    ) -> Result<(), ParseError> {
        rest.take_many(word + 1);
        let Some(name) = rest.peek() else {
            return Ok(());
        };
        if SILENT.contains(&name.text) {
            rest.leave_all();
            return Ok(());
        }
        if !KNOWN.contains(&name.text) {
            let guess = earlydrop::registry::nearest(name.text, KNOWN.iter().copied());
            let guess = guess.map_or(String::new(), |guess| format!("did you mean {guess}? "));
            let help = format!("{guess}known: {}", KNOWN.join(", "));
            return Err(name.error(format!("Queue/RED has no {}", name.text), help));
        }
        rest.take();
        let value = rest.take();
        let value = value.ok_or_else(|| name.error("the value is missing", "give it a value"))?;
        let queue = match object.starts_with('$') {
            true => object,
            false => "",
        };
        if !queue.is_empty() && self.queues.iter().all(|(known, _)| known != queue) {
            self.queues.push((queue.to_string(), Some(name)));
        }
        self.set.push((queue, name.text, value));
        rest.end(&[])
    }
}

/// One word or an expression in brackets stands before the method, which is token number `word`.
fn is_object(rest: &Cursor<'_, '_>, word: usize) -> Result<(), ParseError> {
    let is_sign = |token: &Token| "[]{}();".contains(token.text);
    let Some(before) = word.checked_sub(2).and_then(|before| rest.after(before)) else {
        return Ok(());
    };
    let object = rest.after(word - 1);
    match is_sign(&before) || object.is_some_and(|object| is_sign(&object)) {
        true => Ok(()),
        false => Err(unknown(&before, &[])),
    }
}

/// Whether an object is a RED queue, or the class of all.
fn is_red(object: &str, queues: &[&str]) -> bool {
    object == "Queue" || object.to_ascii_lowercase().contains("red") || queues.contains(&object)
}

/// The knobs of the queue that is meant, over those of all queues; and what else was read.
fn parse<'a>(
    source: &Source<'a>,
) -> Result<(ParsedKnobs<'a>, Script<'a>, Vec<std::ops::Range<usize>>), ParseError> {
    let ledger = Ledger::of(source.text, &["#"]);
    let all = ledger.all();
    let sets_red = all.tokens().windows(3);
    let sets_red = sets_red.filter(|set| set[1].is("set") && ONLY_RED.contains(&set[2].text));
    let queues: Vec<&str> = sets_red.map(|set| set[0].text).collect();
    let mut script = Script::default();
    for statement in ledger.lines(";") {
        script.statement(statement, &queues)?;
    }
    let chosen = source.choose(Object::Queue, &script.queues)?;
    let chosen = script
        .queues
        .get(chosen)
        .map_or("", |(name, _)| name.as_str());
    let of = |queue: &str| {
        let all = script.set.iter().filter(|(of, ..)| *of == queue);
        all.map(|(_, name, value)| (*name, *value))
            .collect::<Vec<_>>()
    };
    let mut knobs = of("");
    if !chosen.is_empty() {
        knobs.extend(of(chosen));
    }
    let irrelevant = ledger.close(KNOWN)?;
    Ok((
        ParsedKnobs::new(knobs, "ns-default.tcl"),
        script,
        irrelevant,
    ))
}

/// The rate of the links with RED, which must be one.
fn link_rate(rates: &[Token]) -> Result<WithOrigin<Option<BitsPerSec>>, ParseError> {
    let mut found: Option<(BitsPerSec, Token)> = None;
    for token in rates {
        // ns-2 takes 1.5Mb for 1.5 Mbps.
        let bits = token.text.trim_end_matches("ps");
        let rate =
            format!("{}ps", bits.trim_end_matches('b').to_string() + "b").parse::<BitsPerSec>();
        let refused = || token.error(format!("{} is not a rate", token.text), "nearest: 10Mb");
        let rate = rate.map_err(|_| refused())?;
        match found {
            Some((known, _)) if known != rate => {
                let message = format!("links with RED have the rates {known} and {rate}");
                return Err(token.error(message, "leave one link"));
            }
            _ => found = Some((rate, *token)),
        }
    }
    let found = found.map(|(rate, token)| (Some(rate), token.span()));
    Ok(WithOrigin::given_or(
        found,
        None,
        "no link with RED is made here",
    ))
}

fn read(source: &Source<'_>) -> Result<Configuration, ParseError> {
    let (knobs, script, irrelevant) = parse(source)?;
    let rate = link_rate(&script.rates)?;
    let link = &LinkFacts {
        rate: rate.value.unwrap_or(source.link.rate),
        ..*source.link
    };
    let packet = knobs.number("mean_pktsize_", 1.0, 65_535.0)?;
    let mean = packet.as_ref().map_or(500.0, |(size, _)| *size);
    let in_bytes = knobs.flag("queue_in_bytes_", true)?;
    let length = |packets: f64| match in_bytes.value {
        true => Length::Bytes(packets * mean),
        false => Length::Packets(packets),
    };
    let limit = knobs.number("limit_", 1.0, f64::MAX)?;
    let limit = limit.map(|(packets, span)| (Some(length(packets)), span));
    Ok(Configuration {
        classes: vec![class(
            &knobs,
            mean,
            if in_bytes.value { mean } else { 1.0 },
            link,
        )?],
        limit: WithOrigin::given_or(limit, Some(length(50.0)), "ns-default.tcl: limit_ 50"),
        in_bytes: in_bytes.value,
        unit_origin: in_bytes.origin,
        weight: weight(&knobs, mean, link)?,
        mean_packet: WithOrigin::given_or(
            packet.map(|(size, span)| (Some(Bytes(size as u64)), span)),
            Some(Bytes(500)),
            "ns-default.tcl: mean_pktsize_ 500",
        ),
        spacing: knobs.flag("wait_", true)?.map(|wait| match wait {
            true => Spacing::Wait,
            false => Spacing::Uniform,
        }),
        idle: WithOrigin::implied(Idle::FloorPlusOne, "red.cc: whole packets, plus one"),
        ecn: marking(&knobs)?,
        adapt: adapt(&knobs)?,
        by_size: knobs.flag("bytes_", true)?,
        cautious: WithOrigin::implied(true, "red.cc spares the first packet above min"),
        rate,
        objects: script.queues.into_iter().map(|(name, _)| name).collect(),
        irrelevant,
        ..Configuration::of(&TOOL)
    })
}

/// The only class. Thresholds are in packets of `mean` bytes; one packet is `unit` in the unit of
/// the configuration.
fn class(knobs: &ParsedKnobs, mean: f64, unit: f64, link: &LinkFacts) -> Result<Class, ParseError> {
    let (min, max) = thresholds(knobs, mean, link)?;
    let linterm = knobs.number("linterm_", 1.0, f64::MAX)?;
    let max_p = linterm.map(|(linterm, span)| (1.0 / linterm, span));
    Ok(Class {
        name: String::new(),
        min: min.map(|min| min * unit),
        max: max.map(|max| max * unit),
        max_p: WithOrigin::given_or(max_p, 0.1, "ns-default.tcl: linterm_ 10"),
        shape: knobs.flag("gentle_", true)?.map(|gentle| match gentle {
            true => Shape::Gentle,
            false => Shape::Straight,
        }),
    })
}

/// Reads min and max, in packets. 0 stands for Floyd's automatic value.
fn thresholds(
    knobs: &ParsedKnobs,
    mean: f64,
    link: &LinkFacts,
) -> Result<(WithOrigin<f64>, WithOrigin<f64>), ParseError> {
    let delay = knobs.number("targetdelay_", 0.0, f64::MAX)?;
    let delay = delay.map_or(0.005, |(delay, _)| delay);
    let per_second = link.rate.0 as f64 / (8.0 * mean);
    let given = |name| {
        Ok(knobs
            .number(name, 0.0, f64::MAX)?
            .filter(|(length, _)| *length > 0.0))
    };
    let automatic = (per_second * delay / 2.0).max(5.0);
    let min = WithOrigin::given_or(
        given("thresh_")?,
        automatic,
        "0 stands for max(5, C targetdelay_/2)",
    );
    let max = WithOrigin::given_or(
        given("maxthresh_")?,
        3.0 * min.value,
        "0 stands for 3 thresh_",
    );
    Ok((min, max))
}

/// Reads the weight. 0, -1 and -2 stand for values derived from C, the link rate in packets per
/// second. For -1 the propagation delay is unknown here and assumed below 33 ms.
fn weight(knobs: &ParsedKnobs, mean: f64, link: &LinkFacts) -> Result<WithOrigin<f64>, ParseError> {
    let given = knobs.number("q_weight_", -2.0, 1.0)?;
    let per_second = link.rate.0 as f64 / (8.0 * mean);
    let over = |span: f64| Average::automatic_weight(per_second, span);
    let (given, span) = match given {
        None => {
            return Ok(WithOrigin::implied(
                over(1.0),
                "q_weight_ -1 stands for 1 - exp(-1/(10 rtt C))",
            ));
        }
        Some(given) => given,
    };
    let automatic = [(0.0, 1.0), (-1.0, 1.0), (-2.0, 0.1)];
    let automatic = automatic.into_iter().find(|(code, _)| *code == given);
    let value = automatic.map_or(given, |(_, seconds)| over(seconds));
    if value > 0.0 {
        return Ok(WithOrigin::given(value, span));
    }
    Err(ParseError {
        span,
        message: format!("q_weight_ {given} is not a weight"),
        help: "allowed: above 0 and at most 1, or 0, -1, -2 for automatic values; nearest: -1"
            .into(),
    })
}

fn marking(knobs: &ParsedKnobs) -> Result<WithOrigin<Marking>, ParseError> {
    let setbit = knobs.flag("setbit_", false)?;
    let limited = knobs.flag("use_mark_p_", true)?.value;
    let mark_p = knobs.number("mark_p_", 0.0, 1.0)?.map_or(0.1, |(p, _)| p);
    let marking = Marking {
        on: true,
        up_to: if limited { mark_p } else { 1.0 },
        ..Marking::OFF
    };
    Ok(setbit.map(|on| if on { marking } else { Marking::OFF }))
}

fn adapt(knobs: &ParsedKnobs) -> Result<WithOrigin<Adapt>, ParseError> {
    let floyd = knobs.flag("adaptive_", false)?;
    let feng = knobs.flag("feng_adaptive_", false)?;
    let adapt = match (floyd.value, feng.value) {
        (true, _) => Adapt::Floyd,
        (false, true) => Adapt::Feng,
        _ => Adapt::No,
    };
    let origin = if floyd.is_given() {
        floyd.origin
    } else {
        feng.origin
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
    let mean = configuration
        .mean_packet
        .value
        .unwrap_or(link.mean_packet)
        .0 as f64;
    let unit = if configuration.in_bytes { mean } else { 1.0 };
    let marking = configuration.ecn.value;
    let limit = configuration
        .limit_in_unit(link)
        .unwrap_or(4.0 * class.max.value)
        / unit;
    let length = |length: f64| digits(length / unit, 9);
    let mut lines = vec![
        ("thresh_", length(class.min.value.max(1e-9))),
        ("maxthresh_", length(class.max.value)),
        ("linterm_", digits(1.0 / class.max_p.value, 4)),
        ("gentle_", (class.shape.value == Shape::Gentle).to_string()),
        ("q_weight_", digits(configuration.weight.value, 9)),
        (
            "wait_",
            (configuration.spacing.value == Spacing::Wait).to_string(),
        ),
        ("bytes_", configuration.by_size.value.to_string()),
        ("queue_in_bytes_", configuration.in_bytes.to_string()),
        ("mean_pktsize_", mean.to_string()),
        ("setbit_", marking.on.to_string()),
    ];
    if marking.on && marking.up_to < 1.0 {
        lines.push(("mark_p_", digits(marking.up_to, 4)));
    } else if marking.on {
        lines.push(("use_mark_p_", "false".to_string()));
    }
    match configuration.adapt.value {
        Adapt::No => {}
        Adapt::Floyd => lines.push(("adaptive_", "1".to_string())),
        Adapt::Feng => lines.push(("feng_adaptive_", "1".to_string())),
    }
    lines.push(("limit_", limit.ceil().to_string()));
    let lines = lines
        .iter()
        .map(|(name, value)| format!("Queue/RED set {name} {value}"));
    lines.collect::<Vec<_>>().join("\n")
}
