//! The Pareto front of two goals.

use std::cmp::Ordering;

/// The indices of the points that no other point beats, where less is better in both coordinates:
/// in order of the first coordinate, and one of equal points.
///
/// A point beats another if it is not worse in any coordinate and better in one. Coordinates may be
/// infinite. A point with a NaN is on no front.
pub fn front(points: &[(f64, f64)]) -> Vec<usize> {
    let is_number = |index: &usize| !points[*index].0.is_nan() && !points[*index].1.is_nan();
    let mut order: Vec<usize> = (0..points.len()).filter(is_number).collect();
    // Not by `total_cmp`, for which -0 is less than 0.
    order.sort_by(|a, b| {
        let order = points[*a].partial_cmp(&points[*b]);
        order.unwrap_or(Ordering::Equal)
    });
    let mut least = None;
    order.retain(|index| {
        let second = points[*index].1;
        let is_less = least.is_none_or(|least| second < least);
        if is_less {
            least = Some(second);
        }
        is_less
    });
    order
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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

    #[test]
    fn a_coordinate_that_is_infinite_for_all_leaves_the_other_to_decide() {
        for endless in [f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(
                front(&[(3.0, endless), (1.0, endless), (2.0, endless)]),
                [1]
            );
            assert_eq!(front(&[(endless, 3.0), (endless, 1.0)]), [1]);
        }
    }

    /// A coordinate: one of few numbers, so that some are equal, or what is no number.
    fn coordinate() -> impl Strategy<Value = f64> {
        prop_oneof![
            6 => (-4..4i8).prop_map(f64::from),
            1 => Just(-0.0),
            1 => Just(f64::INFINITY),
            1 => Just(f64::NEG_INFINITY),
            1 => Just(f64::NAN),
        ]
    }

    proptest! {
        #[test]
        fn the_front_is_what_comparing_all_pairs_finds(
            points in prop::collection::vec((coordinate(), coordinate()), 0..24)
        ) {
            let beats = |a: (f64, f64), b: (f64, f64)| a.0 <= b.0 && a.1 <= b.1 && a != b;
            let is_number = |point: (f64, f64)| !point.0.is_nan() && !point.1.is_nan();
            let unbeaten = |point: &(f64, f64)| {
                is_number(*point) && !points.iter().any(|other| beats(*other, *point))
            };
            let mut expected: Vec<(f64, f64)> = points.iter().copied().filter(unbeaten).collect();
            expected.sort_by(|a, b| a.partial_cmp(b).unwrap());
            expected.dedup();
            let found: Vec<(f64, f64)> = front(&points).into_iter().map(|at| points[at]).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
