//! Cells on several threads.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use super::run_cell;
use crate::document::Problem;
use crate::outcome::Outcome;
use crate::plan::{Cell, Plan};

/// The outcomes of all cells of `plan`, in the order of the plan; `None` where `stop` was set
/// before all were done.
pub fn all_outcomes(
    plan: &Plan,
    threads: usize,
    stop: &AtomicBool,
) -> Result<Option<Vec<Outcome>>, Problem> {
    let jobs: Vec<(&Plan, Cell)> = plan.cells().map(|cell| (plan, cell)).collect();
    let mut outcomes: Vec<Option<Outcome>> = jobs.iter().map(|_| None).collect();
    on_threads(&jobs, threads, stop, |job, outcome| {
        outcomes[job] = Some(outcome);
        Ok::<(), Problem>(())
    })?;
    Ok(outcomes.into_iter().collect())
}

/// Runs cells of plans on so many threads. Each outcome reaches `keep` as it ends, on the
/// calling thread, with its index in `jobs`; an error from `keep` or from a cell ends the
/// run. Once `stop` is set, threads end within a hundredth of a cell.
pub fn on_threads<E: From<Problem>>(
    jobs: &[(&Plan, Cell)],
    threads: usize,
    stop: &AtomicBool,
    mut keep: impl FnMut(usize, Outcome) -> Result<(), E>,
) -> Result<(), E> {
    let next = AtomicUsize::new(0);
    let failed = AtomicBool::new(false);
    let stopped = || stop.load(Ordering::Relaxed) || failed.load(Ordering::Relaxed);
    thread::scope(|scope| {
        // A few outcomes may wait to be kept; more would only take memory.
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
                        let Some(outcome) = run_cell(plan, *cell, stopped).transpose() else {
                            return;
                        };
                        if sender.send((index, outcome)).is_err() {
                            return;
                        }
                    }
                })
            })
            .collect();
        drop(sender);
        let mut result = Ok(());
        for (job, outcome) in receiver {
            if result.is_ok() {
                result = outcome
                    .map_err(E::from)
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
