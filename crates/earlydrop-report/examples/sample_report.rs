//! Writes a report of made-up numbers, to see what the page looks like:
//!
//! ```text
//! cargo run -p earlydrop-lab --example sample_report -- /tmp/report.html [word ...]
//! ```
//!
//! Words: `sweep` (two axes), `one` (one scheme), `all` (29 schemes), `bare` (nothing over
//! time), `single` (one seed), `missing` (runs that are not done), `empty` (nothing done).

#[path = "../tests/support/mod.rs"]
mod support;

use std::process::ExitCode;

use earlydrop_report::run_report::render;
use support::{Sample, sample};

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let Some(path) = words.next() else {
        eprintln!("usage: sample_report FILE [sweep|one|all|bare|single|missing|empty ...]");
        return ExitCode::FAILURE;
    };
    let mut wish = Sample::default();
    for word in words {
        match word.as_str() {
            "sweep" => wish.sweep = true,
            "one" => wish.schemes = 1,
            "all" => wish.schemes = 29,
            "bare" => wish.samples = 0,
            "single" => wish.seeds = 1,
            "missing" => wish.missing = 7,
            "empty" => wish.missing = usize::MAX,
            other => {
                eprintln!("unknown word: {other}");
                return ExitCode::FAILURE;
            }
        }
    }
    let mut data = sample(&wish);
    if wish.missing == usize::MAX {
        data.flows.clear();
        data.groups.clear();
        data.distributions.clear();
        data.series.clear();
    }
    let page = render(&data);
    match std::fs::write(&path, &page) {
        Ok(()) => {
            println!("{path}: {} KiB", page.len() / 1024);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{path}: {error}");
            ExitCode::FAILURE
        }
    }
}
