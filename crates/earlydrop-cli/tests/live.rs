//! `earlydrop live` and `earlydrop compare --live` as their users run them: scenarios on real hosts.
//!
//! Where namespaces or devices cannot be created, the tests that need them are skipped, unless
//! `EARLYDROP_NEEDS_NAMESPACES` is set.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::support::{Ran, User, database, numbers, skipped};

/// Two schemes, two seeds, two seconds each.
const SHORT: &str = "\
title = \"Short\"
duration = \"2 s\"
warm_up = \"1 s\"
seeds = 2
schemes = [\"red:min=5,max=15\", \"codel\"]

[network]
rate = \"10 Mbps\"
rtt = \"20 ms\"
buffer = \"50 packets\"

[flows.bulk]
count = 4
tcp = \"reno\"
";

/// Runs the command; `None`, with a note, where there can be no hosts.
fn runs(user: &User, arguments: &[&str]) -> Option<Ran> {
    let ran = user.runs(arguments);
    let refused = ["create no network namespace", "TUN devices are needed"];
    if refused.iter().any(|words| ran.err.contains(words)) {
        let test = std::thread::current();
        skipped(test.name().unwrap_or_default(), ran.err.trim());
        return None;
    }
    Some(ran)
}

#[test]
fn features_that_real_hosts_lack_are_refused_by_name_and_place() {
    let tahoe = SHORT.replace("tcp = \"reno\"", "tcp = { recovery = \"tahoe\" }");
    let two = SHORT.replace(
        "[network]\n",
        "[network]\nshape = \"parking-lot\"\nbottlenecks = 2\n",
    );
    let many = SHORT.replace("count = 4", "count = 100000");
    for (text, place, words) in [
        (&tahoe, "scenario.toml:12:", "Tahoe"),
        (&two, "scenario.toml:8:", "one bottleneck"),
        (&many, "scenario.toml:12:", "has 100000"),
    ] {
        let user = User::new();
        user.writes("scenario.toml", text);
        for command in [&["live"][..], &["compare", "--live"]] {
            let ran = user.runs(&[command, &["scenario.toml"]].concat());
            assert_eq!(ran.code, Some(2), "{ran:?}");
            assert!(
                ran.err.contains(words) && ran.err.contains(place),
                "{ran:?}"
            );
            assert!(!user.path("runs").exists(), "nothing was to be run");
        }
    }
}

#[test]
fn all_refusals_are_reported_together() {
    let user = User::new();
    let text = SHORT.replace("tcp = \"reno\"", "tcp = { recovery = \"tahoe\" }");
    let other = "[flows.other]\ntcp = { control = \"scalable\" }\n";
    user.writes("scenario.toml", &(text + other));
    let ran = user.runs(&["live", "scenario.toml"]);
    assert_eq!(ran.code, Some(2));
    for words in ["flows `bulk`", "flows `other`"] {
        assert!(ran.err.contains(words), "{ran:?}");
    }
}

/// Starts a command that stores cells in `out`, and interrupts it when it has stored one.
fn interrupted_after_a_cell(user: &User, arguments: &[&str]) -> Ran {
    let mut command = user.command(arguments);
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let (wal, started) = (user.path("out/results.sqlite-wal"), Instant::now());
    let length = || fs::metadata(&wal).map_or(0, |file| file.len());
    // The write-ahead log grows when a cell is stored.
    while length() < 20_000 && child.try_wait().unwrap().is_none() {
        let elapsed = started.elapsed();
        assert!(elapsed < Duration::from_secs(300), "no cell is stored");
        sleep(Duration::from_millis(20));
    }
    let mut press = Command::new("kill");
    press.args(["-INT", &child.id().to_string()]);
    assert!(press.status().unwrap().success());
    Ran::of(child.wait_with_output().unwrap())
}

#[test]
fn a_stopped_run_is_kept_and_resumes() {
    let user = User::new();
    user.writes("short.toml", SHORT);
    let arguments = ["live", "short.toml", "--out", "out", "--seeds", "1"];
    let Some(ran) = runs(&user, &arguments) else {
        return;
    };
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(
        ran.err.contains("2 runs of 2 s on real hosts: 4 s"),
        "{ran:?}"
    );
    assert!(ran.out.contains("live, on real hosts"), "{ran:?}");
    let page = fs::read_to_string(ran.report(&user)).unwrap();
    assert!(page.contains("\"what\":\"lateness\""));

    // With more seeds, finished cells are not run again, even if the second attempt is stopped.
    let stopped = interrupted_after_a_cell(&user, &["live", "short.toml", "--out", "out"]);
    assert_eq!(stopped.code, Some(130), "{stopped:?}");
    let words = "of 4 runs are kept in out; the same command resumes";
    assert!(stopped.err.contains(words), "{stopped:?}");
    let ran = user.runs(&["live", "short.toml", "--out", "out"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.err.contains(" are done"), "{ran:?}");
    let cells = numbers(
        &database(&user.path("out")),
        "SELECT cell FROM cells ORDER BY cell",
    );
    assert_eq!(cells, [0.0, 1.0, 2.0, 3.0]);
    let shares = numbers(&database(&user.path("out")), "SELECT cpu FROM live");
    assert!(shares.len() == 4 && shares.iter().all(|share| *share > 0.0));

    for arguments in [&["report", "out"][..], &["export", "out", "--to", "csv"]] {
        user.runs(arguments).well();
    }
    assert!(user.path("out/csv/lateness.csv").exists());
    let ran = user.runs(&["run", "short.toml", "--out", "out"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("holds a live run"), "{ran:?}");
}

#[test]
fn simulated_and_live_results_are_compared() {
    let user = User::new();
    user.writes("short.toml", &SHORT.replace("seeds = 2\n", ""));
    let arguments = ["compare", "--live", "short.toml", "--markdown", "both.md"];
    let mut command = user.command(&arguments);
    let ran = Ran::of(command.env("COLUMNS", "80").output().unwrap());
    if runs(
        &user,
        &["live", "short.toml", "--seeds", "1", "-q", "--out", "tried"],
    )
    .is_none()
    {
        return;
    }
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.err.contains("3 seeds by default"), "{ran:?}");
    for words in ["simulated", "live", "difference", "queueing delay ms"] {
        assert!(ran.out.contains(words), "{words} in {}", ran.out);
    }
    let tables = ran.out.lines().filter(|line| !line.contains(": "));
    assert!(
        tables.into_iter().all(|line| line.chars().count() <= 80),
        "{}",
        ran.out
    );
    let path = |name: &str| {
        let mut lines = ran.out.lines();
        let path = lines.find_map(|line| line.strip_prefix(name)).unwrap();
        user.path(path)
    };
    check_links(&path("side by side: "));
    let markdown = fs::read_to_string(user.path("both.md")).unwrap();
    assert!(markdown.contains("| codel"), "{markdown}");

    // Every cell is done: the command only prints the results.
    let again = user
        .runs(&["compare", "--live", "short.toml", "--json", "--quiet"])
        .well();
    let document = again.json();
    assert_eq!(document["rows"].as_array().unwrap().len(), 2);
    assert_eq!(document["seeds"], serde_json::json!([1, 2, 3]));
    // Four flows fill the link, simulated and live. On a machine that is too busy for it a live run
    // says that it is not to be trusted, and then only that packets went through.
    for row in document["rows"].as_array().unwrap() {
        let value = |hosts| {
            row["quantities"]["utilisation"][hosts]["mean"]
                .as_f64()
                .unwrap()
        };
        let least = match row["not_trustworthy"].as_u64() {
            Some(0) => 0.4,
            _ => 0.0,
        };
        assert!(value("simulated") > 0.5 && value("live") > least, "{row}");
    }
}

/// Checks that a page links to both reports, which exist.
fn check_links(page: &Path) {
    let text = fs::read_to_string(page).unwrap();
    let links: Vec<&str> = text
        .split("href=\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .collect();
    assert_eq!(links.len(), 2, "{links:?}");
    for link in links {
        assert!(page.with_file_name(link).exists(), "{link}");
    }
}
