//! Places of an experiment that a test names: schemes, axes, points and rows of points.

use earlydrop::units::Quantity;

use super::measured::Measured;
use super::paper::At;

/// Why nothing can be compared.
pub(super) type Missing = String;

/// The scheme of this name.
pub(super) fn scheme(measured: &Measured, name: &str) -> Result<usize, Missing> {
    let found = measured.scheme(name);
    found.ok_or_else(|| format!("no scheme {name} was run"))
}

/// The axis of this field.
pub(super) fn axis(measured: &Measured, field: &str) -> Result<usize, Missing> {
    let found = measured.axis(field);
    found.ok_or_else(|| format!("{field} was not swept"))
}

/// Which value of an axis is this one.
pub(super) fn index(measured: &Measured, field: &str, text: &str) -> Result<usize, Missing> {
    let mut values = measured.axes[axis(measured, field)?].1.iter();
    let found = values.position(|value| is_same(value, text));
    found.ok_or_else(|| format!("{field} = {text} was not run"))
}

/// A scheme's values at a point, by seed.
pub(super) fn values(
    measured: &Measured,
    scheme: usize,
    point: usize,
) -> Result<Vec<f64>, Missing> {
    let found = measured.values(scheme, point).filter(|v| !v.is_empty());
    found.ok_or_else(|| {
        let place = measured.place(point);
        format!("{} at {place} was not measured", measured.schemes[scheme])
    })
}

/// A scheme's values along a row of points: of each, by seed.
pub(super) fn along(
    measured: &Measured,
    scheme: usize,
    row: &[usize],
) -> Result<Vec<Vec<f64>>, Missing> {
    let of_points = row.iter().map(|point| values(measured, scheme, *point));
    of_points.collect()
}

/// The points that `at` asks for, of those that were run.
pub(super) fn points(measured: &Measured, at: &At) -> Vec<usize> {
    let wanted = |point: &usize| {
        at.iter().all(|(field, wanted)| {
            measured.axis(field).is_some_and(|axis| {
                let index = measured.points[*point][axis];
                let value = &measured.axes[axis].1[index];
                wanted.iter().any(|wanted| is_same(wanted, value))
            })
        })
    };
    (0..measured.points.len()).filter(wanted).collect()
}

/// Whether two texts are one value: "1" and "1.0", "50 ms" and "0.05 s".
pub(crate) fn is_same(one: &str, other: &str) -> bool {
    match (one.parse::<Quantity>(), other.parse::<Quantity>()) {
        (Ok(one), Ok(other)) => one == other,
        _ => one == other,
    }
}

/// The rows along an axis, of each the points that `at` asks for.
pub(super) fn rows(measured: &Measured, over: &str, at: &At) -> Result<Vec<Vec<usize>>, Missing> {
    let wanted = points(measured, at);
    let mut rows = measured.rows(axis(measured, over)?);
    for row in &mut rows {
        row.retain(|point| wanted.contains(point));
    }
    rows.retain(|row| !row.is_empty());
    Ok(rows)
}

/// A row in words, without the axis it runs along.
pub(super) fn row_place(measured: &Measured, over: &str, row: &[usize]) -> String {
    let all = measured.place(row[0]);
    let others = all
        .split(", ")
        .filter(|part| !part.starts_with(&format!("{over} = ")));
    others.collect::<Vec<_>>().join(", ")
}

/// The numbers along an axis.
pub(super) fn numbers(measured: &Measured, over: &str) -> Result<Vec<f64>, Missing> {
    let (_, texts) = &measured.axes[axis(measured, over)?];
    let number = |text: &String| text.parse::<Quantity>().map(|q| q.amount);
    let numbers: Result<Vec<f64>, _> = texts.iter().map(number).collect();
    numbers.map_err(|_| format!("{over} has values that are no numbers"))
}

/// Both in words, with a comma between them.
pub(super) fn place(what: &str, place: &str) -> String {
    if place.is_empty() {
        return what.to_string();
    }
    format!("{what}, {place}")
}
