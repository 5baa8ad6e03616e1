//! Files that a command writes: whole, where they can be written, and over nobody else's.

mod support;

use std::fs;
use std::process::Command;

use support::{Ran, User};

const SHORT: &str = "\
duration = \"2 s\"
warm_up = \"1 s\"
seeds = 1
schemes = [\"red\"]
[network]
rate = \"2 Mbps\"
[flows.bulk]
count = 3
start = \"0 s\"
";

fn user_with_run() -> User {
    let user = User::new();
    user.writes("s.toml", SHORT);
    user.runs(&["run", "s.toml", "--out", "run", "-q"]).well();
    user
}

/// A file of the user's is refused, and replaced with `--force`; one of ours is replaced.
fn keeps(user: &User, arguments: &[&str], file: &str) {
    user.runs(arguments).well();
    user.runs(arguments).well();
    let ours = fs::read(user.path(file)).unwrap();
    user.writes(file, "a letter");
    let ran = user.runs(arguments);
    assert_eq!(ran.code, Some(2), "{arguments:?}: {}", ran.err);
    assert!(
        ran.err.contains(file) && ran.err.contains("--force"),
        "{}",
        ran.err
    );
    assert_eq!(fs::read_to_string(user.path(file)).unwrap(), "a letter");
    user.runs(&[arguments, &["--force"]].concat()).well();
    let again = fs::read(user.path(file)).unwrap();
    assert_eq!(again.len(), ours.len(), "{arguments:?}");
}

#[test]
fn files_of_others_are_kept() {
    let user = user_with_run();
    keeps(
        &user,
        &["export", "run", "--to", "csv", "--out", "d"],
        "d/cells.csv",
    );
    keeps(
        &user,
        &["export", "run", "--to", "json", "--out", "d"],
        "d/results.json",
    );
    keeps(&user, &["report", "run"], "run/report.html");
    keeps(&user, &["report", "run", "--out", "mine.html"], "mine.html");
    keeps(&user, &["man", "--out", "man"], "man/earlydrop-run.1");
    let load = ["--link", "20Mbps", "--rtt", "50ms", "--flows", "10"];
    let configure = [&["configure", "--html", "c.html"], &load[..]].concat();
    keeps(&user, &configure, "c.html");
    let trace = ["trace", "s.toml", "--out", "t", "--pcap", "t.pcapng"];
    keeps(&user, &trace, "t/report.html");
    keeps(&user, &trace, "t/series.csv");
    keeps(&user, &trace, "t.pcapng");
}

#[test]
fn a_trace_into_a_runs_folder_keeps_the_runs_report() {
    let user = user_with_run();
    let report = fs::read(user.path("run/report.html")).unwrap();
    let ran = user.runs(&["trace", "s.toml", "--out", "run"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("a run lies there"), "{}", ran.err);
    assert_eq!(fs::read(user.path("run/report.html")).unwrap(), report);
}

#[test]
fn a_file_that_cannot_be_written_fails_before_anything_runs() {
    let user = User::new();
    user.writes("s.toml", SHORT);
    let ran = user.runs(&["trace", "s.toml", "--pcap", "nowhere/x.pcapng"]);
    assert_ne!(ran.code, Some(0));
    assert!(ran.err.contains("nowhere/x.pcapng"), "{}", ran.err);
    assert_eq!(ran.out, "");
    for same in ["t/report.html", "./t/series.csv"] {
        let ran = user.runs(&["trace", "s.toml", "--out", "t", "--pcap", same]);
        assert_eq!(ran.code, Some(2), "{}", ran.err);
        assert!(ran.err.contains("the same file"), "{}", ran.err);
    }
}

/// The run's folder is mounted read-only, in a mount namespace of the shell's own.
#[cfg(target_os = "linux")]
#[test]
fn an_archive_that_cannot_be_written_is_read() {
    let user = user_with_run();
    let program = assert_cmd::cargo::cargo_bin!("earlydrop")
        .display()
        .to_string();
    let script = format!(
        "mount --bind run run && mount -o remount,ro,bind run || exit 99\n\
         '{program}' report run --out page.html && '{program}' export run --to csv --out csv \
         && '{program}' report run"
    );
    let mut shell = Command::new("unshare");
    shell.args(["--mount", "--map-root-user", "sh", "-c", &script]);
    let output = shell.current_dir(user.path("")).output().unwrap();
    if output.status.code() == Some(99) || output.stderr.starts_with(b"unshare") {
        eprintln!("skipped: no mount namespaces here");
        return;
    }
    let ran = Ran::of(output);
    assert!(
        ran.out.contains("report: page.html"),
        "{} {}",
        ran.out,
        ran.err
    );
    assert!(user.path("page.html").is_file() && user.path("csv/cells.csv").is_file());
    // Its own page cannot be written: the tables are there, and the way out is named.
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("--out FILE"), "{}", ran.err);
}

/// The files of `shell` grow while packets cross, so they are checked before, not renamed after.
#[cfg(target_os = "linux")]
#[test]
fn a_shell_keeps_files_of_others() {
    let user = User::new();
    for option in ["--stats", "--pcap"] {
        user.writes("mine", "a letter");
        let ran = user.runs(&["shell", "--rate", "10Mbps", option, "mine", "--", "true"]);
        assert_eq!(ran.code, Some(2), "{}", ran.err);
        assert!(
            ran.err.contains("mine") && ran.err.contains("--force"),
            "{}",
            ran.err
        );
        assert_eq!(fs::read_to_string(user.path("mine")).unwrap(), "a letter");
    }
}
