//! Options and steps that `compare`, `run` and `live` share: running a plan's cells, storing and
//! printing results.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use earlydrop_lab::baseline::{self, Comparison, headline_numbers};
use earlydrop_lab::lengthening::{Length, length};
use earlydrop_lab::metrics::Number;
use earlydrop_lab::plan::{Plan, Source};
use earlydrop_lab::run::Progress;
use earlydrop_lab::stopping::{Precision, StoppingRule};
use earlydrop_lab::store::{self, Store, StoreError};
use earlydrop_lab::summary::Summary;
use earlydrop_report::run_report::{json, write_view};
use earlydrop_report::table::View;

use crate::commands::threads;
use crate::draw::Style;
use crate::failure::Failure;
use crate::notices::Notices;
use crate::output::Output;
use crate::progress::{Bar, stop_flag};
use crate::summary_table;

/// How cells are run, and where results go.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct RunOptions {
    /// Add seeds until the 95% intervals are this narrow relative to the mean: 2%, 5%:delay_p99
    #[arg(long, value_name = "SHARE[:METRIC]")]
    until: Option<String>,
    /// The number of threads [default: the number of cores]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..))]
    pub(super) threads: Option<u16>,
    #[command(flatten)]
    pub(super) output: OutputOptions,
}

/// Where results go, and how they are printed.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct OutputOptions {
    /// The folder for the results [default: runs/NAME-...]
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Resume the run in the folder; this is the default
    #[arg(long, conflicts_with = "fresh")]
    resume: bool,
    /// Start in a new folder instead of resuming an earlier run of the same scenario
    #[arg(long, conflicts_with = "out")]
    pub(super) fresh: bool,
    /// Write one JSON document on standard output instead of tables
    #[arg(long)]
    pub(super) json: bool,
    /// Print no progress
    #[arg(long, short)]
    pub(super) quiet: bool,
    #[command(flatten)]
    pub(super) view: ViewOptions,
}

/// What of the results is shown.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct ViewOptions {
    /// The metrics of the tables, in this order, also of a group of flows:
    /// loss,call.end_to_end_p99. A sweep has a table of each
    #[arg(long, value_name = "LIST")]
    metrics: Option<String>,
    /// Also print the differences of all schemes from this one, paired by seed
    #[arg(long, value_name = "SCHEME")]
    baseline: Option<String>,
}

impl ViewOptions {
    /// The chosen metrics, and the index of the baseline.
    pub(super) fn check(&self, plan: &Plan) -> Result<Choice, Failure> {
        let wrong = |option: &str, error| Failure::Usage(format!("--{option}: {error}"));
        let metrics = self.metrics.as_deref();
        let metrics = metrics.map(|list| plan.numbers(list)).transpose();
        let baseline = self
            .baseline
            .as_deref()
            .map(|label| baseline::find(plan, label));
        Ok(Choice {
            metrics: metrics.map_err(|error| wrong("metrics", error))?,
            baseline: baseline
                .transpose()
                .map_err(|error| wrong("baseline", error))?,
        })
    }
}

/// Checked [`ViewOptions`].
pub(super) struct Choice {
    metrics: Option<Vec<Number>>,
    baseline: Option<usize>,
}

impl Choice {
    /// The parts of a summary to show.
    pub(super) fn view(self, plan: &Plan, summary: &Summary) -> View {
        let compared = match &self.metrics {
            Some(numbers) => numbers.clone(),
            None => headline_numbers(plan),
        };
        let compare = |baseline| Comparison::of(plan, summary, baseline, compared);
        View {
            comparison: self.baseline.map(compare),
            metrics: self.metrics,
        }
    }
}

/// Runs a scenario's cells, writes the report and prints the results.
pub(super) fn run_source(
    source: &Source,
    options: &RunOptions,
    out: &mut Output<'_>,
    style: &Style,
) -> Result<(), Failure> {
    let rule = options.until.as_deref().map(stopping_rule).transpose()?;
    let plan = source.plan()?;
    options.output.view.check(&plan)?;
    let quiet = options.output.quiet;
    Notices { quiet }.scenario(&plan);
    let folder = options.output.folder(source, &plan);
    let (store, plan, progress, precision) = run_to_length(source, plan, &folder, options, rule)?;
    options.output.print(&plan, &store, out, style)?;
    check_finished(progress, &store)?;
    match (&options.until, precision) {
        (Some(until), Some(precision)) => check_precision(until, precision, plan.seeds.len()),
        _ => Ok(()),
    }
}

/// Runs the cells that are not done, and with duration = "auto" longer ones until they are long
/// enough.
fn run_to_length(
    source: &Source,
    plan: Plan,
    folder: &Path,
    options: &RunOptions,
    rule: Option<StoppingRule>,
) -> Result<(Store, Plan, Progress, Option<Precision>), Failure> {
    let notices = Notices {
        quiet: options.output.quiet,
    };
    let created = Store::create_auto(folder, source, plan);
    let (store, mut lasting, mut plan) = created.map_err(|error| options.output.refused(error))?;
    let stop = stop_flag()?;
    loop {
        let ran = run_cells(&lasting, plan, &store, options, rule.as_ref(), &stop)?;
        let (progress, precision) = (ran.1, ran.2);
        plan = ran.0;
        if !source.is_auto() || progress.done < progress.planned {
            return Ok((store, plan, progress, precision));
        }
        let duration = plan.scenario().duration;
        let judged = length(source, &plan, &Summary::of_store(&plan, &store)?)?;
        let Length::Longer(longer, why) = judged else {
            if let Some(doubt) = judged.doubt(duration) {
                notices.warn(&format!("warning: {doubt}"));
            }
            return Ok((store, plan, progress, precision));
        };
        let planned = longer.plan()?;
        let next = planned.scenario().duration;
        notices.info(&format!(
            "{duration} was not long enough, as {why}: now {next}"
        ));
        store.restart(&plan, (&longer, &planned))?;
        (lasting, plan) = (*longer, planned);
    }
}

/// Fails where a stopping rule is not met.
fn check_precision(until: &str, precision: Precision, seeds: usize) -> Result<(), Failure> {
    match precision {
        Precision::Reached => Ok(()),
        Precision::NotReached(widest) => Err(Failure::Runtime(format!(
            "--until {until}: not reached with {seeds} seeds, which is the most: the widest \
             interval is {:.2}% of its mean",
            100.0 * widest
        ))),
        Precision::NotMeasured => Err(Failure::Usage(format!(
            "--until {until}: this scenario does not measure that metric, so no number of seeds \
             decides it"
        ))),
    }
}

/// Fails with [`Failure::Interrupted`] where cells are left to run.
pub(super) fn check_finished(progress: Progress, store: &Store) -> Result<(), Failure> {
    if progress.done == progress.planned {
        return Ok(());
    }
    Err(Failure::Interrupted(format!(
        "stopped: {} of {} runs are kept in {}; the same command resumes",
        progress.done,
        progress.planned,
        store.folder().display()
    )))
}

impl OutputOptions {
    /// The folder for the results of a plan.
    pub(super) fn folder(&self, source: &Source, plan: &Plan) -> PathBuf {
        self.out
            .clone()
            .unwrap_or_else(|| default_folder(source, plan, self.fresh))
    }

    /// The failure of a folder that cannot be used.
    pub(super) fn refused(&self, error: StoreError) -> Failure {
        let is_another = matches!(error, StoreError::Another { .. });
        match Failure::from(error) {
            Failure::Usage(text) if is_another && self.out.is_none() => {
                Failure::Usage(format!("{text}, or a new one with --fresh"))
            }
            other => other,
        }
    }

    /// Writes the report page and prints the tables or the JSON document.
    pub(super) fn print(
        &self,
        plan: &Plan,
        store: &Store,
        out: &mut Output<'_>,
        style: &Style,
    ) -> Result<(), Failure> {
        let summary = Summary::of_store(plan, store)?;
        let view = self.view.check(plan)?.view(plan, &summary);
        let page = write_view(plan, store, &summary, &view)?;
        if self.json {
            let document = json(plan, store, &summary, &page, &view)?;
            out.json(&document)?;
        } else {
            summary_table::print(plan, &summary, &view, out, style)?;
            writeln!(out, "report: {}", page.display())?;
        }
        Ok(())
    }
}

/// The folder named after the plan; a numbered one that does not exist yet if `fresh`.
fn default_folder(source: &Source, plan: &Plan, fresh: bool) -> PathBuf {
    let name = plan.folder_name(&source.name);
    let folder = Path::new("runs").join(&name);
    if !fresh {
        return folder;
    }
    let mut numbered = (2..).map(|number| Path::new("runs").join(format!("{name}-{number}")));
    if !folder.exists() {
        return folder;
    }
    numbered.find(|folder| !folder.exists()).unwrap_or(folder)
}

/// Runs the cells that are not done; with a stopping rule, adds seeds until it is satisfied.
pub(super) fn run_cells(
    source: &Source,
    plan: Plan,
    store: &Store,
    options: &RunOptions,
    rule: Option<&StoppingRule>,
    stop: &AtomicBool,
) -> Result<(Plan, Progress, Option<Precision>), Failure> {
    let threads = threads(options.threads);
    let bar = Bar::new(options.output.quiet || options.output.json);
    let show = |report: store::Report<'_>| bar.show(report.progress);
    let ran = match rule {
        Some(rule) => store::run_until(source, plan, store, rule, threads, stop, show)
            .map(|(plan, progress, precision)| (plan, progress, Some(precision))),
        None => {
            store::run(&plan, store, threads, stop, show).map(|progress| (plan, progress, None))
        }
    };
    bar.end();
    Ok(ran?)
}

fn stopping_rule(text: &str) -> Result<StoppingRule, Failure> {
    let rule = text.parse::<StoppingRule>();
    rule.map_err(|error| Failure::Usage(format!("--until {error}")))
}
