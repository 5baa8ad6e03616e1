//! The `linux` senders against Linux's own TCP: each script of `bench/reference/linux/tcp`, with
//! times of all transmissions, and `cwnd` and `ssthresh` after each acknowledgment.

use std::collections::BTreeMap;

use crate::tcp_linux::trace::Trace;
use crate::tcp_linux::{Case, cases};

/// Scripts that do not agree: how many transmissions and windows differ, and why.
const MISSES: &str = include_str!("tcp_linux/misses.txt");

/// The misses by script: the counts, and the reason.
fn misses() -> BTreeMap<&'static str, (usize, usize)> {
    let lines = MISSES.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let fields: Vec<&str> = line.split('|').collect();
            let [case, transmissions, windows, why] = fields[..] else {
                panic!("not a miss: {line}");
            };
            assert!(!why.trim().is_empty(), "{case}: a miss needs a reason");
            let counts = (transmissions.parse().unwrap(), windows.parse().unwrap());
            (case, counts)
        })
        .collect()
}

/// Every script, and whether it is without a difference.
pub(crate) fn scripts_without_a_difference() -> Vec<(String, bool)> {
    let misses = misses();
    let equal = |case: Case| {
        let equal = !misses.contains_key(case.name.as_str());
        (case.name, equal)
    };
    cases().into_iter().map(equal).collect()
}

fn report(case: &Case, known: Option<(usize, usize)>) -> Option<String> {
    let found = case.differences();
    let counts = (found.transmissions.differ, found.windows.differ);
    if std::env::var_os("EARLYDROP_TCP_TABLE").is_some() {
        println!(
            "{}|{}|{}| of {}, {}; {}; {}",
            case.name,
            counts.0,
            counts.1,
            found.transmissions.of,
            found.windows.of,
            found.transmissions.first,
            found.windows.first
        );
    }
    (counts != known.unwrap_or((0, 0))).then(|| {
        format!(
            "{}: {} of {} transmissions and {} of {} windows differ, {:?} are listed; {}; {}",
            case.name,
            counts.0,
            found.transmissions.of,
            counts.1,
            found.windows.of,
            known,
            found.transmissions.first,
            found.windows.first
        )
    })
}

/// A script that gets worse fails, and so does one that is better than its listed miss.
#[test]
fn senders_are_linux_s_but_for_the_listed_misses() {
    let misses = misses();
    let cases = cases();
    for name in misses.keys() {
        assert!(
            cases.iter().any(|case| case.name == *name),
            "no case {name}"
        );
    }
    let changed: Vec<String> = cases
        .iter()
        .filter_map(|case| report(case, misses.get(case.name.as_str()).copied()))
        .collect();
    assert!(changed.is_empty(), "{}", changed.join("\n"));
}

/// Cases of a control and how many of them have no difference, which its documentation and the page
/// on validation say.
#[test]
fn documentation_and_page_count_the_scripts() {
    let misses = misses();
    let count = |control: &str| {
        let cases = cases().into_iter().filter(|case| case.control() == control);
        let equal = |case: &Case| !misses.contains_key(case.name.as_str());
        let equal: Vec<bool> = cases.map(|case| equal(&case)).collect();
        (equal.iter().filter(|equal| **equal).count(), equal.len())
    };
    let page = include_str!("../../../docs/explanation/validation.md");
    for (control, row, documentation) in [
        ("reno", "Reno", include_str!("../src/tcp/control/reno.rs")),
        (
            "cubic",
            "CUBIC without HyStart",
            include_str!("../src/tcp/control/cubic.rs"),
        ),
        ("cubic-hystart", "CUBIC with HyStart", ""),
        (
            "dctcp",
            "DCTCP",
            include_str!("../src/tcp/control/dctcp.rs"),
        ),
        (
            "bbr",
            "BBR, version 1",
            include_str!("../src/tcp/control/bbr.rs"),
        ),
    ] {
        let (equal, of) = count(control);
        let row = format!("| {row} | {of} | {equal} |");
        assert!(page.contains(&row), "docs/explanation/validation.md: {row}");
        let sentence = format!("{equal} of {of} scripts");
        let is_said = documentation.is_empty() || documentation.contains(&sentence);
        assert!(is_said, "{control}: {sentence}");
    }
    let (all, missed) = (cases().len(), misses.len());
    let sentence = format!("{} of {all} scripts without a difference", all - missed);
    let profile = include_str!("../src/tcp/profile/linux.rs");
    assert!(profile.contains(&sentence), "{sentence}");
    let others = format!("other {missed} stand");
    assert!(missed == 0 || profile.contains(&others), "{missed}");
}

#[test]
fn a_trace_is_stored_without_loss() {
    for case in cases() {
        let text = std::fs::read_to_string(case.stored()).unwrap();
        let trace = Trace::read(&text).unwrap();
        assert_eq!(trace.render(), text, "{}", case.name);
    }
}
