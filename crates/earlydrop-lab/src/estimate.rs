//! About how long a plan takes, by trying a part of it.

use std::time::{Duration, Instant};

use earlydrop::units::Nanos;

use crate::document::Problem;
use crate::plan::{Cell, Plan};

/// How much of a cell is simulated between two looks at the clock.
const PIECES: u64 = 50;

/// How long all cells take on one thread, from trying cells for about `trial`: one of each
/// scheme at points all over the sweep, each as far as its share of the time allows.
pub fn estimate(plan: &Plan, trial: Duration) -> Result<Duration, Problem> {
    let tried = sample(plan);
    let share = trial / u32::try_from(tried.len()).unwrap_or(u32::MAX).max(1);
    let mut sum = 0.0;
    for cell in &tried {
        sum += seconds_of(plan, *cell, share)?;
    }
    let mean = sum / tried.len().max(1) as f64;
    let all = mean * plan.cell_count() as f64;
    Ok(Duration::try_from_secs_f64(all).unwrap_or(Duration::MAX))
}

/// Up to so many cells are tried.
const TRIED: usize = 24;

/// Cells of the first seed, spread evenly over schemes and points.
fn sample(plan: &Plan) -> Vec<Cell> {
    let cells = plan.cell_count() / plan.seeds.len();
    let count = cells.min(TRIED);
    let numbers = (0..count).map(|index| index * cells / count);
    numbers.filter_map(|number| plan.cell(number)).collect()
}

/// What the whole cell takes, in seconds, as far as a part of it tells.
fn seconds_of(plan: &Plan, cell: Cell, share: Duration) -> Result<f64, Problem> {
    let begun = Instant::now();
    let prepared = plan.prepare(cell, plan.keeps_series(cell))?;
    let mut simulation = prepared.start()?;
    let set_up = begun.elapsed().as_secs_f64();
    let duration = prepared.run.duration.0;
    let mut piece = 0;
    while piece < PIECES && begun.elapsed() < share {
        piece += 1;
        let until = u128::from(duration) * u128::from(piece) / u128::from(PIECES);
        simulation.run_until(Nanos(until as u64));
    }
    let run = begun.elapsed().as_secs_f64() - set_up;
    Ok(set_up + run * PIECES as f64 / piece.max(1) as f64)
}
