//! Agreement with ns-3: every figure of `bench/reference/ns3-3.48.csv` and `ns3-mended.csv` is
//! within its tolerance, except those whose deviation is explained.
//!
//! `cargo test -p earlydrop-sim --test ns3 -- --nocapture` prints the tables;
//! `docs/explanation/validation.md` quotes and discusses them.

#[allow(dead_code)]
#[path = "ns3/mod.rs"]
mod ns3;
#[allow(dead_code, unused_imports)]
#[path = "reference/mod.rs"]
mod reference;

use ns3::Version;
use reference::ReferenceSimulator;

fn compare(simulator: &ReferenceSimulator, version: Version) {
    let figures = ns3::figures(version);
    let comparisons = reference::compare(&ns3::cases(version), &figures);
    let table = reference::text_table(simulator, &comparisons);
    println!("{table}");
    assert_eq!(comparisons.len(), figures.len(), "figures without a run");
    let missed = reference::unexplained(simulator, &comparisons);
    assert_eq!(missed, 0, "figures outside their tolerance:\n{table}");
}

#[test]
fn figures_are_those_of_ns3() {
    compare(&ns3::NS3, Version::AsItIs);
}

#[test]
fn figures_are_those_of_a_mended_ns3() {
    compare(&ns3::MENDED, Version::Mended);
}
