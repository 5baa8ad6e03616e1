//! A run that is killed at any time: finished cells are kept, not run again, and never counted twice.
#![cfg(unix)]

use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::support::{Ran, User, database, numbers};
use rusqlite::{Connection, OpenFlags};

/// 300 runs of some milliseconds each.
const MANY: &str = "\
duration = \"20 s\"
warm_up = \"1 s\"
seeds = 30
schemes = [\"red\", \"codel\", \"pie\", \"droptail\", \"sfred\"]
[network]
rate = \"5 Mbps\"
buffer = \"100 packets\"
[flows.bulk]
count = 10
[sweep]
\"network.rtt\" = [\"20 ms\", \"60 ms\"]
";

const RUN: &[&str] = &["run", "many.toml", "--out", "out", "--quiet"];

/// The number of cells in the database, as another process sees it.
fn cells_so_far(user: &User) -> usize {
    // The run locks the database. A copy of its files is what a crash would leave.
    let copy = tempfile::TempDir::new().unwrap();
    for name in ["results.sqlite", "results.sqlite-wal"] {
        let _ = std::fs::copy(user.path("out").join(name), copy.path().join(name));
    }
    let path = copy.path().join("results.sqlite");
    let database = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE);
    let count = database.and_then(|d| d.query_row("SELECT count(*) FROM cells", [], |r| r.get(0)));
    count.unwrap_or(0)
}

fn start(user: &User) -> Child {
    let mut command: Command = user.command(RUN);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

fn signal(child: &Child, name: &str) {
    let arguments = [format!("-{name}"), child.id().to_string()];
    let sent = Command::new("kill").args(arguments).status();
    assert!(sent.unwrap().success());
}

/// Lets a run go on until it has stored this number of cells, and leaves it stopped there: however
/// long this process waits for a core, the run does not end meanwhile.
fn stop_after(user: &User, child: &Child, cells: usize) {
    let started = Instant::now();
    loop {
        signal(child, "STOP");
        if cells_so_far(user) >= cells {
            return;
        }
        let elapsed = started.elapsed();
        assert!(elapsed < Duration::from_secs(300), "no cells are kept");
        signal(child, "CONT");
        sleep(Duration::from_millis(5));
    }
}

fn values(user: &User, folder: &str) -> Vec<Vec<f64>> {
    let database = database(&user.path(folder));
    [
        "cell",
        "seed",
        "utilisation",
        "delay_p99",
        "goodput",
        "loss",
    ]
    .map(|column| {
        numbers(
            &database,
            &format!("SELECT {column} FROM cells ORDER BY cell"),
        )
    })
    .into()
}

#[test]
fn after_three_kills_every_cell_is_stored_once() {
    let user = User::new();
    user.writes("many.toml", MANY);
    let mut before = 0;
    for part in [20, 90, 180] {
        let mut child = start(&user);
        stop_after(&user, &child, part);
        child.kill().unwrap();
        child.wait().unwrap();
        let kept = cells_so_far(&user);
        assert!(kept >= part && kept > before, "{kept} after {before}");
        assert!(kept < 300, "it must have been killed before its end");
        before = kept;
    }
    let ran = Ran::of(start(&user).wait_with_output().unwrap()).well();
    assert!(ran.out.contains("report: out/report.html"), "{}", ran.out);
    let whole = ["run", "many.toml", "--out", "whole", "--quiet"];
    user.runs(&whole).well();
    assert_eq!(values(&user, "out"), values(&user, "whole"));
    assert_eq!(values(&user, "out")[0].len(), 300);
    let kept = |folder: &str| {
        let select = "SELECT count(*) FROM queues";
        numbers(&database(&user.path(folder)), select)
    };
    assert_eq!(kept("out"), kept("whole"), "their parts are stored once");
}

#[test]
fn ctrl_c_stops_cleanly_and_keeps_what_is_done() {
    stops_cleanly("INT", 130);
}

#[test]
fn a_batch_system_that_ends_a_run_sees_by_which_signal() {
    stops_cleanly("TERM", 143);
}

fn stops_cleanly(by: &str, code: i32) {
    let user = User::new();
    user.writes("many.toml", MANY);
    let child = start(&user);
    stop_after(&user, &child, 20);
    signal(&child, by);
    signal(&child, "CONT");
    let ran = Ran::of(child.wait_with_output().unwrap());
    assert_eq!(ran.code, Some(code), "{ran:?}");
    assert!(
        ran.err
            .contains("runs are kept in out; the same command resumes"),
        "{}",
        ran.err
    );
    // The finished cells are printed and reported.
    assert!(ran.out.contains("report: out/report.html"), "{}", ran.out);
    let kept = numbers(&database(&user.path("out")), "SELECT count(*) FROM cells")[0];
    assert!((20.0..300.0).contains(&kept), "{kept}");
}

#[test]
fn a_second_command_in_the_same_folder_is_refused() {
    let user = User::new();
    user.writes("many.toml", MANY);
    let mut child = start(&user);
    stop_after(&user, &child, 1);
    let other = user.runs(RUN);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(other.code, Some(1), "{other:?}");
    assert!(
        other
            .err
            .contains("another process has its results.sqlite open"),
        "{}",
        other.err
    );
}

/// The experiments whose folders were made.
fn experiments_begun(user: &User) -> usize {
    let folder = user.path("out/papers-quick/clred");
    std::fs::read_dir(folder).map_or(0, |entries| entries.count())
}

#[test]
fn ctrl_c_stops_a_reproduction_without_verdicts() {
    let user = User::new();
    let reproduce = ["reproduce", "clred", "--out", "out", "--threads", "1"];
    let mut command: Command = user.command(&reproduce);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let started = Instant::now();
    while experiments_begun(&user) == 0 {
        let elapsed = started.elapsed();
        assert!(elapsed < Duration::from_secs(300), "nothing begins");
        sleep(Duration::from_millis(5));
    }
    signal(&child, "STOP");
    let begun = experiments_begun(&user);
    signal(&child, "INT");
    signal(&child, "CONT");
    let ran = Ran::of(child.wait_with_output().unwrap());
    assert_eq!((ran.code, ran.out.as_str()), (Some(130), ""), "{}", ran.err);
    assert!(ran.err.contains("stopped"), "{}", ran.err);
    // One more may have begun before the signal was handled.
    assert!(experiments_begun(&user) <= begun + 1);
}

/// A run under `nohup` goes on when its terminal is closed. SIGINT stops it all the same: shells
/// ignore it for the background jobs of scripts, and a process that gets it from elsewhere was meant.
#[test]
fn an_ignored_hang_up_stays_ignored() {
    let user = User::new();
    user.writes("many.toml", MANY);
    let binary = assert_cmd::cargo::cargo_bin!("earlydrop");
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' HUP INT; exec \"$0\" \"$@\""]);
    command.arg(binary).args(RUN).current_dir(user.path(""));
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    stop_after(&user, &child, 1);
    signal(&child, "HUP");
    signal(&child, "CONT");
    stop_after(&user, &child, cells_so_far(&user) + 3);
    signal(&child, "INT");
    signal(&child, "CONT");
    let ran = Ran::of(child.wait_with_output().unwrap());
    assert_eq!(ran.code, Some(130), "{}", ran.err);
    assert!(ran.err.contains("the same command resumes"), "{}", ran.err);
}
