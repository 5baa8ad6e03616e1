//! What a suite found: in words, as a table of standings, as a page and as JSON.

mod findings;
mod page;

pub use findings::{STANDINGS, STANDINGS_MEAN, Tally, findings, overall, tally};
pub use page::page;

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
    json!({
        "earlydrop": env!("CARGO_PKG_VERSION"),
        "suite": suite.name,
        "source": suite.source,
        "left_out": suite.left_out,
        "parts": parts.collect::<Vec<_>>(),
        "overall": overall(results),
        "standings": standings.collect::<Vec<_>>(),
    })
}
