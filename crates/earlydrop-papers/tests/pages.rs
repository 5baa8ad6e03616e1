//! The pages in `docs/papers` and their pictures belong together.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The size of all pictures in the tree, in bytes. A picture of every universe of every claim
/// would triple it: `earlydrop reproduce ID --multiverse 64` draws them in its report.
const MOST: u64 = 4_100_000;

/// Every picture that the papers' pages show is there, and there is none that no page shows.
#[test]
fn the_papers_pages_have_their_pictures() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/papers");
    let mut shown = BTreeSet::new();
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "md") {
            let page = fs::read_to_string(&path).unwrap();
            let pictures = page.split("](pictures/").skip(1);
            let name = |rest: &str| rest.split(')').next().unwrap_or_default().to_string();
            shown.extend(pictures.map(name));
        }
    }
    let files = fs::read_dir(folder.join("pictures")).unwrap();
    let files: Vec<fs::DirEntry> = files.map(|file| file.unwrap()).collect();
    let name = |file: &fs::DirEntry| file.file_name().to_string_lossy().into_owned();
    let there: BTreeSet<String> = files.iter().map(name).collect();
    assert!(!there.is_empty());
    assert_eq!(
        there, shown,
        "earlydrop reproduce --full --pages docs/papers"
    );
    let size: u64 = files
        .iter()
        .map(|file| file.metadata().unwrap().len())
        .sum();
    assert!(size <= MOST, "{size} bytes");
}
