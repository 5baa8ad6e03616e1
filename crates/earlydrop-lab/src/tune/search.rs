//! Differential evolution: an optimisation that needs no gradient and tolerates noise.
//!
//! Storn and Price, "Differential Evolution", 1997, variant rand-to-best/1/bin. A candidate is
//! a point of the unit cube. In each generation every member x has a trial
//! `x + F (best - x) + F (a - b)`, with two other members a and b. The trial takes each
//! coordinate from this sum with probability [`CROSSOVER`], at least one, and the others from x.
//! It replaces x unless it is worse. F is drawn for each trial.

use earlydrop::random::Pcg32;

use super::goal::Score;

/// The probability that a coordinate of a trial is a mutated one.
const CROSSOVER: f64 = 0.8;
/// The bounds of F, which is uniform.
const WEIGHT: (f64, f64) = (0.4, 0.9);
/// The random generator's stream of a search.
const STREAM: u64 = 0x7475_6e65;

/// A search in the unit cube by ask and tell: the caller evaluates the points of
/// [`ask`](Search::ask) and passes their scores to [`tell`](Search::tell).
#[derive(Clone, Debug)]
pub(super) struct Search {
    dimensions: usize,
    members: Vec<(Vec<f64>, Score)>,
    asked: Vec<Vec<f64>>,
    random: Pcg32,
}

impl Search {
    /// A search whose first generation is `start` and `members - 1` points of a Latin
    /// hypercube.
    pub(super) fn new(start: Vec<f64>, members: usize, seed: u64) -> Search {
        let mut random = Pcg32::new(seed, STREAM);
        let dimensions = start.len();
        let mut asked = vec![start];
        asked.extend(spread(members.saturating_sub(1), dimensions, &mut random));
        Search {
            dimensions,
            members: Vec::new(),
            asked,
            random,
        }
    }

    /// The points to evaluate next.
    pub(super) fn ask(&self) -> &[Vec<f64>] {
        &self.asked
    }

    /// Takes the scores of the points of [`ask`](Search::ask), in their order.
    pub(super) fn tell(&mut self, scores: &[Score]) {
        let scored: Vec<(Vec<f64>, Score)> =
            self.asked.drain(..).zip(scores.iter().copied()).collect();
        if self.members.is_empty() {
            self.members = scored;
        } else {
            for (member, trial) in self.members.iter_mut().zip(scored) {
                if trial.1.order(&member.1).is_le() {
                    *member = trial;
                }
            }
        }
        let best = self.members.iter().min_by(|a, b| a.1.order(&b.1));
        let best = best.map(|best| best.0.clone()).unwrap_or_default();
        self.asked = (0..self.members.len())
            .map(|index| self.trial(index, &best))
            .collect();
    }

    /// The width of the population in its widest dimension.
    pub(super) fn spread(&self) -> f64 {
        let width = |dimension: usize| {
            let values = self.members.iter().map(|(point, _)| point[dimension]);
            let low = values.clone().fold(f64::INFINITY, f64::min);
            values.fold(f64::NEG_INFINITY, f64::max) - low
        };
        (0..self.dimensions).map(width).fold(0.0, f64::max)
    }

    fn trial(&mut self, index: usize, best: &[f64]) -> Vec<f64> {
        let (one, other) = (self.another(index), self.another(index));
        let weight = WEIGHT.0 + (WEIGHT.1 - WEIGHT.0) * self.random.uniform();
        let sure = self.below(self.dimensions);
        let mut trial = self.members[index].0.clone();
        for dimension in 0..self.dimensions {
            let taken = self.random.chance(CROSSOVER);
            if taken || dimension == sure {
                let here = trial[dimension];
                let apart = self.members[one].0[dimension] - self.members[other].0[dimension];
                trial[dimension] = folded(here + weight * (best[dimension] - here + apart));
            }
        }
        trial
    }

    /// The index of a random member other than `index`.
    fn another(&mut self, index: usize) -> usize {
        let drawn = self.below(self.members.len().saturating_sub(1));
        drawn + usize::from(drawn >= index)
    }

    fn below(&mut self, count: usize) -> usize {
        (self.random.uniform() * count as f64) as usize
    }
}

/// Reflects a coordinate outside the unit interval back into it.
fn folded(value: f64) -> f64 {
    let turned = value.rem_euclid(2.0);
    if turned > 1.0 { 2.0 - turned } else { turned }
}

/// A Latin hypercube: in each dimension, one point in each of `count` equal slices.
fn spread(count: usize, dimensions: usize, random: &mut Pcg32) -> Vec<Vec<f64>> {
    let mut points = vec![vec![0.0; dimensions]; count];
    for dimension in 0..dimensions {
        let mut slices: Vec<usize> = (0..count).collect();
        for index in (1..count).rev() {
            let other = (random.uniform() * (index + 1) as f64) as usize;
            slices.swap(index, other);
        }
        for (point, slice) in points.iter_mut().zip(slices) {
            point[dimension] = (slice as f64 + random.uniform()) / count as f64;
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The best point after this many generations of 20 members.
    fn best_of(goal: impl Fn(&[f64]) -> Score, dimensions: usize, generations: usize) -> Vec<f64> {
        let mut search = Search::new(vec![0.9; dimensions], 20, 1);
        for _ in 0..generations {
            let scores: Vec<Score> = search.ask().iter().map(|point| goal(point)).collect();
            search.tell(&scores);
        }
        let best = search.members.iter().min_by(|a, b| a.1.order(&b.1));
        best.unwrap().0.clone()
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
        let best = best_of(valley, 2, 100);
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
        let best = best_of(goal, 3, 60);
        assert!(
            (0.7..0.72).contains(&best[0]) && best[1] + best[2] < 0.02,
            "{best:?}"
        );
    }

    #[test]
    fn the_first_generation_is_the_start_and_a_latin_hypercube_and_all_stay_inside() {
        let mut search = Search::new(vec![0.25, 0.75], 11, 7);
        assert_eq!(search.ask()[0], [0.25, 0.75]);
        for dimension in 0..2 {
            let slice = |point: &Vec<f64>| (point[dimension] * 10.0) as usize;
            let mut slices: Vec<usize> = search.ask()[1..].iter().map(slice).collect();
            slices.sort_unstable();
            assert_eq!(slices, (0..10).collect::<Vec<_>>());
        }
        for _ in 0..50 {
            let scores = vec![plain(0.0); search.ask().len()];
            search.tell(&scores);
            let inside = |point: &Vec<f64>| point.iter().all(|x| (0.0..=1.0).contains(x));
            assert!(search.ask().iter().all(inside));
        }
    }
}
