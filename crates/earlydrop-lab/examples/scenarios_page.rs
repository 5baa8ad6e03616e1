//! Prints the page about scenario files:
//! `cargo run -p earlydrop-lab --example scenarios_page > docs/reference/scenarios.md`.

fn main() {
    print!("{}", earlydrop_lab::scenario::page());
}
