//! Passes the commit that is built to the crate, and the sources that decide results: results carry
//! both.

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=EARLYDROP_COMMIT");
    // Who commits what is built sets it: a file cannot hold the commit that it is part of.
    if let Ok(commit) = std::env::var("EARLYDROP_COMMIT") {
        println!("cargo:rustc-env=EARLYDROP_COMMIT={commit}");
        println!("cargo:rustc-env=EARLYDROP_ENGINE=");
        return;
    }
    // A source distribution, which has no git, says what git said where it was made.
    if let Ok(said) = std::fs::read_to_string(SAID) {
        println!("cargo:rerun-if-changed={SAID}");
        let mut lines = said.lines();
        for name in ["EARLYDROP_COMMIT", "EARLYDROP_ENGINE"] {
            println!(
                "cargo:rustc-env={name}={}",
                lines.next().unwrap_or_default()
            );
        }
        return;
    }
    // A copy vendored into another repository must not take that repository's commit.
    let is_ours = git(&["ls-files", "--error-unmatch", "Cargo.toml"]).is_some();
    let commit = git(&["rev-parse", "--short=9", "HEAD"]).filter(|_| is_ours);
    println!(
        "cargo:rustc-env=EARLYDROP_COMMIT={}",
        commit.unwrap_or_default()
    );
    let engine = DECISIVE.map(|path| git(&["rev-parse", "--short=9", &format!("HEAD:{path}")]));
    let engine: Option<Vec<String>> = engine.into_iter().collect();
    // Sources that differ from the commit's are an engine without a name.
    let as_committed = DECISIVE.iter().all(|path| {
        println!("cargo:rerun-if-changed={path}");
        git(&["diff", "--quiet", "HEAD", "--", path]).is_some()
    });
    println!(
        "cargo:rustc-env=EARLYDROP_ENGINE={}",
        engine
            .filter(|_| is_ours && as_committed)
            .unwrap_or_default()
            .join("-")
    );
    // The log of HEAD grows with each commit and each change of branch.
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]).filter(|_| is_ours) {
        println!("cargo:rerun-if-changed={log}");
    }
}

/// The commit, and what decides results, of a source distribution: `python/wheels` writes it.
const SAID: &str = "../../built-from.txt";

/// What decides the results of a scenario: the schemes, the simulator, what is made of both, and the
/// libraries in their versions.
const DECISIVE: [&str; 4] = [
    "../earlydrop/src",
    "../earlydrop-sim/src",
    "./src",
    "../../Cargo.lock",
];

/// The output of git in this crate's folder; `None` where git fails or is not installed.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_string();
    output.status.success().then_some(text)
}
