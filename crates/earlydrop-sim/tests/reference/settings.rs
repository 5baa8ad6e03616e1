//! The comparison repeated with one setting changed, which shows what the figures depend on.

use std::fmt::Write as _;

use earlydrop_sim::tcp::Profile;

use super::case::Case;
use super::compare::{Comparison, compare};
use super::figures::Figure;

/// A setting of a queue and its replacement.
pub(crate) type Setting = (&'static str, &'static str);

/// A change of the TCP profile, with its name.
pub(crate) type Change = (&'static str, fn(&mut Profile));

/// A Markdown table: what was changed, how many figures that concerns, how many of them miss their
/// tolerance then, and the worst of them.
pub(crate) fn table_of_settings(
    cases: impl Fn() -> Vec<Case>,
    figures: &[Figure],
    queues: &[Setting],
    senders: &[Change],
) -> String {
    let mut table =
        "| changed | figures | missed | furthest off |\n|---|--:|--:|---|\n".to_string();
    let mut row = |name: &str, cases: &[Case]| {
        let comparisons = compare(cases, figures);
        let missed = comparisons.iter().filter(|c| !c.is_met()).count();
        let off = Comparison::share_of_tolerance;
        let worst = comparisons.iter().max_by(|a, b| off(a).total_cmp(&off(b)));
        let furthest = worst.map_or(String::new(), |c| {
            format!("{} {} {}", c.figure.case, c.figure.metric, c.off_by(0))
        });
        let count = comparisons.len();
        let _ = writeln!(table, "| {name} | {count} | {missed} | {furthest} |");
    };
    row("nothing", &cases());
    for (setting, other) in queues {
        let mut cases = cases();
        cases.retain_mut(|case| case.with_queue(setting, other));
        row(&format!("`{other}`"), &cases);
    }
    for (name, change) in senders {
        let mut cases = cases();
        cases.iter_mut().for_each(|case| case.with_senders(*change));
        row(name, &cases);
    }
    table
}
