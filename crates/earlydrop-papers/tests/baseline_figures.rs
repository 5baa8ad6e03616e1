//! The baselines in the papers' scenario files agree with ns-2: every figure of
//! `bench/reference/ns2.csv` is within its tolerance, or its miss is explained.
//!
//! Seeds are fixed: those of the files, more for Ku et al. With other seeds fewer than one run
//! of this test in twenty would miss a figure by chance, which the test checks.

use crate::baselines;
use crate::ns2;
use crate::reference;

#[test]
fn the_papers_baselines_agree_with_ns2() {
    let figures = ns2::figures();
    let comparisons = baselines::compare(&figures);
    let table = reference::text_table(&ns2::NS2, &comparisons);
    println!("{table}");
    assert_eq!(comparisons.len(), figures.len(), "figures without a run");
    let missed = reference::unexplained(&ns2::NS2, &comparisons);
    assert_eq!(missed, 0, "figures outside their tolerance:\n{table}");
    let by_chance = baselines::false_alarms(&ns2::NS2, &comparisons);
    assert!(by_chance < 0.05, "{by_chance}: more seeds are needed");
}
