//! Running a plan's cells in memory: no folder, no database, and no thread unless asked for.
//!
//! ```text
//! Plan --outcomes--> iterator of (Cell, Outcome)        one cell per call of `next`
//! Plan --all_outcomes--> Vec<(Cell, Outcome)>           on several threads (feature `threads`)
//! jobs --on_threads--> callback with each Outcome       on several threads, as cells end
//! ```
//!
//! [`Rows::of_outcomes`](crate::rows::Rows::of_outcomes) and
//! [`Summary::of`](crate::summary::Summary::of) make means with intervals of them. With the
//! feature `store`, `store::run` saves each outcome in a database instead.
//!
//! An outcome depends on the plan and the cell only: not on threads, and not on the order in
//! which cells run.
//!
//! ```
//! use earlydrop_lab::plan::{Source, TraceFiles};
//! use earlydrop_lab::run::outcomes;
//!
//! let text = r#"
//! duration = "2 s"
//! warm_up = "1 s"
//! seeds = 2
//! schemes = ["red:min=5,max=15", "codel"]
//! [network]
//! rate = "2 Mbps"
//! rtt = "20 ms"
//! [flows.bulk]
//! count = 3
//! "#;
//! let plan = Source::new("small.toml", text, TraceFiles::default())?.plan()?;
//! for outcome in outcomes(&plan) {
//!     let (cell, outcome) = outcome?;
//!     println!("{}: {:?}", plan.labels()[cell.scheme], outcome.value("delay_mean"));
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(feature = "threads")]
mod threads;

#[cfg(feature = "threads")]
pub use threads::{all_outcomes, on_threads};

use std::cell::RefCell;

use crate::document::Problem;
use crate::outcome::Outcome;
use crate::plan::{Cell, Plan};

/// How many of a plan's cells are done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Cells that an earlier run had completed.
    pub before: usize,
    /// Completed cells, those included.
    pub done: usize,
    /// Cells of the plan.
    pub planned: usize,
}

impl Progress {
    /// Of so many cells none is done.
    pub fn of(planned: usize) -> Progress {
        Progress {
            before: 0,
            done: 0,
            planned,
        }
    }
}

/// Runs the cells of `plan` in order, one for each call of `next`.
pub fn outcomes(plan: &Plan) -> Outcomes<'_, impl Fn() -> bool> {
    Outcomes {
        plan,
        next: 0,
        stop: || false,
    }
}

/// Iterator over the outcomes of a plan's cells, in the order of the plan.
///
/// It ends after the last cell, or, cancelled with [`until`](Outcomes::until), before the
/// first cell that is not complete. After an error it continues with the next cell.
pub struct Outcomes<'a, S> {
    plan: &'a Plan,
    next: usize,
    stop: S,
}

impl<'a, S: Fn() -> bool> Outcomes<'a, S> {
    /// Ends the iteration once `stop` returns true; it is called every few milliseconds, and a
    /// cell that it interrupts is dropped.
    pub fn until<T: Fn() -> bool>(self, stop: T) -> Outcomes<'a, impl Fn() -> bool> {
        let earlier = self.stop;
        Outcomes {
            plan: self.plan,
            next: self.next,
            stop: move || earlier() || stop(),
        }
    }
}

impl<S: Fn() -> bool> Iterator for Outcomes<'_, S> {
    type Item = Result<(Cell, Outcome), Problem>;

    fn next(&mut self) -> Option<Self::Item> {
        let cell = self.plan.cell(self.next)?;
        let outcome = run_cell(self.plan, cell, &self.stop).transpose()?;
        self.next += 1;
        Some(outcome.map(|outcome| (cell, outcome)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.plan.cell_count().saturating_sub(self.next)))
    }
}

/// Runs one cell; `None` where `stop` returned true before its end.
pub fn run_cell(
    plan: &Plan,
    cell: Cell,
    stop: &impl Fn() -> bool,
) -> Result<Option<Outcome>, Problem> {
    let prepared = plan.prepare(cell, plan.keeps_series(cell))?;
    let _under_way = CellUnderWay::enter(plan, cell);
    let results = prepared.start()?.finish_unless(stop);
    Ok(results.map(|results| Outcome::of(&results, &prepared)))
}

/// The seed and the point of a cell, as the scenario has them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellName {
    /// The seed of its run.
    pub seed: u64,
    /// The swept fields, each with its value there; empty without a sweep.
    pub point: Vec<(String, String)>,
}

thread_local! {
    static UNDER_WAY: RefCell<Option<CellName>> = const { RefCell::new(None) };
}

/// The cell that this thread is running: a scheme of a program's own that fails can say where.
pub fn cell_under_way() -> Option<CellName> {
    UNDER_WAY.with_borrow(Clone::clone)
}

/// Names a cell for as long as it lives.
struct CellUnderWay;

impl CellUnderWay {
    fn enter(plan: &Plan, cell: Cell) -> CellUnderWay {
        let coordinates = &plan.points[cell.point].coordinates;
        let axes = plan.axes.iter().zip(coordinates);
        let values = axes.map(|(axis, index)| (axis.field.clone(), axis.text(*index)));
        let name = CellName {
            seed: plan.seeds[cell.seed],
            point: values.collect(),
        };
        UNDER_WAY.set(Some(name));
        CellUnderWay
    }
}

impl Drop for CellUnderWay {
    fn drop(&mut self) {
        UNDER_WAY.set(None);
    }
}
