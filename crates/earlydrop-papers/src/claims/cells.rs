//! The runs that a claim rests on.

use earlydrop_lab::plan::{Cell, Plan};

use super::claim::{Claim, Test};
use super::measurements::Measurements;

/// The runs of an experiment that a claim rests on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClaimCells {
    /// The labels of the schemes, the one that the claim is about first.
    pub schemes: Vec<String>,
    /// The number of points.
    pub points: usize,
    /// The number of seeds.
    pub seeds: usize,
    /// The numbers of the cells in the experiment, in order.
    pub numbers: Vec<usize>,
}

impl ClaimCells {
    /// The runs of `plan` that `claim` rests on, as far as they are measured.
    pub(crate) fn of(claim: &Claim, plan: &Plan, measured: &Measurements) -> ClaimCells {
        let labels = claim.test.schemes();
        let schemes: Vec<usize> = labels
            .iter()
            .filter_map(|label| measured.scheme(label))
            .collect();
        let points = points(&claim.test, measured);
        let place = |seed: &u64| plan.seeds.iter().position(|known| known == seed);
        let seeds: Vec<usize> = measured.seeds.iter().filter_map(place).collect();
        let mut numbers = Vec::new();
        for &seed in &seeds {
            for &point in &points {
                let cells = schemes.iter().map(|&scheme| Cell {
                    seed,
                    point,
                    scheme,
                });
                numbers.extend(cells.map(|cell| plan.number(cell)));
            }
        }
        numbers.sort_unstable();
        ClaimCells {
            schemes: labels.into_iter().map(ToString::to_string).collect(),
            points: points.len(),
            seeds: seeds.len(),
            numbers,
        }
    }
}

/// The points that a test looks at.
pub(crate) fn points(test: &Test, measured: &Measurements) -> Vec<usize> {
    let mut points = match test.restriction() {
        Some(at) => measured.points_at(at),
        None => (0..measured.points.len()).collect(),
    };
    if let Test::Trend { over, from, to, .. } = test
        && let Some(axis) = measured.axis(over)
    {
        let ends = [from, to].map(|end| measured.require_axis_value(over, end).ok());
        points.retain(|point| ends.contains(&Some(measured.points[*point][axis])));
    }
    points
}
