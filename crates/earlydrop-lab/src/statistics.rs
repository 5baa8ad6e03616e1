//! Means with their intervals, and what may be called different.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// The share of intervals that hold the true mean.
pub const CONFIDENCE: f64 = 0.95;

/// A mean over seeds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// Half the width of its 95% interval; `None` with a single value.
    pub half: Option<f64>,
    /// Of how many values.
    pub count: usize,
}

impl Mean {
    /// The mean of these values with its interval by Student's t; `None` of nothing.
    pub fn of(values: &[f64]) -> Option<Mean> {
        let count = values.len();
        if count == 0 {
            return None;
        }
        let mean = values.iter().sum::<f64>() / count as f64;
        let half = (count > 1).then(|| {
            let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
            let deviation = (squares / (count - 1) as f64).sqrt();
            student(count - 1) * deviation / (count as f64).sqrt()
        });
        Some(Mean { mean, half, count })
    }

    /// Whether its interval leaves out zero. A single value tells nothing.
    pub fn is_apart_from_zero(&self) -> bool {
        self.half.is_some_and(|half| self.mean.abs() > half)
    }
}

/// The two-sided 95% point of Student's t.
fn student(degrees: usize) -> f64 {
    let law = StudentsT::new(0.0, 1.0, degrees as f64);
    law.map_or(f64::INFINITY, |law| law.inverse_cdf(0.5 + CONFIDENCE / 2.0))
}

/// The mean difference of values that belong together pair by pair: the same seed under
/// two schemes. `None` where a pair is missing.
pub fn paired(one: &[f64], other: &[f64]) -> Option<Mean> {
    if one.len() != other.len() {
        return None;
    }
    let differences: Vec<f64> = one.iter().zip(other).map(|(a, b)| a - b).collect();
    Mean::of(&differences)
}

/// Which of several contenders are best: the one with the best mean, and all that paired
/// intervals do not tell apart from it. Empty when none is told apart.
///
/// Each contender's values are in the order of the seeds.
pub fn best(contenders: &[&[f64]], less_is_better: bool) -> Vec<usize> {
    let sign = if less_is_better { 1.0 } else { -1.0 };
    let means = contenders.iter().enumerate().filter_map(|(index, values)| {
        let mean = Mean::of(values)?.mean * sign;
        mean.is_finite().then_some((index, mean))
    });
    let Some((winner, _)) = means.min_by(|(_, a), (_, b)| a.total_cmp(b)) else {
        return Vec::new();
    };
    let worse = |index: &usize| {
        let difference = paired(contenders[*index], contenders[winner]);
        difference.is_some_and(|difference| difference.is_apart_from_zero())
    };
    let present = (0..contenders.len()).filter(|index| !contenders[*index].is_empty());
    let (worse, level): (Vec<usize>, Vec<usize>) = present.partition(worse);
    if worse.is_empty() { Vec::new() } else { level }
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
        assert_eq!(Mean::of(&[7.0]).unwrap().half, None);
        assert_eq!(Mean::of(&[]), None);
    }

    #[test]
    fn pairs_tell_apart_what_means_do_not() {
        // Seeds differ by far more than the schemes do, but the same way for both.
        let one = [10.0, 20.0, 30.0, 40.0];
        let other = [10.9, 21.0, 31.1, 41.0];
        let apart = paired(&one, &other).unwrap();
        assert!(apart.is_apart_from_zero());
        assert_eq!(best(&[&one, &other], true), [0]);
        assert_eq!(best(&[&one, &other], false), [1]);
    }

    #[test]
    fn nothing_is_best_where_nothing_is_told_apart() {
        let one = [1.0, 2.0, 3.0];
        let other = [2.0, 1.0, 3.1];
        assert!(best(&[&one, &other], true).is_empty());
        assert!(
            best(&[&[1.0], &[2.0]], true).is_empty(),
            "one seed tells nothing"
        );
        // Two are level, one is worse.
        let worse = [11.0, 12.0, 13.0];
        assert_eq!(best(&[&one, &worse, &other], true), [0, 2]);
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
            hits += u32::from(!mean.is_apart_from_zero());
        }
        let share = f64::from(hits) / 2000.0;
        assert!((share - CONFIDENCE).abs() < 0.025, "{share}");
    }
}
