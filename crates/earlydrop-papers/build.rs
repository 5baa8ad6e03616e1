//! Lists the TOML files in `papers/`, which the crate includes.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder of the papers, in this crate.
const PAPERS: &str = "papers";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={PAPERS}");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let list = list(Path::new(PAPERS));
    fs::write(out.join("papers.rs"), list).expect("the folder is cargo's");
}

/// `&[(folder, file, text), ...]` as Rust source, in order. The compiler works out where the
/// crate lies: with a target folder that several checkouts share, each reads its own files.
fn list(papers: &Path) -> String {
    let mut entries = Vec::new();
    for folder in entries_of(papers).into_iter().filter(|path| path.is_dir()) {
        println!("cargo:rerun-if-changed={}", folder.display());
        for file in entries_of(&folder) {
            if file
                .extension()
                .is_some_and(|extension| extension == "toml")
            {
                let name = |path: &Path| path.file_name().map(|n| n.to_string_lossy().into_owned());
                entries.push(format!(
                    "({:?}, {:?}, include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), {:?})))",
                    name(&folder).unwrap_or_default(),
                    name(&file).unwrap_or_default(),
                    format!("/{}", file.display())
                ));
            }
        }
    }
    format!("&[{}]", entries.join(",\n"))
}

/// The paths in a folder, sorted.
fn entries_of(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}
