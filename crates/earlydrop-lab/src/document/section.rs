//! Descriptions of tables and their fields. Readers check documents against them, and the JSON
//! Schema and reference pages are made from them.

use earlydrop::registry::{Kind, Length, Range, Value, nearest};
use earlydrop::units::{BitsPerSec, Bytes, Dimension, Nanos, Quantity};
use earlydrop_sim::spread::Law;

/// A table of a document.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    /// Its name in messages: "network".
    pub name: &'static str,
    /// Its meaning, in a sentence.
    pub meaning: &'static str,
    /// Its fields.
    pub fields: &'static [Field],
}

/// A field of a table.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Its meaning, in a sentence.
    pub meaning: &'static str,
    /// The values it takes.
    pub shape: Shape,
    /// Its default, as text; empty if it has none.
    pub default: &'static str,
    /// Another field and its values with which this one has an effect; `None`: always.
    pub when: Option<(&'static str, &'static [&'static str])>,
    /// A value as it is usually written, such as "50 ms", whose unit is suggested for a number
    /// without one; empty: the default.
    pub usual: &'static str,
    /// Texts that are no values but common words for one, each with the value to suggest.
    pub hints: &'static [(&'static str, &'static str)],
}

/// Text of several sentences, the only text that may have line ends.
pub const SENTENCES: &str = "sentences";

/// The values that a field takes.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// A single value.
    One(Kind),
    /// A value, or two as the bounds of a uniform distribution: "0 s..1 s".
    Between(Kind),
    /// A queue length of this kind, or one that depends on the path: "0.5 BDP", "0.4 RTT".
    Length(Kind),
    /// A random quantity: "12 kB", "exponential 500 ms".
    Spread(Kind),
    /// A random amount of data: "12 kB", "10 packets", "pareto(1.2) 12 kB".
    Amount,
    /// A table.
    Table(&'static Section),
    /// A table, or text as the short form of a table with only this field.
    Either(&'static Section, &'static str),
    /// A table of tables by names of the file's own.
    Named(&'static Section),
    /// A list of tables.
    List(&'static Section),
    /// Any value, which a reader of its own checks; described in words.
    Open(&'static str),
}

impl Section {
    /// The field of this name.
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.name == name)
    }
}

impl Field {
    /// A field that always has an effect.
    pub const fn new(
        name: &'static str,
        shape: Shape,
        default: &'static str,
        meaning: &'static str,
    ) -> Field {
        Field {
            name,
            meaning,
            shape,
            default,
            when: None,
            usual: "",
            hints: &[],
        }
    }

    /// Suggests the unit of this value for a number without one; otherwise that of the default.
    pub const fn written_like(self, usual: &'static str) -> Field {
        Field { usual, ..self }
    }

    /// A value as it is usually written.
    pub(super) fn example(&self) -> &'static str {
        match self.usual {
            "" => self.default,
            usual => usual,
        }
    }

    /// Suggests values for common words that are none: (word, value).
    pub const fn with_hints(self, hints: &'static [(&'static str, &'static str)]) -> Field {
        Field { hints, ..self }
    }

    /// Gives the field an effect only while `other` has one of `values`.
    pub const fn when(self, other: &'static str, values: &'static [&'static str]) -> Field {
        Field {
            when: Some((other, values)),
            ..self
        }
    }
}

impl Shape {
    /// The allowed values, as a phrase.
    pub fn allowed(&self) -> String {
        match self {
            Shape::One(kind) => allowed(kind),
            Shape::Length(kind) => format!("{}, or a length in BDP or RTT", allowed(kind)),
            Shape::Between(kind) => {
                format!(
                    "{}, or two of them with dots in between: \"1 s..2 s\"",
                    allowed(kind)
                )
            }
            Shape::Spread(kind) => {
                format!("{}, with a distribution in front: {LAWS}", allowed(kind))
            }
            Shape::Amount => format!(
                "an amount of data (\"12 kB\", \"10 packets\"), with a distribution in front: {LAWS}"
            ),
            Shape::Table(_) => "a table".to_string(),
            Shape::Either(_, field) => format!("a table, or text that gives its {field}"),
            Shape::Named(_) => "a table of tables".to_string(),
            Shape::List(_) => "a list of tables".to_string(),
            Shape::Open(what) => (*what).to_string(),
        }
    }
}

/// The allowed values of a kind, as a phrase; bounds have a unit that a person would use.
pub(crate) fn allowed(kind: &Kind) -> String {
    match kind {
        Kind::Rate(range) => bounded("a rate", range, |bps| BitsPerSec(bps as u64).to_string()),
        Kind::Time(range) => bounded("a time", range, |s| Nanos::from_secs_f64(s).to_string()),
        Kind::Bytes(range) => bounded("a size", range, |bytes| Bytes(bytes as u64).to_string()),
        Kind::OrAuto(kind) => format!("{}, or auto", allowed(kind)),
        Kind::OrNever(kind) => format!("{}, or never", allowed(kind)),
        _ => kind.allowed(),
    }
}

/// "a rate from 1 bps to 2000 Gbps".
fn bounded(what: &str, range: &Range, text: impl Fn(f64) -> String) -> String {
    let from = if range.with_low { "from" } else { "above" };
    let to = if range.with_high { "to" } else { "and below" };
    let low = format!("{what} {from} {}", text(range.low));
    match range.high.is_finite() {
        true => format!("{low} {to} {}", text(range.high)),
        false => low,
    }
}

/// The distributions of random quantities, as they are written.
const LAWS: &str =
    "exponential, uniform, pareto(shape), lomax(shape), lognormal(sigma); none: constant";

/// The error of a text that is no valid value: the nearest valid one, where there is one.
pub(super) type Nearest = Option<String>;

/// Reads a single value; a time, a rate or a size needs its unit. The error is the nearest allowed
/// text, where there is one; reading it succeeds.
pub fn parse_one(kind: &Kind, text: &str) -> Result<Value, Option<String>> {
    parse_one_like(kind, text, "")
}

/// [`parse_one`] for a value that is usually written like `example`, such as "50 ms": its unit is
/// suggested for a number without one.
pub fn parse_one_like(kind: &Kind, text: &str, example: &str) -> Result<Value, Option<String>> {
    let text = text.trim();
    if lacks_unit(kind, text) {
        let usual = example.rsplit(' ').next();
        let usual = units(kind).iter().filter(|unit| Some(**unit) == usual);
        let mut nearest = usual
            .chain(units(kind))
            .map(|unit| format!("{text} {unit}"));
        return Err(nearest.find(|nearest| kind.read(nearest).is_ok()));
    }
    let read = kind.read(text);
    // What is no finite number has a nearest bound all the same.
    let endless = match text.parse::<f64>() {
        Ok(number) if number.is_infinite() => Some(f64::MAX.copysign(number).to_string()),
        _ => None,
    };
    let nearest = match (read, endless) {
        (Ok(value), _) => return Ok(value),
        (Err(_), Some(largest)) => kind.read(&largest).err().flatten(),
        (Err(nearest), None) => nearest,
    };
    // A corrected unit may lead out of the range.
    Err(nearest.filter(|nearest| kind.read(nearest).is_ok()))
}

/// Whether `text` is a number that lacks the unit which `kind` needs.
pub fn lacks_unit(kind: &Kind, text: &str) -> bool {
    !units(kind).is_empty() && is_bare(text)
}

/// The units to suggest for a number without one, where a unit is required; the most usual first.
fn units(kind: &Kind) -> &'static [&'static str] {
    match kind {
        Kind::Time(_) => &["s", "ms", "us"],
        Kind::Rate(_) => &["Mbps", "kbps", "bps"],
        Kind::Bytes(_) => &["bytes"],
        Kind::OrAuto(kind) | Kind::OrNever(kind) => units(kind),
        _ => &[],
    }
}

/// Whether `text` is a number without a unit, and not zero.
fn is_bare(text: &str) -> bool {
    let quantity = text.parse::<Quantity>();
    quantity.is_ok_and(|quantity| quantity.dimension.is_none() && quantity.amount != 0.0)
}

/// Reads a value, or two with dots in between.
pub(super) fn parse_between(kind: &Kind, text: &str) -> Result<(Value, Value), Nearest> {
    let Some((from, to)) = text.split_once("..") else {
        let value = parse_one(kind, text)?;
        return Ok((value.clone(), value));
    };
    Ok((parse_one(kind, from.trim())?, parse_one(kind, to.trim())?))
}

/// A distribution as it is written in front of a mean: "lognormal(1) "; nothing for a constant.
pub(crate) fn law_prefix(law: &Law) -> String {
    match law {
        Law::Constant => String::new(),
        Law::Uniform => "uniform ".into(),
        Law::Exponential => "exponential ".into(),
        Law::Pareto { shape } => format!("pareto({shape}) "),
        Law::Lomax { shape } => format!("lomax({shape}) "),
        Law::LogNormal { sigma } => format!("lognormal({sigma}) "),
        // Written with `sizes`, which is not a prefix.
        Law::Points(_) => String::new(),
    }
}

/// Reads a mean with a distribution in front of it. Without `kind` the mean is an amount of
/// data. The error is the nearest valid text, where there is one.
pub fn parse_spread(kind: Option<&Kind>, text: &str) -> Result<(Value, Law), Option<String>> {
    parse_spread_like(kind, text, "")
}

/// [`parse_spread`] for a quantity that is usually written like `example`, such as
/// "exponential 500 ms".
pub(super) fn parse_spread_like(
    kind: Option<&Kind>,
    text: &str,
    example: &str,
) -> Result<(Value, Law), Nearest> {
    let text = text.trim();
    let word_end = text
        .find(|letter: char| letter == '(' || letter.is_whitespace())
        .unwrap_or(text.len());
    let (word, rest) = text.split_at(word_end);
    if !word.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
        return Ok((parse_mean(kind, text, example)?, Law::Constant));
    }
    let (number, mean) = match rest.strip_prefix('(') {
        Some(rest) => {
            let (number, mean) = rest.split_once(')').ok_or(None)?;
            (Some(number.trim().parse::<f64>().map_err(|_| None)?), mean)
        }
        None => (None, rest),
    };
    let law = match (word, number) {
        ("constant", None) => Law::Constant,
        ("uniform", None) => Law::Uniform,
        ("exponential", None) => Law::Exponential,
        ("pareto", Some(shape)) => Law::Pareto { shape },
        ("lomax", Some(shape)) => Law::Lomax { shape },
        ("lognormal", Some(sigma)) => Law::LogNormal { sigma },
        ("pareto" | "lomax", None) => return Err(Some(format!("{word}(1.5) {}", mean.trim()))),
        ("lognormal", None) => return Err(Some(format!("lognormal(1) {}", mean.trim()))),
        _ => {
            let laws = ["constant", "uniform", "exponential"];
            let law = nearest(word, laws.into_iter()).filter(|law| *law != word);
            return Err(law.map(|law| format!("{law} {}", mean.trim())));
        }
    };
    let mean = parse_mean(kind, mean.trim(), example).map_err(|mean| {
        let law = text[..text.len() - rest.len()].to_string();
        mean.filter(|_| number.is_none())
            .map(|mean| format!("{law} {mean}"))
    })?;
    Ok((mean, law))
}

fn parse_mean(kind: Option<&Kind>, text: &str, example: &str) -> Result<Value, Nearest> {
    match kind {
        Some(kind) => parse_one_like(kind, text, example),
        None => parse_amount(text),
    }
}

/// Bytes, or packets of a full payload.
fn parse_amount(text: &str) -> Result<Value, Nearest> {
    match Kind::Length(Range::POSITIVE).read(text)? {
        _ if is_bare(text) => Err(Some(format!("{text} kB"))),
        Value::Length(Length::Seconds(_)) => Err(None),
        value => Ok(value),
    }
}

/// The base unit of numbers of a dimension, for axes: "s".
pub fn base_unit(dimension: Option<Dimension>) -> &'static str {
    match dimension {
        Some(Dimension::Time) => "s",
        Some(Dimension::Data) => "bytes",
        Some(Dimension::Rate) => "bit/s",
        Some(Dimension::Packets) => "packets",
        Some(Dimension::Plain) | None => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIME: Kind = Kind::Time(Range::NOT_NEGATIVE);

    #[test]
    fn a_time_needs_its_unit() {
        assert_eq!(parse_one(&TIME, "5"), Err(Some("5 s".into())));
        let like = |example| parse_one_like(&TIME, "5", example);
        assert_eq!(like("50 ms"), Err(Some("5 ms".into())));
        assert_eq!(like("auto"), Err(Some("5 s".into())));
        assert_eq!(parse_one(&TIME, "0"), Ok(Value::Time(Nanos::ZERO)));
        assert_eq!(
            parse_one(&TIME, "5 ms"),
            Ok(Value::Time(Nanos::from_millis(5)))
        );
    }

    #[test]
    fn the_nearest_text_is_allowed() {
        let rate = Kind::Rate(Range::closed(1e3, 1e11));
        let nearest = |text: &str| parse_one(&rate, text).unwrap_err();
        assert_eq!(nearest("20").as_deref(), Some("20 Mbps"));
        assert_eq!(nearest("10 Mpbs").as_deref(), Some("10 Mbps"));
        assert_eq!(nearest("inf").as_deref(), Some("100000000000 bps"));
        assert_eq!(nearest("-inf").as_deref(), Some("1000 bps"));
        // 10,000 Gbps are above the range.
        assert_eq!(nearest("10Tbps").as_deref(), Some("100000000000 bps"));
        assert_eq!(nearest("0.1 Tbps").as_deref(), Some("100 Gbps"));
        assert_eq!(nearest("NaN"), None);
        let short = Kind::Time(Range::closed(0.0, 10.0));
        let nearest = parse_one(&short, "50").unwrap_err();
        assert_eq!(nearest.as_deref(), Some("50 ms"));
    }

    #[test]
    fn bounds_have_units() {
        let rate = Kind::Rate(Range::closed(1.0, 2e12));
        assert_eq!(allowed(&rate), "a rate from 1 bps to 2000 Gbps");
        let time = Kind::OrAuto(&Kind::Time(Range::POSITIVE));
        assert_eq!(allowed(&time), "a time above 0 s, or auto");
        let open = Kind::Time(Range {
            with_low: false,
            ..Range::closed(0.0, 1e9)
        });
        assert_eq!(allowed(&open), "a time above 0 s to 1000000000 s");
        let share = Kind::Number(Range::PROBABILITY, "probability");
        assert_eq!(allowed(&share), share.allowed());
    }

    #[test]
    fn two_values_with_dots_between() {
        let second = |s| Value::Time(Nanos::from_secs(s));
        assert_eq!(parse_between(&TIME, "1 s..2 s"), Ok((second(1), second(2))));
        assert_eq!(parse_between(&TIME, "3 s"), Ok((second(3), second(3))));
        assert_eq!(parse_between(&TIME, "1..2 s"), Err(Some("1 s".into())));
    }

    #[test]
    fn laws_stand_before_their_means() {
        let time = |text| parse_spread(Some(&TIME), text);
        let half = Value::Time(Nanos::from_millis(500));
        assert_eq!(time("500 ms"), Ok((half.clone(), Law::Constant)));
        assert_eq!(
            time("exponential 500 ms"),
            Ok((half.clone(), Law::Exponential))
        );
        assert_eq!(
            time("pareto(1.5) 500 ms"),
            Ok((half, Law::Pareto { shape: 1.5 }))
        );
        assert_eq!(time("pareto 1 s"), Err(Some("pareto(1.5) 1 s".into())));
        assert_eq!(time("exponental 1 s"), Err(Some("exponential 1 s".into())));
        assert_eq!(time("exponential 5"), Err(Some("exponential 5 s".into())));
        for nonsense in ["", "pareto(", "pareto(x) 1 s", "gaussian(1) 1 s", "()"] {
            assert_eq!(time(nonsense), Err(None), "{nonsense}");
        }
    }

    #[test]
    fn data_is_counted_in_bytes_or_packets() {
        let amount = |text| parse_spread(None, text).map(|(mean, _)| mean);
        assert_eq!(
            amount("12 kB"),
            Ok(Value::Length(Length::Bytes(Bytes(12_000).0 as f64)))
        );
        assert_eq!(
            amount("10 packets"),
            Ok(Value::Length(Length::Packets(10.0)))
        );
        assert_eq!(amount("10 ms"), Err(None));
        assert_eq!(amount("10"), Err(Some("10 kB".into())));
    }
}
