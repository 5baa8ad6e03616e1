//! Points of a sweep by the values of its axes.

use super::written::{At, Curve, Kind, Panel};
use crate::claims::is_same;
use earlydrop_lab::plan::Plan;

/// Values of axes: a field and its value.
pub(super) type Where<'a> = Vec<(&'a str, &'a str)>;

/// What is said of a place in several steps, the last first.
pub(super) fn place<'a>(parts: &[&'a At]) -> Where<'a> {
    let parts = parts.iter().flat_map(|at| at.iter());
    parts
        .map(|(field, value)| (field.name.as_str(), value.as_str()))
        .collect()
}

/// The point of a plan at these values; `None` where there is none, or are several.
pub(super) fn point(plan: &Plan, place: &Where<'_>) -> Option<usize> {
    let said = |field: &str| place.iter().find(|(known, _)| *known == field);
    let fits = |point: &usize| {
        let coordinates = &plan.points[*point].coordinates;
        let mut pairs = plan.axes.iter().zip(coordinates);
        pairs.all(|(axis, index)| {
            said(&axis.field).is_none_or(|(_, value)| is_same(&axis.texts()[*index], value))
        })
    };
    let mut found = (0..plan.points.len()).filter(fits);
    found.next().filter(|_| found.next().is_none())
}

/// The axes whose value neither a curve nor its panel says.
pub(super) fn undetermined(plan: &Plan, panel: &Panel, curve: &Curve) -> Vec<String> {
    let place = place(&[&curve.at, &panel.at]);
    let along = match panel.kind {
        Kind::Sweep(_) => panel.x.field.name.as_str(),
        _ => "",
    };
    let is_said = |field: &str| {
        field == along || field == curve.each.name || place.iter().any(|(said, _)| *said == field)
    };
    let axes = plan.axes.iter().map(|axis| axis.field.clone());
    axes.filter(|field| !is_said(field)).collect()
}

/// The place with one more value said.
pub(super) fn with<'a>(place: &Where<'a>, field: &'a str, value: &'a str) -> Where<'a> {
    let mut place = place.clone();
    place.push((field, value));
    place
}
