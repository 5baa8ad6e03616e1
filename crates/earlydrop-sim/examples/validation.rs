//! Runs every case of the reference tables and prints the tables of
//! `docs/validation.md`: another simulator's figures beside ours.
//!
//! `cargo run --release -p earlydrop-sim --example validation -- ns2`, or `ns3`, with a
//! part of the cases' names and a number of seeds if wanted: `-- ns2 000.rem 60`. With
//! `-- ns2 settings`, how many figures are missed when one setting is another.

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
        ["ns2", "settings"] => print!("{}", ns2::table_of_settings(&ns2::figures())),
        ["ns2", rest @ ..] => table(&ns2::NS2, ns2::cases(), &ns2::figures(), rest),
        ["ns3", rest @ ..] => table(
            &ns3::NS3,
            ns3::cases(ns3::Version::AsItIs),
            &ns3::figures(),
            rest,
        ),
        _ => {
            eprintln!("validation ns2|ns3 [PART OF A NAME [SEEDS]]");
            std::process::exit(2);
        }
    }
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
