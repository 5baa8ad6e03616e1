//! Numbers that schemes are compared by, and their values in the runs of a plan.

use std::collections::HashMap;

use crate::metrics::{self, METRICS, Metric};
use crate::rows::{CellRow, GroupRow};

/// A number of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Number {
    /// A metric of the link and all flows, by its index in [`METRICS`].
    OfLink(usize),
    /// A metric of a group, by its index in [`metrics::of_groups`].
    OfGroup(usize, String),
    /// The goodput of a flow of the first group over that of a flow of the second.
    Ratio(String, String),
}

impl Number {
    /// Its metric; `None` for a ratio.
    pub fn metric(&self) -> Option<&'static Metric> {
        match self {
            Number::OfLink(index) => METRICS.get(*index),
            Number::OfGroup(index, _) => metrics::of_groups().nth(*index),
            Number::Ratio(..) => None,
        }
    }

    /// Its name in tables of differences: "delay_mean", "call.end_to_end_p99".
    pub fn name(&self) -> String {
        let name = self.metric().map_or("", |metric| metric.name);
        match self {
            Number::OfLink(_) => name.to_string(),
            Number::OfGroup(_, group) => format!("{group}.{name}"),
            Number::Ratio(one, other) => format!("{one}/{other}"),
        }
    }

    /// What it is, without a unit: "queueing delay", "goodput (tcp)".
    pub fn title(&self) -> String {
        let title = self.metric().map_or("", |metric| metric.title);
        match self {
            Number::OfLink(_) => title.to_string(),
            Number::OfGroup(_, group) => format!("{title} ({group})"),
            Number::Ratio(one, other) => format!("goodput of a flow of {one} over that of {other}"),
        }
    }

    /// The unit that it is shown in, and the factor to it.
    pub fn unit(&self) -> (&'static str, f64) {
        self.metric().map_or(("", 1.0), |one| (one.unit, one.scale))
    }
}

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
