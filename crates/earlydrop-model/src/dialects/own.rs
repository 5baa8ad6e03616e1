//! earlydrop itself: a scheme's text, `red:min=5,max=15`, alone or among the `schemes` of a
//! scenario. Everything that can be read can be said so.

use std::ops::Range;

use earlydrop::red::{Average, Idle, Spacing};
use earlydrop::registry::{self, ConfigError, Length, Link, Plan, Settings, Spec, Value};
use earlydrop::units::Bytes;

use super::scan::pieces;
use super::{
    Adapt, Called, Class, Configuration, Dialect, Knob, Known, Marking, Origin, Refusal, Shape,
    called,
};

pub(super) static DIALECT: Dialect = Dialect {
    name: "earlydrop",
    title: "earlydrop",
    signs: &["[schemes", "schemes ="],
    spacing: Spacing::Uniform,
    spacing_source: "Floyd and Jacobson 1993, method 2",
    spacings: &[
        Spacing::Uniform,
        Spacing::Drawn,
        Spacing::Uniform2,
        Spacing::Wait,
        Spacing::Geometric,
    ],
    assumed_rate: None,
    knobs: KNOBS,
    lacks: &[
        (Knob::Shape, "a curve given as numbers has at most 8 pieces"),
        (Knob::Ecn, "earlydrop's RED drops what cannot be marked"),
        (Knob::Rate, "the scenario has the link's rate"),
        (
            Knob::Limit,
            "the limit is 1000 packets unless told, and more where max is",
        ),
        (Knob::Max, "max must lie above min, by however little"),
        (Knob::Adapt, "wred adapts nothing"),
    ],
    read,
    write,
};

const KNOBS: &[Called] = &[
    called(
        Knob::Classes,
        "profiles (wred)",
        "min/max/max_p; ...",
        "48/64/0.1; 40/64/0.1; 32/64/0.1",
    ),
    called(Knob::Min, "min", "packets, bytes or time", "5 packets"),
    called(Knob::Max, "max", "packets, bytes or time", "auto: 3 min"),
    called(Knob::MaxP, "max_p", "probability", "0.1"),
    called(Knob::Shape, "curve", "name", "red"),
    called(
        Knob::Limit,
        "limit",
        "packets, bytes or time",
        "1000 packets",
    ),
    called(Knob::Weight, "weight", "ratio, or auto", "0.002"),
    called(Knob::Unit, "unit", "packets or bytes", "packets"),
    called(Knob::Packet, "mean_packet", "bytes", "auto: the link's"),
    called(Knob::BySize, "by_size", "on or off", "off"),
    called(Knob::Spacing, "spacing", "name", "uniform"),
    called(Knob::Cautious, "cautious", "on or off", "off"),
    called(Knob::Idle, "idle", "name", "exact"),
    called(
        Knob::Ecn,
        "ecn, mark_above_max, mark_limit",
        "on or off, probability",
        "on, off, 1",
    ),
    called(Knob::Adapt, "adapt", "name", "none"),
];

/// DPDK's `RTE_RED_S`: bytes that make a unit of idle time.
const DPDK_UNIT: u64 = 1 << 22;

/// Whether this is a scheme's text, by its name.
pub(super) fn is_spec(text: &str) -> bool {
    let name = text.split(':').next().unwrap_or_default().trim();
    registry::find(name).is_some()
}

fn read(text: &str, link: &Link) -> Result<Configuration, Refusal> {
    let (spec, at) = first_spec(text)?;
    let refuse = |error: ConfigError| refusal(&error, text, &at);
    let settings = spec.settings(link).map_err(refuse)?;
    let plan = spec.plan(link).map_err(refuse)?;
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
                let help = format!("earlydrop schemes {name} tells what its parameters mean");
                Err(Refusal {
                    span: at,
                    message,
                    help,
                })
            }
        },
    }
}

/// The text's own spec, or the first among its quoted ones; and where it stands.
fn first_spec(text: &str) -> Result<(Spec, Range<usize>), Refusal> {
    let start = text.len() - text.trim_start().len();
    let whole = start..start + text.trim().len();
    let parse = |span: Range<usize>| {
        let spec = text[span.clone()].parse::<Spec>();
        spec.map_err(|error| refusal(&error, text, &span))
            .map(|spec| (spec, span))
    };
    if is_spec(text) || !text.contains(['"', '\'', '\n']) {
        return parse(whole);
    }
    let all = pieces(text, &["#"]);
    for (index, piece) in all.iter().enumerate().filter(|(_, piece)| piece.quoted) {
        let named = index >= 2 && all[index - 1].text == "=" && all[index - 2].text == "scheme";
        if named {
            return table(text, &all, index);
        }
        if is_spec(piece.text) {
            return parse(piece.span());
        }
    }
    let help = "allowed: as red:min=5,max=15, or schemes = [\"red:min=5,max=15\"]";
    Err(Refusal::of_all(text, "no scheme stands in this", help))
}

/// `scheme = "red"` and the lines below it, up to the next table.
fn table(
    text: &str,
    all: &[super::scan::Piece],
    index: usize,
) -> Result<(Spec, Range<usize>), Refusal> {
    let name = &all[index];
    let mut span = name.span();
    let mut spec = Spec::new(name.text).map_err(|error| refusal(&error, text, &span))?;
    for triple in all[index + 1..].windows(3) {
        if triple[0].text == "[" && !triple[0].quoted {
            break;
        }
        if triple[1].text != "=" || triple[1].quoted {
            continue;
        }
        span.end = triple[2].span().end;
        let with = spec.with(triple[0].text, triple[2].text);
        spec = with.map_err(|error| refusal(&error, text, &triple[0].span()))?;
    }
    Ok((spec, span))
}

/// A configuration's error at the parameter it is about, where that stands in the text.
fn refusal(error: &ConfigError, text: &str, within: &Range<usize>) -> Refusal {
    let told = error.to_string();
    let (message, help) = told.split_once("; ").unwrap_or((told.as_str(), ""));
    let span = error.parameter().and_then(|name| place(text, within, name));
    Refusal {
        span: span.unwrap_or_else(|| within.clone()),
        message: message.to_string(),
        help: help.to_string(),
    }
}

/// Where `name = value` stands.
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

struct Reader<'a> {
    text: &'a str,
    at: Range<usize>,
    settings: &'a Settings,
}

impl Reader<'_> {
    /// `value` with the place of `name` where it was given, else where its default is from.
    fn known<T>(&self, name: &str, value: T) -> Known<T> {
        let origin = match place(self.text, &self.at, name) {
            Some(span) if self.settings.was_given(name) => Origin::Given(span),
            _ => Origin::Tool(self.origin(name)),
        };
        Known { value, origin }
    }

    fn origin(&self, name: &str) -> &'static str {
        let scheme = registry::find(self.settings.scheme());
        let parameter = scheme.and_then(|scheme| Some((scheme, scheme.parameter(name)?)));
        let Some((scheme, parameter)) = parameter else {
            return "earlydrop's way";
        };
        match self.settings.origin_of(parameter) {
            origin if origin.starts_with("as=") => "of the preset",
            _ => scheme.default_of(parameter).1,
        }
    }

    fn red(&self, plan: &Plan) -> Result<Configuration, Refusal> {
        let s = self.settings;
        let refuse = |name: &str, value: &str| {
            let help = "explain and translate know the curves red, gentle, nlred and numbers, \
                        the adaptations ared and feng, and no policy";
            Refusal {
                span: place(self.text, &self.at, name).unwrap_or_else(|| self.at.clone()),
                message: format!("{name}={value} is earlydrop's own"),
                help: help.to_string(),
            }
        };
        let adapt = match s.choice("adapt") {
            "none" => Adapt::No,
            "ared" => Adapt::Floyd,
            "feng" => Adapt::Feng,
            other => return Err(refuse("adapt", other)),
        };
        if s.choice("policy") != "none" {
            return Err(refuse("policy", s.choice("policy")));
        }
        let curve = plan.curve().map(|curve| (*curve.shape(), curve));
        let Some((ends, curve)) = curve else {
            return Err(refuse("curve", s.choice("curve")));
        };
        let shape = match s.choice("curve") {
            "red" => Shape::Straight,
            "gentle" => Shape::Gentle,
            "nlred" => Shape::Nonlinear,
            "numbers" => Shape::Points {
                points: corners(curve),
                stepped: false,
            },
            other => return Err(refuse("curve", other)),
        };
        let max_p = match shape {
            Shape::Points { .. } => curve.probability(ends.max.next_down()).max(1e-9),
            _ => s.number("max_p"),
        };
        let class = Class {
            name: String::new(),
            min: self.known("min", ends.min),
            max: self.known("max", ends.max),
            max_p: self.known("max_p", max_p),
            shape: self.known("curve", shape),
        };
        Ok(Configuration {
            adapt: self.known("adapt", adapt),
            ..self.common(vec![class])
        })
    }

    fn wred(&self) -> Result<Configuration, Refusal> {
        let gentle = self.settings.flag("gentle");
        let shape = if gentle {
            Shape::Gentle
        } else {
            Shape::Straight
        };
        let profiles = self.settings.text("profiles").split(';').enumerate();
        let class = |(index, profile): (usize, &str)| {
            let mut numbers = profile
                .split('/')
                .map(|number| number.trim().parse().unwrap_or(0.0));
            let mut next = || self.known("profiles", numbers.next().unwrap_or(0.0));
            Class {
                name: format!("class {index}"),
                min: next(),
                max: next(),
                max_p: next(),
                shape: self.known("gentle", shape.clone()),
            }
        };
        Ok(self.common(super::dpdk::alike(profiles.map(class).collect())))
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
            unit_origin: self.known("unit", ()).origin,
            limit: self.known("limit", s.length_or_auto("limit")),
            weight: self.known(
                "weight",
                s.number_or_auto("weight").unwrap_or_else(automatic),
            ),
            mean_packet: self.known("mean_packet", s.size_or_auto("mean_packet")),
            spacing: self.known("spacing", spacing_named(choice("spacing"))),
            idle: self.known("idle", idle_named(choice("idle"))),
            ecn: self.known("ecn", marking(s)),
            by_size: self.known("by_size", s.flag("by_size")),
            cautious: self.known("cautious", s.flag("cautious")),
            ..Configuration::of(&DIALECT)
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

/// Where the pieces of a curve given as numbers begin, and what it comes to between: lines
/// as they are, parabolas and cubics by eight points.
fn corners(curve: &earlydrop::red::Curve) -> Vec<(f64, f64)> {
    let (first, end) = (curve.first(), curve.shape().max);
    let at = |step: u32| first + (end - first) * f64::from(step) / 7.0;
    let below = |x: f64| (x, curve.probability(x.next_down()));
    let mut points: Vec<(f64, f64)> = (0..8).map(|step| below(at(step))).collect();
    points.push((end * (1.0 + 1e-6), 1.0_f64.min(curve.probability(end))));
    points
}

const SPACINGS: [(Spacing, &str); 5] = [
    (Spacing::Uniform, "uniform"),
    (Spacing::Uniform2, "uniform2"),
    (Spacing::Drawn, "drawn"),
    (Spacing::Wait, "wait"),
    (Spacing::Geometric, "geometric"),
];

/// What earlydrop calls it.
pub(super) fn spacing_name(spacing: Spacing) -> &'static str {
    let found = SPACINGS.iter().find(|(known, _)| *known == spacing);
    found.map_or("uniform", |(_, name)| name)
}

fn spacing_named(name: &str) -> Spacing {
    let found = SPACINGS.iter().find(|(_, known)| *known == name);
    found.map_or(Spacing::Uniform, |(spacing, _)| *spacing)
}

const IDLES: [(Idle, &str); 5] = [
    (Idle::Exact, "exact"),
    (Idle::Floor, "floor"),
    (Idle::FloorPlusOne, "ns2"),
    (Idle::Halving, "linux"),
    (Idle::None, "none"),
];

/// What earlydrop calls it.
pub(super) fn idle_name(idle: Idle) -> &'static str {
    let found = IDLES.iter().find(|(known, _)| *known == idle);
    found.map_or("exact", |(_, name)| name)
}

fn idle_named(name: &str) -> Idle {
    let found = IDLES.iter().find(|(_, known)| *known == name);
    found.map_or(Idle::Exact, |(idle, _)| *idle)
}

/// A configuration as earlydrop runs it, for packets of one class.
pub(super) fn spec(
    configuration: &Configuration,
    class: usize,
    link: &Link,
) -> Result<Spec, ConfigError> {
    let Some(class) = configuration.classes.get(class) else {
        return Spec::new("droptail");
    };
    let (min, max) = ends(class);
    let name = match class.shape.value {
        Shape::Straight | Shape::Points { .. } => "red",
        Shape::Gentle => "gred",
        Shape::Nonlinear => "nlred",
    };
    let unit = if configuration.in_bytes {
        "bytes"
    } else {
        "packets"
    };
    let mut spec = Spec::new(name)?;
    if let Shape::Points { points, stepped } = &class.shape.value {
        spec = spec
            .with("curve", "numbers")?
            .with("segments", segments(points, *stepped))?;
    } else {
        spec = spec.with("min", format!("{min} {unit}"))?;
        spec = spec.with("max", format!("{max} {unit}"))?;
        spec = spec.with("max_p", class.max_p.value)?;
    }
    let frozen = matches!(configuration.spacing.value, Spacing::Wait);
    if class.shape.value == Shape::Gentle && frozen && configuration.adapt.value != Adapt::No {
        spec = spec.with("gentle_slope", "initial")?;
    }
    spec = common(spec, configuration, link)?;
    match configuration.adapt.value {
        Adapt::No => Ok(spec),
        Adapt::Floyd => spec.with("adapt", "ared"),
        Adapt::Feng => spec.with("adapt", "feng"),
    }
}

/// min and max, max above min.
fn ends(class: &Class) -> (f64, f64) {
    let min = class.min.value;
    let max = class.max.value;
    (
        min,
        if max > min {
            max
        } else {
            (min * (1.0 + 1e-6)).max(1e-6)
        },
    )
}

/// What RED and WRED are told alike; defaults are left out.
fn common(mut spec: Spec, configuration: &Configuration, link: &Link) -> Result<Spec, ConfigError> {
    let marking = configuration.ecn.value;
    let on = |flag: bool| if flag { "on" } else { "off" }.to_string();
    let idle = configuration.idle.value;
    let limit = limit(configuration, link);
    let packet = configuration.mean_packet.value;
    let parameters = [
        (
            "weight",
            (configuration.weight.value != 0.002).then(|| configuration.weight.value.to_string()),
        ),
        ("unit", configuration.in_bytes.then(|| "bytes".to_string())),
        (
            "mean_packet",
            packet.map(|Bytes(size)| format!("{size} bytes")),
        ),
        (
            "spacing",
            (configuration.spacing.value != Spacing::Uniform)
                .then(|| spacing_name(configuration.spacing.value).to_string()),
        ),
        ("by_size", configuration.by_size.value.then(|| on(true))),
        ("cautious", configuration.cautious.value.then(|| on(true))),
        (
            "idle",
            (idle != Idle::Exact).then(|| idle_name(idle).to_string()),
        ),
        (
            "idle_packet",
            (idle == Idle::Floor).then(|| format!("{DPDK_UNIT} bytes")),
        ),
        ("limit", limit),
        ("ecn", (!marking.on).then(|| on(false))),
        (
            "mark_above_max",
            (marking.on && marking.above_max).then(|| on(true)),
        ),
        (
            "mark_limit",
            (marking.on && marking.up_to < 1.0).then(|| marking.up_to.to_string()),
        ),
    ];
    for (name, value) in parameters {
        if let Some(value) = value {
            spec = spec.with(name, value)?;
        }
    }
    Ok(spec)
}

/// The buffer as it was told, or one that max leaves room in; none for the registry's own.
fn limit(configuration: &Configuration, link: &Link) -> Option<String> {
    let most = configuration.classes.iter();
    let most = 4.0 * most.map(|class| ends(class).1).fold(0.0, f64::max);
    let unit = if configuration.in_bytes {
        "bytes"
    } else {
        "packets"
    };
    match configuration.limit.value {
        Some(limit) => Some(limit_text(limit)),
        None if configuration.in_packets(most, link) > 1000.0 => Some(format!("{most} {unit}")),
        None => None,
    }
}

fn limit_text(limit: Length) -> String {
    match limit {
        Length::Packets(packets) => format!("{packets} packets"),
        Length::Bytes(bytes) => format!("{bytes} bytes"),
        Length::Seconds(seconds) => format!("{seconds} s"),
    }
}

/// Points as the text of `segments`, of which there are at most eight and a last one.
fn segments(points: &[(f64, f64)], stepped: bool) -> String {
    const MOST: usize = 9;
    let zeros = points.iter().take_while(|(_, p)| *p == 0.0).count();
    let rising = &points[if stepped { zeros } else { zeros.max(1) - 1 }.min(points.len())..];
    let every = |index: usize| index * (rising.len() - 1) / (MOST - 1);
    let kept: Vec<(f64, f64)> = match rising.len() > MOST {
        true => (0..MOST).map(|index| rising[every(index)]).collect(),
        false => rising.to_vec(),
    };
    let mut pieces = Vec::new();
    for (index, (x, p)) in kept.iter().enumerate() {
        let slope = match kept.get(index + 1) {
            Some((next, q)) if !stepped => (q - p) / (next - x),
            _ => 0.0,
        };
        pieces.push(match slope == 0.0 {
            true => format!("{x}: {p}"),
            false => format!("{x}: {p} {slope}"),
        });
    }
    pieces.join("; ")
}

/// Several classes make a wred, one a red.
fn write(configuration: &Configuration, link: &Link) -> String {
    let spec = match configuration.classes.as_slice() {
        [_] => spec(configuration, 0, link),
        classes => {
            let profile = |class: &Class| {
                let (min, max) = ends(class);
                format!("{min}/{max}/{}", class.max_p.value)
            };
            let profiles: Vec<String> = classes.iter().map(profile).collect();
            let gentle = classes
                .iter()
                .all(|class| class.shape.value == Shape::Gentle);
            Spec::new("wred")
                .and_then(|spec| spec.with("profiles", profiles.join("; ")))
                .and_then(|spec| match gentle {
                    true => spec.with("gentle", "on"),
                    false => Ok(spec),
                })
                .and_then(|spec| common(spec, configuration, link))
        }
    };
    // Every name above is one of the registry's, which a test sees to.
    spec.map(|spec| spec.to_string()).unwrap_or_default()
}
