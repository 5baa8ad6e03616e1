//! Writes a report page of made-up numbers, to look at the page:
//!
//! ```text
//! cargo run -p earlydrop-report --example sample_report -- report.html [option ...]
//! ```
//!
//! Options: `sweep` (two swept fields), `one` (one scheme), `all` (41 schemes), `bare` (no time
//! series), `single` (one seed), `missing` (runs that are not done), `empty` (no run done).

#[path = "../tests/support/mod.rs"]
mod support;

use std::process::ExitCode;

use earlydrop_report::run_report::render;
use support::{Sample, sample};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(path) = arguments.next() else {
        eprintln!("usage: sample_report FILE [sweep|one|all|bare|single|missing|empty ...]");
        return ExitCode::FAILURE;
    };
    let mut size = Sample::default();
    for option in arguments {
        match option.as_str() {
            "sweep" => size.sweep = true,
            "one" => size.schemes = 1,
            "all" => size.schemes = 41,
            "bare" => size.samples = 0,
            "single" => size.seeds = 1,
            "missing" => size.missing = 7,
            "empty" => size.missing = usize::MAX,
            other => {
                eprintln!("unknown option: {other}");
                return ExitCode::FAILURE;
            }
        }
    }
    let mut data = sample(&size);
    if size.missing == usize::MAX {
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
