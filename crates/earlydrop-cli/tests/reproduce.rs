//! `earlydrop reproduce`, run as a process.

use std::fs;

use crate::support::User;

#[test]
fn a_claim_gets_a_verdict_with_its_interval() {
    let user = User::new();
    let claims = user
        .runs(&["reproduce", "clred.F6.a", "--json"])
        .well()
        .json();
    let claim = &claims[0];
    for key in [
        "id", "paper", "claim", "verdict", "effect", "interval", "seeds",
    ] {
        assert!(!claim[key].is_null(), "{key} in {claim}");
    }
    assert_eq!(claim["id"], "clred.F6.a");
    let verdicts = [
        "holds",
        "holds in part",
        "no difference",
        "contradicted",
        "not shown",
        "cannot be decided",
    ];
    assert!(verdicts.contains(&claim["verdict"].as_str().unwrap()));
    let (low, high) = (claim["interval"][0].as_f64(), claim["interval"][1].as_f64());
    assert!(low < claim["effect"].as_f64() && claim["effect"].as_f64() < high);

    // A second call runs nothing, and gives the verdict in words and on a page.
    let words = user
        .runs(&["reproduce", "clred.F6.a", "--pages", "pages"])
        .well();
    assert!(
        words.out.contains(claim["verdict"].as_str().unwrap()),
        "{}",
        words.out
    );
    let page = fs::read_to_string(user.path("pages/clred.md")).unwrap();
    assert!(page.contains("| F6.a: "), "{page}");
    assert!(page.contains("Hassan & Oluwatope, CLRED"), "{page}");
    assert!(words.out.contains("Hassan & Oluwatope, CLRED"));
    let picture = fs::read_to_string(user.path("pages/pictures/clred.F6-1.svg")).unwrap();
    assert!(picture.contains("<title>CLRED, sources 10: "), "{picture}");

    // Few seeds give no numbers that look like results, but the command that gives them.
    assert!(words.out.starts_with("Quick: 3 seeds"), "{}", words.out);
    let full = "Quick: 1 claim was tried";
    assert!(words.out.contains(full), "{}", words.out);
    assert!(
        words.out.contains("earlydrop reproduce clred.F6.a --full"),
        "{}",
        words.out
    );
    assert_eq!(claim["command"], "earlydrop reproduce clred.F6.a --full");
    assert!(!claim["cells"].as_array().unwrap().is_empty());

    // The report has the figure and the claim, and names the command for the rest.
    let report = fs::read_to_string(words.report(&user)).unwrap();
    assert!(report.contains("id=\"clred.F6.a\""));
    assert!(report.contains("<title>CLRED, sources 10: "));
    assert!(report.contains("<code>earlydrop reproduce clred</code>"));
    let front = words
        .out
        .lines()
        .find_map(|line| line.strip_prefix("all claims: "));
    let front = fs::read_to_string(user.path(front.unwrap())).unwrap();
    assert!(front.contains("clred/report.html#clred.F6.a"));
}

#[test]
fn a_claim_is_judged_in_other_universes() {
    let user = User::new();
    let command = ["reproduce", "clred.F6.a", "--multiverse", "5"];
    let claims = user
        .runs(&[&command[..], &["--json"]].concat())
        .well()
        .json();
    let universes = claims[0]["multiverse"]["universes"].as_array().unwrap();
    assert_eq!(universes.len(), 5);
    // Ours first, then each choice alone.
    assert_eq!(universes[0]["values"]["spacing"], "wait");
    assert_eq!(universes[1]["values"]["spacing"], "uniform");
    assert_eq!(universes[1]["values"]["window"], "100000");
    assert_eq!(universes[0]["verdict"], claims[0]["verdict"]);
    let choices = claims[0]["multiverse"]["choices"].as_array().unwrap();
    assert!(choices.iter().any(|choice| choice["choice"] == "spacing"));

    // A second call runs nothing and says it in words and on pages.
    let words = user
        .runs(&[&command[..], &["--pages", "pages"]].concat())
        .well();
    assert!(words.out.contains("universes: holds in "), "{}", words.out);
    let page = fs::read_to_string(user.path("pages/clred.md")).unwrap();
    assert!(page.contains("| how drops are spaced | wait | "), "{page}");
    let row = page.lines().find(|line| line.starts_with("| F6.a: "));
    assert!(row.unwrap().contains("/5 |"), "{page}");
    // The page names the command that draws the specification curve in the report.
    assert!(
        page.contains("`earlydrop reproduce ID --full --multiverse 64`"),
        "{page}"
    );
    let report = fs::read_to_string(words.report(&user)).unwrap();
    assert!(report.contains("Other universes: holds in "), "{report}");
    let curves: Vec<&str> = report.split("<details class=\"universes\">").collect();
    assert_eq!(curves.len(), 2, "{report}");
    let curve = curves[1].split("</details>").next().unwrap();
    assert!(curve.contains(", our values</title>"), "{curve}");
    let svg = ["<svg ", "</svg>"].map(|tag| curve.matches(tag).count());
    assert_eq!(svg, [1, 1], "{curve}");

    let ran = user.runs(&["reproduce", "clred.F6.a", "--multiverse", "1"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("2..=4096"), "{}", ran.err);
}

#[test]
fn a_claim_is_shown_to_fail_with_a_wrong_scheme() {
    let user = User::new();
    let trials = user
        .runs(&["reproduce", "clred.F5.a", "--wrong", "--json"])
        .well()
        .json();
    let trial = &trials[0];
    assert_eq!(trial["id"], "clred.F5.a");
    assert_eq!(trial["verdict"], "holds");
    assert_eq!(trial["wrong"], "red");
    assert_eq!(trial["verdict_with_wrong"], "no difference");

    let words = user.runs(&["reproduce", "clred.F5.a", "--wrong"]).well();
    let line = "clred.F5.a holds; with red it makes no difference";
    assert!(words.out.contains(line), "{}", words.out);
    let ran = user.runs(&["reproduce", "clred.F5.a", "--wrong", "--pages", "pages"]);
    assert_eq!(ran.code, Some(2));
}

#[test]
fn an_unknown_name_is_refused_with_the_known_ones() {
    let user = User::new();
    let ran = user.runs(&["reproduce", "clred.F66"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("did you mean clred.F6"), "{}", ran.err);
    let claims = "(claims of clred: clred.F5.a, clred.F5.b, ";
    assert!(ran.err.contains(claims), "{}", ran.err);
    let keys = "papers: sfred-nlred, clred, restraint, red-config, rared, today, curves";

    let ran = user.runs(&["reproduce", "001"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains(keys), "{}", ran.err);
    let help = user.runs(&["reproduce", "--help"]).well().out;
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    let keys = keys.trim_start_matches("papers: ");
    assert!(help.contains(&format!("A paper ({keys})")), "{help}");

    // An empty shell variable is not all papers.
    let ran = user.runs(&["reproduce", ""]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("PAPER|CLAIM"), "{}", ran.err);
}
