//! Tunes schemes for three goals, compares what `tune` finds with the best of 500 settings drawn at
//! random between the same bounds, and prints both with seeds that neither has used: the table
//! `bench/reference/tune-against-random.csv`, which `docs/how-to/tune.md` quotes.
//!
//! ```text
//! cargo run --release -p earlydrop-lab --example tune_against_random [-- SCHEME ...]
//! ```
//! The best of the random settings is chosen as that of a search: the twelve best with the seeds of
//! the search run again with ten others. It ends with an error if a search is beaten by more than 5%.
//! The time of each goes to standard error.

use std::error::Error;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use earlydrop_lab::metrics::METRICS;
use earlydrop_lab::plan::{Source, TraceFiles};
use earlydrop_lab::store::{self, Store};
use earlydrop_lab::summary::Summary;
use earlydrop_lab::tune::{
    Goal, Limit, Method, SearchResult, TuneOptions, Validation, tune, validate, validation_scenario,
};

/// The settings of a search, as those of `earlydrop tune`.
const SEARCHED: usize = 200;
/// The settings drawn at random, and how often.
const DRAWN: usize = 500;
const DRAWS: u64 = 2;
/// A search is not beaten by more than this share.
const BEATEN: f64 = 0.05;

const HOME: &str = include_str!("../../../scenarios/home-uplink.toml");

/// Two scalable and two CUBIC senders over coupled queues.
const L4S: &str = r#"
duration = "20 s"
warm_up = "5 s"
schemes = ["dualpi2"]

[network]
rate = "40 Mbps"
rtt = "20 ms"
buffer = "500 packets"

[flows.scalable]
tcp = "scalable"
count = 2

[flows.classic]
tcp = { control = "cubic", ecn = "on" }
count = 2
"#;

/// A scheme in a scenario, and a metric to minimise under limits.
struct Problem {
    name: &'static str,
    scenario: &'static str,
    scheme: &'static str,
    metric: &'static str,
    limits: &'static [&'static str],
}

const PROBLEMS: &[Problem] = &[
    Problem {
        name: "home-uplink",
        scenario: HOME,
        scheme: "red:min=5 ms,max=15 ms",
        metric: "delay_p99",
        limits: &["utilisation>=97%"],
    },
    Problem {
        name: "home-uplink",
        scenario: HOME,
        scheme: "pie",
        metric: "delay_p99",
        limits: &["utilisation>=95%"],
    },
    Problem {
        name: "home-uplink",
        scenario: HOME,
        scheme: "codel",
        metric: "delay_p99",
        limits: &["utilisation>=95%"],
    },
    Problem {
        name: "l4s",
        scenario: L4S,
        scheme: "dualpi2",
        metric: "delay_p99",
        limits: &["utilisation>=95%", "fairness>=90%"],
    },
];

impl Problem {
    fn source(&self) -> Result<Source, Box<dyn Error>> {
        let mut source = Source::new(self.name, self.scenario, TraceFiles::default())?;
        source.set_schemes(self.scheme, "the problem");
        Ok(source)
    }

    fn goal(&self) -> Result<Goal, Box<dyn Error>> {
        let mut goal = Goal::new(self.metric, true)?;
        for limit in self.limits {
            goal.limits.push(Limit::parse(limit)?);
        }
        Ok(goal)
    }

    /// The result of a search, and its validation.
    fn solve(
        &self,
        method: Method,
        budget: usize,
    ) -> Result<(SearchResult, Validation), Box<dyn Error>> {
        let (source, goal) = (self.source()?, self.goal()?);
        let stop = AtomicBool::new(false);
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let options = TuneOptions {
            goal: goal.clone(),
            parameters: Vec::new(),
            budget,
            seeds: 3,
            method,
            threads,
        };
        let began = Instant::now();
        let mut results = tune(&source, &options, &stop, |_| {})?;
        eprintln!(
            "{} {} {method:?}: {:.0} s",
            self.name,
            results[0].label,
            began.elapsed().as_secs_f64()
        );
        let scenario = validation_scenario(&source, &goal, &results)?;
        let plan = scenario.plan()?;
        let store = Store::in_memory(&scenario, &plan)?;
        store::run(&plan, &store, threads, &stop, |_| {})?;
        let cells = Summary::of_store(&plan, &store)?.cells;
        let mut validations = validate(&goal, &results, &plan, &cells);
        Ok((results.remove(0), validations.remove(0)))
    }

    /// A row of the table, without its last column.
    fn row(&self, method: &str, result: &SearchResult, validation: &Validation) -> String {
        let metric = METRICS.iter().find(|metric| metric.name == self.metric);
        let scale = metric.map_or(1.0, |metric| metric.scale);
        let after = validation
            .after
            .map_or(f64::NAN, |after| scale * after.mean);
        let half = validation.after.and_then(|after| after.half);
        let settings = validation.variant.iter().flat_map(|tuned| &tuned.settings);
        let settings = settings.map(|(name, value)| format!("{name}={value}"));
        format!(
            "{},{},{},{method},{},{},{after:.3},{:.3},{},{}",
            self.name,
            result.label,
            self.limits.join(" "),
            result.candidates.len(),
            result.runs,
            scale * half.unwrap_or(f64::NAN),
            if validation.keeps_limits() {
                "yes"
            } else {
                "no"
            },
            settings.collect::<Vec<_>>().join(" "),
        )
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("scenario,scheme,limits,method,settings,runs,delay_p99_ms,ci95_ms,kept,found");
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let mut beaten = Vec::new();
    for problem in PROBLEMS {
        let is_wanted = |name: &String| problem.scheme.starts_with(name.as_str());
        if !wanted.is_empty() && !wanted.iter().any(is_wanted) {
            continue;
        }
        let (result, found) = problem.solve(Method::Evolution, SEARCHED)?;
        println!("{}", problem.row("search", &result, &found));
        for draw in 1..=DRAWS {
            let (result, drawn) = problem.solve(Method::Random(draw), DRAWN)?;
            println!("{}", problem.row("random", &result, &drawn));
            let delay =
                |validation: &Validation| validation.after.map_or(f64::NAN, |after| after.mean);
            let is_better = drawn.keeps_limits() && delay(&found) > (1.0 + BEATEN) * delay(&drawn);
            if is_better || (drawn.keeps_limits() && !found.keeps_limits()) {
                beaten.push(format!("{} {}", problem.name, result.label));
            }
        }
    }
    match beaten.is_empty() {
        true => Ok(()),
        false => Err(format!("beaten by random settings: {}", beaten.join(", ")).into()),
    }
}
