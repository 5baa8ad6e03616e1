//! The comparisons that a test makes.
//!
//! A comparison has a value for each seed: what is measured, mostly a difference as a share of what is
//! compared with, above zero in the claim's direction. The claim says where its mean lies.

use earlydrop_lab::statistics::{self, Mean};

use super::claim::{Restriction, Test};
use super::claimed::Claimed;
use super::evidence::Evidence;
use super::measurements::Measurements;
use super::missing::MissingData;
use super::statistics::{
    distances_from_median, off_proportional, paired_interval, paired_shares, range, smallest,
};

/// One comparison of a claim's test.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// What is compared with, and at which point: "with gred, network.rtt = 50 ms".
    pub place: String,
    /// What is measured, by seed.
    pub by_seed: Vec<f64>,
    /// Where the claim says that its mean lies.
    pub claimed: Claimed,
    /// The largest difference that makes no difference, where the test asks for a direction.
    pub margin: Option<f64>,
}

type Comparisons = Result<Vec<Comparison>, MissingData>;

impl Comparison {
    fn new(what: &str, point: &str, by_seed: Vec<f64>) -> Comparison {
        let place = match point {
            "" => what.to_string(),
            point => format!("{what}, {point}"),
        };
        Comparison {
            place,
            by_seed,
            claimed: Claimed::above(0.0),
            margin: None,
        }
    }

    /// The mean over the seeds with its 95% interval by Student's t.
    pub fn mean(&self) -> Option<Mean> {
        paired_interval(&self.by_seed)
    }

    /// The point, without what is compared with: "network.rtt = 50 ms".
    pub fn setting(&self) -> &str {
        self.place
            .split_once(", ")
            .map_or("", |(_, setting)| setting)
    }

    /// By how much the claim is right, by seed: how far values lie inside the nearer end of what is
    /// claimed. Below zero where it is wrong.
    pub(crate) fn room(&self) -> Vec<f64> {
        self.claimed.room(&self.by_seed)
    }

    /// Whether the comparison, taken by itself, supports the claim: its 95% interval lies within
    /// what is claimed.
    pub fn supports_claim(&self) -> bool {
        self.evidence() == Evidence::Supports
    }

    /// What the comparison shows, taken by itself: by its 95% interval.
    pub fn evidence(&self) -> Evidence {
        let room = paired_interval(&self.room());
        let differs = room.is_some_and(|mean| mean.excludes_zero());
        self.evidence_if(differs || self.is_the_same_for_all_seeds())
    }

    /// What the comparison shows, given whether its distance from the nearer end of what is claimed
    /// is significant.
    pub(super) fn evidence_if(&self, differs: bool) -> Evidence {
        let Some(room) = paired_interval(&self.room()) else {
            return Evidence::Open;
        };
        let is_within_margin = || {
            self.mean()
                .is_some_and(|mean| self.makes_no_difference(mean))
        };
        match differs {
            true if room.mean > 0.0 => Evidence::Supports,
            _ if is_within_margin() => Evidence::Equal,
            true if room.mean < 0.0 => Evidence::Contradicts,
            _ => Evidence::Open,
        }
    }

    /// Whether the 95% interval of a mean lies within the margin on either side of zero.
    pub(super) fn makes_no_difference(&self, mean: Mean) -> bool {
        let half = mean.half.unwrap_or(f64::INFINITY);
        self.margin
            .is_some_and(|margin| mean.mean.abs() + half <= margin)
    }

    /// The two-sided p-value of the distance from the nearer end of what is claimed.
    pub(super) fn p_value(&self) -> Option<f64> {
        statistics::p_value(&self.room())
    }

    /// Whether at least two seeds give one value, which leaves no doubt.
    fn is_the_same_for_all_seeds(&self) -> bool {
        self.by_seed.len() > 1 && self.by_seed.iter().all(|value| *value == self.by_seed[0])
    }
}

/// The comparisons that `test` makes of what was measured.
pub(super) fn comparisons(test: &Test, measured: &Measurements) -> Comparisons {
    let mut list = measured_by(test, measured)?;
    let claimed = claimed(test);
    list.iter_mut().for_each(|one| one.claimed = claimed);
    Ok(list)
}

/// Where a test wants the mean of each comparison.
fn claimed(test: &Test) -> Claimed {
    match test {
        Test::Ordering { tolerance, .. } => Claimed::above(-tolerance),
        Test::Proportional { tolerance, .. } => Claimed::below(*tolerance),
        Test::Equal { tolerance, .. } | Test::Value { tolerance, .. } => {
            Claimed::within(*tolerance)
        }
        Test::Between { low, high, .. } => Claimed::between(*low, *high),
        Test::MinimumMoves { .. } => Claimed::between(0.0, f64::INFINITY),
        _ => Claimed::above(0.0),
    }
}

/// What a test measures in each comparison.
fn measured_by(test: &Test, measured: &Measurements) -> Comparisons {
    match test {
        Test::Ordering {
            scheme,
            than,
            less,
            at,
            ..
        } => ordering(measured, (scheme, than), *less, at),
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
            scheme, over, at, ..
        } => proportional(measured, scheme, over, at),
        Test::Spread {
            scheme,
            than,
            less,
            at,
        } => spreads(measured, (scheme, than), *less, at),
        Test::Trend {
            scheme,
            over,
            from,
            to,
            up,
            at,
        } => trend(measured, scheme, (over, from, to), *up, at),
        Test::Between { scheme, at, .. } => at_each_point(measured, scheme, at, |values| {
            ("value".to_string(), values.to_vec())
        }),
        Test::Equal { schemes, at, .. } => equal(measured, schemes, at),
        Test::Value {
            scheme, value, at, ..
        } => printed_value(measured, scheme, *value, at),
        Test::Nearer {
            scheme,
            than,
            value,
            at,
        } => nearer(measured, (scheme, than), *value, at),
        Test::Undecidable { missing } => Err(MissingData::NotInPaper(missing.clone())),
    }
}

/// Compares a scheme with each other at each point: `by_seed` gets the values of the scheme
/// and of the other.
fn against_each(
    measured: &Measurements,
    (scheme, others): (&str, &[String]),
    at: &Restriction,
    by_seed: impl Fn(&[f64], &[f64]) -> Vec<f64>,
) -> Comparisons {
    let own = measured.require_scheme(scheme)?;
    let mut list = Vec::new();
    for other in others {
        let index = measured.require_scheme(other)?;
        for point in measured.points_at(at) {
            let mine = measured.require_values(own, point)?;
            let theirs = measured.require_values(index, point)?;
            list.push(Comparison::new(
                &format!("with {other}"),
                &measured.point_name(point),
                by_seed(&mine, &theirs),
            ));
        }
    }
    Ok(list)
}

fn ordering(
    measured: &Measurements,
    schemes: (&str, &[String]),
    less: bool,
    at: &Restriction,
) -> Comparisons {
    let sign = if less { 1.0 } else { -1.0 };
    against_each(measured, schemes, at, |mine, theirs| {
        paired_shares(sign, (theirs, mine), theirs)
    })
}

fn ranges(
    measured: &Measurements,
    (scheme, than): (&str, &[String]),
    over: &str,
    at: &Restriction,
) -> Comparisons {
    let own = measured.require_scheme(scheme)?;
    let ranges = |scheme: usize, row: &[usize]| -> Result<Vec<f64>, MissingData> {
        let along = measured.values_along(scheme, row)?;
        let seeds = 0..measured.seeds.len();
        Ok(seeds.map(|seed| range(&along, seed)).collect())
    };
    let mut list = Vec::new();
    for other in than {
        let index = measured.require_scheme(other)?;
        for row in measured.rows_at(over, at)? {
            let (mine, theirs) = (ranges(own, &row)?, ranges(index, &row)?);
            list.push(Comparison::new(
                &format!("with {other}"),
                &measured.row_name(over, &row),
                paired_shares(1.0, (&theirs, &mine), &theirs),
            ));
        }
    }
    Ok(list)
}

/// Compares the smallest value between the ends of each row with the lower end.
///
/// The point between is chosen by its mean over all seeds, which favours it a little.
fn minimum_inside(
    measured: &Measurements,
    scheme: &str,
    over: &str,
    at: &Restriction,
) -> Comparisons {
    let own = measured.require_scheme(scheme)?;
    let mut list = Vec::new();
    for row in measured.rows_at(over, at)? {
        if row.len() < 3 {
            return Err(MissingData::TooFewValues(over.to_string()));
        }
        let along = measured.values_along(own, &row)?;
        let sum = |index: usize| along[index].iter().sum::<f64>();
        let inside = (1..row.len() - 1).min_by(|a, b| sum(*a).total_cmp(&sum(*b)));
        let inside = &along[inside.unwrap_or(1)];
        let (end, name) = match sum(0) < sum(row.len() - 1) {
            true => (0, "first"),
            false => (row.len() - 1, "last"),
        };
        list.push(Comparison::new(
            &format!("against the {name}"),
            &measured.row_name(over, &row),
            paired_shares(1.0, (&along[end], inside), &along[end]),
        ));
    }
    Ok(list)
}

/// By how many values of `over` the smallest moves from the first to the last value of `with`.
fn minimum_moves(
    measured: &Measurements,
    scheme: &str,
    (over, with): (&str, &str),
    up: bool,
) -> Comparisons {
    let own = measured.require_scheme(scheme)?;
    let with_axis = measured.require_axis(with)?;
    let rows = measured.rows(measured.require_axis(over)?);
    let last = measured.axes[with_axis].1.len() - 1;
    let row_at = |index: usize| {
        let mut rows = rows.iter();
        rows.find(|row| measured.points[row[0]][with_axis] == index)
            .ok_or_else(|| MissingData::Axis(with.to_string()))
    };
    let first = measured.values_along(own, row_at(0)?)?;
    let last = measured.values_along(own, row_at(last)?)?;
    let sign = if up { 1.0 } else { -1.0 };
    let shift = |seed: usize| {
        let (from, to) = (smallest(&first, seed) as f64, smallest(&last, seed) as f64);
        sign * (to - from)
    };
    Ok(vec![Comparison::new(
        &format!("from the first to the last {with}"),
        "",
        (0..measured.seeds.len()).map(shift).collect(),
    )])
}

/// How far each row is from a line through zero.
fn proportional(
    measured: &Measurements,
    scheme: &str,
    over: &str,
    at: &Restriction,
) -> Comparisons {
    let own = measured.require_scheme(scheme)?;
    let (axis, numbers) = (measured.require_axis(over)?, measured.axis_numbers(over)?);
    let mut list = Vec::new();
    for row in measured.rows_at(over, at)? {
        let x = row
            .iter()
            .map(|point| numbers[measured.points[*point][axis]]);
        let x: Vec<f64> = x.collect();
        let along = measured.values_along(own, &row)?;
        let off = |seed: usize| {
            let y: Vec<f64> = along.iter().map(|values| values[seed]).collect();
            off_proportional(&x, &y)
        };
        list.push(Comparison::new(
            "line",
            &measured.row_name(over, &row),
            (0..measured.seeds.len()).map(off).collect(),
        ));
    }
    Ok(list)
}

/// By how much a scheme's values lie closer together over the seeds than others', or farther apart,
/// as shares of the others' mean.
fn spreads(
    measured: &Measurements,
    schemes: (&str, &[String]),
    less: bool,
    at: &Restriction,
) -> Comparisons {
    let sign = if less { 1.0 } else { -1.0 };
    against_each(measured, schemes, at, |mine, theirs| {
        let spreads = [theirs, mine].map(distances_from_median);
        paired_shares(sign, (&spreads[0], &spreads[1]), theirs)
    })
}

fn trend(
    measured: &Measurements,
    scheme: &str,
    (over, from, to): (&str, &str, &str),
    up: bool,
    at: &Restriction,
) -> Comparisons {
    let own = measured.require_scheme(scheme)?;
    let axis = measured.require_axis(over)?;
    let first = measured.require_axis_value(over, from)?;
    let last = measured.require_axis_value(over, to)?;
    let sign = if up { 1.0 } else { -1.0 };
    let mut list = Vec::new();
    for row in measured.rows_at(over, at)? {
        let point = |index: usize| row.iter().find(|p| measured.points[**p][axis] == index);
        let (Some(first), Some(last)) = (point(first), point(last)) else {
            continue;
        };
        let first = measured.require_values(own, *first)?;
        let last = measured.require_values(own, *last)?;
        list.push(Comparison::new(
            &format!("{from} to {to}"),
            &measured.row_name(over, &row),
            paired_shares(sign, (&last, &first), &first),
        ));
    }
    Ok(list)
}

/// A scheme compared with a number at each point: what `compare` makes of its values, by seed,
/// with the name of what they are compared with.
fn at_each_point(
    measured: &Measurements,
    scheme: &str,
    at: &Restriction,
    compare: impl Fn(&[f64]) -> (String, Vec<f64>),
) -> Comparisons {
    let own = measured.require_scheme(scheme)?;
    let mut list = Vec::new();
    for point in measured.points_at(at) {
        let (with, by_seed) = compare(&measured.require_values(own, point)?);
        list.push(Comparison::new(&with, &measured.point_name(point), by_seed));
    }
    Ok(list)
}

fn equal(measured: &Measurements, schemes: &[String], at: &Restriction) -> Comparisons {
    let Some((first, others)) = schemes.split_first() else {
        return Err(MissingData::NoSchemes);
    };
    against_each(measured, (first, others), at, |mine, theirs| {
        paired_shares(1.0, (mine, theirs), theirs)
    })
}

fn printed_value(
    measured: &Measurements,
    scheme: &str,
    printed: f64,
    at: &Restriction,
) -> Comparisons {
    at_each_point(measured, scheme, at, |values| {
        let relative = values.iter().map(|value| value / printed - 1.0).collect();
        (format!("{printed} printed"), relative)
    })
}

/// By how much values are nearer to `value` than others', as a share of it.
fn nearer(
    measured: &Measurements,
    schemes: (&str, &[String]),
    value: f64,
    at: &Restriction,
) -> Comparisons {
    let distance = |measured: &f64| (measured - value).abs() / value.abs();
    against_each(measured, schemes, at, |mine, theirs| {
        let pairs = theirs.iter().zip(mine);
        pairs
            .map(|(theirs, mine)| distance(theirs) - distance(mine))
            .collect()
    })
}
