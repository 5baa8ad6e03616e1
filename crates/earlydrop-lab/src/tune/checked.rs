//! What was found, held against fresh seeds.

use crate::metrics::METRICS;
use crate::plan::Plan;
use crate::rows::CellRow;
use crate::statistics::{Mean, paired};

use super::goal::{Goal, Limit};
use super::{Found, Variant};

/// A scheme as it was and as it was found best, with fresh seeds.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The scheme's name in the scenario.
    pub label: String,
    /// What was found; `None` where nothing was better than what it had.
    pub variant: Option<Variant>,
    /// The goal's metric before, over points, by fresh seed.
    pub before: Option<Mean>,
    /// The same after; as before where nothing was found.
    pub after: Option<Mean>,
    /// After minus before, seed by seed.
    pub change: Option<Mean>,
    /// How each limit is kept after.
    pub limits: Vec<Kept>,
}

/// How a limit is kept at the point of a sweep where it is hardest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kept {
    /// The metric's mean there, with its interval.
    pub mean: Mean,
    /// Whether the mean keeps it.
    pub kept: bool,
    /// Whether the whole interval does, or does not.
    pub sure: bool,
}

impl Checked {
    /// Whether every limit is kept, by means.
    pub fn keeps_limits(&self) -> bool {
        self.limits.iter().all(|limit| limit.kept)
    }
}

/// What the cells of the check say of what was found.
pub fn checked(goal: &Goal, found: &[Found], plan: &Plan, cells: &[CellRow]) -> Vec<Checked> {
    let one = |found: &Found| {
        let variant = found.variant(goal);
        let label = variant
            .as_ref()
            .map_or(&found.label, |variant| &variant.label);
        let before = by_seed(goal.metric, &found.label, plan, cells);
        let after = by_seed(goal.metric, label, plan, cells);
        let limits = goal.limits.iter();
        Checked {
            label: found.label.clone(),
            before: Mean::of(&before),
            after: Mean::of(&after),
            change: variant.as_ref().and_then(|_| paired(&after, &before)),
            limits: limits
                .filter_map(|limit| kept(limit, label, plan, cells))
                .collect(),
            variant,
        }
    };
    found.iter().map(one).collect()
}

/// A metric of a scheme for each seed, the mean over points.
fn by_seed(metric: usize, label: &str, plan: &Plan, cells: &[CellRow]) -> Vec<f64> {
    let of_scheme = |seed: u64| {
        let values = cells
            .iter()
            .filter(move |cell| cell.scheme == label && cell.seed == seed)
            .filter_map(|cell| cell.values[metric]);
        values.collect::<Vec<f64>>()
    };
    let whole = |values: &Vec<f64>| values.len() == plan.points.len();
    let seeds = plan.seeds.iter().map(|seed| of_scheme(*seed)).filter(whole);
    seeds
        .map(|values| values.iter().sum::<f64>() / values.len() as f64)
        .collect()
}

/// How a limit is kept at the point where it is hardest.
fn kept(limit: &Limit, label: &str, plan: &Plan, cells: &[CellRow]) -> Option<Kept> {
    let at_point = |point: usize| {
        let values = cells
            .iter()
            .filter(|cell| cell.scheme == label && cell.point == point)
            .filter_map(|cell| cell.values[limit.metric]);
        Mean::of(&values.collect::<Vec<f64>>())
    };
    let sign = if limit.at_least { 1.0 } else { -1.0 };
    let mean = (0..plan.points.len())
        .filter_map(at_point)
        .min_by(|a, b| (sign * a.mean).total_cmp(&(sign * b.mean)))?;
    let inside = sign * (mean.mean - limit.bound);
    Some(Kept {
        mean,
        kept: inside >= 0.0,
        sure: mean.half.is_some_and(|half| inside.abs() > half),
    })
}

impl Kept {
    /// "95.2 ± 0.1%", in the metric's own unit.
    pub fn text(&self, limit: &Limit) -> String {
        let metric = &METRICS[limit.metric];
        format!("{}{}", self.mean.with_interval(metric.scale), metric.unit)
    }
}
