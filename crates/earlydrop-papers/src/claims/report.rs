//! Reports about claims, in words and as JSON.

use serde_json::{Value, json};

use super::claim::{Claim, Paper};
use super::verdict::{Judgement, Verdict};

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
}

impl ClaimReport<'_> {
    /// The lower and the upper end of the effect's 95% interval.
    pub fn interval(&self) -> Option<(f64, f64)> {
        let effect = self.judgement.effect?;
        let half = effect.half?;
        Some((effect.mean - half, effect.mean + half))
    }

    /// The effect with its interval: "+12.3% (+10.0% to +14.6%)"; empty where there is none.
    pub fn effect(&self) -> String {
        match (self.judgement.effect, self.interval()) {
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

    /// The comparisons that do not support a claim that holds in part: "2 of 9: with red".
    pub fn exceptions(&self) -> Option<String> {
        if self.judgement.verdict != Verdict::InPart {
            return None;
        }
        let all = &self.judgement.comparisons;
        let places: Vec<&str> = all
            .iter()
            .filter(|one| !one.supports_claim())
            .map(|one| one.place.as_str())
            .collect();
        Some(format!(
            "{} of {}: {}",
            places.len(),
            all.len(),
            join_places(&places)
        ))
    }

    /// The report as JSON. Scripts read it: keys keep their names and their order.
    pub fn json(&self) -> Value {
        let comparisons = self.judgement.comparisons.iter().map(|one| {
            let mean = one.mean();
            json!({
                "place": one.place,
                "effect": mean.map(|mean| mean.mean),
                "half_width_95": mean.and_then(|mean| mean.half),
                "borne_out": one.supports_claim(),
            })
        });
        json!({
            "id": self.claim.id,
            "paper": self.paper.key,
            "figure": self.claim.figure,
            "claim": self.claim.claim,
            "metric": self.claim.metric.to_string(),
            "verdict": self.judgement.verdict.to_string(),
            "effect": self.judgement.effect.map(|effect| effect.mean),
            "interval": self.interval().map(|(low, high)| [low, high]),
            "seeds": self.seeds,
            "missing": self.judgement.missing.as_ref().map_or(String::new(), ToString::to_string),
            "comparisons": comparisons.collect::<Vec<Value>>(),
        })
    }
}

/// A share in per cent with its sign: "+12.3%".
pub(crate) fn percent(share: f64) -> String {
    format!("{:+.1}%", 100.0 * share)
}

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

/// The number of claims by verdict, the papers' apart from our hypotheses: "12 claims: 5 hold,
/// 3 in part, 4 do not, 0 cannot be decided; 3 of our hypotheses: ...".
pub fn count_verdicts<'a>(reports: impl IntoIterator<Item = &'a ClaimReport<'a>>) -> String {
    let reports = reports.into_iter();
    let (ours, theirs): (Vec<_>, Vec<_>) =
        reports.partition(|report| report.claim.is_our_hypothesis());
    let parts = [(theirs, "claims"), (ours, "of our hypotheses")];
    let parts = parts.iter().filter(|(reports, _)| !reports.is_empty());
    let parts: Vec<String> = parts
        .map(|(reports, what)| verdict_line(reports, what))
        .collect();
    match parts.is_empty() {
        true => "no claims".to_string(),
        false => parts.join("; "),
    }
}

fn verdict_line(reports: &[&ClaimReport<'_>], what: &str) -> String {
    let count = |wanted: Verdict| {
        let verdicts = reports.iter().map(|report| report.judgement.verdict);
        verdicts.filter(|verdict| *verdict == wanted).count()
    };
    format!(
        "{} {what}: {} hold, {} in part, {} do not, {} cannot be decided",
        reports.len(),
        count(Verdict::Holds),
        count(Verdict::InPart),
        count(Verdict::DoesNotHold),
        count(Verdict::Undecided)
    )
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
