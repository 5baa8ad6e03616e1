//! Agreement with ns-2: every figure of `bench/reference/ns2.csv` is within its tolerance, except
//! those whose deviation is explained.
//!
//! `cargo test -p earlydrop-sim --test ns2 -- --nocapture` prints the table;
//! `docs/explanation/validation.md` quotes and discusses it.

#[allow(dead_code)]
#[path = "ns2/mod.rs"]
mod ns2;
#[allow(dead_code, unused_imports)]
#[path = "reference/mod.rs"]
mod reference;

#[test]
fn figures_are_those_of_ns2() {
    let figures = ns2::figures();
    let comparisons = reference::compare(&ns2::cases(), &figures);
    let table = reference::text_table(&ns2::NS2, &comparisons);
    println!("{table}");
    assert_eq!(comparisons.len(), figures.len(), "figures without a run");
    let missed = reference::unexplained(&ns2::NS2, &comparisons);
    assert_eq!(missed, 0, "figures outside their tolerance:\n{table}");
}
