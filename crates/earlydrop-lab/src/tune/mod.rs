//! Tuning: a scheme's parameters, searched by simulation for a goal under limits.
//!
//! ```text
//! scheme --spaces--> unit cube --Search--> candidates --simulate--> scores --> Search
//!                                            \--pareto_front--> trade-off of two metrics
//! SearchResult --finalists, other seeds--> best --validation_scenario, fresh seeds--> Validation
//! ```
//!
//! Each scheme is searched by itself, with few of the scenario's seeds, which are the same for
//! all candidates. The best of many candidates with few seeds is partly luck, and lies on the
//! edge of the limits. So the better ones, and those with more margin to the limits, run again
//! with more and other seeds, which decide about the best. A third set of seeds validates it.

mod candidates;
mod goal;
mod pareto;
mod report;
mod search;
mod space;
mod validation;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

use earlydrop::registry::Spec;

pub use candidates::{Candidate, CandidateSpec, CellValues, ParameterValues, Simulator, Threads};
pub use goal::{Goal, GoalError, Limit, PointMetrics, Score};
pub use pareto::front;
pub use report::{json, line, pareto_front};
pub use space::{SearchDimension, SearchParameter, SpaceError};
pub use validation::{LimitCheck, Validation, validate, validation_scenario};

use crate::document::{Problem, Problems};
use crate::plan::{Source, Variant};
use crate::sweep::MAX_SEED;
use candidates::Evaluator;
use search::Search;

/// A search ends when its members differ by less than this share of every dimension.
const CONVERGED: f64 = 0.01;
/// The members of a generation per dimension, and their minimum and maximum number.
const MEMBERS: (usize, usize, usize) = (6, 12, 36);
/// The number of candidates that run again with other seeds.
const FINALISTS: usize = 12;
/// The number of seeds of finalists, and of validation.
const FRESH_SEEDS: usize = 10;
/// The distance of the seeds of finalists above the scenario's largest seed.
const FINALIST_SEEDS: u64 = 1000;
/// The distance of the seeds of validation above the scenario's largest seed.
const VALIDATION_SEEDS: u64 = 2000;

/// The goal and the effort of a search.
#[derive(Clone, Debug)]
pub struct TuneOptions {
    /// The goal.
    pub goal: Goal,
    /// The parameters to search; empty for all numeric parameters of a scheme.
    pub parameters: Vec<SearchParameter>,
    /// The number of candidates per scheme.
    pub budget: usize,
    /// The number of the scenario's seeds that each candidate runs with.
    pub seeds: usize,
    /// The number of threads.
    pub threads: usize,
}

/// The candidates that a search tried for one scheme.
#[derive(Clone, Debug)]
pub struct SearchResult {
    /// The scheme's name in the scenario.
    pub label: String,
    /// The dimensions of the search; empty where the scheme has no parameter to search.
    pub space: Vec<SearchDimension>,
    /// Every candidate, the scheme with its own parameters first.
    pub candidates: Vec<Candidate>,
    /// The better candidates with other seeds, the scheme with its own parameters first.
    finalists: Vec<Candidate>,
}

/// Why a scenario cannot be tuned.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TuneError {
    /// A parameter cannot be searched.
    #[error(transparent)]
    Space(#[from] SpaceError),
    /// The scenario sweeps a parameter of a scheme.
    #[error(
        "the scenario sweeps {0}, which a search would change; allowed: sweeps of the network and of flows"
    )]
    Swept(String),
    /// The scenario does not measure a metric of the goal.
    #[error("the scenario measures no {0}: see its [measure]")]
    NotMeasured(&'static str),
    /// The scenario is invalid.
    #[error(transparent)]
    Scenario(#[from] Problems),
    /// A cell cannot be run.
    #[error(transparent)]
    Cell(#[from] Problem),
    /// Another process has not simulated the candidates.
    #[error("the candidates were not simulated: {0}")]
    Simulator(String),
}

impl SearchResult {
    /// The best finalist as a variant of the scheme; `None` where none is better than the
    /// scheme with its own parameters.
    pub fn variant(&self, goal: &Goal) -> Option<Variant> {
        let scored = self
            .finalists
            .iter()
            .map(|candidate| (candidate.score(goal, true), candidate));
        let (_, best) = scored.min_by(|(a, _), (b, _)| a.order(b))?;
        (!best.settings.is_empty()).then(|| Variant {
            label: format!("{} tuned", self.label),
            of: self.label.clone(),
            settings: best.settings.clone(),
        })
    }

    /// The parameters of the candidates to run again: the best of the Pareto front of the
    /// objective and the margin to the limits, then the best of all others. Without limits the
    /// front is a single candidate, whose luck with few seeds would decide alone.
    fn select_finalists(&self, goal: &Goal) -> Vec<ParameterValues> {
        let mut scored: Vec<(Score, &Candidate)> = self
            .candidates
            .iter()
            .map(|candidate| (candidate.score(goal, false), candidate))
            .filter(|(score, _)| *score != Score::IMPOSSIBLE)
            .collect();
        scored.sort_by(|(a, _), (b, _)| a.order(b));
        let pairs: Vec<(f64, f64)> = scored
            .iter()
            .map(|(score, candidate)| (score.objective, -goal.margin(&candidate.points)))
            .collect();
        let mut order = front(&pairs);
        order.sort_unstable();
        let others = (0..scored.len()).filter(|index| !order.contains(index));
        let order = order.iter().copied().chain(others);
        let settings = order.map(|index| scored[index].1.settings.clone());
        settings
            .filter(|settings| !settings.is_empty())
            .take(FINALISTS)
            .collect()
    }
}

/// Searches every scheme of a scenario and calls `progress` after each generation. Once `stop`
/// is set, it returns the candidates evaluated so far.
pub fn tune(
    source: &Source,
    options: &TuneOptions,
    stop: &AtomicBool,
    progress: impl FnMut(&SearchResult),
) -> Result<Vec<SearchResult>, TuneError> {
    tune_on(source, options, &Threads(options.threads), stop, progress)
}

/// Searches as [`tune`] does, with candidates simulated by `simulator`; `options.threads` is not
/// used. The result does not depend on the simulator.
pub fn tune_on(
    source: &Source,
    options: &TuneOptions,
    simulator: &dyn Simulator,
    stop: &AtomicBool,
    mut progress: impl FnMut(&SearchResult),
) -> Result<Vec<SearchResult>, TuneError> {
    let plan = source.plan()?;
    let mut axes = plan.axes.iter().map(|axis| &axis.field);
    let is_parameter =
        |field: &&String| field.starts_with("schemes.") || field.starts_with("parameters.");
    if let Some(field) = axes.find(is_parameter) {
        return Err(TuneError::Swept(field.clone()));
    }
    let Some(link) = plan.scenario().link() else {
        return Ok(Vec::new());
    };
    let schemes = &plan.scenario().schemes;
    let specs: Vec<Spec> = schemes.iter().map(|scheme| scheme.spec.clone()).collect();
    let spaces = space::spaces(&specs, &link, &options.parameters)?;
    let mut results = Vec::new();
    for (scheme, space) in schemes.iter().zip(spaces) {
        let settings = scheme.spec.settings(&link);
        let start = space.iter().map(|dimension| {
            let current = settings.as_ref().map(|known| dimension.coordinate(known));
            current.unwrap_or(0.5)
        });
        let seeds = plan.seeds.iter().copied();
        let search = SchemeSearch {
            evaluator: Evaluator {
                source,
                goal: &options.goal,
                label: &scheme.label,
                simulator,
                stop,
            },
            start: start.collect(),
            seeds: seeds.take(options.seeds.max(1)).collect(),
            finalist_seeds: seeds_above(&plan.seeds, FINALIST_SEEDS),
            budget: options.budget,
        };
        results.push(search.run(space, &mut progress)?);
        if stop.load(Ordering::Relaxed) {
            break;
        }
    }
    Ok(results)
}

/// The search of one scheme.
struct SchemeSearch<'a> {
    evaluator: Evaluator<'a>,
    /// The scheme's own parameters as a point of the cube.
    start: Vec<f64>,
    seeds: Vec<u64>,
    finalist_seeds: Vec<u64>,
    budget: usize,
}

impl SchemeSearch<'_> {
    fn run(
        &self,
        space: Vec<SearchDimension>,
        progress: &mut impl FnMut(&SearchResult),
    ) -> Result<SearchResult, TuneError> {
        let goal = self.evaluator.goal;
        // The scheme with its own parameters comes first, everywhere.
        let candidates = self.evaluator.run(&[ParameterValues::new()], &self.seeds)?;
        let own = candidates.first();
        if let Some(metric) = own.and_then(|own| own.missing_metric(goal)) {
            return Err(TuneError::NotMeasured(metric));
        }
        let mut result = SearchResult {
            label: self.evaluator.label.to_string(),
            space,
            candidates,
            finalists: Vec::new(),
        };
        if !result.space.is_empty() {
            self.evolve(&mut result, progress)?;
            let mut finalists = vec![ParameterValues::new()];
            finalists.extend(result.select_finalists(goal));
            result.finalists = self.evaluator.run(&finalists, &self.finalist_seeds)?;
        }
        progress(&result);
        Ok(result)
    }

    /// Runs generations until the budget is spent or the population has converged.
    fn evolve(
        &self,
        result: &mut SearchResult,
        progress: &mut impl FnMut(&SearchResult),
    ) -> Result<(), TuneError> {
        let members = (MEMBERS.0 * self.start.len()).clamp(MEMBERS.1, MEMBERS.2);
        let mut search = Search::new(self.start.clone(), members, 1);
        let mut known: HashMap<ParameterValues, Score> = HashMap::new();
        while result.candidates.len() < self.budget {
            let points = search.ask().iter();
            let asked: Vec<ParameterValues> = points
                .map(|at| parameter_values(&result.space, at))
                .collect();
            let mut new: Vec<ParameterValues> = Vec::new();
            for settings in &asked {
                if !known.contains_key(settings) && !new.contains(settings) {
                    new.push(settings.clone());
                }
            }
            for candidate in self.evaluator.run(&new, &self.seeds)? {
                let score = candidate.score(self.evaluator.goal, false);
                known.insert(candidate.settings.clone(), score);
                if !candidate.points.is_empty() {
                    result.candidates.push(candidate);
                }
            }
            if self.evaluator.stop.load(Ordering::Relaxed) {
                break;
            }
            let score = |settings| known.get(settings).copied().unwrap_or(Score::IMPOSSIBLE);
            search.tell(&asked.iter().map(score).collect::<Vec<_>>());
            progress(result);
            if new.is_empty() || search.spread() < CONVERGED {
                break;
            }
        }
        Ok(())
    }
}

/// A point of the cube as parameters.
fn parameter_values(space: &[SearchDimension], at: &[f64]) -> ParameterValues {
    let parameter = |(dimension, at): (&SearchDimension, &f64)| {
        (dimension.name.to_string(), dimension.text(*at))
    };
    space.iter().zip(at).map(parameter).collect()
}

/// Seeds that are not `used`, from this distance above the largest on. After the largest seed that
/// there is follow the smallest.
fn seeds_above(used: &[u64], distance: u64) -> Vec<u64> {
    let first = used.iter().max().copied().unwrap_or(0) + distance;
    let seeds = (first..).map(|seed| seed % MAX_SEED);
    let fresh = seeds.filter(|seed| !used.contains(seed));
    fresh.take(FRESH_SEEDS).collect()
}

#[cfg(test)]
mod tests;
