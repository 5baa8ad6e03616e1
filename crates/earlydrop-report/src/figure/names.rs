//! Layout of the names at the ends of curves, so that none covers another.

/// Rows for names whose preferred rows are `wanted`, between `top` and `bottom`.
///
/// Names keep their order, are at least `spacing` apart, and lie as close to their preferred
/// rows as that allows.
pub(super) fn spread(wanted: &[f64], (top, bottom): (f64, f64), spacing: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|a, b| wanted[*a].total_cmp(&wanted[*b]));
    // Names that would touch form a block around the mean of their preferred rows.
    let mut blocks: Vec<(f64, Vec<usize>)> = Vec::new();
    for index in order {
        blocks.push((wanted[index].clamp(top, bottom), vec![index]));
        while let [.., (upper, above), (lower, below)] = blocks.as_slice() {
            let needed = spacing * (above.len() + below.len()) as f64 / 2.0;
            if lower - upper >= needed {
                break;
            }
            let count = (above.len() + below.len()) as f64;
            let middle = (upper * above.len() as f64 + lower * below.len() as f64) / count;
            let members = [above.as_slice(), below.as_slice()].concat();
            let half = spacing * (count - 1.0) / 2.0;
            let middle = middle.min(bottom - half).max(top + half);
            blocks.truncate(blocks.len() - 2);
            blocks.push((middle, members));
        }
    }
    let mut rows = vec![0.0; wanted.len()];
    for (middle, members) in blocks {
        let first = middle - spacing * (members.len() - 1) as f64 / 2.0;
        for (nth, index) in members.into_iter().enumerate() {
            rows[index] = first + spacing * nth as f64;
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    fn spread(wanted: &[f64], top: f64, bottom: f64) -> Vec<f64> {
        super::spread(wanted, (top, bottom), 13.0)
    }

    #[test]
    fn names_with_room_keep_their_rows() {
        assert_eq!(spread(&[20.0, 80.0, 50.0], 0.0, 100.0), [20.0, 80.0, 50.0]);
    }

    #[test]
    fn names_that_would_touch_are_moved_apart_in_order() {
        let rows = spread(&[50.0, 51.0, 49.0], 0.0, 100.0);
        assert_eq!(rows, [50.0, 63.0, 37.0]);
        let rows = spread(&[99.0, 100.0], 0.0, 100.0);
        assert_eq!(rows, [87.0, 100.0]);
        let rows = spread(&[0.0, 0.0, 0.0], 0.0, 100.0);
        assert_eq!(rows, [0.0, 13.0, 26.0]);
    }
}
