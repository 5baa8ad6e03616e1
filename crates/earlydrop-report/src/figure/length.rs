//! Lengths on paper, and the sizes with which a picture can be read.

use std::ops::RangeInclusive;
use std::str::FromStr;

use super::Size;

/// A length on paper, in points (1/72 inch): `3.3in`, `84mm`, or a column of a paper's format.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Length(pub f64);

/// Names of widths, in inches.
const COLUMNS: [(&str, f64); 4] = [("ieee", 3.5), ("ieee2", 7.16), ("acm", 3.33), ("acm2", 7.0)];
/// Units of length, in points.
const UNITS: [(&str, f64); 4] = [
    ("in", 72.0),
    ("mm", 72.0 / 25.4),
    ("cm", 720.0 / 25.4),
    ("pt", 1.0),
];
/// The widths and font sizes with which a picture can be read, in points.
const WIDTHS: RangeInclusive<f64> = 90.0..=14_400.0;
const FONTS: RangeInclusive<f64> = 2.0..=72.0;

impl FromStr for Length {
    type Err = String;

    fn from_str(text: &str) -> Result<Length, String> {
        if let Some((_, inches)) = COLUMNS.iter().find(|(name, _)| *name == text) {
            return Ok(Length(72.0 * inches));
        }
        let read = || {
            let (unit, points) = UNITS.iter().find(|(unit, _)| text.ends_with(unit))?;
            let number: f64 = text.strip_suffix(unit)?.trim().parse().ok()?;
            Some(number * points)
        };
        match read() {
            Some(points) if points > 0.0 && points <= 14_400.0 => Ok(Length(points)),
            _ => Err("allowed: ieee, ieee2, acm, acm2, or a number above 0 with in, mm, cm or pt, up to 200in".to_string()),
        }
    }
}

impl Size {
    /// A size with which a picture can be read, or the length that does not fit with what is
    /// allowed.
    pub fn of(width: Length, height: Option<Length>, font: Length) -> Result<Size, String> {
        let check = |name: &str, Length(points): Length, allowed: RangeInclusive<f64>| {
            if allowed.contains(&points) {
                return Ok(points);
            }
            let (low, high) = (allowed.start(), allowed.end());
            Err(format!(
                "{name} {points:.2}pt: allowed: {low}pt to {high}pt"
            ))
        };
        let height = height.map(|height| check("height", height, WIDTHS));
        Ok(Size {
            width: check("width", width, WIDTHS)?,
            height: height.transpose()?,
            font: check("font", font, FONTS)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_units_or_are_columns() {
        let points = |text: &str| text.parse::<Length>().map(|length| length.0);
        assert_eq!(points("3.5in"), Ok(252.0));
        assert_eq!(points("ieee"), points("3.5in"));
        assert_eq!(points("25.4 mm").map(f64::round), Ok(72.0));
        for wrong in ["3.5", "", "in", "-1in", "NaNin", "1e9in", "3 feet"] {
            assert!(points(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_size_that_nobody_can_read_is_refused() {
        let wrong = Size::of(Length(10.0), None, Length(8.0)).unwrap_err();
        assert_eq!(wrong, "width 10.00pt: allowed: 90pt to 14400pt");
        assert!(Size::of(Length(252.0), None, Length(1.0)).is_err());
    }
}
