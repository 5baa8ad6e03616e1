//! Judges a claim by what was measured.

use std::fmt;

use earlydrop_lab::statistics::Mean;

use super::claim::{Claim, Test};
use super::claimed::Claimed;
use super::comparisons::{Comparison, comparisons};
use super::evidence::{Evidence, of_family};
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
    /// No comparison supports it, and each shows that the difference is smaller than matters.
    NoDifference,
    /// No comparison supports it, and one or all together show the opposite.
    Contradicted,
    /// Neither is shown.
    NotShown,
    /// Something that the test needs is missing.
    Undecided,
}

impl Verdict {
    /// Every verdict, the best for a claim first.
    pub const ALL: [Verdict; 6] = [
        Verdict::Holds,
        Verdict::InPart,
        Verdict::NoDifference,
        Verdict::Contradicted,
        Verdict::NotShown,
        Verdict::Undecided,
    ];
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Holds => "holds",
            Verdict::InPart => "holds in part",
            Verdict::NoDifference => "no difference",
            Verdict::Contradicted => "contradicted",
            Verdict::NotShown => "not shown",
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
    /// What is measured, as the mean over all comparisons: mostly a difference as a share of what is
    /// compared with, above zero in the claim's direction. Its interval is over seeds.
    pub effect: Option<Mean>,
    /// Where the claim says that it lies.
    pub claimed: Option<Claimed>,
    /// The comparisons.
    pub comparisons: Vec<Comparison>,
    /// What each comparison shows when all are read together.
    pub evidence: Vec<Evidence>,
    /// What is missing, where the verdict is [`Verdict::Undecided`].
    pub missing: Option<MissingData>,
    /// Ours next to the printed number, where the claim is about one.
    pub printed: Option<PrintedNumber>,
}

/// A printed number and our runs of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PrintedNumber {
    /// The number as printed.
    pub printed: f64,
    /// The mean of our runs.
    pub ours: Mean,
}

impl PrintedNumber {
    /// The lower and the upper end of the interval that 95% of single runs fall into.
    pub fn single_runs(&self) -> Option<(f64, f64)> {
        let half = self.ours.prediction_half()?;
        Some((self.ours.mean - half, self.ours.mean + half))
    }

    /// Whether a single run of ours could have printed it.
    pub fn is_a_single_run(&self) -> bool {
        let within = |(low, high)| (low..=high).contains(&self.printed);
        self.single_runs().is_some_and(within)
    }
}

impl Judgement {
    fn undecided(missing: MissingData, comparisons: Vec<Comparison>) -> Judgement {
        Judgement {
            verdict: Verdict::Undecided,
            effect: None,
            claimed: None,
            comparisons,
            evidence: Vec::new(),
            missing: Some(missing),
            printed: None,
        }
    }

    /// The share of comparisons that support the claim less the share of those that contradict it;
    /// `None` where it cannot be decided.
    pub fn support(&self) -> Option<f64> {
        let all = self.evidence.len() as f64;
        let share = |evidence| self.count(evidence) as f64 / all;
        let support = share(Evidence::Supports) - share(Evidence::Contradicts);
        support.is_finite().then_some(support)
    }

    /// The number of comparisons that show this about the claim, all read together.
    pub fn count(&self, evidence: Evidence) -> usize {
        self.evidence.iter().filter(|one| **one == evidence).count()
    }
}

/// Judges `claim` by what was measured.
///
/// A claim holds where every comparison supports it, and in part where some do. One that none
/// supports makes no difference where each shows that; it is contradicted where one shows the
/// opposite, or the mean over all does. A printed number that a single run of ours could have printed
/// is not contradicted by our mean.
pub fn judge(claim: &Claim, measured: &Measurements) -> Judgement {
    let mut list = match comparisons(&claim.test, measured) {
        Ok(list) if list.is_empty() => return Judgement::undecided(MissingData::NoPoints, list),
        Ok(list) => list,
        Err(missing) => return Judgement::undecided(missing, Vec::new()),
    };
    if measured.seeds.len() < 2 {
        return Judgement::undecided(MissingData::OneSeed, list);
    }
    let margin = claim.margin();
    list.iter_mut().for_each(|one| one.margin = margin);
    let evidence = of_family(&list);
    let effect = Mean::of(&over_all(&list));
    let printed = printed_number(&claim.test, measured);
    let is_wrong_on_average = effect.is_some_and(|mean| is_wrong(&list[0], mean));
    let has = |wanted| evidence.contains(&wanted);
    let all = |wanted| evidence.iter().all(|one| *one == wanted);
    let verdict = match has(Evidence::Supports) {
        true if all(Evidence::Supports) => Verdict::Holds,
        true => Verdict::InPart,
        false if all(Evidence::Equal) => Verdict::NoDifference,
        false if printed.is_some_and(|one| one.is_a_single_run()) => Verdict::NotShown,
        false if has(Evidence::Contradicts) || is_wrong_on_average => Verdict::Contradicted,
        false => Verdict::NotShown,
    };
    Judgement {
        verdict,
        effect,
        claimed: Some(list[0].claimed),
        comparisons: list,
        evidence,
        missing: None,
        printed,
    }
}

/// Whether the mean over all comparisons, which `one` is like, shows the opposite of the claim: if the
/// claim were right everywhere, it would be right on average.
///
/// Differences keep their signs, which are those of the claim: a mean is beyond an end of what is
/// claimed, not nearer to it because each comparison was turned to its own nearer end. A difference
/// that is smaller than matters shows no opposite.
fn is_wrong(one: &Comparison, mean: Mean) -> bool {
    one.claimed.excludes(mean) && !one.makes_no_difference(mean)
}

/// Ours next to a printed number, where the test is about one point.
fn printed_number(test: &Test, measured: &Measurements) -> Option<PrintedNumber> {
    let Test::Value {
        scheme, value, at, ..
    } = test
    else {
        return None;
    };
    let [point] = measured.points_at(at)[..] else {
        return None;
    };
    let ours = Mean::of(&measured.values(measured.scheme(scheme)?, point)?)?;
    Some(PrintedNumber {
        printed: *value,
        ours,
    })
}

/// What all comparisons measure in the mean, by seed.
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
    use crate::claims::claim::Paper;
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
    fn equal_everywhere_is_no_difference() {
        // At both places 0.5% more or less; the margin of goodput is 2%.
        let rule = |scheme: usize, at: &[usize], seed: u64| {
            let apart = 0.001 * (seed as f64 - 2.5) + 0.005 * [1.0, -1.0][at[0]];
            if scheme == 0 { 1.0 + apart } else { 1.0 }
        };
        let axes = vec![("count".to_string(), ["1", "2"].map(String::from).into())];
        let points = vec![vec![0], vec![1]];
        let measured = Measurements::by_rule(axes, points, &["low", "high"], 4, rule);
        let test = "{ kind = \"more\", scheme = \"low\", than = [\"high\"] }";
        let judged = |metric| {
            let mut claim = claim("", test);
            claim.metric = Selector::Metric(String::from(metric));
            judge(&claim, &measured)
        };
        let goodput = judged("goodput");
        assert_eq!(goodput.verdict, Verdict::InPart, "{:?}", goodput.evidence);
        let rule = |scheme: usize, _: &[usize], seed: u64| {
            let apart = 0.004 * [1.0, -1.0, 0.9, -0.7][seed as usize - 1];
            if scheme == 0 { 1.0 + apart } else { 1.0 }
        };
        let axes = vec![("count".to_string(), ["1", "2"].map(String::from).into())];
        let measured =
            Measurements::by_rule(axes, vec![vec![0], vec![1]], &["low", "high"], 4, rule);
        let mut claim = claim("", test);
        claim.metric = Selector::Metric("goodput".to_string());
        assert_eq!(judge(&claim, &measured).verdict, Verdict::NoDifference);
    }

    #[test]
    fn every_kind_of_test_can_hold_and_can_fail() {
        use Verdict::{Contradicted, Holds, InPart, NoDifference, NotShown, Undecided};
        for (test, wanted) in [
            (
                "{ kind = \"less\", scheme = \"low\", than = [\"high\"] }",
                Holds,
            ),
            (
                "{ kind = \"more\", scheme = \"low\", than = [\"high\"] }",
                Contradicted,
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
                Contradicted,
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
                Contradicted,
            ),
            (
                "{ kind = \"minimum-inside\", scheme = \"low\", over = \"count\" }",
                Holds,
            ),
            (
                "{ kind = \"minimum-inside\", scheme = \"high\", over = \"count\" }",
                Contradicted,
            ),
            (
                "{ kind = \"minimum-moves\", scheme = \"low\", over = \"count\", with = \"length\" }",
                Holds,
            ),
            (
                "{ kind = \"minimum-moves\", scheme = \"high\", over = \"count\", with = \"length\" }",
                NotShown,
            ),
            (
                "{ kind = \"proportional\", scheme = \"high\", over = \"count\", tolerance = 0.1 }",
                Holds,
            ),
            (
                "{ kind = \"proportional\", scheme = \"low\", over = \"count\", tolerance = 0.1 }",
                Contradicted,
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
                NoDifference,
            ),
            (
                "{ kind = \"grows\", scheme = \"high\", over = \"count\", from = 1, to = 5 }",
                Holds,
            ),
            (
                "{ kind = \"falls\", scheme = \"high\", over = \"count\", from = 1, to = 5 }",
                Contradicted,
            ),
            (
                "{ kind = \"between\", scheme = \"low\", low = 0.9, high = 2.0 }",
                Holds,
            ),
            (
                "{ kind = \"between\", scheme = \"high\", low = 20, high = 30 }",
                Contradicted,
            ),
            (
                "{ kind = \"equal\", schemes = [\"low\", \"low\"], tolerance = 0.01 }",
                Holds,
            ),
            (
                "{ kind = \"equal\", schemes = [\"low\", \"high\"], tolerance = 0.01 }",
                Contradicted,
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
                Contradicted,
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
    fn a_claim_that_is_wrong_on_average_is_contradicted() {
        // At two of three places 0.3 too little, with seeds that are wide apart; each by itself,
        // corrected for three, shows nothing.
        let rule = |scheme: usize, at: &[usize], seed: u64| {
            let apart = 0.09 * [1.0, -1.0, 0.6, -0.6][seed as usize - 1] * [1.0, -1.0, 0.8][at[0]];
            if scheme == 0 { 1.1 + apart } else { 1.0 }
        };
        let axes = vec![(
            "count".to_string(),
            ["1", "2", "3"].map(String::from).into(),
        )];
        let points = (0..3).map(|count| vec![count]).collect();
        let measured = Measurements::by_rule(axes, points, &["low", "high"], 4, rule);
        let test = "{ kind = \"less\", scheme = \"low\", than = [\"high\"] }";
        let judgement = judge(&claim("", test), &measured);
        assert_eq!(judgement.evidence, [Evidence::Open; 3]);
        assert_eq!(judgement.verdict, Verdict::Contradicted);
    }

    #[test]
    fn a_number_that_a_single_run_could_have_printed_is_not_contradicted() {
        // Four runs of 10 to 16: their mean is 13 ± 4.1, single runs lie within 13 ± 9.2.
        let rule = |_: usize, _: &[usize], seed: u64| 8.0 + 2.0 * seed as f64;
        let measured = Measurements::by_rule(Vec::new(), vec![Vec::new()], &["low"], 4, rule);
        for (value, wanted) in [
            (13.0, Verdict::NotShown),
            (20.0, Verdict::NotShown),
            (60.0, Verdict::Contradicted),
        ] {
            let test = format!(
                "{{ kind = \"value\", scheme = \"low\", value = {value}, tolerance = 0.05 }}"
            );
            let judgement = judge(&claim("", &test), &measured);
            assert_eq!(judgement.verdict, wanted, "{value}");
            let number = judgement.printed.unwrap();
            assert_eq!(number.is_a_single_run(), wanted == Verdict::NotShown);
        }
    }

    #[test]
    fn one_seed_decides_nothing() {
        let mut one = measured();
        one.seeds.truncate(1);
        let claim = Claim {
            id: String::new(),
            beside: Default::default(),
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
            printed: false,
            added: false,
            changed: String::new(),
        };
        assert_eq!(judge(&claim, &one).verdict, Verdict::Undecided);
    }
}
