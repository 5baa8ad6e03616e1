//! The verdicts on a claim over all universes.

use earlydrop_lab::statistics::Mean;
use serde_json::{Value, json};

use super::design::Universe;
use super::influence::{Influence, influence};
use crate::choices::Choice;
use crate::claims::{Claim, Claimed, Judgement, Verdict};

/// A claim with its verdict in each universe.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Robustness<'a> {
    /// The claim.
    pub claim: &'a Claim,
    /// The choices that its experiment has.
    pub choices: Vec<&'a Choice>,
    /// The universes in which it was judged, ours first.
    pub universes: Vec<UniverseJudgement>,
}

/// The verdict on a claim in a universe.
#[derive(Clone, Debug)]
pub struct UniverseJudgement {
    /// The universe.
    pub universe: Universe,
    /// The verdict.
    pub verdict: Verdict,
    /// What is measured over all its comparisons, with its interval.
    pub effect: Option<Mean>,
    /// Where the claim says that it lies.
    pub claimed: Option<Claimed>,
    /// The share of comparisons that support the claim less the share of those that contradict it;
    /// `None` where it cannot be decided.
    pub support: Option<f64>,
}

impl UniverseJudgement {
    pub(super) fn new(universe: Universe, judgement: &Judgement) -> UniverseJudgement {
        UniverseJudgement {
            universe,
            verdict: judgement.verdict,
            effect: judgement.effect,
            claimed: judgement.claimed,
            support: judgement.support(),
        }
    }
}

impl<'a> Robustness<'a> {
    /// The number of universes with this verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        let with = self.universes.iter().filter(|one| one.verdict == verdict);
        with.count()
    }

    /// Whether the claim holds in at least nine of ten universes.
    pub fn is_robust(&self) -> bool {
        10 * self.count(Verdict::Holds) >= 9 * self.universes.len()
    }

    /// Each choice with its influence, the one with the largest first: by its share of the variance,
    /// of equal ones by its effect alone.
    pub fn influences(&self) -> Vec<(&'a Choice, Influence)> {
        let judged = self.universes.iter();
        let judged = judged.filter_map(|one| Some((&one.universe, one.support?)));
        let judged: Vec<(&Universe, f64)> = judged.collect();
        let choices = self.choices.iter().enumerate();
        let mut all: Vec<(&Choice, Influence)> = choices
            .map(|(index, choice)| (*choice, influence(index, &judged)))
            .collect();
        let alone = |one: &Influence| one.alone.map_or(0.0, |(_, change)| change.abs());
        all.sort_by(|(_, a), (_, b)| {
            let by_share = b.variance_share.total_cmp(&a.variance_share);
            by_share.then(alone(b).total_cmp(&alone(a)))
        });
        all
    }

    /// The numbers of verdicts: "holds in 50 of 64, in part in 10, contradicted in 3, not shown in 1".
    pub fn verdicts(&self) -> String {
        let words = |verdict| match verdict {
            Verdict::InPart => "in part".to_string(),
            other => other.to_string(),
        };
        let counted = Verdict::ALL[1..]
            .iter()
            .map(|verdict| (verdict, self.count(*verdict)));
        let others = counted.filter(|(_, count)| *count > 0);
        let others = others.map(|(verdict, count)| format!(", {} in {count}", words(*verdict)));
        let others: String = others.collect();
        let (holds, all) = (self.count(Verdict::Holds), self.universes.len());
        format!("holds in {holds} of {all}{others}")
    }

    /// The choice that the verdict depends on most: "rate of the access links (62% of the variance;
    /// alone, 5 Mbps: -0.43)"; `None` where support is the same in all universes.
    pub fn depends_on(&self) -> Option<String> {
        let (choice, influence) = self.influences().into_iter().next()?;
        let moved = influence.alone.filter(|(_, change)| *change != 0.0);
        if influence.variance_share == 0.0 && moved.is_none() {
            return None;
        }
        let alone = moved.map_or(String::new(), |(value, change)| {
            format!("; alone, {}: {change:+.2}", choice.values[value].name)
        });
        Some(format!(
            "{} ({:.0}% of the variance{alone})",
            choice.what,
            100.0 * influence.variance_share
        ))
    }

    /// The verdicts and the influences as JSON. Scripts read it: keys keep their names.
    pub fn json(&self) -> Value {
        let influences = self.influences().into_iter().map(|(choice, influence)| {
            json!({
                "choice": choice.id,
                "alone": influence.alone.map(|(value, change)| json!({
                    "value": choice.values[value].name,
                    "change": change,
                })),
                "variance_share": influence.variance_share,
            })
        });
        let universes = self.universes.iter().map(|one| {
            let pairs = self.choices.iter().zip(&one.universe.0);
            let values = pairs.map(|(choice, value)| {
                let value = json!(choice.values[*value].name);
                (choice.id.clone(), value)
            });
            json!({
                "values": values.collect::<serde_json::Map<String, Value>>(),
                "verdict": one.verdict.to_string(),
                "support": one.support,
                "effect": one.effect.map(|effect| effect.mean),
                "half_width_95": one.effect.and_then(|effect| effect.half),
            })
        });
        json!({
            "universes": universes.collect::<Vec<Value>>(),
            "choices": influences.collect::<Vec<Value>>(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::design::design;
    use super::*;
    use crate::choices::ChoiceFile;
    use crate::claims::verdict_tests::claim;

    #[test]
    fn a_claim_names_the_choice_that_turns_it() {
        let text = "[[choices]]\nid = \"rate\"\nwhat = \"rate\"\nexperiments = [\"x\"]\n\
                    field = \"network.rate\"\nvalues = [{ is = \"1 Mbps\", because = \"a\" }, \
                    { is = \"9 Mbps\", because = \"b\" }]\n\
                    [[choices]]\nid = \"rtt\"\nwhat = \"round trip\"\nexperiments = [\"x\"]\n\
                    field = \"network.rtt\"\nvalues = [{ is = \"1 ms\", because = \"a\" }, \
                    { is = \"9 ms\", because = \"b\" }]\n";
        let file = ChoiceFile::parse("choices.toml", text, &[]).unwrap();
        let claim = claim(
            "",
            "{ kind = \"less\", scheme = \"low\", than = [\"high\"] }",
        );
        let judged = |universe: Universe| {
            let holds = universe.0[1] == 0;
            UniverseJudgement {
                verdict: if holds {
                    Verdict::Holds
                } else {
                    Verdict::Contradicted
                },
                effect: None,
                claimed: None,
                support: Some(if holds { 1.0 } else { -1.0 }),
                universe,
            }
        };
        let universes = design(&[2, 2], 64).into_iter().map(judged);
        let robustness = Robustness {
            claim: &claim,
            choices: file.of("x"),
            universes: universes.collect(),
        };
        assert_eq!(robustness.verdicts(), "holds in 2 of 4, contradicted in 2");
        let most = robustness.depends_on().unwrap();
        assert_eq!(
            most,
            "round trip (100% of the variance; alone, 9 ms: -2.00)"
        );
        let json = robustness.json();
        assert_eq!(json["choices"][0]["choice"], "rtt");
        assert_eq!(json["universes"][0]["values"]["rate"], "1 Mbps");
    }
}
