//! Queues in C: the header of their table, and a faulty CoDel whose fault is named.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use earlydrop_conformance::catalogue::vectors;
use earlydrop_conformance::library::Library;
use earlydrop_conformance::report::Report;
use tempfile::TempDir;

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// With `EARLYDROP_WRITE_PAGES` it is written anew.
#[test]
fn the_header_is_made_from_the_code() {
    let config = cbindgen::Config::from_file(file("cbindgen.toml")).unwrap();
    let sources = cbindgen::Builder::new().with_config(config);
    let mut text = Vec::new();
    let made = sources.with_src(file("src/library.rs")).generate();
    made.unwrap().write(&mut text);
    let path = file("include/earlydrop_conformance.h");
    if std::env::var_os("EARLYDROP_WRITE_PAGES").is_some() {
        fs::write(&path, &text).unwrap();
    }
    assert!(
        fs::read(path).unwrap() == text,
        "EARLYDROP_WRITE_PAGES=1 cargo test -p earlydrop-conformance writes the header anew"
    );
}

/// Compiles C as a shared library; none where there is no compiler.
fn compiled(source: &Path) -> Option<(TempDir, PathBuf)> {
    let folder = tempfile::tempdir().unwrap();
    let library = folder.path().join("queue.so");
    let mut compiler = Command::new("cc");
    compiler.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-O1"]);
    compiler.args(["-shared", "-fPIC", "-o"]).arg(&library);
    compiler.arg("-I").arg(file("include")).arg(source);
    match compiler.output() {
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{said}");
            Some((folder, library))
        }
        Err(_) => {
            eprintln!("skipped: queues in C, no cc");
            None
        }
    }
}

/// The report on CoDel's vectors.
fn judged(library: &Library) -> Report {
    let mut report = Report::default();
    for vector in vectors("codel").unwrap() {
        match library.queue(&vector.header) {
            Some(mut queue) => assert_eq!(report.judge(&vector, &mut queue), Ok(())),
            None => report.skip(&vector),
        }
    }
    report
}

#[test]
fn the_fault_of_a_codel_in_c_is_named() {
    let Some((_folder, library)) = compiled(&file("examples/codel.c")) else {
        return;
    };
    let report = judged(&Library::open(&library).unwrap());
    let (fault, failed, all) = report.suspects()[0];
    assert_eq!((fault.id, failed, all), ("control-law", 3, 3), "{report}");
    let by_hand = report
        .skipped
        .iter()
        .filter(|name| !name.contains("/search-"));
    let skipped: Vec<&str> = by_hand.map(String::as_str).collect();
    assert_eq!(skipped, ["codel/threshold", "codel/linux-phases"]);
}

#[test]
fn a_codel_in_c_without_the_fault_passes() {
    let code = fs::read_to_string(file("examples/codel.c")).unwrap();
    let mended = code
        .replace("interval / q->count", "gap(q)")
        .replace("static bool dequeue", GAP)
        .replace("q->gap(q)", "gap(q)");
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("mended.c");
    fs::write(&source, mended).unwrap();
    let Some((_folder, library)) = compiled(&source) else {
        return;
    };
    let report = judged(&Library::open(&library).unwrap());
    assert!(report.is_clean(), "{report}");
}

/// interval / sqrt(count), by Newton's steps, so that no library of mathematics is needed.
const GAP: &str = "static uint64_t gap(const struct codel *q) {
    double root = (double)q->count;
    for (int step = 0; step < 60; ++step) root = (root + (double)q->count / root) / 2;
    return (uint64_t)((double)q->interval / root + 0.5);
}
static bool dequeue";

#[test]
fn what_is_no_library_is_refused() {
    let error = |path: &Path| Library::open(path).unwrap_err();
    let missing = error(Path::new("no-such.so"));
    assert!(
        missing.starts_with("no-such.so cannot be loaded: "),
        "{missing}"
    );
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("other.c");
    let of = |code: &str| {
        fs::write(&source, code).unwrap();
        let (_folder, library) = compiled(&source)?;
        Some(error(&library))
    };
    let Some(empty) = of("int nothing;\n") else {
        return;
    };
    assert!(
        empty.ends_with("exports no variable earlydrop_conformance"),
        "{empty}"
    );
    let header = "#include <earlydrop_conformance.h>\nconst struct conformance_table \
                  earlydrop_conformance = ";
    let other = of(&format!("{header}{{.version = 9}};\n")).unwrap();
    assert!(
        other.ends_with("has a table of version 9; allowed is 1"),
        "{other}"
    );
    let hollow = of(&format!("{header}{{.version = CONFORMANCE_VERSION}};\n")).unwrap();
    assert!(hollow.ends_with("must not be NULL"), "{hollow}");
}
