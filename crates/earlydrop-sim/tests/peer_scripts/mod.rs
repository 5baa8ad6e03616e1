//! The `linux` senders in the scripts of peers' test suites.
//!
//! `scripts.txt` has the scripts as facts: what arrives, what is sent for it, `cwnd` and `ssthresh`
//! afterwards. Its head explains the text.

mod play;
mod script;

use crate::tcp_linux_traces;
use play::{Outcome, play};
use script::{Script, scripts};

/// Files whose documentation counts scripts.
const DOCUMENTED: [&str; 9] = [
    include_str!("../../src/tcp/recovery/newreno.rs"),
    include_str!("../../src/tcp/recovery/sack.rs"),
    include_str!("../../src/tcp/recovery/rack.rs"),
    include_str!("../../src/tcp/recovery/tlp.rs"),
    include_str!("../../src/tcp/recovery/undo.rs"),
    include_str!("../../src/tcp/recovery/frto.rs"),
    include_str!("../../src/tcp/recovery/prr.rs"),
    include_str!("../../src/tcp/rate_sample.rs"),
    include_str!("../../src/tcp/rto.rs"),
];

fn outcomes() -> Vec<(Script, Outcome)> {
    let played = scripts().into_iter().map(|script| {
        let outcome = play(&script);
        (script, outcome)
    });
    played.collect()
}

/// A script that gets worse fails, and so does one that is better than its listed misses.
#[test]
fn senders_do_what_peers_scripts_say_but_for_the_listed_misses() {
    let outcomes = outcomes();
    let changed = outcomes.iter().filter_map(|(script, outcome)| {
        let (failed, of) = (outcome.failed.len(), outcome.checks);
        (failed != script.misses).then(|| {
            let (name, misses) = (script.name, script.misses);
            let lines = outcome.failed.join("\n  ");
            format!("{name}: {failed} of {of} checks fail, {misses} are listed\n  {lines}")
        })
    });
    let changed: Vec<String> = changed.collect();
    assert!(changed.is_empty(), "{}", changed.join("\n"));
}

/// Documentation counts scripts as "packetdrill `WORD`: N of M scripts", and so with Linux: those
/// without a difference of those whose names have the word.
#[test]
fn documentation_counts_the_scripts_of_each_mechanism() {
    let packetdrill = outcomes();
    let packetdrill = packetdrill.iter().filter_map(|(script, outcome)| {
        let name = script.name.strip_prefix("packetdrill ")?;
        Some((name.to_string(), outcome.failed.is_empty()))
    });
    let linux = tcp_linux_traces::scripts_without_a_difference();
    let suites = [("packetdrill", packetdrill.collect()), ("Linux", linux)];
    let mut counts = 0;
    for part in DOCUMENTED {
        let head = part.lines().map_while(|line| line.strip_prefix("//!"));
        let text: Vec<&str> = head.flat_map(str::split_whitespace).collect();
        let text = text.join(" ");
        for (suite, scripts) in &suites {
            for said in text.split(&format!("{suite} `")).skip(1) {
                let Some((word, count)) = said.split_once("`: ") else {
                    continue;
                };
                let of: Vec<bool> = of_word(scripts, word).collect();
                let equal = of.iter().filter(|equal| **equal).count();
                let expected = format!("{equal} of {} scripts", of.len());
                assert!(count.starts_with(&expected), "{suite} {word}: {expected}");
                counts += 1;
            }
        }
    }
    assert!(counts > 10, "{counts}");
}

fn of_word(scripts: &[(String, bool)], word: &str) -> impl Iterator<Item = bool> {
    let named = scripts.iter().filter(move |(name, _)| name.contains(word));
    named.map(|(_, equal)| *equal)
}

#[test]
fn the_page_on_validation_counts_scripts_and_checks() {
    let page = include_str!("../../../../docs/explanation/validation.md");
    for suite in ["packetdrill", "kernel", "ns-3"] {
        let mut counts = [0; 4];
        for (script, outcome) in outcomes() {
            if script.name.starts_with(suite) {
                let failed = outcome.failed.len();
                let of_script = [
                    1,
                    usize::from(failed == 0),
                    outcome.checks,
                    outcome.checks - failed,
                ];
                counts = std::array::from_fn(|index| counts[index] + of_script[index]);
            }
        }
        let [scripts, met, checks, hold] = counts;
        let row = format!("| {scripts} | {met} | {checks} | {hold} |");
        let said = page
            .lines()
            .any(|line| line.contains(suite) && line.ends_with(&row));
        assert!(said, "docs/explanation/validation.md: {suite} {row}");
    }
}
