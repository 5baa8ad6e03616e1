//! What is measured of a candidate, and which one is recommended.

use earlydrop_model::fabric::MarksFirst;

use super::Trial;
use crate::metrics::{self, LARGE, SMALL};
use crate::outcome::Outcome;
use crate::statistics::{Mean, paired};

/// Candidates whose large transfers are slower than the best one's by more than this are not
/// recommended.
pub const NEAR: f64 = 1.05;

/// What was simulated of a candidate, over seeds.
#[derive(Clone, Debug)]
pub struct FabricMeasurement {
    /// The slowdown that 99% of small transfers do not exceed.
    pub small: Mean,
    /// The same of each seed.
    pub small_of_seeds: Vec<f64>,
    /// The median slowdown of large transfers; `None` where a seed had none.
    pub large: Option<Mean>,
    /// The same of each seed.
    pub large_of_seeds: Vec<f64>,
    /// The median slowdown of the incast's rounds; `None` where a seed ended none.
    pub incast: Option<Mean>,
    /// Payload of all flows, in bits per second.
    pub goodput: Mean,
    /// The share of packets lost.
    pub loss: Mean,
    /// The share of packets marked.
    pub marks: Mean,
    /// Pauses of all links together; `None` where there are none.
    pub pauses: Option<Mean>,
}

impl FabricMeasurement {
    /// Of one outcome for each seed; `None` where small transfers are missing.
    pub(super) fn of(runs: &[&Outcome]) -> Option<FabricMeasurement> {
        let small = over(runs, |run| slowdown(run, 0.99, |size| size <= SMALL.0))?;
        let large = over(runs, |run| slowdown(run, 0.5, |size| size > LARGE.0));
        let of_incast = metrics::index_of_group("round_slowdown_p50")?;
        let incast = over(runs, |run| {
            let (.., values) = run.groups.iter().find(|(name, ..)| name == "incast")?;
            Some((values[of_incast]?, false))
        });
        Some(FabricMeasurement {
            small: small.0,
            small_of_seeds: small.1,
            large: large.as_ref().map(|(mean, _)| *mean),
            large_of_seeds: large.map(|(_, values)| values).unwrap_or_default(),
            incast: incast.map(|incast| incast.0),
            goodput: mean_of(runs, "goodput")?,
            loss: mean_of(runs, "loss")?,
            marks: mean_of(runs, "marked")?,
            pauses: mean_of(runs, "pauses"),
        })
    }
}

/// The mean over runs of a metric; `None` where a run has none.
pub(super) fn mean_of(runs: &[&Outcome], metric: &str) -> Option<Mean> {
    let index = metrics::index_of(metric)?;
    let (mean, _) = over(runs, |run| Some((run.values[index]?, false)))?;
    Some(mean)
}

/// The mean over runs of a value, which may be a lower bound, and the values; `None` where a run has none.
fn over(
    runs: &[&Outcome],
    value: impl Fn(&Outcome) -> Option<(f64, bool)>,
) -> Option<(Mean, Vec<f64>)> {
    let values: Vec<(f64, bool)> = runs.iter().map(|run| value(run)).collect::<Option<_>>()?;
    let is_lower_bound = values.iter().any(|(_, is_bound)| *is_bound);
    let values: Vec<f64> = values.into_iter().map(|(value, _)| value).collect();
    let mean = Mean {
        is_lower_bound,
        ..Mean::of(&values)?
    };
    Some((mean, values))
}

/// The slowdown that this share of the transfers of some sizes does not exceed, by nearest rank, and
/// whether it is a lower bound: some that had not ended may be slower.
fn slowdown(run: &Outcome, share: f64, is_meant: impl Fn(u64) -> bool) -> Option<(f64, bool)> {
    let records = run.records.iter();
    let meant = records.filter(|one| one.group == "search" && is_meant(one.size));
    let mut all: Vec<(f64, bool)> = meant
        .filter_map(|one| Some((one.slowdown?, one.finished)))
        .collect();
    all.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    let rank = (share * all.len() as f64).ceil().max(1.0) as usize - 1;
    let (value, _) = *all.get(rank)?;
    let is_bound = all[..=rank].iter().any(|(_, finished)| !finished);
    Some((value, is_bound))
}

/// What is recommended, and what is as good by these simulations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The index of the recommended candidate.
    pub chosen: usize,
    /// Others with the same right to be recommended that the simulation does not tell apart from it: the
    /// interval of the difference, seed by seed, has zero in it.
    pub ties: Vec<usize>,
    /// Whether marks begin before pauses, or nothing is paused. No candidate is so where it is false.
    pub has_marks_first: bool,
}

/// The candidate with the least slowdown of small transfers (99%) among those whose marks begin before
/// pauses and whose large transfers are nearly as fast as any: the mean of their medians is within
/// [`NEAR`] of the least, or the simulation does not tell them apart. `None` where nothing was simulated.
pub fn verdict(trials: &[Trial]) -> Option<Verdict> {
    let all = || trials.iter().enumerate();
    let simulated = || all().filter_map(|(at, trial)| Some((at, trial.measured.as_ref()?)));
    let is_first = |at: usize| trials[at].marks_first != Some(MarksFirst::No);
    let has_marks_first = simulated().any(|(at, _)| is_first(at));
    let able = || simulated().filter(|(at, _)| !has_marks_first || is_first(*at));
    let large = |one: &FabricMeasurement| one.large.map_or(f64::INFINITY, |large| large.mean);
    let (_, fastest) = able().min_by(|one, other| large(one.1).total_cmp(&large(other.1)))?;
    let is_near = |one: &FabricMeasurement| {
        let slower = paired(&one.large_of_seeds, &fastest.large_of_seeds);
        let is_slower = slower.is_none_or(|slower| slower.half.is_none() || slower.excludes_zero());
        large(one) <= NEAR * large(fastest) || !is_slower
    };
    let near = || able().filter(|(_, one)| is_near(one));
    let (chosen, best) =
        near().min_by(|(_, one), (_, other)| one.small.mean.total_cmp(&other.small.mean))?;
    let is_tie = |one: &FabricMeasurement| {
        let difference = paired(&one.small_of_seeds, &best.small_of_seeds);
        difference.is_some_and(|difference| !difference.excludes_zero())
    };
    let ties = near().filter(|(at, one)| *at != chosen && is_tie(one));
    Some(Verdict {
        chosen,
        ties: ties.map(|(at, _)| at).collect(),
        has_marks_first,
    })
}

#[cfg(test)]
mod tests {
    use earlydrop_model::fabric::{Marking, Rule};

    use super::*;

    fn trial(small: [f64; 3], (large, noise): (f64, f64), marks_first: MarksFirst) -> Trial {
        let mean = |values: &[f64]| Mean::of(values).unwrap();
        Trial {
            rule: Rule {
                name: "one",
                source: String::new(),
                marking: Marking::step(1e4),
            },
            marks_first: Some(marks_first),
            fits: true,
            measured: Some(FabricMeasurement {
                small: mean(&small),
                small_of_seeds: small.to_vec(),
                large: Some(mean(&[large])),
                large_of_seeds: vec![large, large + noise, large - noise],
                incast: None,
                goodput: mean(&[1e9]),
                loss: mean(&[0.0]),
                marks: mean(&[0.1]),
                pauses: None,
            }),
        }
    }

    #[test]
    fn the_rule_is_least_small_among_those_nearly_as_fast_that_mark_first() {
        let trials = [
            trial([5.0, 6.0, 7.0], (2.0, 0.0), MarksFirst::Always),
            // Slow large transfers.
            trial([3.0, 4.0, 5.0], (2.2, 0.0), MarksFirst::Always),
            // Pauses first.
            trial([2.0, 2.0, 2.0], (2.0, 0.0), MarksFirst::No),
            // Not told apart from the first.
            trial([5.1, 6.2, 6.9], (2.05, 0.0), MarksFirst::WithDynamic),
            // Slower in the mean, and not with every seed; worse for small ones.
            trial([7.0, 8.1, 9.0], (2.2, 0.5), MarksFirst::Always),
            // Worse with every seed.
            trial([9.0, 10.0, 11.0], (2.0, 0.0), MarksFirst::Always),
        ];
        let verdict = verdict(&trials).unwrap();
        assert_eq!((verdict.chosen, verdict.ties), (0, vec![3]));
        assert!(verdict.has_marks_first);
    }

    #[test]
    fn nothing_simulated_has_no_verdict() {
        let mut one = trial([1.0, 1.0, 1.0], (1.0, 0.0), MarksFirst::No);
        assert!(verdict(std::slice::from_ref(&one)).is_some_and(|found| !found.has_marks_first));
        one.measured = None;
        assert_eq!(verdict(&[one]), None);
    }
}
