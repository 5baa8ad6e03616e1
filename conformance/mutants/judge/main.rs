//! `judge MUTANT FILE...`: 0 where vectors find no difference, 1 where they do; with MUTANT 0 the
//! numbers of the mutants that the vectors reach.
use earlydrop_conformance::{judge::judge, own::OwnQueue, vector::read};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mutant: u32 = arguments.next().unwrap().parse().unwrap();
    earlydrop::mutation::choose(mutant);
    let mut found = false;
    for file in arguments {
        for vector in read(&std::fs::read_to_string(file).unwrap()).unwrap() {
            let same = OwnQueue::of(&vector.header)
                .is_ok_and(|mut queue| judge(&vector, &mut queue).is_ok());
            found |= !same;
            if found && mutant > 0 {
                std::process::exit(1);
            }
        }
    }
    assert!(!found, "the vectors find a difference without a mutant");
    if mutant == 0 {
        earlydrop::mutation::reached(&mut |number| println!("{number}"));
    }
}
