//! The questions of a part with what each scheme answers, in words, as counts and as a picture.

use earlydrop_lab::expect::{Expectation, Relation, Than};
use earlydrop_lab::judge::{SchemeAnswer, Verdict, judgements};
use earlydrop_lab::number::with_unit;
use earlydrop_lab::plan::Plan;
use earlydrop_lab::statistics::Mean;

use super::PartResult;
use crate::answers::answered;
use crate::figure::{Criterion, CriterionDot, CriterionRow, Scene};
use crate::words::capital;

/// A question, answered.
#[derive(Clone, Debug)]
pub struct Question {
    /// The question: "Is the mean delay below 20 ms?".
    pub asked: String,
    /// The answers in a sentence.
    pub answer: String,
    /// What each scheme answers, by its label.
    pub schemes: Vec<(String, Verdict)>,
    /// What was measured beside what is asked for; `None` where that is another scheme.
    pub picture: Option<Scene>,
}

/// The questions that a part asks of each scheme.
pub fn questions(result: &PartResult) -> Vec<Question> {
    let expectations = result.plan.expectations.iter();
    let judged = expectations.zip(judgements(&result.plan, &result.summary));
    let asked = judged.filter(|(_, judgement)| !judgement.schemes.is_empty());
    asked
        .map(|(expectation, judgement)| Question {
            asked: judgement.says,
            answer: format!("{}.", capital(&answered(&judgement.schemes))),
            picture: picture(&result.plan, expectation, &judgement.schemes),
            schemes: judgement
                .schemes
                .into_iter()
                .map(|one| (one.scheme, one.verdict))
                .collect(),
        })
        .collect()
}

/// How often a scheme answers yes, no, and neither.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnswerCount {
    /// Its label.
    pub scheme: String,
    /// So many of its answers are yes.
    pub yes: usize,
    /// So many are no.
    pub no: usize,
    /// So many are undecided, or were not measured.
    pub undecided: usize,
}

/// The answers of all schemes to all questions, the most often yes first.
pub fn counted(questions: &[Question]) -> Vec<AnswerCount> {
    let mut counts: Vec<AnswerCount> = Vec::new();
    for (scheme, verdict) in questions.iter().flat_map(|one| &one.schemes) {
        let known = counts.iter().position(|count| count.scheme == *scheme);
        let at = known.unwrap_or_else(|| {
            counts.push(AnswerCount {
                scheme: scheme.clone(),
                ..AnswerCount::default()
            });
            counts.len() - 1
        });
        *match verdict {
            Verdict::Holds => &mut counts[at].yes,
            Verdict::Contradicted => &mut counts[at].no,
            Verdict::Undecided | Verdict::Unjudged => &mut counts[at].undecided,
        } += 1;
    }
    // Stable: schemes that answer alike stay in their order.
    counts.sort_by_key(|count| (std::cmp::Reverse(count.yes), count.no));
    counts
}

/// "Of 22 questions, fq-codel answers 19 with yes and 1 with no, ared 17 and 4, ...".
pub fn in_short(questions: &[Question]) -> String {
    let counts = counted(questions);
    let parts = counts.iter().enumerate().map(|(index, count)| match index {
        0 => format!(
            "{} answers {} with yes and {} with no",
            count.scheme, count.yes, count.no
        ),
        _ => format!("{} {} and {}", count.scheme, count.yes, count.no),
    });
    let all: Vec<String> = parts.collect();
    match questions.len() {
        0 => "Nothing is asked of these schemes.".to_string(),
        1 => format!("Of one question, {}.", all.join(", ")),
        number => format!("Of {number} questions, {}.", all.join(", ")),
    }
}

fn picture(plan: &Plan, asked: &Expectation, schemes: &[SchemeAnswer]) -> Option<Scene> {
    let Than::Value(limit, _) = &asked.than else {
        return None;
    };
    let (unit, scale) = asked.number.unit();
    let row = |answer: &SchemeAnswer| {
        let dots = answer.at.iter().map(|one| {
            let mean = Mean::new(one.mean, one.half, 1).with_interval(scale);
            let place = match plan.point_label(one.point) {
                empty if empty.is_empty() => answer.scheme.clone(),
                place => format!("{}, {place}", answer.scheme),
            };
            let (word, look) = match one.verdict {
                Verdict::Holds => ("yes", "right"),
                Verdict::Contradicted => ("no", "wrong"),
                Verdict::Undecided | Verdict::Unjudged => ("undecided", "open"),
            };
            CriterionDot {
                mean: one.mean * scale,
                half: one.half.map(|half| half * scale),
                look,
                tooltip: format!("{place}: {}: {word}", with_unit(mean, unit)),
            }
        });
        CriterionRow {
            name: answer.scheme.clone(),
            dots: dots.collect(),
        }
    };
    let title = capital(&asked.number.title());
    let criterion = Criterion {
        label: match unit {
            "" => title,
            unit => format!("{title}, {unit}"),
        },
        limit: limit * asked.times * scale,
        is_below: match asked.relation {
            Relation::Less => Some(true),
            Relation::More => Some(false),
            Relation::Equal => None,
        },
        rows: schemes.iter().map(row).collect(),
    };
    Some(criterion.scene())
}
