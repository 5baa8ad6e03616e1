//! The vectors can fail: queues with one rule changed leave them, and the report names the fault.

use earlydrop_conformance::catalogue::vectors;
use earlydrop_conformance::own::OwnQueue;
use earlydrop_conformance::report::Report;

/// The report on a scheme with settings changed, in every vector.
fn changed(scheme: &str, more: &str) -> Report {
    let mut report = Report::default();
    for vector in vectors(scheme).unwrap() {
        let header = &vector.header;
        // A setting that the vector gives is given anew.
        let (_, given) = header.spec.split_once(':').unwrap_or_default();
        let (name, _) = more.split_once('=').unwrap();
        let others = given.split(',').filter(|one| {
            let known = one.split_once('=').map(|(known, _)| known);
            known.is_some_and(|known| known != name)
        });
        let settings: Vec<&str> = others.chain([more]).collect();
        let spec = format!("{scheme}:{}", settings.join(","));
        let Ok(mut queue) = OwnQueue::with_rules(header, &spec) else {
            continue;
        };
        report.judge(&vector, &mut queue).unwrap();
    }
    report
}

#[test]
fn a_changed_rule_is_found_and_named() {
    let mut unnamed = Vec::new();
    for (scheme, change, fault) in [
        ("droptail", "limit=4 packets", "limit-off-by-one"),
        ("red", "weight=0.24", "weight-misread"),
        ("red", "idle=none", "no-idle-decay"),
        ("red", "curve=nlred", "wrong-curve"),
        ("red", "spacing=geometric", "gaps-not-uniform"),
        ("red", "ecn=off", "drops-what-could-be-marked"),
        ("gred", "curve=red", "not-gentle"),
        ("ared", "adapt=none", "max-p-still"),
        ("ared", "ared_interval=110 ms", "update-time"),
        ("ared", "ared_alpha=0.02", "max-p-wrong-step"),
        ("nlred", "curve=red", "wrong-curve"),
        ("clred", "curve=gentle", "wrong-curve"),
        ("sfred", "sfred_alpha=0.5", "flow-classes"),
        ("sfred", "sfred_beta=5", "flow-classes"),
        ("sfred", "eta=30", "flow-classes"),
        ("choke", "weight=0.24", "victim"),
        ("sfb", "d1=0.09", "bins"),
        ("sfb", "d2=0.1", "bins"),
        ("sfb", "penalty_rate=1000", "penalty"),
        ("pie", "interval=16 ms", "update-time"),
        ("pie", "burst=300 ms", "burst-not-spared"),
        ("pie", "mark_limit=1", "mark-limit"),
        ("pie", "decay=half", "decay"),
        ("codel", "sqrt=newton", "control-law"),
        ("codel", "interval=110 ms", "interval-not-waited"),
        ("codel", "mtu=0 bytes", "last-packet-dropped"),
        ("codel", "ecn=off", "drops-what-could-be-marked"),
        ("codel", "ce_threshold=0 s", "step-threshold"),
        ("cobalt", "interval=110 ms", "interval-not-waited"),
        ("fq-codel", "quantum=1500 bytes", "quantum"),
        ("fq-codel", "limit=15", "overflow-victim"),
        ("dualpi2", "k=0.5", "not-coupled"),
        ("dualpi2", "step=11 ms", "step-threshold"),
        ("dualpi2", "c_share=0.5", "classic-starves"),
        ("dualpi2", "drop_on_overload=off", "overload"),
        ("dualpi2", "update=17 ms", "update-time"),
    ] {
        let report = changed(scheme, change);
        let suspects = report.suspects();
        if !suspects.iter().any(|(suspect, ..)| suspect.id == fault) {
            unnamed.push(format!("{scheme} with {change}: not {fault}:\n{report}"));
        }
    }
    assert!(unnamed.is_empty(), "{}", unnamed.join("\n"));
}
