//! Prints the page about the tables of a run's database:
//! `cargo run -p earlydrop-lab --example results_page > docs/reference/results.md`.

fn main() {
    print!("{}", earlydrop_lab::store::page());
}
