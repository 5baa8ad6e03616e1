//! Validation: the results of a search, simulated with seeds that the search has not used.

use super::goal::{Goal, Limit};
use super::{SearchResult, VALIDATION_SEEDS, seeds_above};
use crate::document::Problems;
use crate::metrics::METRICS;
use crate::plan::{Plan, Source, Variant};
use crate::rows::CellRow;
use crate::statistics::{Mean, paired};

/// A scheme before and after the search, with fresh seeds.
#[derive(Clone, Debug)]
pub struct Validation {
    /// The scheme's name in the scenario.
    pub label: String,
    /// The best variant; `None` where the search found none better than the scheme itself.
    pub variant: Option<Variant>,
    /// The goal's metric before, as a mean over points for each seed.
    pub before: Option<Mean>,
    /// The goal's metric after; equal to `before` without a variant.
    pub after: Option<Mean>,
    /// After minus before, paired by seed.
    pub change: Option<Mean>,
    /// The metric [`Goal::price`] before and after: what the change costs.
    pub price: (Option<Mean>, Option<Mean>),
    /// One for each limit of the goal, after.
    pub limits: Vec<LimitCheck>,
}

/// Whether a limit is met at the point of a sweep where its margin is smallest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimitCheck {
    /// The metric's mean there.
    pub mean: Mean,
    /// Whether the mean meets the limit.
    pub met: bool,
    /// Whether the bound is outside the mean's interval, so that more seeds are unlikely to
    /// change `met`.
    pub significant: bool,
}

impl Validation {
    /// Whether the means meet every limit.
    pub fn keeps_limits(&self) -> bool {
        self.limits.iter().all(|limit| limit.met)
    }
}

/// The scenario of a validation: each scheme and its best variant, with fresh seeds.
pub fn validation_scenario(
    source: &Source,
    goal: &Goal,
    results: &[SearchResult],
) -> Result<Source, Problems> {
    let seeds = seeds_above(&source.plan()?.seeds, VALIDATION_SEEDS);
    let seeds: Vec<String> = seeds.iter().map(u64::to_string).collect();
    let variants = results.iter().flat_map(|result| {
        let unchanged = Variant {
            label: result.label.clone(),
            of: result.label.clone(),
            settings: Vec::new(),
        };
        [Some(unchanged), result.variant(goal)]
            .into_iter()
            .flatten()
    });
    let mut scenario = source.clone();
    scenario.set_variants(&variants.collect::<Vec<_>>());
    scenario.set("seeds", &format!("[{}]", seeds.join(", ")), "fresh seeds");
    Ok(scenario)
}

/// Evaluates the cells of a [`validation_scenario`], whose plan is `plan`.
pub fn validate(
    goal: &Goal,
    results: &[SearchResult],
    plan: &Plan,
    cells: &[CellRow],
) -> Vec<Validation> {
    let validation = |result: &SearchResult| {
        let variant = result.variant(goal);
        let label = variant
            .as_ref()
            .map_or(&result.label, |variant| &variant.label);
        let before = by_seed(goal.metric, &result.label, plan, cells);
        let after = by_seed(goal.metric, label, plan, cells);
        let limits = goal.limits.iter();
        let price = |label| Mean::of(&by_seed(goal.price(), label, plan, cells));
        Validation {
            price: (price(&result.label), price(label)),
            label: result.label.clone(),
            before: Mean::of(&before),
            after: Mean::of(&after),
            change: variant.as_ref().and_then(|_| paired(&after, &before)),
            limits: limits
                .filter_map(|limit| check_limit(limit, label, plan, cells))
                .collect(),
            variant,
        }
    };
    results.iter().map(validation).collect()
}

/// A metric of a scheme for each seed, as a mean over points.
fn by_seed(metric: usize, label: &str, plan: &Plan, cells: &[CellRow]) -> Vec<f64> {
    let of_scheme = |seed: u64| {
        let values = cells
            .iter()
            .filter(move |cell| cell.scheme == label && cell.seed == seed)
            .filter_map(|cell| cell.values[metric]);
        values.collect::<Vec<f64>>()
    };
    let is_complete = |values: &Vec<f64>| values.len() == plan.points.len();
    let seeds = plan.seeds.iter().map(|seed| of_scheme(*seed));
    seeds
        .filter(is_complete)
        .map(|values| values.iter().sum::<f64>() / values.len() as f64)
        .collect()
}

fn check_limit(limit: &Limit, label: &str, plan: &Plan, cells: &[CellRow]) -> Option<LimitCheck> {
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
    let margin = sign * (mean.mean - limit.bound);
    Some(LimitCheck {
        mean,
        met: margin >= 0.0,
        significant: mean.half.is_some_and(|half| margin.abs() > half),
    })
}

impl LimitCheck {
    /// "95.2 ± 0.1%", in the metric's display unit.
    pub fn text(&self, limit: &Limit) -> String {
        let metric = &METRICS[limit.metric];
        format!("{}{}", self.mean.with_interval(metric.scale), metric.unit)
    }
}
