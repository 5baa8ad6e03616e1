//! Agreement with ns-2: every figure of `bench/reference/ns2.csv` within its tolerance,
//! but for those whose miss is explained.
//!
//! `cargo test -p earlydrop-sim --test ns2 -- --nocapture` shows the table;
//! `docs/explanation/validation.md` quotes it and tells what was found.

#[allow(dead_code)]
#[path = "ns2/mod.rs"]
mod ns2;
#[allow(dead_code, unused_imports)]
#[path = "witness/mod.rs"]
mod witness;

#[test]
fn figures_are_those_of_ns2() {
    let figures = ns2::figures();
    let comparisons = witness::compare(&ns2::cases(), &figures);
    let table = witness::plain(&ns2::NS2, &comparisons);
    println!("{table}");
    assert_eq!(comparisons.len(), figures.len(), "figures without a run");
    let missed = witness::unexplained(&ns2::NS2, &comparisons);
    assert_eq!(missed, 0, "figures outside their tolerance:\n{table}");
}
