//! Measures: the numbers by which a part of a suite is answered.

use crate::metrics::{self, Better, METRICS, Metric, Number};
use crate::plan::Plan;
use crate::rows::Rows;
use crate::statistics::Mean;
use crate::summary::{RankedMean, Summary};
use crate::values::Runs;

/// A number by which schemes are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// A metric, by its name.
    Of(&'static str),
    /// A metric of a group of flows.
    OfGroup(&'static str, &'static str),
    /// The goodput of a flow of the first group over that of a flow of the second; neither more
    /// nor less is better.
    PerFlowRatio(&'static str, &'static str),
}

/// A measure's value for one scheme at one point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Value {
    /// The scheme's index.
    pub scheme: usize,
    /// The point's index.
    pub point: usize,
    /// The value in base units, and how it compares with the best.
    pub ranked: RankedMean,
}

const GOODPUT: &str = "goodput";

impl Measure {
    /// Its heading without a unit: "queueing delay", "goodput (tcp)".
    pub fn title(&self) -> String {
        self.number().map_or(String::new(), |number| number.title())
    }

    /// The unit it is shown in, and the factor to it.
    pub fn unit(&self) -> (&'static str, f64) {
        self.number().map_or(("", 1.0), |number| number.unit())
    }

    /// What it is, in words; empty for a ratio, whose title says it.
    pub fn meaning(&self) -> &'static str {
        let metric = self.number().and_then(|number| number.metric());
        metric.map_or("", |metric| metric.meaning)
    }

    /// The number that it is; `None` where there is no such metric.
    fn number(&self) -> Option<Number> {
        Some(match self {
            Measure::Of(name) => Number::OfLink(metrics::index_of(name)?),
            Measure::OfGroup(name, group) => {
                Number::OfGroup(metrics::index_of_group(name)?, group.to_string())
            }
            Measure::PerFlowRatio(one, other) => Number::Ratio(one.to_string(), other.to_string()),
        })
    }

    /// Which values are better.
    pub fn better(&self) -> Better {
        match self {
            Measure::Of(name) => metric(name).map_or(Better::Neither, |metric| metric.better),
            // What one group gains, another may lose.
            Measure::OfGroup(name, _) if *name == GOODPUT => Better::Neither,
            Measure::OfGroup(name, _) => {
                metric(name).map_or(Better::Neither, |metric| metric.better)
            }
            Measure::PerFlowRatio(..) => Better::Neither,
        }
    }

    /// Its values for all schemes at all points where it was measured, point by point.
    pub fn values(&self, plan: &Plan, rows: &Rows, summary: &Summary) -> Vec<Value> {
        match self {
            Measure::Of(name) => {
                let index = metrics::index_of(name);
                let value = |row: &crate::summary::SchemeSummary| {
                    Some(Value {
                        scheme: row.scheme,
                        point: row.point,
                        ranked: row.values[index?]?,
                    })
                };
                summary.rows.iter().filter_map(value).collect()
            }
            Measure::OfGroup(name, group) => {
                let index = metrics::of_groups().position(|metric| metric.name == *name);
                let value = |row: &crate::summary::GroupSummary| {
                    Some(Value {
                        scheme: row.scheme,
                        point: row.point,
                        ranked: row.values[index?]?,
                    })
                };
                let rows = summary.groups.iter().filter(|row| row.name == *group);
                rows.filter_map(value).collect()
            }
            Measure::PerFlowRatio(..) => {
                let runs = Runs::of(&rows.cells, &rows.groups);
                let labels = plan.labels();
                let value = |row: &crate::summary::SchemeSummary| {
                    let values = runs.values(&self.number()?, labels[row.scheme], row.point);
                    let ratios: Vec<f64> = values.into_iter().map(|(_, ratio)| ratio).collect();
                    Some(Value {
                        scheme: row.scheme,
                        point: row.point,
                        ranked: RankedMean::alone(Mean::of(&ratios)?),
                    })
                };
                summary.rows.iter().filter_map(value).collect()
            }
        }
    }

    /// Whether its metric and its groups exist.
    #[cfg(test)]
    pub(super) fn is_known(&self, groups: &[&str]) -> bool {
        match self.number() {
            None => false,
            Some(Number::OfLink(_)) => true,
            Some(Number::OfGroup(_, group)) => groups.contains(&group.as_str()),
            Some(Number::Ratio(one, other)) => {
                groups.contains(&one.as_str()) && groups.contains(&other.as_str())
            }
        }
    }
}

fn metric(name: &str) -> Option<&'static Metric> {
    metrics::index_of(name).map(|index| &METRICS[index])
}
