//! The choice of cases at random that find what no vector made by hand finds.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::Outcome;
use crate::judge::Finders;

/// Prints the cases that find most mutants for their size, for `CHOSEN` of the catalogue.
pub(crate) fn print_cases(scheme: &str, cases: &Path, finders: &Finders) -> Outcome<()> {
    let sizes = sizes(&fs::read_to_string(cases)?);
    let mut found: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    for (mutant, cases) in finders {
        for case in cases {
            found.entry(case).or_default().insert(*mutant);
        }
    }
    let mut left: BTreeSet<u32> = finders.keys().copied().collect();
    let (all, mut chosen, mut bytes) = (left.len(), Vec::new(), 0);
    loop {
        let gain = |mutants: &BTreeSet<u32>| mutants.intersection(&left).count();
        let worth = |case: &str| gain(&found[case]) as f64 / sizes[case] as f64;
        let open = found.keys().copied().filter(|case| gain(&found[*case]) > 0);
        // A queue that has a scheme without its switches is to be judged as well as it can be.
        let plain_first = |a: &&str, b: &&str| {
            let plain = is_plain(a).cmp(&is_plain(b));
            plain.then(worth(a).total_cmp(&worth(b)))
        };
        let Some(best) = open.max_by(plain_first) else {
            break;
        };
        let number = number(best);
        println!("{scheme}: case {number} finds {} more", gain(&found[best]));
        chosen.push(number.to_string());
        bytes += sizes[best];
        left.retain(|mutant| !found[best].contains(mutant));
    }
    let chosen = chosen.join(", ");
    println!("    (\"{scheme}\", &[{chosen}]), // {bytes} bytes; {all} found");
    Ok(())
}

/// The number of a case, as its name has it: "red/search-17".
fn number(case: &str) -> &str {
    case.rsplit_once('-').map_or(case, |(_, number)| number)
}

/// Whether a case has its settings' own switches and choices: those of even numbers.
fn is_plain(case: &str) -> bool {
    number(case).ends_with(['0', '2', '4', '6', '8'])
}

/// The bytes of each vector of a file.
fn sizes(text: &str) -> BTreeMap<String, usize> {
    let mut sizes = BTreeMap::new();
    let mut name = String::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("{\"vector\":\"") {
            name = rest.split('"').next().unwrap_or_default().to_string();
        }
        *sizes.entry(name.clone()).or_default() += line.len() + 1;
    }
    sizes
}
