//! Prints the tables of `docs/explanation/validation.md`: reference figures of other simulators and ours, side
//! by side.
//!
//! ```text
//! cargo run --release -p earlydrop-sim --example validation -- ARGUMENTS
//!
//! ns2|ns3|ns3-mended [PART OF A CASE'S NAME [SEEDS]]    a line for each figure
//! ns3|ns3-mended by-case                                a line for each case
//! ns2|ns3 settings                                      figures missed when one setting is changed
//! ```

#[allow(dead_code)]
#[path = "../tests/ns2/mod.rs"]
mod ns2;
#[allow(dead_code)]
#[path = "../tests/ns3/mod.rs"]
mod ns3;
#[allow(dead_code, unused_imports)]
#[path = "../tests/reference/mod.rs"]
mod reference;

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
    let comparisons = reference::compare(&ns3::cases(version), &ns3::figures(version));
    print!("{}", reference::by_case(&comparisons, &METRICS));
}

fn ns3_table(simulator: &reference::ReferenceSimulator, version: ns3::Version, arguments: &[&str]) {
    let cases = ns3::cases(version);
    table(simulator, cases, &ns3::figures(version), arguments);
}

/// Prints a table of the cases whose names contain the part asked for.
fn table(
    simulator: &reference::ReferenceSimulator,
    mut cases: Vec<reference::Case>,
    figures: &[reference::Figure],
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
        reference::markdown_table(simulator, &reference::compare(&cases, figures))
    );
}
