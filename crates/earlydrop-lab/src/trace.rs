//! One cell in depth: all its series, and the packets of the watched link.

use earlydrop::units::Nanos;
use earlydrop_sim::capture::Capture;

use crate::document::Problem;
use crate::outcome::Outcome;
use crate::plan::{Cell, Plan};

/// What a trace records.
#[derive(Clone, Copy, Debug, Default)]
pub struct TraceOptions {
    /// The time between samples; `None`: the scenario's.
    pub sample: Option<Nanos>,
    /// Whether the watched link's packets are captured.
    pub capture: bool,
}

/// One cell in depth.
pub struct CellTrace {
    /// Its outcome, with all series.
    pub outcome: Outcome,
    /// The name of the watched link.
    pub link: String,
    /// Its packets; empty unless [`TraceOptions::capture`] was set.
    pub captures: Vec<Capture>,
}

/// Runs one cell of `plan` with everything recorded that `options` ask for.
pub fn trace(plan: &Plan, cell: Cell, options: TraceOptions) -> Result<CellTrace, Problem> {
    let mut prepared = plan.prepare(cell, true)?;
    let measure = &mut prepared.run.measure;
    measure.sample_every = options.sample.or(measure.sample_every);
    if options.capture {
        measure.captures.push(prepared.watched);
    }
    let results = prepared.start()?.finish();
    Ok(CellTrace {
        outcome: Outcome::of(&results, &prepared),
        link: prepared.run.network.link_name(prepared.watched),
        captures: results.captures,
    })
}
