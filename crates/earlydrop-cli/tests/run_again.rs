//! Every command that a page shows to be run again runs in a new folder, with the same results.
#![cfg(unix)]

use std::fs;
use std::path::Path;

use crate::support::{Ran, SMALL, User};

/// The command on a page of a run or of a trace, which is in the page's data.
fn command_of(page: &str) -> String {
    let (_, rest) = page
        .split_once("\"command\":")
        .expect("a command in the page's data");
    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<String>();
    values.next().unwrap().unwrap()
}

/// A new folder with the scenarios of another, in which nothing has run yet.
fn elsewhere(user: &User) -> User {
    let other = User::new();
    copy_scenarios(&user.path(""), &other.path(""));
    other
}

fn copy_scenarios(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            fs::create_dir_all(&target).unwrap();
            copy_scenarios(&entry.path(), &target);
        } else if entry.path().extension().is_some_and(|end| end == "toml") {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Runs a line as a shell does.
fn in_shell(user: &User, line: &str) -> Ran {
    assert!(line.starts_with("earlydrop "), "{line}");
    user.types(line)
}

/// What a command printed, without the places where it wrote.
fn tables(ran: &Ran) -> Vec<String> {
    let lines = ran.out.lines();
    let lines = lines.filter(|line| !line.starts_with("report: "));
    lines.map(str::to_string).collect()
}

const SHORT: [&str; 10] = [
    "--link",
    "3Mbps",
    "--rtt",
    "30ms",
    "--seeds",
    "1",
    "--duration",
    "3s",
    "--warm-up",
    "1s",
];

#[test]
fn the_line_of_a_run_page_repeats_the_run() {
    let built_in = [
        "compare",
        "--schemes",
        "red,codel",
        "--set",
        "flows.web.size=12 kB",
    ];
    let built_in = [&built_in[..], &SHORT].concat();
    for arguments in [
        built_in,
        vec!["run", "small.toml"],
        vec![
            "compare",
            "small.toml",
            "--schemes",
            "red",
            "--flows",
            "3",
            "--out",
            "a folder",
        ],
    ] {
        let user = User::new();
        user.writes("small.toml", SMALL);
        let ran = user.runs(&arguments).well();
        let line = command_of(&fs::read_to_string(ran.report(&user)).unwrap());
        let again = in_shell(&elsewhere(&user), &line);
        assert_eq!((again.code, again.err.as_str()), (Some(0), ""), "{line}");
        assert_eq!(tables(&again), tables(&ran), "{line}");
    }
}

#[test]
fn the_line_of_tune_s_page_repeats_its_validation() {
    let user = User::new();
    user.writes("small.toml", SMALL);
    let tune = [
        "tune",
        "small.toml",
        "--minimise",
        "delay_p99",
        "--budget",
        "13",
    ];
    let ran = user
        .runs(&[&tune[..], &["--schemes", "red", "--quiet"]].concat())
        .well();
    let page = ran.report(&user);
    let line = command_of(&fs::read_to_string(&page).unwrap());
    let other = elsewhere(&user);
    let again = in_shell(&other, &line);
    assert_eq!((again.code, again.err.as_str()), (Some(0), ""), "{line}");
    let folder = page.parent().unwrap().to_str().unwrap();
    let report = user.runs(&["report", folder]).well();
    assert_eq!(tables(&again), tables(&report), "{line}");
}

/// The samples of a trace that was written below this folder.
fn series(user: &User, ran: &Ran) -> String {
    let path = ran.out.lines().find(|line| line.ends_with("series.csv"));
    fs::read_to_string(user.path(path.expect("a series"))).unwrap()
}

#[test]
fn the_line_of_a_trace_repeats_it_also_for_the_built_in_scenario_and_standard_input() {
    let built_in = [
        "trace",
        "--schemes",
        "ared,red:min=5",
        "--set",
        "flows.web.count=2",
        "--cell",
        "1",
    ];
    let built_in = [&built_in[..], &SHORT].concat();
    for (arguments, input) in [
        (built_in, ""),
        (
            vec![
                "trace",
                "small.toml",
                "--cell",
                "3",
                "--flows",
                "2",
                "--out",
                "it's",
            ],
            "",
        ),
        (
            vec![
                "trace", "-", "--cell", "2", "--sample", "20ms", "--pcap", "p.pcapng",
            ],
            SMALL,
        ),
    ] {
        let user = User::new();
        user.writes("small.toml", SMALL);
        let ran = user.pipes(input, &arguments).well();
        let page = ran.out.lines().find(|line| line.ends_with("report.html"));
        let page = fs::read_to_string(user.path(page.expect("a page"))).unwrap();
        let line = command_of(&page);
        let other = elsewhere(&user);
        let again = in_shell(&other, &line);
        assert_eq!((again.code, again.err.as_str()), (Some(0), ""), "{line}");
        let samples = series(&user, &ran);
        assert!(samples.lines().count() > 100, "{line}");
        assert_eq!(series(&other, &again), samples, "{line}");
    }
}

/// The text of every element `code` of a page that is a command.
fn commands_in(page: &str) -> Vec<String> {
    let pieces = page.split("<code>").skip(1);
    let texts = pieces.filter_map(|piece| piece.split_once("</code>").map(|(text, _)| text));
    let plain = |text: &str| {
        let text = text
            .replace("&quot;", "\"")
            .replace("&#39;", "'")
            .replace("&lt;", "<");
        text.replace("&gt;", ">").replace("&amp;", "&")
    };
    let mut all: Vec<String> = texts
        .map(plain)
        .filter(|text| text.starts_with("earlydrop "))
        .collect();
    all.sort();
    all.dedup();
    all
}

#[test]
fn the_line_of_configure_s_page_makes_the_page_again() {
    let user = User::new();
    let configure = [
        "configure",
        "--link",
        "20Mbps",
        "--rtt",
        "50ms",
        "--flows",
        "20",
    ];
    let more = [
        "--scheme",
        "gred:max_p=0.05",
        "--buffer",
        "90 packets",
        "--html",
        "a page.html",
    ];
    user.runs(&[&configure[..], &more].concat()).well();
    let page = fs::read_to_string(user.path("a page.html")).unwrap();
    let lines = commands_in(&page);
    let other = User::new();
    let again = in_shell(&other, lines.first().expect("a command"));
    assert_eq!((again.code, again.err.as_str()), (Some(0), ""), "{lines:?}");
    assert_eq!(fs::read_to_string(other.path("a page.html")).unwrap(), page);
}

#[test]
fn the_lines_of_a_paper_s_pages_repeat_them() {
    let user = User::new();
    let ran = user
        .runs(&["reproduce", "clred.F5.a", "--json", "--quiet"])
        .well();
    let mut pages = Vec::new();
    pages_below(&user.path(""), &mut pages);
    let lines: Vec<String> = pages.iter().flat_map(|page| commands_in(page)).collect();
    let of_claim = lines
        .iter()
        .find(|line| line.contains("clred.F5.a --quick"));
    let again = in_shell(
        &User::new(),
        &format!("{} --json --quiet", of_claim.expect("a command")),
    );
    assert_eq!((again.code, again.err.as_str()), (Some(0), ""), "{lines:?}");
    assert_eq!(again.json(), ran.json(), "{lines:?}");
    // The others take long; that they are understood is seen before anything runs.
    for line in &lines {
        let refused = in_shell(&User::new(), &format!("{line} --no-such-option"));
        assert!(
            refused.err.contains("--no-such-option"),
            "{line}: {}",
            refused.err
        );
    }
}

fn pages_below(folder: &Path, pages: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            pages_below(&path, pages);
        } else if path.extension().is_some_and(|end| end == "html") {
            pages.push(fs::read_to_string(path).unwrap());
        }
    }
}

#[test]
fn an_automatic_duration_is_reached_kept_and_runs_again() {
    let scenario = "duration = \"auto\"\nseeds = 3\nschemes = [\"codel\"]\nflows.bulk.count = 1\n\
        network = { rate = \"5 Mbps\", rtt = \"10 ms\" }\n\
        flows.web = { kind = \"web\", size = \"pareto(1.4) 20 kB\", count = 2 }\n\
        measure = { longest = \"30 s\", interval = \"0.1%\" }\n";
    let user = User::new();
    user.writes("auto.toml", scenario);
    let checked = user.runs(&["check", "auto.toml"]);
    let first = checked
        .out
        .lines()
        .find(|line| line.contains("or longer up to"));
    assert_eq!(first.unwrap().trim(), "duration 6 s, or longer up to 24 s");
    let run = ["run", "auto.toml", "--out", "made"];
    let ran = user.runs(&run);
    assert!(
        ran.err.contains("6 s was not long enough, as "),
        "{}",
        ran.err
    );
    assert!(
        ran.err.contains("24 s is not long enough, as "),
        "{}",
        ran.err
    );
    let kept = fs::read_to_string(user.path("made/scenario.toml")).unwrap();
    assert!(kept.contains("duration = \"24 s\""), "{kept}");
    // The same again goes on with the longest, and a new run of what was kept is the same.
    let again = user.runs(&run);
    assert_eq!(tables(&again), tables(&ran));
    assert!(
        !again.err.contains("6 s was not long enough"),
        "{}",
        again.err
    );
    let of_kept = user.runs(&["run", "made/scenario.toml", "--out", "other"]);
    assert_eq!(tables(&of_kept), tables(&ran));
    // One seed does not tell.
    let plain = user.runs(&["run", "auto.toml", "--out", "one", "--seeds", "1"]);
    let said = "duration = \"auto\" stays at 6 s: with one seed nothing can be said";
    assert!(plain.err.contains(said), "{}", plain.err);
    assert!(plain.err.contains("--seeds 5"), "{}", plain.err);
}
