//! The numbers that a reader has chosen: a table of a point, or one of each number along a sweep.

use std::collections::HashMap;

use earlydrop_lab::metrics::{Metric, Number};
use earlydrop_lab::plan::Plan;
use earlydrop_lab::summary::{GroupSummary, RankedMean, SchemeSummary, Summary};

use super::{Cell, Column, Table, View, cell, marked_label, name_groups, of_columns, with_group};
use crate::words::capital;

/// Whether chosen numbers stand along the sweep; those of live runs do not, of which each point has
/// figures of its own.
pub(super) fn is_along_sweep(plan: &Plan, summary: &Summary, view: &View) -> bool {
    let is_live = summary.rows.iter().any(|row| row.live.is_some());
    view.metrics.is_some() && plan.points.len() > 1 && !is_live
}

/// A table for each number that a reader has chosen of a sweep: "Loss (%), by network.rtt", a row for
/// each scheme, a column for each point. None where nothing was chosen or swept.
pub fn along_sweep(plan: &Plan, summary: &Summary, view: &View) -> Vec<Table> {
    let is_along = is_along_sweep(plan, summary, view);
    let chosen = view.metrics.as_deref().filter(|_| is_along);
    let values = Values::of(summary);
    let numbers = chosen.unwrap_or_default().iter();
    let tables = numbers.filter_map(|number| Some(along(plan, &values, number, number.metric()?)));
    tables.collect()
}

fn along(plan: &Plan, values: &Values<'_>, number: &Number, metric: &Metric) -> Table {
    let axes: Vec<&str> = plan.axes.iter().map(|axis| axis.name()).collect();
    let points = plan.points.iter().map(|point| {
        let texts = plan.axes.iter().zip(&point.coordinates);
        // A value keeps its unit beside it.
        let texts = texts.map(|(axis, index)| axis.text(*index).replace(' ', "\u{a0}"));
        texts.collect::<Vec<_>>().join(", ")
    });
    let row = |(scheme, label): (usize, &str)| {
        let value = |point| values.value(number, scheme, point);
        let cells = (0..plan.points.len()).map(|point| cell(value(point), metric));
        let name = Cell::plain(label.to_string());
        [name].into_iter().chain(cells).collect()
    };
    let unit = match metric.unit {
        "" => String::new(),
        unit => format!(" ({unit})"),
    };
    let title = capital(&with_group(number, metric.title));
    Table {
        title: format!("{title}{unit}, by {}", axes.join(", ")),
        header: ["scheme".to_string()].into_iter().chain(points).collect(),
        rows: plan.labels().into_iter().enumerate().map(row).collect(),
    }
}

/// These numbers of every scheme at a point.
pub(super) fn at_point(plan: &Plan, summary: &Summary, numbers: &[Number], point: usize) -> Table {
    let values = Values::of(summary);
    let labels = plan.labels();
    let rows = summary.rows.iter().filter(|row| row.point == point);
    let rows = rows.map(|row| {
        let own = numbers.iter();
        let own = own.map(|number| values.value(number, row.scheme, point).copied());
        (marked_label(labels[row.scheme], row), own.collect())
    });
    let rows: Vec<(String, Vec<Option<RankedMean>>)> = rows.collect();
    let columns = numbers.iter().enumerate();
    let columns = columns.filter_map(|(index, number)| Some((index, number.metric()?)));
    let columns: Vec<Column<'_>> = columns.collect();
    let lines = rows.iter();
    let lines = lines.map(|(label, values)| (label.clone(), values.as_slice()));
    let mut table = of_columns(plan.point_label(point), &columns, lines, cell);
    name_groups(&mut table, &columns, numbers);
    table
}

/// What was measured, by scheme and point.
struct Values<'a> {
    of_links: HashMap<(usize, usize), &'a SchemeSummary>,
    of_groups: HashMap<(usize, usize, &'a str), &'a GroupSummary>,
}

impl Values<'_> {
    fn of(summary: &Summary) -> Values<'_> {
        let links = summary.rows.iter();
        let groups = summary.groups.iter();
        Values {
            of_links: links.map(|row| ((row.scheme, row.point), row)).collect(),
            of_groups: groups
                .map(|row| ((row.scheme, row.point, row.name.as_str()), row))
                .collect(),
        }
    }

    fn value(&self, number: &Number, scheme: usize, point: usize) -> Option<&RankedMean> {
        match number {
            Number::OfLink(index) => self.of_links.get(&(scheme, point))?.values[*index].as_ref(),
            Number::OfGroup(index, group) => {
                let row = self.of_groups.get(&(scheme, point, group.as_str()))?;
                row.values[*index].as_ref()
            }
            Number::Ratio(..) => None,
        }
    }
}
