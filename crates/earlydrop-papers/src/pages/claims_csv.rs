//! Every claim as a line of `claims.csv`: what pages leave out.

use std::io;

use earlydrop_lab::escape::{CsvField, CsvWriter};

use crate::claims::{ClaimReport, Evidence};
use crate::multiverse::Robustness;

const COLUMNS: [&str; 22] = [
    "claim",
    "paper",
    "counts_as",
    "printed_number",
    "rule_set",
    "figure",
    "says",
    "experiment",
    "metric",
    "verdict",
    "comparisons",
    "support",
    "contradict",
    "equal",
    "measured",
    "low",
    "high",
    "claimed",
    "exceptions",
    "what_it_would_take",
    "universes",
    "depends_most_on",
];

/// The file's first line.
pub fn header() -> String {
    COLUMNS.join(",")
}

/// The file of these claims.
pub fn claims_csv(
    reports: &[ClaimReport<'_>],
    robustness: &[&Robustness<'_>],
) -> io::Result<String> {
    let mut bytes = Vec::new();
    let mut csv = CsvWriter::new(&mut bytes);
    csv.line(COLUMNS)?;
    for report in reports {
        let of_claim = robustness
            .iter()
            .find(|one| one.claim.id == report.claim.id);
        csv.line(fields(report, of_claim.copied()))?;
    }
    csv.finish()?;
    String::from_utf8(bytes).map_err(io::Error::other)
}

fn fields<'a>(
    report: &'a ClaimReport<'_>,
    robustness: Option<&Robustness<'_>>,
) -> [CsvField<'a>; COLUMNS.len()] {
    let (claim, judgement) = (report.claim, &report.judgement);
    let count = |evidence| CsvField::from(judgement.count(evidence));
    let number = |value: Option<f64>| value.map_or(CsvField::Empty, CsvField::from);
    let words = |words: Option<String>| CsvField::from(words.unwrap_or_default());
    let (low, high) = report.interval().unzip();
    [
        claim.id.as_str().into(),
        report.paper.key.as_str().into(),
        claim.standing().to_string().into(),
        if claim.printed { "yes" } else { "no" }.into(),
        claim.rule_set().to_string().into(),
        claim.figure.as_str().into(),
        claim.claim.as_str().into(),
        claim.experiment.as_str().into(),
        claim.metric.to_string().into(),
        words(report.decided().map(|verdict| verdict.to_string())),
        judgement.comparisons.len().into(),
        count(Evidence::Supports),
        count(Evidence::Contradicts),
        count(Evidence::Equal),
        number(judgement.effect.map(|effect| effect.mean)),
        number(low),
        number(high),
        words(judgement.claimed.map(|claimed| claimed.to_string())),
        words(report.exceptions()),
        words(report.what_it_would_take()),
        words(robustness.map(Robustness::verdicts)),
        words(robustness.and_then(Robustness::depends_on)),
    ]
}
