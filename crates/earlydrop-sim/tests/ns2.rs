//! Agreement with ns-2: every figure of `bench/reference/ns2.csv` within its tolerance.
//!
//! `cargo test -p earlydrop-sim --test ns2 -- --nocapture` shows the table;
//! `docs/validation.md` quotes it and tells what was found.

#[path = "ns2/mod.rs"]
mod ns2;

#[test]
fn figures_are_those_of_ns2() {
    let figures = ns2::figures();
    let comparisons = ns2::compare(&ns2::cases(), &figures);
    println!("{}", ns2::plain(&comparisons, |_| None));
    let missing = figures.len() - comparisons.len();
    assert_eq!(missing, 0, "figures without a run");
    let missed = comparisons.iter().filter(|c| !c.is_met()).count();
    assert_eq!(missed, 0, "figures outside their tolerance");
}
