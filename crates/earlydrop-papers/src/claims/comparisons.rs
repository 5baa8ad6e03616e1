//! What a claim comes to: comparisons whose values, seed by seed, are above zero where the
//! claim is right.
//!
//! All are shares of what is compared with, so that an effect of 0.1 is ten per cent.

use super::measured::Measured;
use super::paper::{At, Test};
use super::places::{
    Missing, along, axis, index, numbers, place, points, row_place, rows, scheme, values,
};
use earlydrop_lab::statistics::Mean;

/// One comparison of a claim.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Where, and with what: "with gred, network.rtt = 50 ms".
    pub place: String,
    /// For each seed by how much the claim is right; below zero: wrong.
    pub by_seed: Vec<f64>,
}

impl Comparison {
    /// The mean with its 95% interval.
    pub fn mean(&self) -> Option<Mean> {
        Mean::of(&self.by_seed)
    }

    /// Where, without what it is compared with: "network.rtt = 50 ms".
    pub fn setting(&self) -> &str {
        self.place
            .split_once(", ")
            .map_or("", |(_, setting)| setting)
    }

    /// Whether the interval lies above zero: the runs bear the claim out.
    pub fn is_borne_out(&self) -> bool {
        self.mean()
            .is_some_and(|mean| mean.mean > 0.0 && (mean.excludes_zero() || self.is_certain()))
    }

    /// Always the same, and so without a doubt; several seeds must say so.
    fn is_certain(&self) -> bool {
        self.by_seed.len() > 1 && self.by_seed.iter().all(|value| *value == self.by_seed[0])
    }
}

/// The comparisons of a test over what was measured.
pub(super) fn comparisons(test: &Test, measured: &Measured) -> Result<Vec<Comparison>, Missing> {
    match test {
        Test::Ordering {
            scheme,
            than,
            less,
            tolerance,
            at,
        } => ordering(measured, (scheme, than), (*less, *tolerance), at),
        Test::Range {
            scheme,
            than,
            over,
            at,
        } => ranges(measured, (scheme, than), over, at),
        Test::MinimumInside { scheme, over, at } => minimum_inside(measured, scheme, over, at),
        Test::MinimumMoves {
            scheme,
            over,
            with,
            up,
        } => minimum_moves(measured, scheme, (over, with), *up),
        Test::Proportional {
            scheme,
            over,
            tolerance,
        } => proportional(measured, scheme, over, *tolerance),
        Test::Trend {
            scheme,
            over,
            from,
            to,
            up,
            at,
        } => trend(measured, scheme, (over, from, to), *up, at),
        Test::Between {
            scheme,
            low,
            high,
            at,
        } => between(measured, scheme, (*low, *high), at),
        Test::Equal {
            schemes,
            tolerance,
            at,
        } => equal(measured, schemes, *tolerance, at),
        Test::Value {
            scheme,
            value,
            tolerance,
            at,
        } => value_is(measured, scheme, *value, *tolerance, at),
        Test::Nearer {
            scheme,
            than,
            value,
            at,
        } => nearer(measured, (scheme, than), *value, at),
        Test::Undecidable { missing } => Err(missing.clone()),
    }
}

/// What is compared, as a share of the mean of `whole`; as it is where that is zero.
fn shares(differences: Vec<f64>, whole: &[f64]) -> Vec<f64> {
    let mean = whole.iter().sum::<f64>() / whole.len() as f64;
    let scale = if mean == 0.0 { 1.0 } else { mean.abs() };
    differences.into_iter().map(|value| value / scale).collect()
}

fn ordering(
    measured: &Measured,
    (name, than): (&str, &[String]),
    (less, tolerance): (bool, f64),
    at: &At,
) -> Result<Vec<Comparison>, Missing> {
    let sign = if less { 1.0 } else { -1.0 };
    against_each(measured, (name, than), at, |place, mine, theirs| {
        let pairs = theirs.iter().zip(mine);
        let differences = pairs.map(|(theirs, mine)| sign * (theirs - mine)).collect();
        let shares = shares(differences, theirs).into_iter();
        let by_seed = shares.map(|share| share + tolerance).collect();
        Comparison { place, by_seed }
    })
}

/// A comparison of a scheme with each other at each point, from the values of both by seed.
fn against_each(
    measured: &Measured,
    (name, others): (&str, &[String]),
    at: &At,
    compared: impl Fn(String, &[f64], &[f64]) -> Comparison,
) -> Result<Vec<Comparison>, Missing> {
    let own = scheme(measured, name)?;
    let mut list = Vec::new();
    for other in others {
        let index = scheme(measured, other)?;
        for point in points(measured, at) {
            let mine = values(measured, own, point)?;
            let theirs = values(measured, index, point)?;
            let place = place(&format!("with {other}"), &measured.place(point));
            list.push(compared(place, &mine, &theirs));
        }
    }
    Ok(list)
}

/// The largest minus the smallest value along a row of points, for each seed.
fn range(measured: &Measured, scheme: usize, row: &[usize]) -> Result<Vec<f64>, Missing> {
    let along = along(measured, scheme, row)?;
    let of_seed = |seed: usize| {
        let values = || along.iter().map(|values| values[seed]);
        values().fold(f64::MIN, f64::max) - values().fold(f64::MAX, f64::min)
    };
    Ok((0..measured.seeds.len()).map(of_seed).collect())
}

fn ranges(
    measured: &Measured,
    (name, than): (&str, &[String]),
    over: &str,
    at: &At,
) -> Result<Vec<Comparison>, Missing> {
    let own = scheme(measured, name)?;
    let mut list = Vec::new();
    for other in than {
        let index = scheme(measured, other)?;
        for row in rows(measured, over, at)? {
            let (mine, theirs) = (range(measured, own, &row)?, range(measured, index, &row)?);
            let pairs = theirs.iter().zip(&mine);
            let differences = pairs.map(|(theirs, mine)| theirs - mine).collect();
            list.push(Comparison {
                place: place(&format!("with {other}"), &row_place(measured, over, &row)),
                by_seed: shares(differences, &theirs),
            });
        }
    }
    Ok(list)
}

/// The index of the smallest of a seed's values along a row.
fn smallest(along: &[Vec<f64>], seed: usize) -> usize {
    let values = along.iter().map(|values| values[seed]).enumerate();
    let least = values.min_by(|(_, a), (_, b)| a.total_cmp(b));
    least.map_or(0, |(index, _)| index)
}

/// The point inside is chosen by the mean over all seeds, which favours it a little.
fn minimum_inside(
    measured: &Measured,
    name: &str,
    over: &str,
    at: &At,
) -> Result<Vec<Comparison>, Missing> {
    let own = scheme(measured, name)?;
    let mut list = Vec::new();
    for row in rows(measured, over, at)? {
        if row.len() < 3 {
            return Err(format!("{over} has fewer than three values"));
        }
        let along = along(measured, own, &row)?;
        let mean = |index: usize| along[index].iter().sum::<f64>();
        let inside = (1..row.len() - 1).min_by(|a, b| mean(*a).total_cmp(&mean(*b)));
        let inside = &along[inside.unwrap_or(1)];
        // What matters is the lower end.
        let (end, what) = match mean(0) < mean(row.len() - 1) {
            true => (0, "first"),
            false => (row.len() - 1, "last"),
        };
        let differences = along[end]
            .iter()
            .zip(inside)
            .map(|(end, least)| end - least);
        list.push(Comparison {
            place: place(
                &format!("against the {what}"),
                &row_place(measured, over, &row),
            ),
            by_seed: shares(differences.collect(), &along[end]),
        });
    }
    Ok(list)
}

/// How many values of `over` the smallest moves from the first to the last value of `with`.
fn minimum_moves(
    measured: &Measured,
    name: &str,
    (over, with): (&str, &str),
    up: bool,
) -> Result<Vec<Comparison>, Missing> {
    let own = scheme(measured, name)?;
    let with_axis = axis(measured, with)?;
    let rows = measured.rows(axis(measured, over)?);
    let last = measured.axes[with_axis].1.len() - 1;
    let at = |index: usize| {
        let mut rows = rows.iter();
        rows.find(|row| measured.points[row[0]][with_axis] == index)
            .ok_or_else(|| format!("{with} was not swept"))
    };
    let (first, last) = (
        along(measured, own, at(0)?)?,
        along(measured, own, at(last)?)?,
    );
    let sign = if up { 1.0 } else { -1.0 };
    let moved = |seed: usize| {
        let (from, to) = (smallest(&first, seed) as f64, smallest(&last, seed) as f64);
        sign * (to - from)
    };
    Ok(vec![Comparison {
        place: format!("from the first to the last {with}"),
        by_seed: (0..measured.seeds.len()).map(moved).collect(),
    }])
}

/// How close the slope of logarithms (least squares) is to 1.
fn proportional(
    measured: &Measured,
    name: &str,
    over: &str,
    tolerance: f64,
) -> Result<Vec<Comparison>, Missing> {
    let own = scheme(measured, name)?;
    let x: Vec<f64> = numbers(measured, over)?.iter().map(|x| x.ln()).collect();
    let mut list = Vec::new();
    for row in measured.rows(axis(measured, over)?) {
        let along = along(measured, own, &row)?;
        let slope = |seed: usize| {
            let y: Vec<f64> = along.iter().map(|values| values[seed].ln()).collect();
            let count = y.len() as f64;
            let (mean_x, mean_y) = (x.iter().sum::<f64>() / count, y.iter().sum::<f64>() / count);
            let together: f64 = x
                .iter()
                .zip(&y)
                .map(|(x, y)| (x - mean_x) * (y - mean_y))
                .sum();
            together / x.iter().map(|x| (x - mean_x).powi(2)).sum::<f64>()
        };
        let close = |seed| tolerance - (slope(seed) - 1.0).abs();
        list.push(Comparison {
            place: place("slope", &row_place(measured, over, &row)),
            by_seed: (0..measured.seeds.len()).map(close).collect(),
        });
    }
    Ok(list)
}

fn trend(
    measured: &Measured,
    name: &str,
    (over, from, to): (&str, &str, &str),
    up: bool,
    at: &At,
) -> Result<Vec<Comparison>, Missing> {
    let own = scheme(measured, name)?;
    let along = axis(measured, over)?;
    let (first, last) = (index(measured, over, from)?, index(measured, over, to)?);
    let sign = if up { 1.0 } else { -1.0 };
    let mut list = Vec::new();
    for row in rows(measured, over, at)? {
        let point = |index: usize| row.iter().find(|p| measured.points[**p][along] == index);
        let (Some(first), Some(last)) = (point(first), point(last)) else {
            continue;
        };
        let (first, last) = (
            values(measured, own, *first)?,
            values(measured, own, *last)?,
        );
        let differences = last
            .iter()
            .zip(&first)
            .map(|(last, first)| sign * (last - first));
        list.push(Comparison {
            place: place(&format!("{from} to {to}"), &row_place(measured, over, &row)),
            by_seed: shares(differences.collect(), &first),
        });
    }
    Ok(list)
}

fn between(
    measured: &Measured,
    name: &str,
    (low, high): (f64, f64),
    at: &At,
) -> Result<Vec<Comparison>, Missing> {
    let own = scheme(measured, name)?;
    let mut list = Vec::new();
    for point in points(measured, at) {
        let values = values(measured, own, point)?;
        let width = high - low;
        let above: Vec<f64> = values.iter().map(|value| (value - low) / width).collect();
        let below: Vec<f64> = values.iter().map(|value| (high - value) / width).collect();
        // What matters is the nearer bound.
        let (what, by_seed) = match above.iter().sum::<f64>() < below.iter().sum() {
            true => (format!("above {low}"), above),
            false => (format!("below {high}"), below),
        };
        list.push(Comparison {
            place: place(&what, &measured.place(point)),
            by_seed,
        });
    }
    Ok(list)
}

fn equal(
    measured: &Measured,
    schemes: &[String],
    tolerance: f64,
    at: &At,
) -> Result<Vec<Comparison>, Missing> {
    let Some((first, others)) = schemes.split_first() else {
        return Err("no schemes to compare".to_string());
    };
    against_each(measured, (first, others), at, |place, mine, theirs| {
        let differences = mine.iter().zip(theirs).map(|(mine, theirs)| mine - theirs);
        within(place, &shares(differences.collect(), theirs), tolerance)
    })
}

fn value_is(
    measured: &Measured,
    name: &str,
    value: f64,
    tolerance: f64,
    at: &At,
) -> Result<Vec<Comparison>, Missing> {
    let own = scheme(measured, name)?;
    let mut list = Vec::new();
    for point in points(measured, at) {
        let relative: Vec<f64> = values(measured, own, point)?
            .iter()
            .map(|found| found / value - 1.0)
            .collect();
        let where_ = place(&format!("{value} printed"), &measured.place(point));
        list.push(within(where_, &relative, tolerance));
    }
    Ok(list)
}

/// By how much values are nearer to one than others', as a share of it.
fn nearer(
    measured: &Measured,
    (name, than): (&str, &[String]),
    value: f64,
    at: &At,
) -> Result<Vec<Comparison>, Missing> {
    let off = |found: &f64| (found - value).abs() / value.abs();
    against_each(measured, (name, than), at, |place, mine, theirs| {
        let pairs = theirs.iter().zip(mine);
        let by_seed = pairs
            .map(|(theirs, mine)| off(theirs) - off(mine))
            .collect();
        Comparison { place, by_seed }
    })
}

/// What was found at the first point where a number was printed.
pub(super) fn found(test: &Test, measured: &Measured) -> Option<Mean> {
    let Test::Value { scheme, at, .. } = test else {
        return None;
    };
    let point = *points(measured, at).first()?;
    Mean::of(&measured.values(measured.scheme(scheme)?, point)?)
}

/// By how much values are within the tolerance, on the side where they are off: two
/// one-sided tests, of which the other side's is passed by more.
fn within(place: String, relative: &[f64], tolerance: f64) -> Comparison {
    let sign = if relative.iter().sum::<f64>() > 0.0 {
        -1.0
    } else {
        1.0
    };
    Comparison {
        place,
        by_seed: relative
            .iter()
            .map(|share| tolerance + sign * share)
            .collect(),
    }
}
