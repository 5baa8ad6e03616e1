//! The comparison again with one setting changed: which settings the figures depend on.

use std::fmt::Write as _;

use earlydrop::units::Nanos;
use earlydrop_sim::tcp::{Handshake, Profile, Rules};

use super::cases::cases;
use crate::witness::{Case, Comparison, Figure, compare};

/// Another setting of the queue, in place of one that is there.
const QUEUE: [(&str, &str); 7] = [
    ("spacing=wait", "spacing=uniform"),
    ("spacing=wait", "spacing=geometric"),
    ("cautious=on", "cautious=off"),
    ("idle=ns2", "idle=exact"),
    ("last_place=off", "last_place=on"),
    ("mark_limit=0.1", "mark_limit=1"),
    ("gentle_slope=initial", "gentle_slope=live"),
];

/// A change of what senders do.
type Change = fn(&mut Profile);

/// Changes of what senders do, with their names.
const SENDER: [(&str, Change); 8] = [
    ("the RFCs' rules", |p| p.rules = Rules::Standard),
    ("whole_cuts the other way", |p| p.whole_cuts = !p.whole_cuts),
    ("limited_transmit the other way", |p| {
        p.limited_transmit = !p.limited_transmit;
    }),
    ("no connection request", |p| p.handshake = Handshake::None),
    ("a least timeout of 1 s", |p| {
        p.timer.minimum = Nanos::from_secs(1)
    }),
    ("ticks of 1 ms", |p| p.timer.tick = Nanos::from_millis(1)),
    ("an initial window of 1", |p| p.initial_window = 1),
    ("no slow-start restart", |p| p.slow_start_restart = false),
];

/// A table in Markdown: what was changed, how many figures it concerns, how many of them
/// are then outside their tolerance, and the worst of them.
pub(crate) fn table_of_settings(figures: &[Figure]) -> String {
    let mut table =
        "| changed | figures | missed | furthest off |\n|---|--:|--:|---|\n".to_string();
    let mut row = |name: &str, cases: &[Case]| {
        let found = compare(cases, figures);
        let missed = found.iter().filter(|c| !c.is_met()).count();
        let off = Comparison::share_of_tolerance;
        let worst = found.iter().max_by(|a, b| off(a).total_cmp(&off(b)));
        let furthest = worst.map_or(String::new(), |c| {
            format!("{} {} {}", c.figure.case, c.figure.metric, c.off_by(0))
        });
        let count = found.len();
        let _ = writeln!(table, "| {name} | {count} | {missed} | {furthest} |");
    };
    row("nothing", &cases());
    for (setting, other) in QUEUE {
        let mut cases = cases();
        cases.retain_mut(|case| case.with_queue(setting, other));
        row(&format!("`{other}`"), &cases);
    }
    for (name, change) in SENDER {
        let mut cases = cases();
        cases.iter_mut().for_each(|case| case.with_senders(change));
        row(name, &cases);
    }
    table
}
