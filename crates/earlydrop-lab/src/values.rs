//! The values of [numbers](Number) in the runs of a plan.

use std::collections::HashMap;

use crate::metrics::{self, Number};
use crate::rows::{CellRow, GroupRow};

/// The runs of a plan, by scheme and point.
pub struct Runs<'a> {
    cells: HashMap<(&'a str, usize), Vec<&'a CellRow>>,
    /// The groups of flows of each run.
    groups: HashMap<(usize, &'a str), &'a GroupRow>,
}

impl<'a> Runs<'a> {
    /// These runs, with what was measured of their groups.
    pub fn of(cells: &'a [CellRow], groups: &'a [GroupRow]) -> Runs<'a> {
        let mut by_key: HashMap<(&str, usize), Vec<&CellRow>> = HashMap::new();
        for cell in cells {
            let key = (cell.scheme.as_str(), cell.point);
            by_key.entry(key).or_default().push(cell);
        }
        let groups = groups.iter();
        Runs {
            cells: by_key,
            groups: groups
                .map(|row| ((row.cell, row.name.as_str()), row))
                .collect(),
        }
    }

    /// Whether a scheme has any run at a point.
    pub fn has_any(&self, scheme: &str, point: usize) -> bool {
        self.cells.contains_key(&(scheme, point))
    }

    /// A number of each run of a scheme at a point, with its seed.
    pub fn values(&self, number: &Number, scheme: &str, point: usize) -> Vec<(u64, f64)> {
        let runs = self.cells.get(&(scheme, point)).into_iter().flatten();
        let of_group = |cell: &CellRow, group: &str, index: usize| {
            let row = self.groups.get(&(cell.cell, group))?;
            Some((row.values[index]?, row.flows as f64))
        };
        let value = |cell: &CellRow| match number {
            Number::OfLink(index) => cell.values[*index],
            Number::OfGroup(index, group) => of_group(cell, group, *index).map(|(value, _)| value),
            Number::Ratio(one, other) => {
                let goodput = metrics::index_of_group("goodput")?;
                let (one, flows) = of_group(cell, one, goodput)?;
                let (other, others) = of_group(cell, other, goodput)?;
                (other > 0.0).then(|| one / flows / (other / others))
            }
        };
        runs.filter_map(|cell| Some((cell.seed, value(cell)?)))
            .collect()
    }

    /// Whether a number of a scheme at a point is a lower bound.
    pub fn is_bound(&self, number: &Number, scheme: &str, point: usize) -> bool {
        let Some(metric) = number.metric() else {
            return false;
        };
        let is_bound = |cell: &CellRow| {
            let value = |name: &str| match number {
                Number::OfGroup(_, group) => {
                    let row = self.groups.get(&(cell.cell, group.as_str()))?;
                    row.values[metrics::index_of_group(name)?]
                }
                _ => cell.values[metrics::index_of(name)?],
            };
            metric.is_lower_bound(value)
        };
        let mut runs = self.cells.get(&(scheme, point)).into_iter().flatten();
        runs.any(|cell| is_bound(cell))
    }
}
