//! Links in Markdown pages lead to files and headings that exist, paths named in them exist, and
//! every page is in the book's summary.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Folders whose files pages name by their path from the repository's root.
const ROOTS: [&str; 6] = ["crates/", "docs/", "bench/", "scenarios/", "fuzz/", ".ci/"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

/// Every file below `folder` whose name ends in `.md`, without build output.
fn pages_below(folder: &Path, pages: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            if !["target", "node_modules", "runs"].contains(&name.as_ref()) {
                pages_below(&path, pages);
            }
        } else if name.ends_with(".md") {
            pages.push(path);
        }
    }
}

fn pages() -> Vec<PathBuf> {
    let root = root();
    let mut pages = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"]
        .map(|name| root.join(name))
        .to_vec();
    for folder in ["docs", "crates", "bench", "fuzz"] {
        pages_below(&root.join(folder), &mut pages);
    }
    pages
}

/// The lines of a page outside code blocks.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// A line with its code spans blanked, and the code spans.
fn split_code(line: &str) -> (String, Vec<&str>) {
    let mut prose = String::new();
    let mut code = Vec::new();
    for (index, part) in line.split('`').enumerate() {
        if index % 2 == 0 {
            prose.push_str(part);
        } else {
            code.push(part);
        }
    }
    (prose, code)
}

/// The targets of `[text](target)` in a line.
fn targets(line: &str) -> Vec<String> {
    let (prose, _) = split_code(line);
    let ends = prose.split("](").skip(1);
    ends.filter_map(|rest| Some(rest.split_once(')')?.0.to_string()))
        .collect()
}

/// A heading's anchor, as code hosts and mdBook make it.
fn anchor(heading: &str) -> String {
    let kept = heading
        .chars()
        .filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
    kept.map(|c| if c == ' ' { '-' } else { c })
        .flat_map(char::to_lowercase)
        .collect()
}

fn anchors(text: &str) -> BTreeSet<String> {
    let headings = prose(text).filter(|line| line.starts_with('#'));
    headings
        .map(|line| anchor(line.trim_start_matches('#').trim()))
        .collect()
}

/// `path` with its `..` resolved, which need not exist.
fn resolved(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                result.pop();
            }
            Component::CurDir => {}
            other => result.push(other),
        }
    }
    result
}

/// What is wrong with a link from `page`.
fn fault(page: &Path, text: &str, target: &str) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (path, heading) = target.split_once('#').unwrap_or((target, ""));
    let file = match path {
        "" => page.to_path_buf(),
        path => resolved(&page.parent()?.join(path)),
    };
    if !file.exists() {
        return Some(format!("{target}: no such file"));
    }
    if heading.is_empty() {
        return None;
    }
    let other = match path {
        "" => text.to_string(),
        _ => fs::read_to_string(&file).ok()?,
    };
    (!anchors(&other).contains(heading)).then(|| format!("{target}: no such heading"))
}

/// Whether a code span is a path from the root that can be looked up: no placeholder, no pattern.
fn is_path(span: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    let names = span.split('/').map(|name| name.split('.').next());
    let is_placeholder = |name: &str| {
        name.len() > 1 && name.chars().all(|c| c.is_ascii_uppercase()) && name != "README"
    };
    ROOTS.iter().any(|root| span.starts_with(root))
        && span.chars().all(is_plain)
        && !names.flatten().any(is_placeholder)
}

#[test]
fn links_and_paths_in_pages_exist() {
    let root = root();
    let mut faults = Vec::new();
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        let name = page.strip_prefix(&root).unwrap().display();
        for line in prose(&text) {
            for target in targets(line) {
                faults.extend(fault(&page, &text, &target).map(|fault| format!("{name}: {fault}")));
            }
            // The changelog names what was, too.
            for span in split_code(line).1 {
                let is_current = !page.ends_with("CHANGELOG.md");
                if is_current && is_path(span) && !root.join(span).exists() {
                    faults.push(format!("{name}: {span}: no such path"));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_page_of_the_book_is_in_its_summary() {
    let book = root().join("docs");
    let summary = fs::read_to_string(book.join("SUMMARY.md")).unwrap();
    let listed: BTreeSet<PathBuf> = prose(&summary)
        .flat_map(targets)
        .map(|target| book.join(target))
        .collect();
    let mut pages = Vec::new();
    pages_below(&book, &mut pages);
    let missing: Vec<PathBuf> = pages
        .into_iter()
        .filter(|page| !page.ends_with("SUMMARY.md") && !listed.contains(page))
        .collect();
    assert!(missing.is_empty(), "not in docs/SUMMARY.md: {missing:?}");
}

#[test]
fn faults_are_found() {
    let page = root().join("docs/SUMMARY.md");
    let fault = |target: &str| fault(&page, "# One thing: two\n", target);
    assert_eq!(fault("../README.md"), None);
    assert_eq!(fault("../README.md#the-core"), None);
    assert_eq!(fault("#one-thing-two"), None);
    assert_eq!(fault("https://example.org/none"), None);
    assert!(fault("#two").is_some());
    assert!(fault("../README.md#none").is_some());
    assert!(fault("none.md").is_some());
    assert_eq!(
        targets("[a](b.md), `[c](d.md)`, ![e](f.png)"),
        ["b.md", "f.png"]
    );
    assert!(is_path("crates/earlydrop/src/aqm.rs"));
    assert!(!is_path("crates/earlydrop/src/schemes/NAME.rs"));
    assert!(!is_path("cargo test"));
}
