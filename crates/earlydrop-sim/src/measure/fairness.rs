//! Fairness indices: how evenly something is shared.

/// Jain's fairness index, (sum x)^2 / (n sum x^2): 1 when all are equal, 1/n when one has all,
/// and 1 of nothing or of zeros.
pub fn jain_index(shares: impl IntoIterator<Item = f64>) -> f64 {
    let (count, sum, squares) = sums(shares);
    if squares == 0.0 {
        return 1.0;
    }
    sum * sum / (count * squares)
}

/// The coefficient of variation: standard deviation (with n - 1) over mean; 0 for fewer than two
/// values or for zeros. Chandrayana et al. ("Scalable Configuration of RED Queue Parameters")
/// measure fairness by it.
pub fn coefficient_of_variation(shares: impl IntoIterator<Item = f64>) -> f64 {
    let (count, sum, squares) = sums(shares);
    if count < 2.0 || sum == 0.0 {
        return 0.0;
    }
    let variance = (squares - sum * sum / count) / (count - 1.0);
    libm::sqrt(variance.max(0.0)) / (sum / count)
}

fn sums(shares: impl IntoIterator<Item = f64>) -> (f64, f64, f64) {
    let add = |(count, sum, squares), x: f64| (count + 1.0, sum + x, squares + x * x);
    shares.into_iter().fold((0.0, 0.0, 0.0), add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_of_known_shares() {
        assert_eq!(jain_index([3.0, 3.0, 3.0]), 1.0);
        assert_eq!(jain_index([6.0, 0.0, 0.0]), 1.0 / 3.0);
        // (1 + 2 + 3)^2 / (3 * 14).
        assert!((jain_index([1.0, 2.0, 3.0]) - 36.0 / 42.0).abs() < 1e-15);
        assert_eq!(jain_index([]), 1.0);
        assert_eq!(coefficient_of_variation([1.0, 2.0, 3.0]), 0.5);
        assert_eq!(coefficient_of_variation([5.0]), 0.0);
    }
}
