//! Candidates: parameters of a scheme, simulated at every point of a scenario.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::metrics::METRICS;
use crate::plan::{Cell, Plan, Source, Variant};
use crate::run::on_threads;
use crate::statistics::Mean;

use super::TuneError;
use super::goal::{Goal, PointMetrics, Score, mean_over};

/// Parameters with their values, as written in a scenario.
pub type ParameterValues = Vec<(String, String)>;

/// Parameters of a scheme, with the metrics measured under them.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The parameters set; empty for the scheme with its own.
    pub settings: ParameterValues,
    /// The metrics at each point of the sweep; empty where the scheme refuses the parameters.
    pub points: Vec<PointMetrics>,
}

impl Candidate {
    /// Its score; `caution` judges limits by the worse ends of intervals.
    pub fn score(&self, goal: &Goal, caution: bool) -> Score {
        let score = goal.score(&self.points, caution);
        score.unwrap_or(Score::IMPOSSIBLE)
    }

    /// A metric's mean over points.
    pub fn mean(&self, metric: usize) -> Option<f64> {
        mean_over(&self.points, metric)
    }

    /// The first metric of the goal that was not measured.
    pub(super) fn missing_metric(&self, goal: &Goal) -> Option<&'static str> {
        let limits = goal.limits.iter().map(|limit| limit.metric);
        let mut needed = limits.chain([goal.metric]);
        let missing = needed.find(|metric| self.mean(*metric).is_none())?;
        Some(METRICS[missing].name)
    }
}

/// Simulates candidates of one scheme.
pub(super) struct Evaluator<'a> {
    pub(super) source: &'a Source,
    pub(super) goal: &'a Goal,
    /// The scheme's name in the scenario.
    pub(super) label: &'a str,
    pub(super) threads: usize,
    pub(super) stop: &'a AtomicBool,
}

/// The metrics of each seed at each point.
type PointRuns = Vec<Vec<Vec<Option<f64>>>>;

impl Evaluator<'_> {
    /// Simulates a candidate for each of `settings` with these seeds; none once `stop` is set.
    pub(super) fn run(
        &self,
        settings: &[ParameterValues],
        seeds: &[u64],
    ) -> Result<Vec<Candidate>, TuneError> {
        let plans = self.plans(settings, seeds);
        if self.stop.load(Ordering::Relaxed) {
            return Ok(Vec::new());
        }
        let mut jobs: Vec<(&Plan, Cell)> = Vec::new();
        let mut owners: Vec<usize> = Vec::new();
        for (index, plan) in plans.iter().enumerate() {
            if let Some(plan) = plan {
                jobs.extend(plan.cells().map(|cell| (plan, cell)));
            }
            owners.resize(jobs.len(), index);
        }
        let mut runs: Vec<PointRuns> = plans
            .iter()
            .map(|plan| {
                let points = plan.as_ref().map_or(0, |plan| plan.points.len());
                vec![vec![Vec::new(); seeds.len()]; points]
            })
            .collect();
        on_threads(&jobs, self.threads, self.stop, |job, outcome| {
            let (index, cell) = (owners[job], jobs[job].1);
            runs[index][cell.point][cell.seed] = outcome.values;
            Ok::<(), TuneError>(())
        })?;
        if self.stop.load(Ordering::Relaxed) {
            return Ok(Vec::new());
        }
        let candidates = settings.iter().zip(runs);
        let candidates = candidates.map(|(settings, points)| Candidate {
            settings: settings.clone(),
            points: points.iter().map(|runs| over_seeds(runs)).collect(),
        });
        Ok(candidates.collect())
    }

    /// The plan of each of `settings` until `stop` is set: one with very many flows takes seconds.
    fn plans(&self, settings: &[ParameterValues], seeds: &[u64]) -> Vec<Option<Plan>> {
        let going = |_: &&ParameterValues| !self.stop.load(Ordering::Relaxed);
        let settings = settings.iter().take_while(going);
        settings
            .map(|settings| self.plan(settings, seeds))
            .collect()
    }

    /// The scenario with only this scheme, under these parameters; `None` where the scheme
    /// refuses them.
    fn plan(&self, settings: &ParameterValues, seeds: &[u64]) -> Option<Plan> {
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

/// The means of every metric over the seeds of a point.
fn over_seeds(runs: &[Vec<Option<f64>>]) -> PointMetrics {
    let mean = |metric: usize| {
        let values: Option<Vec<f64>> = runs.iter().map(|run| *run.get(metric)?).collect();
        Mean::of(&values?)
    };
    (0..METRICS.len()).map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::TraceFiles;

    #[test]
    fn no_plan_is_made_after_the_stop() {
        let text = "schemes = [\"red\"]\n[flows.a]\n";
        let source = Source::new("s.toml", text, TraceFiles::default()).unwrap();
        let goal = Goal::new("delay_mean", true).unwrap();
        let stop = AtomicBool::new(false);
        let evaluator = Evaluator {
            source: &source,
            goal: &goal,
            label: "red",
            threads: 1,
            stop: &stop,
        };
        let candidates = vec![ParameterValues::new(); 3];
        let made = evaluator.plans(&candidates, &[1]);
        assert_eq!(made.iter().flatten().count(), 3);
        stop.store(true, Ordering::Relaxed);
        assert_eq!(evaluator.plans(&candidates, &[1]).len(), 0);
        assert!(evaluator.run(&candidates, &[1]).unwrap().is_empty());
    }
}
