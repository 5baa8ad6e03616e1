//! Which universes are run.

use earlydrop::random::Pcg32;

/// The value of each choice, by index; the first value is ours.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Universe(pub Vec<usize>);

/// Candidates for each further universe.
const CANDIDATES: usize = 400;
/// Seed and stream of the candidates: the same universes on every machine.
const SEED: (u64, u64) = (1, 0x6d75_6c74);

/// `count` universes of choices with so many values each: ours, then each choice alone moved to
/// each of its other values, then a space-filling design. All of them where there are no more than
/// `count`.
///
/// Each further universe is the one of several hundred random candidates that lies farthest from
/// the nearest that is there. M. E. Johnson, L. M. Moore, D. Ylvisaker, "Minimax and maximin
/// distance designs", *Journal of Statistical Planning and Inference* 26 (1990), 131-148.
pub fn design(values: &[usize], count: usize) -> Vec<Universe> {
    let ours = Universe(vec![0; values.len()]);
    let mut universes = vec![ours.clone()];
    for (choice, values) in values.iter().enumerate() {
        universes.extend((1..*values).map(|value| ours.with(choice, value)));
    }
    let count = count.min(all(values));
    universes.truncate(count);
    let mut random = Pcg32::new(SEED.0, SEED.1);
    while universes.len() < count {
        let candidates = (0..CANDIDATES).map(|_| Universe::drawn(values, &mut random));
        let distance = |candidate: &Universe| nearest(candidate, &universes, values);
        let farthest = candidates.map(|one| (distance(&one), one)).reduce(farther);
        if let Some((distance, universe)) = farthest
            && distance > 0.0
        {
            universes.push(universe);
        }
    }
    universes
}

/// `count` universes of choices with so many values each: ours, then others drawn with each value as
/// likely as the others, each once. All of them where there are no more than `count`.
pub(crate) fn at_random(
    values: &[usize],
    count: usize,
    (seed, stream): (u64, u64),
) -> Vec<Universe> {
    let mut random = Pcg32::new(seed, stream);
    let mut universes = vec![Universe(vec![0; values.len()])];
    while universes.len() < count.min(all(values)) {
        let universe = Universe::drawn(values, &mut random);
        if !universes.contains(&universe) {
            universes.push(universe);
        }
    }
    universes
}

/// The number of all universes.
fn all(values: &[usize]) -> usize {
    values
        .iter()
        .fold(1, |all: usize, count| all.saturating_mul(*count))
}

/// The farther of two candidates; of equal ones the first.
fn farther(one: (f64, Universe), other: (f64, Universe)) -> (f64, Universe) {
    if other.0 > one.0 { other } else { one }
}

/// The distance to the nearest universe.
fn nearest(candidate: &Universe, universes: &[Universe], values: &[usize]) -> f64 {
    let distances = universes
        .iter()
        .map(|other| candidate.distance(other, values));
    distances.fold(f64::INFINITY, f64::min)
}

impl Universe {
    /// This one with another value of a choice.
    fn with(&self, choice: usize, value: usize) -> Universe {
        let mut other = self.clone();
        other.0[choice] = value;
        other
    }

    fn drawn(values: &[usize], random: &mut Pcg32) -> Universe {
        let below = |count: &usize| (random.uniform() * *count as f64) as usize;
        Universe(values.iter().map(below).collect())
    }

    /// The number of choices in which both differ, and a little more where their values are far
    /// apart in the list, as values are listed in order.
    fn distance(&self, other: &Universe, values: &[usize]) -> f64 {
        let pairs = self.0.iter().zip(&other.0).zip(values);
        let apart = pairs.map(|((one, other), count)| match one.abs_diff(*other) {
            0 => 0.0,
            steps => 1.0 + 0.1 * steps as f64 / *count as f64,
        });
        apart.sum()
    }

    /// The choice that alone differs from ours, with its value; `None` for ours and where several
    /// differ.
    pub fn single_change(&self) -> Option<(usize, usize)> {
        let mut changed = self.0.iter().enumerate().filter(|(_, value)| **value != 0);
        match (changed.next(), changed.next()) {
            (Some((choice, value)), None) => Some((choice, *value)),
            _ => None,
        }
    }

    /// The values as digits, for the name of a folder: "0120".
    pub(super) fn digits(&self) -> String {
        let digits: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        digits.join("-")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ours_comes_first_then_each_choice_alone() {
        let universes = design(&[2, 3, 4], 12);
        assert_eq!(universes[0], Universe(vec![0, 0, 0]));
        let alone: Vec<_> = universes
            .iter()
            .filter_map(Universe::single_change)
            .collect();
        assert_eq!(alone[..6], [(0, 1), (1, 1), (1, 2), (2, 1), (2, 2), (2, 3)]);
        assert_eq!(universes.len(), 12);
    }

    #[test]
    fn universes_are_distinct_and_no_more_than_there_are() {
        for (values, count, wanted) in [(vec![2, 3], 64, 6), (vec![4; 5], 64, 64), (vec![], 8, 1)] {
            let universes = design(&values, count);
            let distinct: std::collections::HashSet<&Universe> = universes.iter().collect();
            assert_eq!((universes.len(), distinct.len()), (wanted, wanted));
            assert_eq!(universes, design(&values, count));
        }
    }

    #[test]
    fn universes_at_random_are_drawn_once_and_ours_is_the_first() {
        let universes = at_random(&[3, 3], 100, (1, 2));
        assert_eq!((universes.len(), &universes[0]), (9, &Universe(vec![0, 0])));
        assert_eq!(at_random(&[3, 3], 4, (1, 2)), universes[..4]);
    }

    #[test]
    fn values_of_every_choice_are_about_as_frequent() {
        let universes = design(&[3; 6], 64);
        for choice in 0..6 {
            for value in 0..3 {
                let with = universes[13..].iter().filter(|one| one.0[choice] == value);
                let count = with.count();
                assert!((8..=26).contains(&count), "{choice} {value}: {count} of 51");
            }
        }
    }
}
