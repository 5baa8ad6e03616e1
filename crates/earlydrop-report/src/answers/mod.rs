//! What a run answers, in sentences: one for each question, from means over seeds.
//!
//! What keeps figures from being answers comes first (`caveats`), then which schemes serve everybody
//! (`serves`), what the scenario expects, what each kind of traffic feels (`groups`), and figures of
//! the whole link last (`link`). A scheme *ties* with the best as in the tables: its difference,
//! paired by seed, is not significant after a correction for the number of schemes.
//! `docs/explanation/what-is-measured.md` says why.

mod along;
mod caveats;
mod comparison;
mod groups;
mod link;
mod serves;

use earlydrop_lab::judge::{SchemeAnswer, Verdict, judgements};
use earlydrop_lab::metrics::{self, Felt};
use earlydrop_lab::outcome::Outcome;
use earlydrop_lab::plan::{Cell, Plan};
use earlydrop_lab::rows::Rows;
use earlydrop_lab::summary::Summary;
use serde::Serialize;

use comparison::Comparison;

use crate::words::listed;

/// A question with its answer in a sentence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Answer {
    /// The question: "calls: end-to-end delay, 99%".
    pub question: String,
    /// Where the answer changes along the sweep; `None` without a sweep.
    pub overall: Option<String>,
    /// The answer at each point; `None` where it was not measured.
    pub at: Vec<Option<String>>,
}

/// Answers a question at one point; `None` where it was not measured.
type Question<'q> = Box<dyn Fn(&Comparison<'_>) -> Option<PointAnswer> + 'q>;

/// An answer at one point.
struct PointAnswer {
    text: String,
    /// The schemes that are the best or tie with it, best first; empty where the question has no
    /// best scheme.
    best: Vec<usize>,
}

/// The answers that the runs of a plan give, in the order of a page.
pub fn answers(plan: &Plan, summary: &Summary) -> Vec<Answer> {
    if summary.rows.is_empty() {
        return Vec::new();
    }
    let caveats = caveats::questions(plan.scenario(), &summary.moving);
    let (first, then) = match plan.labels().len() {
        0 | 1 => {
            let in_short = ("In short".to_string(), Box::new(in_short) as Question<'_>);
            (vec![in_short], Vec::new())
        }
        _ => {
            let mut then = groups::of_each(plan.scenario());
            then.extend(link::questions(plan.scenario()));
            (groups::of_all(plan.scenario()), then)
        }
    };
    let points: Vec<Comparison<'_>> = (0..plan.points.len())
        .map(|point| Comparison::at(plan, summary, point))
        .collect();
    let answered = |(question, of): (String, Question<'_>)| {
        let at: Vec<Option<PointAnswer>> = points.iter().map(&of).collect();
        let answer = Answer {
            question,
            overall: along::overall(plan, &at),
            at: at.into_iter().map(|one| Some(one?.text)).collect(),
        };
        answer.at.iter().any(Option::is_some).then_some(answer)
    };
    let first = caveats.into_iter().chain(first).filter_map(answered);
    first
        .chain(expected(plan, summary))
        .chain(then.into_iter().filter_map(answered))
        .collect()
}

/// What the scenario expects, with what the runs say of it.
fn expected(plan: &Plan, summary: &Summary) -> impl Iterator<Item = Answer> {
    let points = plan.points.len();
    judgements(plan, summary).into_iter().map(move |one| {
        if !one.schemes.is_empty() {
            let text = answered(&one.schemes);
            return Answer {
                question: one.says.trim_end_matches('?').to_string() + "?",
                overall: (points > 1).then(|| text.clone()),
                at: vec![Some(text); points],
            };
        }
        let verdict = one.verdict.words();
        let counts = match one.comparisons {
            0 => String::new(),
            1 => " (one comparison)".to_string(),
            all if one.verdict == Verdict::Holds => format!(" (all {all} comparisons)"),
            all => format!(" ({} of {all} comparisons show it)", one.shown),
        };
        let all_hold = one.verdict == Verdict::Holds && one.comparisons > 1;
        let nearest = if all_hold {
            "nearest to its limit: "
        } else {
            ""
        };
        let worst = one.worst.map(|worst| format!("; {nearest}{worst}"));
        let wants = one.wants.map(|wants| format!("; {wants}"));
        let parts = [worst, wants].map(Option::unwrap_or_default).concat();
        let text = format!("{verdict}{counts}{parts}");
        Answer {
            question: format!("Expected: {}", one.says.trim_end_matches('.')),
            overall: (points > 1).then(|| text.clone()),
            at: vec![Some(text); points],
        }
    })
}

/// The figures of one cell.
pub fn in_numbers(plan: &Plan, cell: Cell, outcome: &Outcome) -> Vec<Answer> {
    let rows = Rows::of_each(plan, [(cell, outcome)]);
    let summary = Summary::of(plan, rows);
    let text = in_short(&Comparison::at(plan, &summary, cell.point));
    let answer = |text: PointAnswer| Answer {
        question: "In short".to_string(),
        overall: None,
        at: vec![Some(text.text)],
    };
    text.map(answer).into_iter().collect()
}

/// "yes under dualpi2 and fq-codel; no under pi2 (at ...); undecided under codel (at ...)".
pub(crate) fn answered(schemes: &[SchemeAnswer]) -> String {
    let under = |verdict: Verdict, word: &str| {
        let of_verdict = schemes.iter().filter(|one| one.verdict == verdict);
        let named = of_verdict.map(|one| match (&one.worst, verdict) {
            (Some(worst), Verdict::Contradicted | Verdict::Undecided) => {
                let wants = one.wants.iter().map(|wants| format!("; {wants}"));
                format!("{} ({worst}{})", one.scheme, wants.collect::<String>())
            }
            _ => one.scheme.clone(),
        });
        let names: Vec<String> = named.collect();
        (!names.is_empty()).then(|| format!("{word} under {}", listed(names, "and")))
    };
    let parts = [
        (Verdict::Holds, "yes"),
        (Verdict::Contradicted, "no"),
        (Verdict::Undecided, "undecided"),
        (Verdict::Unjudged, "not measured"),
    ];
    let parts: Vec<String> = parts
        .into_iter()
        .filter_map(|(verdict, word)| under(verdict, word))
        .collect();
    parts.join("; ")
}

/// The main figures of a single scheme: of each group, and of the link.
fn in_short(at: &Comparison<'_>) -> Option<PointAnswer> {
    let scheme = *at.schemes().first()?;
    let mut figures = Vec::new();
    for felt in Felt::all(at.scenario) {
        let of_felt = felt.metrics.iter().filter_map(|index| {
            let column = at.of_group(&felt.group, *index)?;
            column.mean(scheme)?;
            let title = metrics::of_groups().nth(*index)?.title;
            Some(format!("{} {title} {}", felt.group, column.text(scheme)))
        });
        figures.extend(of_felt.take(1));
    }
    let of_link = [
        ("delay_mean", "queueing delay"),
        ("delay_p99", "queueing delay, 99%"),
        ("utilisation", "utilisation"),
        ("loss", "loss"),
    ];
    // In a fabric, the others are those of one host's port.
    let is_fabric = at.scenario.network.is_fabric();
    let shown = of_link
        .into_iter()
        .filter(|(name, _)| !is_fabric || *name == "loss");
    for (name, title) in shown {
        let column = at.of_link(name);
        let column = column.filter(|column| column.mean(scheme).is_some());
        figures.extend(column.map(|column| format!("{title} {}", column.text(scheme))));
    }
    (!figures.is_empty()).then(|| PointAnswer {
        text: figures.join("; "),
        best: Vec::new(),
    })
}

#[cfg(test)]
mod tests;
