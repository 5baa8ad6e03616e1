//! What would never end or never fit is refused before it begins, and what has begun stops.

use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::support::{self, Ran, User};

/// A hundred thousand flows for 30 years; nobody waits for it.
const ENDLESS: &str = "\
duration = \"1000000000 s\"
warm_up = \"1 s\"
seeds = 1
schemes = [\"red\"]
[network]
rate = \"100 Mbps\"
[flows.bulk]
count = 100000
";
const RAISED: &str = "events=1e20";

/// One transfer on a link that could carry far more than the default limits allow.
const FAST: &str = "\
duration = \"10000 s\"
seeds = 2
schemes = [\"droptail\", \"red\"]
[network]
rate = \"1000 Gbps\"
[flows.a]
kind = \"transfer\"
size = \"100 kB\"
";

#[test]
fn what_was_run_with_raised_limits_is_reported_and_run_again() {
    let user = User::new();
    user.writes("s.toml", FAST);
    let run = ["run", "s.toml", "--out", "r", "-q"];
    assert_eq!(user.runs(&run).code, Some(2));
    user.runs(&[&run[..], &["--limits", "events=1e14"]].concat())
        .well();
    user.runs(&["report", "r"]).well();
    let page = std::fs::read_to_string(user.path("r/report.html")).unwrap();
    let (_, needed) = page
        .split_once("earlydrop run r/scenario.toml --limits ")
        .unwrap();
    let needed = needed.split(['"', '\\', '<']).next().unwrap();
    let again = [
        "run",
        "r/scenario.toml",
        "--limits",
        needed,
        "--out",
        "again",
        "-q",
    ];
    user.runs(&again).well();
}

fn started(user: &User, arguments: &[&str]) -> Child {
    let mut command = user.command(arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Waits for an event; ten minutes are the last resort, not a measure.
fn wait_for(what: &str, mut has_come: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !has_come() {
        assert!(begin.elapsed() < Duration::from_secs(600), "no {what}");
        sleep(Duration::from_millis(5));
    }
}

fn interrupt(child: &Child) {
    let mut kill = Command::new("kill");
    let sent = kill.args(["-INT", &child.id().to_string()]).status();
    assert!(sent.unwrap().success());
}

/// Whether the process has the handler of Ctrl-C: bit 1 of its caught signals is SIGINT's.
fn catches_interrupts(child: &Child) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id()));
    let status = status.unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    caught.is_some_and(|mask| mask & 0b10 != 0)
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_without_end_stops_at_the_first_interrupt() {
    let user = User::new();
    user.writes("s.toml", ENDLESS);
    for command in ["run", "trace", "tune"] {
        let mut arguments = vec![command, "s.toml", "--limits", RAISED, "--out", command];
        if command == "tune" {
            arguments.extend(["--minimise", "delay_mean", "--over", "min=5..20"]);
        }
        let mut child = started(&user, &arguments);
        wait_for("handler", || catches_interrupts(&child));
        interrupt(&child);
        wait_for("end", || child.try_wait().unwrap().is_some());
        let ran = Ran::of(child.wait_with_output().unwrap());
        assert_eq!(ran.code, Some(130), "{command}: {}", ran.err);
        assert!(ran.err.contains("stopped"), "{command}: {}", ran.err);
    }
}

#[test]
fn a_check_of_a_run_without_end_ends() {
    let user = User::new();
    user.writes("s.toml", ENDLESS);
    let ran = user.runs(&["check", "s.toml", "--limits", RAISED]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.contains("hours on"), "{}", ran.out);
}

#[test]
fn what_nobody_means_is_refused_in_every_command() {
    let user = User::new();
    user.writes("s.toml", ENDLESS);
    let tune = ["tune", "s.toml", "--minimise", "delay_mean"];
    for arguments in [
        &["run", "s.toml"][..],
        &["check", "s.toml"],
        &["trace", "s.toml"],
        &tune,
    ] {
        let ran = user.runs(arguments);
        assert_eq!(ran.code, Some(2), "{arguments:?} {}", ran.err);
        assert!(ran.err.contains("events to simulate"), "{}", ran.err);
        assert!(ran.err.contains("--limits events="), "{}", ran.err);
    }
    let short = "duration = \"10 s\"\n[flows.a]\ncount = 2\n";
    user.writes("short.toml", short);
    let ran = user.runs(&["trace", "short.toml", "--sample", "1ns"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("--sample 1ns"), "{}", ran.err);
    assert!(!user.path("traces").exists(), "nothing was begun");
    let ran = user.runs(&["run", "short.toml", "--limits", "memroy=1GB"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("did you mean memory?"), "{}", ran.err);
}

const SHORT: &str = "\
duration = \"2 s\"
warm_up = \"1 s\"
seeds = [101, 102, 103]
schemes = [\"red\", \"droptail\"]
[network]
rate = \"2 Mbps\"
[flows.bulk]
count = 3
start = \"0 s..0.5 s\"
";

#[test]
fn a_stopping_rule_continues_a_list_of_seeds() {
    let user = User::new();
    user.writes("s.toml", SHORT);
    let run = [
        "run",
        "s.toml",
        "--until",
        "2%:delay_mean",
        "--out",
        "out",
        "-q",
    ];
    user.runs(&run).well();
    let database = support::database(&user.path("out"));
    let seeds = support::numbers(&database, "SELECT DISTINCT seed FROM cells ORDER BY seed");
    let continued: Vec<f64> = (101..).take(seeds.len()).map(f64::from).collect();
    assert!(seeds.len() > 3, "{seeds:?}");
    assert_eq!(seeds, continued);
    drop(database);
    // The report is about all of them, and the run is the same one.
    let table = user.runs(&["report", "out"]).well();
    assert!(
        table.out.contains(&format!("{} runs", seeds.len())),
        "{}",
        table.out
    );
    user.runs(&run).well();
}

#[test]
fn a_stopping_rule_that_cannot_be_met_says_so() {
    let user = User::new();
    user.writes("s.toml", SHORT);
    let ran = user.runs(&[
        "run",
        "s.toml",
        "--until",
        "5%:completion_mean",
        "--out",
        "a",
        "-q",
    ]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("does not measure"), "{}", ran.err);
    let until = [
        "--until",
        "0.001%:delay_mean",
        "--out",
        "b",
        "-q",
        "--schemes",
        "red",
    ];
    let ran = user.runs(&[&["run", "s.toml"], &until[..]].concat());
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(
        ran.err.contains("not reached with 1000 seeds"),
        "{}",
        ran.err
    );
}

/// Root may start as many processes as it likes; another user may not.
#[cfg(target_os = "linux")]
#[test]
fn a_run_goes_on_where_no_thread_is_to_be_had() {
    let user = User::new();
    user.writes("s.toml", SHORT);
    let program = assert_cmd::cargo::cargo_bin!("earlydrop")
        .display()
        .to_string();
    let script =
        format!("ulimit -u 1 2>/dev/null; exec '{program}' run s.toml --threads 50 --out out -q");
    let is_root = Command::new("id").arg("-u").output().unwrap().stdout == b"0\n";
    let mut command = match is_root {
        true => {
            let mut command = Command::new("setpriv");
            command.args(["--reuid=54321", "--regid=54321", "--clear-groups", "sh"]);
            command
        }
        false => Command::new("sh"),
    };
    let home = user.path("");
    let opened = Command::new("chmod")
        .args(["-R", "a+rwX"])
        .arg(&home)
        .status();
    assert!(opened.unwrap().success());
    command.args(["-c", &script]).current_dir(&home);
    match command.output() {
        Err(error) => eprintln!("skipped: no setpriv: {error}"),
        // The user may not reach the program, or the folder.
        Ok(output) if output.status.code() == Some(126) => eprintln!("skipped: no access"),
        Ok(output) => {
            let ran = Ran::of(output);
            assert_eq!(ran.code, Some(0), "{}", ran.err);
            assert!(ran.out.contains("droptail"), "{}", ran.out);
        }
    }
}

#[test]
fn a_mistake_made_a_thousand_times_is_shown_twenty_times() {
    let user = User::new();
    let groups: String = (0..1000)
        .map(|n| format!("[flows.g{n}]\nstart = \"2 s..1 s\"\n"))
        .collect();
    user.writes("s.toml", &format!("duration = \"3 s\"\n{groups}"));
    let ran = user.runs(&["check", "s.toml"]);
    assert_eq!(ran.code, Some(2));
    assert_eq!(ran.err.matches("error: ").count(), 20);
    assert!(ran.err.contains("and 980 more problems"), "{}", ran.err);
}
