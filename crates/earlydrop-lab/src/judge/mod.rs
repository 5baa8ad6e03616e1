//! Whether runs show what their scenario [expects](crate::expect).
//!
//! An expectation makes *comparisons*: of each of its schemes, at each point, with each other or
//! with a value. A comparison shows it where the 95% interval of the difference, paired by seed, lies
//! on its side of zero, and the contrary where it lies on the other. All must show it for it to hold:
//! an intersection-union test, whose level is that of one comparison (Berger 1982). It is
//! contradicted where one comparison shows the contrary after Holm's correction for their number.

mod comparison;

use serde::Serialize;

use crate::expect::Expectation;
use crate::plan::Plan;
use crate::statistics::holm;
use crate::summary::Summary;

use comparison::{Comparison, Runs};

/// An expectation, judged.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Judgement {
    /// It in a sentence.
    pub says: String,
    /// What the runs say of it.
    pub verdict: Verdict,
    /// The number of comparisons that show it.
    pub shown: usize,
    /// The number of comparisons.
    pub comparisons: usize,
    /// The comparison that is furthest from showing it, or nearest to its limit where all show it, in
    /// words; or why there is none.
    pub worst: Option<String>,
    /// Where it is undecided, what would tell: "about 12 seeds would tell".
    pub wants: Option<String>,
    /// Of a question, the answer of each scheme; its verdict is that of all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub schemes: Vec<SchemeAnswer>,
}

/// The answer of a scheme to a question.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SchemeAnswer {
    /// Its label.
    pub scheme: String,
    /// Yes where it holds, no where it is contradicted.
    pub verdict: Verdict,
    /// Where it is no or undecided, the comparison that is furthest from a yes.
    pub worst: Option<String>,
    /// Where it is undecided, what would tell: "about 12 seeds would tell".
    pub wants: Option<String>,
    /// Its comparison at each point that the question is about.
    pub at: Vec<Measured>,
}

/// What was measured of a scheme at a point, and what it alone answers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measured {
    /// The index of the point in its plan.
    pub point: usize,
    /// The mean over seeds, in the metric's base unit.
    pub mean: f64,
    /// The half-width of its 95% interval; `None` with one seed.
    pub half: Option<f64>,
    /// Yes, no or undecided, without regard to other points.
    pub verdict: Verdict,
}

/// What runs say of an expectation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Every comparison shows it.
    Holds,
    /// A comparison shows the contrary.
    Contradicted,
    /// The seeds do not tell.
    Undecided,
    /// The runs do not compare what it is about.
    Unjudged,
}

impl Verdict {
    /// It in a word or two.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Contradicted => "contradicted",
            Verdict::Undecided => "undecided",
            Verdict::Unjudged => "not judged",
        }
    }
}

/// The judgement of each expectation of a plan, in their order.
pub fn judgements(plan: &Plan, summary: &Summary) -> Vec<Judgement> {
    let runs = Runs::of(plan, summary);
    let judged = plan.expectations.iter().map(|one| judge(&runs, one));
    judged.collect()
}

fn judge(runs: &Runs<'_>, expectation: &Expectation) -> Judgement {
    let unjudged = |why: &str| Judgement {
        says: expectation.says.clone(),
        verdict: Verdict::Unjudged,
        shown: 0,
        comparisons: 0,
        worst: Some(why.to_string()),
        wants: None,
        schemes: Vec::new(),
    };
    if let Some(missing) = &expectation.missing {
        return unjudged(missing);
    }
    let all = runs.comparisons(expectation);
    if all.is_empty() {
        return unjudged("it was not measured");
    }
    let all_of_them: Vec<&Comparison> = all.iter().collect();
    let schemes = match expectation.asks {
        true => runs.subjects(expectation),
        false => Vec::new(),
    };
    let schemes = schemes.into_iter().map(|scheme| answer(scheme, &all));
    let (verdict, worst) = (verdict(&all_of_them), worst(&all_of_them));
    let undecided = worst.filter(|_| verdict == Verdict::Undecided);
    let nearest = all_of_them.iter().copied().max_by(farther);
    Judgement {
        says: expectation.says.clone(),
        verdict,
        shown: all.iter().filter(|one| one.shows()).count(),
        comparisons: all.len(),
        worst: worst.or(nearest).map(Comparison::beside_what_is_expected),
        wants: undecided.map(|worst| worst.wants(all.len())),
        schemes: schemes.collect(),
    }
}

/// What comparisons say together.
fn verdict(all: &[&Comparison]) -> Verdict {
    let p_values: Vec<f64> = all.iter().map(|one| one.p_of_contrary()).collect();
    match all.iter().all(|one| one.shows()) {
        _ if all.is_empty() => Verdict::Unjudged,
        true => Verdict::Holds,
        false if holm(&p_values).contains(&true) => Verdict::Contradicted,
        false => Verdict::Undecided,
    }
}

/// The comparison that is furthest from showing what is expected.
fn worst<'c>(all: &[&'c Comparison]) -> Option<&'c Comparison> {
    let open = all.iter().filter(|one| !one.shows());
    open.copied().max_by(farther)
}

/// Which of two comparisons is farther from what is expected.
fn farther(one: &&Comparison, other: &&Comparison) -> std::cmp::Ordering {
    one.distance().total_cmp(&other.distance())
}

fn answer(scheme: &str, all: &[Comparison]) -> SchemeAnswer {
    let own: Vec<&Comparison> = all.iter().filter(|one| one.scheme == scheme).collect();
    let worst = worst(&own);
    let verdict = verdict(&own);
    let measured = own.iter().map(|one| Measured {
        point: one.point,
        mean: one.own.mean,
        half: one.own.half,
        verdict: self::verdict(&[one]),
    });
    SchemeAnswer {
        scheme: scheme.to_string(),
        verdict,
        worst: worst.map(|one| one.measured.clone()),
        wants: worst
            .filter(|_| verdict == Verdict::Undecided)
            .map(|worst| worst.wants(own.len())),
        at: measured.collect(),
    }
}
