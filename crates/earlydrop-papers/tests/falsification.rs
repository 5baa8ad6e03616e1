//! Every claim can fail: where it holds, a scheme that is wrong on purpose changes its
//! verdict; where it does not, it would hold of runs as the paper has them.

use std::collections::BTreeSet;
use std::error::Error;
use std::sync::atomic::AtomicBool;

use earlydrop_lab::store;
use earlydrop_papers::catalogue::{Catalogue, Pace, PaperEntry};
use earlydrop_papers::claims::Test;
use earlydrop_papers::falsification::{Trial, TrialOutcome, trials};
use tempfile::TempDir;

/// Trials of all claims about an experiment, on its quick runs.
fn trials_of<'a>(paper: &'a PaperEntry, experiment: &str) -> Vec<Trial<'a>> {
    let folder = TempDir::new().unwrap();
    let folder = folder.path().join("run");
    let run = |plan: &_, store: &_| {
        store::run(plan, store, 2, &AtomicBool::new(false), |_| {})?;
        Ok::<(), Box<dyn Error>>(())
    };
    let trials = trials(paper, experiment, Pace::Quick, &folder, run);
    trials.unwrap_or_else(|error| panic!("{experiment}: {error}"))
}

/// Tries every claim of a paper. At most so many may be too fine for ten seeds: each is within
/// a tolerance that is narrower than what chance does to our runs.
fn every_claim_can_be_otherwise(paper: &str, most_too_fine: usize) {
    let catalogue = Catalogue::read().unwrap();
    let paper = catalogue.paper(paper).unwrap();
    let claims = paper.paper.claims.iter();
    let experiments: BTreeSet<&str> = claims.map(|claim| claim.experiment.as_str()).collect();
    let (mut wrong, mut too_fine) = (Vec::new(), Vec::new());
    for trial in experiments.iter().flat_map(|name| trials_of(paper, name)) {
        let line = format!("{}: {}", trial.claim.id, trial.summary());
        println!("{line}");
        let test = &trial.claim.test;
        match trial.outcome {
            TrialOutcome::FailsWithWrong(_) | TrialOutcome::CouldHold(_) => {}
            TrialOutcome::TooFewSeeds(_) if is_within_a_tolerance(test) => too_fine.push(line),
            TrialOutcome::NotShown(_) if matches!(test, Test::Undecidable { .. }) => {}
            _ => wrong.push(line),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(too_fine.len() <= most_too_fine, "{}", too_fine.join("\n"));
}

#[test]
fn claims_about_sfred_and_nlred() {
    every_claim_can_be_otherwise("sfred-nlred", 0);
}

#[test]
fn claims_about_clred() {
    every_claim_can_be_otherwise("clred", 0);
}

#[test]
fn claims_about_restraint() {
    every_claim_can_be_otherwise("restraint", 1);
}

#[test]
fn claims_about_configuration() {
    every_claim_can_be_otherwise("red-config", 5);
}

#[test]
fn claims_about_rared() {
    every_claim_can_be_otherwise("rared", 10);
}

fn is_within_a_tolerance(test: &Test) -> bool {
    matches!(
        test,
        Test::Equal { .. } | Test::Value { .. } | Test::Between { .. }
    )
}
