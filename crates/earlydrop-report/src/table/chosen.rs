//! The numbers that a reader has chosen: a table of a point, or one of each number along a sweep.

use std::collections::HashMap;

use earlydrop_lab::metrics::Number;
use earlydrop_lab::plan::Plan;
use earlydrop_lab::summary::{GroupSummary, RankedMean, SchemeSummary, Summary};

use super::{Cell, Table, View, cell, marked_label};
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
    numbers.map(|number| along(plan, &values, number)).collect()
}

fn along(plan: &Plan, values: &Values<'_>, number: &Number) -> Table {
    let axes: Vec<&str> = plan.axes.iter().map(|axis| axis.name()).collect();
    let points = plan.points.iter().map(|point| {
        let texts = plan.axes.iter().zip(&point.coordinates);
        // A value keeps its unit beside it.
        let texts = texts.map(|(axis, index)| axis.text(*index).replace(' ', "\u{a0}"));
        texts.collect::<Vec<_>>().join(", ")
    });
    let row = |(scheme, label): (usize, &str)| {
        let cells = (0..plan.points.len()).map(|point| values.cell(number, scheme, point));
        let name = Cell::plain(label.to_string());
        [name].into_iter().chain(cells).collect()
    };
    let unit = match number.unit().0 {
        "" => String::new(),
        unit => format!(" ({unit})"),
    };
    let title = capital(&heading(number));
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
    let row = |row: &SchemeSummary| {
        let cells = numbers.iter();
        let cells = cells.map(|number| values.cell(number, row.scheme, point));
        let name = Cell::plain(marked_label(labels[row.scheme], row));
        [name].into_iter().chain(cells).collect()
    };
    let names = numbers.iter().map(|number| match number.unit().0 {
        "" => heading(number),
        unit => format!("{} {unit}", heading(number)),
    });
    Table {
        title: plan.point_label(point),
        header: ["scheme".to_string()].into_iter().chain(names).collect(),
        rows: rows.map(row).collect(),
    }
}

/// "queueing delay", "call end-to-end delay, 99%".
fn heading(number: &Number) -> String {
    let title = number.metric().map_or("", |metric| metric.title);
    match number {
        Number::OfGroup(_, group) => format!("{group} {title}"),
        Number::OfLink(_) | Number::Ratio(..) => title.to_string(),
    }
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

    fn cell(&self, number: &Number, scheme: usize, point: usize) -> Cell {
        let value: Option<&RankedMean> = match number {
            Number::OfLink(index) => {
                let row = self.of_links.get(&(scheme, point));
                row.and_then(|row| row.values[*index].as_ref())
            }
            Number::OfGroup(index, group) => {
                let row = self.of_groups.get(&(scheme, point, group.as_str()));
                row.and_then(|row| row.values[*index].as_ref())
            }
            Number::Ratio(..) => None,
        };
        let metric = number.metric();
        metric.map_or_else(
            || Cell::plain("-".to_string()),
            |metric| cell(value, metric),
        )
    }
}
