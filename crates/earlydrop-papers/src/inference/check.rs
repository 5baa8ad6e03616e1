//! Whether the inference finds what it should: a universe whose runs are taken for printed ones.

use super::bank::Bank;
use super::posterior::Posterior;

/// How often the inference contains the truth.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// The number of universes taken for the authors'.
    pub truths: usize,
    /// The part that the credible sets claim.
    pub claimed: f64,
    /// For each choice in how many of them the credible set has the true value.
    pub covered: Vec<usize>,
    /// For each choice in how many of them the most probable value is the true one.
    pub found: Vec<usize>,
}

impl Check {
    /// The share of credible sets, of all choices, that have the true value.
    pub fn coverage(&self) -> f64 {
        let all = self.truths * self.covered.len();
        self.covered.iter().sum::<usize>() as f64 / all.max(1) as f64
    }
}

/// Takes single runs of some universes of a bank for the authors' and infers each from the others.
///
/// The printed numbers are those of one seed. Credible sets claim nine tenths: of all their values at
/// least that share should be the true ones.
pub fn check(bank: &Bank, truths: usize) -> Check {
    let claimed = 0.9;
    let count = bank.universes.len();
    let truths = truths.min(count);
    let mut check = Check {
        truths,
        claimed,
        covered: vec![0; bank.choices.len()],
        found: vec![0; bank.choices.len()],
    };
    for number in 0..truths {
        let index = number * count / truths;
        let truth = &bank.universes[index];
        let observed: Vec<_> = truth
            .answers
            .iter()
            .map(|answer| answer.of_one_run(number))
            .collect();
        let posterior = Posterior::of(bank, &observed, Some(index));
        for choice in 0..bank.choices.len() {
            let value = truth.values[choice];
            let credible = posterior.credible(choice, claimed);
            check.covered[choice] += usize::from(credible.contains(&value));
            check.found[choice] += usize::from(credible.first() == Some(&value));
        }
    }
    check
}

#[cfg(test)]
mod tests {
    use super::super::bank::tests::bank;
    use super::*;

    #[test]
    fn a_paper_printed_from_a_known_universe_is_found_again() {
        let bank = bank(400, |values, noise| 10.0 * values[0] as f64 + 0.2 * noise);
        let check = check(&bank, 100);
        assert!(check.coverage() >= 0.9, "{check:?}");
        assert_eq!(
            check.found[0], 100,
            "the first choice is seen in the number"
        );
        assert!(check.found[1] < 60, "the second is not: {check:?}");
    }

    #[test]
    fn numbers_that_depend_on_nothing_find_nothing() {
        let bank = bank(400, |_, noise| noise);
        let check = check(&bank, 100);
        assert!(check.coverage() >= 0.9, "{check:?}");
        assert!(check.found.iter().all(|found| *found < 60), "{check:?}");
    }
}
