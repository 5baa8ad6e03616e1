//! Means with 95% confidence intervals, and tests of differences between means.

use earlydrop_model::number;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// The confidence level of intervals: the share of them that contain the true mean.
pub const CONFIDENCE: f64 = 0.95;

/// A mean over seeds with its confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// The half-width of its 95% interval; `None` for a single value.
    pub half: Option<f64>,
    /// The number of values.
    pub count: usize,
    /// Whether it is a lower bound, since a value of some run is.
    pub is_lower_bound: bool,
}

impl Mean {
    /// The mean of these values with an interval by Student's t; `None` for no values.
    pub fn of(values: &[f64]) -> Option<Mean> {
        let count = values.len();
        if count == 0 {
            return None;
        }
        let mean = values.iter().sum::<f64>() / count as f64;
        let half = (count > 1).then(|| student((count - 1) as f64) * squared_error(values).sqrt());
        Some(Mean::new(mean, half, count))
    }

    /// A mean that is no bound.
    pub fn new(mean: f64, half: Option<f64>, count: usize) -> Mean {
        Mean {
            mean,
            half,
            count,
            is_lower_bound: false,
        }
    }

    /// Whether it differs significantly from zero: its interval excludes zero. A single value
    /// has no interval and is never significant.
    pub fn excludes_zero(&self) -> bool {
        self.half.is_some_and(|half| self.mean.abs() > half)
    }

    /// How many values would make it differ significantly from zero in each of `tests` tests, were
    /// their mean and spread those of the present ones; `None` for more than 1,000, for a mean of
    /// zero, and for a single value.
    pub fn count_to_exclude_zero(&self, tests: usize) -> Option<usize> {
        if self.mean == 0.0 {
            return None;
        }
        let count = self.count as f64;
        // The standard deviation of one value.
        let deviation = self.half? * count.sqrt() / student(count - 1.0);
        let p_value = |count: u16| {
            let law = StudentsT::new(0.0, 1.0, f64::from(count) - 1.0).ok()?;
            Some(2.0 * law.sf(self.mean.abs() / deviation * f64::from(count).sqrt()))
        };
        let excludes = |count: &u16| {
            p_value(*count).is_some_and(|p_value| p_value * tests as f64 <= 1.0 - CONFIDENCE)
        };
        (2..=1000_u16).find(excludes).map(usize::from)
    }

    /// The half-width of the interval that one further value falls into with a probability of
    /// 95%: `half * sqrt(n + 1)` for a mean of n values; `None` for a single value. Assumes that
    /// values are about normal.
    pub fn prediction_half(&self) -> Option<f64> {
        Some(self.half? * (self.count as f64 + 1.0).sqrt())
    }

    /// "12.35 ± 0.42", both multiplied by `scale`: see [`number`]; "≥ 12.35 ± 0.42" for a lower
    /// bound.
    pub fn with_interval(&self, scale: f64) -> String {
        let half = self.half.map(|half| half * scale);
        self.bounded(number::estimate(self.mean * scale, half))
    }

    /// The same with its unit, after multiplication by `scale`: "12.35 ± 0.42 ms". Short times get a
    /// smaller unit.
    pub fn with_unit(&self, unit: &str, scale: f64) -> String {
        let (factor, unit) = number::fitting_unit(self.mean * scale, unit);
        number::with_unit(self.with_interval(scale * factor), unit)
    }

    /// The mean with the digits that it has beside its interval: "12.35".
    pub fn alone(&self, scale: f64) -> String {
        let half = self.half.map(|half| half * scale);
        self.bounded(number::mean(self.mean * scale, half))
    }

    fn bounded(&self, text: String) -> String {
        match self.is_lower_bound {
            true => format!("≥ {text}"),
            false => text,
        }
    }

    /// A difference of means with its sign: "+12.35 ± 0.42", both multiplied by `scale`.
    pub fn difference(&self, scale: f64) -> String {
        number::difference(self.mean * scale, self.half.map(|half| half * scale))
    }
}

/// The two-sided 95% quantile of Student's t.
fn student(degrees: f64) -> f64 {
    let law = StudentsT::new(0.0, 1.0, degrees);
    law.map_or(f64::INFINITY, |law| law.inverse_cdf(0.5 + CONFIDENCE / 2.0))
}

/// The mean of the differences within pairs, such as one seed under two schemes, with its
/// interval. `None` where the numbers of values differ.
pub fn paired(one: &[f64], other: &[f64]) -> Option<Mean> {
    Mean::of(&differences(one, other)?)
}

/// The differences within pairs; `None` where the numbers of values differ.
pub fn differences(one: &[f64], other: &[f64]) -> Option<Vec<f64>> {
    let pairs = one.iter().zip(other);
    (one.len() == other.len()).then(|| pairs.map(|(a, b)| a - b).collect())
}

/// The difference of two means of unpaired values, the second subtracted from the first, with
/// Welch's interval: the variances may differ. `None` where one has no values; no interval
/// where one has a single value.
///
/// Its degrees of freedom are Satterthwaite's: (u + v)^2 / (u^2 / (m - 1) + v^2 / (n - 1)),
/// where u and v are the squared standard errors of the means of m and n values.
pub fn welch(one: &[f64], other: &[f64]) -> Option<Mean> {
    let mean = Mean::of(one)?.mean - Mean::of(other)?.mean;
    let half = match one.len().min(other.len()) {
        0 | 1 => None,
        _ => {
            let [u, v] = [one, other].map(squared_error);
            let (m, n) = (one.len() as f64, other.len() as f64);
            let degrees = (u + v).powi(2) / (u * u / (m - 1.0) + v * v / (n - 1.0));
            let half = match degrees.is_finite() {
                true => student(degrees) * (u + v).sqrt(),
                false => 0.0,
            };
            Some(half)
        }
    };
    Some(Mean::new(mean, half, one.len() + other.len()))
}

/// The two-sided p-value of Student's t test that the mean of these values is zero; `None` for a
/// single value.
///
/// Values that are all the same leave no doubt: 0, or 1 where they are zero.
pub fn p_value(values: &[f64]) -> Option<f64> {
    let first = *values.first().filter(|_| values.len() > 1)?;
    if values.iter().all(|value| *value == first) {
        return Some(if first == 0.0 { 1.0 } else { 0.0 });
    }
    let law = StudentsT::new(0.0, 1.0, values.len() as f64 - 1.0).ok()?;
    let errors = Mean::of(values)?.mean / squared_error(values).sqrt();
    Some(2.0 * law.sf(errors.abs()))
}

/// The squared standard error of the mean of at least two values.
fn squared_error(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    squares / (count - 1.0) / count
}

/// Which of several null hypotheses are rejected at a family-wise error of 5%, by Holm's
/// step-down procedure: the k-th smallest of m p-values is compared with 5% / (m - k + 1), until
/// one is larger.
///
/// Makes no assumption about how the tests depend on each other. S. Holm, "A simple sequentially
/// rejective multiple test procedure", *Scandinavian Journal of Statistics* 6 (1979), 65-70.
pub fn holm(p_values: &[f64]) -> Vec<bool> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|a, b| p_values[*a].total_cmp(&p_values[*b]));
    let mut rejected = vec![false; p_values.len()];
    for (done, index) in order.iter().enumerate() {
        let left = (p_values.len() - done) as f64;
        if p_values[*index] * left > 1.0 - CONFIDENCE {
            break;
        }
        rejected[*index] = true;
    }
    rejected
}

/// How a contender compares with the one that has the best mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It has the best mean.
    Best,
    /// It is not significantly different from the best.
    Similar,
    /// It is significantly worse than the best.
    Worse,
}

/// How each of several contenders compares with the best mean: by differences paired by seed,
/// corrected for the number of contenders by [`holm`]. `None` for all where no difference can be
/// tested, as with a single seed, or where all values are equal; and for one without values.
///
/// Each contender's values are in the order of the seeds.
pub fn standings(contenders: &[&[f64]], less_is_better: bool) -> Vec<Option<Standing>> {
    let sign = if less_is_better { 1.0 } else { -1.0 };
    let means = contenders.iter().enumerate().filter_map(|(index, values)| {
        let mean = Mean::of(values)?.mean * sign;
        mean.is_finite().then_some((index, mean))
    });
    let Some((winner, _)) = means.min_by(|(_, a), (_, b)| a.total_cmp(b)) else {
        return vec![None; contenders.len()];
    };
    let others: Vec<usize> = (0..contenders.len())
        .filter(|index| *index != winner && !contenders[*index].is_empty())
        .collect();
    let tests: Option<Vec<f64>> = others
        .iter()
        .map(|index| p_value(&differences(contenders[*index], contenders[winner])?))
        .collect();
    let mut all = vec![None; contenders.len()];
    let Some(p_values) = tests.filter(|tests| tests.iter().any(|p_value| *p_value < 1.0)) else {
        return all;
    };
    all[winner] = Some(Standing::Best);
    for (index, is_worse) in others.into_iter().zip(holm(&p_values)) {
        all[index] = Some(match is_worse {
            true => Standing::Worse,
            false => Standing::Similar,
        });
    }
    all
}

/// What can be said of a contender: more seeds move the undecided to another class, and fewer make
/// no contender look better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// It has the best mean, and all others are significantly worse.
    Best,
    /// It and all that are not significantly worse than the best are equal to within [`MARGIN`].
    Equal,
    /// It is significantly worse than the best.
    Behind,
    /// The seeds do not tell: a single one, or intervals wider than the margin.
    Undecided,
}

/// Contenders are equal where the 95% interval of their paired difference is within this share of
/// the best mean.
pub const MARGIN: f64 = 0.05;

/// The class of each contender; `None` for one without values.
pub fn classes(contenders: &[&[f64]], less_is_better: bool) -> Vec<Option<Class>> {
    let standings = standings(contenders, less_is_better);
    let best = standings
        .iter()
        .position(|one| *one == Some(Standing::Best));
    let class = |index: usize| match (standings[index], best) {
        (Some(Standing::Worse), _) => Class::Behind,
        (_, Some(best)) if are_equal(contenders[index], contenders[best]) => Class::Equal,
        // No test: a single seed, or no difference in any run.
        (None, _) if contenders[index].len() > 1 => Class::Equal,
        _ => Class::Undecided,
    };
    let has_values = |index: usize| !contenders[index].is_empty();
    let mut all: Vec<Option<Class>> = (0..contenders.len())
        .map(|index| has_values(index).then(|| class(index)))
        .collect();
    if let Some(best) = best {
        let others = all.iter().enumerate().filter(|(index, _)| *index != best);
        let others: Vec<Class> = others.filter_map(|(_, class)| *class).collect();
        all[best] = Some(match others {
            others if others.contains(&Class::Undecided) => Class::Undecided,
            others if others.contains(&Class::Equal) => Class::Equal,
            _ => Class::Best,
        });
    }
    all
}

/// Whether the interval of the paired difference is within [`MARGIN`] of the best mean.
fn are_equal(one: &[f64], best: &[f64]) -> bool {
    let (Some(difference), Some(mean)) = (paired(one, best), Mean::of(best)) else {
        return false;
    };
    let Some(half) = difference.half else {
        return false;
    };
    difference.mean.abs() + half <= MARGIN * mean.mean.abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_by_a_table_of_t() {
        // t(0.975; 4) = 2.776445, deviation of 1..5 = sqrt(2.5).
        let mean = Mean::of(&[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
        let half = 2.776_445 * 2.5_f64.sqrt() / 5.0_f64.sqrt();
        assert!((mean.mean - 3.0).abs() < 1e-12);
        assert!((mean.half.unwrap() - half).abs() < 1e-5, "{mean:?}");
        // t s sqrt(1 + 1/n) for the next value.
        let next = 2.776_445 * 2.5_f64.sqrt() * 1.2_f64.sqrt();
        assert!((mean.prediction_half().unwrap() - next).abs() < 1e-5);
        assert_eq!(Mean::of(&[7.0]).unwrap().half, None);
        assert_eq!(Mean::of(&[]), None);
    }

    #[test]
    fn a_p_value_by_a_table_of_t() {
        // t(0.975; 4) = 2.776445: the mean of these is that many standard errors from zero.
        let by_seed: Vec<f64> = [-2.0, -1.0, 0.0, 1.0, 2.0]
            .map(|x| x + 2.776_445 * 0.5_f64.sqrt())
            .into();
        assert!((p_value(&by_seed).unwrap() - 0.05).abs() < 1e-6);
        assert_eq!(p_value(&[2.0, 2.0]), Some(0.0));
        assert_eq!(p_value(&[0.0, 0.0]), Some(1.0));
        assert_eq!(p_value(&[2.0]), None);
        // Five such values are just enough for one test, and more are needed for ten.
        let a_little_more: Vec<f64> = by_seed.iter().map(|x| x + 1e-6).collect();
        let mean = Mean::of(&a_little_more).unwrap();
        assert_eq!(mean.count_to_exclude_zero(1), Some(5));
        // t(0.9975; 9) = 3.69 and sqrt(10 / 5) * 2.776 = 3.93; t(0.9975; 8) = 3.83 and 3.72.
        assert_eq!(mean.count_to_exclude_zero(10), Some(10));
        assert_eq!(
            Mean::of(&[-1.0, 1.0]).unwrap().count_to_exclude_zero(1),
            None
        );
        // Values without a spread.
        for (value, count) in [(0.0, None), (3.0, Some(2))] {
            let same = Mean::of(&[value; 3]).unwrap();
            assert_eq!(same.count_to_exclude_zero(4), count);
        }
    }

    #[test]
    fn paired_differences_are_significant_where_means_overlap() {
        // Seeds differ by far more than the schemes do, but equally for both.
        let one = [10.0, 20.0, 30.0, 40.0];
        let other = [10.9, 21.0, 31.1, 41.0];
        let difference = paired(&one, &other).unwrap();
        assert!(difference.excludes_zero());
        use Standing::{Best, Worse};
        let stand = |less| standings(&[&one, &other], less);
        assert_eq!(stand(true), [Some(Best), Some(Worse)]);
        assert_eq!(stand(false), [Some(Worse), Some(Best)]);
    }

    #[test]
    fn welch_by_hand() {
        // u = 1/3, v = 4/3: 25/9 / ((1/9)/2 + (16/9)/2) = 50/17 degrees; t(0.975; 2.941) is
        // between t(2) = 4.303 and t(3) = 3.182, at 3.220 by linear interpolation in 1/degrees.
        let difference = welch(&[1.0, 2.0, 3.0], &[8.0, 10.0, 12.0]).unwrap();
        assert!((difference.mean + 8.0).abs() < 1e-12);
        let half = difference.half.unwrap() / (5.0_f64 / 3.0).sqrt();
        assert!((half - 3.22).abs() < 0.02, "{half}");
        assert!(difference.excludes_zero());
        assert_eq!(welch(&[1.0], &[2.0, 3.0]).unwrap().half, None);
        assert_eq!(welch(&[2.0, 2.0], &[2.0, 2.0]).unwrap().half, Some(0.0));
        assert_eq!(welch(&[], &[2.0]), None);
    }

    #[test]
    fn welch_intervals_of_equal_means_exclude_zero_as_seldom_as_they_say() {
        // As in `intervals_hold_the_mean_as_often_as_they_say`: 2,000 pairs of samples, 4 and 3 values, one spread three times as wide.
        let mut random = earlydrop::random::Pcg32::new(5, 7);
        let mut normal = || (0..12).map(|_| random.uniform()).sum::<f64>() - 6.0;
        let mut hits = 0;
        for _ in 0..2000 {
            let one: Vec<f64> = (0..4).map(|_| normal()).collect();
            let other: Vec<f64> = (0..3).map(|_| 3.0 * normal()).collect();
            let difference = welch(&one, &other).unwrap();
            hits += u32::from(!difference.excludes_zero());
        }
        let share = f64::from(hits) / 2000.0;
        assert!((share - CONFIDENCE).abs() < 0.025, "{share}");
    }

    #[test]
    fn contenders_stand_to_the_best_mean() {
        use Standing::{Best, Similar, Worse};
        let one = [1.0, 2.0, 3.0];
        let other = [2.0, 1.0, 3.1];
        let worse = [11.0, 12.0, 13.0];
        let stand = |all: &[&[f64]]| standings(all, true);
        assert_eq!(stand(&[&one, &other]), [Some(Best), Some(Similar)]);
        let three = [Some(Best), Some(Worse), Some(Similar)];
        assert_eq!(stand(&[&one, &worse, &other]), three);
        assert_eq!(
            stand(&[&[], &other, &worse]),
            [None, Some(Best), Some(Worse)]
        );
        // Nothing can be tested, or nothing differs.
        assert_eq!(stand(&[&[1.0], &[2.0]]), [None, None]);
        assert_eq!(stand(&[&one, &one]), [None, None]);
        assert_eq!(stand(&[&one]), [None]);
    }

    #[test]
    fn fewer_seeds_make_no_contender_look_better() {
        use Class::{Behind, Best, Equal, Undecided};
        let fast = [10.0, 10.1, 9.9, 10.0];
        let equal = [10.1, 10.1, 10.0, 10.1];
        let slow = [20.0, 21.0, 19.0, 20.5];
        let noisy = [9.0, 16.0, 8.0, 15.0];
        let classes = |all: &[&[f64]]| classes(all, true);
        assert_eq!(classes(&[&fast, &slow]), [Some(Best), Some(Behind)]);
        let three = [Some(Equal), Some(Equal), Some(Behind)];
        assert_eq!(classes(&[&fast, &equal, &slow]), three);
        assert_eq!(
            classes(&[&fast, &noisy]),
            [Some(Undecided), Some(Undecided)]
        );
        // A single seed decides nothing, and what is always the same is equal.
        assert_eq!(classes(&[&fast[..1], &slow[..1]]), [Some(Undecided); 2]);
        assert_eq!(
            classes(&[&fast, &fast, &[]]),
            [Some(Equal), Some(Equal), None]
        );
    }

    #[test]
    fn a_precise_winner_does_not_lose_to_a_noisy_one() {
        use Standing::{Best, Similar};
        // The noisy mean is lower; the precise one within its noise.
        let noisy = [9.0, 10.9, 9.9, 10.1, 9.0];
        let precise = [9.99, 10.0, 10.01, 10.0, 10.0];
        let both = standings(&[&noisy, &precise], false);
        assert_eq!(both, [Some(Similar), Some(Best)]);
    }

    #[test]
    fn holm_stops_at_the_first_that_is_too_large() {
        // By hand: 0.01 <= 0.05/4, 0.015 <= 0.05/3, 0.03 > 0.05/2.
        let rejected = holm(&[0.04, 0.01, 0.03, 0.015]);
        assert_eq!(rejected, [false, true, false, true]);
        assert_eq!(holm(&[0.049]), [true]);
        assert_eq!(holm(&[0.026, 0.026]), [false, false]);
        assert_eq!(holm(&[]), [] as [bool; 0]);
    }

    #[test]
    fn equal_contenders_differ_significantly_as_seldom_as_stated() {
        // 2,000 columns of six equal contenders with ten seeds each. The family-wise error of five
        // tests against a contender chosen beforehand is at most 5%; the best is chosen by the same
        // values. A simulation of 1,500 other columns gives 11%, and 34% without the correction;
        // the binomial deviation is 0.7%.
        let mut random = earlydrop::random::Pcg32::new(9, 2);
        let mut normal = || (0..12).map(|_| random.uniform()).sum::<f64>() - 6.0;
        let mut alarms = 0;
        for _ in 0..2000 {
            let all: Vec<Vec<f64>> = (0..6)
                .map(|_| (0..10).map(|_| normal()).collect())
                .collect();
            let all: Vec<&[f64]> = all.iter().map(Vec::as_slice).collect();
            alarms += u32::from(standings(&all, true).contains(&Some(Standing::Worse)));
        }
        let share = f64::from(alarms) / 2000.0;
        assert!(share < 0.15, "{share}");
        let page = include_str!("../../../docs/explanation/statistics.md");
        let sentence = format!("{:.0}% of those with six schemes", 100.0 * share);
        assert!(page.contains(&sentence), "{sentence}");
    }

    #[test]
    fn intervals_hold_the_mean_as_often_as_they_say() {
        // 2,000 samples of 5 normal values (Irwin-Hall's sum of 12): binomial deviation
        // 0.5%, so 2.5% is five of them: a false alarm less than once in a million.
        let mut random = earlydrop::random::Pcg32::new(3, 3);
        let mut normal = || (0..12).map(|_| random.uniform()).sum::<f64>() - 6.0;
        let mut hits = 0;
        for _ in 0..2000 {
            let values: Vec<f64> = (0..5).map(|_| normal()).collect();
            let mean = Mean::of(&values).unwrap();
            hits += u32::from(!mean.excludes_zero());
        }
        let share = f64::from(hits) / 2000.0;
        assert!((share - CONFIDENCE).abs() < 0.025, "{share}");
    }

    #[test]
    fn an_interval_is_shown_in_the_unit_of_display() {
        let mean = Mean::new(0.012_345, Some(0.000_42), 5);
        assert_eq!(mean.with_interval(1e3), "12.35 ± 0.42");
        let bound = Mean {
            is_lower_bound: true,
            ..mean
        };
        assert_eq!(bound.with_interval(1e3), "≥ 12.35 ± 0.42");
        assert_eq!(bound.alone(1e3), "≥ 12.35");
    }
}
