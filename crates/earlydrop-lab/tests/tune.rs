//! A search finds what exhaustive search finds.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use earlydrop_lab::metrics;
use earlydrop_lab::plan::{Plan, Source, Variant};
use earlydrop_lab::rows::CellRow;
use earlydrop_lab::statistics::Mean;
use earlydrop_lab::store::{self, Store};
use earlydrop_lab::summary::Summary;
use earlydrop_lab::tune::{
    Goal, Limit, Method, SearchResult, TuneOptions, json, tune, validate, validation_scenario,
};

/// Two transfers that fill a drop-tail buffer: the shorter the buffer, the shorter the delay,
/// and the more often the link is idle.
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

fn options(parameter: &str, threads: usize) -> TuneOptions {
    let mut goal = Goal::new("delay_mean", true).unwrap();
    goal.limits.push(Limit::parse("utilisation>=99%").unwrap());
    TuneOptions {
        goal,
        parameters: vec![parameter.parse().unwrap()],
        budget: 40,
        seeds: 2,
        method: Method::Evolution,
        threads,
    }
}

fn search(options: &TuneOptions) -> Vec<SearchResult> {
    tune(&source(), options, &AtomicBool::new(false), |_| {}).unwrap()
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

/// The shortest of all buffers whose mean utilisation over the seeds of the validation meets
/// the limit.
fn shortest_by_exhaustive_search(goal: &Goal) -> f64 {
    let buffers = 2..=60;
    let variants = buffers.clone().map(|packets| Variant {
        label: packets.to_string(),
        of: "droptail".to_string(),
        settings: vec![("limit".to_string(), format!("{packets} packets"))],
    });
    let mut all = validation_scenario(&source(), goal, &[]).unwrap();
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
fn the_shortest_buffer_that_meets_the_limit_is_found_and_validated() {
    let options = options("limit=2..60", 2);
    let results = search(&options);
    let variant = results[0].variant(&options.goal).unwrap();
    let limit = variant.settings[0].1.strip_suffix(" packets").unwrap();
    let limit: f64 = limit.parse().unwrap();
    let least = shortest_by_exhaustive_search(&options.goal);
    assert!(
        (least - 1.0..1.5 * least).contains(&limit),
        "{limit}, by exhaustive search {least}"
    );

    let (plan, cells) = cells_of(&validation_scenario(&source(), &options.goal, &results).unwrap());
    let validations = validate(&options.goal, &results, &plan, &cells);
    let change = validations[0].change.unwrap();
    assert!(change.mean < 0.0 && change.excludes_zero(), "{change:?}");
    assert!(validations[0].keeps_limits(), "{:?}", validations[0].limits);
}

/// CoDel in place of drop-tail, tuned by this method: the delay with fresh seeds.
fn tuned_codel(method: Method, budget: usize) -> f64 {
    let mut source = source();
    source.set_schemes("codel", "test");
    let options = TuneOptions {
        method,
        budget,
        parameters: Vec::new(),
        ..options("target", 2)
    };
    let results = tune(&source, &options, &AtomicBool::new(false), |_| {}).unwrap();
    let (plan, cells) = cells_of(&validation_scenario(&source, &options.goal, &results).unwrap());
    let validation = validate(&options.goal, &results, &plan, &cells).remove(0);
    assert!(validation.keeps_limits(), "{:?}", validation.limits);
    validation.after.unwrap().mean
}

#[test]
fn a_search_is_not_beaten_by_twice_as_many_settings_drawn_at_random() {
    let drawn = tuned_codel(Method::Random(1), 100);
    let searched = tuned_codel(Method::Evolution, 50);
    assert!(searched < 1.05 * drawn, "{searched} s, at random {drawn} s");
}

#[test]
fn results_do_not_depend_on_threads() {
    let result = |threads| {
        let options = options("limit", threads);
        json(&options.goal, &search(&options), &[]).to_string()
    };
    assert_eq!(result(1), result(3));
}

#[test]
fn a_scenario_that_cannot_be_tuned_is_refused() {
    let refused = |path: &str, value: &str, metric: &str| {
        let mut source = source();
        source.set(path, value, "test");
        let mut options = options("limit", 1);
        options.goal = Goal::new(metric, true).unwrap();
        let results = tune(&source, &options, &AtomicBool::new(false), |_| {});
        results.err().map(|error| error.to_string())
    };
    let swept = refused("sweep.schemes.droptail.limit", "[10, 20]", "loss").unwrap();
    assert!(swept.contains("sweeps schemes.droptail.limit"), "{swept}");
    let unmeasured = refused("measure.sojourn", "false", "delay_p99").unwrap();
    assert!(unmeasured.contains("measures no delay_p99"), "{unmeasured}");
}
