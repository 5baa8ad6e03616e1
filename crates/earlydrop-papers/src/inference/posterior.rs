//! The universes that give what is printed, and what they say about each choice.

use super::bank::{Answer, Bank, BankUniverse};

/// The share of universes that is accepted: those nearest to what is printed.
const ACCEPTED: f64 = 0.05;
/// The least number of universes that are accepted.
const FEWEST: usize = 10;
/// A value is identified where it has this part of the posterior.
const IDENTIFIED: f64 = 0.9;
/// From so many standard deviations on a deviation counts by its logarithm: one number that nothing
/// gives does not decide about all others.
const LARGE: f64 = 3.0;

/// The posterior over a paper's choices.
#[derive(Clone, Debug, PartialEq)]
pub struct Posterior {
    /// The accepted universes, by index, the nearest first.
    pub accepted: Vec<usize>,
    /// For each choice the part of the posterior that each of its values has.
    pub marginals: Vec<Vec<f64>>,
}

/// What the posterior says about a choice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Identified {
    /// One value has nine tenths or more.
    Value(usize),
    /// Some values have less than they had before: this much information, in bits.
    InPart(f64),
    /// The posterior is the prior, as nearly as so few accepted universes tell.
    Not,
}

impl Posterior {
    /// The posterior of universes of a bank, all but `without`, given what was observed.
    pub fn of(bank: &Bank, observed: &[Answer], without: Option<usize>) -> Posterior {
        let universes = bank.universes.iter().enumerate();
        let others = universes.filter(|(index, _)| Some(*index) != without);
        let mut by_distance: Vec<(f64, usize)> = others
            .map(|(index, universe)| (distance(bank, universe, observed), index))
            .collect();
        by_distance.sort_by(|one, other| one.0.total_cmp(&other.0));
        let count = ((by_distance.len() as f64 * ACCEPTED).ceil() as usize).max(FEWEST);
        by_distance.truncate(count);
        let accepted: Vec<usize> = by_distance.into_iter().map(|(_, index)| index).collect();
        let marginal = |choice: usize| -> Vec<f64> {
            let values = bank.choices[choice].values.len();
            let share = |value: usize| {
                let has = |index: &&usize| bank.universes[**index].values[choice] == value;
                accepted.iter().filter(has).count() as f64 / accepted.len().max(1) as f64
            };
            (0..values).map(share).collect()
        };
        Posterior {
            marginals: (0..bank.choices.len()).map(marginal).collect(),
            accepted,
        }
    }

    /// What it says about a choice: the information gained over the prior of equal parts is the
    /// Kullback-Leibler divergence; by chance alone it is about (k - 1) / (2 n ln 2) bits with k values
    /// and n accepted universes, of which four times are taken for none.
    pub fn identified(&self, choice: usize) -> Identified {
        let parts = &self.marginals[choice];
        if let Some(value) = parts.iter().position(|part| *part >= IDENTIFIED) {
            return Identified::Value(value);
        }
        let values = parts.len() as f64;
        let gained: f64 = parts
            .iter()
            .filter(|part| **part > 0.0)
            .map(|part| part * (part * values).log2())
            .sum();
        let by_chance =
            (values - 1.0) / (2.0 * self.accepted.len() as f64 * std::f64::consts::LN_2);
        match gained > 4.0 * by_chance {
            true => Identified::InPart(gained),
            false => Identified::Not,
        }
    }

    /// The names of the values that a choice has with nine tenths: "20 ms or 52 ms".
    pub fn left(&self, bank: &Bank, choice: usize) -> String {
        let names = self.credible(choice, IDENTIFIED).into_iter();
        let names = names.map(|value| bank.choices[choice].values[value].name.as_str());
        names.collect::<Vec<&str>>().join(" or ")
    }

    /// The values of a choice that together have at least this part of the posterior, those that have
    /// most first.
    pub fn credible(&self, choice: usize, part: f64) -> Vec<usize> {
        let parts = &self.marginals[choice];
        let mut values: Vec<usize> = (0..parts.len()).collect();
        values.sort_by(|a, b| parts[*b].total_cmp(&parts[*a]));
        let mut sum = 0.0;
        let taken = values.iter().position(|value| {
            sum += parts[*value];
            sum >= part - 1e-9
        });
        values.truncate(taken.map_or(parts.len(), |last| last + 1));
        values
    }
}

/// How far a universe is from what was observed: the root of the mean square over all items, in
/// standard deviations of a single run, or in half the way from support to contradiction.
fn distance(bank: &Bank, universe: &BankUniverse, observed: &[Answer]) -> f64 {
    let items = bank.items.iter().zip(&universe.answers).zip(observed);
    let squares: Vec<f64> = items
        .filter_map(|((item, answer), observed)| Some(counted(item.deviation(answer, observed)?)))
        .collect();
    match squares.len() {
        0 => f64::INFINITY,
        count => (squares.iter().sum::<f64>() / count as f64).sqrt(),
    }
}

/// What a deviation counts: its square, beyond [`LARGE`] its logarithm with the same value and slope.
fn counted(deviation: f64) -> f64 {
    match deviation > LARGE {
        true => LARGE * LARGE * (1.0 + 2.0 * (deviation / LARGE).ln()),
        false => deviation * deviation,
    }
}

#[cfg(test)]
mod tests {
    use super::super::bank::tests::bank;
    use super::*;

    #[test]
    fn the_choice_that_the_numbers_depend_on_is_identified_and_another_is_not() {
        // The number is 10 times the first choice's value; the second choice changes nothing.
        let bank = bank(400, |values, noise| 10.0 * values[0] as f64 + 0.2 * noise);
        let posterior = Posterior::of(&bank, &[Answer::Number(vec![20.0])], None);
        assert_eq!(posterior.accepted.len(), 20);
        assert_eq!(posterior.identified(0), Identified::Value(2));
        assert_eq!(posterior.identified(1), Identified::Not);
        assert_eq!(posterior.credible(0, 0.9), [2]);
        assert_eq!(posterior.credible(1, 0.95).len(), 3);
        // Between two values: both are left.
        let between = Posterior::of(&bank, &[Answer::Number(vec![15.0])], None);
        assert!(matches!(between.identified(0), Identified::InPart(_)));
        assert_eq!(between.marginals[0][0], 0.0);
    }
}
