//! A plan on real hosts: the same cells as the simulator's, one after the other, in real
//! time.
//!
//! ```text
//! Plan --check--> Problems        what real hosts cannot do, before anything runs
//!   \--run--> Machine --> Store   each cell kept as it ends
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
use crate::outcome::{Live, Outcome};
use crate::plan::{Cell, Plan, Source};
use crate::run::Progress;
use crate::store::{RunError, Store, StoreError, missing_cells};

/// With how many seeds a scenario is run that does not say: real time is dear.
pub const SEEDS: u32 = 3;

/// What runs a run in real time.
pub trait Machine {
    /// What of a run it cannot do, as far as it can tell at once.
    fn check(&self, run: &Run, watched: LinkId) -> Vec<Refusal>;

    /// The metrics that it cannot know, by name: they are left empty.
    fn unknown(&self) -> &'static [&'static str];

    /// Runs from beginning to end; `None` where `stop` was set before.
    fn run(
        &self,
        run: &Run,
        watched: LinkId,
        stop: &AtomicBool,
    ) -> Result<Option<(Results, Live)>, String>;
}

/// Something that a run asks for and real hosts cannot do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The flow that asks for it, by its number; `None`: the network or a measurement does.
    pub flow: Option<usize>,
    /// What it is, by its name.
    pub message: String,
    /// What to do instead.
    pub help: String,
}

/// How long each run takes that `store` does not hold of `plan`, in their order.
pub fn left(plan: &Plan, store: &Store) -> Result<Vec<Nanos>, StoreError> {
    let (todo, _) = missing_cells(plan, store)?;
    let duration = |cell: Cell| plan.points[cell.point].scenario.duration;
    Ok(todo.into_iter().map(duration).collect())
}

/// Everything that `machine` cannot do of `plan`, which is of `source`.
pub fn check(plan: &Plan, source: &Source, machine: &dyn Machine) -> Result<(), Problems> {
    let mut problems: Vec<Problem> = Vec::new();
    // Seeds change nothing about what is asked for.
    let cells = plan.cells().take_while(|cell| cell.seed == 0);
    for cell in cells {
        let found = check_cell(plan, cell, machine);
        let found = found.unwrap_or_else(|problem| vec![problem]);
        for problem in found {
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

/// What `machine` refuses of a cell: of each group of flows by itself, so that one does not
/// hide the next.
fn check_cell(plan: &Plan, cell: Cell, machine: &dyn Machine) -> Result<Vec<Problem>, Problem> {
    let prepared = plan.prepare(cell, plan.keeps_series(cell))?;
    let scenario = &plan.points[cell.point].scenario;
    let mut run = prepared.run;
    let mut problems = Vec::new();
    loop {
        let refusals = machine.check(&run, prepared.watched);
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
        // They name flows by numbers that are others now.
        run.measure.windows.clear();
        if run.flows.is_empty() {
            return Ok(problems);
        }
    }
}

/// Runs every cell of `plan` that `store` does not hold, one after the other, until all are
/// done or `stop` is set; tells `progress` after each.
pub fn run(
    plan: &Plan,
    store: &Store,
    machine: &dyn Machine,
    stop: &AtomicBool,
    mut progress: impl FnMut(Progress),
) -> Result<Progress, RunError> {
    let (todo, mut reached) = missing_cells(plan, store)?;
    progress(reached);
    for cell in todo {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let prepared = plan.prepare(cell, plan.keeps_series(cell));
        let prepared = prepared.map_err(RunError::Cell)?;
        let found = machine.run(&prepared.run, prepared.watched, stop);
        let Some((results, live)) = found.map_err(RunError::Hosts)? else {
            break;
        };
        let outcome = Outcome::of_live(&results, &prepared, live);
        store.save(plan, cell, &outcome.without(machine.unknown()))?;
        reached.done += 1;
        progress(reached);
    }
    Ok(reached)
}
