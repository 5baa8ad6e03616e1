//! How a scenario's cells are run, and where their results go: what `compare`, `run` and
//! `live` share.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use earlydrop_lab::plan::{Plan, Source};
use earlydrop_lab::run::Progress;
use earlydrop_lab::stopping::StoppingRule;
use earlydrop_lab::store::{self, Store};
use earlydrop_lab::summary::Summary;
use earlydrop_report::json;
use earlydrop_report::run_report::write_report;

use crate::commands::threads;
use crate::draw::Style;
use crate::failure::Failure;
use crate::progress::{Bar, stop_flag};
use crate::table;

/// How the cells are run, and where what they find is kept.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct RunOptions {
    /// Add seeds until every 95% interval of a metric is this narrow: 2%, 5%:delay_p99
    #[arg(long, value_name = "SHARE[:METRIC]")]
    until: Option<String>,
    /// How many threads; as many as there are cores unless given
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..))]
    pub(super) threads: Option<u16>,
    #[command(flatten)]
    pub(super) output: OutputOptions,
}

/// Where what cells find is kept, and how it is shown.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct OutputOptions {
    /// The folder for the results; runs/NAME-... unless given
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Go on with what is in the folder; this is so anyway
    #[arg(long, conflicts_with = "fresh")]
    resume: bool,
    /// Do not go on with an earlier run of the same scenario: use a folder of a new name
    #[arg(long, conflicts_with = "out")]
    pub(super) fresh: bool,
    /// Write one JSON document on standard output instead of tables
    #[arg(long)]
    pub(super) json: bool,
    /// Show no progress
    #[arg(long, short)]
    pub(super) quiet: bool,
}

pub(super) fn run_source(
    source: &Source,
    options: &RunOptions,
    out: &mut dyn Write,
    style: &Style,
) -> Result<(), Failure> {
    let rule = options.until.as_deref().map(stopping_rule).transpose()?;
    let plan = source.plan()?;
    let store = Store::create(&options.output.folder(source, &plan), source, &plan)?;
    let stop = stop_flag()?;
    let (plan, progress) = run_cells(source, plan, &store, options, rule.as_ref(), &stop)?;
    options.output.show(&plan, &store, out, style)?;
    all_done(progress, &store)
}

/// Whether all there is to run was run; what was stopped can be gone on with.
pub(super) fn all_done(progress: Progress, store: &Store) -> Result<(), Failure> {
    if progress.done == progress.planned {
        return Ok(());
    }
    Err(Failure::Stopped(format!(
        "stopped: {} of {} runs are kept in {}; the same command goes on",
        progress.done,
        progress.planned,
        store.folder().display()
    )))
}

impl OutputOptions {
    /// Where they go.
    pub(super) fn folder(&self, source: &Source, plan: &Plan) -> PathBuf {
        self.out
            .clone()
            .unwrap_or_else(|| new_folder(source, plan, self.fresh))
    }

    /// Writes the report, and the tables or the document.
    pub(super) fn show(
        &self,
        plan: &Plan,
        store: &Store,
        out: &mut dyn Write,
        style: &Style,
    ) -> Result<(), Failure> {
        let summary = Summary::of_store(plan, store)?;
        let page = write_report(plan, store, &summary)?;
        if self.json {
            let document = json::document(plan, store, &summary, &page)?;
            let text = serde_json::to_string_pretty(&document).unwrap_or_default();
            writeln!(out, "{text}")?;
        } else {
            table::print(plan, &summary, out, style)?;
            writeln!(out, "report: {}", page.display())?;
        }
        Ok(())
    }
}

/// A folder of the plan's name; one that is not there yet where it is to be fresh.
fn new_folder(source: &Source, plan: &Plan, fresh: bool) -> PathBuf {
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

/// Runs what is not done yet; with a stopping rule, with more seeds, until they are enough.
pub(super) fn run_cells(
    source: &Source,
    plan: Plan,
    store: &Store,
    options: &RunOptions,
    rule: Option<&StoppingRule>,
    stop: &AtomicBool,
) -> Result<(Plan, Progress), Failure> {
    let threads = threads(options.threads);
    let bar = Bar::new(options.output.quiet || options.output.json);
    let show = |done| bar.show(done);
    let ran = match rule {
        Some(rule) => store::run_until(source, plan, store, rule, threads, stop, show),
        None => store::run(&plan, store, threads, stop, show).map(|progress| (plan, progress)),
    };
    bar.end();
    Ok(ran?)
}

fn stopping_rule(text: &str) -> Result<StoppingRule, Failure> {
    let rule = text.parse::<StoppingRule>();
    rule.map_err(|error| Failure::Usage(format!("--until {error}")))
}
