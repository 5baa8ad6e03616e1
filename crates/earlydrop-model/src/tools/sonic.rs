//! SONiC: the table `WRED_PROFILE` of a switch's configuration, in JSON. Thresholds are in bytes,
//! probabilities in percent. SAI's averaging weight defaults to 0, which means no averaging.
//!
//! ECN-capable packets may have thresholds of their own, `ecn_green_min_threshold` and so on (SAI's
//! `SAI_WRED_ATTR_ECN_GREEN_MIN_THRESHOLD`; SONiC's design "WRED Profile Independent ECN Marking
//! Thresholds"). What of them is absent is the colour's own.

use earlydrop::red::Spacing;
use earlydrop::registry::{LinkFacts, nearest};

use super::configuration::{are_equal, keep_first};
use super::json::{self, Entry};
use super::parse::Given;
use super::token::Token;
use super::{
    Class, Configuration, Knob, KnobName, Marking, Object, Origin, ParseError, Shape, Source, Tool,
    WithOrigin, knob,
};

pub(super) static TOOL: Tool = Tool {
    name: "sonic",
    title: "SONiC, WRED_PROFILE",
    keywords: &[
        "WRED_PROFILE",
        "green_min_threshold",
        "green_max_threshold",
        "green_drop_probability",
    ],
    spacing: Spacing::Geometric,
    supported_spacings: &[Spacing::Geometric],
    spacing_source: "depends on the switch; assumed independent for each packet",
    assumed_rate: None,
    knobs: KNOBS,
    limitations: &[
        (Knob::Classes, "a profile has three colours"),
        (Knob::Min, "thresholds are whole bytes"),
        (Knob::Max, "thresholds are whole bytes"),
        (Knob::MaxP, "drop probabilities are whole percents"),
        (
            Knob::Shape,
            "a profile has one straight line, and signals every packet above max",
        ),
        (
            Knob::Weight,
            "a profile has no weight: it uses the current queue length",
        ),
        (Knob::Unit, "thresholds are in bytes"),
        (Knob::BySize, "a profile ignores packet sizes"),
        (Knob::Cautious, "a profile spares no packet above min"),
        (Knob::Idle, "a profile has no average"),
        (Knob::Ecn, "ecn also marks above max"),
        (Knob::Adapt, "a profile does not adapt"),
        (Knob::Packet, "a profile ignores packet sizes"),
        (Knob::Rate, "the switch knows its ports"),
        (Knob::Limit, "the buffer is configured in BUFFER_PROFILE"),
    ],
    objects: &[Object::Profile],
    is_special: false,
    read,
    write: Some(write),
};

const KNOBS: &[KnobName] = &[
    knob(
        Knob::Classes,
        "green_, yellow_, red_",
        "colours",
        "not enabled",
    ),
    knob(Knob::Min, "green_min_threshold (Kmin)", "bytes", "0"),
    knob(Knob::Max, "green_max_threshold (Kmax)", "bytes", "0"),
    knob(Knob::MaxP, "green_drop_probability (Pmax)", "%", "100"),
    knob(
        Knob::Ecn,
        "ecn",
        "ecn_none, ecn_all, ecn_green, ...",
        "ecn_none",
    ),
];

const COLOURS: [&str; 3] = ["green", "yellow", "red"];

/// The fields of a profile, apart from those of each colour.
const ECN_MODES: &[&str] = &[
    "ecn_none",
    "ecn_green",
    "ecn_yellow",
    "ecn_red",
    "ecn_green_yellow",
    "ecn_green_red",
    "ecn_yellow_red",
    "ecn_all",
];

/// The names of all fields of a profile.
fn fields() -> Vec<String> {
    let of_colour = COLOURS.iter().flat_map(|colour| {
        [
            format!("wred_{colour}_enable"),
            format!("{colour}_min_threshold"),
            format!("{colour}_max_threshold"),
            format!("{colour}_drop_probability"),
            format!("ecn_{colour}_min_threshold"),
            format!("ecn_{colour}_max_threshold"),
            format!("ecn_{colour}_mark_probability"),
        ]
    });
    std::iter::once("ecn".to_string())
        .chain(of_colour)
        .collect()
}

/// The fields of one profile.
struct Profile<'a> {
    fields: Vec<(&'a str, Token<'a>)>,
}

impl<'a> Profile<'a> {
    fn find(&self, name: &str) -> Option<Token<'a>> {
        let field = self.fields.iter().find(|(key, _)| *key == name);
        field.map(|(_, value)| *value)
    }

    /// The whole number of a field, up to `high`.
    fn number(&self, name: &str, high: f64) -> Result<Option<Given<f64>>, ParseError> {
        let read = self.find(name);
        let read = read.map(|value| Ok((value.count(name, 0.0, high)?, value.span())));
        read.transpose()
    }
}

fn read(source: &Source<'_>) -> Result<Configuration, ParseError> {
    let ledger = json::ledger(source.text);
    let entries = json::entries(&ledger)?;
    let known = fields();
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    // The entries of the table, or all of a text that is one profile.
    let in_table = |entry: &Entry| entry.path.contains(&"WRED_PROFILE");
    let has_table = entries.iter().any(in_table);
    let first = entries.iter().find(|entry| known.contains(&entry.key.text));
    let alone = first.map_or(&[][..], parents);
    let is_field = |entry: &Entry| match has_table {
        true => in_table(entry),
        false => parents(entry) == alone,
    };
    let mut names: Vec<(String, Option<Token>)> = Vec::new();
    for entry in &entries {
        let name = parents(entry).last().copied().unwrap_or_default();
        if !is_field(entry) {
            entry.leave(&ledger);
        } else if names.iter().all(|(known, _)| known != name) {
            names.push((name.to_string(), Some(entry.key)));
        }
    }
    if first.is_none() {
        ledger.close(&known)?;
        return Err(ParseError::of_all(
            source.text,
            "this text contains no WRED_PROFILE",
            "see docs/reference/other-tools.md",
        ));
    }
    let chosen = &names[source.choose(Object::Profile, &names)?].0;
    let mut profile = Profile { fields: Vec::new() };
    for entry in entries.iter().filter(|entry| is_field(entry)) {
        if !known.contains(&entry.key.text) {
            continue;
        }
        let value = entry.take(&ledger);
        if parents(entry).last().copied().unwrap_or_default() == chosen {
            profile.fields.push((entry.key.text, value));
        }
    }
    let irrelevant = ledger.close(&known)?;
    let mode = profile.find("ecn");
    let ecn = mode.map(|value| Ok((marking(&value)?, value.span())));
    let ecn = ecn.transpose()?;
    let mut classes = Vec::new();
    for colour in COLOURS {
        classes.extend(class(colour, &profile)?);
    }
    let mut ect = of_ect(&classes, &profile, mode)?;
    if are_equal(&classes) && are_equal(&ect) {
        keep_first(&mut classes);
        keep_first(&mut ect);
    }
    Ok(Configuration {
        classes,
        ect,
        in_bytes: true,
        weight: WithOrigin::implied(1.0, "SAI's weight defaults to 0: the current queue length"),
        ecn: WithOrigin::given_or(ecn, Marking::OFF, "ecn_none by default"),
        objects: names.into_iter().map(|(name, _)| name).collect(),
        irrelevant,
        ..Configuration::of(&TOOL)
    })
}

fn marking(mode: &Token) -> Result<Marking, ParseError> {
    if !ECN_MODES.contains(&mode.text) {
        let near = nearest(mode.text, ECN_MODES.iter().copied());
        let near = near.map_or(String::new(), |near| format!("; nearest: {near}"));
        let help = format!("allowed: {}{near}", ECN_MODES.join(", "));
        return Err(mode.error(format!("ecn is \"{}\"", mode.text), help));
    }
    let on = mode.text != "ecn_none";
    Ok(Marking {
        on,
        above_max: on,
        ..Marking::OFF
    })
}

fn parents<'e, 'a>(entry: &'e Entry<'a>) -> &'e [&'a str] {
    let depth = entry.path.len();
    &entry.path[..depth.saturating_sub(1)]
}

/// The thresholds of a colour; `None` if it has none or is switched off.
fn class(colour: &str, profile: &Profile) -> Result<Option<Class>, ParseError> {
    let key = |what: &str| format!("{colour}_{what}");
    if let Some(enabled) = profile.find(&format!("wred_{colour}_enable"))
        && !enabled.flag("wred enable")?
    {
        return Ok(None);
    }
    let percent = profile.number(&key("drop_probability"), 100.0)?;
    let min = profile.number(&key("min_threshold"), 1e15)?;
    let max = profile.number(&key("max_threshold"), 1e15)?;
    let ((min, min_at), (max, max_at)) = match (min, max) {
        (Some(min), Some(max)) => (min, max),
        (None, None) => return Ok(None),
        (Some((_, span)), None) | (None, Some((_, span))) => {
            return Err(ParseError {
                span,
                message: format!("{colour} has one threshold"),
                help: format!("give {colour}_min_threshold and {colour}_max_threshold"),
            });
        }
    };
    if let Some((0.0, span)) = percent {
        return Err(never(&key("drop_probability"), span));
    }
    Ok(Some(Class {
        name: colour.to_string(),
        min: WithOrigin::given(min, min_at),
        max: WithOrigin::given(max, max_at),
        max_p: WithOrigin::given_or(
            percent.map(|(percent, span)| (percent / 100.0, span)),
            1.0,
            "SAI's default: 100",
        ),
        shape: WithOrigin::implied(Shape::Straight, "a profile has no other shape"),
    }))
}

/// The thresholds of ECN-capable packets, of each of `classes`; none where no colour has any.
fn of_ect(
    classes: &[Class],
    profile: &Profile,
    mode: Option<Token>,
) -> Result<Vec<Class>, ParseError> {
    let mut ect = classes.to_vec();
    let mut has_any = false;
    for class in &mut ect {
        let colour = class.name.clone();
        let key = |what: &str| format!("ecn_{colour}_{what}");
        let min = profile.number(&key("min_threshold"), 1e15)?;
        let max = profile.number(&key("max_threshold"), 1e15)?;
        let percent = profile.number(&key("mark_probability"), 100.0)?;
        let given = [&min, &max, &percent].into_iter().flatten().next();
        let Some((_, span)) = given else { continue };
        let is_marked =
            mode.is_some_and(|mode| mode.text == "ecn_all" || mode.text.contains(&colour));
        if !is_marked {
            return Err(ParseError {
                span: span.clone(),
                message: format!("ecn does not mark {colour} packets"),
                help: "nearest: ecn_all".to_string(),
            });
        }
        has_any = true;
        if let Some((0.0, span)) = percent {
            return Err(never(&key("mark_probability"), span));
        }
        let of = |threshold: &mut WithOrigin<f64>, given: Option<Given<f64>>, scale: f64| {
            if let Some((value, span)) = given {
                *threshold = WithOrigin::given(value * scale, span);
            }
        };
        of(&mut class.min, min, 1.0);
        of(&mut class.max, max, 1.0);
        of(&mut class.max_p, percent, 0.01);
    }
    if let Some(class) = ect.iter().find(|class| class.min.value > class.max.value) {
        let (low, high) = (class.min.value, class.max.value);
        return Err(ParseError {
            span: given_span(class),
            message: format!("{}: min {low} bytes is above max {high} bytes", class.name),
            help: format!("nearest: max {}", 3.0 * low),
        });
    }
    Ok(if has_any { ect } else { Vec::new() })
}

/// The place of the thresholds of a class.
fn given_span(class: &Class) -> std::ops::Range<usize> {
    match (&class.max.origin, &class.min.origin) {
        (Origin::Given(span), _) | (_, Origin::Given(span)) => span.clone(),
        _ => 0..0,
    }
}

/// The error of a probability of 0.
fn never(name: &str, span: std::ops::Range<usize>) -> ParseError {
    ParseError {
        span,
        message: format!("{name} = 0 would never signal congestion"),
        help: "nearest: 1".to_string(),
    }
}

fn write(configuration: &Configuration, link: &LinkFacts) -> String {
    let bytes = |length: f64| configuration.to_bytes(length, link).round();
    let mut lines = Vec::new();
    let mut field = |name: String, value: String| lines.push(format!("\"{name}\": \"{value}\""));
    for (index, colour) in COLOURS.iter().enumerate() {
        let of_colour = |classes: &'_ [Class]| classes.get(index).or(classes.last()).cloned();
        let Some(class) = of_colour(&configuration.classes) else {
            continue;
        };
        field(format!("wred_{colour}_enable"), "true".to_string());
        let ect = of_colour(&configuration.ect).filter(|_| configuration.ecn.value.on);
        let own = (colour.to_string(), "drop_probability", class);
        let ect = ect.map(|class| (format!("ecn_{colour}"), "mark_probability", class));
        for (prefix, probability, class) in [Some(own), ect].into_iter().flatten() {
            let percent = (100.0 * class.max_p.value).round().clamp(1.0, 100.0);
            let max = bytes(class.max.value).max(1.0);
            let min = bytes(class.min.value).min(max);
            field(format!("{prefix}_min_threshold"), min.to_string());
            field(format!("{prefix}_max_threshold"), max.to_string());
            field(format!("{prefix}_{probability}"), percent.to_string());
        }
    }
    let ecn = if configuration.ecn.value.on {
        "ecn_all"
    } else {
        "ecn_none"
    };
    field("ecn".to_string(), ecn.to_string());
    let lines = lines.join(",\n            ");
    format!(
        "{{\n    \"WRED_PROFILE\": {{\n        \"EARLYDROP\": {{\n            {lines}\n        \
         }}\n    }}\n}}"
    )
}
