//! Differential evolution: an optimisation that needs no gradient and tolerates noise.
//!
//! Storn and Price, "Differential Evolution", 1997, rand-to-best/1/bin. A candidate is a point of
//! the unit cube. A trial of a member x is `x + F (best - x) + F (a - b)`, with two other members a
//! and b. It takes each coordinate from this sum with probability [`CROSSOVER`], at least one, and
//! the others from x. F is drawn for each trial. Different from the paper, a trial does not replace
//! its own x but the worst member: with few trials, only the best of all may breed.

use earlydrop::random::Pcg32;

use super::goal::Score;

/// The probability that a coordinate of a trial is a mutated one.
const CROSSOVER: f64 = 0.8;
/// The bounds of F, which is uniform.
const WEIGHT: (f64, f64) = (0.4, 0.9);
/// How often a point that is not allowed is drawn again.
const REDRAWN: usize = 50;

/// A point of the unit cube.
pub(super) type Point = Vec<f64>;

/// The best points of all that were evaluated, the best first.
#[derive(Clone, Debug)]
pub(super) struct Population {
    size: usize,
    members: Vec<(Point, Score)>,
}

impl Population {
    /// A population that keeps this many points, at least two.
    pub(super) fn new(size: usize) -> Population {
        Population {
            size: size.max(2),
            members: Vec::new(),
        }
    }

    /// Takes evaluated points, and keeps the best.
    pub(super) fn extend(&mut self, evaluated: impl IntoIterator<Item = (Point, Score)>) {
        self.members.extend(evaluated);
        self.members.sort_by(|(_, a), (_, b)| a.order(b));
        self.members.truncate(self.size);
    }

    /// At most `count` trials that are allowed; fewer where almost none is.
    pub(super) fn breed(
        &self,
        count: usize,
        random: &mut Pcg32,
        mut is_allowed: impl FnMut(&Point) -> bool,
    ) -> Vec<Point> {
        let mut trials = Vec::new();
        if self.members.len() < 2 {
            return trials;
        }
        let mut draws = 0;
        while trials.len() < count && draws < REDRAWN * count {
            let trial = self.trial(trials.len() % self.members.len(), random);
            if is_allowed(&trial) {
                trials.push(trial);
            }
            draws += 1;
        }
        trials
    }

    fn trial(&self, index: usize, random: &mut Pcg32) -> Point {
        let best = &self.members[0].0;
        let another = |random: &mut Pcg32| {
            let drawn = below(self.members.len() - 1, random);
            &self.members[drawn + usize::from(drawn >= index)].0
        };
        let (one, other) = (another(random), another(random));
        let weight = WEIGHT.0 + (WEIGHT.1 - WEIGHT.0) * random.uniform();
        let mut trial = self.members[index].0.clone();
        let sure = below(trial.len(), random);
        for (dimension, here) in trial.iter_mut().enumerate() {
            let is_taken = random.chance(CROSSOVER);
            if is_taken || dimension == sure {
                let apart = one[dimension] - other[dimension];
                *here = folded(*here + weight * (best[dimension] - *here + apart));
            }
        }
        trial
    }
}

fn below(count: usize, random: &mut Pcg32) -> usize {
    (random.uniform() * count as f64) as usize
}

/// Reflects a coordinate outside the unit interval back into it.
fn folded(value: f64) -> f64 {
    let turned = value.rem_euclid(2.0);
    if turned > 1.0 { 2.0 - turned } else { turned }
}

/// A Latin hypercube: in each dimension, one point in each of `count` equal slices. A point that is
/// not allowed is drawn again, uniformly, and left out where almost none is.
pub(super) fn spread(
    count: usize,
    dimensions: usize,
    random: &mut Pcg32,
    mut is_allowed: impl FnMut(&Point) -> bool,
) -> Vec<Point> {
    let mut points = vec![vec![0.0; dimensions]; count];
    for dimension in 0..dimensions {
        let mut slices: Vec<usize> = (0..count).collect();
        for index in (1..count).rev() {
            slices.swap(index, below(index + 1, random));
        }
        for (point, slice) in points.iter_mut().zip(slices) {
            point[dimension] = (slice as f64 + random.uniform()) / count as f64;
        }
    }
    points.retain_mut(|point| {
        (0..REDRAWN).any(|_| {
            let is_fit = is_allowed(point);
            if !is_fit {
                point.fill_with(|| random.uniform());
            }
            is_fit
        })
    });
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    fn any(_: &Point) -> bool {
        true
    }

    /// The best point after this many generations of 20 trials.
    fn best_of(goal: impl Fn(&[f64]) -> Score, dimensions: usize, generations: usize) -> Point {
        let mut random = Pcg32::new(1, 1);
        let mut population = Population::new(20);
        let mut asked = spread(20, dimensions, &mut random, any);
        for _ in 0..=generations {
            population.extend(asked.into_iter().map(|point| {
                let score = goal(&point);
                (point, score)
            }));
            asked = population.breed(20, &mut random, any);
        }
        population.members[0].0.clone()
    }

    fn plain(objective: f64) -> Score {
        Score {
            violation: 0.0,
            objective,
        }
    }

    #[test]
    fn the_minimum_of_a_curved_valley_is_found() {
        // Rosenbrock's function, scaled to the cube: the minimum is at (0.5, 0.25).
        let valley = |point: &[f64]| {
            let (x, y) = (2.0 * point[0], 4.0 * point[1]);
            plain((1.0 - x).powi(2) + 100.0 * (y - x * x).powi(2))
        };
        let best = best_of(valley, 2, 60);
        let away = (best[0] - 0.5).hypot(best[1] - 0.25);
        assert!(away < 0.01, "{best:?}");
    }

    #[test]
    fn the_best_on_a_limit_is_found() {
        // Minimise x + y + z with x at least 0.7: the result must meet the limit.
        let goal = |point: &[f64]| Score {
            violation: (0.7 - point[0]).max(0.0),
            objective: point.iter().sum(),
        };
        let best = best_of(goal, 3, 40);
        assert!(
            (0.7..0.72).contains(&best[0]) && best[1] + best[2] < 0.02,
            "{best:?}"
        );
    }

    #[test]
    fn the_first_points_are_a_latin_hypercube_and_all_stay_inside() {
        let mut random = Pcg32::new(7, 1);
        let first = spread(10, 2, &mut random, any);
        for dimension in 0..2 {
            let slice = |point: &Point| (point[dimension] * 10.0) as usize;
            let mut slices: Vec<usize> = first.iter().map(slice).collect();
            slices.sort_unstable();
            assert_eq!(slices, (0..10).collect::<Vec<_>>());
        }
        let mut population = Population::new(10);
        population.extend(first.into_iter().map(|point| (point, plain(0.0))));
        let bred = population.breed(1000, &mut random, any);
        let is_inside = |point: &Point| point.iter().all(|x| (0.0..=1.0).contains(x));
        assert_eq!(bred.len(), 1000);
        assert!(bred.iter().all(is_inside));
    }

    #[test]
    fn points_that_are_not_allowed_are_drawn_again() {
        let mut random = Pcg32::new(7, 1);
        let is_allowed = |point: &Point| point[0] < point[1];
        let first = spread(40, 2, &mut random, is_allowed);
        assert!(first.iter().all(is_allowed));
        let mut population = Population::new(10);
        population.extend(first.into_iter().map(|point| (point, plain(0.0))));
        let bred = population.breed(40, &mut random, is_allowed);
        assert!(bred.len() == 40 && bred.iter().all(is_allowed));
        assert!(population.breed(40, &mut random, |_| false).is_empty());
        assert!(spread(40, 2, &mut random, |_| false).is_empty());
    }
}
