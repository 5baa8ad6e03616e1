//! Agreement with ns-2: every figure of `bench/reference/ns2.csv` within its tolerance,
//! but for those whose miss is explained.
//!
//! `cargo test -p earlydrop-sim --test ns2 -- --nocapture` shows the table;
//! `docs/validation.md` quotes it and tells what was found.

#[allow(dead_code)]
#[path = "ns2/mod.rs"]
mod ns2;

#[test]
fn figures_are_those_of_ns2() {
    let figures = ns2::figures();
    let comparisons = ns2::compare(&ns2::cases(), &figures);
    let table = ns2::plain(&comparisons);
    println!("{table}");
    assert_eq!(comparisons.len(), figures.len(), "figures without a run");
    let missed = |c: &&ns2::Comparison| !c.is_met() && ns2::explanation(&c.figure).is_none();
    let missed = comparisons.iter().filter(missed).count();
    assert_eq!(missed, 0, "figures outside their tolerance:\n{table}");
}
