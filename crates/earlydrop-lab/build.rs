//! Names the commit that is built, for results to carry, and takes the papers' experiments
//! and claims into the program, so that it can run them wherever it is.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the experiments and the claims are.
const PAPERS: &str = "../../papers";

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
    println!("cargo:rerun-if-changed={PAPERS}");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("papers.rs"), listed(Path::new(PAPERS))).expect("the folder is cargo's");
}

/// `&[(folder, file, text), ...]`, in order.
fn listed(papers: &Path) -> String {
    let mut entries = Vec::new();
    for folder in inside(papers).into_iter().filter(|path| path.is_dir()) {
        println!("cargo:rerun-if-changed={}", folder.display());
        for file in inside(&folder) {
            if file
                .extension()
                .is_some_and(|extension| extension == "toml")
            {
                let name = |path: &Path| path.file_name().map(|n| n.to_string_lossy().into_owned());
                let path = file.canonicalize().expect("it was just listed");
                entries.push(format!(
                    "({:?}, {:?}, include_str!({:?}))",
                    name(&folder).unwrap_or_default(),
                    name(&file).unwrap_or_default(),
                    path.display().to_string()
                ));
            }
        }
    }
    format!("&[{}]", entries.join(",\n"))
}

fn inside(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}
