//! Names the commit that is built, for results to carry.

use std::process::Command;

fn main() {
    // Inside somebody else's repository, a vendored copy must not take that one's commit.
    let is_ours = git(&["ls-files", "--error-unmatch", "Cargo.toml"]).is_some();
    let commit = git(&["rev-parse", "--short=9", "HEAD"]).filter(|_| is_ours);
    println!(
        "cargo:rustc-env=EARLYDROP_COMMIT={}",
        commit.unwrap_or_default()
    );
    // HEAD's log grows with each commit and each change of branch.
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]).filter(|_| is_ours) {
        println!("cargo:rerun-if-changed={log}");
    }
    println!("cargo:rerun-if-changed=build.rs");
}

/// What git prints in this crate's folder; `None` where it fails or is not there.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_string();
    output.status.success().then_some(text)
}
