//! The x axes of pictures that have a row for each scheme: single flows, and differences.

use super::{View, axis, extent, spans_decades};
use crate::figure::PlotAxis;
use crate::run_report::data::{Baseline, Flow};
use crate::words::capital;

/// A quantity of single flows: its name, its unit, the factor to it, and the value.
pub(super) type FlowMeasure = (&'static str, &'static str, f64, fn(&Flow) -> f64);

/// What a reader can choose to see of single flows.
pub(super) const FLOW_MEASURES: [FlowMeasure; 3] = [
    ("throughput", "Mbps", 1e-6, |flow| flow.throughput),
    ("goodput", "Mbps", 1e-6, |flow| flow.goodput),
    ("loss", "%", 100.0, |flow| flow.loss),
];

/// The axis of a quantity of the single flows at the point shown.
pub(super) fn flow_axis(view: &View<'_>, (name, unit, scale, of): &FlowMeasure) -> PlotAxis {
    let flows = view.data.flows.iter();
    let own = flows.filter(|flow| flow.point == view.point);
    let values: Vec<f64> = own.map(|flow| of(flow) * scale).collect();
    let is_log = spans_decades(&values, 100.0);
    let label = format!("{} ({unit})", capital(name));
    let mut axis = axis(label, &values, is_log);
    if !is_log {
        axis.range.0 = axis.range.0.min(0.0);
    }
    axis
}

/// The axis of the differences in a compared metric at the point shown, with zero on it. One scheme
/// far from all others would press these onto the line at zero: the axis ends before it.
pub(super) fn difference_axis(view: &View<'_>, baseline: &Baseline, column: usize) -> PlotAxis {
    let metric = &view.data.metrics[baseline.metrics[column]];
    let rows = baseline.rows.iter().filter(|row| row.point == view.point);
    let values = rows.filter_map(|row| row.values[column].as_ref());
    let mut ends: Vec<f64> = values
        .flat_map(|one| [-1.0, 1.0].map(|side| one.mean + side * one.half.unwrap_or(0.0)))
        .map(|end| end * metric.scale)
        .collect();
    ends.sort_by(|one, other| one.abs().total_cmp(&other.abs()));
    if let Some(usual) = ends.get(ends.len().saturating_sub(1) * 4 / 5).copied() {
        ends.retain(|end| usual == 0.0 || end.abs() <= 4.0 * usual.abs());
    }
    let (low, high) = extent(&ends).unwrap_or((0.0, 1.0));
    let (low, high) = (low.min(0.0), high.max(0.0));
    // A symbol at an end is whole.
    let room = 0.03 * (high - low);
    let unit = match metric.unit {
        "" => String::new(),
        "%" => " (percentage points)".to_string(),
        unit => format!(" ({unit})"),
    };
    let ends = [
        if low < 0.0 { low - room } else { 0.0 },
        if high > 0.0 { high + room } else { 0.0 },
    ];
    axis(
        format!("Difference in {}{unit}", metric.title),
        &ends,
        false,
    )
}
