//! DPDK: the profile file of the qos_sched example, or members of `struct rte_red_params`. Ranges
//! and algorithms are those of `lib/sched/rte_red.h` and `rte_red_config_init`.

use std::ops::Range;

use earlydrop::red::{Idle, Spacing};
use earlydrop::registry::{Length, LinkFacts};

use super::configuration::{merge_equal_classes, whole_thresholds};
use super::token::{Token, tokenize};
use super::{Class, Configuration, Knob, KnobName, ParseError, Shape, Tool, WithOrigin, knob};

pub(super) static TOOL: Tool = Tool {
    name: "dpdk",
    title: "DPDK, rte_red",
    keywords: &[
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
    read,
    write,
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

/// The values of each knob, one per colour.
#[derive(Default)]
struct ParsedKnobs {
    min: Vec<(f64, Range<usize>)>,
    max: Vec<(f64, Range<usize>)>,
    inverse: Vec<(f64, Range<usize>)>,
    log2: Vec<(f64, Range<usize>)>,
    limit: Option<(f64, Range<usize>)>,
}

/// The largest max_th.
const MOST: f64 = 1023.0;

impl ParsedKnobs {
    /// The list that collects the values of `name`.
    fn values_of(&mut self, name: &str) -> Option<&mut Vec<(f64, Range<usize>)>> {
        match name {
            "min" | "min_th" => Some(&mut self.min),
            "max" | "max_th" => Some(&mut self.max),
            "prob" | "maxp_inv" => Some(&mut self.inverse),
            "weight" | "wq_log2" => Some(&mut self.log2),
            _ => None,
        }
    }

    /// Reads `tc 0 wred min = 48 40 32`, `queue sizes = ...` and members such as `.min_th = 48`.
    fn parse(text: &str) -> Result<ParsedKnobs, ParseError> {
        let all = tokenize(text, &["//", ";;", "#"]);
        let mut knobs = ParsedKnobs::default();
        let mut class: Option<&str> = None;
        for (index, sign) in all.iter().enumerate() {
            if sign.text == "=" {
                knobs.assign(&all, index, &mut class)?;
            }
        }
        Ok(knobs)
    }

    /// Reads the assignment whose `=` is token number `index`. `class` is the traffic class of the
    /// assignments read so far.
    fn assign<'a>(
        &mut self,
        all: &[Token<'a>],
        index: usize,
        class: &mut Option<&'a str>,
    ) -> Result<(), ParseError> {
        let line = all[index].line;
        let values = all[index + 1..].iter();
        let values: Vec<Token> = values.take_while(|p| p.line == line).copied().collect();
        let name = index.checked_sub(1).map_or("", |at| all[at].text);
        let member = name.rsplit('.').next().unwrap_or_default();
        let mut before = all[..index].iter().rev().take(5);
        let wred = before.find(|token| token.text == "wred");
        if name == "sizes" {
            if let Some(size) = values.first() {
                let number = size.count("queue size", 1.0, 65_536.0)?;
                self.limit = Some((number, size.span()));
            }
            return Ok(());
        }
        if let Some(wred) = wred.filter(|wred| wred.line == line) {
            // "tc 0 wred min": only the first of several traffic classes is read.
            let at = all.iter().position(|token| token == wred).unwrap_or(0);
            let number = at.checked_sub(1).map(|at| all[at].text);
            if class.is_some() && *class != number {
                return Ok(());
            }
            *class = number;
        } else if !member.contains('_') {
            return Ok(());
        }
        let Some(list) = self.values_of(member) else {
            return Ok(());
        };
        let colours = if wred.is_some() { 3 } else { 1 };
        let numbers = values.iter().filter(|token| !",;".contains(token.text));
        for value in numbers.take(colours) {
            let number = in_range(member, value)?;
            list.push((number, value.span()));
        }
        Ok(())
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

fn read(text: &str, _link: &LinkFacts) -> Result<Configuration, ParseError> {
    let knobs = ParsedKnobs::parse(text)?;
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
    let limit = knobs
        .limit
        .map(|(size, span)| (Some(Length::Packets(size)), span));
    Ok(Configuration {
        classes: merge_equal_classes(classes),
        weight: WithOrigin::given((-log2.0).exp2(), log2.1),
        limit: WithOrigin::given_or(limit, None, "the queue size is configured elsewhere"),
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
