//! Where a function changes its sign. Only bracketing: some of TCP's formulas jump.

/// Halvings after which an interval of doubles has no number left inside.
const HALVINGS: u32 = 200;

/// Where `f`, which falls from `low` to `high`, passes through zero: `low` where it is
/// nowhere positive, `high` where it is nowhere negative, the place of the jump where it jumps.
pub fn falling_root(low: f64, high: f64, f: impl Fn(f64) -> f64) -> f64 {
    let (mut below, mut above) = (low, high);
    if f(low) <= 0.0 {
        return low;
    }
    if f(high) >= 0.0 {
        return high;
    }
    for _ in 0..HALVINGS {
        let middle = below + 0.5 * (above - below);
        if middle <= below || middle >= above {
            break;
        }
        match f(middle) > 0.0 {
            true => below = middle,
            false => above = middle,
        }
    }
    below + 0.5 * (above - below)
}

/// The same over several powers of ten, both bounds above zero.
pub fn falling_root_of_powers(low: f64, high: f64, f: impl Fn(f64) -> f64) -> f64 {
    falling_root(low.ln(), high.ln(), |power| f(power.exp())).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_zeros_jumps_and_ends() {
        let root = falling_root(0.0, 10.0, |x| 2.0 - x * x);
        assert!((root - 2.0_f64.sqrt()).abs() < 1e-15);
        let jump = falling_root(0.0, 10.0, |x| if x < 3.0 { 1.0 } else { -1.0 });
        assert!((jump - 3.0).abs() < 1e-15);
        assert_eq!(falling_root(0.0, 1.0, |x| 2.0 - x), 1.0);
        assert_eq!(falling_root(0.0, 1.0, |x| -1.0 - x), 0.0);
        let small = falling_root_of_powers(1e-12, 1.0, |x| 1e-9 - x);
        assert!((small / 1e-9 - 1.0).abs() < 1e-12);
    }
}
