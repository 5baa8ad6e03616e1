//! INET (OMNeT++): parameters of `RedDropper` in an `omnetpp.ini`. Defaults and
//! algorithms are those of `src/inet/queueing/filter/RedDropper.cc` and `.ned`.

use earlydrop::red::{Idle, Spacing};
use earlydrop::registry::{Length, LinkFacts};

use super::ledger::{Cursor, Ledger, unknown};
use super::parse::ParsedKnobs;
use super::token::{Token, digits};
use super::{
    Class, Configuration, Knob, KnobName, Marking, Object, ParseError, Shape, Source, Tool,
    WithOrigin, knob,
};

pub(super) static TOOL: Tool = Tool {
    name: "inet",
    title: "INET, RedDropper",
    keywords: &[".minth", ".maxth", "RedDropper", ".wq ", ".pkrate"],
    spacing: Spacing::Uniform,
    supported_spacings: &[Spacing::Uniform],
    spacing_source: "RedDropper.cc: p/(1 - count p)",
    assumed_rate: None,
    knobs: KNOBS,
    limitations: &[
        (Knob::Classes, "RedDropper has one curve per gate"),
        (
            Knob::Shape,
            "RedDropper has one straight line, and drops everything above max",
        ),
        (Knob::Unit, "RedDropper measures in packets"),
        (Knob::BySize, "RedDropper ignores packet sizes"),
        (Knob::Cautious, "RedDropper spares no packet above min"),
        (
            Knob::Idle,
            "RedDropper decays by pkrate, by default 150 packets a second",
        ),
        (Knob::Ecn, "useEcn also marks above max"),
        (Knob::Adapt, "RedDropper does not adapt"),
        (Knob::Packet, "RedDropper ignores packet sizes"),
        (Knob::Rate, "RedDropper takes pkrate instead"),
        (
            Knob::Limit,
            "packetCapacity is a whole number of packets, by default maxth",
        ),
    ],
    objects: &[Object::Queue],
    is_special: false,
    read,
    write: Some(write),
};

const KNOBS: &[KnobName] = &[
    knob(Knob::Min, "minth", "packets", "5"),
    knob(Knob::Max, "maxth", "packets", "50"),
    knob(Knob::MaxP, "maxp", "probability", "0.02"),
    knob(Knob::Limit, "packetCapacity", "packets", "maxth"),
    knob(Knob::Weight, "wq", "ratio", "0.002"),
    knob(Knob::Idle, "pkrate", "packets a second", "150"),
    knob(Knob::Ecn, "useEcn", "true or false", "false"),
];

const NAMES: [&str; 7] = [
    "minth",
    "maxth",
    "maxp",
    "wq",
    "pkrate",
    "useEcn",
    "packetCapacity",
];

/// Other parameters of `RedDropper` and of the queue around it.
const BESIDE: [&str; 6] = [
    "typename",
    "packetFilter",
    "collectionModule",
    "frameCapacity",
    "dataCapacity",
    "displayStringTextFormat",
];

/// A module of the simulation, or a pattern of modules, with the parameters that a text assigns.
struct Module<'a> {
    path: &'a str,
    at: Token<'a>,
    set: Vec<(&'a str, Token<'a>)>,
}

/// Splits `**.red.minth` into module and parameter.
fn path_and_name<'a>(token: &Token<'a>) -> (&'a str, Token<'a>) {
    match token.text.rfind('.') {
        Some(dot) => (
            &token.text[..dot],
            token.part(dot + 1, token.text.len() - dot - 1),
        ),
        None => ("", *token),
    }
}

/// Reads assignments such as `**.red.minth = 5`. A module that has one of RED's parameters has no
/// unknown ones; other lines are irrelevant.
fn modules<'a>(ledger: &Ledger<'a>) -> Result<Vec<Module<'a>>, ParseError> {
    let lines = ledger.lines("");
    let assigned = |line: &Cursor<'_, 'a>| {
        let is_assignment = line.after(1).is_some_and(|sign| sign.is("="));
        line.peek().filter(|_| is_assignment)
    };
    let is_red = |name: &str| NAMES.contains(&name) && name != "packetCapacity";
    let names = lines
        .iter()
        .filter_map(assigned)
        .map(|token| path_and_name(&token));
    let paths: Vec<&str> = names
        .filter(|(_, name)| is_red(name.text))
        .map(|(path, _)| path)
        .collect();
    let mut modules: Vec<Module<'a>> = Vec::new();
    for mut line in lines {
        let Some(path_name) = assigned(&line).map(|token| (path_and_name(&token), token)) else {
            line.leave_all();
            continue;
        };
        let ((path, name), token) = path_name;
        if !paths.contains(&path) || BESIDE.contains(&name.text) {
            line.leave_all();
            continue;
        }
        if !NAMES.contains(&name.text) {
            return Err(unknown(&name, &NAMES));
        }
        line.take();
        line.take();
        let value = line.value(&name)?;
        line.end(&[])?;
        let known = modules.iter().position(|module| module.path == path);
        let index = known.unwrap_or(modules.len());
        if known.is_none() {
            let set = Vec::new();
            modules.push(Module {
                path,
                at: token,
                set,
            });
        }
        modules[index].set.push((name.text, value));
    }
    Ok(modules)
}

fn read(source: &Source<'_>) -> Result<Configuration, ParseError> {
    let text = source.text;
    let ledger = Ledger::of(text, &["#", "//"]);
    let modules = modules(&ledger)?;
    if modules.is_empty() {
        let help = format!("known: {}; for example **.red.minth = 5", NAMES.join(", "));
        let message = "this text contains no parameter of RedDropper";
        return Err(ParseError::of_all(text, message, help));
    }
    let names = modules
        .iter()
        .map(|module| (module.path.to_string(), Some(module.at)));
    let names: Vec<_> = names.collect();
    let chosen = &modules[source.choose(Object::Queue, &names)?];
    let knobs = ParsedKnobs::new(chosen.set.clone(), "RedDropper.ned");
    let irrelevant = ledger.close(&NAMES)?;
    let known = |given, default| WithOrigin::given_or(given, default, "RedDropper.ned");
    let min = known(knobs.number("minth", 0.0, f64::MAX)?, 5.0);
    let max = known(knobs.number("maxth", 0.0, f64::MAX)?, 50.0);
    if min.value >= max.value {
        let given = knobs.find("maxth").or_else(|| knobs.find("minth"));
        return Err(ParseError {
            span: given.map_or(0..text.len(), |token| token.span()),
            message: format!("minth {} is not below maxth {}", min.value, max.value),
            help: format!("nearest: maxth {}", (3.0 * min.value).max(1.0)),
        });
    }
    let limit = knobs.number("packetCapacity", 1.0, f64::MAX)?;
    let capacity = Some(Length::Packets(max.value.floor().max(1.0)));
    let marking = Marking {
        on: true,
        above_max: true,
        ..Marking::OFF
    };
    Ok(Configuration {
        weight: knobs.probability("wq", 0.002)?,
        limit: WithOrigin::given_or(
            limit.map(|(limit, span)| (Some(Length::Packets(limit)), span)),
            capacity,
            "RedDropper.ned: int(maxth)",
        ),
        classes: vec![Class {
            name: String::new(),
            min,
            max,
            max_p: knobs.probability("maxp", 0.02)?,
            shape: WithOrigin::implied(Shape::Straight, "RedDropper has no other shape"),
        }],
        idle: WithOrigin::implied(Idle::Exact, "RedDropper.cc: by pkrate packets a second"),
        ecn: knobs
            .flag("useEcn", false)?
            .map(|on| if on { marking } else { Marking::OFF }),
        objects: names.into_iter().map(|(name, _)| name).collect(),
        irrelevant,
        ..Configuration::of(&TOOL)
    })
}

fn write(configuration: &Configuration, link: &LinkFacts) -> String {
    let Some(class) = configuration.classes.first() else {
        return String::new();
    };
    let packets = |length: f64| configuration.in_packets(length, link);
    let max = packets(class.max.value);
    let limit = configuration.limit_in_unit(link).map_or(4.0 * max, packets);
    let lines = [
        ("wq", digits(configuration.weight.value, 9)),
        ("minth", digits(packets(class.min.value), 9)),
        ("maxth", digits(max, 9)),
        ("maxp", digits(class.max_p.value, 4)),
        (
            "pkrate",
            digits(link.rate.packets_per_sec(link.mean_packet), 6),
        ),
        ("packetCapacity", limit.max(max).ceil().to_string()),
        ("useEcn", configuration.ecn.value.on.to_string()),
    ];
    let lines = lines
        .iter()
        .map(|(name, value)| format!("**.red.{name} = {value}"));
    lines.collect::<Vec<_>>().join("\n")
}
