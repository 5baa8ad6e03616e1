//! Searches of schemes' parameters: candidates run on threads, or where a function of Python sends
//! them.

use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Sender, channel};

use earlydrop_lab::plan::{Cell, Plan, Source};
use earlydrop_lab::run::{Progress, on_threads};
use earlydrop_lab::tune::{
    CandidateSpec, CellValues, ParameterValues, Simulator, Threads, TuneError,
};
use earlydrop_report::tuning::{self, ResultsPlace, TuneReport, TuneRequest};
use pyo3::prelude::*;

use crate::background::{run_in_background, run_in_background_with_questions};
use crate::errors::{run_error, value_error};
use crate::model::{OnProgress, with_scenario};
use crate::run::Run;
use crate::scenario::Scenario;

/// A search that has ended; a run of its scenario validates it.
#[pyclass(frozen, module = "earlydrop._lib")]
pub(crate) struct Search {
    native: tuning::Search,
}

#[pymethods]
impl Search {
    /// The scenario of the validation: each scheme, and its best settings as `NAME tuned`.
    fn scenario(&self) -> Scenario {
        Scenario::new(self.native.scenario.clone())
    }

    /// The answer of `earlydrop tune` as JSON, with the labels and specs of the validation, from the
    /// complete run of the scenario. In a folder, its page is written.
    fn report(&self, run: &Run) -> PyResult<(String, Vec<(String, String)>)> {
        // The report keeps what was found beside the outcomes.
        let report = run.writes(|plan, store| {
            let search = self.native.clone();
            Ok(TuneReport::of(search, plan.clone(), store))
        });
        let report = report.map_err(run_error)?.map_err(with_scenario)?;
        let schemes = report.plan.scenario().schemes.iter();
        let specs = schemes.map(|scheme| (scheme.label.clone(), scheme.spec.to_string()));
        Ok((report.json().to_string(), specs.collect()))
    }
}

/// What a search says on its way.
enum Event {
    Progress(Progress),
    /// These candidates are to be simulated; the search waits for the metrics of their cells.
    Simulate(Batch, Sender<Vec<Vec<CellValues>>>),
}

/// Candidates with the number of their cells.
type Batch = Vec<(CandidateSpec, usize)>;

/// Leaves the work to the thread that attends the search.
struct Attendant(Sender<Event>);

impl Simulator for Attendant {
    fn simulate(
        &self,
        candidates: &[(CandidateSpec, Plan)],
        _stop: &AtomicBool,
    ) -> Result<Vec<Vec<CellValues>>, TuneError> {
        let counted = |(spec, plan): &(CandidateSpec, Plan)| (spec.clone(), plan.cell_count());
        let batch = candidates.iter().map(counted).collect();
        let (sender, receiver) = channel();
        // The receiver stays until this thread has ended.
        let _ = self.0.send(Event::Simulate(batch, sender));
        let stopped = |_| TuneError::Simulator("the search was stopped".to_string());
        receiver.recv().map_err(stopped)
    }
}

/// Searches the parameters of a scenario's schemes. `efforts` are the budget, the seeds and the
/// threads. `simulate`, where given, runs candidates instead of threads: it gets the scheme's label,
/// the seeds, and for each candidate its parameters and its number of cells, and returns the
/// metrics of each cell of each candidate.
#[pyfunction]
#[pyo3(signature = (scenario, goal, subject_to, over, efforts, simulate=None, progress=None))]
#[allow(clippy::too_many_arguments, reason = "one for each of Python's")]
pub(crate) fn search(
    py: Python<'_>,
    scenario: &Scenario,
    goal: (bool, String),
    subject_to: Vec<String>,
    over: Vec<String>,
    efforts: (usize, usize, usize),
    simulate: Option<Py<PyAny>>,
    progress: OnProgress,
) -> PyResult<Search> {
    let (minimises, metric) = goal;
    let (budget, seeds, threads) = efforts;
    let request = TuneRequest {
        minimise: minimises.then(|| metric.clone()),
        maximise: (!minimises).then_some(metric),
        subject_to,
        over,
        budget,
        seeds,
        threads,
        place: ResultsPlace::Memory,
    };
    let (source, is_elsewhere) = (&scenario.source, simulate.is_some());
    let work = |stop: &AtomicBool, sender: Sender<Event>| {
        let attendant = Attendant(sender.clone());
        let simulator: &dyn Simulator = if is_elsewhere {
            &attendant
        } else {
            &Threads(threads)
        };
        tuning::search(source, &request, simulator, stop, |done| {
            let _ = sender.send(Event::Progress(done));
        })
    };
    let listener = |py: Python<'_>, events: Vec<Event>| {
        let mut reached = None;
        for event in events {
            match (event, &simulate) {
                (Event::Progress(done), _) => reached = Some(done),
                (Event::Simulate(batch, reply), Some(simulate)) => {
                    let _ = reply.send(simulated(py, simulate, &batch)?);
                }
                (Event::Simulate(..), None) => {}
            }
        }
        if let (Some(progress), Some(reached)) = (&progress, reached) {
            progress.call1(py, (reached.before, reached.done, reached.planned))?;
        }
        Ok(())
    };
    let is_question = |event: &Event| matches!(event, Event::Simulate(..));
    let native = run_in_background_with_questions(py, work, is_question, listener, with_scenario)?;
    Ok(Search { native })
}

/// The metrics of a batch's cells, as Python's function returns them.
fn simulated(
    py: Python<'_>,
    simulate: &Py<PyAny>,
    batch: &[(CandidateSpec, usize)],
) -> PyResult<Vec<Vec<CellValues>>> {
    let Some((first, _)) = batch.first() else {
        return Ok(Vec::new());
    };
    let candidates = batch.iter().map(|(spec, cells)| (&spec.settings, *cells));
    let candidates: Vec<(&ParameterValues, usize)> = candidates.collect();
    let answer = simulate.call1(py, (&first.label, &first.seeds, candidates))?;
    let values: Vec<Vec<CellValues>> = answer.extract(py)?;
    let are_complete = values.len() == batch.len()
        && (values.iter().zip(batch)).all(|(values, (_, cells))| values.len() == *cells);
    match are_complete {
        true => Ok(values),
        false => Err(value_error("the metrics of other cells were returned")),
    }
}

/// Runs cells of candidates of a scheme on one thread, and returns the metrics of each.
/// `candidates` are parameters with the numbers of the cells.
#[pyfunction]
pub(crate) fn run_candidates(
    py: Python<'_>,
    scenario: &Scenario,
    label: &str,
    seeds: Vec<u64>,
    candidates: Vec<(ParameterValues, Vec<usize>)>,
) -> PyResult<Vec<CellValues>> {
    let source = &scenario.source;
    let work = |stop: &AtomicBool, _: Sender<()>| {
        let mut values = Vec::new();
        for (settings, cells) in candidates {
            let spec = CandidateSpec {
                label: label.to_string(),
                settings,
                seeds: seeds.clone(),
            };
            values.extend(values_of(source, &spec, &cells, stop)?);
        }
        Ok(values)
    };
    run_in_background(py, work, |_, _| Ok(()), |error: TuneError| run_error(error))
}

/// The metrics of these cells of a candidate.
fn values_of(
    source: &Source,
    spec: &CandidateSpec,
    cells: &[usize],
    stop: &AtomicBool,
) -> Result<Vec<CellValues>, TuneError> {
    let refused = || TuneError::Simulator(format!("{} refuses its parameters", spec.label));
    let plan = spec.plan(source).ok_or_else(refused)?;
    let cells = cells.iter().filter_map(|number| plan.cell(*number));
    let jobs: Vec<(&Plan, Cell)> = cells.map(|cell| (&plan, cell)).collect();
    let mut values = vec![CellValues::new(); jobs.len()];
    on_threads(&jobs, 1, stop, |job, outcome| {
        values[job] = outcome.values;
        Ok::<(), TuneError>(())
    })?;
    Ok(values)
}
