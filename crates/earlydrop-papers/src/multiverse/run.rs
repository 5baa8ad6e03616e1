//! Runs an experiment in every universe.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use earlydrop_lab::plan::{Plan, Source, Variant};
use earlydrop_lab::store::Store;

use super::design::{Universe, design};
use super::robustness::{Robustness, UniverseJudgement};
use crate::catalogue::{Pace, PaperEntry};
use crate::choices::Choice;
use crate::claims::{Claim, Runs, Selector, Standing, Test, judge};
use crate::error::Error;

/// How a multiverse is run.
#[derive(Clone, Copy, Debug)]
pub struct Multiverse<'a> {
    /// The number of universes of each experiment, ours included.
    pub universes: usize,
    /// How much of each experiment is run in each.
    pub pace: Pace,
    /// The folder of results.
    pub folder: &'a Path,
}

/// Judges each claim in each universe of its experiment. `run` runs the missing cells of a plan,
/// which is named in words, and returns whether to go on.
///
/// Only the papers' own claims are judged, those that are counted, and only where the experiment
/// has choices. What a store already has is not run again.
pub fn run<'a>(
    entry: &'a PaperEntry,
    claims: &[&'a Claim],
    multiverse: Multiverse<'_>,
    mut run: impl FnMut(&str, &Plan, &Store) -> Result<bool, Error>,
) -> Result<Vec<Robustness<'a>>, Error> {
    let mut by_experiment = judged(entry, claims);
    for (experiment, list) in &mut by_experiment {
        run_experiment(entry, experiment, list, multiverse, &mut run)?;
    }
    let mut all: Vec<Robustness<'a>> = by_experiment.into_values().flatten().collect();
    let place = |one: &Robustness<'_>| claims.iter().position(|claim| claim.id == one.claim.id);
    all.sort_by_key(place);
    Ok(all)
}

/// The runs that [`run`] completes, in its order.
pub fn planned(
    entry: &PaperEntry,
    claims: &[&Claim],
    multiverse: Multiverse<'_>,
) -> Result<Vec<UniverseRun>, Error> {
    let mut all = Vec::new();
    for (experiment, list) in &judged(entry, claims) {
        for universe in universes(entry, experiment, list, multiverse)? {
            all.push(universe?);
        }
    }
    Ok(all)
}

/// The claims that are judged in universes, by their experiment, in no universe so far.
fn judged<'a>(
    entry: &'a PaperEntry,
    claims: &[&'a Claim],
) -> BTreeMap<&'a str, Vec<Robustness<'a>>> {
    let mut by_experiment: BTreeMap<&str, Vec<Robustness<'a>>> = BTreeMap::new();
    for claim in claims.iter().copied().filter(|claim| is_judged(claim)) {
        let choices = entry.choices.of(&claim.experiment);
        if !choices.is_empty() {
            let list = by_experiment.entry(&claim.experiment).or_default();
            list.push(Robustness {
                claim,
                choices,
                universes: Vec::new(),
            });
        }
    }
    by_experiment
}

fn is_judged(claim: &Claim) -> bool {
    claim.standing() == Standing::Paper && !matches!(claim.test, Test::Undecidable { .. })
}

/// Runs all universes of an experiment, and adds what each of its claims is judged there.
fn run_experiment(
    entry: &PaperEntry,
    experiment: &str,
    list: &mut [Robustness<'_>],
    multiverse: Multiverse<'_>,
    run: &mut impl FnMut(&str, &Plan, &Store) -> Result<bool, Error>,
) -> Result<(), Error> {
    for one in universes(entry, experiment, list, multiverse)? {
        let one = one?;
        let Some(store) = one.complete(run)? else {
            return Ok(());
        };
        let mut runs = Runs::of(&one.plan, &store)?;
        for robustness in list.iter_mut() {
            let claim = robustness.claim;
            let judgement = judge(claim, &runs.measurements(&claim.metric)?);
            let judged = UniverseJudgement::new(one.universe.clone(), &judgement);
            robustness.universes.push(judged);
        }
    }
    Ok(())
}

/// An experiment in one universe, with the folder of its runs.
#[derive(Clone, Debug)]
pub struct UniverseRun {
    /// Which it is, in words.
    pub name: String,
    pub(super) universe: Universe,
    /// The experiment's scenario there.
    pub source: Source,
    pub(crate) plan: Plan,
    /// The folder of its runs.
    pub folder: PathBuf,
}

impl UniverseRun {
    /// An experiment, of whose runs in all universes `folder` is the folder, in one.
    pub(crate) fn new(
        name: String,
        (source, folder): (&Source, &Path),
        choices: &[&Choice],
        universe: Universe,
    ) -> Result<UniverseRun, Error> {
        let source = in_universe(source, choices, &universe);
        let plan = source.plan()?;
        Ok(UniverseRun {
            name,
            folder: folder.join(format!("{}-{}", universe.digits(), &plan.identity()[..8])),
            universe,
            source,
            plan,
        })
    }

    /// Its store, after `run` has run the missing cells; `None` where that was stopped.
    pub(crate) fn complete(
        &self,
        run: &mut impl FnMut(&str, &Plan, &Store) -> Result<bool, Error>,
    ) -> Result<Option<Store>, Error> {
        let store = Store::create(&self.folder, &self.source, &self.plan)?;
        let is_complete = run(&self.name, &self.plan, &store)?;
        Ok(is_complete.then_some(store))
    }
}

/// An experiment in every universe. Each is planned when it is asked for.
fn universes(
    entry: &PaperEntry,
    experiment: &str,
    list: &[Robustness<'_>],
    multiverse: Multiverse<'_>,
) -> Result<impl Iterator<Item = Result<UniverseRun, Error>> + use<>, Error> {
    let mut source = entry.source(experiment, multiverse.pace).transpose()?;
    if let Some(source) = &mut source {
        keep_what_is_judged(source, list.iter().map(|one| one.claim));
    }
    let choices: Vec<Choice> = list[0].choices.iter().copied().cloned().collect();
    let values: Vec<usize> = choices.iter().map(|choice| choice.values.len()).collect();
    let universes = match source {
        Some(_) => design(&values, multiverse.universes),
        None => Vec::new(),
    };
    let count = universes.len();
    let folder = multiverse.folder.join(&entry.paper.key).join(experiment);
    let experiment = experiment.to_string();
    let indexed = universes.into_iter().enumerate();
    Ok(indexed.filter_map(move |(index, universe)| {
        let source = source.as_ref()?;
        let choices: Vec<&Choice> = choices.iter().collect();
        let name = format!("{experiment}, universe {} of {count}", index + 1);
        Some(UniverseRun::new(
            name,
            (source, &folder),
            &choices,
            universe,
        ))
    }))
}

/// Keeps the schemes that the claims compare, and samples over time only where a claim reads them.
pub(crate) fn keep_what_is_judged<'a>(
    source: &mut Source,
    claims: impl Iterator<Item = &'a Claim> + Clone,
) {
    let schemes: BTreeSet<&str> = claims
        .clone()
        .flat_map(|claim| claim.test.schemes())
        .collect();
    let variant = |label: &&str| Variant {
        label: (*label).to_string(),
        of: (*label).to_string(),
        settings: Vec::new(),
    };
    source.set_variants(&schemes.iter().map(variant).collect::<Vec<Variant>>());
    let mut claims = claims;
    if !claims.any(|claim| needs_series(&claim.metric)) {
        source.set("measure.series", "none", "the multiverse");
    }
}

/// Whether a claim's metric is read from samples over time.
fn needs_series(metric: &Selector) -> bool {
    matches!(
        metric,
        Selector::Series(..)
            | Selector::Apart(..)
            | Selector::Rises(..)
            | Selector::Within(..)
            | Selector::Until(..)
            | Selector::Detection(_)
    )
}

/// The scenario with the values of a universe.
fn in_universe(source: &Source, choices: &[&Choice], universe: &Universe) -> Source {
    let mut source = source.clone();
    for (choice, value) in choices.iter().zip(&universe.0) {
        // Ours is what the scenario has.
        if *value > 0 {
            choice.values[*value].apply(&mut source);
        }
    }
    source
}
