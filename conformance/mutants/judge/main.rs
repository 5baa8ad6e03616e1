//! `judge FILE MUTANT...` prints each mutant's number, and `MUTANT VECTOR` for each vector of the
//! file that finds it: by another answer, by a panic, or because it does not end, which ends the judge.
//!
//! `judge reached FILE` prints the numbers of the mutants that the file's vectors run.
//!
//! `judge record SCHEME FROM TO` prints the catalogue's cases of these numbers as vectors.
use std::ops::Range;
use std::panic::{catch_unwind, set_hook};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use earlydrop::mutation;
use earlydrop_conformance::vector::{Vector, read, write};
use earlydrop_conformance::{catalogue, judge::judge, own::OwnQueue, record::record};

/// A vector takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(10);

/// What is judged, and since when.
static NOW: Mutex<Option<(String, Instant)>> = Mutex::new(None);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments[0].as_str() {
        "reached" => print_reached(&vectors(&arguments[1])),
        "record" => {
            let number = |at: usize| arguments[at].parse().unwrap();
            print_cases(&arguments[1], number(2)..number(3));
        }
        file => print_finders(&vectors(file), &arguments[1..]),
    }
}

fn vectors(file: &str) -> Vec<Vector> {
    read(&std::fs::read_to_string(file).unwrap()).unwrap()
}

fn passes(vector: &Vector) -> bool {
    OwnQueue::of(&vector.header).is_ok_and(|mut queue| judge(vector, &mut queue).is_ok())
}

fn print_reached(vectors: &[Vector]) {
    mutation::choose(0);
    for vector in vectors {
        assert!(passes(vector), "{} without a mutant", vector.header.vector);
    }
    mutation::reached(&mut |number| println!("{number}"));
}

/// Cases in which nothing happens to a packet are left out: they would make dull vectors.
fn print_cases(scheme: &str, cases: Range<u32>) {
    let recorded = cases.map(|number| {
        catalogue::case(scheme, number)
            .and_then(record)
            .unwrap_or_else(|error| panic!("{scheme}, case {number}: {error}"))
    });
    let vectors: Vec<Vector> = recorded.filter(Vector::drops_or_marks).collect();
    print!("{}", write(&vectors));
}

fn print_finders(vectors: &[Vector], mutants: &[String]) {
    set_hook(Box::new(|_| {}));
    thread::spawn(watch);
    for mutant in mutants {
        println!("{mutant}");
        mutation::choose(mutant.parse().unwrap());
        for vector in vectors {
            let found = format!("{mutant} {}", vector.header.vector);
            *NOW.lock().unwrap() = Some((found.clone(), Instant::now()));
            if !catch_unwind(|| passes(vector)).unwrap_or(false) {
                println!("{found}");
            }
            *NOW.lock().unwrap() = None;
        }
    }
}

/// Ends the judge at a vector that does not end.
fn watch() {
    loop {
        thread::sleep(Duration::from_millis(100));
        if let Some((found, start)) = &*NOW.lock().unwrap()
            && start.elapsed() > PATIENCE
        {
            println!("{found}");
            std::process::exit(1);
        }
    }
}
