//! The `linux` senders in the scripts of peers' test suites.
//!
//! `scripts.txt` has the scripts as facts: what arrives, what is sent for it, `cwnd` and `ssthresh`
//! afterwards. Its head explains the text.

mod play;
mod script;

use play::{Outcome, play};
use script::{Script, scripts};

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
