//! `earlydrop queue` as a user runs it.

use crate::support::User;

#[test]
fn it_solves_the_queue_as_text_and_as_json() {
    let user = User::new();
    let arguments = [
        "queue",
        "--lambda",
        "0.5",
        "--mu",
        "1",
        "--batch",
        "1:0.5,2:0.3,3:0.2",
        "--buffer",
        "10",
    ];
    let shown = user.runs(&arguments).well().out;
    for words in [
        "E[Q]",
        "3.710216",
        "packet loss",
        "7.66%",
        "packets in the queue",
    ] {
        assert!(shown.contains(words), "{words} in\n{shown}");
    }
    let found = user
        .runs(&[&arguments[..], &["--json", "--at", "0,10"]].concat())
        .well()
        .json();
    let mean = found["mean_queue"].as_f64().unwrap();
    assert!((mean - 3.71021567).abs() < 5e-9, "{mean}");
    assert_eq!(found["at"][1]["probability"], found["full"]);
    let pieces = found["distribution"].as_array().unwrap();
    let mass: f64 = pieces
        .iter()
        .map(|piece| piece["probability"].as_f64().unwrap())
        .sum();
    assert!((mass - 1.0).abs() < 1e-12);
    let whole = user.runs(&[&arguments[..], &["--json", "--reject", "whole"]].concat());
    let mean = whole.well().json()["mean_queue"].as_f64().unwrap();
    assert!((mean - 3.54475940).abs() < 5e-9, "{mean}");
}

#[test]
fn it_accepts_every_distribution_and_a_load() {
    let user = User::new();
    for law in ["fixed:4", "geometric:0.75", "normal:4,4,8", "0:1,4:1"] {
        for method in ["exact", "paper"] {
            let ran = user.runs(&[
                "queue", "--rho", "0.9", "--batch", law, "--buffer", "1000000", "--method", method,
                "--json",
            ]);
            let found = ran.well().json();
            assert!(
                (found["rho"].as_f64().unwrap() - 0.9).abs() < 1e-12,
                "{law}"
            );
            assert_eq!(found["method"], method);
        }
    }
}

#[test]
fn wrong_arguments_are_refused_with_a_suggestion() {
    let user = User::new();
    for (arguments, said) in [
        (
            &["--rho", "0.9", "--buffer", "0"][..],
            &["--buffer 0: allowed: a whole number", "nearest: --buffer 1"][..],
        ),
        (
            &["--lambda", "-1", "--buffer", "5"],
            &["--lambda -1: allowed: a number in", "nearest: --lambda"],
        ),
        (&["--rho", "0", "--buffer", "5"], &["allowed", "nearest"]),
        (
            &["--rho", "NaN", "--buffer", "5"],
            &["--rho NaN: allowed: a number in [0.000000001, 1000000000]"],
        ),
        (
            &["--rho", "inf", "--buffer", "5"],
            &["--rho inf: allowed", "nearest: --rho 1000000000"],
        ),
        (
            &["--rho", "0.9", "--buffer", "18446744073709551615"],
            &["nearest: --buffer 1000000000000"],
        ),
        (
            &["--rho", "0.9", "--mu", "0", "--buffer", "5"],
            &["--mu 0: allowed", "nearest"],
        ),
        (
            &["--rho", "0.9", "--buffer", "5", "--batch", "four"],
            &["--batch four", "fixed:4"],
        ),
        (
            &["--rho", "0.9", "--buffer", "5", "--batch", "fixed:0"],
            &["no packets", "nearest: 1:1"],
        ),
        (
            &["--rho", "0.9", "--buffer", "5", "--batch", "geometric:1"],
            &["--batch ratio = 1", "0.999"],
        ),
        (
            &["--rho", "0.9", "--buffer", "5", "--batch", "0:1"],
            &["no packets", "nearest"],
        ),
        (
            &["--rho", "0.9", "--buffer", "5", "--batch", "1:-1,2:2"],
            &["weight -1", "nearest"],
        ),
        (
            &["--rho", "0.9", "--buffer", "5", "--batch", "999999999999:1"],
            &["at most 10000", "nearest"],
        ),
        (
            &["--rho", "0.9", "--lambda", "1", "--buffer", "5"],
            &["cannot be used with"],
        ),
        (&["--buffer", "5"], &["--lambda"]),
        (
            &["--rho", "0.9", "--buffer", "5", "--reject", "hole"],
            &["whole"],
        ),
    ] {
        let ran = user.runs(&[&["queue"], arguments].concat());
        assert_eq!(
            (ran.code, ran.out.as_str()),
            (Some(2), ""),
            "{arguments:?} {ran:?}"
        );
        for words in said {
            assert!(ran.err.contains(words), "{words} in {}", ran.err);
        }
    }
}
