//! The scenarios of `scenarios/` and of the suites: each plans, and each of its schemes runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use earlydrop::units::Nanos;
use earlydrop_lab::judge::{Verdict, judgements};
use earlydrop_lab::plan::{Cell, Plan, Source};
use earlydrop_lab::rows::Rows;
use earlydrop_lab::run::all_outcomes;
use earlydrop_lab::summary::Summary;
use earlydrop_sim::results::Results;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios")
}

/// The scenarios of a suite.
fn suite(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("suites")
        .join(name)
}

/// Every scenario file, in order of their paths.
fn files() -> Vec<PathBuf> {
    let suites = ["rfc7928", "l4s", "datacentre"].map(suite);
    let folders = [vec![folder(), folder().join("live")], suites.to_vec()].concat();
    let entries = folders
        .iter()
        .flat_map(|folder| fs::read_dir(folder).unwrap());
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
    files.sort();
    assert!(files.len() >= 20, "{files:?}");
    files
}

/// Files whose runs are not shortened: they are about changes at certain times.
const FULL_LENGTH: &[&str] = &[
    "data-centre.toml",
    "incast.toml",
    "leaf-spine.toml",
    "pauses.toml",
    "rdma.toml",
    "rdma-classes.toml",
    "rdma-convergence.toml",
    "rdma-thresholds.toml",
    "web-search.toml",
    "flood.toml",
    "tcp-friendly.toml",
    "varying-capacity.toml",
    "varying-congestion.toml",
];

/// Files that are about settings which a warning is about, with words of each warning.
const WARNED: &[(&str, &[&str])] = &[
    (
        "papers-dumbbell.toml",
        &["fewer than 4 packets for each of 80 flows"],
    ),
    (
        "burst-absorption.toml",
        &["max = 15 packets (9 ms) of ared, rared"],
    ),
    (
        "congestion.toml",
        &["fewer than 4 packets for each of 100 flows"],
    ),
    ("satellite.toml", &["the interval of codel (100 ms)"]),
];

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

fn plan(source: &Source) -> Plan {
    source
        .plan()
        .unwrap_or_else(|problems| panic!("{problems}"))
}

fn results(plan: &Plan, cell: Cell) -> Results {
    let prepared = plan.prepare(cell, false);
    let prepared = prepared.unwrap_or_else(|problem| panic!("{problem}"));
    let results = prepared.run.results().unwrap();
    // At random, a fabric's watched link may have carried nothing yet.
    let used = results.queues.iter().map(|queue| queue.utilisation);
    let used = used.fold(0.0, f64::max);
    assert!(used > 0.05, "no link is used at more than {used}");
    results
}

fn check_totals(results: &Results, what: &str) {
    let totals = &results.totals;
    let packets = |tally: &earlydrop::counters::Tally| (tally.packets, tally.bytes);
    let (delivered, dropped) = (packets(&totals.delivered), packets(&totals.dropped));
    let in_flight = packets(&totals.in_flight);
    let sum = (
        delivered.0 + dropped.0 + in_flight.0,
        delivered.1 + dropped.1 + in_flight.1,
    );
    assert_eq!(packets(&totals.sent), sum, "{what}: {totals:?}");
}

#[test]
fn every_scheme_of_every_file_runs() {
    for path in files() {
        let whole = plan(&Source::open(&path).unwrap());
        let mut source = Source::open(&path).unwrap();
        if !FULL_LENGTH.contains(&name(&path).as_str()) {
            source.set("duration", "6 s", "cut");
            source.set("warm_up", "2 s", "cut");
        }
        let plan = plan(&source);
        assert_eq!(plan.labels(), whole.labels());
        for scheme in 0..plan.labels().len() {
            let cell = Cell {
                seed: 0,
                point: 0,
                scheme,
            };
            let what = format!("{}, {}", path.display(), plan.labels()[scheme]);
            check_totals(&results(&plan, cell), &what);
        }
    }
}

#[test]
fn every_file_runs_with_a_quarter_of_its_duration() {
    for path in files() {
        let whole = plan(&Source::open(&path).unwrap());
        let (warm_up, duration) = (whole.scenario().warm_up, whole.scenario().duration);
        let mut source = Source::open(&path).unwrap();
        let quarter = Nanos(duration.0 / 4);
        source.change("duration", &quarter.to_string(), "--duration");
        let shortened = plan(&source);
        let scenario = shortened.scenario();
        assert_eq!(
            (scenario.duration, scenario.warm_up),
            (quarter, Nanos(warm_up.0 / 4))
        );
        for cell in [
            shortened.cell(0),
            shortened.cell(shortened.cell_count() - 1),
        ] {
            let cell = cell.unwrap();
            let prepared = shortened.prepare(cell, false);
            let prepared = prepared.unwrap_or_else(|problem| panic!("{problem}"));
            check_totals(&prepared.run.results().unwrap(), &name(&path));
        }
        // As it is stored, it is the same plan.
        let folder = path.parent().unwrap().to_path_buf();
        if shortened.recordings.is_empty() {
            let stored = Source::new("scenario.toml", &shortened.toml(), folder).unwrap();
            assert_eq!(
                plan(&stored).identity(),
                shortened.identity(),
                "{}",
                path.display()
            );
        }
    }
}

#[test]
fn times_beyond_the_end_are_reported() {
    let path = suite("rfc7928").join("varying-congestion.toml");
    let mut source = Source::open(&path).unwrap();
    source.change("duration", "30 s", "--duration 30s");
    let warnings = plan(&source).warnings().join("\n");
    for part in [
        "flows `medium`: the stop at 60 s has no effect: the run ends at 30 s",
        "flows `heavy`: a start at 40 s has no effect",
    ] {
        assert!(warnings.contains(part), "{warnings}");
    }
}

#[test]
fn only_files_about_it_are_warned_of() {
    for path in files() {
        let warnings = plan(&Source::open(&path).unwrap()).warnings();
        let known = WARNED.iter().find(|(file, _)| *file == name(&path));
        let wanted = known.map_or(&[][..], |(_, words)| words);
        assert_eq!(
            warnings.len(),
            wanted.len(),
            "{}: {warnings:#?}",
            path.display()
        );
        for words in wanted {
            assert!(
                warnings.iter().any(|warning| warning.contains(words)),
                "{warnings:#?}"
            );
        }
    }
}

#[test]
fn every_file_has_a_description() {
    for path in files() {
        let text = fs::read_to_string(&path).unwrap();
        let comment = text.lines().take_while(|line| line.starts_with('#'));
        let words: usize = comment.map(|line| line.split_whitespace().count()).sum();
        assert!(words >= 40, "{}: opens with {words} words", path.display());
        let scenario = plan(&Source::open(&path).unwrap());
        let scenario = scenario.scenario();
        assert!(!scenario.title.is_empty() && !scenario.about.is_empty());
        assert!(!text.contains('\t') && text.lines().all(|line| line.chars().count() <= 100));
    }
}

/// The synthetic trace follows the formula in recorded-link.toml.
#[test]
fn the_trace_follows_its_formula() {
    use std::f64::consts::PI;
    let packets = |t: f64| t / 2.0 + 2000.0 / (3.0 * PI) * (1.0 - (2.0 * PI * t / 4000.0).cos());
    let mut wanted = String::new();
    let mut lines = 0;
    for millis in 0..=4000 {
        // At the end the count is an integer up to rounding.
        while f64::from(lines + 1) <= packets(f64::from(millis)) + 1e-6 {
            wanted.push_str(&format!("{millis}\n"));
            lines += 1;
        }
    }
    let trace = fs::read_to_string(suite("rfc7928").join("traces/wave.trace")).unwrap();
    assert!(trace == wanted, "the trace differs");
}

/// The run times of whole files. Not part of every run of the tests:
/// `cargo test --release -p earlydrop-lab --test it scenarios -- --ignored --nocapture`.
#[test]
#[ignore = "takes minutes"]
fn whole_files_take_less_than_a_minute() {
    for path in files() {
        let plan = plan(&Source::open(&path).unwrap());
        let began = Instant::now();
        let (mut cells, mut most) = (0, 0.0_f64);
        for cell in plan.cells() {
            cells += 1;
            let began = Instant::now();
            let what = format!("{}, {cell:?}", path.display());
            check_totals(&results(&plan, cell), &what);
            most = most.max(began.elapsed().as_secs_f64());
        }
        let secs = began.elapsed().as_secs_f64();
        println!(
            "{:34} {cells:4} cells {secs:5.1} s on one thread, the longest {most:.2} s",
            name(&path)
        );
        assert!(secs < 120.0 && most < 2.0, "{}: {secs} s", path.display());
    }
}

/// What shipped scenarios are expected to show, they show with the seeds that they are run with.
#[test]
fn expectations_of_shipped_scenarios_hold() {
    let mut files = files();
    files.retain(|path| path.parent().is_some_and(|at| at.ends_with("scenarios")));
    assert!(files.len() > 10, "{files:?}");
    for path in files {
        let plan = plan(&Source::open(&path).unwrap());
        assert!(!plan.expectations.is_empty(), "{}", path.display());
        let ended = all_outcomes(&plan, 2, &AtomicBool::new(false));
        let ended = ended.unwrap().expect("nothing stops it");
        let summary = Summary::of(&plan, Rows::of_outcomes(&plan, &ended));
        for judgement in judgements(&plan, &summary) {
            let verdict = judgement.verdict;
            assert_eq!(verdict, Verdict::Holds, "{}: {judgement:?}", path.display());
        }
    }
}
