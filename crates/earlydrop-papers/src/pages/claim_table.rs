//! Claims as a table of a Markdown page: a row for each, with a sign for each reading of it.

use earlydrop_lab::escape::markdown::row;

use super::html::{reading_name, sign, with_readings};
use super::study::Study;
use crate::claims::{ClaimReport, RuleSet, Standing};

/// The table of these claims. Those that stand beside another one of them are signs in its row.
pub(super) fn claim_table(study: &Study<'_>, reports: &[&ClaimReport<'_>]) -> String {
    let rows = with_readings(reports).into_iter().map(|(report, beside)| {
        let beside: Vec<String> = beside.iter().map(|other| reading(report, other)).collect();
        row([
            format!(
                "{}: {}{}",
                report.claim.id,
                report.claim.claim,
                marks(report)
            ),
            format!("{} {}", sign(report.decided()), report.verdict()),
            report.effect(),
            universes(study, report),
            beside.join("; "),
        ])
    });
    let rows: Vec<String> = rows.collect();
    format!(
        "\n| claim | verdict | measured | in all universes | other readings |\n\
         |---|---|---|---|---|\n{}",
        rows.concat()
    )
}

/// A reading of a claim: "printed-factor ✕".
fn reading(report: &ClaimReport<'_>, other: &ClaimReport<'_>) -> String {
    format!("{} {}", reading_name(report, other), sign(other.decided()))
}

/// Marks of a claim whose rule was not set before, and of one that stands beside a claim elsewhere.
fn marks(report: &ClaimReport<'_>) -> String {
    let rule_set = match report.claim.rule_set() {
        RuleSet::Before => "",
        RuleSet::Added => " †",
        RuleSet::Changed(_) => " ‡",
    };
    match report.claim.beside.name.as_str() {
        "" => rule_set.to_string(),
        other => format!("{rule_set} (beside {other})"),
    }
}

/// In how many universes a claim has the verdict that it has in ours.
fn universes(study: &Study<'_>, report: &ClaimReport<'_>) -> String {
    match study.robustness_of(report.claim) {
        Some(all) => format!(
            "{} of {}",
            all.count(report.judgement.verdict),
            all.universes.len()
        ),
        None => String::new(),
    }
}

/// Which claims' rules were changed, with when and why; empty where none was.
pub(super) fn legend(study: &Study<'_>) -> String {
    let reports = study.reports.iter();
    let counted = reports.filter(|report| report.claim.standing() == Standing::Paper);
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for report in counted {
        if let RuleSet::Changed(why) = report.claim.rule_set() {
            let id = report.claim.id.as_str();
            match reasons.iter_mut().find(|(known, _)| *known == why) {
                Some((_, ids)) => ids.push(id),
                None => reasons.push((why, vec![id])),
            }
        }
    }
    let reasons: Vec<String> = reasons
        .iter()
        .map(|(why, ids)| match ids.as_slice() {
            [first, .., last] if ids.len() > 3 => {
                format!("{first} to {last} ({} claims): {why}", ids.len())
            }
            ids => format!("{}: {why}", ids.join(", ")),
        })
        .collect();
    match reasons.is_empty() {
        true => String::new(),
        false => format!(
            "\n‡ Changed after runs were looked at. {}.\n",
            reasons.join(". ")
        ),
    }
}
