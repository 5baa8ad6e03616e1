//! Presets that schemes name, beside what a scenario sets for all schemes.

use earlydrop_sim::network::Change;

use super::*;
use crate::scenario::BesidePreset;

/// The built-in scenario's thresholds and buffer, which follow the link.
const FOLLOWING: &str = "parameters = { min = \"auto\", max = \"auto\", target_delay = \"0.4 RTT\" }\n\
                         network = { rate = \"20 Mbps\", rtt = \"50 ms\", buffer = \"auto\" }\n";

/// A scheme beside one that takes every parameter.
fn plan(scheme: &str, rest: &str) -> Plan {
    let text = format!("schemes = ['{scheme}', 'gred']\n{rest}[flows.a]\n");
    let source = Source::new("test.toml", &text, TraceFiles::default());
    source.unwrap().plan().unwrap()
}

/// The scheme as its queue is built.
fn built(scheme: &str, rest: &str) -> String {
    let plan = plan(scheme, rest);
    let prepared = plan.prepare(plan.cell(0).unwrap(), false).unwrap();
    let queue = prepared.run.network.get(prepared.watched).queue.clone();
    let queue = queue.unwrap().to_string();
    assert_eq!(plan.scenario().schemes[0].spec.to_string(), queue);
    queue
}

#[test]
fn a_named_preset_outranks_what_follows_the_link() {
    for (scheme, wanted) in [
        ("nlred:as=paper", "nlred:as=paper"),
        ("red:as=linux", "red:as=linux"),
        ("red:as=linux,max=60 kB", "red:as=linux,max=60 kB"),
        // What a preset leaves open is filled.
        ("red:as=paper", "red:as=paper,limit=250 packets"),
        ("red:as=ns2", "red:as=ns2,limit=250 packets"),
        (
            "ared:as=paper",
            "ared:as=paper,target_delay=20 ms,limit=250 packets",
        ),
        ("codel:as=paper", "codel:as=paper,limit=250 packets"),
        (
            "red",
            "red:min=auto,max=auto,target_delay=20 ms,limit=250 packets",
        ),
    ] {
        assert_eq!(built(scheme, FOLLOWING), wanted);
    }
}

#[test]
fn a_named_preset_outranks_parameters_of_all_schemes() {
    let shared = "parameters = { max_p = 0.05, weight = 0.01, area = 0.02 }\n";
    assert_eq!(built("nlred:as=paper", shared), "nlred:as=paper,area=0.02");
    assert_eq!(
        built("red:as=paper,max_p=0.3", shared),
        "red:as=paper,max_p=0.3,weight=0.01,area=0.02"
    );
    // A preset among the parameters is as general as they are.
    let preset = "parameters = { as = 'paper', max_p = 0.05 }\nnetwork.buffer = 'auto'\n";
    assert_eq!(built("nlred", preset), "nlred:as=paper,max_p=0.05");
    // The preset of an inner scheme.
    let inner = "parameters.inner = { min = 40, area = 0.02 }\n";
    assert_eq!(
        built("fq-red:inner=nlred,inner.as=paper", inner),
        "fq-red:inner=nlred,inner.as=paper,inner.area=0.02"
    );
}

#[test]
fn a_buffer_with_a_length_is_every_schemes_limit() {
    for buffer in ["200 packets", "4 BDP"] {
        let network = format!("network = {{ rtt = '60 ms', buffer = '{buffer}' }}\n");
        let queue = built("nlred:as=paper", &network);
        assert_eq!(queue, "nlred:as=paper,limit=200 packets", "{buffer}");
    }
    let own = built(
        "nlred:as=paper,limit=90",
        "network.buffer = '200 packets'\n",
    );
    assert_eq!(own, "nlred:as=paper,limit=90");
}

#[test]
fn thresholds_in_bytes_are_shown_in_packets_of_the_link() {
    let plan = plan("red:as=linux", FOLLOWING);
    let sizes = &plan.scenario().sizes()[0].schemes[0];
    let (min, max) = sizes.thresholds.unwrap();
    assert_eq!((min.packets, max.packets), (20.0, 60.0));
    // 30,000 and 90,000 bytes at 20 Mbps.
    assert_eq!((min.seconds, max.seconds), (0.012, 0.036));
}

#[test]
fn changes_of_a_scheme_follow_the_same_order() {
    let scheme = "{ scheme = 'red', changes = [{ at = '1 s', as = 'linux' }, { at = '2 s', min = '15 kB' }] }";
    let text = format!("schemes.red = {scheme}\n{FOLLOWING}[flows.a]\n");
    let source = Source::new("test.toml", &text, TraceFiles::default()).unwrap();
    let plan = source.plan().unwrap();
    let prepared = plan.prepare(plan.cell(0).unwrap(), false).unwrap();
    let link = prepared.run.network.get(prepared.watched);
    let thresholds = link.changes.iter().map(|(_, change)| match change {
        Change::Scheme(plan) => plan.curve().unwrap().shape().min,
        other => panic!("{other:?}"),
    });
    // Linux's, in bytes, not 20 packets of 0.4 round trips; and what is given after it.
    assert_eq!(thresholds.collect::<Vec<f64>>(), [30_000.0, 15_000.0]);
}

#[test]
fn what_the_scenario_sets_beside_a_preset_is_known() {
    let beside = |scheme: &str, rest: &str| {
        let plan = plan(scheme, rest);
        plan.scenario().sizes()[0].schemes[0].beside_preset.clone()
    };
    let one = |name: &str, value: &str, by, preset, is_taken| BesidePreset {
        name: name.to_string(),
        value: value.to_string(),
        by,
        preset,
        is_taken,
    };
    assert_eq!(beside("nlred:as=paper", FOLLOWING), []);
    assert_eq!(beside("red", FOLLOWING), []);
    assert_eq!(
        beside("ared:as=paper", FOLLOWING),
        [
            one("target_delay", "20 ms", "parameters", None, true),
            one("limit", "250 packets", "network.buffer", None, true),
        ]
    );
    let rest = "parameters.max_p = 0.05\nnetwork.buffer = '90 packets'\n";
    assert_eq!(
        beside("nlred:as=paper", rest),
        [
            one("max_p", "0.05", "parameters", Some("0.1"), false),
            one(
                "limit",
                "90 packets",
                "network.buffer",
                Some("120 packets"),
                true
            ),
        ]
    );
}
