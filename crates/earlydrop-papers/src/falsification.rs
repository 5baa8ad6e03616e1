//! Whether a claim can fail.
//!
//! A claim that holds must get a worse verdict when a scheme that is wrong on purpose runs under
//! the label of the one that the claim is about. A claim that is not shown must hold of runs as
//! the paper has them. Else its test would show nothing.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use earlydrop_lab::document::Problems;
use earlydrop_lab::plan::{Cell, Plan, Source};
use earlydrop_lab::store::Store;
use serde_json::{Value, json};

use crate::catalogue::{Pace, PaperEntry};
use crate::claims::{
    Claim, Evidence, Judgement, Measurements, Place, Runs, Verdict, as_claimed, judge, points,
    seeds_needed,
};
use crate::error::Error;

/// Whether a claim's test can come to another verdict.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum TrialOutcome {
    /// With the wrong scheme the verdict is this worse one.
    FailsWithWrong(Verdict),
    /// The claim is not shown, or contradicted, and would hold of runs as the paper has them. Where the paper
    /// does not print a size, this is the smallest effect, as a share, at which it would.
    CouldHold(Option<f64>),
    /// The seeds lie too far apart; about so many would do.
    TooFewSeeds(usize),
    /// The verdict stays, for this reason.
    NotShown(String),
}

/// A claim, its verdict, and whether its test can come to another.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Trial<'a> {
    /// The claim.
    pub claim: &'a Claim,
    /// The verdict of our runs.
    pub judgement: Judgement,
    /// Whether the test can come to another verdict.
    pub outcome: TrialOutcome,
}

/// Runs of an experiment: what is run, and where it is stored.
pub type StoredRuns<'a> = (&'a Plan, &'a Store);

/// Tries all claims about an experiment of a paper. What `ours`, the runs as the paper has them,
/// lacks is stored in `folder`: `run` runs these cells of a plan. Only what a claim compares is run:
/// its schemes, or those that are wrong on purpose, at its points. Claims for which a quick run has
/// too few seeds are tried with all seeds.
pub fn trials<'a, E: From<Error>>(
    entry: &'a PaperEntry,
    experiment: &str,
    pace: Pace,
    ours: Option<StoredRuns<'_>>,
    folder: &Path,
    mut run: impl FnMut(StoredRuns<'_>, Vec<Cell>) -> Result<(), E>,
) -> Result<Vec<Trial<'a>>, E> {
    let claims = entry.paper.claims.iter();
    let claims: Vec<&Claim> = claims
        .filter(|claim| claim.experiment == experiment)
        .collect();
    let (Some(source), Some(full)) = (
        entry.source(experiment, pace),
        entry.source(experiment, Pace::Full),
    ) else {
        let none = Measurements::default();
        return Ok(claims.iter().map(|claim| Trial::of(claim, &none)).collect());
    };
    let source = source.and_then(|source| with_wrong_schemes(source, &claims));
    let mut runs = TrialRuns {
        source: source.map_err(Error::from)?,
        ours,
        folder,
        run: &mut run,
    };
    let mut trials = runs.try_claims(&claims)?;
    if pace == Pace::Quick {
        let full = full.and_then(|source| source.plan()).map_err(Error::from)?;
        runs.try_again(&mut trials, |_| Some(full.seeds.len()))?;
    }
    // What a trial lacks is an estimate from few seeds: a half more is likely to be enough.
    let a_half_more = |needed| (needed <= MAX_SEEDS).then_some(needed * 3 / 2);
    runs.try_again(&mut trials, a_half_more)?;
    Ok(trials)
}

/// No trial gets more than one and a half times as many seeds.
const MAX_SEEDS: usize = 30;

/// The runs on which the claims about an experiment are tried.
struct TrialRuns<'r, R> {
    /// The experiment with its wrong schemes.
    source: Source,
    ours: Option<StoredRuns<'r>>,
    folder: &'r Path,
    run: &'r mut R,
}

impl<R> TrialRuns<'_, R> {
    /// Tries claims on our runs, and on those in the folder after what is missing has been run.
    fn try_claims<'a, E: From<Error>>(&mut self, claims: &[&'a Claim]) -> Result<Vec<Trial<'a>>, E>
    where
        R: FnMut(StoredRuns<'_>, Vec<Cell>) -> Result<(), E>,
    {
        let plan = self.source.plan().map_err(Error::from)?;
        let store = Store::create(self.folder, &self.source, &plan).map_err(Error::from)?;
        let mut done = store.done().map_err(Error::from)?;
        if let Some((_, ours)) = self.ours {
            done.extend(ours.done().map_err(Error::from)?);
        }
        let labels = plan.labels();
        let nothing = Measurements::of(&plan);
        let needed = claims.iter().flat_map(|claim| compared(claim, &nothing));
        let needed: HashSet<Place> = needed.collect();
        let is_done = |cell: &Cell| {
            let label = labels[cell.scheme].to_string();
            done.contains(&(label, cell.point, plan.seeds[cell.seed]))
        };
        let is_missing =
            |cell: &Cell| needed.contains(&(cell.scheme, cell.point)) && !is_done(cell);
        (self.run)((&plan, &store), plan.cells().filter(is_missing).collect())?;
        let mut runs = Runs::of(&plan, &store).map_err(Error::from)?;
        let ours = self.ours.map(|(plan, store)| Runs::of(plan, store));
        let mut ours = ours.transpose().map_err(Error::from)?;
        let mut trials = Vec::new();
        for claim in claims {
            let mut measured = runs.measurements(&claim.metric).map_err(Error::from)?;
            if let Some(ours) = &mut ours {
                measured.add(&ours.measurements(&claim.metric).map_err(Error::from)?);
            }
            measured.keep_seeds_of(&compared(claim, &measured), &plan.seeds);
            trials.push(Trial::of(claim, &measured));
        }
        Ok(trials)
    }

    /// Tries the claims that have too few seeds again, with as many as `seeds` makes of the number
    /// that they need; `None` leaves a claim as it is.
    fn try_again<E: From<Error>>(
        &mut self,
        trials: &mut [Trial<'_>],
        seeds: impl Fn(usize) -> Option<usize>,
    ) -> Result<(), E>
    where
        R: FnMut(StoredRuns<'_>, Vec<Cell>) -> Result<(), E>,
    {
        let seeds_for = |trial: &Trial<'_>| trial.seeds_needed().and_then(&seeds);
        let Some(most) = trials.iter().filter_map(seeds_for).max() else {
            return Ok(());
        };
        self.source.set("seeds", &most.to_string(), "more seeds");
        let lacking = trials.iter_mut().filter(|trial| seeds_for(trial).is_some());
        let lacking: Vec<&mut Trial<'_>> = lacking.collect();
        let claims: Vec<&Claim> = lacking.iter().map(|trial| trial.claim).collect();
        for (trial, tried) in lacking.into_iter().zip(self.try_claims(&claims)?) {
            *trial = tried;
        }
        Ok(())
    }
}

/// What a claim's trial compares: the schemes, the wrong one among them, at the points that the
/// claim is about.
fn compared(claim: &Claim, measured: &Measurements) -> Vec<Place> {
    let mut schemes = claim.test.schemes();
    if !schemes.is_empty() {
        schemes.push(&claim.wrong);
    }
    measured.places(&schemes, &points(&claim.test, measured))
}

/// Adds the wrong schemes of claims to an experiment.
fn with_wrong_schemes(mut source: Source, claims: &[&Claim]) -> Result<Source, Problems> {
    let plan = source.plan()?;
    let known: BTreeSet<&str> = plan.labels().into_iter().collect();
    let decidable = claims.iter().filter(|claim| claim.test.scheme().is_some());
    let wrong: BTreeSet<&str> = decidable.map(|claim| claim.wrong.as_str()).collect();
    for scheme in wrong.difference(&known) {
        source.add_scheme(scheme, scheme);
    }
    Ok(source)
}

impl<'a> Trial<'a> {
    /// The outcome in words: "with red it does not hold".
    pub fn summary(&self) -> String {
        match &self.outcome {
            TrialOutcome::FailsWithWrong(verdict) => {
                format!("with {} {}", self.claim.wrong, said_of_it(*verdict))
            }
            TrialOutcome::CouldHold(None) => "it would hold of the printed values".to_string(),
            TrialOutcome::CouldHold(Some(effect)) => {
                format!("it would hold of an effect of {:.0}%", 100.0 * effect)
            }
            TrialOutcome::TooFewSeeds(seeds) => {
                format!("not shown: it takes about {seeds} seeds")
            }
            TrialOutcome::NotShown(reason) => format!("not shown: {reason}"),
        }
    }

    /// About how many seeds would do, where there are too few.
    pub fn seeds_needed(&self) -> Option<usize> {
        match self.outcome {
            TrialOutcome::TooFewSeeds(seeds) => Some(seeds),
            _ => None,
        }
    }

    /// The trial as JSON. Scripts read it: keys keep their names and their order.
    pub fn json(&self) -> Value {
        let with_wrong = match self.outcome {
            TrialOutcome::FailsWithWrong(verdict) => Some(verdict.to_string()),
            _ => None,
        };
        json!({
            "id": self.claim.id,
            "verdict": self.judgement.verdict.to_string(),
            "wrong": self.claim.wrong,
            "verdict_with_wrong": with_wrong,
            "could_hold": matches!(self.outcome, TrialOutcome::CouldHold(_)),
            "shown": self.summary(),
            "seeds_needed": self.seeds_needed(),
            "within_tolerance": self.claim.test.is_within_a_tolerance(),
        })
    }

    /// Tries a claim on measurements that include its wrong scheme.
    fn of(claim: &'a Claim, measured: &Measurements) -> Trial<'a> {
        let judgement = judge(claim, measured);
        let outcome = match (judgement.verdict, &judgement.missing) {
            (Verdict::Contradicted | Verdict::NotShown | Verdict::NoDifference, _) => {
                try_as_claimed(claim, measured)
            }
            (Verdict::Undecided, Some(missing)) => TrialOutcome::NotShown(missing.to_string()),
            (Verdict::InPart, _) => match try_wrong_scheme(claim, measured, &judgement) {
                // What holds in a few comparisons may do so with any scheme. Then it can still
                // be otherwise in the other direction: it could hold in all.
                TrialOutcome::NotShown(reason) => match try_as_claimed(claim, measured) {
                    could @ TrialOutcome::CouldHold(_) => could,
                    _ => TrialOutcome::NotShown(reason),
                },
                shown => shown,
            },
            _ => try_wrong_scheme(claim, measured, &judgement),
        };
        Trial {
            claim,
            judgement,
            outcome,
        }
    }
}

/// Puts the wrong scheme in place of the right one. The verdict must be worse than `right`, or
/// fewer comparisons must support the claim.
fn try_wrong_scheme(claim: &Claim, measured: &Measurements, right: &Judgement) -> TrialOutcome {
    let wrong = &claim.wrong;
    let index = |label: &str| measured.scheme(label);
    let (Some(own), Some(other)) = (claim.test.scheme().and_then(index), index(wrong)) else {
        return TrialOutcome::NotShown(format!("{wrong} was not run"));
    };
    let judgement = judge(claim, &measured.clone().with_swapped(own, other));
    match (judgement.verdict, &judgement.missing) {
        (worse @ (Verdict::Contradicted | Verdict::NotShown | Verdict::NoDifference), _) => {
            TrialOutcome::FailsWithWrong(worse)
        }
        (Verdict::InPart, _) if right.verdict == Verdict::Holds => {
            TrialOutcome::FailsWithWrong(Verdict::InPart)
        }
        (Verdict::InPart, None) if supporting(&judgement) < supporting(right) => {
            TrialOutcome::FailsWithWrong(Verdict::InPart)
        }
        (_, Some(missing)) => TrialOutcome::NotShown(format!("with {wrong}: {missing}")),
        (same, None) => TrialOutcome::NotShown(format!("with {wrong} {}", said_of_it(same))),
    }
}

/// A verdict as said of a claim: "it holds", "it is contradicted".
fn said_of_it(verdict: Verdict) -> String {
    match verdict {
        Verdict::Contradicted | Verdict::NotShown => format!("it is {verdict}"),
        Verdict::NoDifference => format!("it makes {verdict}"),
        _ => format!("it {verdict}"),
    }
}

fn supporting(judgement: &Judgement) -> usize {
    judgement.count(Evidence::Supports)
}

/// The effects to try, as shares, where a paper does not print one.
const EFFECTS: [f64; 4] = [0.1, 0.2, 0.5, 0.9];

/// Moves the means to what the paper claims; the claim must hold then.
fn try_as_claimed(claim: &Claim, measured: &Measurements) -> TrialOutcome {
    let mut comparisons = Vec::new();
    for effect in EFFECTS {
        let claimed = match as_claimed(&claim.test, measured, effect) {
            Ok(claimed) => claimed,
            Err(missing) => return TrialOutcome::NotShown(missing.to_string()),
        };
        let judgement = judge(claim, &claimed);
        if judgement.verdict == Verdict::Holds {
            let effect = claim.test.is_directional().then_some(effect);
            return TrialOutcome::CouldHold(effect);
        }
        comparisons = judgement.comparisons;
    }
    let open = comparisons.iter().filter(|one| !one.supports_claim());
    let seeds = open.map(|one| seeds_needed(&one.room()));
    match seeds.collect::<Option<Vec<usize>>>() {
        Some(seeds) => TrialOutcome::TooFewSeeds(seeds.into_iter().max().unwrap_or(0)),
        None => TrialOutcome::NotShown("not even of runs as the paper has them".to_string()),
    }
}

#[cfg(test)]
mod tests;
