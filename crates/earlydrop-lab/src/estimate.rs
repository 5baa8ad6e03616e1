//! An estimate of how long a plan takes, from running a sample of its cells in part.

use std::time::{Duration, Instant};

use crate::document::Problem;
use crate::plan::{Cell, Plan};

/// The number of events after which the clock is read.
const EVENTS_BETWEEN_LOOKS: u64 = 1 << 12;

/// The largest number of cells in a sample.
const MAX_SAMPLE: usize = 24;

/// The time that all cells of `plan` take on one thread.
///
/// Runs cells for about `trial`, spread evenly over schemes and points; each runs as far as
/// its share of that time allows.
pub fn estimate(plan: &Plan, trial: Duration) -> Result<Duration, Problem> {
    let sample = sample(plan);
    let share = trial / u32::try_from(sample.len()).unwrap_or(u32::MAX).max(1);
    let mut sum = 0.0;
    for cell in &sample {
        sum += seconds_of(plan, *cell, share)?;
    }
    let mean = sum / sample.len().max(1) as f64;
    let all = mean * plan.cell_count() as f64;
    Ok(Duration::try_from_secs_f64(all).unwrap_or(Duration::MAX))
}

/// Cells of the first seed, spread evenly over schemes and points.
fn sample(plan: &Plan) -> Vec<Cell> {
    let cells = plan.cell_count() / plan.seeds.len();
    let count = cells.min(MAX_SAMPLE);
    let numbers = (0..count).map(|index| index * cells / count);
    numbers.filter_map(|number| plan.cell(number)).collect()
}

/// The seconds that a whole cell takes, extrapolated from running it for about `share`.
fn seconds_of(plan: &Plan, cell: Cell, share: Duration) -> Result<f64, Problem> {
    let begin = Instant::now();
    let prepared = plan.prepare(cell, plan.keeps_series(cell))?;
    let mut simulation = prepared.start()?;
    let set_up = begin.elapsed().as_secs_f64();
    let duration = prepared.run.duration;
    let mut is_over = false;
    while !is_over && begin.elapsed() < share {
        is_over = simulation.run_events(duration, EVENTS_BETWEEN_LOOKS);
    }
    let run = begin.elapsed().as_secs_f64() - set_up;
    let part = simulation.now().0.max(1) as f64 / duration.0.max(1) as f64;
    Ok(set_up + run / part)
}
