//! Watched cells: their outcomes are those of any run, and every row comes once, in order of time.

use std::fs;
use std::path::{Path, PathBuf};

use earlydrop::units::Nanos;
use earlydrop_lab::outcome::Outcome;
use earlydrop_lab::plan::{Cell, Plan, Source, TraceFiles};
use earlydrop_lab::run::run_cell;
use earlydrop_lab::trace::{Packets, trace};
use earlydrop_lab::watch::{Detail, Watch};

fn scenarios() -> Vec<PathBuf> {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["../../scenarios", "suites/rfc7928"].map(|folder| crate_folder.join(folder));
    let entries = folders
        .iter()
        .flat_map(|folder| fs::read_dir(folder).unwrap());
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
    files.sort();
    files
}

/// A shortened plan of a file, with one seed.
///
/// In `rtt-fairness.toml` delays, round trips and service times are multiples of 0.2 ms, so
/// that acknowledgments of two flows meet in one nanosecond; measuring more may order such packets
/// differently. Some nanoseconds more of one round trip keep them apart.
fn plan(file: &Path) -> Plan {
    let mut source = Source::open(file).unwrap();
    let duration = source.plan().unwrap().scenario().duration;
    source.change("duration", &Nanos(duration.0 / 10).to_string(), "shortened");
    source.change("seeds", "[1]", "shortened");
    if file.ends_with("rtt-fairness.toml") {
        source.change("network.rtt", "100000007 ns", "apart");
    }
    source
        .plan()
        .unwrap_or_else(|problems| panic!("{problems}"))
}

/// Steps of 37 ms, each in pieces of at most 1000 events.
fn walk(watch: &mut Watch, end: Nanos, mut look: impl FnMut(&mut Watch, Nanos)) {
    let mut goal = Nanos::ZERO;
    while goal < end {
        goal = (goal + Nanos::from_millis(37)).min(end);
        loop {
            let reached = watch.advance(goal, 1000);
            look(watch, reached);
            if reached >= goal {
                break;
            }
        }
    }
}

/// An outcome without its samples, which a watched cell takes more often.
fn figures(outcome: Outcome) -> Outcome {
    Outcome {
        series: Vec::new(),
        ..outcome
    }
}

#[test]
fn a_watched_cell_has_the_outcome_of_any_other() {
    for file in scenarios() {
        let plan = plan(&file);
        for scheme in 0..plan.labels().len().min(3) {
            let cell = Cell {
                seed: 0,
                point: plan.points.len() - 1,
                scheme,
            };
            let mut watch = Watch::open(&plan, cell, Detail::default()).unwrap();
            let end = watch.prepared().run.duration;
            walk(&mut watch, end, |_, _| ());
            let run = run_cell(&plan, cell, &|| false).unwrap().unwrap();
            let what = format!("{} {scheme}", file.display());
            assert_eq!(figures(watch.outcome()), figures(run), "{what}");
        }
    }
}

#[test]
fn every_packet_comes_once_in_order_of_time() {
    for name in [
        "../../scenarios/flood.toml",
        "suites/rfc7928/varying-capacity.toml",
        "suites/rfc7928/recorded-link.toml",
    ] {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
        let plan = plan(&file);
        let cell = plan.cell(0).unwrap();
        let mut watch = Watch::open(&plan, cell, Detail::default()).unwrap();
        let end = watch.prepared().run.duration;
        let (mut seen, mut before) = (Vec::new(), Nanos::ZERO);
        walk(&mut watch, end, |watch, reached| {
            watch.take_packets(|record, probes| {
                assert!(
                    before <= record.at && record.at <= reached,
                    "{name} {record:?}"
                );
                before = record.at;
                seen.push((*record, probes.to_vec()));
            });
        });
        let packets = Packets {
            log: true,
            ..Packets::default()
        };
        let traced = trace(&plan, cell, packets, &|| false).unwrap().unwrap();
        let whole = traced.packets[0].records();
        let whole: Vec<_> = whole
            .map(|(record, probes)| (*record, probes.to_vec()))
            .collect();
        assert!(whole.len() > 1000, "{name}");
        assert_eq!(seen, whole, "{name}");
    }
}

#[test]
fn samples_come_once_at_their_times() {
    let text = "duration = '3 s'\nschemes = ['red:min=5,max=15', 'droptail']\n\
        flows.bulk.count = 3\nflows.web.kind = 'arrivals'";
    let plan = Source::new(
        "small.toml",
        text,
        earlydrop_lab::plan::TraceFiles::default(),
    );
    let plan = plan.unwrap().plan().unwrap();
    for cell in plan.cells().take(2) {
        let mut watch = Watch::open(&plan, cell, Detail::default()).unwrap();
        assert_eq!(watch.windows().len(), 4);
        let (mut queue, mut cwnd) = (Vec::new(), Vec::new());
        let end = Nanos::from_secs(3);
        walk(&mut watch, end, |watch, reached| {
            watch.take_samples(|at, values, probes| {
                assert!(at <= reached);
                queue.push((at, values[0], probes.count()));
            });
            watch.take_windows(|at, values| {
                assert!(at <= reached);
                let values: Vec<f64> = values.collect();
                assert!(values[..3].iter().all(|cwnd| *cwnd >= 1.0), "{values:?}");
                assert!(
                    values[3].is_nan(),
                    "the fourth opens connections of its own"
                );
                cwnd.push(at);
            });
        });
        let times: Vec<Nanos> = (0..=300).map(|row| Nanos::from_millis(10 * row)).collect();
        assert_eq!(queue.iter().map(|row| row.0).collect::<Vec<_>>(), times);
        assert_eq!(cwnd, times);
        let probes = watch.simulation().probe_names(watch.link()).len();
        assert!(queue.iter().all(|row| row.2 == probes));
        let series = watch.outcome().series;
        let sampled = series.iter().find(|series| series.name == "queue").unwrap();
        let seen: Vec<f64> = queue.iter().map(|row| row.1).collect();
        assert_eq!(sampled.values, seen);
    }
}

#[test]
fn some_of_a_group_stop() {
    let text = "duration = '10 s'\nwarm_up = '6 s'\nseeds = 1\nschemes = ['codel']\n\
        [flows.bulk]\ncount = 5\nsteps = [{ at = '5 s', do = 'stop', flows = 3 }]";
    let plan = |text: &str| {
        let source = Source::new("s.toml", text, earlydrop_lab::plan::TraceFiles::default());
        source.unwrap().plan()
    };
    let outcome = run_cell(
        &plan(text).unwrap(),
        Cell {
            seed: 0,
            point: 0,
            scheme: 0,
        },
        &|| false,
    );
    let flows = outcome.unwrap().unwrap().flows;
    let goodput: Vec<bool> = flows.iter().map(|flow| flow.goodput > 0.0).collect();
    assert_eq!(
        goodput,
        [true, true, false, false, false],
        "the last three stop"
    );
    let wrong = plan(&text.replace("flows = 3", "flows = 6"))
        .unwrap_err()
        .to_string();
    assert!(
        wrong.contains("`flows` = 6 of a group of 5; nearest: flows = 5"),
        "{wrong}"
    );
}

/// A log that is emptied and goes on has the columns that it had.
#[test]
fn a_packet_has_the_same_probes_after_a_silence() {
    let text = "duration = '4 s'\nschemes = ['red:min=5,max=15']\n\
        [flows.bursts]\nkind = 'on-off'\nrate = '4 Mbps'\non = '100 ms'\noff = '300 ms'";
    let source = Source::new("bursts.toml", text, TraceFiles::default()).unwrap();
    let plan = source.plan().unwrap();
    let mut watch = Watch::open(&plan, plan.cell(0).unwrap(), Detail::default()).unwrap();
    let probes = watch.simulation().probe_names(watch.link()).len();
    let (mut silences, mut was_silent) = (0, true);
    walk(&mut watch, Nanos::from_secs(4), |watch, _| {
        let mut packets = 0;
        watch.take_packets(|record, values| {
            assert_eq!(values.len(), probes, "{record:?}");
            packets += 1;
        });
        silences += u32::from(packets == 0 && !was_silent);
        was_silent = packets == 0;
    });
    assert!(silences > 3, "{silences}");
}

#[test]
fn another_queue_of_the_network_is_watched_and_changes_nothing() {
    let text = "duration = '6 s'\nwarm_up = '1 s'\nschemes = ['red:min=5,max=15']\n\
        network = { shape = 'parking-lot', bottlenecks = 2, rate = '10 Mbps' }\n\
        flows.along.count = 3\nflows.first = { count = 2, to = 'router 1' }\n\
        flows.second = { count = 2, from = 'router 1' }";
    let plan = Source::new("lot.toml", text, TraceFiles::default());
    let plan = plan.unwrap().plan().unwrap();
    let cell = plan.cell(0).unwrap();
    let watched = |link: Option<&str>| {
        let link = link.map(str::to_string);
        let detail = Detail {
            link,
            ..Detail::default()
        };
        let mut watch = Watch::open(&plan, cell, detail).unwrap();
        let groups: Vec<_> = watch
            .prepared()
            .run
            .flows
            .iter()
            .map(|flow| flow.group.clone())
            .collect();
        let (mut seen, mut samples) = (std::collections::BTreeSet::new(), 0);
        walk(&mut watch, Nanos::from_secs(6), |watch, _| {
            watch.take_packets(|record, _| {
                seen.insert(groups[record.flow.0 as usize].to_string());
            });
            watch.take_samples(|_, _, _| samples += 1);
        });
        assert_eq!(samples, 601);
        (seen.into_iter().collect::<Vec<_>>(), watch.outcome())
    };
    let (first, outcome) = watched(None);
    let (second, other) = watched(Some("router 1 to router 2"));
    assert_eq!(first, ["along", "first"]);
    assert_eq!(second, ["along", "second"]);
    assert_eq!(
        format!("{:?}", outcome.groups),
        format!("{:?}", other.groups)
    );
    assert_ne!(
        outcome.values, other.values,
        "the figures are those of the other queue"
    );
    let unknown = Detail {
        link: Some("router 1 to router 3".to_string()),
        ..Detail::default()
    };
    let problem = Watch::open(&plan, cell, unknown).unwrap_err().to_string();
    assert!(problem.contains("router 1 to router 2"), "{problem}");
}
