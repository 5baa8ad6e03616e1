//! Where quoted figures come from: what a command prints as JSON, or a row of a committed file.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;

use serde_json::Value;

use crate::support::User;
use crate::support::pages::page;

/// What commands have printed, and reads files.
#[derive(Default)]
pub(super) struct Sources {
    printed: RefCell<HashMap<String, Value>>,
}

impl Sources {
    /// What a line for the shell prints with `--json` at its end; run once.
    pub(super) fn json(&self, line: &str) -> Value {
        let mut printed = self.printed.borrow_mut();
        let run = || {
            let ran = User::new().types(&format!("{line} --json"));
            assert_eq!(ran.code, Some(0), "{line}\n{}", ran.err);
            ran.json()
        };
        let value = printed.entry(line.to_string()).or_insert_with(run);
        value.clone()
    }

    /// A number of what such a line prints, by its JSON pointer.
    pub(super) fn number(&self, line: &str, pointer: &str) -> f64 {
        let json = self.json(line);
        let number = json.pointer(pointer).and_then(Value::as_f64);
        number.unwrap_or_else(|| panic!("no {pointer} from {line}"))
    }
}

pub(super) fn text(path: &str) -> String {
    fs::read_to_string(page(path)).unwrap()
}

/// The numbers behind the first line's beginning that is `beginning`, after the line `below`.
pub(super) fn row_below(path: &str, below: &str, beginning: &str) -> Vec<f64> {
    let text = text(path);
    let mut lines = text.lines();
    if !below.is_empty() {
        let found = lines.by_ref().any(|line| line.starts_with(below));
        assert!(found, "{path}: no line {below}");
    }
    let rest = lines.find_map(|line| line.strip_prefix(beginning));
    numbers(rest.unwrap_or_else(|| panic!("{path}: no line {beginning}")))
}

/// The numbers behind the beginning of a line that is `beginning`.
pub(super) fn row(path: &str, beginning: &str) -> Vec<f64> {
    row_below(path, "", beginning)
}

/// The first number behind these words of a page.
pub(super) fn after(path: &str, words: &str) -> f64 {
    let text = text(path);
    let (_, rest) = text.split_once(words).unwrap_or_else(|| panic!("{words}"));
    numbers(rest)[0]
}

/// The numbers of a text, with their signs, without the commas between thousands.
pub(super) fn numbers(text: &str) -> Vec<f64> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || ".,+-".contains(c);
    let words = text.split(|c| !is_part(c));
    let plain = words.map(|word| word.trim_end_matches(['.', ',']).replace(',', ""));
    let digits = plain.filter(|word| word.contains(|c: char| c.is_ascii_digit()));
    digits.filter_map(|word| word.parse().ok()).collect()
}

/// The values of a CSV's column, of the rows whose first cells are these.
pub(super) fn csv(path: &str, first: &[&str], column: usize) -> Vec<f64> {
    let text = text(path);
    let rows = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let rows = rows.filter(|row| row.starts_with(first));
    rows.map(|row| row[column].parse().unwrap()).collect()
}

/// The number of files of a folder and its folders that end so.
pub(super) fn files(folder: &str, end: &str) -> f64 {
    let entries = fs::read_dir(page(folder)).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let counts = paths.map(|path| match path.is_dir() {
        true => files(path.to_str().unwrap(), end),
        false => f64::from(u8::from(path.to_string_lossy().ends_with(end))),
    });
    counts.sum()
}

pub(super) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    match values.len() % 2 {
        0 => (values[half - 1] + values[half]) / 2.0,
        _ => values[half],
    }
}
