//! The search of one scheme, in three stages. Each has fewer settings than the one before, and more
//! seeds.
//!
//! ```text
//! explore  a Latin hypercube, one seed               --the best--> population
//! refine   trials of the population, all seeds       --front of goal and margin--> finalists
//! decide   finalists and their trials, other seeds, limits by the worse ends of intervals
//! ```
//! One seed shows which settings are far from the best. A few do not show which of the good ones is
//! the best.

use std::collections::HashSet;
use std::sync::atomic::Ordering;

use earlydrop::random::Pcg32;

use super::candidates::{Candidate, Evaluator, ParameterValues};
use super::cube::Cube;
use super::search::{Population, spread};
use super::{FINALIST_SEEDS, Method, SearchResult, TuneError, TuneOptions, seeds_above};
use crate::plan::Plan;

/// The share of the runs with which a search explores, and that with which it decides.
const QUARTER: f64 = 0.25;
/// The members of a population per dimension, and their least number.
const MEMBERS: (usize, usize) = (2, 8);
/// The finalists that breed, and the trials of a generation of theirs.
const DECIDING: (usize, usize) = (6, 8);
/// The stream of the random numbers of a search.
const STREAM: u64 = 0x7475_6e65;

/// The search of one scheme.
pub(super) struct SchemeSearch<'a> {
    evaluator: Evaluator<'a>,
    method: Method,
    cube: Cube,
    seeds: Vec<u64>,
    finalist_seeds: Vec<u64>,
    /// The runs, each of a setting with a seed; those of the first finalists come on top.
    budget: usize,
    random: Pcg32,
    result: SearchResult,
    progress: &'a mut dyn FnMut(&SearchResult),
}

impl<'a> SchemeSearch<'a> {
    /// The search in `cube` of the scheme that `evaluator` simulates.
    pub(super) fn new(
        evaluator: Evaluator<'a>,
        cube: Cube,
        plan: &Plan,
        options: &TuneOptions,
        progress: &'a mut dyn FnMut(&SearchResult),
    ) -> SchemeSearch<'a> {
        let random = match options.method {
            Method::Evolution => 1,
            Method::Random(seed) => seed,
        };
        SchemeSearch {
            method: options.method,
            finalist_seeds: seeds_above(&plan.seeds, FINALIST_SEEDS),
            budget: options.runs(plan),
            seeds: options.seeds(plan).to_vec(),
            random: Pcg32::new(random, STREAM),
            result: SearchResult {
                label: evaluator.label.to_string(),
                space: cube.dimensions.clone(),
                runs: 0,
                candidates: Vec::new(),
                finalists: Vec::new(),
            },
            cube,
            evaluator,
            progress,
        }
    }

    /// Searches, and calls `progress` after each generation.
    pub(super) fn run(mut self) -> Result<SearchResult, TuneError> {
        let goal = self.evaluator.goal;
        // The scheme with its own parameters comes first, everywhere.
        let own = vec![ParameterValues::new()];
        let mut refine = Stage::new(&self.seeds, self.members());
        self.simulate(&mut refine, own)?;
        let first = self.result.candidates.first();
        if let Some(metric) = first.and_then(|own| own.missing_metric(goal)) {
            return Err(TuneError::NotMeasured(metric));
        }
        let was_stopped = first.is_none();
        if was_stopped || self.cube.dimensions.is_empty() {
            return Ok(self.result);
        }
        let quarter = (QUARTER * self.budget as f64) as usize;
        let trials = match self.method {
            Method::Evolution => {
                let best = self.explore(quarter)?;
                self.simulate(&mut refine, best)?;
                self.breed(&mut refine, self.members(), self.budget - quarter)?;
                quarter
            }
            Method::Random(_) => {
                let count = self.budget / self.seeds.len();
                for drawn in self.spread(count, 1).chunks(self.members()) {
                    self.simulate(&mut refine, drawn.to_vec())?;
                }
                0
            }
        };
        self.decide(trials)?;
        Ok(self.result)
    }

    fn members(&self) -> usize {
        MEMBERS.1.max(MEMBERS.0 * self.cube.dimensions.len())
    }

    /// Tries `count` settings all over the space with one seed. Takes the best of them out of the
    /// candidates: they run again, with every seed.
    fn explore(&mut self, count: usize) -> Result<Vec<ParameterValues>, TuneError> {
        let mut stage = Stage::new(&self.seeds[..1], 0);
        let settings = self.spread(count, count);
        self.simulate(&mut stage, settings)?;
        let mut best: Vec<Candidate> = self.result.candidates.drain(1..).collect();
        let goal = self.evaluator.goal;
        best.sort_by(|a, b| a.score(goal, false).order(&b.score(goal, false)));
        let others = best.split_off(best.len().min(self.members()));
        self.result.candidates.extend(others);
        Ok(best.into_iter().map(|one| one.settings).collect())
    }

    /// This number of settings all over the space, each once, in hypercubes of `together`.
    fn spread(&mut self, count: usize, together: usize) -> Vec<ParameterValues> {
        let (cube, mut known) = (&self.cube, HashSet::new());
        let mut all = Vec::new();
        for _ in 0..count.div_ceil(together.max(1)) {
            let dimensions = cube.dimensions.len();
            let points = spread(together, dimensions, &mut self.random, |point| {
                let values = cube.values(point);
                cube.accepts(&values) && known.insert(values)
            });
            all.extend(points.iter().map(|point| cube.values(point)));
        }
        all
    }

    /// Runs the finalists, and their trials in as many `runs`, with other seeds.
    fn decide(&mut self, runs: usize) -> Result<(), TuneError> {
        let mut stage = Stage::new(&self.finalist_seeds, DECIDING.0);
        stage.is_last = true;
        let mut finalists = vec![ParameterValues::new()];
        finalists.extend(self.result.select_finalists(self.evaluator.goal));
        self.simulate(&mut stage, finalists)?;
        let end = self.result.runs + runs;
        self.breed(&mut stage, DECIDING.1, end)
    }

    /// Runs generations of `count` trials until so many `runs` were simulated in all, or none is new.
    fn breed(&mut self, stage: &mut Stage, count: usize, runs: usize) -> Result<(), TuneError> {
        loop {
            let left = runs.saturating_sub(self.result.runs) / stage.seeds.len();
            let (cube, known) = (&self.cube, &mut stage.known);
            let trials = stage
                .population
                .breed(count.min(left), &mut self.random, |point| {
                    let values = cube.values(point);
                    cube.accepts(&values) && known.insert(values)
                });
            if trials.is_empty() || self.evaluator.stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            let settings = trials.iter().map(|point| cube.values(point)).collect();
            self.simulate(stage, settings)?;
        }
    }

    /// Simulates settings with the seeds of a stage.
    fn simulate(
        &mut self,
        stage: &mut Stage,
        settings: Vec<ParameterValues>,
    ) -> Result<(), TuneError> {
        let goal = self.evaluator.goal;
        let mut candidates = self.evaluator.run(&settings, &stage.seeds)?;
        candidates.retain(|candidate| !candidate.points.is_empty());
        self.result.runs += candidates.len() * stage.seeds.len();
        let scored = candidates.iter().map(|candidate| {
            let point = self.cube.point(&candidate.settings);
            (point, candidate.score(goal, stage.is_last))
        });
        stage.population.extend(scored);
        stage.known.extend(settings);
        match stage.is_last {
            true => self.result.finalists.extend(candidates),
            false => self.result.candidates.extend(candidates),
        }
        (self.progress)(&self.result);
        Ok(())
    }
}

/// Settings that are compared with the same seeds.
struct Stage {
    seeds: Vec<u64>,
    population: Population,
    known: HashSet<ParameterValues>,
    /// Whether it decides, by the worse ends of intervals.
    is_last: bool,
}

impl Stage {
    fn new(seeds: &[u64], members: usize) -> Stage {
        Stage {
            seeds: seeds.to_vec(),
            population: Population::new(members),
            known: HashSet::new(),
            is_last: false,
        }
    }
}
