//! Reports about claims, in words and as JSON.

use earlydrop_lab::escape::CommandLine;
use earlydrop_lab::number;
use serde_json::{Value, json};

use super::cells::ClaimCells;
use super::claim::{Claim, Paper};
use super::evidence::Evidence;
use super::statistics::seeds_to_decide;
use super::verdict::{Judgement, Verdict};
use crate::pace::Pace;

/// A claim of a paper with its judgement.
#[derive(Clone, Debug)]
pub struct ClaimReport<'a> {
    /// The paper.
    pub paper: &'a Paper,
    /// The claim.
    pub claim: &'a Claim,
    /// The judgement.
    pub judgement: Judgement,
    /// The number of seeds that it rests on.
    pub seeds: usize,
    /// Whether it rests on all seeds and points, or on a quick run.
    pub pace: Pace,
    /// The runs that it rests on.
    pub cells: ClaimCells,
}

impl ClaimReport<'_> {
    /// The lower and the upper end of the effect's 95% interval.
    pub fn interval(&self) -> Option<(f64, f64)> {
        let effect = self.judgement.effect?;
        let half = effect.half?;
        Some((effect.mean - half, effect.mean + half))
    }

    /// What is measured, with its interval, and where the claim says that it lies:
    /// "+12.3% (+10.0% to +14.6%); claimed within ±5.0%". Empty where nothing is.
    pub fn effect(&self) -> String {
        let claimed = self.judgement.claimed.map(|claimed| claimed.to_string());
        match claimed.filter(|words| !words.is_empty()) {
            Some(words) => format!("{}; claimed {words}", self.measured()),
            None => self.measured(),
        }
    }

    /// What is measured with its interval, without what is claimed.
    pub(crate) fn measured(&self) -> String {
        let pair = self.judgement.effect.zip(self.judgement.claimed);
        pair.map_or(String::new(), |(effect, claimed)| {
            claimed.mean_in_words(effect)
        })
    }

    /// What is measured in the mean: "+12.3%"; empty where nothing is.
    pub(crate) fn mean(&self) -> String {
        let pair = self.judgement.effect.zip(self.judgement.claimed);
        pair.map_or(String::new(), |(effect, claimed)| {
            claimed.words(effect.mean)
        })
    }

    /// The verdict, which is counted; `None` of quick runs, which decide too little.
    pub fn decided(&self) -> Option<Verdict> {
        // What has no runs is known without any.
        let is_decided = self.pace == Pace::Full || self.seeds == 0;
        is_decided.then_some(self.judgement.verdict)
    }

    /// The verdict in words; of a claim that holds in part, in how much: "holds in part (3 of 9)".
    /// Of a quick run it is said to be a first look: "first look, 3 seeds: holds".
    pub fn verdict(&self) -> String {
        let words = self.verdict_words();
        match self.decided() {
            Some(_) => words,
            None => format!("first look, {} seeds: {words}", self.seeds),
        }
    }

    /// With several comparisons always in how many: "contradicted (2 of 9)", and of a claim that holds
    /// in part how many are against it: "holds in part (3 of 9, 4 against)".
    fn verdict_words(&self) -> String {
        let judgement = &self.judgement;
        let all = judgement.comparisons.len();
        let against = match judgement.verdict {
            Verdict::InPart => judgement.count(Evidence::Contradicts),
            _ => 0,
        };
        match (all, self.shown(), against) {
            (0 | 1, ..) => judgement.verdict.to_string(),
            (_, 0, _) => format!("{} (on average)", judgement.verdict),
            (all, shown, 0) => format!("{} ({shown} of {all})", judgement.verdict),
            (all, shown, against) => {
                format!(
                    "{} ({shown} of {all}, {against} against)",
                    judgement.verdict
                )
            }
        }
    }

    /// The number of comparisons that show what the verdict says.
    pub(crate) fn shown(&self) -> usize {
        let judgement = &self.judgement;
        match judgement.verdict {
            Verdict::Holds | Verdict::InPart => judgement.count(Evidence::Supports),
            Verdict::NoDifference => judgement.count(Evidence::Equal),
            Verdict::Contradicted => judgement.count(Evidence::Contradicts),
            Verdict::NotShown => judgement.count(Evidence::Open),
            Verdict::Undecided => judgement.comparisons.len(),
        }
    }

    /// What the comparisons that do not support the claim show, where there are several:
    /// "contradicted in 1: with red; not shown in 2: with pie". Without places where all show the
    /// same.
    pub fn exceptions(&self) -> Option<String> {
        let judgement = &self.judgement;
        if judgement.verdict == Verdict::Holds || judgement.evidence.len() < 2 {
            return None;
        }
        let parts = Evidence::ALL[1..].iter().filter_map(|evidence| {
            let pairs = judgement.comparisons.iter().zip(&judgement.evidence);
            let places: Vec<&str> = pairs
                .filter(|(_, shown)| *shown == evidence)
                .map(|(one, _)| one.place.as_str())
                .collect();
            let part = format!("{} in {}", self.evidence_words(*evidence), places.len());
            match places.len() {
                0 => None,
                all if all == judgement.evidence.len() => Some(part),
                _ => Some(format!("{part}: {}", join_places(&places))),
            }
        });
        Some(parts.collect::<Vec<String>>().join("; "))
    }

    /// What a comparison shows, as said of it: "equal within 5%".
    pub(crate) fn evidence_words(&self, evidence: Evidence) -> String {
        match (evidence, self.claim.margin()) {
            (Evidence::Supports, _) => "supported".to_string(),
            (Evidence::Contradicts, _) => "contradicted".to_string(),
            (Evidence::Equal, Some(margin)) => format!("equal within {:.0}%", 100.0 * margin),
            (Evidence::Equal, None) => "equal".to_string(),
            (Evidence::Open, _) => "not shown".to_string(),
        }
    }

    /// What it would take to decide what is not shown, and whether a single run of ours could have
    /// printed the paper's number.
    pub fn what_it_would_take(&self) -> Option<String> {
        if let Some(number) = self.judgement.printed
            && self.judgement.verdict != Verdict::Holds
            && let Some((low, high)) = number.single_runs()
        {
            let (low, high) = (number::number(low), number::number(high));
            let not = if number.is_a_single_run() { "" } else { "not " };
            return Some(format!(
                "{not}within the {low} to {high} of 95% of our single runs"
            ));
        }
        let pairs = self
            .judgement
            .comparisons
            .iter()
            .zip(&self.judgement.evidence);
        let open = pairs.filter(|(_, evidence)| **evidence == Evidence::Open);
        let seeds = open.map(|(one, _)| seeds_to_decide(&one.room(), one.margin));
        match seeds.map(|seeds| seeds.unwrap_or(usize::MAX)).max()? {
            many if many > MANY_SEEDS => {
                Some(format!("not even {MANY_SEEDS} seeds would decide it"))
            }
            few => Some(format!(
                "about {} seeds would decide it",
                few.max(self.seeds + 1)
            )),
        }
    }

    /// The command that runs the claim alone, with all seeds and points.
    pub fn command(&self) -> String {
        let command = CommandLine::new("reproduce");
        command.word(&self.claim.id).word("--full").to_string()
    }

    /// The runs that it rests on: "40 runs of figure-5: clred, red at 2 points with 10 seeds"; empty
    /// where there are none.
    pub fn cells_in_words(&self) -> String {
        let ClaimCells {
            schemes,
            points,
            seeds,
            numbers,
        } = &self.cells;
        let points = match points {
            1 => "1 point".to_string(),
            points => format!("{points} points"),
        };
        match numbers.len() {
            0 => String::new(),
            runs => format!(
                "{runs} runs of {}: {} at {points} with {seeds} seeds",
                self.claim.experiment,
                schemes.join(", ")
            ),
        }
    }

    /// The report as JSON. Scripts read it: keys keep their names and their order.
    pub fn json(&self) -> Value {
        let judgement = &self.judgement;
        let pairs = judgement.comparisons.iter().enumerate();
        let comparisons = pairs.map(|(index, one)| {
            let mean = one.mean();
            let evidence = judgement.evidence.get(index);
            json!({
                "place": one.place,
                "effect": mean.map(|mean| mean.mean),
                "half_width_95": mean.and_then(|mean| mean.half),
                "p_value": one.p_value(),
                "alone": one.evidence().to_string(),
                "evidence": evidence.map(ToString::to_string),
            })
        });
        json!({
            "id": self.claim.id,
            "paper": self.paper.key,
            "figure": self.claim.figure,
            "claim": self.claim.claim,
            "counts_as": self.claim.standing().to_string(),
            "rule_set": self.claim.rule_set().to_string(),
            "metric": self.claim.metric.to_string(),
            "verdict": judgement.verdict.to_string(),
            "is_counted": self.decided().is_some(),
            "supported": judgement.count(Evidence::Supports),
            "contradicted": judgement.count(Evidence::Contradicts),
            "equal": judgement.count(Evidence::Equal),
            "of": judgement.comparisons.len(),
            "effect": judgement.effect.map(|effect| effect.mean),
            "claimed": judgement.claimed.map(|one| [one.low, one.high]),
            "margin": self.claim.margin(),
            "interval": self.interval().map(|(low, high)| [low, high]),
            "single_runs": judgement.printed.and_then(|one| one.single_runs()).map(|(low, high)| [low, high]),
            "seeds": self.seeds,
            "command": self.command(),
            "cells": self.cells.numbers,
            "missing": judgement.missing.as_ref().map_or(String::new(), ToString::to_string),
            "comparisons": comparisons.collect::<Vec<Value>>(),
        })
    }
}

/// More seeds than anybody would run for a claim.
const MANY_SEEDS: usize = 1000;

/// Joins places, merging those that differ only in their last value: "with red, n = 10" and
/// "with red, n = 20" become "with red, n = 10, 20".
pub(super) fn join_places(places: &[&str]) -> String {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for place in places {
        let (start, last) = place.rsplit_once(" = ").unwrap_or((place, ""));
        match groups.last_mut() {
            Some((known, values)) if *known == start => values.push(last),
            _ => groups.push((start, vec![last])),
        }
    }
    let texts = groups
        .iter()
        .map(|(start, values)| match values.join(", ") {
            none if none.is_empty() => (*start).to_string(),
            values => format!("{start} = {values}"),
        });
    texts.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_that_differ_in_a_value_are_merged() {
        let places = [
            "with red, n = 10",
            "with red, n = 20",
            "with pie, n = 10",
            "slope",
        ];
        let joined = "with red, n = 10, 20; with pie, n = 10; slope";
        assert_eq!(join_places(&places), joined);
    }
}
