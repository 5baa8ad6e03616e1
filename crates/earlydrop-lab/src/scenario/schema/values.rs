//! The schemas of single values: numbers, quantities with units, choices.

use earlydrop::registry::{Kind, Range};
use earlydrop::units::{Dimension, spellings};
use serde_json::{Value, json};

/// A pattern of the number before a unit.
const NUMBER: &str = r"[+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?";
/// A pattern of zero, which needs no unit.
const ZERO: &str = r"[-+]?(0+\.?0*|\.0+)([eE][-+]?[0-9]+)?";

/// Whether a quantity must be written with its unit.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Units {
    /// For parameters of schemes, which have a base unit.
    Optional,
    /// For a scenario's fields, unless the quantity is zero.
    Required,
}

/// Any of these; a single alternative is itself.
pub(super) fn any_of(mut alternatives: Vec<Value>) -> Value {
    match alternatives.len() {
        1 => alternatives.remove(0),
        _ => json!({ "anyOf": alternatives }),
    }
}

/// The forms in which a value of `kind` may be written.
pub(super) fn alternatives(kind: &Kind, units: Units) -> Vec<Value> {
    match kind {
        Kind::Time(range) | Kind::Rate(range) | Kind::Bytes(range) => {
            let zero = units == Units::Required;
            let number = match (zero, kind_allows_zero(kind)) {
                (true, true) => Some(json!({ "const": 0 })),
                (true, false) => None,
                (false, _) => Some(numbers("number", range)),
            };
            let text = match (zero, kind_allows_zero(kind)) {
                (true, true) => quantity_or_zero(dimensions(kind)),
                (true, false) => quantity(dimensions(kind)),
                (false, _) => format!("{}|{NUMBER}", quantity_or_zero(dimensions(kind))),
            };
            [text_of(&text)].into_iter().chain(number).collect()
        }
        Kind::Length(range) => {
            let text = format!("{}|{NUMBER}", quantity_or_zero(dimensions(kind)));
            vec![text_of(&text), numbers("number", range)]
        }
        Kind::Number(range, _) | Kind::Count(range, _) => {
            let kind = if matches!(kind, Kind::Count(..)) {
                "integer"
            } else {
                "number"
            };
            let sign = if range.low < 0.0 { "-?" } else { "" };
            let text = format!(r"{sign}{NUMBER}\s*%?|{ZERO}\s*%?");
            vec![numbers(kind, range), text_of(&text)]
        }
        Kind::Flag => vec![
            json!({ "type": "boolean" }),
            json!({ "enum": ["on", "off", "yes", "no", "true", "false"] }),
        ],
        Kind::Choice(choices) => {
            let names = choices
                .iter()
                .map(|(name, meaning)| named_value(name, meaning));
            vec![json!({ "oneOf": names.collect::<Vec<_>>() })]
        }
        Kind::Text(_) => vec![single_value()],
        Kind::OrAuto(kind) => or_word("auto", "see the description", kind, units),
        Kind::OrNever(kind) => or_word("never", "at no time", kind, units),
        Kind::OrPoints(kind) => {
            let mut all = alternatives(kind, units);
            let pair = r"[0-9.eE+-]+:[0-9.eE+-]+";
            all.push(text_of(&format!(r"{pair}(\s+{pair})+")));
            all
        }
    }
}

fn or_word(word: &str, meaning: &str, kind: &Kind, units: Units) -> Vec<Value> {
    let mut all = alternatives(kind, units);
    all.push(named_value(word, meaning));
    all
}

fn numbers(kind: &str, range: &Range) -> Value {
    let mut schema = json!({ "type": kind });
    let mut bound = |name: &str, exclusive: &str, value: f64, included: bool| {
        if value.is_finite() {
            let name = if included { name } else { exclusive };
            // Whole bounds read better without a point.
            let whole = value.fract() == 0.0 && value.abs() < 9e15;
            schema[name] = if whole {
                (value as i64).into()
            } else {
                value.into()
            };
        }
    };
    bound("minimum", "exclusiveMinimum", range.low, range.with_low);
    bound("maximum", "exclusiveMaximum", range.high, range.with_high);
    schema
}

fn text_of(pattern: &str) -> Value {
    json!({ "type": "string", "pattern": format!(r"^\s*({pattern})\s*$") })
}

pub(super) fn dimensions(kind: &Kind) -> &'static [Dimension] {
    match kind {
        Kind::Time(_) => &[Dimension::Time],
        Kind::Rate(_) => &[Dimension::Rate],
        Kind::Bytes(_) => &[Dimension::Data],
        Kind::Length(_) => &[Dimension::Packets, Dimension::Data, Dimension::Time],
        Kind::OrAuto(kind) | Kind::OrNever(kind) => dimensions(kind),
        _ => &[],
    }
}

pub(super) fn kind_allows_zero(kind: &Kind) -> bool {
    match kind {
        Kind::Time(range) | Kind::Rate(range) | Kind::Bytes(range) | Kind::Length(range) => {
            range.low < 0.0 || (range.low == 0.0 && range.with_low)
        }
        Kind::OrAuto(kind) | Kind::OrNever(kind) => kind_allows_zero(kind),
        _ => false,
    }
}

/// A pattern of a number with one of the units of these dimensions.
fn quantity(dimensions: &[Dimension]) -> String {
    let units: Vec<&str> = dimensions.iter().copied().flat_map(spellings).collect();
    format!(r"{NUMBER}\s*({})", units.join("|"))
}

/// A number with one of the units of these dimensions, or zero with or without one.
fn quantity_or_zero(dimensions: &[Dimension]) -> String {
    let units: Vec<&str> = dimensions.iter().copied().flat_map(spellings).collect();
    let quantity = quantity(dimensions);
    format!(r"{quantity}|{ZERO}\s*({})?", units.join("|"))
}

/// A number with one of these units of a path.
pub(super) fn relative(units: &[&str]) -> Value {
    let units: Vec<String> = units
        .iter()
        .map(|unit| format!("{unit}|{}", unit.to_lowercase()))
        .collect();
    text_of(&format!(r"{NUMBER}\s*({})", units.join("|")))
}

/// A quantity, or two with dots between.
pub(super) fn between(kind: &Kind) -> Value {
    let zero = kind_allows_zero(kind);
    let one = match zero {
        true => format!("({})", quantity_or_zero(dimensions(kind))),
        false => format!("({})", quantity(dimensions(kind))),
    };
    let text = text_of(&format!(r"{one}(\s*\.\.\s*{one})?"));
    match zero {
        true => json!({ "anyOf": [text, { "const": 0 }] }),
        false => text,
    }
}

/// A quantity with a law in front of it.
pub(super) fn spread(dimensions: &[Dimension], zero: bool) -> Value {
    let law = r"((constant|uniform|exponential)\s+|(pareto|lomax|lognormal)\([^)]*\)\s*)?";
    let text = match zero {
        true => format!("{law}({})", quantity_or_zero(dimensions)),
        false => format!("{law}({})", quantity(dimensions)),
    };
    match zero {
        true => json!({ "anyOf": [text_of(&text), { "const": 0 }] }),
        false => text_of(&text),
    }
}

/// One of several names.
pub(super) fn named_value(name: &str, meaning: &str) -> Value {
    json!({ "const": name, "description": meaning })
}

/// Any single value.
pub(super) fn single_value() -> Value {
    json!({ "type": ["string", "number", "boolean"] })
}
