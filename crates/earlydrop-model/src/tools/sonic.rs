//! SONiC: the table `WRED_PROFILE` of a switch's configuration, in JSON. Thresholds are in bytes,
//! probabilities in percent. SAI's averaging weight defaults to 0, which means no averaging.

use earlydrop::red::Spacing;
use earlydrop::registry::LinkFacts;

use super::configuration::merge_equal_classes;
use super::json::{self, Entry};
use super::{
    Class, Configuration, Knob, KnobName, Marking, ParseError, Shape, Tool, WithOrigin, knob,
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
    read,
    write,
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

fn read(text: &str, _link: &LinkFacts) -> Result<Configuration, ParseError> {
    let entries = json::entries(text)?;
    let about = |entry: &&Entry| entry.path.last().is_some_and(|key| is_known(key));
    // Only the first of several profiles is read.
    let profile = entries
        .iter()
        .find(about)
        .map(|entry| parents(entry).to_vec());
    let Some(profile) = profile else {
        return Err(ParseError::of_all(
            text,
            "this text contains no WRED_PROFILE",
            "see docs/reference/other-tools.md",
        ));
    };
    let own: Vec<&Entry> = entries
        .iter()
        .filter(|entry| parents(entry) == profile)
        .collect();
    let find = |key: &str| {
        own.iter()
            .find(|entry| entry.path.last() == Some(&key))
            .copied()
    };
    let mut classes = Vec::new();
    for colour in COLOURS {
        classes.extend(class(colour, &find)?);
    }
    let ecn = find("ecn").map(|entry| {
        let on = match entry.value.text {
            "ecn_none" => false,
            known if known.starts_with("ecn_") => true,
            other => {
                let help = "allowed: ecn_none, ecn_all, ecn_green, ecn_yellow, ecn_red, ...";
                return Err(entry.value.error(format!("ecn is \"{other}\""), help));
            }
        };
        let marking = Marking {
            on,
            above_max: on,
            ..Marking::OFF
        };
        Ok((marking, entry.value.span()))
    });
    Ok(Configuration {
        classes: merge_equal_classes(classes),
        in_bytes: true,
        weight: WithOrigin::implied(1.0, "SAI's weight defaults to 0: the current queue length"),
        ecn: WithOrigin::given_or(ecn.transpose()?, Marking::OFF, "ecn_none by default"),
        ..Configuration::of(&TOOL)
    })
}

fn parents<'e, 'a>(entry: &'e Entry<'a>) -> &'e [&'a str] {
    let depth = entry.path.len();
    &entry.path[..depth.saturating_sub(1)]
}

fn is_known(key: &str) -> bool {
    let colour = COLOURS.iter().any(|colour| key.starts_with(colour));
    key == "ecn" || colour && (key.ends_with("_threshold") || key.ends_with("_probability"))
}

fn class<'a, 'e: 'a>(
    colour: &str,
    find: &impl Fn(&str) -> Option<&'a Entry<'e>>,
) -> Result<Option<Class>, ParseError> {
    let key = |what: &str| format!("{colour}_{what}");
    if let Some(enabled) = find(&format!("wred_{colour}_enable"))
        && !enabled.value.flag("wred enable")?
    {
        return Ok(None);
    }
    let number = |what: &str, high: f64| {
        let name = key(what);
        let entry = find(&name);
        let read =
            entry.map(|entry| Ok((entry.value.count(&name, 0.0, high)?, entry.value.span())));
        read.transpose()
    };
    let (Some((min, min_at)), Some((max, max_at))) = (
        number("min_threshold", 1e15)?,
        number("max_threshold", 1e15)?,
    ) else {
        return Ok(None);
    };
    let percent = number("drop_probability", 100.0)?;
    if let Some((0.0, span)) = percent {
        return Err(ParseError {
            span,
            message: format!(
                "{} = 0 would never signal congestion",
                key("drop_probability")
            ),
            help: "nearest: 1".to_string(),
        });
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

fn write(configuration: &Configuration, link: &LinkFacts) -> String {
    let bytes = |length: f64| configuration.to_bytes(length, link).round();
    let mut lines = Vec::new();
    for (index, colour) in COLOURS.iter().enumerate() {
        let last = configuration.classes.last();
        let Some(class) = configuration.classes.get(index).or(last) else {
            continue;
        };
        let percent = (100.0 * class.max_p.value).round().clamp(1.0, 100.0);
        let max = bytes(class.max.value).max(1.0);
        lines.push(format!("\"wred_{colour}_enable\": \"true\""));
        lines.push(format!(
            "\"{colour}_min_threshold\": \"{}\"",
            bytes(class.min.value).min(max)
        ));
        lines.push(format!("\"{colour}_max_threshold\": \"{max}\""));
        lines.push(format!("\"{colour}_drop_probability\": \"{percent}\""));
    }
    let ecn = if configuration.ecn.value.on {
        "ecn_all"
    } else {
        "ecn_none"
    };
    lines.push(format!("\"ecn\": \"{ecn}\""));
    let lines = lines.join(",\n            ");
    format!(
        "{{\n    \"WRED_PROFILE\": {{\n        \"EARLYDROP\": {{\n            {lines}\n        \
         }}\n    }}\n}}"
    )
}
