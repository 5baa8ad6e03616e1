//! `earlydrop reproduce` as a user tries it.

mod support;

use std::fs;

use support::User;

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
        "does not hold",
        "cannot be decided",
    ];
    assert!(verdicts.contains(&claim["verdict"].as_str().unwrap()));
    let (low, high) = (claim["interval"][0].as_f64(), claim["interval"][1].as_f64());
    assert!(low < claim["effect"].as_f64() && claim["effect"].as_f64() < high);

    // The same again runs nothing, and says the same in words and on a page.
    let words = user
        .runs(&["reproduce", "clred.F6.a", "--pages", "pages"])
        .well();
    assert!(
        words.out.contains(claim["verdict"].as_str().unwrap()),
        "{}",
        words.out
    );
    let page = fs::read_to_string(user.path("pages/clred.md")).unwrap();
    assert!(page.contains("| clred.F6.a |"), "{page}");
    let picture = fs::read_to_string(user.path("pages/pictures/clred.F6-1.svg")).unwrap();
    assert!(picture.contains("<title>CLRED, sources 10: "), "{picture}");

    // It says where the figure is, with the claim and its verdict, and what more there is.
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
fn a_claim_is_shown_to_fail_with_a_wrong_scheme() {
    let user = User::new();
    let tried = user
        .runs(&["reproduce", "clred.F5.a", "--wrong", "--json"])
        .well()
        .json();
    let trial = &tried[0];
    assert_eq!(trial["id"], "clred.F5.a");
    assert_eq!(trial["verdict"], "holds");
    assert_eq!(trial["wrong"], "red");
    assert_eq!(trial["verdict_with_wrong"], "does not hold");

    let words = user.runs(&["reproduce", "clred.F5.a", "--wrong"]).well();
    let said = "clred.F5.a holds; with red it does not hold";
    assert!(words.out.contains(said), "{}", words.out);
    let ran = user.runs(&["reproduce", "clred.F5.a", "--wrong", "--pages", "pages"]);
    assert_eq!(ran.code, Some(2));
}

#[test]
fn what_there_is_not_is_answered_with_what_there_is() {
    let user = User::new();
    let ran = user.runs(&["reproduce", "clred.F66"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("did you mean clred.F6"), "{}", ran.err);
    assert!(ran.err.contains("clred"), "{}", ran.err);
}
