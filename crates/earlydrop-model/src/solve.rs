//! Root finding by bracketing. Other methods would fail, because TCP's formulas and the curves of
//! many schemes have jumps.

/// A bracket of doubles cannot be narrowed further after this many steps.
const STEPS: u32 = 200;

/// The relative width of the bracket at which the search ends.
const NARROW: f64 = 1e-13;

/// The root of the decreasing function `f` between `low` and `high`.
///
/// Returns `low` if `f` is positive nowhere, `high` if it is negative nowhere, and the position of
/// the jump if it jumps over zero. The method is that of T. R. Chandrupatla, Advances in Engineering
/// Software 28(3), 1997: inverse quadratic interpolation where three points allow it, bisection
/// otherwise.
///
/// ```
/// use earlydrop_model::solve::falling_root;
/// let root = falling_root(0.0, 10.0, |x| 2.0 - x * x);
/// assert!((root - 2.0_f64.sqrt()).abs() < 1e-12);
/// ```
pub fn falling_root(low: f64, high: f64, f: impl Fn(f64) -> f64) -> f64 {
    let (mut a, mut b) = (high, low);
    let mut f_b = f(low);
    if f_b <= 0.0 {
        return low;
    }
    let mut f_a = f(high);
    if f_a >= 0.0 {
        return high;
    }
    // The root is between `a` and `b`; `a` is the newer end, `c` the last end that was replaced.
    let (mut c, mut f_c);
    let mut share = 0.5;
    for _ in 0..STEPS {
        let x = a + share * (b - a);
        let f_x = f(x);
        if (f_x > 0.0) == (f_a > 0.0) {
            (c, f_c) = (a, f_a);
        } else {
            (c, f_c) = (b, f_b);
            (b, f_b) = (a, f_a);
        }
        (a, f_a) = (x, f_x);
        let best = if f_a.abs() < f_b.abs() { a } else { b };
        let margin = NARROW * best.abs() + f64::MIN_POSITIVE;
        let least = margin / (b - a).abs();
        if least > 0.5 || f_a == 0.0 {
            return best;
        }
        share = interpolated(a, b, c, f_a, f_b, f_c)
            .unwrap_or(0.5)
            .clamp(least, 1.0 - least);
    }
    a + 0.5 * (b - a)
}

/// The position of the root as a share of the way from `a` to `b`, by inverse quadratic
/// interpolation; `None` if Chandrupatla's criterion rejects it.
fn interpolated(a: f64, b: f64, c: f64, f_a: f64, f_b: f64, f_c: f64) -> Option<f64> {
    let xi = (a - b) / (c - b);
    let phi = (f_a - f_b) / (f_c - f_b);
    let trusted = phi * phi < xi && (1.0 - phi) * (1.0 - phi) < 1.0 - xi;
    trusted.then(|| {
        f_a / (f_b - f_a) * f_c / (f_b - f_c)
            + (c - a) / (b - a) * f_a / (f_c - f_a) * f_b / (f_c - f_b)
    })
}

/// The root of a decreasing function, searched in ln(x). Both bounds must be above zero. Use it if
/// the root may differ from the bounds by orders of magnitude.
pub fn falling_root_of_powers(low: f64, high: f64, f: impl Fn(f64) -> f64) -> f64 {
    falling_root(low.ln(), high.ln(), |power| f(power.exp())).exp()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn finds_zeros_jumps_and_ends() {
        let root = falling_root(0.0, 10.0, |x| 2.0 - x * x);
        assert!((root - 2.0_f64.sqrt()).abs() < 1e-12);
        let jump = falling_root(0.0, 10.0, |x| if x < 3.0 { 1.0 } else { -1.0 });
        assert!((jump - 3.0).abs() < 1e-12);
        assert_eq!(falling_root(0.0, 1.0, |x| 2.0 - x), 1.0);
        assert_eq!(falling_root(0.0, 1.0, |x| -1.0 - x), 0.0);
        let small = falling_root_of_powers(1e-12, 1.0, |x| 1e-9 - x);
        assert!((small / 1e-9 - 1.0).abs() < 1e-9);
        let at_nothing = falling_root(0.0, 1.0, |x| if x <= 0.0 { 1.0 } else { -1.0 });
        assert!(at_nothing < 1e-30);
    }

    #[test]
    fn needs_few_steps_where_the_function_is_smooth() {
        let calls = Cell::new(0);
        let count = |y: f64| {
            calls.set(calls.get() + 1);
            y
        };
        let root = falling_root(1e-3, 1e3, |x| count(1.0 / x - x.sqrt()));
        assert!((root - 1.0).abs() < 1e-12);
        assert!(calls.get() < 30, "{} calls", calls.get());
    }
}
