//! Sparklines: a series of values in one line of text.

/// Values as blocks of a height between the smallest and the largest value.
///
/// The line has at most `width` characters; of more values each character shows the largest of its
/// share. Values that are not finite are blank.
pub(crate) fn sparkline(values: &[f64], width: usize, unicode: bool) -> String {
    let levels: Vec<char> = match unicode {
        true => "▁▂▃▄▅▆▇█".chars().collect(),
        false => "_.-=+*%#".chars().collect(),
    };
    let finite = || values.iter().copied().filter(|value| value.is_finite());
    let low = finite().fold(f64::INFINITY, f64::min);
    let high = finite().fold(f64::NEG_INFINITY, f64::max);
    let width = width.min(values.len());
    let glyph = |column: usize| {
        let from = column * values.len() / width;
        let to = (column + 1) * values.len() / width;
        let finite = values[from..to].iter().filter(|value| value.is_finite());
        let largest = finite.copied().reduce(f64::max);
        largest.map_or(' ', |value| {
            // Halved, so that the difference of finite values does not overflow.
            let share = (value / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0);
            let level = (share * (levels.len() - 1) as f64).round();
            levels[if level.is_finite() { level as usize } else { 0 }]
        })
    };
    (0..width).map(glyph).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sparklines_span_their_values() {
        assert_eq!(sparkline(&[0.0, 0.5, 1.0], 3, true), "▁▅█");
        assert_eq!(sparkline(&[0.0, 0.5, 1.0], 3, false), "_+#");
        assert_eq!(sparkline(&[0.0, 1.0, 0.0, 0.0], 2, true), "█▁");
        assert_eq!(sparkline(&[2.0, f64::NAN], 9, true), "▁ ");
        assert_eq!(sparkline(&[f64::MIN, f64::MAX], 2, true), "▁█");
        assert_eq!(sparkline(&[], 9, true), "");
        assert_eq!(sparkline(&[1.0], 0, true), "");
    }
}
