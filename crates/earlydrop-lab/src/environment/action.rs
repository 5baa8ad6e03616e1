//! Actions: what an agent sets, and how its numbers are read.

use std::str::FromStr;

use earlydrop::steering::Setting;

/// What an action sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActionKind {
    /// The probability of a drop or mark, of the scheme `dial`.
    Probability,
    /// RED's max_p.
    MaxP,
    /// RED's thresholds min and max.
    Thresholds,
    /// RED's thresholds and max_p, as Kmin, Kmax and Pmax of a switch.
    Curve,
}

/// How the numbers of an action are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActionScale {
    /// Probabilities from 0 to 1, thresholds in packets.
    Natural,
    /// Numbers from -1 to 1. A probability is `10^(2 a - 2)`, from 0.0001 to 1, and 0 at -1; a
    /// threshold goes from 0 to the buffer.
    Unit,
}

/// The most numbers that an action has.
pub(super) const MOST: usize = 3;

impl ActionKind {
    const ALL: [(&'static str, ActionKind); 4] = [
        ("probability", ActionKind::Probability),
        ("max_p", ActionKind::MaxP),
        ("thresholds", ActionKind::Thresholds),
        ("kmin-kmax-pmax", ActionKind::Curve),
    ];

    /// Its name: "probability", "max_p", "thresholds", "kmin-kmax-pmax".
    pub fn name(self) -> &'static str {
        let mut all = Self::ALL.iter();
        all.find(|(_, kind)| *kind == self)
            .map_or("", |(name, _)| name)
    }

    /// The names of its numbers.
    pub fn names(self) -> &'static [&'static str] {
        match self {
            ActionKind::Probability => &["probability"],
            ActionKind::MaxP => &["max_p"],
            ActionKind::Thresholds => &["min", "max"],
            ActionKind::Curve => &["min", "max", "max_p"],
        }
    }

    /// The least and the greatest value of each of its numbers, for a buffer in packets.
    pub(super) fn bounds(self, scale: ActionScale, buffer: f64) -> Vec<(f64, f64)> {
        let bounds = |name: &&str| match (scale, *name) {
            (ActionScale::Unit, _) => (-1.0, 1.0),
            (ActionScale::Natural, "min" | "max") => (0.0, buffer),
            (ActionScale::Natural, _) => (0.0, 1.0),
        };
        self.names().iter().map(bounds).collect()
    }

    /// The range of its numbers, in words.
    pub(super) fn allowed(self, scale: ActionScale) -> &'static str {
        match (scale, self) {
            (ActionScale::Unit, _) => "-1 to 1",
            (_, ActionKind::Probability | ActionKind::MaxP) => "0 to 1",
            (_, ActionKind::Thresholds) => "0 packets to the buffer",
            (_, ActionKind::Curve) => "0 packets to the buffer, and a probability of 0 to 1",
        }
    }

    /// An action in natural units and within bounds. An upper threshold that is not above the
    /// lower one is a packet above it.
    pub(super) fn natural(self, scale: ActionScale, action: &[f64], buffer: f64) -> [f64; MOST] {
        let mut values = [0.0; MOST];
        for ((value, name), number) in values.iter_mut().zip(self.names()).zip(action) {
            let is_length = ["min", "max"].contains(name);
            *value = match (scale, is_length) {
                (ActionScale::Natural, true) => number.clamp(0.0, buffer),
                (ActionScale::Natural, false) => number.clamp(0.0, 1.0),
                (ActionScale::Unit, true) => buffer * (number.clamp(-1.0, 1.0) + 1.0) / 2.0,
                (ActionScale::Unit, false) if *number <= -1.0 => 0.0,
                (ActionScale::Unit, false) => libm::pow(10.0, 2.0 * number.min(1.0) - 2.0),
            };
        }
        if matches!(self, ActionKind::Thresholds | ActionKind::Curve) && values[0] >= values[1] {
            values[1] = values[0] + 1.0;
        }
        values
    }

    /// The scheme's setting of natural values, whose packets count `unit` in its average.
    pub(super) fn setting(self, values: &[f64; MOST], unit: f64) -> Setting {
        let [first, second, third] = *values;
        let (min, max) = (first * unit, second * unit);
        match self {
            ActionKind::Probability => Setting::Probability(first),
            ActionKind::MaxP => Setting::MaxP(first),
            ActionKind::Thresholds => Setting::Thresholds { min, max },
            ActionKind::Curve => Setting::Curve {
                min,
                max,
                max_p: third,
            },
        }
    }

    /// Natural values as an observation has them: thresholds as shares of the buffer.
    pub(super) fn normalised(self, values: &[f64; MOST], buffer: f64) -> [f64; MOST] {
        let mut shares = *values;
        if matches!(self, ActionKind::Thresholds | ActionKind::Curve) {
            shares[0] /= buffer;
            shares[1] = (shares[1] / buffer).min(1.0);
        }
        shares
    }
}

impl FromStr for ActionKind {
    type Err = String;

    fn from_str(text: &str) -> Result<ActionKind, String> {
        let known = ActionKind::ALL.iter().find(|(name, _)| *name == text);
        known.map(|(_, kind)| *kind).ok_or_else(|| {
            let names = ActionKind::ALL.map(|(name, _)| name);
            let nearest = earlydrop::registry::nearest(text, names.into_iter());
            let nearest = nearest.map_or(String::new(), |name| format!("; did you mean {name:?}?"));
            format!(
                "no action is called {text:?}; allowed: {}{nearest}",
                names.join(", ")
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_scale_covers_four_decades_and_zero() {
        let read =
            |number: f64| ActionKind::Probability.natural(ActionScale::Unit, &[number], 100.0)[0];
        assert_eq!([read(-1.0), read(1.0), read(7.0)], [0.0, 1.0, 1.0]);
        assert!((read(0.0) - 0.01).abs() < 1e-12);
        let thresholds = |a, b| {
            let [min, max, _] = ActionKind::Thresholds.natural(ActionScale::Unit, &[a, b], 100.0);
            (min, max)
        };
        assert_eq!(thresholds(-1.0, 0.0), (0.0, 50.0));
        assert_eq!(thresholds(0.5, -1.0), (75.0, 76.0));
    }

    #[test]
    fn actions_are_named_and_unknown_ones_get_the_nearest_name() {
        for (name, kind) in ActionKind::ALL {
            assert_eq!((kind.name(), name.parse()), (name, Ok(kind)));
        }
        let error = "treshold".parse::<ActionKind>().unwrap_err();
        assert!(error.contains("did you mean \"thresholds\"?"), "{error}");
    }
}
