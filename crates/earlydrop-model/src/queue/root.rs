//! The dominant root and the renewal sequence over it.

/// The maximum number of Newton steps.
const STEPS: u32 = 100;

/// The largest number of products of a sequence, some seconds of work. With large batches of nearly
/// one size and a load far from 1 the sequence oscillates, and converges late or never.
const PRODUCTS: u64 = 1_000_000_000;

/// The largest length of a sequence, some hundred megabytes with the distribution made of it.
const STATES: u64 = 10_000_000;

/// The sequence has converged if m consecutive values are within this relative distance of the limit.
const CONVERGED: f64 = 1e-12;

/// ln y, where y is the positive root of `a sum G(j) y^-j = 1`.
///
/// The logarithm of the sum is convex and decreasing in ln y. Newton's method therefore converges
/// from one side if it starts where the logarithm is not negative: at y = 1 for rho >= 1, and
/// otherwise at the largest `(a G(j))^(1/j)`, where one term is 1.
pub(super) fn dominant(ratio: f64, tails: &[f64]) -> f64 {
    let load: f64 = ratio * tails.iter().sum::<f64>();
    let ln_ratio = ratio.ln();
    let mut ln_y = match load >= 1.0 {
        true => 0.0,
        false => (1..)
            .zip(tails)
            .map(|(j, tail): (u32, _)| (ln_ratio + tail.ln()) / f64::from(j))
            .fold(f64::NEG_INFINITY, f64::max),
    };
    for _ in 0..STEPS {
        let (sum, moment) = sums(ratio, tails, ln_y);
        let step = sum.ln() * sum / moment;
        let next = ln_y + step;
        if next == ln_y || step.abs() < 1e-17 {
            break;
        }
        ln_y = next;
    }
    ln_y
}

/// The sums over j of `a G(j) y^-j` and of `j a G(j) y^-j`.
fn sums(ratio: f64, tails: &[f64], ln_y: f64) -> (f64, f64) {
    let (mut sum, mut moment) = (0.0, 0.0);
    for (j, tail) in (1..).zip(tails) {
        let term = ratio * tail * (-ln_y * f64::from(j as u32)).exp();
        sum += term;
        moment += f64::from(j as u32) * term;
    }
    (sum, moment)
}

/// f(1), f(2), ...: the step probabilities `a G(j) y^-j` of the renewal sequence.
pub(super) fn renewal_steps(ratio: f64, tails: &[f64], ln_y: f64) -> Vec<f64> {
    let step = |(j, tail): (u32, &f64)| ratio * tail * (-ln_y * f64::from(j)).exp();
    (1..).zip(tails).map(step).collect()
}

/// v(0), v(1), ... up to convergence or `last`, and the limit. The error is the largest `last` that
/// is computed without convergence.
pub(super) fn renewals(steps: &[f64], last: u64) -> Result<(Vec<f64>, f64), u64> {
    let most = (PRODUCTS / steps.len().max(1) as u64).min(STATES);
    let mean: f64 = (1..)
        .zip(steps)
        .map(|(j, f): (u32, _)| f64::from(j) * f)
        .sum();
    let limit = 1.0 / mean;
    let mut v = vec![1.0];
    let mut converged = 0;
    while (v.len() as u64) <= last && converged < steps.len() {
        if v.len() as u64 > most {
            return Err(most);
        }
        let before = v.iter().rev().zip(steps);
        let next: f64 = before.map(|(v, f)| v * f).sum();
        converged = match (next / limit - 1.0).abs() < CONVERGED {
            true => converged + 1,
            false => 0,
        };
        v.push(next);
    }
    Ok((v, limit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_is_below_at_and_above_one_as_the_load_is() {
        let tails = [1.0, 0.5, 0.2];
        for load in [0.01, 0.3, 0.999_999, 1.0, 1.000_001, 1.5, 30.0] {
            let ratio = load / 1.7;
            let ln_y = dominant(ratio, &tails);
            let (sum, _) = sums(ratio, &tails, ln_y);
            assert!((sum - 1.0).abs() < 1e-14, "{load}: {sum}");
            assert!((ln_y > 0.0) == (load > 1.0) || ln_y.abs() < 1e-15);
        }
    }

    #[test]
    fn renewals_converge_to_one_over_the_mean() {
        let (v, limit) = renewals(&[0.5, 0.3, 0.2], 1_000_000).unwrap();
        assert!((limit - 1.0 / 1.7).abs() < 1e-15);
        assert!(v.len() < 200, "{}", v.len());
        assert_eq!(v[..3], [1.0, 0.5, 0.55]);
    }

    #[test]
    fn a_sequence_that_does_not_converge_has_an_end() {
        // Every second state only.
        let steps = [vec![0.0; 999_999], vec![1.0]].concat();
        assert_eq!(renewals(&steps, 1_000_000_000_000), Err(1000));
        assert_eq!(renewals(&steps, 500).unwrap().0.len(), 501);
    }
}
