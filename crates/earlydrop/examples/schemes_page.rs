//! Prints the page about every scheme: `cargo run --example schemes_page > docs/reference/schemes.md`.

fn main() {
    print!("{}", earlydrop::manual::page());
}
