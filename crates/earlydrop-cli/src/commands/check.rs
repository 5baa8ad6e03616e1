//! `earlydrop check`: validates a scenario, counts its runs and estimates their time.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use earlydrop_lab::budget::Size;
use earlydrop_lab::estimate::estimate;
use earlydrop_lab::outcome::Outcome;
use earlydrop_lab::plan::Plan;
use earlydrop_lab::store::Store;
use earlydrop_report::derived;

use crate::commands::threads;
use crate::failure::Failure;
use crate::notices::Notices;
use crate::output::Output;
use crate::scenario::{Overrides, source};

/// Validate a scenario without running it; print the number of runs and the estimated time
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  earlydrop check scenarios/satellite.toml
  earlydrop check scenarios/satellite.toml --seeds 30
  earlydrop configure --link 20Mbps --rtt 50ms --flows 20 --paste earlydrop | earlydrop check -")]
pub(crate) struct Check {
    /// The scenario file, or - for standard input
    scenario: PathBuf,
    #[command(flatten)]
    overrides: Overrides,
}

/// The time spent on trial runs for the estimate.
const TRIAL: Duration = Duration::from_millis(600);

pub(crate) fn run(arguments: &Check, out: &mut Output<'_>) -> Result<(), Failure> {
    let source = source(Some(&arguments.scenario), &arguments.overrides)?;
    let plan = source.plan()?;
    writeln!(out, "{}: {}", source.name, run_count(&plan))?;
    for axis in &plan.axes {
        writeln!(out, "  {} = {}", axis.field, axis.texts().join(", "))?;
    }
    if let [first, .., last] = &source.lengths()?[..] {
        let (first, last) = (first.plan()?, last.plan()?);
        let durations = [first, last].map(|plan| plan.scenario().duration);
        writeln!(
            out,
            "  duration {}, or longer up to {}",
            durations[0], durations[1]
        )?;
    }
    for line in derived::sentences(&plan) {
        writeln!(out, "  {line}")?;
    }
    Notices { quiet: false }.scenario(&plan);
    let store = Store::in_memory(&source, &plan)?;
    let mut saved = Ok(());
    let keep = |cell, outcome: &Outcome| {
        if saved.is_ok() {
            saved = store.save_and_undo(&plan, cell, outcome);
        }
    };
    let estimate = estimate(&plan, TRIAL, keep);
    let estimate = estimate.map_err(|problem| source.problems(vec![problem]))?;
    saved?;
    let cores = threads(None);
    let time = duration_in_words(estimate.on_threads(cores));
    let budget = plan.budget();
    let shared = Size(budget.shared());
    let points = match plan.points.len() {
        // What the file names, above all.
        1 if budget.shared() > budget.memory => format!(" and {shared} that they share"),
        1 => String::new(),
        _ => format!(" and {shared} for all points"),
    };
    let report = match budget.report > budget.memory {
        true => format!(", {} for their report", Size(budget.report)),
        false => String::new(),
    };
    writeln!(
        out,
        "about {time} on {cores} threads{}; {} of memory each{points}{report}, {} on disk",
        if source.is_auto() {
            " for the first duration"
        } else {
            ""
        },
        Size(budget.memory),
        Size(budget.disk)
    )?;
    Ok(())
}

/// "11 schemes x 3 points x 5 seeds = 165 runs".
fn run_count(plan: &Plan) -> String {
    let schemes = plan.scenario().schemes.len();
    let points = match plan.points.len() {
        1 => String::new(),
        points => format!(" x {points} points"),
    };
    let seeds = plan.seeds.len();
    let runs = plan.cell_count();
    format!("{schemes} schemes{points} x {seeds} seeds = {runs} runs")
}

/// A rough duration: "12 s", "4 minutes".
fn duration_in_words(span: Duration) -> String {
    let seconds = span.as_secs_f64();
    match seconds {
        ..0.95 => "a second or less".to_string(),
        ..90.0 => format!("{seconds:.0} s"),
        ..5400.0 => format!("{:.0} minutes", seconds / 60.0),
        _ => format!("{:.0} hours", seconds / 3600.0),
    }
}
