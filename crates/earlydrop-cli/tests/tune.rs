//! `earlydrop tune`, as a new user tries it.

use crate::support;
use std::fs;

use crate::support::{SMALL, User};

const GOAL: [&str; 4] = [
    "--minimise",
    "p99_delay",
    "--subject-to",
    "utilisation>=80%",
];

fn tuned(user: &User, more: &[&str]) -> support::Ran {
    user.writes("small.toml", SMALL);
    let arguments = [&["tune", "small.toml", "--budget", "30"], &GOAL[..], more].concat();
    user.runs(&arguments)
}

#[test]
fn the_best_settings_are_validated_and_can_be_pasted() {
    let user = User::new();
    let ran = tuned(&user, &["--schemes", "red:min=5,max=15"]).well();
    for words in [
        "10 fresh seeds",
        "utilisation >= 80%",
        "queueing delay, 99%",
        "[schemes]",
    ] {
        assert!(ran.out.contains(words), "{words} in\n{}", ran.out);
    }
    assert!(
        fs::read_to_string(ran.report(&user))
            .unwrap()
            .contains("red tuned")
    );
    let line = ran
        .out
        .lines()
        .find(|line| line.contains("\"red tuned\" ="));
    let line = line.expect("a line to paste").trim();
    let pasted = SMALL.replace("schemes = [\"red:min=5,max=15\", \"codel\"]\n", "");
    user.writes("pasted.toml", &format!("{pasted}\n[schemes]\n{line}\n"));
    user.runs(&["check", "pasted.toml"]).well();
}

#[test]
fn without_constraints_the_goal_alone_decides() {
    let user = User::new();
    user.writes("small.toml", SMALL);
    for (goal, scheme, sign) in [
        (["--minimise", "delay_p99"], "red:min=20,max=45", -1.0),
        (["--maximise", "utilisation"], "red:min=1,max=2", 1.0),
        (["--minimise", "loss"], "red:min=1,max=2", -1.0),
    ] {
        let arguments = [
            "tune",
            "small.toml",
            "--schemes",
            scheme,
            "--over",
            "min,max",
        ];
        let more = ["--budget", "40", "--json", "--quiet"];
        let json = user
            .runs(&[&arguments[..], &goal, &more].concat())
            .well()
            .json();
        let red = &json["schemes"][0];
        assert!(red["settings"]["min"].is_string(), "{goal:?}: {red}");
        let change = &red["change"];
        let (mean, half) = (change["mean"].as_f64(), change["half_width_95"].as_f64());
        assert!(sign * mean.unwrap() > half.unwrap(), "{goal:?}: {red}");
    }
}

#[test]
fn json_has_the_search_and_its_validation() {
    let user = User::new();
    let json = tuned(&user, &["--json", "--quiet", "--over", "min=1..10,target"])
        .well()
        .json();
    let (red, codel) = (&json["schemes"][0], &json["schemes"][1]);
    assert_eq!(json["goal"], "delay_p99");
    assert_eq!(red["searched"][0]["between"], "1 packets to 10 packets");
    assert_eq!(codel["searched"][0]["parameter"], "target");
    assert_eq!(codel["before"]["seeds"], 10);
    let front = codel["front"].as_array().unwrap();
    let rises = |pair: &[serde_json::Value]| pair[0][1].as_f64() >= pair[1][1].as_f64();
    assert!(
        !front.is_empty() && front.windows(2).all(rises),
        "{front:?}"
    );
}

#[test]
fn wrong_goals_are_refused_before_anything_runs() {
    let user = User::new();
    user.writes("small.toml", SMALL);
    for (arguments, said) in [
        (&["--minimise", "dely_p99"][..], "did you mean `delay_p99`"),
        (
            &["--minimise", "loss", "--subject-to", "utilisation>=95"],
            "nearest: 95%",
        ),
        (
            &["--minimise", "loss", "--over", "maxp"],
            "did you mean `max_p`",
        ),
        (
            &["--minimise", "loss", "--over", "min=30..10"],
            "the first below the second",
        ),
        (&["--minimise", "loss", "--budget", "0"], "--budget"),
        (&["--subject-to", "utilisation>=95%"], "--minimise"),
        (
            &["--minimise", "loss", "--schemes", "rde"],
            "did you mean 'red'?",
        ),
        (
            &[
                "--minimise",
                "loss",
                "--set",
                "sweep.schemes.red.max_p=[0.1, 0.2]",
            ],
            "sweeps schemes.red.max_p",
        ),
    ] {
        let ran = user.runs(&[&["tune", "small.toml"], arguments].concat());
        assert_eq!(ran.code, Some(2), "{arguments:?}: {ran:?}");
        assert!(ran.err.contains(said), "{said} in\n{}", ran.err);
    }
    assert!(!user.path("runs").exists());
}

#[test]
fn constraints_that_no_setting_meets_end_with_code_1() {
    let user = User::new();
    let ran = tuned(
        &user,
        &["--schemes", "codel", "--subject-to", "delay_p99<=1us"],
    );
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.out.contains("not met"), "{}", ran.out);
    assert!(ran.err.contains("met every constraint"), "{}", ran.err);
}
