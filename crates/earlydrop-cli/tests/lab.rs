//! `earlydrop lab` as a user types it.

use std::fs;

use crate::support::{SMALL, User};

/// The address that a page opens.
fn start(page: &str) -> &str {
    let (_, rest) = page.split_once("id=\"start\">").unwrap();
    rest.split_once('<').unwrap().0
}

#[test]
fn a_page_is_written_with_what_it_opens() {
    let user = User::new();
    let ran = user.runs(&["lab"]).well();
    assert_eq!(ran.out, "runs/laboratory.html\n");
    let page = fs::read_to_string(user.path("runs/laboratory.html")).unwrap();
    assert_eq!(start(&page), "");
    user.runs(&["lab", "--schemes", "red:min=5,max=15,codel"])
        .well();
    let page = fs::read_to_string(user.path("runs/laboratory.html")).unwrap();
    assert_eq!(start(&page), "#schemes=red:min%3D5,max%3D15|codel");
}

#[test]
fn a_scenario_stands_in_the_address() {
    let user = User::new();
    user.writes("small.toml", SMALL);
    let shown = ["lab", "small.toml", "--seed", "7", "--out", "page.html"];
    user.runs(&shown).well();
    let page = fs::read_to_string(user.path("page.html")).unwrap();
    let address = start(&page);
    assert!(address.starts_with("#schemes="), "{address}");
    assert!(address.contains("&scenario=") && address.ends_with("&seed=7"));
}

#[test]
fn what_cannot_be_shown_is_refused_in_words() {
    let user = User::new();
    user.writes("small.toml", SMALL);
    let refused = |words: &[&str]| {
        let ran = user.runs(words);
        assert_eq!(ran.code, Some(2), "{words:?}: {}", ran.err);
        ran
    };
    let text = refused(&["lab", "--schemes", "red,pie,codel,sfb,blue"]).err;
    assert!(text.contains("5 schemes; allowed: 1 to 4"), "{text}");
    let text = refused(&["lab", "--schemes", "rad"]).err;
    assert!(text.contains("red"), "{text}");
    let text = refused(&["lab", "small.toml", "--schemes", "nothing"]).err;
    assert!(text.contains("the scenario compares"), "{text}");
    let text = refused(&["lab", "small.toml", "--point", "99"]).err;
    assert!(text.contains("allowed: 0 to"), "{text}");
    user.writes("mine.html", "<p>my own page</p>");
    let text = user.runs(&["lab", "--out", "mine.html"]).err;
    assert!(text.contains("mine.html"), "{text}");
    let kept = fs::read_to_string(user.path("mine.html")).unwrap();
    assert_eq!(kept, "<p>my own page</p>");
}

#[test]
fn what_a_page_cannot_hold_is_named() {
    let user = User::new();
    user.writes("sizes.txt", "100 0\n1000 50\n5000 100\n");
    user.writes("list.csv", "0.01,host 0,host 1,1000\n");
    user.writes("up.trace", "1\n");
    let fabric = "shape = \"leaf-spine\"\nleaves = 2\nspines = 2\nhosts = 4\nrate = \"1 Gbps\"";
    for (network, flows, wanted) in [
        (
            fabric,
            "kind = \"arrivals\"\nsizes = \"sizes.txt\"\nload = 0.5",
            "sizes.txt: a page cannot hold the distribution of sizes",
        ),
        (
            fabric,
            "kind = \"list\"\nlist = \"list.csv\"",
            "list.csv: a page cannot hold the flow list",
        ),
        (
            "trace = \"up.trace\"",
            "count = 1",
            "up.trace: a page cannot hold the recorded link",
        ),
    ] {
        let text = format!(
            "duration = \"20 ms\"\nwarm_up = \"0 s\"\nschemes = [\"red\"]\n[network]\n{network}\n[flows.a]\n{flows}\n"
        );
        user.writes("s.toml", &text);
        let ran = user.runs(&["lab", "s.toml"]);
        assert_eq!(ran.code, Some(2), "{}", ran.err);
        assert!(ran.err.contains(wanted), "{wanted}: {}", ran.err);
    }
}
