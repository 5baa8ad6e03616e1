//! Live runs with the simulator in place of the kernel: refusals, stored results, reports and
//! comparisons.

use std::cell::Cell as Counter;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use earlydrop_sim::tcp::Recovery;
use earlydrop_sim::traffic::Traffic;
use tempfile::TempDir;

use earlydrop::units::Nanos;
use earlydrop_lab::files::Overwrite;
use earlydrop_lab::live::{Refusal, Testbed, check, remaining, run};
use earlydrop_lab::plan::{Hosts, Plan, Source};
use earlydrop_lab::store::{self, Format, Store, StoreError, export};
use earlydrop_lab::summary::Summary;
use earlydrop_lab::timing::LiveTiming;
use earlydrop_report::run_report::{gather, json, render};
use earlydrop_report::table::View;
use earlydrop_report::{side_by_side, table};
use earlydrop_sim::Run;
use earlydrop_sim::network::LinkId;
use earlydrop_sim::results::Results;

const SMALL: &str = "\
title = \"Small\"
duration = \"2 s\"
warm_up = \"1 s\"
seeds = 2
schemes = [\"red:min=5,max=15\", \"codel\"]
[network]
rate = \"2 Mbps\"
rtt = \"20 ms\"
[flows.bulk]
count = 3
[sweep]
\"network.rtt\" = [\"20 ms\", \"60 ms\"]
";

/// The simulator in place of the kernel, with made-up timing: every second run is late.
#[derive(Default)]
struct FakeMachine {
    runs: Counter<usize>,
    /// Whether it reports half of the utilisation.
    halves: bool,
    /// Sets the stop flag after this number of runs.
    stops_after: Option<usize>,
}

fn made_up_timing(run: usize) -> LiveTiming {
    let late = if run % 2 == 1 { 4e-3 } else { 1e-4 };
    LiveTiming {
        lateness: vec![(0.0, 0.0), (0.5, 1e-6), (0.99, late), (1.0, 2.0 * late)],
        tolerated: 3e-3,
        cpu: 0.07,
        beside: 0,
        trustworthy: late <= 3e-3,
    }
}

impl Testbed for FakeMachine {
    /// Refuses Tahoe, and more than one bottleneck.
    fn check(&self, run: &Run, _: LinkId) -> Vec<Refusal> {
        let refusal = |flow, message: &str| Refusal {
            flow,
            message: message.to_string(),
            help: "another one".to_string(),
        };
        let mut refusals = Vec::new();
        if run.network.nodes() > 2 + 2 * run.flows.len() {
            refusals.push(refusal(None, "live has one bottleneck"));
        }
        let is_tahoe = |traffic: &Traffic| match traffic {
            Traffic::Tcp { profile, .. } => profile.recovery == Recovery::Tahoe,
            Traffic::Datagrams { .. } => false,
        };
        let first = run.flows.iter().position(|flow| is_tahoe(&flow.traffic));
        refusals.extend(first.map(|flow| refusal(Some(flow), "live has no Tahoe sender")));
        refusals
    }

    fn missing_metrics(&self) -> &'static [&'static str] {
        &["timeouts"]
    }

    fn run(
        &self,
        run: &Run,
        _: LinkId,
        stop: &AtomicBool,
    ) -> Result<Option<(Results, LiveTiming)>, String> {
        let number = self.runs.get();
        if self.stops_after == Some(number) {
            stop.store(true, Ordering::Relaxed);
            return Ok(None);
        }
        self.runs.set(number + 1);
        let mut results = run.results().map_err(|error| error.to_string())?;
        if self.halves {
            let queues = results.queues.iter_mut();
            queues.for_each(|queue| queue.utilisation /= 2.0);
        }
        Ok(Some((results, made_up_timing(number))))
    }
}

fn source(text: &str) -> Source {
    Source::new("small.toml", text, PathBuf::new()).unwrap()
}

fn done(folder: &TempDir, name: &str, hosts: Hosts) -> (Plan, Store) {
    let source = source(SMALL);
    let plan = source.plan().unwrap().on(hosts);
    let store = Store::create(&folder.path().join(name), &source, &plan).unwrap();
    let stop = AtomicBool::new(false);
    match hosts {
        Hosts::Simulated => store::run(&plan, &store, 1, &stop, |_| {}),
        Hosts::Real => run(&plan, &store, &FakeMachine::default(), &stop, |_| {}),
    }
    .unwrap();
    (plan, store)
}

#[test]
fn a_stopped_run_resumes_and_no_cell_is_run_twice() {
    let (folder, source) = (TempDir::new().unwrap(), source(SMALL));
    let plan = source.plan().unwrap().on(Hosts::Real);
    let store = Store::create(folder.path(), &source, &plan).unwrap();
    let machine = FakeMachine {
        stops_after: Some(3),
        ..FakeMachine::default()
    };
    let stop = AtomicBool::new(false);
    let reached = run(&plan, &store, &machine, &stop, |_| {}).unwrap();
    assert_eq!((reached.done, reached.planned), (3, 8));
    assert_eq!(remaining(&plan, &store).unwrap(), [Nanos::from_secs(2); 5]);

    let machine = FakeMachine::default();
    let stop = AtomicBool::new(false);
    let reached = run(&plan, &store, &machine, &stop, |_| {}).unwrap();
    assert_eq!((reached.before, reached.done), (3, 8));
    assert_eq!(machine.runs.get(), 5);
}

#[test]
fn live_and_simulated_runs_are_not_mixed_up() {
    let folder = TempDir::new().unwrap();
    let (plan, _) = done(&folder, "live", Hosts::Real);
    let (other, _) = done(&folder, "simulated", Hosts::Simulated);
    assert_ne!(
        plan.folder_name("small.toml"),
        other.folder_name("small.toml")
    );
    assert!(plan.folder_name("a/small.toml").starts_with("small-live-"));
    for (name, wrong, words) in [
        (
            "live",
            &other,
            "holds a live run, and this is a simulated one",
        ),
        (
            "simulated",
            &plan,
            "holds a simulated run, and this is a live one",
        ),
    ] {
        let path = folder.path().join(name);
        let before = std::fs::read(path.join("scenario.toml")).unwrap();
        let refused = Store::create(&path, &source(SMALL), wrong).err().unwrap();
        assert!(matches!(refused, StoreError::Another { .. }));
        assert!(refused.to_string().contains(words), "{refused}");
        assert_eq!(std::fs::read(path.join("scenario.toml")).unwrap(), before);
        assert!(Store::existing(&path, wrong).unwrap().is_none());
    }
}

#[test]
fn a_simulated_folder_has_nothing_of_live_ones() {
    let folder = TempDir::new().unwrap();
    let (plan, store) = done(&folder, "simulated", Hosts::Simulated);
    assert_eq!(store.about("hosts").unwrap(), None);
    let tables: Vec<&str> = store
        .tables()
        .unwrap()
        .iter()
        .map(|table| table.name)
        .collect();
    assert!(!tables.contains(&"live") && !tables.contains(&"lateness"));
    assert!(store.live().unwrap().is_empty());
    let summary = Summary::of_store(&plan, &store).unwrap();
    assert!(summary.rows.iter().all(|row| row.live.is_none()));
    let data = gather(&plan, &store, &summary, &View::default()).unwrap();
    assert!(!serde_json::to_string(&data).unwrap().contains("lateness"));
}

#[test]
fn tables_json_and_data_have_the_timing_quality() {
    let folder = TempDir::new().unwrap();
    let (plan, store) = done(&folder, "live", Hosts::Real);
    let summary = Summary::of_store(&plan, &store).unwrap();
    // Schemes change fastest: the second one has the late runs.
    let doubtful = summary
        .rows
        .iter()
        .map(|row| row.live.as_ref().unwrap().doubtful);
    assert_eq!(doubtful.collect::<Vec<_>>(), [0, 2, 0, 2]);
    check_tables(&plan, &summary);
    let document = json(&plan, &store, &summary, folder.path(), &View::default()).unwrap();
    check_document(&document);

    let data = gather(&plan, &store, &summary, &View::default()).unwrap();
    assert!(
        data.command.starts_with("earlydrop live "),
        "{}",
        data.command
    );
    let late = data
        .distributions
        .iter()
        .filter(|one| one.what == "lateness");
    assert_eq!(late.count(), 4);
    assert!(render(&data).contains("\"doubtful\":2"));

    let files = export(
        &store,
        Format::Csv,
        &folder.path().join("csv"),
        Overwrite::Own,
    )
    .unwrap();
    let live = files
        .iter()
        .find(|path| path.ends_with("live.csv"))
        .unwrap();
    assert_eq!(std::fs::read_to_string(live).unwrap().lines().count(), 9);
    export(
        &store,
        Format::Parquet,
        &folder.path().join("parquet"),
        Overwrite::Own,
    )
    .unwrap();
    export(
        &store,
        Format::Json,
        &folder.path().join("json"),
        Overwrite::Own,
    )
    .unwrap();
}

fn check_tables(plan: &Plan, summary: &Summary) {
    let tables = table::tables(plan, summary, None);
    let column = |table: &table::Table, name: &str| {
        let index = table
            .header
            .iter()
            .position(|header| header == name)
            .unwrap();
        let cells = table.rows.iter().map(|row| row[index].text.clone());
        cells.collect::<Vec<String>>()
    };
    assert_eq!(column(&tables[0], "scheme"), ["red", "codel !"]);
    assert_eq!(
        column(&tables[0], "not trustworthy runs"),
        ["0 of 2", "2 of 2"]
    );
    assert_eq!(column(&tables[0], "lateness, 99% us"), ["100", "4000"]);
    assert!(table::csv(plan, summary, None).contains("lateness_p999"));

    // A metric that the machine cannot measure is empty, not zero.
    assert!(
        !tables[0]
            .header
            .iter()
            .any(|name| name.contains("timeouts"))
    );
}

fn check_document(document: &serde_json::Value) {
    assert_eq!(
        document["rows"][0]["metrics"]["timeouts"],
        serde_json::Value::Null
    );
    assert_eq!(
        document["groups"][0]["metrics"]["timeouts"],
        serde_json::Value::Null
    );
    assert_eq!(document["hosts"], "real");
    assert_eq!(document["rows"][1]["not_trustworthy"], 2);
    assert_eq!(document["rows"][1]["live"]["lateness_p99"]["mean"], 4e-3);
    assert_eq!(document["metrics"]["cpu"]["unit"], "share");
}

#[test]
fn every_unsupported_field_is_reported_with_its_place() {
    let text = SMALL.replace("count = 3", "count = 3\ntcp = { recovery = \"tahoe\" }");
    let text = text.replace(
        "[network]",
        "[network]\nshape = \"parking-lot\"\nbottlenecks = 3",
    );
    let text = text.replace(
        "[sweep]",
        "[flows.other]\ncount = 2\n[flows.old]\ntcp = { recovery = \"tahoe\" }\n[sweep]",
    );
    let source = source(&text);
    let plan = source.plan().unwrap().on(Hosts::Real);
    let problems = check(&plan, &source, &FakeMachine::default()).unwrap_err();
    let text_of_problems = problems.to_string();
    let lines: Vec<&str> = text_of_problems.lines().collect();
    assert_eq!(lines.len(), 3, "{text_of_problems}");
    let line = |word: &str| {
        let before = text.split(word).next().unwrap();
        format!("small.toml:{}:", before.matches('\n').count() + 1)
    };
    for (problem, place, words) in [
        (
            lines[0],
            line("shape"),
            "live has one bottleneck; another one",
        ),
        (
            lines[1],
            line("[flows.bulk]"),
            "flows `bulk`: live has no Tahoe sender",
        ),
        (
            lines[2],
            line("[flows.old]"),
            "flows `old`: live has no Tahoe sender",
        ),
    ] {
        assert!(
            problem.starts_with(&place) && problem.contains(words),
            "{problem}"
        );
    }
    let source = self::source(SMALL);
    assert!(check(&plan_of(&source), &source, &FakeMachine::default()).is_ok());
}

fn plan_of(source: &Source) -> Plan {
    source.plan().unwrap().on(Hosts::Real)
}

#[test]
fn the_simulator_does_not_differ_from_itself() {
    let folder = TempDir::new().unwrap();
    let (plan, simulated) = done(&folder, "simulated", Hosts::Simulated);
    let (_, live) = done(&folder, "live", Hosts::Real);
    let rows = side_by_side::compare(&plan, &simulated, &live).unwrap();
    assert_eq!(rows.len(), 4);
    for row in &rows {
        assert_eq!((row.live_runs, row.doubtful), (2, 2 * row.scheme));
        for pair in &row.pairs {
            assert_eq!(pair.simulated, pair.live);
            assert_eq!(pair.difference.unwrap().mean, 0.0);
            assert!(!pair.is_significant());
        }
    }
    let of = 4 * side_by_side::quantities().len();
    assert_eq!(side_by_side::count_significant(&rows), (0, of));
    let markdown = side_by_side::markdown(&plan, &rows);
    assert_eq!(markdown.matches("| codel ! |").count(), 2, "{markdown}");
    let page = side_by_side::page(&plan, &rows, ["../simulated/report.html", "report.html"]);
    assert!(page.contains("4 of 8 live runs are not trustworthy"));
    assert!(page.contains("href=\"../simulated/report.html\""));
    assert_eq!(page.matches("<svg").count(), 2 * of / 4);
}

#[test]
fn a_difference_in_utilisation_is_significant() {
    let folder = TempDir::new().unwrap();
    // A link that is always busy, whatever the seed.
    let text = SMALL.replace("count = 3", "kind = \"cbr\"\nrate = \"3 Mbps\"");
    let source = source(&text.replace("red:min=5,max=15", "droptail"));
    let live_plan = plan_of(&source);
    let plan = live_plan.clone().on(Hosts::Simulated);
    let simulated = Store::create(&folder.path().join("simulated"), &source, &plan).unwrap();
    store::run(&plan, &simulated, 1, &AtomicBool::new(false), |_| {}).unwrap();
    let live = Store::create(&folder.path().join("live"), &source, &live_plan).unwrap();
    let (stop, halves) = (AtomicBool::new(false), true);
    let machine = FakeMachine {
        halves,
        ..FakeMachine::default()
    };
    run(&live_plan, &live, &machine, &stop, |_| {}).unwrap();
    let rows = side_by_side::compare(&plan, &simulated, &live).unwrap();
    for row in &rows {
        let [utilisation, others @ ..] = row.pairs.as_slice() else {
            panic!("utilisation is the first");
        };
        let simulated = utilisation.simulated.unwrap().mean;
        let difference = utilisation.difference.unwrap().mean;
        assert!((difference + simulated / 2.0).abs() < 1e-12);
        assert!(utilisation.is_significant(), "{utilisation:?}");
        assert!(others.iter().all(|pair| !pair.is_significant()));
    }
    assert_eq!(side_by_side::count_significant(&rows).0, 4);
    let document = side_by_side::json(&plan, &rows, [folder.path(); 2], folder.path());
    let significant = &document["rows"][3]["quantities"]["utilisation"]["significantly_different"];
    assert_eq!(
        (significant, &document["significantly_different"]),
        (&true.into(), &4.into())
    );
}
