//! The answer of `earlydrop tune`: a search of schemes' parameters, and its validation.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use earlydrop_lab::files::{check_folder, create_folder};
use earlydrop_lab::plan::{Plan, Source};
use earlydrop_lab::run::Progress;
use earlydrop_lab::store::{self, Store, StoreError};
use earlydrop_lab::summary::Summary;
use earlydrop_lab::tune::{
    self, Goal, Limit, Method, SearchParameter, SearchResult, Simulator, Threads, TuneError,
    TuneOptions, Validation,
};
use serde_json::{Value, json};

use crate::request::RequestError;
use crate::run_report::write_report;
use crate::tune_answer::TuneAnswer;

/// The folder for results, unless another is given.
const RUNS: &str = "runs";

/// The options of `earlydrop tune`.
#[derive(Clone, Debug)]
pub struct TuneRequest {
    /// The metric to minimise.
    pub minimise: Option<String>,
    /// The metric to maximise, where none is minimised.
    pub maximise: Option<String>,
    /// Constraints: "utilisation>=95%".
    pub subject_to: Vec<String>,
    /// The parameters to search: "min=2..40", "max_p"; empty for all numeric ones.
    pub over: Vec<String>,
    /// The effort for each scheme: as many runs as this number of settings takes with all seeds.
    pub budget: usize,
    /// The number of the scenario's seeds for each setting.
    pub seeds: usize,
    /// The number of threads.
    pub threads: usize,
    /// Where the validation's results go.
    pub place: ResultsPlace,
}

/// Where the results of a validation go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResultsPlace {
    /// Into memory, without a page.
    Memory,
    /// Into a folder named after the scenario, in `runs`.
    Runs,
    /// Into this folder.
    Folder(PathBuf),
}

/// What a search is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// It runs settings.
    Searching,
    /// It runs the best settings with fresh seeds.
    Validating,
}

/// A search that has ended: what is left is its validation.
#[derive(Clone, Debug)]
pub struct Search {
    /// The goal.
    pub goal: Goal,
    /// What was searched, by scheme.
    pub results: Vec<SearchResult>,
    /// The scenario of the validation: each scheme, and its best settings as `NAME tuned`.
    pub scenario: Source,
}

/// A search and its validation.
pub struct TuneReport {
    /// The search.
    pub search: Search,
    /// Original and best settings with fresh seeds, by scheme.
    pub validations: Vec<Validation>,
    /// The plan of the validation, with the fresh seeds.
    pub plan: Plan,
    /// What was found, in words and numbers.
    pub answer: TuneAnswer,
    /// The page of the validation, where its results are in a folder.
    pub page: Option<PathBuf>,
}

impl TuneRequest {
    /// The request with its texts read.
    pub fn options(&self) -> Result<TuneOptions, RequestError> {
        let refused =
            |error: &dyn Display, option: &str| RequestError::Option(format!("--{option} {error}"));
        let goal = match (&self.minimise, &self.maximise) {
            (Some(metric), _) => {
                Goal::new(metric, true).map_err(|error| refused(&error, "minimise"))
            }
            (None, Some(metric)) => {
                Goal::new(metric, false).map_err(|error| refused(&error, "maximise"))
            }
            (None, None) => Err(RequestError::Option(
                "give a metric with --minimise or --maximise".into(),
            )),
        };
        let mut goal = goal?;
        for limit in &self.subject_to {
            let limit = Limit::parse(limit).map_err(|error| refused(&error, "subject-to"))?;
            goal.limits.push(limit);
        }
        let over = self.over.iter().map(|text| text.parse::<SearchParameter>());
        let over: Result<Vec<SearchParameter>, _> = over.collect();
        Ok(TuneOptions {
            goal,
            parameters: over.map_err(|error| refused(&error, "over"))?,
            budget: self.budget,
            seeds: self.seeds,
            method: Method::Evolution,
            threads: self.threads,
        })
    }
}

impl TuneReport {
    /// The report of a search whose validation is in `store`; its page is written where the store
    /// is a folder.
    pub fn of(search: Search, plan: Plan, store: &Store) -> Result<TuneReport, RequestError> {
        let summary = Summary::of_store(&plan, store)?;
        let Search { goal, results, .. } = &search;
        let validations = tune::validate(goal, results, &plan, &summary.cells);
        let pairs = results.iter().zip(&validations).collect();
        let answer = TuneAnswer::of(goal, pairs, &search.scenario, &plan);
        answer.keep(store)?;
        let page = match store.is_in_memory() {
            true => None,
            false => Some(write_report(&plan, store, &summary)?),
        };
        Ok(TuneReport {
            search,
            validations,
            plan,
            answer,
            page,
        })
    }

    /// Whether a setting met every constraint with fresh seeds.
    pub fn meets_limits(&self) -> bool {
        self.validations.iter().any(Validation::keeps_limits)
    }

    /// The report as JSON; keys and their order are stable.
    pub fn json(&self) -> Value {
        let Search { goal, results, .. } = &self.search;
        let mut document = tune::json(goal, results, &self.validations);
        document["fresh_seeds"] = json!(self.answer.fresh_seeds);
        document["answer"] = json!(self.answer.sentence());
        let schemes = document["schemes"].as_array_mut();
        for scheme in schemes.into_iter().flatten() {
            let label = scheme["scheme"].as_str().unwrap_or_default();
            let mut found = self.answer.schemes.iter();
            let found = found.find(|found| found.label == label);
            scheme["line"] = json!(found.and_then(|found| found.line.clone()));
        }
        let page = self.page.as_ref();
        document["report"] = json!(page.map(|page| page.display().to_string()));
        document
    }
}

/// Searches the parameters of the scenario's schemes, then runs the best and the original settings
/// with fresh seeds, and writes the page. `progress` hears of runs.
pub fn tune(
    source: &Source,
    request: &TuneRequest,
    stop: &AtomicBool,
    mut progress: impl FnMut(Stage, Progress),
) -> Result<TuneReport, RequestError> {
    let question = question(&source.plan()?, request);
    check_place(source, request, &question)?;
    let search = search(source, request, &Threads(request.threads), stop, |done| {
        progress(Stage::Searching, done);
    })?;
    let plan = search.scenario.plan()?;
    let folder = folder(&search.scenario, &plan, &request.place);
    let store = match &folder {
        Some(folder) => Store::create(folder, &search.scenario, &plan)?,
        None => Store::in_memory(&search.scenario, &plan)?,
    };
    store.set_about(QUESTION, &question)?;
    store::run(&plan, &store, request.threads, stop, |ran| {
        progress(Stage::Validating, ran.progress);
    })?;
    let report = TuneReport::of(search, plan, &store)?;
    if stop.load(Ordering::Relaxed) {
        let text = "stopped during validation".to_string();
        return Err(RequestError::Stopped(text));
    }
    Ok(report)
}

/// The key of a validation's [question](question) in its database.
const QUESTION: &str = "tune_question";

/// All that decides what a search finds, as text: the scenario with its seeds, and the options.
fn question(plan: &Plan, request: &TuneRequest) -> String {
    json!({
        "scenario": plan.identity(), "scenario_seeds": plan.seeds,
        "minimise": request.minimise, "maximise": request.maximise,
        "subject_to": request.subject_to, "over": request.over,
        "budget": request.budget, "seeds": request.seeds,
    })
    .to_string()
}

/// Makes the folder for the validation's results. Refuses one with anything else than the results of
/// the same question: a search is not kept, and its results would be lost.
fn check_place(source: &Source, request: &TuneRequest, question: &str) -> Result<(), RequestError> {
    let folder = match &request.place {
        ResultsPlace::Memory => return Ok(()),
        ResultsPlace::Runs => return Ok(check_folder(Path::new(RUNS))?),
        ResultsPlace::Folder(folder) => folder,
    };
    if !Store::is_run_at(folder, &source.plan()?)? {
        return Ok(create_folder(folder)?);
    }
    match Store::open(folder)?.about(QUESTION)?.as_deref() == Some(question) {
        true => Ok(()),
        false => Err(StoreError::Another {
            path: folder.display().to_string(),
            what: "a run that is not of this search".to_string(),
        }
        .into()),
    }
}

/// What a search of the scenario's schemes will look through, a line for each parameter: "red: min 1
/// packets to 60 packets (log): one packet to the buffer".
pub fn searched(source: &Source, request: &TuneRequest) -> Result<Vec<String>, RequestError> {
    let spaces = tune::spaces(source, &request.options()?.parameters).map_err(refused)?;
    let lines = spaces.iter().flat_map(|(label, space)| {
        let lines = space.iter();
        lines.map(move |dimension| format!("{label}: {}", dimension.describe()))
    });
    Ok(lines.collect())
}

fn refused(error: TuneError) -> RequestError {
    match error {
        TuneError::Scenario(problems) => problems.into(),
        TuneError::Cell(problem) => RequestError::Run(problem.to_string()),
        TuneError::Simulator(_) => RequestError::Run(error.to_string()),
        TuneError::Space(error) => RequestError::Option(format!("--over {error}")),
        other => RequestError::Option(other.to_string()),
    }
}

/// Searches the parameters of the scenario's schemes, with candidates simulated by `simulator`.
/// `progress` hears of runs.
pub fn search(
    source: &Source,
    request: &TuneRequest,
    simulator: &dyn Simulator,
    stop: &AtomicBool,
    mut progress: impl FnMut(Progress),
) -> Result<Search, RequestError> {
    let options = request.options()?;
    let plan = source.plan()?;
    let runs = options.runs(&plan);
    let planned = plan.scenario().schemes.len() * runs;
    let mut labels: Vec<String> = Vec::new();
    let results = tune::tune_on(source, &options, simulator, stop, |result| {
        if labels.last() != Some(&result.label) {
            labels.push(result.label.clone());
        }
        progress(Progress {
            before: 0,
            done: (labels.len() - 1) * runs + result.runs.min(runs),
            planned,
        });
    });
    let results = results.map_err(refused)?;
    if stop.load(Ordering::Relaxed) {
        let text = "stopped: the search is not kept; the same command starts it again";
        return Err(RequestError::Stopped(text.to_string()));
    }
    Ok(Search {
        scenario: tune::validation_scenario(source, &options.goal, &results)?,
        goal: options.goal,
        results,
    })
}

/// The folder for the validation's results.
fn folder(scenario: &Source, plan: &Plan, place: &ResultsPlace) -> Option<PathBuf> {
    match place {
        ResultsPlace::Memory => None,
        ResultsPlace::Folder(folder) => Some(folder.clone()),
        ResultsPlace::Runs => {
            let source = Path::new(&scenario.name);
            let stem = source.file_stem().unwrap_or_default();
            let name = format!("tune-{}", stem.to_string_lossy());
            Some(Path::new(RUNS).join(plan.folder_name(&name)))
        }
    }
}
