//! Runs of scenarios: cells on several threads with the interpreter free, results as tables.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, UNIX_EPOCH};

use earlydrop_lab::baseline::{self, Comparison, headline_numbers};
use earlydrop_lab::files::Overwrite;
use earlydrop_lab::lengthening::{Length, length};
use earlydrop_lab::metrics::{self, Better, METRICS, Number};
use earlydrop_lab::plan::{Cell, Plan, Source};
use earlydrop_lab::run::Progress;
use earlydrop_lab::stopping::{Precision, StoppingRule};
use earlydrop_lab::store::{self, Report, RunError, Store, missing_cells, run_cells, run_until};
use earlydrop_lab::summary::Summary;
use earlydrop_report::notebook;
use earlydrop_report::run_report::{Data, gather, json, write_report_to};
use earlydrop_report::table::View;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::background::run_in_background;
use crate::errors::{run_error, scenario_error, value_error};
use crate::picture::Picture;
use crate::scenario::{Scenario, describe};
use crate::scheme::{INTERPRETER, SchemeClass, registry};
use crate::table::Table;

/// A scenario's run, complete or not, in memory or in a folder.
#[pyclass(frozen, module = "earlydrop._lib")]
pub(crate) struct Run {
    /// The scenario as it was given; its duration may be "auto".
    given: Source,
    /// The scenario with its duration.
    source: Mutex<Source>,
    plan: Mutex<Plan>,
    place: Place,
    /// Set while cells run, which hold the plan and the outcomes.
    is_running: AtomicBool,
}

/// Where outcomes are. A folder is open only while it is read or written: the command, or another
/// variable, may open it meanwhile.
enum Place {
    Memory(Mutex<Store>),
    Folder(PathBuf),
}

/// The progress of a run, and the cell that was saved with its values where somebody listens.
type Event = (Progress, Option<(Cell, Vec<Option<f64>>)>);

/// Python's functions that hear of a run.
struct Listener {
    labels: Vec<String>,
    progress: Option<Py<PyAny>>,
    saved: Option<Py<PyAny>>,
}

impl Listener {
    fn hear(&self, py: Python<'_>, events: Vec<Event>) -> PyResult<()> {
        let last = events.last().map(|(progress, _)| *progress);
        if let Some(saved) = &self.saved {
            for (cell, values) in events.into_iter().filter_map(|(_, saved)| saved) {
                let label = &self.labels[cell.scheme];
                saved.call1(py, (label, cell.point, cell.seed, values))?;
            }
        }
        if let (Some(progress), Some(reached)) = (&self.progress, last) {
            progress.call1(py, (reached.before, reached.done, reached.planned))?;
        }
        Ok(())
    }
}

/// Values that no panic leaves half changed.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Run {
    /// Runs what is missing; with a rule, adds seeds until it is met.
    fn run_missing(
        &self,
        rule: Option<&StoppingRule>,
        threads: usize,
        stop: &AtomicBool,
        report: impl FnMut(Report<'_>),
    ) -> Result<(Progress, Option<Precision>), RunError> {
        self.writes(|plan, store| {
            let Some(rule) = rule else {
                let reached = store::run(plan, store, threads, stop, report)?;
                return Ok((reached, None));
            };
            let begun = plan.clone();
            let ran = run_until(
                &lock(&self.source),
                begun,
                store,
                rule,
                threads,
                stop,
                report,
            )?;
            let (reached_plan, reached, precision) = ran;
            *plan = reached_plan;
            Ok((reached, Some(precision)))
        })
    }

    /// Runs what is missing, and with duration = "auto" longer ones until they are long enough.
    /// Returns the progress, what is known of a rule, and what is wrong with its duration.
    fn run_to_length(
        &self,
        rule: Option<&StoppingRule>,
        threads: usize,
        stop: &AtomicBool,
        mut report: impl FnMut(Report<'_>),
    ) -> Result<(Progress, Option<Precision>, Option<String>), RunError> {
        loop {
            let (progress, precision) = self.run_missing(rule, threads, stop, &mut report)?;
            if !self.given.is_auto() || progress.done < progress.planned {
                return Ok((progress, precision, None));
            }
            let reached = self.writes(|plan, store| {
                Ok(length(&self.given, plan, &Summary::of_store(plan, store)?)?)
            })?;
            let Length::Longer(longer, _) = reached else {
                let duration = lock(&self.plan).scenario().duration;
                return Ok((progress, precision, reached.doubt(duration)));
            };
            self.lengthen(*longer)?;
        }
    }

    /// Begins a longer run in the place of this one.
    fn lengthen(&self, longer: Source) -> Result<(), RunError> {
        let planned = longer.plan()?;
        let (mut source, mut plan) = (lock(&self.source), lock(&self.plan));
        match &self.place {
            Place::Memory(store) => lock(store).restart(&plan, (&longer, &planned))?,
            Place::Folder(folder) => {
                let store = Store::create(folder, &source, &plan)?;
                store.restart(&plan, (&longer, &planned))?;
            }
        }
        (*source, *plan) = (longer, planned);
        Ok(())
    }

    /// The plan; an error while cells run: waiting for them would block the interpreter.
    fn plan(&self) -> PyResult<MutexGuard<'_, Plan>> {
        if self.is_running.load(Ordering::Acquire) {
            return Err(run_error(
                "the run is in progress: read it when it has ended",
            ));
        }
        Ok(lock(&self.plan))
    }

    /// Reads the outcomes.
    pub(crate) fn reads<T>(&self, read: impl FnOnce(&Plan, &Store) -> PyResult<T>) -> PyResult<T> {
        let plan = self.plan()?;
        match &self.place {
            Place::Memory(store) => read(&plan, &lock(store)),
            Place::Folder(folder) => read(&plan, &Store::open(folder).map_err(run_error)?),
        }
    }

    /// Adds to the outcomes.
    pub(crate) fn writes<T>(
        &self,
        write: impl FnOnce(&mut Plan, &Store) -> Result<T, RunError>,
    ) -> Result<T, RunError> {
        let mut plan = lock(&self.plan);
        match &self.place {
            Place::Memory(store) => write(&mut plan, &lock(store)),
            Place::Folder(folder) => {
                let store = Store::create(folder, &lock(&self.source), &plan)?;
                write(&mut plan, &store)
            }
        }
    }

    /// Reads the summary of the outcomes.
    fn summarises<T>(
        &self,
        read: impl FnOnce(&Plan, &Store, &Summary) -> PyResult<T>,
    ) -> PyResult<T> {
        self.reads(|plan, store| {
            let summary = Summary::of_store(plan, store).map_err(run_error)?;
            read(plan, store, &summary)
        })
    }
}

/// The data of a run's pictures.
fn data(plan: &Plan, store: &Store, summary: &Summary) -> PyResult<Data> {
    gather(plan, store, summary, &View::default()).map_err(run_error)
}

/// All schemes compared with the one with this label.
fn compared(
    plan: &Plan,
    summary: &Summary,
    baseline: &str,
    metrics: Option<Vec<Number>>,
) -> PyResult<Comparison> {
    let index = baseline::find(plan, baseline).map_err(value_error)?;
    let numbers = metrics.unwrap_or_else(|| headline_numbers(plan));
    Ok(Comparison::of(plan, summary, index, numbers))
}

fn view(
    plan: &Plan,
    summary: &Summary,
    metrics: Option<Vec<Number>>,
    baseline: Option<&str>,
) -> PyResult<View> {
    let comparison = baseline.map(|label| compared(plan, summary, label, metrics.clone()));
    Ok(View {
        metrics,
        comparison: comparison.transpose()?,
    })
}

/// The numbers of a list of names: "loss,call.end_to_end_p99".
fn chosen(plan: &Plan, metrics: Option<&str>) -> PyResult<Option<Vec<Number>>> {
    let numbers = metrics.map(|list| plan.numbers(list));
    numbers.transpose().map_err(value_error)
}

/// A metric: its name, its heading, its unit in tables, which values are better, and its meaning.
type MetricFacts = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
);

/// Every metric, in the order of a run's values.
#[pyfunction(name = "metrics")]
pub(crate) fn all_metrics() -> Vec<MetricFacts> {
    let facts = |metric: &metrics::Metric| {
        let better = match metric.better {
            Better::Less => "less",
            Better::More => "more",
            Better::Neither => "",
        };
        let unit = metric.base_unit();
        (metric.name, metric.title, unit, better, metric.meaning)
    };
    METRICS.iter().map(facts).collect()
}

#[pymethods]
impl Run {
    /// The run of a scenario: in `folder`, where an earlier one continues, or in memory.
    #[new]
    #[pyo3(signature = (scenario, folder=None))]
    fn new(scenario: &Scenario, folder: Option<PathBuf>) -> PyResult<Run> {
        let (given, plan) = (scenario.source.clone(), scenario.plan()?.clone());
        let (place, source, plan) = match folder {
            Some(folder) => {
                // Refuses a folder with something else.
                let created = Store::create_auto(&folder, &given, plan);
                let (_, source, plan) = created.map_err(run_error)?;
                (Place::Folder(folder), source, plan)
            }
            None => {
                let lengths = given.lengths().map_err(scenario_error)?;
                let source = lengths.into_iter().next().unwrap_or_else(|| given.clone());
                let store = Store::in_memory(&source, &plan).map_err(run_error)?;
                (Place::Memory(Mutex::new(store)), source, plan)
            }
        };
        Ok(Run {
            given,
            source: Mutex::new(source),
            plan: Mutex::new(plan),
            place,
            is_running: AtomicBool::new(false),
        })
    }

    /// The run in a folder; its scenario may name the built-in schemes and `own`.
    #[staticmethod]
    #[pyo3(signature = (folder, own=Vec::new()))]
    fn open(folder: PathBuf, own: Vec<PyRef<'_, SchemeClass>>) -> PyResult<Run> {
        let store = Store::open(&folder).map_err(run_error)?;
        let source = store.source_with(registry(&own)).map_err(run_error)?;
        let source = source.with_thread_scope(INTERPRETER);
        let hosts = store.hosts().map_err(run_error)?;
        let plan = source.plan().map_err(scenario_error)?.on(hosts);
        Ok(Run {
            given: source.clone(),
            source: Mutex::new(source),
            plan: Mutex::new(plan),
            place: Place::Folder(folder),
            is_running: AtomicBool::new(false),
        })
    }

    /// Runs the cells that are missing, on this many threads; with `until`, more seeds until the
    /// intervals are that narrow. `progress` is called with the runs done before, those done and
    /// those planned; `saved` with scheme, point, seed and values of each run. Returns the runs
    /// done and planned, the widest interval where `until` was not reached, and what is wrong with
    /// an automatic duration.
    #[pyo3(signature = (threads, until=None, progress=None, saved=None))]
    fn execute(
        &self,
        py: Python<'_>,
        threads: usize,
        until: Option<&str>,
        progress: Option<Py<PyAny>>,
        saved: Option<Py<PyAny>>,
    ) -> PyResult<(usize, usize, Option<f64>, Option<String>)> {
        let rule = until.map(|text| text.parse::<StoppingRule>().map_err(value_error));
        let rule = rule.transpose()?;
        let has_listener = saved.is_some();
        let work = |stop: &AtomicBool, sender: Sender<Event>| {
            let report = |report: Report<'_>| {
                let saved = report.saved.filter(|_| has_listener);
                let saved = saved.map(|(cell, outcome)| (cell, outcome.values.clone()));
                // The receiver stays until this thread has ended.
                let _ = sender.send((report.progress, saved));
            };
            self.run_to_length(rule.as_ref(), threads, stop, report)
        };
        let labels = self
            .plan()?
            .labels()
            .into_iter()
            .map(String::from)
            .collect();
        let listener = Listener {
            labels,
            progress,
            saved,
        };
        self.is_running.store(true, Ordering::Release);
        let hear = |py: Python<'_>, events| listener.hear(py, events);
        let ran = run_in_background(py, work, hear, |error: RunError| run_error(error));
        self.is_running.store(false, Ordering::Release);
        let (reached, precision, doubt) = ran?;
        let widest = match precision {
            Some(Precision::NotReached(widest)) => Some(widest),
            Some(Precision::NotMeasured) => {
                return Err(value_error(format!(
                    "until={}: this scenario does not measure that metric, so no number of \
                     seeds decides it",
                    until.unwrap_or_default()
                )));
            }
            Some(Precision::Reached) | None => None,
        };
        Ok((reached.done, reached.planned, widest, doubt))
    }

    /// Whether it is made longer until it is long enough.
    fn is_auto(&self) -> bool {
        self.given.is_auto()
    }

    /// The numbers of the cells that are missing.
    fn missing(&self) -> PyResult<Vec<usize>> {
        self.reads(|plan, store| {
            let (cells, _) = missing_cells(plan, store).map_err(run_error)?;
            Ok(cells.into_iter().map(|cell| plan.number(cell)).collect())
        })
    }

    /// Runs these cells in memory on one thread, and returns them for
    /// [`add_cells`](Run::add_cells) of the run that has them all.
    #[staticmethod]
    fn run_cells<'py>(
        py: Python<'py>,
        scenario: &Scenario,
        cells: Vec<usize>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let plan = scenario.plan()?;
        let cells = cells
            .iter()
            .filter_map(|number| plan.cell(*number))
            .collect::<Vec<Cell>>();
        let work = |stop: &AtomicBool, _: Sender<Event>| {
            let mut store = Store::for_cells(plan)?;
            let progress = Progress::of(cells.len());
            run_cells(plan, &store, (cells, progress), 1, stop, |_| {})?;
            Ok(store.to_bytes()?)
        };
        let bytes = run_in_background(py, work, |_, _| Ok(()), |error: RunError| run_error(error))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// All cells in memory, for [`add_cells`](Run::add_cells) of a copy; `None` in a folder.
    fn cells<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let _plan = self.plan()?;
        let Place::Memory(store) = &self.place else {
            return Ok(None);
        };
        let bytes = lock(store).to_bytes().map_err(run_error)?;
        Ok(Some(PyBytes::new(py, &bytes)))
    }

    /// Adds cells that another process has run; returns their number.
    fn add_cells(&self, bytes: &[u8]) -> PyResult<usize> {
        let added = self.writes(|_, store| Ok(store.add_cells(bytes)?));
        added.map_err(run_error)
    }

    /// What was run, with the seeds reached.
    fn scenario(&self) -> Scenario {
        let seeds = lock(&self.plan).seeds.len();
        Scenario::new(lock(&self.source).clone().with_least_seeds(seeds))
    }

    /// The names of the metrics, in the order of a run's values.
    fn metrics(&self) -> Vec<&'static str> {
        METRICS.iter().map(|metric| metric.name).collect()
    }

    /// What the scenario is, with the seeds reached.
    fn describe<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        describe(py, &*self.plan()?)
    }

    /// The run's folder; `None` in memory.
    #[getter]
    fn folder(&self) -> Option<PathBuf> {
        match &self.place {
            Place::Memory(_) => None,
            Place::Folder(folder) => Some(folder.clone()),
        }
    }

    /// The names of the tables.
    fn table_names(&self) -> PyResult<Vec<&'static str>> {
        self.reads(|_, store| store.table_names().map_err(run_error))
    }

    /// A table by its name; `None` where the run has none of this name.
    fn table(&self, py: Python<'_>, name: &str) -> PyResult<Option<Table>> {
        let read = || self.reads(|_, store| store.columns_of(name).map_err(run_error));
        py.detach(read)?.map(Table::new).transpose()
    }

    /// The means of these metrics, of all by default.
    #[pyo3(signature = (metrics=None))]
    fn summary(&self, metrics: Option<&str>) -> PyResult<Table> {
        let all = || (0..METRICS.len()).collect();
        let metrics = metrics.map(metrics::parse_list).transpose();
        let metrics = metrics.map_err(value_error)?.unwrap_or_else(all);
        self.summarises(|plan, store, summary| {
            let columns = store.summary_columns(plan, summary, &metrics);
            Table::with_flags(columns.map_err(run_error)?, &["at_least"])
        })
    }

    /// The differences of all schemes from the baseline in these metrics; by default what each group
    /// of flows feels, and the headline metrics.
    #[pyo3(signature = (baseline, metrics=None))]
    fn differences(&self, baseline: &str, metrics: Option<&str>) -> PyResult<Table> {
        self.summarises(|plan, store, summary| {
            let comparison = compared(plan, summary, baseline, chosen(plan, metrics)?)?;
            let columns = store.difference_columns(plan, &comparison);
            Table::with_flags(columns.map_err(run_error)?, &["significant"])
        })
    }

    /// The JSON document of `earlydrop run --json`.
    #[pyo3(signature = (metrics=None, baseline=None))]
    fn json(&self, metrics: Option<&str>, baseline: Option<&str>) -> PyResult<String> {
        self.summarises(|plan, store, summary| {
            let view = view(plan, summary, chosen(plan, metrics)?, baseline)?;
            let page = store.folder().join("report.html");
            let document = json(plan, store, summary, &page, &view);
            Ok(document.map_err(run_error)?.to_string())
        })
    }

    /// A picture as JSON, for matplotlib to draw.
    fn plot(&self, wanted: Picture) -> PyResult<String> {
        self.summarises(|plan, store, summary| wanted.json(&data(plan, store, summary)?))
    }

    /// A picture as an SVG file, as `earlydrop figure` writes it.
    fn svg(&self, wanted: Picture) -> PyResult<String> {
        self.summarises(|plan, store, summary| wanted.svg(&data(plan, store, summary)?))
    }

    /// The data files of flent, each as its name and its content. `begun` is when the runs are
    /// said to have begun, in microseconds since the epoch.
    fn flent<'py>(
        &self,
        py: Python<'py>,
        begun: u64,
    ) -> PyResult<Vec<(String, Bound<'py, PyBytes>)>> {
        let begun = UNIX_EPOCH + Duration::from_micros(begun);
        let files =
            self.reads(|plan, store| store::flent_files(plan, store, begun).map_err(run_error))?;
        let named = files.into_iter().map(|file| {
            let content = PyBytes::new(py, &file.to_bytes());
            (file.name, content)
        });
        Ok(named.collect())
    }

    /// The text that the command prints, in lines of at most `width` columns.
    fn text(&self, width: usize) -> PyResult<String> {
        self.summarises(|plan, _, summary| {
            let view = View::default();
            Ok(earlydrop_cli::summary_text(plan, summary, &view, width))
        })
    }

    /// What a notebook shows.
    fn html(&self) -> PyResult<String> {
        self.summarises(|plan, store, summary| {
            notebook::result(plan, store, summary).map_err(run_error)
        })
    }

    /// Writes the report page to a file.
    #[pyo3(signature = (path, baseline=None))]
    fn report(&self, path: PathBuf, baseline: Option<&str>) -> PyResult<()> {
        self.summarises(|plan, store, summary| {
            let view = view(plan, summary, None, baseline)?;
            let written = write_report_to(&path, Overwrite::Own, plan, store, summary, &view);
            written.map_err(run_error)
        })
    }

    /// Keeps the run in a folder, as the command does, and returns the run there.
    fn keep_in(&self, folder: PathBuf) -> PyResult<Run> {
        self.reads(|plan, store| {
            let kept = store.keep_in(&folder, &lock(&self.source), plan);
            kept.map_err(run_error)?;
            Ok(Run {
                given: self.given.clone(),
                source: Mutex::new(lock(&self.source).clone()),
                plan: Mutex::new(plan.clone()),
                place: Place::Folder(folder),
                is_running: AtomicBool::new(false),
            })
        })
    }
}
