//! A module uses those beneath it only: the order is in the crate's documentation.

use std::fs;
use std::path::{Path, PathBuf};

/// From the bottom to the top.
const ORDER: [&str; 13] = [
    "units",
    "packet",
    "random",
    "aqm",
    "counters",
    "flow_table",
    "curve",
    "queue",
    "registry",
    "red",
    "schemes",
    "any",
    "manual",
];

/// Uses that go up: names re-exported where callers look for them, and the type that a
/// scheme's constructor returns.
const EXCEPTIONS: [(&str, &str); 4] = [
    ("queue/mod.rs", "pub use crate::any::AnyQueue;"),
    ("registry/mod.rs", "pub use crate::any::Plan;"),
    ("registry/mod.rs", "pub use crate::schemes::SCHEMES;"),
    ("schemes/mod.rs", "pub use crate::any::{AnyAqm, BoxedAqm};"),
];

fn rank(module: &str) -> usize {
    let position = ORDER.iter().position(|known| *known == module);
    position.unwrap_or_else(|| panic!("{module} is not in the order of modules"))
}

fn sources(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, files);
        } else {
            files.push(path);
        }
    }
}

#[test]
fn modules_use_only_those_beneath_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let mut upwards = Vec::new();
    for path in files {
        let name = path.strip_prefix(&root).unwrap().display().to_string();
        let module = name.split(['/', '.']).next().unwrap();
        if ["lib", "testing"].contains(&module) || name.ends_with("_tests.rs") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
        for line in code
            .lines()
            .map(str::trim)
            .filter(|line| !line.starts_with("//"))
        {
            for used in line.split("crate::").skip(1) {
                let used = used
                    .split(|c: char| !c.is_alphanumeric() && c != '_')
                    .next()
                    .unwrap();
                let excepted = EXCEPTIONS.contains(&(name.as_str(), line));
                if rank(used) > rank(module) && !excepted {
                    upwards.push(format!("{name}: {line}"));
                }
            }
        }
    }
    assert!(upwards.is_empty(), "{}", upwards.join("\n"));
}
