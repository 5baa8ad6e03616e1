//! Whether what a run measures had settled: the first half of the time measured is compared with
//! the second.
//!
//! A *drift* is the change from the first half to the second, as a share of their mean. In a steady
//! state its expectation is zero, whatever correlates within a run; runs of several seeds are
//! independent of each other, so that Student's t test of the drifts needs no model of the
//! correlation. All tests of a point are corrected together by Holm's procedure. What drifts
//! significantly, and by a tenth at least, still moves: if the second half is right, the whole is
//! wrong by half of the drift, 5%.

use std::collections::HashMap;

use earlydrop::units::Nanos;

use crate::metrics::{self, METRICS, Metric};
use crate::plan::Plan;
use crate::rows::{CellRow, GroupRow};
use crate::scenario::{Feels, FlowGroup, Scenario};
use crate::statistics::{Mean, holm, p_value};

/// A drift that matters.
pub const DRIFT: f64 = 0.1;

/// Shorter queues, in packets, do not matter, however they move.
const SHORT_QUEUE: f64 = 1.0;

/// Something that still moved under a scheme at a point.
#[derive(Clone, Debug, PartialEq)]
pub struct Moving {
    /// The scheme's index.
    pub scheme: usize,
    /// The point's index.
    pub point: usize,
    /// The group of flows; `None` for the link.
    pub group: Option<String>,
    /// The drift's metric: "goodput_drift".
    pub drift: &'static str,
    /// How much it changed from the first half to the second, as a share of the mean.
    pub by: Mean,
}

impl Moving {
    /// Whether a figure of the link, or of a group, depends on what moves.
    pub fn concerns(&self, group: Option<&str>, metric: &Metric) -> bool {
        let of: &[&str] = match self.drift {
            "queue_drift" => &["delay", "queue", "end"],
            "utilisation_drift" => &["utilisation"],
            "goodput_drift" => &["goodput", "throughput", "fairness", "least", "jain"],
            "completion_drift" => &["completion", "slowdown"],
            _ => &[],
        };
        let kind = metric.name.split('_').next().unwrap_or_default();
        self.group.as_deref() == group && of.contains(&kind)
    }
}

/// What had not settled at a point, of whose schemes these are the runs.
pub(crate) fn moving(
    plan: &Plan,
    point: usize,
    schemes: &[Vec<&CellRow>],
    groups: &HashMap<(usize, &str), &GroupRow>,
) -> Vec<Moving> {
    let scenario = &plan.points[point].scenario;
    let mut tested: Vec<(Moving, f64)> = Vec::new();
    let mut test = |scheme: usize, group: Option<&str>, drift: &'static str, values: Vec<f64>| {
        if let (Some(by), Some(p_value)) = (Mean::of(&values), p_value(&values)) {
            let group = group.map(str::to_string);
            let moving = Moving {
                scheme,
                point,
                group,
                drift,
                by,
            };
            tested.push((moving, p_value));
        }
    };
    if !is_steady(scenario) {
        return Vec::new();
    }
    for (scheme, runs) in schemes.iter().enumerate() {
        for drift in ["queue_drift", "utilisation_drift"] {
            test(scheme, None, drift, of_link(drift, runs));
        }
        for group in scenario.groups.iter().filter(|one| one.flows() > 0) {
            for drift in drifts_of(group) {
                let value = |run: &&CellRow| {
                    let row = groups.get(&(run.cell, &*group.name))?;
                    row.values[metrics::index_of_group(drift)?]
                };
                let values = runs.iter().filter_map(value).collect();
                test(scheme, Some(&group.name), drift, values);
            }
        }
    }
    let p_values: Vec<f64> = tested.iter().map(|(_, p_value)| *p_value).collect();
    let moves = tested.into_iter().zip(holm(&p_values));
    moves
        .filter(|((moving, _), is_significant)| *is_significant && moving.by.mean.abs() >= DRIFT)
        .map(|((moving, _), _)| moving)
        .collect()
}

/// Whether nothing starts late, stops or changes in the time measured: else all may move.
fn is_steady(scenario: &Scenario) -> bool {
    let groups = scenario.groups.iter().filter(|group| group.flows() > 0);
    let mut groups = groups.map(|group| group.is_steady(early(scenario)));
    !scenario.changes() && groups.all(|is_steady| is_steady)
}

/// What starts later than a quarter into the time measured is meant to change what goes on.
fn early(scenario: &Scenario) -> Nanos {
    scenario.warm_up + Nanos((scenario.duration.0 - scenario.warm_up.0) / 4)
}

/// By what a group is tested; by nothing where the link's queue says it.
fn drifts_of(group: &FlowGroup) -> &'static [&'static str] {
    match group.feels {
        Feels::Rate => &["goodput_drift"],
        Feels::Waiting | Feels::Slowdown => &["goodput_drift", "completion_drift"],
        Feels::Lateness | Feels::Rounds | Feels::Nothing => &[],
    }
}

/// The drifts of the link or its queue in each run; of a short queue none.
fn of_link(drift: &str, runs: &[&CellRow]) -> Vec<f64> {
    let value = |run: &CellRow, name: &str| run.values[metrics::index_of(name)?];
    let is_long = |run: &&&CellRow| {
        drift != "queue_drift" || value(run, "queue_mean").is_some_and(|mean| mean >= SHORT_QUEUE)
    };
    let runs = runs.iter().filter(is_long);
    runs.filter_map(|run| value(run, drift)).collect()
}

/// What a drift's metric is the change of: "goodput".
pub fn title(drift: &str) -> &'static str {
    let metric = METRICS.iter().find(|metric| metric.name == drift);
    let what = metric.and_then(|metric| metric.title.strip_prefix("change of "));
    what.unwrap_or_default()
}
