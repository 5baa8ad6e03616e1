//! Pages that are made from the program are those it makes.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

#[test]
fn the_page_of_results_is_current() {
    let committed = include_str!("../../../docs/results.md");
    let hint = "cargo run -p earlydrop-lab --example results_page > docs/results.md";
    assert_eq!(committed, earlydrop_lab::store::page(), "{hint}");
}

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
    let name = |file: fs::DirEntry| file.file_name().to_string_lossy().into_owned();
    let there: BTreeSet<String> = files.map(|file| name(file.unwrap())).collect();
    assert!(!there.is_empty());
    assert_eq!(
        there, shown,
        "earlydrop reproduce --full --pages docs/papers"
    );
}
