//! Time, sizes and rates as types, and their text: "10 Mbps", "52 ms", "1500 bytes".

use core::fmt;
use core::ops::{Add, AddAssign, Sub};
use core::str::FromStr;

/// A moment on the caller's clock, or a span of time, in nanoseconds.
///
/// The origin is the caller's: a simulation's start, or a machine's boot.
///
/// ```
/// use earlydrop::units::Nanos;
/// let span: Nanos = "52 ms".parse().unwrap();
/// assert_eq!(span, Nanos::from_millis(52));
/// assert_eq!(span.to_string(), "52 ms");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Nanos(pub u64);

impl Nanos {
    /// A span of zero, or the clock's origin.
    pub const ZERO: Nanos = Nanos(0);
    /// Later than any other moment.
    pub const NEVER: Nanos = Nanos(u64::MAX);

    /// A span of whole microseconds.
    pub const fn from_micros(micros: u64) -> Nanos {
        Nanos(micros * 1_000)
    }

    /// A span of whole milliseconds.
    pub const fn from_millis(millis: u64) -> Nanos {
        Nanos(millis * 1_000_000)
    }

    /// A span of whole seconds.
    pub const fn from_secs(secs: u64) -> Nanos {
        Nanos(secs * 1_000_000_000)
    }

    /// A span in seconds, rounded to the nearest nanosecond; negative becomes zero.
    pub fn from_secs_f64(secs: f64) -> Nanos {
        Nanos(libm::round(secs * 1e9) as u64)
    }

    /// The span in seconds.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 * 1e-9
    }

    /// The span from `earlier` to `self`, zero when `earlier` is later.
    pub const fn since(self, earlier: Nanos) -> Nanos {
        Nanos(self.0.saturating_sub(earlier.0))
    }
}

impl Add for Nanos {
    type Output = Nanos;
    fn add(self, span: Nanos) -> Nanos {
        Nanos(self.0.saturating_add(span.0))
    }
}

impl AddAssign for Nanos {
    fn add_assign(&mut self, span: Nanos) {
        *self = *self + span;
    }
}

impl Sub for Nanos {
    type Output = Nanos;
    /// Saturates at zero, as [`Nanos::since`] does.
    fn sub(self, earlier: Nanos) -> Nanos {
        self.since(earlier)
    }
}

/// A number of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(pub u64);

/// A rate in bits per second.
///
/// ```
/// use earlydrop::units::{BitsPerSec, Bytes, Nanos};
/// let link: BitsPerSec = "10 Mbps".parse().unwrap();
/// assert_eq!(link.transmission_time(Bytes(1250)), Nanos::from_millis(1));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BitsPerSec(pub u64);

impl BitsPerSec {
    /// A rate in whole megabits per second.
    pub const fn from_mbps(mbps: u64) -> BitsPerSec {
        BitsPerSec(mbps * 1_000_000)
    }

    /// The time to send `size`, rounded up to a whole nanosecond; [`Nanos::NEVER`] at a rate of
    /// zero (a link that is down).
    pub const fn transmission_time(self, size: Bytes) -> Nanos {
        if self.0 == 0 {
            return Nanos::NEVER;
        }
        let bit_nanos = size.0 as u128 * 8_000_000_000;
        let nanos = bit_nanos.div_ceil(self.0 as u128);
        if nanos < Nanos::NEVER.0 as u128 {
            Nanos(nanos as u64)
        } else {
            Nanos::NEVER
        }
    }

    /// Packets of `size` per second.
    pub fn packets_per_sec(self, size: Bytes) -> f64 {
        self.0 as f64 / (8.0 * size.0 as f64)
    }
}

/// The dimension of a number with a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// Seconds.
    Time,
    /// Bytes.
    Data,
    /// Bits per second.
    Rate,
    /// Packets.
    Packets,
    /// A plain number; "%" divides by a hundred.
    Plain,
}

/// Every unit: its spellings, its dimension, and its size in base units (seconds, bytes, bits
/// per second, packets).
///
/// The first spelling of the largest unit that fits is the one written.
const UNITS: &[(&[&str], Dimension, f64)] = &[
    (&["s", "sec", "seconds", "second"], Dimension::Time, 1.0),
    (&["ms", "msec"], Dimension::Time, 1e-3),
    (&["us", "µs", "usec"], Dimension::Time, 1e-6),
    (&["ns"], Dimension::Time, 1e-9),
    // Read, and written in seconds.
    (&["min", "minutes", "minute"], Dimension::Time, 60.0),
    (&["h", "hours", "hour"], Dimension::Time, 3600.0),
    (&["GB"], Dimension::Data, 1e9),
    (&["MB"], Dimension::Data, 1e6),
    (&["kB", "KB"], Dimension::Data, 1e3),
    (&["bytes", "byte", "B"], Dimension::Data, 1.0),
    (&["MiB"], Dimension::Data, 1_048_576.0),
    (&["KiB"], Dimension::Data, 1024.0),
    (&["Gbps", "Gbit/s", "Gbit"], Dimension::Rate, 1e9),
    (&["Mbps", "Mbit/s", "Mbit"], Dimension::Rate, 1e6),
    (&["kbps", "kbit/s", "kbit"], Dimension::Rate, 1e3),
    (&["bps", "bit/s"], Dimension::Rate, 1.0),
    // Read, and written in bits.
    (&["GB/s", "GBps"], Dimension::Rate, 8e9),
    (&["MB/s", "MBps"], Dimension::Rate, 8e6),
    (&["kB/s", "KB/s", "kBps", "KBps"], Dimension::Rate, 8e3),
    (
        &["packets", "packet", "pkts", "pkt", "p"],
        Dimension::Packets,
        1.0,
    ),
    (&["%"], Dimension::Plain, 0.01),
];

/// The spellings of the units of `dimension`.
pub fn spellings(dimension: Dimension) -> impl Iterator<Item = &'static str> {
    let units = UNITS.iter().filter(move |(_, of, _)| *of == dimension);
    units.flat_map(|(names, ..)| names.iter().copied())
}

/// A number read from text, with the dimension of its unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantity {
    /// The number in base units: seconds, bytes, bits per second, packets.
    pub amount: f64,
    /// Its dimension; `None` without a unit.
    pub dimension: Option<Dimension>,
}

/// Why text is not a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuantityError {
    /// It does not start with a finite number.
    NotANumber,
    /// Its unit is not one of those known.
    UnknownUnit,
    /// Its unit measures something else.
    WrongUnit,
}

impl fmt::Display for QuantityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            QuantityError::NotANumber => "does not start with a finite number",
            QuantityError::UnknownUnit => {
                "has an unknown unit (known: s ms us ns, bytes kB MB GB KiB MiB, bps kbps Mbps Gbps, packets, %)"
            }
            QuantityError::WrongUnit => "has a unit of another kind",
        })
    }
}

impl core::error::Error for QuantityError {}

impl FromStr for Quantity {
    type Err = QuantityError;

    fn from_str(text: &str) -> Result<Quantity, QuantityError> {
        let text = text.trim();
        let (number, unit) = split_number(text);
        let amount: f64 = number.parse().map_err(|_| QuantityError::NotANumber)?;
        if !amount.is_finite() {
            return Err(QuantityError::NotANumber);
        }
        if unit.is_empty() {
            return Ok(Quantity {
                amount,
                dimension: None,
            });
        }
        let (_, dimension, scale) = UNITS
            .iter()
            .find(|(names, ..)| names.contains(&unit))
            .ok_or(QuantityError::UnknownUnit)?;
        Ok(Quantity {
            amount: amount * scale,
            dimension: Some(*dimension),
        })
    }
}

/// Splits "12.5e3 ms" into its number and its unit.
pub(crate) fn split_number(text: &str) -> (&str, &str) {
    let bytes = text.as_bytes();
    let mut end = 0;
    while end < bytes.len() {
        let exponent = matches!(bytes[end], b'e' | b'E')
            && bytes
                .get(end + 1)
                .is_some_and(|next| next.is_ascii_digit() || matches!(next, b'-' | b'+'));
        let sign = matches!(bytes[end], b'-' | b'+')
            && (end == 0 || matches!(bytes[end - 1], b'e' | b'E'));
        if !(bytes[end].is_ascii_digit() || bytes[end] == b'.' || exponent || sign) {
            break;
        }
        end += 1;
    }
    (&text[..end], text[end..].trim())
}

impl Quantity {
    /// The amount, if its dimension is `wanted` or it has no unit.
    pub fn of(self, wanted: Dimension) -> Result<f64, QuantityError> {
        match self.dimension {
            None => Ok(self.amount),
            Some(found) if found == wanted => Ok(self.amount),
            Some(_) => Err(QuantityError::WrongUnit),
        }
    }
}

/// Writes `amount` base units in the largest unit that leaves at least 1.
pub fn write_quantity(
    f: &mut fmt::Formatter<'_>,
    amount: f64,
    dimension: Dimension,
) -> fmt::Result {
    let scaled = UNITS
        .iter()
        .filter(|(names, of, _)| *of == dimension && !names[0].ends_with("iB"))
        .find(|(_, _, scale)| amount >= *scale * 0.999_999_999);
    let base = UNITS
        .iter()
        .find(|(_, of, scale)| *of == dimension && *scale == 1.0);
    match scaled.or(base) {
        Some((names, _, scale)) => write!(f, "{} {}", trimmed(amount / scale), names[0]),
        None => write!(f, "{}", trimmed(amount)),
    }
}

/// Removes the rounding error that division by a unit leaves in the last digits: nine decimals of
/// a number with six digits before the point, and fewer of a longer one.
fn trimmed(value: f64) -> f64 {
    let mut scale = 1e9;
    while scale > 1.0 && value * scale >= 1e15 {
        scale /= 10.0;
    }
    let rounded = libm::round(value * scale) / scale;
    if rounded == 0.0 { value } else { rounded }
}

impl fmt::Display for Nanos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_quantity(f, self.as_secs_f64(), Dimension::Time)
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_quantity(f, self.0 as f64, Dimension::Data)
    }
}

impl fmt::Display for BitsPerSec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_quantity(f, self.0 as f64, Dimension::Rate)
    }
}

/// Reads `text` as a non-negative amount of `dimension`.
fn parse_amount(text: &str, dimension: Dimension) -> Result<f64, QuantityError> {
    let amount = text.parse::<Quantity>()?.of(dimension)?;
    if amount < 0.0 {
        return Err(QuantityError::NotANumber);
    }
    Ok(amount)
}

impl FromStr for Nanos {
    type Err = QuantityError;
    fn from_str(text: &str) -> Result<Nanos, QuantityError> {
        parse_amount(text, Dimension::Time).map(Nanos::from_secs_f64)
    }
}

impl FromStr for Bytes {
    type Err = QuantityError;
    fn from_str(text: &str) -> Result<Bytes, QuantityError> {
        parse_amount(text, Dimension::Data).map(|amount| Bytes(libm::round(amount) as u64))
    }
}

impl FromStr for BitsPerSec {
    type Err = QuantityError;
    fn from_str(text: &str) -> Result<BitsPerSec, QuantityError> {
        parse_amount(text, Dimension::Rate).map(|amount| BitsPerSec(libm::round(amount) as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn minutes_and_hours_are_read_and_written_in_seconds() {
        let time = |text: &str| text.parse::<Nanos>().unwrap();
        assert_eq!(time("10 min"), Nanos::from_secs(600));
        assert_eq!(time("1.5h").to_string(), "5400 s");
    }

    #[test]
    fn bytes_a_second_are_read_and_written_in_bits() {
        let rate = |text: &str| text.parse::<BitsPerSec>().unwrap().to_string();
        let texts = ["20 MB/s", "20MBps", "1.25 GB/s", "125 kB/s"];
        let wanted = ["160 Mbps", "160 Mbps", "10 Gbps", "1 Mbps"];
        assert_eq!(texts.map(rate), wanted);
        assert_eq!("20 msec".parse::<Nanos>().unwrap().to_string(), "20 ms");
    }

    #[test]
    fn every_unit_reads_back_what_it_writes() {
        for text in [
            "52 ms", "1.5 s", "200 us", "7 ns", "10 Mbps", "1 Gbps", "56 kbps",
        ] {
            let amount = text.parse::<Quantity>().unwrap();
            let written = match amount.dimension.unwrap() {
                Dimension::Time => Nanos::from_secs_f64(amount.amount).to_string(),
                _ => BitsPerSec(amount.amount as u64).to_string(),
            };
            assert_eq!(written, text);
        }
        assert_eq!(Nanos::from_secs(1_000_000_000).to_string(), "1000000000 s");
        assert_eq!(
            Nanos(1_000_000_000_100_000_000).to_string(),
            "1000000000.1 s"
        );
        assert_eq!("1500 bytes".parse::<Bytes>().unwrap(), Bytes(1500));
        assert_eq!("64 KiB".parse::<Bytes>().unwrap(), Bytes(65_536));
        assert_eq!(Bytes(1500).to_string(), "1.5 kB");
        assert_eq!("1e3bytes".parse::<Bytes>().unwrap(), Bytes(1000));
    }

    #[test]
    fn invalid_text_is_an_error_by_kind() {
        assert_eq!("ms".parse::<Nanos>(), Err(QuantityError::NotANumber));
        assert_eq!("NaN ms".parse::<Nanos>(), Err(QuantityError::NotANumber));
        assert_eq!("-1 ms".parse::<Nanos>(), Err(QuantityError::NotANumber));
        assert_eq!(
            "5 parsecs".parse::<Nanos>(),
            Err(QuantityError::UnknownUnit)
        );
        assert_eq!("5 Mbps".parse::<Nanos>(), Err(QuantityError::WrongUnit));
    }

    #[test]
    fn transmission_time_rounds_up() {
        assert_eq!(
            BitsPerSec(3).transmission_time(Bytes(1)),
            Nanos(2_666_666_667)
        );
    }

    #[test]
    fn a_link_that_is_down_takes_for_ever() {
        let times = [(0, 1500), (1, u64::MAX)];
        let times = times.map(|(rate, size)| BitsPerSec(rate).transmission_time(Bytes(size)));
        assert_eq!(times, [Nanos::NEVER; 2]);
    }
}
