//! The mutation test of the conformance vectors: how many changes of a scheme's rule they find.
//!
//! ```text
//! cargo run --manifest-path conformance/mutants/Cargo.toml [-- [search] [SCHEME...]]
//! ```
//!
//! The core is copied, and rewritten so that it contains every mutant: one operator, number or
//! assignment of a rule changed, behind a number that is chosen when it runs. It is built once. Each
//! mutant is then judged by its scheme's vectors, and those that no vector finds by cases at random.
//! `README.md` has the table; `survivors.md` what no vector finds. `search` names the cases that would
//! find most of it as vectors.

mod judge;
mod mutate;
mod search;

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use judge::Judge;
use mutate::{Mutant, mutated};

/// The files of each scheme's rule, in `crates/earlydrop/src`.
const RULES: [(&str, &[&str]); 14] = [
    ("droptail", &["queue/single.rs"]),
    (
        "red",
        &[
            "red/mod.rs",
            "red/slow_path.rs",
            "red/average.rs",
            "red/spacing.rs",
            "red/policy.rs",
            "red/variants/red.rs",
            "curve.rs",
        ],
    ),
    ("gred", &["red/variants/gred.rs"]),
    ("ared", &["red/variants/ared.rs", "red/adaptation.rs"]),
    ("nlred", &["red/variants/nlred.rs"]),
    ("clred", &["red/variants/clred.rs"]),
    ("sfred", &["red/variants/sfred.rs"]),
    ("choke", &["red/variants/choke.rs"]),
    ("sfb", &["schemes/sfb.rs"]),
    ("pie", &["schemes/pie.rs", "schemes/departure_delay.rs"]),
    ("codel", &["schemes/codel.rs"]),
    ("cobalt", &["schemes/cobalt.rs"]),
    (
        "fq-codel",
        &[
            "schemes/fq_codel.rs",
            "schemes/flow_queues.rs",
            "queue/fair.rs",
            "queue/fair/lists.rs",
            "queue/fair/overflow.rs",
            "queue/fair/sharing.rs",
            "queue/fair/turns.rs",
        ],
    ),
    (
        "dualpi2",
        &[
            "schemes/dualpi2.rs",
            "queue/dual.rs",
            "queue/dual/law.rs",
            "schemes/pi2.rs",
            "schemes/pi_controller.rs",
        ],
    ),
];

/// The cases at random among which a search chooses.
const SEARCHED: Range<u32> = 0..10_000;
/// Those tried on a mutant that no vector finds: others, or what was chosen would judge itself.
const TRIED: Range<u32> = 10_000..20_000;

type Outcome<T> = Result<T, Box<dyn Error>>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn main() -> Outcome<()> {
    let mut wanted: Vec<String> = env::args().skip(1).collect();
    let searches = wanted.first().is_some_and(|word| word == "search");
    wanted.drain(..usize::from(searches));
    let folder = root().join("target/mutants");
    let (mutants, judge) = build(&folder)?;
    let mut table = BTreeMap::new();
    let mut survivors = String::new();
    for (scheme, files) in RULES {
        if !wanted.is_empty() && !wanted.iter().any(|one| one == scheme) {
            continue;
        }
        let vectors = root().join(format!("conformance/vectors/{scheme}.jsonl"));
        let cases = folder.join(format!("{scheme}.jsonl"));
        judge.record(scheme, if searches { SEARCHED } else { TRIED }, &cases)?;
        let reached: BTreeSet<u32> = &judge.reached(&vectors)? | &judge.reached(&cases)?;
        let own = mutants
            .iter()
            .filter(|one| files.contains(&one.file.as_str()));
        let (run, unused): (Vec<&Mutant>, Vec<_>) =
            own.partition(|one| reached.contains(&one.number));
        let numbers: Vec<u32> = run.iter().map(|one| one.number).collect();
        let mut found = judge.finders(&vectors, &numbers)?;
        if searches {
            // As if no vector were of a search: fewer may find as many.
            let by_hand = |name: &String| !name.contains("/search-");
            found.retain(|_, names| names.is_empty() || names.iter().any(by_hand));
        }
        let left: Vec<u32> = numbers
            .into_iter()
            .filter(|one| !found.contains_key(one))
            .collect();
        let finders = judge.finders(&cases, &left)?;
        if searches {
            search::print_cases(scheme, &cases, &finders)?;
            continue;
        }
        let of_scheme = Row {
            found: found.len(),
            missed: finders.len(),
            alike: left.len() - finders.len(),
            unused: unused.len(),
        };
        println!("{scheme}: {of_scheme:?}");
        let is_missed = |one: &&&Mutant| finders.contains_key(&one.number);
        let is_alike = |one: &&&Mutant| left.contains(&one.number) && !is_missed(one);
        list(
            &mut survivors,
            &format!("{scheme}: missed"),
            run.iter().filter(is_missed),
        )?;
        list(
            &mut survivors,
            &format!("{scheme}: alike"),
            run.iter().filter(is_alike),
        )?;
        table.insert(scheme, of_scheme);
    }
    if searches {
        return Ok(());
    }
    if wanted.is_empty() {
        write_pages(&table, &survivors)?;
    } else {
        println!("{survivors}");
    }
    Ok(())
}

/// The mutants of a scheme.
#[derive(Debug)]
struct Row {
    /// A vector finds them.
    found: usize,
    /// No vector finds them, and a case at random does.
    missed: usize,
    /// No case tells them from the rule.
    alike: usize,
    /// Neither vectors nor cases run them.
    unused: usize,
}

/// Adds mutants to a page, with their places.
fn list<'a>(
    page: &mut String,
    title: &str,
    mutants: impl Iterator<Item = &'a &'a Mutant>,
) -> Outcome<()> {
    let mut mutants = mutants.peekable();
    if mutants.peek().is_some() {
        writeln!(page, "\n## {title}\n")?;
    }
    for Mutant {
        file,
        line,
        was,
        is,
        ..
    } in mutants
    {
        writeln!(page, "- {file}, line {line}: `{was}`, changed to `{is}`")?;
    }
    Ok(())
}

/// Builds the core with its mutants in `folder`. Those that do not compile are left out.
fn build(folder: &Path) -> Outcome<(Vec<Mutant>, Judge)> {
    prepare(folder)?;
    let list = folder.join(format!("refused-{:016x}", sum_of_rules()?));
    // Those of the last time, where the sources are the same: a build less.
    let known = fs::read_to_string(&list).unwrap_or_default();
    let mut refused: BTreeSet<u32> = known.lines().filter_map(|line| line.parse().ok()).collect();
    loop {
        let mut mutants = Vec::new();
        for file in rule_files() {
            let text = mutated(file, &source(file)?, &mut mutants, &refused)?;
            put(&folder.join("core/src").join(file), text)?;
        }
        let output = Command::new("cargo")
            .args(["build", "-p", "judge", "--message-format", "short"])
            .args(["--offline", "--quiet"])
            .env("CARGO_TARGET_DIR", folder.join("target"))
            .current_dir(folder)
            .output()?;
        if output.status.success() {
            mutants.retain(|one| !refused.contains(&one.number));
            let lines: Vec<String> = refused.iter().map(u32::to_string).collect();
            fs::write(&list, lines.join("\n"))?;
            return Ok((mutants, Judge(folder.join("target/debug/judge"))));
        }
        let before = refused.len();
        let messages = String::from_utf8_lossy(&output.stderr);
        for message in messages.lines().filter(|line| line.contains(": error")) {
            refused.extend(mutant_at(folder, message));
        }
        println!("{} mutants do not compile", refused.len());
        if refused.len() == before {
            return Err(messages.into());
        }
    }
}

/// The files of all rules.
fn rule_files() -> impl Iterator<Item = &'static str> {
    RULES.iter().flat_map(|(_, files)| files.iter().copied())
}

/// A file of the core.
fn source(file: &str) -> Outcome<String> {
    Ok(fs::read_to_string(
        root().join("crates/earlydrop/src").join(file),
    )?)
}

/// The same number for the same rules.
fn sum_of_rules() -> Outcome<u64> {
    let mut sum = DefaultHasher::new();
    for file in rule_files() {
        source(file)?.hash(&mut sum);
    }
    Ok(sum.finish())
}

/// A workspace of the core, but for the files of its rules, the vectors' judge, and a program with both.
fn prepare(folder: &Path) -> Outcome<()> {
    for (from, to) in [("crates/earlydrop", "core"), ("conformance", "conformance")] {
        copy(&root().join(from), &folder.join(to))?;
    }
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    copy(&own.join("judge"), &folder.join("judge/src"))?;
    put(
        &folder.join("core/src/mutation.rs"),
        fs::read(own.join("judge/mutation.rs"))?,
    )?;
    put(
        &folder.join("core/src/lib.rs"),
        source("lib.rs")?.replace("mod trace;", "mod trace;\n/// Mutants.\npub mod mutation;"),
    )?;
    put(&folder.join("judge/Cargo.toml"), JUDGE)?;
    let manifest = fs::read_to_string(root().join("Cargo.toml"))?;
    let (_, shared) = manifest
        .split_once("[workspace.package]")
        .ok_or("no [workspace.package]")?;
    let (shared, _) = shared
        .split_once("[workspace.dependencies]")
        .ok_or("no dependencies")?;
    put(
        &folder.join("Cargo.toml"),
        WORKSPACE.replace("SHARED", shared),
    )?;
    fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock"))?;
    Ok(())
}

/// The mutant in the line that a message of the compiler names, `core/src/red/mod.rs:12:3: error`.
fn mutant_at(folder: &Path, message: &str) -> Option<u32> {
    let mut parts = message.split(':');
    let text = fs::read_to_string(folder.join(parts.next()?)).ok()?;
    let line: usize = parts.next()?.parse().ok()?;
    let before: Vec<&str> = text.lines().take(line).collect();
    let (_, rest) = before
        .iter()
        .rev()
        .find_map(|line| line.split_once("mutation :: on ("))?;
    rest.split_once("u32")?.0.trim().parse().ok()
}

const WORKSPACE: &str = "[workspace]
resolver = \"3\"
members = [\"core\", \"conformance\", \"judge\"]
[workspace.package]SHARED
[workspace.dependencies]
earlydrop = { path = \"core\", default-features = false }
[workspace.lints.rust]
[profile.dev]
opt-level = 1
debug = false
";

const JUDGE: &str = "[package]
name = \"judge\"
version = \"0.0.0\"
edition = \"2024\"
[dependencies]
earlydrop.workspace = true
earlydrop-conformance = { path = \"../conformance\" }
";

/// Writes a file unless it is so already: cargo builds anew what was written.
fn put(path: &Path, contents: impl AsRef<[u8]>) -> Outcome<()> {
    if fs::read(path).is_ok_and(|now| now == contents.as_ref()) {
        return Ok(());
    }
    Ok(fs::write(path, contents)?)
}

/// Copies a folder, without what is built and what is written anew.
fn copy(from: &Path, to: &Path) -> Outcome<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (path, name) = (entry.path(), entry.file_name());
        let is_left_out = ["target", "mutants", "vectors"]
            .iter()
            .any(|one| name == *one);
        let is_rewritten = path.ends_with("earlydrop/src/lib.rs")
            || rule_files().any(|file| path.ends_with(format!("earlydrop/src/{file}")));
        if path.is_dir() && !is_left_out {
            copy(&path, &to.join(&name))?;
        } else if path.is_file() && !is_rewritten {
            put(&to.join(&name), fs::read(&path)?)?;
        }
    }
    Ok(())
}

fn write_pages(table: &BTreeMap<&str, Row>, survivors: &str) -> Outcome<()> {
    let mut rows = String::new();
    for (scheme, _) in RULES {
        let row = &table[scheme];
        let (seen, unused, alike) = (row.found + row.missed, row.unused, row.alike);
        let share = 100.0 * row.found as f64 / seen.max(1) as f64;
        let found = row.found;
        writeln!(
            rows,
            "| {scheme} | {seen} | {found} | {share:.1}% | {alike} | {unused} |"
        )?;
    }
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = PAGE
        .replace("ROWS", rows.trim_end())
        .replace("CASES", &TRIED.len().to_string())
        .replace("CHOSEN_OF", &SEARCHED.len().to_string());
    fs::write(own.join("README.md"), page)?;
    fs::write(
        own.join("survivors.md"),
        format!("# Mutants that no vector finds\n\n{SURVIVORS}\n{survivors}"),
    )?;
    Ok(())
}

const SURVIVORS: &str = "Each change of a scheme's rule that no conformance vector finds, with its \
    place in the core: those that cases at random tell from the rule are missed, the others alike.";

const PAGE: &str = include_str!("page.md");
