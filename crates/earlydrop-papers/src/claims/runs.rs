//! Reads measurements from the store of an experiment.

use std::collections::{BTreeMap, HashMap};

use earlydrop_lab::metrics;
use earlydrop_lab::outcome::Series;
use earlydrop_lab::plan::Plan;
use earlydrop_lab::rows::{CellRow, GroupRow};
use earlydrop_lab::statistics::Mean;
use earlydrop_lab::store::{Store, StoreError};

use super::measurements::Measurements;
use super::selector::{Selector, SeriesStatistic};

/// The runs of a plan that a store holds. Their rows are read once for all claims.
pub struct Runs<'a> {
    plan: &'a Plan,
    store: &'a Store,
    cells: Vec<CellRow>,
    groups: Vec<GroupRow>,
    /// Series of the watched link by name and cell; each name is read when a selector needs it.
    series: BTreeMap<String, HashMap<usize, Series>>,
}

impl<'a> Runs<'a> {
    /// Reads what `store` holds of `plan`.
    pub fn of(plan: &'a Plan, store: &'a Store) -> Result<Runs<'a>, StoreError> {
        Ok(Runs {
            plan,
            store,
            cells: store.cells()?,
            groups: store.groups()?,
            series: BTreeMap::new(),
        })
    }

    /// One number of every run.
    pub fn measurements(&mut self, selector: &Selector) -> Result<Measurements, StoreError> {
        let by_cell: HashMap<usize, f64> = match selector {
            Selector::Metric(name) => self.of_cells(name),
            Selector::Group(group, name) => self.of_group(group, name),
            Selector::Ratio(one, other, name) => {
                let others = self.of_group(other, name);
                let ones = self.of_group(one, name).into_iter();
                let ratios = ones.filter_map(|(cell, one)| Some((cell, one / others.get(&cell)?)));
                ratios.filter(|(_, ratio)| ratio.is_finite()).collect()
            }
            Selector::Sum(one, other, name) => {
                let others = self.of_group(other, name);
                let ones = self.of_group(one, name).into_iter();
                ones.filter_map(|(cell, one)| Some((cell, one + others.get(&cell)?)))
                    .collect()
            }
            Selector::Root(name) => {
                let values = self.of_cells(name).into_iter();
                values.map(|(cell, value)| (cell, value.sqrt())).collect()
            }
            Selector::Count(name) => {
                let seconds = self.seconds_measured();
                let rates = self.of_cells(name).into_iter();
                rates.map(|(cell, rate)| (cell, rate * seconds)).collect()
            }
            Selector::Mathis(group) => self.mathis(group),
            Selector::Series(name, statistic) => {
                self.of_series([name], |interval, [values]| match statistic {
                    SeriesStatistic::Settling => settling(values, interval),
                    other => statistic_of(values, *other),
                })?
            }
            Selector::Apart(one, other) => {
                self.of_series([one, other], |_, series| apart(series))?
            }
            Selector::Rises(name, one, other) => {
                self.of_series([name, one, other], |_, series| rises(series))?
            }
            Selector::Within(name, bounds) => self.of_series([name], |_, [values]| {
                let inside = values
                    .iter()
                    .filter(|value| bounds.contain(**value))
                    .count();
                (!values.is_empty()).then(|| inside as f64 / values.len() as f64)
            })?,
            Selector::Until(one, other, wait) => {
                let warm_up = self.plan.scenario().warm_up.as_secs_f64();
                self.of_series([one, other], |interval, series| {
                    wait.seconds(interval, warm_up, series)
                })?
            }
            Selector::Detection(detection) => {
                self.of_series(detection.series(), |_, series| detection.rate_of(series))?
            }
        };
        Ok(self.by_scheme_point_and_seed(&by_cell))
    }

    fn of_cells(&self, name: &str) -> HashMap<usize, f64> {
        let index = metrics::index_of(name);
        let value = |cell: &CellRow| Some((cell.cell, cell.values[index?]?));
        self.cells.iter().filter_map(value).collect()
    }

    fn of_group(&self, group: &str, name: &str) -> HashMap<usize, f64> {
        let index = metrics::of_groups().position(|metric| metric.name == name);
        let of_group = self.groups.iter().filter(|row| row.name == group);
        let value = |row: &GroupRow| Some((row.cell, row.values[index?]?));
        of_group.filter_map(value).collect()
    }

    /// The time of a run after its warm-up.
    fn seconds_measured(&self) -> f64 {
        let scenario = self.plan.scenario();
        (scenario.duration - scenario.warm_up).as_secs_f64()
    }

    /// sqrt(p) R T of a group in each cell; empty where the size of segments is swept.
    fn mathis(&self, name: &str) -> HashMap<usize, f64> {
        let mut groups = self.plan.scenario().groups.iter();
        let group = groups.find(|group| &*group.name == name);
        let is_swept = (self.plan.axes.iter()).any(|axis| axis.field.ends_with("segment"));
        let (Some(group), false) = (group, is_swept) else {
            return HashMap::new();
        };
        let bits = 8.0 * group.packet().0 as f64;
        let flows = self.groups.iter().filter(|row| row.name == name);
        let flows: HashMap<usize, f64> = flows.map(|row| (row.cell, row.flows as f64)).collect();
        let (losses, rates) = (
            self.of_group(name, "loss"),
            self.of_group(name, "throughput"),
        );
        let times = self.of_group(name, "round_trip_mean").into_iter();
        let constant = |(cell, time): (usize, f64)| {
            let rate = rates.get(&cell)? / bits / flows.get(&cell)?;
            Some((cell, losses.get(&cell)?.sqrt() * rate * time))
        };
        times.filter_map(constant).collect()
    }

    /// Applies `statistic` to these series, after the warm-up, of each cell that has them all,
    /// and to the seconds between samples.
    fn of_series<const COUNT: usize>(
        &mut self,
        names: [&String; COUNT],
        statistic: impl Fn(f64, [&[f64]; COUNT]) -> Option<f64>,
    ) -> Result<HashMap<usize, f64>, StoreError> {
        for name in names {
            if !self.series.contains_key(name) {
                let read = self.store.watched_series(name)?.into_iter().collect();
                self.series.insert(name.clone(), read);
            }
        }
        let warm_up = self.plan.scenario().warm_up.as_secs_f64();
        let measured = |name: &String, cell: &usize| -> Option<&[f64]> {
            let series = self.series[name].get(cell)?;
            let skipped = (warm_up / series.interval).ceil() as usize;
            series.values.get(skipped..)
        };
        let of_cell = |cell: &usize| {
            let all: Option<Vec<&[f64]>> = names.iter().map(|name| measured(name, cell)).collect();
            let interval = self.series[names[0]].get(cell)?.interval;
            Some((*cell, statistic(interval, all?.try_into().ok()?)?))
        };
        let cells = self.series[names[0]].keys();
        Ok(cells.filter_map(of_cell).collect())
    }

    /// Sorts the values of cells by scheme, point and seed.
    fn by_scheme_point_and_seed(&self, by_cell: &HashMap<usize, f64>) -> Measurements {
        let plan = self.plan;
        let labels = plan.labels();
        let mut measured = Measurements::of(plan);
        for cell in &self.cells {
            let Some(scheme) = labels.iter().position(|label| *label == cell.scheme) else {
                continue;
            };
            let run = (scheme, cell.point, cell.seed);
            measured.runs.insert(run);
            if let Some(value) = by_cell.get(&cell.cell) {
                measured.values.insert(run, *value);
            }
        }
        let points: Vec<usize> = (0..plan.points.len()).collect();
        let everywhere = measured.places(&labels, &points);
        measured.keep_seeds_of(&everywhere, &plan.seeds);
        measured
    }
}

fn statistic_of(values: &[f64], statistic: SeriesStatistic) -> Option<f64> {
    let finite: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    match statistic {
        SeriesStatistic::Mean => Some(Mean::of(&finite)?.mean),
        SeriesStatistic::Deviation => deviation(&finite),
        SeriesStatistic::LaterDeviation => deviation(second_half(&finite)),
        SeriesStatistic::Largest => finite.iter().copied().reduce(f64::max),
        SeriesStatistic::Settling => None,
    }
}

fn deviation(values: &[f64]) -> Option<f64> {
    let mean = Mean::of(values)?.mean;
    let squares = values.iter().map(|value| (value - mean).powi(2));
    Some((squares.sum::<f64>() / values.len() as f64).sqrt())
}

fn second_half(values: &[f64]) -> &[f64] {
    &values[values.len() / 2..]
}

/// The seconds until a value is within [`SETTLED`] of the mean of the second half, as a share of
/// it. The first such value counts: an average of random arrivals may leave that band again.
fn settling(values: &[f64], interval: f64) -> Option<f64> {
    let later = Mean::of(second_half(values))?.mean;
    let settled = |value: &f64| (value - later).abs() <= SETTLED * later.abs();
    Some(values.iter().position(settled)? as f64 * interval)
}

/// How near to the later mean a series has settled, as a share of it.
const SETTLED: f64 = 0.1;

/// The mean of |a - b| / (a + b) over the samples of two series at which a + b is not zero.
fn apart([one, other]: [&[f64]; 2]) -> Option<f64> {
    let pairs = one.iter().zip(other);
    let shares = pairs.map(|(one, other)| (one - other).abs() / (one + other));
    let shares: Vec<f64> = shares.filter(|share| share.is_finite()).collect();
    Mean::of(&shares).map(|mean| mean.mean)
}

/// The share of the first series' increases that fall into intervals in which the second series
/// is above the third; 0 where it never increases.
fn rises([values, one, other]: [&[f64]; 3]) -> Option<f64> {
    let steps = values.windows(2).zip(one.iter().zip(other).skip(1));
    let rises = steps.filter(|(step, _)| step[1] > step[0]);
    let above: Vec<f64> = rises
        .map(|(_, (one, other))| f64::from(u8::from(one > other)))
        .collect();
    Some(Mean::of(&above).map_or(0.0, |mean| mean.mean))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settling_is_the_first_time_near_the_later_mean() {
        // 20 is the later mean: 18.1 is within 10% of it, 17.9 is not.
        let values = [0.0, 17.9, 18.1, 30.0, 19.0, 21.0, 19.0, 21.0];
        assert_eq!(settling(&values, 0.5), Some(1.0));
        assert_eq!(settling(&[0.0, 9.0, 0.0, 9.0], 0.5), None, "never near 4.5");
        let later = statistic_of(&values, SeriesStatistic::LaterDeviation);
        assert_eq!(later, Some(1.0));
        assert_ne!(statistic_of(&values, SeriesStatistic::Deviation), later);
    }

    #[test]
    fn series_side_by_side() {
        // 2 of 4 and 1 of 1; nothing at the last sample.
        assert_eq!(apart([&[3.0, 1.0, 0.0], &[1.0, 0.0, 0.0]]), Some(0.75));
        // It rises twice, once while the second is above.
        let (values, one) = ([1.0, 2.0, 2.0, 1.0, 3.0], [9.0, 9.0, 9.0, 9.0, 0.0]);
        assert_eq!(rises([&values, &one, &[1.0; 5]]), Some(0.5));
        assert_eq!(rises([&[1.0; 5], &one, &[1.0; 5]]), Some(0.0));
    }
}
