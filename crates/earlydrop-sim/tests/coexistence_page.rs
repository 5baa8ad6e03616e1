//! The page on coexistence shows the stored runs.

use crate::coexistence::{page_path, stored, tables, with_tables};

#[test]
fn the_page_on_coexistence_has_the_tables_of_the_stored_runs() {
    let page = std::fs::read_to_string(page_path()).unwrap();
    assert!(
        with_tables(&page, &tables(&stored())) == page,
        "cargo run -p earlydrop-sim --example coexistence_page"
    );
    let words = page
        .split_whitespace()
        .filter(|word| word.contains(char::is_alphanumeric));
    let words = words.count();
    assert!(words <= 1200, "{words} words");
}

#[test]
fn a_cell_is_a_geometric_mean_with_the_interval_over_seeds() {
    let csv = "a,b,queue,rate_bps,rtt_s,seed,goodput_a,goodput_b,drift_a,drift_b\n\
        reno,cubic,red,1000000,0.01,1,100,100,0,0\n\
        reno,cubic,red,1000000,0.01,2,400,100,0,0.9\n";
    // sqrt(1 * 4) = 2; ln 4 / 2 is the standard error of the two, and t is 12.706 with one degree of
    // freedom.
    let half = 2.0 * ((12.706 * 2.0_f64.ln()).exp() - 1.0);
    let row = format!("| Reno : CUBIC | red | 2.00±{half:.2}↕ |");
    let text = tables(csv);
    assert!(text.contains(&row), "{text}");
    assert!(text.contains("| Reno : CUBIC | 2.00–2.00 |"), "{text}");
}
