//! `earlydrop conformance`: vectors judge a program, and the fault is named.

use std::path::Path;
use std::process::Command;

use crate::support::{User, skipped};

/// CoDel in Python, in the repository.
fn codel() -> String {
    let path = "../../conformance/examples/codel.py";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    path.to_str().unwrap().to_string()
}

#[test]
fn a_program_is_judged_and_its_fault_is_named() {
    if Command::new("python3").arg("--version").output().is_err() {
        return skipped("a_program_is_judged_and_its_fault_is_named", "no python3");
    }
    let (user, program) = (User::new(), codel());
    let arguments = [
        "conformance",
        "--scheme",
        "codel",
        "--",
        "python3",
        &program,
    ];
    let shown = user.runs(&arguments).well().out;
    let last = "19 of 19 vectors passed; 4 skipped: the queue has not got the scheme\n";
    assert_eq!(shown, last);

    let faulty = [&arguments[..], &["--faulty"]].concat();
    let ran = user.runs(&faulty);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let first = "codel/entry, step 45, 128 ms: expected packet 17 sent, found packet 16 sent";
    assert!(ran.out.contains(first), "{}", ran.out);
    let (_, suspects) = ran.out.split_once("the likeliest first:\n  ").unwrap();
    assert!(suspects.starts_with("other-packet-lost"), "{suspects}");

    let mut as_json = faulty.clone();
    as_json.insert(1, "--json");
    let found: serde_json::Value = serde_json::from_str(&user.runs(&as_json).out).unwrap();
    assert_eq!(found["suspects"][0]["fault"], "other-packet-lost");
    assert_eq!(found["skipped"][0], "codel/linux-phases");
}

#[test]
fn a_library_is_judged_and_its_fault_is_named() {
    let user = User::new();
    let of_crate = |path: &str| {
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../conformance")
            .join(path)
    };
    let mut compiler = Command::new("cc");
    compiler
        .args(["-shared", "-fPIC", "-o"])
        .arg(user.path("codel.so"));
    compiler
        .arg("-I")
        .arg(of_crate("include"))
        .arg(of_crate("examples/codel.c"));
    if compiler.status().is_err() {
        return skipped("a_library_is_judged_and_its_fault_is_named", "no cc");
    }
    let ran = user.runs(&["conformance", "--scheme", "codel", "--library", "codel.so"]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let (_, suspects) = ran.out.split_once("the likeliest first:\n  ").unwrap();
    assert!(
        suspects.starts_with("control-law (3 of 3 vectors)"),
        "{suspects}"
    );
}

#[test]
fn what_goes_wrong_is_said() {
    let user = User::new();
    let ran = user.runs(&["conformance", "--scheme", "codle"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("did you mean codel?"), "{}", ran.err);
    let ran = user.runs(&["conformance", "--", "no-such-program"]);
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.err.contains("no-such-program does not start"),
        "{}",
        ran.err
    );
    let ran = user.runs(&["conformance", "--library", "no-such.so"]);
    assert_eq!(ran.code, Some(2));
    let problem = "--library no-such.so cannot be loaded";
    assert!(ran.err.contains(problem), "{}", ran.err);
    let ran = user.runs(&["conformance", "--", "true"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("the program"), "{}", ran.err);
}

#[test]
fn vectors_are_listed_and_written_and_nothing_is_written_over() {
    let user = User::new();
    let listed = user
        .runs(&["conformance", "--scheme", "droptail"])
        .well()
        .out;
    assert!(listed.contains("droptail/bytes: "), "{listed}");
    assert!(listed.ends_with("5 vectors\n"), "{listed}");
    let arguments = ["conformance", "--scheme", "red", "--out", "vectors"];
    let written = user.runs(&arguments).well().out;
    assert_eq!(written, "vectors/red.jsonl\n");
    let again = user.runs(&arguments);
    assert_eq!(again.code, Some(2), "{}", again.err);
    let into_a_file = user.runs(&["conformance", "--out", "vectors/red.jsonl"]);
    assert_eq!(into_a_file.code, Some(2), "{}", into_a_file.err);
    assert!(into_a_file.err.contains("choose a folder"));
}

/// A program that takes no vector passes none, one that speaks without end is not listened to, and
/// one that says nothing is not waited for.
#[test]
fn a_program_without_a_queue_does_not_pass() {
    let user = User::new();
    let judge = |patience: &str, program: &[&str]| {
        let judged = [
            "conformance",
            "--patience",
            patience,
            "--scheme",
            "droptail",
            "--",
        ];
        let arguments = [&judged[..], program].concat();
        let ran = user.runs(&arguments);
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        ran.err
    };
    let said = judge("600", &["yes", "{\"ready\":false}"]);
    assert!(said.contains("nothing was judged"), "{said}");
    let said = judge("600", &["cat", "/dev/zero"]);
    assert!(said.contains("longer than 1000000 bytes"), "{said}");
    let said = judge("1", &["sleep", "1000"]);
    assert!(said.contains("has said nothing for 1 s"), "{said}");
}
