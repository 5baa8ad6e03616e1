//! Agreement with ns-3: every figure of `bench/reference/ns3-3.48.csv` and
//! `ns3-mended.csv` within its tolerance, but for those whose miss is explained.
//!
//! `cargo test -p earlydrop-sim --test ns3 -- --nocapture` shows the tables;
//! `docs/explanation/validation.md` quotes them and tells what was found.

#[allow(dead_code)]
#[path = "ns3/mod.rs"]
mod ns3;
#[allow(dead_code, unused_imports)]
#[path = "witness/mod.rs"]
mod witness;

use ns3::Version;
use witness::Witness;

fn compare(witness: &Witness, version: Version) {
    let figures = ns3::figures(version);
    let comparisons = witness::compare(&ns3::cases(version), &figures);
    let table = witness::plain(witness, &comparisons);
    println!("{table}");
    assert_eq!(comparisons.len(), figures.len(), "figures without a run");
    let missed = witness::unexplained(witness, &comparisons);
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
