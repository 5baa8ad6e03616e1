//! The answers of `configure`, `explain`, `translate`, `queue`, `reproduce` and `schemes` as the
//! command's JSON, which `earlydrop/configuring.py` and its neighbours read.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;

use earlydrop::registry::Spec;
use earlydrop_lab::document::suggestion;
use earlydrop_lab::run::Progress;
use earlydrop_model::queue::{Acceptance, Solver};
use earlydrop_papers::Error as PapersError;
use earlydrop_papers::catalogue::{Catalogue, Pace};
use earlydrop_papers::falsification::Trial;
use earlydrop_papers::reproduce::{self, Event, RunOptions};
use earlydrop_report::batch_queue::{self, QueueOptions};
use earlydrop_report::configuration::{self, ConfigureOptions};
use earlydrop_report::explanation::{self, ExplainOptions};
use earlydrop_report::request::{LoadOptions, RequestError, ToolText};
use earlydrop_report::scheme_list;
use earlydrop_report::translation::{self, TranslateOptions};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

use crate::background::run_in_background;
use crate::errors::{as_keywords, run_error, scenario_error, value_error};
use crate::scenario::Scenario;
use crate::units::needs_units;

/// Options by their names; those that are not given are not in it.
type Options = BTreeMap<String, String>;

/// Python's function of the runs done before, those done and those planned.
pub(crate) type OnProgress = Option<Py<PyAny>>;

/// The exception of a request; its options are named as keyword arguments.
fn request_error(error: RequestError) -> PyErr {
    match error {
        RequestError::Input(mut problems) => {
            for problem in &mut problems.list {
                problem.help = as_keywords(&problem.help);
            }
            value_error(problems)
        }
        RequestError::Option(text) => value_error(as_keywords(&text)),
        RequestError::Stopped(text) => PyKeyboardInterrupt::new_err(text),
        other => run_error(other),
    }
}

/// [`request_error`] where the input is a scenario.
pub(crate) fn with_scenario(error: RequestError) -> PyErr {
    match error {
        RequestError::Input(problems) => scenario_error(problems),
        other => request_error(other),
    }
}

fn load_options(mut options: Options) -> LoadOptions {
    LoadOptions {
        link: options.remove("link"),
        rtt: options.remove("rtt"),
        flows: options.remove("flows"),
        packet: options.remove("packet"),
        tcp: options.remove("tcp"),
        ecn: options.remove("ecn"),
        class: options.remove("class"),
        profile: options.remove("profile"),
        queue: options.remove("queue"),
        buffer: options.remove("buffer"),
    }
}

fn configure_options(mut given: Options) -> ConfigureOptions {
    let mut take = |name: &str| given.remove(name);
    let usual = ConfigureOptions::new(
        &take("link").unwrap_or_default(),
        &take("rtt").unwrap_or_default(),
        &take("flows").unwrap_or_default(),
    );
    ConfigureOptions {
        scheme: take("scheme").unwrap_or(usual.scheme),
        goal: take("goal"),
        packet: take("packet").unwrap_or(usual.packet),
        buffer: take("buffer"),
        tcp: take("tcp").unwrap_or(usual.tcp),
        ecn: take("ecn"),
        method: take("method"),
        loss: take("loss"),
        windows: take("windows"),
        timeout: take("timeout"),
        patience: take("patience").unwrap_or(usual.patience),
        ..usual
    }
}

/// The answer of `earlydrop configure` as JSON, and as a page.
#[pyfunction]
pub(crate) fn configure(
    py: Python<'_>,
    options: Options,
    simulate: bool,
    seeds: u64,
    threads: usize,
) -> PyResult<(String, String)> {
    let options = ConfigureOptions {
        is_simulated: simulate,
        seeds,
        threads,
        ..configure_options(options)
    };
    if let Ok(spec) = options.scheme.parse::<Spec>() {
        needs_units(&spec)?;
    }
    let work =
        |stop: &AtomicBool, _: Sender<()>| configuration::answer(&options, stop, &mut |_| {});
    let report = run_in_background(py, work, |_, _| Ok(()), request_error)?;
    Ok((
        configuration::json(&report).to_string(),
        configuration::page(&report),
    ))
}

/// The answer of `earlydrop explain`, with `--fix` where wanted, as JSON.
#[pyfunction]
#[pyo3(signature = (configuration, tool, fix, load))]
pub(crate) fn explain(
    configuration: &str,
    tool: Option<String>,
    fix: bool,
    load: Options,
) -> PyResult<String> {
    let options = ExplainOptions {
        configuration: ToolText::of(configuration).map_err(request_error)?,
        tool,
        fix,
        load: load_options(load),
    };
    let report = explanation::explain(&options, &AtomicBool::new(false), &mut |_| {});
    let report = report.map_err(request_error)?;
    Ok(explanation::json(&report).to_string())
}

/// The scheme that simulates a `tc qdisc` line other than red's.
#[pyfunction]
pub(crate) fn scheme_of_qdisc(line: &str) -> PyResult<String> {
    let scheme = ToolText::of(line).and_then(|given| given.scheme_of_qdisc());
    scheme.map_err(request_error)
}

/// The answer of `earlydrop translate` as JSON.
#[pyfunction]
#[pyo3(signature = (configuration, tool, to, load))]
pub(crate) fn translate(
    configuration: &str,
    tool: Option<String>,
    to: String,
    load: Options,
) -> PyResult<String> {
    let options = TranslateOptions {
        configuration: ToolText::of(configuration).map_err(request_error)?,
        from: tool,
        to,
        load: load_options(load),
    };
    let report = translation::translate(&options).map_err(request_error)?;
    let document = translation::json(&report).map_err(request_error)?;
    Ok(document.to_string())
}

/// The answer of `earlydrop translate --to linux` for a scheme other than RED, as JSON; `None` for
/// RED.
#[pyfunction]
#[pyo3(signature = (scheme, load))]
pub(crate) fn tc_of_scheme(scheme: &str, load: Options) -> PyResult<Option<String>> {
    let options = TranslateOptions {
        configuration: ToolText::of(scheme).map_err(request_error)?,
        from: Some("earlydrop".to_string()),
        to: "linux".to_string(),
        load: load_options(load),
    };
    let translated = translation::translate_scheme(&options).map_err(request_error)?;
    Ok(translated.map(|scheme| translation::scheme_json(&scheme).to_string()))
}

/// The answer of `earlydrop queue` as JSON; `at` are the numbers of packets whose probabilities are
/// wanted.
#[pyfunction]
#[pyo3(signature = (options, at))]
pub(crate) fn queue(py: Python<'_>, mut options: Options, at: Vec<u64>) -> PyResult<String> {
    let mut take = |name: &str, usual: &str| options.remove(name).unwrap_or(usual.to_string());
    let rejects = [
        ("partial", Acceptance::Partial),
        ("whole", Acceptance::Whole),
    ];
    let methods = [("exact", Solver::Exact), ("paper", Solver::DominantRoot)];
    let reject = one_of("reject", &take("reject", "partial"), &rejects)?;
    let method = one_of("method", &take("method", "exact"), &methods)?;
    let options = QueueOptions {
        mu: take("mu", "1"),
        batch: take("batch", "fixed:1"),
        buffer: take("buffer", ""),
        lambda: options.remove("lambda"),
        rho: options.remove("rho"),
        reject,
        method,
        at,
    };
    let report = py.detach(|| batch_queue::solve(&options));
    Ok(batch_queue::json(&report.map_err(request_error)?).to_string())
}

/// The value of a keyword argument that is one of a few words.
fn one_of<T: Copy>(keyword: &str, given: &str, allowed: &[(&str, T)]) -> PyResult<T> {
    let found = allowed.iter().find(|(word, _)| *word == given);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let words: Vec<&str> = allowed.iter().map(|(word, _)| *word).collect();
        let hint = suggestion(given, &words, '"');
        value_error(format!("{keyword}=\"{given}\": {hint}"))
    })
}

/// The answer of `earlydrop schemes` as JSON: one scheme, or all, on a link of this rate.
#[pyfunction]
#[pyo3(signature = (named, link))]
pub(crate) fn schemes(named: Option<&str>, link: &str) -> PyResult<String> {
    if let Some(Ok(spec)) = named.map(str::parse::<Spec>) {
        needs_units(&spec)?;
    }
    let described = scheme_list::schemes(named, link).map_err(request_error)?;
    serde_json::to_string(&described).map_err(run_error)
}

/// The runs that `reproduce` completes: their names, scenarios and folders.
#[pyfunction]
#[pyo3(signature = (what, full, universes, folder))]
pub(crate) fn planned_runs(
    what: &str,
    full: bool,
    universes: Option<usize>,
    folder: PathBuf,
) -> PyResult<Vec<(String, Scenario, PathBuf)>> {
    let planned = || {
        let catalogue = Catalogue::read()?;
        let selection = catalogue.select(what)?;
        let stop = AtomicBool::new(false);
        let options = run_options(full, universes, 1, &folder, &stop);
        reproduce::planned(&catalogue, &selection, &options)
    };
    let planned = planned().map_err(papers_error)?.into_iter();
    let named = |one: reproduce::PlannedRun| (one.name, Scenario::new(one.source), one.folder);
    Ok(planned.map(named).collect())
}

/// Runs the experiments of a paper or a claim, and returns the answer of `earlydrop reproduce` as
/// JSON. `progress` hears of each experiment by its name.
#[pyfunction]
#[pyo3(name = "reproduce", signature = (what, full, universes, threads, folder, progress=None))]
pub(crate) fn reproduce_claims(
    py: Python<'_>,
    what: &str,
    full: bool,
    universes: Option<usize>,
    threads: usize,
    folder: PathBuf,
    progress: OnProgress,
) -> PyResult<String> {
    let work = |stop: &AtomicBool, sender: Sender<(String, Progress)>| {
        let catalogue = Catalogue::read()?;
        let selection = catalogue.select(what)?;
        let options = run_options(full, universes, threads, &folder, stop);
        let ran = reproduce::run(&catalogue, &selection, &options, reporting(sender))?;
        // Claims without their runs are not results.
        let is_stopped = stop.load(Ordering::Relaxed);
        let claims = if is_stopped { Vec::new() } else { ran.json() };
        Ok::<String, PapersError>(serde_json::Value::from(claims).to_string())
    };
    run_in_background(py, work, experiments(progress), papers_error)
}

/// Runs a scheme that is wrong on purpose in place of the one that each claim is about, and returns
/// the answer of `earlydrop reproduce --wrong` as JSON. `progress` hears of each experiment by its
/// name.
#[pyfunction]
#[pyo3(signature = (what, full, threads, folder, progress=None))]
pub(crate) fn falsify(
    py: Python<'_>,
    what: &str,
    full: bool,
    threads: usize,
    folder: PathBuf,
    progress: OnProgress,
) -> PyResult<String> {
    let work = |stop: &AtomicBool, sender: Sender<(String, Progress)>| {
        let catalogue = Catalogue::read()?;
        let selection = catalogue.select(what)?;
        let options = run_options(full, None, threads, &folder, stop);
        let trials = reproduce::try_claims(&selection, &options, reporting(sender))?;
        // Claims without their runs are not results.
        let is_stopped = stop.load(Ordering::Relaxed);
        let shown = trials.iter().filter(|_| !is_stopped);
        let shown: Vec<serde_json::Value> = shown.map(Trial::json).collect();
        Ok::<String, PapersError>(serde_json::Value::from(shown).to_string())
    };
    run_in_background(py, work, experiments(progress), papers_error)
}

/// Sends the progress of each experiment with its name.
fn reporting(sender: Sender<(String, Progress)>) -> impl FnMut(Event<'_>) {
    let mut name = String::new();
    move |event| match event {
        Event::Begin { paper, experiment } => name = format!("{paper} {experiment}"),
        Event::Progress(reached) => {
            // The receiver stays until this thread has ended.
            let _ = sender.send((name.clone(), reached));
        }
        _ => {}
    }
}

/// Calls Python's function with the progress of the last experiment.
fn experiments(
    progress: OnProgress,
) -> impl FnMut(Python<'_>, Vec<(String, Progress)>) -> PyResult<()> {
    move |py, events| {
        if let (Some(progress), Some((name, reached))) = (&progress, events.last()) {
            progress.call1(py, (name, reached.before, reached.done, reached.planned))?;
        }
        Ok(())
    }
}

fn run_options<'a>(
    full: bool,
    universes: Option<usize>,
    threads: usize,
    folder: &'a Path,
    stop: &'a AtomicBool,
) -> RunOptions<'a> {
    RunOptions {
        pace: if full { Pace::Full } else { Pace::Quick },
        out: folder,
        threads,
        stop,
        universes,
    }
}

fn papers_error(error: PapersError) -> PyErr {
    match error {
        PapersError::UnknownName(name) => value_error(name),
        other => run_error(other),
    }
}
