//! A scheme's parameters, searched by simulation.
//!
//! ```text
//! scheme --spaces--> cube --Search--> settings --every point and seed--> scores --> Search
//!                                        \--> tried --front--> what a goal costs
//! tried --contenders, other seeds--> best --yet others, beside the scheme as it was--> Checked
//! ```
//!
//! Each scheme is searched by itself, with few of the scenario's seeds, the same for all
//! settings. The best of many with few seeds owes some of it to luck, and lies on the edge of
//! the limits. So the better ones, and those with more room to the limits, are tried with
//! more and other seeds, one of them is chosen, and a third set of seeds says what it is
//! worth.

mod checked;
mod front;
mod goal;
mod search;
mod space;
mod told;
mod trials;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

use earlydrop::registry::Spec;

pub use checked::{Checked, Kept, checked};
pub use front::front;
pub use goal::{Goal, GoalError, Limit, Metrics, Score};
pub use space::{Dimension, Over, SpaceError};
pub use told::{front_of, json, line};
pub use trials::{Settings, Tried};

use crate::document::{Problem, Problems};
use crate::plan::{Source, Variant};
use search::Search;
use trials::Trials;

/// A search is over when its members differ by less than this share of every dimension.
const CLOSE: f64 = 0.01;
/// Members of a generation for each dimension, and how many there are at least and at most.
const MEMBERS: (usize, usize, usize) = (6, 12, 36);
/// So many settings of a scheme are tried again with other seeds.
const CONTENDERS: usize = 12;
/// With so many of them, and so many yet others check what was chosen.
const FRESH_SEEDS: u64 = 10;
/// The first seeds of both, above the scenario's own.
const SEEDS_APART: (u64, u64) = (1000, 2000);

/// What is searched, and how long.
#[derive(Clone, Debug)]
pub struct Tuning {
    /// What it is after.
    pub goal: Goal,
    /// Which parameters; all of a scheme's own numbers where empty.
    pub over: Vec<Over>,
    /// How many settings of each scheme are tried.
    pub budget: usize,
    /// With how many of the scenario's seeds each is tried.
    pub seeds: usize,
    /// On how many threads.
    pub threads: usize,
}

/// What a search found for a scheme.
#[derive(Clone, Debug)]
pub struct Found {
    /// The scheme's name in the scenario.
    pub label: String,
    /// What was searched; empty where the scheme has nothing to search.
    pub space: Vec<Dimension>,
    /// Every setting tried, the scheme's own first.
    pub tried: Vec<Tried>,
    /// The better ones with other seeds, the scheme's own first.
    contenders: Vec<Tried>,
}

/// Why a scenario cannot be tuned.
#[derive(Debug, thiserror::Error)]
pub enum TuneError {
    /// What to search is unclear.
    #[error(transparent)]
    Space(#[from] SpaceError),
    /// The scenario varies what is to be searched.
    #[error(
        "the scenario sweeps {0}, which a search would change; allowed: sweeps of the network and of flows"
    )]
    Swept(String),
    /// The scenario does not measure what the goal is about.
    #[error("the scenario measures no {0}: see its [measure]")]
    NotMeasured(&'static str),
    /// The scenario is not as it must be.
    #[error(transparent)]
    Scenario(#[from] Problems),
    /// A cell cannot be run.
    #[error("{0}")]
    Cell(Problem),
}

impl From<Problem> for TuneError {
    fn from(problem: Problem) -> TuneError {
        TuneError::Cell(problem)
    }
}

impl Found {
    /// The best setting as a scheme of its own; `None` where nothing was better than what
    /// the scheme had.
    pub fn variant(&self, goal: &Goal) -> Option<Variant> {
        let scored = self
            .contenders
            .iter()
            .map(|one| (one.score(goal, true), one));
        let (_, best) = scored.min_by(|(a, _), (b, _)| a.order(b))?;
        (!best.settings.is_empty()).then(|| Variant {
            label: format!("{} tuned", self.label),
            of: self.label.clone(),
            settings: best.settings.clone(),
        })
    }

    /// What is worth trying again: of all that no other beats in both the goal and the room
    /// left to the limits, those that were best.
    fn worth_another_try(&self, goal: &Goal) -> Vec<Settings> {
        let scored = self
            .tried
            .iter()
            .map(|tried| (tried.score(goal, false), tried));
        let scored: Vec<(Score, &Tried)> = scored.collect();
        let pairs: Vec<(f64, f64)> = scored
            .iter()
            .map(|(score, tried)| (score.objective, -goal.room(&tried.points)))
            .collect();
        let mut kept: Vec<_> = front(&pairs)
            .into_iter()
            .map(|index| scored[index])
            .collect();
        kept.sort_by(|(a, _), (b, _)| a.order(b));
        let settings = kept.into_iter().map(|(_, tried)| tried.settings.clone());
        settings
            .filter(|settings| !settings.is_empty())
            .take(CONTENDERS)
            .collect()
    }
}

/// Searches every scheme of a scenario; tells `progress` after each generation. Stopped, it
/// answers what it has.
pub fn tune(
    source: &Source,
    tuning: &Tuning,
    stop: &AtomicBool,
    mut progress: impl FnMut(&Found),
) -> Result<Vec<Found>, TuneError> {
    let plan = source.plan()?;
    let mut axes = plan.axes.iter().map(|axis| &axis.field);
    let own = |field: &&String| field.starts_with("schemes.") || field.starts_with("parameters.");
    if let Some(field) = axes.find(own) {
        return Err(TuneError::Swept(field.clone()));
    }
    let Some(link) = plan.scenario().link() else {
        return Ok(Vec::new());
    };
    let schemes = &plan.scenario().schemes;
    let specs: Vec<Spec> = schemes.iter().map(|scheme| scheme.spec.clone()).collect();
    let spaces = space::spaces(&specs, &link, &tuning.over)?;
    let mut all = Vec::new();
    for (scheme, space) in schemes.iter().zip(spaces) {
        let settings = scheme.spec.settings(&link);
        let start = space.iter().map(|dimension| {
            let here = settings.as_ref().map(|known| dimension.coordinate(known));
            here.unwrap_or(0.5)
        });
        let seeds = plan.seeds.iter().copied();
        let one = OneScheme {
            trials: Trials {
                source,
                goal: &tuning.goal,
                label: &scheme.label,
                threads: tuning.threads,
                stop,
            },
            start: start.collect(),
            seeds: seeds.take(tuning.seeds.max(1)).collect(),
            other_seeds: seeds_above(&plan.seeds, SEEDS_APART.0),
            budget: tuning.budget,
        };
        all.push(one.search(space, &mut progress)?);
        if stop.load(Ordering::Relaxed) {
            break;
        }
    }
    Ok(all)
}

/// The search of one scheme.
struct OneScheme<'a> {
    trials: Trials<'a>,
    /// The scheme as it is, in the cube.
    start: Vec<f64>,
    seeds: Vec<u64>,
    other_seeds: Vec<u64>,
    budget: usize,
}

impl OneScheme<'_> {
    fn search(
        &self,
        space: Vec<Dimension>,
        progress: &mut impl FnMut(&Found),
    ) -> Result<Found, TuneError> {
        let goal = self.trials.goal;
        // As it is, with nothing set otherwise, before anything else.
        let tried = self.trials.run(&[Settings::new()], &self.seeds)?;
        if let Some(metric) = tried.first().and_then(|first| first.not_measured(goal)) {
            return Err(TuneError::NotMeasured(metric));
        }
        let mut found = Found {
            label: self.trials.label.to_string(),
            space,
            tried,
            contenders: Vec::new(),
        };
        if !found.space.is_empty() {
            self.evolve(&mut found, progress)?;
            let mut again = vec![Settings::new()];
            again.extend(found.worth_another_try(goal));
            found.contenders = self.trials.run(&again, &self.other_seeds)?;
        }
        progress(&found);
        Ok(found)
    }

    /// Generation by generation, until the budget is spent or all members are alike.
    fn evolve(
        &self,
        found: &mut Found,
        progress: &mut impl FnMut(&Found),
    ) -> Result<(), TuneError> {
        let members = (MEMBERS.0 * self.start.len()).clamp(MEMBERS.1, MEMBERS.2);
        let mut search = Search::new(self.start.clone(), members, 1);
        let mut known: HashMap<Settings, Score> = HashMap::new();
        while found.tried.len() < self.budget {
            let asked = search.ask().iter().map(|at| written(&found.space, at));
            let asked: Vec<Settings> = asked.collect();
            let mut new: Vec<Settings> = Vec::new();
            for settings in &asked {
                if !known.contains_key(settings) && !new.contains(settings) {
                    new.push(settings.clone());
                }
            }
            for tried in self.trials.run(&new, &self.seeds)? {
                known.insert(tried.settings.clone(), tried.score(self.trials.goal, false));
                if !tried.points.is_empty() {
                    found.tried.push(tried);
                }
            }
            if self.trials.stop.load(Ordering::Relaxed) {
                break;
            }
            let score = |settings| known.get(settings).copied().unwrap_or(Score::IMPOSSIBLE);
            search.tell(&asked.iter().map(score).collect::<Vec<_>>());
            progress(found);
            if new.is_empty() || search.spread() < CLOSE {
                break;
            }
        }
        Ok(())
    }
}

/// A point of the cube as parameters.
fn written(space: &[Dimension], at: &[f64]) -> Settings {
    let parameter =
        |(dimension, at): (&Dimension, &f64)| (dimension.name.to_string(), dimension.text(*at));
    space.iter().zip(at).map(parameter).collect()
}

/// The scenario with each scheme as it was and, beside it, as it was found best, with seeds
/// that the search has not seen.
pub fn check_of(source: &Source, goal: &Goal, found: &[Found]) -> Result<Source, Problems> {
    let fresh = seeds_above(&source.plan()?.seeds, SEEDS_APART.1);
    let fresh: Vec<String> = fresh.iter().map(u64::to_string).collect();
    let variants = found.iter().flat_map(|found| {
        let as_it_was = Variant {
            label: found.label.clone(),
            of: found.label.clone(),
            settings: Vec::new(),
        };
        [Some(as_it_was), found.variant(goal)].into_iter().flatten()
    });
    let mut check = source.clone();
    check.set_variants(&variants.collect::<Vec<_>>());
    check.set("seeds", &format!("[{}]", fresh.join(", ")), "fresh seeds");
    Ok(check)
}

/// Seeds that none of `used` is.
fn seeds_above(used: &[u64], apart: u64) -> Vec<u64> {
    let first = used.iter().max().copied().unwrap_or(0) + apart;
    (first..first + FRESH_SEEDS).collect()
}
