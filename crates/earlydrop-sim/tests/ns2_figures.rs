//! Agreement with ns-2: every figure of `bench/reference/ns2.csv` is within its tolerance, except
//! those whose deviation is explained.
//!
//! `cargo test -p earlydrop-sim --test it ns2 -- --nocapture` prints the table;
//! `docs/explanation/validation.md` quotes and discusses it.

use crate::ns2;
use crate::reference;

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
