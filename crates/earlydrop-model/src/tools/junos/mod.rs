//! Junos: drop profiles of `class-of-service`, segmented or interpolated, as a block or as
//! `set` commands.
//!
//! Fill levels are percentages of the queue's buffer. "A random number between 0 and 100 is
//! calculated for each packet": gaps between drops are geometric. An interpolated profile is a line
//! from (0, 0) through its points to (100, 100); a segmented profile has steps (Junos documentation,
//! RED Drop Profiles Overview and Configuring RED Drop Profiles).

mod shape;
mod statements;

use earlydrop::red::Spacing;
use earlydrop::registry::{Length, LinkFacts};

use super::ledger::Ledger;
use super::token::{Token, digits};
use super::{
    Class, Configuration, Context, Knob, KnobName, Marking, Object, ParseError, Shape, Source,
    Tool, WithOrigin, knob,
};

use shape::class;
use statements::{Parsed, Path, Profile, STATEMENTS, Scheduler, statements};

pub(super) static TOOL: Tool = Tool {
    name: "junos",
    title: "Junos, drop profiles",
    keywords: &["drop-profiles", "fill-level", "drop-probability"],
    spacing: Spacing::Geometric,
    supported_spacings: &[Spacing::Geometric],
    spacing_source: "Junos documentation: a random number for each packet",
    assumed_rate: None,
    knobs: KNOBS,
    limitations: &[
        (
            Knob::Classes,
            "profiles are tied to loss priorities by a drop-profile-map",
        ),
        (Knob::Min, "fill levels are whole percents of the buffer"),
        (Knob::Max, "fill levels are whole percents of the buffer"),
        (Knob::MaxP, "drop probabilities are whole percents"),
        (
            Knob::Shape,
            "a profile consists of points in whole percents",
        ),
        (
            Knob::Weight,
            "a drop profile has no average: it uses the current fill level",
        ),
        (
            Knob::Unit,
            "fill levels are percentages of a buffer in bytes",
        ),
        (Knob::BySize, "a drop profile ignores packet sizes"),
        (Knob::Cautious, "a drop profile spares no packet"),
        (Knob::Idle, "a drop profile has no average"),
        (
            Knob::Ecn,
            "explicit-congestion-notification marks where the profile would drop",
        ),
        (Knob::Adapt, "a drop profile does not adapt"),
        (Knob::Packet, "a drop profile ignores packet sizes"),
        (Knob::Rate, "Junos takes the interface's rate"),
        (Knob::Limit, "the buffer is a time in whole microseconds"),
    ],
    objects: &[Object::Profile, Object::Class],
    is_special: false,
    read,
    write: Some(write),
};

const KNOBS: &[KnobName] = &[
    knob(
        Knob::Min,
        "fill-level with drop-probability 0",
        "% of the buffer",
        "0",
    ),
    knob(Knob::Max, "fill-level", "% of the buffer", "100"),
    knob(Knob::MaxP, "drop-probability", "%", "100 at 100"),
    knob(
        Knob::Shape,
        "interpolate, or steps",
        "pairs",
        "a line from (0, 0) to (100, 100)",
    ),
    knob(Knob::Limit, "buffer-size temporal", "us", "by platform"),
    knob(Knob::Ecn, "explicit-congestion-notification", "word", "off"),
];

/// The assumed buffer if the text gives none, in seconds.
const BUFFER: f64 = 0.1;

fn read(source: &Source<'_>) -> Result<Configuration, ParseError> {
    let ledger = Ledger::of(source.text, &["#", "/*"]);
    let mut parsed = Parsed::default();
    for path in statements(&ledger) {
        parsed.statement(
            Path {
                ledger: &ledger,
                path,
                at: 0,
            },
            source,
        )?;
    }
    parsed.irrelevant = ledger.close(&STATEMENTS)?;
    let maps = parsed.of_schedulers.iter().any(|one| !one.maps.is_empty());
    // A profile that is asked for by name is meant, whatever a scheduler maps to.
    let of_scheduler = source.context.profile.is_none() && (maps || parsed.profiles.is_empty());
    let (object, names) = match of_scheduler {
        true => (Object::Class, parsed.schedulers.clone()),
        false => {
            let names = parsed.profiles.iter();
            let names = names.map(|profile| (profile.name.to_string(), Some(profile.at)));
            (Object::Profile, names.collect())
        }
    };
    let chosen = source.choose(object, &names)?;
    let scheduler = match (of_scheduler && maps, parsed.of_schedulers.len()) {
        (true, _) => Some(parsed.of_schedulers.swap_remove(chosen)),
        (false, 1) => parsed.of_schedulers.pop(),
        (false, _) => None,
    };
    let scheduler = scheduler.unwrap_or_default();
    let buffer = buffer(&scheduler, source.context);
    let link = source.link;
    let whole = buffer.value.unwrap_or(Length::Seconds(BUFFER));
    let whole = whole.in_bytes(link.mean_packet, link.rate.0 as f64);
    // Profiles that are not meant must be right, too.
    let all = parsed.profiles.iter();
    let mut of_profiles = all
        .map(|profile| class(profile, whole))
        .collect::<Result<Vec<Class>, ParseError>>()?;
    let mut classes = Vec::new();
    if of_scheduler && maps {
        for (priority, profile) in &scheduler.maps {
            let one = of_profiles.iter().find(|one| one.name == profile.text);
            let one = one.ok_or_else(|| missing(profile, &parsed.profiles))?;
            let name = (*priority).to_string();
            classes.push(Class {
                name,
                ..one.clone()
            });
        }
        if let [only] = classes.as_mut_slice() {
            only.name.clear();
        }
    } else if chosen < of_profiles.len() {
        let name = String::new();
        classes.push(Class {
            name,
            ..of_profiles.swap_remove(chosen)
        });
    }
    let marking = Marking {
        on: true,
        above_max: true,
        ..Marking::OFF
    };
    let rate = scheduler.rate.map(|(rate, span)| (Some(rate), span));
    Ok(Configuration {
        classes,
        in_bytes: true,
        limit: buffer,
        weight: WithOrigin::implied(1.0, "the current fill level, not an average"),
        ecn: WithOrigin::given_or(
            scheduler.ecn.map(|at| (marking, at.span())),
            Marking::OFF,
            "off by default",
        ),
        rate: WithOrigin::given_or(rate, None, "the interface's"),
        share: scheduler
            .share
            .map(|(share, span)| WithOrigin::given(share, span)),
        objects: names.into_iter().map(|(name, _)| name).collect(),
        irrelevant: parsed.irrelevant,
        ..Configuration::of(&TOOL)
    })
}

fn missing(profile: &Token, profiles: &[Profile]) -> ParseError {
    let names: Vec<&str> = profiles.iter().map(|one| one.name).collect();
    let message = format!("there is no drop profile {}", profile.text);
    profile.error(message, format!("known: {}", names.join(", ")))
}

/// The buffer of a scheduler: its own, the one that is known beside the text, or an assumption.
fn buffer(scheduler: &Scheduler, context: &Context) -> WithOrigin<Option<Length>> {
    match (&scheduler.buffer, context.buffer) {
        (Some((length, span)), _) => WithOrigin::given(Some(*length), span.clone()),
        (None, Some(length)) => WithOrigin::implied(Some(length), "--buffer"),
        (None, None) => WithOrigin::implied(
            Some(Length::Seconds(BUFFER)),
            "not given; assumed to be 100 ms at the link rate; --buffer",
        ),
    }
}

fn write(configuration: &Configuration, link: &LinkFacts) -> String {
    let limit = configuration.limit_in_unit(link);
    let most = configuration
        .classes
        .iter()
        .map(|class| reach(&class.shape.value, class.max.value));
    let most = most.fold(1.0, f64::max);
    let limit = limit.map_or(most, |limit| limit.max(1.0));
    let seconds = configuration.to_bytes(limit, link) * 8.0 / link.rate.0 as f64;
    let mut text = "class-of-service {\n    drop-profiles {\n".to_string();
    let mut names = Vec::new();
    for (index, class) in configuration.classes.iter().enumerate() {
        let priority = match class.name.as_str() {
            "" => "earlydrop".to_string(),
            name => name.replace([' ', '{', '}', ';', '"', '[', ']'], "-"),
        };
        let name = match configuration.classes.len() {
            1 => "earlydrop".to_string(),
            _ => format!("earlydrop-{index}"),
        };
        names.push((priority, name.clone()));
        let percent = |length: f64| (100.0 * length / limit).round().clamp(0.0, 100.0);
        let (pairs, stepped) = pairs(class, percent);
        text.push_str(&format!("        {name} {{\n"));
        if stepped {
            for (fill, drop) in &pairs {
                text.push_str(&format!(
                    "            fill-level {fill} drop-probability {drop};\n"
                ));
            }
        } else {
            let row = |of: fn(&(f64, f64)) -> f64| {
                let row = pairs.iter().map(|pair| of(pair).to_string());
                row.collect::<Vec<_>>().join(" ")
            };
            text.push_str(&format!(
                "            interpolate {{\n                fill-level [ {} ];\n                \
                 drop-probability [ {} ];\n            }}\n",
                row(|pair| pair.0),
                row(|pair| pair.1),
            ));
        }
        text.push_str("        }\n");
    }
    text.push_str("    }\n    schedulers {\n        earlydrop {\n");
    let microseconds = digits((seconds * 1e6).round().clamp(1.0, 1e9), 9);
    text.push_str(&format!(
        "            buffer-size temporal {microseconds};\n"
    ));
    if configuration.ecn.value.on {
        text.push_str("            explicit-congestion-notification;\n");
    }
    // Of one profile all packets are meant; without a map it would apply to none.
    if let [(priority, _)] = names.as_mut_slice() {
        *priority = "any".to_string();
    }
    for (priority, name) in &names {
        text.push_str(&format!(
            "            drop-profile-map loss-priority {priority} protocol any drop-profile {name};\n"
        ));
    }
    text.push_str("        }\n    }\n}");
    text
}

/// The queue length from which every packet is dropped.
fn reach(shape: &Shape, max: f64) -> f64 {
    match shape {
        Shape::Gentle => 2.0 * max,
        _ => max,
    }
}

/// The points of a class in whole percents with increasing fill levels, and whether they are steps.
fn pairs(class: &Class, percent: impl Fn(f64) -> f64) -> (Vec<(f64, f64)>, bool) {
    let (min, max) = (class.min.value, class.max.value);
    let drop = (100.0 * class.max_p.value).round().clamp(1.0, 99.0);
    let low = percent(min).min(98.0);
    let high = percent(max).clamp(low + 1.0, 99.0);
    let line = |points: Vec<(f64, f64)>| (points, false);
    match &class.shape.value {
        Shape::Straight => line(vec![(low, 0.0), (high, drop), (high + 1.0, 100.0)]),
        Shape::Gentle if 2.0 * high <= 100.0 => {
            line(vec![(low, 0.0), (high, drop), (2.0 * high, 100.0)])
        }
        Shape::Gentle => line(vec![
            (low, 0.0),
            (high, drop),
            (100.0, (drop + 1.0).max(drop)),
        ]),
        Shape::Nonlinear => {
            let at = |share: f64| {
                let p = (150.0 * class.max_p.value * share * share)
                    .round()
                    .min(100.0);
                ((low + share * (high - low)).round(), p)
            };
            let mut points = vec![(low, 0.0), at(0.25), at(0.5), at(0.75), at(1.0)];
            points.push((high + 1.0, 100.0));
            points.dedup_by(|later, earlier| later.0 <= earlier.0);
            line(points)
        }
        Shape::Points { points, stepped } => {
            let all = points.iter();
            let all = all.map(|(length, p)| (percent(*length), (100.0 * p).round().min(100.0)));
            let mut all: Vec<(f64, f64)> = all.collect();
            all.dedup_by(|later, earlier| later.0 <= earlier.0);
            (all, *stepped)
        }
    }
}
