//! Values of options, read and refused in one way for all requests.

use earlydrop::registry::{Kind, Length, Range, Value};
use earlydrop::units::{BitsPerSec, Bytes, Nanos};
use earlydrop_lab::document::{lacks_unit, parse_one_like};

use super::RequestError;

/// The rate of a link that the model is asked about.
const LINK: Kind = Kind::Rate(Range::closed(1e3, 1e13));
/// Its RTT without queueing.
const RTT: Kind = Kind::Time(Range::closed(1e-6, 100.0));
/// The number of flows that share it.
const FLOWS: Kind = Kind::Count(Range::closed(1.0, 1e6), "flows");
/// The buffer of the link.
const BUFFER: Kind = Kind::Length(Range::closed(1.0, 1e9));
/// The size of their packets on the wire.
const PACKET: Kind = Kind::Bytes(Range::closed(100.0, 65_535.0));

/// The value of `--OPTION TEXT` as one of this kind; a time, a rate or a size needs its unit.
///
/// The error has the option as given, what is allowed, and the nearest allowed option.
pub fn read(option: &str, text: &str, kind: &Kind) -> Result<Value, RequestError> {
    read_as(text, kind, |value| format!("--{option} {}", quoted(value)))
}

/// [`read`] for a value that is a part of an argument; `argument` is the argument with a value.
pub fn read_as(
    text: &str,
    kind: &Kind,
    argument: impl Fn(&str) -> String,
) -> Result<Value, RequestError> {
    // RTTs and delays are in milliseconds; a time that may be an hour is a duration in seconds.
    let usual = match kind.read("3600 s") {
        Ok(_) => "60 s",
        Err(_) => "50 ms",
    };
    parse_one_like(kind, text, usual).map_err(|nearest| {
        let unit = match lacks_unit(kind, text.trim()) {
            true => "the number needs a unit; ",
            false => "",
        };
        // Arguments are shown as one word: "50ms".
        let nearest = nearest.map(|nearest| argument(&nearest.replace(' ', "")));
        let nearest = nearest.map_or(String::new(), |nearest| format!("; nearest: {nearest}"));
        let (given, allowed) = (argument(text), kind.allowed());
        RequestError::Option(format!("{given}: {unit}allowed: {allowed}{nearest}"))
    })
}

/// Text as a word of the messages: in quotes where it is empty or has spaces.
fn quoted(text: &str) -> String {
    match text.is_empty() || text.contains(' ') {
        true => format!("\"{text}\""),
        false => text.to_string(),
    }
}

/// The number of an option.
pub fn number(option: &str, text: &str, kind: &Kind) -> Result<f64, RequestError> {
    match read(option, text, kind)? {
        Value::Number(number) => Ok(number),
        _ => Err(wrong_kind(option, text)),
    }
}

/// The buffer that percentages are of.
pub(super) fn buffer(text: &str) -> Result<Length, RequestError> {
    match read("buffer", text, &BUFFER)? {
        Value::Length(length) => Ok(length),
        _ => Err(wrong_kind("buffer", text)),
    }
}

/// The rate of a link.
pub fn link(text: &str) -> Result<BitsPerSec, RequestError> {
    match read("link", text, &LINK)? {
        Value::Rate(rate) => Ok(rate),
        _ => Err(wrong_kind("link", text)),
    }
}

/// A time of at most 100 s.
pub fn time(option: &str, text: &str) -> Result<Nanos, RequestError> {
    match read(option, text, &RTT)? {
        Value::Time(time) => Ok(time),
        _ => Err(wrong_kind(option, text)),
    }
}

/// A number of flows.
pub fn flows(text: &str) -> Result<f64, RequestError> {
    number("flows", text, &FLOWS)
}

/// A packet size.
pub fn packet(text: &str) -> Result<Bytes, RequestError> {
    match read("packet", text, &PACKET)? {
        Value::Bytes(size) => Ok(size),
        _ => Err(wrong_kind("packet", text)),
    }
}

/// Kinds decide which values are read, so that this is not reached.
pub fn wrong_kind(option: &str, text: &str) -> RequestError {
    RequestError::Option(format!("--{option} {text}: not a value of this kind"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(option: &str, text: &str, kind: &Kind) -> String {
        read(option, text, kind).unwrap_err().to_string()
    }

    #[test]
    fn a_missing_unit_is_named() {
        let message = refusal("rtt", "50", &RTT);
        let said = "--rtt 50: the number needs a unit; allowed: a time in [0.000001, 100] s; \
                    nearest: --rtt 50ms";
        assert_eq!(message, said);
        assert!(refusal("link", "20", &LINK).ends_with("nearest: --link 20Mbps"));
        assert!(refusal("packet", "1500", &PACKET).ends_with("nearest: --packet 1500bytes"));
    }

    #[test]
    fn the_nearest_is_always_allowed() {
        let texts = [
            "nan",
            "NaN",
            "inf",
            "-inf",
            "-1",
            "0",
            "1e308",
            "1e309",
            "1e19",
            "",
            " ",
            "x",
            "5 kg",
            "10Tbps",
            "10 Mpbs",
            "0.5",
            "1.5",
            "50%",
            "1e-308",
            "-0",
            "+5",
            "5 ms",
            "9".repeat(400).as_str(),
        ]
        .map(str::to_string);
        for kind in [
            LINK,
            RTT,
            FLOWS,
            PACKET,
            Kind::Number(Range::PROBABILITY, "share"),
        ] {
            for text in &texts {
                let Err(failure) = read("x", text, &kind) else {
                    continue;
                };
                let message = failure.to_string();
                assert!(message.contains("allowed: "), "{message}");
                let Some((_, nearest)) = message.split_once("nearest: --x ") else {
                    continue;
                };
                assert!(read("x", nearest, &kind).is_ok(), "{message}");
            }
        }
        let endless = refusal("flows", "inf", &FLOWS);
        assert!(endless.ends_with("nearest: --flows 1000000"), "{endless}");
    }
}
