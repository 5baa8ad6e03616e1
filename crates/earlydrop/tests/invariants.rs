//! What holds for every scheme, by every preset and in random compositions, under
//! random traffic: see `support::ledger` for what is checked at every call.

mod support;

use earlydrop::units::Nanos;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use support::ledger::{Audited, Event};
use support::traffic::{Act, Aside, Driver, traffic};
use support::{plan, presets};

/// A boot clock days after its origin, at no round number.
const LATER: Nanos = Nanos(500_000_123_456_789);

fn events(name: &str, acts: &[Act], offset: Nanos, aside: Aside) -> Vec<Event> {
    let audited = Audited::new(name, &plan(name), offset);
    let mut driver = Driver::new(audited, aside);
    driver.run(acts);
    driver.audited.events
}

/// Runs `acts` as they are and in three ways that must not make a difference.
fn check(name: &str, acts: &[Act]) {
    let plain = events(name, acts, Nanos::ZERO, Aside::Nothing);
    for (offset, aside, way) in [
        (Nanos::ZERO, Aside::Clone, "by clones"),
        (Nanos::ZERO, Aside::Poll, "polled in between"),
        (LATER, Aside::Nothing, "on a later clock"),
    ] {
        let other = events(name, acts, offset, aside);
        let differs = plain.iter().zip(&other).position(|(a, b)| a != b);
        let differs = differs.map(|at| (at, plain[at], other[at]));
        assert_eq!(differs, None, "{name} {way}");
        assert_eq!(plain.len(), other.len(), "{name} {way}");
    }
}

/// A fixed seed: a run that failed can be had again.
fn runner(cases: u32) -> TestRunner {
    let config = Config {
        cases,
        failure_persistence: None,
        max_shrink_iters: 2000,
        ..Config::default()
    };
    let seed = [7; 32];
    let rng = proptest::test_runner::TestRng::from_seed(
        proptest::test_runner::RngAlgorithm::ChaCha,
        &seed,
    );
    TestRunner::new_with_rng(config, rng)
}

/// Checks each of `names` under the same random traffic and tells of all that fail.
fn check_all(names: Vec<String>, cases: u32) {
    let fails = |name: &String| {
        let result = runner(cases).run(&traffic(), |acts| {
            check(name, &acts);
            Ok(())
        });
        result.err().map(|failure| format!("{name}: {failure}"))
    };
    let failures: Vec<_> = names.iter().filter_map(fails).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_scheme_by_every_preset_keeps_the_invariants() {
    check_all(presets(), 24);
}
