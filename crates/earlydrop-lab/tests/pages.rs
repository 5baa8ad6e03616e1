//! The committed page about results is the one that the program makes.

#[test]
fn the_page_of_results_is_current() {
    let committed = include_str!("../../../docs/reference/results.md");
    let hint = "cargo run -p earlydrop-lab --example results_page > docs/reference/results.md";
    assert_eq!(committed, earlydrop_lab::store::page(), "{hint}");
}
