//! The page of findings, in Markdown.

use earlydrop_lab::escape::markdown::row;

use super::html::sign;
use super::markdown::made_by;
use super::provenance::Provenance;
use crate::claims::{ClaimReport, Tally, Verdict};
use crate::findings::Finding;
use crate::multiverse::Robustness;

/// What no universe varies.
const NOT_VARIED: &str = "What no universe varies: one bottleneck; the kinds of traffic, the numbers of \
    flows and the values that a paper prints; and that senders are the TCP of the papers' years, \
    simulated. What the ideas do with today's senders, and on faster links, is on [a page of its \
    own](today.md).";

/// The page of findings, each with the verdicts on its claims, in our universe and in all.
pub fn findings_page(
    findings: &[Finding],
    reports: &[ClaimReport<'_>],
    robustness: &[&Robustness<'_>],
    provenance: &Provenance,
) -> String {
    let mut page = "# What a reader of these papers should know\n\n\
         Findings from running the five papers again, by [these rules](protocol.md). A *universe* has \
         one plausible value for each quantity that a paper does not print, or that can be read in \
         two ways; ours is one of them. A verdict that changes between universes rests on something \
         that nobody printed.\n\n| | finding | | claims |\n|--:|---|---|---|\n"
        .to_string();
    let report = |id: &str| reports.iter().find(|report| report.claim.id == id);
    for (number, finding) in (1..).zip(findings) {
        let of_claims = finding
            .claims
            .iter()
            .filter_map(|claim| report(&claim.name));
        let signs: Vec<&str> = of_claims.map(|report| sign(report.decided())).collect();
        page.push_str(&row([
            number.to_string(),
            finding.title.clone(),
            finding.kind.name.clone(),
            signs.join(" "),
        ]));
    }
    page.push_str(&format!("\n{NOT_VARIED}\n\n{}\n", made_by(provenance)));
    for (number, finding) in (1..).zip(findings) {
        let Finding {
            title, kind, text, ..
        } = finding;
        page.push_str(&format!(
            "\n## {number}. {title}\n\n**{}.** {text}\n",
            capital(&kind.name)
        ));
        page.push_str(&numbers(finding, reports));
        if !finding.claims.is_empty() {
            page.push_str("\n| claim | with our values | holds in |\n|---|---|---|\n");
        }
        for claim in &finding.claims {
            let robust = robustness.iter().find(|one| one.claim.id == claim.name);
            if let Some(report) = report(&claim.name) {
                page.push_str(&line(report, robust.copied()));
            }
        }
    }
    page
}

/// How many of the printed numbers of a finding have which verdict.
fn numbers(finding: &Finding, reports: &[ClaimReport<'_>]) -> String {
    let line = |prefix: &str| {
        let of_prefix = reports
            .iter()
            .filter(|report| report.claim.printed && report.claim.matches(prefix));
        let tally = Tally::of(of_prefix.map(|report| report.judgement.verdict));
        format!("- {prefix}: of {} printed numbers {tally}\n", tally.total())
    };
    let lines: Vec<String> = finding.numbers.iter().map(|one| line(&one.name)).collect();
    match lines.is_empty() {
        true => String::new(),
        false => format!("\n{}", lines.concat()),
    }
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
        ..
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
    let universes = robustness.map_or("not asked".to_string(), |one| {
        let holds = one.count(Verdict::Holds);
        format!("{holds} of {}", one.universes.len())
    });
    row([
        format!(
            "[{}]({}.md): {}",
            report.claim.id, report.paper.key, report.claim.claim
        ),
        format!(
            "{} {}, {}",
            sign(report.decided()),
            report.verdict(),
            report.measured()
        ),
        universes,
    ])
}

fn capital(words: &str) -> String {
    let (first, rest) = words.split_at(words.len().min(1));
    format!("{}{rest}", first.to_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;
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
        assert!(page.contains("| 1 of 2 |"), "{page}");
        assert!(page.contains("| not asked |"), "{page}");
        assert!(
            page.contains("| 1 | It waits less | confirmed | "),
            "{page}"
        );
    }
}
