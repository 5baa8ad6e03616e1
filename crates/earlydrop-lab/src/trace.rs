//! One cell in depth: all its series, and the packets of the watched link.

use earlydrop_sim::capture::Capture;

use crate::budget::Budget;
use crate::document::Problem;
use crate::outcome::Outcome;
use crate::plan::{Cell, Plan};

/// One cell in depth.
pub struct CellTrace {
    /// Its outcome, with all series.
    pub outcome: Outcome,
    /// The name of the watched link.
    pub link: String,
    /// Its packets; empty unless they were captured.
    pub captures: Vec<Capture>,
}

/// Runs one cell of `plan` with all series, and with the packets of the watched link if
/// `capture`; `None` once `stop` returns true.
pub fn trace(
    plan: &Plan,
    cell: Cell,
    capture: bool,
    stop: &impl Fn() -> bool,
) -> Result<Option<CellTrace>, Problem> {
    let mut prepared = plan.prepare(cell, true)?;
    if capture {
        prepared.run.measure.captures.push(prepared.watched);
    }
    let flows = prepared.run.flows.len() as u64;
    let budget = Budget::of_cell(&prepared.run.cost(), flows, true);
    budget.check(&plan.limits)?;
    let results = prepared.start()?.finish_unless(stop);
    Ok(results.map(|results| CellTrace {
        outcome: Outcome::of(&results, &prepared),
        link: prepared.run.network.link_name(prepared.watched),
        captures: results.captures,
    }))
}
