//! Running a plan's cells with their outcomes saved in a store.

use std::sync::atomic::AtomicBool;

use super::{Store, StoreError};
use crate::document::{Problem, Problems};
use crate::outcome::Outcome;
use crate::plan::{Cell, Plan, Source};
use crate::run::{Progress, on_threads};
use crate::stopping::{MAX_SEEDS, Precision, StoppingRule};
use crate::summary::Summary;
use crate::sweep::continue_seeds;

/// Why a stored run ended early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// A cell cannot be run.
    #[error(transparent)]
    Cell(#[from] Problem),
    /// The real hosts failed.
    #[error("{0}")]
    Hosts(String),
    /// An outcome cannot be saved.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A longer run cannot be planned.
    #[error(transparent)]
    Plan(#[from] Problems),
}

/// A report of a run in progress.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// How many cells are done.
    pub progress: Progress,
    /// The cell that has just been saved, with its outcome; `None` at the beginning.
    pub saved: Option<(Cell, &'a Outcome)>,
}

/// Runs every cell of `plan` that `store` does not hold, on this many threads, until all are
/// done or `stop` is set. Calls `report` at the beginning and after each cell.
pub fn run(
    plan: &Plan,
    store: &Store,
    threads: usize,
    stop: &AtomicBool,
    mut report: impl FnMut(Report<'_>),
) -> Result<Progress, RunError> {
    let (missing, progress) = missing_cells(plan, store)?;
    report(Report {
        progress,
        saved: None,
    });
    run_cells(plan, store, (missing, progress), threads, stop, report)
}

/// Runs these cells of `plan` and saves them, on this many threads, until all are done or `stop` is
/// set. Calls `report` after each. `cells` come with the progress before them, as
/// [`missing_cells`] returns it.
pub fn run_cells(
    plan: &Plan,
    store: &Store,
    (cells, mut progress): (Vec<Cell>, Progress),
    threads: usize,
    stop: &AtomicBool,
    mut report: impl FnMut(Report<'_>),
) -> Result<Progress, RunError> {
    let jobs: Vec<(&Plan, Cell)> = cells.into_iter().map(|cell| (plan, cell)).collect();
    on_threads(&jobs, threads, stop, |job, outcome| {
        let cell = jobs[job].1;
        store.save(plan, cell, &outcome)?;
        progress.done += 1;
        report(Report {
            progress,
            saved: Some((cell, &outcome)),
        });
        Ok::<(), RunError>(())
    })?;
    Ok(progress)
}

/// Runs `plan` with more and more seeds until `rule` is met, or there are [`MAX_SEEDS`]. Returns
/// the plan with its final seeds.
pub fn run_until(
    source: &Source,
    mut plan: Plan,
    store: &Store,
    rule: &StoppingRule,
    threads: usize,
    stop: &AtomicBool,
    mut report: impl FnMut(Report<'_>),
) -> Result<(Plan, Progress, Precision), RunError> {
    loop {
        let reached = run(&plan, store, threads, stop, &mut report)?;
        let precision = rule.precision(&Summary::of_store(&plan, store)?);
        let is_over = reached.done < reached.planned || plan.seeds.len() >= MAX_SEEDS;
        if is_over || !matches!(precision, Precision::NotReached(_)) {
            return Ok((plan, reached, precision));
        }
        let more = (plan.seeds.len() * 3 / 2 + 1).min(MAX_SEEDS);
        continue_seeds(&mut plan.seeds, more);
        store.plan_seeds(source, &plan)?;
    }
}

/// The cells of `plan` that `store` does not hold, and the progress made so far.
pub fn missing_cells(plan: &Plan, store: &Store) -> Result<(Vec<Cell>, Progress), StoreError> {
    let done = store.done()?;
    let labels = plan.labels();
    let is_done = |cell: &Cell| {
        let label = labels[cell.scheme].to_string();
        done.contains(&(label, cell.point, plan.seeds[cell.seed]))
    };
    let (finished, missing): (Vec<Cell>, Vec<Cell>) = plan.cells().partition(is_done);
    let reached = Progress {
        before: finished.len(),
        done: finished.len(),
        planned: plan.cell_count(),
    };
    Ok((missing, reached))
}
