//! Names at the ends of curves, where none covers another.

/// How far one name is from the next, in pixels.
pub(super) const APART: f64 = 13.0;

/// Where names go that would like to stand at `wanted`, from `top` to `bottom`: in the same
/// order, no two closer than [`APART`], as near to where they belong as can be.
pub(super) fn spread(wanted: &[f64], top: f64, bottom: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|a, b| wanted[*a].total_cmp(&wanted[*b]));
    // Names that would touch stand in blocks, each around the mean of what they want.
    let mut blocks: Vec<(f64, Vec<usize>)> = Vec::new();
    for index in order {
        blocks.push((wanted[index].clamp(top, bottom), vec![index]));
        while let [.., (upper, above), (lower, below)] = blocks.as_slice() {
            let needed = APART * (above.len() + below.len()) as f64 / 2.0;
            if lower - upper >= needed {
                break;
            }
            let count = (above.len() + below.len()) as f64;
            let middle = (upper * above.len() as f64 + lower * below.len() as f64) / count;
            let members = [above.as_slice(), below.as_slice()].concat();
            let half = APART * (count - 1.0) / 2.0;
            let middle = middle.min(bottom - half).max(top + half);
            blocks.truncate(blocks.len() - 2);
            blocks.push((middle, members));
        }
    }
    let mut places = vec![0.0; wanted.len()];
    for (middle, members) in blocks {
        let first = middle - APART * (members.len() - 1) as f64 / 2.0;
        for (nth, index) in members.into_iter().enumerate() {
            places[index] = first + APART * nth as f64;
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_room_stand_where_they_belong() {
        assert_eq!(spread(&[20.0, 80.0, 50.0], 0.0, 100.0), [20.0, 80.0, 50.0]);
    }

    #[test]
    fn names_that_would_touch_make_room_in_order() {
        let places = spread(&[50.0, 51.0, 49.0], 0.0, 100.0);
        assert_eq!(places, [50.0, 63.0, 37.0]);
        let places = spread(&[99.0, 100.0], 0.0, 100.0);
        assert_eq!(places, [87.0, 100.0]);
        let places = spread(&[0.0, 0.0, 0.0], 0.0, 100.0);
        assert_eq!(places, [0.0, 13.0, 26.0]);
    }
}
