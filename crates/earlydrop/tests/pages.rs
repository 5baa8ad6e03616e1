//! Committed pages are up to date with the commands that generate them.

use std::fs;
use std::path::Path;

fn read(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn the_page_of_schemes_is_current() {
    assert!(
        read("docs/reference/schemes.md") == earlydrop::manual::page(),
        "run: cargo run --example schemes_page > docs/reference/schemes.md"
    );
}

#[test]
fn the_page_on_schemes_shows_the_curve_that_is_compiled_in_under_thirty_lines() {
    let example = read("crates/earlydrop/examples/adding_a_curve.rs");
    assert!(example.lines().count() < 30);
    assert!(read("docs/how-to/adding-a-scheme.md").contains(example.trim()));
}

#[test]
fn the_byte_buffer_example_drives_a_queue_in_twenty_five_lines() {
    let example = read("crates/earlydrop/examples/byte_buffers.rs");
    assert!(example.lines().count() <= 25);
}
