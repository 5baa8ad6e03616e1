//! What a store holds of an experiment's runs, read once for all claims about it.

use std::collections::{BTreeMap, HashMap};

use super::measured::{Measured, Selector, Summing};
use earlydrop_lab::metrics;
use earlydrop_lab::outcome::Series;
use earlydrop_lab::plan::Plan;
use earlydrop_lab::rows::{CellRow, GroupRow};
use earlydrop_lab::statistics::Mean;
use earlydrop_lab::store::{Store, StoreError};

/// The runs of a plan that a store holds.
pub struct Runs<'a> {
    plan: &'a Plan,
    store: &'a Store,
    cells: Vec<CellRow>,
    groups: Vec<GroupRow>,
    /// By name what was sampled at the watched link, with its cell: read when asked for.
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
    pub fn measured(&mut self, selector: &Selector) -> Result<Measured, StoreError> {
        let found: HashMap<usize, f64> = match selector {
            Selector::Metric(name) => self.of_cells(name),
            Selector::Group(group, name) => self.of_group(group, name),
            Selector::Ratio(one, other, name) => {
                let others = self.of_group(other, name);
                let ones = self.of_group(one, name).into_iter();
                let ratios = ones.filter_map(|(cell, one)| Some((cell, one / others.get(&cell)?)));
                ratios.filter(|(_, ratio)| ratio.is_finite()).collect()
            }
            Selector::Series(name, summing) => {
                self.of_series([name], |[values]| summed(values, *summing))?
            }
            Selector::Apart(one, other) => self.of_series([one, other], apart)?,
            Selector::Rises(name, one, other) => self.of_series([name, one, other], rises)?,
        };
        Ok(self.placed(&found))
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

    /// What `sum` makes of these series of each cell that has them all, after the warm-up.
    fn of_series<const COUNT: usize>(
        &mut self,
        names: [&String; COUNT],
        sum: impl Fn([&[f64]; COUNT]) -> Option<f64>,
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
            Some((*cell, sum(all?.try_into().ok()?)?))
        };
        let cells = self.series[names[0]].keys();
        Ok(cells.filter_map(of_cell).collect())
    }

    /// Values of cells by scheme, point and seed.
    fn placed(&self, found: &HashMap<usize, f64>) -> Measured {
        let plan = self.plan;
        let labels = plan.labels();
        let mut values = HashMap::new();
        let mut runs: HashMap<u64, usize> = HashMap::new();
        for cell in &self.cells {
            let Some(scheme) = labels.iter().position(|label| *label == cell.scheme) else {
                continue;
            };
            *runs.entry(cell.seed).or_default() += 1;
            if let Some(value) = found.get(&cell.cell) {
                values.insert((scheme, cell.point, cell.seed), *value);
            }
        }
        // A cell is kept once: a seed has run everywhere when it has as many as places.
        let places = labels.len() * plan.points.len();
        let everywhere = |seed: &u64| runs.get(seed) == Some(&places);
        Measured {
            schemes: labels.iter().map(|label| (*label).to_string()).collect(),
            axes: (plan.axes.iter())
                .map(|axis| (axis.field.clone(), axis.texts()))
                .collect(),
            points: plan.points.iter().map(|p| p.coordinates.clone()).collect(),
            seeds: plan.seeds.iter().copied().filter(everywhere).collect(),
            values,
        }
    }
}

fn summed(values: &[f64], summing: Summing) -> Option<f64> {
    let finite: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    let mean = Mean::of(&finite)?.mean;
    let squares = finite
        .iter()
        .map(|value| (value - mean).powi(2))
        .sum::<f64>();
    match summing {
        Summing::Mean => Some(mean),
        Summing::Deviation => Some((squares / finite.len() as f64).sqrt()),
        Summing::Largest => finite.iter().copied().reduce(f64::max),
    }
}

/// How far two series lie apart, as a share of both together: the mean over all samples at
/// which there is something.
fn apart([one, other]: [&[f64]; 2]) -> Option<f64> {
    let pairs = one.iter().zip(other);
    let shares = pairs.map(|(one, other)| (one - other).abs() / (one + other));
    let shares: Vec<f64> = shares.filter(|share| share.is_finite()).collect();
    Mean::of(&shares).map(|mean| mean.mean)
}

/// The share of the first series' rises in intervals in which the second is above the third.
fn rises([values, one, other]: [&[f64]; 3]) -> Option<f64> {
    let steps = values.windows(2).zip(one.iter().zip(other).skip(1));
    let rises = steps.filter(|(step, _)| step[1] > step[0]);
    let above: Vec<f64> = rises
        .map(|(_, (one, other))| f64::from(u8::from(one > other)))
        .collect();
    Mean::of(&above).map(|mean| mean.mean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_side_by_side() {
        // 2 of 4 and 1 of 1; nothing at the last sample.
        assert_eq!(apart([&[3.0, 1.0, 0.0], &[1.0, 0.0, 0.0]]), Some(0.75));
        // It rises twice, once while the second is above.
        let (values, one) = ([1.0, 2.0, 2.0, 1.0, 3.0], [9.0, 9.0, 9.0, 9.0, 0.0]);
        assert_eq!(rises([&values, &one, &[1.0; 5]]), Some(0.5));
        assert_eq!(rises([&[1.0; 5], &one, &[1.0; 5]]), None);
    }
}
