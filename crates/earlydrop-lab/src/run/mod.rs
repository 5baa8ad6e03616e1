//! Running a plan's cells in memory: no folder, no database, no thread of its own.
//!
//! ```text
//! Plan --outcomes--> iterator of (Cell, Outcome)      one after the other, as it is asked
//! Plan --on_threads--> (Cell, Outcome), as they end   on several threads (feature `threads`)
//! ```
//!
//! A store is one consumer of outcomes among others: `store::run` keeps each as it ends.
//! Outcomes depend neither on the threads nor on the order in which cells run.
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

use earlydrop::units::Nanos;

#[cfg(feature = "threads")]
pub use threads::{all_outcomes, on_threads};

use crate::document::Problem;
use crate::outcome::Outcome;
use crate::plan::{Cell, Plan};

/// How many of a plan's cells are done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Cells that an earlier run had done.
    pub before: usize,
    /// Cells that are done, those included.
    pub done: usize,
    /// Cells of the plan.
    pub planned: usize,
}

/// Runs the cells of `plan` in order, each when the iterator is asked for it.
pub fn outcomes(plan: &Plan) -> Outcomes<'_, impl Fn() -> bool> {
    Outcomes {
        plan,
        next: 0,
        stop: || false,
    }
}

/// The iterator over the outcomes of a plan's cells, in the order of the plan. It ends after
/// the last cell, or where `stop` became true, within a hundredth of a cell.
pub struct Outcomes<'a, S> {
    plan: &'a Plan,
    next: usize,
    stop: S,
}

impl<'a, S: Fn() -> bool> Outcomes<'a, S> {
    /// Also ends where `stop` becomes true; it is asked a hundred times a cell.
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
        self.next += 1;
        let outcome = run_cell(self.plan, cell, &self.stop).transpose()?;
        Some(outcome.map(|outcome| (cell, outcome)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.plan.cell_count().saturating_sub(self.next)))
    }
}

/// A cell's simulated time is cut into this many pieces; between two of them it may stop.
const PIECES: u64 = 100;

/// Runs one cell; `None` where `stop` became true before its end.
pub fn run_cell(
    plan: &Plan,
    cell: Cell,
    stop: &impl Fn() -> bool,
) -> Result<Option<Outcome>, Problem> {
    let prepared = plan.prepare(cell, plan.keeps_series(cell))?;
    let mut simulation = prepared.start()?;
    let duration = prepared.run.duration;
    for piece in 1..=PIECES {
        if stop() {
            return Ok(None);
        }
        let share = u128::from(duration.0) * u128::from(piece) / u128::from(PIECES);
        simulation.run_until(Nanos(share as u64));
    }
    Ok(Some(Outcome::of(&simulation.finish(), &prepared)))
}
