//! Files that a command writes: whole, where they can be written, and over nobody else's.

use std::fs;
use std::process::Command;

use crate::support::{Ran, User};

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

/// A file of the user's may have our marks as text, in another place than a file of ours.
#[test]
fn files_that_only_mention_earlydrop_are_kept() {
    let user = user_with_run();
    fs::create_dir(user.path("data")).unwrap();
    let report = fs::read_to_string(user.path("run/report.html")).unwrap();
    let database = fs::read(user.path("run/results.sqlite")).unwrap();
    let trace = ["trace", "s.toml", "--out", "t", "--pcap"];
    let to = |format| ["export", "run", "--to", format, "--out", "data"];
    let letter = "Dear editor,\n\nwe have used earlydrop.\n";
    let quoted = format!("<p>{}</p>", report.replace("<!doctype html>", ""));
    let cases: [(&[&str], &str, &str); 9] = [
        (&trace, "letter", letter),
        (&trace, "run/report.html", &report),
        (&to("csv"), "data/about.csv", "key,value\nsite,berlin\n"),
        (&to("csv"), "data/schemes.csv", "site\nscheme,spec\n"),
        (&to("csv"), "data/points.csv", "a point,field,value\n"),
        (&to("csv"), "data/points.csv", "point,field,value,date\n"),
        (&to("parquet"), "data/cells.parquet", letter),
        (
            &to("json"),
            "data/results.json",
            "{\"by\": {\"earlydrop\": \"0.2\"}}",
        ),
        (&["report", "run", "--out"], "page.html", &quoted),
    ];
    for (command, file, text) in cases {
        user.writes(file, text);
        let takes_file = command.ends_with(&["--pcap"]) || command.ends_with(&["--out"]);
        let option: &[&str] = if takes_file { &[file] } else { &[] };
        let ran = user.runs(&[command, option].concat());
        assert_eq!(ran.code, Some(2), "{command:?} {file}: {}", ran.err);
        assert!(ran.err.contains(file), "{}", ran.err);
        assert_eq!(fs::read_to_string(user.path(file)).unwrap(), text);
        fs::remove_file(user.path(file)).unwrap();
    }
    let ran = user.runs(&[&trace[..], &["run/results.sqlite"]].concat());
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert_eq!(fs::read(user.path("run/results.sqlite")).unwrap(), database);
    // What each command has written is its own.
    for format in ["csv", "parquet", "json"] {
        user.runs(&to(format)).well();
        user.runs(&to(format)).well();
    }
}

#[test]
fn a_stored_scenario_that_the_user_has_changed_is_kept() {
    let user = user_with_run();
    let run = |seeds| user.runs(&["run", "s.toml", "--out", "run", "-q", "--seeds", seeds]);
    let stored = || fs::read_to_string(user.path("run/scenario.toml")).unwrap();
    // As it was written, it grows with the seeds.
    run("2").well();
    assert!(stored().contains("seeds = 2\n"));
    // A comment stays, also when it grows.
    let commented = format!("# our first one\n{}", stored());
    user.writes("run/scenario.toml", &commented);
    run("2").well();
    assert_eq!(stored(), commented);
    run("3").well();
    assert_eq!(stored(), commented.replace("seeds = 2\n", "seeds = 3\n"));
    for (text, seeds) in [
        ("my notes", "3"),
        (&commented.replace("2 Mbps", "3 Mbps"), "3"),
    ] {
        user.writes("run/scenario.toml", text);
        let ran = run(seeds);
        assert_eq!(ran.code, Some(2), "{}", ran.err);
        assert!(
            ran.err.contains("run/scenario.toml was changed"),
            "{}",
            ran.err
        );
        assert!(!ran.err.contains("--force"), "{}", ran.err);
        assert_eq!(stored(), text);
    }
    fs::remove_file(user.path("run/scenario.toml")).unwrap();
    run("4").well();
    assert!(stored().contains("seeds = 4\n"));
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

#[test]
fn a_file_where_a_folder_is_needed_is_named() {
    let user = user_with_run();
    user.writes("letter", "dear editor");
    for arguments in [
        &["run", "s.toml", "--out", "letter"][..],
        &["run", "s.toml", "--out", "letter/run"],
        &["trace", "s.toml", "--out", "letter"],
        &["export", "run", "--to", "csv", "--out", "letter"],
        &["man", "--out", "letter"],
        &["lab", "--no-open", "--out", "letter/page.html"],
    ] {
        let ran = user.runs(arguments);
        assert_eq!(ran.code, Some(2), "{arguments:?}: {}", ran.err);
        assert!(
            ran.err.contains("letter is not a folder"),
            "{arguments:?}: {}",
            ran.err
        );
    }
    let letter = fs::read_to_string(user.path("letter")).unwrap();
    assert_eq!(letter, "dear editor");
}

#[test]
fn inputs_are_no_outputs() {
    let user = user_with_run();
    user.writes("link.trace", "1\n");
    let traced = SHORT.replace("rate = \"2 Mbps\"", "trace = \"link.trace\"");
    user.writes("t.toml", &traced);
    fs::create_dir(user.path("sub")).unwrap();
    fs::hard_link(user.path("s.toml"), user.path("same.csv")).unwrap();
    for (arguments, input) in [
        (
            &["report", "run", "--out", "run/results.sqlite"][..],
            "run/results.sqlite",
        ),
        (
            &["report", "run", "--out", "run/scenario.toml"],
            "run/scenario.toml",
        ),
        (&["trace", "s.toml", "--pcap", "sub/../s.toml"], "s.toml"),
        (&["trace", "s.toml", "--packets", "same.csv"], "s.toml"),
        (&["trace", "t.toml", "--pcap", "link.trace"], "link.trace"),
        (&["lab", "s.toml", "--no-open", "--out", "s.toml"], "s.toml"),
    ] {
        let before = fs::read(user.path(input)).unwrap();
        let ran = user.runs(&[arguments, &["--force"]].concat());
        assert_eq!(ran.code, Some(2), "{arguments:?}: {}", ran.err);
        assert!(
            ran.err.contains("this command reads that file"),
            "{}",
            ran.err
        );
        assert_eq!(fs::read(user.path(input)).unwrap(), before, "{arguments:?}");
    }
}

#[test]
fn a_report_of_an_unfinished_run_says_how_much_of_it_is_there() {
    let user = User::new();
    user.writes("s.toml", &SHORT.replace("seeds = 1", "seeds = 3"));
    user.runs(&["run", "s.toml", "--out", "run", "-q"]).well();
    for format in ["text", "markdown"] {
        let whole = user.runs(&["report", "run", "--as", format]).well();
        assert!(!whole.out.contains("unfinished"), "{}", whole.out);
    }
    let delete = |condition: &str| {
        let database = rusqlite::Connection::open(user.path("run/results.sqlite")).unwrap();
        let statement = format!("DELETE FROM cells WHERE {condition}");
        database.execute(&statement, []).unwrap();
    };
    delete("seed = 2");
    for format in ["text", "markdown"] {
        let part = user.runs(&["report", "run", "--as", format]).well();
        let wanted = "unfinished: 2 of 3 runs are there";
        assert!(part.out.contains(wanted), "{}", part.out);
    }
    delete("1 = 1");
    let none = user.runs(&["report", "run"]);
    assert_eq!(none.code, Some(2), "{}", none.out);
    assert!(none.err.contains("none of its 3 runs"), "{}", none.err);
}
