//! Schemes whose parameters change during a run.

use earlydrop::units::Nanos;
use earlydrop_lab::outcome::Outcome;
use earlydrop_lab::plan::{Plan, Source, TraceFiles};
use earlydrop_lab::run::outcomes;
use earlydrop_lab::watch::{Detail, Watch};

const TEXT: &str = "duration = '10 s'\nwarm_up = '1 s'\nseeds = 1\n\
    network = { rate = '10 Mbps', rtt = '40 ms' }\n[flows.bulk]\ncount = 8\n";

fn try_plan(schemes: &str) -> Result<Plan, String> {
    let text = format!("{TEXT}[schemes.it]\n{schemes}");
    let source = Source::new("changes.toml", &text, TraceFiles::default());
    source
        .unwrap()
        .plan()
        .map_err(|problems| problems.to_string())
}

fn plan(schemes: &str) -> Plan {
    try_plan(schemes).unwrap_or_else(|problems| panic!("{problems}"))
}

fn outcome(schemes: &str) -> Outcome {
    let plan = plan(schemes);
    let (_, outcome) = outcomes(&plan).next().unwrap().unwrap();
    outcome
}

/// A probe of the scheme at the samples up to 5 s, and after it.
fn probe(schemes: &str, name: &str) -> (Vec<f64>, Vec<f64>) {
    let plan = plan(schemes);
    let mut watch = Watch::open(&plan, plan.cell(0).unwrap(), Detail::default()).unwrap();
    let names = watch.simulation().probe_names(watch.link());
    let index = names.iter().position(|known| *known == name).unwrap();
    watch.advance(Nanos::from_secs(10), u64::MAX);
    let (mut before, mut after) = (Vec::new(), Vec::new());
    watch.take_samples(|at, _, probes| {
        let value = probes.nth(index).unwrap();
        if at <= Nanos::from_secs(5) {
            before.push(value);
        } else {
            after.push(value);
        }
    });
    (before, after)
}

#[test]
fn a_parameter_has_its_new_value_from_its_time_on() {
    let red = "scheme = 'red'\nmin = 5\nmax = 30\nmax_p = 0.1\n";
    let changed = format!("{red}changes = [{{ at = '5 s', max_p = 0.02 }}]");
    let (before, after) = probe(&changed, "max_p");
    assert!(before.iter().all(|max_p| *max_p == 0.1));
    assert!(after.iter().all(|max_p| *max_p == 0.02));
    // The average goes on where it was.
    let (before, after) = probe(&changed, "average");
    let step = (after[0] - before[before.len() - 1]).abs();
    assert!(step < 1.0, "{step}");
    assert_eq!(before, probe(red, "average").0, "nothing changes before");
}

#[test]
fn a_change_to_the_same_values_changes_nothing() {
    for (scheme, same) in [
        ("scheme = 'red'\nmin = 5\n", "min = 5"),
        ("scheme = 'pie'\n", "target = '15 ms'"),
        ("scheme = 'codel'\n", "target = '5 ms'"),
        ("scheme = 'fq-codel'\n", "target = '5 ms'"),
        ("scheme = 'dualpi2'\n", "target = '15 ms'"),
        ("scheme = 'sfred'\n", "limit = '1000 packets'"),
    ] {
        let changed = format!("{scheme}changes = [{{ at = '5 s', {same} }}]");
        assert_eq!(outcome(scheme), outcome(&changed), "{scheme}");
    }
}

#[test]
fn changes_come_in_order_of_time_and_add_up() {
    let changes = "[{ at = '4 s', max_p = 0.3 }, { at = '2 s', max_p = 0.2, min = 8 }]";
    let shown = format!("scheme = 'red'\nmin = 5\nmax = 30\nchanges = {changes}");
    let (before, _) = probe(&shown, "max_p");
    let at = |seconds: usize| before[100 * seconds];
    assert_eq!([at(1), at(3), at(5)], [0.1, 0.2, 0.3]);
}

#[test]
fn wrong_changes_are_refused_with_their_line() {
    for (schemes, words) in [
        (
            "changes = [{ at = '5 s', max_q = 1 }]",
            "11:34: red has no parameter 'max_q'",
        ),
        ("changes = [{ at = '5 s', max_p = 3 }]", "11:34: "),
        ("changes = [{ max_p = 0.3 }]", "needs a time `at`"),
        (
            "changes = [{ at = '5 s' }]",
            "a change of a scheme without parameters",
        ),
        ("changes = 5", "`changes` is a number"),
        ("changes = [{ at = '5 s', min = 40, max = 30 }]", "11:"),
    ] {
        let text = format!("scheme = 'red'\nmin = 5\nmax = 30\n{schemes}");
        let wrong = try_plan(&text).unwrap_err();
        assert!(wrong.contains(words), "{schemes}: {wrong}");
    }
    let wrong =
        try_plan("scheme = 'fq-codel'\nchanges = [{ at = '5 s', queues = 5 }]").unwrap_err();
    assert!(
        wrong.contains("number of sub-queues in use cannot change"),
        "{wrong}"
    );
}
