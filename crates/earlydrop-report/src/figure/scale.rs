//! Linear and logarithmic scales, and ticks.

use earlydrop_lab::number::number;

/// The smallest and the largest finite value.
pub(crate) fn extent(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let finite = values.filter(|value| value.is_finite());
    finite.fold(None, |range, value| match range {
        None => Some((value, value)),
        Some((low, high)) => Some((value.min(low), value.max(high))),
    })
}

/// Where a linear axis of these values starts: at zero, unless they are above it and would then fill
/// less than 40% of it.
pub(super) fn start(low: f64, high: f64) -> f64 {
    if low > 0.6 * high { low } else { low.min(0.0) }
}

/// A linear or logarithmic mapping from values to positions along an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    low: f64,
    high: f64,
    log: bool,
}

impl Scale {
    /// A linear scale; an empty or infinite range is widened so that it can be drawn.
    pub fn linear(low: f64, high: f64) -> Scale {
        let (low, high) = span(low, high);
        Scale {
            low,
            high,
            log: false,
        }
    }

    /// A logarithmic scale; it has no position for values of zero and below.
    pub fn log(low: f64, high: f64) -> Scale {
        let low = if low > 0.0 { low } else { high.max(1e-9) / 1e3 };
        let (low, high) = span(low, high.max(low));
        Scale {
            low,
            high,
            log: true,
        }
    }

    /// The smallest and the largest value.
    pub fn ends(&self) -> (f64, f64) {
        (self.low, self.high)
    }

    /// The position of a value: 0 at the low end, 1 at the high end; `None` for a value that has
    /// none.
    pub fn share(&self, value: f64) -> Option<f64> {
        let share = match self.log {
            false => (value - self.low) / (self.high - self.low),
            true => (value / self.low).ln() / (self.high / self.low).ln(),
        };
        share.is_finite().then_some(share)
    }

    /// Widens a linear scale so that both ends lie on a tick or half way between two.
    pub fn rounded(self, wanted: usize) -> Scale {
        if self.log {
            return self;
        }
        let step = step(self.low, self.high, wanted) / 2.0;
        let down = (self.low / step + 1e-9).floor() * step;
        let up = (self.high / step - 1e-9).ceil() * step;
        Scale::linear(down + 0.0, up)
    }

    /// About `wanted` ticks, each with its text.
    pub fn ticks(&self, wanted: usize) -> Vec<(f64, String)> {
        match self.log {
            false => ticks(self.low, self.high, wanted),
            true => self.log_ticks(wanted),
        }
    }

    /// Powers of ten and, where there are few of them, 2 and 5 times a power of ten.
    fn log_ticks(&self, wanted: usize) -> Vec<(f64, String)> {
        let (first, last) = (self.low.log10().floor(), self.high.log10().ceil());
        let decades = (first as i32..=last as i32).map(|power| 10_f64.powi(power));
        let between = |factors: &[f64]| -> Vec<(f64, String)> {
            let all = decades
                .clone()
                .flat_map(|decade| factors.iter().map(move |factor| factor * decade));
            let slack = 1e-9;
            all.filter(|value| {
                *value >= self.low * (1.0 - slack) && *value <= self.high * (1.0 + slack)
            })
            .map(|value| (value, number(value)))
            .collect()
        };
        let plain = between(&[1.0]);
        if plain.len() * 2 > wanted {
            return plain;
        }
        between(&[1.0, 2.0, 5.0])
    }
}

/// The range itself, or a wider one where it is empty or not finite.
fn span(low: f64, high: f64) -> (f64, f64) {
    if !(low.is_finite() && high.is_finite()) {
        return (0.0, 1.0);
    }
    // Subnormal spans would make steps of zero.
    if high - low >= f64::MIN_POSITIVE * 1e6 && high - low > 1e-12 * high.abs() {
        return (low, high);
    }
    let room = if low == 0.0 { 1.0 } else { low.abs() * 0.1 };
    (low - if low == 0.0 { 0.0 } else { room }, low + room)
}

/// Steps of 1, 2 or 5 times a power of ten, about `wanted` of them.
fn step(low: f64, high: f64, wanted: usize) -> f64 {
    let rough = (high - low) / wanted.max(1) as f64;
    let power = 10_f64.powf(rough.log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .map(|factor| factor * power)
        .into_iter()
        .find(|step| *step >= rough * (1.0 - 1e-9))
        .unwrap_or(rough)
}

/// About `wanted` ticks from `low` to `high`, in steps of 1, 2 or 5 times a power of ten.
pub fn ticks(low: f64, high: f64, wanted: usize) -> Vec<(f64, String)> {
    let step = step(low, high, wanted);
    let first = (low / step - 1e-9).ceil();
    let decimals = (-step.log10().floor()).clamp(0.0, 12.0) as usize;
    let plain = (1e-5..1e7).contains(&step) && high.abs().max(low.abs()) < 1e7;
    (0..=wanted + 1)
        .map(|index| (first + index as f64) * step)
        .take_while(|value| *value <= high + step * 1e-9)
        // Adding zero turns -0 into 0.
        .map(|value| match plain {
            true => (value, format!("{:.decimals$}", value + 0.0)),
            false => (value, format!("{:.1e}", value + 0.0)),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(ticks: Vec<(f64, String)>) -> Vec<String> {
        ticks.into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(
            texts(ticks(0.0, 120.0, 6)),
            ["0", "20", "40", "60", "80", "100", "120"]
        );
        assert_eq!(texts(ticks(-0.013, 0.041, 4)), ["0.00", "0.02", "0.04"]);
        assert_eq!(texts(ticks(8.9, 9.6, 4)), ["9.0", "9.2", "9.4", "9.6"]);
    }

    #[test]
    fn log_ticks_are_powers_of_ten_with_2_and_5_between_where_there_are_few() {
        let wide = Scale::log(0.01, 1000.0);
        assert_eq!(
            texts(wide.ticks(5)),
            ["0.01", "0.1", "1", "10", "100", "1000"]
        );
        let narrow = Scale::log(0.02, 0.5);
        assert_eq!(
            texts(narrow.ticks(5)),
            ["0.02", "0.05", "0.1", "0.2", "0.5"]
        );
    }

    #[test]
    fn positions_are_shares_of_the_axis() {
        let linear = Scale::linear(10.0, 20.0);
        assert_eq!(linear.share(15.0), Some(0.5));
        assert_eq!(linear.share(25.0), Some(1.5));
        let log = Scale::log(1.0, 100.0);
        assert!((log.share(10.0).unwrap() - 0.5).abs() < 1e-12);
        assert_eq!(log.share(0.0), None);
        assert_eq!(linear.share(f64::NAN), None);
    }

    #[test]
    fn rounding_widens_to_round_numbers() {
        assert_eq!(Scale::linear(0.3, 9.53).rounded(5).ends(), (0.0, 10.0));
        assert_eq!(Scale::linear(0.0, 10.0).rounded(5).ends(), (0.0, 10.0));
        let (low, high) = Scale::linear(8.95, 9.61).rounded(4).ends();
        assert!((low - 8.9).abs() < 1e-9 && (high - 9.7).abs() < 1e-9);
    }

    #[test]
    fn empty_ranges_are_widened() {
        for (low, high) in [(0.0, 0.0), (5.0, 5.0), (f64::NAN, 1.0), (-3.0, -3.0)] {
            let (from, to) = Scale::linear(low, high).ends();
            assert!(from < to, "{low} to {high}: {from} to {to}");
            let (from, to) = Scale::log(low, high).ends();
            assert!(0.0 < from && from < to, "{low} to {high}: {from} to {to}");
        }
    }
}
