//! Invariants of scenarios for arbitrary text, checked by tests with mangled files and by the
//! fuzzers in `fuzz/`.

mod valid;

pub use valid::{Tried, scenario_of, valid_scenario};

use std::collections::BTreeMap;

use earlydrop::units::Nanos;
use earlydrop_sim::{Run, Simulation};

use crate::document::{Place, Problems};
use crate::plan::{Cell, Plan, Source, TraceFiles};
use crate::scenario::PreparedRun;

/// Points of a sweep, and flows of a run, up to which a text is followed further: reading more
/// of them takes long and finds nothing else.
const MOST: usize = 200;

/// Events of a run that are simulated.
const EVENTS: u64 = 2000;

/// A line that begins with this is an argument of the command line: `#--set network.rtt=1s`.
const SET: &str = "#--set ";

/// A text is refused with problems whose places are within it, or planned. Then its first cell
/// runs, and the scenario as run has the same plan.
pub fn scenario(text: &str) {
    if let Err(error) = check(text) {
        panic!("{error}\nof\n{text}");
    }
}

/// The recorded link that the shipped scenarios name.
fn traces() -> TraceFiles {
    let wave = ("traces/wave.trace".to_string(), "0\n3\n3\n10\n".to_string());
    TraceFiles::Memory(BTreeMap::from([wave]))
}

fn check(text: &str) -> Result<(), String> {
    let mut source = match Source::new("fuzzed.toml", text, traces()) {
        Ok(source) => source,
        Err(problems) => return check_refusal(text, &problems),
    };
    for argument in text.lines().filter_map(|line| line.strip_prefix(SET)) {
        let (path, value) = argument.split_once('=').unwrap_or((argument, ""));
        source.set(path, value, &format!("--set {argument}"));
    }
    let points = source.axes().into_iter().map(|axis| axis.values.len());
    if points.fold(1, usize::saturating_mul) > MOST {
        return Ok(());
    }
    match source.plan() {
        Err(problems) => check_refusal(text, &problems),
        Ok(plan) => check_plan(&plan),
    }
}

/// Every problem has a message, and a place in the text or an argument.
fn check_refusal(text: &str, problems: &Problems) -> Result<(), String> {
    if problems.list.is_empty() {
        return Err("refused without a problem".to_string());
    }
    for problem in &problems.list {
        match &problem.place {
            Place::File(bytes) if text.get(bytes.clone()).is_some() => {}
            Place::Argument(argument) if argument.starts_with("--set ") => {}
            place => return Err(format!("{place:?} is not within the text: {problem}")),
        }
        if problem.message.is_empty() {
            return Err("a problem without a message".to_string());
        }
    }
    // Lines and columns are worked out here.
    let printed = problems.to_string();
    match printed.lines().count() < problems.list.len() {
        true => Err(format!("printed: {printed}")),
        false => Ok(()),
    }
}

/// The first cell runs, and the scenario as run is the same plan.
fn check_plan(plan: &Plan) -> Result<(), String> {
    let flows = plan
        .scenario()
        .groups
        .iter()
        .map(|group| group.flows() as usize);
    if flows.fold(0, usize::saturating_add) <= MOST {
        let first = Cell {
            seed: 0,
            point: 0,
            scheme: 0,
        };
        let (prepared, mut simulation) = start(plan, first)?;
        if is_ordinary(&prepared.run) {
            simulation.run_events(Nanos::NEVER, EVENTS);
        }
    }
    let written = plan.toml();
    let stored = plan.recordings.iter();
    let stored = stored.map(|kept| (kept.stored_name.clone(), kept.text.to_string()));
    let stored = TraceFiles::Memory(stored.collect());
    let again = Source::new("scenario.toml", &written, stored).and_then(|again| again.plan());
    let again = again.map_err(|problems| format!("as run: {problems}\nin\n{written}"))?;
    match again.identity() == plan.identity() && again.cell_count() == plan.cell_count() {
        true => Ok(()),
        false => Err(format!("as run, another scenario:\n{written}")),
    }
}

/// The simulation of a cell: what is planned can be started.
fn start(plan: &Plan, cell: Cell) -> Result<(PreparedRun, Simulation), String> {
    let started = plan
        .prepare(cell, plan.keeps_series(cell))
        .and_then(|prepared| {
            let simulation = prepared.start()?;
            Ok((prepared, simulation))
        });
    started.map_err(|problem| format!("planned, but: {problem}"))
}

/// Whether a run's times are far from 584 years, where nanoseconds in 64 bits end.
fn is_ordinary(run: &Run) -> bool {
    let year = Nanos::from_secs(365 * 86_400);
    let mut delays = run.network.links().map(|(_, _, _, link)| link.delay);
    run.duration <= year && delays.all(|delay| delay <= year)
}

#[cfg(test)]
#[path = "fuzzing_tests.rs"]
mod tests;
