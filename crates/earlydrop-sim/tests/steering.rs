//! Links that are looked at and steered during a run.

use std::sync::Arc;

use crate::random_runs::{facts, measured_more, runner, runs};
use earlydrop::counters::Tally;
use earlydrop::registry::{Plan, Spec};
use earlydrop::schemes::AnyAqm;
use earlydrop::steering::Setting;
use earlydrop::units::{BitsPerSec, Nanos};
use earlydrop_sim::network::{Change, Dumbbell, Link, LinkId};
use earlydrop_sim::results::{Results, Totals};
use earlydrop_sim::steering::{LinkState, SteerError};
use earlydrop_sim::tcp::{Algorithm, Profile, Recovery};
use earlydrop_sim::traffic::{Flow, FlowId};
use earlydrop_sim::{Run, Simulation};
use proptest::prelude::*;

const STEP: Nanos = Nanos::from_millis(10);

/// Ten transfers over 10 Mbps for 20 s, with a warm-up of 4 s. Delays are uneven, so that no two
/// packets reach the link in the same nanosecond.
fn ten_flows(queue: &str, profile: Profile) -> (Run, LinkId) {
    let link = Link::new(BitsPerSec::from_mbps(10), Nanos::from_millis(10));
    let queued = link.clone().queue(queue.parse().unwrap());
    let mut dumbbell = Dumbbell::new(queued, link);
    let profile = Arc::new(profile);
    let ends: Vec<_> = (0..10)
        .map(|host| {
            dumbbell.pair(
                BitsPerSec::from_mbps(100),
                Nanos(1_000_003 + 1_234_577 * host),
            )
        })
        .collect();
    let mut run = Run::new(dumbbell.network, Nanos::from_secs(20)).seed(9);
    run.measure.warm_up = Nanos::from_secs(4);
    run.measure.sample_every = Some(Nanos::from_millis(7));
    for (from, to) in ends {
        run.add(Flow::bulk(from, to, &profile).between(Nanos::ZERO, Nanos::from_secs(1)));
    }
    (run, dumbbell.bottleneck)
}

/// The run with this link declared to be steered.
fn declared(run: &Run, link: LinkId) -> Run {
    let mut run = run.clone();
    run.network.get_mut(link).steered = true;
    run
}

/// Runs in steps of [`STEP`], with `act` after each.
fn in_steps(run: &Run, mut act: impl FnMut(&mut Simulation)) -> Results {
    let mut simulation = run.start().unwrap();
    while simulation.now() < run.duration {
        simulation.run_until(simulation.now() + STEP);
        act(&mut simulation);
    }
    simulation.finish()
}

fn text(results: &Results) -> String {
    format!("{results:#?}")
}

#[test]
fn an_agent_that_answers_what_red_would_gets_the_run_of_red() {
    let modern = Profile::modern(Algorithm::Cubic);
    for (scheme, profile) in [
        ("red:min=10,max=30,max_p=0.1", Profile::ns2(Recovery::Reno)),
        ("gred:min=12,max=40,max_p=0.02", modern),
        ("red:as=linux,min=15 kB,max=45 kB,max_p=0.02", modern),
    ] {
        let (run, link) = ten_flows(scheme, profile);
        let spec: Spec = scheme.parse().unwrap();
        let settings = spec.settings(&facts(run.network.get(link))).unwrap();
        let plan = spec.plan(&facts(run.network.get(link))).unwrap();
        let shape = *plan.curve().unwrap().shape();
        let (min, max, max_p) = (shape.min, shape.max, settings.number("max_p"));
        let alone = run.results().unwrap();
        let steered = in_steps(&declared(&run, link), |simulation| {
            simulation.look(link).unwrap();
            let curve = Setting::Curve { min, max, max_p };
            simulation.steer(link, &curve).unwrap();
        });
        assert!(alone.queue(link).unwrap().counters.dropped().packets > 0);
        assert!(text(&alone) == text(&steered), "{scheme}");
    }
}

#[test]
fn another_answer_gets_another_run() {
    let (run, link) = ten_flows("dial:limit=100", Profile::ns2(Recovery::NewReno));
    let with = |probability: f64| {
        let results = in_steps(&declared(&run, link), |simulation| {
            let set = simulation.steer(link, &Setting::Probability(probability));
            set.unwrap();
        });
        results.queue(link).unwrap().clone()
    };
    let [none, some, many] = [0.0, 0.01, 0.2].map(with);
    assert!(none.mean_packets > 40.0, "drop-tail: {}", none.mean_packets);
    assert!(some.mean_packets < 0.7 * none.mean_packets);
    assert!(many.utilisation < 0.9 * some.utilisation);
}

#[test]
fn looks_add_up_to_the_results() {
    let (mut run, link) = ten_flows("red:min=5,max=20", Profile::ns2(Recovery::NewReno));
    run.measure.warm_up = Nanos::ZERO;
    let mut looks: Vec<LinkState> = Vec::new();
    let results = in_steps(&declared(&run, link), |simulation| {
        looks.push(simulation.look(link).unwrap());
    });
    let queue = results.queue(link).unwrap();
    let sum = |what: fn(&LinkState) -> Tally| {
        let tallies = looks.iter().map(what);
        let (packets, bytes) = tallies.fold((0, 0), |(p, b), t| (p + t.packets, b + t.bytes));
        Tally { packets, bytes }
    };
    assert_eq!(sum(|l| l.counters.arrived), queue.counters.arrived);
    assert_eq!(sum(|l| l.counters.departed), queue.counters.departed);
    assert_eq!(sum(|l| l.counters.dropped()), queue.counters.dropped());
    let mean =
        |what: fn(&LinkState) -> f64| looks.iter().map(what).sum::<f64>() / looks.len() as f64;
    assert!((mean(|look| look.utilisation) - queue.utilisation).abs() < 1e-9);
    let waited: f64 = looks
        .iter()
        .filter_map(|look| {
            Some(look.mean_sojourn?.0 as f64 * look.counters.departed.packets as f64)
        })
        .sum();
    let waited = waited / queue.counters.departed.packets as f64;
    let expected = queue.mean_sojourn.unwrap().0 as f64;
    assert!((waited - expected).abs() < 2.0, "{waited} {expected}");
    for look in &looks {
        assert_eq!(look.packets > 0, look.head_sojourn.is_some());
        assert_eq!(look.packets > 0, look.bytes > 0);
    }
    assert!(looks.iter().any(|look| look.packets > 10));
}

#[test]
fn probes_are_those_of_the_moment() {
    let (run, link) = ten_flows("ared:min=5,max=20", Profile::ns2(Recovery::NewReno));
    let mut moved = Vec::new();
    in_steps(&declared(&run, link), |simulation| {
        let mut max_p = None;
        simulation
            .probes(link, &mut |name, value| {
                if name == "max_p" {
                    max_p = Some(value);
                }
            })
            .unwrap();
        moved.extend(max_p);
    });
    assert_eq!(moved.len(), 2000);
    moved.dedup();
    assert!(moved.len() > 5, "it adapts every half second");
}

#[test]
fn a_link_that_was_not_declared_is_refused_by_number_and_a_scheme_by_name() {
    let (run, link) = ten_flows("codel", Profile::ns2(Recovery::NewReno));
    let setting = Setting::MaxP(0.1);
    let mut alone = run.start().unwrap();
    assert_eq!(
        alone.look(link).unwrap_err(),
        SteerError::NotDeclared { link: link.0 }
    );
    let message = alone.steer(link, &setting).unwrap_err().to_string();
    assert!(message.contains("Link::steered"), "{message}");
    let mut declared = declared(&run, link).start().unwrap();
    let message = declared.steer(link, &setting).unwrap_err().to_string();
    assert!(
        message.contains("left to right") && message.contains("RED family"),
        "{message}"
    );
}

/// The links of a run whose queue can be steered, and settings that change nothing.
fn steerable(run: &Run) -> Vec<(LinkId, Option<Setting>)> {
    let queued = run.network.links().filter_map(|(id, _, _, link)| {
        let plan = link.queue.as_ref()?.plan(&facts(link)).ok()?;
        let setting = match &plan {
            Plan::Single {
                aqm: AnyAqm::Red(red),
                ..
            } => {
                let shape = red.curve().shape();
                let (min, max) = (shape.min, shape.max);
                Some(Setting::Thresholds { min, max })
            }
            Plan::Single {
                aqm: AnyAqm::Dial(_),
                ..
            } => Some(Setting::Probability(0.0)),
            _ => None,
        };
        Some((id, setting))
    });
    queued.collect()
}

fn check(cases: u32, holds: fn(&Run) -> Result<(), TestCaseError>) {
    let result = runner(cases).run(&runs(), |run| holds(&run));
    result.unwrap_or_else(|failure| panic!("{failure}"));
}

fn same(one: &Results, other: &Results) -> Result<(), TestCaseError> {
    let (one, other) = (text(one), text(other));
    let differing = one.lines().zip(other.lines()).find(|(a, b)| a != b);
    prop_assert_eq!(differing, None);
    Ok(())
}

#[test]
fn looking_and_setting_what_is_set_change_nothing() {
    check(120, |run| {
        let mut run = measured_more(run);
        let links = steerable(&run);
        for (link, _) in &links {
            run.network.get_mut(*link).steered = true;
        }
        let Ok(mut simulation) = run.start() else {
            return Ok(());
        };
        let mut piece = Nanos(run.seed % 20_000_000 + 1);
        while simulation.now() < run.duration {
            simulation.run_until(simulation.now() + piece);
            piece = Nanos(piece.0 * 5 % 30_000_007 + 1);
            for (link, setting) in &links {
                simulation.look(*link).unwrap();
                simulation.probes(*link, &mut |_, _| {}).unwrap();
                if let Some(setting) = setting {
                    // A curve given as numbers refuses, and changes nothing either.
                    let _ = simulation.steer(*link, setting);
                }
            }
        }
        same(&run.results().unwrap(), &simulation.finish())
    });
}

/// What an agent sees at one look, and answers.
type Answers = Vec<(u32, u64, Option<Nanos>)>;

/// Runs with an agent at every link with a queue, each under `dial`.
fn under_agents(run: &Run, mut simulation: Simulation) -> (Results, Answers) {
    let links = steerable(run);
    let mut answers = Vec::new();
    while simulation.now() < run.duration {
        simulation.run_until(simulation.now() + Nanos(7_654_321));
        for (link, _) in &links {
            let state = simulation.look(*link).unwrap();
            let probability = 0.004 * f64::from(state.packets % 40);
            let set = simulation.steer(*link, &Setting::Probability(probability));
            set.unwrap();
            let arrived = state.counters.arrived.packets;
            answers.push((state.packets, arrived, state.mean_sojourn));
        }
    }
    (simulation.finish(), answers)
}

#[test]
fn a_steered_run_is_that_of_the_reference_engine() {
    check(120, |run| {
        let mut run = measured_more(run);
        run.flows.truncate(1);
        // Senders are sampled as far ahead as they were computed.
        run.measure.windows.clear();
        for (link, _) in steerable(&run) {
            let link = run.network.get_mut(link);
            link.queue = Some("dial:limit=40".parse().unwrap());
            (link.steered, link.trace) = (true, None);
            // They would replace the dial.
            let is_scheme = |change: &Change| matches!(change, Change::Scheme(_));
            link.changes.retain(|(_, change)| !is_scheme(change));
        }
        let Ok(simulation) = run.start() else {
            return Ok(());
        };
        let reference = simulation.clone().reference_engine();
        let (mut results, answers) = under_agents(&run, simulation);
        let (mut expected, expected_answers) = under_agents(&run, reference);
        prop_assert_eq!(answers, expected_answers);
        // Events, and what was computed beyond the end.
        (results.totals, expected.totals) = Default::default();
        same(&results, &expected)
    });
}

/// A drop-tail queue is arithmetic unless it is steered, and then it is a port. With delays in whole
/// milliseconds, packets reach it in the same nanosecond, and a run may differ.
#[test]
fn a_drop_tail_queue_that_is_declared_and_left_alone_has_the_same_results() {
    for profile in [
        Profile::ns2(Recovery::Reno),
        Profile::modern(Algorithm::Cubic),
    ] {
        let (mut run, link) = ten_flows("droptail:limit=40", profile);
        run.measure.windows = (0..10).map(FlowId).collect();
        run.measure.arrivals_every = Some(Nanos::from_millis(13));
        run.measure.departures_every = Some(Nanos::from_millis(13));
        let figures = |run: &Run| {
            let mut results = run.results().unwrap();
            // They count what was computed beyond the end.
            results.totals = Totals::default();
            results
        };
        same(&figures(&run), &figures(&declared(&run, link))).unwrap();
    }
}
