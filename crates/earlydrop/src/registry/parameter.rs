//! Parameters as data: name, unit, range, default and its origin; and their values, read from
//! text and checked.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use super::error::ConfigError;
use super::extent::Extent;
use crate::curve::{POINTS, points};
use crate::units::{
    BitsPerSec, Bytes, Dimension, Nanos, Quantity, spellings, split_number, write_quantity,
};

/// One parameter of a scheme. Help, documentation, error messages and schemas are generated
/// from it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Parameter {
    /// Its name in scenario files and on the command line.
    pub name: &'static str,
    /// Its meaning, in one phrase.
    pub meaning: &'static str,
    /// The values it takes.
    pub kind: Kind,
    /// Its default, as text.
    pub default: &'static str,
    /// Where the default comes from.
    pub origin: &'static str,
    /// It has an effect only while the named parameter has one of these values.
    pub when: Option<(&'static str, &'static [&'static str])>,
    /// What its number is a measure of, where kind and unit do not say it.
    pub(super) extent: Option<Extent>,
    /// Whether the network, a policy or the hardware decides it, so that a search leaves it alone
    /// unless it is asked for.
    pub is_fixed: bool,
}

/// The values that a parameter takes.
///
/// Exhaustive on purpose: code that renders parameters should handle every kind.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A queue length: packets, bytes, or time at the link's rate. A bare number is packets.
    Length(Range),
    /// A size in bytes. A bare number is bytes.
    Bytes(Range),
    /// A span of time. A bare number is seconds.
    Time(Range),
    /// A rate. A bare number is bits per second.
    Rate(Range),
    /// A number, with its unit or what it counts ("" for none).
    Number(Range, &'static str),
    /// A whole number of something.
    Count(Range, &'static str),
    /// On or off.
    Flag,
    /// One of these names, each with its meaning.
    Choice(&'static [(&'static str, &'static str)]),
    /// Text with a syntax of its own, described here.
    Text(&'static str),
    /// A value of this kind, or the word "auto": a value computed from the link.
    OrAuto(&'static Kind),
    /// A time, or the word "never", which is read as [`Nanos::NEVER`].
    OrNever(&'static Kind),
    /// A curve's name, or its points as [`Value::Text`]: "5:0 15:0.05 30:1".
    OrPoints(&'static Kind),
}

/// A range of numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
    /// Whether `low` itself is allowed.
    pub with_low: bool,
    /// Whether `high` itself is allowed.
    pub with_high: bool,
}

impl Range {
    /// 0 to 1, both allowed.
    pub const PROBABILITY: Range = Range::closed(0.0, 1.0);
    /// Above 0 and at most 1.
    pub const POSITIVE_PROBABILITY: Range = Range {
        with_low: false,
        ..Range::PROBABILITY
    };
    /// Any finite number above 0.
    pub const POSITIVE: Range = Range {
        low: 0.0,
        high: f64::INFINITY,
        with_low: false,
        with_high: false,
    };
    /// The time in seconds between two updates of a scheme, at least a microsecond. Updates that
    /// are due are executed one by one, so shorter ones would take for ever.
    pub const UPDATE_INTERVAL: Range = Range {
        low: 1e-6,
        with_low: true,
        ..Range::POSITIVE
    };
    /// Any finite number from 0 on.
    pub const NOT_NEGATIVE: Range = Range {
        with_low: true,
        ..Range::POSITIVE
    };

    /// Any finite number.
    pub const FINITE: Range = Range {
        low: f64::NEG_INFINITY,
        ..Range::POSITIVE
    };

    /// From `low` to `high`, both allowed.
    pub const fn closed(low: f64, high: f64) -> Range {
        Range {
            low,
            high,
            with_low: true,
            with_high: true,
        }
    }

    fn contains(&self, value: f64) -> bool {
        let above = value > self.low || (self.with_low && value == self.low);
        let below = value < self.high || (self.with_high && value == self.high);
        above && below
    }

    /// The allowed bound closest to `value`, when that bound is itself allowed.
    fn nearest(&self, value: f64) -> Option<f64> {
        if value <= self.low {
            self.with_low.then_some(self.low)
        } else {
            self.with_high.then_some(self.high)
        }
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.low.is_infinite() {
            let most = if self.with_high { "at most" } else { "below" };
            return match self.high.is_infinite() {
                true => f.write_str("of any size"),
                false => write!(f, "{most} {}", self.high),
            };
        }
        if self.high.is_infinite() {
            let least = if self.with_low { "at least" } else { "above" };
            return write!(f, "{least} {}", self.low);
        }
        let opening = if self.with_low { '[' } else { '(' };
        let closing = if self.with_high { ']' } else { ')' };
        write!(f, "{opening}{}, {}{closing}", self.low, self.high)
    }
}

/// A queue length in the unit it was written in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Length {
    /// In packets.
    Packets(f64),
    /// In bytes.
    Bytes(f64),
    /// In seconds of transmission time.
    Seconds(f64),
}

impl Length {
    /// The length in packets of `mean` bytes, on a link of `rate` bits per second.
    pub fn in_packets(self, mean: Bytes, rate: f64) -> f64 {
        match self {
            Length::Packets(packets) => packets,
            Length::Bytes(bytes) => bytes / mean.0 as f64,
            Length::Seconds(secs) => secs * rate / (8.0 * mean.0 as f64),
        }
    }

    /// The length in bytes, a packet being `mean` bytes.
    pub fn in_bytes(self, mean: Bytes, rate: f64) -> f64 {
        match self {
            Length::Packets(packets) => packets * mean.0 as f64,
            Length::Bytes(bytes) => bytes,
            Length::Seconds(secs) => secs * rate / 8.0,
        }
    }
}

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Length::Packets(packets) => write!(f, "{packets} packets"),
            Length::Bytes(bytes) => write_quantity(f, bytes, Dimension::Data),
            Length::Seconds(secs) => write_quantity(f, secs, Dimension::Time),
        }
    }
}

/// A parameter's value, read and within its range.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A value to be computed from the link.
    Auto,
    /// A queue length.
    Length(Length),
    /// A size.
    Bytes(Bytes),
    /// A span of time.
    Time(Nanos),
    /// A rate.
    Rate(BitsPerSec),
    /// A number, whole or not.
    Number(f64),
    /// On or off.
    Flag(bool),
    /// One of the names a [`Kind::Choice`] lists.
    Choice(&'static str),
    /// Text, not yet interpreted.
    Text(String),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Auto => f.write_str("auto"),
            Value::Length(length) => length.fmt(f),
            Value::Bytes(size) => size.fmt(f),
            Value::Time(Nanos::NEVER) => f.write_str("never"),
            Value::Time(span) => span.fmt(f),
            Value::Rate(rate) => rate.fmt(f),
            Value::Number(number) => number.fmt(f),
            Value::Flag(true) => f.write_str("on"),
            Value::Flag(false) => f.write_str("off"),
            Value::Choice(name) => f.write_str(name),
            Value::Text(text) => f.write_str(text),
        }
    }
}

impl Kind {
    /// The unit of the values: "packets", "s", "probability", ...
    pub fn unit(&self) -> &'static str {
        match self {
            Kind::Length(_) => "packets, bytes or time",
            Kind::Bytes(_) => "bytes",
            Kind::Time(_) => "time",
            Kind::Rate(_) => "rate",
            Kind::Number(_, unit) | Kind::Count(_, unit) => unit,
            Kind::Flag => "on or off",
            Kind::Choice(_) => "name",
            Kind::Text(_) => "text",
            Kind::OrAuto(kind) | Kind::OrNever(kind) | Kind::OrPoints(kind) => kind.unit(),
        }
    }

    /// The names of a choice, each with its meaning; `None` for other kinds.
    pub fn choices(&self) -> Option<&'static [(&'static str, &'static str)]> {
        match self {
            Kind::Choice(choices) => Some(choices),
            Kind::OrAuto(kind) | Kind::OrNever(kind) | Kind::OrPoints(kind) => kind.choices(),
            _ => None,
        }
    }

    /// The allowed values as a phrase: "in [0, 1]", "one of red, gentle".
    pub fn allowed(&self) -> String {
        match self {
            Kind::Length(range) => format!("a queue length {}", phrase(range, "packets")),
            Kind::Bytes(range) => format!("a size {}", phrase(range, "bytes")),
            Kind::Time(range) => format!("a time {}", phrase(range, "s")),
            Kind::Rate(range) => format!("a rate {}", phrase(range, "bps")),
            Kind::Number(range, what @ ("probability" | "ratio")) => {
                format!("a {what} {}", phrase(range, ""))
            }
            Kind::Number(range, unit) => format!("a number {}", phrase(range, unit)),
            Kind::Count(range, unit) => format!("a whole number {}", phrase(range, unit)),
            Kind::Flag => "on or off".to_string(),
            Kind::Choice(choices) => {
                let names: alloc::vec::Vec<_> = choices.iter().map(|(name, _)| *name).collect();
                format!("one of {}", names.join(", "))
            }
            Kind::Text(syntax) => syntax.to_string(),
            Kind::OrAuto(kind) => format!("{}, or auto", kind.allowed()),
            Kind::OrNever(kind) => format!("{}, or never", kind.allowed()),
            Kind::OrPoints(kind) => format!("{}, or {POINTS}", kind.allowed()),
        }
    }

    /// Reads `text`; the error is the nearest allowed value, if there is one.
    ///
    /// ```
    /// use earlydrop::registry::{Kind, Range, Value};
    /// use earlydrop::units::BitsPerSec;
    /// let rate = Kind::Rate(Range::POSITIVE);
    /// assert_eq!(rate.read("10 Mbps"), Ok(Value::Rate(BitsPerSec::from_mbps(10))));
    /// assert_eq!(rate.read("10 Mpbs"), Err(Some("10 Mbps".to_string())));
    /// ```
    pub fn read(&self, text: &str) -> Result<Value, Option<String>> {
        match self {
            Kind::OrAuto(_) if text == "auto" => Ok(Value::Auto),
            Kind::OrNever(_) if text == "never" => Ok(Value::Time(Nanos::NEVER)),
            Kind::OrPoints(_) if points(text).is_some() => Ok(Value::Text(text.to_string())),
            Kind::OrAuto(kind) | Kind::OrNever(kind) | Kind::OrPoints(kind) => kind.read(text),
            Kind::Length(range) => read_length(text, range),
            Kind::Bytes(range) => {
                let bytes = within(text, Dimension::Data, range, " bytes")?;
                Ok(Value::Bytes(Bytes(libm::ceil(bytes) as u64)))
            }
            Kind::Time(range) => {
                let secs = within(text, Dimension::Time, range, " s")?;
                // A positive time stays above zero, so that periods can be divided by.
                let least = Nanos(u64::from(secs > 0.0));
                Ok(Value::Time(Nanos::from_secs_f64(secs).max(least)))
            }
            Kind::Rate(range) => {
                let rate = within(text, Dimension::Rate, range, " bps")?;
                Ok(Value::Rate(BitsPerSec(libm::ceil(rate) as u64)))
            }
            Kind::Number(range, _) => within(text, Dimension::Plain, range, "").map(Value::Number),
            Kind::Count(range, _) => {
                let count = within(text, Dimension::Plain, range, "")?;
                if libm::trunc(count) == count {
                    Ok(Value::Number(count))
                } else {
                    Err(Some(format!("{}", libm::round(count))))
                }
            }
            Kind::Flag => match text {
                "on" | "true" | "yes" => Ok(Value::Flag(true)),
                "off" | "false" | "no" => Ok(Value::Flag(false)),
                _ => Err(None),
            },
            Kind::Choice(choices) => {
                let names = choices.iter().map(|(name, _)| *name);
                match names.clone().find(|name| *name == text) {
                    Some(name) => Ok(Value::Choice(name)),
                    None => Err(super::error::nearest(text, names).map(ToString::to_string)),
                }
            }
            Kind::Text(_) => Ok(Value::Text(text.to_string())),
        }
    }
}

fn phrase(range: &Range, unit: &str) -> String {
    let is_open = range.low.is_infinite() || range.high.is_infinite();
    let preposition = if is_open { "" } else { "in " };
    let space = if unit.is_empty() { "" } else { " " };
    format!("{preposition}{range}{space}{unit}")
}

/// `text` with its unit replaced by the most similar unit of `dimensions`: the one that differs in
/// case only, a thousand of the next smaller one where there is none as large, or else the one
/// that is spelt most alike.
fn corrected(text: &str, dimensions: &[Dimension]) -> Option<String> {
    let (number, unit) = split_number(text);
    let amount = number.parse::<f64>().ok().filter(|n| n.is_finite())?;
    // Nobody who misspells bits a second is told bytes, which are eight times as much.
    let of =
        |dimension| spellings(dimension).filter(move |unit| !is_bytes_a_second(dimension, unit));
    let units: Vec<&str> = dimensions.iter().copied().flat_map(of).collect();
    if let Some(unit) = units.iter().find(|known| known.eq_ignore_ascii_case(unit)) {
        return Some(format!("{number} {unit}"));
    }
    if let Some(rest) = unit.strip_prefix(['T', 't'])
        && let Some(giga) = units.iter().find(|known| is_giga(known, rest))
    {
        return Some(format!("{} {giga}", amount * 1000.0));
    }
    let unit = super::error::nearest(unit, units.into_iter())?;
    Some(format!("{number} {unit}"))
}

fn is_bytes_a_second(dimension: Dimension, unit: &str) -> bool {
    dimension == Dimension::Rate && unit.contains('B')
}

/// Whether `unit` is a billion of `base`.
fn is_giga(unit: &str, base: &str) -> bool {
    let of = unit.strip_prefix('G');
    of.is_some_and(|of| of.eq_ignore_ascii_case(base))
}

fn within(
    text: &str,
    dimension: Dimension,
    range: &Range,
    unit: &str,
) -> Result<f64, Option<String>> {
    let bound = |amount: f64| range.nearest(amount).map(|value| format!("{value}{unit}"));
    let amount_of = |text: &str| text.parse::<Quantity>().ok()?.of(dimension).ok();
    if text.parse::<Quantity>().is_err() {
        let corrected = corrected(text, &[dimension]);
        // A corrected unit may show that the amount is out of range.
        return Err(match corrected.as_deref().and_then(amount_of) {
            Some(amount) if !range.contains(amount) => bound(amount),
            _ => corrected,
        });
    }
    let Some(amount) = amount_of(text) else {
        // A size where a rate is asked for: 10 MB for 10 Mbps.
        let is_size = dimension == Dimension::Rate && text.ends_with('B');
        let rate = is_size.then(|| format!("{}bps", text.trim_end_matches('B')));
        let corrected = rate.and_then(|rate| corrected(&rate, &[dimension]));
        let is_allowed =
            |text: &String| amount_of(text).is_some_and(|amount| range.contains(amount));
        return Err(corrected.filter(is_allowed));
    };
    if range.contains(amount) {
        return Ok(amount);
    }
    let positive = || without_sign(text).filter(|_| range.contains(-amount));
    Err(bound(amount).or_else(positive))
}

/// A negative amount's text without its sign.
fn without_sign(text: &str) -> Option<String> {
    text.strip_prefix('-').map(ToString::to_string)
}

fn read_length(text: &str, range: &Range) -> Result<Value, Option<String>> {
    let lengths = [Dimension::Packets, Dimension::Data, Dimension::Time];
    let quantity: Quantity = text.parse().map_err(|_| corrected(text, &lengths))?;
    let length = match quantity.dimension {
        None | Some(Dimension::Packets) => Length::Packets(quantity.amount),
        Some(Dimension::Data) => Length::Bytes(quantity.amount),
        Some(Dimension::Time) => Length::Seconds(quantity.amount),
        Some(Dimension::Rate | Dimension::Plain) => return Err(None),
    };
    // A range is in packets. For bytes and time it only decides whether 0 is allowed.
    let allowed = match length {
        Length::Packets(packets) => range.contains(packets),
        Length::Bytes(amount) | Length::Seconds(amount) => {
            amount > 0.0 || (amount == 0.0 && range.contains(0.0))
        }
    };
    if allowed {
        Ok(Value::Length(length))
    } else {
        let nearest = range.nearest(quantity.amount);
        let nearest = nearest.map(|value| format!("{value} packets"));
        let positive = || without_sign(text).filter(|_| quantity.amount < 0.0);
        // Where none is too few, one packet is the least that a queue holds.
        let one = || range.contains(1.0).then(|| "1 packet".to_string());
        Err(nearest.or_else(positive).or_else(one))
    }
}

impl Parameter {
    /// A parameter without conditions. Set its default by
    /// [`with_default`](Parameter::with_default).
    pub const fn new(name: &'static str, meaning: &'static str, kind: Kind) -> Parameter {
        Parameter {
            name,
            meaning,
            kind,
            default: "",
            origin: "",
            when: None,
            extent: None,
            is_fixed: false,
        }
    }

    /// Says what its number is a measure of, where kind and unit do not.
    #[must_use]
    pub const fn with_extent(self, extent: Extent) -> Parameter {
        Parameter {
            extent: Some(extent),
            ..self
        }
    }

    /// The network, a policy or the hardware decides it: a search leaves it alone unless it is asked
    /// for.
    #[must_use]
    pub const fn fixed(self) -> Parameter {
        Parameter {
            is_fixed: true,
            ..self
        }
    }

    /// Sets the default, as text, and where it comes from: a paper, an RFC, another tool.
    #[must_use]
    pub const fn with_default(self, default: &'static str, origin: &'static str) -> Parameter {
        Parameter {
            default,
            origin,
            ..self
        }
    }

    /// Limits the parameter's effect to certain values of another one, by its name.
    #[must_use]
    pub const fn only_with(
        self,
        parameter: &'static str,
        values: &'static [&'static str],
    ) -> Parameter {
        Parameter {
            when: Some((parameter, values)),
            ..self
        }
    }

    /// Reads `text` as a value of this parameter of `scheme`.
    pub fn read(&self, scheme: &'static str, text: &str) -> Result<Value, ConfigError> {
        let text = text.trim();
        self.kind
            .read(text)
            .map_err(|nearest| self.refuse(scheme, text, nearest))
    }

    /// The error that this parameter of `scheme` does not allow `value`.
    pub(crate) fn refuse(
        &self,
        scheme: &'static str,
        value: impl ToString,
        nearest: Option<String>,
    ) -> ConfigError {
        ConfigError::Invalid {
            scheme,
            parameter: self.name,
            value: value.to_string(),
            allowed: self.kind.allowed(),
            nearest,
        }
    }
}

#[cfg(test)]
#[path = "parameter_tests.rs"]
mod tests;
