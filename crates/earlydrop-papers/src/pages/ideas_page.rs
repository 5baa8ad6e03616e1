//! The page about ideas and readings, in Markdown.

use earlydrop_lab::escape::markdown;

use super::findings::own_findings;
use super::html::sign;
use crate::catalogue::{Catalogue, PaperEntry};
use crate::claims::{
    ClaimReport, Conclusion, Idea, IdeaReport, IdeasAndReadings, KindOfSetting, conclude, matching,
};
use crate::multiverse::Robustness;

/// The page's part about the ideas and the readings, which stands before the figures.
///
/// `robustness` is that of the papers' claims; empty where no other universes were run.
pub fn ideas_page(
    catalogue: &Catalogue,
    reports: &[ClaimReport<'_>],
    robustness: &[&Robustness<'_>],
) -> String {
    let ideas = &catalogue.ideas;
    let idea_reports = conclusions(&ideas.ideas, reports);
    let mut page = "\n## Which ideas are worth using today, and where\n\n\
         An idea is worth using in a setting where every comparison made there supports it: it is \
         better than what it is built on, at no cost, and no worse than what an operator has \
         without it. A setting is a point of an experiment: a rate, a sender, a load. The rules \
         were set before any run; the conclusions follow from the verdicts.\n\n"
        .to_string();
    page.push_str(&decisions(catalogue, "idea", &idea_reports));
    page.push_str("\n## What the decisions rest on\n\n");
    page.push_str(EVIDENCE);
    page.push_str(
        " A claim of its paper is *robust* where it holds in at least nine of ten universes.\n\n\
         | idea, from | rule | hypotheses | its paper's claims |\n|---|---|---|---|\n",
    );
    for report in &idea_reports {
        page.push_str(&markdown::row([
            format!("{}, {}", report.idea.id, report.idea.from),
            report.idea.rule.clone(),
            all_evidence(report),
            claimed(report.idea, robustness).unwrap_or_default(),
        ]));
    }
    page.push_str(&readings(ideas, reports));
    page
}

const EVIDENCE: &str = "Each hypothesis with its verdict, in how many comparisons, and what was measured in \
    the mean, as a share of what is compared with; below zero: worse. What each says, and where it \
    fails, is in [claims.csv](claims.csv).";

/// Which ideas are worth using in which kinds of settings.
fn decisions(catalogue: &Catalogue, what: &str, reports: &[IdeaReport<'_>]) -> String {
    let mut table = format!(
        "| {what} | worth using | everywhere in | in part of | nowhere in |\n|---|---|---|---|---|\n"
    );
    for report in reports {
        let [mut all, mut part, mut none] = [const { Vec::new() }; 3];
        for kind in report.by_kind() {
            let title = catalogue.title(&kind.experiment);
            match kind.worth_using.len() {
                0 => none.push(title),
                some if some == kind.all => all.push(title),
                _ => part.push(format!("{title} ({})", kind.words())),
            }
        }
        table.push_str(&markdown::row([
            format!("{}: {}", report.idea.id, report.idea.idea),
            worth_using(report),
            all.join("; "),
            part.join("; "),
            none.join("; "),
        ]));
    }
    table
}

/// What a hypothesis came to: "◐ 12/24, +3.1%".
pub(super) fn evidence(need: &ClaimReport<'_>) -> String {
    format!(
        "{} {}/{}, {}",
        sign(need.decided()),
        need.shown(),
        need.judgement.comparisons.len(),
        need.mean()
    )
}

/// The hypotheses that an idea rests on: "nlred.senders.delay ◐ 12/24, +3.1%".
fn all_evidence(report: &IdeaReport<'_>) -> String {
    let one = |need: &&ClaimReport<'_>| {
        let (_, id) = need.claim.id.split_once('.').unwrap_or_default();
        format!("{id} {}", evidence(need))
    };
    let all: Vec<String> = report.needs.iter().map(one).collect();
    all.join("; ")
}

fn conclusions<'a>(ideas: &'a [Idea], reports: &'a [ClaimReport<'a>]) -> Vec<IdeaReport<'a>> {
    let ideas = ideas.iter();
    ideas.map(|idea| conclude(idea, reports)).collect()
}

/// The part of the page about drop curves that says which is worth having, and what was found.
pub fn curves_page(
    catalogue: &Catalogue,
    entry: &PaperEntry,
    reports: &[ClaimReport<'_>],
) -> String {
    let curve_reports = conclusions(&entry.ideas, reports);
    let mut page = "\n## Which curve is worth having, and where\n\n\
         A curve is worth having in a setting where every comparison made there supports its rule. \
         A setting is a point of an experiment: a load, a round-trip time, a rate, a sender. The \
         rules were set before any run; the conclusions follow from the verdicts.\n\n"
        .to_string();
    page.push_str(&in_a_sentence(&curve_reports));
    page.push_str("\n\n");
    page.push_str(&settings_by_kind(catalogue, &curve_reports));
    page.push_str(&own_findings(&entry.findings, reports));
    page.push_str("\n## What the decisions rest on\n\n");
    page.push_str(&rules(&curve_reports));
    page.push_str(&format!("\n{EVIDENCE}\n\n"));
    page.push_str(&hypotheses(&curve_reports));
    page
}

/// In how many settings an idea is worth using: "4 of 30".
fn worth_using(report: &IdeaReport<'_>) -> String {
    format!("{} of {}", report.supported(), report.settings.len())
}

/// In how many settings of each kind a curve is worth having, with a column for each kind.
fn settings_by_kind(catalogue: &Catalogue, reports: &[IdeaReport<'_>]) -> String {
    let mut kinds: Vec<String> = Vec::new();
    for kind in reports.iter().flat_map(IdeaReport::by_kind) {
        if !kinds.contains(&kind.experiment) {
            kinds.push(kind.experiment);
        }
    }
    let titles = kinds.iter().map(|kind| catalogue.title(kind));
    let mut table = table_head(["curve", "all"].map(String::from).into_iter().chain(titles));
    for report in reports {
        let by_kind = report.by_kind();
        let idea = format!("{}: {}", report.idea.id, report.idea.idea);
        let in_kind = |kind: &String| {
            let known = by_kind.iter().find(|one| one.experiment == *kind);
            known.map(KindOfSetting::words).unwrap_or_default()
        };
        let row = [idea, worth_using(report)]
            .into_iter()
            .chain(kinds.iter().map(in_kind));
        table.push_str(&markdown::row(row));
    }
    table
}

/// The rules, each with the curves for which it was set.
fn rules(reports: &[IdeaReport<'_>]) -> String {
    let mut rules: Vec<(&str, Vec<&str>)> = Vec::new();
    for idea in reports.iter().map(|report| report.idea) {
        match rules.iter_mut().find(|(rule, _)| *rule == idea.rule) {
            Some((_, ideas)) => ideas.push(&idea.id),
            None => rules.push((&idea.rule, vec![&idea.id])),
        }
    }
    let lines = rules
        .iter()
        .map(|(rule, ideas)| format!("- {}: {rule}\n", ideas.join(", ")));
    lines.collect()
}

/// The hypotheses that the curves rest on, with a column for each.
fn hypotheses(reports: &[IdeaReport<'_>]) -> String {
    let mut columns: Vec<&str> = Vec::new();
    for need in reports.iter().flat_map(|report| &report.needs) {
        if !columns.contains(&column(need)) {
            columns.push(column(need));
        }
    }
    let names = columns.iter().map(|name| name.replace('.', ", "));
    let mut table = table_head(std::iter::once("curve, from".to_string()).chain(names));
    for report in reports {
        let in_column = |name: &&str| {
            let mut needs = report.needs.iter();
            let need = needs.find(|need| column(need) == *name);
            need.map(|need| evidence(need)).unwrap_or_default()
        };
        let curve = format!("{}, {}", report.idea.id, report.idea.from);
        let row = std::iter::once(curve).chain(columns.iter().map(in_column));
        table.push_str(&markdown::row(row));
    }
    table
}

/// What a hypothesis is about, without its first two names: "load.delay" of `curves.nlred.load.delay`.
pub(super) fn column<'a>(need: &ClaimReport<'a>) -> &'a str {
    need.claim.id.splitn(3, '.').last().unwrap_or_default()
}

/// The head of a table in Markdown.
fn table_head(columns: impl Iterator<Item = String>) -> String {
    let columns: Vec<String> = columns.collect();
    let line = "|---".repeat(columns.len());
    format!("{}{line}|\n", markdown::row(columns))
}

/// Which curves are worth having in every setting, and which in the largest share of theirs, among
/// those that were tried in as many settings as any.
fn in_a_sentence(reports: &[IdeaReport<'_>]) -> String {
    let tried = reports.iter().map(|report| report.settings.len()).max();
    let reports = reports.iter();
    let reports = reports.filter(|report| Some(report.settings.len()) == tried);
    let reports: Vec<&IdeaReport<'_>> = reports.collect();
    let share =
        |report: &IdeaReport<'_>| report.supported() as f64 / report.settings.len().max(1) as f64;
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
         | passage | our reading | other reading | effect |\n|---|---|---|---|\n"
        .to_string();
    for reading in &ideas.readings {
        let effect = |report: &&ClaimReport<'_>| {
            let (last, verdict) = (report.claim.id.rsplit('.').next(), report.decided());
            format!(
                "{} {} {}",
                last.unwrap_or_default(),
                sign(verdict),
                report.mean()
            )
        };
        let effects: Vec<String> = matching(reports, &reading.claims)
            .iter()
            .map(effect)
            .collect();
        text.push_str(&markdown::row([
            &reading.reading,
            &reading.taken,
            &reading.other,
            &effects.join("; "),
        ]));
    }
    text
}

/// How many of the claims that an idea's paper makes about it are robust; `None` where none was run in
/// other universes.
fn claimed(idea: &Idea, robustness: &[&Robustness<'_>]) -> Option<String> {
    let is_about = |one: &&&Robustness<'_>| idea.claimed.iter().any(|id| one.claim.matches(id));
    let about: Vec<&&Robustness<'_>> = robustness.iter().filter(is_about).collect();
    let robust = about.iter().filter(|one| one.is_robust()).count();
    (!about.is_empty()).then(|| format!("{robust} of {} robust", about.len()))
}

#[cfg(test)]
mod tests {
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
    }
}
