//! What a suite found: in words, as a table of standings, as a page and as JSON.

mod findings;
mod page;
mod questions;

pub use findings::{STANDINGS, STANDINGS_MEAN, Tally, findings, overall, tally};
pub use page::page;
pub use questions::{AnswerCount, Question, counted, in_short, questions};

use earlydrop_lab::judge::judgements;
use earlydrop_lab::plan::Plan;
use earlydrop_lab::rows::Rows;
use earlydrop_lab::suite::{Part, Suite};
use earlydrop_lab::summary::Summary;
use serde_json::{Value as Json, json};

/// The results of one part of a suite.
#[derive(Clone, Debug)]
pub struct PartResult {
    /// The part.
    pub part: &'static Part,
    /// Its plan, with the schemes that were compared.
    pub plan: Plan,
    /// The metrics of its cells.
    pub rows: Rows,
    /// Their summary.
    pub summary: Summary,
    /// The path of its report from the suite's page: "ecn/report.html".
    pub report: String,
}

/// The suite's findings as one JSON document.
pub fn json(suite: &Suite, results: &[PartResult]) -> Json {
    let parts = results.iter().map(|result| {
        json!({
            "name": result.part.name,
            "section": result.part.section,
            "question": result.part.question,
            "answers": judgements(&result.plan, &result.summary),
            "findings": findings(result),
            "report": result.report,
        })
    });
    let standings = tally(results).into_iter().map(|row| {
        json!({
            "scheme": row.scheme,
            "best": row.best,
            "equal": row.equal,
            "behind": row.behind,
            "undecided": row.undecided,
        })
    });
    let asked: Vec<Question> = results.iter().flat_map(questions).collect();
    let answers = counted(&asked).into_iter().map(|row| {
        json!({
            "scheme": row.scheme,
            "yes": row.yes,
            "no": row.no,
            "undecided": row.undecided,
        })
    });
    json!({
        "earlydrop": env!("CARGO_PKG_VERSION"),
        "suite": suite.name,
        "source": suite.source,
        "left_out": suite.left_out,
        "parts": parts.collect::<Vec<_>>(),
        "in_short": in_short(&asked),
        "answers": answers.collect::<Vec<_>>(),
        "overall": overall(results),
        "standings": standings.collect::<Vec<_>>(),
    })
}
