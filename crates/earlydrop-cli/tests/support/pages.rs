//! Pages of the documentation that show commands with what they print.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// A fenced block of a page.
pub(crate) struct Block<'a> {
    /// The language after the fence: "console".
    pub(crate) language: &'a str,
    /// The last line of text before it.
    pub(crate) before: &'a str,
    /// The text in it.
    pub(crate) text: String,
}

/// The page with the texts of its blocks that `change` returns; `None` leaves a block as it is.
pub(crate) fn with_blocks(page: &str, mut change: impl FnMut(&Block) -> Option<String>) -> String {
    let mut fresh = String::new();
    let mut before = "";
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        fresh.push_str(line);
        fresh.push('\n');
        let Some(language) = line.strip_prefix("```") else {
            before = if line.is_empty() { before } else { line };
            continue;
        };
        let body = lines.by_ref().take_while(|line| *line != "```");
        let text: String = body.map(|line| format!("{line}\n")).collect();
        let block = Block {
            language,
            before,
            text,
        };
        fresh.push_str(&change(&block).unwrap_or(block.text));
        fresh.push_str("```\n");
    }
    fresh
}

/// A command of a block, with the output that the page shows below it.
pub(crate) struct Entry {
    pub(crate) command: String,
    pub(crate) shown: String,
}

/// The commands of a `console` block: each begins with "$ ", and the lines up to the next are what
/// it prints. A command goes on over lines while a quotation is open.
pub(crate) fn entries(console: &str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for line in console.lines() {
        let is_open = |entry: &Entry| is_quotation_open(&entry.command);
        match (line.strip_prefix("$ "), entries.last_mut()) {
            (_, Some(entry)) if entry.shown.is_empty() && is_open(entry) => {
                entry.command.push('\n');
                entry.command.push_str(line);
            }
            (Some(command), _) => entries.push(Entry {
                command: command.to_string(),
                shown: String::new(),
            }),
            (None, Some(entry)) => {
                entry.shown.push_str(line);
                entry.shown.push('\n');
            }
            (None, None) => panic!("output without a command: {line}"),
        }
    }
    entries
}

fn is_quotation_open(command: &str) -> bool {
    command.matches('"').count() % 2 == 1
}

/// A `console` block with the output that `run` returns for each of its entries.
pub(crate) fn console(text: &str, mut run: impl FnMut(&Entry) -> String) -> String {
    let entries = entries(text);
    let fresh = entries
        .iter()
        .map(|entry| format!("$ {}\n{}", entry.command, run(entry)));
    fresh.collect()
}

/// The lines of `output` that the page shows: all of them, or, where it has a line "...", as many
/// as it shows before and after that line.
pub(crate) fn shortened(output: &str, shown: &str) -> String {
    let shown: Vec<&str> = shown.lines().collect();
    let Some(gap) = shown.iter().position(|line| *line == "...") else {
        return output.to_string();
    };
    let lines: Vec<&str> = output.lines().collect();
    let after = shown.len() - gap - 1;
    assert!(
        gap + after < lines.len(),
        "\"...\" stands for nothing in:\n{output}"
    );
    let kept = lines[..gap]
        .iter()
        .chain(["..."].iter())
        .chain(&lines[lines.len() - after..]);
    kept.map(|line| format!("{line}\n")).collect()
}

/// A page of the repository.
pub(crate) fn page(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path)
}

/// Checks that a page is as it was just made; with `EARLYDROP_WRITE_PAGES`, writes it. `test` is the
/// name of the test file.
pub(crate) fn check_page(path: &Path, fresh: &str, test: &str) {
    if env::var_os("EARLYDROP_WRITE_PAGES").is_some() {
        fs::write(path, fresh).unwrap();
        return;
    }
    let page = fs::read_to_string(path).unwrap();
    let (old, new): (Vec<&str>, Vec<&str>) = (page.lines().collect(), fresh.lines().collect());
    let line = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    assert!(
        page == fresh,
        "{}, line {}: the page has\n{}\nbut the command prints\n{}\nrun: EARLYDROP_WRITE_PAGES=1 \
         cargo test -p earlydrop-cli --test it {test}",
        path.display(),
        line + 1,
        old.get(line).unwrap_or(&""),
        new.get(line).unwrap_or(&""),
    );
}
