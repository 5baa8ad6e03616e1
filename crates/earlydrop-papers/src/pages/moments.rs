//! When the queues of an experiment's schemes differ most.

use std::collections::HashMap;

use earlydrop_lab::outcome::Series;
use earlydrop_lab::plan::Plan;
use earlydrop_lab::rows::CellRow;
use earlydrop_lab::store::{Store, StoreError};

/// The queues of an experiment's runs with its first seed.
#[derive(Debug)]
pub(super) struct Moments {
    /// By scheme and point.
    queues: HashMap<(String, usize), Series>,
    /// Seconds.
    warm_up: f64,
}

impl Moments {
    /// Reads the runs of a plan that a store holds.
    pub(super) fn of(plan: &Plan, store: &Store) -> Result<Moments, StoreError> {
        let (cells, series) = (store.cells()?, store.watched_series("queue")?);
        let mut series: HashMap<usize, Series> = series.into_iter().collect();
        let first = cells.into_iter().filter(|cell| cell.seed == plan.seeds[0]);
        let queue = |cell: CellRow| Some(((cell.scheme, cell.point), series.remove(&cell.cell)?));
        Ok(Moments {
            queues: first.filter_map(queue).collect(),
            warm_up: plan.scenario().warm_up.as_secs_f64(),
        })
    }

    /// When the longest and the shortest of these schemes' queues differ most after the warm-up, in
    /// seconds: of one scheme, when its queue is longest. Where no queue was sampled, the end of the
    /// warm-up.
    pub(super) fn of_difference(&self, schemes: &[String], point: usize) -> f64 {
        let queues = schemes
            .iter()
            .map(|scheme| self.queues.get(&(scheme.clone(), point)));
        let queues: Vec<&Series> = queues.collect::<Option<_>>().unwrap_or_default();
        let Some(first) = queues.first() else {
            return self.warm_up;
        };
        let length = queues
            .iter()
            .map(|queue| queue.values.len())
            .min()
            .unwrap_or(0);
        let difference = |sample: usize| {
            let at = queues.iter().map(|queue| queue.values[sample]);
            let shortest = at.clone().fold(f64::INFINITY, f64::min);
            at.fold(0.0, f64::max) - if queues.len() > 1 { shortest } else { 0.0 }
        };
        let measured = ((self.warm_up / first.interval).ceil() as usize..length)
            .map(|sample| (sample, difference(sample)));
        let moment = measured.reduce(|most, next| if next.1 > most.1 { next } else { most });
        moment.map_or(self.warm_up, |(sample, _)| sample as f64 * first.interval)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_moment_is_when_the_queues_are_farthest_apart() {
        let queue = |scheme: &str, values: &[f64]| {
            let series = Series {
                source: "left to right".to_string(),
                name: "queue".to_string(),
                interval: 0.5,
                values: values.to_vec(),
            };
            ((scheme.to_string(), 0), series)
        };
        let moments = Moments {
            queues: HashMap::from([
                queue("red", &[0.0, 9.0, 3.0, 4.0, 3.0]),
                queue("droptail", &[9.0, 9.0, 5.0, 8.0, 9.0]),
                queue("clred", &[0.0, 0.0, 1.0, 4.0, 6.0, 0.0]),
            ]),
            warm_up: 0.6,
        };
        let at = |schemes: &[&str]| {
            let schemes: Vec<String> = schemes.iter().map(ToString::to_string).collect();
            moments.of_difference(&schemes, 0)
        };
        // The difference of 9 at the start is in the warm-up.
        assert_eq!(at(&["red", "droptail"]), 2.0);
        assert_eq!(at(&["red", "droptail", "clred"]), 2.0);
        assert_eq!(at(&["red"]), 1.5);
        assert_eq!(at(&["red", "pie"]), 0.6);
    }
}
