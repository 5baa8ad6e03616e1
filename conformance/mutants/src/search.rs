//! A search for the cases at random that find what no vector finds.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;

use crate::{Outcome, PATIENCE};

/// The numbers from 0 on that are tried.
const CASES: u32 = 600;
/// So many cases of a scheme are chosen at most: vectors are to be small.
const MOST: usize = 8;

/// Prints the fewest cases that find the most of these mutants, and how many each finds that those
/// before it do not.
pub(crate) fn print_cases(judge: &Path, scheme: &str, mutants: &[u32]) -> Outcome<()> {
    let mut found: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for mutant in mutants {
        for case in cases_that_find(judge, *mutant, scheme)? {
            found.entry(case).or_default().insert(*mutant);
        }
    }
    let mut left: BTreeSet<u32> = mutants.iter().copied().collect();
    let mut chosen = Vec::new();
    while chosen.len() < MOST {
        let of = |mutants: &BTreeSet<u32>| mutants.intersection(&left).count();
        // Of those that find as many, the first.
        let best = found.iter().rev().max_by_key(|(_, mutants)| of(mutants));
        let Some((case, mutants)) = best.filter(|(_, mutants)| of(mutants) > 0) else {
            break;
        };
        println!("{scheme}: case {case} finds {} more", of(mutants));
        chosen.push(*case);
        left.retain(|mutant| !mutants.contains(mutant));
    }
    println!(
        "    (\"{scheme}\", &{chosen:?}), // {} of {} left",
        left.len(),
        mutants.len()
    );
    Ok(())
}

/// The cases that find a mutant, as far as it gets: one that never ends is stopped.
fn cases_that_find(judge: &Path, mutant: u32, scheme: &str) -> Outcome<Vec<u32>> {
    let mut running = Command::new(judge)
        .args([&mutant.to_string(), "search", scheme, &CASES.to_string()])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let (sender, lines) = mpsc::channel();
    let output = running.stdout.take().ok_or("no output")?;
    let reader = thread::spawn(move || {
        let lines = BufReader::new(output).lines().map_while(Result::ok);
        // An error: nobody waits any more.
        lines
            .map_while(|line| sender.send(line).ok())
            .for_each(drop);
    });
    let mut cases = Vec::new();
    while let Ok(line) = lines.recv_timeout(PATIENCE) {
        cases.push(line.parse()?);
    }
    running.kill()?;
    running.wait()?;
    drop(lines);
    reader.join().map_err(|_| "the reader ended")?;
    Ok(cases)
}
