//! earlydrop's own notation: a scheme such as `red:min=5,max=15`, alone or among the `schemes` of
//! a scenario file. It can express every configuration that this module reads.

use std::ops::Range;

use earlydrop::red::{Average, Spacing};
use earlydrop::registry::{self, ConfigError, LinkFacts, Plan, Settings, Spec, Value};

use super::configuration::merge_equal_classes;
use super::spec::{idle_named, spacing_named, spec, wred};
use super::token::tokenize;
use super::{
    Adapt, Class, Configuration, Knob, KnobName, Marking, Origin, ParseError, Shape, Source, Tool,
    WithOrigin, knob,
};

pub(super) static TOOL: Tool = Tool {
    name: "earlydrop",
    title: "earlydrop",
    keywords: &["[schemes", "schemes ="],
    spacing: Spacing::Uniform,
    spacing_source: "Floyd and Jacobson 1993, method 2",
    supported_spacings: &[
        Spacing::Uniform,
        Spacing::Pseudocode,
        Spacing::Drawn,
        Spacing::Uniform2,
        Spacing::Wait,
        Spacing::Geometric,
    ],
    assumed_rate: None,
    knobs: KNOBS,
    limitations: &[
        (Knob::Shape, "a curve given as numbers has at most 8 tokens"),
        (
            Knob::Ecn,
            "earlydrop's RED drops packets that it cannot mark",
        ),
        (Knob::Rate, "the link rate belongs to the scenario"),
        (
            Knob::Limit,
            "the limit defaults to 1000 packets, or four times a larger max",
        ),
        (Knob::Max, "max must exceed min"),
        (Knob::Adapt, "wred does not adapt"),
    ],
    objects: &[],
    is_special: false,
    read,
    write: Some(write),
};

const KNOBS: &[KnobName] = &[
    knob(
        Knob::Classes,
        "profiles (wred)",
        "min/max/max_p; ...",
        "48/64/0.1; 40/64/0.1; 32/64/0.1",
    ),
    knob(Knob::Min, "min", "packets, bytes or time", "5 packets"),
    knob(Knob::Max, "max", "packets, bytes or time", "auto: 3 min"),
    knob(Knob::MaxP, "max_p", "probability", "0.1"),
    knob(Knob::Shape, "curve", "name", "red"),
    knob(
        Knob::Limit,
        "limit",
        "packets, bytes or time",
        "1000 packets",
    ),
    knob(Knob::Weight, "weight", "ratio, or auto", "0.002"),
    knob(Knob::Unit, "unit", "packets or bytes", "packets"),
    knob(Knob::Packet, "mean_packet", "bytes", "auto: the link's"),
    knob(Knob::BySize, "by_size", "on or off", "off"),
    knob(Knob::Spacing, "spacing", "name", "uniform"),
    knob(Knob::Cautious, "cautious", "on or off", "off"),
    knob(Knob::Idle, "idle", "name", "exact"),
    knob(
        Knob::Ecn,
        "ecn, mark_above_max, mark_limit",
        "on or off, probability",
        "on, off, 1",
    ),
    knob(Knob::Adapt, "adapt", "name", "none"),
];

/// The text before the first colon.
fn name_in(text: &str) -> &str {
    text.split(':').next().unwrap_or_default().trim()
}

/// Whether the text before the first colon names a scheme of the registry.
pub(super) fn is_spec(text: &str) -> bool {
    registry::find(name_in(text)).is_some()
}

/// The scheme that is meant where `text` is a word, or begins with one and a colon, that is nearly
/// a scheme's name.
pub(super) fn nearly_a_scheme(text: &str) -> Option<&'static str> {
    match registry::Registry::built_in().spec(name_in(text)) {
        Err(ConfigError::UnknownScheme { nearest, .. }) => nearest,
        _ => None,
    }
}

fn read(source: &Source<'_>) -> Result<Configuration, ParseError> {
    let (text, link) = (source.text, source.link);
    let (spec, at) = first_spec(text)?;
    let at_parameter = |error: ConfigError| parse_error(&error, text, &at);
    let settings = spec.settings(link).map_err(at_parameter)?;
    let plan = spec.plan(link).map_err(at_parameter)?;
    let reader = Reader {
        text,
        at: at.clone(),
        settings: &settings,
    };
    match spec.descriptor().name {
        "wred" => reader.wred(),
        name => match (&plan, spec.descriptor().parameter("curve")) {
            (Plan::Single { .. }, Some(_)) => reader.red(&plan),
            _ => {
                let message = format!("{name} is not RED with other knobs");
                let help =
                    format!("run `earlydrop schemes {name}` to see what its parameters mean");
                Err(ParseError {
                    span: at,
                    message,
                    help,
                })
            }
        },
    }
}

/// The scheme that the text consists of, or the first quoted scheme in it, with its span.
fn first_spec(text: &str) -> Result<(Spec, Range<usize>), ParseError> {
    let start = text.len() - text.trim_start().len();
    let whole = start..start + text.trim().len();
    let parse = |span: Range<usize>| {
        let spec = text[span.clone()].parse::<Spec>();
        spec.map_err(|error| parse_error(&error, text, &span))
            .map(|spec| (spec, span))
    };
    if is_spec(text) || !text.contains(['"', '\'', '\n']) {
        return parse(whole);
    }
    let all = tokenize(text, &["#"]);
    for (index, token) in all.iter().enumerate().filter(|(_, token)| token.quoted) {
        let named = index >= 2 && all[index - 1].text == "=" && all[index - 2].text == "scheme";
        if named {
            return table(text, &all, index);
        }
        if is_spec(token.text) {
            return parse(token.span());
        }
    }
    let help = "allowed: red:min=5,max=15, or schemes = [\"red:min=5,max=15\"]";
    Err(ParseError::of_all(
        text,
        "this text contains no scheme",
        help,
    ))
}

/// A TOML table: `scheme = "red"` and the lines below it, up to the next table.
fn table(
    text: &str,
    all: &[super::token::Token],
    index: usize,
) -> Result<(Spec, Range<usize>), ParseError> {
    let name = &all[index];
    let mut span = name.span();
    let mut spec = Spec::new(name.text).map_err(|error| parse_error(&error, text, &span))?;
    for triple in all[index + 1..].windows(3) {
        if triple[0].text == "[" && !triple[0].quoted {
            break;
        }
        if triple[1].text != "=" || triple[1].quoted {
            continue;
        }
        span.end = triple[2].span().end;
        let with = spec.with(triple[0].text, triple[2].text);
        spec = with.map_err(|error| parse_error(&error, text, &triple[0].span()))?;
    }
    Ok((spec, span))
}

/// Locates a registry error at the parameter it is about, if the text has that parameter.
fn parse_error(error: &ConfigError, text: &str, within: &Range<usize>) -> ParseError {
    let text_of_error = error.to_string();
    let (message, help) = text_of_error
        .split_once("; ")
        .unwrap_or((text_of_error.as_str(), ""));
    let span = error.parameter().and_then(|name| place(text, within, name));
    ParseError {
        span: span.unwrap_or_else(|| within.clone()),
        message: message.to_string(),
        help: help.to_string(),
    }
}

/// The span of the last `name = value` within the span `within`.
fn place(text: &str, within: &Range<usize>, name: &str) -> Option<Range<usize>> {
    let inside = &text[within.clone()];
    let starts = inside.match_indices(name).filter(|(index, _)| {
        let before = inside[..*index].chars().next_back();
        let after = inside[index + name.len()..].trim_start();
        before.is_none_or(|letter| !letter.is_alphanumeric() && letter != '_')
            && after.starts_with('=')
    });
    let (start, _) = starts.last()?;
    let length = inside[start..]
        .find([',', '\n', '"'])
        .unwrap_or(inside.len() - start);
    let start = within.start + start;
    Some(start..start + length.max(name.len()))
}

/// Reads the settings of one scheme; `at` is the span of that scheme in `text`.
struct Reader<'a> {
    text: &'a str,
    at: Range<usize>,
    settings: &'a Settings,
}

impl Reader<'_> {
    /// `value` with the span of the parameter `name`, or with the origin of its default.
    fn with_origin<T>(&self, name: &str, value: T) -> WithOrigin<T> {
        let origin = match place(self.text, &self.at, name) {
            Some(span) if self.settings.was_given(name) => Origin::Given(span),
            _ => Origin::Implied(self.origin(name)),
        };
        WithOrigin { value, origin }
    }

    fn origin(&self, name: &str) -> &'static str {
        let scheme = registry::find(self.settings.scheme());
        let parameter = scheme.and_then(|scheme| Some((scheme, scheme.parameter(name)?)));
        let Some((scheme, parameter)) = parameter else {
            return "fixed in earlydrop";
        };
        match self.settings.origin_of(parameter) {
            origin if origin.starts_with("as=") => "from the preset",
            _ => scheme.default_of(parameter).1,
        }
    }

    fn red(&self, plan: &Plan) -> Result<Configuration, ParseError> {
        let s = self.settings;
        let unsupported = |name: &str, value: &str| {
            let help = "explain and translate support the curves red, gentle, nlred and numbers, \
                        the adaptations ared and feng, and no policy";
            ParseError {
                span: place(self.text, &self.at, name).unwrap_or_else(|| self.at.clone()),
                message: format!("{name}={value} exists in earlydrop only"),
                help: help.to_string(),
            }
        };
        let adapt = match s.choice("adapt") {
            "none" => Adapt::No,
            "ared" => Adapt::Floyd,
            "feng" => Adapt::Feng,
            other => return Err(unsupported("adapt", other)),
        };
        if s.choice("policy") != "none" {
            return Err(unsupported("policy", s.choice("policy")));
        }
        let curve = plan.curve().map(|curve| (*curve.shape(), curve));
        let Some((ends, curve)) = curve else {
            return Err(unsupported("curve", s.choice("curve")));
        };
        let shape = match s.choice("curve") {
            "red" => Shape::Straight,
            "gentle" => Shape::Gentle,
            "nlred" => Shape::Nonlinear,
            "numbers" => Shape::Points {
                points: corners(curve),
                stepped: false,
            },
            other => return Err(unsupported("curve", other)),
        };
        let max_p = match shape {
            Shape::Points { .. } => curve.probability(ends.max.next_down()).max(1e-9),
            _ => s.number("max_p"),
        };
        let class = Class {
            name: String::new(),
            min: self.with_origin("min", ends.min),
            max: self.with_origin("max", ends.max),
            max_p: self.with_origin("max_p", max_p),
            shape: self.with_origin("curve", shape),
        };
        Ok(Configuration {
            adapt: self.with_origin("adapt", adapt),
            ..self.common(vec![class])
        })
    }

    fn wred(&self) -> Result<Configuration, ParseError> {
        let classes = self.profiles("profiles");
        let ect = match self.settings.text("ect_profiles") {
            "same" => Vec::new(),
            _ => self.profiles("ect_profiles"),
        };
        if !ect.is_empty() && self.settings.flag("ecn") {
            return Ok(Configuration {
                ect,
                ..self.common(classes)
            });
        }
        Ok(self.common(merge_equal_classes(classes)))
    }

    /// The classes of `min/max/max_p; ...`.
    fn profiles(&self, name: &str) -> Vec<Class> {
        let gentle = self.settings.flag("gentle");
        let shape = if gentle {
            Shape::Gentle
        } else {
            Shape::Straight
        };
        let profiles = self.settings.text(name).split(';').enumerate();
        let class = |(index, profile): (usize, &str)| {
            let mut numbers = profile
                .split('/')
                .map(|number| number.trim().parse().unwrap_or(0.0));
            let mut next = || self.with_origin(name, numbers.next().unwrap_or(0.0));
            Class {
                name: format!("class {index}"),
                min: next(),
                max: next(),
                max_p: next(),
                shape: self.with_origin("gentle", shape.clone()),
            }
        };
        profiles.map(class).collect()
    }

    fn common(&self, classes: Vec<Class>) -> Configuration {
        let s = self.settings;
        let link = s.link();
        let automatic = || {
            let span = s.time("weight_time").as_secs_f64();
            Average::automatic_weight(link.rate.packets_per_sec(link.mean_packet), span)
        };
        let choice = |name: &str| match s.value(name) {
            Value::Choice(choice) => *choice,
            _ => "",
        };
        Configuration {
            classes,
            in_bytes: s.choice("unit") == "bytes",
            unit_origin: self.with_origin("unit", ()).origin,
            limit: self.with_origin("limit", s.length_or_auto("limit")),
            weight: self.with_origin(
                "weight",
                s.number_or_auto("weight").unwrap_or_else(automatic),
            ),
            mean_packet: self.with_origin("mean_packet", s.size_or_auto("mean_packet")),
            spacing: self.with_origin("spacing", spacing_named(choice("spacing"))),
            idle: self.with_origin("idle", idle_named(choice("idle"))),
            ecn: self.with_origin("ecn", marking(s)),
            by_size: self.with_origin("by_size", s.flag("by_size")),
            cautious: self.with_origin("cautious", s.flag("cautious")),
            ..Configuration::of(&TOOL)
        }
    }
}

fn marking(s: &Settings) -> Marking {
    if !s.flag("ecn") {
        return Marking::OFF;
    }
    Marking {
        on: true,
        above_max: s.flag("mark_above_max"),
        up_to: s.number("mark_limit"),
        spares_others: false,
    }
}

/// Samples a curve given as numbers at eight points, and adds the point where it ends. A single
/// step is one point.
fn corners(curve: &earlydrop::red::Curve) -> Vec<(f64, f64)> {
    let (first, end) = (curve.first(), curve.shape().max);
    // The last sample is just below the end, where the probability may jump.
    let at = |step: u32| first + (end - first) * (f64::from(step) / 7.0).min(1.0 - 1e-6);
    let below = |x: f64| (x, curve.probability(x.next_down()));
    let mut points: Vec<(f64, f64)> = (0..8).map(|step| below(at(step))).collect();
    points.push((end, 1.0_f64.min(curve.probability(end))));
    points.dedup_by(|later, earlier| {
        let same = later.0 <= earlier.0;
        if same {
            *earlier = *later;
        }
        same
    });
    points
}

/// Writes `wred` for several classes and `red` for one.
fn write(configuration: &Configuration, link: &LinkFacts) -> String {
    let spec = match configuration.classes.as_slice() {
        [_] => spec(configuration, 0, link),
        classes => wred(configuration, classes, &configuration.ect, link),
    };
    // A test checks that every name above is in the registry.
    spec.map(|spec| spec.to_string()).unwrap_or_default()
}
