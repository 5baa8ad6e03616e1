//! Crates and modules use only what is beneath them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The crates from the bottom to the top; those of a line do not use one another.
const CRATES: [&[&str]; 7] = [
    &["earlydrop"],
    &["earlydrop-model", "earlydrop-sim", "earlydrop-c"],
    &["earlydrop-live"],
    &["earlydrop-lab"],
    &["earlydrop-report"],
    &["earlydrop-papers"],
    &["earlydrop-cli"],
];

/// The order that a crate's documentation states, from the bottom to the top. Modules of other
/// crates have some order: there are no circles.
const ORDERS: [(&str, &[&str]); 2] = [
    (
        "earlydrop",
        &[
            "units",
            "packet",
            "random",
            "steering",
            "aqm",
            "explanation",
            "trace",
            "counters",
            "flow_table",
            "curve",
            "queue",
            "registry",
            "red",
            "schemes",
            "any",
            "manual",
        ],
    ),
    (
        "earlydrop-lab",
        &[
            "version",
            "escape",
            "files",
            "document",
            "budget",
            "timing",
            "statistics",
            "sweep",
            "scheme_list",
            "scenario",
            "metrics",
            "expect",
            "plan",
            "records",
            "outcome",
            "rows",
            "values",
            "settled",
            "summary",
            "judge",
            "lengthening",
            "suite",
            "baseline",
            "stopping",
            "run",
            "environment",
            "estimate",
            "trace",
            "watch",
            "store",
            "live",
            "verify",
            "advice",
            "fabric_advice",
            "tune",
            "fuzzing",
        ],
    ),
];

/// Upward uses that the language needs: names re-exported where callers look for them, and the
/// type that a scheme's constructor returns.
const EXCEPTIONS: [(&str, &str); 4] = [
    (
        "earlydrop/src/queue/mod.rs",
        "pub use crate::any::AnyQueue;",
    ),
    ("earlydrop/src/registry/mod.rs", "pub use crate::any::Plan;"),
    (
        "earlydrop/src/registry/mod.rs",
        "pub use crate::schemes::SCHEMES;",
    ),
    (
        "earlydrop/src/schemes/mod.rs",
        "pub use crate::any::{AnyAqm, BoxedAqm};",
    ),
];

/// A line of a module that names another module of its crate.
struct Use {
    module: String,
    used: String,
    line: String,
}

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

#[test]
fn crates_depend_only_on_those_beneath_them() {
    let rank = |name: &str| CRATES.iter().position(|floor| floor.contains(&name));
    let mut upwards = Vec::new();
    for entry in fs::read_dir(crates()).unwrap() {
        let folder = entry.unwrap().path();
        let name = folder.file_name().unwrap().to_str().unwrap();
        let own = rank(name).unwrap_or_else(|| panic!("{name} is not in the order of crates"));
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let code = manifest.split("[dev-dependencies]").next().unwrap();
        let used = code.lines().filter(|line| line.starts_with("earlydrop"));
        // What lies outside of `crates` uses `earlydrop` alone.
        let used = used.filter(|line| !line.starts_with("earlydrop-conformance"));
        for line in used.filter(|line| line.contains("workspace")) {
            let dependency = line.split([' ', '.']).next().unwrap();
            if rank(dependency).is_none_or(|floor| floor >= own) {
                upwards.push(format!("{name}: {line}"));
            }
        }
    }
    assert!(upwards.is_empty(), "{}", upwards.join("\n"));
}

#[test]
fn modules_use_only_those_beneath_them() {
    let mut upwards = Vec::new();
    for (name, order) in ORDERS {
        let rank = |module: &str| {
            let position = order.iter().position(|known| *known == module);
            position.unwrap_or_else(|| panic!("{module} is not in the order of modules of {name}"))
        };
        let uses = uses(name).into_iter();
        let above = uses.filter(|one| rank(&one.used) > rank(&one.module));
        upwards.extend(above.map(|one| one.line));
    }
    assert!(upwards.is_empty(), "{}", upwards.join("\n"));
}

#[test]
fn no_modules_of_a_crate_use_one_another_in_a_circle() {
    let mut circles = Vec::new();
    for name in CRATES.iter().flat_map(|floor| floor.iter()) {
        let uses = uses(name);
        let mut arrows: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for one in &uses {
            arrows.entry(&one.module).or_default().insert(&one.used);
        }
        let in_circles = uses
            .iter()
            .filter(|one| reached(&one.used, &arrows).contains(one.module.as_str()));
        circles.extend(in_circles.map(|one| one.line.clone()));
    }
    assert!(circles.is_empty(), "{}", circles.join("\n"));
}

/// The modules that `start` uses, directly or through others.
fn reached<'a>(start: &'a str, arrows: &BTreeMap<&'a str, BTreeSet<&'a str>>) -> BTreeSet<&'a str> {
    let mut seen = BTreeSet::from([start]);
    let mut left = vec![start];
    while let Some(module) = left.pop() {
        let used = arrows.get(module).into_iter().flatten();
        left.extend(used.filter(|used| seen.insert(**used)));
    }
    seen
}

/// What a crate's modules use of one another, but for the exceptions. The crate's root and the
/// files of tests may use all.
fn uses(name: &str) -> Vec<Use> {
    let src = crates().join(name).join("src");
    let mut files = Vec::new();
    sources(&src, &mut files);
    let module_of = |path: &Path| {
        let place = path.strip_prefix(&src).unwrap().display().to_string();
        let module = place.split(['/', '.']).next().unwrap().to_string();
        (place, module)
    };
    let modules: BTreeSet<String> = files.iter().map(|path| module_of(path).1).collect();
    let mut uses = Vec::new();
    for path in &files {
        let (place, module) = module_of(path);
        let is_root = ["lib", "main", "testing"].contains(&module.as_str());
        if is_root || place.ends_with("tests.rs") {
            continue;
        }
        let place = format!("{name}/src/{place}");
        let text = fs::read_to_string(path).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
        let lines = code.lines().map(str::trim);
        for line in lines.filter(|line| !line.starts_with("//")) {
            let others = named(line).filter(|used| *used != module && modules.contains(*used));
            for used in others.filter(|_| !EXCEPTIONS.contains(&(place.as_str(), line))) {
                uses.push(Use {
                    module: module.clone(),
                    used: used.to_string(),
                    line: format!("{place}: {line}"),
                });
            }
        }
    }
    uses
}

fn sources(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => sources(&path, files),
            false if path.extension().is_some_and(|extension| extension == "rs") => {
                files.push(path);
            }
            false => {}
        }
    }
}

/// The modules of the crate that a line of code names.
fn named(line: &str) -> impl Iterator<Item = &str> {
    let end = |rest: &str| rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
    line.split("crate::")
        .skip(1)
        .map(move |rest| &rest[..end(rest).unwrap_or(rest.len())])
}

/// The page of security lists the files that have unsafe code, outside of tests.
#[test]
fn unsafe_code_is_where_the_page_of_security_says() {
    let root = crates().join("..");
    let page = fs::read_to_string(root.join("docs/explanation/security.md")).unwrap();
    let listed: BTreeSet<&str> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once("` |"))
        .map(|(file, _)| file)
        .filter(|file| file.ends_with(".rs"))
        .collect();
    let crates = fs::read_dir(root.join("crates")).unwrap();
    let crates = crates.map(|entry| entry.unwrap().path());
    let mut files = Vec::new();
    for folder in crates.chain(["web/program", "python", "conformance"].map(|name| root.join(name)))
    {
        sources(&folder.join("src"), &mut files);
    }
    let is_unsafe = |file: &PathBuf| {
        let text = fs::read_to_string(file).unwrap();
        text.lines().any(|line| line.contains("unsafe {"))
    };
    files.retain(|file| !file.to_string_lossy().ends_with("tests.rs") && is_unsafe(file));
    let paths = files.iter().map(|file| file.strip_prefix(&root).unwrap());
    let found: Vec<String> = paths
        .map(|path| path.to_string_lossy().to_string())
        .collect();
    let found: BTreeSet<&str> = found.iter().map(String::as_str).collect();
    assert_eq!(listed, found);
}
