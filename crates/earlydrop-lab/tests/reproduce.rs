//! A paper run again, quickly: its claims get verdicts, and another verdict when the
//! scheme they are about is not the one that was run.

use std::sync::atomic::AtomicBool;

use earlydrop_lab::claims::{Claim, Measured, Test, Verdict, judge};
use earlydrop_lab::reproduce::{Pace, Reproduced, papers};
use earlydrop_lab::store::Store;
use earlydrop_lab::work;
use tempfile::TempDir;

/// What is measured for a claim, in a folder that is gone afterwards.
fn measured(paper: &Reproduced, claim: &Claim) -> Measured {
    let folder = TempDir::new().unwrap();
    let source = paper
        .source(&claim.experiment, Pace::Quick)
        .unwrap()
        .unwrap();
    let plan = source.plan().unwrap();
    let store = Store::create(&folder.path().join("run"), &source, &plan).unwrap();
    work::run(&plan, &store, 2, &AtomicBool::new(false), |_| {}).unwrap();
    Measured::of(&plan, &store, &claim.metric).unwrap()
}

#[test]
fn a_claim_fails_when_another_scheme_runs_under_its_name() {
    let papers = papers().unwrap();
    let paper = papers
        .iter()
        .find(|paper| paper.is_called("clred"))
        .unwrap();
    for id in ["001.F5.a", "001.F6.a"] {
        let claim = paper.claims(id).next().unwrap();
        let measured = measured(paper, claim);
        assert_eq!(judge(claim, &measured).verdict, Verdict::Holds, "{id}");
        let Test::Ordering { scheme, than, .. } = &claim.test else {
            panic!("{id} is about two schemes");
        };
        let index = |name: &str| measured.scheme(name).unwrap();
        let (own, other) = (index(scheme), index(&than[0]));
        let swapped = measured.clone().with_swapped(own, other);
        assert_eq!(judge(claim, &swapped).verdict, Verdict::DoesNotHold, "{id}");
    }
}

#[test]
fn a_quick_run_keeps_what_claims_name() {
    for paper in papers().unwrap() {
        for claim in &paper.paper.claims {
            let Some(source) = paper.source(&claim.experiment, Pace::Quick) else {
                assert!(
                    matches!(claim.test, Test::Undecidable { .. }),
                    "{}",
                    claim.id
                );
                continue;
            };
            let plan = source.unwrap().plan().unwrap();
            for value in claim.test.named_values() {
                let number = value.parse::<f64>().ok();
                let same = |text: &String| *text == value || text.parse().ok() == number;
                let mut axes = plan.axes.iter();
                assert!(
                    axes.any(|axis| axis.texts().iter().any(same)),
                    "{}: {value}",
                    claim.id
                );
            }
        }
    }
}
