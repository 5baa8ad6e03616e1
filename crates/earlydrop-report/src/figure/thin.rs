//! Long lines with fewer points, without a visible difference.

/// The columns in a point: half as wide as a line is thick.
const COLUMNS: f64 = 2.0;

/// Of the points in each column the first, the lowest, the highest and the last, which cover the same
/// ink as all of them.
pub(super) fn thin(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let column = |point: &(f64, f64)| (point.0 * COLUMNS).floor();
    let mut kept = Vec::new();
    for part in points.chunk_by(|one, next| column(one) == column(next)) {
        if part.len() <= 4 {
            kept.extend(part);
            continue;
        }
        let of = |index: &usize| part[*index].1;
        let indices = || 0..part.len();
        let mut chosen = vec![0, part.len() - 1];
        chosen.extend(indices().min_by(|a, b| of(a).total_cmp(&of(b))));
        chosen.extend(indices().max_by(|a, b| of(a).total_cmp(&of(b))));
        chosen.sort_unstable();
        chosen.dedup();
        kept.extend(chosen.into_iter().map(|index| part[index]));
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_points_are_all_drawn() {
        let points = [(10.0, 1.0), (10.1, 2.0), (20.0, 3.0)];
        assert_eq!(thin(&points), points);
    }

    #[test]
    fn no_peak_and_no_trough_is_lost() {
        // A single peak and a single trough among 10,000 samples over 100 points.
        let mut points: Vec<(f64, f64)> =
            (0..10_000).map(|at| (f64::from(at) / 100.0, 5.0)).collect();
        (points[4321].1, points[7654].1) = (90.0, -40.0);
        let kept = thin(&points);
        assert!(kept.contains(&points[4321]) && kept.contains(&points[7654]));
        assert!(kept.len() <= 4 * 201);
    }
}
