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
    let arguments = ["tune", "small.toml", "--budget", "30", "-q"];
    let arguments = [&arguments, &GOAL[..], more].concat();
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
    assert!(ran.out.contains("What was tried"), "{}", ran.out);
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
fn bounds_are_said_before_the_search() {
    let user = User::new();
    user.writes("small.toml", SMALL);
    let arguments = ["tune", "small.toml", "--schemes", "codel", "--budget", "4"];
    let ran = user.runs(&[&arguments, &GOAL[..]].concat());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.err.contains("codel: target "), "{}", ran.err);
    assert!(ran.err.contains(" (log): "), "{}", ran.err);
}

#[test]
fn the_page_begins_with_the_search_and_keeps_it() {
    let user = User::new();
    let ran = tuned(&user, &["--schemes", "red:min=5,max=15"]).well();
    let page = ran.report(&user);
    let search_of = |page: &str| {
        let search = page.split("<section id=\"tuning\">").nth(1);
        let search = search.expect("a section about the search");
        search
            .split("</section>")
            .next()
            .unwrap_or_default()
            .to_string()
    };
    let search = search_of(&fs::read_to_string(&page).unwrap());
    for words in [
        "Tuned for least queueing delay, 99%, with utilisation &gt;= 80%",
        "red with min = ",
        "is met with",
        "&quot;red tuned&quot; = { scheme = &quot;red&quot;",
        "The trade-off",
        "<svg class=\"earlydrop-figure\"",
        "settings tried",
        "within the limits",
    ] {
        assert!(search.contains(words), "{words} in\n{search}");
    }
    // `report` writes the page again from the folder.
    let folder = page.parent().unwrap().to_str().unwrap();
    user.runs(&["report", folder]).well();
    assert_eq!(search_of(&fs::read_to_string(&page).unwrap()), search);
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
    let json = tuned(&user, &["--json", "--over", "min=1..10,target"])
        .well()
        .json();
    let (red, codel) = (&json["schemes"][0], &json["schemes"][1]);
    assert_eq!(json["goal"], "delay_p99");
    assert_eq!(red["searched"][0]["between"], "1 packets to 10 packets");
    assert_eq!(codel["searched"][0]["parameter"], "target");
    assert_eq!(codel["before"]["seeds"], 10);
    assert_eq!(json["fresh_seeds"], 10);
    assert!(
        json["answer"].as_str().unwrap().ends_with("%."),
        "{}",
        json["answer"]
    );
    let candidates = red["candidates"].as_array().unwrap();
    assert_eq!(candidates.len() as u64, red["tried"].as_u64().unwrap());
    let within = candidates.iter().filter(|one| one["within_limits"] == true);
    assert_eq!(
        within.count() as u64,
        red["within_limits"].as_u64().unwrap()
    );
    assert!(candidates[0]["settings"].as_object().unwrap().is_empty());
    assert!(candidates[1]["settings"]["min"].is_string() && candidates[1]["goal"].is_f64());
    let line = |scheme: &serde_json::Value| scheme["line"].as_str().map(str::to_string);
    let is_found = |scheme: &serde_json::Value| !scheme["settings"].as_object().unwrap().is_empty();
    for scheme in [red, codel] {
        assert_eq!(line(scheme).is_some(), is_found(scheme), "{scheme}");
    }
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

/// A search is not kept: what would refuse its results is found before it.
#[test]
fn a_folder_that_cannot_take_the_results_is_refused_before_the_search() {
    let user = User::new();
    user.writes("small.toml", SMALL);
    fs::create_dir(user.path("letters")).unwrap();
    user.writes("letters/a.txt", "dear");
    user.runs(&["run", "small.toml", "--out", "other", "-q"])
        .well();
    std::os::unix::fs::symlink("nowhere", user.path("link")).unwrap();
    // This many settings would take hours.
    let search = [
        "tune",
        "small.toml",
        "--minimise",
        "loss",
        "--budget",
        "100000",
        "--out",
    ];
    for (folder, said) in [
        ("letters", "other files"),
        ("other", "a run that is not of this search"),
        ("link", "is not a folder"),
        ("small.toml", "is not a folder"),
    ] {
        let ran = user.runs(&[&search[..], &[folder]].concat());
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.err.contains(said), "{}", ran.err);
        assert!(!ran.err.contains("--fresh"), "{}", ran.err);
    }
}

#[test]
fn the_same_search_may_use_its_folder_again() {
    let user = User::new();
    let out = ["--schemes", "red:min=5,max=15", "--out", "best"];
    let first = tuned(&user, &out).well();
    assert_eq!(tuned(&user, &out).well().out, first.out);
    let other = tuned(&user, &[&out[..], &["--search-seeds", "1"]].concat());
    assert_eq!(other.code, Some(2), "{other:?}");
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
