//! The first hour with earlydrop: what the README and the tutorial say to type is typed, and what
//! comes out is what the pages show.
//!
//! Each page has a folder of its own, as a clone of the repository: with its `scenarios`. Commands of
//! `sh` blocks must succeed; those of `console` blocks must print what is below them. A `toml` block
//! is written to the file that the line before it names. `EARLYDROP_WRITE_PAGES=1` writes the output
//! anew.
#![cfg(unix)]

use std::cell::RefCell;
use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;

use crate::support::pages::{
    Block, Entry, check_page, console, entries, page, shortened, with_blocks,
};
use crate::support::{Ran, User};

/// What is typed instead of the beginning of a line; `None` skips the line.
const REPLACED: [(&str, Option<&str>); 6] = [
    ("cargo run --release -- ", Some("earlydrop ")),
    // The test has built the command.
    ("cargo install ", None),
    ("cargo test ", None),
    // The Python package and the C interface have tests of their own.
    ("python/test", None),
    ("crates/earlydrop-c/test", None),
    ("pip install ", None),
];

/// Commands that are only parsed, by their beginnings, and why.
const ONLY_PARSED: [(&str, &str); 4] = [
    ("earlydrop shell ", "needs network namespaces"),
    (
        "earlydrop compare --live ",
        "needs network namespaces, and real time",
    ),
    ("earlydrop tune ", "takes a minute"),
    ("earlydrop reproduce", "takes minutes"),
];

/// Programs that a command of a page may need; its output is not compared without them.
const PROGRAMS: [&str; 1] = ["sqlite3"];

/// Types what a page says.
struct Reader {
    user: User,
    /// The beginnings of [`ONLY_PARSED`] that occurred.
    parsed: RefCell<Vec<&'static str>>,
}

impl Reader {
    fn new() -> Reader {
        let user = User::new();
        symlink(page("scenarios"), user.path("scenarios")).unwrap();
        Reader {
            user,
            parsed: RefCell::default(),
        }
    }

    /// Does what a block says; returns its text with the current output.
    fn follow(&self, block: &Block) -> Option<String> {
        match block.language {
            "sh" => {
                for line in block.text.lines() {
                    self.types(line, "");
                }
                None
            }
            "console" => Some(console(&block.text, |entry| self.output(entry))),
            "toml" => {
                self.saves(block);
                None
            }
            // Programs of the README; they are examples of their crates.
            "rust" | "python" => None,
            other => panic!("no rule for a block of \"{other}\""),
        }
    }

    /// Types a line; `None` where it is skipped or only parsed.
    fn types(&self, line: &str, shown: &str) -> Option<Ran> {
        let mut line = line.to_string();
        for (beginning, other) in REPLACED {
            if let Some(rest) = line.strip_prefix(beginning) {
                line = format!("{}{rest}", other?);
            }
        }
        let known = ONLY_PARSED.iter().find(|(one, _)| line.starts_with(one));
        if let Some((beginning, why)) = known {
            println!("only parsed, as it {why}: {line}");
            self.parsed.borrow_mut().push(beginning);
            let command = line.split("  #").next().unwrap_or_default().trim_end();
            let ran = self.user.types(&format!("{command} --help"));
            assert!(ran.code == Some(0), "{line}\n{ran:?}");
            return None;
        }
        let ran = self.user.types(&format!("exec 2>&1\n{line}"));
        let code = if shown.starts_with("error") { 2 } else { 0 };
        assert_eq!(ran.code, Some(code), "{line}\n{}", ran.out);
        Some(ran)
    }

    /// What a page should show below a command.
    fn output(&self, entry: &Entry) -> String {
        let program = entry.command.split(' ').next().unwrap_or_default();
        if PROGRAMS.contains(&program) && !self.has(program) {
            println!("skipped: there is no {program}: {}", entry.command);
            return entry.shown.clone();
        }
        let Some(ran) = self.types(&entry.command, &entry.shown) else {
            return entry.shown.clone();
        };
        let fresh = shortened(&ran.out, &entry.shown);
        unmasked(&entry.shown, &fresh)
    }

    fn has(&self, program: &str) -> bool {
        let found = self.user.types(&format!("command -v {program}"));
        found.code == Some(0)
    }

    /// Writes a block to the file that the line before it names.
    fn saves(&self, block: &Block) {
        let named = |words: &str| {
            let (_, rest) = block.before.split_once(words)?;
            rest.split('`').next()
        };
        let mut options = fs::OpenOptions::new();
        let (name, options) = match (named("Save as `"), named("Add to `")) {
            (Some(name), _) => (name, options.write(true).create_new(true)),
            (None, Some(name)) => (name, options.append(true)),
            (None, None) => panic!("no file for this block: {}", block.before),
        };
        let mut file = options.open(self.user.path(name)).unwrap();
        file.write_all(block.text.as_bytes()).unwrap();
    }
}

/// The fresh lines, but those of the page where they differ only in what a [`mask`] hides.
fn unmasked(shown: &str, fresh: &str) -> String {
    let mut old = shown.lines();
    let lines = fresh.lines().map(|line| match old.next() {
        Some(old) if mask(old) == mask(line) => old,
        _ => line,
    });
    lines.map(|line| format!("{}\n", line.trim_end())).collect()
}

/// A line without what depends on the machine and the version: the estimate of a run's time, and the
/// fingerprint in the name of a run's folder.
fn mask(line: &str) -> String {
    if let Some((_, sizes)) = line.split_once("; ")
        && line.ends_with(" on disk")
    {
        return format!("about ...; {sizes}");
    }
    let mut masked = String::new();
    for piece in line.split_inclusive(['/', '-']) {
        let digits = piece.trim_end_matches(['/', '-']);
        let is_fingerprint = digits.len() >= 8 && digits.chars().all(|c| c.is_ascii_hexdigit());
        masked.push_str(if is_fingerprint { "#" } else { digits });
        masked.push_str(&piece[digits.len()..]);
    }
    masked
}

/// Follows a page; returns the beginnings of [`ONLY_PARSED`] that it has.
fn follow(path: &str) -> Vec<&'static str> {
    let path = page(path);
    let text = fs::read_to_string(&path).unwrap();
    let reader = Reader::new();
    let fresh = with_blocks(&text, |block| reader.follow(block));
    check_page(&path, &fresh, "first_hour");
    reader.parsed.into_inner()
}

#[test]
fn the_first_run() {
    follow("docs/tutorial/first-run.md");
}

#[test]
fn your_own_question() {
    follow("docs/tutorial/own-question.md");
}

#[test]
fn the_readme() {
    let parsed = follow("README.md");
    for (beginning, _) in ONLY_PARSED {
        assert!(
            parsed.contains(&beginning),
            "{beginning} is not on the page"
        );
    }
}

#[test]
fn only_what_a_mask_hides_may_differ_from_a_page() {
    let shown =
        "red  5.2 ± 0.1\nreport: runs/office-01c57f27/report.html\nabout 1 s; 9 kB on disk\n";
    let later = shown.replace("01c57f27", "9cc57f2a").replace("1 s", "2 s");
    assert_eq!(unmasked(shown, &later), shown);
    for (old, new) in [
        ("5.2", "5.3"),
        ("office", "home"),
        ("red", "pie"),
        ("9 kB", "8 kB"),
    ] {
        let other = shown.replace(old, new);
        assert_eq!(unmasked(shown, &other), other, "{new}");
    }
}

#[test]
fn a_gap_keeps_as_many_lines_as_the_page_shows() {
    let shown = "a\n...\nc\nd\n";
    assert_eq!(shortened("1\n2\n3\n4\n5\n", shown), "1\n...\n4\n5\n");
    assert_eq!(shortened("1\n2\n", "1\n"), "1\n2\n");
    let entries = entries("$ one \"a\n  b\"\nout\n$ two\n");
    let texts = entries.iter().map(|entry| (&*entry.command, &*entry.shown));
    let wanted = [("one \"a\n  b\"", "out\n"), ("two", "")];
    assert_eq!(texts.collect::<Vec<_>>(), wanted);
}
