//! The search space: which parameters of a scheme are searched, and between which bounds.

use earlydrop::registry::{Kind, Length, LinkFacts, Parameter, Range, Settings, Spec, Value};
use earlydrop::units::Nanos;

use crate::document::suggestion;

/// The default bounds of a parameter: its value divided and multiplied by this.
const WIDTH: f64 = 16.0;

/// Parameters that a network or a policy decides. They are searched on request only.
const NOT_SEARCHED: &[&str] = &["limit", "memory_limit", "mark_limit", "warmup", "rate"];

/// A parameter with the bounds of its search.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchDimension {
    /// The parameter's name.
    pub name: &'static str,
    /// The lower bound, in the unit it is written in.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
    form: Form,
}

/// How a value is written, with its unit.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
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

/// The search space of each scheme at this link: the `requested` parameters, or else every
/// numeric parameter whose value is not computed from others.
pub(super) fn spaces(
    specs: &[Spec],
    link: &LinkFacts,
    requested: &[SearchParameter],
) -> Result<Vec<Vec<SearchDimension>>, SpaceError> {
    let settings: Vec<Settings> = specs
        .iter()
        .filter_map(|spec| spec.settings(link).ok())
        .collect();
    for wanted in requested {
        let has = |settings: &Settings| number(settings, &wanted.name).is_some();
        if !settings.iter().any(has) {
            let names = settings.iter().flat_map(numbers);
            let mut known: Vec<&str> = names.map(|(parameter, _)| parameter.name).collect();
            known.sort_unstable();
            known.dedup();
            return Err(SpaceError::Unknown {
                name: wanted.name.clone(),
                help: suggestion(&wanted.name, &known, '`'),
            });
        }
    }
    settings
        .iter()
        .map(|settings| space(settings, requested))
        .collect()
}

fn space(
    settings: &Settings,
    requested: &[SearchParameter],
) -> Result<Vec<SearchDimension>, SpaceError> {
    if requested.is_empty() {
        let own =
            numbers(settings).filter(|(parameter, _)| !NOT_SEARCHED.contains(&parameter.name));
        return Ok(own
            .filter_map(|(parameter, value)| around(settings, parameter, value))
            .collect());
    }
    let mut list = Vec::new();
    for wanted in requested {
        let Some((parameter, value)) = number(settings, &wanted.name) else {
            continue;
        };
        match &wanted.bounds {
            None => list.extend(around(settings, parameter, value)),
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

/// The default bounds around a value; `None` for a value that is computed from others, and for
/// zero, which has no multiples.
fn around(
    settings: &Settings,
    parameter: &'static Parameter,
    value: &Value,
) -> Option<SearchDimension> {
    let (amount, form) = amount_of(parameter, value)?;
    let range = range_of(&parameter.kind);
    let mut high = amount * WIDTH;
    // A range in packets does not bound bytes or times.
    let bounded = !matches!(parameter.kind, Kind::Length(_)) || form == Form::Packets;
    if bounded {
        let inside = if range.with_high { 1.0 } else { 0.999 };
        high = high.min(inside * range.high);
    }
    if form == Form::Packets && parameter.name != "limit" {
        high = high.min(settings.packets("limit"));
    }
    let low = match form {
        Form::Whole => (amount / WIDTH).max(1.0),
        _ => amount / WIDTH,
    };
    let just_above = if range.with_low { 1.0 } else { 1.001 };
    let low = if bounded {
        low.max(just_above * range.low)
    } else {
        low
    };
    (amount > 0.0 && amount.is_finite() && low > 0.0 && low < high).then_some(SearchDimension {
        name: parameter.name,
        low,
        high,
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
    let low_with_unit = match low.parse::<f64>() {
        Ok(_) => format!("{low} {unit}"),
        Err(_) => low.to_string(),
    };
    let (low, low_form) = bound(low_with_unit.trim()).ok_or_else(invalid)?;
    let (high, form) = bound(high).ok_or_else(invalid)?;
    if low >= high || low_form != form {
        return Err(invalid());
    }
    Ok(SearchDimension {
        name: parameter.name,
        low,
        high,
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

fn range_of(kind: &Kind) -> Range {
    match kind {
        Kind::Length(range) | Kind::Time(range) | Kind::Number(range, _) => *range,
        Kind::Count(range, _) => *range,
        Kind::OrAuto(kind) | Kind::OrNever(kind) => range_of(kind),
        _ => Range::POSITIVE,
    }
}

impl SearchDimension {
    /// The value at a coordinate from 0 to 1, as written in a scenario. The scale is
    /// logarithmic where the bounds are above zero. A value has three digits; packets have one
    /// decimal, from ten on none.
    pub fn text(&self, coordinate: f64) -> String {
        let value = if self.low > 0.0 {
            self.low * libm::pow(self.high / self.low, coordinate)
        } else {
            self.low + (self.high - self.low) * coordinate
        };
        self.form.text(rounded(value).clamp(self.low, self.high))
    }

    /// The coordinate of a scheme's current value; 0.5 where it has none.
    pub fn coordinate(&self, settings: &Settings) -> f64 {
        let current = number(settings, self.name)
            .and_then(|(parameter, value)| amount_of(parameter, value))
            .filter(|(_, form)| *form == self.form);
        let Some((value, _)) = current else {
            return 0.5;
        };
        let coordinate = if self.low > 0.0 {
            libm::log(value / self.low) / libm::log(self.high / self.low)
        } else {
            (value - self.low) / (self.high - self.low)
        };
        coordinate.clamp(0.0, 1.0)
    }

    /// The bounds as text: "2 packets to 60 packets".
    pub fn bounds(&self) -> String {
        format!(
            "{} to {}",
            self.form.text(self.low),
            self.form.text(self.high)
        )
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
mod tests {
    use super::*;
    use earlydrop::units::BitsPerSec;

    fn of(spec: &str, over: &[&str]) -> Result<Vec<SearchDimension>, SpaceError> {
        let over: Result<Vec<SearchParameter>, SpaceError> =
            over.iter().map(|text| text.parse()).collect();
        let link = LinkFacts::at(BitsPerSec::from_mbps(10));
        let spaces = spaces(&[spec.parse().unwrap()], &link, &over?)?;
        Ok(spaces[0].clone())
    }

    fn names(space: &[SearchDimension]) -> Vec<&str> {
        space.iter().map(|dimension| dimension.name).collect()
    }

    #[test]
    fn numeric_parameters_are_searched_around_their_values() {
        let red = of("red:limit=60", &[]).unwrap();
        assert_eq!(names(&red), ["min", "max_p", "weight"]);
        assert_eq!(red[0].bounds(), "0.3 packets to 60 packets");
        assert_eq!(red[1].bounds(), "0.00625 to 1");
        assert_eq!(names(&of("codel", &[]).unwrap()), ["target", "interval"]);
        assert!(of("droptail", &[]).unwrap().is_empty());
        let clear = names(&of("sfred:max=40", &[]).unwrap()).contains(&"max");
        assert!(clear, "a given parameter is searched, too");
    }

    #[test]
    fn a_named_parameter_is_searched_between_its_bounds() {
        let pie = of("pie", &["target=1..40ms", "alpha"]).unwrap();
        assert_eq!(names(&pie), ["target", "alpha"]);
        assert_eq!(pie[0].bounds(), "1 ms to 40 ms");
        assert_eq!(pie[0].text(0.5), "6.32 ms");
        assert_eq!(
            names(&of("droptail", &["limit=10..500"]).unwrap()),
            ["limit"]
        );
    }

    #[test]
    fn a_parameter_that_cannot_be_searched_is_refused() {
        for (over, help) in [
            ("maxp", "did you mean `max_p`"),
            ("ecn", "no compared scheme has a numeric parameter ecn"),
            ("min=30..10", "the first below the second"),
            ("max_p=0..2", "a probability in (0, 1]"),
            ("min=5", "NAME=LOW..HIGH"),
            ("", "NAME or NAME=LOW..HIGH"),
        ] {
            let error = of("red", &[over]).unwrap_err().to_string();
            assert!(error.contains(help), "{over}: {error}");
        }
    }

    #[test]
    fn every_scheme_takes_the_values_in_its_search_space() {
        let link = LinkFacts::at(BitsPerSec::from_mbps(10));
        for descriptor in earlydrop::registry::SCHEMES {
            let spec = Spec::new(descriptor.name).unwrap();
            let settings = spec.settings(&link).unwrap();
            for dimension in space(&settings, &[]).unwrap() {
                let here = dimension.coordinate(&settings);
                assert!((0.0..=1.0).contains(&here), "{} {dimension:?}", spec);
                for coordinate in [0.0, here, 1.0] {
                    let text = dimension.text(coordinate);
                    let with = spec.clone().with(dimension.name, &text).unwrap();
                    assert!(with.settings(&link).is_ok(), "{with}");
                }
            }
        }
    }
}
