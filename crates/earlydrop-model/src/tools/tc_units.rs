//! Numbers with units as iproute2 reads them (`lib/utils.c`, `tc/tc_util.c`).

use earlydrop::units::BitsPerSec;

use super::ParseError;
use super::token::{Token, digits};

/// Splits a token into a number and its unit in lower case.
pub(super) fn split(token: Token<'_>) -> (Option<f64>, String) {
    let end = |(_, letter): &(usize, char)| letter.is_ascii_alphabetic();
    let end = token.text.char_indices().find(end).map(|(index, _)| index);
    let (number, unit) = token.text.split_at(end.unwrap_or(token.text.len()));
    let number = number
        .parse::<f64>()
        .ok()
        .filter(|n| n.is_finite() && *n >= 0.0);
    (number, unit.to_ascii_lowercase())
}

/// Parses a size as iproute2 does: `k` is 1024, and `kbit` is 1024/8 bytes.
pub(super) fn size<'a>(token: Token<'a>, name: &str) -> Result<(u32, Token<'a>), ParseError> {
    let (number, unit) = split(token);
    let scale = match unit.as_str() {
        "" | "b" => Some(1.0),
        "k" | "kb" => Some(1024.0),
        "m" | "mb" => Some(1_048_576.0),
        "g" | "gb" => Some(1_073_741_824.0),
        "kbit" => Some(128.0),
        "mbit" => Some(131_072.0),
        "gbit" => Some(134_217_728.0),
        _ => None,
    };
    let bytes = number.zip(scale).map(|(number, scale)| number * scale);
    match bytes {
        Some(bytes) if bytes <= f64::from(u32::MAX) => Ok((bytes as u32, token)),
        Some(_) => Err(token.error(
            format!("{name} {} exceeds tc's maximum", token.text),
            format!("nearest: {name} {}", u32::MAX),
        )),
        None => Err(token.error(
            format!("{name} {} is not a size", token.text),
            "allowed: bytes, or a number with b, k, m, g (1024s), kbit, mbit, gbit",
        )),
    }
}

pub(super) fn burst(token: Token<'_>) -> Result<(u32, Token<'_>), ParseError> {
    let hexadecimal = token.text.strip_prefix("0x");
    let number = match hexadecimal {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => token.text.parse().ok(),
    };
    let number = number.ok_or_else(|| {
        let nearest = token.text.parse::<f64>().ok().filter(|n| *n >= 1.0);
        let nearest = nearest.map_or(String::new(), |n| format!("; nearest: burst {}", n.round()));
        let message = format!("burst {} is not a whole number of packets", token.text);
        token.error(message, format!("allowed: a whole number{nearest}"))
    })?;
    Ok((number, token))
}

pub(super) fn exponent(token: Token<'_>) -> Result<(u32, Token<'_>), ParseError> {
    let number = token.count("ewma", 1.0, 31.0)?;
    Ok((number as u32, token))
}

/// Parses a probability of at most 1. tc itself accepts larger values, reads `2%` as 2, and sends
/// the kernel the remainder.
pub(super) fn probability(token: Token<'_>) -> Result<(f64, Token<'_>), ParseError> {
    if let Some(percent) = token.text.strip_suffix('%') {
        let number = percent.parse::<f64>().unwrap_or(2.0);
        let message = format!("tc reads probability {} as {number}", token.text);
        let help = format!("nearest: probability {}", digits(number / 100.0, 6));
        return Err(token.error(message, help));
    }
    Ok((token.probability("probability")?, token))
}

pub(super) fn rate(token: Token<'_>) -> Result<(BitsPerSec, Token<'_>), ParseError> {
    let (number, unit) = split(token);
    let bits = if unit.ends_with("bps") { 8.0 } else { 1.0 };
    let prefix = unit.trim_end_matches("bps").trim_end_matches("bit");
    let scale = match prefix {
        "" => Some(1.0),
        "k" => Some(1e3),
        "m" => Some(1e6),
        "g" => Some(1e9),
        "t" => Some(1e12),
        "ki" => Some(1024.0),
        "mi" => Some(1_048_576.0),
        "gi" => Some(1_073_741_824.0),
        "ti" => Some(1_099_511_627_776.0),
        _ => None,
    };
    let rate = number
        .zip(scale)
        .map(|(number, scale)| number * scale * bits);
    match rate {
        Some(rate) if (8.0..1e18).contains(&rate) => Ok((BitsPerSec(rate as u64), token)),
        _ => Err(token.error(
            format!("bandwidth {} is not a rate", token.text),
            "allowed: bits per second, or a number with kbit, mbit, gbit, kbps (bytes)",
        )),
    }
}
