//! OpenConfig: the queue management profiles of `openconfig-qos`, in JSON. Thresholds are in bytes
//! or percent of the buffer, probabilities in percent. The model is read, not written.

use earlydrop::red::Spacing;
use earlydrop::registry::Length;

use super::json;
use super::ledger::unknown;
use super::token::Token;
use super::{
    Class, Configuration, Knob, KnobName, Marking, Object, ParseError, Shape, Source, Tool,
    WithOrigin, knob,
};

pub(super) static TOOL: Tool = Tool {
    name: "openconfig",
    title: "OpenConfig, queue-management-profile",
    keywords: &["queue-management-profile", "max-drop-probability-percent"],
    spacing: Spacing::Geometric,
    supported_spacings: &[Spacing::Geometric],
    spacing_source: "depends on the switch; assumed independent for each packet",
    assumed_rate: None,
    knobs: KNOBS,
    limitations: &[],
    objects: &[Object::Profile],
    is_special: true,
    read,
    write: None,
};

const KNOBS: &[KnobName] = &[
    knob(
        Knob::Min,
        "min-threshold, min-threshold-percent",
        "bytes, %",
        "must be given",
    ),
    knob(
        Knob::Max,
        "max-threshold, max-threshold-percent",
        "bytes, %",
        "must be given",
    ),
    knob(Knob::MaxP, "max-drop-probability-percent", "%", "100"),
    knob(Knob::Weight, "weight", "n of 2^-n", "0: no average"),
    knob(Knob::Ecn, "enable-ecn", "true or false", "false"),
];

const FIELDS: [&str; 8] = [
    "min-threshold",
    "max-threshold",
    "min-threshold-percent",
    "max-threshold-percent",
    "max-drop-probability-percent",
    "enable-ecn",
    "weight",
    "drop",
];

/// A profile with its fields.
struct Profile<'a> {
    name: String,
    at: Token<'a>,
    fields: Vec<(&'a str, Token<'a>)>,
}

/// The buffer that percentages are of where none is given, in seconds.
const BUFFER: f64 = 0.1;

fn read(source: &Source<'_>) -> Result<Configuration, ParseError> {
    let ledger = json::ledger(source.text);
    let mut name = String::new();
    let mut profiles: Vec<Profile> = Vec::new();
    for entry in json::entries(&ledger)? {
        let key = entry.key.text.rsplit(':').next().unwrap_or_default();
        let in_curve = entry.path.contains(&"uniform");
        if key == "name" {
            entry.take(&ledger);
            if entry.path.contains(&"config") && entry.value.text != name && !name.is_empty() {
                let message = format!("the profile {name} is called {}", entry.value.text);
                return Err(entry.value.error(message, format!("nearest: {name}")));
            }
            name = entry.value.text.to_string();
        } else if FIELDS.contains(&key) {
            let value = entry.take(&ledger);
            if profiles.last().is_none_or(|profile| profile.name != name) {
                let (name, at) = (name.clone(), entry.key);
                profiles.push(Profile {
                    name,
                    at,
                    fields: Vec::new(),
                });
            }
            if let Some(profile) = profiles.last_mut() {
                profile.fields.push((key, value));
            }
        } else if in_curve {
            return Err(unknown(&entry.key, &FIELDS));
        } else {
            entry.leave(&ledger);
        }
    }
    let irrelevant = ledger.close(&FIELDS)?;
    let names: Vec<_> = profiles
        .iter()
        .map(|one| (one.name.clone(), Some(one.at)))
        .collect();
    if profiles.is_empty() {
        let message = "this text contains no thresholds";
        return Err(ParseError::of_all(
            source.text,
            message,
            format!("known: {}", FIELDS.join(", ")),
        ));
    }
    let chosen = profiles.swap_remove(source.choose(Object::Profile, &names)?);
    Ok(Configuration {
        objects: names.into_iter().map(|(name, _)| name).collect(),
        irrelevant,
        ..chosen.configuration(source)?
    })
}

impl Profile<'_> {
    fn find(&self, name: &str) -> Option<Token<'_>> {
        let field = self.fields.iter().find(|(key, _)| *key == name);
        field.map(|(_, value)| *value)
    }

    /// `min-threshold` or `min-threshold-percent`, in bytes.
    fn threshold(&self, name: &str, source: &Source<'_>) -> Result<WithOrigin<f64>, ParseError> {
        if let Some(value) = self.find(name) {
            return Ok(WithOrigin::given(
                value.count(name, 0.0, 1e15)?,
                value.span(),
            ));
        }
        let Some(value) = self.find(&format!("{name}-percent")) else {
            return Err(self
                .at
                .error(format!("{name} is missing"), "give both thresholds"));
        };
        let share = value.number(name, 0.0, 100.0)? / 100.0;
        let whole = source.context.buffer.unwrap_or(Length::Seconds(BUFFER));
        let link = source.link;
        let bytes = whole.in_bytes(link.mean_packet, link.rate.0 as f64);
        Ok(WithOrigin::given(share * bytes, value.span()))
    }

    fn configuration(&self, source: &Source<'_>) -> Result<Configuration, ParseError> {
        let percent = self.find("max-drop-probability-percent");
        let percent = percent.map(|value| {
            let name = "max-drop-probability-percent";
            Ok((value.number(name, 1e-3, 100.0)? / 100.0, value.span()))
        });
        let weight = self.find("weight").map(|value| {
            let exponent = value.count("weight", 0.0, 31.0)?;
            Ok(((-exponent).exp2(), value.span()))
        });
        let ecn = self.find("enable-ecn").map(|value| {
            let on = value.flag("enable-ecn")?;
            let marking = Marking {
                on,
                above_max: on,
                ..Marking::OFF
            };
            Ok((marking, value.span()))
        });
        let class = Class {
            name: String::new(),
            min: self.threshold("min-threshold", source)?,
            max: self.threshold("max-threshold", source)?,
            max_p: WithOrigin::given_or(
                percent.transpose()?,
                1.0,
                "by default every packet at max",
            ),
            shape: WithOrigin::implied(Shape::Straight, "a profile has no other shape"),
        };
        Ok(Configuration {
            classes: vec![class],
            in_bytes: true,
            weight: WithOrigin::given_or(
                weight.transpose()?,
                1.0,
                "no average: the current queue length",
            ),
            ecn: WithOrigin::given_or(ecn.transpose()?, Marking::OFF, "false by default"),
            ..Configuration::of(&TOOL)
        })
    }
}
