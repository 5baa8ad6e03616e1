//! Runs an experiment in every universe.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use earlydrop_lab::plan::{Plan, Source, Variant};
use earlydrop_lab::store::Store;

use super::choice::Choice;
use super::design::{Universe, design};
use super::robustness::{Robustness, UniverseJudgement};
use crate::catalogue::{Pace, PaperEntry};
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
    for (experiment, list) in &mut by_experiment {
        run_experiment(entry, experiment, list, multiverse, &mut run)?;
    }
    let mut all: Vec<Robustness<'a>> = by_experiment.into_values().flatten().collect();
    let place = |one: &Robustness<'_>| claims.iter().position(|claim| claim.id == one.claim.id);
    all.sort_by_key(place);
    Ok(all)
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
    let Some(source) = entry.source(experiment, multiverse.pace) else {
        return Ok(());
    };
    let mut source = source?;
    keep_what_is_judged(&mut source, list);
    let choices = list[0].choices.clone();
    let values: Vec<usize> = choices.iter().map(|choice| choice.values.len()).collect();
    let universes = design(&values, multiverse.universes);
    let count = universes.len();
    for (index, universe) in universes.into_iter().enumerate() {
        let source = in_universe(&source, &choices, &universe);
        let plan = source.plan()?;
        let name = format!("{}-{}", universe.digits(), &plan.identity()[..8]);
        let folder = multiverse.folder.join(&entry.paper.key).join(experiment);
        let store = Store::create(&folder.join(name), &source, &plan)?;
        let words = format!("{experiment}, universe {} of {count}", index + 1);
        if !run(&words, &plan, &store)? {
            return Ok(());
        }
        let mut runs = Runs::of(&plan, &store)?;
        for one in list.iter_mut() {
            let judgement = judge(one.claim, &runs.measurements(&one.claim.metric)?);
            let judged = UniverseJudgement::new(universe.clone(), &judgement);
            one.universes.push(judged);
        }
    }
    Ok(())
}

/// Keeps the schemes that the claims compare, and samples over time only where a claim reads them.
fn keep_what_is_judged(source: &mut Source, list: &[Robustness<'_>]) {
    let schemes: BTreeSet<&str> = list
        .iter()
        .flat_map(|one| one.claim.test.schemes())
        .collect();
    let variant = |label: &&str| Variant {
        label: (*label).to_string(),
        of: (*label).to_string(),
        settings: Vec::new(),
    };
    source.set_variants(&schemes.iter().map(variant).collect::<Vec<Variant>>());
    if !list.iter().any(|one| needs_series(&one.claim.metric)) {
        source.set("measure.series", "none", "the multiverse");
    }
}

/// Whether a claim's metric is read from samples over time.
fn needs_series(metric: &Selector) -> bool {
    matches!(
        metric,
        Selector::Series(..) | Selector::Apart(..) | Selector::Rises(..) | Selector::Detection(_)
    )
}

/// The scenario with the values of a universe.
pub(crate) fn in_universe(source: &Source, choices: &[&Choice], universe: &Universe) -> Source {
    let mut source = source.clone();
    for (choice, value) in choices.iter().zip(&universe.0) {
        // Ours is what the scenario has.
        if *value > 0 {
            choice.values[*value].apply(&mut source);
        }
    }
    source
}
