//! Agreement with ns-3: every figure of `bench/reference/ns3-3.48.csv` and `ns3-mended.csv` is
//! within its tolerance, except those whose deviation is explained.
//!
//! `cargo test -p earlydrop-sim --test it ns3 -- --nocapture` prints the tables;
//! `docs/explanation/validation.md` quotes and discusses them.

use crate::ns2_figures::assert_on_the_page;
use crate::ns3;
use crate::ns3::Version;
use crate::reference;
use crate::reference::ReferenceSimulator;

fn compare(simulator: &ReferenceSimulator, version: Version, on_page: &str) {
    let figures = ns3::figures(version);
    let comparisons = reference::compare(&ns3::cases(version), &figures);
    let table = reference::text_table(simulator, &comparisons);
    println!("{table}");
    assert_eq!(comparisons.len(), figures.len(), "figures without a run");
    let missed = reference::unexplained(simulator, &comparisons);
    assert_eq!(missed, 0, "figures outside their tolerance:\n{table}");
    assert_on_the_page(on_page, &comparisons);
}

#[test]
fn figures_are_those_of_ns3() {
    compare(&ns3::NS3, Version::AsItIs, "ns-3 3.48, as released");
}

#[test]
fn figures_are_those_of_a_mended_ns3() {
    let reference = "ns-3 3.48, with those details patched";
    compare(&ns3::MENDED, Version::Mended, reference);
}
