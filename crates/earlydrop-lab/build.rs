//! Names the commit that is built, where there is one, for results to carry.

use std::process::Command;

fn main() {
    let commit = Command::new("git")
        .args(["rev-parse", "--short=9", "HEAD"])
        .output()
        .ok()
        .filter(|output| output.status.success())
        .map(|output| String::from_utf8_lossy(&output.stdout).trim().to_string());
    println!(
        "cargo:rustc-env=EARLYDROP_COMMIT={}",
        commit.unwrap_or_default()
    );
    // HEAD's log grows with each commit and each change of branch.
    println!("cargo:rerun-if-changed=../../.git/logs/HEAD");
    println!("cargo:rerun-if-changed=build.rs");
}
