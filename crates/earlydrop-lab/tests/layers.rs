//! Modules use only those below them.

use std::fs;
use std::path::{Path, PathBuf};

/// The crate's modules from the bottom to the top.
const ORDER: [&str; 20] = [
    "version",
    "files",
    "document",
    "timing",
    "statistics",
    "sweep",
    "scenario",
    "plan",
    "metrics",
    "outcome",
    "rows",
    "summary",
    "stopping",
    "run",
    "estimate",
    "trace",
    "store",
    "live",
    "verify",
    "tune",
];

fn rank(module: &str) -> usize {
    let position = ORDER.iter().position(|known| *known == module);
    position.unwrap_or_else(|| panic!("{module} is not in the order of modules"))
}

fn sources(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => sources(&path, files),
            false => files.push(path),
        }
    }
}

/// The modules of the crate that a line of code names.
fn used(line: &str) -> impl Iterator<Item = &str> {
    let end = |rest: &str| rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
    line.split("crate::")
        .skip(1)
        .map(move |rest| &rest[..end(rest).unwrap_or(rest.len())])
}

#[test]
fn modules_use_only_those_below_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let mut upwards = Vec::new();
    for path in files {
        let name = path.strip_prefix(&root).unwrap().display().to_string();
        let module = name.split(['/', '.']).next().unwrap();
        if module == "lib" || name.ends_with("tests.rs") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
        let lines = code.lines().map(str::trim);
        for line in lines.filter(|line| !line.starts_with("//")) {
            let too_high = |used: &str| rank(used) > rank(module);
            if used(line).any(too_high) {
                upwards.push(format!("{name}: {line}"));
            }
        }
    }
    assert!(upwards.is_empty(), "{}", upwards.join("\n"));
}
