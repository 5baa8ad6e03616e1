//! Agreement with ns-3: every figure of `bench/reference/ns3-3.48.csv` within its
//! tolerance, but for those whose miss is explained.
//!
//! `cargo test -p earlydrop-sim --test ns3 -- --nocapture` shows the table;
//! `docs/validation.md` quotes it and tells what was found.

#[allow(dead_code)]
#[path = "ns3/mod.rs"]
mod ns3;
#[allow(dead_code, unused_imports)]
#[path = "witness/mod.rs"]
mod witness;

#[test]
fn figures_are_those_of_ns3() {
    let comparisons = witness::compare(&ns3::cases(ns3::Version::AsItIs), &ns3::figures());
    let table = witness::plain(&ns3::NS3, &comparisons);
    println!("{table}");
    let missed = witness::unexplained(&ns3::NS3, &comparisons);
    assert_eq!(missed, 0, "figures outside their tolerance:\n{table}");
}
