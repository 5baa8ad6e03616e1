//! Settings of a scheme, tried at every point of a scenario with some seeds.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::metrics::METRICS;
use crate::plan::{Cell, Plan, Source, Variant};
use crate::run::on_threads;
use crate::statistics::Mean;

use super::TuneError;
use super::goal::{Goal, Metrics, Score, mean_over};

/// Parameters with their values, as written in a scenario.
pub type Settings = Vec<(String, String)>;

/// A setting that was tried.
#[derive(Clone, Debug)]
pub struct Tried {
    /// What was set; empty: nothing, the scheme as it is.
    pub settings: Settings,
    /// Every metric at each point of the sweep; empty where the scheme takes no such
    /// values.
    pub points: Vec<Metrics>,
}

impl Tried {
    /// How good it was; `caution` judges limits by the worse ends of intervals.
    pub fn score(&self, goal: &Goal, caution: bool) -> Score {
        let score = goal.score(&self.points, caution);
        score.unwrap_or(Score::IMPOSSIBLE)
    }

    /// A metric's mean over points.
    pub fn mean(&self, metric: usize) -> Option<f64> {
        mean_over(&self.points, metric)
    }

    /// The first metric of the goal that has no value.
    pub(super) fn not_measured(&self, goal: &Goal) -> Option<&'static str> {
        let limits = goal.limits.iter().map(|limit| limit.metric);
        let mut wanted = limits.chain([goal.metric]);
        let missing = wanted.find(|metric| self.mean(*metric).is_none())?;
        Some(METRICS[missing].name)
    }
}

/// How settings of a scheme are tried.
pub(super) struct Trials<'a> {
    pub(super) source: &'a Source,
    pub(super) goal: &'a Goal,
    pub(super) label: &'a str,
    pub(super) threads: usize,
    pub(super) stop: &'a AtomicBool,
}

impl Trials<'_> {
    /// What each of these settings comes to; nothing after a stop.
    pub(super) fn run(
        &self,
        settings: &[Settings],
        seeds: &[u64],
    ) -> Result<Vec<Tried>, TuneError> {
        let plans = settings.iter().map(|settings| self.plan(settings, seeds));
        let plans: Vec<Option<Plan>> = plans.collect();
        let mut jobs: Vec<(&Plan, Cell)> = Vec::new();
        let mut places: Vec<(usize, usize, usize)> = Vec::new();
        for (index, plan) in plans.iter().enumerate() {
            for (plan, cell) in plan
                .iter()
                .flat_map(|plan| plan.cells().map(move |c| (plan, c)))
            {
                jobs.push((plan, cell));
                places.push((index, cell.point, cell.seed));
            }
        }
        let mut runs: Vec<Vec<Vec<Vec<Option<f64>>>>> = plans
            .iter()
            .map(|plan| {
                let points = plan.as_ref().map_or(0, |plan| plan.points.len());
                vec![vec![Vec::new(); seeds.len()]; points]
            })
            .collect();
        on_threads(&jobs, self.threads, self.stop, |job, outcome| {
            let (index, point, seed) = places[job];
            runs[index][point][seed] = outcome.values;
            Ok::<(), TuneError>(())
        })?;
        if self.stop.load(Ordering::Relaxed) {
            return Ok(Vec::new());
        }
        let tried = settings.iter().zip(runs).map(|(settings, points)| Tried {
            settings: settings.clone(),
            points: points.iter().map(|runs| over_seeds(runs)).collect(),
        });
        Ok(tried.collect())
    }

    /// The scenario with this scheme alone, set so; `None` where it takes no such values.
    fn plan(&self, settings: &Settings, seeds: &[u64]) -> Option<Plan> {
        let mut source = self.source.clone();
        source.set_variants(&[Variant {
            label: self.label.to_string(),
            of: self.label.to_string(),
            settings: settings.clone(),
        }]);
        source.set("measure.series", "none", "the search");
        let mut plan = source.plan().ok()?;
        plan.seeds = seeds.to_vec();
        Some(plan)
    }
}

/// Every metric of the runs of a point, over their seeds.
fn over_seeds(runs: &[Vec<Option<f64>>]) -> Metrics {
    let mean = |metric: usize| {
        let values: Option<Vec<f64>> = runs.iter().map(|run| *run.get(metric)?).collect();
        Mean::of(&values?)
    };
    (0..METRICS.len()).map(mean).collect()
}
