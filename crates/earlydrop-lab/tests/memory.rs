//! Runs in memory: the iterator, threads and a store give equal outcomes, and all of them can
//! be cancelled.

use std::cell::Cell as Counter;
use std::sync::atomic::{AtomicBool, Ordering};

use earlydrop_lab::document::Problem;
use earlydrop_lab::outcome::Outcome;
use earlydrop_lab::plan::{Cell, Plan, Source, TraceFiles};
use earlydrop_lab::rows::Rows;
use earlydrop_lab::run::{Progress, all_outcomes, on_threads, outcomes};
use earlydrop_lab::store::{self, Report, Store};

/// Two groups of flows, not in the order of their names, one of them with transfers.
const SCENARIO: &str = r#"
duration = "3 s"
warm_up = "1 s"
seeds = 2
schemes = ["red:min=5,max=15", "codel"]
network = { rate = "2 Mbps", rtt = "20 ms" }
measure.series = "all"
flows.web = { kind = "web", size = "pareto(1.5) 10 kB", pause = "exponential 200 ms" }
flows.bulk.count = 3
sweep."network.rtt" = ["20 ms", "60 ms"]
"#;

fn source() -> Source {
    Source::new("small.toml", SCENARIO, TraceFiles::default()).unwrap()
}

fn one_by_one(plan: &Plan) -> Vec<(Cell, Outcome)> {
    outcomes(plan).collect::<Result<_, _>>().unwrap()
}

#[test]
fn the_iterator_threads_and_a_store_agree_to_the_last_bit() {
    let source = source();
    let plan = source.plan().unwrap();
    let iterated = one_by_one(&plan);
    let running = AtomicBool::new(false);
    let threaded = all_outcomes(&plan, 3, &running).unwrap().unwrap();
    assert_eq!(iterated.len(), 8);
    assert_eq!(iterated, threaded);

    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(folder.path(), &source, &plan).unwrap();
    store::run(&plan, &store, 2, &running, |_| {}).unwrap();
    let stored = store.all_rows().unwrap();
    let mut shuffled = iterated;
    shuffled.reverse();
    let in_memory = Rows::of_outcomes(&plan, &shuffled);
    // Equal floats are equal bits here: no value is a zero with a sign or not a number.
    assert_eq!(in_memory, stored);
    let names: Vec<&str> = stored.groups.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(&names[..4], ["bulk", "web", "bulk", "web"]);
}

#[test]
fn a_cancelled_iterator_ends_and_continues_with_the_interrupted_cell() {
    let plan = source().plan().unwrap();
    let asked = Counter::new(0);
    let count = || {
        asked.set(asked.get() + 1);
        false
    };
    assert_eq!(outcomes(&plan).until(count).take(2).count(), 2);
    // The first question in the third cell is the next one.
    let of_third = asked.replace(0) + 1;
    let stop = || {
        asked.set(asked.get() + 1);
        asked.get() == of_third
    };
    let mut cells = outcomes(&plan).until(stop);
    assert_eq!(cells.by_ref().count(), 2);
    let (cell, outcome) = cells.next().unwrap().unwrap();
    assert_eq!(plan.number(cell), 2);
    assert_eq!(outcome, one_by_one(&plan)[2].1);
}

#[test]
fn threads_end_early_when_cancelled_or_after_an_error() {
    let plan = source().plan().unwrap();
    let jobs: Vec<(&Plan, Cell)> = plan.cells().map(|cell| (&plan, cell)).collect();
    let stop = AtomicBool::new(false);
    let mut ended = 0;
    let result = on_threads(&jobs, 1, &stop, |_, _| {
        ended += 1;
        stop.store(true, Ordering::Relaxed);
        Ok::<(), Problem>(())
    });
    assert_eq!(result, Ok(()));
    assert!(ended < jobs.len(), "{ended} cells");
    assert_eq!(all_outcomes(&plan, 2, &stop), Ok(None));

    let running = AtomicBool::new(false);
    let mut calls = 0;
    let failed = on_threads(&jobs, 2, &running, |_, _| {
        calls += 1;
        Err(Problem::new(&Default::default(), "full", ""))
    });
    assert_eq!(failed.unwrap_err().message, "full");
    assert_eq!(calls, 1, "no outcome is passed on after an error");
}

#[test]
fn progress_counts_the_cells_of_earlier_runs() {
    let source = source();
    let plan = source.plan().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(folder.path(), &source, &plan).unwrap();
    let stop = AtomicBool::new(false);
    let first = store::run(&plan, &store, 1, &stop, |Report { progress, .. }| {
        // A few outcomes may be waiting already, but not all.
        stop.fetch_or(progress.done >= 3, Ordering::Relaxed);
    });
    let done = first.unwrap().done;
    assert!((3..8).contains(&done), "{done}");
    let mut seen = Vec::new();
    let running = AtomicBool::new(false);
    store::run(&plan, &store, 2, &running, |report| {
        seen.push(report.progress)
    })
    .unwrap();
    let counts: Vec<usize> = seen.iter().map(|progress| progress.done).collect();
    assert_eq!(counts, (done..=8).collect::<Vec<_>>());
    let same = |progress: &Progress| progress.before == done && progress.planned == 8;
    assert!(seen.iter().all(same), "{seen:?}");
}

#[test]
fn a_group_without_flows_changes_nothing() {
    // Without the group, `packet` is 1500 bytes, and what follows from it: RED's mean packet,
    // automatic thresholds, the senders' overhead.
    let empty = "flows.jumbo = { kind = \"cbr\", packet = \"9000 bytes\", rate = \"1 Mbps\", \
                 rtt = \"5 ms\", count = 0 }\n";
    let with = SCENARIO.replace("sweep.", &format!("{empty}sweep."));
    let with = Source::new("small.toml", &with, TraceFiles::default()).unwrap();
    let outcomes = |source: &Source| -> Vec<Outcome> {
        let outcomes = one_by_one(&source.plan().unwrap());
        outcomes.into_iter().map(|(_, outcome)| outcome).collect()
    };
    assert_eq!(outcomes(&with), outcomes(&source()));
}

/// Datagrams of 500 bytes at 1 Mbps: 250 packets a second.
#[test]
fn arrivals_are_sampled_in_bits_and_in_packets() {
    const STREAM: &str = r#"
duration = "2 s"
warm_up = "1 s"
schemes = ["droptail"]
network = { rate = "10 Mbps", rtt = "20 ms" }
measure.series = "all"
measure.sample = "200 ms"
measure.arrivals = true
flows.udp = { kind = "cbr", rate = "1 Mbps", packet = "500 bytes", start = "0 s" }
"#;
    let source = Source::new("stream.toml", STREAM, TraceFiles::default()).unwrap();
    let (_, outcome) = one_by_one(&source.plan().unwrap()).remove(0);
    let last = |name: &str| {
        let mut series = outcome.series.iter();
        let series = series.find(|series| series.name == name).unwrap();
        assert_eq!(series.values[0], 0.0, "nothing has arrived at time zero");
        *series.values.last().unwrap()
    };
    assert_eq!(last("arrivals of udp"), 1e6);
    assert_eq!(last("packet arrivals of udp"), 250.0);
}
