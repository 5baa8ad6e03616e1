//! Claims with what runs say of them: in words, and as JSON.

use serde_json::{Value, json};

use super::paper::Claim;
use super::verdict::{Judged, Verdict};
use crate::catalogue::Reproduced;

/// A claim of a paper, with what runs say of it.
#[derive(Clone, Debug)]
pub struct Told<'a> {
    /// The paper.
    pub paper: &'a Reproduced,
    /// What it claims.
    pub claim: &'a Claim,
    /// What runs say.
    pub judged: Judged,
    /// With how many seeds.
    pub seeds: usize,
}

impl Told<'_> {
    /// The interval of the effect: low and high.
    pub fn interval(&self) -> Option<(f64, f64)> {
        let effect = self.judged.effect?;
        let half = effect.half?;
        Some((effect.mean - half, effect.mean + half))
    }

    /// "+12.3% (+10.0% to +14.6%)"; empty where there is no effect.
    pub fn effect(&self) -> String {
        match (self.judged.effect, self.interval()) {
            (Some(effect), Some((low, high))) => {
                format!(
                    "{} ({} to {})",
                    percent(effect.mean),
                    percent(low),
                    percent(high)
                )
            }
            _ => String::new(),
        }
    }

    /// Where it is not borne out, of a claim that holds in part: "2 of 9: ...".
    pub fn exceptions(&self) -> Option<String> {
        if self.judged.verdict != Verdict::InPart {
            return None;
        }
        let all = &self.judged.comparisons;
        let not: Vec<&str> = all
            .iter()
            .filter(|one| !one.is_borne_out())
            .map(|one| one.place.as_str())
            .collect();
        Some(format!(
            "{} of {}: {}",
            not.len(),
            all.len(),
            together(&not)
        ))
    }

    /// As JSON: the keys keep their names and their order.
    pub fn json(&self) -> Value {
        let comparisons = self.judged.comparisons.iter().map(|one| {
            let mean = one.mean();
            json!({
                "place": one.place,
                "effect": mean.map(|mean| mean.mean),
                "half_width_95": mean.and_then(|mean| mean.half),
                "borne_out": one.is_borne_out(),
            })
        });
        json!({
            "id": self.claim.id,
            "paper": self.paper.paper.key,
            "figure": self.claim.figure,
            "claim": self.claim.claim,
            "metric": self.claim.metric.to_string(),
            "verdict": self.judged.verdict.to_string(),
            "effect": self.judged.effect.map(|effect| effect.mean),
            "interval": self.interval().map(|(low, high)| [low, high]),
            "seeds": self.seeds,
            "missing": self.judged.missing,
            "comparisons": comparisons.collect::<Vec<Value>>(),
        })
    }
}

/// "+12.3%".
pub(super) fn percent(share: f64) -> String {
    format!("{:+.1}%", 100.0 * share)
}

/// Places that differ in their last value only, said once: "with red, n = 10" and "with
/// red, n = 20" as "with red, n = 10, 20".
pub(super) fn together(places: &[&str]) -> String {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for place in places {
        let (same, last) = place.rsplit_once(" = ").unwrap_or((place, ""));
        match groups.last_mut() {
            Some((known, values)) if *known == same => values.push(last),
            _ => groups.push((same, vec![last])),
        }
    }
    let said = groups.iter().map(|(same, values)| match values.join(", ") {
        none if none.is_empty() => (*same).to_string(),
        values => format!("{same} = {values}"),
    });
    said.collect::<Vec<_>>().join("; ")
}

/// How many claims hold, and so on, and the same of questions of ours:
/// "12 claims: 5 hold, ...; 3 questions of ours: ...".
pub fn counted<'a>(told: impl IntoIterator<Item = &'a Told<'a>>) -> String {
    let told = told.into_iter();
    let (ours, theirs): (Vec<_>, Vec<_>) = told.partition(|told| told.claim.is_question());
    let count = |told: &[&Told<'_>], what: &str| {
        let count = |wanted: Verdict| {
            let verdicts = told.iter().map(|told| told.judged.verdict);
            verdicts.filter(|verdict| *verdict == wanted).count()
        };
        format!(
            "{} {what}: {} hold, {} in part, {} do not, {} cannot be decided",
            told.len(),
            count(Verdict::Holds),
            count(Verdict::InPart),
            count(Verdict::DoesNotHold),
            count(Verdict::Undecided)
        )
    };
    let parts = [(theirs, "claims"), (ours, "questions of ours")];
    let parts = parts.iter().filter(|(told, _)| !told.is_empty());
    let parts: Vec<String> = parts.map(|(told, what)| count(told, what)).collect();
    match parts.is_empty() {
        true => "no claims".to_string(),
        false => parts.join("; "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_that_differ_in_a_value_are_said_together() {
        let places = [
            "with red, n = 10",
            "with red, n = 20",
            "with pie, n = 10",
            "slope",
        ];
        let said = "with red, n = 10, 20; with pie, n = 10; slope";
        assert_eq!(together(&places), said);
    }
}
