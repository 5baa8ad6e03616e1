//! An estimate of how long a plan takes, from running a sample of its cells in part.

use std::time::{Duration, Instant};

use crate::document::Problem;
use crate::outcome::Outcome;
use crate::plan::{Cell, Plan};

/// The number of events after which the clock is read.
const EVENTS_BETWEEN_LOOKS: u64 = 1 << 12;

/// The largest number of cells in a sample.
const MAX_SAMPLE: usize = 24;

/// The time that all cells of a plan take.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// Simulating them on one thread, in seconds.
    pub simulating: f64,
    /// Keeping their outcomes, which one thread does, in seconds.
    pub keeping: f64,
}

impl Estimate {
    /// The time on so many threads, one of which also keeps the outcomes.
    pub fn on_threads(&self, threads: usize) -> Duration {
        let all = (self.simulating + self.keeping) / threads.max(1) as f64;
        Duration::try_from_secs_f64(all.max(self.keeping)).unwrap_or(Duration::MAX)
    }
}

/// Estimates the time that `plan` takes, where `keep` keeps the outcome of a cell.
///
/// Runs cells for about `trial`, spread evenly over schemes and points; each runs as far as
/// its share of that time allows.
pub fn estimate(
    plan: &Plan,
    trial: Duration,
    mut keep: impl FnMut(Cell, &Outcome),
) -> Result<Estimate, Problem> {
    let sample = sample(plan);
    let share = trial / u32::try_from(sample.len()).unwrap_or(u32::MAX).max(1);
    let (mut simulating, mut keeping) = (0.0, 0.0);
    for cell in &sample {
        let (run, kept) = seconds_of(plan, *cell, share, &mut keep)?;
        simulating += run;
        keeping += kept;
    }
    let scale = plan.cell_count() as f64 / sample.len().max(1) as f64;
    Ok(Estimate {
        simulating: scale * simulating,
        keeping: scale * keeping,
    })
}

/// Cells of the first seed, spread evenly over schemes and points.
fn sample(plan: &Plan) -> Vec<Cell> {
    let cells = plan.cell_count() / plan.seeds.len();
    let count = cells.min(MAX_SAMPLE);
    let numbers = (0..count).map(|index| index * cells / count);
    numbers.filter_map(|number| plan.cell(number)).collect()
}

/// The part of a run that is simulated: that of its time, or of its events where there were so many
/// in so short a time that the rest cannot go on like that. Many flows that start together send
/// their first windows in the first microseconds.
fn part_of_run(time: f64, events: u64, expected: f64) -> f64 {
    /// Events are estimated to within this factor.
    const FACTOR: f64 = 4.0;
    let of_events = events as f64 / (FACTOR * expected.max(1.0));
    time.max(of_events).min(1.0)
}

/// The time since `begin`, which becomes `now`: none if the clock was set back.
fn lap(begin: &mut Instant, now: Instant) -> Duration {
    now.saturating_duration_since(std::mem::replace(begin, now))
}

/// The seconds that simulating a whole cell and keeping its outcome take, extrapolated from
/// running it for about `share`.
fn seconds_of(
    plan: &Plan,
    cell: Cell,
    share: Duration,
    keep: &mut impl FnMut(Cell, &Outcome),
) -> Result<(f64, f64), Problem> {
    let mut begin = Instant::now();
    let series = plan.keeps_series(cell);
    let prepared = plan.prepare(cell, series)?;
    let mut simulation = prepared.start()?;
    let set_up = lap(&mut begin, Instant::now());
    let duration = prepared.run.duration;
    let (mut is_over, mut events) = (false, 0);
    // Setting up many flows may take longer than the share: some events are tried all the same.
    while !is_over && (events == 0 || begin.elapsed() < share) {
        is_over = simulation.run_events(duration, EVENTS_BETWEEN_LOOKS);
        events += EVENTS_BETWEEN_LOOKS;
    }
    let run = lap(&mut begin, Instant::now());
    let time = simulation.now().0.max(1) as f64 / duration.0.max(1) as f64;
    let cost = prepared.run.cost();
    let part = part_of_run(time, events, cost.events);
    // Where cards will lose most of what they send, the beginning does not show it.
    let runs_like_it = match is_over {
        true => 1.0,
        false => (1.0 / part).max(cost.events_in_vain / events as f64),
    };
    let mut outcome = Outcome::of(&simulation.finish_now(), &prepared);
    let summed_up = lap(&mut begin, Instant::now());
    let mut time_of = |outcome: &Outcome| {
        let begin = Instant::now();
        keep(cell, outcome);
        begin.elapsed().as_secs_f64()
    };
    // Series grow with the time that is simulated, all else is as long after a part of it. Only
    // the first seed may have them.
    let with_series = time_of(&outcome);
    let seeds = plan.seeds.len() as f64;
    let cells_with_series = (0..plan.seeds.len()).filter(|seed| {
        let cell = Cell {
            seed: *seed,
            ..cell
        };
        plan.keeps_series(cell)
    });
    let share_with_series = cells_with_series.count() as f64 / seeds;
    outcome.series.clear();
    let without = time_of(&outcome);
    let of_series = (with_series - without).max(0.0) / part;
    Ok((
        (set_up + summed_up).as_secs_f64() + run.as_secs_f64() * runs_like_it,
        without + share_with_series * of_series,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Source, TraceFiles};

    #[test]
    fn keeping_is_tried_with_and_without_series_and_counted_for_every_cell() {
        let text = "duration = \"2 s\"\nseeds = 4\nschemes = [\"red\", \"codel\"]\n[flows.a]";
        let source = Source::new("s.toml", text, TraceFiles::default()).unwrap();
        let plan = source.plan().unwrap();
        let mut kept = Vec::new();
        let spent = Duration::from_millis(2);
        let keep = |cell: Cell, outcome: &Outcome| {
            kept.push((plan.number(cell), outcome.series.is_empty()));
            // Keeping takes at least as long as this thread spins.
            let begin = Instant::now();
            while begin.elapsed() < spent {}
        };
        let estimate = estimate(&plan, Duration::from_secs(60), keep).unwrap();
        // Each scheme once with its series, and once without.
        assert_eq!(kept, [(0, false), (0, true), (1, false), (1, true)]);
        assert!(
            estimate.keeping >= 8.0 * spent.as_secs_f64(),
            "{estimate:?}"
        );
        assert!(estimate.simulating > 0.0);
    }

    #[test]
    fn a_clock_that_is_set_back_shows_no_time() {
        let noon = Instant::now();
        let hour = Duration::from_secs(3600);
        let mut begin = noon;
        assert_eq!(lap(&mut begin, noon + hour), hour);
        assert_eq!(lap(&mut begin, noon), Duration::ZERO);
        assert_eq!(lap(&mut begin, noon + hour), hour);
    }

    #[test]
    fn a_burst_at_the_start_is_not_taken_for_the_whole_run() {
        // A millionth of the time, and an eighth of the events that are expected at most.
        assert_eq!(part_of_run(1e-6, 500_000, 1e6), 0.125);
        assert_eq!(part_of_run(0.5, 500_000, 1e6), 0.5);
        assert_eq!(part_of_run(1.0, 500_000, 10.0), 1.0);
    }

    #[test]
    fn one_thread_keeps_all_outcomes() {
        let of = |simulating, keeping, threads| {
            let estimate = Estimate {
                simulating,
                keeping,
            };
            estimate.on_threads(threads).as_secs_f64()
        };
        assert_eq!(of(8.0, 0.0, 4), 2.0);
        assert_eq!(of(8.0, 4.0, 1), 12.0);
        assert_eq!(of(8.0, 4.0, 2), 6.0);
        assert_eq!(
            of(8.0, 4.0, 8),
            4.0,
            "no less than one thread takes to keep them"
        );
    }
}
