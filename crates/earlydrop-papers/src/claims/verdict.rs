//! Judges a claim by what was measured.

use std::fmt;

use earlydrop_lab::statistics::Mean;

use super::claim::Claim;
use super::comparisons::{Comparison, comparisons, measured_value};
use super::measurements::Measurements;
use super::missing::MissingData;

/// The outcome of a claim's test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// Every comparison supports the claim.
    Holds,
    /// Some comparisons support it, others do not.
    InPart,
    /// No comparison supports it.
    DoesNotHold,
    /// Something that the test needs is missing.
    Undecided,
}

impl Verdict {
    /// Every verdict, the best first.
    pub const ALL: [Verdict; 4] = [
        Verdict::Holds,
        Verdict::InPart,
        Verdict::DoesNotHold,
        Verdict::Undecided,
    ];
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

/// The verdict on a claim, with the comparisons that it rests on.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// By how much the claim is right: the mean over all comparisons, as a share of what is
    /// compared with. Its interval is over seeds.
    pub effect: Option<Mean>,
    /// The comparisons.
    pub comparisons: Vec<Comparison>,
    /// What is missing, where the verdict is [`Verdict::Undecided`].
    pub missing: Option<MissingData>,
    /// Our value, where the claim is about a printed number.
    pub measured_value: Option<Mean>,
}

/// Judges `claim` by what was measured.
///
/// A claim holds where every comparison supports it. This is an intersection-union test, whose
/// level is that of a single comparison without a correction for their number (R. L. Berger,
/// "Multiparameter hypothesis testing and acceptance sampling", *Technometrics* 24, 1982).
pub fn judge(claim: &Claim, measured: &Measurements) -> Judgement {
    let measured_value = measured_value(&claim.test, measured);
    let undecided = |missing: MissingData, comparisons: Vec<Comparison>| Judgement {
        verdict: Verdict::Undecided,
        effect: None,
        comparisons,
        missing: Some(missing),
        measured_value,
    };
    let list = match comparisons(&claim.test, measured) {
        Ok(list) if list.is_empty() => return undecided(MissingData::NoPoints, list),
        Ok(list) => list,
        Err(missing) => return undecided(missing, Vec::new()),
    };
    if measured.seeds.len() < 2 {
        return undecided(MissingData::OneSeed, list);
    }
    let supporting = list.iter().filter(|one| one.supports_claim()).count();
    let verdict = match supporting {
        all if all == list.len() => Verdict::Holds,
        0 => Verdict::DoesNotHold,
        _ => Verdict::InPart,
    };
    Judgement {
        verdict,
        effect: Mean::of(&over_all(&list)),
        comparisons: list,
        missing: None,
        measured_value,
    }
}

/// The mean over all comparisons, by seed.
fn over_all(list: &[Comparison]) -> Vec<f64> {
    let seeds = list.iter().map(|one| one.by_seed.len()).min().unwrap_or(0);
    let count = list.len() as f64;
    (0..seeds)
        .map(|seed| list.iter().map(|one| one.by_seed[seed]).sum::<f64>() / count)
        .collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::claims::claim::{Paper, Test};
    use crate::claims::selector::Selector;

    /// Two schemes over five counts and two lengths, with four seeds that move all values
    /// alike: "low" is a valley at 3 or, when long, at 4; "high" is twice the count.
    pub(crate) fn measured() -> Measurements {
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
        Measurements::by_rule(
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
    pub(crate) fn claim(lines: &str, test: &str) -> Claim {
        let text = format!(
            "paper = \"x\"\nname = \"\"\ntitle = \"\"\nauthors = \"\"\nyear = 2000\n{lines}\n[[claims]]\nid = \"x\"\n\
             figure = \"1\"\nclaim = \"\"\nmetric = \"loss\"\ntest = {test}\n"
        );
        let mut paper = Paper::parse("claims.toml", &text).unwrap();
        paper.claims.remove(0)
    }

    fn verdict(test: &str) -> (Verdict, Option<Mean>) {
        let judgement = judge(&claim("", test), &measured());
        (judgement.verdict, judgement.effect)
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
                "{ kind = \"proportional\", scheme = \"low\", over = \"count\", tolerance = 2, at = { length = \"short\" } }",
                Holds,
            ),
            (
                "{ kind = \"spread-less\", scheme = \"low\", than = [\"high\"], at = { count = 5 } }",
                Holds,
            ),
            (
                "{ kind = \"spread-more\", scheme = \"low\", than = [\"high\"], at = { count = 5 } }",
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
        let claim = Claim {
            id: String::new(),
            figure: String::new(),
            claim: String::new(),
            experiment: String::new(),
            metric: Selector::Metric("loss".to_string()),
            test: Test::Proportional {
                scheme: "high".to_string(),
                over: "count".to_string(),
                tolerance: 0.5,
                at: Vec::new(),
            },
            wrong: String::new(),
        };
        assert_eq!(judge(&claim, &one).verdict, Verdict::Undecided);
    }
}
