//! A search finds what trying everything finds.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use earlydrop_lab::metrics;
use earlydrop_lab::plan::{Plan, Source, Variant};
use earlydrop_lab::rows::CellRow;
use earlydrop_lab::statistics::Mean;
use earlydrop_lab::store::{self, Store};
use earlydrop_lab::summary::Summary;
use earlydrop_lab::tune::{Found, Goal, Limit, Tuning, check_of, checked, json, tune};

/// One transfer whose window fills a drop-tail buffer: the shorter the buffer, the shorter
/// the delay, and the more often the link is idle.
const SCENARIO: &str = r#"
duration = "10 s"
seeds = 2
schemes = ["droptail"]

[network]
rate = "5 Mbps"
rtt = "40 ms"
buffer = "60 packets"

[flows.bulk]
count = 2
start = "0 s..1 s"
"#;

fn source() -> Source {
    Source::new("test.toml", SCENARIO, PathBuf::new()).unwrap()
}

fn tuning(over: &str, threads: usize) -> Tuning {
    let mut goal = Goal::new("delay_mean", true).unwrap();
    goal.limits.push(Limit::parse("utilisation>=90%").unwrap());
    Tuning {
        goal,
        over: vec![over.parse().unwrap()],
        budget: 40,
        seeds: 2,
        threads,
    }
}

fn searched(tuning: &Tuning) -> Vec<Found> {
    tune(&source(), tuning, &AtomicBool::new(false), |_| {}).unwrap()
}

/// The cells of a scenario.
fn cells_of(source: &Source) -> (Plan, Vec<CellRow>) {
    let plan = source.plan().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(folder.path(), source, &plan).unwrap();
    store::run(&plan, &store, 2, &AtomicBool::new(false), |_| {}).unwrap();
    let cells = Summary::of_store(&plan, &store).unwrap().cells;
    (plan, cells)
}

/// The shortest of all buffers whose mean utilisation over the seeds of the check keeps the
/// limit.
fn shortest_by_trying_all(goal: &Goal) -> f64 {
    let buffers = 2..=60;
    let variants = buffers.clone().map(|packets| Variant {
        label: packets.to_string(),
        of: "droptail".to_string(),
        settings: vec![("limit".to_string(), format!("{packets} packets"))],
    });
    let mut all = check_of(&source(), goal, &[]).unwrap();
    all.set_variants(&variants.collect::<Vec<_>>());
    let (_, cells) = cells_of(&all);
    let utilisation = metrics::index_of("utilisation").unwrap();
    let mean = |packets: &i32| {
        let of_buffer = cells
            .iter()
            .filter(|cell| cell.scheme == packets.to_string());
        let values: Vec<f64> = of_buffer
            .filter_map(|cell| cell.values[utilisation])
            .collect();
        Mean::of(&values).unwrap().mean
    };
    let keeps = |packets: &i32| mean(packets) >= goal.limits[0].bound;
    buffers.into_iter().find(keeps).unwrap().into()
}

#[test]
fn the_shortest_buffer_that_keeps_the_limit_is_found_and_checked() {
    let tuning = tuning("limit=2..60", 2);
    let found = searched(&tuning);
    let variant = found[0].variant(&tuning.goal).unwrap();
    let limit = variant.settings[0].1.strip_suffix(" packets").unwrap();
    let limit: f64 = limit.parse().unwrap();
    let least = shortest_by_trying_all(&tuning.goal);
    assert!(
        (least - 1.0..1.5 * least).contains(&limit),
        "{limit}, by trying all {least}"
    );

    let (plan, cells) = cells_of(&check_of(&source(), &tuning.goal, &found).unwrap());
    let checked = checked(&tuning.goal, &found, &plan, &cells);
    let change = checked[0].change.unwrap();
    assert!(
        change.mean < 0.0 && change.is_apart_from_zero(),
        "{change:?}"
    );
    assert!(checked[0].keeps_limits(), "{:?}", checked[0].limits);
}

#[test]
fn threads_do_not_change_what_is_found() {
    let told = |threads| {
        let tuning = tuning("limit", threads);
        json(&tuning.goal, &searched(&tuning), &[]).to_string()
    };
    assert_eq!(told(1), told(3));
}

#[test]
fn a_scenario_that_cannot_be_tuned_is_refused() {
    let refused = |path: &str, value: &str, metric: &str| {
        let mut source = source();
        source.set(path, value, "test");
        let mut tuning = tuning("limit", 1);
        tuning.goal = Goal::new(metric, true).unwrap();
        let found = tune(&source, &tuning, &AtomicBool::new(false), |_| {});
        found.err().map(|error| error.to_string())
    };
    let swept = refused("sweep.schemes.droptail.limit", "[10, 20]", "loss").unwrap();
    assert!(swept.contains("sweeps schemes.droptail.limit"), "{swept}");
    let blind = refused("measure.sojourn", "false", "delay_p99").unwrap();
    assert!(blind.contains("measures no delay_p99"), "{blind}");
}
