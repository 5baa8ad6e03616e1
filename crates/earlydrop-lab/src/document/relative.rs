//! Quantities relative to a path: lengths in bandwidth-delay products (BDP), times in base
//! round-trip times (RTT).

use std::fmt;
use std::str::FromStr;

/// A quantity in units of a path, above zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Relative {
    /// Bandwidth-delay products: "0.5 BDP".
    Bdp(f64),
    /// Base round-trip times: "0.4 RTT".
    Rtt(f64),
}

impl FromStr for Relative {
    /// The text is in another unit.
    type Err = ();

    fn from_str(text: &str) -> Result<Relative, ()> {
        let text = text.trim();
        let unit = |unit: &str| {
            let (number, end) = text.split_at_checked(text.len().checked_sub(3)?)?;
            end.eq_ignore_ascii_case(unit).then(|| number.trim_end())
        };
        let (number, relative): (_, fn(f64) -> Relative) = match (unit("BDP"), unit("RTT")) {
            (Some(number), _) => (number, Relative::Bdp),
            (_, Some(number)) => (number, Relative::Rtt),
            _ => return Err(()),
        };
        let number: f64 = number.parse().map_err(|_| ())?;
        match number > 0.0 && number <= MOST {
            true => Ok(relative(number)),
            false => Err(()),
        }
    }
}

/// The most round trips of a length or a time: more are taken for a typing error.
const MOST: f64 = 1e6;

impl fmt::Display for Relative {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Relative::Bdp(number) => write!(f, "{number} BDP"),
            Relative::Rtt(number) => write!(f, "{number} RTT"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_above_zero_with_a_unit_of_the_path() {
        for (text, wanted) in [
            ("0.5 BDP", Ok(Relative::Bdp(0.5))),
            (" 2bdp ", Ok(Relative::Bdp(2.0))),
            ("4e-1 RTT", Ok(Relative::Rtt(0.4))),
            ("0 BDP", Err(())),
            ("-1 RTT", Err(())),
            ("inf BDP", Err(())),
            ("NaN BDP", Err(())),
            ("BDP", Err(())),
            ("é", Err(())),
            ("5 ms", Err(())),
        ] {
            assert_eq!(text.parse::<Relative>(), wanted, "{text}");
        }
        assert_eq!(Relative::Bdp(0.5).to_string(), "0.5 BDP");
    }
}
