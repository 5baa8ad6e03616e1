//! Finds the point of a plan at given values of its swept fields.

use earlydrop_lab::plan::Plan;

use crate::claims::is_same_value;
use crate::figures::{Coordinates, CurveSpec, PanelKind, PanelSpec};

/// Swept fields with a value each.
pub(super) type Values<'a> = Vec<(&'a str, &'a str)>;

/// The values of several coordinates, of which earlier ones come first.
pub(super) fn values<'a>(parts: &[&'a Coordinates]) -> Values<'a> {
    let parts = parts.iter().flat_map(|at| at.iter());
    parts
        .map(|(field, value)| (field.name.as_str(), value.as_str()))
        .collect()
}

/// The point of a plan at these values; `None` where there is none, or are several.
pub(super) fn point(plan: &Plan, values: &Values<'_>) -> Option<usize> {
    let given = |field: &str| values.iter().find(|(known, _)| *known == field);
    let fits = |point: &usize| {
        let coordinates = &plan.points[*point].coordinates;
        let mut pairs = plan.axes.iter().zip(coordinates);
        pairs.all(|(axis, index)| {
            given(&axis.field).is_none_or(|(_, value)| is_same_value(&axis.text(*index), value))
        })
    };
    let mut points = (0..plan.points.len()).filter(fits);
    points.next().filter(|_| points.next().is_none())
}

/// The swept fields whose value neither a curve nor its panel gives.
pub(super) fn undetermined(plan: &Plan, panel: &PanelSpec, curve: &CurveSpec) -> Vec<String> {
    let values = values(&[&curve.at, &panel.at]);
    let along = match panel.kind {
        PanelKind::Sweep => panel.x.field.name.as_str(),
        _ => "",
    };
    let is_given = |field: &str| {
        let mut fields = values.iter().map(|(field, _)| *field);
        field == along || field == curve.each.name || fields.any(|given| given == field)
    };
    let axes = plan.axes.iter().map(|axis| axis.field.clone());
    axes.filter(|field| !is_given(field)).collect()
}

/// These values with one more.
pub(super) fn with<'a>(values: &Values<'a>, field: &'a str, value: &'a str) -> Values<'a> {
    let mut values = values.clone();
    values.push((field, value));
    values
}
