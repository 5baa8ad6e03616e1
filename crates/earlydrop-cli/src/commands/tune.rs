//! `earlydrop tune`: searches schemes' parameters by simulation, and validates the best with fresh
//! seeds.

mod report;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use earlydrop_lab::plan::{Plan, Source};
use earlydrop_lab::run::Progress;
use earlydrop_lab::store::{self, Store};
use earlydrop_lab::summary::Summary;
use earlydrop_lab::tune::{
    self, Goal, Limit, SearchParameter, SearchResult, TuneError, TuneOptions, Validation,
};
use earlydrop_report::run_report::write_report;
use serde_json::json;

use crate::commands::threads;
use crate::draw::Style;
use crate::failure::Failure;
use crate::output::Output;
use crate::progress::{Bar, stop_flag};
use crate::scenario::{Overrides, source};
use report::TuneReport;

/// Search the parameters of a scenario's schemes by simulation
#[derive(clap::Args, Clone, Debug)]
#[command(group(clap::ArgGroup::new("goal").required(true).args(["minimise", "maximise"])))]
#[command(after_help = "Examples:
  earlydrop tune scenarios/home-uplink.toml --minimise delay_p99 --subject-to 'utilisation>=95%'
  earlydrop tune scenario.toml --schemes red,pie --maximise goodput --subject-to 'delay_p99<=20ms'
  earlydrop tune scenario.toml --schemes red --minimise delay_p99 --over min=2..40,max=10..120

Settings of each scheme are simulated with the same seeds and improved by differential evolution.
The best settings and the original scheme are then compared with seeds that the search has not used.")]
pub(crate) struct Tune {
    /// The scenario file, or - for standard input
    scenario: PathBuf,
    /// The metric to minimise
    #[arg(long, value_name = "METRIC", alias = "minimize")]
    minimise: Option<String>,
    /// The metric to maximise
    #[arg(long, value_name = "METRIC", alias = "maximize")]
    maximise: Option<String>,
    /// A constraint: 'utilisation>=95%', 'loss<=1%'; may be given more than once
    #[arg(long, value_name = "LIMIT", value_delimiter = ',')]
    subject_to: Vec<String>,
    /// The parameters to search, optionally with bounds: min=2..40,max_p [default: all numeric
    /// parameters of the scheme]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    over: Vec<String>,
    /// The number of settings of each scheme to simulate
    #[arg(long, value_name = "COUNT", default_value = "200", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    budget: u32,
    /// The number of the scenario's seeds for each setting
    #[arg(long, value_name = "COUNT", default_value = "3", value_parser = clap::value_parser!(u16).range(1..=1000))]
    search_seeds: u16,
    #[command(flatten)]
    overrides: Overrides,
    /// The number of threads [default: the number of cores]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// The folder for the results of the validation [default: runs/tune-NAME-...]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write one JSON document on standard output instead of tables
    #[arg(long)]
    json: bool,
    /// Print no progress
    #[arg(long, short)]
    quiet: bool,
}

pub(crate) fn run(arguments: &Tune, out: &mut Output<'_>, style: &Style) -> Result<(), Failure> {
    let source = source(Some(&arguments.scenario), &arguments.overrides)?;
    let options = options(arguments)?;
    // Planned before Ctrl-C is caught: until then it ends the program at once.
    let schemes = source.plan()?.scenario().schemes.len();
    let stop = stop_flag()?;
    let results = search(&source, schemes, &options, arguments, &stop)?;
    if stop.load(Ordering::Relaxed) {
        let text = "stopped: the search is not kept; the same command starts it again";
        return Err(Failure::Interrupted(text.to_string()));
    }
    let scenario = tune::validation_scenario(&source, &options.goal, &results)?;
    let plan = scenario.plan()?;
    let (validations, page) = validate(&scenario, &plan, &options, &results, arguments, &stop)?;
    if arguments.json {
        let mut document = tune::json(&options.goal, &results, &validations);
        document["report"] = json!(page.display().to_string());
        let text = serde_json::to_string_pretty(&document).unwrap_or_default();
        writeln!(out, "{text}")?;
    } else {
        let report = TuneReport {
            goal: &options.goal,
            results: &results,
            validations: &validations,
            source: &source,
            style,
        };
        out.lines(&report.lines(plan.seeds.len()), style)?;
        writeln!(out, "report: {}", page.display())?;
    }
    if validations.iter().any(Validation::keeps_limits) {
        return Ok(());
    }
    let text = "no setting met every constraint with fresh seeds";
    Err(Failure::Runtime(text.to_string()))
}

fn options(arguments: &Tune) -> Result<TuneOptions, Failure> {
    let usage =
        |error: &dyn std::fmt::Display, option: &str| Failure::Usage(format!("--{option} {error}"));
    let goal = match (&arguments.minimise, &arguments.maximise) {
        (Some(metric), _) => Goal::new(metric, true).map_err(|error| usage(&error, "minimise")),
        (None, Some(metric)) => Goal::new(metric, false).map_err(|error| usage(&error, "maximise")),
        (None, None) => Err(Failure::Usage(
            "give a metric with --minimise or --maximise".into(),
        )),
    };
    let mut goal = goal?;
    for limit in &arguments.subject_to {
        let limit = Limit::parse(limit).map_err(|error| usage(&error, "subject-to"))?;
        goal.limits.push(limit);
    }
    let over = arguments
        .over
        .iter()
        .map(|text| text.parse::<SearchParameter>());
    let over: Result<Vec<SearchParameter>, _> = over.collect();
    Ok(TuneOptions {
        goal,
        parameters: over.map_err(|error| usage(&error, "over"))?,
        budget: arguments.budget as usize,
        seeds: usize::from(arguments.search_seeds),
        threads: threads(arguments.threads),
    })
}

/// Searches the parameters of each of `schemes` schemes.
fn search(
    source: &Source,
    schemes: usize,
    options: &TuneOptions,
    arguments: &Tune,
    stop: &AtomicBool,
) -> Result<Vec<SearchResult>, Failure> {
    let bar = Bar::counting(arguments.quiet || arguments.json, "tuning", "settings");
    let mut labels: Vec<String> = Vec::new();
    let results = tune::tune(source, options, stop, |result| {
        if labels.last() != Some(&result.label) {
            labels.push(result.label.clone());
        }
        bar.show(Progress {
            before: 0,
            done: (labels.len() - 1) * options.budget + result.candidates.len().min(options.budget),
            planned: schemes * options.budget,
        });
    });
    bar.end();
    results.map_err(|error| match error {
        TuneError::Scenario(problems) => problems.into(),
        TuneError::Cell(problem) => Failure::Runtime(problem.to_string()),
        TuneError::Space(error) => Failure::Usage(format!("--over {error}")),
        other => Failure::Usage(other.to_string()),
    })
}

/// Runs the best and the original settings with fresh seeds; also returns the path of the report.
fn validate(
    scenario: &Source,
    plan: &Plan,
    options: &TuneOptions,
    results: &[SearchResult],
    arguments: &Tune,
    stop: &AtomicBool,
) -> Result<(Vec<Validation>, PathBuf), Failure> {
    let folder = arguments.out.clone().unwrap_or_else(|| {
        let source = Path::new(&scenario.name);
        let stem = source.file_stem().unwrap_or_default();
        let name = format!("tune-{}", stem.to_string_lossy());
        Path::new("runs").join(plan.folder_name(&name))
    });
    let store = Store::create(&folder, scenario, plan)?;
    let bar = Bar::named(arguments.quiet || arguments.json, "validating");
    let ran = store::run(plan, &store, options.threads, stop, |ran| {
        bar.show(ran.progress)
    });
    bar.end();
    ran?;
    let summary = Summary::of_store(plan, &store)?;
    let page = write_report(plan, &store, &summary)?;
    if stop.load(Ordering::Relaxed) {
        return Err(Failure::Interrupted(
            "stopped during validation".to_string(),
        ));
    }
    let validations = tune::validate(&options.goal, results, plan, &summary.cells);
    Ok((validations, page))
}
