//! Numbers as text for people: the one rule of terminal, tables, pages, pictures, Python and the
//! laboratory.
//!
//! Programs read full precision instead (`--json`, CSV, databases, exports).
//!
//! | what | rule | example |
//! |---|---|---|
//! | [`estimate`] | the interval to two significant digits, the mean to the same decimal place | 334.2, 107.3: `330 ± 110` |
//! | | no finer than the mean's fourth digit, but whole units are kept | 12345.6, 3.2: `12346 ± 3` |
//! | | an interval below that digit is one of it: it is at most that wide | 45.788, 0.0012: `45.79 ± 0.01` |
//! | | without an interval, or with one of zero width: a [`number`] | `9.5` |
//! | [`number`] | three significant digits and all before the point, no zeros at the end | 12345.6: `12346`; 9.50: `9.5` |
//! | | from ten million and below a millionth with an exponent | `1.5e7`, `2.35e-8`, `(1.2 ± 0.3)e-8` |
//! | | zero, without a sign | `0` |
//! | | not a number: not measured; infinite | `-`, `inf` |
//! | [`to_digits`] | a number with another number of significant digits | 0.0584401, 4: `0.05844` |
//! | [`mean`] | the mean of an estimate alone | 334.2, 107.3: `330` |
//! | [`percent`] | a share as a [`number`] | 0.0123: `1.23%` |
//! | [`difference`] | an estimate with its sign | `+12.3 ± 0.4` |
//! | [`change`] | a relative difference in percent: a [`difference`]; without an interval one decimal | `-45.3 ± 6.3%`, `-55.0%` |
//! | [`with_unit`] | a space before the unit, but not before a percent sign | `12.5 ms`, `1.23%` |
//! | [`time`] | a [`number`] of s, ms, µs or ns: the largest unit that it reaches | 0.0125: `12.5 ms` |
//! | a count | exact: an integer's `Display` | `12345` |
//!
//! Two digits of an interval are what metrology asks for: its second digit already varies from one
//! set of seeds to the next, so further ones, and digits of the mean beyond it, are noise (GUM,
//! JCGM 100:2008, 7.2.6: "It usually suffices to quote [the uncertainty] to at most two significant
//! digits"; results "should be rounded to be consistent with their uncertainties"). A number without
//! interval says nothing of its noise, so that no digit before its point is dropped.
//!
//! A number is rounded once, from its exact binary value; ties go to the even digit. Its minus is
//! the ASCII one, and nothing groups its digits, so that it can be copied into a program.
//!
//! `number/texts.csv` has estimates with their texts. The tests of every place that shows numbers
//! read it: these, the report's, the package's in Python, and the laboratory's.

use std::ops::Range;

/// Sizes that are written without an exponent.
const PLAIN: Range<f64> = 1e-6..1e7;

/// A number with three significant digits and all before the point: "0.0123", "9.5", "12346".
pub fn number(value: f64) -> String {
    to_digits(value, 3)
}

/// [`number`] with another number of significant digits.
pub fn to_digits(value: f64, digits: usize) -> String {
    if value.is_nan() {
        return "-".to_string();
    }
    if value == 0.0 || value.is_infinite() {
        // Adding zero turns -0 into 0.
        return (value + 0.0).to_string();
    }
    if PLAIN.contains(&value.abs()) {
        return without_zeros(fixed(value, last_place(value, digits).min(0)));
    }
    let text = format!("{value:.*e}", digits.max(1) - 1);
    match text.split_once('e') {
        Some((front, power)) => format!("{}e{power}", without_zeros(front.to_string())),
        None => text,
    }
}

/// A mean with half its confidence interval: "12.35 ± 0.42".
///
/// ```
/// use earlydrop_model::number::estimate;
///
/// assert_eq!(estimate(334.2, Some(107.3)), "330 ± 110");
/// assert_eq!(estimate(12.345, Some(0.42)), "12.35 ± 0.42");
/// assert_eq!(estimate(12.345, None), "12.3");
/// ```
pub fn estimate(mean: f64, half: Option<f64>) -> String {
    let Some((power, place)) = places(mean, half) else {
        return number(mean);
    };
    let scale = 10_f64.powi(power);
    let (mean, half) = (mean / scale, half.unwrap_or(0.0) / scale);
    let half = match fixed(half, place) {
        rounded if is_zero(&rounded) => fixed(10_f64.powi(place), place),
        rounded => rounded,
    };
    let text = format!("{} ± {half}", fixed(mean, place));
    match power {
        0 => text,
        _ => format!("({text})e{power}"),
    }
}

/// The mean of an [`estimate`] alone, with the same digits: "12.35".
pub fn mean(mean: f64, half: Option<f64>) -> String {
    match places(mean, half) {
        None => number(mean),
        Some((0, place)) => fixed(mean, place),
        Some((power, place)) => format!("{}e{power}", fixed(mean / 10_f64.powi(power), place)),
    }
}

/// A difference with its sign and half its interval: "+12.3 ± 0.4". One that rounds to zero has no
/// sign.
pub fn difference(mean: f64, half: Option<f64>) -> String {
    let text = estimate(mean, half);
    match mean > 0.0 && !is_zero(text.split(' ').next().unwrap_or_default()) {
        true => format!("+{text}"),
        false => text,
    }
}

/// A share in percent: "1.23%".
pub fn percent(share: f64) -> String {
    with_unit(number(100.0 * share), "%")
}

/// A relative difference in percent with half its interval: "-45.3 ± 6.3%"; with one decimal
/// where it has none: "-55.0%".
pub fn change(share: f64, half: Option<f64>) -> String {
    match half {
        Some(half) => with_unit(difference(100.0 * share, Some(100.0 * half)), "%"),
        None => format!("{:+.1}%", 100.0 * share),
    }
}

/// A time in seconds with the largest unit that it reaches: "12.5 ms".
pub fn time(seconds: f64) -> String {
    let (scale, unit) = match seconds.abs() {
        size if size < 1e-6 && size > 0.0 => (1e9, "ns"),
        size if size < 1e-3 && size > 0.0 => (1e6, "µs"),
        size if size < 1.0 && size > 0.0 => (1e3, "ms"),
        _ => (1.0, "s"),
    };
    with_unit(number(scale * seconds), unit)
}

/// The factor on a value, and its unit, with which a short time has no leading zeros: 0.0042 s is
/// 4.2 ms. A time of a tenth of its unit and more keeps it, and so does what is no time.
pub fn fitting_unit(value: f64, unit: &str) -> (f64, &str) {
    let is_short = |scale: f64| (value * scale).abs() < 0.1 && value != 0.0;
    match unit {
        "s" if is_short(1e3) => (1e6, "µs"),
        "s" if is_short(1.0) => (1e3, "ms"),
        "ms" if is_short(1.0) => (1e3, "µs"),
        _ => (1.0, unit),
    }
}

/// A text with its unit: "12.5 ms", "1.23%", "5"; "-" as it is.
pub fn with_unit(text: String, unit: &str) -> String {
    match unit {
        _ if text == "-" => text,
        "" | "%" => text + unit,
        _ => format!("{text} {unit}"),
    }
}

/// The power of ten that an estimate is divided by, and its last decimal place after that, as a
/// power of ten as well; `None` where there is no interval to round by.
fn places(mean: f64, half: Option<f64>) -> Option<(i32, i32)> {
    let half = half.filter(|half| *half > 0.0 && half.is_finite() && mean.is_finite())?;
    let largest = mean.abs().max(half);
    let power = match PLAIN.contains(&largest) {
        true => 0,
        false => last_place(largest, 1),
    };
    let interval = last_place(half, 2) - power;
    let finest = match mean {
        0.0 => return Some((power, interval)),
        // Of the mean as it is: 99.996 has hundredths, though it rounds to 100.0.
        _ => (magnitude(&format!("{mean:e}")) - 3 - power).min(0),
    };
    Some((power, interval.max(finest)))
}

/// The place of the last of so many significant digits, after rounding to them: -2 for 0.996 and two
/// digits, which round to 1.0, would be -1.
fn last_place(value: f64, digits: usize) -> i32 {
    let decimals = digits.max(1) - 1;
    magnitude(&format!("{value:.decimals$e}")) - decimals as i32
}

/// The exponent of a text such as "1.5e-3".
fn magnitude(text: &str) -> i32 {
    let power = text.split_once('e').map(|(_, power)| power.parse());
    power.and_then(Result::ok).unwrap_or(0)
}

/// A number rounded to a decimal place: -2 for hundredths, 1 for tens. Zero has no sign.
fn fixed(value: f64, place: i32) -> String {
    let text = match usize::try_from(-place) {
        Ok(decimals) => format!("{value:.decimals$}"),
        Err(_) => {
            let step = 10_f64.powi(place);
            format!("{:.0}", (value / step).round_ties_even() * step)
        }
    };
    match text.strip_prefix('-') {
        Some(size) if is_zero(size) => size.to_string(),
        _ => text,
    }
}

fn is_zero(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'0' | b'.'))
}

fn without_zeros(text: String) -> String {
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_significant_digits_and_all_before_the_point() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (0.025, "0.025"),
            (15.0, "15"),
            (1.0, "1"),
            (9.5, "9.5"),
            (0.123_456, "0.123"),
            (0.012_345, "0.0123"),
            (0.999_6, "1"),
            // In binary 9.994999..., and 99.95000...3.
            (9.995, "9.99"),
            (99.95, "100"),
            (99.96, "100"),
            (-1234.56, "-1235"),
            (12345.6, "12346"),
            (9_999_999.0, "9999999"),
            (1e7, "1e7"),
            (15e6, "1.5e7"),
            (0.000_002_346, "0.00000235"),
            (2.346e-8, "2.35e-8"),
            (1e-8, "1e-8"),
            (-9.996e-9, "-1e-8"),
            (f64::NAN, "-"),
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(number(value), text, "{value:e}");
        }
        assert_eq!(to_digits(0.058_440_1, 4), "0.05844");
        assert_eq!(to_digits(30_000.0, 6), "30000");
    }

    #[test]
    fn the_interval_decides_about_digits() {
        for (mean, half, text) in [
            (12.345, 0.42, "12.35 ± 0.42"),
            (334.2, 107.3, "330 ± 110"),
            (1234.5, 56.0, "1234 ± 56"),
            (1236.5, 996.0, "1200 ± 1000"),
            (0.0, 0.5, "0.00 ± 0.50"),
            (-0.001, 0.5, "0.00 ± 0.50"),
            // Rounded to two digits, the interval has one place more before the point.
            (0.556, 0.0996, "0.56 ± 0.10"),
            (55.6, 9.96, "56 ± 10"),
            // At most four digits of the mean, but whole units.
            (99.99, 1e-9, "99.99 ± 0.01"),
            (99.996, 0.010, "100.00 ± 0.01"),
            (9.999_6, 0.000_3, "10.000 ± 0.001"),
            (45.788, 0.001_2, "45.79 ± 0.01"),
            (12345.6, 3.2, "12346 ± 3"),
            (1.2e-8, 3.4e-9, "(1.20 ± 0.34)e-8"),
            (1.234_567e8, 1.2e5, "(1.235 ± 0.001)e8"),
            (0.0, 1.2e-9, "(0.0 ± 1.2)e-9"),
        ] {
            assert_eq!(estimate(mean, Some(half)), text);
        }
        for half in [None, Some(0.0), Some(f64::INFINITY), Some(f64::NAN)] {
            assert_eq!(estimate(25.04, half), "25");
        }
        assert_eq!(estimate(f64::NAN, Some(1.0)), "-");
    }

    #[test]
    fn the_mean_alone_has_the_digits_of_its_estimate() {
        for (of, half) in [
            (334.2, Some(107.3)),
            (12.345, Some(0.42)),
            (12.345, None),
            (-0.001, Some(0.5)),
        ] {
            let text = estimate(of, half);
            assert_eq!(Some(mean(of, half).as_str()), text.split(' ').next());
        }
        assert_eq!(mean(1.2e-8, Some(3.4e-9)), "1.20e-8");
    }

    #[test]
    fn shares_and_differences_have_their_signs() {
        assert_eq!(percent(0.012_345), "1.23%");
        assert_eq!(percent(f64::NAN), "-");
        assert_eq!(change(0.123_45, None), "+12.3%");
        assert_eq!(change(-0.55, None), "-55.0%");
        assert_eq!(change(-0.4532, Some(0.0631)), "-45.3 ± 6.3%");
        assert_eq!(difference(12.34, Some(0.42)), "+12.34 ± 0.42");
        assert_eq!(difference(-334.2, Some(107.3)), "-330 ± 110");
        assert_eq!(difference(-12.34, None), "-12.3");
        assert_eq!(difference(0.0, Some(0.0)), "0");
        assert_eq!(difference(0.001, Some(0.5)), "0.00 ± 0.50");
        assert_eq!(difference(f64::NAN, Some(0.5)), "-");
    }

    #[test]
    fn times_have_the_largest_unit_that_they_reach() {
        for (seconds, text) in [
            (0.0, "0 s"),
            (1.5, "1.5 s"),
            (0.012_5, "12.5 ms"),
            (-0.000_25, "-250 µs"),
            (3.2e-8, "32 ns"),
            (f64::NAN, "-"),
        ] {
            assert_eq!(time(seconds), text);
        }
    }

    #[test]
    fn short_times_have_a_smaller_unit() {
        assert_eq!(fitting_unit(0.298, "s"), (1.0, "s"));
        assert_eq!(fitting_unit(0.0042, "s"), (1e3, "ms"));
        assert_eq!(fitting_unit(-0.000_042, "s"), (1e6, "µs"));
        assert_eq!(fitting_unit(0.042, "ms"), (1e3, "µs"));
        assert_eq!(fitting_unit(0.0, "s"), (1.0, "s"));
        assert_eq!(fitting_unit(0.0042, "%"), (1.0, "%"));
    }

    #[test]
    fn the_texts_that_every_place_shows() {
        let lines = include_str!("number/texts.csv").lines().skip(1);
        for line in lines {
            let fields: Vec<&str> = line.split(',').collect();
            let value = |index: usize| fields[index].parse::<f64>();
            let (mean, half) = (value(0).unwrap(), value(1).ok());
            let text = with_unit(estimate(mean, half), fields[2]);
            assert_eq!(text, fields[3], "{line}");
        }
    }
}
