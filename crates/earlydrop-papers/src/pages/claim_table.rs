//! Claims as a table of a Markdown page: a row for each, with a sign for each reading of it.

use earlydrop_lab::escape::markdown::row;

use super::html::{reading_name, sign};
use super::study::Study;
use crate::claims::{ClaimReport, RuleSet, Standing};

/// The table of these claims. Those that stand beside another one of them are signs in its row.
pub(super) fn claim_table(study: &Study<'_>, reports: &[&ClaimReport<'_>]) -> String {
    let has = |id: &str| reports.iter().any(|report| report.claim.id == id);
    let is_own = |report: &ClaimReport<'_>| !has(&report.claim.beside.name);
    let rows = reports.iter().filter(|report| is_own(report));
    let rows = rows.map(|report| {
        let beside = reports
            .iter()
            .filter(|other| other.claim.beside.name == report.claim.id);
        let beside: Vec<String> = beside.map(|other| reading(report, other)).collect();
        row([
            format!("{}: {}", report.claim.id, report.claim.claim) + rule_set(report),
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

/// A mark of a claim whose rule was not set before.
fn rule_set(report: &ClaimReport<'_>) -> &'static str {
    match report.claim.rule_set() {
        RuleSet::Before => "",
        RuleSet::Added => " †",
        RuleSet::Changed(_) => " ‡",
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

/// What the marks of tables mean, and which claims' rules were changed, with when and why.
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
