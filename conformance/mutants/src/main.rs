//! The mutation test of the conformance vectors: how many changes of a scheme's rule they find.
//!
//! ```text
//! cargo run --manifest-path conformance/mutants/Cargo.toml [-- [search] [SCHEME...]]
//! ```
//!
//! The core is copied, and rewritten so that it contains every mutant: one operator, number or
//! assignment of a rule changed, behind a number that is chosen when it runs. It is built once. Each
//! mutant is then judged by its scheme's vectors. `README.md` has the table; `survivors.md` what no
//! vector finds. `search` tries cases of the catalogue's `searched.rs` beyond the vectors instead, and
//! names the fewest that find what can be found.

mod mutate;
mod search;

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

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

/// How long a mutant may run: one that never ends is found.
const PATIENCE: Duration = Duration::from_secs(10);

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
    let vectors = |scheme: &str| root().join(format!("conformance/vectors/{scheme}.jsonl"));
    let mut table = BTreeMap::new();
    let mut survivors = String::new();
    for (scheme, files) in RULES {
        if !wanted.is_empty() && !wanted.iter().any(|one| one == scheme) {
            continue;
        }
        let reached = reached(&judge, &vectors(scheme))?;
        let own = mutants
            .iter()
            .filter(|one| files.contains(&one.file.as_str()));
        let (run, unused): (Vec<_>, Vec<_>) = own.partition(|one| reached.contains(&one.number));
        let mut alive = Vec::new();
        for mutant in &run {
            if !is_found(&judge, mutant.number, &vectors(scheme))? {
                alive.push(*mutant);
            }
        }
        if searches {
            let left: Vec<u32> = alive.iter().map(|one| one.number).collect();
            search::print_cases(&judge, scheme, &left)?;
            continue;
        }
        println!(
            "{scheme}: {} of {} found; {} not run",
            run.len() - alive.len(),
            run.len(),
            unused.len()
        );
        if !alive.is_empty() {
            writeln!(survivors, "\n## {scheme}\n")?;
        }
        for Mutant {
            file,
            line,
            was,
            is,
            ..
        } in &alive
        {
            writeln!(
                survivors,
                "- {file}, line {line}: `{was}`, changed to `{is}`"
            )?;
        }
        table.insert(scheme, (run.len(), alive.len(), unused.len()));
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

/// The mutants that vectors reach.
fn reached(judge: &Path, vectors: &Path) -> Outcome<BTreeSet<u32>> {
    let output = Command::new(judge).arg("0").arg(vectors).output()?;
    let numbers = String::from_utf8(output.stdout)?;
    let numbers: Result<_, _> = numbers.lines().map(str::parse).collect();
    Ok(numbers?)
}

/// Whether vectors find a mutant: by a difference, a panic, or because it does not end.
fn is_found(judge: &Path, mutant: u32, vectors: &Path) -> Outcome<bool> {
    let mut command = Command::new(judge);
    command
        .arg(mutant.to_string())
        .arg(vectors)
        .stderr(Stdio::null());
    let (mut running, start) = (command.spawn()?, Instant::now());
    loop {
        if let Some(status) = running.try_wait()? {
            return Ok(!status.success());
        }
        if start.elapsed() > PATIENCE {
            running.kill()?;
            running.wait()?;
            return Ok(true);
        }
        thread::sleep(Duration::from_millis(2));
    }
}

/// Builds the core with its mutants in `folder`. Those that do not compile are left out.
fn build(folder: &Path) -> Outcome<(Vec<Mutant>, PathBuf)> {
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
            return Ok((mutants, folder.join("target/debug/judge")));
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

fn write_pages(table: &BTreeMap<&str, (usize, usize, usize)>, survivors: &str) -> Outcome<()> {
    let mut rows = String::new();
    for (scheme, _) in RULES {
        let (run, alive, unused) = table[scheme];
        let found = run - alive;
        let share = 100.0 * found as f64 / run.max(1) as f64;
        writeln!(
            rows,
            "| {scheme} | {run} | {found} | {share:.1}% | {unused} |"
        )?;
    }
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    fs::write(own.join("README.md"), PAGE.replace("ROWS", rows.trim_end()))?;
    fs::write(
        own.join("survivors.md"),
        format!("# Mutants that no vector finds\n\n{SURVIVORS}\n{survivors}"),
    )?;
    Ok(())
}

const SURVIVORS: &str =
    "Each change of a scheme's rule that no conformance vector finds, with its place in the core.";

const PAGE: &str = include_str!("page.md");
