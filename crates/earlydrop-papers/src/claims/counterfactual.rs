//! Runs as a paper claims them: our measurements with their means moved to the claimed ones.
//! The values of different seeds stay as far apart as they are in our runs.
//!
//! A test whose claim does not hold of our runs must hold of these. Else it could not have
//! shown the claim to be right.

use super::claim::{Restriction, Test};
use super::measurements::Measurements;
use super::missing::MissingData;

/// Moves the means of `measured` to what `test` claims. Where the paper says more, less or flat
/// and not by how much, the effect is `margin`, as a share.
pub(crate) fn as_claimed(
    test: &Test,
    measured: &Measurements,
    margin: f64,
) -> Result<Measurements, MissingData> {
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
        Test::Proportional {
            scheme, over, at, ..
        } => proportional(&mut claimed, scheme, over, at)?,
        Test::Spread {
            scheme,
            than,
            less,
            at,
        } => spread(&mut claimed, (scheme, than), *less, at, margin)?,
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
        Test::Undecidable { missing } => return Err(MissingData::NotInPaper(missing.clone())),
    }
    Ok(claimed)
}

/// The mean over a row of points.
fn mean_of_row(measured: &Measurements, scheme: usize, row: &[usize]) -> Result<f64, MissingData> {
    let means = row
        .iter()
        .map(|point| measured.require_mean(scheme, *point));
    let sum: Result<f64, MissingData> = means.sum();
    Ok(sum? / row.len() as f64)
}

fn indices(measured: &Measurements, names: &[String]) -> Result<Vec<usize>, MissingData> {
    let indices = names.iter().map(|name| measured.require_scheme(name));
    indices.collect()
}

/// Moves a scheme below the least (above the most) of the others by the margin.
fn ordered(
    claimed: &mut Measurements,
    (name, than): (&str, &[String]),
    less: bool,
    at: &Restriction,
    margin: f64,
) -> Result<(), MissingData> {
    let (own, others) = (claimed.require_scheme(name)?, indices(claimed, than)?);
    for point in claimed.points_at(at) {
        let means: Result<Vec<f64>, MissingData> = others
            .iter()
            .map(|other| claimed.require_mean(*other, point))
            .collect();
        let means = means?.into_iter();
        let to = match less {
            true => means.fold(f64::MAX, f64::min) * (1.0 - margin),
            false => means.fold(f64::MIN, f64::max) * (1.0 + margin),
        };
        if less && to <= 0.0 {
            return Err(MissingData::BelowZero(claimed.point_name(point)));
        }
        claimed.move_mean(own, point, to);
    }
    Ok(())
}

/// Moves a scheme to one mean along each row, and the last point of others that are flat off it.
fn flat(
    claimed: &mut Measurements,
    (name, than): (&str, &[String]),
    over: &str,
    at: &Restriction,
    margin: f64,
) -> Result<(), MissingData> {
    let (own, others) = (claimed.require_scheme(name)?, indices(claimed, than)?);
    for row in claimed.rows_at(over, at)? {
        let level = mean_of_row(claimed, own, &row)?;
        for point in &row {
            claimed.move_mean(own, *point, level);
        }
        for other in &others {
            let level = mean_of_row(claimed, *other, &row)?;
            let (first, last) = (row[0], row[row.len() - 1]);
            let apart =
                claimed.require_mean(*other, last)? - claimed.require_mean(*other, first)?;
            if apart.abs() < margin * level {
                claimed.move_mean(*other, first, level);
                claimed.move_mean(*other, last, level * (1.0 + margin));
            }
        }
    }
    Ok(())
}

/// Moves a scheme to one mean along a row, but at one index below it by the margin.
fn lower_at(
    claimed: &mut Measurements,
    own: usize,
    row: &[usize],
    (at, margin): (usize, f64),
) -> Result<(), MissingData> {
    let level = mean_of_row(claimed, own, row)?;
    for (place, point) in row.iter().enumerate() {
        let share = if place == at { 1.0 - margin } else { 1.0 };
        claimed.move_mean(own, *point, level * share);
    }
    Ok(())
}

/// Makes each row a valley with its lowest value in the middle.
fn valley(
    claimed: &mut Measurements,
    name: &str,
    over: &str,
    at: &Restriction,
    margin: f64,
) -> Result<(), MissingData> {
    let own = claimed.require_scheme(name)?;
    for row in claimed.rows_at(over, at)? {
        lower_at(claimed, own, &row, (row.len() / 2, margin))?;
    }
    Ok(())
}

/// Puts the lowest value at one end of the row for the first value of `with`, and at the other
/// end of all other rows.
fn moving_valley(
    claimed: &mut Measurements,
    name: &str,
    (over, with): (&str, &str),
    up: bool,
    margin: f64,
) -> Result<(), MissingData> {
    let own = claimed.require_scheme(name)?;
    let with = claimed.require_axis(with)?;
    for row in claimed.rows(claimed.require_axis(over)?) {
        let is_first = claimed.points[row[0]][with] == 0;
        let end = if is_first == up { 0 } else { row.len() - 1 };
        lower_at(claimed, own, &row, (end, margin))?;
    }
    Ok(())
}

/// Moves a scheme to a straight line through zero along each row.
fn proportional(
    claimed: &mut Measurements,
    name: &str,
    over: &str,
    at: &Restriction,
) -> Result<(), MissingData> {
    let own = claimed.require_scheme(name)?;
    let (axis, numbers) = (claimed.require_axis(over)?, claimed.axis_numbers(over)?);
    for row in claimed.rows_at(over, at)? {
        let x = row
            .iter()
            .map(|point| numbers[claimed.points[*point][axis]]);
        let x: Vec<f64> = x.collect();
        let slope = mean_of_row(claimed, own, &row)? * x.len() as f64 / x.iter().sum::<f64>();
        for (point, x) in row.iter().zip(&x) {
            claimed.move_mean(own, *point, slope * x);
        }
    }
    Ok(())
}

/// Moves the values of different seeds apart by the margin, as a share of their mean: the scheme's,
/// or the others' where the scheme's are to lie closer together.
fn spread(
    claimed: &mut Measurements,
    (name, than): (&str, &[String]),
    less: bool,
    at: &Restriction,
    margin: f64,
) -> Result<(), MissingData> {
    let (own, others) = (claimed.require_scheme(name)?, indices(claimed, than)?);
    let wide = if less { &others[..] } else { &[own] };
    for point in claimed.points_at(at) {
        for scheme in wide {
            let level = claimed.require_mean(*scheme, point)?;
            claimed.move_apart(*scheme, point, margin * level);
        }
    }
    Ok(())
}

/// Moves the value at `to` above (below) that at `from` by the margin.
fn trend(
    claimed: &mut Measurements,
    name: &str,
    (over, from, to): (&str, &str, &str),
    up: bool,
    at: &Restriction,
    margin: f64,
) -> Result<(), MissingData> {
    let own = claimed.require_scheme(name)?;
    let along = claimed.require_axis(over)?;
    let (first, last) = (
        claimed.require_axis_value(over, from)?,
        claimed.require_axis_value(over, to)?,
    );
    let share = if up { 1.0 + margin } else { 1.0 - margin };
    for row in claimed.rows_at(over, at)? {
        let point = |index: usize| row.iter().find(|p| claimed.points[**p][along] == index);
        if let (Some(first), Some(last)) = (point(first).copied(), point(last).copied()) {
            let level = claimed.require_mean(own, first)?;
            claimed.move_mean(own, last, level * share);
        }
    }
    Ok(())
}

/// Moves a scheme to one mean at every point of a restriction.
fn everywhere(
    claimed: &mut Measurements,
    name: &str,
    at: &Restriction,
    to: f64,
) -> Result<(), MissingData> {
    let own = claimed.require_scheme(name)?;
    for point in claimed.points_at(at) {
        claimed.move_mean(own, point, to);
    }
    Ok(())
}

/// Moves all other schemes to the mean of the first.
fn equal(
    claimed: &mut Measurements,
    names: &[String],
    at: &Restriction,
) -> Result<(), MissingData> {
    let all = indices(claimed, names)?;
    for point in claimed.points_at(at) {
        for other in all.iter().skip(1) {
            let level = claimed.require_mean(all[0], point)?;
            claimed.move_mean(*other, point, level);
        }
    }
    Ok(())
}

/// Moves a scheme to the value, and others that are nearer than the margin off it.
fn nearer(
    claimed: &mut Measurements,
    (name, than): (&str, &[String]),
    value: f64,
    at: &Restriction,
    margin: f64,
) -> Result<(), MissingData> {
    everywhere(claimed, name, at, value)?;
    for other in indices(claimed, than)? {
        for point in claimed.points_at(at) {
            let off = claimed.require_mean(other, point)? / value - 1.0;
            if off.abs() < margin {
                claimed.move_mean(other, point, value * (1.0 + margin));
            }
        }
    }
    Ok(())
}
