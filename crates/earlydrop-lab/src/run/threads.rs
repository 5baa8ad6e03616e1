//! Cells on several threads.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use super::run_cell;
use crate::document::Problem;
use crate::outcome::Outcome;
use crate::plan::{Cell, NO_SCOPE, Plan};

/// Runs all cells of `plan` on this many threads and returns their outcomes in the order of
/// the plan; `None` where `stop` was set before all were complete.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use earlydrop_lab::plan::{Source, TraceFiles};
/// use earlydrop_lab::run::all_outcomes;
///
/// let text = "duration = \"2 s\"\nschemes = [\"red\", \"codel\"]\n[flows.bulk]";
/// let plan = Source::new("small.toml", text, TraceFiles::default())?.plan()?;
/// let outcomes = all_outcomes(&plan, 2, &AtomicBool::new(false))?;
/// assert_eq!(outcomes.map(|list| list.len()), Some(plan.cell_count()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn all_outcomes(
    plan: &Plan,
    threads: usize,
    stop: &AtomicBool,
) -> Result<Option<Vec<(Cell, Outcome)>>, Problem> {
    let jobs: Vec<(&Plan, Cell)> = plan.cells().map(|cell| (plan, cell)).collect();
    let mut outcomes: Vec<Option<(Cell, Outcome)>> = jobs.iter().map(|_| None).collect();
    on_threads(&jobs, threads, stop, |job, outcome| {
        outcomes[job] = Some((jobs[job].1, outcome));
        Ok::<(), Problem>(())
    })?;
    Ok(outcomes.into_iter().collect())
}

/// Runs cells, of one plan or of several, on this many threads; on fewer where the operating
/// system gives no more, or where their memory would exceed the limits of the first plan.
///
/// Calls `on_outcome` on the calling thread with each outcome as its cell ends, and with the
/// index of the cell in `jobs`. The first error, of a cell or of `on_outcome`, ends the run
/// and is returned. Once `stop` is set, threads end within milliseconds, and cells that were
/// interrupted have no outcome. A panic in a cell, such as one of a program's own scheme, ends the
/// run in the same way, with the outcomes so far, and continues on the calling thread.
pub fn on_threads<E: From<Problem>>(
    jobs: &[(&Plan, Cell)],
    threads: usize,
    stop: &AtomicBool,
    mut on_outcome: impl FnMut(usize, Outcome) -> Result<(), E>,
) -> Result<(), E> {
    let queue = JobQueue {
        jobs,
        next: AtomicUsize::new(0),
        stop,
        failed: AtomicBool::new(false),
    };
    let threads = threads.min(most_threads(jobs)).clamp(1, jobs.len().max(1));
    let scope_of_thread = jobs.first().map_or(NO_SCOPE, |(plan, _)| plan.thread_scope);
    let mut result = Ok(());
    let mut receive = |job, outcome: Result<Outcome, Problem>| {
        if result.is_ok() {
            let outcome = outcome.map_err(E::from);
            result = outcome.and_then(|outcome| on_outcome(job, outcome));
        }
        if result.is_err() {
            queue.failed.store(true, Ordering::Relaxed);
        }
    };
    thread::scope(|scope| {
        // Some outcomes may wait for `on_outcome`; more would only take memory.
        let (sender, receiver) = mpsc::sync_channel(2 * threads);
        let spawn = |_| {
            let (queue, sender) = (&queue, sender.clone());
            let work = move || {
                let deliver = |job, outcome| sender.send((job, outcome)).is_ok();
                scope_of_thread(&mut || queue.work(deliver));
            };
            thread::Builder::new().spawn_scoped(scope, work).ok()
        };
        let workers: Vec<_> = (0..threads).map_while(spawn).collect();
        // The receiver ends when the last worker has dropped its sender.
        drop(sender);
        if workers.is_empty() {
            queue.work(|job, outcome| {
                receive(job, outcome);
                true
            });
        }
        for (job, outcome) in receiver {
            receive(job, outcome);
        }
        for worker in workers {
            worker.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
    });
    result
}

/// The number of cells whose memory is within the limits.
fn most_threads(jobs: &[(&Plan, Cell)]) -> usize {
    let first = jobs.first();
    first.map_or(usize::MAX, |(plan, _)| {
        plan.budget().most_threads(&plan.limits)
    })
}

/// Jobs that several threads work on.
struct JobQueue<'a> {
    jobs: &'a [(&'a Plan, Cell)],
    /// The index of the next job that nobody has begun.
    next: AtomicUsize,
    stop: &'a AtomicBool,
    /// Set after an error: outcomes are no longer needed.
    failed: AtomicBool,
}

impl JobQueue<'_> {
    /// Runs one job after the other, until none is left or `deliver` returns false.
    fn work(&self, mut deliver: impl FnMut(usize, Result<Outcome, Problem>) -> bool) {
        let _guard = EndsOnPanic(&self.failed);
        while !self.is_stopped() {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            let Some((plan, cell)) = self.jobs.get(index) else {
                return;
            };
            let outcome = run_cell(plan, *cell, &|| self.is_stopped()).transpose();
            let Some(outcome) = outcome else {
                return;
            };
            if !deliver(index, outcome) {
                return;
            }
        }
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.failed.load(Ordering::Relaxed)
    }
}

/// Ends the other threads when this one panics.
struct EndsOnPanic<'a>(&'a AtomicBool);

impl Drop for EndsOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use earlydrop::aqm::{Aqm, Backlog, Verdict};
    use earlydrop::packet::PacketInfo;
    use earlydrop::random::Pcg32;
    use earlydrop::registry::{Descriptor, LIMIT, Plan as SchemePlan, Registry};
    use earlydrop::units::Nanos;

    use super::*;
    use crate::plan::{Source, TraceFiles};

    /// Panics at its first packet.
    #[derive(Clone, Debug)]
    struct Failing;

    impl Aqm for Failing {
        fn on_arrival<Q: Backlog>(
            &mut self,
            _now: Nanos,
            _packet: &PacketInfo,
            _queue: &Q,
            _random: &mut Pcg32,
        ) -> Verdict {
            // As `panic!`, and prints nothing.
            resume_unwind(Box::new("failing"))
        }
    }

    static FAILING: Descriptor = Descriptor::new("failing", "", "", &[&[LIMIT]], |settings| {
        Ok(SchemePlan::custom(Failing, settings.limit()))
    });

    #[test]
    fn a_thread_scope_surrounds_the_work_of_each_thread() {
        static ENTERED: AtomicUsize = AtomicUsize::new(0);
        let text = "duration = \"1 s\"\nschemes = [\"red\"]\nseeds = 4\n[flows.bulk]\ncount = 1";
        let source = Source::new("scope.toml", text, TraceFiles::default()).unwrap();
        let source = source.with_thread_scope(|work| {
            ENTERED.fetch_add(1, Ordering::Relaxed);
            work();
        });
        let plan = source.plan().unwrap();
        let outcomes = all_outcomes(&plan, 2, &AtomicBool::new(false)).unwrap();
        assert_eq!(outcomes.map(|list| list.len()), Some(4));
        assert_eq!(ENTERED.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn a_panic_in_a_cell_ends_the_run_and_keeps_the_outcomes_before() {
        let text = "duration = \"1 s\"\nschemes = [\"red\", \"failing\", \"codel\"]\nseeds = 2000\n\
                    [flows.bulk]\ncount = 1";
        let source = Source::new("panic.toml", text, TraceFiles::default()).unwrap();
        let source = source.with_registry(Registry::built_in().with(&FAILING));
        let plan = source.plan().unwrap();
        let cells = plan.cells().filter(|cell| cell.scheme != 1);
        let failing = plan.cells().find(|cell| cell.scheme == 1).unwrap();
        let mut jobs: Vec<(&Plan, Cell)> = cells.map(|cell| (&plan, cell)).collect();
        jobs.insert(20, (&plan, failing));
        let mut finished = Vec::new();
        let ran = catch_unwind(AssertUnwindSafe(|| {
            on_threads(&jobs, 2, &AtomicBool::new(false), |job, _| {
                finished.push(job);
                Ok::<(), Problem>(())
            })
        }));
        assert_eq!(ran.unwrap_err().downcast_ref(), Some(&"failing"));
        // The other thread ends within a cell of its own, long before the last one.
        assert!((19..3000).contains(&finished.len()), "{}", finished.len());
    }
}
