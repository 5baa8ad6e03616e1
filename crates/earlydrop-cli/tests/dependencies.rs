//! What the workspace depends on: licences that allow everything this project's do, sources that
//! stay, versions that can be published.

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::Value;

/// Licences that may be distributed with ours, as SPDX names them.
const ALLOWED: [&str; 9] = [
    "0BSD",
    "Apache-2.0",
    "BSD-3-Clause",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Zlib",
    // Only what tests use.
    "CC0-1.0",
];

/// What only tests run, whose licence would not be distributed with ours.
const ONLY_IN_TESTS: [(&str, &str); 1] = [("cbindgen", "MPL-2.0")];

const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// The packages that are built on this machine, with all features, as `cargo metadata` has them.
fn packages() -> Vec<Value> {
    let compiler = output(Command::new("rustc").arg("-vV"));
    let host = compiler
        .lines()
        .find_map(|line| line.strip_prefix("host: "));
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--locked", "--offline", "--all-features"]);
    cargo.args(["--format-version", "1", "--filter-platform", host.unwrap()]);
    let metadata: Value = serde_json::from_str(&output(&mut cargo)).unwrap();
    let list = |value: &Value| value.as_array().unwrap().clone();
    let nodes = list(&metadata["resolve"]["nodes"]);
    let built: BTreeSet<&str> = nodes
        .iter()
        .map(|node| node["id"].as_str().unwrap())
        .collect();
    let mut packages = list(&metadata["packages"]);
    packages.retain(|package| built.contains(package["id"].as_str().unwrap()));
    packages
}

fn output(command: &mut Command) -> String {
    let ran = command
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert!(ran.status.success(), "{command:?}: {errors}");
    String::from_utf8(ran.stdout).unwrap()
}

/// Whether one alternative of an SPDX expression asks for allowed licences only. A crate's old
/// "MIT/Apache-2.0" means "MIT OR Apache-2.0".
fn is_allowed(expression: &str) -> bool {
    if let Some((before, rest)) = expression.split_once('(') {
        let (inner, after) = rest.split_once(')').unwrap();
        let inner = if is_allowed(inner) { "MIT" } else { "refused" };
        return is_allowed(&format!("{before}{inner}{after}"));
    }
    let alternatives = expression.split(" OR ").flat_map(|one| one.split('/'));
    alternatives
        .map(|one| one.split(" AND ").map(str::trim))
        .any(|mut all| all.all(|name| ALLOWED.contains(&name)))
}

#[test]
fn an_expression_is_allowed_by_one_alternative() {
    assert!(is_allowed("GPL-3.0 OR MIT"));
    assert!(is_allowed("Apache-2.0/MIT"));
    assert!(is_allowed("(MIT OR GPL-3.0) AND Unicode-3.0"));
    assert!(!is_allowed("MIT AND GPL-3.0"));
    assert!(!is_allowed("(GPL-2.0 OR GPL-3.0) AND MIT"));
    assert!(!is_allowed("Apache-2.0 WITH LLVM-exception"));
}

#[test]
fn dependencies_have_allowed_licences_and_sources() {
    let packages = packages();
    let mut wrong = Vec::new();
    for package in &packages {
        let name = package["name"].as_str().unwrap();
        match package["license"].as_str() {
            Some(licence) if is_allowed(licence) => {}
            Some(licence) if ONLY_IN_TESTS.contains(&(name, licence)) => {}
            other => wrong.push(format!("{name}: the licence {other:?}")),
        }
        match package["source"].as_str() {
            None | Some(CRATES_IO) => {}
            Some(source) => wrong.push(format!("{name} comes from {source}")),
        }
    }
    assert!(packages.len() > 50, "only {} packages", packages.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// `cargo run` without a name is how the README begins: it must know one program only.
#[test]
fn cargo_run_runs_the_command() {
    let packages = packages();
    let ours = packages.iter().filter(|one| one["source"].is_null());
    let targets = ours.flat_map(|one| one["targets"].as_array().unwrap());
    let programs = targets.filter(|one| one["kind"][0] == "bin");
    let names: Vec<&str> = programs.map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["earlydrop"]);
}

/// A version of "*" cannot be published.
#[test]
fn our_packages_name_versions() {
    let mut wrong = Vec::new();
    let packages = packages();
    for package in packages.iter().filter(|one| one["source"].is_null()) {
        let dependencies = package["dependencies"].as_array().unwrap();
        let any = dependencies
            .iter()
            .filter(|one| one["req"] == "*" && one["path"].is_null());
        wrong.extend(any.map(|one| format!("{}: {}", package["name"], one["name"])));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
