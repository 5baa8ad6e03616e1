//! `earlydrop compare` and `earlydrop run`: every cell of a scenario, a table, a report.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use earlydrop_lab::gather::gather;
use earlydrop_lab::plan::{Plan, Source};
use earlydrop_lab::store::Store;
use earlydrop_lab::summary::Summary;
use earlydrop_lab::work::{self, Progress};
use earlydrop_lab::{json, metrics, report};

#[cfg(target_os = "linux")]
use crate::commands::live;
use crate::commands::threads;
use crate::draw::Style;
use crate::failure::Failure;
use crate::progress::{Bar, stop_flag};
use crate::scenario::{Changes, source};
use crate::table;

/// Compare queue disciplines on a scenario, or on one that is built in
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  earlydrop compare
  earlydrop compare --link 10Mbps --rtt 50ms --flows 50 --seeds 10
  earlydrop compare --schemes red,nlred:min=10,max=30,codel --tcp reno --ecn on
  earlydrop compare scenarios/home-uplink.toml --until 2%:delay_mean
  earlydrop compare --live scenarios/live/grid.toml --markdown grid.md")]
pub(crate) struct Compare {
    /// The scenario; without one, twenty transfers, web pages and calls share 20 Mbps
    scenario: Option<PathBuf>,
    #[command(flatten)]
    changes: Changes,
    #[command(flatten)]
    way: Way,
    /// Run it on real hosts, too, in real time, and put both side by side
    #[cfg(target_os = "linux")]
    #[arg(long, conflicts_with = "until")]
    live: bool,
    /// With --live: write the comparison as Markdown into this file, too
    #[cfg(target_os = "linux")]
    #[arg(long, value_name = "FILE", requires = "live")]
    markdown: Option<PathBuf>,
}

/// Run every cell of a scenario: schemes x points of its sweep x seeds
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  earlydrop run scenarios/satellite.toml
  earlydrop run scenario.toml --threads 1 --out runs/mine
  earlydrop run scenario.toml --json | jq '.rows[] | {scheme, delay: .metrics.delay_mean.mean}'

What a run that was stopped or killed had finished is kept: the same command goes on.")]
pub(crate) struct Run {
    /// The scenario
    scenario: PathBuf,
    #[command(flatten)]
    changes: Changes,
    #[command(flatten)]
    way: Way,
}

/// How the cells are run, and where what they find is kept.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct Way {
    /// Add seeds until every 95% interval of a metric is this narrow: 2%, 5%:delay_p99
    #[arg(long, value_name = "SHARE[:METRIC]")]
    until: Option<String>,
    /// How many threads; as many as there are cores unless given
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..))]
    pub(super) threads: Option<u16>,
    #[command(flatten)]
    pub(super) results: Results,
}

/// Where what cells find is kept, and how it is shown.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct Results {
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

/// `earlydrop compare`.
pub(crate) fn compare(
    arguments: &Compare,
    out: &mut dyn Write,
    style: &Style,
) -> Result<(), Failure> {
    let source = source(arguments.scenario.as_ref(), &arguments.changes)?;
    #[cfg(target_os = "linux")]
    if arguments.live {
        let markdown = arguments.markdown.as_deref();
        return live::beside(source, &arguments.way, markdown, out, style);
    }
    run_source(&source, &arguments.way, out, style)
}

/// `earlydrop run`.
pub(crate) fn run(arguments: &Run, out: &mut dyn Write, style: &Style) -> Result<(), Failure> {
    let source = source(Some(&arguments.scenario), &arguments.changes)?;
    run_source(&source, &arguments.way, out, style)
}

fn run_source(
    source: &Source,
    way: &Way,
    out: &mut dyn Write,
    style: &Style,
) -> Result<(), Failure> {
    let until = way.until.as_deref().map(Until::parse).transpose()?;
    let plan = source.plan()?;
    let store = Store::create(&way.results.folder(source, &plan), source, &plan)?;
    let stop = stop_flag()?;
    let (plan, progress) = run_cells(source, plan, &store, way, until.as_ref(), &stop)?;
    way.results.show(&plan, &store, out, style)?;
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

impl Results {
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
        let summary = Summary::of(plan, store)?;
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

/// Runs what is not done yet; with `until`, with more seeds, until they are enough.
pub(super) fn run_cells(
    source: &Source,
    mut plan: Plan,
    store: &Store,
    way: &Way,
    until: Option<&Until>,
    stop: &AtomicBool,
) -> Result<(Plan, Progress), Failure> {
    let threads = threads(way.threads);
    let bar = Bar::new(way.results.quiet || way.results.json);
    loop {
        let progress = work::run(&plan, store, threads, stop, |done| bar.show(done));
        let progress = match progress {
            Ok(progress) => progress,
            Err(error) => {
                bar.end();
                return Err(error.into());
            }
        };
        let enough = match until {
            Some(until) if progress.done == progress.planned => until.is_reached(&plan, store)?,
            _ => true,
        };
        if enough {
            bar.end();
            return Ok((plan, progress));
        }
        let more = (plan.seeds.len() * 3 / 2 + 1).min(MOST_SEEDS);
        plan.seeds = (1..=more as u64).collect();
        store.plan_seeds(source, &plan)?;
    }
}

/// `--until` gives up here.
const MOST_SEEDS: usize = 1000;

/// How narrow the intervals of which metric are to be.
pub(super) struct Until {
    share: f64,
    metric: usize,
}

impl Until {
    fn parse(text: &str) -> Result<Until, Failure> {
        let (share, metric) = text.split_once(':').unwrap_or((text, "delay_mean"));
        let number = match share.strip_suffix('%') {
            Some(percent) => percent.trim().parse::<f64>().map(|percent| percent / 100.0),
            None => share.parse(),
        };
        let share = number.ok().filter(|share| *share > 0.0 && *share < 1.0);
        let share = share.ok_or_else(|| {
            Failure::Usage(format!(
                "--until {text}: allowed: a share above 0 and below 100%, as in 2% or 2%:goodput"
            ))
        })?;
        let metric = metrics::index_of(metric).ok_or_else(|| {
            let names = || metrics::METRICS.iter().map(|metric| metric.name);
            let all = names().collect::<Vec<_>>().join(", ");
            let nearest = earlydrop::registry::nearest(metric, names());
            let nearest = nearest.map(|nearest| format!("did you mean {nearest}? "));
            Failure::Usage(format!(
                "--until {text}: no metric is called {metric}; {}(known: {all})",
                nearest.unwrap_or_default()
            ))
        })?;
        Ok(Until { share, metric })
    }

    fn is_reached(&self, plan: &Plan, store: &Store) -> Result<bool, Failure> {
        let summary = Summary::of(plan, store)?;
        let narrow = summary.widest(self.metric) <= self.share;
        Ok(narrow || plan.seeds.len() >= MOST_SEEDS)
    }
}

/// Writes `report.html` into the run's folder, whole or not at all; answers its path.
pub(crate) fn write_report(
    plan: &Plan,
    store: &Store,
    summary: &Summary,
) -> Result<PathBuf, Failure> {
    let data = gather(plan, store, summary)?;
    let path = store.folder().join("report.html");
    write_whole(&path, &report::render(&data))?;
    Ok(path)
}

/// Writes a file, whole or not at all.
pub(crate) fn write_whole(path: &Path, text: &str) -> Result<(), Failure> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let new = path.with_file_name(format!(".{name}.new"));
    let written = fs::write(&new, text).and_then(|()| fs::rename(&new, path));
    written.map_err(|error| Failure::Doing(format!("{}: {error}", path.display())))
}
