//! Prints the page about senders:
//! `cargo run -p earlydrop-sim --features manual --example senders_page > docs/reference/senders.md`.

fn main() {
    print!("{}", earlydrop_sim::tcp::manual::page());
}
