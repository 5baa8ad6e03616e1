//! Values of Python as a scenario has them: a number is in base units (seconds, bits per second,
//! bytes), as in tables; text has its unit.

use earlydrop::registry::{Kind, Range, Registry};
use earlydrop_lab::document::{Content, Node, Place, Problem, Section, Shape, lacks_unit};
use earlydrop_lab::plan::{ShortName, Source};
use earlydrop_lab::scenario::SCENARIO;
use pyo3::prelude::*;

use crate::errors::value_error;

/// An amount of data, which may be written in packets, too.
const AMOUNT: Kind = Kind::Bytes(Range::POSITIVE);

/// The base unit of a kind of value; nothing for one that needs no unit.
fn base_unit(kind: &Kind) -> &'static str {
    match kind {
        Kind::Time(_) => "s",
        Kind::Rate(_) => "bps",
        Kind::Bytes(_) => "bytes",
        Kind::OrAuto(kind) | Kind::OrNever(kind) | Kind::OrPoints(kind) => base_unit(kind),
        _ => "",
    }
}

/// A number of Python as a value of this kind is written: 0.05 as "50 ms".
pub(crate) fn with_unit(kind: &Kind, number: &str) -> String {
    let unit = base_unit(kind);
    if unit.is_empty() {
        return number.to_string();
    }
    let text = format!("{number} {unit}");
    let Ok(value) = kind.read(&text) else {
        return text;
    };
    let usual = value.to_string();
    match kind.read(&usual) {
        Ok(again) if again == value => usual,
        _ => text,
    }
}

/// A name of a choice as scenarios have it: titles show "CUBIC", scenarios name "cubic".
pub(crate) fn in_small_letters(kind: &Kind, text: String) -> String {
    let mut names = kind.choices().unwrap_or_default().iter();
    let same = names.find(|(name, _)| name.eq_ignore_ascii_case(&text));
    same.map_or(text, |(name, _)| (*name).to_string())
}

/// The kind of the values of a field of scenarios by its path: "network.links.0.rate"; `None` where
/// a reader of its own checks them.
pub(crate) fn kind_of_field(path: &str) -> Option<&'static Kind> {
    let mut steps = path.split('.');
    let mut section: &'static Section = &SCENARIO;
    loop {
        match &section.field(steps.next()?)?.shape {
            Shape::One(kind) | Shape::Between(kind) => return Some(kind),
            Shape::Length(kind) | Shape::Spread(kind) => return Some(kind),
            Shape::Amount => return Some(&AMOUNT),
            Shape::Table(inner) | Shape::Either(inner, _) => section = inner,
            Shape::Named(inner) | Shape::List(inner) => {
                steps.next()?;
                section = inner;
            }
            Shape::Open(_) => return None,
        }
    }
}

/// The kind of the values of a parameter of schemes by its path: "schemes.mine.target".
fn kind_of_parameter(source: &Source, path: &str) -> Option<&'static Kind> {
    let registry = source.registry();
    let steps: Vec<&str> = path.split('.').collect();
    match steps.as_slice() {
        ["parameters", name] => {
            let named = |scheme: &earlydrop::registry::Descriptor| scheme.parameter(name);
            registry.iter().find_map(named).map(|found| &found.kind)
        }
        ["schemes", label, name] => kind_in_scheme(source.tree(), registry, label, name),
        _ => None,
    }
}

fn kind_in_scheme(
    tree: &Node,
    registry: &Registry,
    label: &str,
    name: &str,
) -> Option<&'static Kind> {
    let named = tree.at(&["schemes", label, "scheme"]).and_then(Node::text);
    let scheme = registry.find(named.as_deref().unwrap_or(label))?;
    scheme.parameter(name).map(|found| &found.kind)
}

/// The kind of the values at a path, of a field or of a parameter.
pub(crate) fn kind_at(source: &Source, path: &str) -> Option<&'static Kind> {
    kind_of_field(path).or_else(|| kind_of_parameter(source, path))
}

/// The path of the field that a short name changes; `None` where it changes several.
pub(crate) fn path_of(source: &Source, short: ShortName) -> Option<String> {
    let path = match short {
        ShortName::Link => "network.rate",
        ShortName::Rtt => "network.rtt",
        ShortName::Buffer => "network.buffer",
        ShortName::Duration => "duration",
        ShortName::WarmUp => "warm_up",
        ShortName::Seeds => "seeds",
        ShortName::Flows => {
            let Content::Table(groups) = &source.tree().at(&["flows"])?.content else {
                return None;
            };
            return groups
                .first()
                .map(|(key, _)| format!("flows.{}.count", key.name));
        }
        ShortName::Tcp if groups_with_tcp(source).next().is_none() => "tcp.control",
        ShortName::Ecn if groups_with_tcp(source).next().is_none() => "tcp.ecn",
        ShortName::Schemes | ShortName::Tcp | ShortName::Ecn => return None,
    };
    Some(path.to_string())
}

/// The groups of flows with a TCP of their own.
pub(crate) fn groups_with_tcp(source: &Source) -> impl Iterator<Item = &str> {
    let groups = match source.tree().at(&["flows"]).map(|node| &node.content) {
        Some(Content::Table(groups)) => groups.as_slice(),
        _ => &[],
    };
    let own = groups
        .iter()
        .filter(|(_, group)| group.at(&["tcp"]).is_some());
    own.map(|(key, _)| key.name.as_str())
}

/// The problems of parameters that an argument gives as a number in text without its unit.
pub(crate) fn without_unit(source: &Source) -> Vec<Problem> {
    let tree = source.tree();
    let Some(Content::Table(schemes)) = tree.at(&["schemes"]).map(|node| &node.content) else {
        return Vec::new();
    };
    let mut problems = Vec::new();
    for (label, scheme) in schemes {
        let Content::Table(parameters) = &scheme.content else {
            continue;
        };
        for (name, value) in parameters {
            let (Content::Text(text), Place::Argument(_)) = (&value.content, &value.place) else {
                continue;
            };
            let kind = kind_in_scheme(tree, source.registry(), &label.name, &name.name);
            if let Some(kind) = kind.filter(|kind| lacks_unit(kind, text)) {
                let (message, help) = refusal(&label.name, &name.name, text, kind);
                problems.push(Problem::new(&value.place, message, help));
            }
        }
    }
    problems
}

/// What is said of a parameter without its unit, and what is allowed.
fn refusal(scheme: &str, name: &str, text: &str, kind: &Kind) -> (String, String) {
    let unit = base_unit(kind);
    let message = format!("{scheme}: {name} = {text} has no unit");
    let help = format!("allowed: {}; nearest: {name}={text} {unit}", kind.allowed());
    (message, help)
}

/// Refuses a scheme's text in which a parameter lacks its unit.
pub(crate) fn needs_units(spec: &earlydrop::registry::Spec) -> PyResult<()> {
    let scheme = spec.descriptor();
    let mut refused = None;
    let _ = spec.replaced(|name, text| {
        let kind = scheme.parameter(name).map(|found| &found.kind);
        if let Some(kind) = kind.filter(|kind| lacks_unit(kind, text)) {
            let (message, help) = refusal(scheme.name, name, text, kind);
            refused.get_or_insert(format!("{message}; {help}"));
        }
        None
    });
    refused.map_or(Ok(()), |text| Err(value_error(text)))
}

/// A number of seconds as text: "50 ms".
#[pyfunction]
pub(crate) fn time_text(seconds: f64) -> String {
    with_unit(&Kind::Time(Range::FINITE), &seconds.to_string())
}
