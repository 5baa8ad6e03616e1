//! Universes with what each of them gives for everything that a paper prints.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use earlydrop_lab::plan::{Plan, Source};
use earlydrop_lab::statistics::Mean;
use earlydrop_lab::store::Store;

use crate::catalogue::{Pace, PaperEntry};
use crate::choices::Choice;
use crate::claims::{Claim, Judgement, Runs, Standing, Test, judge};
use crate::error::Error;
use crate::multiverse::{Universe, UniverseRun, at_random, keep_what_is_judged};

/// Universes drawn from the prior, with their answers.
#[derive(Clone, Debug, Default)]
pub struct Bank {
    /// The choices of all experiments whose claims are items.
    pub choices: Vec<Choice>,
    /// What the paper prints: its counted claims.
    pub items: Vec<Item>,
    /// The universes; ours is the first.
    pub universes: Vec<BankUniverse>,
}

/// Something that a paper prints.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// The claim's id.
    pub id: String,
    /// The number; `None` of a sentence.
    pub printed: Option<f64>,
    /// The tolerance of a number, as a share of it: how far our simulator may be from theirs.
    pub tolerance: f64,
}

/// A universe and what it gives.
#[derive(Clone, Debug, PartialEq)]
pub struct BankUniverse {
    /// The index of each choice's value.
    pub values: Vec<usize>,
    /// An answer for each item.
    pub answers: Vec<Answer>,
}

/// What a universe gives for an item.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// A number in each of its runs.
    Number(Vec<f64>),
    /// The support of a sentence, from -1 (every comparison contradicts it) to 1.
    Support(f64),
    /// It cannot be measured there.
    Nothing,
}

impl Answer {
    /// What a paper would print that had run this universe once.
    pub(super) fn of_one_run(&self, number: usize) -> Answer {
        match self {
            Answer::Number(runs) if !runs.is_empty() => {
                Answer::Number(vec![runs[number % runs.len()]])
            }
            other => other.clone(),
        }
    }

    /// The mean over its runs.
    pub(crate) fn mean(&self) -> Option<f64> {
        match self {
            Answer::Number(runs) => Some(Mean::of(runs)?.mean),
            _ => None,
        }
    }

    /// The variance of single runs.
    fn variance(&self) -> f64 {
        let (Answer::Number(runs), Some(mean)) = (self, self.mean()) else {
            return 0.0;
        };
        let squares = runs.iter().map(|run| (run - mean).powi(2)).sum::<f64>();
        squares / (runs.len().max(2) - 1) as f64
    }
}

impl Item {
    /// How far what a universe gives is from what was observed; `None` where either is missing.
    ///
    /// For a number in standard deviations of a single run and of the tolerance together; for a
    /// sentence three where it is supported in one and contradicted in the other.
    pub(super) fn deviation(&self, answer: &Answer, observed: &Answer) -> Option<f64> {
        match (answer, observed) {
            (Answer::Support(given), Answer::Support(seen)) => Some(1.5 * (given - seen).abs()),
            (Answer::Number(_), Answer::Number(_)) => {
                let (given, seen) = (answer.mean()?, observed.mean()?);
                let allowed = self.tolerance * seen / 2.0;
                let scale = (answer.variance() + allowed * allowed).sqrt();
                Some((given - seen).abs() / scale.max(f64::MIN_POSITIVE))
            }
            _ => None,
        }
    }

    /// What the paper prints, as an observation.
    pub fn observed(&self) -> Answer {
        match self.printed {
            Some(number) => Answer::Number(vec![number]),
            None => Answer::Support(1.0),
        }
    }

    /// Whether a universe gives it: a number within two deviations, a sentence by every comparison.
    pub fn is_given(&self, answer: &Answer) -> bool {
        match (self.printed, answer) {
            (None, Answer::Support(support)) => *support >= 1.0,
            _ => (self.deviation(answer, &self.observed())).is_some_and(|apart| apart <= 2.0),
        }
    }
}

impl Bank {
    /// What the paper prints, as observations of its items.
    pub fn printed(&self) -> Vec<Answer> {
        self.items.iter().map(Item::observed).collect()
    }

    /// Whether a universe gives an item, each by its index.
    pub(crate) fn gives(&self, universe: usize, item: usize) -> bool {
        self.items[item].is_given(&self.universes[universe].answers[item])
    }

    /// The number of items that a universe gives.
    pub fn given(&self, universe: usize) -> usize {
        let items = 0..self.items.len();
        items.filter(|item| self.gives(universe, *item)).count()
    }

    /// The universe that gives most items; of equal ones the first.
    pub fn best(&self) -> Option<usize> {
        let universes = 0..self.universes.len();
        universes.max_by(|one, other| {
            self.given(*one)
                .cmp(&self.given(*other))
                .then(other.cmp(one))
        })
    }

    /// The items that no universe gives.
    pub fn given_by_none(&self) -> Vec<&Item> {
        let items = self.items.iter().enumerate();
        let none = items.filter(|(index, _)| {
            let mut universes = 0..self.universes.len();
            !universes.any(|universe| self.gives(universe, *index))
        });
        none.map(|(_, item)| item).collect()
    }
}

/// How a bank is filled.
#[derive(Clone, Copy, Debug)]
pub struct Inference<'a> {
    /// The number of universes.
    pub universes: usize,
    /// How much of each experiment is run in each.
    pub pace: Pace,
    /// The folder of results.
    pub folder: &'a Path,
}

/// Seed and stream of the universes: the same on every machine.
const SEED: (u64, u64) = (1, 0x696e_6665);

/// An experiment whose claims are items.
struct Experiment<'a> {
    name: &'a str,
    claims: Vec<&'a Claim>,
    /// Its scenario with the schemes and samples that the claims need.
    source: Source,
    /// The folder of its runs in all universes.
    folder: PathBuf,
}

/// Runs the universes of a paper, and judges everything that it prints in each. `run` runs the missing
/// cells of a plan, which is named in words, and returns whether to go on. What a store already has is
/// not run again; universes after the one at which it was stopped are left out.
pub fn fill(
    entry: &PaperEntry,
    inference: Inference<'_>,
    mut run: impl FnMut(&str, &Plan, &Store) -> Result<bool, Error>,
) -> Result<Bank, Error> {
    let claims: Vec<&Claim> = entry
        .paper
        .claims
        .iter()
        .filter(|one| is_item(one))
        .collect();
    let experiments = experiments(entry, inference, &claims)?;
    let applies = |choice: &&Choice| {
        let mut experiments = experiments.iter();
        experiments.any(|one| choice.applies_to(one.name))
    };
    let mut bank = Bank {
        choices: (entry.choices.choices.iter().filter(applies))
            .cloned()
            .collect(),
        items: claims.iter().map(|claim| item(claim)).collect(),
        universes: Vec::new(),
    };
    let values: Vec<usize> = bank.choices.iter().map(|one| one.values.len()).collect();
    let universes = at_random(&values, inference.universes, SEED);
    for (number, Universe(values)) in (1..).zip(universes) {
        let mut answers: HashMap<&str, Answer> = HashMap::new();
        for experiment in &experiments {
            let of_experiment = bank.choices.iter().zip(&values);
            let (choices, values): (Vec<&Choice>, Vec<usize>) = of_experiment
                .filter(|(choice, _)| choice.applies_to(experiment.name))
                .unzip();
            let name = format!(
                "{}, universe {number} of {}",
                experiment.name, inference.universes
            );
            let place = (&experiment.source, experiment.folder.as_path());
            let one = UniverseRun::new(name, place, &choices, Universe(values))?;
            let Some(store) = one.complete(&mut run)? else {
                return Ok(bank);
            };
            let mut runs = Runs::of(&one.plan, &store)?;
            for claim in &experiment.claims {
                let judgement = judge(claim, &runs.measurements(&claim.metric)?);
                answers.insert(&claim.id, given(claim, &judgement));
            }
        }
        let in_order = claims.iter().map(|claim| answers.remove(claim.id.as_str()));
        let answers = in_order.map(|one| one.unwrap_or(Answer::Nothing)).collect();
        bank.universes.push(BankUniverse { values, answers });
    }
    Ok(bank)
}

/// The experiments of these claims, by name.
fn experiments<'a>(
    entry: &PaperEntry,
    inference: Inference<'_>,
    claims: &[&'a Claim],
) -> Result<Vec<Experiment<'a>>, Error> {
    let names: BTreeSet<&str> = claims.iter().map(|one| one.experiment.as_str()).collect();
    let mut list = Vec::new();
    for name in names {
        if let Some(source) = entry.source(name, inference.pace) {
            let of_experiment = claims.iter().filter(|one| one.experiment == name);
            let claims: Vec<&Claim> = of_experiment.copied().collect();
            let mut source = source?;
            keep_what_is_judged(&mut source, claims.iter().copied());
            list.push(Experiment {
                name,
                claims,
                source,
                folder: inference.folder.join(&entry.paper.key).join(name),
            });
        }
    }
    Ok(list)
}

fn is_item(claim: &Claim) -> bool {
    claim.standing() == Standing::Paper && !matches!(claim.test, Test::Undecidable { .. })
}

fn item(claim: &Claim) -> Item {
    match &claim.test {
        Test::Value {
            value, tolerance, ..
        } if claim.printed => Item {
            id: claim.id.clone(),
            printed: Some(*value),
            tolerance: *tolerance,
        },
        _ => Item {
            id: claim.id.clone(),
            printed: None,
            tolerance: 0.0,
        },
    }
}

/// What a judgement gives for a claim: of a printed number each run's own.
fn given(claim: &Claim, judgement: &Judgement) -> Answer {
    match (&claim.test, judgement.comparisons.as_slice()) {
        (Test::Value { value, .. }, [one]) if claim.printed => {
            Answer::Number(one.by_seed.iter().map(|off| value * (1.0 + off)).collect())
        }
        _ => judgement.support().map_or(Answer::Nothing, Answer::Support),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use earlydrop::random::Pcg32;

    use super::*;
    use crate::choices::ChoiceValue;

    /// A bank with two choices of three values and one printed number, by a rule of a universe's values
    /// and of noise between -1 and 1, in ten runs.
    pub(in super::super) fn bank(universes: usize, rule: impl Fn(&[usize], f64) -> f64) -> Bank {
        let value = |name: &str| ChoiceValue {
            name: name.to_string(),
            because: String::new(),
            fields: Vec::new(),
        };
        let choice = |id: &str| Choice {
            id: id.to_string(),
            what: id.to_string(),
            experiments: vec!["e".to_string()],
            values: ["a", "b", "c"].map(value).to_vec(),
        };
        let mut random = Pcg32::new(7, 7);
        let universes = (0..universes).map(|_| {
            let values: Vec<usize> = (0..2).map(|_| random.below(3) as usize).collect();
            let runs: Vec<f64> = (0..10)
                .map(|_| rule(&values, 2.0 * random.uniform() - 1.0))
                .collect();
            BankUniverse {
                answers: vec![Answer::Number(runs)],
                values,
            }
        });
        Bank {
            choices: vec![choice("first"), choice("second")],
            items: vec![Item {
                id: "x.T1".to_string(),
                printed: Some(20.0),
                tolerance: 0.1,
            }],
            universes: universes.collect(),
        }
    }

    #[test]
    fn what_no_universe_gives_is_named_and_the_best_gives_most() {
        let bank = bank(60, |values, noise| 10.0 * values[0] as f64 + 0.2 * noise);
        let best = bank.best().unwrap();
        assert_eq!((bank.universes[best].values[0], bank.given(best)), (2, 1));
        assert!(bank.given_by_none().is_empty());
        let mut other = bank;
        other.items[0].printed = Some(99.0);
        assert_eq!(other.given_by_none().len(), 1);
    }

    #[test]
    fn a_sentence_is_given_where_every_comparison_supports_it() {
        let item = Item {
            id: String::new(),
            printed: None,
            tolerance: 0.0,
        };
        assert!(item.is_given(&Answer::Support(1.0)));
        assert!(!item.is_given(&Answer::Support(0.9)));
        let opposite = item.deviation(&Answer::Support(-1.0), &item.observed());
        assert_eq!(opposite, Some(3.0));
        assert_eq!(item.deviation(&Answer::Nothing, &item.observed()), None);
    }
}
