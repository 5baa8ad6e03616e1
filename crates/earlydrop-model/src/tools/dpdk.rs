//! DPDK: the profile file of the qos_sched example, or members of `struct rte_red_params`. Ranges
//! and algorithms are those of `lib/sched/rte_red.h` and `rte_red_config_init`.

use std::ops::Range;

use earlydrop::red::{Idle, Spacing};
use earlydrop::registry::{Length, LinkFacts};

use super::configuration::{merge_equal_classes, whole_thresholds};
use super::ledger::{Cursor, Ledger, unknown};
use super::parse::Given;
use super::token::Token;
use super::{
    Class, Configuration, Knob, KnobName, Object, ParseError, Shape, Source, Tool, WithOrigin, knob,
};

pub(super) static TOOL: Tool = Tool {
    name: "dpdk",
    title: "DPDK, rte_red",
    keywords: &[
        "tc 0 wred",
        "wred min",
        "wred max",
        "wred inv prob",
        "wred weight",
        "maxp_inv",
        "wq_log2",
    ],
    spacing: Spacing::Uniform2,
    supported_spacings: &[Spacing::Uniform2],
    spacing_source: "rte_red.h: gaps uniform on 1..2/p",
    assumed_rate: None,
    knobs: KNOBS,
    limitations: &[
        (
            Knob::Classes,
            "a traffic class of rte_sched has three colours",
        ),
        (Knob::Min, "min_th is a whole number of packets"),
        (Knob::Max, "max_th is a whole number of packets up to 1023"),
        (Knob::MaxP, "maxp_inv is a whole number from 1 to 255"),
        (
            Knob::Shape,
            "rte_red has one straight line, and drops everything above max",
        ),
        (Knob::Weight, "wq_log2 is a whole number from 1 to 12"),
        (Knob::Unit, "rte_red measures in packets"),
        (Knob::BySize, "rte_red ignores packet sizes"),
        (Knob::Cautious, "rte_red spares no packet above min"),
        (Knob::Idle, "rte_red decays in whole units of 2^22 bytes"),
        (Knob::Ecn, "rte_red drops, and never marks"),
        (Knob::Adapt, "rte_red does not adapt"),
        (Knob::Limit, "queues of rte_sched hold a power of two"),
        (Knob::Packet, "rte_red ignores packet sizes"),
        (Knob::Rate, "rte_sched configures rates elsewhere"),
    ],
    objects: &[Object::Class],
    is_special: false,
    read,
    write: Some(write),
};

const KNOBS: &[KnobName] = &[
    knob(
        Knob::Classes,
        "columns of green, yellow, red",
        "colours",
        "must be given",
    ),
    knob(Knob::Min, "wred min, min_th", "packets", "must be given"),
    knob(Knob::Max, "wred max, max_th", "packets", "must be given"),
    knob(
        Knob::MaxP,
        "wred inv prob, maxp_inv",
        "1/probability",
        "must be given",
    ),
    knob(Knob::Limit, "queue sizes", "packets", "64 in the example"),
    knob(
        Knob::Weight,
        "wred weight, wq_log2",
        "n of 2^-n",
        "must be given",
    ),
];

const COLOURS: [&str; 3] = ["green", "yellow", "red"];

/// The values of each knob of one traffic class, one per colour.
#[derive(Default)]
struct ParsedKnobs {
    min: Vec<Given<f64>>,
    max: Vec<Given<f64>>,
    inverse: Vec<Given<f64>>,
    log2: Vec<Given<f64>>,
}

/// The largest max_th.
const MOST: f64 = 1023.0;

/// The members of `rte_red_params`.
const MEMBERS: &[&str] = &["min_th", "max_th", "maxp_inv", "wq_log2"];

impl ParsedKnobs {
    /// The list that collects the values of `name`.
    fn values_of(&mut self, name: &str) -> Option<&mut Vec<Given<f64>>> {
        match name {
            "min" | "min_th" => Some(&mut self.min),
            "max" | "max_th" => Some(&mut self.max),
            "prob" | "maxp_inv" => Some(&mut self.inverse),
            "weight" | "wq_log2" => Some(&mut self.log2),
            _ => None,
        }
    }
}

/// What a text sets.
#[derive(Default)]
struct Parsed<'a> {
    /// The traffic classes, or the variables of C, each with its knobs.
    classes: Vec<(String, Option<Token<'a>>)>,
    knobs: Vec<ParsedKnobs>,
    limit: Option<Given<f64>>,
}

impl<'a> Parsed<'a> {
    /// The knobs of the traffic class or variable `name`.
    fn class(&mut self, name: &str, at: Token<'a>) -> &mut ParsedKnobs {
        let known = self.classes.iter().position(|(known, _)| known == name);
        let index = known.unwrap_or(self.classes.len());
        if known.is_none() {
            self.classes.push((name.to_string(), Some(at)));
            self.knobs.push(ParsedKnobs::default());
        }
        &mut self.knobs[index]
    }

    /// Reads `tc 0 wred min = 48 40 32` and `queue sizes = ...`; other lines of a profile are
    /// irrelevant.
    fn line(&mut self, mut line: Cursor<'_, 'a>) -> Result<(), ParseError> {
        if line.is("queue") && line.after(1).is_some_and(|next| next.is("sizes")) {
            line.take();
            line.take();
            line.take_word("=");
            // Of the first traffic class; the other sizes are of the others.
            while let Some(size) = line.take() {
                let number = size.count("queue size", 1.0, 65_536.0)?;
                self.limit.get_or_insert((number, size.span()));
            }
            return Ok(());
        }
        let is_wred = line.is("tc") && line.has("wred");
        if !is_wred {
            line.leave_unless_misspelt(&["queue"])?;
            return Ok(());
        }
        line.take();
        let class = line.take().filter(|class| !class.is("wred"));
        let wred = line.take_word("wred").or(class);
        let (Some(class), Some(wred)) = (class, wred) else {
            return line.end(&["min", "max", "inv prob", "weight"]);
        };
        line.take_word("inv");
        let name = line.value(&wred)?;
        let Some(list) = self.class(class.text, class).values_of(name.text) else {
            return Err(unknown(&name, &["min", "max", "inv prob", "weight"]));
        };
        if line.take_word("=").is_none() {
            return Err(name.error("= is missing", format!("nearest: {} = ...", name.text)));
        }
        for _ in COLOURS {
            let Some(value) = line.take() else { break };
            list.push((in_range(name.text, &value)?, value.span()));
        }
        line.end(&[])
    }

    /// Reads the members of C's structures: `{ .min_th = 48, ... }` and `params.min_th = 48;`. A
    /// structure's other members are errors, and the rest of a program is irrelevant.
    fn program(&mut self, mut rest: Cursor<'_, 'a>) -> Result<(), ParseError> {
        while let Some(token) = rest.peek() {
            let path = token.text.replace("->", ".");
            let (variable, member) = path.rsplit_once('.').unwrap_or(("", &path));
            let is_assigned = rest.after(1).is_some_and(|next| next.is("="));
            let bare = token.text.starts_with('.');
            let class = if bare { "" } else { variable };
            let is_known = MEMBERS.contains(&member);
            if is_assigned && (is_known || bare) {
                rest.take();
                rest.take();
                let value = rest.value(&token)?;
                if !is_known {
                    return Err(unknown(&token.part(1, token.text.len() - 1), MEMBERS));
                }
                let number = in_range(member, &value)?;
                let list = self.class(class, token).values_of(member);
                list.into_iter()
                    .for_each(|list| list.push((number, value.span())));
            } else {
                rest.leave();
            }
        }
        Ok(())
    }

    fn of(text: &'a str) -> Result<(Parsed<'a>, Vec<Range<usize>>), ParseError> {
        let ledger = Ledger::of(text, &["//", ";;", "#"]);
        let mut parsed = Parsed::default();
        if ledger.all().tokens().iter().any(|token| token.is("wred")) {
            for line in ledger.lines("") {
                parsed.line(line)?;
            }
        } else {
            parsed.program(ledger.all())?;
        }
        Ok((parsed, ledger.close(&["wred"])?))
    }
}

/// Parses a value within the range of its member of `rte_red_params`.
fn in_range(member: &str, value: &Token) -> Result<f64, ParseError> {
    match member {
        "min" | "min_th" => value.count("min_th", 0.0, MOST),
        "max" | "max_th" => value.count("max_th", 1.0, MOST),
        "prob" | "maxp_inv" => value.count("maxp_inv", 1.0, 255.0),
        _ => value.count("wq_log2", 1.0, 12.0),
    }
}

fn read(source: &Source<'_>) -> Result<Configuration, ParseError> {
    let text = source.text;
    let (mut parsed, irrelevant) = Parsed::of(text)?;
    let chosen = source.choose(Object::Class, &parsed.classes)?;
    let knobs = match parsed.knobs.is_empty() {
        true => ParsedKnobs::default(),
        false => parsed.knobs.swap_remove(chosen),
    };
    let colours = knobs.min.len().max(knobs.max.len());
    let missing = |what: &str, example: &str| {
        let help = format!("give one per colour, such as {example}");
        ParseError::of_all(text, format!("rte_red requires {what}"), help)
    };
    let value = |values: &[(f64, Range<usize>)], at: usize, what: &str, example: &str| {
        values
            .get(at)
            .cloned()
            .ok_or_else(|| missing(what, example))
    };
    let mut classes = Vec::new();
    for (at, colour) in COLOURS.iter().enumerate().take(colours) {
        let min = value(&knobs.min, at, "min_th", "tc 0 wred min = 48 40 32")?;
        let max = value(&knobs.max, at, "max_th", "tc 0 wred max = 64 64 64")?;
        let inverse = value(
            &knobs.inverse,
            at,
            "maxp_inv",
            "tc 0 wred inv prob = 10 10 10",
        )?;
        if min.0 >= max.0 {
            return Err(ParseError {
                message: format!("min_th {} is not below max_th {}", min.0, max.0),
                help: format!("nearest: max_th {}", (3.0 * min.0).clamp(1.0, MOST)),
                span: max.1,
            });
        }
        classes.push(Class {
            name: colour.to_string(),
            min: WithOrigin::given(min.0, min.1),
            max: WithOrigin::given(max.0, max.1),
            max_p: WithOrigin::given(1.0 / inverse.0, inverse.1),
            shape: WithOrigin::implied(Shape::Straight, "rte_red has no other shape"),
        });
    }
    let log2 = value(&knobs.log2, 0, "wq_log2", "tc 0 wred weight = 9 9 9")?;
    let limit = parsed
        .limit
        .map(|(size, span)| (Some(Length::Packets(size)), span));
    Ok(Configuration {
        classes: merge_equal_classes(classes),
        weight: WithOrigin::given((-log2.0).exp2(), log2.1),
        limit: WithOrigin::given_or(limit, None, "the queue size is configured elsewhere"),
        objects: parsed.classes.into_iter().map(|(name, _)| name).collect(),
        irrelevant,
        idle: WithOrigin::implied(Idle::Floor, "rte_red.h: whole units of 2^22 bytes"),
        ..Configuration::of(&TOOL)
    })
}

fn write(configuration: &Configuration, link: &LinkFacts) -> String {
    let of_colour = |at: usize| {
        let last = configuration.classes.last();
        configuration.classes.get(at).or(last)
    };
    let classes: Vec<&Class> = (0..3).filter_map(of_colour).collect();
    let row = |value: &dyn Fn(&Class) -> f64| {
        let values = classes.iter().map(|class| value(class).to_string());
        values.collect::<Vec<_>>().join(" ")
    };
    let thresholds = |class: &Class| {
        let packets = |length: f64| configuration.in_packets(length, link);
        whole_thresholds(packets(class.min.value), packets(class.max.value), MOST)
    };
    let log2 = (-configuration.weight.value.log2())
        .round()
        .clamp(1.0, 12.0);
    let limit = configuration
        .limit_in_unit(link)
        .map(|limit| configuration.in_packets(limit, link));
    let most = classes
        .iter()
        .map(|class| thresholds(class).1)
        .fold(1.0, f64::max);
    let size = limit
        .unwrap_or(most)
        .max(most)
        .log2()
        .ceil()
        .exp2()
        .min(32_768.0);
    let sizes = vec![size.to_string(); 13].join(" ");
    format!(
        "[subport 0]\nqueue sizes = {sizes}\n\n[red]\n\
         tc 0 wred min = {}\ntc 0 wred max = {}\ntc 0 wred inv prob = {}\ntc 0 wred weight = {}",
        row(&|class| thresholds(class).0),
        row(&|class| thresholds(class).1),
        row(&|class| (1.0 / class.max_p.value).round().clamp(1.0, 255.0)),
        row(&|_| log2),
    )
}
