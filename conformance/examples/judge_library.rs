//! Judges the queue of a shared library, as `earlydrop conformance --library` does.
//!
//! ```text
//! cargo run -p earlydrop-conformance --example judge_library -- ./queue.so
//! ```

use std::path::Path;
use std::process::ExitCode;

use earlydrop_conformance::catalogue::{SCHEMES, vectors};
use earlydrop_conformance::library::Library;
use earlydrop_conformance::report::Report;

fn main() -> ExitCode {
    let Some(path) = std::env::args().nth(1) else {
        println!("usage: judge_library ./queue.so");
        return ExitCode::SUCCESS;
    };
    let library = Library::open(Path::new(&path)).unwrap_or_else(|problem| panic!("{problem}"));
    let mut report = Report::default();
    for scheme in SCHEMES {
        for vector in vectors(scheme).expect("the catalogue names no wrong parameter") {
            match library.queue(&vector.header) {
                Some(mut queue) => {
                    let judged = report.judge(&vector, &mut queue);
                    judged.unwrap_or_else(|problem| panic!("{problem}"));
                }
                None => report.skip(&vector),
            }
        }
    }
    print!("{report}");
    ExitCode::from(u8::from(!report.is_clean()))
}
