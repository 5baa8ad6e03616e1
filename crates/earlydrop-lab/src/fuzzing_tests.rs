//! The shipped scenarios, mangled: each keeps the invariants of [`scenario`](super::scenario).

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use jsonschema::Validator;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::{scenario, traces};
use crate::document::Node;
use crate::plan::Source;
use crate::scenario::schema;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios")
}

/// The shipped files' texts, in order of their names.
fn texts() -> Vec<String> {
    let entries = fs::read_dir(folder()).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
    files.sort();
    let read = |path: &PathBuf| fs::read_to_string(path).unwrap();
    files.iter().map(read).collect()
}

fn is_planned(text: &str) -> bool {
    Source::new("mangled.toml", text, traces()).is_ok_and(|source| source.plan().is_ok())
}

/// One mutation: its kind, and two numbers that decide where and with what.
type Mutation = (u8, u32, u32);

/// Replacements of numbers. Those that a field would accept are small: many flows would be
/// valid and take long.
const NUMBERS: &[&str] = &[
    "0",
    "-1",
    "1",
    "2",
    "0.5",
    "-0.0",
    "1e400",
    "-1e300",
    "1e-300",
    "99999999999999999999",
    "nan",
    "inf",
    "1_000",
    "0x1F",
    "07",
    "1.",
    ".5",
    "1e",
    "٣",
    "4294967296",
    "2.5",
    "3e2",
];

const UNITS: &[&str] = &[
    "ms", "s", "us", "ns", "Mbps", "Gbps", "bps", "kB", "bytes", "GiB", "packets", "%", "", "µs",
    "parsecs", "Mpbs",
];

const LETTERS: &[&str] = &[
    "\"", "'", "[", "]", "{", "}", "=", ".", ",", "#", "\n", "\\", "\t", "\u{0}", "é", "漢", "🚦",
    "-", "1", "x", "\u{202e}", "\r", "",
];

fn mangle(text: &str, mutations: &[Mutation], others: &[String]) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    for &(kind, place, with) in mutations {
        if lines.is_empty() {
            break;
        }
        let (place, with) = (place as usize, with as usize);
        // Comments are long: mutations skip them.
        let lines_of_code: Vec<usize> = (0..lines.len())
            .filter(|l| !lines[*l].starts_with('#'))
            .collect();
        let at = *lines_of_code
            .get(place % lines_of_code.len().max(1))
            .unwrap_or(&0);
        match kind % 9 {
            0 => drop(lines.remove(at)),
            1 => lines.insert(with % lines.len(), lines[at].clone()),
            2 => {
                let other = with % lines.len();
                lines.swap(at, other);
            }
            3 => lines[at] = with_letter(&lines[at], with),
            4 => lines[at] = with_number(&lines[at], NUMBERS[with % NUMBERS.len()]),
            5 => lines[at] = with_unit(&lines[at], UNITS[with % UNITS.len()]),
            6 => {
                let other = &others[with % others.len()];
                let foreign: Vec<&str> = other.lines().filter(|l| l.contains('=')).collect();
                lines.insert(at, foreign[with / 7 % foreign.len()].to_string());
            }
            7 => lines.insert(at, nested(with)),
            _ => {
                let half = lines[at].len() / 2;
                let half = lines[at].floor_char_boundary(half);
                lines[at].truncate(half);
            }
        }
    }
    lines.join("\n")
}

fn with_letter(line: &str, with: usize) -> String {
    let letters: Vec<char> = line.chars().collect();
    let at = with / 31 % letters.len().max(1);
    let mut changed = String::new();
    for (index, letter) in letters.iter().enumerate() {
        match index == at {
            true => changed.push_str(LETTERS[with % LETTERS.len()]),
            false => changed.push(*letter),
        }
    }
    changed
}

/// Replaces the first number of the line.
fn with_number(line: &str, number: &str) -> String {
    let Some(start) = line.find(|letter: char| letter.is_ascii_digit()) else {
        return format!("{line} {number}");
    };
    let rest = &line[start..];
    let end = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.');
    let end = end.unwrap_or(rest.len());
    format!("{}{number}{}", &line[..start], &rest[end..])
}

/// Replaces the unit after the first number of the line.
fn with_unit(line: &str, unit: &str) -> String {
    let Some(start) = line.find(|letter: char| letter.is_ascii_digit()) else {
        return format!("{line} \"1 {unit}\"");
    };
    let rest = &line[start..];
    let number = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.');
    let number = number.unwrap_or(rest.len());
    let behind = &rest[number..];
    let end = behind.find(|letter: char| !letter.is_alphabetic() && letter != ' ');
    let end = end.unwrap_or(behind.len());
    format!(
        "{}{} {unit}{}",
        &line[..start],
        &rest[..number],
        &behind[end..]
    )
}

/// Deeply nested tables and lists.
fn nested(with: usize) -> String {
    let depth = [3, 40, 79, 200, 5000][with % 5];
    match with / 5 % 4 {
        0 => format!("network = {}{}", "[".repeat(depth), "]".repeat(depth)),
        1 => format!("flows{} = 1", ".a".repeat(depth)),
        2 => format!("sweep = {}1{}", "{ a = ".repeat(depth), " }".repeat(depth)),
        _ => format!("[{}b]", "schemes.".repeat(depth)),
    }
}

/// A runner with the same cases each time.
fn runner(cases: u32) -> TestRunner {
    let config = Config {
        cases,
        failure_persistence: None,
        max_shrink_iters: 200,
        ..Config::default()
    };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

#[test]
fn mangled_files_are_refused_or_run() {
    let texts = texts();
    let mutations = vec((any::<u8>(), any::<u32>(), any::<u32>()), 1..5);
    let cases = (0..texts.len(), mutations);
    let result = runner(2500).run(&cases, |(file, mutations)| {
        scenario(&mangle(&texts[file], &mutations, &texts));
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
}

/// The schema accepts every file that can be planned: an editor shows no false errors.
#[test]
fn the_schema_accepts_whatever_is_planned() {
    let texts = texts();
    let validator = jsonschema::draft202012::new(&schema()).unwrap();
    let mutations = vec((2..6_u8, any::<u32>(), any::<u32>()), 1..3);
    let cases = (0..texts.len(), mutations);
    let planned = AtomicUsize::new(0);
    let result = runner(2000).run(&cases, |(file, mutations)| {
        let text = mangle(&texts[file], &mutations, &texts);
        if is_planned(&text) {
            planned.fetch_add(1, Ordering::Relaxed);
            let errors = errors(&validator, &text);
            prop_assert!(errors.is_empty(), "{errors:?}\nof\n{text}");
        }
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
    // If no file survived its mutations, this would test nothing.
    let planned = planned.into_inner();
    assert!(planned > 150, "{planned} planned");
}

fn errors(validator: &Validator, text: &str) -> Vec<String> {
    let document = Node::parse(text)
        .map(|tree| tree.to_json())
        .unwrap_or_default();
    let errors = validator.iter_errors(&document);
    errors
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect()
}

/// Files that failed once, or that look as if they could.
#[test]
fn edge_cases_are_refused_or_run() {
    for (name, text) in [
        ("nothing", ""),
        ("a byte order mark", "\u{feff}[flows.a]\n"),
        ("only a comment", "# nothing\n"),
        ("no schemes", "schemes = []\n[flows.a]\n"),
        ("schemes as a number", "schemes = 3\n[flows.a]\n"),
        ("a list in schemes", "schemes = [[\"red\"]]\n[flows.a]\n"),
        ("flows as text", "flows = \"a\"\n"),
        ("no flows of a group", "[flows.a]\ncount = 0\n"),
        (
            "a run of nothing",
            "duration = \"1e-300 s\"\nwarm_up = 0\n[flows.a]\nstart = 0\n",
        ),
        ("an endless run", "duration = \"1e300 s\"\n[flows.a]\n"),
        (
            "an endless round trip",
            "network.rtt = \"1e300 s\"\n[flows.a]\n",
        ),
        ("the slowest link", "network.rate = \"1 bps\"\n[flows.a]\n"),
        ("a name beyond ASCII", "[flows.\"漢 é\"]\nto = \"🚦\"\n"),
        (
            "a graph without links",
            "network.shape = \"graph\"\n[flows.a]\n",
        ),
        ("links without a graph", "network.links = []\n[flows.a]\n"),
        (
            "a link to itself",
            "network = { shape = \"graph\", links = [{ from = \"a\", to = \"a\" }] }\n[flows.a]\n",
        ),
        (
            "a trace elsewhere",
            "network.trace = \"../../nowhere\"\n[flows.a]\n",
        ),
        (
            "a trace that is a folder",
            "network.trace = \".\"\n[flows.a]\n",
        ),
        ("a sweep of nothing", "sweep = {}\n[flows.a]\n"),
        ("a sweep as a list", "sweep = [1]\n[flows.a]\n"),
        ("a sweep of a table", "sweep.network = [1]\n[flows.a]\n"),
        ("a sweep of a sweep", "sweep.sweep.a = [1]\n[flows.a]\n"),
        ("a sweep to nothing", "sweep.\"\" = [1]\n[flows.a]\n"),
        ("a sweep of dots", "sweep.\"flows..\" = [1]\n[flows.a]\n"),
        (
            "a range to infinity",
            "sweep.duration = { from = 1, to = inf, points = 3 }\n[flows.a]\n",
        ),
        (
            "seeds beyond numbers",
            "seeds = [18446744073709551616]\n[flows.a]\n",
        ),
        (
            "a date",
            "title = 2026-01-01\nduration = 07:32:00\n[flows.a]\n",
        ),
        ("dots without numbers", "[flows.a]\nstart = \"..\"\n"),
        (
            "a law without a mean",
            "[flows.a]\nkind = \"web\"\nsize = \"pareto(nan) \"\n",
        ),
        (
            "a tail without a mean",
            "[flows.a]\nkind = \"web\"\nsize = \"pareto(1) 3 kB\"\n",
        ),
        (
            "a scheme within itself",
            "schemes = [\"fq-red:inner=fq-red\"]\n[flows.a]\n",
        ),
        (
            "a scheme's colon",
            "schemes = [\":\", \"red:\", \"red:=\", \"red:min\"]\n[flows.a]\n",
        ),
        (
            "a parameter as a list",
            "schemes = { red = { min = [1] } }\n[flows.a]\n",
        ),
    ] {
        println!("{name}");
        scenario(text);
    }
}

/// Arguments add tables that the file does not have.
#[test]
fn scenarios_with_arguments_are_refused_or_run() {
    for text in [
        "#--set network.rtt=30 ms\nschemes = [\"red\"]\n[flows.a]\n",
        "#--set network.rtt=30 ms\n[flows.a]\n",
        "#--set tcp.control=cubic\n#--set schemes.red.max=20\nschemes = [\"red\"]\n[flows.a]\n",
        "#--set network.rtt=30 parsecs\n[flows.a]\n",
        "#--set nothing\n[flows.a]\n",
        "#--set network.rtt=30 ms\n[flows.a]\n[sweep]\n\"network.rtt\" = [\"1 ms\", \"2 ms\"]\n",
    ] {
        scenario(text);
    }
}
