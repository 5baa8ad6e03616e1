//! Every claim can fail: where it holds, a scheme that is wrong on purpose changes its
//! verdict; where it does not, it would hold of runs as the paper has them.

use std::collections::BTreeSet;
use std::error::Error;
use std::sync::atomic::AtomicBool;

use earlydrop_lab::run::Progress;
use earlydrop_lab::store;
use earlydrop_papers::catalogue::{Catalogue, Pace, PaperEntry};
use earlydrop_papers::claims::Test;
use earlydrop_papers::falsification::{StoredRuns, Trial, TrialOutcome, trials};
use tempfile::TempDir;

/// Trials of all claims about an experiment, on its quick runs.
fn trials_of<'a>(paper: &'a PaperEntry, experiment: &str) -> Vec<Trial<'a>> {
    let folder = TempDir::new().unwrap();
    let folder = folder.path().join("run");
    let run = |(plan, store): StoredRuns<'_>, cells: Vec<_>| {
        let none = Progress::of(cells.len());
        let stop = AtomicBool::new(false);
        store::run_cells(plan, store, (cells, none), 2, &stop, |_| {})?;
        Ok::<(), Box<dyn Error>>(())
    };
    let trials = trials(paper, experiment, Pace::Quick, None, &folder, run);
    trials.unwrap_or_else(|error| panic!("{experiment}: {error}"))
}

/// The other papers' claims are tried by the command, in the Python package's tests, which have run
/// their experiments.
#[test]
fn every_claim_about_clred_can_be_otherwise() {
    let catalogue = Catalogue::read().unwrap();
    let paper = catalogue.paper("clred").unwrap();
    let claims = paper.paper.claims.iter();
    let experiments: BTreeSet<&str> = claims.map(|claim| claim.experiment.as_str()).collect();
    let mut wrong = Vec::new();
    for trial in experiments.iter().flat_map(|name| trials_of(paper, name)) {
        match trial.outcome {
            TrialOutcome::FailsWithWrong(_) | TrialOutcome::CouldHold(_) => {}
            TrialOutcome::NotShown(_) if matches!(trial.claim.test, Test::Undecidable { .. }) => {}
            _ => wrong.push(format!("{}: {}", trial.claim.id, trial.summary())),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
