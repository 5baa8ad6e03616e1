//! Runs every case of the reference tables and prints the tables of
//! `docs/explanation/validation.md`: another simulator's figures beside ours.
//!
//! `cargo run --release -p earlydrop-sim --example validation -- ns2`, or `ns3`, or
//! `ns3-mended`, with a part of the cases' names and a number of seeds if wanted: `-- ns2
//! 000.rem 60`. With `-- ns2 settings` or `-- ns3 settings`, how many figures are missed
//! when one setting is another; with `-- ns3 by-case`, a line for each case.

#[allow(dead_code)]
#[path = "../tests/ns2/mod.rs"]
mod ns2;
#[allow(dead_code)]
#[path = "../tests/ns3/mod.rs"]
mod ns3;
#[allow(dead_code, unused_imports)]
#[path = "../tests/witness/mod.rs"]
mod witness;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["ns2", "settings"] => print!("{}", ns2::table_of_settings()),
        ["ns3", "by-case"] => by_case(ns3::Version::AsItIs),
        ["ns3-mended", "by-case"] => by_case(ns3::Version::Mended),
        ["ns3", "settings"] => print!("{}", ns3::table_of_settings()),
        ["ns2", rest @ ..] => table(&ns2::NS2, ns2::cases(), &ns2::figures(), rest),
        ["ns3", rest @ ..] => ns3_table(&ns3::NS3, ns3::Version::AsItIs, rest),
        ["ns3-mended", rest @ ..] => ns3_table(&ns3::MENDED, ns3::Version::Mended, rest),
        _ => {
            eprintln!("validation ns2|ns3|ns3-mended [PART OF A NAME [SEEDS]]");
            std::process::exit(2);
        }
    }
}

/// Prints a line for each case of ns-3.
fn by_case(version: ns3::Version) {
    const METRICS: [&str; 7] = [
        "util",
        "meanq",
        "sojourn",
        "sojourn_p99",
        "loss_pct",
        "mark_pct",
        "jain",
    ];
    let found = witness::compare(&ns3::cases(version), &ns3::figures(version));
    print!("{}", witness::by_case(&found, &METRICS));
}

fn ns3_table(witness: &witness::Witness, version: ns3::Version, arguments: &[&str]) {
    let cases = ns3::cases(version);
    table(witness, cases, &ns3::figures(version), arguments);
}

/// Prints one table, of the cases whose names have the part asked for.
fn table(
    witness: &witness::Witness,
    mut cases: Vec<witness::Case>,
    figures: &[witness::Figure],
    arguments: &[&str],
) {
    let part = arguments.first().copied().unwrap_or_default();
    let seeds = arguments.get(1).and_then(|text| text.parse().ok());
    cases.retain(|case| case.name.contains(part));
    for case in &mut cases {
        case.seeds = seeds.unwrap_or(case.seeds);
    }
    print!(
        "{}",
        witness::markdown(witness, &witness::compare(&cases, figures))
    );
}
