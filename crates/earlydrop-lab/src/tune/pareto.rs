//! The Pareto front of two goals.

/// The indices of the points that no other point is better than in both coordinates, where
/// less is better, in the order of the first coordinate.
pub fn front(points: &[(f64, f64)]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..points.len())
        .filter(|index| points[*index].0.is_finite() && points[*index].1.is_finite())
        .collect();
    order.sort_by(|a, b| {
        let (a, b) = (points[*a], points[*b]);
        a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
    });
    let mut least = f64::INFINITY;
    order.retain(|index| {
        let better = points[*index].1 < least;
        least = least.min(points[*index].1);
        better
    });
    order
}

#[cfg(test)]
mod tests {
    use super::front;

    #[test]
    fn points_that_are_worse_in_both_are_not_on_the_front() {
        let points = [
            (3.0, 1.0),
            (1.0, 5.0),
            (2.0, 2.0),
            (2.0, 3.0),
            (4.0, 1.0),
            (f64::NAN, 0.0),
        ];
        assert_eq!(front(&points), [1, 2, 0]);
        assert!(front(&[]).is_empty());
    }
}
