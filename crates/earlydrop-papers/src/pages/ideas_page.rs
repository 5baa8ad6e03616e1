//! The page about ideas and readings, in Markdown.

use earlydrop_lab::escape::markdown;

use super::findings::own_findings;
use crate::claims::{
    ClaimReport, Comparison, Conclusion, Evidence, Idea, IdeaReport, IdeasAndReadings, Verdict,
    conclude, matching,
};
use crate::findings::Finding;
use crate::multiverse::Robustness;

/// The page's part about the ideas and the readings, which stands before the figures.
///
/// `robustness` is that of the papers' claims; empty where no other universes were run.
pub fn ideas_page(
    ideas: &IdeasAndReadings,
    reports: &[ClaimReport<'_>],
    robustness: &[&Robustness<'_>],
) -> String {
    let idea_reports = conclusions(&ideas.ideas, reports);
    let mut page = "\n## Which ideas are worth using today\n\n\
         An idea is worth using in a setting where every comparison made there supports it: it is \
         better than what it is built on, at no cost, and no worse than what an operator has \
         without it. A setting is a point of an experiment: a rate, a sender, a load. The rules \
         were set before any run; the conclusions follow from the verdicts. *Better by* is over \
         all settings, as a share of what is compared with; below zero: worse. A claim of its paper \
         is *robust* where it holds in at least nine of ten universes: whatever the paper does not \
         print.\n\n\
         | idea | from | conclusion | its paper's claims |\n|---|---|---|---|\n"
        .to_string();
    for report in &idea_reports {
        let (idea, from) = (&report.idea.idea, &report.idea.from);
        let conclusion = format!("**{}**", report.summary());
        let claimed = claimed(report.idea, robustness);
        let claimed = claimed.map_or(String::new(), |(summary, _)| summary);
        page.push_str(&markdown::row([idea, from, &conclusion, &claimed]));
    }
    for report in &idea_reports {
        page.push_str(&section(report, robustness));
    }
    page.push_str(&readings(ideas, reports));
    page
}

fn conclusions<'a>(ideas: &'a [Idea], reports: &'a [ClaimReport<'a>]) -> Vec<IdeaReport<'a>> {
    let ideas = ideas.iter();
    ideas.map(|idea| conclude(idea, reports)).collect()
}

/// The part of the page about drop curves that says which is worth having, and what was found.
pub fn curves_page(curves: &[Idea], findings: &[Finding], reports: &[ClaimReport<'_>]) -> String {
    let curve_reports = conclusions(curves, reports);
    let mut page = "\n## Which curve is worth having\n\n\
         A curve is worth having in a setting where every comparison made there supports its rule. \
         A setting is a point of an experiment: a load, a round-trip time, a rate, a sender. The \
         rules were set before any run; the conclusions follow from the verdicts. *Better by* is \
         over all settings, as a share of what is compared with; below zero: worse.\n\n"
        .to_string();
    page.push_str(&in_a_sentence(&curve_reports));
    page.push_str("\n\n| curve | from | conclusion |\n|---|---|---|\n");
    for report in &curve_reports {
        let conclusion = format!("**{}**", report.summary());
        let (curve, from) = (&report.idea.idea, &report.idea.from);
        page.push_str(&markdown::row([curve, from, &conclusion]));
    }
    page.push_str(&own_findings(findings, reports));
    for report in &curve_reports {
        page.push_str(&section(report, &[]));
    }
    page
}

/// Which curves are worth having in every setting, and which in the largest share of theirs, among
/// those that were tried in as many settings as any.
fn in_a_sentence(reports: &[IdeaReport<'_>]) -> String {
    let tried = reports.iter().map(|report| report.settings.len()).max();
    let reports = reports.iter();
    let reports = reports.filter(|report| Some(report.settings.len()) == tried);
    let reports: Vec<&IdeaReport<'_>> = reports.collect();
    let share = |report: &IdeaReport<'_>| {
        let supported = report.settings.iter().filter(|one| one.worth_using);
        supported.count() as f64 / report.settings.len().max(1) as f64
    };
    let named = |chosen: &dyn Fn(&IdeaReport<'_>) -> bool| {
        let chosen = reports.iter().filter(|report| chosen(report));
        let names = chosen.map(|report| report.idea.from.as_str());
        names.collect::<Vec<&str>>().join("; ")
    };
    let most = reports
        .iter()
        .map(|report| share(report))
        .fold(0.0, f64::max);
    let everywhere = named(&|report| report.conclusion == Conclusion::WorthUsing);
    let best = named(&|report| share(report) == most);
    match everywhere.as_str() {
        "" => format!(
            "**No curve is worth having in every setting.** In more than any other, {:.0}% of its settings: {best}.",
            100.0 * most
        ),
        names => format!("**Worth having in every setting: {names}.**"),
    }
}

fn readings(ideas: &IdeasAndReadings, reports: &[ClaimReport<'_>]) -> String {
    let mut text = "\n## What readings change\n\n\
         Where a paper is misprinted or silent: the effect of the other reading, in the direction \
         that one would expect. Below zero: the opposite.\n\n\
         | passage | our reading | other reading | hypothesis | supported | by |\n\
         |---|---|---|---|---|---|\n"
        .to_string();
    for reading in &ideas.readings {
        for report in matching(reports, &reading.claims) {
            text.push_str(&markdown::row([
                &reading.reading,
                &reading.taken,
                &reading.other,
                &report.claim.claim,
                &answer(report),
                &report.measured(),
            ]));
        }
    }
    text
}

/// An idea with its rule, the settings in which it is worth using and the claims it rests on.
fn section(report: &IdeaReport<'_>, robustness: &[&Robustness<'_>]) -> String {
    let Idea {
        idea, from, rule, ..
    } = report.idea;
    let mut text = format!(
        "\n### {idea}\n\nFrom {from}. Rule: {rule}\n\nConclusion: **{}**.",
        report.summary()
    );
    let places = report.places();
    if report.conclusion == Conclusion::WorthUsingInSome {
        text.push_str(&format!(" Where:\n\n- {}", places.join("\n- ")));
    }
    if let Some((summary, list)) = claimed(report.idea, robustness) {
        text.push_str(&format!("\n\nWhat its paper claims: {summary}{list}"));
    }
    text.push_str(
        "\n\n| hypothesis | supported | better by | in single settings |\n|---|---|---|---|\n",
    );
    for need in &report.needs {
        text.push_str(&markdown::row([
            format!("{} ({})", need.claim.claim, need.claim.id),
            answer(need),
            need.measured(),
            range(need),
        ]));
    }
    text
}

/// How many of the claims that an idea's paper makes about it are robust, and a list of all with
/// their verdicts in all universes; `None` where none was run there.
fn claimed(idea: &Idea, robustness: &[&Robustness<'_>]) -> Option<(String, String)> {
    let is_about = |one: &&&Robustness<'_>| idea.claimed.iter().any(|id| one.claim.matches(id));
    let about: Vec<&&Robustness<'_>> = robustness.iter().filter(is_about).collect();
    let robust = about.iter().filter(|one| one.is_robust()).count();
    let line = |one: &&&Robustness<'_>| {
        let Robustness { claim, .. } = one;
        format!("\n- {} ({}): {}", claim.claim, claim.id, one.verdicts())
    };
    let list: String = about.iter().map(line).collect();
    let summary = format!("{robust} of {} robust", about.len());
    (!about.is_empty()).then(|| (summary, format!("\n{list}")))
}

/// Whether the claim is supported: "yes", "in 12 of 24", "not shown".
fn answer(report: &ClaimReport<'_>) -> String {
    let all = &report.judgement.comparisons;
    let supporting = report.judgement.count(Evidence::Supports);
    match report.judgement.verdict {
        Verdict::Holds => "yes".to_string(),
        Verdict::InPart => format!("in {supporting} of {}", all.len()),
        Verdict::Contradicted => "no, the opposite".to_string(),
        other => other.to_string(),
    }
}

/// The worst and the best comparison: "-3.1% to +20.0%".
fn range(report: &ClaimReport<'_>) -> String {
    let judgement = &report.judgement;
    let means = judgement.comparisons.iter().filter_map(Comparison::mean);
    let means: Vec<f64> = means.map(|mean| mean.mean).collect();
    let worst = means.iter().copied().reduce(f64::min);
    let best = means.iter().copied().reduce(f64::max);
    match (judgement.claimed, worst, best) {
        (Some(claimed), Some(worst), Some(best)) => {
            format!("{} to {}", claimed.words(worst), claimed.words(best))
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::ideas_tests::{paper, reports};

    #[test]
    fn a_difference_has_no_tolerance_in_it() {
        let paper = paper(
            "{ kind = \"not-more\", scheme = \"new\", than = [\"old\"], tolerance = 0.5, at = { load = [2] } }",
        );
        let reports = reports(&paper);
        let effect = reports[1].effect();
        assert!(effect.starts_with("+20.0%"), "{effect}");
        assert!(effect.ends_with("; claimed above -50.0%"), "{effect}");
        assert!(reports[1].measured().starts_with("+20.0%"));
        assert_eq!(answer(&reports[0]), "in 2 of 4");
        assert_eq!(range(&reports[0]), "-60.0% to +60.0%");
    }
}
