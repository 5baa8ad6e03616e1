//! The page of findings, in Markdown.

use earlydrop_lab::escape::markdown::row;

use super::html::sign;
use super::markdown::made_by;
use super::provenance::Provenance;
use crate::claims::ClaimReport;
use crate::findings::Finding;
use crate::multiverse::Robustness;

/// The page of findings, each with the verdicts on its claims, in our universe and in all.
pub fn findings_page(
    findings: &[Finding],
    reports: &[ClaimReport<'_>],
    robustness: &[&Robustness<'_>],
    provenance: &Provenance,
) -> String {
    let mut page = format!(
        "# What a reader of these papers should know\n\n\
         Findings from running the five papers again. A *universe* has one plausible value for each \
         quantity that a paper does not print; ours is one of them, and the papers' pages list the \
         values with their reasons ([how](../explanation/statistics.md#claims)). A verdict that \
         changes between universes rests on something that nobody printed.\n\n{}\n",
        made_by(provenance)
    );
    for (number, finding) in (1..).zip(findings) {
        let Finding {
            title, kind, text, ..
        } = finding;
        page.push_str(&format!(
            "\n## {number}. {title}\n\n**{}.** {text}\n\n",
            capital(&kind.name)
        ));
        page.push_str("| claim | says | verdict | in all universes | depends most on |\n");
        page.push_str("|---|---|---|---|---|\n");
        for claim in &finding.claims {
            let report = reports.iter().find(|report| report.claim.id == claim.name);
            let robust = robustness.iter().find(|one| one.claim.id == claim.name);
            if let Some(report) = report {
                page.push_str(&line(report, robust.copied()));
            }
        }
    }
    page
}

/// Findings of our own hypotheses, each with the verdicts on its claims: a part of their page.
pub(super) fn own_findings(findings: &[Finding], reports: &[ClaimReport<'_>]) -> String {
    let mut part =
        "\n## What was found\n\nWritten after the runs; the verdicts are theirs.\n".to_string();
    for Finding {
        title,
        kind,
        text,
        claims,
    } in findings
    {
        let text = text.trim();
        part.push_str(&format!(
            "\n### {title}\n\n**{}.** {text}\n\n",
            capital(&kind.name)
        ));
        part.push_str("| claim | says | verdict |\n|---|---|---|\n");
        let report = |id: &str| reports.iter().find(|report| report.claim.id == id);
        for report in claims.iter().filter_map(|claim| report(&claim.name)) {
            part.push_str(&row([
                report.claim.id.clone(),
                report.claim.claim.clone(),
                verdict(report),
            ]));
        }
    }
    part
}

/// The verdict on a claim, with the effect.
fn verdict(report: &ClaimReport<'_>) -> String {
    format!(
        "{} **{}**, {}",
        sign(report.decided()),
        report.verdict(),
        report.effect()
    )
}

/// A claim with its verdicts.
fn line(report: &ClaimReport<'_>, robustness: Option<&Robustness<'_>>) -> String {
    let universes = robustness.map_or("in ours only".to_string(), Robustness::verdicts);
    let depends = robustness.map_or(String::new(), |one| {
        let most = one.depends_on();
        most.unwrap_or_else(|| "nothing that was moved".to_string())
    });
    row([
        format!("[{}]({}.md)", report.claim.id, report.paper.key),
        report.claim.claim.clone(),
        verdict(report),
        universes,
        depends,
    ])
}

fn capital(words: &str) -> String {
    let (first, rest) = words.split_at(words.len().min(1));
    format!("{}{rest}", first.to_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::Verdict;
    use crate::claims::ideas_tests::{paper, reports};
    use crate::multiverse::{Universe, UniverseJudgement};

    #[test]
    fn a_finding_shows_the_verdicts_on_its_claims_in_all_universes() {
        let paper = paper("{ kind = \"less\", scheme = \"new\", than = [\"old\"] }");
        let reports = reports(&paper);
        let known: Vec<_> = paper.claims.iter().collect();
        let text = "[[findings]]\ntitle = \"It waits less\"\nkind = \"confirmed\"\ntext = \"So.\"\n\
                    claims = [\"today.new.delay\", \"today.new.cost\"]\n";
        let findings = Finding::parse("findings.toml", text, &known).unwrap();
        let judged = |verdict| UniverseJudgement {
            universe: Universe(Vec::new()),
            verdict,
            effect: None,
            claimed: None,
            support: None,
        };
        let robustness = Robustness {
            claim: &paper.claims[0],
            choices: Vec::new(),
            universes: [Verdict::Holds, Verdict::NotShown].map(judged).into(),
        };
        let provenance = Provenance {
            command: "earlydrop reproduce".to_string(),
            version: "1".to_string(),
            is_quick: false,
        };
        let page = findings_page(&findings, &reports, &[&robustness], &provenance);
        assert!(
            page.contains("## 1. It waits less\n\n**Confirmed.** So.\n"),
            "{page}"
        );
        assert!(
            page.contains("| holds in 1 of 2, not shown in 1 | nothing that was moved |"),
            "{page}"
        );
        assert!(page.contains("| in ours only |  |"), "{page}");
    }
}
