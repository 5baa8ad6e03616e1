//! Runs every case of `bench/reference/ns2.csv` and prints the table of
//! `docs/validation.md`: ns-2's figures beside ours.
//!
//! `cargo run --release -p earlydrop-sim --example validation`, with a part of the cases'
//! names and a number of seeds if wanted: `-- 000.rem 60`. With `-- settings`, how many
//! figures are missed when one setting is another.

#[allow(dead_code)]
#[path = "../tests/ns2/mod.rs"]
mod ns2;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let part = arguments.first().map_or("", String::as_str);
    if part == "settings" {
        print!("{}", ns2::table_of_settings(&ns2::figures()));
        return;
    }
    let seeds = arguments.get(1).and_then(|text| text.parse().ok());
    let mut cases = ns2::cases();
    cases.retain(|case| case.name.contains(part));
    for case in &mut cases {
        case.seeds = seeds.unwrap_or(case.seeds);
    }
    print!("{}", ns2::markdown(&ns2::compare(&cases, &ns2::figures())));
}
