//! The header is what the code says, and its declarations change with the version of the interface.

use std::fs;
use std::path::{Path, PathBuf};

use earlydrop_c::EARLYDROP_ABI_VERSION;

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn is_writing() -> bool {
    std::env::var_os("EARLYDROP_WRITE_PAGES").is_some()
}

/// The header as cbindgen makes it now.
fn made() -> String {
    let config = cbindgen::Config::from_file(file("cbindgen.toml")).unwrap();
    let mut sources = cbindgen::Builder::new().with_config(config);
    for name in ["src/abi.rs", "src/types.rs", "src/queue.rs", "src/lib.rs"] {
        sources = sources.with_src(file(name));
    }
    let mut text = Vec::new();
    sources.generate().unwrap().write(&mut text);
    without_safety(&String::from_utf8(text).unwrap())
}

/// The header without the sections on safety, which its first comment has for all functions.
fn without_safety(header: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut lines = header.lines();
    while let Some(line) = lines.next() {
        if line == "// # Safety" {
            // The empty line of the comment before it.
            kept.pop();
            kept.extend(lines.find(|line| !line.starts_with("//")));
        } else {
            kept.push(line);
        }
    }
    kept.join("\n") + "\n"
}

/// With `EARLYDROP_WRITE_PAGES` it is written anew.
#[test]
fn the_header_is_made_from_the_code() {
    let path = file("include/earlydrop.h");
    let text = made();
    if is_writing() {
        fs::write(&path, &text).unwrap();
    }
    assert!(
        fs::read_to_string(path).unwrap() == text,
        "EARLYDROP_WRITE_PAGES=1 cargo test -p earlydrop-c writes the header anew"
    );
}

/// The declarations of a header, one a line, without comments and white space between words.
fn declarations(header: &str) -> String {
    let (_, code) = header.split_once("*/").unwrap();
    let code = code.lines().map(|line| line.split("//").next().unwrap());
    let (constants, other): (Vec<&str>, Vec<&str>) =
        code.partition(|line| line.starts_with("#define"));
    let other: Vec<&str> = other
        .into_iter()
        .filter(|line| !line.starts_with('#'))
        .collect();
    let joined = other.join(" ").replace("};", "}\0").replace(");", ")\0");
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let constants = constants.into_iter().map(words);
    let constants = constants.filter(|line| !line.contains("_H") && !line.contains("ABI_VERSION"));
    let all = constants.chain(joined.split('\0').map(words));
    let all: Vec<String> = all
        .filter(|line| line.contains("earlydrop") || line.contains("EARLYDROP"))
        .collect();
    all.join("\n") + "\n"
}

/// `abi.txt` has the version and the declarations of the interface. With `EARLYDROP_WRITE_PAGES` it is
/// written anew where the version has risen.
#[test]
fn a_change_of_the_declarations_is_a_change_of_the_version() {
    let path = file("abi.txt");
    let header = made();
    let now = format!("version {EARLYDROP_ABI_VERSION}\n{}", declarations(&header));
    let known = fs::read_to_string(&path).unwrap_or_default();
    let line = known.lines().next().unwrap_or_default();
    let version = line
        .strip_prefix("version ")
        .map_or(0, |text| text.parse().unwrap());
    if now == known {
        return;
    }
    assert!(
        version < EARLYDROP_ABI_VERSION,
        "the interface is not that of version {version}: raise EARLYDROP_ABI_VERSION in src/abi.rs. \
         Expected:\n{known}\nfound:\n{now}"
    );
    assert!(
        is_writing(),
        "EARLYDROP_WRITE_PAGES=1 cargo test -p earlydrop-c writes abi.txt anew"
    );
    fs::write(path, now).unwrap();
}

/// Every symbol that the library exports is declared.
#[test]
fn what_is_exported_is_declared() {
    let code = fs::read_to_string(file("src/lib.rs")).unwrap();
    let header = made();
    let mut exported = code.split("extern \"C\" fn ").skip(1);
    let names = exported
        .by_ref()
        .map(|rest| rest.split('(').next().unwrap());
    let mut number = 0;
    for name in names {
        assert!(header.contains(&format!("{name}(")), "{name}");
        number += 1;
    }
    assert_eq!(number, code.matches("#[unsafe(no_mangle)]").count());
}

#[test]
fn a_function_more_or_less_is_a_change() {
    let header = made();
    let before = declarations(&header);
    assert!(before.contains("bool earlydrop_dequeue(struct earlydrop_queue *queue, uint64_t now,"));
    assert!(before.contains("#define EARLYDROP_ACK 1"), "{before}");
    for (from, to) in [
        ("uint8_t ecn;", "uint16_t ecn;"),
        ("earlydrop_poll", "earlydrop_update"),
        (
            "EARLYDROP_VERDICT_QUEUED = 0",
            "EARLYDROP_VERDICT_QUEUED = 7",
        ),
    ] {
        assert!(header.contains(from), "{from}");
        assert_ne!(declarations(&header.replace(from, to)), before, "{from}");
    }
    let other_words = header.replace("The packets that wait.", "Packets.");
    assert_ne!(other_words, header);
    assert_eq!(declarations(&other_words), before);
}
