//! Ranges of values: `{ from, to, step }` and `{ from, to, points, scale }`.

use std::collections::HashSet;

use earlydrop::units::{BitsPerSec, Bytes, Dimension, Nanos, Quantity};

use super::{MAX_VALUES, meaning};
use crate::document::{Content, Node};

/// What can be given for a field.
pub(super) const RANGES: &str =
    "allowed: a list of values, { from, to, step }, or { from, to, points }";

/// The fields of a range.
const RANGE: &[&str] = &["from", "to", "step", "points", "scale"];

/// Whether a table is a range of values rather than one of fields.
pub(super) fn is_range(node: &Node) -> bool {
    let is_value = |name: &&str| node.at(&[name]).is_some_and(|node| node.text().is_some());
    RANGE.iter().any(is_value)
}

/// A message and help.
type RangeError = (String, String);

/// The values of `{ from, to, step }` or `{ from, to, points, scale = "log" }`.
pub(super) fn range(node: &Node, path: &str) -> Result<Vec<Node>, RangeError> {
    let wrong = |what: String| (format!("`{path}`: {what}"), RANGES.to_string());
    let amounts = range_amounts(node).map_err(wrong)?;
    let (dimension, amounts) = amounts;
    let value = |amount| Node {
        content: content(amount, dimension),
        place: node.place.clone(),
    };
    let mut values: Vec<Node> = amounts.into_iter().map(value).collect();
    // Whole bytes, bits per second and nanoseconds may be fewer than the points of a range.
    let mut known = HashSet::new();
    values.retain(|value| known.insert(meaning(value)));
    Ok(values)
}

/// The values of a range in base units, and their dimension.
fn range_amounts(node: &Node) -> Result<(Option<Dimension>, Vec<f64>), String> {
    let Content::Table(entries) = &node.content else {
        return Err("not a range".to_string());
    };
    let mut keys = entries.iter().map(|(key, _)| key.name.as_str());
    if let Some(unknown) = keys.find(|key| !RANGE.contains(key)) {
        return Err(format!("a range has no `{unknown}`"));
    }
    let (from, to) = bounds(node)?;
    let (has_step, has_points) = (node.at(&["step"]).is_some(), node.at(&["points"]).is_some());
    let scale = node.at(&["scale"]);
    if has_step && (has_points || scale.is_some()) {
        return Err("a range by steps has neither `points` nor `scale`".to_string());
    }
    let amounts = if has_step {
        let step = range_quantity(node, "step")?;
        if step.dimension != from.dimension {
            return Err("`step` is of another kind than `from` and `to`".to_string());
        }
        steps(from.amount, to.amount, step.amount)?
    } else if has_points {
        let count = range_quantity(node, "points")?;
        points(from, to, count, scale.and_then(Node::text))?
    } else {
        return Err("a range without `step` or `points`".to_string());
    };
    Ok((from.dimension, amounts))
}

/// The bounds of a range, both of one dimension.
fn bounds(node: &Node) -> Result<(Quantity, Quantity), String> {
    let (mut from, mut to) = (range_quantity(node, "from")?, range_quantity(node, "to")?);
    // A zero without a unit has any dimension.
    let adopt = |zero: &mut Quantity, other: Quantity| {
        if zero.amount == 0.0 && zero.dimension.is_none() {
            zero.dimension = other.dimension;
        }
    };
    adopt(&mut from, to);
    adopt(&mut to, from);
    if from.dimension != to.dimension {
        return Err("`from` and `to` are of different kinds".to_string());
    }
    Ok((from, to))
}

fn range_quantity(node: &Node, name: &str) -> Result<Quantity, String> {
    let text = node.at(&[name]).and_then(Node::text);
    let text = text.ok_or_else(|| format!("a range without `{name}`"))?;
    let quantity = text.parse::<Quantity>();
    quantity.map_err(|error| format!("{name} = \"{text}\" {error}"))
}

fn steps(from: f64, to: f64, step: f64) -> Result<Vec<f64>, String> {
    let count = (to - from) / step;
    if step == 0.0 || count.is_nan() || count < 0.0 {
        return Err(format!("steps of {step} do not lead from {from} to {to}"));
    }
    if count >= MAX_VALUES as f64 {
        return Err(format!("too many values: {count:.0}; at most {MAX_VALUES}"));
    }
    // A step may not divide the span exactly in binary: a billionth of a step is tolerated.
    let count = (count + 1e-9).floor() as usize;
    let at = |index: usize| match index {
        0 => from,
        _ => without_error(from + step * index as f64, from.abs().max(to.abs())),
    };
    Ok((0..=count).map(at).collect())
}

/// A sum of amounts up to `largest` that is zero but for the error of binary numbers as zero.
fn without_error(sum: f64, largest: f64) -> f64 {
    match sum.abs() < 1e-12 * largest {
        true => 0.0,
        false => sum,
    }
}

fn points(
    from: Quantity,
    to: Quantity,
    points: Quantity,
    scale: Option<String>,
) -> Result<Vec<f64>, String> {
    let count = points.amount;
    let whole = points.dimension.is_none() && count.fract() == 0.0;
    if !whole || !(2.0..=MAX_VALUES as f64).contains(&count) {
        return Err(format!(
            "points = {count} is not a whole number from 2 to {MAX_VALUES}"
        ));
    }
    let log = match scale.as_deref() {
        None | Some("linear") => false,
        Some("log") => true,
        Some(other) => return Err(format!("scale = \"{other}\" is neither linear nor log")),
    };
    let (first, last) = (from.amount, to.amount);
    if log && (first <= 0.0 || last <= 0.0) {
        return Err("a logarithmic scale needs values above zero".to_string());
    }
    // Between whole numbers, values are whole: half a flow cannot be run.
    let round = from.dimension.is_none() && first.fract() == 0.0 && last.fract() == 0.0;
    let at = |index: usize| {
        let share = index as f64 / (count - 1.0);
        let value = match (log, index) {
            (_, 0) => first,
            (true, _) => first * (last / first).powf(share),
            (false, _) => {
                let sum = first + (last - first) * share;
                without_error(sum, first.abs().max(last.abs()))
            }
        };
        if round { value.round() } else { value }
    };
    Ok((0..count as usize).map(at).collect())
}

/// An amount with its unit, as in a scenario.
fn content(amount: f64, dimension: Option<Dimension>) -> Content {
    // The twelve digits that binary arithmetic leaves right, of the smallest number too.
    let rounded = format!("{amount:.11e}").parse().unwrap_or(amount);
    let text = match dimension {
        Some(Dimension::Time) => Nanos::from_secs_f64(amount).to_string(),
        Some(Dimension::Data) => Bytes(amount.round() as u64).to_string(),
        Some(Dimension::Rate) => BitsPerSec(amount.round() as u64).to_string(),
        Some(Dimension::Packets) => format!("{rounded} packets"),
        Some(Dimension::Plain) | None => return Content::Number(rounded.to_string()),
    };
    Content::Text(text)
}
