//! Running a plan's cells: in parallel, each kept as it ends, none twice.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use earlydrop::units::Nanos;

use crate::document::Problem;
use crate::outcome::Outcome;
use crate::plan::{Cell, Plan};
use crate::store::{Store, StoreError};

/// How far the work has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Cells that were done when the work began.
    pub before: usize,
    /// Cells that are done.
    pub done: usize,
    /// Cells there are to be.
    pub planned: usize,
}

/// What can go wrong meanwhile.
#[derive(Debug, thiserror::Error)]
pub enum WorkError {
    /// A cell cannot be run.
    #[error("{0}")]
    Cell(Problem),
    /// Real hosts did not do as they should.
    #[error("{0}")]
    Hosts(String),
    /// What was found cannot be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Runs every cell of `plan` that `store` does not hold, on so many threads, until all are
/// done or `stop` is set; tells `progress` after each. What cells find does not depend on
/// the threads.
pub fn run(
    plan: &Plan,
    store: &Store,
    threads: usize,
    stop: &AtomicBool,
    mut progress: impl FnMut(Progress),
) -> Result<Progress, WorkError> {
    let (todo, mut reached) = to_do(plan, store)?;
    progress(reached);
    let jobs: Vec<(&Plan, Cell)> = todo.into_iter().map(|cell| (plan, cell)).collect();
    in_parallel(&jobs, threads, stop, |job, outcome| {
        store.save(plan, jobs[job].1, &outcome)?;
        reached.done += 1;
        progress(reached);
        Ok(())
    })?;
    Ok(reached)
}

/// The cells of `plan` that `store` does not hold, and how far that is.
pub(crate) fn to_do(plan: &Plan, store: &Store) -> Result<(Vec<Cell>, Progress), StoreError> {
    let done = store.done()?;
    let labels = plan.labels();
    let is_done = |cell: &Cell| {
        let label = labels[cell.scheme].to_string();
        done.contains(&(label, cell.point, plan.seeds[cell.seed]))
    };
    let (finished, todo): (Vec<Cell>, Vec<Cell>) = plan.cells().partition(is_done);
    let reached = Progress {
        before: finished.len(),
        done: finished.len(),
        planned: plan.cell_count(),
    };
    Ok((todo, reached))
}

/// What every cell of `plan` finds, in the order of the cells; nothing of it is kept. `None`
/// where `stop` was set before all were done.
pub fn outcomes(
    plan: &Plan,
    threads: usize,
    stop: &AtomicBool,
) -> Result<Option<Vec<Outcome>>, WorkError> {
    let jobs: Vec<(&Plan, Cell)> = plan.cells().map(|cell| (plan, cell)).collect();
    let mut found: Vec<Option<Outcome>> = jobs.iter().map(|_| None).collect();
    in_parallel(&jobs, threads, stop, |job, outcome| {
        found[job] = Some(outcome);
        Ok(())
    })?;
    Ok(found.into_iter().collect())
}

/// Runs cells of plans on threads, and hands on what each found, by its place among `jobs`,
/// as it ends.
pub(crate) fn in_parallel(
    jobs: &[(&Plan, Cell)],
    threads: usize,
    stop: &AtomicBool,
    mut keep: impl FnMut(usize, Outcome) -> Result<(), WorkError>,
) -> Result<(), WorkError> {
    let next = AtomicUsize::new(0);
    let failed = AtomicBool::new(false);
    let stopped = || stop.load(Ordering::Relaxed) || failed.load(Ordering::Relaxed);
    thread::scope(|scope| {
        // A few results may wait to be kept; more would only take memory.
        let (sender, receiver) = mpsc::sync_channel(2 * threads.max(1));
        let workers: Vec<_> = (0..threads.clamp(1, jobs.len().max(1)))
            .map(|_| {
                let sender = sender.clone();
                let (next, stopped) = (&next, &stopped);
                scope.spawn(move || {
                    while !stopped() {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        let Some((plan, cell)) = jobs.get(index) else {
                            return;
                        };
                        let found = run_cell(plan, *cell, stopped);
                        let Some(found) = found.transpose() else {
                            return;
                        };
                        if sender.send((index, found)).is_err() {
                            return;
                        }
                    }
                })
            })
            .collect();
        drop(sender);
        let mut result = Ok(());
        for (job, found) in receiver {
            if result.is_ok() {
                result = found
                    .map_err(WorkError::Cell)
                    .and_then(|outcome| keep(job, outcome));
            }
            failed.store(result.is_err(), Ordering::Relaxed);
        }
        for worker in workers {
            worker.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
        result
    })
}

/// Into so many pieces of simulated time a cell is cut, to look whether to stop.
const PIECES: u64 = 100;

/// What a cell finds; `None` where it was stopped.
fn run_cell(
    plan: &Plan,
    cell: Cell,
    stopped: &impl Fn() -> bool,
) -> Result<Option<Outcome>, Problem> {
    let prepared = plan.prepare(cell, plan.keeps_series(cell))?;
    let mut simulation = prepared.start()?;
    let duration = prepared.run.duration;
    for piece in 1..=PIECES {
        if stopped() {
            return Ok(None);
        }
        let share = u128::from(duration.0) * u128::from(piece) / u128::from(PIECES);
        simulation.run_until(Nanos(share as u64));
    }
    Ok(Some(Outcome::of(&simulation.finish(), &prepared)))
}
