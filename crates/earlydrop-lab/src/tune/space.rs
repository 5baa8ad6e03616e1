//! The search space: which parameters of a scheme are searched, and between which bounds.

use earlydrop::registry::{Extent, Kind, Length, Parameter, Settings, Value};
use earlydrop::units::Nanos;

use super::bounds::{OnPath, allowed};
use crate::document::suggestion;

/// A value is near a bound of its search within this share of the dimension.
const NEAR: f64 = 0.03;

/// A parameter with the bounds of its search.
#[derive(Clone, Copy, Debug)]
pub struct SearchDimension {
    /// The parameter.
    pub parameter: &'static Parameter,
    /// The lower bound, in the unit it is written in.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
    /// Whether the bounds were requested; else they are those of the parameter's meaning.
    pub is_requested: bool,
    form: Form,
}

/// How a value is written, with its unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Form {
    Number,
    Whole,
    Packets,
    Bytes,
    Seconds,
}

/// A request to search a parameter, with or without bounds: "min", "min=2..60".
#[derive(Clone, Debug, PartialEq)]
pub struct SearchParameter {
    name: String,
    bounds: Option<(String, String)>,
}

/// Why a parameter cannot be searched.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SpaceError {
    /// The text is not a name with or without bounds.
    #[error("{0}: allowed: NAME or NAME=LOW..HIGH, as in min=2..60")]
    Malformed(String),
    /// A parameter is named again.
    #[error("{0} is named twice; nearest: --over {0} once, with the bounds of both")]
    Twice(String),
    /// No compared scheme has such a parameter.
    #[error("no compared scheme has a numeric parameter {name}; {help}")]
    Unknown {
        /// The name.
        name: String,
        /// The known names, and the nearest.
        help: String,
    },
    /// The bounds are invalid.
    #[error(
        "{name}={low}..{high}: allowed: two values, the first below the second, each {allowed}"
    )]
    Bounds {
        /// The parameter.
        name: String,
        /// The lower bound.
        low: String,
        /// The upper bound.
        high: String,
        /// The values that the parameter takes.
        allowed: String,
    },
}

impl std::str::FromStr for SearchParameter {
    type Err = SpaceError;

    fn from_str(text: &str) -> Result<SearchParameter, SpaceError> {
        let malformed = || SpaceError::Malformed(text.to_string());
        let (name, bounds) = match text.split_once('=') {
            None => (text, None),
            Some((name, bounds)) => {
                let (low, high) = bounds.split_once("..").ok_or_else(malformed)?;
                let bounds = (low.trim().to_string(), high.trim().to_string());
                (name, Some(bounds))
            }
        };
        let name = name.trim().to_string();
        if name.is_empty() {
            return Err(malformed());
        }
        Ok(SearchParameter { name, bounds })
    }
}

/// The search space of each scheme: the `requested` parameters, or else every numeric parameter
/// whose value is neither computed from others nor fixed. `schemes` has each at every point of the
/// sweep; the bounds hold at all of them.
pub(super) fn spaces(
    schemes: &[Vec<OnPath<'_>>],
    requested: &[SearchParameter],
) -> Result<Vec<Vec<SearchDimension>>, SpaceError> {
    let first = || schemes.iter().filter_map(|points| points.first());
    for (index, wanted) in requested.iter().enumerate() {
        if requested[..index].iter().any(|one| one.name == wanted.name) {
            return Err(SpaceError::Twice(wanted.name.clone()));
        }
        let has = |at: &OnPath<'_>| number(at.settings, &wanted.name).is_some();
        if !first().any(has) {
            let names = first().flat_map(|at| numbers(at.settings));
            let mut known: Vec<&str> = names.map(|(parameter, _)| parameter.name).collect();
            known.sort_unstable();
            known.dedup();
            return Err(SpaceError::Unknown {
                name: wanted.name.clone(),
                help: suggestion(&wanted.name, &known, '`'),
            });
        }
    }
    schemes
        .iter()
        .map(|points| space(points, requested))
        .collect()
}

/// The search space of one scheme.
fn space(
    points: &[OnPath<'_>],
    requested: &[SearchParameter],
) -> Result<Vec<SearchDimension>, SpaceError> {
    let Some(first) = points.first() else {
        return Ok(Vec::new());
    };
    if requested.is_empty() {
        let own = numbers(first.settings).filter(|(parameter, value)| {
            let amount = amount_of(parameter, value).map_or(0.0, |(amount, _)| amount);
            !parameter.is_fixed && amount > 0.0
        });
        return Ok(own
            .filter_map(|(parameter, value)| by_meaning(points, parameter, value))
            .collect());
    }
    let mut list = Vec::new();
    for wanted in requested {
        let Some((parameter, value)) = number(first.settings, &wanted.name) else {
            continue;
        };
        match &wanted.bounds {
            None => list.extend(by_meaning(points, parameter, value)),
            Some((low, high)) => list.push(between(parameter, low, high)?),
        }
    }
    Ok(list)
}

/// A scheme's numeric parameters that have an effect, packet sizes excluded.
fn numbers(settings: &Settings) -> impl Iterator<Item = (&'static Parameter, &Value)> {
    settings
        .iter()
        .filter(|(parameter, _)| settings.matters(parameter) && is_number(&parameter.kind))
}

fn number<'a>(settings: &'a Settings, name: &str) -> Option<(&'static Parameter, &'a Value)> {
    numbers(settings).find(|(parameter, _)| parameter.name == name)
}

fn is_number(kind: &Kind) -> bool {
    match kind {
        Kind::Length(_) | Kind::Time(_) | Kind::Number(..) | Kind::Count(..) => true,
        Kind::OrAuto(kind) | Kind::OrNever(kind) => is_number(kind),
        _ => false,
    }
}

/// A dimension between the bounds that the parameter's meaning gives at any of these points; `None`
/// where nothing bounds it.
fn by_meaning(
    points: &[OnPath<'_>],
    parameter: &'static Parameter,
    value: &Value,
) -> Option<SearchDimension> {
    let own = amount_of(parameter, value);
    let form = own.map_or_else(|| form_of(&parameter.kind), |(_, form)| form);
    let own = own.map(|(amount, _)| amount);
    let bounds = points
        .iter()
        .filter_map(|at| at.bounds(parameter, form, own));
    let widest = |a: (f64, f64), b: (f64, f64)| (a.0.min(b.0), a.1.max(b.1));
    let (low, high) = bounds.reduce(widest)?;
    let (least, largest) = allowed(parameter, form);
    Some(SearchDimension {
        parameter,
        low: rounded(low).max(least),
        high: rounded(high).min(largest),
        is_requested: false,
        form,
    })
}

fn between(
    parameter: &'static Parameter,
    low: &str,
    high: &str,
) -> Result<SearchDimension, SpaceError> {
    let invalid = || SpaceError::Bounds {
        name: parameter.name.to_string(),
        low: low.to_string(),
        high: high.to_string(),
        allowed: parameter.kind.allowed(),
    };
    let bound = |text: &str| {
        let value = parameter.kind.read(text).ok()?;
        amount_of(parameter, &value).filter(|(amount, _)| amount.is_finite())
    };
    // In "2..60ms" the unit belongs to both bounds.
    let unit = high.trim_start_matches(|letter: char| !letter.is_alphabetic());
    let low_with_unit = match (low.parse::<f64>(), high.parse::<f64>()) {
        (Ok(_), Err(_)) => format!("{low} {unit}"),
        _ => low.to_string(),
    };
    let (low, low_form) = bound(low_with_unit.trim()).ok_or_else(invalid)?;
    let (high, form) = bound(high).ok_or_else(invalid)?;
    if low >= high || low_form != form {
        return Err(invalid());
    }
    Ok(SearchDimension {
        parameter,
        low,
        high,
        is_requested: true,
        form,
    })
}

fn amount_of(parameter: &Parameter, value: &Value) -> Option<(f64, Form)> {
    Some(match value {
        Value::Length(Length::Packets(packets)) => (*packets, Form::Packets),
        Value::Length(Length::Bytes(bytes)) => (*bytes, Form::Bytes),
        Value::Length(Length::Seconds(secs)) => (*secs, Form::Seconds),
        Value::Time(Nanos::NEVER) => return None,
        Value::Time(span) => (span.as_secs_f64(), Form::Seconds),
        Value::Number(number) if matches!(parameter.kind, Kind::Count(..)) => {
            (*number, Form::Whole)
        }
        Value::Number(number) => (*number, Form::Number),
        _ => return None,
    })
}

/// How a value of this kind is written where there is none yet.
fn form_of(kind: &Kind) -> Form {
    match kind {
        Kind::Length(_) => Form::Packets,
        Kind::Time(_) => Form::Seconds,
        Kind::Count(..) => Form::Whole,
        Kind::OrAuto(kind) | Kind::OrNever(kind) => form_of(kind),
        _ => Form::Number,
    }
}

impl SearchDimension {
    /// The value at a coordinate from 0 to 1, as written in a scenario. The scale is
    /// logarithmic where the bounds are above zero. A value has three digits; packets have one
    /// decimal, from ten on none.
    pub fn text(&self, coordinate: f64) -> String {
        let value = if self.is_logarithmic() {
            self.low * libm::pow(self.high / self.low, coordinate)
        } else {
            self.low + (self.high - self.low) * coordinate
        };
        self.form.text(rounded(value).clamp(self.low, self.high))
    }

    /// The coordinate of a scheme's current value; 0.5 where it has none.
    pub fn coordinate(&self, settings: &Settings) -> f64 {
        let current = number(settings, self.parameter.name)
            .and_then(|(parameter, value)| amount_of(parameter, value))
            .filter(|(_, form)| *form == self.form);
        current.map_or(0.5, |(value, _)| self.coordinate_of(value))
    }

    fn coordinate_of(&self, value: f64) -> f64 {
        let coordinate = if self.is_logarithmic() {
            libm::log(value / self.low) / libm::log(self.high / self.low)
        } else {
            (value - self.low) / (self.high - self.low)
        };
        coordinate.clamp(0.0, 1.0)
    }

    /// Whether equal steps of the coordinate are equal factors of the value.
    fn is_logarithmic(&self) -> bool {
        self.low > 0.0
    }

    /// The bounds as text: "2 packets to 60 packets".
    pub fn bounds(&self) -> String {
        format!(
            "{} to {}",
            self.form.text(self.low),
            self.form.text(self.high)
        )
    }

    /// The dimension in words: "min 1 packets to 60 packets (log): one packet to the buffer".
    pub fn describe(&self) -> String {
        let scale = if self.is_logarithmic() { " (log)" } else { "" };
        let meaning = match self.is_requested {
            true => String::new(),
            false => format!(": {}", self.parameter.extent()),
        };
        format!("{} {}{scale}{meaning}", self.parameter.name, self.bounds())
    }

    /// The bound that a value, as written in a scenario, is near to; `None` where the parameter
    /// allows nothing beyond it.
    pub(super) fn near_bound(&self, value: &str) -> Option<Bound> {
        let read = self.parameter.kind.read(value).ok()?;
        let (amount, _) = amount_of(self.parameter, &read)?;
        let at = self.coordinate_of(amount);
        let (least, largest) = allowed(self.parameter, self.form);
        match (at <= NEAR, at >= 1.0 - NEAR) {
            (true, _) if self.low > least => Some(Bound::Lower),
            (_, true) if self.high < largest => Some(Bound::Upper),
            _ => None,
        }
    }

    /// Whether the bound is the buffer.
    pub(super) fn ends_at_buffer(&self, bound: Bound) -> bool {
        let is_of_queue = matches!(self.parameter.extent(), Extent::Queue | Extent::Delay);
        bound == Bound::Upper && is_of_queue && !self.is_requested
    }

    /// A bound as text: "60 packets".
    pub(super) fn bound(&self, bound: Bound) -> String {
        self.form.text(match bound {
            Bound::Lower => self.low,
            Bound::Upper => self.high,
        })
    }

    /// The argument of `--over` that searches it as far beyond a bound as the parameter allows, by
    /// at most a factor of 16; the parameter's name for the present bounds of its meaning.
    pub(super) fn argument(&self, beyond: Option<Bound>) -> String {
        if beyond.is_none() && !self.is_requested {
            return self.parameter.name.to_string();
        }
        let (least, largest) = allowed(self.parameter, self.form);
        let (low, high) = match beyond {
            Some(Bound::Lower) => ((self.low / Extent::MULTIPLE).max(least), self.high),
            Some(Bound::Upper) => (self.low, (self.high * Extent::MULTIPLE).min(largest)),
            None => (self.low, self.high),
        };
        let text = |value| self.form.text(rounded(value)).replace(' ', "");
        format!("{}={}..{}", self.parameter.name, text(low), text(high))
    }
}

/// An end of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    Lower,
    Upper,
}

impl Bound {
    pub(super) fn name(self) -> &'static str {
        match self {
            Bound::Lower => "lower",
            Bound::Upper => "upper",
        }
    }
}

impl Form {
    fn text(self, value: f64) -> String {
        match self {
            Form::Number => format!("{value}"),
            Form::Whole => format!("{}", value.round()),
            Form::Packets if value >= 10.0 => format!("{} packets", value.round()),
            Form::Packets => format!("{} packets", (value * 10.0).round().max(1.0) / 10.0),
            Form::Bytes => format!("{} bytes", value.ceil()),
            Form::Seconds => Nanos::from_secs_f64(value).to_string(),
        }
    }
}

/// Rounds to three significant digits.
fn rounded(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}

#[cfg(test)]
#[path = "space_tests.rs"]
pub(super) mod tests;
