//! Every claim can fail: where it holds, a scheme that is wrong on purpose changes its
//! verdict; where it does not, it would hold of runs as the paper has them.

use std::collections::BTreeSet;
use std::error::Error;
use std::sync::atomic::AtomicBool;

use earlydrop_lab::claims::{Shown, Test, Trial, trials};
use earlydrop_lab::reproduce::{Pace, Reproduced, papers};
use earlydrop_lab::work;
use tempfile::TempDir;

/// All claims about an experiment, tried on its quick runs.
fn tried<'a>(paper: &'a Reproduced, experiment: &str) -> Vec<Trial<'a>> {
    let folder = TempDir::new().unwrap();
    let folder = folder.path().join("run");
    let run = |plan: &_, store: &_| {
        work::run(plan, store, 2, &AtomicBool::new(false), |_| {})?;
        Ok::<(), Box<dyn Error>>(())
    };
    let tried = trials(paper, experiment, Pace::Quick, &folder, run);
    tried.unwrap_or_else(|error| panic!("{experiment}: {error}"))
}

/// Claims too fine for ten seeds are at most so many: each is within a tolerance that is
/// narrower than what chance does to our runs.
const TOO_FINE: usize = 20;

#[test]
fn every_claim_can_be_otherwise() {
    let papers = papers().unwrap();
    let (mut wrong, mut too_fine) = (Vec::new(), Vec::new());
    for paper in &papers {
        let claims = paper.paper.claims.iter();
        let experiments: BTreeSet<&str> = claims.map(|claim| claim.experiment.as_str()).collect();
        for trial in experiments.iter().flat_map(|name| tried(paper, name)) {
            let said = format!("{}: {}", trial.claim.id, trial.in_words());
            println!("{said}");
            let test = &trial.claim.test;
            match trial.shown {
                Shown::Fails(_) | Shown::CouldHold(_) => {}
                Shown::TooFewSeeds(_) if is_within_a_tolerance(test) => too_fine.push(said),
                Shown::Not(_) if matches!(test, Test::Undecidable { .. }) => {}
                _ => wrong.push(said),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(too_fine.len() <= TOO_FINE, "{}", too_fine.join("\n"));
}

fn is_within_a_tolerance(test: &Test) -> bool {
    matches!(
        test,
        Test::Equal { .. } | Test::Value { .. } | Test::Between { .. }
    )
}
