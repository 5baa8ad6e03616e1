//! Claims as a table of a Markdown page: a row for each, with a sign for each reading of it.

use std::collections::BTreeMap;

use earlydrop_lab::escape::markdown::row;

use super::html::{reading_name, sign, with_readings};
use super::study::Study;
use crate::claims::{ClaimReport, RuleSet, Standing, Tally};

/// The table of these claims. Those that stand beside another one of them are signs in its row.
pub(super) fn claim_table(study: &Study<'_>, reports: &[&ClaimReport<'_>]) -> String {
    let rows = with_readings(reports).into_iter().map(|(report, beside)| {
        let beside: Vec<String> = beside.iter().map(|other| reading(report, other)).collect();
        row([
            format!(
                "{}: {}{}",
                study.short_id(&report.claim.id),
                report.claim.claim,
                marks(study, report)
            ),
            format!("{} {}", sign(report.decided()), report.verdict()),
            measured(report),
            universes(study, report),
            beside.join("; "),
        ])
    });
    let rows: Vec<String> = rows.collect();
    format!(
        "\n| claim | verdict | measured | universes | other readings |\n\
         |---|---|---|---|---|\n{}",
        rows.concat()
    )
}

/// What was measured, or what is missing where nothing was.
fn measured(report: &ClaimReport<'_>) -> String {
    match &report.judgement.missing {
        Some(missing) => missing.to_string(),
        None => report.effect(),
    }
}

/// A reading of a claim: "printed-factor ✕".
fn reading(report: &ClaimReport<'_>, other: &ClaimReport<'_>) -> String {
    format!("{} {}", reading_name(report, other), sign(other.decided()))
}

/// Readings that apply to fewer claims are signs in their rows only.
const WHOLE: usize = 5;

/// The readings that apply to many claims, with the verdicts on the same claims as they are counted.
pub(super) fn other_readings(study: &Study<'_>) -> String {
    let reports: Vec<&ClaimReport<'_>> = study.reports.iter().collect();
    let mut readings: BTreeMap<String, [Tally; 2]> = BTreeMap::new();
    for (report, beside) in with_readings(&reports) {
        for other in beside {
            let tallies = readings.entry(reading_name(report, other)).or_default();
            let verdicts = [report.decided(), other.decided()];
            for (tally, verdict) in tallies.iter_mut().zip(verdicts) {
                verdict.into_iter().for_each(|one| tally.add(one));
            }
        }
    }
    let rows = readings
        .into_iter()
        .filter(|(_, [_, own])| own.total() >= WHOLE);
    let rows: Vec<String> = rows
        .map(|(name, [counted, own])| row([name, in_signs(&counted), in_signs(&own)]))
        .collect();
    match rows.is_empty() {
        true => String::new(),
        false => format!(
            "\n## Other readings of many claims\n\n| reading | counted | so read |\n|---|---|---|\n{}",
            rows.concat()
        ),
    }
}

/// "11 ●, 15 ◐, 9 ✕".
fn in_signs(tally: &Tally) -> String {
    let counts: Vec<String> = tally
        .present()
        .map(|(verdict, count)| format!("{count} {}", sign(verdict)))
        .collect();
    counts.join(", ")
}

/// Marks of a claim whose rule was not set before, and of one that stands beside a claim elsewhere.
fn marks(study: &Study<'_>, report: &ClaimReport<'_>) -> String {
    let rule_set = match report.claim.rule_set() {
        RuleSet::Before => "",
        RuleSet::Added => " †",
        RuleSet::Changed(_) => " ‡",
    };
    match report.claim.beside.name.as_str() {
        "" if report.claim.standing() == Standing::Ours => format!("{rule_set} (ours)"),
        "" => rule_set.to_string(),
        other => format!("{rule_set} (beside {})", study.short_id(other)),
    }
}

/// In how many universes a claim has the verdict that it has in ours.
fn universes(study: &Study<'_>, report: &ClaimReport<'_>) -> String {
    match study.robustness_of(report.claim) {
        Some(all) => format!(
            "{}/{}",
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
            let id = study.short_id(&report.claim.id);
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
