//! What a quick run of a paper keeps.

use earlydrop_papers::catalogue::{Catalogue, Pace};
use earlydrop_papers::claims::Test;

#[test]
fn a_quick_run_keeps_what_claims_name() {
    for paper in Catalogue::read().unwrap().papers {
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
