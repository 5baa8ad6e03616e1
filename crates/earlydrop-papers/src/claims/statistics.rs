//! The statistics that decide claims.
//!
//! Each takes values by seed and returns, by seed, by how much a claim is right. Schemes run
//! with the same seeds (common random numbers), so values are paired by seed.

use earlydrop_lab::statistics::Mean;

/// The mean of paired differences with its 95% interval by Student's t.
///
/// Assumes that differences of different seeds are independent and about normal. A. M. Law,
/// *Simulation Modeling and Analysis*, section 10.2.1, "A paired-t confidence interval".
pub(super) fn paired_interval(by_seed: &[f64]) -> Option<Mean> {
    Mean::of(by_seed)
}

/// Paired differences `sign * (of - minus)`, as shares of the mean of `reference` over the
/// seeds; as they are where that mean is zero.
///
/// The mean of `reference` is taken as known: its own error does not widen the interval.
pub(super) fn paired_shares(
    sign: f64,
    (of, minus): (&[f64], &[f64]),
    reference: &[f64],
) -> Vec<f64> {
    let mean = reference.iter().sum::<f64>() / reference.len() as f64;
    let scale = if mean == 0.0 { 1.0 } else { mean.abs() };
    let pairs = of.iter().zip(minus);
    pairs
        .map(|(of, minus)| sign * (of - minus) / scale)
        .collect()
}

/// How far values are from proportional growth, as a share of the largest: the largest distance
/// from the straight line by least squares, or the height of that line at x = 0, whichever is
/// greater.
///
/// A line that is zero up to some x above zero counts as proportional: a queue begins where windows
/// exceed what the path holds. One that does not start from zero, or falls, does not. N. R. Draper,
/// H. Smith, *Applied Regression Analysis*, chapter 1.
pub(super) fn off_proportional(x: &[f64], y: &[f64]) -> f64 {
    let count = y.len() as f64;
    let (mean_x, mean_y) = (x.iter().sum::<f64>() / count, y.iter().sum::<f64>() / count);
    let pairs = || x.iter().zip(y);
    let covariance: f64 = pairs().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    let slope = covariance / x.iter().map(|x| (x - mean_x).powi(2)).sum::<f64>();
    let at_zero = mean_y - slope * mean_x;
    let distances = pairs().map(|(x, y)| (y - at_zero - slope * x).abs());
    let largest = y.iter().copied().fold(0.0, f64::max);
    distances.fold(at_zero, f64::max) / largest
}

/// The distance of each value from the median of all: the spread whose means are compared by the
/// test of Brown and Forsythe, which does not need normal values.
///
/// M. B. Brown, A. B. Forsythe, "Robust tests for the equality of variances", *Journal of the
/// American Statistical Association* 69 (1974), 364-367.
pub(super) fn distances_from_median(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (below, above) = (sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2]);
    let median = (below + above) / 2.0;
    values.iter().map(|value| (value - median).abs()).collect()
}

/// The largest minus the smallest of a seed's values along a row.
pub(super) fn range(along: &[Vec<f64>], seed: usize) -> f64 {
    let values = || along.iter().map(|values| values[seed]);
    values().fold(f64::MIN, f64::max) - values().fold(f64::MAX, f64::min)
}

/// The index of the smallest of a seed's values along a row; of equal ones the first.
pub(super) fn smallest(along: &[Vec<f64>], seed: usize) -> usize {
    let values = along.iter().map(|values| values[seed]).enumerate();
    let least = values.min_by(|(_, a), (_, b)| a.total_cmp(b));
    least.map_or(0, |(index, _)| index)
}

/// With about how many seeds the interval of a mean above zero would leave zero out, as it
/// narrows with the square root of their number; `None` where the mean is not above zero.
pub(crate) fn seeds_needed(by_seed: &[f64]) -> Option<usize> {
    let mean = paired_interval(by_seed).filter(|mean| mean.mean > 0.0)?;
    seeds_for_half(mean, mean.mean)
}

/// With about how many seeds the interval of a mean would leave zero out on either side, or lie
/// within the margin.
pub(super) fn seeds_to_decide(by_seed: &[f64], margin: Option<f64>) -> Option<usize> {
    let mean = paired_interval(by_seed)?;
    let room = margin.map_or(0.0, |margin| margin - mean.mean.abs());
    seeds_for_half(mean, mean.mean.abs().max(room))
}

/// With about how many seeds the half-width of a mean's interval would be `wanted`.
fn seeds_for_half(mean: Mean, wanted: f64) -> Option<usize> {
    let share = mean.half? / wanted;
    let seeds = mean.count as f64 * share * share;
    seeds.is_finite().then(|| seeds.ceil() as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_the_mean_of_what_is_compared_with() {
        let shares = paired_shares(1.0, (&[3.0, 5.0], &[2.0, 2.0]), &[2.0, 2.0]);
        assert_eq!(shares, [0.5, 1.5]);
        assert_eq!(paired_shares(-1.0, (&[1.0], &[0.0]), &[0.0]), [-1.0]);
    }

    #[test]
    fn proportional_values_may_start_late_and_not_early() {
        let x = [5.0, 10.0, 20.0, 40.0, 80.0, 120.0];
        let off = |rule: fn(f64) -> f64| off_proportional(&x, &x.map(rule));
        assert!(off(|x| 20.0 * x) < 1e-12);
        assert!(
            off(|x| 20.0 * x - 30.0) < 1e-12,
            "a window of 20, a path of 30 packets"
        );
        assert!(off(|x| 20.0 + x) > 0.14, "20 of 140 at zero");
        assert!(off(|x| 200.0 - x) > 1.0, "it falls");
        assert!(off(|x| (20.0 * x).min(120.0)) > 0.5, "it is level");
        assert!(off(|x| x * x) > 0.1);
    }

    #[test]
    fn spread_is_the_distance_from_the_median() {
        assert_eq!(distances_from_median(&[3.0, 1.0, 9.0]), [0.0, 2.0, 6.0]);
        assert_eq!(distances_from_median(&[1.0, 2.0]), [0.5, 0.5]);
    }

    #[test]
    fn four_times_the_seeds_halve_an_interval() {
        let by_seed = [0.0, 1.0, 2.0, 1.0];
        let mean = paired_interval(&by_seed).unwrap();
        let share = mean.half.unwrap() / mean.mean;
        let needed = (4.0 * share * share).ceil() as usize;
        assert_eq!(seeds_needed(&by_seed), Some(needed));
        assert_eq!(seeds_needed(&[-1.0, 0.5]), None);
        // The other side will do, too, and so will a margin that leaves more room.
        let below = by_seed.map(|value| -value);
        assert_eq!(seeds_to_decide(&below, None), Some(needed));
        let narrow = seeds_to_decide(&below, Some(1.5 * mean.mean));
        assert_eq!(narrow, Some(needed));
        assert!(seeds_to_decide(&below, Some(4.0 * mean.mean)) < narrow);
        assert_eq!(seeds_to_decide(&[-1.0, 1.0], None), None);
    }
}
