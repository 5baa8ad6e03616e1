//! Properties of every run, whatever its network, queues and traffic.

use std::cell::{Cell, RefCell};

use crate::random_runs::{Coverage, count_run, facts, measured_more, runner, runs};
use earlydrop::counters::Tally;
use earlydrop::registry::Plan;
use earlydrop::units::{BitsPerSec, Nanos};
use earlydrop_sim::network::Change;
use earlydrop_sim::results::{FlowResult, QueueResult, Results, Totals};
use earlydrop_sim::traffic::{
    Application, Flow, ListedTransfer, Pattern, Ports, Start, Step, Traffic,
};
use earlydrop_sim::{Run, RunError};
use proptest::prelude::*;
use proptest::test_runner::TestError;

fn check(cases: u32, holds: impl Fn(&Run) -> Result<(), TestCaseError>) {
    let result = runner(cases).run(&runs(), |run| holds(&run));
    match result {
        Err(TestError::Fail(reason, run)) => panic!("{reason}\n{run:?}"),
        other => other.unwrap(),
    }
}

/// The runs that are compared with those of the reference engine: as many as every feature needs.
const COMPARED: u32 = 220;

fn sum(tallies: &[Tally]) -> (u64, u64) {
    let add = |(packets, bytes), tally: &Tally| (packets + tally.packets, bytes + tally.bytes);
    tallies.iter().fold((0, 0), add)
}

/// Every variant and setting that a run can describe occurs in the runs that
/// `shortcuts_change_nothing` compares.
#[test]
fn random_runs_have_every_feature() {
    let seen = RefCell::new(Coverage::default());
    check(COMPARED, |run| {
        let mut run = run.clone();
        avoid_ties(&mut run);
        count_run(&run, &mut seen.borrow_mut());
        Ok(())
    });
    let Coverage(counts) = seen.into_inner();
    let never: Vec<_> = counts.iter().filter(|(_, times)| **times == 0).collect();
    assert!(never.is_empty(), "never: {never:?}; all: {counts:#?}");
}

#[test]
fn every_packet_is_accounted_for() {
    check(100, |run| {
        let results = run.results().unwrap();
        let Totals {
            sent,
            delivered,
            dropped,
            in_flight,
            ..
        } = results.totals;
        prop_assert_eq!(sum(&[sent]), sum(&[delivered, dropped, in_flight]));
        prop_assert!(results.totals.completed <= results.totals.transfers);
        for queue in &results.queues {
            queue_is_sound(run, queue)?;
        }
        for flow in &results.flows {
            flow_is_sound(run, flow)?;
        }
        for completion in &results.completions {
            prop_assert!(completion.began >= run.measure.warm_up, "{completion:?}");
            prop_assert!(completion.began < completion.ended, "{completion:?}");
            prop_assert!(
                completion.ended <= run.duration + run.measure.drain,
                "{completion:?}"
            );
        }
        for going_on in &results.unfinished {
            prop_assert!(run.measure.warm_up <= going_on.began, "{going_on:?}");
            let seen = going_on.began + going_on.lasted;
            prop_assert_eq!(seen, run.duration + run.measure.drain);
        }
        Ok(())
    });
}

fn queue_is_sound(run: &Run, queue: &QueueResult) -> Result<(), TestCaseError> {
    let link = run.network.get(queue.link);
    let limit_of = |plan: &Plan| match plan {
        Plan::Single { limit, .. } => Some(limit.packets),
        _ => None,
    };
    let spec = link.queue.as_ref();
    let limit = spec.and_then(|spec| limit_of(&spec.plan(&facts(link)).unwrap()));
    // Another scheme has another limit; a queue that is longer then stays so until it drains.
    let later = link.changes.iter().filter_map(|(_, change)| match change {
        Change::Scheme(plan) => limit_of(plan),
        _ => None,
    });
    let limit = limit.map(|limit| later.fold(limit, u32::max));
    let limit = limit.map_or(u64::from(u32::MAX), u64::from);
    let counters = &queue.counters;
    let (arrived, departed, dropped) = (counters.arrived, counters.departed, counters.dropped());
    if run.measure.warm_up == Nanos::ZERO {
        let waiting = arrived
            .packets
            .checked_sub(departed.packets + dropped.packets);
        prop_assert!(waiting.is_some_and(|waiting| waiting <= limit), "{queue:?}");
        let bytes = arrived.bytes.checked_sub(departed.bytes + dropped.bytes);
        prop_assert_eq!(bytes == Some(0), waiting == Some(0), "{:?}", queue);
    }
    prop_assert!((0.0..=1.0).contains(&queue.utilisation), "{queue:?}");
    prop_assert!(
        queue.mean_packets <= f64::from(queue.longest) + 1e-9,
        "{queue:?}"
    );
    prop_assert!(u64::from(queue.longest) <= limit, "{queue:?}");
    prop_assert!(
        counters.marked.packets <= arrived.packets + limit,
        "{queue:?}"
    );
    Ok(())
}

fn flow_is_sound(run: &Run, flow: &FlowResult) -> Result<(), TestCaseError> {
    prop_assert!(flow.goodput <= flow.throughput * (1.0 + 1e-12), "{flow:?}");
    prop_assert!(flow.marked <= flow.received, "{flow:?}");
    prop_assert!(flow.sender.retransmissions <= flow.sender.segments);
    let over_tcp = flow.sender.segments > 0;
    if over_tcp && run.measure.warm_up == Nanos::ZERO {
        let sent = u64::from(flow.sender.segments);
        prop_assert!(flow.received + flow.lost <= sent, "{flow:?}");
    }
    Ok(())
}

/// The results that every run has, without optional measurements.
fn figures(mut results: Results) -> String {
    for queue in &mut results.queues {
        queue.sojourn = None;
        queue.samples = None;
        queue.arrivals = None;
        queue.departures = None;
    }
    results.group_delays.clear();
    for flow in &mut results.flows {
        flow.delays = None;
        flow.round_trips = None;
    }
    results.captures.clear();
    results.windows.clear();
    results.totals.events = 0;
    format!("{results:#?}")
}

/// Fails with the first lines that differ.
fn same(one: &str, other: &str) -> Result<(), TestCaseError> {
    let differing = one.lines().zip(other.lines()).find(|(a, b)| a != b);
    prop_assert_eq!(differing, None);
    prop_assert_eq!(one.len(), other.len());
    Ok(())
}

#[test]
fn equal_runs_have_equal_results() {
    check(30, |run| {
        let run = measured_more(run);
        let once = format!("{:#?}", run.results().unwrap());
        let again = format!("{:#?}", run.results().unwrap());
        same(&once, &again)
    });
}

#[test]
fn measuring_more_changes_no_other_result() {
    check(60, |run| {
        let more = measured_more(run).results().unwrap();
        same(&figures(run.results().unwrap()), &figures(more))
    });
}

#[test]
fn running_in_pieces_changes_nothing() {
    check(60, |run| {
        let run = measured_more(run);
        let mut simulation = run.start().unwrap();
        let mut at = Nanos::ZERO;
        let mut piece = Nanos(run.seed % 50_000_000 + 1);
        while at < run.duration {
            at += piece;
            simulation.run_until(at);
            piece = Nanos(piece.0 * 5 % 70_000_003 + 1);
        }
        let whole = format!("{:#?}", run.results().unwrap());
        same(&whole, &format!("{:#?}", simulation.finish()))
    });
}

/// A transfer that ends after the end of a run ends as it does in a longer run, and one that does
/// not end has gone on until then.
#[test]
fn transfers_go_on_after_the_end_as_in_a_longer_run() {
    let (ended_after, unfinished) = (Cell::new(0), Cell::new(0));
    check(100, |run| {
        let mut run = run.clone();
        avoid_ties(&mut run);
        let Ok(results) = run.results() else {
            return Ok(());
        };
        let mut longer = run.clone();
        longer.duration += std::mem::take(&mut longer.measure.drain);
        let expected = longer.results().unwrap();
        let in_time = |began: Nanos| began < run.duration;
        let ended = expected.completions.iter().filter(|c| in_time(c.began));
        let going_on = expected.unfinished.iter().filter(|u| in_time(u.began));
        ended_after
            .update(|count| count + ended.clone().filter(|c| c.ended > run.duration).count());
        unfinished.update(|count| count + going_on.clone().count());
        same(
            &format!("{:#?}", (results.completions, results.unfinished)),
            &format!(
                "{:#?}",
                (ended.collect::<Vec<_>>(), going_on.collect::<Vec<_>>())
            ),
        )
    });
    let seen = (ended_after.get(), unfinished.get());
    assert!(seen.0 > 10 && seen.1 > 10, "{seen:?}");
}

/// The engine against the reference engine, which has an event for every hop, departure and
/// arrival, and no flow on the fast path.
#[test]
fn shortcuts_change_nothing() {
    check(COMPARED, |run| {
        let mut run = run.clone();
        avoid_ties(&mut run);
        shortcuts_change_no_result(run)
    });
}

/// The same at 8 to 1,600 Gbps, where a packet takes a few nanoseconds or less than one.
#[test]
fn shortcuts_change_nothing_at_high_rates() {
    check(100, |run| shortcuts_change_no_result(faster(run)));
}

/// `run` at 8,000 times its rates and in a 10,000th of its time, with one of its flows. Packets of
/// several would arrive in the same nanosecond.
fn faster(run: &Run) -> Run {
    let mut run = run.clone();
    let shorter = |time: Nanos| Nanos(time.0.div_ceil(10_000));
    let higher = |rate: BitsPerSec| BitsPerSec(rate.0 * 8000);
    let links: Vec<_> = run.network.links().map(|(id, ..)| id).collect();
    for link in links {
        let link = run.network.get_mut(link);
        (link.rate, link.delay) = (higher(link.rate), shorter(link.delay));
        (link.trace, link.delay_trace) = (None, None);
        link.slot = link.slot.map(shorter);
        if let Some(aggregation) = &mut link.aggregation {
            aggregation.airtime = shorter(aggregation.airtime);
            aggregation.overhead = shorter(aggregation.overhead);
        }
        for (at, change) in &mut link.changes {
            *at = shorter(*at);
            match change {
                Change::Rate(rate) => *rate = higher(*rate),
                Change::Delay(delay) => *delay = shorter(*delay),
                _ => {}
            }
        }
    }
    run.duration = shorter(run.duration);
    run.measure.warm_up = Nanos(run.measure.warm_up.0 / 10_000);
    run.measure.drain = shorter(run.measure.drain);
    run.flows.truncate(1);
    for flow in &mut run.flows {
        flow.start = Start::At(Nanos(run.duration.0 / 7));
        flow.overhead = shorter(flow.overhead);
        for (at, step) in &mut flow.steps {
            *at = shorter(*at);
            if let Step::Rate(rate) = step {
                *rate = higher(*rate);
            }
        }
        if let Traffic::Tcp {
            application: Application::FlowList { transfers, .. },
            ..
        } = &mut flow.traffic
        {
            let earlier = transfers.iter().map(|transfer| ListedTransfer {
                start: shorter(transfer.start),
                ..*transfer
            });
            *transfers = earlier.collect();
        }
        if let Traffic::Datagrams { rate, pattern, .. } = &mut flow.traffic {
            *rate = higher(*rate);
            if let Pattern::OnOff { on, off } = pattern {
                (on.mean, off.mean) = (shorter(on.mean), shorter(off.mean));
            }
        }
    }
    run
}

fn shortcuts_change_no_result(mut run: Run) -> Result<(), TestCaseError> {
    let sample = Nanos(run.duration.0 / 211 + 1);
    run.measure.loss_event = Some(Nanos(sample.0 * 6 + 1));
    run.measure.delays = true;
    run.measure.round_trips = true;
    run.measure.sojourn = Some(earlydrop_sim::measure::Queues::All);
    run.measure.sample_every = Some(sample);
    if run.seed.is_multiple_of(3) {
        run.measure.arrivals_every = Some(sample);
        run.measure.departures_every = Some(sample);
    }
    if run.seed.is_multiple_of(2) {
        run.measure.captures = run.network.links().map(|(id, ..)| id).collect();
    }
    let simulation = match run.start() {
        // Without its trace, a link's rate may not fit the queue.
        Err(RunError::Queue { .. }) => return Ok(()),
        started => started.unwrap(),
    };
    let reference = simulation.clone().reference_engine().finish();
    same(
        &without_totals(simulation.finish()),
        &without_totals(reference),
    )
}

/// Removes traces from runs with more than one connection.
///
/// Packets that leave at one opportunity arrive in the same nanosecond. If two flows then act in
/// the same nanosecond, they do so in the order in which that was computed.
///
/// Delays the packets of connections that delay acknowledgments by the same time, each a little at
/// random: what one sends upon a segment, and another upon a timer that the segment before it has
/// started, would be sent in the same nanosecond.
fn avoid_ties(run: &mut Run) {
    let connections = |flow: &Flow| match &flow.traffic {
        Traffic::Datagrams { .. } => 0,
        Traffic::Tcp { application, .. } => match application {
            Application::Bulk | Application::Transfer(_) => 1,
            Application::Web {
                ports: Ports::Same, ..
            } => 1,
            _ => 2,
        },
    };
    if run.flows.iter().map(connections).sum::<u32>() > 1 {
        let links: Vec<_> = run.network.links().map(|(id, ..)| id).collect();
        for link in links {
            run.network.get_mut(link).trace = None;
        }
    }
    for flow in &mut run.flows {
        let has_several = connections(flow) > 1;
        if let Traffic::Tcp { profile, .. } = &flow.traffic
            && has_several
            && profile.delayed_acks.is_some()
        {
            flow.overhead = flow.overhead.max(Nanos::from_micros(1));
        }
    }
}

/// The results without the totals that include what was computed beyond the end.
fn without_totals(mut results: Results) -> String {
    let Totals {
        transfers,
        completed,
        ..
    } = results.totals;
    results.totals = Totals {
        transfers,
        completed,
        ..Totals::default()
    };
    format!("{results:#?}")
}
