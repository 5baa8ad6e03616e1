//! Downsampling of long traces without a visible difference.

use super::svg::coordinate;

/// The SVG path of a trace.
///
/// The first sample lies at `left`, the others `step` pixels apart; `height_of` maps a value to
/// its row. Of the samples in one column of pixels the first, the lowest, the highest and the
/// last are drawn, which cover the same pixels as all of them. A value that is not finite leaves
/// a gap.
pub(super) fn path(
    values: &[f64],
    (left, step): (f64, f64),
    height_of: impl Fn(f64) -> f64,
) -> String {
    let mut path = String::new();
    let mut pen_is_down = false;
    let mut at = 0;
    while at < values.len() {
        let column = (at as f64 * step).floor();
        let in_column = |index: &usize| (*index as f64 * step).floor() == column;
        let end = (at..values.len())
            .take_while(in_column)
            .last()
            .map_or(at + 1, |last| last + 1);
        for index in kept_samples(values, at, end) {
            let value = values[index];
            if !value.is_finite() {
                pen_is_down = false;
                continue;
            }
            path.push(if pen_is_down { 'L' } else { 'M' });
            pen_is_down = true;
            let (x, y) = (left + index as f64 * step, height_of(value));
            path.push_str(&format!("{} {}", coordinate(x), coordinate(y)));
        }
        at = end;
    }
    path
}

/// The indices of the samples in `from..end` that decide how their column looks, in order.
pub(super) fn kept_samples(values: &[f64], from: usize, end: usize) -> Vec<usize> {
    if end - from <= 4 {
        return (from..end).collect();
    }
    let mut chosen = vec![from, end - 1];
    let finite = || (from..end).filter(|index| values[*index].is_finite());
    chosen.extend(finite().min_by(|a, b| values[*a].total_cmp(&values[*b])));
    chosen.extend(finite().max_by(|a, b| values[*a].total_cmp(&values[*b])));
    chosen.extend((from..end).find(|index| !values[*index].is_finite()));
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_samples_are_all_drawn_and_gaps_are_gaps() {
        let path = path(&[1.0, 2.0, f64::NAN, 3.0], (10.0, 5.0), |value| value);
        assert_eq!(path, "M10 1L15 2M25 3");
    }

    #[test]
    fn no_peak_and_no_trough_is_lost() {
        // A single peak and a single trough among 10,000 samples over 100 pixels.
        let mut values = vec![5.0; 10_000];
        (values[4321], values[7654]) = (90.0, -40.0);
        let path = path(&values, (0.0, 0.01), |value| value);
        assert!(path.contains(" 90L") && path.contains(" -40L"), "{path}");
        assert!(path.matches('L').count() <= 4 * 101);
    }
}
