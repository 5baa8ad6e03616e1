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

    /// The number of seeds that it ran with.
    pub fn seeds(&self) -> usize {
        let mut values = self.points.iter().flatten().flatten();
        values.next().map_or(0, |mean| mean.count)
    }

    /// The first metric of the goal that was not measured.
    pub(super) fn missing_metric(&self, goal: &Goal) -> Option<&'static str> {
        let limits = goal.limits.iter().map(|limit| limit.metric);
        let mut needed = limits.chain([goal.metric]);
        let missing = needed.find(|metric| self.mean(*metric).is_none())?;
        Some(METRICS[missing].name)
    }
}

/// A candidate to simulate, here or in another process, which makes the same plan of it.
#[derive(Clone, Debug, PartialEq)]
pub struct CandidateSpec {
    /// The scheme's name in the scenario.
    pub label: String,
    /// The parameters to set; empty for the scheme with its own.
    pub settings: ParameterValues,
    /// The seeds to run with.
    pub seeds: Vec<u64>,
}

impl CandidateSpec {
    /// The scenario with only this scheme, under these parameters; `None` where the scheme
    /// refuses them.
    pub fn plan(&self, source: &Source) -> Option<Plan> {
        let mut source = source.clone();
        source.set_variants(&[Variant {
            label: self.label.clone(),
            of: self.label.clone(),
            settings: self.settings.clone(),
        }]);
        source.set("measure.series", "none", "the search");
        let mut plan = source.plan().ok()?;
        plan.seeds.clone_from(&self.seeds);
        Some(plan)
    }
}

/// The metrics of one cell, in the order of [`METRICS`].
pub type CellValues = Vec<Option<f64>>;

/// Where a search simulates its candidates.
pub trait Simulator {
    /// Runs every cell of these plans. Returns the metrics of each plan's cells, in the order of
    /// the plan. Once `stop` is set it returns soon, and what it returns is not used.
    fn simulate(
        &self,
        candidates: &[(CandidateSpec, Plan)],
        stop: &AtomicBool,
    ) -> Result<Vec<Vec<CellValues>>, TuneError>;
}

/// A number of threads of this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threads(pub usize);

impl Simulator for Threads {
    fn simulate(
        &self,
        candidates: &[(CandidateSpec, Plan)],
        stop: &AtomicBool,
    ) -> Result<Vec<Vec<CellValues>>, TuneError> {
        let mut jobs: Vec<(&Plan, Cell)> = Vec::new();
        let mut owners: Vec<usize> = Vec::new();
        for (index, (_, plan)) in candidates.iter().enumerate() {
            jobs.extend(plan.cells().map(|cell| (plan, cell)));
            owners.resize(jobs.len(), index);
        }
        let cells = |(_, plan): &(CandidateSpec, Plan)| vec![CellValues::new(); plan.cell_count()];
        let mut values: Vec<Vec<CellValues>> = candidates.iter().map(cells).collect();
        on_threads(&jobs, self.0, stop, |job, outcome| {
            let (plan, cell) = jobs[job];
            values[owners[job]][plan.number(cell)] = outcome.values;
            Ok::<(), TuneError>(())
        })?;
        Ok(values)
    }
}

/// Simulates candidates of one scheme.
pub(super) struct Evaluator<'a> {
    pub(super) source: &'a Source,
    pub(super) goal: &'a Goal,
    /// The scheme's name in the scenario.
    pub(super) label: &'a str,
    pub(super) simulator: &'a dyn Simulator,
    pub(super) stop: &'a AtomicBool,
}

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
        let accepted: Vec<bool> = plans.iter().map(Option::is_some).collect();
        let plans: Vec<(CandidateSpec, Plan)> = plans.into_iter().flatten().collect();
        let values = match plans.is_empty() {
            true => Vec::new(),
            false => self.simulator.simulate(&plans, self.stop)?,
        };
        if self.stop.load(Ordering::Relaxed) {
            return Ok(Vec::new());
        }
        let mut points = plans
            .iter()
            .zip(&values)
            .map(|((_, plan), values)| point_metrics(plan, values));
        let candidates = settings.iter().zip(accepted);
        let candidates = candidates.map(|(settings, is_accepted)| Candidate {
            settings: settings.clone(),
            points: is_accepted
                .then(|| points.next())
                .flatten()
                .unwrap_or_default(),
        });
        Ok(candidates.collect())
    }

    /// Each of `settings` with its plan, until `stop` is set: a plan with very many flows takes
    /// seconds. `None` where the scheme refuses the parameters.
    fn plans(
        &self,
        settings: &[ParameterValues],
        seeds: &[u64],
    ) -> Vec<Option<(CandidateSpec, Plan)>> {
        let going = |_: &&ParameterValues| !self.stop.load(Ordering::Relaxed);
        let planned = |settings: &ParameterValues| {
            let spec = CandidateSpec {
                label: self.label.to_string(),
                settings: settings.clone(),
                seeds: seeds.to_vec(),
            };
            let plan = spec.plan(self.source)?;
            Some((spec, plan))
        };
        settings.iter().take_while(going).map(planned).collect()
    }
}

/// The metrics at each point of a plan, from those of its cells.
fn point_metrics(plan: &Plan, values: &[CellValues]) -> Vec<PointMetrics> {
    let at = |point: usize| {
        let cells = (0..plan.seeds.len()).map(|seed| Cell {
            scheme: 0,
            point,
            seed,
        });
        let runs = cells.map(|cell| values.get(plan.number(cell)).map_or(&[][..], Vec::as_slice));
        over_seeds(&runs.collect::<Vec<_>>())
    };
    (0..plan.points.len()).map(at).collect()
}

/// The means of every metric over the seeds of a point.
fn over_seeds(runs: &[&[Option<f64>]]) -> PointMetrics {
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
            simulator: &Threads(1),
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
