//! Wrong input: each error is reported with its place and a suggestion, the exit code is 2, and
//! nothing is overwritten.

use std::fs;

use crate::support::{Ran, SMALL, User};

fn refused(ran: Ran, said: &[&str]) {
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert_eq!(ran.out, "", "nothing goes to standard output");
    assert!(!ran.err.contains("panicked"), "{}", ran.err);
    assert!(!ran.err.contains('\u{1b}'), "no escape codes when piped");
    for words in said {
        assert!(ran.err.contains(words), "{words} in\n{}", ran.err);
    }
}

#[test]
fn every_error_in_a_scenario_is_reported() {
    let user = User::new();
    let text = SMALL
        .replace("rate = \"3 Mbps\"", "rate = \"3 Mpbs\"")
        .replace("rtt = \"20 ms\"\n", "rrt = \"20 ms\"\n");
    user.writes("errors.toml", &text);
    let said = [
        "errors.toml:8:8",
        "\"3 Mpbs\"",
        "nearest: rate = \"3 Mbps\"",
        "errors.toml:9:1",
        "did you mean `rtt`?",
    ];
    for command in ["run", "check", "trace", "compare"] {
        refused(user.runs(&[command, "errors.toml"]), &said);
    }
    assert!(!user.path("runs").exists());
}

/// What is wrong may be the whole of another file.
#[test]
fn a_message_is_shorter_than_a_screen_whatever_the_value_is() {
    let user = User::new();
    let long = "x".repeat(1 << 20);
    user.writes("one.trace", &"\0".repeat(1 << 20));
    for (text, said) in [
        (
            "network.trace = \"one.trace\"\n[flows.a]\n".to_string(),
            "one.trace",
        ),
        (format!("{long} = 1\n[flows.a]\n"), "s.toml:1:1"),
        (format!("network.rate = \"{long}\"\n[flows.a]\n"), "`rate`"),
        (format!("[flows.a]\ntcp.{long} = 1\n"), "s.toml:2:5"),
        (format!("[flows.a]\nkind = \"{long}\"\n"), "`kind`"),
        (
            format!("schemes = [\"{long}\"]\n[flows.a]\n"),
            "at most 200",
        ),
        (
            format!("schemes = [\"red:{long}=1\"]\n[flows.a]\n"),
            "red has no",
        ),
        (format!("title = {long}\n[flows.a]\n"), "s.toml:1:9"),
        (
            format!("[sweep]\n\"network.rtt\" = [\"1ms\", \"{long}\"]\n[flows.a]\n"),
            "`rtt`",
        ),
    ] {
        user.writes("s.toml", &text);
        let ran = user.runs(&["check", "s.toml"]);
        assert!(ran.err.len() < 10_000, "{} bytes: {said}", ran.err.len());
        refused(ran, &[said]);
    }
}

/// A device that is full takes no message; the exit code says what the message would.
#[cfg(target_os = "linux")]
#[test]
fn an_error_that_cannot_be_printed_has_its_exit_code() {
    let user = User::new();
    user.writes("wrong.toml", "rate = 5\n");
    for arguments in [
        &["check", "nope.toml"][..],
        &["check", "wrong.toml"],
        &["check", "--no-such-option"],
        &["trace", "--cell", "999"],
    ] {
        let printed = user.runs(arguments).code;
        let full = fs::OpenOptions::new().write(true).open("/dev/full");
        let status = user.command(arguments).stderr(full.unwrap()).status();
        assert_eq!(status.unwrap().code(), printed, "{arguments:?}");
    }
}

#[test]
fn arguments_are_refused_as_the_file_is() {
    let user = User::new();
    user.writes("small.toml", SMALL);
    for (arguments, said) in [
        (
            &["--rtt", "50"][..],
            &["--rtt 50", "nearest: rtt = \"50 ms\""][..],
        ),
        (
            &["--schemes", "rde"],
            &["--schemes rde", "did you mean 'red'?"],
        ),
        (&["--set", "netwrok.rtt=5ms"], &["did you mean `network`?"]),
        (&["--set", "nonsense"], &["allowed: PATH=VALUE"]),
        (&["--until", "0%"], &["allowed: a share above 0"]),
        (&["--until", "2%:dely_mean"], &["did you mean delay_mean?"]),
        (&["--threads", "0"], &["--threads"]),
        (&["--seeds", "0"], &["`seeds` = 0"]),
        (&["--buffer", "10 packets"], &["lies above the buffer"]),
    ] {
        let all = [&["run", "small.toml"], arguments].concat();
        refused(user.runs(&all), said);
    }
    refused(
        user.runs(&["trace", "small.toml", "--cell", "8"]),
        &["allowed: 0 to 7"],
    );
    refused(user.runs(&["run", "missing.toml"]), &["missing.toml"]);
    refused(user.runs(&["frobnicate"]), &["frobnicate"]);
    assert!(!user.path("runs").exists());
}

#[test]
fn a_folder_with_other_files_is_not_changed() {
    let user = User::new();
    user.writes("small.toml", SMALL);
    user.runs(&["run", "small.toml", "--out", "out"]).well();
    let before = fs::read(user.path("out/scenario.toml")).unwrap();
    let other = ["run", "small.toml", "--link", "3Mbps", "--out", "out"];
    refused(
        user.runs(&other),
        &["another scenario", "nothing was written", "--out"],
    );
    // It cannot be given beside --out.
    assert!(!user.runs(&other).err.contains("--fresh"));
    assert_eq!(fs::read(user.path("out/scenario.toml")).unwrap(), before);

    fs::create_dir(user.path("letters")).unwrap();
    user.writes("letters/a.txt", "dear");
    refused(
        user.runs(&["run", "small.toml", "--out", "letters"]),
        &["other files"],
    );
    assert_eq!(fs::read_dir(user.path("letters")).unwrap().count(), 1);
    refused(user.runs(&["report", "letters"]), &["holds no run"]);
    user.runs(&["trace", "small.toml", "--out", "traced"])
        .well();
    refused(user.runs(&["figure", "traced"]), &["holds a trace"]);
    refused(
        user.runs(&["export", "nowhere", "--to", "csv"]),
        &["holds no run"],
    );
}
