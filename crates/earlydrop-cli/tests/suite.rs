//! `earlydrop suite`, as a new user tries it.

use std::fs;

use crate::support::User;

const SHORT: [&str; 6] = ["suite", "rfc7928", "--only", "ecn", "--seeds", "3"];

#[test]
fn a_part_is_run_and_what_was_found_is_said_in_words() {
    let user = User::new();
    let ran = user.runs(&[&SHORT[..], &["--schemes", "droptail,codel"]].concat());
    let ran = ran.well();
    for words in [
        "ecn (4.5)",
        "Queueing delay: lowest, or within 5% of it, at 2 of 2 points under codel",
        "highest under droptail",
        "target 5 ms =",
        "codel answers 2 with yes and 0 with no",
        "is ahead of all others in",
        "of 2 comparisons and equal to the best in",
    ] {
        let one_line = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(one_line.contains(words), "{words} in\n{}", ran.out);
    }
    let page = fs::read_to_string(ran.report(&user)).unwrap();
    assert!(page.contains("Report of these runs") && page.contains("ecn/report.html"));
    assert!(page.contains("<li>target 5 ms ="), "thresholds and targets");
    assert!(user.path("runs/suite-rfc7928/ecn/report.html").exists());
}

#[test]
fn without_a_name_every_suite_and_its_parts_are_listed() {
    let user = User::new();
    let ran = user.runs(&["suite"]).well();
    for name in [
        "rfc7928",
        "burst-absorption",
        "l4s",
        "coexistence",
        "datacentre",
        "web-search",
        "incast",
    ] {
        assert!(ran.out.contains(name), "{name} in\n{}", ran.out);
    }
}

#[test]
fn what_it_cannot_run_is_refused_before_anything_is_written() {
    let user = User::new();
    for (arguments, words) in [
        (&["suite", "rfc7929"][..], "\"rfc7928\""),
        (&["suite", "rfc7928", "--only", "ecm"], "\"ecn\""),
        (&["suite", "rfc7928", "--schemes", "codell"], "codel"),
        (&["suite", "rfc7928", "--seeds", "0"], "seeds"),
    ] {
        let ran = user.runs(arguments);
        assert_eq!(ran.code, Some(2), "{arguments:?}: {}", ran.err);
        assert!(ran.err.contains(words), "{words} in {}", ran.err);
    }
    assert!(!user.path("runs").exists());
    fs::create_dir(user.path("mine")).unwrap();
    user.writes("mine/index.html", "dear editor");
    let ran = user.runs(&["suite", "rfc7928", "--out", "mine"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("move it away"), "{}", ran.err);
    assert!(!ran.err.contains("--force"), "{}", ran.err);
}
