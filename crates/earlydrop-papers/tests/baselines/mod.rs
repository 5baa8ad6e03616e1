//! Compares the baselines in the papers' scenario files with ns-2's figures.
//!
//! Shared by the test `baselines` and the example of that name.

use std::collections::BTreeMap;
use std::path::Path;
use std::thread::available_parallelism;

use earlydrop_lab::metrics;
use earlydrop_lab::outcome::Outcome;
use earlydrop_lab::plan::{Cell, Plan, Source};
use earlydrop_lab::scenario::PreparedRun;
use earlydrop_lab::statistics::Mean;
use earlydrop_sim::run;
use statrs::distribution::{ContinuousCDF, Normal};

use crate::reference::{Comparison, Figure, ReferenceSimulator};

/// A case of the table: its name, the scenario file, the scheme, the values of swept fields.
type Case = (
    &'static str,
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
);

const N: &str = "flows.ftp.count";
const GENTLE: &str = "sfred-nlred/figure-13-16-10ms";
const REM: &str = "sfred-nlred/figure-19-20-10ms";
const RESTRAINT: &str = "restraint/figure-4-5";
const TABLE_2: &str = "red-config/table-2-fitted";
const RARED: &str = "rared/figure-3-6-65ms";

/// Web traffic has long tails, which need more seeds than the file has.
const SEEDS_OF_RARED: &str = "40";

const CASES: &[Case] = &[
    (
        "sfred-nlred.gred.p0.1.N5",
        GENTLE,
        "gred",
        &[(N, "5"), ("parameters.max_p", "0.1")],
    ),
    (
        "sfred-nlred.gred.p0.1.N20",
        GENTLE,
        "gred",
        &[(N, "20"), ("parameters.max_p", "0.1")],
    ),
    (
        "sfred-nlred.gred.p0.1.N60",
        GENTLE,
        "gred",
        &[(N, "60"), ("parameters.max_p", "0.1")],
    ),
    (
        "sfred-nlred.gred.p0.1.N120",
        GENTLE,
        "gred",
        &[(N, "120"), ("parameters.max_p", "0.1")],
    ),
    ("sfred-nlred.rem.N20", REM, "rem", &[(N, "20")]),
    ("sfred-nlred.rem.N60", REM, "rem", &[(N, "60")]),
    (
        "sfred-nlred.web30ftp2.red",
        "sfred-nlred/figure-4-6",
        "red",
        &[],
    ),
    ("clred.red.N10", "clred/figure-6", "red", &[(N, "10")]),
    ("clred.red.N50", "clred/figure-6", "red", &[(N, "50")]),
    (
        "restraint.red.N8U0",
        RESTRAINT,
        "red",
        &[("flows.tcp.count", "8"), ("flows.udp.count", "0")],
    ),
    (
        "restraint.red.N8U2",
        RESTRAINT,
        "red",
        &[("flows.tcp.count", "8"), ("flows.udp.count", "2")],
    ),
    (
        "restraint.red.N16U4",
        RESTRAINT,
        "red",
        &[("flows.tcp.count", "16"), ("flows.udp.count", "4")],
    ),
    (
        "red-config.t2.N100P",
        TABLE_2,
        "proposed",
        &[("flows.tcp.count", "100")],
    ),
    (
        "red-config.t2.N150P",
        TABLE_2,
        "proposed",
        &[("flows.tcp.count", "150")],
    ),
    (
        "red-config.t2.N150M",
        TABLE_2,
        "morris",
        &[("flows.tcp.count", "150")],
    ),
    ("rared.red.m1", RARED, "red", &[("flows.late.count", "1")]),
    ("rared.red.m10", RARED, "red", &[("flows.late.count", "10")]),
    ("rared.ared.m1", RARED, "ared", &[("flows.late.count", "1")]),
    (
        "rared.ared.m10",
        RARED,
        "ared",
        &[("flows.late.count", "10")],
    ),
];

/// Runs every case, and compares what was measured with `figures`.
pub(crate) fn compare(figures: &[Figure]) -> Vec<Comparison> {
    let measured: BTreeMap<&str, Vec<CaseRun>> = (CASES.iter())
        .map(|case| (case.0, case_runs(case)))
        .collect();
    let compare = |figure: &Figure| {
        let runs = measured.get(figure.case.as_str())?;
        let values: Vec<f64> = runs.iter().map(|run| run.figure(&figure.metric)).collect();
        let mean = Mean::of(&values)?;
        Some(Comparison {
            figure: figure.clone(),
            ours: mean.mean,
            interval: mean.half?,
            seeds: values.len() as u64,
        })
    };
    figures.iter().filter_map(compare).collect()
}

/// The expected number of figures outside their tolerance with other seeds of ours, without the
/// explained ones. Our means are taken to be normal; ns-2's figures are fixed.
pub(crate) fn false_alarms(simulator: &ReferenceSimulator, comparisons: &[Comparison]) -> f64 {
    let normal = Normal::standard();
    let chance = |comparison: &Comparison| {
        let figure = &comparison.figure;
        let allowed = figure.tolerance.around(figure.value);
        // A 95% interval reaches 1.96 deviations of the mean to each side.
        let deviation = (comparison.interval / 1.96).max(f64::MIN_POSITIVE);
        let off = comparison.ours - figure.value;
        normal.cdf((off - allowed) / deviation) + normal.cdf((-off - allowed) / deviation)
    };
    let known = |comparison: &&Comparison| simulator.explanation(&comparison.figure).is_some();
    let unknown = comparisons.iter().filter(|comparison| !known(comparison));
    unknown.map(chance).sum()
}

/// One run of a case.
struct CaseRun {
    outcome: Outcome,
    /// The number of flows.
    flows: f64,
    /// The time after the warm-up, in seconds.
    span: f64,
    /// The scheme's average queue over that time, where it has one.
    average: Option<f64>,
}

/// The runs of a case, one for each seed.
fn case_runs((name, file, scheme, at): &Case) -> Vec<CaseRun> {
    let papers = Path::new(env!("CARGO_MANIFEST_DIR")).join("papers");
    let path = papers.join(format!("{file}.toml"));
    let mut source = Source::open(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
    for (field, value) in *at {
        source.set(field, value, name);
    }
    if *file == RARED {
        source.set("seeds", SEEDS_OF_RARED, name);
    }
    let plan = source
        .plan()
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    let scheme = plan.labels().iter().position(|label| label == scheme);
    let scheme = scheme.unwrap_or_else(|| panic!("{name}: the file has no such scheme"));
    let prepared = |seed| prepared(&plan, seed, scheme);
    let all: Vec<PreparedRun> = (0..plan.seeds.len()).map(prepared).collect();
    let runs: Vec<_> = all.iter().map(|prepared| prepared.run.clone()).collect();
    let workers = available_parallelism().map_or(1, usize::from);
    let results = run::all(&runs, workers).into_iter();
    let outcomes = results.zip(&all).map(|(results, prepared)| {
        let results = results.unwrap_or_else(|error| panic!("{name}: {error}"));
        Outcome::of(&results, prepared)
    });
    outcomes.map(|outcome| of_plan(outcome, &plan)).collect()
}

fn prepared(plan: &Plan, seed: usize, scheme: usize) -> PreparedRun {
    let point = 0;
    let cell = Cell {
        seed,
        point,
        scheme,
    };
    let prepared = plan.prepare(cell, true);
    prepared.unwrap_or_else(|problem| panic!("{problem}"))
}

fn of_plan(outcome: Outcome, plan: &Plan) -> CaseRun {
    let scenario = plan.scenario();
    let warm_up = scenario.warm_up.as_secs_f64();
    let averages = outcome
        .series
        .iter()
        .find(|series| series.name == "average");
    let average = averages.and_then(|series| {
        let skipped = (warm_up / series.interval).round() as usize;
        Mean::of(&series.values[skipped..]).map(|mean| mean.mean)
    });
    CaseRun {
        flows: scenario
            .groups
            .iter()
            .map(|group| f64::from(group.count))
            .sum(),
        span: scenario.duration.as_secs_f64() - warm_up,
        outcome,
        average,
    }
}

impl CaseRun {
    /// A figure of the table, in its unit.
    fn figure(&self, name: &str) -> f64 {
        let metric = |name| self.metric(name);
        match name {
            "util" | "all_util" => metric("utilisation"),
            "loss" | "loss_pct" | "all_loss_pct" => 100.0 * metric("queue_loss"),
            "meanq" => metric("queue_mean"),
            "meanave" => self.average.expect("the scheme has an average"),
            "qdelay" | "all_qdelay" => metric("delay_mean"),
            "timeouts" => metric("timeouts") * self.span,
            // Packets of 1000 bytes a second and flow.
            "goodput" => metric("goodput") / (8000.0 * self.flows),
            "tcp_mbps" => 1e-6 * self.of_group("tcp", "throughput"),
            "tcp_loss_pct" => 100.0 * self.of_group("tcp", "loss"),
            "mean" => self.of_group("web", "completion_mean"),
            "median" => self.of_group("web", "completion_p50"),
            "frac2s" => self.of_group("web", "completion_in_time"),
            "ftp0_mbps" => 1e-6 * self.of_group("near", "goodput"),
            _ => panic!("the table has no figure {name}"),
        }
    }

    fn metric(&self, name: &str) -> f64 {
        let index = metrics::index_of(name).expect("it is a metric");
        self.outcome.values[index].expect("it was measured")
    }

    fn of_group(&self, group: &str, name: &str) -> f64 {
        let mut groups = self.outcome.groups.iter();
        let (_, _, values) = groups
            .find(|(known, ..)| known == group)
            .expect("it is a group");
        let index = metrics::of_groups().position(|metric| metric.name == name);
        values[index.expect("it is a metric of flows")].expect("it was measured")
    }
}
