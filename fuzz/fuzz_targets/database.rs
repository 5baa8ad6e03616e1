//! Checks `earlydrop_report::fuzzing::database` with bytes chosen by libFuzzer.
#![no_main]

use std::path::Path;
use std::sync::LazyLock;

use tempfile::TempDir;

/// A folder in memory where there is one: every input writes a report.
static FOLDER: LazyLock<TempDir> = LazyLock::new(|| {
    let in_memory = Path::new("/dev/shm");
    let folder = match in_memory.is_dir() {
        true => TempDir::new_in(in_memory),
        false => TempDir::new(),
    };
    folder.expect("a folder for the database")
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    earlydrop_report::fuzzing::database(bytes, FOLDER.path());
});
