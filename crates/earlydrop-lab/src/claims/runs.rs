//! What a store holds of an experiment's runs, read once for all claims about it.

use std::collections::{BTreeMap, HashMap};

use super::measured::{Measured, Selector, Summing};
use crate::metrics;
use crate::outcome::Series;
use crate::plan::Plan;
use crate::statistics::Mean;
use crate::store::{CellRow, GroupRow, Store, StoreError};

/// The runs of a plan that a store holds.
pub struct Runs<'a> {
    plan: &'a Plan,
    store: &'a Store,
    cells: Vec<CellRow>,
    groups: Vec<GroupRow>,
    /// By name what was sampled at the watched link, with its cell: read when asked for.
    series: BTreeMap<String, Vec<(usize, Series)>>,
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
                let warm_up = self.plan.scenario().warm_up.as_secs_f64();
                let summed = |(cell, series): &(usize, Series)| {
                    let skipped = (warm_up / series.interval).ceil() as usize;
                    let measured = series.values.get(skipped..).unwrap_or(&[]);
                    Some((*cell, summed(measured, *summing)?))
                };
                self.series(name)?.iter().filter_map(summed).collect()
            }
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

    fn series(&mut self, name: &str) -> Result<&[(usize, Series)], StoreError> {
        if !self.series.contains_key(name) {
            let read = self.store.watched_series(name)?;
            self.series.insert(name.to_string(), read);
        }
        Ok(&self.series[name])
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
