//! `judge MUTANT FILE...`: 0 where vectors find no difference, 1 where they do; with MUTANT 0 the
//! numbers of the mutants that the vectors reach.
//!
//! `judge MUTANT search SCHEME CASES`: prints the numbers of the cases that find the mutant.
use std::io::Write as _;
use std::panic::catch_unwind;

use earlydrop::mutation;
use earlydrop_conformance::vector::{Fate, Vector, read};
use earlydrop_conformance::{catalogue, judge::judge, own::OwnQueue, record::record};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mutant: u32 = arguments[0].parse().unwrap();
    if arguments.get(1).is_some_and(|word| word == "search") {
        return search(mutant, &arguments[2], arguments[3].parse().unwrap());
    }
    mutation::choose(mutant);
    let mut found = false;
    for file in &arguments[1..] {
        for vector in read(&std::fs::read_to_string(file).unwrap()).unwrap() {
            found |= !passes(&vector);
            if found && mutant > 0 {
                std::process::exit(1);
            }
        }
    }
    assert!(!found, "the vectors find a difference without a mutant");
    if mutant == 0 {
        mutation::reached(&mut |number| println!("{number}"));
    }
}

fn passes(vector: &Vector) -> bool {
    OwnQueue::of(&vector.header).is_ok_and(|mut queue| judge(vector, &mut queue).is_ok())
}

fn search(mutant: u32, scheme: &str, cases: u32) {
    for number in 0..cases {
        mutation::choose(0);
        let draft = catalogue::case(scheme, number);
        let vector = record(draft).unwrap_or_else(|error| panic!("{scheme}, case {number}: {error}"));
        let happens = vector.steps.iter().any(|step| {
            step.fate.is_some_and(|fate| fate != Fate::Queued) || !step.lost.is_empty()
        });
        mutation::choose(mutant);
        if happens && !catch_unwind(|| passes(&vector)).unwrap_or(false) {
            println!("{number}");
            std::io::stdout().flush().unwrap();
        }
    }
}
