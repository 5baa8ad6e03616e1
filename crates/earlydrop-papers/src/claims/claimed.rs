//! What would have been measured had a paper been right: the means are those it claims,
//! and the values lie as far apart from seed to seed as they do in our runs.
//!
//! A claim that does not hold of our runs must hold of these, or its test could not tell.

use super::measured::Measured;
use super::paper::{At, Test};
use super::places::{Missing, axis, index, numbers, points, rows, scheme};

/// `measured` as the paper has it; where that says more, less or flat and not by how much,
/// by this `margin`, as a share.
pub(super) fn as_claimed(
    test: &Test,
    measured: &Measured,
    margin: f64,
) -> Result<Measured, Missing> {
    let mut claimed = measured.clone();
    match test {
        Test::Ordering {
            scheme,
            than,
            less,
            at,
            ..
        } => ordered(&mut claimed, (scheme, than), *less, at, margin)?,
        Test::Range {
            scheme,
            than,
            over,
            at,
        } => flat(&mut claimed, (scheme, than), over, at, margin)?,
        Test::MinimumInside { scheme, over, at } => valley(&mut claimed, scheme, over, at, margin)?,
        Test::MinimumMoves {
            scheme,
            over,
            with,
            up,
        } => moving_valley(&mut claimed, scheme, (over, with), *up, margin)?,
        Test::Proportional { scheme, over, .. } => proportional(&mut claimed, scheme, over)?,
        Test::Trend {
            scheme,
            over,
            from,
            to,
            up,
            at,
        } => trend(&mut claimed, scheme, (over, from, to), *up, at, margin)?,
        Test::Between {
            scheme,
            low,
            high,
            at,
        } => everywhere(&mut claimed, scheme, at, (low + high) / 2.0)?,
        Test::Value {
            scheme, value, at, ..
        } => everywhere(&mut claimed, scheme, at, *value)?,
        Test::Equal { schemes, at, .. } => equal(&mut claimed, schemes, at)?,
        Test::Nearer {
            scheme,
            than,
            value,
            at,
        } => nearer(&mut claimed, (scheme, than), *value, at, margin)?,
        Test::Undecidable { missing } => return Err(missing.clone()),
    }
    Ok(claimed)
}

fn mean(measured: &Measured, scheme: usize, point: usize) -> Result<f64, Missing> {
    let found = measured.mean(scheme, point);
    found.ok_or_else(|| format!("{} was not measured", measured.schemes[scheme]))
}

/// The mean over a row of points.
fn mean_of_row(measured: &Measured, scheme: usize, row: &[usize]) -> Result<f64, Missing> {
    let means = row.iter().map(|point| mean(measured, scheme, *point));
    let sum: Result<f64, Missing> = means.sum();
    Ok(sum? / row.len() as f64)
}

fn indices(measured: &Measured, names: &[String]) -> Result<Vec<usize>, Missing> {
    names.iter().map(|name| scheme(measured, name)).collect()
}

/// Below the least (above the most) of the others.
fn ordered(
    claimed: &mut Measured,
    (name, than): (&str, &[String]),
    less: bool,
    at: &At,
    margin: f64,
) -> Result<(), Missing> {
    let (own, others) = (scheme(claimed, name)?, indices(claimed, than)?);
    for point in points(claimed, at) {
        let means: Result<Vec<f64>, Missing> = others
            .iter()
            .map(|other| mean(claimed, *other, point))
            .collect();
        let means = means?.into_iter();
        let to = match less {
            true => means.fold(f64::MAX, f64::min) * (1.0 - margin),
            false => means.fold(f64::MIN, f64::max) * (1.0 + margin),
        };
        if less && to <= 0.0 {
            let place = claimed.place(point);
            return Err(format!("nothing is below the other at {place}: it is zero"));
        }
        claimed.move_mean(own, point, to);
    }
    Ok(())
}

/// The same all along the axis; the others off at its end, where they are flat.
fn flat(
    claimed: &mut Measured,
    (name, than): (&str, &[String]),
    over: &str,
    at: &At,
    margin: f64,
) -> Result<(), Missing> {
    let (own, others) = (scheme(claimed, name)?, indices(claimed, than)?);
    for row in rows(claimed, over, at)? {
        let level = mean_of_row(claimed, own, &row)?;
        for point in &row {
            claimed.move_mean(own, *point, level);
        }
        for other in &others {
            let level = mean_of_row(claimed, *other, &row)?;
            let (first, last) = (row[0], row[row.len() - 1]);
            let apart = mean(claimed, *other, last)? - mean(claimed, *other, first)?;
            if apart.abs() < margin * level {
                claimed.move_mean(*other, first, level);
                claimed.move_mean(*other, last, level * (1.0 + margin));
            }
        }
    }
    Ok(())
}

/// The same all along a row but at one place, which is lower.
fn lower_at(
    claimed: &mut Measured,
    own: usize,
    row: &[usize],
    (at, margin): (usize, f64),
) -> Result<(), Missing> {
    let level = mean_of_row(claimed, own, row)?;
    for (place, point) in row.iter().enumerate() {
        let share = if place == at { 1.0 - margin } else { 1.0 };
        claimed.move_mean(own, *point, level * share);
    }
    Ok(())
}

fn valley(
    claimed: &mut Measured,
    name: &str,
    over: &str,
    at: &At,
    margin: f64,
) -> Result<(), Missing> {
    let own = scheme(claimed, name)?;
    for row in rows(claimed, over, at)? {
        lower_at(claimed, own, &row, (row.len() / 2, margin))?;
    }
    Ok(())
}

/// Lowest at one end for the first value of the other axis, at the other for all else.
fn moving_valley(
    claimed: &mut Measured,
    name: &str,
    (over, with): (&str, &str),
    up: bool,
    margin: f64,
) -> Result<(), Missing> {
    let own = scheme(claimed, name)?;
    let with = axis(claimed, with)?;
    for row in claimed.rows(axis(claimed, over)?) {
        let is_first = claimed.points[row[0]][with] == 0;
        let end = if is_first == up { 0 } else { row.len() - 1 };
        lower_at(claimed, own, &row, (end, margin))?;
    }
    Ok(())
}

fn proportional(claimed: &mut Measured, name: &str, over: &str) -> Result<(), Missing> {
    let own = scheme(claimed, name)?;
    let x = numbers(claimed, over)?;
    for row in claimed.rows(axis(claimed, over)?) {
        let slope = mean_of_row(claimed, own, &row)? * x.len() as f64 / x.iter().sum::<f64>();
        for (point, x) in row.iter().zip(&x) {
            claimed.move_mean(own, *point, slope * x);
        }
    }
    Ok(())
}

/// At the end above the beginning, or below.
fn trend(
    claimed: &mut Measured,
    name: &str,
    (over, from, to): (&str, &str, &str),
    up: bool,
    at: &At,
    margin: f64,
) -> Result<(), Missing> {
    let own = scheme(claimed, name)?;
    let along = axis(claimed, over)?;
    let (first, last) = (index(claimed, over, from)?, index(claimed, over, to)?);
    let share = if up { 1.0 + margin } else { 1.0 - margin };
    for row in rows(claimed, over, at)? {
        let point = |index: usize| row.iter().find(|p| claimed.points[**p][along] == index);
        if let (Some(first), Some(last)) = (point(first).copied(), point(last).copied()) {
            let level = mean(claimed, own, first)?;
            claimed.move_mean(own, last, level * share);
        }
    }
    Ok(())
}

fn everywhere(claimed: &mut Measured, name: &str, at: &At, to: f64) -> Result<(), Missing> {
    let own = scheme(claimed, name)?;
    for point in points(claimed, at) {
        claimed.move_mean(own, point, to);
    }
    Ok(())
}

fn equal(claimed: &mut Measured, names: &[String], at: &At) -> Result<(), Missing> {
    let all = indices(claimed, names)?;
    for point in points(claimed, at) {
        for other in all.iter().skip(1) {
            let level = mean(claimed, all[0], point)?;
            claimed.move_mean(*other, point, level);
        }
    }
    Ok(())
}

/// At the value; the others off it by the margin, where they are nearer.
fn nearer(
    claimed: &mut Measured,
    (name, than): (&str, &[String]),
    value: f64,
    at: &At,
    margin: f64,
) -> Result<(), Missing> {
    everywhere(claimed, name, at, value)?;
    for other in indices(claimed, than)? {
        for point in points(claimed, at) {
            let off = mean(claimed, other, point)? / value - 1.0;
            if off.abs() < margin {
                claimed.move_mean(other, point, value * (1.0 + margin));
            }
        }
    }
    Ok(())
}
