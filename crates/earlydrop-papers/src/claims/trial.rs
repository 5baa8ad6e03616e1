//! Whether a claim can fail: its test on runs in which a scheme that is wrong on purpose
//! went under the name of the one that the claim is about.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};

use super::claimed::as_claimed;
use super::comparisons::Comparison;
use super::measured::Measured;
use super::paper::Claim;
use super::runs::Runs;
use super::verdict::{Judged, Verdict, judge};
use crate::catalogue::{Pace, Reproduced};
use earlydrop_lab::document::Problems;
use earlydrop_lab::plan::{Plan, Source};
use earlydrop_lab::store::{Store, StoreError};

/// What shows that a claim's test can tell.
#[derive(Clone, Debug, PartialEq)]
pub enum Shown {
    /// With the wrong scheme its verdict is this, and worse.
    Fails(Verdict),
    /// It does not hold, and would of runs as the paper has them. Where the paper does not
    /// say by how much, from so large an effect on, as a share.
    CouldHold(Option<f64>),
    /// Not with so few seeds, which lie too far apart; with about so many.
    TooFewSeeds(usize),
    /// Nothing does, for this reason.
    Not(String),
}

/// A claim with what shows that its test can tell.
#[derive(Clone, Debug)]
pub struct Trial<'a> {
    /// The claim.
    pub claim: &'a Claim,
    /// What runs say of it.
    pub judged: Judged,
    /// What shows that it could be otherwise.
    pub shown: Shown,
}

/// Tries all claims about an experiment of a paper on runs that are kept in `folder`; `run`
/// does what a plan asks for. Claims that the seeds of a quick run cannot tell are tried
/// with all seeds.
pub fn trials<'a, E: From<Problems> + From<StoreError>>(
    paper: &'a Reproduced,
    experiment: &str,
    pace: Pace,
    folder: &Path,
    mut run: impl FnMut(&Plan, &Store) -> Result<(), E>,
) -> Result<Vec<Trial<'a>>, E> {
    let of_experiment = |claim: &&Claim| claim.experiment == experiment;
    let claims: Vec<&Claim> = paper.paper.claims.iter().filter(of_experiment).collect();
    let (Some(source), Some(full)) = (
        paper.source(experiment, pace),
        paper.source(experiment, Pace::Full),
    ) else {
        let tried = claims
            .iter()
            .map(|claim| Trial::of(claim, &Measured::nothing()));
        return Ok(tried.collect());
    };
    let mut source = with_wrong_schemes(source?, &claims)?;
    let mut tried = tried(&source, &claims, folder, &mut run)?;
    let is_open = |trial: &Trial<'_>| matches!(trial.shown, Shown::TooFewSeeds(_));
    if pace == Pace::Quick && tried.iter().any(is_open) {
        let seeds = full?.plan()?.seeds.len().to_string();
        source.set("seeds", &seeds, "all seeds");
        tried = self::tried(&source, &claims, folder, &mut run)?;
    }
    Ok(tried)
}

fn tried<'a, E: From<Problems> + From<StoreError>>(
    source: &Source,
    claims: &[&'a Claim],
    folder: &Path,
    run: &mut impl FnMut(&Plan, &Store) -> Result<(), E>,
) -> Result<Vec<Trial<'a>>, E> {
    let plan = source.plan()?;
    let store = Store::create(folder, source, &plan)?;
    run(&plan, &store)?;
    let mut runs = Runs::of(&plan, &store)?;
    let mut tried = Vec::new();
    for claim in claims {
        tried.push(Trial::of(claim, &runs.measured(&claim.metric)?));
    }
    Ok(tried)
}

/// Adds to an experiment what claims about it run in place of their schemes.
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
    /// What shows it, in words.
    pub fn in_words(&self) -> String {
        match &self.shown {
            Shown::Fails(verdict) => format!("with {} it {verdict}", self.claim.wrong),
            Shown::CouldHold(None) => "it would hold of what is printed".to_string(),
            Shown::CouldHold(Some(effect)) => {
                format!("it would hold of an effect of {:.0}%", 100.0 * effect)
            }
            Shown::TooFewSeeds(seeds) => {
                format!("not shown: it takes about {seeds} seeds to tell")
            }
            Shown::Not(reason) => format!("not shown: {reason}"),
        }
    }

    /// As JSON: the keys keep their names and their order.
    pub fn json(&self) -> Value {
        let with_wrong = match self.shown {
            Shown::Fails(verdict) => Some(verdict.to_string()),
            _ => None,
        };
        json!({
            "id": self.claim.id,
            "verdict": self.judged.verdict.to_string(),
            "wrong": self.claim.wrong,
            "verdict_with_wrong": with_wrong,
            "could_hold": matches!(self.shown, Shown::CouldHold(_)),
            "shown": self.in_words(),
        })
    }

    /// Tries a claim on runs of an experiment with its wrong scheme.
    fn of(claim: &'a Claim, measured: &Measured) -> Trial<'a> {
        let judged = judge(claim, measured);
        let shown = match judged.verdict {
            Verdict::Undecided => Shown::Not(judged.missing.clone()),
            Verdict::DoesNotHold => as_the_paper_has_it(claim, measured),
            Verdict::Holds | Verdict::InPart => in_place(claim, measured, judged.verdict),
        };
        Trial {
            claim,
            judged,
            shown,
        }
    }
}

/// The verdict with the wrong scheme, which must be a worse one.
fn in_place(claim: &Claim, measured: &Measured, right: Verdict) -> Shown {
    let index = |name: &str| measured.scheme(name);
    let (Some(own), Some(wrong)) = (claim.test.scheme().and_then(index), index(&claim.wrong))
    else {
        return Shown::Not(format!("{} was not run", claim.wrong));
    };
    let judged = judge(claim, &measured.clone().with_swapped(own, wrong));
    match judged.verdict {
        Verdict::Undecided => Shown::Not(format!("with {}: {}", claim.wrong, judged.missing)),
        Verdict::DoesNotHold => Shown::Fails(Verdict::DoesNotHold),
        Verdict::InPart if right == Verdict::Holds => Shown::Fails(Verdict::InPart),
        other => Shown::Not(format!("with {} it {other}", claim.wrong)),
    }
}

/// Effects that are tried where a paper does not say how large one is.
const EFFECTS: [f64; 4] = [0.1, 0.2, 0.5, 0.9];

/// Whether the claim holds of runs whose means are the paper's.
fn as_the_paper_has_it(claim: &Claim, measured: &Measured) -> Shown {
    let mut open = Vec::new();
    for effect in EFFECTS {
        let claimed = match as_claimed(&claim.test, measured, effect) {
            Ok(claimed) => claimed,
            Err(missing) => return Shown::Not(missing),
        };
        let judged = judge(claim, &claimed);
        if judged.verdict == Verdict::Holds {
            return Shown::CouldHold(claim.test.is_about_a_direction().then_some(effect));
        }
        open = judged.comparisons;
    }
    let seeds = open
        .iter()
        .filter(|one| !one.is_borne_out())
        .map(seeds_needed);
    match seeds.collect::<Option<Vec<usize>>>() {
        Some(seeds) => Shown::TooFewSeeds(seeds.into_iter().max().unwrap_or(0)),
        None => Shown::Not("not even of runs as the paper has them".to_string()),
    }
}

/// With about how many seeds the interval would lie above zero, as it narrows with their
/// square root; `None` where the mean does not.
fn seeds_needed(comparison: &Comparison) -> Option<usize> {
    let mean = comparison.mean().filter(|mean| mean.mean > 0.0)?;
    let share = mean.half? / mean.mean;
    Some((mean.count as f64 * share * share).ceil() as usize)
}

#[cfg(test)]
#[path = "trial_tests.rs"]
mod tests;
