//! A plan on real hosts: the simulator's cells, run one after the other in real time.
//!
//! ```text
//! Plan --check--> Problems         requests that real hosts cannot meet, before anything runs
//!   \--run--> Testbed --> Store    each cell is saved as it ends
//! ```

#[cfg(target_os = "linux")]
mod kernel;
#[cfg(target_os = "linux")]
pub use kernel::Kernel;

use std::sync::atomic::{AtomicBool, Ordering};

use earlydrop::units::Nanos;
use earlydrop_sim::Run;
use earlydrop_sim::network::LinkId;
use earlydrop_sim::results::Results;

use crate::document::{Problem, Problems};
use crate::outcome::Outcome;
use crate::plan::{Cell, Plan, Source};
use crate::run::Progress;
use crate::store::{RunError, Store, StoreError, missing_cells};
use crate::timing::LiveTiming;

/// The number of seeds of a scenario that does not give one: fewer than in simulation,
/// because each takes its duration in real time.
pub const SEEDS: u32 = 3;

/// Real hosts, and the links between them, that run the simulator's runs in real time.
pub trait Testbed {
    /// The parts of a run that it cannot do, as far as it knows without running it.
    fn check(&self, run: &Run, watched: LinkId) -> Vec<Refusal>;

    /// The names of the metrics it cannot measure; their values are left empty.
    fn missing_metrics(&self) -> &'static [&'static str];

    /// Runs from beginning to end; `None` where `stop` was set before.
    fn run(
        &self,
        run: &Run,
        watched: LinkId,
        stop: &AtomicBool,
    ) -> Result<Option<(Results, LiveTiming)>, String>;
}

/// Something that a run asks for and a testbed cannot do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The index of the flow that asks for it; `None`: the network or a measurement does.
    pub flow: Option<usize>,
    /// The request, with its name in the scenario.
    pub message: String,
    /// Possible alternatives.
    pub help: String,
}

/// The durations of the cells of `plan` that `store` does not hold, in the order of the plan.
pub fn remaining(plan: &Plan, store: &Store) -> Result<Vec<Nanos>, StoreError> {
    let (missing, _) = missing_cells(plan, store)?;
    let duration = |cell: Cell| plan.points[cell.point].scenario.duration;
    Ok(missing.into_iter().map(duration).collect())
}

/// Reports everything that `testbed` cannot do in `plan`, which was made from `source`.
pub fn check(plan: &Plan, source: &Source, testbed: &dyn Testbed) -> Result<(), Problems> {
    let mut problems: Vec<Problem> = Vec::new();
    // Cells that differ in their seed only ask for the same.
    let cells = plan.cells().take_while(|cell| cell.seed == 0);
    for cell in cells {
        let of_cell = check_cell(plan, cell, testbed).unwrap_or_else(|problem| vec![problem]);
        for problem in of_cell {
            if !problems.contains(&problem) {
                problems.push(problem);
            }
        }
    }
    match problems.is_empty() {
        true => Ok(()),
        false => Err(source.problems(problems)),
    }
}

/// The refusals of `testbed` for a cell. Groups of flows that are refused are removed and the
/// rest is checked again, so that one does not hide the next.
fn check_cell(plan: &Plan, cell: Cell, testbed: &dyn Testbed) -> Result<Vec<Problem>, Problem> {
    let prepared = plan.prepare(cell, plan.keeps_series(cell))?;
    let scenario = &plan.points[cell.point].scenario;
    let mut run = prepared.run;
    let mut problems = Vec::new();
    loop {
        let refusals = testbed.check(&run, prepared.watched);
        let mut groups = Vec::new();
        for refusal in refusals {
            let group = refusal.flow.map(|flow| run.flows[flow].group.clone());
            problems.push(scenario.refused(group.as_deref(), &refusal.message, &refusal.help));
            groups.extend(group);
        }
        if groups.is_empty() {
            return Ok(problems);
        }
        run.flows.retain(|flow| !groups.contains(&flow.group));
        // These hold indices of flows, which have changed.
        run.measure.windows.clear();
        if run.flows.is_empty() {
            return Ok(problems);
        }
    }
}

/// Runs every cell of `plan` that `store` does not hold, one after the other, until all are
/// done or `stop` is set. Calls `progress` at the beginning and after each cell.
pub fn run(
    plan: &Plan,
    store: &Store,
    testbed: &dyn Testbed,
    stop: &AtomicBool,
    mut progress: impl FnMut(Progress),
) -> Result<Progress, RunError> {
    let (missing, mut reached) = missing_cells(plan, store)?;
    progress(reached);
    for cell in missing {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let prepared = plan.prepare(cell, plan.keeps_series(cell));
        let prepared = prepared.map_err(RunError::Cell)?;
        let results = testbed.run(&prepared.run, prepared.watched, stop);
        let Some((results, timing)) = results.map_err(RunError::Hosts)? else {
            break;
        };
        let outcome = Outcome::of_live(&results, &prepared, timing);
        store.save(plan, cell, &outcome.without(testbed.missing_metrics()))?;
        reached.done += 1;
        progress(reached);
    }
    Ok(reached)
}
