//! Agreement with ns-2: every figure of `bench/reference/ns2.csv` is within its tolerance, except
//! those whose deviation is explained.
//!
//! `cargo test -p earlydrop-sim --test it ns2 -- --nocapture` prints the table;
//! `docs/explanation/validation.md` quotes and discusses it.

use crate::ns2;
use crate::reference::{self, Comparison};

/// Checks the row of the page that says how many figures of a reference there are and are met.
pub(crate) fn assert_on_the_page(reference: &str, comparisons: &[Comparison]) {
    let page = include_str!("../../../docs/explanation/validation.md");
    let met = comparisons.iter().filter(|one| one.is_met()).count();
    let row = format!("| {reference} | {} | {met} |", comparisons.len());
    assert!(page.contains(&row), "docs/explanation/validation.md: {row}");
}

/// Rows of the page, by their beginnings, and how the names of their cases begin.
const ROWS: [(&str, &str); 7] = [
    ("gentle RED, 5 to 120 flows", "sfred-nlred.gred"),
    ("REM, 20 and 60 flows", "sfred-nlred.rem"),
    ("web traffic with FTP over RED", "sfred-nlred.web"),
    ("RED, 10 and 50 flows", "clred"),
    ("RED with unresponsive flows", "restraint"),
    ("RED with old timers, table 2", "red-config"),
    ("RED and adaptive RED with web sessions", "rared"),
];

/// Checks what the page says of a row's cases: how many are met, and the furthest difference.
fn assert_row(row: &str, comparisons: &[&Comparison]) {
    let page = include_str!("../../../docs/explanation/validation.md");
    let line = page
        .lines()
        .find(|line| line.starts_with(&format!("| {row}")));
    let line = line.unwrap_or_else(|| panic!("no row {row}"));
    let apart = |one: &Comparison| (one.ours / one.figure.value - 1.0).abs();
    let furthest = comparisons
        .iter()
        .max_by(|a, b| apart(a).total_cmp(&apart(b)));
    let met = comparisons.iter().filter(|one| one.is_met()).count();
    for said in [
        format!("| {} | {met} |", comparisons.len()),
        format!(" {} |", furthest.unwrap().off_by(1)),
    ] {
        assert!(
            line.contains(&said),
            "docs/explanation/validation.md: {said} in {line}"
        );
    }
}

#[test]
fn figures_are_those_of_ns2() {
    let figures = ns2::figures();
    let comparisons = reference::compare(&ns2::cases(), &figures);
    let table = reference::text_table(&ns2::NS2, &comparisons);
    println!("{table}");
    assert_eq!(comparisons.len(), figures.len(), "figures without a run");
    let missed = reference::unexplained(&ns2::NS2, &comparisons);
    assert_eq!(missed, 0, "figures outside their tolerance:\n{table}");
    assert_on_the_page("ns-2 2.35, papers' baseline settings", &comparisons);
    for (row, case) in ROWS {
        let of_row = comparisons.iter();
        let of_row: Vec<&Comparison> = of_row
            .filter(|one| one.figure.case.starts_with(case))
            .collect();
        assert_row(row, &of_row);
    }
}
