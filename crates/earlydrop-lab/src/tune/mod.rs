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

mod bounds;
mod candidates;
mod cube;
mod goal;
mod pareto;
mod report;
mod scheme_search;
mod search;
mod space;
mod validation;

use std::sync::atomic::{AtomicBool, Ordering};

use earlydrop::registry::Settings;

pub use candidates::{Candidate, CandidateSpec, CellValues, ParameterValues, Simulator, Threads};
pub use goal::{Goal, GoalError, Limit, PointMetrics, Score};
pub use pareto::front;
pub use report::{json, line, pareto_front};
pub use space::{SearchDimension, SearchParameter, SpaceError};
pub use validation::{LimitCheck, Validation, validate, validation_scenario};

use crate::document::{Problem, Problems};
use crate::plan::{Plan, Source, Variant};
use crate::sweep::MAX_SEED;
use bounds::OnPath;
use candidates::Evaluator;
use cube::Cube;
use scheme_search::SchemeSearch;
use space::Bound;

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
    /// The effort per scheme: as many runs as this number of candidates takes with all seeds.
    pub budget: usize,
    /// The number of the scenario's seeds that each candidate runs with.
    pub seeds: usize,
    /// How candidates are proposed.
    pub method: Method,
    /// The number of threads.
    pub threads: usize,
}

impl TuneOptions {
    /// The seeds of a plan that candidates run with.
    fn seeds<'a>(&self, plan: &'a Plan) -> &'a [u64] {
        &plan.seeds[..self.seeds.clamp(1, plan.seeds.len())]
    }

    /// The runs of the search of a scheme, each of a candidate with a seed at all points. Those of
    /// the first finalists come on top.
    pub fn runs(&self, plan: &Plan) -> usize {
        self.budget * self.seeds(plan).len()
    }
}

/// How the candidates of a search are proposed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// By differential evolution of the best so far.
    #[default]
    Evolution,
    /// At random, uniformly between the bounds: what a search must beat. The number selects the
    /// random numbers.
    Random(u64),
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
    /// The runs so far, each of a candidate with a seed at all points.
    pub runs: usize,
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

    /// What to know about the bounds of a variant's values: one sentence for each that is near a
    /// bound, with the bound and how to search beyond it.
    pub fn near_bounds(&self, variant: &Variant) -> Vec<String> {
        let value = |dimension: &SearchDimension| {
            let mut settings = variant.settings.iter();
            let found = settings.find(|(name, _)| *name == dimension.parameter.name);
            found.map(|(_, value)| value.as_str())
        };
        let near = self
            .space
            .iter()
            .enumerate()
            .filter_map(|(index, dimension)| {
                let value = value(dimension)?;
                let bound = dimension.near_bound(value)?;
                Some(self.near_bound(index, value, bound))
            });
        near.collect()
    }

    fn near_bound(&self, index: usize, value: &str, bound: Bound) -> String {
        let over = self
            .space
            .iter()
            .enumerate()
            .map(|(other, dimension)| dimension.argument((other == index).then_some(bound)));
        let over: Vec<String> = over.collect();
        let dimension = &self.space[index];
        let remedy = match dimension.ends_at_buffer(bound) {
            true => "a longer buffer (network.buffer) leaves room beyond it".to_string(),
            false => format!("to search beyond it: --over {}", over.join(",")),
        };
        format!(
            "{}: {} = {value} is near the {} bound of its search, {}; {remedy}",
            self.label,
            dimension.parameter.name,
            bound.name(),
            dimension.bound(bound),
        )
    }

    /// The candidates that ran with every seed of the search.
    pub fn refined(&self) -> impl Iterator<Item = &Candidate> {
        let most = self.candidates.first().map_or(0, Candidate::seeds);
        self.candidates
            .iter()
            .filter(move |candidate| candidate.seeds() == most)
    }

    /// The parameters of the candidates to run again: the best of the Pareto front of the
    /// objective and the margin to the limits, then the best of all others. Without limits the
    /// front is a single candidate, whose luck with few seeds would decide alone.
    fn select_finalists(&self, goal: &Goal) -> Vec<ParameterValues> {
        let mut scored: Vec<(Score, &Candidate)> = self
            .refined()
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
    let mut results = Vec::new();
    for (index, dimensions) in spaces_of(&plan, &options.parameters)?
        .into_iter()
        .enumerate()
    {
        let (scenario, label) = (plan.scenario(), plan.labels()[index]);
        let Some(link) = scenario.link() else {
            break;
        };
        let evaluator = Evaluator {
            source,
            goal: &options.goal,
            label,
            simulator,
            stop,
        };
        let cube = Cube {
            spec: scenario.schemes[index].spec.clone(),
            link,
            dimensions,
        };
        let search = SchemeSearch::new(evaluator, cube, &plan, options, &mut progress);
        results.push(search.run()?);
        if stop.load(Ordering::Relaxed) {
            break;
        }
    }
    Ok(results)
}

/// The search space of each scheme of a scenario: the `requested` parameters, or else every number
/// of the scheme that is neither computed from others nor fixed.
pub fn spaces(
    source: &Source,
    requested: &[SearchParameter],
) -> Result<Vec<(String, Vec<SearchDimension>)>, TuneError> {
    let plan = source.plan()?;
    let labels = plan.labels().into_iter().map(str::to_string);
    Ok(labels.zip(spaces_of(&plan, requested)?).collect())
}

fn spaces_of(
    plan: &Plan,
    requested: &[SearchParameter],
) -> Result<Vec<Vec<SearchDimension>>, TuneError> {
    let mut axes = plan.axes.iter().map(|axis| &axis.field);
    let is_parameter =
        |field: &&String| field.starts_with("schemes.") || field.starts_with("parameters.");
    if let Some(field) = axes.find(is_parameter) {
        return Err(TuneError::Swept(field.clone()));
    }
    let at_points = |scheme: usize| {
        let scenarios = plan.points.iter().map(|point| &point.scenario);
        let settings = scenarios.filter_map(|scenario| {
            let spec = &scenario.schemes[scheme].spec;
            let settings = spec.settings(&scenario.link()?).ok()?;
            Some((settings, scenario.path.rtt.as_secs_f64()))
        });
        settings.collect::<Vec<(Settings, f64)>>()
    };
    let schemes = 0..plan.scenario().schemes.len();
    let settings: Vec<Vec<(Settings, f64)>> = schemes.map(at_points).collect();
    let schemes: Vec<Vec<OnPath<'_>>> = settings.iter().map(|all| on_path(all)).collect();
    Ok(space::spaces(&schemes, requested)?)
}

fn on_path(points: &[(Settings, f64)]) -> Vec<OnPath<'_>> {
    let points = points.iter();
    let points = points.map(|(settings, rtt)| OnPath {
        settings,
        rtt: *rtt,
    });
    points.collect()
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
