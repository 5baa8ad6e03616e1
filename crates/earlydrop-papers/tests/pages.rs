//! The pages in `docs/papers` and their pictures belong together.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

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
