//! What runs say of a claim.

use std::fmt;

use super::comparisons::{Comparison, comparisons, found};
use super::measured::Measured;
use super::paper::Claim;
use earlydrop_lab::statistics::Mean;

/// What runs say of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every comparison bears it out.
    Holds,
    /// Some do.
    InPart,
    /// None does.
    DoesNotHold,
    /// Something is missing to compare.
    Undecided,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Holds => "holds",
            Verdict::InPart => "holds in part",
            Verdict::DoesNotHold => "does not hold",
            Verdict::Undecided => "cannot be decided",
        })
    }
}

/// A claim with what runs say of it.
#[derive(Clone, Debug)]
pub struct Judged {
    /// What they say.
    pub verdict: Verdict,
    /// By how much the claim is right, over all its comparisons, as a share of what is
    /// compared with; its interval is over seeds.
    pub effect: Option<Mean>,
    /// Each comparison.
    pub comparisons: Vec<Comparison>,
    /// What is missing, where it cannot be decided.
    pub missing: String,
    /// What was found, where a number was printed.
    pub found: Option<Mean>,
}

/// What `measured` says of `claim`.
pub fn judge(claim: &Claim, measured: &Measured) -> Judged {
    let undecided = |missing: String, comparisons: Vec<Comparison>| Judged {
        verdict: Verdict::Undecided,
        effect: None,
        comparisons,
        missing,
        found: found(&claim.test, measured),
    };
    let list = match comparisons(&claim.test, measured) {
        Ok(list) if list.is_empty() => {
            return undecided("none of the points it is about was run".to_string(), list);
        }
        Ok(list) => list,
        Err(missing) => return undecided(missing, Vec::new()),
    };
    if measured.seeds.len() < 2 {
        return undecided("one seed has no interval".to_string(), list);
    }
    let borne_out = list.iter().filter(|one| one.is_borne_out()).count();
    let verdict = match borne_out {
        all if all == list.len() => Verdict::Holds,
        0 => Verdict::DoesNotHold,
        _ => Verdict::InPart,
    };
    Judged {
        verdict,
        effect: Mean::of(&over_all(&list)),
        comparisons: list,
        missing: String::new(),
        found: found(&claim.test, measured),
    }
}

/// For each seed the mean over all comparisons.
fn over_all(list: &[Comparison]) -> Vec<f64> {
    let seeds = list.iter().map(|one| one.by_seed.len()).min().unwrap_or(0);
    let count = list.len() as f64;
    (0..seeds)
        .map(|seed| list.iter().map(|one| one.by_seed[seed]).sum::<f64>() / count)
        .collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::claims::paper::Test;
    use crate::claims::{Paper, Selector};

    /// Two schemes over five counts and two lengths, with four seeds that move all values
    /// alike: "low" is a valley at 3 or, when long, at 4; "high" is twice the count.
    pub(in crate::claims) fn measured() -> Measured {
        let axes = vec![
            (
                "count".to_string(),
                ["1", "2", "3", "4", "5"].map(String::from).into(),
            ),
            (
                "length".to_string(),
                ["short", "long"].map(String::from).into(),
            ),
        ];
        let points = (0..5).flat_map(|count| [vec![count, 0], vec![count, 1]]);
        Measured::made_up(
            axes,
            points.collect(),
            &["low", "high"],
            4,
            |scheme, at, seed| {
                let count = at[0] as f64 + 1.0;
                let noise = 1.0 + 0.01 * seed as f64;
                let bottom = 3.0 + at[1] as f64;
                let value = if scheme == 0 {
                    1.0 + 0.1 * (count - bottom).powi(2)
                } else {
                    2.0 * count
                };
                value * noise
            },
        )
    }

    /// A claim with this test, written after these lines.
    pub(in crate::claims) fn claim(lines: &str, test: &str) -> Claim {
        let text = format!(
            "paper = \"x\"\ntitle = \"\"\nauthors = \"\"\nyear = 2000\n{lines}\n[[claims]]\nid = \"x\"\n\
             figure = \"1\"\nclaim = \"\"\nmetric = \"loss\"\ntest = {test}\n"
        );
        let mut paper = Paper::parse("claims.toml", &text).unwrap();
        paper.claims.remove(0)
    }

    fn verdict(test: &str) -> (Verdict, Option<Mean>) {
        let judged = judge(&claim("", test), &measured());
        (judged.verdict, judged.effect)
    }

    #[test]
    fn every_kind_of_test_can_hold_and_can_fail() {
        use Verdict::{DoesNotHold, Holds, InPart, Undecided};
        for (test, wanted) in [
            (
                "{ kind = \"less\", scheme = \"low\", than = [\"high\"] }",
                Holds,
            ),
            (
                "{ kind = \"more\", scheme = \"low\", than = [\"high\"] }",
                DoesNotHold,
            ),
            (
                "{ kind = \"less\", scheme = \"low\", than = [\"other\"] }",
                Undecided,
            ),
            (
                "{ kind = \"not-more\", scheme = \"low\", than = [\"low\"], tolerance = 0.05 }",
                Holds,
            ),
            (
                "{ kind = \"not-less\", scheme = \"low\", than = [\"high\"], tolerance = 0.05 }",
                DoesNotHold,
            ),
            (
                "{ kind = \"not-less\", scheme = \"low\", than = [\"high\"], tolerance = 0.95 }",
                Holds,
            ),
            (
                "{ kind = \"range-less\", scheme = \"low\", than = [\"high\"], over = \"count\" }",
                Holds,
            ),
            (
                "{ kind = \"range-less\", scheme = \"high\", than = [\"low\"], over = \"count\" }",
                DoesNotHold,
            ),
            (
                "{ kind = \"minimum-inside\", scheme = \"low\", over = \"count\" }",
                Holds,
            ),
            (
                "{ kind = \"minimum-inside\", scheme = \"high\", over = \"count\" }",
                DoesNotHold,
            ),
            (
                "{ kind = \"minimum-moves\", scheme = \"low\", over = \"count\", with = \"length\" }",
                Holds,
            ),
            (
                "{ kind = \"minimum-moves\", scheme = \"high\", over = \"count\", with = \"length\" }",
                DoesNotHold,
            ),
            (
                "{ kind = \"proportional\", scheme = \"high\", over = \"count\", tolerance = 0.1 }",
                Holds,
            ),
            (
                "{ kind = \"proportional\", scheme = \"low\", over = \"count\", tolerance = 0.1 }",
                DoesNotHold,
            ),
            (
                "{ kind = \"grows\", scheme = \"high\", over = \"count\", from = 1, to = 5 }",
                Holds,
            ),
            (
                "{ kind = \"falls\", scheme = \"high\", over = \"count\", from = 1, to = 5 }",
                DoesNotHold,
            ),
            (
                "{ kind = \"between\", scheme = \"low\", low = 0.9, high = 2.0 }",
                Holds,
            ),
            (
                "{ kind = \"between\", scheme = \"high\", low = 20, high = 30 }",
                DoesNotHold,
            ),
            (
                "{ kind = \"equal\", schemes = [\"low\", \"low\"], tolerance = 0.01 }",
                Holds,
            ),
            (
                "{ kind = \"equal\", schemes = [\"low\", \"high\"], tolerance = 0.01 }",
                DoesNotHold,
            ),
            (
                "{ kind = \"value\", scheme = \"high\", value = 4, tolerance = 0.1, at = { count = 2 } }",
                Holds,
            ),
            (
                "{ kind = \"value\", scheme = \"high\", value = 4, tolerance = 0.1, at = { count = 9 } }",
                Undecided,
            ),
            (
                "{ kind = \"between\", scheme = \"high\", low = 3, high = 30 }",
                InPart,
            ),
            (
                "{ kind = \"nearer\", scheme = \"low\", than = [\"high\"], value = 1 }",
                Holds,
            ),
            (
                "{ kind = \"nearer\", scheme = \"high\", than = [\"low\"], value = 1 }",
                DoesNotHold,
            ),
            (
                "{ kind = \"undecidable\", missing = \"the link's rate\" }",
                Undecided,
            ),
        ] {
            assert_eq!(verdict(test).0, wanted, "{test}");
        }
    }

    #[test]
    fn an_effect_is_a_share_with_an_interval_over_seeds() {
        let test = "{ kind = \"less\", scheme = \"low\", than = [\"high\"], at = { count = 5, length = \"short\" } }";
        let effect = verdict(test).1.unwrap();
        // 1.4 against 10, each seed's alike: 8.6 of 10, and a little for the seeds' mean.
        assert!((effect.mean - 0.86).abs() < 1e-12, "{effect:?}");
        assert_eq!(effect.count, 4);
        assert!(effect.half.unwrap() < 0.05);
    }

    #[test]
    fn one_seed_decides_nothing() {
        let mut one = measured();
        one.seeds.truncate(1);
        let claim = crate::claims::Claim {
            id: String::new(),
            figure: String::new(),
            claim: String::new(),
            experiment: String::new(),
            metric: Selector::Metric("loss".to_string()),
            test: Test::Proportional {
                scheme: "high".to_string(),
                over: "count".to_string(),
                tolerance: 0.5,
            },
            wrong: String::new(),
        };
        assert_eq!(judge(&claim, &one).verdict, Verdict::Undecided);
    }
}
