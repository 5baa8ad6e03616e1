//! The long-run signal rate of each spacing law at a constant initial probability Pb.

use earlydrop::red::Spacing;

/// The share of packets dropped or marked at a constant initial probability `pb`.
///
/// It is 1 over the mean gap. The mean gap is the sum over n of the probability that a gap is longer
/// than n:
///
/// | law | a gap is longer than n with probability |
/// |---|---|
/// | geometric | (1-Pb)^n |
/// | uniform, drawn | 1 - n Pb, while above 0 |
/// | pseudocode | 1 - n Pb/(1-Pb), while above 0 |
/// | uniform2 | 1 - n Pb/2 |
/// | wait | 1 for (n+1) Pb < 1, then (2 - (n+1) Pb)/(2 - (m+1) Pb), m the first such n |
///
/// ```
/// use earlydrop::red::Spacing;
/// use earlydrop_model::spacing::long_run;
/// assert_eq!((long_run(Spacing::Uniform, 0.02) / 0.02 * 100.0).round(), 196.0);
/// assert_eq!((long_run(Spacing::Wait, 0.02) / 0.02 * 100.0).round(), 67.0);
/// ```
pub fn long_run(spacing: Spacing, pb: f64) -> f64 {
    if pb <= 0.0 {
        return 0.0;
    }
    let pb = pb.min(1.0);
    let mean_gap = match spacing {
        Spacing::Geometric => return pb,
        Spacing::Uniform | Spacing::Drawn => falling_sum(1.0, pb),
        Spacing::Pseudocode => falling_sum(1.0, (pb / (1.0 - pb)).min(1.0)),
        Spacing::Uniform2 => falling_sum(1.0, pb / 2.0),
        Spacing::Wait => {
            let first = (1.0 / pb - 1.0).ceil();
            let left = 2.0 - (first + 1.0) * pb;
            first + falling_sum(1.0, pb / left)
        }
    };
    1.0 / mean_gap
}

/// The sum of `start - n step` over n = 0, 1, ..., while above zero.
fn falling_sum(start: f64, step: f64) -> f64 {
    let last = (start / step).floor();
    (last + 1.0) * (start - 0.5 * step * last)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAWS: [Spacing; 6] = [
        Spacing::Geometric,
        Spacing::Uniform,
        Spacing::Pseudocode,
        Spacing::Drawn,
        Spacing::Uniform2,
        Spacing::Wait,
    ];

    /// One over the mean gap, summed from the law's own probabilities.
    fn summed(spacing: Spacing, pb: f64) -> f64 {
        let (mut longer, mut mean) = (1.0, 0.0);
        for count in (0..100_000).map(|count| count + spacing.first_count()) {
            mean += longer;
            longer *= 1.0 - spacing.probability(pb, f64::from(count));
        }
        1.0 / mean
    }

    #[test]
    fn closed_forms_match_the_laws() {
        for spacing in LAWS {
            for pb in [0.001, 0.0123, 0.02, 0.1, 0.3, 0.51, 0.9, 1.0] {
                let (closed, sum) = (long_run(spacing, pb), summed(spacing, pb));
                assert!(
                    (closed / sum - 1.0).abs() < 1e-9,
                    "{spacing:?} {pb}: {closed} {sum}"
                );
            }
        }
    }

    #[test]
    fn rises_with_the_initial_probability() {
        for spacing in LAWS {
            let rates = (0..=2000).map(|step| long_run(spacing, f64::from(step) / 2000.0));
            assert!(rates.is_sorted(), "{spacing:?}");
        }
    }
}
