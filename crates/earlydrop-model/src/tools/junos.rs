//! Junos: drop profiles of `class-of-service`, segmented or interpolated, as a block or as
//! `set` commands.
//!
//! Fill levels are percentages of the queue's buffer. "A random number between 0 and 100 is
//! calculated for each packet": gaps between drops are geometric. An interpolated profile is a line
//! from (0, 0) through its points to (100, 100); a segmented profile has steps (Junos documentation,
//! RED Drop Profiles Overview and Configuring RED Drop Profiles).

use earlydrop::red::Spacing;
use earlydrop::registry::{Length, LinkFacts};

use super::token::{Token, digits, tokenize};
use super::{
    Class, Configuration, Knob, KnobName, Marking, ParseError, Shape, Tool, WithOrigin, knob,
};

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
    read,
    write,
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

/// The tokens of one profile.
struct Profile<'a> {
    name: &'a str,
    at: Token<'a>,
    interpolated: bool,
    fills: Vec<Token<'a>>,
    drops: Vec<Token<'a>>,
}

fn read(text: &str, link: &LinkFacts) -> Result<Configuration, ParseError> {
    let all = tokenize(text, &["#", "/*"]);
    let buffer = buffer(&all)?;
    let bytes = |length: Length| length.in_bytes(link.mean_packet, link.rate.0 as f64);
    let whole = bytes(buffer.value.unwrap_or(Length::Seconds(BUFFER)));
    let mut classes = Vec::new();
    for profile in profiles(&all) {
        classes.push(class(&profile, whole)?);
    }
    if let [only] = classes.as_mut_slice() {
        only.name.clear();
    }
    let ecn = all
        .iter()
        .find(|token| token.text == "explicit-congestion-notification");
    let marking = Marking {
        on: true,
        above_max: true,
        ..Marking::OFF
    };
    Ok(Configuration {
        classes,
        in_bytes: true,
        limit: buffer,
        weight: WithOrigin::implied(1.0, "the current fill level, not an average"),
        ecn: WithOrigin::given_or(
            ecn.map(|at| (marking, at.span())),
            Marking::OFF,
            "off by default",
        ),
        ..Configuration::of(&TOOL)
    })
}

fn buffer(all: &[Token]) -> Result<WithOrigin<Option<Length>>, ParseError> {
    let temporal = all.iter().position(|token| token.text == "temporal");
    let Some(value) = temporal.and_then(|at| all.get(at + 1)) else {
        let length = Some(Length::Seconds(BUFFER));
        return Ok(WithOrigin::implied(
            length,
            "not given; assumed to be 100 ms at the link rate",
        ));
    };
    let (number, scale) = match value.text.strip_suffix(['k', 'K']) {
        Some(thousands) => (thousands, 1e-3),
        None => (value.text, 1e-6),
    };
    let number = number
        .parse::<f64>()
        .ok()
        .filter(|n| *n >= 1.0 && *n <= 1e9);
    let number = number.ok_or_else(|| {
        let message = format!("temporal {} is not a buffer size", value.text);
        value.error(message, "allowed: microseconds, such as 100000 or 100k")
    })?;
    let length = Length::Seconds(number * scale);
    Ok(WithOrigin::given(Some(length), value.span()))
}

/// Collects the profiles with their pairs, from blocks `name { ... }` and from `set` commands.
fn profiles<'a>(all: &[Token<'a>]) -> Vec<Profile<'a>> {
    let mut scan = Scan::default();
    for (index, token) in all.iter().enumerate() {
        let next = |steps: usize| all.get(index + steps).map_or("", |token| token.text);
        match token.text {
            "fill-level" => (scan.fills, scan.in_list) = (Some(true), false),
            "drop-probability" => (scan.fills, scan.in_list) = (Some(false), false),
            "interpolate" => {
                if let Some(profile) = scan.profiles.get_mut(scan.current) {
                    profile.interpolated = true;
                }
            }
            "[" => scan.in_list = scan.fills.is_some(),
            "]" => (scan.fills, scan.in_list) = (None, false),
            "{" => {
                let pairs = ["fill-level", "interpolate", "drop-probability"];
                let opens_pairs = pairs.contains(&next(1)) || pairs.contains(&next(2));
                let name = index.checked_sub(1).map(|before| all[before]);
                let levels = [
                    "class-of-service",
                    "drop-profiles",
                    "interpolate",
                    "schedulers",
                ];
                let name = name.filter(|name| !levels.contains(&name.text));
                if let Some(name) = name.filter(|_| opens_pairs) {
                    scan.open(name);
                }
            }
            "drop-profiles" if next(1) != "{" => {
                if let Some(name) = all.get(index + 1) {
                    scan.open(*name);
                }
            }
            _ => scan.take(*token),
        }
    }
    let mut profiles = scan.profiles;
    profiles.retain(|profile| !profile.fills.is_empty() || !profile.drops.is_empty());
    profiles
}

/// The state of [`profiles`].
#[derive(Default)]
struct Scan<'a> {
    profiles: Vec<Profile<'a>>,
    /// The index of the profile that the next pairs belong to.
    current: usize,
    /// Whether the next numbers are fill levels (true) or drop probabilities (false), if either.
    fills: Option<bool>,
    in_list: bool,
}

impl<'a> Scan<'a> {
    /// Makes the profile of this name the current one.
    fn open(&mut self, name: Token<'a>) {
        let mut known = self.profiles.iter();
        let known = known.position(|profile| profile.name == name.text);
        self.current = known.unwrap_or(self.profiles.len());
        if known.is_none() {
            self.profiles.push(Profile {
                name: name.text,
                at: name,
                interpolated: false,
                fills: Vec::new(),
                drops: Vec::new(),
            });
        }
    }

    /// Adds a number to the current profile.
    fn take(&mut self, token: Token<'a>) {
        let is_number = percent_text(&token).text.parse::<f64>().is_ok();
        let Some(fills) = self.fills.filter(|_| is_number || self.in_list) else {
            return;
        };
        if self.profiles.is_empty() {
            self.open(token);
        }
        if let Some(profile) = self.profiles.get_mut(self.current) {
            match fills {
                true => profile.fills.push(token),
                false => profile.drops.push(token),
            }
        }
        if !self.in_list {
            self.fills = None;
        }
    }
}

/// The token without its "%".
fn percent_text<'a>(token: &Token<'a>) -> Token<'a> {
    token.part(0, token.text.trim_end_matches('%').len())
}

/// The points of a profile in percent; an error unless both coordinates increase.
fn points(profile: &Profile) -> Result<Vec<(f64, f64)>, ParseError> {
    let (fills, drops) = (profile.fills.len(), profile.drops.len());
    if fills != drops {
        let message = format!("{fills} fill levels, {drops} drop probabilities");
        let help = "give the same number of both";
        return Err(profile.at.error(message, help));
    }
    let mut points: Vec<(f64, f64)> = Vec::new();
    for (fill, drop) in profile.fills.iter().zip(&profile.drops) {
        let at = percent_text(fill).number("fill-level", 0.0, 100.0)?;
        let p = percent_text(drop).number("drop-probability", 0.0, 100.0)?;
        let (before, least) = points.last().copied().unwrap_or((-1.0, 0.0));
        if at <= before || p < least {
            let message = format!("({at}, {p}) does not follow ({before}, {least})");
            let nearest = (before + 1.0).min(100.0);
            let help = format!("values must increase; nearest: fill-level {nearest}");
            return Err(fill.error(message, help));
        }
        points.push((at, p));
    }
    Ok(points)
}

/// Converts a profile to a class in bytes, for a buffer of `whole` bytes.
fn class(profile: &Profile, whole: f64) -> Result<Class, ParseError> {
    let points = points(profile)?;
    let (shape, min, max, max_p) = match profile.interpolated {
        true => interpolated(&points),
        false => segmented(&points),
    };
    let length = |percent: f64| percent / 100.0 * whole;
    let shape = match shape {
        Shape::Points { points, stepped } => Shape::Points {
            points: points
                .iter()
                .map(|(fill, drop)| (length(*fill), drop / 100.0))
                .collect(),
            stepped,
        },
        other => other,
    };
    // The value with the span of the token that gives it, if one does.
    let known = |tokens: &[Token], percent: f64, value: f64| {
        let says = |token: &&Token| percent_text(token).text.parse() == Ok(percent);
        let given = tokens.iter().find(says);
        let given = given.map(|token| (value, token.span()));
        WithOrigin::given_or(given, value, "implied by the ends of the profile")
    };
    Ok(Class {
        name: profile.name.to_string(),
        min: known(&profile.fills, min, length(min)),
        max: known(&profile.fills, max, length(max)),
        max_p: known(&profile.drops, max_p, max_p / 100.0),
        shape: WithOrigin::implied(shape, "from the points of the profile"),
    })
}

/// Shape, min, max and max_p in percent. Three points are RED if the last one is 100% right after
/// the second, and gentle RED if it is 100% at twice the level of the second.
fn interpolated(points: &[(f64, f64)]) -> (Shape, f64, f64, f64) {
    let mut all = points.to_vec();
    if all.first().is_none_or(|(fill, _)| *fill > 0.0) {
        all.insert(0, (0.0, 0.0));
    }
    if all.last().is_none_or(|(fill, _)| *fill < 100.0) {
        all.push((100.0, 100.0));
    }
    let zeros = all.iter().take_while(|(_, drop)| *drop == 0.0).count();
    let rising = &all[zeros.max(1) - 1..];
    if let [(min, start), (max, p), rest @ ..] = rising
        && *start == 0.0
        && *p > 0.0
        && *p < 100.0
        && let Some((end, whole)) = rest.first()
        && *whole >= 100.0
    {
        if *end <= max + 1.0 {
            return (Shape::Straight, *min, *max, *p);
        }
        if *end == 2.0 * max {
            return (Shape::Gentle, *min, *max, *p);
        }
    }
    as_points(all, false)
}

/// Shape, min, max and max_p of a segmented profile, in percent.
fn segmented(points: &[(f64, f64)]) -> (Shape, f64, f64, f64) {
    let mut all = points.to_vec();
    if all.first().is_none_or(|(fill, _)| *fill > 0.0) {
        all.insert(0, (0.0, 0.0));
    }
    as_points(all, true)
}

/// Shape, min, max and max_p of any points, in percent. min is where the probability leaves 0, max
/// where it reaches 100 or the points end, and max_p the largest probability below 100.
fn as_points(points: Vec<(f64, f64)>, stepped: bool) -> (Shape, f64, f64, f64) {
    let zeros = points.iter().take_while(|(_, drop)| *drop == 0.0).count();
    let first = if stepped { zeros } else { zeros.max(1) - 1 };
    let min = points.get(first).map_or(100.0, |(fill, _)| *fill);
    let all = points.iter().find(|(_, drop)| *drop >= 100.0);
    let max = all.map_or(100.0, |(fill, _)| *fill);
    let below = points.iter().filter(|(_, drop)| *drop < 100.0);
    let top = below.map(|(_, drop)| *drop).fold(0.0, f64::max);
    let max_p = if top > 0.0 { top } else { 100.0 };
    (Shape::Points { points, stepped }, min.min(max), max, max_p)
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
    for (index, class) in configuration.classes.iter().enumerate() {
        let name = match class.name.as_str() {
            "" => "earlydrop".to_string(),
            name => name.replace([' ', '{', '}', ';', '"'], "-"),
        };
        let name = if configuration.classes[..index]
            .iter()
            .any(|c| c.name == class.name)
        {
            format!("{name}-{index}")
        } else {
            name
        };
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
