//! Adaptive RED with restraint on non-responsive flows.
//!
//! # Reference
//! L. Li, G. Lee, "Adaptive Queue Management with Restraint on Non-Responsive Flows",
//! University of Illinois at Chicago, section 3.3.
//!
//! # Equations
//! Every slot T = 0.2 s, while Mid < avg < max, Mid = (min + max)/2, with dQavg the
//! change of the average over the slot and d2Qinst the change of the slot-to-slot
//! change of the queue:
//! - both positive: `max_p <- alpha max_p`, alpha = 1.5;
//! - otherwise: `max_p <- max(max_p0, max_p/alpha)`.
//!
//! # Our readings
//! - The paper prints `Min(max_p0, max_p/alpha)`, by which max_p would decay from its
//!   default to nothing. Its text says "adjusted back", so the default is the floor.
//!   `floor=as-printed` runs the print.
//! - max_p is capped at 1. Outside the band max_p stays as it is; the changes over each
//!   slot are still recorded.
//!
//! # How other tools differ
//! None of ns-2, ns-3, Linux and DPDK has it.

use crate::aqm::Ticker;
use crate::red::Curve;
use crate::red::parameters::scheme;
use crate::registry::{Descriptor, Extent, Kind, Parameter, Preset, Range, Settings};
use crate::units::Nanos;

pub(crate) const PARAMETERS: &[Parameter] = &[
    Parameter::new(
        "restraint_slot",
        "T, the time between two samples of average and queue",
        Kind::Time(Range::UPDATE_INTERVAL),
    )
    .with_extent(Extent::Period)
    .with_default("0.2 s", "Li and Lee, table 1")
    .only_with("adapt", &["restraint"]),
    Parameter::new(
        "restraint_alpha",
        "factor by which max_p goes up, and comes back",
        Kind::Number(
            Range {
                low: 1.0,
                with_low: false,
                ..Range::POSITIVE
            },
            "ratio",
        ),
    )
    .with_default("1.5", "Li and Lee, table 1")
    .only_with("adapt", &["restraint"]),
    Parameter::new(
        "floor",
        "the bound of max_p as it falls back",
        Kind::Choice(&[
            ("default", "from below, by the max_p configured"),
            (
                "as-printed",
                "from above, by the max_p configured: it decays towards 0",
            ),
        ]),
    )
    .with_default("default", "our reading of Li and Lee, section 3.3")
    .only_with("adapt", &["restraint"]),
];

/// Li and Lee, table 1: the parameters of every RED.
pub(crate) const LI_LEE_TABLE_1: &[(&str, &str)] = &[
    ("min", "100 packets"),
    ("max", "200 packets"),
    ("max_p", "0.1"),
    ("weight", "0.002"),
    ("limit", "300 packets"),
    ("spacing", "wait"),
];

/// The scheme.
pub const SCHEME: Descriptor = scheme(
    "restraint",
    "raises max_p while average and arrivals both climb, a sign of flows that do not respond",
    "Li and Lee, \"Adaptive Queue Management with Restraint on Non-Responsive Flows\"",
    &[("adapt", "restraint", "Li and Lee, section 3.3")],
    &[Preset {
        name: "paper",
        meaning: "Li and Lee, table 1: thresholds 100 and 200, max_p 0.1, buffer 300; the spacing of ns-2, which they used",
        values: LI_LEE_TABLE_1,
    }],
);

/// The adaptation that restrains non-responsive flows.
#[derive(Clone, Debug)]
pub struct Restraint {
    pub(crate) ticker: Ticker,
    alpha: f64,
    default: f64,
    as_printed: bool,
    last_avg: f64,
    last_length: f64,
    last_change: f64,
}

impl Restraint {
    pub(crate) fn from_settings(s: &Settings, default: f64) -> Restraint {
        Restraint {
            ticker: Ticker::every(s.time("restraint_slot")),
            alpha: s.number("restraint_alpha"),
            default,
            as_printed: s.choice("floor") == "as-printed",
            last_avg: 0.0,
            last_length: 0.0,
            last_change: 0.0,
        }
    }

    /// Goes on with the state of `old`.
    pub(crate) fn continue_from(&mut self, now: Nanos, old: &Restraint) {
        self.ticker.continue_from(now, &old.ticker);
        (self.last_avg, self.last_length) = (old.last_avg, old.last_length);
        self.last_change = old.last_change;
    }

    /// Ends the slots due by `now`; average and queue have been as given since the last call.
    pub(crate) fn catch_up(&mut self, now: Nanos, avg: f64, length: f64, curve: &mut Curve) {
        let mut ticker = self.ticker.clone();
        ticker.catch_up(now, |_| self.end_slot(avg, length, curve));
        self.ticker = ticker;
    }

    /// Ends one slot. Returns whether another slot with the same average and queue could
    /// change anything.
    fn end_slot(&mut self, avg: f64, length: f64, curve: &mut Curve) -> bool {
        let avg_change = avg - self.last_avg;
        let change = length - self.last_length;
        let climb = change - self.last_change;
        let moved = avg_change != 0.0 || change != 0.0 || climb != 0.0;
        (self.last_avg, self.last_length, self.last_change) = (avg, length, change);
        let shape = curve.shape();
        if avg <= (shape.min + shape.max) / 2.0 || avg >= shape.max {
            return moved;
        }
        let max_p = curve.strength();
        let next = if climb > 0.0 && avg_change > 0.0 {
            (max_p * self.alpha).min(1.0)
        } else if self.as_printed {
            (max_p / self.alpha).min(self.default)
        } else {
            (max_p / self.alpha).max(self.default)
        };
        curve.set_strength(next);
        moved || next != max_p
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::{LinkFacts, Spec};
    use crate::testing::{mbps, red_curve};
    use alloc::vec::Vec;

    /// max_p after each slot of a history of (average, queue), band 150 to 200.
    fn trajectory(text: &str, history: &[(f64, f64)]) -> Vec<f64> {
        let spec: Spec = text.parse().unwrap();
        let settings = spec.settings(&LinkFacts::at(mbps(1))).unwrap();
        let mut curve = red_curve(100.0, 200.0, 0.1);
        let mut restraint = Restraint::from_settings(&settings, 0.1);
        let slots = history.iter().map(|(avg, length)| {
            restraint.end_slot(*avg, *length, &mut curve);
            curve.strength()
        });
        slots.collect()
    }

    #[test]
    fn goes_up_only_when_average_and_arrivals_both_climb() {
        let history = [
            (140.0, 100.0), // below Mid: unchanged
            (160.0, 150.0), // queue +50 after +100: arrivals slow down
            (165.0, 210.0), // +60 after +50, average up: raised
            (170.0, 280.0), // +70 after +60: raised again
            (169.0, 360.0), // average falls: back
            (171.0, 370.0), // +10 after +80: back to the default
            (172.0, 375.0), // and not below it
            (201.0, 500.0), // above max: unchanged
        ];
        let expected = [0.1, 0.1, 0.15, 0.225, 0.15, 0.1, 0.1, 0.1];
        for (got, wanted) in trajectory("restraint", &history).iter().zip(expected) {
            assert!((got - wanted).abs() < 1e-12, "{got} {wanted}");
        }
    }

    #[test]
    fn as_printed_it_decays_below_its_default_and_never_rises_above() {
        let history = [
            (160.0, 100.0),
            (161.0, 100.0),
            (162.0, 100.0),
            (163.0, 200.0),
        ];
        let got = trajectory("restraint:floor=as-printed", &history);
        // Slot 1 climbs from nothing (+100 after 0) and is raised; then back.
        let expected = [0.15, 0.1, 0.1 / 1.5, 0.1];
        for (got, wanted) in got.iter().zip(expected) {
            assert!((got - wanted).abs() < 1e-12, "{got} {wanted}");
        }
    }

    #[test]
    fn max_p_never_passes_one() {
        let climbing: Vec<_> = (1..40)
            .map(|n| (150.0 + f64::from(n), f64::from(n * n)))
            .collect();
        assert_eq!(trajectory("restraint", &climbing).last(), Some(&1.0));
    }
}
