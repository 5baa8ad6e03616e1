//! Finds the lines of a crate that use a module above their own. The lab's test of the same
//! name includes this file, too.

use std::fs;
use std::path::{Path, PathBuf};

/// Every `file: line` in `src` of a module that uses one later in `order`, but for `exceptions`
/// (a file and its line). The modules `skipped`, and files of tests, may use all.
pub(crate) fn upward_uses(
    src: &Path,
    order: &[&str],
    skipped: &[&str],
    exceptions: &[(&str, &str)],
) -> Vec<String> {
    let rank = |module: &str| {
        let position = order.iter().position(|known| *known == module);
        position.unwrap_or_else(|| panic!("{module} is not in the order of modules"))
    };
    let mut files = Vec::new();
    sources(src, &mut files);
    let mut upwards = Vec::new();
    for path in files {
        let name = path.strip_prefix(src).unwrap().display().to_string();
        let module = name.split(['/', '.']).next().unwrap();
        if skipped.contains(&module) || name.ends_with("tests.rs") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
        let lines = code.lines().map(str::trim);
        for line in lines.filter(|line| !line.starts_with("//")) {
            let is_above = used(line).any(|used| rank(used) > rank(module));
            if is_above && !exceptions.contains(&(name.as_str(), line)) {
                upwards.push(format!("{name}: {line}"));
            }
        }
    }
    upwards
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
