//! The metrics by which groups of flows are judged, beside those of the link: the same columns for
//! every picture and table.

use std::collections::HashMap;

use earlydrop_lab::metrics::{self, Felt, METRICS, Metric, Number};
use earlydrop_lab::plan::Plan;
use earlydrop_lab::rows::{CellRow, GroupRow};
use earlydrop_lab::scenario::Feels;
use earlydrop_lab::summary::{GroupSummary, SchemeSummary, Summary};

use super::data;
use super::gather::{estimates, metric, scheme_index};

/// The metrics by which the groups of a plan are judged.
pub(super) struct Judged {
    all: Vec<Felt>,
    columns: Vec<Column>,
}

/// A metric of a group.
struct Column {
    group: String,
    /// Index in [`metrics::of_groups`].
    index: usize,
    metric: &'static Metric,
}

/// Means that differ by less than this share of the largest are drawn on top of each other.
const APART: f64 = 0.02;

impl Judged {
    pub(super) fn of(plan: &Plan) -> Judged {
        let all = Felt::all(plan.scenario());
        let of_groups: Vec<&Metric> = metrics::of_groups().collect();
        let columns = all.iter().flat_map(|felt| {
            let of_index = |index: &usize| Column {
                group: felt.group.clone(),
                index: *index,
                metric: of_groups[*index],
            };
            felt.metrics.iter().map(of_index).collect::<Vec<_>>()
        });
        let columns = columns.collect();
        Judged { all, columns }
    }

    /// For each group, the indices of its metrics among those of groups.
    pub(super) fn felt(&self) -> Vec<data::GroupFelt> {
        let of_group = |felt: &Felt| data::GroupFelt {
            group: felt.group.clone(),
            metrics: felt.metrics.clone(),
        };
        self.all.iter().map(of_group).collect()
    }

    /// The index of a number among a page's metrics: those of the link, then those of groups.
    pub(super) fn index_of(&self, number: &Number) -> Option<usize> {
        match number {
            Number::OfLink(index) => Some(*index),
            Number::OfGroup(index, group) => {
                let is_it = |column: &Column| (column.index, &column.group) == (*index, group);
                Some(METRICS.len() + self.columns.iter().position(is_it)?)
            }
            Number::Ratio(..) => None,
        }
    }

    /// "calls.end_to_end_p99", and so on.
    pub(super) fn metrics(&self) -> impl Iterator<Item = data::Metric> {
        self.columns.iter().map(|column| data::Metric {
            name: format!("{}.{}", column.group, column.metric.name).into(),
            title: format!("{}: {}", column.group, column.metric.title).into(),
            group: Some(column.group.clone()),
            headline: false,
            ..metric(column.metric)
        })
    }

    /// The means of each scheme at each point: of the link, then of groups.
    pub(super) fn rows(&self, summary: &Summary) -> Vec<data::SchemeSummary> {
        let row = |row: &SchemeSummary| {
            let mut values = estimates(&row.values, METRICS);
            values.extend(self.columns.iter().flat_map(|column| {
                let here = |one: &&GroupSummary| {
                    (one.scheme, one.point) == (row.scheme, row.point) && one.name == column.group
                };
                let group = summary.groups.iter().find(here);
                let value = group.and_then(|group| group.values[column.index]);
                estimates(&[value], [column.metric])
            }));
            data::SchemeSummary {
                scheme: row.scheme,
                point: row.point,
                seeds: row.seeds,
                values,
            }
        };
        summary.rows.iter().map(row).collect()
    }

    /// The single runs, with the same values.
    pub(super) fn cells(&self, plan: &Plan, summary: &Summary) -> Vec<data::Cell> {
        let groups = summary.group_cells.iter();
        let groups: HashMap<(usize, &str), &GroupRow> = groups
            .map(|row| ((row.cell, row.name.as_str()), row))
            .collect();
        let cell = |row: &CellRow| {
            let of_groups = self.columns.iter().map(|column| {
                let group = groups.get(&(row.cell, column.group.as_str()))?;
                group.values[column.index]
            });
            data::Cell {
                cell: row.cell,
                scheme: scheme_index(plan, &row.scheme),
                point: row.point,
                seed: row.seed,
                values: row.values.iter().copied().chain(of_groups).collect(),
            }
        };
        summary.cells.iter().map(cell).collect()
    }

    /// The axes of the first picture: what the first group that waits feels, against what the first
    /// group that wants a rate gets. Without such groups, the delay of the link against the first
    /// of its figures that tells the schemes apart.
    pub(super) fn scatter(&self, summary: &Summary) -> Option<[usize; 2]> {
        let first = |wanted: &dyn Fn(Feels) -> bool, which: usize| {
            let felt = self.all.iter().find(|felt| wanted(felt.feels))?;
            let index = *felt.metrics.get(which)?;
            let is_it = |column: &Column| column.group == felt.group && column.index == index;
            let at = METRICS.len() + self.columns.iter().position(is_it)?;
            let rows = self.rows(summary);
            rows.iter()
                .any(|row| row.values[at].is_some())
                .then_some(at)
        };
        let lateness = first(&|feels| feels == Feels::Lateness, 0);
        // Of times to completion, the 99th percentile.
        let waits = |feels| matches!(feels, Feels::Waiting | Feels::Slowdown | Feels::Rounds);
        let x = lateness.or_else(|| first(&waits, 1));
        let y = first(&|feels| feels == Feels::Rate, 0);
        let delay = metrics::index_of("delay_mean");
        let fairness = first(&|feels| feels == Feels::Rate, 1);
        match (x, y) {
            (Some(x), Some(y)) => Some([x, y]),
            (Some(x), None) => Some([x, metrics::index_of("utilisation")?]),
            (None, _) => Some([delay?, self.telling(summary, fairness)?]),
        }
    }

    /// The first of utilisation, fairness and loss whose means differ visibly; utilisation if none
    /// does.
    fn telling(&self, summary: &Summary, fairness: Option<usize>) -> Option<usize> {
        let rows = self.rows(summary);
        let tells = |index: &usize| {
            let means = rows
                .iter()
                .filter_map(|row| Some(row.values[*index].as_ref()?.mean));
            let (low, high) = means.fold((f64::INFINITY, 0.0_f64), |(low, high), mean| {
                (low.min(mean), high.max(mean))
            });
            high - low > APART * high
        };
        let utilisation = metrics::index_of("utilisation")?;
        let mut candidates = [Some(utilisation), fairness, metrics::index_of("loss")]
            .into_iter()
            .flatten();
        Some(candidates.find(tells).unwrap_or(utilisation))
    }
}
