//! One cell in depth: everything over time, and its packets.

use earlydrop::units::Nanos;
use earlydrop_sim::capture::Capture;

use crate::document::Problem;
use crate::outcome::Outcome;
use crate::plan::{Cell, Plan};

/// What to look at.
#[derive(Clone, Copy, Debug, Default)]
pub struct Looked {
    /// From one sample to the next; `None`: as the scenario has it.
    pub sample: Option<Nanos>,
    /// Whether the watched link's packets are recorded.
    pub capture: bool,
}

/// What was seen.
pub struct Trace {
    /// The same as is kept of every cell, with all series.
    pub outcome: Outcome,
    /// The link watched.
    pub link: String,
    /// Its packets, where they were asked for.
    pub captures: Vec<Capture>,
}

/// Runs one cell of `plan`, looking closely.
pub fn trace(plan: &Plan, cell: Cell, looked: Looked) -> Result<Trace, Problem> {
    let mut prepared = plan.prepare(cell, true)?;
    let measure = &mut prepared.run.measure;
    measure.sample_every = looked.sample.or(measure.sample_every);
    if looked.capture {
        measure.captures.push(prepared.watched);
    }
    let results = prepared.start()?.finish();
    Ok(Trace {
        outcome: Outcome::of(&results, &prepared),
        link: prepared.run.network.link_name(prepared.watched),
        captures: results.captures,
    })
}
